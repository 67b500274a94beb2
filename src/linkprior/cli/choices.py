"""Which pairs a user asks about: around a node, within a list, between two, less those tested."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from linkprior.errors import LinkpriorError

if TYPE_CHECKING:
    from linkprior.io.options import ReadOptions
    from linkprior.io.read import Reading
    from linkprior.predictors.candidates import Candidates


@dataclass
class Choices:
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
        self, reading: Reading, options: ReadOptions, tell: Callable[[str], None]
    ) -> Candidates | None:
        """Return the pairs asked about, None for all; say which names are unknown."""
        from linkprior.predictors.candidates import Candidates

        if not (self.around or self.files):
            return None
        name_of = names_by_label(reading)
        within = self._names("nodes", self.within, name_of)
        sides = [self._names(f"side {file}", file, name_of) for file in self.between or ()]
        chosen = Candidates.of(
            reading.network,
            around=[name_of.get(name, name) for name in self.around],
            within=within,
            between=(sides[0] or [], sides[1] or []) if sides else None,
            exclude=(tested := self._tested(options, name_of)),
        )
        if tested and not len(chosen.excluded):
            raise LinkpriorError(
                f"--exclude {self.exclude}: none of its {len(tested)} pairs joins two nodes of the "
                f"network; the first is {' – '.join(tested[0])}. Do both files name nodes alike?"
            )
        for line in chosen.unknown.notes():
            tell(f"Note: {line}")
        tell(f"{chosen.n_candidates} candidate pairs")
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

    def _names(self, what: str, file: str | None, name_of: dict[str, str]) -> list[str] | None:
        from linkprior.io.lists import read_names

        if file is None:
            return None
        listed = read_names(file)
        self._sha256[what] = listed.sha256
        return [name_of.get(name, name) for name in listed]

    def _tested(self, options: ReadOptions, name_of: dict[str, str]) -> list[tuple[str, str]]:
        from linkprior.io.lists import read_pairs

        if self.exclude is None:
            return []
        listed = read_pairs(self.exclude, options)
        self._sha256["exclude"] = listed.sha256
        return [(name_of.get(a, a), name_of.get(b, b)) for a, b in listed]


def names_by_label(reading: Reading) -> dict[str, str]:
    """Return the node each label means, where it means one only and is no node's name itself."""
    nodes: dict[str, list[str]] = {}
    for name, label in reading.labels.items():
        nodes.setdefault(label, []).append(name)
    taken = set(reading.network.names)
    return {
        label: names[0] for label, names in nodes.items() if len(names) == 1 and label not in taken
    }
