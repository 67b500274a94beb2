"""Coverage: how many links there are in all, by capture–recapture, and what share a screen has."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from linkprior.checks import real_number
from linkprior.coverage import wording
from linkprior.coverage.screens import Counts, count
from linkprior.errors import ParameterError
from linkprior.network import Network

_Z = 1.959963984540054  # of a 95 % interval


@dataclass(frozen=True)
class Estimate:
    """A value with its 95 % interval."""

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class Coverage(Counts):
    """What two screens of the same links tell about the links neither has seen.

    Attributes
    ----------
    n1, n2, both
        Edges of the two screens, and in both, among the pairs that both could have seen.
    precision
        Share of each screen's edges taken to be real.
    lincoln_petersen
        n1·n2/both, the plain estimate of the number of links among those pairs.
    total
        Chapman's estimate of the same, which is less biased, and its interval.
    one, other, union
        Share of these links that the first screen has (both/n2), the second, and the two together;
        the intervals are those of `total`.
    """

    precision: tuple[float, float]
    lincoln_petersen: float
    total: Estimate
    one: Estimate
    other: Estimate
    union: Estimate

    @property
    def jaccard(self) -> float:
        """Edges in both, of the edges in either."""
        return self.both / (self.n1 + self.n2 - self.both)

    @property
    def contained(self) -> float:
        """Edges in both, of the edges of the smaller screen."""
        return self.both / min(self.n1, self.n2)

    @property
    def independent(self) -> bool:
        """False where one screen holds the other, so that nothing can be told from the two."""
        return self.both < min(self.n1, self.n2)

    @property
    def sound(self) -> bool:
        """Whether a coverage may be taken from it: neither screen holds nearly all of the other."""
        return self.contained < wording.CONTAINED

    @property
    def warnings(self) -> list[str]:
        """Why the numbers may not be trusted; empty where nothing looks wrong."""
        return wording.warnings(self)

    def text(self, one: str = "the first screen", other: str = "the second screen") -> str:
        """Return all of it in plain words, under the names given to the screens."""
        return wording.text(self, one, other)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        more = {"jaccard": self.jaccard, "independent": self.independent}
        return {**asdict(self), **more, "warnings": self.warnings}


def estimate_coverage(
    one: Network,
    other: Network,
    nodes: str | Iterable[Any] = "both",
    precision: Sequence[float] = (1.0, 1.0),
) -> Coverage:
    """Return how complete each of two screens is, judged by what they have in common.

    If two screens find links independently of each other, the share of the second's edges that the
    first has too is the share of all links that the first has.

    Parameters
    ----------
    one, other
        The screens; nodes are matched by name.
    nodes
        Which nodes both screens tested: "both" (those in both networks, each by another edge than
        the pair's own), "either" (all), or their names.
    precision
        Share of each screen's edges that are real. False edges are taken to be in one screen only:
        they lower the overlap and so make coverage look too low. Taken as exact.
    """
    sure = _precisions(precision)
    counts = count(one, other, nodes)
    real = _real(counts, sure)
    plain, total = lincoln_petersen(*real, counts.both), chapman(*real, counts.both)
    found = (real[0], real[1], real[0] + real[1] - counts.both)
    # Of n / plain the mean is right even where few edges are in both; 1 / total is skewed.
    shares = [Estimate(n / plain, n / total.high, n / total.low) for n in found]
    return Coverage(
        **vars(counts),
        precision=sure,
        lincoln_petersen=plain,
        total=total,
        one=shares[0],
        other=shares[1],
        union=shares[2],
    )


def lincoln_petersen(n1: float, n2: float, both: float) -> float:
    """Return n1·n2/both: how many there are, when two draws have `both` in common."""
    return n1 * n2 / both


def chapman(n1: float, n2: float, both: float) -> Estimate:
    """Return Chapman's estimate of how many there are, with a log-normal 95 % interval.

    (n1+1)(n2+1)/(both+1) − 1 (Chapman 1951) has little bias where Lincoln–Petersen has much, from
    an overlap of 7 on (Seber 1982, *The estimation of animal abundance*, ch. 3, as is the
    variance). The interval is of the number not seen at all, taken as log-normal (Chao 1987,
    *Biometrics* 43:783), so that it never falls below what was seen.
    """
    seen = n1 + n2 - both
    unseen = (n1 - both) * (n2 - both) / (both + 1.0)  # what Chapman's estimate adds to those
    if unseen <= 0.0:
        return Estimate(seen, seen, seen)
    variance = unseen * (n1 + 1.0) * (n2 + 1.0) / ((both + 1.0) * (both + 2.0))
    factor = math.exp(_Z * math.sqrt(math.log1p(variance / unseen**2)))
    return Estimate(seen + unseen, seen + unseen / factor, seen + unseen * factor)


def _precisions(given: Sequence[float]) -> tuple[float, float]:
    try:
        one, other = given
    except (TypeError, ValueError):
        raise ParameterError("precision expects two numbers, one for each screen") from None
    first, second = (
        real_number(f"precision of the {which} network", value, 0.0, 1.0, high_open=False)
        for which, value in (("first", one), ("second", other))
    )
    return first, second


def _real(counts: Counts, precision: tuple[float, float]) -> tuple[float, float]:
    """Return how many edges of each screen are real; what is in both is."""
    real, which = [], "first"
    for n, share in zip((counts.n1, counts.n2), precision, strict=True):
        if n * share < counts.both * (1.0 - 1e-9):  # but for rounding
            raise ParameterError(
                f"a precision of {share:g} is too low for the {which} network: {counts.both} of "
                f"its {n} edges are in the other too, so that at least "
                f"{math.ceil(1000 * counts.both / n) / 1000:g} of them are real"
            )
        real.append(max(n * share, counts.both))
        which = "second"
    return real[0], real[1]
