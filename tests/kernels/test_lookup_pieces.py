"""The pieces of the compiled lookup: counting knots, weights between them, bounds, tiles."""

import numpy as np
import pytest

from linkprior import kernels
from linkprior.kernels import numba_lookup as nl

TABLE = np.array([5.0, 3.0, 3.0, 1.0])
WEIGHTS = np.array([1.0, 2.0, 4.0, 9.0])


def plain_weight(score, table, weights):
    """Read a weight: the middle of equal knots, else between two knots, else that of the end."""
    tied = [w for knot, w in zip(table, weights, strict=True) if knot == score]
    if tied:
        return (tied[0] + tied[-1]) / 2
    return np.interp(-score, -np.asarray(table, float), weights)


def plain_penalty(score, i, j, tables, scale, weights):
    own, other = (plain_weight(score, tables[node], weights) for node in (i, j))
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
def test_penalties_are_the_same_at_the_edges_of_tiles_and_tails(monkeypatch, p, n_knots):
    """Rows 62 … 65 have their diagonal at both sides of the 64th column."""
    monkeypatch.setenv("LINKPRIOR_KERNELS", "numba")
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


def sketch(layers, passes, p=7, seed=0):
    """Return bases and tables in which every rank is a knot, scale and weights."""
    rng = np.random.default_rng(seed)
    half = rng.normal(1.0, 1.5, (layers, p, p))
    bases = half + np.swapaxes(half, 1, 2)
    scale, weights = rng.random(p) + 0.5, np.sort(rng.random(p - 1)) + 0.2
    ranks = np.arange(p - 1)
    tables = []
    for base in bases:
        score, made = base, []
        for _ in range(passes):
            made.append(kernels.row_quantiles(score, 0, ranks))
            score = base - kernels.lookup_penalty(score, 0, made[-1], scale, weights)
        tables.append(made)
    return bases, np.array(tables), scale, weights


def plain_score(bases, i, j, tables, scale, weights, clip):
    """Return the mean over layers of a pair's score after all passes."""
    scores = []
    for base, passes in zip(bases[:, i, j], tables, strict=True):
        score = base
        for table in passes:
            score = base - plain_penalty(score, i, j, table, scale, weights)
        scores.append(max(score, 0.0) if clip else score)
    return np.mean(scores)


def least_of(i, j, scale, weights):
    return 0.5 * (scale[i] + scale[j]) * weights[0]


def test_the_least_penalty_is_that_of_the_first_rank_for_both():
    scale, weights = np.array([2.0, 3.0, 5.0, 7.0]), np.array([0.5, 1.0])
    least = np.full(4, -1.0)
    nl.least_penalties(1, 2, scale, weights, least)
    assert least.tolist() == [-1.0, -1.0, 2.0, 2.5]


@pytest.mark.parametrize(
    ("value", "clip", "result"),
    [(2.0, True, 2.0), (-2.0, True, 0.0), (-2.0, False, -2.0), (0.5, False, 0.5), (0.5, True, 0.5)],
)
def test_only_negative_scores_are_clipped_and_only_on_demand(value, clip, result):
    assert nl.clipped(value, clip) == result


@pytest.mark.parametrize("clip", [False, True])
@pytest.mark.parametrize(("layers", "passes"), [(1, 1), (2, 1), (1, 3), (3, 2)])
def test_a_score_is_the_mean_of_its_layers_and_its_bound_is_no_less(layers, passes, clip):
    bases, *rest = sketch(layers, passes)
    tables, scale, weights = rest
    gaps = []
    for i, j in [(0, 1), (0, 6), (2, 5), (5, 6), (3, 4)]:
        score = nl.score_at(bases, i, i, j, *rest, clip)
        assert score == pytest.approx(plain_score(bases, i, j, *rest, clip), rel=1e-12, abs=1e-12)
        least = least_of(i, j, scale, weights)
        bound = nl.bound_at(bases, i, i, j, least, *rest, clip)
        last = tables[:, -1]
        highest = bases[:, i, j] - (least if passes > 1 else 0.0)
        charged = [
            base - plain_penalty(at, i, j, table, scale, weights)
            for base, at, table in zip(bases[:, i, j], highest, last, strict=True)
        ]
        expected = np.mean(np.maximum(charged, 0.0) if clip else charged)
        assert bound == pytest.approx(expected, rel=1e-9, abs=1e-9)
        gaps.append(bound - score)
    assert min(gaps) >= 0.0
    if passes == 1:
        assert max(gaps) < 1e-9  # one look is all there is: the bound is the score


def test_a_penalty_with_slack_is_a_little_less():
    tables, scale = np.array([TABLE, TABLE + 1.0]), np.array([1.0, 3.0])
    exact = nl.penalty_at(2.5, 0, 1, tables, scale, WEIGHTS, 1.0)
    assert exact == plain_penalty(2.5, 0, 1, tables, scale, WEIGHTS)
    assert nl.penalty_at(2.5, 0, 1, tables, scale, WEIGHTS, 0.5) == exact / 2
    assert exact * (1 - 1e-9) < nl.penalty_at(2.5, 0, 1, tables, scale, WEIGHTS, nl.SLACK) < exact


@pytest.mark.parametrize("clip", [False, True])
@pytest.mark.parametrize(("layers", "passes"), [(1, 1), (2, 2)])
def test_pairs_that_cannot_reach_the_floor_are_left_out_and_no_others(layers, passes, clip):
    bases, *rest = sketch(layers, passes, seed=3)
    _, scale, weights = rest
    i, j = np.triu_indices(7, 1)
    scores = {pair: plain_score(bases, *pair, *rest, clip) for pair in zip(i, j, strict=True)}
    for floor in sorted(scores.values())[::4]:
        for start in (0, 4):
            out = np.zeros((3, 7))
            rows = np.ascontiguousarray(bases[:, start : start + 3])
            nl.sketch_above(rows, start, *rest, clip, floor, out)
            for r, column in np.ndindex(out.shape):
                pair = (start + r, column)
                if column <= pair[0]:
                    assert out[r, column] == -np.inf
                elif scores[pair] > floor + 1e-9:
                    assert out[r, column] == pytest.approx(scores[pair], rel=1e-12)
                else:
                    best = bases[:, pair[0], column] - least_of(*pair, scale, weights)
                    reach = np.mean(np.maximum(best, 0.0) if clip else best)
                    assert out[r, column] <= floor + 1e-9
                    assert reach > floor or out[r, column] == -np.inf
                    bound = nl.bound_at(
                        bases, pair[0], *pair, least_of(*pair, scale, weights), *rest, clip
                    )
                    assert bound > floor or out[r, column] == -np.inf
