"""Single steps of solvers where numbers are small, large or equal, against dense formulas."""

import mmap

import networkx as nx
import numpy as np
import pytest

import linkprior as lp
from linkprior import parallel
from linkprior.model.factors import Factors
from linkprior.model.losses import SquaredLoss
from linkprior.model.priors import DegreePrior, L1Prior
from linkprior.solvers import direct, symmetric_prox
from linkprior.solvers.base import Measure, settled
from linkprior.solvers.direct import DirectSolver, ranked_pass
from linkprior.solvers.factor_update import Extra, sweep
from linkprior.solvers.pu_als import PuAlsSolver
from linkprior.solvers.tri_admm import AdmmSolver

KARATE = lp.Network.from_networkx(nx.karate_club_graph())
RANKED = DegreePrior(KARATE.degrees, 0.7)
LOSS = SquaredLoss(0.4)


def factors_of(p, seed=0, size=1.0):
    rng = np.random.default_rng(seed)
    S = rng.random((3, 3)) * size / 2
    return Factors(rng.random((p, 3)), S + S.T)


def dense(f):
    return f.U @ f.S @ f.U.T


def norm(M):
    return float(np.linalg.norm(M))


# ---------------------------------------------------------------------- the loop


@pytest.mark.parametrize(
    ("objectives", "still"),
    [
        ([3.0, 3.0, 3.0, 6.0], True),  # a half of the last is 3, of the others 1.5
        ([3.0, 3.0, 3.0, 6.1], False),
        ([6.0, 6.0, 6.0, 3.0], False),  # a half of the last is 1.5, of the others 3
        ([6.0, 6.0, 6.0, 4.0], True),
        ([-6.0, -6.0, -6.0, -3.9], False),
    ],
)
def test_the_share_that_a_value_may_change_by_is_one_of_the_last(objectives, still):
    assert settled([Measure(one) for one in objectives], 0.5) is still


# ---------------------------------------------------------------------- direct descent


def test_without_a_weight_the_prior_counts_for_nothing():
    plain, weightless = DirectSolver(KARATE, LOSS, 3), DirectSolver(KARATE, LOSS, 3, RANKED)
    plain_state, state = (one.init(np.random.default_rng(1)) for one in (plain, weightless))
    assert weightless.measure(state) == plain.measure(plain_state)
    after = weightless.step(state).factors
    assert after.U.tolist() == plain.step(plain_state).factors.U.tolist()
    assert weightless._extra(state).value(after) == 0.0


@pytest.mark.parametrize("groups", [1, 2, 3, 32])
def test_the_pass_over_ranks_is_the_same_in_groups_of_blocks(monkeypatch, groups):
    monkeypatch.setattr(parallel, "_BLOCK_ENTRIES", 1)
    monkeypatch.setattr(direct, "GROUPS", groups)
    assert len(parallel.blocks(34)) == 4
    factors = factors_of(34)
    X, h, scale = dense(factors), RANKED.profile(33), RANKED.scale(np.zeros(34))
    B = np.zeros((34, 34))
    for i in range(34):
        others = sorted((j for j in range(34) if j != i), key=lambda j: -X[i, j])
        B[i, others] = scale[i] * h
    found = ranked_pass(factors, RANKED, workers=1)
    assert found.value == pytest.approx((B * X).sum())
    np.testing.assert_allclose(found.GU, (B + B.T) / 2 @ factors.U, rtol=1e-10)


class ToldLoss(SquaredLoss):
    """The squared loss, but what its value becomes with a new U is told."""

    start, later = np.empty(0), 0.0

    def value(self, net, factors):
        return 1.0 if np.array_equal(factors.U, self.start) else self.later


@pytest.mark.parametrize(("later", "power"), [(0.9, 0.5), (1.0, 0.5), (1.1, 0.25)])
def test_the_bold_step_is_taken_where_the_objective_does_not_rise(monkeypatch, later, power):
    """Without a push the bold step has exponent ½, the careful one ¼."""
    factors = factors_of(34)
    monkeypatch.setattr(ToldLoss, "start", factors.U)
    monkeypatch.setattr(ToldLoss, "later", later)
    found = sweep(KARATE, ToldLoss(0.4), factors, Extra(value=lambda _: 0.0))
    omega = KARATE.adjacency.toarray()
    M = 0.2 + 0.6 * omega
    np.fill_diagonal(M, 0.0)
    U, S = factors.U, found.S
    curve, pull = M * (U @ S @ U.T), M * omega
    np.testing.assert_allclose(found.U, U * ((pull @ U @ S) / (curve @ U @ S)) ** power, rtol=1e-9)


# ---------------------------------------------------------------------- alternating least squares


@pytest.mark.parametrize("rank", [2, 9])
def test_least_squares_begin_with_rows_of_the_density_and_nothing_on_the_other_side(rank):
    net = lp.Network.from_networkx(nx.gnm_random_graph(120, 1000, seed=1))
    solver = PuAlsSolver(net, rank, 0.2, 0.3)
    state = solver.init(np.random.default_rng(0))
    assert not state.W.any()
    density = 1000 / (120 * 119 / 2)
    assert np.mean((state.H**2).sum(axis=1)) == pytest.approx(density, rel=0.2)
    # The product is zero everywhere: each edge, counted both ways, is missed by one.
    value = 0.9 * 2 * 1000 + 0.3 * norm(state.H) ** 2
    assert solver.measure(state).objective == pytest.approx(value)


# ---------------------------------------------------------------------- ADMM


def admm(prior=RANKED, net=KARATE, eta=0.5, **options):
    given = {"start": factors_of(net.n_nodes), "dtype": np.float64, "workers": 1, **options}
    return AdmmSolver(net, LOSS, 3, prior, 0.3, eta, **given)


def test_matrices_are_in_files_only_where_they_are_asked_for():
    for made, in_files in ((admm(), False), (admm(on_disk=True), True)):
        state = made.init(np.random.default_rng(0))
        for matrix in (state.Q, state.Y, state.G, state.B):
            assert isinstance(matrix.base, mmap.mmap) is in_files


@pytest.mark.parametrize("size", [1e-6, 1.0])
def test_residuals_are_relative_to_matrices_however_small(size):
    """A large η holds the factors to where they start."""
    made = admm(eta=1e9, start=factors_of(34, size=size))
    state = made.init(np.random.default_rng(0))
    before, state = state.X.copy(), made.step(state)
    fitted, X = dense(state.factors), state.X
    largest = max(norm(fitted), norm(X))
    assert (largest < 1.0) is (size < 1.0)
    assert state.primal == pytest.approx(norm(fitted - X) / largest, rel=1e-6)
    assert state.dual == pytest.approx(norm(X - before) / largest, rel=1e-6)


def test_two_nodes_are_a_network_for_a_prior_without_ranks():
    net = lp.Network.from_edges([("a", "b")])
    made = admm(L1Prior(), net)
    state = made.step(made.init(np.random.default_rng(0)))
    assert state.B.tolist() == [[0.0, 1.0], [1.0, 0.0]]
    np.testing.assert_allclose(state.G, 0.3 / 0.5 * state.B)


# ---------------------------------------------------------------------- matrices in files


def test_each_pass_lets_go_of_all_it_read_from_files(released):
    made, everything = admm(on_disk=True), set(range(34))
    state = made.init(np.random.default_rng(0))
    four = state.Q, state.Y, state.G, state.B
    assert released(*four) == [everything] * 4
    made._times_Y(state, state.factors.U, [lambda Y: Y])
    assert released(state.Y) == [everything]
    made._split(state, state.factors)
    assert released(*four) == [everything] * 4
    made._linearise(state)
    assert released(*four) == [everything] * 4


def test_weights_are_let_go_of_before_their_half_sum_is_taken(released, monkeypatch):
    """They are written row by row and read again later, together with their columns."""
    seen, usual = [], symmetric_prox.half_sum

    def noted(B, out, on_disk):
        seen.extend(released(B))
        usual(B, out, on_disk)

    monkeypatch.setattr(symmetric_prox, "half_sum", noted)
    A = np.random.default_rng(0).random((34, 34))
    symmetric_prox.mm_passes(A + A.T, np.ones(34), RANKED.profile(33), 2, on_disk=True)
    assert seen == [set(range(34))] * 2
