"""What work takes, roughly: nominal nanoseconds on one core, and bytes.

A model whose work does not depend on its parameters says on its class what grows with what:
`score_time = {"entries": 8.0}` is eight nanoseconds for each score of a node with a node. `UNITS`
has all that work may grow with. The others return an `Cost` of their own from `_cost`.

Ratios matter most, for progress: they make a sweep, a sort of all rows and a look into the tables
count for what they cost. Measured on DREAM5 network 1 and HuRI; a factor of 1.5 between machines
does no harm, and estimates allow for the speed of this one (`cost.machine_factor`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from linkprior import parallel
from linkprior.kernels._engine import SMALL_NETWORK
from linkprior.network import Network

Growth = Mapping[str, float]  # unit → nanoseconds, or bytes, for each

PICK = 1.5  # the best pairs from rows of scores, per entry
_PRODUCT = 0.08  # scores from factors, per entry and column
# A plain factor update: per edge entry and column, per node and column², and Python, at any size.
_SWEEP, _SWEEP_NODES, _SWEEP_CALLS = 2.2, 4.0, 5e5
_SPARSE = 8.0  # times as slow as the kernel are SciPy's products, which know confidences

_BASE, _BASE_COMPILED = 73e6, 188e6  # an interpreter with the libraries; with compiled kernels
_EDGE_BYTES, _NODE_BYTES = 300.0, 100.0  # of a network with its names, and of reading it


@dataclass(frozen=True)
class Cost:
    """Nominal work of a fit and of one pass over all scores; bytes a fit holds, some in files."""

    fit: float = 0.0
    scores: float = 0.0
    memory: float = 0.0
    disk: float = 0.0


def cost_of(model: Any, network: Network) -> Cost:
    """Return what fitting and scoring may take. Parameters out of range are refused already."""
    if network.n_edges == 0 or network.n_nodes < 2:
        return Cost()  # there is nothing to learn from, as the fit will say
    cost: Cost = model._cost(network)
    return cost


def entries(network: Network) -> float:
    """Return the number of scores of all nodes against all nodes."""
    return float(network.n_nodes) ** 2


def _walk_ends(network: Network) -> float:
    two = network.adjacency @ network.degrees.astype(np.float64)
    return float(network.degrees @ np.minimum(two, float(network.n_nodes)))


def _third_steps(network: Network) -> float:
    # From each node there are as many at most as entries in the adjacency matrix.
    a, d = network.adjacency, network.degrees.astype(np.float64)
    steps = float(np.minimum(a @ (a @ d), d.sum()).sum())
    return steps * (1.0 if network.known.weights is None else _SPARSE)


def _three_steps(network: Network) -> float:
    d = network.degrees.astype(np.float64)
    return float(d @ (network.adjacency @ d))


UNITS: Mapping[str, Callable[[Network], float]] = {
    "nodes": lambda network: float(network.n_nodes),
    "edges": lambda network: float(network.n_edges),
    "entries": entries,  # of a matrix of all nodes
    # Nodes³, of what keeps one core busy, whatever the number of cores: eigenvalues
    "cubes_alone": lambda network: parallel.current_workers() * float(network.n_nodes) ** 3,
    # A times a matrix of all nodes
    "edge_nodes": lambda network: float(network.adjacency.nnz) * network.n_nodes,
    # Walks of length 2 and 3, both ways
    "two_steps": lambda network: float(np.square(network.degrees, dtype=np.float64).sum()),
    "three_steps": _three_steps,
    "walk_ends": _walk_ends,  # of those of length 3, through different first steps apart
    "third_steps": _third_steps,  # where walks that meet go on as one
}


def amount(growth: Growth, network: Network) -> float:
    """Return the sum over all units of what there is of them."""
    return sum(each * UNITS[unit](network) for unit, each in growth.items())


def sweep(network: Network, rank: int) -> float:
    """Return the work of one plain factor update."""
    edges, nodes = 2.0 * network.n_edges * rank, float(network.n_nodes) * rank**2
    return _SWEEP_CALLS + _SWEEP * edges + _SWEEP_NODES * nodes


def factor_scores(network: Network, columns: int) -> float:
    """Return the work of forming all scores from factors and finding the best pairs."""
    return (_PRODUCT * columns + PICK) * entries(network)


def network_bytes(network: Network) -> float:
    """Return what an interpreter with the libraries and the network take, without any model."""
    base = _BASE_COMPILED if network.n_nodes >= SMALL_NETWORK else _BASE
    return base + _EDGE_BYTES * network.n_edges + _NODE_BYTES * network.n_nodes
