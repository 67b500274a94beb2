"""The table of x·log x that the search for blocks looks degrees and edge counts up in."""

import math

from linkprior.model.sbm import xlogx_table


def test_the_table_goes_from_no_edge_to_both_ends_of_every_edge():
    for n_edges in (0, 1, 2, 5):
        table = xlogx_table(n_edges)
        expected = [0.0, *(x * math.log(x) for x in range(1, 2 * n_edges + 1))]
        assert len(table) == len(expected), n_edges
        assert all(map(math.isclose, table, expected)), n_edges
