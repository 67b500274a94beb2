"""Organisms of an interaction table: by NCBI taxonomy number or name, and who joins whom."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from linkprior.errors import InputError, ParameterError, nearest
from linkprior.io.collector import EdgeCollector

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
_LISTED = 10


def _common_name(taxon: str) -> str:
    return _NAMES[taxon][0] if taxon in _NAMES else taxon


def _spelled(taxon: str) -> str:
    return f"{taxon} ({_NAMES[taxon][0]})" if taxon in _NAMES else taxon


class Organism:
    """The organism a user asked for.

    Attributes
    ----------
    taxa
        Its NCBI taxonomy numbers; a name may stand for several (strains, species).
    """

    def __init__(self, asked: str, file_has_names: bool) -> None:
        self.asked, self._word = asked, asked.strip().casefold()
        self.taxa = {asked.strip()} if re.fullmatch(r"-?\d+", asked.strip()) else self._known()
        if not self.taxa and not file_has_names:
            words = [name for names in _NAMES.values() for name in names]
            raise ParameterError(
                f"--organism: expected an NCBI taxonomy number (9606) or a common name (human), "
                f"got {asked!r}.{nearest(asked, dict.fromkeys(words))}"
            )

    def _known(self) -> set[str]:
        return {
            taxon
            for taxon, names in _NAMES.items()
            if self._word in {name.casefold() for name in names}
        }

    def learn(self, taxon: str, name: str) -> None:
        """Take a number that the file gives the name asked for; brackets may hold a strain."""
        name = name.strip().casefold()
        if self._word in (name, name.split(" (")[0]):
            self.taxa.add(taxon)

    @property
    def reason(self) -> str:
        """Why a row of another organism is left out."""
        return f"not both ends are of the organism {_spelled(self.asked)}"


class Census:
    """Counts which organisms the rows of a file join; a taxon of `-` or nothing is not known."""

    def __init__(self) -> None:
        self._rows: Counter[tuple[str, str]] = Counter()

    def take(self, first: Iterable[str], second: Iterable[str]) -> None:
        """Count the rows of one block, by the taxa of their ends."""
        self._rows.update(zip(first, second, strict=True))

    def settle(self, organism: Organism | None, found: EdgeCollector) -> None:
        """Note rows that join two organisms, or refuse an organism no row has at both ends."""
        if organism is None:
            self._note(found)
        elif self._rows and not any(organism.taxa.issuperset(pair) for pair in self._rows):
            raise InputError(
                f"{found.file}: no row joins two nodes of the organism {organism.asked!r}. Rows by "
                f"organism: {self._listed()}"
            )

    def _note(self, found: EdgeCollector) -> None:
        apart = sum(n for (a, b), n in self._rows.items() if a != b and _known(a) and _known(b))
        if apart:
            sizes = self._sizes()
            main, name = sizes[0][0], _common_name(sizes[0][0])
            found.note(
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

    def _listed(self) -> str:
        sizes = self._sizes()
        more = f" and {len(sizes) - _LISTED} others" if len(sizes) > _LISTED else ""
        listed = ", ".join(f"{_spelled(taxon)}: {n:,}" for taxon, n in sizes[:_LISTED])
        return f"{listed}{more}" if sizes else "none is named"


def _known(taxon: str) -> bool:
    return taxon not in ("", "-")
