"""BioGRID's own tables, tab2 and tab3: columns by header name, an interaction per row."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import chain

from linkprior._validation import choice
from linkprior.errors import InputError, ParameterError
from linkprior.io.collector import EdgeCollector, EdgeWeights, column_called
from linkprior.io.formats import ReadOptions
from linkprior.io.readers.interactions import (
    WITHOUT_SCORE,
    Filter,
    Lines,
    Organism,
    Organisms,
    Records,
    Systems,
    Taxa,
    lines_of,
    number_of,
    sift,
    sift_scores,
    without_comments,
)
from linkprior.io.source import Source

# What may name a node: the columns, how the report calls it, and what a row without it is told.
_IDENTIFIERS = {
    "entrez": ("entrez gene", "Entrez gene id", "no Entrez gene id (--id biogrid keeps it)"),
    "biogrid": ("biogrid id", "BioGRID id", "no BioGRID id"),
    "symbol": ("official symbol", "official symbol", "no official symbol (--id biogrid keeps it)"),
}
_MISSING = ("-", "")
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
    parts = lines_of(source)
    columns, parts = _header(parts, source.name)
    table = _Table(columns, options, out)
    for part in map(without_comments, parts):
        if part[1]:
            table.take(_cut(part, columns, source.name))
    table.settle()
    out.passed_over = source.lines - table.rows - 1  # the header is no comment
    return f"BioGRID {columns.kind}, nodes named by {table.called}"


class _Columns:
    """Where the columns stand, by their names in the header."""

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


def _header(parts: Iterator[Lines], file: str) -> tuple[_Columns, Iterator[Lines]]:
    """Return the columns, and the lines below the header."""
    for numbers, lines in parts:
        if not lines[0].lstrip('#" ').lower().startswith("biogrid interaction id"):
            raise InputError(
                f"{file}:{numbers[0]}: expected the header of a BioGRID table (#BioGRID "
                f"Interaction ID …), got {lines[0][:40]!r}; remove the lines above it"
            )
        columns = _Columns(lines[0], file, numbers[0])
        return columns, chain([(numbers[1:], lines[1:])], parts)
    raise InputError(f"{file}: no line, expected the header of a BioGRID table and rows below it")


def _cut(part: Lines, columns: _Columns, file: str) -> Records:
    """Cut lines into cells; BioGRID quotes nothing, so a quote is a character like others."""
    numbers, lines = part
    if columns.quoted:
        lines = [line.replace('"', "") for line in lines]
    cells = [line.split("\t") for line in lines]
    if min(map(len, cells)) < columns.width:
        at = next(at for at, row in enumerate(cells) if len(row) < columns.width)
        raise InputError(
            f"{file}:{numbers[at]}: expected {columns.width} columns as in the header, got "
            f"{len(cells[at])}: {lines[at][:40]!r}; the line was cut off: get the file again"
        )
    return Records(numbers, cells)


class _Table:
    """Takes rows block by block: filters them, names the nodes, keeps count."""

    def __init__(self, columns: _Columns, options: ReadOptions, out: EdgeCollector) -> None:
        self._out, self._file, self.rows = out, columns.file, 0
        kind = choice("--id", options.id or "entrez", _IDENTIFIERS)
        column, self.called, self._unnamed = _IDENTIFIERS[kind]
        self._ends = [columns.needed(f"{column} {side}") for side in _SIDES]
        self._by_symbol = kind == "symbol"
        # Beside the name stands the symbol; where the symbol is the name, the gene.
        beside = "biogrid id" if self._by_symbol else "official symbol"
        self._beside = [columns.of(f"{beside} {side}") for side in _SIDES]
        self._gene_of: dict[str, str] = {}
        self._shared: dict[str, None] = {}
        self._organisms = _organisms(columns, options, out)
        self._systems = Systems(options.systems)
        self._filters = list(self._chosen(columns, options))
        self._weights: int | None = None
        if options.weights is not None:
            self._weights = column_called(options.weights, columns.names, columns.file)
            called = f"column {columns.names[self._weights]}"
            out.weights = EdgeWeights(called, columns.file, WITHOUT_SCORE)

    def _chosen(self, columns: _Columns, options: ReadOptions) -> Iterator[Filter]:
        if self._systems:
            yield self._by_system(columns.needed("experimental system", "--experimental-system"))
        yield self._organisms.filter
        if options.physical_only:
            yield self._physical(columns.needed("experimental system type", "--physical-only"))
        if options.min_score is not None:
            yield self._strong(columns.needed("score", "--min-score"), options.min_score)
            self._out.note("BioGRID's scores are each study's own and do not compare across them")

    def _by_system(self, at: int) -> Filter:
        def of_system(rows: Records) -> Records:
            names = rows.column(at)
            self._systems.count(names)
            return sift(rows, map(wants, names), "another experimental system", self._out)

        wants = cache(lambda name: self._systems.wants([name]))
        return of_system

    def _physical(self, at: int) -> Filter:
        def physical(rows: Records) -> Records:
            marks = [cell.strip().lower() == "physical" for cell in rows.column(at)]
            return sift(rows, marks, "not a physical interaction", self._out)

        return physical

    def _strong(self, at: int, least: float) -> Filter:
        return lambda rows: sift_scores(
            rows, [number_of(cell) for cell in rows.column(at)], least, self._out
        )

    def take(self, rows: Records) -> None:
        """Take the rows of one block."""
        self.rows += len(rows.cells)
        self._organisms.count(rows, kept=False)
        for kept_by in self._filters:
            rows = kept_by(rows)
        pairs = zip(*(rows.column(at) for at in self._ends), strict=True)
        named = [a.strip() not in _MISSING and b.strip() not in _MISSING for a, b in pairs]
        rows = sift(rows, named, self._unnamed, self._out)
        self._organisms.count(rows, kept=True)
        first, second = ([cell.strip() for cell in rows.column(at)] for at in self._ends)
        weights = None if self._weights is None else rows.column(self._weights)
        self._out.add(first, second, rows.lines, weights)
        for ends, column in zip((first, second), self._beside, strict=True):
            if column is not None:
                self._label(ends, rows.column(column))

    def _label(self, ends: Sequence[str], beside: Sequence[str]) -> None:
        """Remember the symbol of each new node; with symbols as names, genes that share one."""
        seen = self._gene_of if self._by_symbol else self._out.labels
        for name, other in zip(ends, beside, strict=True):
            if other not in _MISSING and seen.setdefault(name, other) != other:
                self._shared[name] = None

    def settle(self) -> None:
        """Check and note what is known only at the end."""
        if not self.rows:
            raise InputError(f"{self._file}: the header of a BioGRID table and no row below it")
        self._systems.settle(self._file)
        self._organisms.settle()
        if self._by_symbol and self._shared:
            shown = ", ".join(list(self._shared)[:5])
            self._out.note(
                f"{len(self._shared):,} symbols name several genes, which become one node ({shown}"
                f"{' …' if len(self._shared) > 5 else ''}); --id entrez keeps them apart"
            )


def _organisms(columns: _Columns, options: ReadOptions, out: EdgeCollector) -> Organisms:
    """Return the filter by organism; the table's own names of organisms count as well."""
    taxa = [columns.of(f"organism {side}", f"organism id {side}") for side in _SIDES]
    names = [columns.of(f"organism name {side}") for side in _SIDES]
    asked: Organism | None = None
    if options.organism is not None:
        taxa = [columns.needed(f"organism {side}", "--organism") for side in _SIDES]
        asked = Organism(options.organism, None not in names)

    def taxa_of(rows: Records) -> Taxa | None:
        ends = [rows.column(at) for at in taxa if at is not None]
        for end, name in zip(ends, names, strict=False):
            if asked is not None and name is not None:
                for taxon, called in set(zip(end, rows.column(name), strict=True)):
                    asked.learn(taxon, called)
        return (ends[0], ends[1]) if len(ends) == 2 else None

    return Organisms(asked, taxa_of, out)
