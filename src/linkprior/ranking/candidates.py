"""Candidates: which pairs may be predicted. Observed edges never are; restrictions combine.

All pairs that are left (`Candidates`), or in very large networks some partners of each node
(`NeighborCandidates`), which are found, scored and dropped in blocks of nodes.

Every restriction looks at the two nodes only, so a node is fully described by four bits: whether it
is one of the nodes asked about, in the list, in the first and in the second of two lists. Which
kinds of nodes may pair is then a table of 16 × 16, from which all counts and masks follow.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from linkprior._validation import choice, whole_number
from linkprior.errors import InputError
from linkprior.network import Network
from linkprior.network import pairs as pr
from linkprior.network.node_names import Unknown, listed_names, number_of, numbers_of, pairs_in

Bools = NDArray[np.bool_]
Kinds = NDArray[np.uint8]

AROUND, WITHIN, FIRST, SECOND = 1, 2, 4, 8
EVERY = AROUND | WITHIN | FIRST | SECOND


def _table() -> Bools:
    """Return which kinds of nodes may pair: all restrictions hold at once."""
    has = {bit: (np.arange(EVERY + 1) & bit) > 0 for bit in (AROUND, WITHIN, FIRST, SECOND)}
    across = np.outer(has[FIRST], has[SECOND])
    either: Bools = np.logical_or.outer(has[AROUND], has[AROUND])
    return either & np.outer(has[WITHIN], has[WITHIN]) & (across | across.T)


ALLOWED = _table()


@dataclass(frozen=True, eq=False)
class Candidates:
    """The pairs of a network that may be predicted; make it with `Candidates.of`.

    Parameters
    ----------
    network
        The network whose non-edges are chosen from.
    kinds
        Four bits per node: AROUND, WITHIN, FIRST, SECOND; a bit is set for all nodes where the
        restriction is not asked for.
    excluded
        (m, 2) pairs i < j left out, in order of pair.
    unknown
        Names that were given but are not in the network.

    Examples
    --------
    >>> import linkprior as lp
    >>> network = lp.planted_network(30, seed=0)
    >>> candidates = lp.Candidates.of(network, around=[network.names[0]])
    >>> bool(candidates.n_candidates == 29 - network.degrees[0])
    True
    """

    network: Network
    kinds: Kinds
    excluded: pr.Ints
    unknown: Unknown = field(default_factory=Unknown)

    @classmethod
    def of(
        cls,
        net: Network,
        *,
        around: Iterable[Any] = (),
        within: Iterable[Any] | None = None,
        between: tuple[Iterable[Any], Iterable[Any]] | None = None,
        exclude: Iterable[Sequence[Any]] = (),
    ) -> Candidates:
        """Return the non-edges for which all that is given holds.

        Parameters
        ----------
        net
            The network whose pairs are chosen from.
        around
            Names of nodes, one of which must be an end of the pair; each must be known.
        within
            Names; both ends must be among them.
        between
            Two lists of names; one end must be in the first, the other in the second.
        exclude
            Pairs of names, in any order, to leave out (tested already, say).

        Returns
        -------
        Candidates
            For `predict_edges`; names that are not in the network are in its `unknown`.

        Examples
        --------
        >>> import linkprior as lp
        >>> network = lp.planted_network(30, seed=0)
        >>> model = lp.make("l3").fit(network)
        >>> few = lp.Candidates.of(network, within=network.names[:10])
        >>> int(model.predict_edges(None, few).pairs.max()) < 10
        True
        """
        kinds = np.full(net.n_nodes, EVERY, np.uint8)
        chosen = [number_of(net, name) for name in listed_names(around)]
        if chosen:
            _keep_bit(kinds, AROUND, chosen)
        unknown = {}
        lists = {"within": (within, WITHIN)}
        if between is not None:
            if not isinstance(between, tuple | list) or len(between) != 2:
                raise InputError("between expects two lists of names")
            lists |= {"first": (between[0], FIRST), "second": (between[1], SECOND)}
        for name, (given, bit) in lists.items():
            if given is not None:
                numbers, unknown[name] = numbers_of(net, given, name)
                _keep_bit(kinds, bit, numbers)
        excluded, strangers = pairs_in(net, exclude)
        return cls(net, kinds, excluded, Unknown(**unknown, exclude=strangers))

    # ------------------------------------------------------------------ looking

    @property
    def restricted(self) -> bool:
        """Whether some pair of nodes is barred by its nodes (edges and exclusions aside)."""
        return bool((self.kinds != EVERY).any())

    @cached_property
    def barred(self) -> sp.csr_array:
        """Symmetric CSR array of edges, excluded pairs and known non-edges, indices sorted."""
        edges, negatives = self.network.adjacency, self.network.known.negatives
        excluded = self.excluded
        if negatives is not None:
            excluded = np.concatenate([excluded, negatives])
        if not len(excluded):
            return edges
        i, j = excluded.T
        ones, shape = np.ones(2 * len(i)), edges.shape
        rows, cols = np.concatenate([i, j]), np.concatenate([j, i])
        both = sp.csr_array(edges + sp.coo_array((ones, (rows, cols)), shape=shape).tocsr())
        both.sort_indices()
        return both

    @cached_property
    def n_candidates(self) -> int:
        """Number of candidate pairs, counted by kinds of nodes."""
        if not self.restricted:
            return pr.n_pairs(self.network.n_nodes) - self.barred.nnz // 2
        per_kind = np.bincount(self.kinds, minlength=EVERY + 1).astype(np.int64)
        ordered = np.outer(per_kind, per_kind) - np.diag(per_kind)
        rows, cols = self.barred.nonzero()
        taken = int(ALLOWED[self.kinds[rows], self.kinds[cols]].sum())
        return (int(ordered[ALLOWED].sum()) - taken) // 2

    @cached_property
    def cover(self) -> Bools:
        """Fewest nodes whose rows hold every candidate: one of the lists asked for.

        Whichever list it is, each candidate has an end in it.
        """
        open_to: Bools = np.logical_or.reduce(ALLOWED[:, np.unique(self.kinds)], axis=1)
        active = open_to[self.kinds]
        lists = [active & ((self.kinds & bit) > 0) for bit in (AROUND, WITHIN, FIRST, SECOND)]
        return min(lists, key=np.count_nonzero)

    def mask(self, start: int, stop: int) -> Bools:
        """Return where some rows of all pairs hold candidates, on both sides of the diagonal.

        Parameters
        ----------
        start, stop
            Positions of the first node, and of the one after the last.

        Returns
        -------
        ndarray
            (stop − start, n_nodes), true for candidates.

        Examples
        --------
        >>> import linkprior as lp
        >>> network = lp.planted_network(30, seed=0)
        >>> lp.Candidates.of(network).mask(0, 2).shape
        (2, 30)
        """
        block: Bools = ALLOWED[self.kinds[start:stop]][:, self.kinds]
        rows = np.arange(stop - start)
        block[rows, rows + start] = False
        stored = self.barred.indptr[start : stop + 1]
        taken = self.barred.indices[stored[0] : stored[-1]]
        block[np.repeat(rows, np.diff(stored)), taken] = False
        return block

    def sorted(self) -> Candidates:
        """Return the same candidates of the network with its nodes sorted by name.

        Returns
        -------
        Candidates
            Those of ``network.sorted()``.

        Examples
        --------
        >>> import linkprior as lp
        >>> network = lp.Network.from_edges([("b", "c"), ("c", "a")])
        >>> lp.Candidates.of(network).sorted().network.names
        ('a', 'b', 'c')
        """
        net, to = self.network, self.network.places
        if net.sorted() is net:
            return self
        kinds, excluded = self.kinds[net.order], pr.moved(self.excluded, to)
        return replace(self, network=net.sorted(), kinds=kinds, excluded=excluded)

    def refuse_other(self, net: Network) -> None:
        """Raise an error unless these are the candidates of this network.

        Parameters
        ----------
        net
            The network a model was fitted to, with its nodes in the same order.

        Examples
        --------
        >>> import linkprior as lp
        >>> network = lp.planted_network(30, seed=0)
        >>> lp.Candidates.of(network).refuse_other(network)
        """
        if self.network is net:
            return
        # A model that was saved has forgotten its releases; candidates are the same without.
        if self.network.without_history().digest != net.without_history().digest:
            raise InputError(
                f"the candidates are of another network ({self.network!r}), the model was fitted "
                f"to {net!r}; make them with Candidates.of(model.network_, …)"
            )

    def __repr__(self) -> str:
        return f"Candidates({self.n_candidates} pairs of {self.network!r})"


def _keep_bit(kinds: Kinds, bit: int, nodes: Sequence[int]) -> None:
    """Leave the bit to these nodes only."""
    others = np.ones(len(kinds), dtype=bool)
    others[nodes] = False
    kinds[others] &= np.uint8(EVERY ^ bit)


KINDS = {
    "paths3": "the partners that most paths of length 3 lead to",
    "knn": "the partners nearest by the model's factors",
}
PARTNERS = 1000  # per node, unless specified otherwise
MOST_PARTNERS = 100_000
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
        How many per node, at most; far pairs come on top (see `retrieval.FarPartners`).
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

    def sorted(self) -> NeighborCandidates:
        """Return the same candidates of the network with its nodes sorted by name."""
        among = self.among.sorted()
        return self if among is self.among else replace(self, among=among)

    @property
    def cost(self) -> float:
        """Nominal nanoseconds of finding and scoring all candidates (see `predictors.cost`)."""
        p = self.network.n_nodes
        return _NANOSECONDS[self.kind] * p * min(p, self.partners)

    def text(self) -> str:
        """Return what is asked about, in half a line."""
        return f"per node {self.partners:,} of {KINDS[self.kind]}, and some distant ones"

    def __repr__(self) -> str:
        return (
            f"NeighborCandidates({self.kind!r}, {self.partners} partners per node of "
            f"{self.network!r})"
        )


def nearby_pairs(
    net: Network, kind: str = "paths3", partners: int = PARTNERS, seed: int = 0, **restrictions: Any
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

    Returns
    -------
    NeighborCandidates
        They are found, scored and dropped block by block when pairs are ranked.

    Examples
    --------
    >>> import linkprior as lp
    >>> network = lp.planted_network(60, seed=0)
    >>> lp.make("l3").fit(network).predict_edges(5, lp.nearby_pairs(network, partners=10))
    Ranking(5 pairs)
    """
    return NeighborCandidates(Candidates.of(net, **restrictions), kind, partners, seed)
