"""PSI-MITAB 2.5 to 2.8: the table IntAct, MINT, DIP, iRefIndex, BioGRID and others share."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from functools import cache, partial
from typing import NamedTuple

from linkprior.errors import InputError
from linkprior.io.collector import EdgeCollector, EdgeWeights, unknown
from linkprior.io.formats import MITAB_HEADER as _HEADER
from linkprior.io.formats import ReadOptions
from linkprior.io.readers.interactions import (
    WITHOUT_SCORE,
    InteractionTable,
    Pair,
    Records,
    cut,
    number_of,
    sift,
)
from linkprior.io.source import Lines, Source, full_lines, without_comments

_WIDTHS = {15: "2.5", 36: "2.6", 42: "2.7", 46: "2.8"}
# Columns, counted from 0.
_ENDS, _ALTERNATIVES, _ALIASES, _TAXA = (0, 1), (2, 3), (4, 5), (9, 10)
_METHOD, _TYPE, _CONFIDENCE, _EXPANSION, _NEGATIVE = 6, 11, 14, 15, 35
_ISOFORM = re.compile(r"uniprotkb:\w+-(\d+|PRO_\d+)")


def read_mitab(source: Source, out: EdgeCollector, options: ReadOptions) -> str:
    """Read a PSI-MITAB table; a node is the first identifier of its column.

    Nodes are called by their accession, with its database in front where two databases share one.
    Negative interactions (column 36) are known non-edges, and rows that name one participant are
    left out; both are counted. `organism` wants both taxids of it; `systems` are detection methods
    (column 7) by name or MI number; `physical_only` keeps associations and what lies below them,
    direct interactions and enzymatic reactions included, but no colocalization; `min_score` goes by
    the MI score among the confidence values (column 15), else by the first number there. A negative
    pair is one whatever its method, type and score.
    """
    options.refuse_others(
        "a PSI-MITAB table", ["organism", "systems", "physical_only", "min_score", "weights"]
    )
    out.directed = False
    table = _Table(options, out)
    rows = 0  # and the header
    for at, (numbers, lines) in enumerate(full_lines(source)):
        has_header = at == 0 and _HEADER.match(lines[0]) is not None
        part = without_comments((numbers[has_header:], lines[has_header:]))
        rows += has_header + len(part[1])
        if part[1]:
            table.take(part)
    out.passed_over = source.lines - rows
    return table.settle()


class _Table(InteractionTable):
    """Takes rows block by block: leaves out, names the nodes, keeps count."""

    unnamed = "only one participant is named"

    def __init__(self, options: ReadOptions, out: EdgeCollector) -> None:
        super().__init__(out, options.organism, True)
        self._width = self._expanded = 0
        self._name, self._label, self._symbol = cache(accession), cache(label_of), cache(symbol_of)
        self._taxon = cache(self._first_taxon)
        self.add(self._without_negative)
        if options.systems:
            self.by_system(_METHOD, options.systems, _systems_of, "another detection method")
        self.by_organism()
        if options.physical_only:
            self.by_cell(_TYPE, is_physical, "not a physical interaction")
        if options.min_score is not None:
            self.by_score(_CONFIDENCE, score_of, options.min_score)
        self._asked, self._weighed = options.weights, False
        self._scored = cache(partial(scored_as, asked=options.weights or ""))
        if self._asked is not None:
            out.weights = EdgeWeights(f"score {self._asked}", out.file, WITHOUT_SCORE)
        # Negative pairs wait for the end, so that they do not change the order of the nodes.
        self._negative: list[str] = []
        self._negative_lines: list[int] = []

    def ends_of(self, rows: Records) -> Pair:
        first, second = ([self._name(cell) for cell in rows.column(at)] for at in _ENDS)
        return first, second

    def taxa_of(self, rows: Records) -> Pair:
        """Go by the columns of organisms; the names that cells give them count as well."""
        first, second = ([self._taxon(cell) for cell in rows.column(at)] for at in _TAXA)
        return first, second

    def _first_taxon(self, cell: str) -> str:
        fields = [field for field in fields_of(cell) if field.value not in _MISSING]
        for field in fields:
            if field.text:
                self.learn_organism(field.value, field.text)
        return fields[0].value if fields else "-"

    def _without_negative(self, rows: Records) -> Records:
        """Leave out pairs tested and not found; remember those of the organism asked for."""
        positive = [
            len(row) <= _NEGATIVE or row[_NEGATIVE].strip().lower() != "true" for row in rows.cells
        ]
        negative = rows.where([not keep for keep in positive])
        negative = negative.where(self.of_organism(negative))
        for *ends, line in zip(*self.ends_of(negative), negative.lines, strict=True):
            if "" not in ends:
                self._negative += ends
                self._negative_lines += [line, line]
        return sift(rows, positive, _NOT_FOUND, self.out)

    def take(self, part: Lines) -> None:
        """Take the lines of one block."""
        self._width = self._width or part[1][0].count("\t") + 1
        # What follows column 36 stays in one piece.
        expected = "at least the 15 columns of MITAB 2.5"
        rows, both = self.select(cut(part, 15, expected, self.out.file, _NEGATIVE + 1))
        self.out.add(*both, rows.lines, self._weights(rows))
        # Remember a readable name of each new node: among its aliases, else a BioGRID symbol.
        labels = self.out.labels
        for ends, aliases, others in zip(both, _ALIASES, _ALTERNATIVES, strict=True):
            for name, row in zip(ends, rows.cells, strict=True):
                if name not in labels:
                    label = self._label(row[aliases]) or self._symbol(row[others])
                    if label:
                        labels[name] = label
        self._expanded += sum(
            "expansion" in row[_EXPANSION] or "bipartite" in row[_EXPANSION]
            for row in rows.cells
            if len(row) > _EXPANSION
        )

    def _weights(self, rows: Records) -> list[str] | None:
        """Return the scores asked for as weights, nothing where a row has none."""
        if self._asked is None:
            return None
        cells = rows.column(_CONFIDENCE)
        scores = [self._scored(cell) for cell in cells]
        if not self._weighed and cells and not any(scores):
            kinds = {field.database for cell in cells for field in fields_of(cell)}
            raise unknown(self._asked, ["score", *sorted(kinds)], self.out.file)
        self._weighed |= bool(cells)
        return scores

    def settle(self) -> str:
        """Name the nodes, say what is known only at the end, and describe the file."""
        if not self._width:
            raise InputError(f"{self.out.file}: no row, expected PSI-MITAB interactions")
        self.check_selection()
        if self._expanded:
            self.out.note(
                f"{self._expanded:,} rows were expanded from complexes (spoke or matrix, say); "
                "such a pair was seen in one complex, not one to one"
            )
        names = self.out.names
        isoforms = sum(1 for name in names if _ISOFORM.fullmatch(name))
        numbers = self.out.add_nodes(self._negative, self._negative_lines)
        self.out.non_edges = numbers.reshape(-1, 2)
        if isoforms:
            self.out.note(
                f"{isoforms:,} nodes are isoforms or chains of a protein (P12345-2), apart from it"
            )
        base = max((width for width in _WIDTHS if width <= self._width), default=15)
        more = f" with {self._width - base} more columns" if self._width > base else ""
        return f"PSI-MITAB {_WIDTHS[base]}{more}, {self._shorten(self.out.names)}"

    def _shorten(self, names: Sequence[str]) -> str:
        """Drop the databases from the names where they stay apart; say what names a node."""
        short = [name.partition(":")[2] or name for name in names]
        if len(set(short)) < len(short):
            return "nodes named by database:accession, since databases share accessions"
        renamed = dict(zip(names, short, strict=True))
        labels = self.out.labels  # those of rows without a weight, too, whose nodes may be none
        self.out.labels = {renamed[name]: labels[name] for name in names if name in labels}
        self.out.rename(short)
        databases = Counter(name.partition(":")[0] for name in names if ":" in name)
        main = ", ".join(name for name, _ in databases.most_common(3))
        return f"nodes named by accession ({main or 'no database given'})"


_NOT_FOUND = "a negative interaction: tested and not found"


def _systems_of(cell: str) -> list[list[str]]:
    """Return the detection methods of a cell, each by number and name."""
    return [
        [name for name in (f.value, f.text) if name] for f in fields_of(cell) if f.value + f.text
    ]


# A quoted stretch may hold bars. Possessive repeats keep a line of quotes from being tried in every
# way; a cell whose quotes do not match is cut at every bar.
_PARTS = re.compile(r'(?:[^|"]++|"(?:[^"\\]++|\\.)*+")++')
_MATCHED = re.compile(r'(?:[^"]++|"(?:[^"\\]++|\\.)*+")*+')
_QUOTED = re.compile(r'([^"]*?):?"((?:[^"\\]++|\\.)*+)"(?:\((.*)\))?')
_MI = re.compile(r"MI:\d{4}")
_MISSING = ("", "-")

# MI:0914 association and all below it (PSI-MI 2.5.5): physical association 0915, direct interaction
# 0407, covalent and disulfide bonds, enzymatic reactions 0414; and two terms of old files that were
# retired since, 0218 physical interaction and 0191 aggregation. Not here: 0403 colocalization and
# 2364 proximity, which show two molecules near each other; genetic interactions (0208, 0254, 0794
# and others); 2286 functional association.
_PHYSICAL_NUMBERS = (
    914, 915, 407, 195, 408, 414, 191, 218, 192, 193, 194, 197, 198, 199, 200, 201, 202, 203,
    204, 206, 207, 209, 210, 211, 212, 213, 214, 216, 217, 220, 556, 557, 558, 559, 566, 567,
    568, 569, 570, 571, 572, 701, 844, 871, 881, 882, 883, 902, 910, 945, 971, 985, 986, 987,
    1027, 1126, 1127, 1139, 1140, 1143, 1146, 1148, 1230, 1237, 1250, 1251, 1310, 1327, 1355,
    2252, 2263, 2272, 2273, 2280, 2356,
)  # fmt: skip
_PHYSICAL = {f"MI:{number:04}" for number in _PHYSICAL_NUMBERS}
# What column 15 may be called as a whole.
_SCORE_NAMES = {"score", "confidence", "confidence value", "confidence value(s)", "15"}
_SHOWN_AS = ("display_short", "gene name", "short", "gene symbol", "shortlabel")


class Field(NamedTuple):
    """One field: database, value, and the text in brackets behind it."""

    database: str
    value: str
    text: str


def fields_of(cell: str) -> list[Field]:
    """Return the fields of a cell; a lone ``-`` is none."""
    cell = cell.strip()
    if cell in _MISSING:
        return []
    quoted = '"' in cell and _MATCHED.fullmatch(cell)
    parts = _PARTS.findall(cell) if quoted else cell.split("|")
    return [_field(part.strip()) for part in parts if part.strip()]


def _field(part: str) -> Field:
    quoted = _QUOTED.fullmatch(part) if '"' in part else None
    if quoted:
        value = re.sub(r"\\(.)", r"\1", quoted[2])
        return Field(quoted[1].strip(), value.strip(), quoted[3] or "")
    database, colon, value = part.partition(":")
    # DIP writes MI:0018(two hybrid): there the colon belongs to the value.
    if not colon or (database == "MI" and _MI.match(part)):
        database, value = "", part
    text = ""
    if value.endswith(")") and "(" in value:
        value, _, text = value[:-1].partition("(") if value.count("(") == 1 else _nested(value)
    return Field(database.strip(), value.strip().strip('"'), text)


def _nested(value: str) -> tuple[str, str, str]:
    """Split off the last pair of outer brackets: ``a(b)(gene name)`` and ``a(b (c))``."""
    depth = 0
    for at in range(len(value) - 1, -1, -1):
        depth += (value[at] == ")") - (value[at] == "(")
        if depth == 0:
            return value[:at], "(", value[at + 1 : -1]
    return value.rstrip(")").partition("(")


def accession(cell: str) -> str:
    """Return ``database:accession`` of the first identifier, or nothing."""
    first = next(iter(fields_of(cell)), None)
    if first is None or first.value in _MISSING:
        return ""
    return f"{first.database}:{first.value}" if first.database else first.value


def label_of(cell: str) -> str:
    """Return the alias a person would show, or nothing."""
    if "(" not in cell:
        return ""
    aliases = {field.text: field.value for field in reversed(fields_of(cell))}
    return next((aliases[kind] for kind in _SHOWN_AS if aliases.get(kind)), "")


def symbol_of(cell: str) -> str:
    """Return the symbol BioGRID puts among the alternative identifiers, or nothing."""
    return next(
        (
            field.value
            for field in fields_of(cell)
            if field.database == "entrez gene/locuslink" and not field.value.isdecimal()
        ),
        "",
    )


def is_physical(cell: str) -> bool:
    """Return whether any interaction type is physical; an enzymatic reaction by its name, too."""
    return any(
        field.value in _PHYSICAL or field.text.endswith(" reaction") for field in fields_of(cell)
    )


def score_of(cell: str) -> float | None:
    """Return the MI score among the confidence values, else the first number."""
    fields = fields_of(cell)
    scores = [(field.database, number_of(field.value)) for field in fields]
    numeric = [(name, score) for name, score in scores if score is not None]
    molecular = (score for name, score in numeric if "miscore" in name.lower())
    return next(molecular, numeric[0][1] if numeric else None)


def scored_as(cell: str, asked: str) -> str:
    """Return the score of this name, else nothing; for plain `score`, that of `score_of`."""
    wanted = asked.strip().lower()
    if wanted in _SCORE_NAMES:
        score = score_of(cell)
        return "" if score is None else repr(score)
    named = (field.value for field in fields_of(cell) if field.database.lower() == wanted)
    return next(named, "")
