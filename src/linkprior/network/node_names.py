"""Names of nodes: what may be one, and the nodes that a list of names means."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np

from linkprior.errors import InputError, nearest
from linkprior.network import pairs as pr

if TYPE_CHECKING:
    from linkprior.network.network import Network

_COMPARED = 20_000  # names beyond which only those with the same beginning are compared
_TITLES = {
    "within": "the list of nodes",
    "first": "the first list",
    "second": "the second list",
    "exclude": "the pairs to exclude",
}


def node_name(label: Any) -> str:
    """Return the name of a node given as any object; a whole float is named as the number."""
    # Beyond 2**53 a float is no longer one whole number, and its digits would be made up.
    if isinstance(label, float | np.floating) and label.is_integer() and abs(int(label)) <= 2**53:
        return str(int(label))
    return str(label)


def distinct_names(labels: Iterable[Any]) -> tuple[str, ...]:
    """Return one name per node; two nodes with the same name are an error that shows both."""
    label_of: dict[str, Any] = {}
    for label in labels:
        name = node_name(label)
        if not _is_label(label):
            raise InputError(f"{label!r} is not the name of a node")
        if name in label_of:
            raise InputError(
                f"the nodes {label_of[name]!r} and {label!r} have the same name {name!r}; rename "
                "one of them"
            )
        label_of[name] = label
    return tuple(label_of)


def names_in(pairs: Any, what: str = "edge") -> list[str]:
    """Return the ends of all pairs as text; refuse what is no pair, None and NaN."""
    try:
        rows = pairs.tolist() if isinstance(pairs, np.ndarray) else list(pairs)
    except TypeError:
        raise InputError(f"expected pairs of names, got {type(pairs).__name__}") from None
    if {*map(type, rows)} <= {tuple, list} and {*map(len, rows)} <= {2}:
        flat = list(chain.from_iterable(rows))
        if {*map(type, flat)} <= {str, int}:  # nearly always, and without a loop
            return list(map(str, flat))
    ends = []
    for number, pair in enumerate(rows, start=1):
        if isinstance(pair, str | bytes) or not hasattr(pair, "__len__") or len(pair) != 2:
            raise InputError(f"{what} {number}: expected a pair of names, got {pair!r}")
        for end in pair:
            if not _is_label(end):
                raise InputError(f"{what} {number}: {end!r} is not the name of a node")
            ends.append(node_name(end))
    return ends


def _is_label(label: Any) -> bool:
    """Return whether it may name a node: not a list, an array, or a missing value."""
    if label is None or not isinstance(label, Hashable) or type(label).__name__ == "NAType":
        return False  # NAType is pandas' NA, which will not say whether it equals anything
    return bool(label == label)  # noqa: PLR0124 – NaN and NaT alone differ from themselves


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
            f"{title}: {len(names)} not in the network ignored "
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


def unknown_node(name: str, names: Sequence[str]) -> InputError:
    """Return the error for a name that no node has, with the names it may stand for."""
    return InputError(f"no node is called {name!r}.{_hint(names, name)}")


def _hint(names: Sequence[str], name: str) -> str:
    """Return `` Did you mean …?`` for the same name in other letters, else for the closest."""
    folded = name.strip().casefold()
    same = [other for other in names if other.casefold() == folded]
    if same:
        return f" Did you mean {' or '.join(map(repr, same[:3]))}?"
    alike = names
    if len(names) > _COMPARED:
        alike = [other for other in names if other[:2].casefold() == folded[:2]]
    return nearest(name, alike) or nearest(name.upper(), alike) or nearest(name.lower(), alike)


def listed_names(given: Iterable[Any]) -> list[str]:
    """Return names as text, each once, in the order given; a text alone is one name."""
    if isinstance(given, str):
        return [given]
    try:
        return list(dict.fromkeys(node_name(name) for name in given))
    except TypeError:
        raise InputError(f"expected names of nodes, got {type(given).__name__}") from None


def numbers_of(net: Network, given: Iterable[Any], which: str) -> tuple[list[int], tuple[str, ...]]:
    """Return the numbers of the known names and the unknown names; an error if none is known."""
    names, title = listed_names(given), _TITLES[which]
    if not names:
        raise InputError(f"{title} is empty; expected names of nodes")
    node_names = set(net.names)
    numbers = [net.index_of(name) for name in names if name in node_names]
    if not numbers:
        raise InputError(
            f"{title}: none of its {len(names)} name(s) is a node of the network, the first is "
            f"{names[0]!r}.{_hint(net.names, names[0])}"
        )
    return numbers, tuple(name for name in names if name not in node_names)


def pairs_in(
    net: Network, given: Iterable[Sequence[Any]]
) -> tuple[pr.Ints, tuple[tuple[str, str], ...]]:
    """Return pairs of known nodes as numbers i < j, each once, and the pairs with unknown names.

    A node paired with itself is skipped.
    """
    number = {name: i for i, name in enumerate(net.names)}
    numbered, unknown = [], []
    ends = iter(names_in(given, "excluded pair"))
    for one, other in zip(ends, ends, strict=True):
        if one in number and other in number:
            numbered.append((number[one], number[other]))
        else:
            unknown.append((one, other))
    given_pairs = pr.ordered(pr.as_pairs(np.array(numbered, dtype=np.int64), net.n_nodes))
    proper = given_pairs[given_pairs[:, 0] != given_pairs[:, 1]]
    codes = pr.distinct(pr.encode(proper, net.n_nodes))
    return pr.decode(codes, net.n_nodes), tuple(unknown)
