"""The stack: learners for the top of the list and for the rest, chosen by hidden edges.

Where a pair is near the top of some source, all such pairs of the exercises are learned from,
hidden edge or not, so the learners see the very pairs they have to tell apart; elsewhere a sample
is enough. Both give log-odds, which makes the two comparable.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linkprior.predictors.auto.features import PRIOR
from linkprior.predictors.auto.learners import (
    FEWEST,
    SINGLE,
    Learner,
    kinds_for,
    learn,
    learn_single,
    learner_from,
)
from linkprior.predictors.auto.sampling import Sample, near_top
from linkprior.predictors.meta import arrays_under

Array = NDArray[Any]

BLENDS: tuple[tuple[str, ...], ...] = (
    ("linear", "monotone", "free"),
    ("linear", "monotone"),
    ("linear", "free"),
    ("linear",),
    ("monotone",),
    ("free",),
    (SINGLE,),
)
FUSION_OFFSET = 60.0  # of reciprocal-rank fusion: Σ 1/(60 + rank)


@dataclass(frozen=True)
class Part:
    """The learners of one region of the list; their log-odds are averaged and shifted."""

    learners: dict[str, Learner]
    shift: float = 0.0

    def log_odds(self, X: Array, n_nodes: int, blend: Sequence[str]) -> Array:
        """Return the mean of some learners' log-odds."""
        total = np.zeros(len(X))
        for kind in blend:
            total += self.learners[kind].log_odds(X, n_nodes)
        return total / len(blend) + self.shift


@dataclass(frozen=True)
class Stack:
    """How features become a score.

    Attributes
    ----------
    kind
        "stack"; or, with nothing learned: "fusion" (reciprocal ranks), "prior" (the mean of what
        the degree prior says of each model's ranks) or "source" (one feature alone).
    top, rest
        The learners near the top of a source, and elsewhere; without `top` the rest is for all.
    top_blend, rest_blend
        Which of their learners are averaged.
    column
        The feature, where it is one alone.
    columns, floor
        What "near the top" means: any of these features above the floor.
    n_pairs
        Pairs of the network the ranks belong to.
    """

    kind: str
    labels: tuple[str, ...]
    columns: tuple[int, ...] = ()
    floor: float = 0.0
    n_pairs: int = 1
    top: Part | None = None
    rest: Part | None = None
    top_blend: tuple[str, ...] = ()
    rest_blend: tuple[str, ...] = ()
    column: int = -1

    def scores(self, X: Array, n_nodes: int) -> Array:
        """Return the scores of pairs from their features (n, features)."""
        if self.kind == "source":
            return X[:, self.column].astype(np.float64)
        if self.kind == "prior":
            return X[:, self._n_ranks :].mean(axis=1, dtype=np.float64)
        if self.kind == "fusion" or self.rest is None:
            return fusion(X[:, : self._n_ranks], self.n_pairs)
        found = self.rest.log_odds(X, n_nodes, self.rest_blend)
        if self.top is not None:
            at = np.flatnonzero(near_top(X, self.columns, self.floor))
            found[at] = self.top.log_odds(X[at], n_nodes, self.top_blend)
        return found

    @property
    def _n_ranks(self) -> int:
        return sum(not label.startswith(PRIOR) for label in self.labels)

    # ------------------------------------------------------------------ keeping

    def arrays(self) -> dict[str, Array]:
        """Return the learners as arrays."""
        found: dict[str, Array] = {}
        for name, part, blend in self._parts():
            for kind in blend:
                own = part.learners[kind].arrays()
                found |= {f"{name}.{kind}.{key}": value for key, value in own.items()}
        return found

    def facts(self) -> dict[str, Any]:
        """Return everything else."""
        plain = ("kind", "labels", "columns", "floor", "n_pairs", "column")
        parts = {name: [list(blend), part.shift] for name, part, blend in self._parts()}
        return {**{name: getattr(self, name) for name in plain}, "parts": parts}

    def _parts(self) -> list[tuple[str, Part, tuple[str, ...]]]:
        both = ("top", self.top, self.top_blend), ("rest", self.rest, self.rest_blend)
        return [(name, part, blend) for name, part, blend in both if part is not None]


def stack_from(arrays: Mapping[str, Array], facts: Mapping[str, Any]) -> Stack:
    """Return a stack from what was kept of it."""
    given: dict[str, Any] = {
        k: tuple(v) if isinstance(v, list) else v for k, v in facts.items() if k != "parts"
    }
    for name, (blend, shift) in facts["parts"].items():
        learners = {kind: learner_from(arrays_under(f"{name}.{kind}", arrays)) for kind in blend}
        given |= {name: Part(learners, shift), f"{name}_blend": tuple(blend)}
    return Stack(**given)


def fusion(ranks: Array, n_pairs: int) -> Array:
    """Return Σ 1/(60 + rank) over the sources, from features −log(rank/N)."""
    total: Array = (1.0 / (FUSION_OFFSET + n_pairs * np.exp(-ranks.astype(np.float64)))).sum(axis=1)
    return total


# ---------------------------------------------------------------------- learning


def learn_part(samples: Sequence[Sample], near: bool, column: int = -1) -> Part | None:
    """Return the learners of one region; None where too few hidden edges are in it.

    Near the tops all pairs are there. For the whole list the learners see an even draw, and the
    shift makes up for the pairs that were not drawn. With `column` one of the learners looks at
    that feature alone.
    """
    chosen = [sample.top if near else sample.y | sample.drawn for sample in samples]
    X = np.concatenate([s.X[at] for s, at in zip(samples, chosen, strict=True)])
    y = np.concatenate([s.y[at] for s, at in zip(samples, chosen, strict=True)])
    if y.sum() < FEWEST or (~y).sum() < FEWEST:
        return None
    shift = 0.0
    if not near:
        whole = sum(float(sample.weight[~sample.y].sum()) for sample in samples)
        shift = float(np.log((~y).sum() / whole))
    learners = {kind: learn(kind, X, y) for kind in kinds_for(int(y.sum()))}
    if column >= 0:
        learners[SINGLE] = learn_single(X, y, column)
    return Part(learners, shift)


def carried(stack: Stack, X: Array) -> dict[str, float]:
    """Return each feature's share in what ranks the top of the list, largest first.

    It is the mean over the learners there: |w|·sd for the linear ones, gains for trees.
    """
    part, blend = (stack.top, stack.top_blend) if stack.top else (stack.rest, stack.rest_blend)
    if part is None or not len(X):
        return {}
    shares = np.mean([part.learners[kind].shares(X) for kind in blend], axis=0)
    order = np.argsort(-shares, kind="stable")
    return {stack.labels[at]: float(shares[at]) for at in order.tolist()}
