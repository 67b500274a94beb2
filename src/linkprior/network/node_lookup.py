"""Nodes by name: numbers for known names, a helpful error or a count for unknown ones."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from linkprior.errors import InputError, nearest
from linkprior.network import Network, node_name
from linkprior.network import pairs as pr

_COMPARED = 20_000  # names beyond which only those with the same beginning are compared
_TITLES = {
    "within": "the list of nodes",
    "first": "the first list",
    "second": "the second list",
    "exclude": "the pairs to exclude",
}


@dataclass(frozen=True)
class Unknown:
    """What was named but is not in the network: left aside, not forgotten."""

    within: tuple[str, ...] = ()
    first: tuple[str, ...] = ()
    second: tuple[str, ...] = ()
    exclude: tuple[tuple[str, str], ...] = ()

    def notes(self) -> list[str]:
        """Return one line for each list that names unknown nodes."""
        pairs = tuple(f"{one} – {other}" for one, other in self.exclude)
        named = (self.within, self.first, self.second, pairs)
        return [
            f"{title}: left aside {len(names)} not in the network "
            f"({', '.join(names[:3])}{', …' if len(names) > 3 else ''})"
            for title, names in zip(_TITLES.values(), named, strict=True)
            if names
        ]


def number_of(net: Network, name: Any) -> int:
    """Return the number of the node of that name; an unknown name is an error with a hint."""
    try:
        return net.index_of(str(name))
    except InputError:
        raise unknown_node(str(name), net.names) from None


def unknown_node(name: str, known: Sequence[str]) -> InputError:
    """Return the error for a name that no node has, with the names it may stand for."""
    return InputError(f"no node is called {name!r}.{_hint(known, name)}")


def _hint(names: Sequence[str], name: str) -> str:
    """Return `` Did you mean …?`` for the same name in other letters, else for the closest."""
    folded = name.strip().casefold()
    same = [known for known in names if known.casefold() == folded]
    if same:
        return f" Did you mean {' or '.join(map(repr, same[:3]))}?"
    alike = names
    if len(names) > _COMPARED:
        alike = [known for known in names if known[:2].casefold() == folded[:2]]
    return nearest(name, alike) or nearest(name.upper(), alike) or nearest(name.lower(), alike)


def names_in(given: Iterable[Any]) -> list[str]:
    """Return names as text, each once, in the order given; a text alone is one name."""
    if isinstance(given, str):
        return [given]
    try:
        return list(dict.fromkeys(node_name(name) for name in given))
    except TypeError:
        raise InputError(f"expected names of nodes, got {type(given).__name__}") from None


def numbers_of(net: Network, given: Iterable[Any], which: str) -> tuple[list[int], tuple[str, ...]]:
    """Return the numbers of the known names and the unknown names; an error if none is known."""
    names, title = names_in(given), _TITLES[which]
    if not names:
        raise InputError(f"{title} is empty; expected names of nodes")
    known = set(net.names)
    found = [net.index_of(name) for name in names if name in known]
    if not found:
        raise InputError(
            f"{title}: none of its {len(names)} name(s) is a node of the network, the first is "
            f"{names[0]!r}.{_hint(net.names, names[0])}"
        )
    return found, tuple(name for name in names if name not in known)


def pairs_in(
    net: Network, given: Iterable[Sequence[Any]]
) -> tuple[pr.Ints, tuple[tuple[str, str], ...]]:
    """Return pairs of known nodes as numbers i < j, each once, and the pairs with unknown names.

    A node paired with itself is no pair and is passed over.
    """
    number = {name: i for i, name in enumerate(net.names)}
    known, strangers = [], []
    for at, pair in enumerate(given, start=1):
        if isinstance(pair, str | bytes) or not hasattr(pair, "__len__") or len(pair) != 2:
            raise InputError(f"excluded pair {at}: expected two names, got {pair!r}")
        one, other = node_name(pair[0]), node_name(pair[1])
        if one in number and other in number:
            known.append((number[one], number[other]))
        else:
            strangers.append((one, other))
    found = pr.ordered(pr.as_pairs(np.array(known, dtype=np.int64), net.n_nodes))
    proper = found[found[:, 0] != found[:, 1]]
    codes = np.unique(pr.encode(proper, net.n_nodes))
    return pr.decode(codes, net.n_nodes), tuple(strangers)
