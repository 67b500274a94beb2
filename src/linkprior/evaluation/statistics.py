"""What a difference between models is worth: paired tests over splits, and who may be called best.

Splits of one network overlap, in their training edges always, so these tests are too optimistic:
a small p-value means "not by the choice of hidden edges alone", never "on any network".
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from linkprior.errors import ParameterError, nearest

if TYPE_CHECKING:
    from linkprior.evaluation.results import Evaluation

Floats = NDArray[np.float64]

LOWER_IS_BETTER = ("seconds", "peak_mb")
NO_BETTER = ("spearman_degree",)  # it describes a model; neither end is good
_EXACT = 50  # differences up to which every assignment of signs is counted
_ROUNDING = 1e-12  # of the values: what differs by less does not differ
_DIGITS = 9  # of a difference that count: 0.3 − 0.2 and 0.2 − 0.1 are the same step


def direction(metric: str) -> int:
    """Return 1 where higher is better, −1 where lower is, 0 where neither is."""
    if metric in NO_BETTER:
        return 0
    return -1 if metric in LOWER_IS_BETTER else 1


@dataclass(frozen=True)
class Comparison:
    """One model compared with another on the same splits."""

    model: str
    against: str
    metric: str
    difference: float  # mean of model − against over the splits where both have a value
    wins: int  # splits on which the model is better
    ties: int
    losses: int
    # Two-sided p-values; None with fewer than two splits, or without a difference on any.
    wilcoxon: float | None
    sign: float | None


def compare(evaluation: Evaluation, metric: str, against: str | None = None) -> list[Comparison]:
    """Compare every other model with one of them (the first, where none is named)."""
    chosen, compared = known_model(evaluation.models, against), []
    for model in evaluation.models:
        if model == chosen:
            continue
        ours, theirs = (evaluation.by_split(name, metric) for name in (model, chosen))
        both = [(ours[split], theirs[split]) for split in ours if split in theirs]
        d = differences(np.array(both, dtype=np.float64).reshape(-1, 2))
        better = (direction(metric) or 1) * d
        difference = float(d.mean()) if len(d) else math.nan
        wins, ties, losses = (int(those.sum()) for those in (better > 0, d == 0, better < 0))
        tests = signed_rank_p(d), sign_p(d)
        compared.append(Comparison(model, chosen, metric, difference, wins, ties, losses, *tests))
    return compared


def known_model(models: Sequence[str], against: str | None) -> str:
    """Return the model to compare with, or an error with the nearest names."""
    if against is None:
        return models[0]
    if against not in models:
        raise ParameterError(
            f"against: no model called {against!r} is evaluated.{nearest(against, models)} "
            f"There are: {', '.join(models)}"
        )
    return against


def differences(both: Floats) -> Floats:
    """Return first − second of each row where both are known; what is rounding error is zero."""
    measured = both[~np.isnan(both).any(axis=1)]
    d = measured[:, 0] - measured[:, 1]
    return np.where(np.abs(d) > _ROUNDING * np.abs(measured).max(axis=1, initial=0.0), d, 0.0)


def signed_rank_p(d: Floats) -> float | None:
    """Return the two-sided p-value of Wilcoxon's signed-rank test, zeros left out.

    Exact up to 50 differences, ties included: ranks are doubled to be whole, and the ways to reach
    each rank sum are counted. Beyond that the normal approximation, corrected for ties.
    """
    from scipy import stats

    kept = d[d != 0.0]
    if len(d) < 2 or len(kept) == 0:
        return None
    if len(kept) > _EXACT:
        return float(stats.wilcoxon(kept, method="approx").pvalue)
    steps = np.round(np.abs(kept) / np.abs(kept).max(), _DIGITS)
    ranks = np.round(2.0 * stats.rankdata(steps)).astype(np.int64)
    ways = np.ones(1)
    for rank in ranks.tolist():
        more = np.zeros(len(ways) + rank)
        more[: len(ways)] += ways
        more[rank:] += ways
        ways = more
    positive = int(ranks[kept > 0].sum())
    least = min(positive, int(ranks.sum()) - positive)
    return float(min(1.0, 2.0 * ways[: least + 1].sum() / ways.sum()))


def sign_p(d: Floats) -> float | None:
    """Return the two-sided p-value of the sign test, zeros left out."""
    from scipy import stats

    wins, losses = int((d > 0).sum()), int((d < 0).sum())
    if len(d) < 2 or wins + losses == 0:
        return None
    return float(stats.binomtest(wins, wins + losses).pvalue)


def smallest_p(splits: int) -> float | None:
    """Return the least p-value so many splits can give, None where there is no test."""
    return 2.0 ** (1 - splits) if splits > 1 else None


def best(evaluation: Evaluation, metric: str) -> str | None:
    """Return the model that leads the next one by more than the larger of their sds, if any."""
    if direction(metric) < 1:  # what a model costs is not a merit, and depends on the machine
        return None
    means = {model: evaluation.mean(model, metric) for model in evaluation.models}
    ranked = sorted((m for m in means if not math.isnan(means[m])), key=lambda m: -means[m])
    if len(ranked) < 2:
        return None
    first, second = ranked[:2]
    spread = [evaluation.sd(model, metric) for model in (first, second)]
    if any(math.isnan(sd) for sd in spread):
        return None
    return first if means[first] - means[second] > max(spread) else None
