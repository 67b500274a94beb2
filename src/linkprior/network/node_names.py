"""What may name a node, and what it is called then."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from itertools import chain
from typing import Any

import numpy as np

from linkprior.errors import InputError


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
            raise InputError(f"{label!r} is no name of a node")
        if name in label_of:
            raise InputError(
                f"the nodes {label_of[name]!r} and {label!r} have the same name {name!r}; rename "
                "one of them"
            )
        label_of[name] = label
    return tuple(label_of)


def names_in(pairs: Any) -> list[str]:
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
            raise InputError(f"edge {number}: expected a pair of names, got {pair!r}")
        for end in pair:
            if not _is_label(end):
                raise InputError(f"edge {number}: {end!r} is no name of a node")
            ends.append(node_name(end))
    return ends


def _is_label(label: Any) -> bool:
    """Tell what may name a node from lists, arrays and all that stands for a missing value."""
    if label is None or not isinstance(label, Hashable) or type(label).__name__ == "NAType":
        return False  # NAType is pandas' NA, which will not say whether it equals anything
    return bool(label == label)  # noqa: PLR0124 – NaN and NaT alone differ from themselves


def refuse_repeated(names: Sequence[str]) -> None:
    if len(set(names)) != len(names):
        seen: set[str] = set()
        twice = next(n for n in names if n in seen or seen.add(n))  # type: ignore[func-returns-value]
        raise InputError(f"node names must all differ, but {twice!r} appears twice")
