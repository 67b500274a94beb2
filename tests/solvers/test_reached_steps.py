"""Single steps that solvers reach: values that stand still, the pass over ranks, first factors."""

import networkx as nx
import numpy as np
import pytest

import linkprior as lp
from linkprior import parallel
from linkprior.model.factors import Factors
from linkprior.model.priors import DegreePrior
from linkprior.solvers import direct, nuclear, sbm_search
from linkprior.solvers.base import Measure, settled
from linkprior.solvers.nuclear import NuclearSolver, NuclearState
from linkprior.solvers.pu_als import PuAlsSolver
from linkprior.solvers.sbm_search import BlockSearch

NET = lp.Network.from_networkx(nx.gnm_random_graph(15, 30, seed=2))


def test_a_value_may_change_by_a_half_of_the_last():
    for objectives, still in (
        ([3.0, 3.0, 3.0, 6.0], True),  # a half of the last is 3, of the one before 1.5
        ([3.0, 3.0, 3.0, 6.1], False),
        ([6.0, 6.0, 6.0, 4.0], True),
        ([6.0, 6.0, 6.0, 3.9], False),  # a half of the one before would be enough
    ):
        assert settled([Measure(one) for one in objectives], 0.5) is still


# ---------------------------------------------------------------------- blocks of nodes


def test_with_as_many_centres_as_points_each_point_is_its_own():
    """A centre with a single point is in use like any other, and stays there."""
    ring = nx.to_scipy_sparse_array(nx.cycle_graph(12), format="csr")
    angle = np.linspace(0.0, 6.0, 12)
    for seed in range(4):
        search = BlockSearch(ring, 12, None, 5)
        search.__dict__["picture"] = np.column_stack([np.cos(angle), np.sin(angle)])
        assert search._cut(np.random.default_rng(seed)).tolist() == list(range(12))


def test_each_of_thousands_of_points_goes_to_its_nearest_centre_once():
    centres = np.array([[0.0, 0.0], [4.0, 0.0], [0.0, 4.0]])
    for n in (100, 4096, 4097, 9000):
        points = np.random.default_rng(n).uniform(-1.0, 5.0, (n, 2))
        distance = ((points[:, None] - centres) ** 2).sum(axis=2)
        found = sbm_search._nearest(points, centres)
        assert found.tolist() == distance.argmin(axis=1).tolist()


# ---------------------------------------------------------------------- the pass over ranks


def test_four_blocks_make_as_many_groups_as_are_allowed_and_needed(monkeypatch):
    """Groups are runs of as many blocks each; three are too many for four blocks."""
    monkeypatch.setattr(parallel, "_BLOCK_ENTRIES", 1)
    blocks = parallel.blocks(34)
    assert len(blocks) == 4
    for most, sizes in ((1, [4]), (2, [2, 2]), (3, [2, 2]), (4, [1, 1, 1, 1]), (9, [1, 1, 1, 1])):
        monkeypatch.setattr(direct, "GROUPS", most)
        groups = direct.block_groups(34)
        assert [len(group) for group in groups] == sizes
        assert [block for group in groups for block in group] == blocks


def test_a_group_of_several_blocks_fills_the_rows_of_all_of_them(monkeypatch):
    monkeypatch.setattr(parallel, "_BLOCK_ENTRIES", 1)
    rng = np.random.default_rng(0)
    factors = Factors(rng.random((34, 2)), np.array([[1.0, 0.3], [0.3, 2.0]]))
    prior = DegreePrior(rng.integers(1, 9, 34), 0.7)
    X, h, scale = factors.US @ factors.U.T, prior.profile(33), prior.scale(np.zeros(34))
    B = np.zeros((34, 34))
    for i in range(34):
        others = sorted((j for j in range(34) if j != i), key=lambda j: -X[i, j])
        B[i, others] = scale[i] * h
    for groups in (1, 2, 4):
        monkeypatch.setattr(direct, "GROUPS", groups)
        found = direct.ranked_pass(factors, prior, workers=1)
        assert found.value == pytest.approx((B * X).sum())
        np.testing.assert_allclose(found.GU, (B + B.T) / 2 @ factors.U, rtol=1e-10)


# ---------------------------------------------------------------------- the nuclear norm


def test_the_answer_is_the_copy_clipped_to_the_box():
    Q = np.array([[-0.5, 0.0, 0.4], [0.0, 1.0, 1.5], [0.4, 1.5, 7.0]])
    state = NuclearState(Q, Q, Q, Q, np.empty(0), np.empty(0))
    assert state.X.tolist() == [[0.0, 0.0, 0.4], [0.0, 1.0, 1.0], [0.4, 1.0, 1.0]]


def test_each_entry_is_the_least_of_loss_and_prior_and_distance():
    """The least of m·(x − ω)² + g·x + η/2·(x − a)², g = ½(b_ij + b_ji), has no slope there."""
    omega = NET.adjacency.toarray()
    M = 0.2 + 0.6 * omega
    np.fill_diagonal(M, 0.0)
    rng = np.random.default_rng(1)
    A, B = rng.random((2, 15, 15))
    A = A + A.T
    np.fill_diagonal(B, 0.0)
    for eta in (0.3, 1.0, 5.0):
        solver = NuclearSolver(
            NET, DegreePrior(NET.degrees), 0.4, 1.0, 0.1, eta, dtype=np.float64, workers=1
        )
        Q = solver._loss_and_prior(A, B)
        slope = 2 * M * (Q - omega) + (B + B.T) / 2 + eta * (Q - A)
        np.testing.assert_allclose(slope, 0.0, atol=1e-12)


def test_an_eigenvalue_at_the_threshold_is_not_above_it():
    S = np.diag([3.0, -2.0, 2.0, 1.0, -4.0])
    for threshold, above in ((2.0, [-4, 3]), (1.9, [-4, -2, 2, 3]), (3.0, [-4]), (4.0, [])):
        values, vectors = nuclear.eigenpairs_above(S, threshold, 0, np.ones(5))
        assert values.tolist() == above
        assert vectors.shape == (5, len(above))


# ---------------------------------------------------------------------- least squares


def test_least_squares_begin_with_rows_as_long_as_the_density():
    net = lp.Network.from_networkx(nx.gnm_random_graph(120, 1000, seed=1))
    for rank in (2, 9):
        state = PuAlsSolver(net, rank, 0.2, 0.3).init(np.random.default_rng(0))
        density = 1000 / (120 * 119 / 2)
        assert np.mean((state.H**2).sum(axis=1)) == pytest.approx(density, rel=0.2)


def test_without_a_gradient_step_factors_stay_where_they_are():
    rng = np.random.default_rng(3)
    W, H = rng.random((2, 15, 3))
    for steps, stay in ((0, True), (1, False)):
        solver = PuAlsSolver(NET, 3, 0.2, 0.3, cg_steps=steps, dtype=np.float64, workers=1)
        after = solver.step(solver.state(W, H))
        assert np.allclose(after.W, W, atol=1e-9) is stay
        assert np.allclose(after.H, H, atol=1e-9) is stay
