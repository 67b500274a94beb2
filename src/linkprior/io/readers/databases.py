"""Tables of one database each: BioGRID's tab2 and tab3, and STRING's protein links."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import compress
from operator import not_
from typing import Any

import numpy as np

from linkprior._validation import choice, real_number
from linkprior.errors import InputError, ParameterError
from linkprior.io.collector import EdgeCollector, EdgeWeights, column_called, unknown
from linkprior.io.formats import ReadOptions
from linkprior.io.readers.interactions import (
    WITHOUT_SCORE,
    InteractionTable,
    Pair,
    Records,
    cut,
    number_of,
)
from linkprior.io.source import Source, first_line, full_lines, without_comments

# What may name a node: the columns, how the report calls it, and why a row without it is left out.
_IDENTIFIERS = {
    "entrez": ("entrez gene", "Entrez gene id", "no Entrez gene id (--id biogrid keeps it)"),
    "biogrid": ("biogrid id", "BioGRID id", "no BioGRID id"),
    "symbol": ("official symbol", "official symbol", "no official symbol (--id biogrid keeps it)"),
}
_NO_NAME = ("-", "")
_SIDES = ("interactor a", "interactor b")


def read_biogrid(source: Source, out: EdgeCollector, options: ReadOptions) -> str:
    """Read a BioGRID table: every row, of all systems and organisms, unless options say less.

    `id` says what names a node (Entrez gene id by default), `organism` wants both ends of it,
    `systems` are names of the column Experimental System, `physical_only` goes by its type, and
    `min_score` by the column Score, where a row without a number fails.
    """
    options.refuse_others(
        "a BioGRID table", ["organism", "systems", "physical_only", "id", "min_score", "weights"]
    )
    out.directed = False  # A is the bait and B the prey; the interaction has no direction.
    at, header, below = first_line(full_lines(source))
    if not header:
        raise InputError(
            f"{source.name}: no line, expected the header of a BioGRID table and rows below it"
        )
    if not header.lstrip('#" ').lower().startswith("biogrid interaction id"):
        raise InputError(
            f"{source.name}:{at}: expected the header of a BioGRID table (#BioGRID "
            f"Interaction ID …), got {header[:40]!r}; remove the lines above it"
        )
    columns = _Columns(header, source.name, at)
    table, n_rows = _Table(columns, options, out), 0
    expected = f"{columns.width} columns as in the header"
    for numbers, lines in map(without_comments, below):
        # Quotes are characters like others, unless the header has them, too.
        bare = [line.replace('"', "") for line in lines] if columns.quoted else lines
        table.take(cut((numbers, bare), columns.width, expected, source.name))
        n_rows += len(bare)
    if not n_rows:
        raise InputError(f"{source.name}: the header of a BioGRID table and no row below it")
    table.settle()
    out.passed_over = source.lines - n_rows - 1  # the header is not a comment
    return f"BioGRID {columns.kind}, nodes named by {table.called}"


class _Columns:
    """Positions of the columns, by their names in the header."""

    def __init__(self, header: str, file: str, line: int) -> None:
        self.file, self.line, self.quoted = file, line, '"' in header
        cells = header.replace('"', "").lstrip("# ").rstrip("\t").split("\t")
        names = [cell.strip().lower() for cell in cells]
        self._at = {name: at for at, name in reversed(list(enumerate(names)))}
        self.names = [cell.strip() for cell in cells]
        self.width = len(cells)
        self.kind = "tab3" if "organism id interactor a" in self._at else "tab2"

    def of(self, *names: str) -> int | None:
        """Return the place of the first of these columns there is."""
        return next((self._at[name] for name in names if name in self._at), None)

    def needed(self, name: str, for_what: str | None = None) -> int:
        """Return a column's place; without the column, say so, and which option wants it."""
        at = self.of(name, name.replace("organism ", "organism id "))
        if at is not None:
            return at
        where, which = f"{self.file}:{self.line}", f"no column {name!r} in the header"
        if for_what:
            raise ParameterError(f"{where}: {which}, which {for_what} goes by; leave it out")
        here = ", ".join(self.names[:5])
        raise InputError(
            f"{where}: {which}, expected that of BioGRID tab2 or tab3 with tabs between columns "
            f"(it begins with {here[:80]!r}); get the file again, or choose another --id"
        )


class _Table(InteractionTable):
    """Takes rows block by block: leaves out, names the nodes."""

    def __init__(self, columns: _Columns, options: ReadOptions, out: EdgeCollector) -> None:
        kind = choice("--id", options.id or "entrez", _IDENTIFIERS)
        column, self.called, self.unnamed = _IDENTIFIERS[kind]
        self._ends = [columns.needed(f"{column} {side}") for side in _SIDES]
        self._by_symbol = kind == "symbol"
        # Next to the name is the symbol; where the symbol is the name, the gene.
        beside = "biogrid id" if self._by_symbol else "official symbol"
        self._beside = [columns.of(f"{beside} {side}") for side in _SIDES]
        self._gene_of: dict[str, str] = {}
        self._shared: dict[str, None] = {}
        self._taxa_at = [columns.of(f"organism {side}", f"organism id {side}") for side in _SIDES]
        self._taxa_names_at = [columns.of(f"organism name {side}") for side in _SIDES]
        if options.organism is not None:
            self._taxa_at = [columns.needed(f"organism {side}", "--organism") for side in _SIDES]
        super().__init__(out, options.organism, None not in self._taxa_names_at)
        if options.systems:
            at = columns.needed("experimental system", "--experimental-system")
            self.by_system(
                at, options.systems, lambda cell: [[cell]], "another experimental system"
            )
        self.by_organism()
        if options.physical_only:
            at = columns.needed("experimental system type", "--physical-only")
            self.by_cell(
                at, lambda cell: cell.strip().lower() == "physical", "not a physical interaction"
            )
        if options.min_score is not None:
            self.by_score(columns.needed("score", "--min-score"), number_of, options.min_score)
            out.note(
                "BioGRID's scores come from the single studies and are not comparable between them"
            )
        self._weights: int | None = None
        if options.weights is not None:
            self._weights = column_called(options.weights, columns.names, out.file)
            called = f"column {columns.names[self._weights]}"
            out.weights = EdgeWeights(called, out.file, WITHOUT_SCORE)

    def ends_of(self, rows: Records) -> Pair:
        first, second = (
            ["" if cell.strip() in _NO_NAME else cell.strip() for cell in rows.column(at)]
            for at in self._ends
        )
        return first, second

    def taxa_of(self, rows: Records) -> Pair | None:
        """Go by the columns of organisms; the table's own names of them count as well."""
        ends = [rows.column(at) for at in self._taxa_at if at is not None]
        for end, name in zip(ends, self._taxa_names_at, strict=False):
            if name is not None:
                for taxon, called in set(zip(end, rows.column(name), strict=True)):
                    self.learn_organism(taxon, called)
        return (ends[0], ends[1]) if len(ends) == 2 else None

    def take(self, rows: Records) -> None:
        """Take the rows of one block."""
        rows, both = self.select(rows)
        weights = None if self._weights is None else rows.column(self._weights)
        self.out.add(*both, rows.lines, weights)
        # Remember the symbol of each new node; with symbols as names, genes that share one.
        seen = self._gene_of if self._by_symbol else self.out.labels
        for ends, column in zip(both, self._beside, strict=True):
            if column is not None:
                for name, other in zip(ends, rows.column(column), strict=True):
                    if other not in _NO_NAME and seen.setdefault(name, other) != other:
                        self._shared[name] = None

    def settle(self) -> None:
        """Check and note what is known only at the end."""
        self.check_selection()
        if self._by_symbol and self._shared:
            shown = ", ".join(list(self._shared)[:5])
            self.out.note(
                f"{len(self._shared):,} symbols name several genes, which become one node ({shown}"
                f"{' …' if len(self._shared) > 5 else ''}); --id entrez keeps them apart"
            )


# ---------------------------------------------------------------------- STRING

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
    at, top, below = first_line(full_lines(source))
    if not top:
        raise InputError(f"{source.name}: no line, expected STRING's protein links")
    header = top.lstrip("#").split()
    if header[:2] != ["protein1", "protein2"] or "combined_score" not in header:
        raise InputError(
            f"{source.name}:{at}: expected STRING's header, protein1 protein2 … "
            f"combined_score, got {top[:40]!r}"
        )
    weights: int | None = None  # the column of a score, combined or of one channel
    if options.weights is not None:
        weights = column_called(options.weights, header, out.file)
        if weights < 2:
            raise unknown(options.weights, header[2:], out.file)
        out.weights = EdgeWeights(f"column {header[weights]}", out.file)
    n_rows, width, score_at = 0, len(header), header.index("combined_score")
    for numbers, lines in below:
        n_rows += len(lines)
        words = " ".join(lines).split()  # all in one go: many times as fast as line by line
        if {line.count(" ") for line in lines} != {width - 1} or len(words) != width * len(lines):
            _refuse_ragged(numbers, lines, width, source.name)
        strengths = _scores(words[score_at::width], numbers, source.name)
        scores.update(strengths)
        columns: list[Sequence[Any]] = [words[::width], words[1::width], numbers]
        if weights is not None:
            columns.append(words[weights::width])
        if min(strengths) < least:
            strong = [strength >= least for strength in strengths]
            out.drop(f"the score is below {least:g}", compress(numbers, map(not_, strong)))
            columns = [list(compress(column, strong)) for column in columns]
        out.add(*columns)
    out.passed_over = source.lines - n_rows - 1  # the header is not a comment
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


def _scores(cells: Sequence[str], numbers: Sequence[int], file: str) -> list[int]:
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
