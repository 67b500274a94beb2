"""What the stack sees of a pair: how high every source ranks it."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self

import numpy as np

from linkprior import _progress as progress
from linkprior import kernels, parallel
from linkprior.kernels import Bins
from linkprior.network import Network
from linkprior.network import pairs as pr
from linkprior.predictors.auto.sources import BY_LABEL, Source
from linkprior.predictors.base import Array, Learned, LinkPredictor
from linkprior.predictors.cost import cost_of, entries
from linkprior.predictors.meta import arrays_under

CONSTANT = "gives every pair the same score"
FEWEST = 3  # sources that are fitted even when it is late: the first ones, which take no time
LATE = "not fitted within the time limit"
HELD_BYTES = 330e6  # of scores that are held between two looks at them
MOST_TIED = 4  # times as many pairs as wanted may be near a top because they tie
ROUNDING = 1e-5  # scores that differ by less, relative to their size, are one score

Blocks = list[tuple[int, int]]


@dataclass(frozen=True)
class FittedSource:
    """One source, fitted to a network: its model, its ranks, and its scores where they are held."""

    source: Source
    model: LinkPredictor
    sketch: RankSketch
    held: Mapping[tuple[int, int], Array] | None = None

    def rows(self, start: int, stop: int) -> Array:
        """Return a block of scores in float32."""
        return np.asarray(self.model._rows(start, stop), dtype=np.float32)

    def upper(self, start: int, stop: int) -> Array:
        """Return the same from the column of its first row on."""
        if self.held is not None:
            return self.held[start, stop]
        return self.rows(start, stop)[:, start:]

    def rows_or_factors(self, start: int, stop: int) -> Array | tuple[Array, Array]:
        """Return a block of scores, or the two factors whose product they are."""
        form = self.model._factor_form()
        if form is None or not form.is_plain:
            return self.rows(start, stop)
        ((left, right, _),) = form.layers
        return left[start:stop], right


@dataclass(frozen=True)
class Features:
    """All sources on one network: log(edges/rank) of each pair, 0 where the best E pairs end."""

    network: Network
    fitted: tuple[FittedSource, ...]
    blocks: Blocks  # of rows that were looked at

    @property
    def labels(self) -> list[str]:
        """Names of the sources."""
        return [one.source.label for one in self.fitted]

    @cached_property
    def tables(self) -> list[Array]:
        """What `kernels.rank_features` takes, of each source."""
        density = self.network.n_edges / pr.n_pairs(self.network.n_nodes)
        return [one.sketch.table(np.log(density)) for one in self.fitted]

    @cached_property
    def tops(self) -> Array:
        """Features where tops end: as many pairs as edges, a tenth where degrees decide them."""
        of_degrees = [one.source.by_degree for one in self.fitted]
        return np.where(of_degrees, np.log(10.0), 0.0).astype(np.float32)

    @cached_property
    def thresholds(self) -> list[float]:
        """The scores where tops end."""
        share = self.network.n_edges / pr.n_pairs(self.network.n_nodes)
        shares = share * np.exp(-self.tops)
        return [one.sketch.score_of(part) for one, part in zip(self.fitted, shares, strict=True)]

    def block(self, start: int, stop: int, first: int = 0) -> Array:
        """Return the features (sources, rows, columns) of a block from a column on, in float32."""
        out = np.empty((len(self.fitted), stop - start, self.network.n_nodes - first), np.float32)
        for at, one in enumerate(self.fitted):
            scores = one.upper(start, stop) if first == start else one.rows(start, stop)[:, first:]
            out[at] = kernels.rank_features(scores, self.tables[at])
        return out

    def of_scores(self, at: int, scores: Array) -> Array:
        """Return the feature of some scores of one source."""
        return kernels.rank_features(scores[None, :], self.tables[at])[0]

    def without(self, labels: Sequence[str]) -> Features:
        """Leave out some sources."""
        fitted = tuple(one for one in self.fitted if one.source.label not in labels)
        return Features(self.network, fitted, self.blocks)

    def released(self) -> Features:
        """Return the same without the scores that are held."""
        return Features(
            self.network, tuple(replace(one, held=None) for one in self.fitted), self.blocks
        )

    # ------------------------------------------------------------------ saving

    def state(self) -> tuple[dict[str, Array], dict[str, Any]]:
        """Return arrays and facts from which `restored` makes the same features."""
        arrays: dict[str, Array] = {}
        for one in self.fitted:
            parts = {"model": one.model.learned_.arrays, "ranks": one.sketch.arrays()}
            for part, values in parts.items():
                arrays |= {f"{one.source.label}.{part}.{k}": v for k, v in values.items()}
        return arrays, {one.source.label: dict(one.model.learned_.facts) for one in self.fitted}


def restored(
    network: Network,
    arrays: Mapping[str, Array],
    facts: Mapping[str, Any],
    seed: int,
    held: Mapping[str, Mapping[tuple[int, int], Array]],
) -> Features:
    """Return features from what was saved of them, and with scores that are still held."""
    fitted = []
    for label, source_facts in facts.items():
        source = BY_LABEL[label]
        model = source.make(seed, network.n_nodes)
        model._remember(network, Learned(arrays_under(f"{label}.model", arrays), source_facts))
        sketch = RankSketch(**arrays_under(f"{label}.ranks", arrays))
        fitted.append(FittedSource(source, model, sketch, held.get(label)))
    return Features(network, tuple(fitted), parallel.blocks(network.n_nodes))


# ---------------------------------------------------------------------- learning


def some_blocks(n_nodes: int, share: float, first: int) -> Blocks:
    """Return evenly spaced blocks of rows that hold about this share of all pairs.

    A pair is looked at in the row of its first node, so each pair has the same chance.
    """
    every = parallel.blocks(n_nodes)
    step = max(1, round(1.0 / share))
    return every[first % step :: step] or every


def fit_sources(
    network: Network,
    sources: Sequence[Source],
    seed: int,
    blocks: Blocks,
    hold: bool = False,
    late: Callable[[], bool] = lambda: False,
) -> tuple[Features, dict[str, str]]:
    """Fit every source to a network and count its scores; also say which are of no use, and why.

    With `hold` the scores that take longest are held for the next look, as many as there is room.

    A source that raises, gives numbers that are not finite or the same score for every pair, or
    that would begin when it is `late` and some others can be used, is left out.
    """
    fitted: list[FittedSource] = []
    reasons: dict[str, str] = {}
    to_hold = slowest(sources, network, blocks) if hold else []
    with progress.stage(total=sum(work_of(source, network) for source in sources)):
        for source in sources:
            with progress.part(work_of(source, network)):
                usable = sum(one.source.label not in reasons for one in fitted)
                if late() and usable >= FEWEST:
                    reasons[source.label] = LATE
                    continue
                try:
                    one = _fit_source(source, network, seed, blocks, source.label in to_hold)
                except Exception as problem:  # whatever it is, the other sources can do without it
                    said = str(problem).partition("\n")[0].partition(";")[0]
                    reasons[source.label] = f"failed ({said or type(problem).__name__})"
                    continue
            if one.sketch.is_constant:
                reasons[source.label] = CONSTANT
            fitted.append(one)
    return Features(network, tuple(fitted), blocks), reasons


def slowest(sources: Sequence[Source], network: Network, blocks: Blocks) -> list[str]:
    """Return the sources whose scores take longest, as many as HELD_BYTES have room for."""
    size = sum(4.0 * (stop - start) * (network.n_nodes - start) for start, stop in blocks)

    def seconds(source: Source) -> float:
        return cost_of(source.make(0, network.n_nodes), network).scores

    return [one.label for one in sorted(sources, key=seconds)[::-1][: int(HELD_BYTES / size)]]


def work_of(source: Source, network: Network) -> float:
    """Return the nominal work of fitting a source and of counting its scores."""
    work = cost_of(source.make(0, network.n_nodes), network)
    return work.fit + work.scores + 1.5 * entries(network)


def _fit_source(
    source: Source, network: Network, seed: int, blocks: Blocks, hold: bool
) -> FittedSource:
    model = source.make(seed, network.n_nodes).fit(network)

    def one_block(block: tuple[int, int]) -> tuple[Bins, Array | None]:
        scores = np.asarray(model._rows(*block), dtype=np.float32)
        return kernels.count_bins(scores, block[0]), scores[:, block[0] :].copy() if hold else None

    bins, held = Bins.empty(), dict[tuple[int, int], Array]()
    counted = parallel.map_tasks(one_block, blocks, stage="", remote=True)
    for block, (found, scores) in zip(blocks, counted, strict=True):
        bins.add(found)
        if scores is not None:
            held[block] = scores
    return FittedSource(source, model, RankSketch.of(bins), held if hold else None)


@dataclass(frozen=True)
class RankSketch:
    """How the scores of all pairs are distributed: what turns a score into −log(rank/N).

    Counting is exact and does not depend on the order of pairs. Within a bin, whose scores agree
    to one percent, ranks are taken to be spread evenly; scores that differ by rounding alone have
    the middle rank of those who share them.
    """

    at: Array  # numbers of the bins that hold pairs, ascending
    counts: Array  # of pairs in each
    low: Array  # lowest and highest score of each
    high: Array

    @classmethod
    def of(cls, bins: Bins) -> Self:
        """Keep the bins that hold something."""
        at = np.flatnonzero(bins.counts)
        return cls(at.astype(np.int32), bins.counts[at], bins.low[at], bins.high[at])

    @property
    def is_constant(self) -> bool:
        """Whether all pairs have the same score."""
        return len(self.at) == 1 and bool(self.low[0] == self.high[0])

    def score_of(self, share: float) -> float:
        """Return the lowest score of the bins that begin within the best share of all pairs.

        A last one that holds far more pairs, such as all without a path between them, is left out.
        """
        above, wanted = np.cumsum(self.counts[::-1])[::-1] - self.counts, share * self.counts.sum()
        first = np.flatnonzero(above < wanted)[0]
        if above[first] + self.counts[first] > MOST_TIED * max(1.0, wanted):
            first += 1
        return float(self.low[first]) if first < len(self.low) else float("inf")

    def arrays(self) -> dict[str, Array]:
        """Return the arrays to save."""
        return {name: getattr(self, name) for name in ("at", "counts", "low", "high")}

    def table(self, offset: float = 0.0) -> Array:
        """Return a line for every bin: lowest, highest score, feature of the lowest, slope.

        The feature is −log(rank/N), and `offset`.
        """
        from linkprior.kernels.bins import N_BINS

        counts = np.zeros(N_BINS, np.int64)
        counts[self.at] = self.counts
        above = np.cumsum(counts[::-1])[::-1] - counts
        total = max(1, int(counts.sum()))
        table = np.zeros((N_BINS, 4))
        table[:, 2] = -np.log((above + 1.0) / (total + 1.0))  # of an empty bin, between others
        table[self.at] = self._filled(above[self.at], total)
        table[:, 2] += offset
        return table.astype(np.float32)

    def _filled(self, above: Array, total: int) -> Array:
        low, high = self.low.astype(np.float64), self.high.astype(np.float64)
        best = -np.log((above + 1.0) / total)
        worst = -np.log((above + self.counts) / total)
        middle = -np.log((above + 0.5 * (self.counts + 1.0)) / total)
        wide = high - low > ROUNDING * np.maximum(np.abs(low), np.abs(high))
        slope = np.divide(best - worst, high - low, out=np.zeros(len(low)), where=wide)
        wide &= slope < np.finfo(np.float32).max
        slope[~wide] = 0.0
        return np.stack([low, high, np.where(wide, worst, middle), slope], axis=1)


class Deadline:
    """A number of seconds, of which parts of the work may use shares."""

    def __init__(self, seconds: float | None) -> None:
        self.began, self.seconds = time.time(), seconds  # which other machines share

    def passed(self, share: float) -> bool:
        """Return whether this share of the time is over."""
        return self.seconds is not None and time.time() - self.began > share * self.seconds
