"""Products over the stored entries of a network, on all threads where there are many."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linkprior import parallel
from linkprior.kernels.ops import ops_of
from linkprior.network import Network

Array = NDArray[Any]

_ENTRIES = 400_000  # of a task; fewer are done before a thread has begun


def edge_products(left: Array, right: Array, net: Network) -> Array:
    """Return left[i]·right[j] at every entry (i, j) of the evidence."""
    ops = ops_of(left)
    return _in_parts(lambda rows: ops.edge_products(left, right, net, rows), left, net)


def evidence_times(net: Network, values: Array, V: Array) -> Array:
    """Return the sparse matrix with these values on the evidence, times V."""
    ops = ops_of(V)
    return _in_parts(lambda rows: ops.evidence_times(net, values, V, rows), V, net)


def _in_parts(work: Callable[[slice], Array], like: Array, net: Network) -> Array:
    """Return work(rows) for all rows: each row is worked out alone, so parts change nothing."""
    every = slice(0, net.n_nodes)
    if not isinstance(like, np.ndarray):
        return work(every)
    ends = net.evidence.pattern.indptr
    count = int(ends[-1]) // _ENTRIES
    if count < 2 or parallel.current_workers() < 2:
        return work(every)
    cuts = np.searchsorted(ends, np.linspace(0, ends[-1], count + 1)[1:-1])
    starts = np.unique(np.concatenate([[0], cuts, [net.n_nodes]])).tolist()
    parts = [slice(*pair) for pair in itertools.pairwise(starts)]
    return np.concatenate(list(parallel.map_tasks(work, parts)))
