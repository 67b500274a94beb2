"""ADMM in single steps against dense formulas: residuals, sizes, files, with and without ranks."""

import mmap

import numpy as np
import pytest
from tests.paper.dense import KARATE, gnm, half_sum, product, random_factors, weights_by_rank

import linkprior as lp
from linkprior import parallel
from linkprior.model.losses import SquaredLoss
from linkprior.model.priors import DegreePrior, L1Prior
from linkprior.solvers.symmetric_prox import dual_iterations
from linkprior.solvers.tri_admm import AdmmSolver

NET = gnm(20, 40, 1)
RANKED = DegreePrior(np.maximum(NET.degrees, 1), 0.8)
LAM, ETA = 0.3, 0.5
PRIORS = pytest.mark.parametrize("prior", [RANKED, L1Prior()], ids=["ranked", "flat"])
START = random_factors(20, size=0.5)


def make_solver(prior, net=NET, eta=ETA, **options):
    given = {"start": START, "dtype": np.float64, "workers": 1, **options}
    return AdmmSolver(net, SquaredLoss(0.4), 3, prior, LAM, eta, **given)


def begin(solver, seed=0):
    return solver.init(np.random.default_rng(seed))


def norm(M):
    return float(np.linalg.norm(M))


def profile_at(Q, prior):
    """h at the rank of each entry."""
    return weights_by_rank(Q, np.tile(prior.profile(len(Q) - 1), (len(Q), 1)))


def linearised(Q, prior):
    return half_sum(LAM / ETA * prior.scale(np.zeros(len(Q)))[:, None] * profile_at(Q, prior))


@PRIORS
def test_the_start_is_the_product_of_the_factors_and_no_dual(prior):
    solver = make_solver(prior)
    state, X = begin(solver), product(START)
    np.testing.assert_allclose(state.Q, X)
    np.testing.assert_allclose(state.X, X)
    np.testing.assert_allclose(state.Z, 0.0, atol=1e-12)
    np.testing.assert_allclose(state.G, linearised(X, prior), atol=1e-12)
    assert state.Y_square == pytest.approx(norm(X) ** 2)
    row_sums = (profile_at(X, prior) * X).sum(axis=1)
    np.testing.assert_allclose(state.row_sums, row_sums)
    measured = solver.measure(state)
    value = solver.loss.value(NET, START) + LAM * prior.value(row_sums)
    assert measured.objective == pytest.approx(value)
    assert measured.primal == measured.dual == np.inf  # nothing has converged before it has moved


@PRIORS
@pytest.mark.parametrize("passes", [1, 2, 3])
def test_a_step_writes_the_prox_the_dual_and_the_residuals(prior, passes):
    solver = make_solver(prior, passes=passes)
    state = begin(solver)
    for _ in range(2):
        before, G, Z = state.X.copy(), state.G.copy(), state.Z.copy()
        state = solver.step(state)
        fitted = product(state.factors)
        A = fitted + Z
        Q = A - G
        for _ in range(passes - 1):
            Q = A - linearised(Q, prior)
        X = np.maximum(Q, 0.0)
        np.testing.assert_allclose(state.Q, Q, atol=1e-9)
        np.testing.assert_allclose(state.Z, A - X, atol=1e-9)
        np.testing.assert_allclose(state.G, linearised(Q, prior), atol=1e-9)
        row_sums = (profile_at(Q, prior) * X).sum(axis=1)
        np.testing.assert_allclose(state.row_sums, row_sums, atol=1e-9)
        size = max(norm(fitted), norm(X))
        assert state.primal == pytest.approx(norm(fitted - X) / size)
        first = np.maximum(A - G, 0.0)  # the change of X is that of the first pass
        assert state.dual == pytest.approx(norm(first - before) / size)
        assert state.Y_square == pytest.approx(norm(2 * X - A) ** 2)


def test_a_dual_step_goes_on_from_the_multipliers_of_the_step_before():
    solver, scale = make_solver(RANKED, prox="dual", passes=3), RANKED.scale(np.zeros(20))
    state, shift = begin(solver), np.zeros((20, 20))
    for first in (0, 3):
        before, Z = state.X.copy(), state.Z.copy()
        state = solver.step(state)
        fitted = product(state.factors)
        A, numbers = half_sum(fitted + Z), range(first, first + 3)
        Q = dual_iterations(A, shift, LAM / ETA * scale, RANKED.profile(19), numbers)
        X = np.maximum(Q, 0.0)
        np.testing.assert_allclose(state.Q, Q, atol=1e-9)
        np.testing.assert_allclose(state.Z, A - X, atol=1e-9)
        np.testing.assert_allclose(state.G, linearised(Q, RANKED), atol=1e-9)
        np.testing.assert_allclose(state.row_sums, (profile_at(Q, RANKED) * X).sum(axis=1))
        size = max(norm(fitted), norm(X))
        assert state.primal == pytest.approx(norm(fitted - X) / size)
        assert state.dual == pytest.approx(norm(X - before) / size)
        assert state.Y_square == pytest.approx(norm(2 * X - A) ** 2)


@PRIORS
@pytest.mark.parametrize("options", [{"on_disk": True}, {"workers": 3}])
def test_files_and_threads_give_the_same_steps_in_several_blocks(prior, options, monkeypatch):
    states = []
    for given in ({}, options):
        solver = make_solver(prior, passes=2, **given)
        state = begin(solver)
        for matrix in (state.Q, state.Y, state.G, state.B):
            assert isinstance(matrix.base, mmap.mmap) is bool(given.get("on_disk"))
        states.append(solver.step(solver.step(state)))
        monkeypatch.setattr(parallel, "_BLOCK_ENTRIES", 1)
    assert len(parallel.blocks(20)) > 1
    for name in ("Q", "Y", "G", "row_sums"):
        np.testing.assert_allclose(*(getattr(state, name) for state in states), atol=1e-12)
    assert states[0].primal == pytest.approx(states[1].primal)


def test_without_word_there_is_one_sweep_and_one_pass_in_single_precision():
    plain = AdmmSolver(NET, SquaredLoss(0.4), 3, RANKED, LAM, ETA, start=START)
    exact = make_solver(RANKED, sweeps=1, passes=1)
    state, expected = (solver.step(begin(solver)) for solver in (plain, exact))
    assert state.Q.dtype == np.float32
    np.testing.assert_allclose(state.Q, expected.Q, atol=1e-4)
    np.testing.assert_allclose(state.factors.U, expected.factors.U, atol=1e-4)


def test_the_start_is_drawn_where_none_is_given():
    one, same, other = (begin(make_solver(RANKED, start=None), seed) for seed in (1, 1, 2))
    assert one.factors.U.shape == (20, 3)
    assert one.Q.tolist() == same.Q.tolist()
    assert one.Q.tolist() != other.Q.tolist()


@pytest.mark.parametrize("size", [1e-6, 1.0])
def test_residuals_are_relative_to_matrices_however_small(size):
    """A large η holds the factors to where they start."""
    solver = make_solver(RANKED, eta=1e9, start=random_factors(20, size=size))
    state = begin(solver)
    before, state = state.X.copy(), solver.step(state)
    fitted, X = product(state.factors), state.X
    largest = max(norm(fitted), norm(X))
    assert (largest < 1.0) is (size < 1.0)
    assert state.primal == pytest.approx(norm(fitted - X) / largest, rel=1e-6)
    assert state.dual == pytest.approx(norm(X - before) / largest, rel=1e-6)


def test_two_nodes_are_a_network_for_a_prior_without_ranks():
    solver = make_solver(L1Prior(), lp.Network.from_edges([("a", "b")]), start=random_factors(2))
    state = solver.step(begin(solver))
    assert state.B.tolist() == [[0.0, 1.0], [1.0, 0.0]]
    np.testing.assert_allclose(state.G, LAM / ETA * state.B)


@pytest.mark.parametrize("prior", [DegreePrior(KARATE.degrees, 0.7), L1Prior()])
def test_every_pass_lets_go_of_all_it_read_from_files(released, prior):
    every = set(range(34))
    solver = make_solver(prior, KARATE, start=random_factors(34), on_disk=True)
    state = begin(solver)
    four = state.Q, state.Y, state.G, state.B
    assert released(*four) == [every] * 4
    for one_pass, used in (
        (lambda: solver._times_Y(state, state.factors.U), [state.Y]),
        (lambda: solver._split(state, state.factors), four),
        (lambda: solver._pass_again(state), four),
        (lambda: solver._squares_again(state, state.factors), [state.Q, state.Y]),
        (lambda: solver._linearise(state), four),
        (lambda: solver._row_mass(state.Q), [state.Q]),
    ):
        one_pass()
        assert released(*used) == [every] * len(used)
