"""What a graph format shows: ranked nodes, predicted links, observed edges among those nodes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from linkprior.io.writers.values import Plain, kind_of, typed
from linkprior.network import Network
from linkprior.network import pairs as pr
from linkprior.ranking.ranking import Ranking

# Columns of edges that viewers keep for themselves; they do not tell capitals apart.
_TAKEN = (
    *("id", "kind", "rank", "score", "source", "target"),
    *("name", "interaction", "selected", "suid", "shared name", "shared interaction"),
)


class Edge(NamedTuple):
    """Two nodes, numbered as in the drawing, and what is known of their edge."""

    source: int
    target: int
    values: dict[str, Plain]


@dataclass(frozen=True)
class Drawing:
    """Nodes 0…n−1 of a picture, in the order of the network, and the edges between them."""

    ranking: Ranking
    names: list[str]
    degrees: list[int] | None
    predicted: pr.Ints
    observed: pr.Ints

    @cached_property
    def labels(self) -> dict[int, str]:
        """Readable names of the nodes, where the ranking has them."""
        evidence, found = self.ranking.evidence, {}
        for side, column in enumerate(("label_source", "label_target")):
            shown = zip(self.predicted[:, side].tolist(), evidence.get(column, ()), strict=False)
            found.update({node: str(label) for node, label in shown if label})
        return found

    @property
    def node_columns(self) -> dict[str, str]:
        """Name and kind of every column of the nodes."""
        label = {"label": "string"} if self.labels else {}
        degree = {} if self.degrees is None else {"degree": "long"}
        return {"name": "string", **label, **degree}

    @property
    def columns(self) -> dict[str, str]:
        """Name and kind of every column of the edges; only `kind` is known of observed ones."""
        evidence = self.ranking.evidence
        names = _free_names(list(evidence), _TAKEN)
        kinds = map(kind_of, evidence.values())
        return {
            "kind": "string",
            "rank": "long",
            "score": "double",
            **dict(zip(names, kinds, strict=True)),
        }

    def nodes(self) -> Iterator[dict[str, Plain]]:
        """Yield name, label (the name where there is none) and degree, where they are known."""
        for at, name in enumerate(self.names):
            node: dict[str, Plain] = {"name": name}
            if self.labels:
                node["label"] = self.labels.get(at, name)
            if self.degrees is not None:
                node["degree"] = self.degrees[at]
            yield node

    def edges(self) -> Iterator[Edge]:
        """Yield predicted links, best first, then observed edges."""
        columns = dict(list(self.columns.items())[1:])
        for (a, b), row in zip(self.predicted.tolist(), self.ranking.rows(), strict=True):
            found = zip(columns.items(), [row[0], *row[3:]], strict=True)
            values = {name: typed(value, kind) for (name, kind), value in found}
            known = {name: value for name, value in values.items() if value is not None}
            yield Edge(a, b, {"kind": "predicted", **known})
        for a, b in self.observed.tolist():
            yield Edge(a, b, {"kind": "observed"})


def draw(ranking: Ranking, network: Network | None) -> Drawing:
    """Return the picture of a ranking; without the network it holds predicted links only."""
    nodes = np.unique(ranking.pairs)
    observed = np.empty((0, 2), dtype=np.int64)
    degrees = None
    if network is not None:
        observed = _observed_among(nodes, ranking, network)
        degrees = network.degrees[nodes].tolist()
    names = [ranking.node_names[node] for node in nodes.tolist()]
    place = np.searchsorted(nodes, ranking.pairs), np.searchsorted(nodes, observed)
    return Drawing(ranking, names, degrees, *place)


def _observed_among(nodes: pr.Ints, ranking: Ranking, network: Network) -> pr.Ints:
    """Return the edges between the nodes; a pair that is also predicted is drawn once, as such."""
    p = network.n_nodes
    inside = np.zeros(p, dtype=bool)
    inside[nodes] = True
    among = network.edges[inside[network.edges].all(axis=1)]
    predicted = pr.encode(pr.ordered(ranking.pairs), p)
    return among[~np.isin(pr.encode(among, p), predicted)]


def _free_names(wanted: Sequence[str], taken: Sequence[str]) -> list[str]:
    """Return the names, with underscores after those that are taken."""
    used, free = set(taken), []
    for name in wanted:
        while name.lower() in used:
            name += "_"  # noqa: PLW2901 – the name grows until it is free
        used.add(name.lower())
        free.append(name)
    return free
