"""What the stack sees of a pair: its rank by every source, and as the degree prior weighs it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np

from linkprior import _progress as progress
from linkprior import kernels, parallel
from linkprior.errors import LinkpriorError
from linkprior.kernels import Bins
from linkprior.model.degrees import prior_degrees
from linkprior.model.priors import DegreePrior
from linkprior.network import Network
from linkprior.predictors.auto.sources import BY_LABEL, Source
from linkprior.predictors.base import Array, Learned, LinkPredictor
from linkprior.predictors.cost import cost_of, entries
from linkprior.predictors.meta import arrays_under
from linkprior.predictors.scores import knots

ALPHA, C = 0.5, 1.0  # of the prior over sources: the defaults of tri-degree and degree:NAME
CONSTANT = "gives every pair the same score"
PRIOR = "prior:"  # before the label of a source: its ranks as the prior weighs them


@dataclass(frozen=True)
class FittedSource:
    """One source, fitted to a network: its model, its ranks, and its rows at some ranks."""

    source: Source
    model: LinkPredictor
    sketch: RankSketch
    row_table: Array | None = None  # (p, knots), where the prior is asked about it

    @cached_property
    def rank_table(self) -> Array:
        return self.sketch.table()

    def rows(self, start: int, stop: int) -> Array:
        """Return a block of scores in float32."""
        return np.asarray(self.model._rows(start, stop), dtype=np.float32)


@dataclass(frozen=True)
class Features:
    """All sources on one network."""

    network: Network
    fitted: tuple[FittedSource, ...]

    @property
    def labels(self) -> list[str]:
        """Names of the features: all sources, then those with the prior over them."""
        with_prior = [one for one in self.fitted if one.row_table is not None]
        labels = [one.source.label for one in self.fitted]
        return [*labels, *(f"{PRIOR}{one.source.label}" for one in with_prior)]

    @cached_property
    def _weights(self) -> tuple[Array, Array]:
        """Return the prior's weights: one factor per node, and h at the knots."""
        p = self.network.n_nodes
        prior = DegreePrior(prior_degrees(self.network, None, C), ALPHA)
        return prior.scale(np.zeros(p)), prior.profile(p - 1)[knots(p - 1)]

    def block(self, start: int, stop: int) -> Array:
        """Return the features (rows, p, features) of a block of rows, in float32."""
        p = self.network.n_nodes
        out = np.empty((stop - start, p, len(self.labels)), np.float32)
        after = len(self.fitted)
        for at, one in enumerate(self.fitted):
            scores = one.rows(start, stop)
            out[:, :, at] = kernels.rank_features(scores, one.rank_table)
            if one.row_table is not None:
                weights = self._weights
                out[:, :, after] = -kernels.lookup_penalty(scores, start, one.row_table, *weights)
                after += 1
        return out

    # ------------------------------------------------------------------ saving

    def state(self) -> tuple[dict[str, Array], dict[str, Any]]:
        """Return arrays and facts from which `restored` makes the same features."""
        arrays: dict[str, Array] = {}
        for one in self.fitted:
            parts = {"model": one.model.learned_.arrays, "ranks": one.sketch.arrays()}
            if one.row_table is not None:
                parts["rows"] = {"table": one.row_table}
            for part, values in parts.items():
                arrays |= {f"{one.source.label}.{part}.{k}": v for k, v in values.items()}
        return arrays, {one.source.label: dict(one.model.learned_.facts) for one in self.fitted}


def restored(
    network: Network, arrays: Mapping[str, Array], facts: Mapping[str, Any], seed: int
) -> Features:
    """Return features from what was saved of them."""
    fitted = []
    for label, source_facts in facts.items():
        source = BY_LABEL[label]
        model = source.make(seed, network.n_nodes)
        model._remember(network, Learned(arrays_under(f"{label}.model", arrays), source_facts))
        sketch = RankSketch(**arrays_under(f"{label}.ranks", arrays))
        fitted.append(FittedSource(source, model, sketch, arrays.get(f"{label}.rows.table")))
    return Features(network, tuple(fitted))


# ---------------------------------------------------------------------- learning


class SourcesFailedError(LinkpriorError):
    """Some sources are of no use on a network; `reasons` has why, by label."""

    def __init__(self, reasons: Mapping[str, str]) -> None:
        super().__init__("; ".join(f"{label}: {why}" for label, why in reasons.items()))
        self.reasons = reasons


def fit_sources(network: Network, sources: Sequence[Source], seed: int, prior: bool) -> Features:
    """Fit every source to a network and count its scores, one pass over all pairs each.

    Raises `SourcesFailedError` once all are tried. A source that gives every pair the same score is
    among those that fail, unless it is the only one.
    """
    fitted, reasons = [], {}
    with progress.stage(total=sum(work_of(source, network, prior) for source in sources)):
        for source in sources:
            with progress.part(work_of(source, network, prior)):
                try:
                    one = _fit_source(source, network, seed, prior)
                except Exception as problem:  # whatever it is, the other sources can do without it
                    said = str(problem).partition("\n")[0].partition(";")[0]
                    reasons[source.label] = f"failed ({said or type(problem).__name__})"
                    continue
            if one.sketch.is_constant and len(sources) > 1:
                reasons[source.label] = CONSTANT
            fitted.append(one)
    if reasons:
        raise SourcesFailedError(reasons)
    return Features(network, tuple(fitted))


def work_of(source: Source, network: Network, prior: bool) -> float:
    """Return the nominal work of fitting a source and of counting its scores."""
    work = cost_of(source.make(0, network.n_nodes), network)
    ranked = 12.0 if prior and source.with_prior else 0.0
    return work.fit + work.scores + (1.5 + ranked) * entries(network)


def _fit_source(source: Source, network: Network, seed: int, prior: bool) -> FittedSource:
    model = source.make(seed, network.n_nodes).fit(network)
    ranks = knots(network.n_nodes - 1) if prior and source.with_prior else None

    def one_block(start: int, stop: int) -> tuple[Bins, Array | None]:
        scores = np.asarray(model._rows(start, stop), dtype=np.float32)
        if not np.isfinite(scores).all():
            raise LinkpriorError("its scores are not finite")
        at_ranks = None if ranks is None else kernels.row_quantiles(scores, start, ranks)
        return kernels.count_bins(scores, start), at_ranks

    bins, tables = Bins.empty(), []
    for found, at_ranks in parallel.map_blocks(one_block, network.n_nodes, stage="", remote=True):
        bins.add(found)
        tables.append(at_ranks)
    row_table = None if ranks is None else np.concatenate([t for t in tables if t is not None])
    return FittedSource(source, model, RankSketch.of(bins), row_table)


_NARROW = 1e-30  # a bin whose scores lie closer is one score


@dataclass(frozen=True)
class RankSketch:
    """How the scores of all pairs are distributed: what turns a score into −log(rank/N).

    Counting is exact and does not depend on the order of pairs. Within a bin, whose scores agree
    to one percent, ranks are taken to be spread evenly; one score alone in its bin has the middle
    rank of those who share it.
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

    def arrays(self) -> dict[str, Array]:
        """Return the arrays to save."""
        return {name: getattr(self, name) for name in ("at", "counts", "low", "high")}

    def table(self) -> Array:
        """Return a line for every bin: lowest, highest score, feature of the lowest, slope."""
        from linkprior.kernels.trees import N_BINS

        counts = np.zeros(N_BINS, np.int64)
        counts[self.at] = self.counts
        above = np.cumsum(counts[::-1])[::-1] - counts
        total = max(1, int(counts.sum()))
        table = np.zeros((N_BINS, 4))
        table[:, 2] = -np.log((above + 1.0) / total)  # a score between others, in an empty bin
        table[self.at] = self._filled(above[self.at], total)
        return table.astype(np.float32)

    def _filled(self, above: Array, total: int) -> Array:
        low, high = self.low.astype(np.float64), self.high.astype(np.float64)
        best = -np.log((above + 1.0) / total)
        worst = -np.log((above + self.counts) / total)
        middle = -np.log((above + 0.5 * (self.counts + 1.0)) / total)
        wide = high - low > _NARROW
        slope = np.divide(best - worst, high - low, out=np.zeros(len(low)), where=wide)
        wide &= slope < np.finfo(np.float32).max
        slope[~wide] = 0.0
        return np.stack([low, high, np.where(wide, worst, middle), slope], axis=1)
