"""What the readers of interaction tables share: lines, rows kept or left out, systems asked for."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import compress

from linkprior.errors import InputError, ParameterError, nearest
from linkprior.io.collector import EdgeCollector
from linkprior.io.source import Source, text_blocks

Lines = tuple[Sequence[int], list[str]]
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


Filter = Callable[[Records], Records]
Taxa = tuple[Sequence[str], Sequence[str]]


def lines_of(source: Source) -> Iterator[Lines]:
    """Yield the lines that are not blank, block by block, with their numbers."""
    for block in text_blocks(source):
        lines = block.text.removesuffix("\n").split("\n")
        numbers: Sequence[int] = range(block.first, block.first + len(lines))
        if "" in lines or any(map(str.isspace, lines)):
            full = [at for at, line in enumerate(lines) if line and not line.isspace()]
            numbers, lines = [numbers[at] for at in full], [lines[at] for at in full]
        if lines:
            yield numbers, lines


def without_comments(part: Lines) -> Lines:
    """Return the lines that do not begin with ``#``."""
    numbers, lines = part
    if not any(line[0] == "#" for line in lines):
        return part
    kept = [at for at, line in enumerate(lines) if line[0] != "#"]
    return [numbers[at] for at in kept], [lines[at] for at in kept]


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


def sift_scores(
    rows: Records, scores: Sequence[float | None], least: float, out: EdgeCollector
) -> Records:
    """Return the rows that have a score, and one of at least `least`."""
    full = [score for score in scores if score is not None]
    rows = sift(rows, [score is not None for score in scores], "it has no score", out)
    return sift(rows, [score >= least for score in full], f"the score is below {least:g}", out)


class Systems:
    """The experimental systems a user asked for, and those the file has."""

    def __init__(self, asked: Sequence[str]) -> None:
        self._asked = {word.strip().casefold(): word for word in asked}
        self._seen: Counter[str] = Counter()
        self._met: set[str] = set()

    def __bool__(self) -> bool:
        return bool(self._asked)

    def wants(self, names: Iterable[str]) -> bool:
        """Return whether any of a row's names was asked for."""
        met = self._asked.keys() & {name.strip().casefold() for name in names}
        self._met |= met
        return bool(met)

    def count(self, names: Iterable[str]) -> None:
        """Count the systems of rows, for the message when one asked for is not there."""
        self._seen.update(names)

    def settle(self, file: str) -> None:
        """Refuse a system that no row has."""
        for word, asked in self._asked.items():
            if word not in self._met:
                known = [name for name, _ in self._seen.most_common(_LISTED)]
                more = " …" if len(self._seen) > _LISTED else ""
                raise ParameterError(
                    f"--experimental-system: no row of {file} has {asked!r}."
                    f"{nearest(asked, known)} It has: {', '.join(known)}{more}"
                )


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


def _spelled(taxon: str) -> str:
    return f"{taxon} ({_NAMES[taxon][0]})" if taxon in _NAMES else taxon


class Organism:
    """The organism a user asked for; a name may stand for several taxa (strains, species)."""

    def __init__(self, asked: str, file_has_names: bool) -> None:
        self.asked, self._word = asked, asked.strip().casefold()
        self.taxa = {
            taxon
            for taxon, names in _NAMES.items()
            if self._word in {name.casefold() for name in names}
        }
        if re.fullmatch(r"-?\d+", asked.strip()):
            self.taxa = {asked.strip()}
        if not self.taxa and not file_has_names:
            words = [name for names in _NAMES.values() for name in names]
            raise ParameterError(
                f"--organism: expected an NCBI taxonomy number (9606) or a common name (human), "
                f"got {asked!r}.{nearest(asked, dict.fromkeys(words))}"
            )

    def learn(self, taxon: str, name: str) -> None:
        """Take a number that the file gives the name asked for; brackets may hold a strain."""
        name = name.strip().casefold()
        if self._word in (name, name.split(" (")[0]):
            self.taxa.add(taxon)

    @property
    def reason(self) -> str:
        """Why a row of another organism is left out."""
        return f"not both ends are of the organism {_spelled(self.asked)}"


class Organisms:
    """Keeps the rows of the organism asked for, and counts which organisms the rows join.

    All rows are counted for the message that no row has the organism asked for; without one, the
    rows kept, for the note on mixed networks. A taxon of `-` or nothing is unknown.
    """

    def __init__(
        self,
        asked: Organism | None,
        taxa_of: Callable[[Records], Taxa | None],
        out: EdgeCollector,
    ) -> None:
        self._asked, self._taxa_of, self._out = asked, taxa_of, out
        self._rows: Counter[tuple[str, str]] = Counter()

    def count(self, rows: Records, kept: bool) -> None:
        """Count the rows of one block, before they are filtered or those kept."""
        if kept == (self._asked is None) and (taxa := self._taxa_of(rows)):
            self._rows.update(zip(*taxa, strict=True))

    def wanted(self, rows: Records) -> list[bool]:
        """Mark the rows with both ends of the organism asked for."""
        ends = None if self._asked is None else self._taxa_of(rows)
        if self._asked is None or ends is None:
            return [True] * len(rows.lines)
        taxa = self._asked.taxa
        return [a in taxa and b in taxa for a, b in zip(*ends, strict=True)]

    def filter(self, rows: Records) -> Records:
        """Return the rows of the organism asked for."""
        return (
            rows
            if self._asked is None
            else sift(rows, self.wanted(rows), self._asked.reason, self._out)
        )

    def settle(self) -> None:
        """Note rows that join two organisms, or refuse an organism no row has at both ends."""
        asked = self._asked
        if asked is None:
            self._note()
        elif self._rows and not any(asked.taxa.issuperset(pair) for pair in self._rows):
            sizes = self._sizes()
            more = f" and {len(sizes) - _ORGANISMS} others" if len(sizes) > _ORGANISMS else ""
            listed = ", ".join(f"{_spelled(taxon)}: {n:,}" for taxon, n in sizes[:_ORGANISMS])
            raise InputError(
                f"{self._out.file}: no row joins two nodes of the organism {asked.asked!r}. Rows "
                f"by organism: {listed + more if sizes else 'none is named'}"
            )

    def _note(self) -> None:
        apart = sum(n for (a, b), n in self._rows.items() if a != b and _known(a) and _known(b))
        if apart:
            sizes = self._sizes()
            main = sizes[0][0]
            name = _NAMES[main][0] if main in _NAMES else main
            self._out.note(
                f"{len(sizes)} organisms; {apart:,} rows join two organisms (--organism {main} "
                f"keeps {name}–{name})"
            )

    def _sizes(self) -> list[tuple[str, int]]:
        """Return the organisms with the rows each takes part in, the largest first."""
        rows: Counter[str] = Counter()
        for pair, n in self._rows.items():
            for taxon in filter(_known, set(pair)):
                rows[taxon] += n
        return sorted(rows.items(), key=lambda item: (-item[1], item[0]))


def _known(taxon: str) -> bool:
    return taxon not in ("", "-")
