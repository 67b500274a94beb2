"""ADMM in single steps: residuals, sizes, the prior's parts, with and without ranks."""

import networkx as nx
import numpy as np
import pytest

import linkprior as lp
from linkprior import parallel
from linkprior.model.factors import Factors
from linkprior.model.losses import SquaredLoss
from linkprior.model.priors import DegreePrior, L1Prior
from linkprior.solvers import tri_admm
from linkprior.solvers.tri_admm import AdmmSolver

NET = lp.Network.from_networkx(nx.gnm_random_graph(20, 40, seed=1))
RANKED = DegreePrior(np.maximum(NET.degrees, 1), 0.8)
LAM, ETA = 0.3, 0.5
PRIORS = pytest.mark.parametrize("prior", [RANKED, L1Prior()], ids=["ranked", "flat"])


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch):
    monkeypatch.setattr(parallel, "_BLOCK_ENTRIES", 1)
    monkeypatch.setattr(tri_admm, "DISK_ROWS", 6)
    assert len(parallel.blocks(20)) > 1


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
