"""STRING's protein links: two proteins and a combined score from 0 to 1000, every pair twice."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import chain, compress
from operator import not_

import numpy as np

from linkprior._validation import real_number
from linkprior.errors import InputError
from linkprior.io.collector import EdgeCollector, EdgeWeights, column_called, unknown
from linkprior.io.formats import ReadOptions
from linkprior.io.source import Source, full_lines

_SCORES = {str(score): score for score in range(1001)}
_HIGH = 700


def read_string(source: Source, out: EdgeCollector, options: ReadOptions) -> str:
    """Read protein.links, links.detailed, links.full or physical.links of STRING.

    All rows are kept unless `min_score` says less: 0 to 1000 as in the file, and up to 1 a fraction
    as on STRING's pages, so that 0.7 is 700. Names lose the organism's number where all share it.
    """
    options.refuse_others("STRING links", ["min_score", "weights"])
    out.directed = False
    least, scores = _least(options.min_score), Counter[int]()
    parts = full_lines(source)
    places, top = next(parts, ([], []))
    if not top:
        raise InputError(f"{source.name}: no line, expected STRING's protein links")
    header = top[0].lstrip("#").split()
    if header[:2] != ["protein1", "protein2"] or "combined_score" not in header:
        raise InputError(
            f"{source.name}:{places[0]}: expected STRING's header, protein1 protein2 … "
            f"combined_score, got {top[0][:40]!r}"
        )
    rows = 1  # the header is not a comment
    at, width = header.index("combined_score"), len(header)
    weights: int | None = None  # the column of a score, combined or of one channel
    if options.weights is not None:
        weights = column_called(options.weights, header, out.file)
        if weights < 2:
            raise unknown(options.weights, header[2:], out.file)
        out.weights = EdgeWeights(f"column {header[weights]}", out.file)
    for numbers, lines in chain([(places[1:], top[1:])], parts):
        rows += len(lines)
        words = " ".join(lines).split()  # all in one go: many times as fast as line by line
        if {line.count(" ") for line in lines} != {width - 1} or len(words) != width * len(lines):
            _refuse_ragged(numbers, lines, width, source.name)
        strengths = _numbers(words[at::width], numbers, source.name)
        scores.update(strengths)
        ends, kept = (words[::width], words[1::width]), numbers
        cells = None if weights is None else words[weights::width]
        if strengths and min(strengths) < least:
            strong = [strength >= least for strength in strengths]
            out.drop(f"the score is below {least:g}", compress(numbers, map(not_, strong)))
            ends = list(compress(ends[0], strong)), list(compress(ends[1], strong))
            kept = list(compress(numbers, strong))
            cells = None if cells is None else list(compress(cells, strong))
        out.add(*ends, kept, cells)
    out.passed_over = source.lines - rows
    _note_scores(scores, least, out)
    _note_mirrored(out)
    kind = "links" if width == 3 else f"links with {width - 3} partial scores"
    return f"STRING {kind}, nodes named by {_shorten(out)}"


def _least(asked: float | None) -> float:
    """Return the least score on STRING's scale of 1000."""
    if asked is None:
        return 0.0
    value = real_number("--min-score", asked, 0, 1000, low_open=False, high_open=False)
    return 1000 * value if value <= 1 else value


def _refuse_ragged(numbers: Sequence[int], lines: Sequence[str], width: int, file: str) -> None:
    for number, line in zip(numbers, lines, strict=True):
        if len(line.split()) != width:
            raise InputError(
                f"{file}:{number}: expected {width} columns as in the header, got "
                f"{len(line.split())}: {line[:40]!r}; is the file cut off?"
            )


def _numbers(cells: Sequence[str], numbers: Sequence[int], file: str) -> list[int]:
    try:
        return list(map(_SCORES.__getitem__, cells))
    except KeyError as problem:
        line = numbers[cells.index(problem.args[0])]
        raise InputError(
            f"{file}:{line}: expected a combined score, a whole number from 0 to 1000, got "
            f"{problem.args[0][:30]!r}"
        ) from None


def _note_scores(scores: Counter[int], least: float, out: EdgeCollector) -> None:
    if not scores:
        raise InputError(f"{out.file}: STRING's header and no row below it")
    if least <= min(scores) and min(scores) < _HIGH:
        high = sum(count for score, count in scores.items() if score >= _HIGH)
        out.note(
            f"STRING scores from {min(scores)} to {max(scores)}, all kept; --min-score {_HIGH} "
            f"keeps what STRING calls high confidence (would leave {high:,} rows)"
        )


def _note_mirrored(out: EdgeCollector) -> None:
    """Note that each pair is listed both ways, to explain the duplicates."""
    ends = out.ends
    up, down = ends[ends[:, 0] < ends[:, 1]], ends[ends[:, 0] > ends[:, 1]]
    if len(up) != len(down) or not len(up):
        return
    if np.array_equal(np.sort(up @ (1 << 32, 1)), np.sort(down @ (1, 1 << 32))):
        out.note("each pair is listed twice, once each way, as STRING does; it counts once")


def _shorten(out: EdgeCollector) -> str:
    """Take the organism's number off the names when all share it; say what names a node."""
    names = out.names
    taxon = names[0].partition(".")[0] if names else ""
    start = f"{taxon}."
    if not taxon.isdecimal() or not all(n.startswith(start) and n != start for n in names):
        return "STRING identifier"
    out.rename([name.removeprefix(start) for name in names])
    return f"STRING identifier without {taxon}. in front"
