"""What the readers of interaction tables share: lines, rows kept or left out, systems asked for."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import compress

from linkprior.errors import InputError, ParameterError, nearest
from linkprior.io.collector import EdgeCollector
from linkprior.io.source import Lines

_LISTED, _ORGANISMS = 20, 10  # systems and organisms that a message lists
# What to do where some rows have a score and others none, and scores are asked for as weights.
WITHOUT_SCORE = "--min-score 0 leaves out rows without a score"


@dataclass(frozen=True)
class Records:
    """The rows of one block: line numbers and cells."""

    lines: Sequence[int]
    cells: list[list[str]]

    def column(self, at: int) -> list[str]:
        """Return one column."""
        return [row[at] for row in self.cells]

    def where(self, wanted: Sequence[bool]) -> Records:
        """Return the rows wanted."""
        return Records(list(compress(self.lines, wanted)), list(compress(self.cells, wanted)))


Pair = tuple[Sequence[str], Sequence[str]]  # of two columns


def cut(part: Lines, width: int, expected: str, file: str, most: int = -1) -> Records:
    """Cut lines at tabs, at most so often; each must have `width` cells."""
    numbers, lines = part
    cells = [line.split("\t", most) for line in lines]
    for at, row in enumerate(cells):
        if len(row) < width:
            raise InputError(
                f"{file}:{numbers[at]}: expected {expected}, got {len(row)}: {lines[at][:40]!r}; "
                "the line was cut off: get the file again"
            )
    return Records(numbers, cells)


def sift(rows: Records, wanted: Iterable[bool], reason: str, out: EdgeCollector) -> Records:
    """Return the rows wanted; the others are counted under the reason."""
    marks = list(wanted)
    if all(marks):
        return rows
    out.drop(reason, [line for line, keep in zip(rows.lines, marks, strict=True) if not keep])
    return rows.where(marks)


def number_of(text: str) -> float | None:
    """Return the number a cell holds, or None."""
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) else None


# Strains and species that databases number apart share their names: all of them are meant.
_NAMES: dict[str, tuple[str, ...]] = {
    "9606": ("human", "Homo sapiens"),
    "10090": ("mouse", "Mus musculus"),
    "10116": ("rat", "Rattus norvegicus"),
    "559292": ("yeast", "Saccharomyces cerevisiae", "budding yeast"),
    "4932": ("yeast", "Saccharomyces cerevisiae", "budding yeast"),
    "284812": ("fission yeast", "Schizosaccharomyces pombe"),
    "4896": ("fission yeast", "Schizosaccharomyces pombe"),
    "7227": ("fly", "Drosophila melanogaster", "fruit fly"),
    "6239": ("worm", "Caenorhabditis elegans", "C. elegans"),
    "3702": ("Arabidopsis", "Arabidopsis thaliana"),
    "511145": ("E. coli", "Escherichia coli"),
    "83333": ("E. coli", "Escherichia coli"),
    "316407": ("E. coli", "Escherichia coli"),
    "562": ("E. coli", "Escherichia coli"),
    "7955": ("zebrafish", "Danio rerio"),
    "36329": ("Plasmodium falciparum", "P. falciparum"),
    "5833": ("Plasmodium falciparum", "P. falciparum"),
    "9031": ("chicken", "Gallus gallus"),
    "9913": ("cow", "Bos taurus"),
    "9823": ("pig", "Sus scrofa"),
    "9615": ("dog", "Canis lupus familiaris"),
    "9986": ("rabbit", "Oryctolagus cuniculus"),
    "9544": ("macaque", "Macaca mulatta"),
    "8355": ("frog", "Xenopus laevis"),
    "44689": ("slime mold", "Dictyostelium discoideum"),
    "224308": ("Bacillus subtilis", "B. subtilis"),
    "83332": ("Mycobacterium tuberculosis", "M. tuberculosis"),
    "11676": ("HIV-1", "Human immunodeficiency virus 1"),
    "2697049": ("SARS-CoV-2", "Severe acute respiratory syndrome coronavirus 2"),
}


class InteractionTable:
    """Takes the rows that options ask for, by filters in the order they were added.

    A subclass gives the names and the organisms of both ends of rows, empty where there is none.
    The organism asked for may stand for several taxa (strains, species). All rows are counted for
    the message that no row has this organism; without one, the rows taken, for the note on mixed
    networks. A taxon of `-` or nothing is unknown.
    """

    unnamed: str  # why rows are left out in which an end has no name

    def __init__(self, out: EdgeCollector, organism: str | None, file_has_names: bool) -> None:
        self.out, self._organism = out, organism
        self._word = (organism or "").strip().casefold()
        self._taxa = {
            taxon
            for taxon, names in _NAMES.items()
            if self._word in {name.casefold() for name in names}
        }
        if re.fullmatch(r"-?\d+", self._word):
            self._taxa = {self._word}
        if organism is not None and not self._taxa and not file_has_names:
            words = [name for names in _NAMES.values() for name in names]
            raise ParameterError(
                f"--organism: expected an NCBI taxonomy number (9606) or a common name (human), "
                f"got {organism!r}.{nearest(organism, dict.fromkeys(words))}"
            )
        self._filters: list[Callable[[Records], Records]] = []
        self._systems: dict[str, str] = {}  # case folded → as the user wrote them
        self._systems_met: set[str] = set()
        self._systems_seen: Counter[str] = Counter()
        self._pairs_seen: Counter[tuple[str, str]] = Counter()  # of organisms

    def ends_of(self, rows: Records) -> Pair:
        """Return the names of both ends."""
        raise NotImplementedError

    def taxa_of(self, rows: Records) -> Pair | None:
        """Return the organisms of both ends, if the table has them."""
        raise NotImplementedError

    def select(self, rows: Records) -> tuple[Records, Pair]:
        """Return the rows asked for whose ends both have a name, and these; count the others."""
        if self._organism is not None:
            self._count_organisms(rows)
        for chosen in self._filters:
            rows = chosen(rows)
        first, second = self.ends_of(rows)
        named = [a != "" and b != "" for a, b in zip(first, second, strict=True)]
        rows = sift(rows, named, self.unnamed, self.out)
        if self._organism is None:
            self._count_organisms(rows)
        return rows, (list(compress(first, named)), list(compress(second, named)))

    def _count_organisms(self, rows: Records) -> None:
        if taxa := self.taxa_of(rows):
            self._pairs_seen.update(zip(*taxa, strict=True))

    def add(self, chosen: Callable[[Records], Records]) -> None:
        """Add a filter of rows."""
        self._filters.append(chosen)

    def by_cell(self, at: int, wants: Callable[[str], bool], reason: str) -> None:
        """Keep the rows whose cell is wanted."""
        wants = cache(wants)
        self.add(lambda rows: sift(rows, map(wants, rows.column(at)), reason, self.out))

    def by_score(self, at: int, score_of: Callable[[str], float | None], least: float) -> None:
        """Keep the rows with a score of at least `least`."""
        score_of = cache(score_of)
        self.by_cell(at, lambda cell: score_of(cell) is not None, "it has no score")
        self.by_cell(
            at, lambda cell: (score_of(cell) or 0.0) >= least, f"the score is below {least:g}"
        )

    def by_system(
        self,
        at: int,
        asked: Sequence[str],
        systems_of: Callable[[str], Sequence[Sequence[str]]],
        reason: str,
    ) -> None:
        """Keep the rows of the systems asked for; the last name `systems_of` gives is shown."""
        self._systems = {word.strip().casefold(): word for word in asked}
        systems_of = cache(systems_of)

        def wants(cell: str) -> bool:
            names = {name.strip().casefold() for system in systems_of(cell) for name in system}
            self._systems_met |= self._systems.keys() & names
            return not self._systems.keys().isdisjoint(names)

        def count(rows: Records) -> Records:
            for cell, n in Counter(rows.column(at)).items():
                self._systems_seen.update({system[-1]: n for system in systems_of(cell)})
            return rows

        self.add(count)
        self.by_cell(at, wants, reason)

    def by_organism(self) -> None:
        """Keep the rows with both ends of the organism asked for."""
        reason = f"not both ends are of the organism {_spelled(self._organism or '')}"
        self.add(lambda rows: sift(rows, self.of_organism(rows), reason, self.out))

    def of_organism(self, rows: Records) -> list[bool]:
        """Mark the rows with both ends of the organism asked for."""
        taxa = None if self._organism is None else self.taxa_of(rows)
        if taxa is None:
            return [True] * len(rows.lines)
        return [a in self._taxa and b in self._taxa for a, b in zip(*taxa, strict=True)]

    def learn_organism(self, taxon: str, name: str) -> None:
        """Take a number that the file gives the name asked for; brackets may hold a strain."""
        name = name.strip().casefold()
        if self._organism is not None and self._word in (name, name.split(" (")[0]):
            self._taxa.add(taxon)

    def check_selection(self) -> None:
        """Refuse a system or organism that no row has, and note rows that join two organisms."""
        for word, asked in self._systems.items():
            if word not in self._systems_met:
                systems = [name for name, _ in self._systems_seen.most_common(_LISTED)]
                more = " …" if len(self._systems_seen) > _LISTED else ""
                raise ParameterError(
                    f"--experimental-system: no row of {self.out.file} has {asked!r}."
                    f"{nearest(asked, systems)} It has: {', '.join(systems)}{more}"
                )
        rows: Counter[str] = Counter()  # in which each organism takes part
        for pair, n in self._pairs_seen.items():
            for taxon in filter(_known, set(pair)):
                rows[taxon] += n
        sizes = sorted(rows.items(), key=lambda item: (-item[1], item[0]))
        pairs = self._pairs_seen.items()
        apart = sum(n for (a, b), n in pairs if a != b and _known(a) and _known(b))
        if self._organism is None and apart:
            main = sizes[0][0]
            name = _NAMES[main][0] if main in _NAMES else main
            self.out.note(
                f"{len(sizes)} organisms; {apart:,} rows join two organisms (--organism {main} "
                f"keeps {name}–{name})"
            )
        if self._organism is None or not self._pairs_seen:
            return
        if not any(self._taxa.issuperset(pair) for pair in self._pairs_seen):
            more = f" and {len(sizes) - _ORGANISMS} others" if len(sizes) > _ORGANISMS else ""
            listed = ", ".join(f"{_spelled(taxon)}: {n:,}" for taxon, n in sizes[:_ORGANISMS])
            raise InputError(
                f"{self.out.file}: no row joins two nodes of the organism {self._organism!r}. Rows "
                f"by organism: {listed + more if sizes else 'none is named'}"
            )


def _spelled(taxon: str) -> str:
    return f"{taxon} ({_NAMES[taxon][0]})" if taxon in _NAMES else taxon


def _known(taxon: str) -> bool:
    return taxon not in ("", "-")
