"""Which two columns of a table name the ends of an edge, told by their header names."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

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
# What may stand before or after both of them: source_id and target_id, node_from and node_to.
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
# Columns in pairs that tell something about the ends: never an end, and an end at worst.
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
    """Return the first two columns whose names belong together, or None where names do not tell.

    Examples: source/target, from/to, node1/node2, id_1/id_2, *_a/*_b, Interactor A/Interactor B.
    """
    short = [name if len(name) <= _LONGEST_NAME else "" for name in names[:_MOST_COLUMNS]]
    found = next(_partners(short), None)
    return found or min(_marked(short), default=(0, None), key=lambda ranked: ranked[0])[1]


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
    """Yield what may stand around the telling part of a name, and that part."""
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
    known, cut = _MARKED.fullmatch(plain(name)), _SET_OFF.fullmatch(name)
    if known:
        yield (2 if words & _HARDLY_END else 0), known[1], known[3], known[4] or ""
    if cut:
        yield (2 if words & _HARDLY_END else 1), cut[1], cut[2], ""
