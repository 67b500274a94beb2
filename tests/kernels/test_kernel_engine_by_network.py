"""The engine is chosen by the number of nodes alone, whatever part of the network is asked for."""

import numpy as np
import pytest

from linkprior import kernels
from linkprior.kernels import engine, portable

LIMIT = 6  # nodes from which on compiled code is taken here


def ring(p):
    near = [sorted({(i - 1) % p, (i + 1) % p}) for i in range(p)]
    return np.arange(0, 2 * p + 1, 2), np.concatenate(near)


def tables_of(p):
    """Rank tables of one knot for two passes."""
    return np.zeros((1, 2, p, 1))


# Each is asked for what it has on two rows, 1 and 2, of a network of p nodes.
ASKED = {
    "argsort_rows": lambda p, rows: kernels.argsort_rows(rows, 1),
    "rank_penalty": lambda p, rows: kernels.rank_penalty(rows, np.ones(2), np.ones(p - 1), 1),
    "prox_rows": lambda p, rows: kernels.prox_rows(rows, np.ones(2), np.ones(p - 1), 1),
    "row_quantiles": lambda p, rows: kernels.row_quantiles(rows, 1, [0]),
    "edge_products": lambda p, rows: kernels.edge_products(
        np.ones((2, 3)), np.ones((p, 3)), ring(p)[0][1:4], ring(p)[1]
    ),
    "top_pairs": lambda p, rows: kernels.top_pairs(rows, 1, *ring(p), 3),
    "lookup_penalty": lambda p, rows: kernels.lookup_penalty(
        rows, 1, tables_of(p)[0, 0], np.ones(p), [1.0]
    ),
    "sketch_above": lambda p, rows: kernels.sketch_above(
        rows[None], 1, tables_of(p), np.ones(p), [1.0], 0.0
    ),
    "split_rows": lambda p, rows: kernels.split_rows(rows, rows, rows.copy(), rows.copy()),
    "linearise_rows": lambda p, rows: kernels.linearise_rows(
        np.ones((p, p)), np.ones((p, p)), np.ones(p), 1, 3, np.empty((p, p))
    ),
    "count_above": lambda p, rows: kernels.count_above(rows, 1, *ring(p), [0.0]),
    "tally_nodes": lambda p, rows: kernels.tally_nodes(
        rows[:, 1:], 1, *ring(p), np.zeros(p), np.arange(p + 1), np.zeros(p)
    ),
    "descend_rows": lambda p, rows: kernels.descend_rows(
        np.ones((2, 3)), np.ones(2), np.ones((p, 3)), ([0, 1, 2], [0, 0]), np.ones(2), np.ones(2), 1
    ),
    "l3_rows": lambda p, rows: kernels.l3_rows(*ring(p), np.ones(p), [1, 2]),
    "l3n_rows": lambda p, rows: kernels.l3n_rows(*ring(p), [1, 2]),
    "mps_rows": lambda p, rows: kernels.mps_rows(*ring(p), [1, 2]),
    "ch2_rows": lambda p, rows: kernels.ch2_rows(
        *ring(p), (np.zeros(2 * p + 1, np.int64), np.empty(0, np.int32)), [1, 2]
    ),
    "list_triangles": lambda p, rows: kernels.list_triangles(*ring(p)),
    "l3_partners": lambda p, rows: kernels.l3_partners(
        ring(p), np.ones(p), [1, 2], ring(p), np.zeros(p), [[True]], 2, 100
    ),
    "count_bins": lambda p, rows: kernels.count_bins(rows, 1),
    "rank_features": lambda p, rows: kernels.rank_features(
        rows, np.zeros((kernels.stack.N_BINS, 4), np.float32)
    ),
}


@pytest.mark.parametrize("name", ASKED)
def test_two_rows_of_a_network_run_on_the_engine_for_all_its_nodes(name, monkeypatch):
    """Else the same network would be worked on by two engines, as its blocks happen to be cut."""
    asked = []
    monkeypatch.delenv("LINKPRIOR_KERNELS", raising=False)
    monkeypatch.setattr(engine, "SMALL_NETWORK", LIMIT)
    monkeypatch.setattr(engine, "compiled_engine", lambda: asked.append(p) or portable)
    for p in (LIMIT - 1, LIMIT, LIMIT + 1):
        ASKED[name](p, np.ones((2, p)))
    assert asked == [LIMIT, LIMIT + 1]
