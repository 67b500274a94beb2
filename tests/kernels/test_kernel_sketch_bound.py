"""The bound by which pairs are passed over: it must leave in whatever is above the floor."""

import numpy as np
import pytest

from linkprior import kernels

WEIGHTS = np.array([0.5, 4.0, 6.0])  # the second rank costs far more than the first


def tables_of(base, passes):
    """Return the rank tables of each pass, which reads the scores that the one before left."""
    tables, scores = [], base
    for _ in range(passes):
        tables.append(kernels.row_quantiles(scores, 0, [0, 1, 2]))
        scores = base - kernels.lookup_penalty(scores, 0, tables[-1], np.ones(4), WEIGHTS)
    return np.array(tables)


@pytest.mark.parametrize("clip", [False, True])
@pytest.mark.parametrize("passes", [1, 2])
@pytest.mark.parametrize("layers", [1, 2])
def test_a_pair_that_comes_first_for_both_nodes_is_charged_the_first_weight_and_kept(
    monkeypatch, layers, passes, clip
):
    """Four nodes; 0 and 1 have their best score, 10, together: 9.5 is left after any pass."""
    base = np.array([[0, 10, 1, 2], [10, 0, 3, 1], [1, 3, 0, 4], [2, 1, 4, 0.0]])
    tables = np.tile(tables_of(base, passes), (layers, 1, 1, 1))
    bases, floor = np.tile(base, (layers, 1, 1)), np.nextafter(9.5, 0.0)
    for engine in ("portable", "numba"):
        monkeypatch.setenv("LINKPRIOR_KERNELS", engine)
        found = kernels.sketch_above(bases, 0, tables, np.ones(4), WEIGHTS, floor, clip=clip)
        assert found[0, 1] == 9.5, engine
        assert (found[np.triu_indices(4, 1)][1:] <= floor).all(), engine
