"""Candidates: which pairs may be predicted. Observed edges never are; restrictions combine.

Every restriction looks at the two nodes only, so a node is fully described by four bits: whether it
is one of the nodes asked about, in the list, in the first and in the second of two lists. Which
kinds of nodes may pair is then a table of 16 × 16, from which all counts and masks follow.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

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

    Attributes
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
        around
            Names of nodes, one of which must be an end of the pair; each must be known.
        within
            Names; both ends must be among them.
        between
            Two lists of names; one end must be in the first, the other in the second.
        exclude
            Pairs of names, in any order, to leave out (tested already, say).
        """
        kinds = np.full(net.n_nodes, EVERY, np.uint8)
        chosen = [number_of(net, name) for name in listed_names(around)]
        if chosen:
            _keep_bit(kinds, AROUND, chosen)
        unknown = {}
        lists = {"within": (within, WITHIN)}
        if between is not None:
            first, second = _two_lists(between)
            lists |= {"first": (first, FIRST), "second": (second, SECOND)}
        for name, (given, bit) in lists.items():
            if given is not None:
                known, unknown[name] = numbers_of(net, given, name)
                _keep_bit(kinds, bit, known)
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
        """Return where rows start…stop hold candidates, on both sides of the diagonal."""
        block: Bools = ALLOWED[self.kinds[start:stop]][:, self.kinds]
        rows = np.arange(stop - start)
        block[rows, rows + start] = False
        stored = self.barred.indptr[start : stop + 1]
        taken = self.barred.indices[stored[0] : stored[-1]]
        block[np.repeat(rows, np.diff(stored)), taken] = False
        return block

    def refuse_other(self, net: Network) -> None:
        """Raise an error unless these are the candidates of this network."""
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


def _two_lists(between: Any) -> tuple[Iterable[Any], Iterable[Any]]:
    if not isinstance(between, tuple | list) or len(between) != 2:
        raise InputError("between expects two lists of names")
    return between[0], between[1]
