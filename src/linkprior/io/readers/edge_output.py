"""How readers of graphs hand over what they found: all nodes at once, then edges by node number."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from linkprior.errors import InputError
from linkprior.io.collector import EdgeCollector
from linkprior.io.source import Source
from linkprior.io.text import text_blocks
from linkprior.network.pairs import distinct
from linkprior.network.weights import Floats

MOST_NODES = 100_000_000
# A file that only declares so many nodes gets them listed; more must earn it with edges.
_LISTED_FREELY = 1_000_000
PREDICTED = "marked as predicted, not observed"

Ints = NDArray[np.int64]
Weighed = tuple[Floats, Sequence[int] | None]  # weights of edges, and their lines


def every_line(source: Source, longest: int = 1 << 26) -> Iterator[tuple[int, str]]:
    """Yield the number and text of every line, blank ones too."""
    for block in text_blocks(source, longest):
        yield from enumerate(block.text.removesuffix("\n").split("\n"), block.first)


def whole_numbers(words: Sequence[str], most: int, what: str, where: str) -> list[int]:
    """Return numbers from 1 to `most`, or say which word is none of them."""
    text = "".join(words)
    # Python would take 1_000 and digits of other scripts for numbers, too.
    if text.isascii() and text.isdigit() and max(map(len, words)) <= 18:
        numbers = list(map(int, words))
        if min(numbers) >= 1 and max(numbers) <= most:
            return numbers
    for word in words:
        if not (word.isascii() and word.isdigit()):
            raise InputError(f"{where}: expected the number of a {what}, got {word[:30]!r}")
        if len(word) > 18 or not 1 <= int(word) <= most:
            raise InputError(
                f"{where}: {what} {word[:30]} is beyond the {most:,} declared; numbers go from 1 "
                f"to {most}"
            )
    return []


def refuse_too_many(n_nodes: int, file: str) -> None:
    """Refuse a declared number of nodes no machine here could serve, before room is made for it."""
    if n_nodes > MOST_NODES:
        raise InputError(
            f"{file}: declares {n_nodes} nodes, at most {MOST_NODES} are read; is the file damaged?"
        )


def square_size(rows: int, columns: int, where: str) -> int:
    """Return the number of nodes of a square matrix that is not too large."""
    if rows != columns:
        raise InputError(
            f"{where}: a rectangular matrix of {rows} × {columns} (a bipartite network?), expected "
            "a square one; write it as an edge list of row and column names"
        )
    refuse_too_many(rows, where)
    return rows


def hand_over(
    found: EdgeCollector,
    names: Sequence[str],
    node_lines: Sequence[int],
    ends: Ints,
    predicted: Ints | None = None,
    weights: Weighed | None = None,
) -> None:
    """Give the collector all nodes in this order, and edges as pairs of places in `names`."""
    numbers = found.add_nodes(names, node_lines)
    found.add_numbered(numbers[ends], *(weights or ()))
    if predicted is not None:
        found.predicted = numbers[predicted]


def hand_over_numbered(
    found: EdgeCollector,
    n_nodes: int,
    ends: Ints,
    first: int = 1,
    labels: Mapping[int, str] | None = None,
    label_lines: Mapping[int, int] | None = None,
    weights: Weighed | None = None,
) -> None:
    """Hand over edges between the nodes `first`, `first` + 1 …, named by number or by label."""
    labels, label_lines = labels or {}, label_lines or {}
    numbers: Sequence[int] = range(first, first + n_nodes)
    at = ends - first
    if n_nodes > max(_LISTED_FREELY, 4 * len(ends), 4 * len(labels)):
        used, at = np.unique(ends, return_inverse=True)
        numbers, at = used.tolist(), at.reshape(ends.shape)
        found.note(
            f"{n_nodes - len(used):,} of the {n_nodes:,} nodes declared have no edge and are left "
            "out without their names"
        )
    names = [labels.get(k) or str(k) for k in numbers] if labels else list(map(str, numbers))
    hand_over(found, names, [label_lines.get(k, 0) for k in numbers], at, weights=weights)


def is_zero(text: str = "") -> bool:
    """Tell whether a weight is exactly 0; what is no number is no weight."""
    try:
        return float(text) == 0
    except ValueError:
        return False


def note_zero_weights(found: EdgeCollector, count: int) -> None:
    """Say that edges of weight 0 are edges: whoever wrote them may have meant none."""
    if count:
        edges = "1 edge has" if count == 1 else f"{count:,} edges have"
        found.note(f"{edges} weight 0 and count{'s' * (count == 1)} as edge{'s' * (count != 1)}")


def one_of_each(ends: Ints) -> NDArray[np.bool_] | None:
    """Mark one of (i, j) and (j, i) where every pair is given both ways, else return None.

    A symmetric matrix holds each edge twice by its nature: nothing was repeated.
    """
    i, j = ends[:, 0], ends[:, 1]
    width = int(ends.max(initial=0)) + 1
    if not np.array_equal(distinct(i * width + j), distinct(j * width + i)):
        return None
    upper: NDArray[np.bool_] = i <= j
    return upper
