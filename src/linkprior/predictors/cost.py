"""What work takes, roughly: nominal nanoseconds on one core, for progress and for estimates.

Ratios matter most: they make a sweep, a sort of all rows and a look into the tables count for what
they cost. Measured on DREAM5 network 1 and HuRI; a factor of 1.5 between machines does no harm.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from linkprior.kernels._engine import SMALL_NETWORK
from linkprior.network import Network
from linkprior.solvers.symmetric_prox import DISK_ROWS

SWEEP = 2.2  # plain factor update, per edge entry and column
SWEEP_NODES = 4.0  # the same per node and column squared
SWEEP_CALLS = 5e5  # its Python, whatever the size
PU_ROUND = 0.27  # one conjugate gradient step for all rows: so much of a sweep
NUCLEAR_STEP = 0.025  # eigenvalues: per entry of a matrix of all nodes, and node
RANKED_STEP = 14.0  # rank rows, weigh, multiply: per entry, like all that follow
ADMM_STEP = 16.0
DUAL_STEP = 45.0  # one iteration of dual decomposition
DENSE_PROX = 55.0  # all passes for one layer
TABLES = 155.0  # the same as tables of ranks
TABLE_SCORES = 60.0  # scores of one layer from its tables
PICK = 1.5  # the best pairs from rows of scores
PRODUCT = 0.08  # scores from factors, per column
FORMULA = 2.0  # scores by a formula over paths
QUICK = 0.2  # scores of a model that does not say, as of degrees alone
WALK = 1.0  # third steps of walks, where those that meet go on as one
L3N_WALK, L3N_END, L3N_ROW = 2.7, 3.5, 2.0  # per walk, per end of walks through a node, per entry
MPS_END, MPS_ROW = 3.0, 3.0
CH2_WALK, CH2_END, CH2_ROW = 3.0, 7.0, 2.0
CH2_MARK, CH2_TRIANGLE = 0.5, 2.0  # per end beside a triangle, per triangle seen from a node

# Bytes, likewise: arrays held at the same time, or bytes per entry of a matrix of all nodes.
TRI_ARRAYS, TRI_ARRAYS_AT_ONCE = 4.5, 3.5  # of nodes × rank, for each start and each thread
PU_ARRAYS = 13.0
ADMM_BYTES, PROX_BYTES = 17.0, 17.0  # four float32 arrays, and row blocks
KEPT_BYTES = 8.0  # X and Z of a start, where X is ranked
DUAL_BYTES = 48.0  # what dual decomposition holds at a time, beside ADMM's arrays
NUCLEAR_BYTES = 85.0
MAPPED_AT_ONCE = 65536.0  # of a file, around the byte that is asked for
BASE, BASE_COMPILED = 73e6, 188e6  # an interpreter with the libraries; then with compiled kernels
EDGE_BYTES, NODE_BYTES = 300.0, 100.0  # of a network with its names, and of reading it


@dataclass(frozen=True)
class Effort:
    """Nominal work of a fit, and of one pass over all scores."""

    fit: float
    scores: float


def effort_of(model: Any, network: Network) -> Effort:
    """Return what fitting and scoring may take; a model that does not say is taken as quick.

    Parameters out of range are refused here already.
    """
    if network.n_edges == 0 or network.n_nodes < 2:
        return Effort(0.0, 0.0)  # there is nothing to learn from, as the fit will say
    if hasattr(model, "_effort"):
        own: Effort = model._effort(network)
        return own
    return Effort(QUICK * entries(network), QUICK * entries(network))


def entries(network: Network) -> float:
    """Return the number of scores of all nodes against all nodes."""
    return float(network.n_nodes) ** 2


def sweep(network: Network, rank: int) -> float:
    """Return the work of one plain factor update."""
    edges, nodes = 2.0 * network.n_edges * rank, float(network.n_nodes) * rank**2
    return SWEEP_CALLS + SWEEP * edges + SWEEP_NODES * nodes


def network_bytes(network: Network) -> float:
    """Return what an interpreter with the libraries and the network take, without any model."""
    base = BASE_COMPILED if network.n_nodes >= SMALL_NETWORK else BASE
    return base + EDGE_BYTES * network.n_edges + NODE_BYTES * network.n_nodes


def disk_blocks(network: Network, workers: int) -> float:
    """Return the part of p × p arrays in files that is in memory at a time."""
    row = 4.0 * network.n_nodes
    columns = min(row, MAPPED_AT_ONCE) * network.n_nodes  # of one array, read by column
    return columns + workers * 3 * DISK_ROWS * row


def pick(network: Network) -> float:
    """Return the work of finding the best pairs in rows of scores."""
    return PICK * entries(network)


def factor_scores(network: Network, columns: int) -> float:
    """Return the work of forming all scores from factors and finding the best pairs."""
    return PRODUCT * columns * entries(network) + pick(network)
