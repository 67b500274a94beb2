"""Which pairs a user asks about: around a node, within a list, between two, less those tested."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import product
from typing import TYPE_CHECKING, Any

from linkprior.errors import LinkpriorError

if TYPE_CHECKING:
    from linkprior.io.formats import ReadOptions
    from linkprior.io.read import Reading
    from linkprior.ranking.candidates import Candidates


@dataclass
class CandidateOptions:
    """The options that choose pairs, and what became of them.

    Nodes may be given by name, or by label (a gene's symbol) where the input has labels.
    """

    around: tuple[str, ...]
    within: str | None
    between: tuple[str, str] | None
    exclude: str | None
    _sha256: dict[str, str] = field(default_factory=dict)

    @property
    def files(self) -> list[str]:
        """The files that are read for them."""
        given = (self.within, *(self.between or ()), self.exclude)
        return [name for name in given if name is not None]

    def candidates(
        self, reading: Reading, options: ReadOptions, notify: Callable[[str], None]
    ) -> Candidates | None:
        """Return the pairs asked about, None for all; say which names are unknown."""
        from linkprior.ranking.candidates import Candidates

        if not (self.around or self.files):
            return None
        known = Names(reading)
        within = self._names("nodes", self.within, known)
        sides = [self._names(f"side {file}", file, known) for file in self.between or ()]
        chosen = Candidates.of(
            reading.network,
            around=[name for called in self.around for name in known.some(called)],
            within=within,
            between=(sides[0] or [], sides[1] or []) if sides else None,
            exclude=(tested := self._tested(options, known)),
        )
        if tested and not len(chosen.excluded):
            raise LinkpriorError(
                f"--exclude {self.exclude}: none of its {len(tested)} pairs joins two nodes of the "
                f"network; the first is {' – '.join(tested[0])}. Do both files name nodes alike?"
            )
        if tested:
            left = len(chosen.excluded)
            notify(f"{left} pair{'s' * (left != 1)} of {self.exclude} left out of the list")
        for line in chosen.unknown.notes():
            notify(f"Note: {line}")
        n = chosen.n_candidates
        notify(f"{n} candidate pair{'s' * (n != 1)}")
        return chosen

    def request(self) -> dict[str, Any]:
        """Return what was asked, files by their SHA-256, for a run's manifest."""
        return {
            "node": list(self.around) or None,
            "nodes": self._sha256.get("nodes"),
            "exclude": self._sha256.get("exclude"),
            "between": [self._sha256[f"side {file}"] for file in self.between]
            if self.between
            else None,
        }

    def _names(self, what: str, file: str | None, known: Names) -> list[str] | None:
        from linkprior.io.node_lists import read_names

        if file is None:
            return None
        listed = read_names(file)
        self._sha256[what] = listed.sha256
        return [name for called in listed for name in known.all(called)]

    def _tested(self, options: ReadOptions, known: Names) -> list[tuple[str, str]]:
        from linkprior.io.node_lists import read_pairs

        if self.exclude is None:
            return []
        listed = read_pairs(self.exclude, options)
        self._sha256["exclude"] = listed.sha256
        return [pair for a, b in listed for pair in product(known.all(a), known.all(b))]


class Names:
    """Nodes by what a user calls them: their name, or their label, which several may share."""

    def __init__(self, reading: Reading) -> None:
        self._names = dict.fromkeys(reading.network.names)
        self._labelled: dict[str, list[str]] = {}
        for name, label in reading.labels.items():
            if name in self._names:
                self._labelled.setdefault(label, []).append(name)

    def all(self, called: str) -> list[str]:
        """Return every node that is called so; a name comes before labels."""
        return [called] if called in self._names else self._labelled.get(called, [called])

    def some(self, called: str) -> list[str]:
        """Return every node that is called so, or refuse with the names and labels it is like."""
        from linkprior.network.node_names import unknown_node

        found = self.all(called)
        if found[0] not in self._names:
            raise unknown_node(called, [*self._names, *filter(str.isprintable, self._labelled)])
        return found

    def one(self, called: str) -> str:
        """Return the one node that is called so, or refuse to choose."""
        found = self.some(called)
        if len(found) > 1:
            raise LinkpriorError(
                f"{called!r} is the label of {len(found)} nodes: {', '.join(found[:5])}; give one "
                "of these"
            )
        return found[0]
