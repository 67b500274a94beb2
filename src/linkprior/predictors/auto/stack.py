"""The stack: how the ranks that all sources give a pair become its log-odds.

The log-odds are a sum: of each source's feature, bent at five places, of products of the features
of any two sources, of what the two nodes' degrees and their levels say, and of products of these
with each feature. The weights are those under which the
hidden edges are likeliest, shrunk towards weights learned on many other networks (`Prior`): where
few edges can be hidden these decide, where many can, the network itself. The problem is convex and
no learner is chosen over another, so that hiding other edges changes little.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

import numpy as np

from linkprior import parallel
from linkprior.kernels import StackWeights
from linkprior.network import Network
from linkprior.predictors.auto.holdout import DEGREE_TERMS, Sample
from linkprior.predictors.auto.regression import Regression
from linkprior.predictors.auto.sources import BY_LABEL
from linkprior.predictors.base import Array

CLIP = 9.0  # features beyond which a better or worse rank makes no difference
BENDS = (-3.0, 0.0, 1.5, 3.0, 4.5)  # features at which their weights may change
INTERCEPT = "intercept"
FADES = 200.0  # edges of a network for which the means of other networks count half
MOST_NEGATIVES = 200_000  # pairs other than hidden edges to learn from; beyond, some stand for all


def columns(labels: Sequence[str]) -> list[str]:
    """Return the names of the terms of the sum."""
    bent = [f"{label} above {bend:g}" for bend in BENDS for label in _bent(labels)]
    crossed = [f"{a} and {b}" for a, b in _crossed(labels)]
    with_degrees = [f"{label} with {name}" for name in DEGREE_TERMS for label in labels]
    with_levels = [f"{label} with level" for label in _bent(labels)]
    by_node = [f"{label} by node" for label in _bent(labels)]
    products = [*crossed, *with_degrees, *with_levels]
    return [*labels, *bent, *products, *by_node, *DEGREE_TERMS, INTERCEPT]


def _bent(labels: Sequence[str]) -> list[str]:
    """Return the sources whose weight may change with the rank: few pairs are all that degrees say.

    A bend at the top of a ranking by degree would be learned from some pairs of two hubs.
    """
    return [label for label in labels if not BY_LABEL[label].by_degree]


def _crossed(labels: Sequence[str]) -> list[tuple[str, str]]:
    return [(one, other) for at, one in enumerate(labels) for other in labels[:at]]


class Described(NamedTuple):
    """What a `Sample` says of pairs."""

    U: Array
    N: Array
    D: Array


def terms(
    sample: Sample | Described,
    labels: Sequence[str],
    rows: Any = slice(None),
    out: Array | None = None,
) -> Array:
    """Return the terms (n, columns) of some pairs of a sample, as float32."""
    place = {label: at for at, label in enumerate(labels)}
    unequal = [place[label] for label in _bent(labels)]
    u = np.clip(sample.U[rows], -CLIP, CLIP)
    some, N, D = u[:, unequal], sample.N[rows][:, unequal], sample.D[rows]
    high = np.maximum(u - np.float32(BENDS[0]), 0)
    one, other = ([place[pair[side]] for pair in _crossed(labels)] for side in (0, 1))
    parts = [
        u,
        *(np.maximum(some - np.float32(bend), 0) for bend in BENDS),
        high[:, one] * high[:, other],
        *(high * D[:, at, None] for at in range(len(DEGREE_TERMS))),
        high[:, unequal] * N,
        N,
        D,
        np.ones((len(u), 1), np.float32),
    ]
    return np.concatenate(parts, axis=1, out=out, dtype=None if out is not None else np.float32)


# ---------------------------------------------------------------------- the prior


@dataclass(frozen=True)
class Prior:
    """Weights learned on other networks: their mean on a network like this, and how sure they are.

    Terms are standardized, by `centre` and `scale`; `precision` is the inverse variance of a weight
    between networks.
    """

    centre: Array
    scale: Array
    mean: Array
    precision: Array
    start: Array  # likely weights, wherever the mean is


def describe(network: Network) -> Array:
    """Return what the mean of the prior depends on: 1, and four numbers about the network."""
    k = network.degrees[network.degrees > 0].astype(np.float64)
    a = network.adjacency
    closed = float((a @ a).multiply(a).sum()) if len(k) else 0.0
    paths = float((k * (k - 1.0)).sum())
    numbers = [
        np.log10(max(1, network.n_edges)) - 2.8,
        2.0 * closed / paths - 0.4 if paths else -0.4,
        np.log(k.mean()) - 1.3,
        k.std() / k.mean() - 1.0,
    ]
    return np.r_[1.0, np.clip(numbers, -1.5, 1.5)]


@cache
def _stored() -> dict[str, Any]:
    text = files("linkprior.predictors.auto").joinpath("prior_stack.json").read_text("utf-8")
    stored: dict[str, Any] = json.loads(text)
    return stored


def prior_for(network: Network, labels: Sequence[str], effort: str) -> Prior:
    """Return the prior for a network and some sources; a term it does not know has mean zero.

    The more edges a network has, the nearer to zero the means are: what other networks have in
    common helps where little can be learned, and is in the way where much can.
    """
    stored = _stored()
    precision, names = stored["precision"], columns(labels)
    few = effort == "fast" or {*labels} <= stored["weights"]["fast"].keys()  # others would lack
    known, like = stored["weights"]["fast" if few else "normal"], describe(network)
    rows = [known.get(name, {"centre": 0.0, "scale": 1.0, "mean": [0.0] * 5}) for name in names]
    kinds = [precision[kind_of(name)] for name in names]
    fading = FADES / (FADES + network.n_edges)
    means = np.array([row["mean"] for row in rows]) @ like
    centre, scale = (np.array([row[what] for row in rows]) for what in ("centre", "scale"))
    return Prior(centre, scale, fading * means, np.array(kinds), means)


def kind_of(column: str) -> str:
    """Return the kind of a term, which has a precision of its own."""
    if column == INTERCEPT:
        return INTERCEPT
    if column in DEGREE_TERMS:
        return "degrees"
    _, kind, what = re.split("( and | above | by | with |$)", column, maxsplit=1)
    if kind == " with ":
        return "with level" if what == "level" else "with degrees"
    return {" and ": "crossed", " above ": "bent", " by ": "by node", "": "linear"}[kind]


def _involved(column: str) -> list[str]:
    """Return the sources that a term is of, and "degrees"."""
    parts = re.split(" and | above | by | with ", column)
    sources = [part for part in parts if part in BY_LABEL]
    return [*sources, *(["degrees"] if parts[-1] in DEGREE_TERMS else [])]


# ---------------------------------------------------------------------- learning


@dataclass(frozen=True)
class Training:
    """The terms of all samples, standardized, with what belongs to each row."""

    X: Array
    y: Array
    weight: Array
    group: Array  # which sample it is of


def training(
    samples: Sequence[Sample],
    labels: Sequence[str],
    prior: Prior,
    seed: int,
    matched: bool = False,
) -> Training:
    """Gather samples to learn from; of very many pairs that are no hidden edges, a part."""
    rng = np.random.default_rng([seed, 2])
    share = min(1.0, MOST_NEGATIVES / max(1, sum(int((~one.y).sum()) for one in samples)))
    chosen = [np.flatnonzero(one.y | (rng.random(len(one.y)) < share)) for one in samples]
    ends = np.cumsum([len(rows) for rows in chosen])
    centre, scale = prior.centre.astype(np.float32), prior.scale.astype(np.float32)
    X = np.empty((ends[-1], len(centre)), np.float32)

    def fill(at: int) -> tuple[Array, Array]:
        one, rows = samples[at], chosen[at]
        part = terms(one, labels, rows, X[ends[at] - len(rows) : ends[at]])
        part -= centre
        part /= scale
        given = one.matched_weight if matched else one.weight
        return one.y[rows].astype(np.float64), np.where(one.y, given, given / share)[rows]

    y, weight = zip(*parallel.map_tasks(fill, range(len(samples))), strict=True)
    group = np.repeat(np.arange(len(samples)), [len(rows) for rows in chosen])
    return Training(X, np.concatenate(y), np.concatenate(weight), group)


@dataclass(frozen=True)
class Stack:
    """How features become log-odds: weights of the terms as they are, and how sure they are."""

    labels: tuple[str, ...]
    weights: Array  # of `columns(labels)`
    covariance: Array

    def of_terms(self, X: Array) -> Array:
        """Return the log-odds of pairs from their terms."""
        return (X @ self.weights.astype(np.float32)).astype(np.float64)

    def spread(self, X: Array) -> Array:
        """Return the standard deviation of the log-odds, from that of the weights."""
        wide = X.astype(np.float64)
        return np.sqrt(np.maximum(0.0, np.einsum("ij,jk,ik->i", wide, self.covariance, wide)))

    def sums(self, levels: Array) -> StackWeights:
        """Return the weights for `kernels.stack_sums`; `levels` are (sources, nodes)."""
        by_name = dict(zip(columns(self.labels), self.weights, strict=True))

        def table(names: Sequence[Sequence[str]]) -> Array:
            """Return the weights of terms by name, 0 where there is no such term."""
            return np.array([[by_name.get(name, 0.0) for name in row] for row in names], np.float32)

        labels, wide = self.labels, levels.astype(np.float64)
        by_node, with_level = (
            np.array([by_name.get(f"{label} {what}", 0.0) for label in labels])
            for what in ("by node", "with level")
        )
        return StackWeights(
            curves=table([[x, *(f"{x} above {bend:g}" for bend in BENDS)] for x in labels]),
            bends=np.array(BENDS, np.float32),
            crossed=table([[f"{x} and {other}" for other in labels] for x in labels]),
            with_degrees=table([[f"{x} with {name}" for name in DEGREE_TERMS] for x in labels]),
            degrees=table([DEGREE_TERMS])[0],
            with_levels=(with_level[:, None] * wide).astype(np.float32),
            own=(by_node @ wide + 0.5 * by_name[INTERCEPT]).astype(np.float32),
            clip=np.float32(CLIP),
        )

    def importance(self, X: Array) -> dict[str, float]:
        """Return each source's share in what tells pairs with these terms apart, largest first."""
        parts = X.astype(np.float64) * self.weights
        shares = dict.fromkeys([*self.labels, "degrees"], 0.0)
        sums = {label: np.zeros(len(X)) for label in shares}
        for at, name in enumerate(columns(self.labels)):
            involved = _involved(name)
            for label in involved:
                sums[label] += parts[:, at] / len(involved)
        spreads = {label: float(one.std()) for label, one in sums.items()}
        whole = sum(spreads.values()) or 1.0
        return dict(sorted(((k, v / whole) for k, v in spreads.items()), key=lambda kv: -kv[1]))

    # ------------------------------------------------------------------ saving

    def arrays(self) -> dict[str, Array]:
        """Return the arrays to save."""
        return {"weights": self.weights, "covariance": self.covariance}

    @classmethod
    def restored(cls, labels: Sequence[str], arrays: Mapping[str, Array]) -> Stack:
        """Return a stack from what was saved of it."""
        return cls(tuple(labels), arrays["weights"], arrays["covariance"])


def raw(beta: Array, curvature: Array, labels: Sequence[str], prior: Prior) -> Stack:
    """Return the stack of weights of standardized terms."""
    weights, inverse = beta / prior.scale, np.linalg.inv(curvature)
    # The intercept takes in what centring took away.
    change = np.diag(1.0 / prior.scale)
    change[-1, :] -= prior.centre / prior.scale
    weights[-1] -= float((beta * prior.centre / prior.scale).sum())
    return Stack(tuple(labels), weights, change @ inverse @ change.T)


@dataclass(frozen=True)
class Learned:
    """What learning leaves: the stack, others that each lack some samples, and their log-odds."""

    stack: Stack
    others: list[Stack]
    crossed: list[Array]  # log-odds of each sample by a stack that did not see it

    @classmethod
    def of_prior(cls, labels: Sequence[str], prior: Prior) -> Learned:
        """Return the weights of the prior alone."""
        return cls(raw(prior.mean, np.diag(prior.precision), labels, prior), [], [])


GROUPS = 5  # into which hold-outs are put, to be left out in turn


def learn(
    samples: Sequence[Sample],
    labels: Sequence[str],
    prior: Prior,
    seed: int,
    rounds: float = 1.0,
    matched: bool = False,
) -> Learned:
    """Return the weights under which the hidden edges are likeliest, given the prior.

    `rounds` is how often each edge was hidden; that it was hidden again is no new evidence. With
    `matched` other pairs count in proportion to the product of their degrees.
    """
    if len(samples) == 1:  # both halves are judged by what was learned from the other one
        even = np.arange(len(samples[0].y)) % 2 == 0
        halves = learn(
            [samples[0].part(even), samples[0].part(~even)], labels, prior, seed, rounds, matched
        )
        crossed = np.empty(len(even))
        crossed[even], crossed[~even] = halves.crossed
        return Learned(halves.stack, halves.others, [crossed])
    data, n = training(samples, labels, prior, seed, matched), min(GROUPS, len(samples))
    weight = data.weight / max(1.0, rounds)
    whole = Regression(data.X, data.y, weight, prior.mean, prior.precision)
    beta, curvature = whole.solve(prior.start)
    others = []
    for left_out in range(n):
        rows = data.group % n != left_out
        more = len(data.y) / max(1, rows.sum())
        rest = whole.weighted(np.where(rows, more * weight, 0.0)).near(beta)
        others.append(raw(rest, curvature, labels, prior))
    crossed_ = [others[at % n].of_terms(terms(one, labels)) for at, one in enumerate(samples)]
    return Learned(raw(beta, curvature, labels, prior), others, crossed_)
