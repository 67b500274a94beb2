"""BioGRID's own tables, tab2 and tab3: columns by header name, an interaction per row."""

from __future__ import annotations

from itertools import chain

from linkprior._validation import choice
from linkprior.errors import InputError, ParameterError
from linkprior.io.collector import EdgeCollector, EdgeWeights, column_called
from linkprior.io.formats import ReadOptions
from linkprior.io.readers.interactions import (
    WITHOUT_SCORE,
    InteractionTable,
    Pair,
    Records,
    cut,
    number_of,
)
from linkprior.io.source import Source, full_lines, without_comments

# What may name a node: the columns, how the report calls it, and why a row without it is left out.
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
    parts = full_lines(source)
    at, top = next(parts, ([], []))
    if not top:
        raise InputError(
            f"{source.name}: no line, expected the header of a BioGRID table and rows below it"
        )
    if not top[0].lstrip('#" ').lower().startswith("biogrid interaction id"):
        raise InputError(
            f"{source.name}:{at[0]}: expected the header of a BioGRID table (#BioGRID "
            f"Interaction ID …), got {top[0][:40]!r}; remove the lines above it"
        )
    columns = _Columns(top[0], source.name, at[0])
    table, n_rows = _Table(columns, options, out), 0
    expected = f"{columns.width} columns as in the header"
    for numbers, lines in map(without_comments, chain([(at[1:], top[1:])], parts)):
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
            ["" if cell.strip() in _MISSING else cell.strip() for cell in rows.column(at)]
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
        rows = self.select(rows)
        both = self.ends_of(rows)
        weights = None if self._weights is None else rows.column(self._weights)
        self.out.add(*both, rows.lines, weights)
        # Remember the symbol of each new node; with symbols as names, genes that share one.
        seen = self._gene_of if self._by_symbol else self.out.labels
        for ends, column in zip(both, self._beside, strict=True):
            if column is not None:
                for name, other in zip(ends, rows.column(column), strict=True):
                    if other not in _MISSING and seen.setdefault(name, other) != other:
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
