"""Penalties read from rank tables, and scores above a floor, against plain Python."""

import numpy as np
import pytest
from tests.kernels.conftest import UNCOMPILED

from linkprior import _config, kernels
from linkprior.kernels import lookup as nl


def naive_weight(score, table, weights):
    tied = [weight for knot, weight in zip(table, weights, strict=True) if knot == score]
    if tied:
        return (tied[0] + tied[-1]) / 2
    if score >= table[0]:
        return weights[0]
    if score < table[-1]:
        return weights[-1]
    k = next(k for k in range(len(table)) if table[k] <= score)
    part = (float(table[k - 1]) - float(score)) / (float(table[k - 1]) - float(table[k]))
    return weights[k - 1] + part * (weights[k] - weights[k - 1])


def naive_penalty(scores, first, tables, scale, weights):
    out = np.zeros(scores.shape)
    for r, j in np.ndindex(scores.shape):
        i, s = first + r, scores[r, j]
        if i != j:
            own = scale[i] * naive_weight(s, tables[i], weights)
            out[r, j] = 0.5 * (own + scale[j] * naive_weight(s, tables[j], weights))
    return out


@pytest.mark.parametrize("kind", ["normal", "ties", "equal"])
@pytest.mark.parametrize("n_knots", [1, 2, 5, 8, 21, 33])  # the last 20 are counted apart
def test_lookup_penalty(engine, dtype, kind, n_knots):
    p, rng = 40, np.random.default_rng(n_knots)
    half = {
        "normal": rng.standard_normal((p, p)),
        "ties": rng.integers(-2, 3, (p, p)),
        "equal": np.ones((p, p)),
    }[kind]
    scores = (half + half.T).astype(dtype)
    ranks = np.linspace(0, p - 2, n_knots).astype(int)
    tables = kernels.row_quantiles(scores, 0, ranks)
    scale, weights = rng.random(p), np.log(2 + ranks)
    for first, b in [(0, p), (13, 5)]:
        block = scores[first : first + b]
        found = kernels.lookup_penalty(block, first, tables, scale, weights)
        expected = naive_penalty(block, first, tables, scale, weights)
        assert found.dtype == dtype
        np.testing.assert_allclose(found, expected, rtol=4 * np.finfo(dtype).eps)


@pytest.mark.parametrize("n_knots", [126, 127, 128, 300])
def test_more_knots_than_a_byte_counts(n_knots):
    table, weights = np.arange(n_knots, 0, -1.0), np.log(2 + np.arange(n_knots))
    scores = np.array([-1.0, 0.5, 1.0, 1.5, n_knots / 2, n_knots, n_knots + 1.0])
    found = kernels.weights_at(scores, table, weights)
    expected = [naive_weight(score, table, weights) for score in scores]
    np.testing.assert_allclose(found, expected, rtol=1e-15)


TABLE = np.array([5.0, 3.0, 3.0, 1.0])
WEIGHTS = np.array([1.0, 2.0, 4.0, 9.0])


def plain_penalty(score, i, j, tables, scale, weights):
    own, other = (naive_weight(score, tables[node], weights) for node in (i, j))
    return (scale[i] * own + scale[j] * other) / 2


@pytest.mark.parametrize("knots", [0, 1, 3, 4, 5, 7, 8, 9])
def test_knots_above_each_score_are_counted_in_the_rows_and_in_the_columns_tables(knots):
    rng = np.random.default_rng(knots)
    row = np.array([2.0, 0.0, 1.0, 3.0])
    own, theirs = rng.integers(0, 4, knots) * 1.0, rng.integers(0, 4, (knots, 4)) * 1.0
    above, others = np.full(6, 7, np.int32), np.full(6, 7, np.int32)
    nl.tails_above(row, own, theirs, above, others)
    assert above[:4].tolist() == [(own > score).sum() for score in row]
    assert others[:4].tolist() == [(theirs[:, c] > score).sum() for c, score in enumerate(row)]
    assert above[4:].tolist() == others[4:].tolist() == [0, 0]


@pytest.mark.parametrize(
    ("score", "count"), [(9.0, 0), (5.0, 0), (4.0, 1), (3.0, 1), (2.0, 3), (1.0, 3), (0.0, 4)]
)
def test_the_knots_above_a_score_are_counted_from_either_end(score, count):
    assert nl.count_above(score, TABLE) == count
    assert nl.walk_up(score, TABLE, 4) == count
    assert nl.walk_up(score, TABLE, 2) == min(count, 2)
    assert nl.walk_up(score, TABLE, 0) == 0


@pytest.mark.parametrize(
    ("score", "weight"),
    [(9.0, 1), (5.0, 1), (4.5, 1.25), (4.0, 1.5), (3.0, 3), (2.5, 5.25), (1.0, 9), (0.0, 9)],
)
def test_a_weight_lies_between_those_of_the_knots_around_its_score(score, weight):
    assert nl.weight_at(score, TABLE, nl.count_above(score, TABLE), WEIGHTS) == weight


@pytest.mark.parametrize(("table", "weight"), [([2.0, 2.0, 2.0], 2.5), ([3.0, 2.0, 2.0], 3.0)])
def test_knots_equal_up_to_the_end_of_the_table_share_the_middle_of_their_weights(table, weight):
    table, weights = np.array(table), np.array([1.0, 2.0, 4.0])
    assert nl.weight_at(2.0, table, nl.count_above(2.0, table), weights) == weight


@pytest.mark.parametrize("n_knots", [1, 4, 19, 20, 21, 30])
@pytest.mark.parametrize("p", [3, 63, 64, 65, 129])
def test_penalties_are_the_same_at_the_edges_of_tiles_and_tails(p, n_knots):
    """Rows 62 … 65 have their diagonal at both sides of the 64th column."""
    _config.set_fields(kernels="numba")
    rng = np.random.default_rng(p + n_knots)
    tables = -np.sort(-rng.integers(0, 9, (p, n_knots)), axis=1) / 2.0
    scale, weights = rng.random(p), np.sort(rng.random(n_knots))
    first = max(0, min(62, p - 4))
    rows = min(4, p - first)
    scores = rng.integers(-1, 12, (rows, p)) / 2.0
    found = kernels.lookup_penalty(scores, first, tables, scale, weights)
    for r in range(rows):
        columns = {0, 1, 2, 61, 62, 63, 64, 65, 66, 127, 128, p - 2, p - 1, first + r}
        for j in sorted(column for column in columns if column < p):
            i, score = first + r, scores[r, j]
            expected = 0 if i == j else plain_penalty(score, i, j, tables, scale, weights)
            assert found[r, j] == pytest.approx(expected, rel=1e-12), (i, j)


# ---------------------------------------------------------------------- the bound


def test_a_penalty_with_slack_is_a_little_less():
    tables, scale = np.array([TABLE, TABLE + 1.0]), np.array([1.0, 3.0])
    exact = nl.penalty_at(2.5, 0, 1, tables, scale, WEIGHTS, 1.0)
    assert exact == plain_penalty(2.5, 0, 1, tables, scale, WEIGHTS)
    assert nl.penalty_at(2.5, 0, 1, tables, scale, WEIGHTS, 0.5) == exact / 2
    assert exact * (1 - 1e-9) < nl.penalty_at(2.5, 0, 1, tables, scale, WEIGHTS, nl.SLACK) < exact


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


def all_scores(bases, tables, scale, weights):
    """The mean over layers after all passes, by whole matrices."""
    total = np.zeros_like(bases[0])
    for base, passes in zip(bases, tables, strict=True):
        score = base
        for table in passes:
            score = base - kernels.lookup_penalty(score, 0, table, scale, weights)
        total += score
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


@pytest.mark.parametrize(("layers", "passes"), [(1, 1), (1, 2), (1, 5), MANY])
def test_scores_above_the_floor_are_exact_and_others_not_above(engine, made, layers, passes):
    bases, tables, scale, weights = made(layers, passes, 40 if UNCOMPILED else 90)
    expected = all_scores(bases, tables, scale, weights)
    p = expected.shape[0]
    later = np.arange(p) > np.arange(p)[:, None]
    values = np.sort(expected[later])
    floors = [-np.inf, *values[[0, len(values) // 2, -200, -3, -1]], values[-1] + 1]
    for floor in floors[:: 3 if UNCOMPILED else 1]:
        for start, stop in [(0, p), (30, 37), (p - 1, p)]:
            block = np.ascontiguousarray(bases[:, start:stop])
            found = kernels.sketch_above(block, start, tables, scale, weights, floor)
            rows, asked = expected[start:stop], later[start:stop]
            high = asked & (rows > floor)
            np.testing.assert_array_equal(found[high], rows[high])
            assert (found[asked & ~high] <= floor).all()


def test_a_bound_leaves_most_pairs_alone(made):
    """The compiled kernel does not look at pairs that cannot reach the floor."""
    _config.set_fields(kernels="numba")
    p = 60 if UNCOMPILED else 90
    bases, tables, scale, weights = made(1, 3, p)
    expected = all_scores(bases, tables, scale, weights)
    floor = np.sort(expected[np.triu_indices(p, 1)])[-40]
    found = kernels.sketch_above(bases, 0, tables, scale, weights, floor)
    assert 39 >= (found > floor).sum()
    assert np.isinf(found).mean() > 0.8


STEEP = np.array([0.5, 4.0, 6.0])  # the second rank costs far more than the first


@pytest.mark.parametrize("passes", [1, 2])
@pytest.mark.parametrize("layers", [1, 2])
def test_a_pair_that_comes_first_for_both_nodes_is_charged_the_first_weight_and_kept(
    layers, passes
):
    """Four nodes; 0 and 1 have their best score, 10, together: 9.5 is left after any pass."""
    base = np.array([[0, 10, 1, 2], [10, 0, 3, 1], [1, 3, 0, 4], [2, 1, 4, 0.0]])
    bases, floor = np.tile(base, (layers, 1, 1)), np.nextafter(9.5, 0.0)
    tables = tables_of(bases, np.ones(4), STEEP, [0, 1, 2], passes)
    for engine in ("portable", "numba"):
        _config.set_fields(kernels=engine)
        found = kernels.sketch_above(bases, 0, tables, np.ones(4), STEEP, floor)
        assert found[0, 1] == 9.5, engine
        assert (found[np.triu_indices(4, 1)][1:] <= floor).all(), engine
