"""The best pairs of all, from row blocks of scores, without holding the score matrix."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linkprior import kernels, parallel
from linkprior.errors import LinkpriorError
from linkprior.network import Network
from linkprior.network.pairs import Ints
from linkprior.ranking.candidates import Bools, Candidates

Rows = Callable[[int, int], NDArray[Any]]
RowsAbove = Callable[[int, int, float], NDArray[Any]]
Found = tuple[Ints, Ints, NDArray[Any]]

MOST_PAIRS = 10_000_000  # pairs an answer without a limit of its own may hold
SCORED_WHOLE = 2000  # nodes up to which scoring every row costs next to nothing
_BRIDGED = 4  # rows scored in vain rather than cutting a run in two


class Bar:
    """A lower bound that rises; what is sent elsewhere takes its value at that time along."""

    floor: float = -np.inf


class Best:
    """The best k found so far; compressed only now and then, so that merging stays cheap."""

    def __init__(self, k: int) -> None:
        self.k, self.bar = k, Bar()
        self._parts: list[Found] = []
        self.waiting = 0

    @property
    def floor(self) -> float:
        """The lowest score that still counts."""
        return self.bar.floor

    def add(self, rows: Ints, cols: Ints, scores: NDArray[Any]) -> None:
        if len(rows):
            self._parts.append((rows, cols, scores))
            self.waiting += len(rows)
        if self.waiting > 2 * self.k:
            self.compress()

    def compress(self) -> Found:
        if not self._parts:
            return np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0)
        rows, cols, scores = (np.concatenate(part) for part in zip(*self._parts, strict=True))
        best = first_pairs(rows, cols, scores, self.k)
        self._parts, self.waiting = [best], len(best[2])
        if self.waiting == self.k:
            self.bar.floor = float(best[2][-1])
        return best


def first_pairs(rows: Ints, cols: Ints, scores: NDArray[Any], k: int) -> Found:
    """Return the k best pairs, best first, ties by pair."""
    if len(scores) > 4 * k:
        kept = scores >= np.partition(scores, len(scores) - k)[len(scores) - k]
        rows, cols, scores = rows[kept], cols[kept], scores[kept]
    order = np.lexsort((cols, rows, -scores))[:k]
    return rows[order], cols[order], scores[order]


def best_pairs(
    score_rows: Rows,
    net: Network,
    k: int | None,
    workers: int | None = None,
    *,
    candidates: Candidates | None = None,
    threshold: float = -np.inf,
    remote: bool = False,
    rows_above: RowsAbove | None = None,
) -> tuple[Ints, NDArray[np.float64]]:
    """Return the k best candidates (i < j) and their scores, best first, ties by pair.

    Scores are at least `threshold`. Without `k` all of these come, unless they are too many.
    `remote` says that rows may be scored elsewhere, as in `parallel.map_tasks`. `rows_above` gives
    the scores of pairs i < j where they are above a floor, and may give less where they are not.
    """
    chosen = Candidates.of(net) if candidates is None else candidates
    most = chosen.n_candidates if k is None else min(k, chosen.n_candidates)
    if k is None and np.isinf(threshold):
        refuse_too_many(most, threshold)
    if most == 0:
        return np.empty((0, 2), np.int64), np.empty(0)
    best = Best(most)
    if chosen.restricted:
        task, runs = _scan_some(score_rows, chosen, most, threshold)
    else:
        above = rows_above or (lambda start, stop, _: score_rows(start, stop))
        task, runs = _scan_all(above, chosen, most, threshold)
    remote = remote and chosen.network.n_nodes > parallel.REMOTE_NODES
    asked = [(*run, best.bar) for run in runs]
    for part in parallel.map_tasks(task, asked, workers, stage="ranking pairs", remote=remote):
        best.add(*part)
        if k is None:
            refuse_too_many(best.waiting, threshold)
    rows, cols, scores = best.compress()
    return np.stack([rows, cols], axis=1), scores.astype(np.float64)


def refuse_too_many(n_pairs: int, threshold: float) -> None:
    """Raise an error where an answer without a limit of its own grows too long."""
    if n_pairs <= MOST_PAIRS:
        return
    where = "" if np.isinf(threshold) else f" with a score of at least {threshold:g}"
    raise LinkpriorError(
        f"there are more than {MOST_PAIRS:,} candidate pairs{where}: ask for a higher threshold, "
        "or for a number of pairs (--top)"
    )


Scan = tuple[Callable[[tuple[int, int, Bar]], Found], list[tuple[int, int]]]


def _scan_all(rows_above: RowsAbove, chosen: Candidates, k: int, threshold: float) -> Scan:
    """Return what finds the best pairs of a row block, where only single pairs are barred."""
    barred = chosen.barred
    below = float(np.nextafter(threshold, -np.inf))  # the kernel wants what is strictly above

    def one_block(asked: tuple[int, int, Bar]) -> Found:
        start, stop, bar = asked
        # The floor comes from earlier rows only (results return in order), so a tie with it loses.
        floor = max(bar.floor, below)
        return kernels.top_pairs(
            rows_above(start, stop, floor), start, barred.indptr, barred.indices, k, floor
        )

    return one_block, parallel.blocks(chosen.network.n_nodes)


def _scan_some(score_rows: Rows, chosen: Candidates, k: int, threshold: float) -> Scan:
    """Return what finds the best pairs of a run of rows, where only some nodes may pair."""
    cover, runs = _rows_to_score(chosen)

    def one_run(asked: tuple[int, int, Bar]) -> Found:
        start, stop, bar = asked
        # A pair is looked at in the row of its first node that is in the cover.
        later = np.arange(len(cover)) > np.arange(start, stop)[:, None]
        allowed = chosen.mask(start, stop) & cover[start:stop, None] & (later | ~cover)
        if not allowed.any():
            return np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0)
        block = score_rows(start, stop)
        # Pairs may come with the larger node as row, so a tie with the floor need not lose.
        allowed &= block >= np.float64(max(bar.floor, threshold))
        rows, cols = np.nonzero(allowed)
        rows += start
        return first_pairs(np.minimum(rows, cols), np.maximum(rows, cols), block[allowed], k)

    return one_run, runs


def _rows_to_score(chosen: Candidates) -> tuple[Bools, list[tuple[int, int]]]:
    """Return nodes whose rows hold every candidate, and runs of rows that hold these nodes.

    In a small network, or where most nodes are wanted, these are all rows, in the blocks of an
    unrestricted search: its scores then agree to the last bit.
    """
    p, cover = chosen.network.n_nodes, chosen.cover
    blocks = parallel.blocks(p)
    wanted = np.flatnonzero(cover)
    if p <= SCORED_WHOLE or 2 * len(wanted) > p:
        return np.ones(p, dtype=bool), blocks
    height = blocks[0][1]
    return cover, [
        (start, min(start + height, int(run[-1]) + 1))
        for run in np.split(wanted, np.flatnonzero(np.diff(wanted) > _BRIDGED + 1) + 1)
        for start in range(int(run[0]), int(run[-1]) + 1, height)
    ]
