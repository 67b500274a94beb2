"""Which two columns of a table name the ends of an edge, recognised by their header names."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from linkprior.errors import InputError, ParameterError
from linkprior.io.collector import column_called

SEPARATORS = {"\t": "tab", ",": "comma", ";": "semicolon", " ": "space"}
Row = list[str]
_Pair = tuple[int, int]

# Names that belong together, in either order.
_PARTNERS = """
    source target, source destination, source targetgene, src dst, src dest, src tgt, from to,
    regulator target, regulator gene, regulator targetgene, tf target, tf gene, tf targetgene,
    mirna target, mirna gene, kinase substrate, enzyme substrate, bait prey, predator prey,
    ligand receptor, drug target, drug gene, disease gene, user item, head tail, parent child,
    follower followee, citing cited, query target, query array, queryorf arrayorf, row col,
    row column, virus host, pathogen host, parasite host, plant pollinator, subject object,
    activator target, activator gene, regulator regulated, regulator regulatedgene, tf tg,
    person friend, u v, i j, x y, v1 v2
"""
# What may come before or after both of them: source_id and target_id, node_from and node_to.
_AFFIXES = ("", "id", "name", "node", "nodeid", "symbol", "gene", "protein", "label", "interactor")
# What may come before a mark: node1, gene_a, Interactor B, official symbol a, id_1, protein1 …
_STEM = (
    r"(the|official|ensembl|entrez|biogrid|uniprot|genes?|protein|node|vertex|interactor|partner|"
    r"participant|molecule|entity|symbol|names?|ids?|identifier|accession|locus|orf|prot|user|"
    r"person|author|actor|member|source|target|from|to|var|item|column|col|string|"
    r"systematic|x|i|n)+"
)
_MARKS = (("a", "b"), ("1", "2"), ("0", "1"), ("i", "j"), ("x", "y"))
_MARKED = re.compile(
    rf"({_STEM})([ab012ijxy])(id|ids|name|symbol|node|gene|protein|label|no|number)?"
)
# A mark set off by `_`, space or dot needs no known word before it: *_a and *_b.
_SET_OFF = re.compile(r"(.*[^a-z0-9])([ab012ijxy])")
# Columns in pairs that describe the ends: never an end, and an end at worst.
_NO_END = {
    *("score", "weight", "value", "count", "degree", "p", "q", "start", "end", "length", "type"),
    *("chr", "chromosome", "strand", "role", "alias", "aliases", "synonym", "synonyms"),
    *("description", "database", "db", "expression", "method", "date", "year"),
}
_HARDLY_END = {"species", "organism", "taxid", "taxon", "taxonomy", "class", "group", "family"}
# An edge list has neither names that long nor so many columns.
_LONGEST_NAME, _MOST_COLUMNS = 60, 1000


def _both_ways(pairs: Iterable[Sequence[str]]) -> dict[str, list[str]]:
    others = defaultdict(list)
    for one, other in pairs:
        others[one].append(other)
        others[other].append(one)
    return dict(others)


_PARTNERS_OF = _both_ways(pair.split() for pair in _PARTNERS.split(","))
_MARKS_OF = _both_ways(_MARKS)


def plain(name: str) -> str:
    """Return a header cell in lower case without spaces, quotes and punctuation."""
    return re.sub(r"[\W_]+", "", name.strip().lower())


def pair_of_columns(names: Sequence[str]) -> tuple[int, int] | None:
    """Return the first two columns whose names belong together, or None where there are none.

    Examples: source/target, from/to, node1/node2, id_1/id_2, *_a/*_b, Interactor A/Interactor B.
    """
    short = [name if len(name) <= _LONGEST_NAME else "" for name in names[:_MOST_COLUMNS]]
    pair = next(_partners(short), None)
    return pair or min(_marked(short), default=(0, None), key=lambda ranked: ranked[0])[1]


def _partners(names: Sequence[str]) -> Iterator[_Pair]:
    """Yield the columns named by partners such as source and target."""
    seen: dict[tuple[str, str], int] = {}
    for at, name in enumerate(names):
        for around, core in _cores(plain(name)):
            for other in _PARTNERS_OF.get(core, ()):
                if (around, other) in seen:
                    yield seen[around, other], at
                seen.setdefault((around, core), at)


def _cores(word: str) -> Iterator[tuple[str, str]]:
    """Yield what may surround the mark in a name, and the mark."""
    for affix in _AFFIXES:
        yield f"…{affix}", word.removesuffix(affix) if word.endswith(affix) else ""
        yield f"{affix}…", word.removeprefix(affix) if affix and word.startswith(affix) else ""


def _marked(names: Sequence[str]) -> Iterator[tuple[int, _Pair]]:
    """Yield the columns whose names differ in a mark alone, and how well such a name fits ends."""
    seen: dict[tuple[str, str, str], int] = {}
    for at, name in enumerate(names):
        for rank, stem, mark, ending in _stems(name.strip().lower()):
            for other in _MARKS_OF[mark]:
                if (stem, other, ending) in seen:
                    yield rank, (seen[stem, other, ending], at)
            seen.setdefault((stem, mark, ending), at)


def _stems(name: str) -> Iterator[tuple[int, str, str, str]]:
    """Yield rank, stem, mark and ending of a name: gene_a is 0, gene_, a and nothing."""
    words = set(re.findall(r"[a-z]+", name))
    if words & _NO_END:
        return
    marked, cut = _MARKED.fullmatch(plain(name)), _SET_OFF.fullmatch(name)
    if marked:
        yield (2 if words & _HARDLY_END else 0), marked[1], marked[3], marked[4] or ""
    if cut:
        yield (2 if words & _HARDLY_END else 1), cut[1], cut[2], ""


# No number has more digits than this; without bounds, long ones take the square of their length.
NUMBER = re.compile(r"[-+]?(\d{1,400}([.,]\d{0,400})?|[.,]\d{1,400})([eE][-+]?\d{1,9})?")
MISSING = {"", "na", "nan", "null", "none", "inf", "n/a", "-", "--", "+", "?", ".", "missing"}
_USUAL = re.compile(
    r"(official)?(source|target|from|to|tf|regulator|gene|symbol|node|protein|interactor|id|vertex)+"
    r"(name|symbol|id)?[ab12]?"
)


@dataclass(frozen=True)
class Header:
    """The names of a table's columns."""

    names: Row
    ends: tuple[int, int]
    told: bool  # whether the names show which columns are the ends
    is_row: bool  # whether the header is the first row, not the comment above it
    sure: bool = False  # whether it is a header beyond doubt, as words above numbers are


def find_header(
    rows: Sequence[Row], comment: Row, asked: Sequence[str], wanted: bool | None = None
) -> Header | None:
    """Return the header in the first row (None if `wanted` is False) or the comment above it."""
    if wanted is False:
        return None
    first = rows[0]
    # Tables put one below the other have their header several times.
    others = [row for row in rows[1:] if row != first] or rows[1:]
    ends = pair_of_columns(first)
    if not first[0] and len(first) > 2 and all(first[1:]):  # an index, as R and pandas write it
        return Header(first, ends or (1, 2), bool(ends), True, True)
    sure = bool(wanted) or _words_above_numbers(first, others) or _names_asked(first, others, asked)
    usual = first[0] != first[1] and all(
        len(cell) <= _LONGEST_NAME and _USUAL.fullmatch(plain(cell)) for cell in first[:2]
    )
    if sure or ((ends or usual) and not _is_like(first, others, ends or (0, 1))):
        shift = int(_rows_are_named(first, others))
        a, b = ends or (0, 1)
        return Header([""] * shift + first, (a + shift, b + shift), bool(ends), True, sure)
    ends = pair_of_columns(comment)
    if len(comment) == len(first) and (ends or (asked and set(asked) <= set(comment))):
        return Header(comment, ends or (0, 1), bool(ends), False)
    return None


def _names_asked(first: Row, others: Sequence[Row], asked: Sequence[str]) -> bool:
    """Return whether the columns asked for name columns of the first row, not its nodes."""
    if not asked or not set(asked) <= set(first):
        return False
    places = [at for at, cell in enumerate(first) if cell in asked and cell.isdecimal()]
    below = [row[at] for row in others for at in places if at < len(row)]
    return not any(map(NUMBER.fullmatch, below))  # 1 and 2 above 3 and 4 are nodes themselves


def _words_above_numbers(first: Row, others: Sequence[Row]) -> bool:
    """Return whether some column has a word in the first row and numbers in all others."""
    if len(others) < 2 or any(map(NUMBER.fullmatch, first)):
        return False
    return any(
        cell.lower() not in MISSING
        and all(len(row) > at and NUMBER.fullmatch(row[at]) for row in others)
        for at, cell in enumerate(first)
    )


def _is_like(first: Row, others: Sequence[Row], ends: tuple[int, int]) -> bool:
    """Return whether the first row is like the others: its cells, or names of a kind, return."""
    names = {first[at] for at in ends}
    kinds = set(map(_kind, names))
    nodes = {row[at] for row in others for at in ends if at < len(row)}
    return (
        any(map(NUMBER.fullmatch, first))
        or any(cell and cell == same for row in others for cell, same in zip(first, row))  # noqa: B905
        or not names.isdisjoint(nodes)
        or not kinds.isdisjoint(map(_kind, nodes))
    )


def _kind(name: str) -> str:
    """Return a name without its number or letter: node1 and node17 are alike, geneA and geneC."""
    if len(name) > _LONGEST_NAME:
        return name  # the search below takes the square of the length
    return re.sub(r"(\d+|(?<![A-Za-z])[A-Za-z]|(?<=[a-z])[A-Z])$", "", name) or name


def _rows_are_named(first: Row, others: Sequence[Row]) -> bool:
    """Return whether each row has a name before its cells, which R leaves without a header."""
    names = {row[0] for row in others}
    return (
        bool(others)
        and all(len(row) == len(first) + 1 for row in others)
        and len(names) == len(others)
        and any(row[-1] for row in others)
    )


_FEW, _MOST_RELATIONS = 10, 10


@dataclass(frozen=True)
class Ends:
    """The columns of the two ends."""

    columns: tuple[int, int] = (0, 1)
    aside: int | None = None  # neither an end nor a score: it numbers the rows, or names relations
    note: str = ""  # why these are not the first two, where the user should know


def ends_by_content(rows: Sequence[Row]) -> Ends:
    """Return the ends as inferred from the cells of the first rows."""
    if not rows or any(len(row) < 3 for row in rows):
        return Ends()
    first, second, third = ([row[at] for row in rows] for at in range(3))
    if holds_scores(first) and not holds_scores(second) and not holds_scores(third):
        return Ends((1, 2), None, _note("column 1 holds scores", "2 and 3"))
    counts = len(first) > 1 and first in (
        [str(number) for number in range(start, start + len(first))] for start in (0, 1)
    )
    if counts and _holds_names(second) and _holds_names(third):
        if len(rows) < _FEW or len(set(third)) > 1:
            return Ends((1, 2), 0, _note("column 1 numbers the rows", "2 and 3"))
    elif _holds_relations(first, second, third):
        shown = ", ".join(word[:20] for word in list(dict.fromkeys(second))[:3])
        return Ends((0, 2), 1, _note(f"column 2 holds relations ({shown})", "1 and 3"))
    return Ends()


def _note(why: str, which: str) -> str:
    return f"{why}, so nodes are read from columns {which}; --columns 1,2 reads the first two"


def _holds_names(cells: Sequence[str]) -> bool:
    return not any(not cell or NUMBER.fullmatch(cell) for cell in cells)


def holds_scores(cells: Sequence[str]) -> bool:
    """Return whether all cells are numbers and some have a fraction, as no node number has."""
    return all(map(NUMBER.fullmatch, cells)) and any(
        float(cell.replace(",", ".")) % 1 > 0 for cell in cells
    )


def _holds_relations(first: Sequence[str], second: Sequence[str], third: Sequence[str]) -> bool:
    """Return whether the second column says how nodes of the first and third are related."""
    words, sources, targets = set(second), set(first), set(third)
    nodes = all(map(str.isdecimal, (*first, *third))) or _holds_names(third)
    if not words.isdisjoint(sources | targets) or not nodes:
        return False
    few = len(words) <= min(_MOST_RELATIONS, len(second) // 5, len(targets) // 2)
    return all(map(is_relation, words)) or (
        few and not sources.isdisjoint(targets) and _holds_names(second)
    )


# Words and codes Cytoscape and others put between two nodes.
_CODES = {"pp", "pd", "pr", "rc", "cr", "gl", "pm", "mp", "gg", "xx"}  # PP might be a gene
_WORDS = {
    "interacts", "interacts-with", "interacts with", "interaction", "physical", "genetic",
    "activates", "inhibits", "binds", "regulates", "predicted", "observed", "undirected",
    "directed", "in-complex-with",
    "controls-expression-of", "controls-state-change-of", "controls-phosphorylation-of",
    "catalysis-precedes", "neighbor-of", "coexpression", "colocalization", "binding", "targets",
    "induces", "suppresses", "stimulates", "cleaves", "transports", "associates", "expression",
}  # fmt: skip
# Verbs, and the nouns made of them, that names of nodes do not look like.
_VERBS = re.compile(
    r"[a-z_-]{0,40}(ylat|inat|ulat|ivat)(es|ion)|[a-z_-]{0,40}(ibits|ibition|presses|pression)"
    r"|[a-z_ -]{0,40}[_ -](with|of|by|to)"
)
_ARROW = re.compile(r"[-=<>|~+→←↔⊣⊢]{1,6}|-+o|o-+")


def is_relation(word: str) -> bool:
    """Return whether a word says how two nodes are related, and is no node itself."""
    word = word.strip()
    low = word.lower()
    return word in _CODES or low in _WORDS or any(sign.fullmatch(low) for sign in (_ARROW, _VERBS))


_SCORES = ("score", "combinedscore", "weight", "confidence", "probability", "value", "strength")


@dataclass(frozen=True)
class Sample:
    """The first rows of a file: what its layout is found by."""

    separator: str
    rows: list[Row]
    line: int  # of the first row
    comment: Row  # right above it
    titles: tuple[int, ...] = ()  # lines of text above the table


@dataclass(frozen=True)
class Layout:
    """Which columns of a row hold the ends of an edge."""

    sample: Sample
    ends: tuple[int, int]
    width: int  # of the first row
    header: list[str] = field(default_factory=list)
    header_line: int | None = None  # unless the header is a comment
    sure: bool = False  # whether that line is a header beyond doubt
    multiplex: bool = False
    aside: int | None = None  # a column that numbers the rows, or names relations
    note: str = ""  # what the user should know about the columns
    weights: int | None = None  # the column the user wants weights from

    @property
    def score(self) -> int | None:
        """The column with a weight or score."""
        others = [at for at in range(self.width) if at not in (*self.ends, self.aside)]
        if not self.header:
            return others[0] if others else None
        return next((at for at in others if plain(self.header[at]) in _SCORES), None)

    def describe(self) -> str:
        """Describe it for the input report."""
        kind = f"{SEPARATORS[self.sample.separator]}-separated edge list"
        if self.multiplex:
            return f"{kind} of a multiplex network (layer, node, node, weight), layers merged"
        a, b = self.ends
        if self.header:
            names = (
                name if name.isprintable() and 0 < len(name) <= 60 else str(at + 1)
                for at, name in ((at, self.header[at]) for at in self.ends)
            )
            return f"{kind}, nodes in the columns {' and '.join(names)}"
        where = f", nodes in columns {a + 1} and {b + 1}" if self.width > 2 else ""
        return f"{kind} without header{where}"


def find_layout(
    sample: Sample,
    file: str,
    columns: tuple[str, str] | None = None,
    has_header: bool | None = None,
    weights: str | None = None,
) -> Layout:
    """Find the ends of edges: the columns chosen, else named by the header, else by the cells."""
    asked = list(columns or ())
    if weights is not None:  # where there are weights, numbers do not show a header
        asked = [name for name in (*asked, weights) if not name.isdecimal()]
    header = find_header(sample.rows, sample.comment, asked, has_header)
    names = [] if header is None else header.names
    header_line, rows = None, sample.rows
    if header is not None and header.is_row:
        header_line, rows = sample.line, sample.rows[1:]
    width = len(names or sample.rows[0])
    ends = Ends(header.ends if header else (0, 1))
    # Files of this suffix have layer, node, node and weight.
    layered = columns is None and header is None and file.endswith((".edges", ".edges.gz"))
    layered &= all(len(row) == 4 and all(map(NUMBER.fullmatch, row)) for row in rows)
    if columns is not None:
        first, second = (column_called(name, names, file, width, "--columns") for name in columns)
        if first == second:
            raise ParameterError(
                f"--columns expects two different columns, got {columns[0]!r} twice"
            )
        ends = Ends((first, second))
    elif layered:
        ends = Ends((1, 2))
    elif header is None or not header.told:
        if ends.columns == (0, 1):
            # A column beyond the header has no name, and may be missing elsewhere.
            ends = ends_by_content([row[:width] for row in rows] if header else rows)
        _refuse_matrix(rows, ends.columns, width, f"{file}:{sample.line}")
    weights_at = None if weights is None else column_called(weights, names, file, width)
    if weights is not None and weights_at in ends.columns:
        raise ParameterError(
            f"--weights: column {weights[:60]!r} of {file} is read as names of nodes; choose "
            "another, or choose those of the nodes with --columns A,B"
        )
    return Layout(
        sample=sample,
        ends=ends.columns,
        width=width,
        header=names,
        header_line=header_line,
        sure=header is not None and header.sure,
        multiplex=layered,
        aside=ends.aside,
        note=ends.note,
        weights=weights_at,
    )


def _refuse_matrix(rows: Sequence[Row], ends: tuple[int, int], width: int, where: str) -> None:
    """Refuse a table that would name nodes by measured numbers."""
    numbers = [[bool(NUMBER.fullmatch(cell)) for cell in row] for row in rows]
    wide = bool(rows) and all(len(row) >= 10 and all(row) for row in numbers)
    named = len(rows) > 2 and all(not row[0] and all(row[1:]) for row in numbers)
    measured = width > 3 or any(re.search(r"\d[.,]\d", row[1]) for row in rows)
    wide |= len(rows) > 2 and ends[0] == 0 and holds_scores([row[0] for row in rows])
    if wide or (named and measured):
        raise InputError(
            f"{where}: expected two columns of node names, got {width} columns with numbers from "
            f"column {1 if wide else 2} on. Is it a matrix, or a list of scores? Choose two "
            "columns with --columns 1,2; save a matrix as .npz (scipy) or Matrix Market"
        )
