"""Eq. `dual_relax` and `dual_iteration`: the symmetric prox, against the true optimum.

The penalty is the least of ⟨B, X⟩ over all ways to order the ranks of every row, so the optimum is
the least over joint orders of a closed form, X = max(A − ½(B + Bᵀ), 0): 6⁴ = 1296 of them on four
nodes.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise, permutations, product

import numpy as np
import pytest

import linkprior as lp
from linkprior import parallel
from linkprior.errors import ParameterError
from linkprior.solvers import symmetric_prox as prox

METHODS = ["dual", "mm"]


def value_at(X, A, W):
    """½‖X − A‖²_F + Σᵢ Σ_k w_ik·X_{i,[k]}, as printed."""
    falling = -np.sort(-X[~np.eye(len(X), dtype=bool)].reshape(len(X), -1), axis=1)
    return 0.5 * ((X - A) ** 2).sum() + (W * falling).sum()


def best_symmetric(A, W):
    """The global optimum by enumeration."""
    p = len(A)
    orders = list(permutations(range(p - 1)))
    rows = np.zeros((p, len(orders), p))
    for i in range(p):
        rows[i][:, np.delete(np.arange(p), i)] = W[i][np.array(orders)]
    joint = np.array(list(product(range(len(orders)), repeat=p)))
    B = np.stack([rows[i][joint[:, i]] for i in range(p)], axis=1)
    G = (B + B.transpose(0, 2, 1)) / 2
    X = np.maximum(A - G, 0)
    return (0.5 * (X - A) ** 2 + G * X).sum(axis=(1, 2)).min()


def own_penalty(Q, W):
    """B with B_ij = w_i(rank of j in row i of Q), ties by index."""
    B = np.zeros_like(Q)
    for i, row in enumerate(Q):
        others = sorted((j for j in range(len(Q)) if j != i), key=lambda j: (-row[j], j))
        B[i, others] = W[i]
    return B


def random_problem(rng, p):
    """Weights λ/η of 0.05 … 0.5, α of ½ … 2, negatives and ties in A."""
    A = rng.normal(0.3, 0.5, (p, p)) if rng.random() < 0.5 else rng.random((p, p))
    A = np.round((A + A.T) / 2, 1 if rng.random() < 0.3 else 12)
    alpha = float(rng.choice([0.5, 1.0, 2.0]))
    W = rng.uniform(0.05, 0.5) * lp.theory.rank_weights(rng.integers(1, p, p), p - 1, alpha)
    return A, W


@dataclass
class Case:
    A: np.ndarray
    W: np.ndarray
    best: float
    dual: object
    mm: object

    @property
    def start(self):
        return value_at(np.maximum(self.A, 0), self.A, self.W)

    def excess(self, result):
        """How far above the optimum, as a part of what there was to gain from max(A, 0)."""
        return (value_at(result.X, self.A, self.W) - self.best) / (self.start - self.best)


@pytest.fixture(scope="module")
def cases():
    found = []
    for p, number in ((3, 90), (4, 110)):
        rng = np.random.default_rng(p)
        for _ in range(number):
            A, W = random_problem(rng, p)
            results = [lp.theory.prox_symmetric(A, W, method) for method in METHODS]
            found.append(Case(A, W, best_symmetric(A, W), *results))
    return found


@pytest.mark.at_length
def test_lower_bound_optimum_and_reached_stand_in_order(cases):
    for case in cases:
        assert case.dual.lower_bound <= case.best + 1e-9
        for result in (case.dual, case.mm):
            reached = value_at(result.X, case.A, case.W)
            assert case.best <= reached + 1e-9
            assert reached == pytest.approx(min(result.history), abs=1e-9)
            if case.best < case.start - 1e-9:
                assert reached < case.start


@pytest.mark.at_length
def test_most_cases_have_something_to_gain(cases):
    """Else the test above would say little."""
    assert sum(case.best < case.start - 1e-3 for case in cases) > 0.95 * len(cases)


@pytest.mark.at_length
def test_dual_is_nearly_always_the_optimum(cases):
    """Measured over 5,714 problems of this kind: exact in 99.4 %, excess ≤ 1.9 % of the gain."""
    excess = np.array([case.excess(case.dual) for case in cases if case.best < case.start - 1e-9])
    assert (excess < 1e-6).mean() > 0.97
    assert excess.max() < 0.03


@pytest.mark.at_length
def test_mm_is_mostly_the_optimum(cases):
    """Measured over 5,714 problems: exact in 87 %, excess ≤ 17 % of the gain, > 10 % in 3."""
    excess = np.array([case.excess(case.mm) for case in cases if case.best < case.start - 1e-9])
    assert (excess < 1e-6).mean() > 0.75
    assert (excess > 0.1).mean() < 0.01
    assert excess.max() < 0.2


@pytest.mark.at_length
def test_methods_agree_within_a_tenth_of_the_gain(cases):
    apart = [
        abs(case.excess(case.dual) - case.excess(case.mm))
        for case in cases
        if case.best < case.start - 1e-9
    ]
    assert np.mean(np.array(apart) <= 0.1) > 0.99


@pytest.mark.parametrize("p", [12, 40])
def test_methods_agree_closely_on_larger_matrices(p):
    """No brute force here; the two differ by less than 1 % of the gain (0.2 % measured)."""
    rng = np.random.default_rng(p)
    for _ in range(4):
        A = rng.random((p, p)) ** 3
        A = (A + A.T) / 2
        W = rng.uniform(0.05, 0.5) * lp.theory.rank_weights(rng.integers(1, p, p), p - 1)
        dual = lp.theory.prox_symmetric(A, W, "dual", max_iter=150)
        mm = lp.theory.prox_symmetric(A, W, "mm")
        gain = mm.history[0] - min(*dual.history, mm.history[-1])
        assert abs(min(dual.history) - mm.history[-1]) < 0.01 * gain
        assert dual.lower_bound <= min(*dual.history, mm.history[-1])


def test_when_rows_agree_the_dual_has_found_the_optimum(cases):
    agreed = [case for case in cases if case.dual.converged]
    assert len(agreed) > 0.3 * len(cases)
    for case in agreed:
        assert case.dual.lower_bound == pytest.approx(case.best, abs=1e-9)
        assert min(case.dual.history) == pytest.approx(case.best, abs=1e-9)


def test_three_equal_nodes_leave_a_duality_gap():
    """A_ij = 1, d = (1,1,1), λ/η = 0.3: each row wants one strong partner; three cannot pair up."""
    A = np.ones((3, 3)) - np.eye(3)
    W = 0.3 * lp.theory.rank_weights([1, 1, 1], 2)
    result = lp.theory.prox_symmetric(A, W, "dual", max_iter=3000)
    assert not result.converged
    assert result.lower_bound <= 1.85235 + 1e-4
    assert best_symmetric(A, W) == pytest.approx(1.86003, abs=1e-4)
    assert min(result.history) == pytest.approx(1.86003, abs=1e-4)
    rows = lp.theory.prox_rows(A, W)  # multiplier 0, the best there is
    assert np.abs(rows - rows.T).max() == pytest.approx(0.3 * (math.log2(3) - 1))
    assert result.lower_bound == pytest.approx(value_at(rows, A, W), abs=1e-9)


def assert_fixed_point(A, W, result):
    assert result.converged
    B = own_penalty(result.Q, W)
    np.testing.assert_allclose(result.Q, A - (B + B.T) / 2, rtol=0, atol=1e-14)
    np.testing.assert_array_equal(result.X, np.maximum(result.Q, 0))


def test_mm_never_rises_and_ends_in_a_fixed_point_of_the_ranks(cases):
    for case in cases:
        assert (np.diff(case.mm.history) <= 1e-12).all()
        assert_fixed_point(case.A, case.W, case.mm)


@pytest.mark.parametrize("p", [20, 60])
def test_mm_descends_to_a_fixed_point_on_larger_matrices(p):
    rng = np.random.default_rng(p)
    for _ in range(3):
        A, W = random_problem(rng, p)
        result = lp.theory.prox_symmetric(A, W, "mm")
        assert len(result.history) > 3
        assert (np.diff(result.history) <= 1e-10).all()
        assert_fixed_point(A, W, result)


def test_history_is_the_printed_objective():
    rng = np.random.default_rng(2)
    A, W = random_problem(rng, 8)
    full = lp.theory.prox_symmetric(A, W, "mm")
    assert full.history[0] == pytest.approx(value_at(np.maximum(A, 0), A, W))
    for steps in range(1, len(full.history)):
        part = lp.theory.prox_symmetric(A, W, "mm", max_iter=steps)
        assert part.history == full.history[: steps + 1]
        assert part.history[-1] == pytest.approx(value_at(part.X, A, W))
    assert not lp.theory.prox_symmetric(A, W, "mm", max_iter=1).converged


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("method", METHODS)
def test_result_is_exactly_symmetric_and_keeps_the_dtype(method, dtype):
    rng = np.random.default_rng(3)
    for p in (2, 5, 30):
        A, W = random_problem(rng, p)
        result = lp.theory.prox_symmetric(A.astype(dtype), W.astype(dtype), method, max_iter=60)
        for M in (result.X, result.Q):
            assert M.dtype == dtype
            np.testing.assert_array_equal(M, M.T)
        np.testing.assert_array_equal(result.X, np.maximum(result.Q, 0))


@pytest.mark.parametrize("method", METHODS)
def test_float32_reaches_what_float64_reaches(method):
    rng = np.random.default_rng(4)
    for _ in range(10):
        A, W = random_problem(rng, 8)
        double = lp.theory.prox_symmetric(A, W, method, max_iter=100)
        single = lp.theory.prox_symmetric(A.astype(np.float32), W, method, max_iter=100)
        assert min(single.history) == pytest.approx(min(double.history), rel=2e-3)


@pytest.mark.parametrize("method", METHODS)
def test_diagonal_passes_through(method):
    rng = np.random.default_rng(5)
    A, W = random_problem(rng, 6)
    first = lp.theory.prox_symmetric(A, W, method).X
    diagonal = np.array([-1.0, 0.0, 0.3, 5.0, -0.2, 1.0])
    np.fill_diagonal(A, diagonal)
    X = lp.theory.prox_symmetric(A, W, method).X
    np.testing.assert_array_equal(np.diagonal(X), np.maximum(diagonal, 0))
    off = ~np.eye(6, dtype=bool)
    np.testing.assert_allclose(X[off], first[off], rtol=0, atol=1e-12)


@pytest.mark.parametrize("method", METHODS)
def test_an_asymmetric_matrix_is_symmetrised_first(method):
    rng = np.random.default_rng(6)
    A, W = random_problem(rng, 6)
    skew = rng.normal(0, 0.3, (6, 6))
    result = lp.theory.prox_symmetric(A + skew - skew.T, W, method)
    np.testing.assert_allclose(result.X, lp.theory.prox_symmetric(A, W, method).X, atol=1e-12)


@pytest.mark.parametrize("method", METHODS)
def test_equal_weights_are_solved_at_once(method):
    """Without ranks the problem splits into pairs: X = max(A − ½(w_i + w_j), 0)."""
    rng = np.random.default_rng(7)
    A, _ = random_problem(rng, 6)
    w = rng.random(6)
    expected = np.maximum(A - (w[:, None] + w) / 2 * ~np.eye(6, dtype=bool), 0)
    result = lp.theory.prox_symmetric(A, np.repeat(w[:, None], 5, axis=1), method)
    np.testing.assert_allclose(result.X, expected, atol=1e-3 if method == "dual" else 1e-14)


@pytest.mark.parametrize("method", METHODS)
def test_zero_weights_only_clip(method):
    A = np.array([[0.0, -1.0, 2.0], [-1.0, 0.0, 0.5], [2.0, 0.5, 0.0]])
    result = lp.theory.prox_symmetric(A, np.zeros((3, 2)), method)
    np.testing.assert_array_equal(result.X, np.maximum(A, 0))
    assert result.converged


def test_clipped_entries_keep_an_order_in_q():
    """All is clipped to 0, yet Q still tells the better pairs from the worse."""
    A = np.array([[0, 0.3, 0.2], [0.3, 0, 0.1], [0.2, 0.1, 0]])
    result = lp.theory.prox_symmetric(A, 5 * lp.theory.rank_weights([1, 1, 1], 2), "mm")
    np.testing.assert_array_equal(result.X, 0)
    assert result.Q[0, 1] > result.Q[0, 2] > result.Q[1, 2]


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("A", {"A": np.ones((2, 3))}),
        ("A", {"A": np.full((3, 3), np.nan)}),
        ("weights", {"weights": np.ones((3, 3))}),
        ("weights", {"weights": [[0.2, 0.1]] * 3}),
        ("weights", {"weights": [[-0.2, 0.1]] * 3}),
        ("weights", {"weights": [[0.1, np.nan]] * 3}),
        ("method", {"method": "newton"}),
        ("max_iter", {"max_iter": 0}),
        ("max_iter", {"max_iter": 2.5}),
    ],
)
def test_refusals_name_the_parameter(name, change):
    good = {"A": np.ones((3, 3)), "weights": np.ones((3, 2)), "method": "mm", "max_iter": 5}
    with pytest.raises(ParameterError, match=f"^{name} must"):
        lp.theory.prox_symmetric(**{**good, **change})


def symmetric(p, seed=0):
    half = np.random.default_rng(seed).normal(0.5, 1.0, (p, p))
    return half + half.T


def rising(p, n, seed=1):
    return np.cumsum(np.random.default_rng(seed).random((p, n)) / n, axis=1)


def charged(keys, weights, diagonal=True):
    """Return the weight at the rank of each entry; none on the diagonal."""
    out = np.zeros_like(keys)
    for i, row in enumerate(keys):
        others = [j for j in range(len(row)) if not diagonal or j != i]
        for rank, j in enumerate(sorted(others, key=lambda j: (-row[j], j))):
            out[i, j] = weights[i, rank]
    return out


def cost(A, Q, weights):
    X = np.maximum(Q, 0.0)
    return 0.5 * ((X - A) ** 2).sum() + (charged(Q, weights) * X).sum()


def test_each_row_is_charged_by_rank_and_clipped():
    A, w = symmetric(5), rising(5, 4)
    np.testing.assert_allclose(prox.prox_rows(A, w), np.maximum(A - charged(A, w), 0.0))
    wide, w = symmetric(5)[:3], rising(3, 5)
    expected = np.maximum(wide - charged(wide, w, diagonal=False), 0.0)
    np.testing.assert_allclose(prox.prox_rows(wide, w), expected)


@pytest.mark.parametrize(("shape", "fits"), [((3, 3), (3, 2)), ((3, 4), (3, 4)), ((4, 3), (4, 3))])
def test_weights_have_one_column_less_only_where_there_is_a_diagonal(shape, fits):
    A = np.ones(shape)
    assert prox.prox_rows(A, np.zeros(fits)).shape == shape
    for wrong in ((fits[0], fits[1] + 1), (fits[0] + 1, fits[1])):
        with pytest.raises(ParameterError, match=r"weights must have shape \("):
            prox.prox_rows(A, np.zeros(wrong))


@pytest.mark.parametrize("good", [[[0.0, 0.0]], [[0.0, 1.0]], [[1.0, 1.0]]])
def test_weights_may_be_equal_or_zero(good):
    assert prox.prox_rows(np.ones((1, 2)), good).shape == (1, 2)


@pytest.mark.parametrize("bad", [[[1.0, 0.9]], [[-0.1, 0.0]], [[-0.1, 0.1]], [[0.0, 2.0, 1.0]]])
def test_weights_that_fall_or_are_negative_are_refused(bad):
    with pytest.raises(ParameterError, match="non-negative and non-decreasing"):
        prox.prox_rows(np.ones((1, len(bad[0]))), bad)


@pytest.mark.parametrize("steps", [1, 2, 50])
def test_each_step_is_the_minimiser_at_the_ranks_before(steps):
    A, w = symmetric(12, 1), 4 * rising(12, 11)
    Q, B, history, done = A, charged(A, w), [cost(A, A, w)], False
    for _ in range(steps):
        Q = A - (B + B.T) / 2
        history.append(cost(A, Q, w))
        if (charged(Q, w) == B).all():
            done = True
            break
        B = charged(Q, w)
    found = prox.prox_symmetric(A, w, "mm", steps)
    np.testing.assert_allclose(found.Q, Q)
    np.testing.assert_allclose(found.X, np.maximum(Q, 0.0))
    np.testing.assert_allclose(found.history, history)
    assert found.converged is done
    assert found.lower_bound is None
    assert done == (steps == 50)
    assert all(later <= before + 1e-12 for before, later in pairwise(history))


def test_a_matrix_is_made_symmetric_first():
    A, w = np.random.default_rng(4).random((4, 4)), rising(4, 3)
    one, other = (prox.prox_symmetric(M, w, "mm") for M in (A, (A + A.T) / 2))
    assert one.X.tolist() == other.X.tolist()


@pytest.mark.parametrize("bad", [{"method": "primal"}, {"max_iter": 0}])
def test_unknown_methods_and_no_steps_are_refused(bad):
    with pytest.raises(ParameterError, match=next(iter(bad))):
        prox.prox_symmetric(symmetric(3), rising(3, 2), **bad)


@pytest.mark.parametrize(("seed", "steps"), [(2, 1), (2, 2), (2, 5), (1, 5), (3, 5)])
def test_rows_move_against_their_asymmetry_by_shorter_and_shorter_steps(seed, steps):
    """Of five steps the best is the first (seed 2), the fourth (1) or the last (3)."""
    A, w = symmetric(12, seed), 4 * rising(12, 11)
    shifted, history, bound, best = A.copy(), [cost(A, A, w)], -np.inf, A
    for k in range(steps):
        rows = shifted - charged(shifted, w)
        bound = max(bound, cost(shifted, rows, w) - 0.5 * ((A - shifted) ** 2).sum())
        Q = (rows + rows.T) / 2
        history.append(cost(A, Q, w))
        if history[-1] == min(history):
            best = Q
        X = np.maximum(rows, 0.0)
        shifted = shifted - (X - X.T) / (2 * np.sqrt(k + 1))
    found = prox.prox_symmetric(A, w, max_iter=steps)
    np.testing.assert_allclose(found.history, history)
    np.testing.assert_allclose(found.Q, best)
    np.testing.assert_allclose(found.X, np.maximum(best, 0.0))
    assert found.lower_bound == pytest.approx(bound)
    assert found.lower_bound <= min(history) + 1e-12
    assert found.converged is False


def test_rows_that_agree_end_the_search_at_once():
    A = symmetric(5, 3)
    found = prox.prox_symmetric(A, np.zeros((5, 4)))
    assert found.converged is True
    assert len(found.history) == 2
    np.testing.assert_allclose(found.X, np.maximum(A, 0.0))


def test_the_result_is_never_worse_than_where_it_began():
    """One step leads uphill here: a single entry is charged on both sides."""
    A = np.array([[0.0, 1.0, 1.0], [1.0, 0.0, 1.0], [1.0, 1.0, 0.0]])
    found = prox.prox_symmetric(A, np.tile([0.0, 5.0], (3, 1)), max_iter=3)
    at = cost(A, found.Q, np.tile([0.0, 5.0], (3, 1)))
    assert at == pytest.approx(min(found.history))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_weights_of_scale_and_profile_are_a_table(monkeypatch, dtype):
    monkeypatch.setattr(parallel, "_BLOCK_ENTRIES", 1)
    keys, scale, profile = symmetric(20).astype(dtype), np.arange(1.0, 21.0), np.arange(19.0)
    found = prox.separable_penalty(scale, profile, dtype)(keys)
    assert found.dtype == dtype
    assert len(parallel.blocks(20)) > 1
    np.testing.assert_allclose(found, charged(keys, np.outer(scale, profile)))


@pytest.mark.parametrize("on_disk", [False, True])
@pytest.mark.parametrize("passes", [0, 1, 2, 3])
def test_passes_by_blocks_are_passes_of_whole_matrices(monkeypatch, on_disk, passes):
    monkeypatch.setattr(parallel, "_BLOCK_ENTRIES", 1)
    A, scale, profile = symmetric(20, 5), np.linspace(0.5, 2.0, 20), np.log(2 + np.arange(19.0))
    Q = A
    for _ in range(passes):
        Q = prox.mm_pass(A, charged(Q, np.outer(scale, profile)))
    found = prox.mm_passes(A, scale, profile, passes, on_disk)
    np.testing.assert_allclose(found, Q, atol=1e-12)


@pytest.mark.parametrize("on_disk", [False, True])
def test_half_the_sum_with_the_transpose(monkeypatch, on_disk):
    monkeypatch.setattr(parallel, "_BLOCK_ENTRIES", 1)
    monkeypatch.setattr(prox, "DISK_ROWS", 7)
    M = np.random.default_rng(6).random((20, 20))
    out = np.empty_like(M)
    prox.half_sum(M, out, on_disk)
    np.testing.assert_allclose(out, (M + M.T) / 2)


def test_a_prox_by_hand_says_nothing_of_bounds_or_convergence():
    found = prox.SymmetricProx(np.eye(2), np.eye(2))
    assert (found.history, found.lower_bound, found.converged) == ([], None, False)
