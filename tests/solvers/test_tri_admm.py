"""ADMM in single steps against dense formulas: residuals, sizes, files, with and without ranks."""

import mmap

import networkx as nx
import numpy as np
import pytest

import linkprior as lp
from linkprior import parallel
from linkprior.model.factors import Factors
from linkprior.model.losses import SquaredLoss
from linkprior.model.priors import DegreePrior, L1Prior
from linkprior.solvers import symmetric_prox, tri_admm
from linkprior.solvers.tri_admm import AdmmSolver

NET = lp.Network.from_networkx(nx.gnm_random_graph(20, 40, seed=1))
RANKED = DegreePrior(np.maximum(NET.degrees, 1), 0.8)
LAM, ETA = 0.3, 0.5
PRIORS = pytest.mark.parametrize("prior", [RANKED, L1Prior()], ids=["ranked", "flat"])


def factors(seed=0):
    rng = np.random.default_rng(seed)
    S = rng.random((3, 3)) / 4
    return Factors(rng.random((20, 3)), S + S.T)


def solver(prior, **options):
    given = {"start": factors(), "dtype": np.float64, "workers": 1, **options}
    return AdmmSolver(NET, SquaredLoss(0.4), 3, prior, LAM, ETA, **given)


def dense(f):
    return f.U @ f.S @ f.U.T


def norm(M):
    return float(np.linalg.norm(M))


def weights_at(Q, prior):
    """Return h at the rank of each entry and the scale of each row."""
    p, off = len(Q), ~np.eye(len(Q), dtype=bool)
    if prior.flat:
        return off * 1.0, np.ones(p)
    h, B = prior.profile(p - 1), np.zeros_like(Q)
    for i in range(p):
        others = sorted((j for j in range(p) if j != i), key=lambda j: (-Q[i, j], j))
        B[i, others] = h
    return B, prior.scale(np.zeros(p))


def linearised(Q, prior):
    B, scale = weights_at(Q, prior)
    weighed = LAM / ETA * scale[:, None] * B
    return (weighed + weighed.T) / 2


@PRIORS
def test_the_start_is_the_product_of_the_factors_and_no_dual(prior):
    made = solver(prior)
    state, X = made.init(np.random.default_rng(0)), dense(factors())
    np.testing.assert_allclose(state.Q, X)
    np.testing.assert_allclose(state.X, X)
    np.testing.assert_allclose(state.Z, 0.0, atol=1e-12)
    np.testing.assert_allclose(state.G, linearised(X, prior), atol=1e-12)
    assert state.Y_square == pytest.approx(norm(X) ** 2)
    assert (state.primal, state.dual) == (np.inf, np.inf)
    B, scale = weights_at(X, prior)
    np.testing.assert_allclose(state.row_sums, (B * X).sum(axis=1))
    value = made.loss.value(NET, factors()) + LAM * float(scale @ (B * X).sum(axis=1))
    measured = made.measure(state)
    assert measured.objective == pytest.approx(value)
    assert (measured.primal, measured.dual) == (np.inf, np.inf)


@PRIORS
@pytest.mark.parametrize("passes", [1, 2, 3])
def test_a_step_writes_the_prox_the_dual_and_the_residuals(prior, passes):
    made = solver(prior, passes=passes)
    state = made.init(np.random.default_rng(0))
    for _ in range(2):
        before, G, Z = state.X.copy(), state.G.copy(), state.Z.copy()
        state = made.step(state)
        fitted = dense(state.factors)
        A = fitted + Z
        Q = A - G
        for _ in range(passes - 1):
            Q = A - linearised(Q, prior)
        X = np.maximum(Q, 0.0)
        np.testing.assert_allclose(state.Q, Q, atol=1e-9)
        np.testing.assert_allclose(state.Z, A - X, atol=1e-9)
        np.testing.assert_allclose(state.G, linearised(Q, prior), atol=1e-9)
        B, _ = weights_at(Q, prior)
        np.testing.assert_allclose(state.row_sums, (B * X).sum(axis=1), atol=1e-9)
        size = max(norm(fitted), norm(X))
        assert state.primal == pytest.approx(norm(fitted - X) / size)
        first = np.maximum(A - G, 0.0)  # the change of X is that of the first pass
        assert state.dual == pytest.approx(norm(first - before) / size)
        assert state.Y_square == pytest.approx(norm(2 * X - A) ** 2)


@PRIORS
@pytest.mark.parametrize("options", [{"on_disk": True}, {"workers": 3}])
def test_files_and_threads_give_the_same_steps(prior, options):
    states = []
    for given in ({}, options):
        made = solver(prior, **given)
        state = made.init(np.random.default_rng(0))
        for _ in range(2):
            state = made.step(state)
        states.append(state)
    for name in ("Q", "Y", "G", "row_sums"):
        np.testing.assert_allclose(*(getattr(state, name) for state in states), atol=1e-12)
    assert states[0].primal == pytest.approx(states[1].primal)


@pytest.mark.parametrize("sweeps", [1, 2, 4])
def test_more_sweeps_fit_the_factors_better_to_data_and_target(sweeps):
    """Each sweep lowers F(USUᵀ) + η/2·‖USUᵀ − Y‖²."""

    def objective(f, Y):
        return SquaredLoss(0.4).value(NET, f) + ETA / 2 * norm(dense(f) - Y) ** 2

    fewer, more = (solver(RANKED, sweeps=n) for n in (sweeps, sweeps + 1))
    state = fewer.step(fewer.init(np.random.default_rng(0)))
    assert (state.Y < 0).any()
    values = [objective(made._step_one(state), state.Y) for made in (fewer, more)]
    assert values[1] < values[0] < objective(state.factors, state.Y)


def test_the_factors_are_pulled_to_the_positive_and_pushed_from_the_negative_target(monkeypatch):
    """What Step_One adds to the data's objective is η/2·‖USUᵀ − Y‖²."""
    told, usual = [], tri_admm.sweep

    def noted(net, loss, now, extra):
        told.append((now, extra))
        return usual(net, loss, now, extra)

    monkeypatch.setattr(tri_admm, "sweep", noted)
    made = solver(RANKED, sweeps=2)
    state = made.step(made.init(np.random.default_rng(0)))
    told.clear()
    made._step_one(state)
    assert len(told) == 2
    for now, extra in told:
        for one in (now, factors(7)):
            expected = ETA / 2 * norm(dense(one) - state.Y) ** 2
            assert extra.value(one) == pytest.approx(expected)


def test_without_word_there_is_one_sweep_and_one_pass_in_single_precision():
    made = AdmmSolver(NET, SquaredLoss(0.4), 3, RANKED, LAM, ETA, start=factors())
    state = made.step(made.init(np.random.default_rng(0)))
    assert state.Q.dtype == np.float32
    exact = solver(RANKED, sweeps=1, passes=1)
    expected = exact.step(exact.init(np.random.default_rng(0)))
    np.testing.assert_allclose(state.Q, expected.Q, atol=1e-4)
    np.testing.assert_allclose(state.factors.U, expected.factors.U, atol=1e-4)


def test_the_start_is_drawn_where_none_is_given():
    one, same, other = (
        solver(RANKED, start=None).init(np.random.default_rng(seed)) for seed in (1, 1, 2)
    )
    assert one.factors.U.shape == (20, 3)
    assert one.Q.tolist() == same.Q.tolist()
    assert one.Q.tolist() != other.Q.tolist()


def test_the_mass_of_a_row_leaves_out_its_diagonal_and_what_is_negative():
    Q = np.random.default_rng(3).normal(size=(20, 20))
    X = np.maximum(Q, 0.0)
    expected = X.sum(axis=1) - np.diagonal(X)
    np.testing.assert_allclose(solver(L1Prior())._row_mass(Q), expected)


CLUB = lp.Network.from_networkx(nx.karate_club_graph())
ALL = set(range(34))


def test_every_pass_of_admm_lets_go_of_the_matrices_it_used(released):
    rng = np.random.default_rng(0)
    start = Factors(rng.random((34, 2)), np.array([[1.0, 0.3], [0.3, 2.0]]))
    for prior in (DegreePrior(CLUB.degrees, 0.7), L1Prior()):
        solver = AdmmSolver(CLUB, SquaredLoss(0.4), 2, prior, 0.3, 0.5, start, workers=1)
        state = solver.init(rng)
        four = state.Q, state.Y, state.G, state.B
        assert released(*four) == [ALL] * 4
        solver._pass_again(state)
        assert released(*four) == [ALL] * 4
        solver._squares_again(state, start)
        assert released(state.Q, state.Y) == [ALL] * 2
        solver._row_mass(state.Q)
        assert released(state.Q) == [ALL]


KARATE = lp.Network.from_networkx(nx.karate_club_graph())
LIGHT = DegreePrior(KARATE.degrees, 0.7)
LOSS = SquaredLoss(0.4)


def factors_of(p, seed=0, size=1.0):
    rng = np.random.default_rng(seed)
    S = rng.random((3, 3)) * size / 2
    return Factors(rng.random((p, 3)), S + S.T)


def admm(prior=LIGHT, net=KARATE, eta=0.5, **options):
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
    symmetric_prox.mm_passes(A + A.T, np.ones(34), LIGHT.profile(33), 2, on_disk=True)
    assert seen == [set(range(34))] * 2


RANKED_OF_TWO = DegreePrior(KARATE.degrees.astype(float))


def factors_of_two(p, seed, rank=3):
    rng = np.random.default_rng(seed)
    S = rng.random((rank, rank)) / 4
    return Factors(rng.random((p, rank)), S + S.T)


def admm_of_two(**options):
    options = {"dtype": np.float64, "workers": 1, **options}
    return AdmmSolver(KARATE, LOSS, 3, RANKED_OF_TWO, 0.05, 0.3, **options)


def test_the_product_with_y_is_the_same_in_several_blocks(monkeypatch):
    monkeypatch.setattr(parallel, "_BLOCK_ENTRIES", 1)
    solver = admm_of_two()
    assert len(parallel.blocks(34)) > 1
    state, U = solver.init(np.random.default_rng(3)), factors_of_two(34, 2).U
    plain, doubled = solver._times_Y(state, U, [lambda Y: Y, lambda Y: 2 * Y])
    np.testing.assert_allclose(plain, state.Y @ U, rtol=1e-12)
    np.testing.assert_allclose(doubled, 2 * (state.Y @ U), rtol=1e-12)


def test_a_second_pass_goes_from_the_same_point_by_the_new_ranks():
    """A = USUᵀ + Z stays; Q = A − G, and Y = X − Z with X = max(Q, 0) and Z = A − X."""
    solver, factors = admm_of_two(passes=2), factors_of_two(34, 4)
    state = solver.init(np.random.default_rng(5))
    A = factors.U @ factors.S @ factors.U.T + state.Z
    solver._split(state, factors)
    solver._linearise(state)
    G = state.G.copy()
    solver._pass_again(state)
    X = np.maximum(A - G, 0.0)
    np.testing.assert_allclose(state.Q, A - G, atol=1e-12)
    np.testing.assert_allclose(state.Y, X - (A - X), atol=1e-12)
