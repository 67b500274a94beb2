"""Two networks laid on top of each other: which pairs both could have seen, and what they saw."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linkprior import pairs as pr
from linkprior.checks import choice, shown
from linkprior.errors import InputError
from linkprior.network import Network, node_name

Mask = NDArray[np.bool_]
RULES = ("both", "either")


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
