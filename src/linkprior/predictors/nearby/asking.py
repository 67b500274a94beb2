"""What is asked for: which kind of partners, how many per node, and among which candidates."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from linkprior._validation import choice, whole_number
from linkprior.network import Network
from linkprior.ranking.candidates import Candidates

if TYPE_CHECKING:
    from linkprior.predictors.base import LinkPredictor

KINDS = {
    "paths3": "the partners that most paths of length 3 lead to",
    "knn": "the partners nearest by the model's factors",
}
PARTNERS = 1000  # per node, unless told otherwise
MOST_PARTNERS = 100_000
ALL_UP_TO = 50_000  # nodes up to which all pairs are asked about unless told otherwise
_SEED_LIMIT = 2**63 - 1
_NANOSECONDS = {"paths3": 600.0, "knn": 250.0}  # nominal, to find and score one partner of a node


@dataclass(frozen=True, eq=False)
class NeighborCandidates:
    """Some partners of each node, to be found when pairs are ranked; make it with `nearby_pairs`.

    A pair is a candidate when either node is among the partners of the other. They are found,
    scored and dropped block by block, so that there is no list of them.

    Attributes
    ----------
    among
        The candidates that partners are chosen from.
    kind
        "paths3" or "knn".
    partners
        How many per node, at most; far pairs come on top (see `sources.FarPartners`).
    seed
        For the far pairs and for groups of factors.
    """

    among: Candidates
    kind: str
    partners: int = PARTNERS
    seed: int = 0

    def __post_init__(self) -> None:
        choice("candidates", self.kind, KINDS)
        whole_number("partners", self.partners, 1, MOST_PARTNERS)
        whole_number("seed", self.seed, 0, _SEED_LIMIT)

    @property
    def network(self) -> Network:
        """The network whose non-edges are chosen from."""
        return self.among.network

    def refuse_other(self, net: Network) -> None:
        """Raise an error unless these are candidates of this network."""
        self.among.refuse_other(net)

    @property
    def effort(self) -> float:
        """Nominal nanoseconds of finding and scoring all candidates (see `effort.py`)."""
        p = self.network.n_nodes
        return _NANOSECONDS[self.kind] * p * min(p, self.partners)

    def text(self) -> str:
        """Return what is asked about, in half a line."""
        return f"per node {self.partners:,} of {KINDS[self.kind]}, and some far ones"

    def __repr__(self) -> str:
        return f"Nearby({self.kind!r}, {self.partners} partners per node of {self.network!r})"


def nearby_pairs(
    net: Network,
    kind: str = "paths3",
    partners: int = PARTNERS,
    seed: int = 0,
    **restrictions: Any,
) -> NeighborCandidates:
    """Return candidates for `predict_edges` in a very large network: some partners per node.

    Parameters
    ----------
    net
        The network the model was fitted to.
    kind
        "paths3": the partners that most paths of length 3 lead to, weighted as by the model l3;
        "knn": those of the highest product of factors, for models that have factors.
    partners
        How many per node, at most.
    seed
        For far pairs, drawn by degree, and for what "knn" draws.
    restrictions
        `around`, `within`, `between`, `exclude`, as `Candidates.of` takes them.
    """
    return NeighborCandidates(Candidates.of(net, **restrictions), kind, partners, seed)


def default_kind(model: LinkPredictor, among: Candidates) -> str:
    """Return which pairs are asked about where the user does not say.

    All pairs of up to `ALL_UP_TO` nodes, or as many scores where only some nodes are asked about;
    beyond that nearest partners by factors, or by paths for models without factors.
    """
    from linkprior.predictors.nearby.factors import has_factors

    rows = int(among.cover.sum()) if among.restricted else among.network.n_nodes
    if rows * among.network.n_nodes <= ALL_UP_TO**2:
        return "all"
    return "knn" if has_factors(model) else "paths3"
