"""Order, penalty, prox and quantiles of rows, against plain Python."""

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis.extra import numpy as hnp

from linkprior import kernels
from linkprior.errors import ParameterError

RELAXED = settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


def naive_order(row, diagonal):
    columns = [j for j in range(len(row)) if j != diagonal]
    return sorted(columns, key=lambda j: (-float(row[j]), j))


def naive_orders(keys, first):
    orders = [naive_order(row, first + r if first >= 0 else -1) for r, row in enumerate(keys)]
    return np.array(orders, dtype=np.int32).reshape(len(keys), -1)


def naive_penalty(keys, scale, profile, first):
    out = np.zeros_like(keys)
    for r, order in enumerate(naive_orders(keys, first)):
        for k, j in enumerate(order):
            out[r, j] = scale[r] * profile[k]
    return out


def kinds_of_data(p, b, dtype):
    rng = np.random.default_rng(p)
    uniform = rng.random((b, p))
    yield "uniform", uniform.astype(dtype)
    yield "normal", rng.standard_normal((b, p)).astype(dtype)
    yield "heavy tail", (rng.pareto(0.5, (b, p)) * (rng.random((b, p)) < 0.4)).astype(dtype)
    yield "all equal", np.full((b, p), -2.5, dtype)
    yield "few values", rng.integers(-1, 2, (b, p)).astype(dtype)
    yield "signed zeros", np.where(uniform < 0.5, -0.0, 0.0).astype(dtype)
    yield "extremes", rng.choice([-np.inf, np.inf, 0, 1e-30, -1e30, 1], (b, p)).astype(dtype)
    # One far value makes all others share their leading bits: the plain radix passes must run.
    crowded = dtype(1) + rng.integers(0, 900, (b, p)).astype(dtype) * np.finfo(dtype).eps
    crowded[:, -1] = -1e30
    yield "crowded", crowded


def blocks(p):
    """Yield (first, rows) of whole, middle, single and non-square blocks."""
    b = min(p, 6)
    return {(0, b), (p - b, b), (p // 2, 1), (-1, 3)}


def test_argsort_rows(engine, dtype, size):
    for first, b in blocks(size):
        for kind, keys in kinds_of_data(size, b, dtype):
            order = kernels.argsort_rows(keys, first)
            assert order.dtype == np.int32
            np.testing.assert_array_equal(order, naive_orders(keys, first), kind)


def test_rank_penalty_and_prox(engine, dtype, size):
    rng = np.random.default_rng(size)
    for first, b in blocks(size):
        scale = rng.random(b).astype(dtype)
        profile = np.log(2 + np.arange(size - (first >= 0))).astype(dtype)
        for kind, keys in kinds_of_data(size, b, dtype):
            expected = naive_penalty(keys, scale, profile, first)
            penalty = kernels.rank_penalty(keys, scale, profile, first)
            np.testing.assert_array_equal(penalty, expected, kind)
            prox = kernels.prox_rows(keys, scale, profile, first)
            np.testing.assert_array_equal(prox, keys - expected, kind)
            clipped = kernels.prox_rows(keys, scale, profile, first, clip=True)
            np.testing.assert_array_equal(clipped, np.maximum(keys - expected, 0), kind)
            assert penalty.dtype == prox.dtype == clipped.dtype == dtype


def test_row_quantiles(engine, dtype, size):
    for first, b in blocks(size):
        ranks = np.unique(np.geomspace(1, max(1, size - 1), 9).astype(int)) - 1
        ranks = ranks[ranks < size - (first >= 0)]
        for kind, keys in kinds_of_data(size, b, dtype):
            expected = np.take_along_axis(keys, naive_orders(keys, first)[:, ranks], 1)
            np.testing.assert_array_equal(kernels.row_quantiles(keys, first, ranks), expected, kind)


@RELAXED
@given(data=st.data())
def test_any_floats_are_ordered(engine, data):
    width = data.draw(st.sampled_from([32, 64]))
    floats = st.floats(width=width, allow_nan=False) | st.sampled_from([0.0, -0.0, 1.0])
    shape = hnp.array_shapes(min_dims=2, max_dims=2, max_side=9)
    keys = data.draw(hnp.arrays(f"f{width // 8}", shape, elements=floats))
    b, p = keys.shape
    first = data.draw(st.integers(-1, p - b)) if p >= b else -1
    np.testing.assert_array_equal(kernels.argsort_rows(keys, first), naive_orders(keys, first))


@RELAXED
@given(seed=st.integers(0, 10**6), block=st.integers(1, 12))
def test_blocks_do_not_matter(engine, dtype, seed, block):
    rng = np.random.default_rng(seed)
    keys = rng.integers(-3, 9, (12, 12)).astype(dtype)
    scale, profile = rng.random(12), np.sort(rng.random(11))
    whole = kernels.prox_rows(keys, scale, profile, 0)
    parts = [
        kernels.prox_rows(keys[a : a + block], scale[a : a + block], profile, a)
        for a in range(0, 12, block)
    ]
    np.testing.assert_array_equal(np.vstack(parts), whole)


def test_out_is_written_and_may_be_the_input(engine, dtype):
    rng = np.random.default_rng(0)
    values, scale, profile = rng.random((20, 20)).astype(dtype), np.ones(20), np.arange(19) / 19
    expected = kernels.prox_rows(values, scale, profile, 0)
    assert kernels.prox_rows(values, scale, profile, 0, values) is values
    np.testing.assert_array_equal(values, expected)


def test_any_layout_comes_in(engine):
    values = np.random.default_rng(0).integers(0, 9, (7, 7))
    values.flags.writeable = False
    np.testing.assert_array_equal(kernels.argsort_rows(values.T, 0), naive_orders(values.T, 0))
    np.testing.assert_array_equal(
        kernels.argsort_rows(values[::2], -1), naive_orders(values[::2], -1)
    )


def test_unfit_arguments_are_refused(engine):
    keys, scale, profile = np.eye(4), np.ones(4), np.ones(3)
    with pytest.raises(ParameterError, match="2-d"):
        kernels.argsort_rows(keys[0], 0)
    with pytest.raises(ParameterError, match="first = 1"):
        kernels.argsort_rows(keys, 1)
    with pytest.raises(ParameterError, match="profile must have shape"):
        kernels.prox_rows(keys, scale, np.ones(4), 0)
    with pytest.raises(ParameterError, match="out must be"):
        kernels.rank_penalty(keys, scale, profile, 0, np.empty((4, 4), np.float32))
    with pytest.raises(ParameterError, match="ranks must lie"):
        kernels.row_quantiles(keys, 0, [3])


def test_crowded_rows_fall_back_to_plain_radix_passes(engine, dtype):
    """Neighbours one ulp apart beside scores of every size: their leading bits all agree."""
    p, rng = 220, np.random.default_rng(4)
    step = np.finfo(dtype).eps
    keys = np.stack([1 + step * rng.permutation(p) for _ in range(4)]).astype(dtype)
    keys[:, ::20] = rng.choice([1e-30, 1e30, -1e30, -1e-30, 0.0, -0.0], (4, p // 20))
    found = kernels.argsort_rows(keys, -1)
    np.testing.assert_array_equal(found, np.argsort(-keys, axis=1, kind="stable"))
