"""How complete a network is, told from what two screens of the same links have in common."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linkprior._validation import choice, real_number, shown
from linkprior.errors import InputError, ParameterError
from linkprior.network import Network, node_name
from linkprior.network import pairs as pr

_Z = 1.959963984540054  # of a 95 % interval


@dataclass(frozen=True)
class Estimate:
    """A value with its 95 % interval."""

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class Counts:
    """What two screens saw among the pairs that count.

    `nodes` is the number of nodes those pairs are of; `left_out` are edges of each screen that do
    not count; `by_chance` is how many edges would be in both if one screen's edges were drawn by
    its degrees alone; `network_nodes` are the nodes of each network, and those in both.
    """

    rule: str
    nodes: int
    n1: int
    n2: int
    both: int
    by_chance: float
    left_out: tuple[int, int]
    network_nodes: tuple[int, int, int]


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
        return self.contained < CONTAINED

    @property
    def warnings(self) -> list[str]:
        """Why the numbers may not be trusted; empty where nothing looks wrong."""
        return warnings(self)

    def text(self, one: str = "the first screen", other: str = "the second screen") -> str:
        """Return all of it as text.

        Parameters
        ----------
        one, other : str
            What the screens are called.

        Returns
        -------
        str
            A table, the result in a sentence, warnings, and what may bias the numbers.

        Examples
        --------
        >>> import linkprior as lp
        >>> net = lp.planted_network(100, mean_degree=20.0)
        >>> found = lp.estimate_coverage(net.hide(net.edges[::2]), net.hide(net.edges[1::3]))
        >>> print(found.text("A", "B").splitlines()[3])
        edges in both                  339  Jaccard 0.4
        """
        return text(self, one, other)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON.

        Returns
        -------
        dict
            All attributes, with ``jaccard``, ``independent`` and ``warnings``.

        Examples
        --------
        >>> import linkprior as lp
        >>> net = lp.planted_network(100, mean_degree=20.0)
        >>> found = lp.estimate_coverage(net.hide(net.edges[::2]), net.hide(net.edges[1::3]))
        >>> found.to_dict()["both"] == found.both
        True
        """
        more = {"jaccard": self.jaccard, "independent": self.independent}
        return {**asdict(self), **more, "warnings": self.warnings}


def estimate_coverage(
    one: Network,
    other: Network,
    nodes: str | Iterable[Any] = "both",
    precision: Sequence[float] = (1.0, 1.0),
) -> Coverage:
    """Return how complete each of two screens is, from what they have in common.

    If two screens find links independently of each other, the share of the second's edges that the
    first has too is the share of all links that the first has.

    Parameters
    ----------
    one, other : Network
        The screens; nodes are matched by name.
    nodes : {"both", "either"} or iterable of names
        Which nodes both screens tested: "both" (those in both networks, each by another edge than
        the pair's own), "either" (all), or their names.
    precision : pair of float
        Share of each screen's edges that are real. False edges are taken to be in one screen only:
        they lower the overlap and so make coverage look too low. Taken as exact.

    Returns
    -------
    Coverage
        Numbers of edges, the estimated number of links, and the coverage of each screen and of the
        two together, with 95 % intervals.

    Raises
    ------
    InputError
        If the two have no edge in common among the pairs that both could have seen.

    Examples
    --------
    >>> import linkprior as lp
    >>> net = lp.planted_network(100, mean_degree=20.0)
    >>> one, other = net.hide(net.edges[::2]), net.hide(net.edges[1::3])
    >>> found = lp.estimate_coverage(one, other)
    >>> print(f"{found.one.value:.2f} {found.other.value:.2f}")
    0.50 0.67
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


Mask = NDArray[np.bool_]
RULES = ("both", "either")


@dataclass(frozen=True)
class _Laid:
    """All edges of two networks over one numbering of their nodes."""

    names: dict[str, int]
    pairs: pr.Ints
    in_one: Mask
    in_other: Mask
    seen_one: pr.Ints
    seen_other: pr.Ints


def count(one: Network, other: Network, nodes: str | Iterable[Any] = "both") -> Counts:
    """Return what two networks have in common; nodes are matched by name.

    With "both", a pair counts where each of its nodes has *another* edge in both networks. That a
    node is in both networks because of the very pair in question would favour pairs seen twice:
    they bring their own nodes along, pairs seen once do not, and coverage would come out too high.
    With "either" all nodes count, with a list of names those that both screens tested.
    """
    for which, given in (("first", one), ("second", other)):
        if not isinstance(given, Network):
            raise InputError(f"the {which} screen must be a Network, got {type(given).__name__}")
    here, there = set(one.names), set(other.names)
    shared = here & there
    if not shared:
        raise InputError(
            f"the two networks share no node name: the first has {_example(one)}, the second "
            f"{_example(other)}; give both the same kind of identifiers"
        )
    laid, sizes = _lay(one, other), (len(here), len(there), len(shared))
    if not isinstance(nodes, str):
        tested = _names(nodes)
        return _counted(laid, _among(laid, tested), "list", len(tested), sizes)
    if choice("nodes", nodes, RULES) == "both":
        return _counted(laid, _seen_elsewhere(laid), "both", len(shared), sizes)
    everywhere = np.ones(len(laid.pairs), dtype=bool)
    return _counted(laid, everywhere, "either", len(here | there), sizes)


def _names(nodes: Any) -> set[str]:
    try:
        tested = {node_name(name) for name in nodes}
    except TypeError:
        raise InputError(f"nodes must be names, both or either, got {shown(nodes)}") from None
    if not tested:
        raise InputError("the list of tested nodes is empty; expected their names")
    return tested


def _lay(one: Network, other: Network) -> _Laid:
    names = {name: i for i, name in enumerate(dict.fromkeys(one.names + other.names))}
    p = len(names)
    codes, seen = [], []
    for network in (one, other):
        number = np.array([names[name] for name in network.names], dtype=np.int64)
        codes.append(pr.encode(pr.ordered(number[network.edges]), p))
        degrees = np.zeros(p, dtype=np.int64)
        # A node without an edge shows that the nodes were listed, not found by their edges: then
        # every listed node is known to be of this screen, whatever its edges.
        degrees[number] = network.degrees + int((network.degrees == 0).any())
        seen.append(degrees)
    every = pr.distinct(np.concatenate(codes))
    in_one, in_other = (np.isin(every, own) for own in codes)
    return _Laid(names, pr.decode(every, p), in_one, in_other, seen[0], seen[1])


def _seen_elsewhere(laid: _Laid) -> Mask:
    """Tell the pairs whose nodes are in both networks even without the pair itself."""
    one = laid.seen_one[laid.pairs] - laid.in_one[:, None]
    other = laid.seen_other[laid.pairs] - laid.in_other[:, None]
    return np.asarray(((one > 0) & (other > 0)).all(axis=1))


def _among(laid: _Laid, tested: set[str]) -> Mask:
    inside = np.fromiter((name in tested for name in laid.names), bool, len(laid.names))
    if not inside.any():
        n, first = len(tested), shown(min(tested))
        raise InputError(
            f"none of the {n} tested node{'s' * (n != 1)} ({first}{' …' * (n > 1)}) is in the "
            "networks"
        )
    return np.asarray(inside[laid.pairs].all(axis=1))


def _counted(
    laid: _Laid, kept: Mask, rule: str, n_nodes: int, sizes: tuple[int, int, int]
) -> Counts:
    n1, n2 = int((laid.in_one & kept).sum()), int((laid.in_other & kept).sum())
    both = int((laid.in_one & laid.in_other & kept).sum())
    _refuse_nothing(n1, n2, both, sizes[2])
    return Counts(
        rule=rule,
        nodes=n_nodes,
        n1=n1,
        n2=n2,
        both=both,
        by_chance=_by_chance(laid.pairs[laid.in_one & kept], laid.pairs[laid.in_other & kept]),
        left_out=(int(laid.in_one.sum()) - n1, int(laid.in_other.sum()) - n2),
        network_nodes=sizes,
    )


def _by_chance(one: pr.Ints, other: pr.Ints) -> float:
    """Return the overlap to expect if the second network's degrees were all that counted."""
    size = 1 + int(max(one.max(), other.max()))
    degrees = np.bincount(other.ravel(), minlength=size).astype(np.float64)
    chance = degrees[one[:, 0]] * degrees[one[:, 1]] / (2.0 * len(other))
    return float(np.minimum(chance, 1.0).sum())


def _refuse_nothing(n1: int, n2: int, both: int, shared: int) -> None:
    """Refuse networks of which nothing can be told: no edges that count, or none in both."""
    for number, which in ((n1, "first"), (n2, "second")):
        if number == 0:
            raise InputError(
                f"the {which} network has no edge among the pairs that both could have seen "
                f"({shared} nodes are in both networks); give screens that tested the same nodes"
            )
    if both == 0:
        raise InputError(
            f"no edge is in both networks ({n1} and {n2} edges count), so that no coverage can be "
            f"estimated; it may be anything up to about {min(1.0, 3 / n2):.2g} for the first "
            f"network and {min(1.0, 3 / n1):.2g} for the second, if their names mean the same nodes"
        )


def _example(network: Network) -> str:
    return shown(network.names[0]) if network.names else "none"


FEW = 7  # in both: below it the estimate is biased and wide (Seber 1982)
CONTAINED = 0.9  # of a screen's edges in the other: more than independent screens reach
_CHANCE = 3.0  # times what degrees alone would bring
_HARDLY = 0.02  # coverage below which files of foreign names lie, and few screens
_FEW_NAMES = 0.1  # of the smaller network's nodes

_BIASES = """\
These numbers hold for two independent screens of the same links. They are
- too high where both find the same easy links (strong binding, well-studied genes),
- too high where one screen took edges from the other, or both from one source,
- too low where the two can see different kinds of links (direct contact, shared complex),
- too low where edges are false (precision corrects for a known share of them)."""

_PAIRS = {
    "both": "{nodes} nodes in both; a pair counts if other edges show its nodes to both",
    "either": "{nodes} nodes of either screen, taken as tested by both",
    "list": "{nodes} nodes listed as tested by both",
}


def text(found: Coverage, one: str, other: str) -> str:
    """Return the table, the answer in a sentence, warnings and biases."""
    warned = [f"Warning: {line}" for line in warnings(found, one, other)]
    said = [_sentence(found, one, other)] if found.sound else []
    blocks = [_table(found, one, other), *said, *warned]
    return "\n\n".join([*blocks, _BIASES] if found.independent else blocks)


def warnings(
    found: Coverage, one: str = "the first screen", other: str = "the second screen"
) -> list[str]:
    """Return why the numbers may not be trusted, worst first."""
    return [*_not_two(found, one, other), *_overlap(found), *_wording_names(found)]


def _not_two(found: Coverage, one: str, other: str) -> Iterator[str]:
    """Yield whether one screen holds the other, all of it or nearly."""
    if found.both == found.n1 == found.n2:
        yield (
            f"{one} and {other} have the same {found.both} edges: these are not two independent "
            "screens, and no coverage follows"
        )
        return
    for n, inner, outer in ((found.n1, one, other), (found.n2, other, one)):
        if found.both == n:
            yield (
                f"every edge of {inner} that counts is in {outer} too: these are not two "
                "independent screens, and no coverage follows"
            )
        elif found.both >= CONTAINED * n:
            yield (
                f"{found.both / n:.1%} of the edges of {inner} are in {outer} too. If {outer} took "
                "them from there, or both from one source, no coverage follows"
            )


def _overlap(found: Coverage) -> Iterator[str]:
    if found.both < FEW:
        edges = "edges are" if found.both > 1 else "edge is"
        yield (
            f"only {found.both} {edges} in both screens; below {FEW} this is a guess: use the "
            "interval, not the value"
        )
    few = max(found.one.value, found.other.value) < _HARDLY
    if few or found.both < _CHANCE * found.by_chance:
        yield (
            f"the two have hardly an edge in common ({found.both}; the nodes' degrees alone would "
            f"make it {found.by_chance:.2g}): do the same names mean the same nodes in both?"
        )


def _wording_names(found: Coverage) -> Iterator[str]:
    here, there, shared = found.network_nodes
    if shared < _FEW_NAMES * min(here, there):
        yield (
            f"only {shared} node names are in both (of {here} and {there}): do the two use the "
            "same kind of identifiers?"
        )


def _sentence(found: Coverage, one: str, other: str) -> str:
    shares = (found.one, found.other, found.union)
    first, second, union = (_hundred(share.value) for share in shares)
    return (
        f"Of 100 real links that both could have seen, {one} has about {first}, {other} {second}, "
        f"the two together {union}."
    )


def _hundred(share: float) -> str:
    return f"{100 * share:.0f}" if share >= 0.095 else f"{100 * share:.2g}"


def _table(found: Coverage, one: str, other: str) -> str:
    rows = [
        ("pairs that count", "", _PAIRS[found.rule].format(nodes=found.nodes)),
        (f"edges of {one}", str(found.n1), _edges(found.left_out[0], found.precision[0])),
        (f"edges of {other}", str(found.n2), _edges(found.left_out[1], found.precision[1])),
        ("edges in both", str(found.both), f"Jaccard {found.jaccard:.2g}"),
    ]
    if found.independent:
        rows += _answers(found, one, other)
    widths = [max(len(row[k]) for row in rows) for k in (0, 1)]
    lines = (f"{a:<{widths[0]}}  {b:>{widths[1]}}  {more}".rstrip() for a, b, more in rows)
    return "\n".join(lines)


def _answers(found: Coverage, one: str, other: str) -> Iterator[tuple[str, str, str]]:
    total, plain = found.total, found.lincoln_petersen
    wide = f"95 % interval {total.low:.0f} to {total.high:.0f}; Lincoln–Petersen {plain:.0f}"
    yield "links in all (Chapman)", f"{total.value:.0f}", wide
    for label, share in ((one, found.one), (other, found.other), ("the two together", found.union)):
        yield f"coverage of {label}", brief(share.value), _interval(share)


def _interval(share: Estimate) -> str:
    return f"95 % interval {brief(share.low)} to {brief(share.high)}"


def brief(share: float) -> str:
    """Return a share with two digits that count."""
    return f"{share:.2f}" if share >= 0.095 else f"{share:.2g}"


def _edges(left_out: int, precision: float) -> str:
    sure = f"{precision:g} of them real" if precision < 1.0 else ""
    others = f"{left_out} others do not count" if left_out else ""
    return "; ".join(filter(None, (sure, others)))
