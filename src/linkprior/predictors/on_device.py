"""Models whose scores are products of factors, ranked on the device in use.

A device finds the best pairs and makes the rank tables; the scores of these pairs are then taken
from the model itself, so that lists from a device and from the CPU carry the same numbers.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from linkprior.errors import LinkpriorError
from linkprior.kernels._engine import current_device
from linkprior.network.pairs import Ints
from linkprior.predictors.scores import Array, knots
from linkprior.ranking.candidates import Candidates
from linkprior.ranking.topk import MOST_PAIRS, first_pairs, refuse_too_many
from linkprior.solvers.base import Solution, solve

_ROUNDING = 1e-5  # of a score: what float32 on a device and float64 may differ by


@dataclass(frozen=True)
class Form:
    """What a device needs to score pairs.

    The score is the mean over all layers of left·rightᵀ, penalised by as many passes as there are
    tables, with rank weights scale_i·weights_k at the knots of the tables.
    """

    layers: list[tuple[Array, Array, Array]]  # left, right, tables
    scale: Array
    weights: Array

    @classmethod
    def plain(cls, left: Array, right: Array) -> Form:
        """Return products alone, without a prior."""
        p = len(left)
        return cls([(left, right, np.empty((0, p, 1)))], np.zeros(p), np.zeros(1))

    @property
    def is_plain(self) -> bool:
        """Whether scores are products of one pair of factors, and nothing else."""
        return len(self.layers) == 1 and not len(self.layers[0][2])


def all_pairs() -> Any:
    """Import what runs on PyTorch."""
    try:
        from linkprior.kernels.torch import best as found
    except ImportError:
        raise LinkpriorError(
            "this runs through PyTorch, which is not installed: pip install 'linkprior[gpu]'"
        ) from None
    return found


def solve_on_device(
    solver: Any, rng: np.random.Generator, max_iter: int, tol: float
) -> Solution[Any]:
    """Run a solver on a device; out of memory, once more from the start with smaller blocks."""
    from linkprior.kernels.torch.ops import in_blocks

    def run(rows: int) -> Solution[Any]:
        # With a copy of the generator, so that a second try draws the same start.
        return solve(replace(solver, block_rows=rows), copy.deepcopy(rng), max_iter, tol)

    solution = in_blocks(run, solver.most_rows())
    return replace(solution, state=solver.back(solution.state))


def tables(
    left: Array,
    right: Array,
    scale: Array,
    profile: Array,
    passes: int,
    begun: Array | Sequence[Array] = (),
) -> Array:
    """Return rank tables (passes, p, knots) as `scores.build_tables` does."""
    layer, ranks = (left, right, begun), knots(len(profile))
    found: Array = all_pairs().rank_tables(layer, scale, profile, ranks, passes, current_device())
    return found


def best_on_device(
    form: Form, candidates: Candidates, k: int | None, threshold: float
) -> tuple[Ints, Array] | None:
    """Return the k best candidates and their scores in float32; None where this is not for it.

    Pairs a rounding below the threshold come too: in float64 they may reach it.
    """
    if candidates.restricted:
        return None
    if k is None and np.isinf(threshold):
        refuse_too_many(candidates.n_candidates, threshold)
    most = min(MOST_PAIRS + 1 if k is None else k, candidates.n_candidates)
    if most == 0:
        return np.empty((0, 2), np.int64), np.empty(0)
    pairs, scores = all_pairs().best_pairs(
        form.layers,
        form.scale,
        form.weights,
        barred_codes(candidates),
        most,
        threshold - _ROUNDING * abs(threshold) if np.isfinite(threshold) else threshold,
        current_device(),
    )
    if k is None:
        refuse_too_many(len(scores), threshold)
    return in_order(pairs, scores, most)


def exact_best(form: Form, profile: Array, candidates: Candidates, k: int) -> tuple[Ints, Array]:
    """Return the k best candidates by exact ranks, and their scores."""
    most = min(k, candidates.n_candidates)
    if most == 0:
        return np.empty((0, 2), np.int64), np.empty(0)
    (layer,), ranks = form.layers, knots(len(profile))
    barred = barred_codes(candidates)
    pairs, scores = all_pairs().exact_pairs(
        layer, form.scale, profile, ranks, barred, most, current_device()
    )
    return in_order(pairs, scores.astype(np.float64), most)


def in_order(pairs: Ints, scores: Array, k: int) -> tuple[Ints, Array]:
    """Return the best k, best first, ties by pair."""
    rows, columns, ordered = first_pairs(pairs[:, 0], pairs[:, 1], scores, k)
    return np.stack([rows, columns], axis=1), ordered


def barred_codes(candidates: Candidates) -> Ints:
    """Return sorted codes i·p + j, i < j, of pairs that are not candidates."""
    barred, p = candidates.barred, candidates.network.n_nodes
    rows = np.repeat(np.arange(p, dtype=np.int64), np.diff(barred.indptr))
    upper = barred.indices > rows
    return np.sort(rows[upper] * p + barred.indices[upper])
