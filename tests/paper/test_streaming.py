"""Direct descent on Eq. `regularized_objective`: F(USUᵀ) + λ·prior(USUᵀ) over row blocks.

The objective is written out densely here, so that the solver does not judge itself.
"""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest

import linkprior as lp
from linkprior.errors import LinkpriorError
from linkprior.model.factors import Factors
from linkprior.model.losses import PoissonLoss, SquaredLoss
from linkprior.model.priors import DegreePrior, L1Prior, ScaleFreePrior
from linkprior.solvers.base import Measure, settled, solve
from linkprior.solvers.direct import DirectSolver, flat_pass, ranked_pass

KARATE = lp.Network.from_networkx(nx.karate_club_graph())
LOSSES = {"squared": SquaredLoss, "poisson": PoissonLoss}


def make_prior(name, net, alpha=1.0):
    if name == "degree":
        return DegreePrior(lp.theory.estimate_degrees(net), alpha)
    return {"l1": L1Prior(), "scale-free": ScaleFreePrior(0.5)}[name]


PRIORS = ["degree", "l1", "scale-free"]


def dense(factors):
    return factors.U @ factors.S @ factors.U.T


def random_factors(p, seed, rank=3):
    rng = np.random.default_rng(seed)
    S = rng.random((rank, rank))
    return Factors(rng.random((p, rank)), S + S.T)


def dense_prior(name, prior, X):
    off = X - np.diag(np.diagonal(X))
    if name == "degree":
        return lp.theory.degree_prior(X, prior.degrees, prior.alpha)
    if name == "l1":
        return off.sum()
    return np.log(off.sum(axis=1) + prior.epsilon).sum()


def dense_objective(solver, prior_name, factors):
    X, net, rho = dense(factors), solver.net, solver.loss.rho
    if isinstance(solver.loss, SquaredLoss):
        loss = lp.theory.pu_loss(X, net, rho)
    else:
        omega = net.adjacency.toarray()
        M = np.where(omega == 1, 1 - rho / 2, rho / 2) * ~np.eye(len(X), dtype=bool)
        loss = (M * X).sum() - (M * omega)[omega == 1] @ np.log(X[omega == 1])
    return loss + solver.lam * dense_prior(prior_name, solver.prior, X)


def random_network(seed):
    rng = np.random.default_rng(seed)
    p = int(rng.integers(6, 25))
    return lp.Network.from_networkx(nx.gnm_random_graph(p, 2 * p, seed=seed))


# ---- descent -----------------------------------------------------------------------------------


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("prior", PRIORS)
def test_objective_never_rises(prior, loss):
    for seed in range(12):
        rng = np.random.default_rng(seed)
        net = random_network(seed)
        lam, rho = 10.0 ** rng.uniform(-3, 0), float(rng.uniform(0.05, 0.95))
        made = make_prior(prior, net, float(rng.choice([0.5, 1.0, 2.0])))
        rank = int(rng.integers(1, 6))
        solver = DirectSolver(net, LOSSES[loss](rho), rank, made, lam, workers=1)
        state, values = solver.init(rng), []
        for _ in range(40):
            values.append(dense_objective(solver, prior, state.factors))
            assert solver.measure(state).objective == pytest.approx(values[-1], rel=1e-9)
            state = solver.step(state)
        assert (np.diff(values) <= 1e-10 * np.abs(values[:-1])).all(), f"seed {seed}"
        assert values[-1] < values[0]


def test_descent_needs_the_prior_in_both_steps():
    """Without the prior in the S step the objective rises now and then; so the term is there.

    With G left out of one step, the same sweeps would stop being monotone.
    """
    from linkprior.solvers.factor_update import Extra, _parts_times_U, _update_S, _update_U

    rises = 0
    for seed in range(40):
        net, rng = random_network(seed), np.random.default_rng(seed)
        prior = make_prior("degree", net)
        solver = DirectSolver(net, SquaredLoss(0.1), 3, prior, 1.0, workers=1)
        state = solver.init(rng)
        for _ in range(10):
            before = dense_objective(solver, "degree", state.factors)
            push = solver.lam / 2 * state.prior.GU
            parts = _parts_times_U(net, solver.loss, state.factors, Extra())
            half_way = _update_S(solver.loss, state.factors, parts)
            one_sided = _update_U(net, solver.loss, half_way, Extra(push_U=push), None)
            rises += dense_objective(solver, "degree", one_sided) > before * (1 + 1e-9)
            state = solver.step(state)
    assert rises > 0


def test_prior_pulls_scores_down():
    plain = solve(DirectSolver(KARATE, SquaredLoss(0.3), 3), np.random.default_rng(1), 200, 1e-9)
    values = []
    for lam in (0.003, 0.03, 0.3):
        solver = DirectSolver(KARATE, SquaredLoss(0.3), 3, make_prior("degree", KARATE), lam)
        fit = solve(solver, np.random.default_rng(1), 200, 1e-9)
        values.append(lp.theory.degree_prior(dense(fit.state.factors), KARATE.degrees))
    assert lp.theory.degree_prior(dense(plain.state.factors), KARATE.degrees) > values[0]
    assert values[0] > values[1] > values[2]


# ---- one pass over row blocks ------------------------------------------------------------------


def naive_G(X, degrees, alpha):
    """½(B + Bᵀ), B_ij = b_i(rank of j in row i)."""
    p = len(X)
    table, B = lp.theory.rank_weights(degrees, p - 1, alpha), np.zeros((p, p))
    for i in range(p):
        others = sorted((j for j in range(p) if j != i), key=lambda j: (-X[i, j], j))
        B[i, others] = table[i]
    return (B + B.T) / 2


@pytest.mark.parametrize("alpha", [0.5, 1.0, 2.0])
@pytest.mark.parametrize("p", [2, 7, 90, 300])  # 300: several blocks, compiled kernels
def test_ranked_pass_is_the_dense_formula(p, alpha):
    factors = random_factors(p, p)
    degrees = np.random.default_rng(p).integers(1, p, p)
    X = dense(factors)
    found = ranked_pass(factors, DegreePrior(degrees, alpha))
    assert found.value == pytest.approx(lp.theory.degree_prior(X, degrees, alpha), rel=1e-10)
    np.testing.assert_allclose(found.GU, naive_G(X, degrees, alpha) @ factors.U, rtol=1e-10)


def test_ranked_pass_does_not_depend_on_the_number_of_workers():
    factors, prior = random_factors(700, 1), DegreePrior(np.arange(700) % 9 + 1)
    passes = [ranked_pass(factors, prior, workers) for workers in (1, 2, 5)]
    for other in passes[1:]:
        assert other.value == passes[0].value
        np.testing.assert_array_equal(other.GU, passes[0].GU)


@pytest.mark.parametrize("name", ["l1", "scale-free"])
@pytest.mark.parametrize("p", [2, 9, 60])
def test_flat_pass_is_the_dense_formula(p, name):
    factors = random_factors(p, p)
    prior, X = make_prior(name, None), dense(factors)
    off = X - np.diag(np.diagonal(X))
    g = np.ones(p) if name == "l1" else 1 / (off.sum(axis=1) + prior.epsilon)
    G = (g[:, None] + g) / 2
    np.fill_diagonal(G, 0.0)
    found = flat_pass(factors, prior)
    assert found.value == pytest.approx(dense_prior(name, prior, X), rel=1e-10)
    np.testing.assert_allclose(found.GU, G @ factors.U, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("name", PRIORS)
def test_linearisation_bounds_the_prior_from_above(name):
    """prior(Y) ≤ prior(X) + ⟨G(X), Y − X⟩: what makes the descent work."""
    for seed in range(20):
        here, there = random_factors(8, seed), random_factors(8, 100 + seed)
        degrees = np.random.default_rng(seed).integers(1, 8, 8)
        prior = DegreePrior(degrees) if name == "degree" else make_prior(name, None)
        found = (flat_pass if prior.flat else ranked_pass)(here, prior)
        X, Y = dense(here), dense(there)
        if name == "degree":
            G = naive_G(X, degrees, 1.0)
        else:
            g = prior.scale(here.row_sums())
            G = (g[:, None] + g) / 2 * ~np.eye(8, dtype=bool)
        np.testing.assert_allclose(found.GU, G @ here.U)  # it is this G that the solver uses
        bound = found.value + (G * (Y - X)).sum()
        assert dense_prior(name, prior, Y) <= bound + 1e-9


# ---- the loop ----------------------------------------------------------------------------------


def test_converged_means_that_the_last_steps_stood_still():
    for prior in (None, *(make_prior(name, KARATE) for name in PRIORS)):
        solver = DirectSolver(KARATE, SquaredLoss(0.3), 2, prior, 0.01, workers=1)
        fit = solve(solver, np.random.default_rng(3), 2000, 1e-5)
        assert fit.status == "converged"
        assert fit.n_iter < 2000
        values = [m.objective for m in fit.history]
        assert max(values[-4:]) - min(values[-4:]) <= 1e-5 * values[-1]
        assert max(values[-5:-1]) - min(values[-5:-1]) > 1e-5 * values[-2]  # not a step later


def test_max_iter_means_that_it_still_moved():
    solver = DirectSolver(KARATE, SquaredLoss(0.3), 2, make_prior("degree", KARATE), 0.01)
    fit = solve(solver, np.random.default_rng(3), 5, 1e-9)
    assert fit.status == "max_iter"
    assert fit.n_iter == 5
    assert fit.history[-2].objective - fit.history[-1].objective > 1e-9 * fit.history[-1].objective


def test_a_method_without_prior_cannot_stop_after_one_step():
    """A residual that is 0 from the start says nothing; a trial of the paper ended that way."""
    idle = [Measure(5.0, 0.0, 0.0)]
    for number in range(1, 4):
        assert not settled(idle * number, 1.0)
    assert settled(idle * 4, 1e-12)
    moving = [Measure(v, 0.0, 0.0) for v in (9.0, 5.0, 4.0, 3.5, 3.2)]
    assert not settled(moving, 1e-2)
    fit = solve(DirectSolver(KARATE, SquaredLoss(0.3), 3), np.random.default_rng(0), 60, 1e-6)
    assert fit.n_iter > 20
    assert fit.history[-1].objective < 0.7 * fit.history[1].objective


@pytest.mark.parametrize(("primal", "dual"), [(0.0, 0.1), (0.1, 0.0), (0.1, 0.1)])
def test_a_large_residual_keeps_a_still_objective_going(primal, dual):
    assert not settled([Measure(5.0, primal, dual)] * 9, 1e-3)
    assert settled([Measure(5.0, 1e-4, 1e-4)] * 9, 1e-3)


def test_history_begins_with_the_start():
    solver = DirectSolver(KARATE, SquaredLoss(0.3), 2, start=random_factors(34, 5, 2))
    fit = solve(solver, np.random.default_rng(0), 7, 0.0)
    assert len(fit.history) == 8
    start = lp.theory.pu_loss(dense(random_factors(34, 5, 2)), KARATE, 0.3)
    assert fit.history[0].objective == pytest.approx(start)


def test_an_objective_that_is_no_number_is_an_error():
    class Broken(DirectSolver):
        def measure(self, state):
            return Measure(np.nan)

    with pytest.raises(LinkpriorError, match="nan at step 1"):
        solve(Broken(KARATE, SquaredLoss(0.3), 2), np.random.default_rng(0), 5, 1e-6)


def test_weight_zero_is_the_plain_method():
    plain = DirectSolver(KARATE, SquaredLoss(0.3), 3)
    idle = DirectSolver(KARATE, SquaredLoss(0.3), 3, make_prior("degree", KARATE), 0.0)
    fits = [solve(s, np.random.default_rng(4), 20, 1e-9) for s in (plain, idle)]
    np.testing.assert_array_equal(fits[0].state.factors.U, fits[1].state.factors.U)
    assert fits[0].history == fits[1].history


def test_random_start_has_the_density_of_the_network():
    state = DirectSolver(KARATE, SquaredLoss(0.3), 4).init(np.random.default_rng(6))
    assert dense(state.factors).mean() == pytest.approx(78 / (34 * 33 / 2), rel=1e-9)
    np.testing.assert_array_equal(state.factors.S, state.factors.S.T)


# ---- the methods of the experiments ------------------------------------------------------------


def first_start(seed):
    """The generator of a predictor's first random start."""
    return np.random.default_rng(np.random.SeedSequence(seed).spawn(1)[0])


@pytest.mark.parametrize(
    ("name", "prior", "params"),
    [
        ("tri", None, {}),
        ("tri-l1", L1Prior(), {"lam": 0.02}),
        ("tri-scale", ScaleFreePrior(0.5), {"lam": 0.02, "epsilon": 0.5}),
    ],
)
def test_predictor_is_the_solver_with_its_prior(name, prior, params):
    model = lp.make(name, rank=3, rho=0.2, n_starts=1, max_iter=25, tol=0.0, seed=7, **params)
    scores = model.fit(KARATE).score_rows(0, 34)
    solver = DirectSolver(KARATE, SquaredLoss(0.2), 3, prior, params.get("lam", 0.0))
    X = dense(solve(solver, first_start(7), 25, 0.0).state.factors)
    off = ~np.eye(34, dtype=bool)
    np.testing.assert_allclose(scores[off], X[off], rtol=1e-9)


def test_tri_degree_by_streaming_is_the_solver_with_the_degree_prior():
    model = lp.make(
        "tri-degree",
        solver="streaming",
        rank_by="factors",
        **{"rank": 3, "rho": 0.2, "lam": 0.02, "alpha": 0.7, "c": 1.5},
        **{"n_starts": 1, "warmup": 0, "max_iter": 25, "tol": 0.0, "seed": 7},
    )
    scores = model.fit(KARATE).score_rows(0, 34)
    prior = DegreePrior(lp.theory.estimate_degrees(KARATE, c=1.5), 0.7)
    solver = DirectSolver(KARATE, SquaredLoss(0.2), 3, prior, 0.02)
    X = dense(solve(solver, first_start(7), 25, 0.0).state.factors)
    off = ~np.eye(34, dtype=bool)
    np.testing.assert_allclose(scores[off], X[off], rtol=1e-9)


def test_predicted_edges_are_the_largest_entries_above_the_diagonal():
    """The paper's rule, "the largest K entries of the upper-diagonal", observed edges left out."""
    model = lp.make("tri", rank=3, n_starts=2, max_iter=20).fit(KARATE)
    X, free = model.score_rows(0, 34), KARATE.adjacency.toarray() == 0
    pairs = [(i, j) for i in range(34) for j in range(i + 1, 34) if free[i, j]]
    best = sorted(pairs, key=lambda pair: -X[pair])[:40]
    found = model.predict_edges(40)
    assert [tuple(pair) for pair in found.pairs.tolist()] == best
    np.testing.assert_allclose(found.scores, [X[pair] for pair in best])
