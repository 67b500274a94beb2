"""Both engines give what plain Python gives, for any shape, with ties and extreme numbers."""

import hypothesis.strategies as st
import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from tests.properties.made import by_example, few

from linkprior import _config, kernels
from linkprior.kernels.pairs import keep_best

ENGINES = ("portable", "numba")
VALUES = ("spread", "ties", "equal", "huge")
seeds = st.integers(0, 10**6)
kinds = st.sampled_from(VALUES)
dtypes = st.sampled_from([np.float32, np.float64])


def matrix(shape, kind, dtype, seed):
    chance = np.random.default_rng(seed)
    made = {
        "spread": chance.standard_normal(shape),
        "ties": chance.integers(-2, 3, shape).astype(float),
        "equal": np.zeros(shape),
        "huge": chance.choice([-1e37, -1.0, 0.0, 1e-37, 1e37], shape),
    }[kind]
    return made.astype(dtype)


def by_both(work):
    """Return what each engine makes of it."""
    found = []
    for engine in ENGINES:
        with _config.using(kernels=engine):
            found.append(work())
    return found


@st.composite
def blocks(draw, least=2):
    """A block of rows of a square matrix, and the number of its first row."""
    p = draw(st.integers(least, 40))
    first = draw(st.integers(0, p - 1))
    height = draw(st.integers(1, p - first))
    return matrix((height, p), draw(kinds), draw(dtypes), draw(seeds)), first


@by_example
@given(blocks())
def test_rows_are_ordered_as_by_sorted(case):
    block, first = case
    expected = [
        sorted((j for j in range(len(row)) if j != first + r), key=lambda j: (-row[j], j))
        for r, row in enumerate(block.tolist())
    ]
    for found in by_both(lambda: kernels.argsort_rows(block, first)):
        assert found.tolist() == expected


@by_example
@given(blocks(), seeds)
def test_the_penalty_of_a_rank_is_scale_times_profile(case, seed):
    block, first = case
    p, chance = block.shape[1], np.random.default_rng(seed)
    scale, profile = chance.random(p), np.sort(chance.random(p - 1))
    expected = np.zeros(block.shape)
    for r, row in enumerate(block.tolist()):
        others = sorted((j for j in range(p) if j != first + r), key=lambda j: (-row[j], j))
        expected[r, others] = scale[first + r] * profile
    own = scale[first : first + len(block)]
    for found in by_both(lambda: kernels.rank_penalty(block, own, profile, first)):
        np.testing.assert_allclose(found, expected, rtol=1e-6)


@by_example
@given(blocks(), seeds, st.integers(1, 60), st.sampled_from([-np.inf, -0.5, 0.0, 1.0]))
def test_the_best_pairs_of_a_block_are_those_of_a_sorted_list(case, seed, k, floor):
    block, first = case
    p = block.shape[1]
    upper = np.triu(np.random.default_rng(seed).random((p, p)) < 0.3, 1)
    edges = sp.csr_array((upper | upper.T).astype(float))
    free = [
        (-float(block[r, j]), first + r, j)
        for r in range(len(block))
        for j in range(first + r + 1, p)
        if not upper[first + r, j] and block[r, j] > floor
    ]

    def asked():
        return kernels.top_pairs(block, first, edges.indptr, edges.indices, k, floor)

    for rows, columns, scores in by_both(asked):
        found = zip((-scores.astype(float)).tolist(), rows.tolist(), columns.tolist(), strict=True)
        assert list(found) == sorted(free)[:k]


@by_example
@given(st.lists(st.integers(-3, 3), max_size=60), st.integers(1, 20))
def test_of_equal_scores_the_earliest_are_kept(scores, k):
    codes = np.arange(len(scores))
    kept, of = keep_best(np.array(scores, float), codes, k)
    best = sorted(sorted(range(len(scores)), key=lambda at: (-scores[at], at))[:k])
    assert of.tolist() == best
    assert kept.tolist() == [scores[at] for at in best]


@by_example
@given(blocks(3), st.data())
def test_quantiles_of_a_row_are_the_scores_at_these_ranks(case, data):
    block, first = case
    p = block.shape[1]
    ranks = np.array(sorted(data.draw(st.sets(st.integers(0, p - 2), min_size=1, max_size=8))))
    expected = [
        sorted(np.delete(row, first + r).tolist(), reverse=True) for r, row in enumerate(block)
    ]
    for found in by_both(lambda: kernels.row_quantiles(block, first, ranks)):
        assert found.tolist() == [[row[rank] for rank in ranks] for row in expected]


@few
@given(st.integers(1, 12), st.integers(2, 30), st.integers(1, 4), seeds)
def test_products_at_edges_are_those_of_the_dense_product(rank, p, seed, more):
    chance = np.random.default_rng([seed, more])
    upper = np.triu(chance.random((p, p)) < 0.4, 1)
    edges = sp.csr_array((upper | upper.T).astype(float))
    left, right = chance.random((p, rank)), chance.random((p, rank))
    rows = np.repeat(np.arange(p), np.diff(edges.indptr))
    expected = (left @ right.T)[rows, edges.indices]

    def asked():
        return kernels.edge_products(left, right, edges.indptr, edges.indices)

    for found in by_both(asked):
        np.testing.assert_allclose(found, expected, rtol=1e-12)


@few
@given(st.integers(2, 20), st.integers(1, 6), dtypes, seeds)
def test_engines_descend_alike(p, rank, dtype, seed):
    chance = np.random.default_rng(seed)
    pattern = sp.csr_array((chance.random((p, p)) < 0.3).astype(float))
    X, others = (chance.standard_normal((p, rank)).astype(dtype) for _ in range(2))
    rows = np.repeat(np.arange(p), np.diff(pattern.indptr))
    x = (X[rows].astype(float) * others[pattern.indices].astype(float)).sum(axis=1)
    curve, pull = chance.uniform(0.2, 1.0, (2, pattern.nnz))
    where = pattern.indptr, pattern.indices

    def asked():
        return kernels.descend_rows(X, x, others, where, curve, pull, 2)

    (one, at_one), (other, at_other) = by_both(asked)
    close = {"rtol": 1e-3, "atol": 1e-4} if dtype == np.float32 else {"rtol": 1e-9, "atol": 1e-11}
    np.testing.assert_allclose(one, other, **close)
    np.testing.assert_allclose(at_one, at_other, **close)


@pytest.mark.parametrize("name", ["l3_rows", "l3n_rows", "mps_rows"])
@few
@given(st.integers(3, 25), seeds)
def test_path_kernels_of_both_engines_agree(name, p, seed):
    import linkprior as lp

    chance = np.random.default_rng(seed)
    ends = np.argwhere(np.triu(chance.random((p, p)) < 0.3, 1))
    if not len(ends):
        return
    net = lp.Network.from_indices(ends, [str(i) for i in range(p)])
    model = {"l3_rows": "l3", "l3n_rows": "l3n", "mps_rows": "mps"}[name]
    one, other = by_both(lambda: lp.make(model).fit(net).score_rows(0, p))
    np.testing.assert_allclose(one, other, rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(one, one.T, rtol=1e-10, atol=1e-12)
