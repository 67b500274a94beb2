"""Scores above a floor: exact there, and never above it elsewhere."""

import numpy as np
import pytest
from tests.kernels.conftest import UNCOMPILED

from linkprior import kernels
from linkprior.errors import ParameterError


def tables_of(bases, scale, weights, ranks, passes):
    """Rank tables of each pass, by whole matrices."""
    made = []
    for base in bases:
        score, of_layer = base, []
        for _ in range(passes):
            of_layer.append(kernels.row_quantiles(score, 0, ranks))
            score = base - kernels.lookup_penalty(score, 0, of_layer[-1], scale, weights)
        made.append(of_layer)
    return np.array(made)


def all_scores(bases, tables, scale, weights, clip):
    """The mean over layers after all passes, by whole matrices."""
    total = np.zeros_like(bases[0])
    for base, passes in zip(bases, tables, strict=True):
        score = base
        for table in passes:
            score = base - kernels.lookup_penalty(score, 0, table, scale, weights)
        total += np.maximum(score, 0) if clip else score
    return total / bases.dtype.type(len(bases))


MANY = pytest.param(3, 4, marks=pytest.mark.at_length)


@pytest.fixture(params=["spread", "ties"])
def made(request, dtype):
    def make(layers, passes, p):
        rng = np.random.default_rng(layers + passes)
        half = rng.gamma(0.3, 1.0, (layers, p, p))
        bases = half + np.swapaxes(half, 1, 2)
        if request.param == "ties":
            bases = np.round(2 * bases) / 2
        bases, scale = bases.astype(dtype), rng.random(p) + 0.1
        scale[rng.integers(0, p, 9)] = 0.0
        ranks = np.unique(np.geomspace(1, p - 1, 24).astype(int)) - 1
        weights = np.sqrt(np.log(2 + ranks))
        return bases, tables_of(bases, scale, weights, ranks, passes), scale, weights

    return make


@pytest.mark.parametrize("clip", [False, True])
@pytest.mark.parametrize(("layers", "passes"), [(1, 1), (1, 2), (1, 5), MANY])
def test_scores_above_the_floor_are_exact_and_others_not_above(engine, made, layers, passes, clip):
    bases, tables, scale, weights = made(layers, passes, 40 if UNCOMPILED else 90)
    expected = all_scores(bases, tables, scale, weights, clip)
    p = expected.shape[0]
    later = np.arange(p) > np.arange(p)[:, None]
    values = np.sort(expected[later])
    floors = [-np.inf, *values[[0, len(values) // 2, -200, -3, -1]], values[-1] + 1]
    for floor in floors[:: 3 if UNCOMPILED else 1]:
        for start, stop in [(0, p), (30, 37), (p - 1, p)]:
            block = np.ascontiguousarray(bases[:, start:stop])
            found = kernels.sketch_above(block, start, tables, scale, weights, floor, clip=clip)
            rows, asked = expected[start:stop], later[start:stop]
            high = asked & (rows > floor)
            np.testing.assert_array_equal(found[high], rows[high])
            assert (found[asked & ~high] <= floor).all()


def test_a_bound_leaves_most_pairs_alone(monkeypatch, made):
    """The compiled kernel does not look at pairs that cannot reach the floor."""
    monkeypatch.setenv("LINKPRIOR_KERNELS", "numba")
    p = 60 if UNCOMPILED else 90
    bases, tables, scale, weights = made(1, 3, p)
    expected = all_scores(bases, tables, scale, weights, False)
    floor = np.sort(expected[np.triu_indices(p, 1)])[-40]
    found = kernels.sketch_above(bases, 0, tables, scale, weights, floor)
    assert 39 >= (found > floor).sum()
    assert np.isinf(found).mean() > 0.8


def test_tables_that_do_not_belong_are_refused(engine):
    with pytest.raises(ParameterError, match="tables must have shape"):
        kernels.sketch_above(
            np.ones((1, 3, 3)), 0, np.ones((1, 2, 4, 5)), np.ones(3), np.ones(5), 0
        )
