"""How complete a network is, estimated from what two screens of the same links have in common."""

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
_RULES = ("both", "either")  # which nodes both screens tested
FEW = 7  # in both: below it the estimate is biased and wide (Seber 1982)
CONTAINED = 0.9  # of a screen's edges in the other: more than independent screens reach
_SURPLUS = 3.0  # times the overlap that degrees alone would give
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


@dataclass(frozen=True)
class Estimate:
    """A value with its 95 % interval.

    Attributes
    ----------
    value, low, high : float
        The estimate and the two ends of its interval.
    """

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class Coverage:
    """What two screens of the same links show of the links neither has seen.

    Attributes
    ----------
    rule, nodes
        Which pairs count ("both", "either" or "list"), and the number of nodes these are of.
    n1, n2, both
        Edges of the two screens, and in both, among the pairs that both could have seen.
    by_chance
        How many edges would be in both if one screen's were drawn by its degrees alone.
    left_out
        Edges of each screen that do not count.
    network_nodes
        Nodes of each network, and those in both.
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

    rule: str
    nodes: int
    n1: int
    n2: int
    both: int
    by_chance: float
    left_out: tuple[int, int]
    network_nodes: tuple[int, int, int]
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
        """False where one screen holds the other, so that nothing can be estimated from the two."""
        return self.both < min(self.n1, self.n2)

    @property
    def sound(self) -> bool:
        """Whether a coverage may be taken from it: neither screen holds nearly all of the other."""
        return self.contained < CONTAINED

    @property
    def warnings(self) -> list[str]:
        """Why the numbers may not be trusted, worst first; empty where nothing looks wrong."""
        return list(_warnings(self, "the first screen", "the second screen"))

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
        parts = [_table(self, one, other)]
        if self.sound:
            shares = (share.value for share in (self.one, self.other, self.union))
            first, second, union = (
                f"{100 * x:.0f}" if x >= 0.095 else f"{100 * x:.2g}" for x in shares
            )
            parts.append(
                f"Of 100 real links that both could have seen, {one} has about {first}, {other} "
                f"{second}, the two together {union}."
            )
        parts += [f"Warning: {line}" for line in _warnings(self, one, other)]
        return "\n\n".join([*parts, _BIASES] if self.independent else parts)

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
    counts = _count(one, other, nodes)
    n1, n2, both = (counts[name] for name in ("n1", "n2", "both"))
    real = _real("first", n1, both, sure[0]), _real("second", n2, both, sure[1])
    plain, total = lincoln_petersen(*real, both), chapman(*real, both)
    # Of n / plain the mean is right even where few edges are in both; 1 / total is skewed.
    shares: dict[str, Any] = {
        name: Estimate(n / plain, n / total.high, n / total.low)
        for name, n in (("one", real[0]), ("other", real[1]), ("union", sum(real) - both))
    }
    return Coverage(**counts, precision=sure, lincoln_petersen=plain, total=total, **shares)


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


def _real(which: str, n: int, both: int, precision: float) -> float:
    """Return how many of a screen's edges are real; what is in both is."""
    if n * precision < both * (1.0 - 1e-9):  # but for rounding
        raise ParameterError(
            f"a precision of {precision:g} is too low for the {which} network: {both} of its {n} "
            f"edges are in the other too, so that at least {math.ceil(1000 * both / n) / 1000:g} "
            "of them are real"
        )
    return max(n * precision, both)


def _count(one: Network, other: Network, nodes: str | Iterable[Any]) -> dict[str, Any]:
    """Return what a `Coverage` says of the pairs that count.

    With "both", a pair counts where each of its nodes has *another* edge in both networks. That a
    node is in both networks because of the very pair in question would favour pairs seen twice:
    they bring their own nodes along, pairs seen once do not, and coverage would come out too high.
    With "either" all nodes count, with a list of names those that both screens tested.
    """
    for which, given in (("first", one), ("second", other)):
        if not isinstance(given, Network):
            raise InputError(f"the {which} screen must be a Network, got {type(given).__name__}")
    shared = len(set(one.names) & set(other.names))
    if not shared:
        examples = [shown(net.names[0]) if net.names else "none" for net in (one, other)]
        raise InputError(
            f"the two networks share no node name: the first has {examples[0]}, the second "
            f"{examples[1]}; give both the same kind of identifiers"
        )
    number = {name: i for i, name in enumerate(dict.fromkeys(one.names + other.names))}
    p = len(number)
    (codes_one, seen_one), (codes_other, seen_other) = (
        _numbered(net, number) for net in (one, other)
    )
    codes = pr.distinct(np.concatenate([codes_one, codes_other]))
    pairs = pr.decode(codes, p)
    in_one, in_other = np.isin(codes, codes_one), np.isin(codes, codes_other)
    if not isinstance(nodes, str):
        rule, (n_nodes, tested) = "list", _tested(nodes, number)
        counts = tested[pairs].all(axis=1)
    elif choice("nodes", nodes, _RULES) == "both":
        elsewhere = (seen_one[pairs] > in_one[:, None]) & (seen_other[pairs] > in_other[:, None])
        rule, n_nodes, counts = "both", shared, elsewhere.all(axis=1)
    else:
        rule, n_nodes, counts = "either", p, np.ones(len(pairs), dtype=bool)
    in_one, in_other = in_one & counts, in_other & counts
    n1, n2, both = (int(which.sum()) for which in (in_one, in_other, in_one & in_other))
    _refuse_nothing(n1, n2, both, shared)
    return {
        "rule": rule,
        "nodes": n_nodes,
        "n1": n1,
        "n2": n2,
        "both": both,
        "by_chance": _expected_overlap(pairs[in_one], pairs[in_other]),
        "left_out": (one.n_edges - n1, other.n_edges - n2),
        "network_nodes": (one.n_nodes, other.n_nodes, shared),
    }


def _numbered(network: Network, number: dict[str, int]) -> tuple[pr.Ints, pr.Ints]:
    """Return the codes of its edges over a common numbering, and how often each node is seen."""
    numbers = np.array([number[name] for name in network.names], dtype=np.int64)
    seen = np.zeros(len(number), dtype=np.int64)
    # A node without an edge shows that the nodes were listed, not found by their edges: then
    # every listed node is known to be of this screen, whatever its edges.
    seen[numbers] = network.degrees + int((network.degrees == 0).any())
    return pr.encode(pr.ordered(numbers[network.edges]), len(number)), seen


def _tested(nodes: Any, number: dict[str, int]) -> tuple[int, NDArray[np.bool_]]:
    """Return how many nodes are listed, and which of those that are numbered."""
    try:
        names = {node_name(name) for name in nodes}
    except TypeError:
        raise InputError(f"nodes must be names, both or either, got {shown(nodes)}") from None
    if not names:
        raise InputError("the list of tested nodes is empty; expected their names")
    inside = np.fromiter((name in names for name in number), bool, len(number))
    if not inside.any():
        n, first = len(names), shown(min(names))
        raise InputError(
            f"none of the {n} tested node{'s' * (n != 1)} ({first}{' …' * (n > 1)}) is in the "
            "networks"
        )
    return len(names), inside


def _expected_overlap(one: pr.Ints, other: pr.Ints) -> float:
    """Return the overlap to expect if the second network's degrees were all that counted."""
    size = 1 + int(max(one.max(), other.max()))
    degrees = np.bincount(other.ravel(), minlength=size).astype(np.float64)
    probability = degrees[one[:, 0]] * degrees[one[:, 1]] / (2.0 * len(other))
    return float(np.minimum(probability, 1.0).sum())


def _refuse_nothing(n1: int, n2: int, both: int, shared: int) -> None:
    """Refuse networks of which nothing can be estimated: no edges that count, or none in both."""
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


def _warnings(estimate: Coverage, one: str, other: str) -> Iterator[str]:
    """Yield why the numbers may not be trusted, worst first."""
    if estimate.both == estimate.n1 == estimate.n2:
        yield (
            f"{one} and {other} have the same {estimate.both} edges: these are not two independent "
            "screens, and no coverage follows"
        )
    else:
        for n, inner, outer in ((estimate.n1, one, other), (estimate.n2, other, one)):
            if estimate.both == n:
                yield (
                    f"every edge of {inner} that counts is in {outer} too: these are not two "
                    "independent screens, and no coverage follows"
                )
            elif estimate.both >= CONTAINED * n:
                yield (
                    f"{estimate.both / n:.1%} of the edges of {inner} are in {outer} too. If "
                    f"{outer} took them from there, or both from one source, no coverage follows"
                )
    if estimate.both < FEW:
        edges = "edges are" if estimate.both > 1 else "edge is"
        yield (
            f"only {estimate.both} {edges} in both screens; below {FEW} this is a guess: use the "
            "interval, not the value"
        )
    few = max(estimate.one.value, estimate.other.value) < _HARDLY
    if few or estimate.both < _SURPLUS * estimate.by_chance:
        yield (
            f"the two have hardly an edge in common ({estimate.both}; the nodes' degrees alone "
            f"would make it {estimate.by_chance:.2g}): do the same names "
            "mean the same nodes in both?"
        )
    here, there, shared = estimate.network_nodes
    if shared < _FEW_NAMES * min(here, there):
        yield (
            f"only {shared} node names are in both (of {here} and {there}): do the two use the "
            "same kind of identifiers?"
        )


def _table(estimate: Coverage, one: str, other: str) -> str:
    rows = [
        ("pairs that count", "", _PAIRS[estimate.rule].format(nodes=estimate.nodes)),
        (f"edges of {one}", str(estimate.n1), _edges(estimate.left_out[0], estimate.precision[0])),
        (
            f"edges of {other}",
            str(estimate.n2),
            _edges(estimate.left_out[1], estimate.precision[1]),
        ),
        ("edges in both", str(estimate.both), f"Jaccard {estimate.jaccard:.2g}"),
    ]
    if estimate.independent:
        total, plain = estimate.total, estimate.lincoln_petersen
        wide = f"95 % interval {total.low:.0f} to {total.high:.0f}; Lincoln–Petersen {plain:.0f}"
        rows.append(("links in all (Chapman)", f"{total.value:.0f}", wide))
        shares = (
            (one, estimate.one),
            (other, estimate.other),
            ("the two together", estimate.union),
        )
        for label, share in shares:
            value, low, high = (
                f"{x:.2f}" if x >= 0.095 else f"{x:.2g}"
                for x in (share.value, share.low, share.high)
            )
            rows.append((f"coverage of {label}", value, f"95 % interval {low} to {high}"))
    widths = [max(len(row[k]) for row in rows) for k in (0, 1)]
    lines = (f"{a:<{widths[0]}}  {b:>{widths[1]}}  {more}".rstrip() for a, b, more in rows)
    return "\n".join(lines)


def _edges(left_out: int, precision: float) -> str:
    sure = f"{precision:g} of them real" if precision < 1.0 else ""
    others = f"{left_out} others do not count" if left_out else ""
    return "; ".join(filter(None, (sure, others)))
