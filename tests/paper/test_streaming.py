"""Direct descent on Eq. `regularized_objective`: F(USUᵀ) + λ·prior(USUᵀ) over row blocks.

The objective is written out densely here, so that the solver does not judge itself.
"""

import numpy as np
import pytest
from tests.paper import dense
from tests.paper.dense import (
    KARATE,
    PRIORS,
    half_sum,
    make_prior,
    prior_value,
    product,
    random_factors,
    weights_by_rank,
)

import linkprior as lp
from linkprior import parallel
from linkprior.model.losses import LOSSES, SquaredLoss
from linkprior.model.priors import DegreePrior, L1Prior, ScaleFreePrior
from linkprior.solvers import direct
from linkprior.solvers.base import Measure, settled, solve
from linkprior.solvers.direct import DirectSolver, flat_pass, ranked_pass


def dense_objective(solver, factors):
    X = product(factors)
    name = "squared" if isinstance(solver.loss, SquaredLoss) else "poisson"
    value = dense.loss(name, X, solver.net, solver.loss.rho)
    return value + solver.lam * prior_value(solver.prior, X)


def random_network(seed):
    p = int(np.random.default_rng(seed).integers(6, 25))
    return dense.gnm(p, 2 * p, seed)


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
            values.append(dense_objective(solver, state.factors))
            assert solver.measure(state).objective == pytest.approx(values[-1], rel=1e-9)
            state = solver.step(state)
        assert (np.diff(values) <= 1e-10 * np.abs(values[:-1])).all(), f"seed {seed}"
        assert values[-1] < values[0]


# ---- one pass over row blocks ------------------------------------------------------------------


def slope_of(X, degrees, alpha=1.0):
    """½(B + Bᵀ), B_ij = b_i(rank of j in row i)."""
    return half_sum(weights_by_rank(X, lp.theory.rank_weights(degrees, len(X) - 1, alpha)))


@pytest.mark.parametrize("alpha", [0.5, 1.0, 2.0])
@pytest.mark.parametrize("p", [2, 7, 90, 300])  # 300: several blocks, compiled kernels
def test_ranked_pass_is_the_dense_formula(p, alpha):
    factors = random_factors(p, p)
    degrees = np.random.default_rng(p).integers(1, p, p)
    X = product(factors)
    found = ranked_pass(factors, DegreePrior(degrees, alpha))
    assert found.value == pytest.approx(lp.theory.degree_prior(X, degrees, alpha), rel=1e-10)
    np.testing.assert_allclose(found.GU, slope_of(X, degrees, alpha) @ factors.U, rtol=1e-10)


def test_ranked_pass_does_not_depend_on_the_number_of_workers():
    factors, prior = random_factors(700, 1), DegreePrior(np.arange(700) % 9 + 1)
    passes = [ranked_pass(factors, prior, workers) for workers in (1, 2, 5)]
    for other in passes[1:]:
        assert other.value == passes[0].value
        np.testing.assert_array_equal(other.GU, passes[0].GU)


@pytest.mark.parametrize(
    ("most", "sizes"), [(1, [4]), (2, [2, 2]), (3, [2, 2]), (4, [1] * 4), (9, [1] * 4)]
)
def test_four_blocks_in_groups_make_the_same_pass(monkeypatch, most, sizes):
    """Groups are runs of as many blocks each, at most as many as are allowed."""
    monkeypatch.setattr(parallel, "_BLOCK_ENTRIES", 1)
    monkeypatch.setattr(direct, "GROUPS", most)
    groups = direct.block_groups(34)
    assert [len(group) for group in groups] == sizes
    assert [block for group in groups for block in group] == parallel.blocks(34)
    factors, degrees = random_factors(34), KARATE.degrees
    found = ranked_pass(factors, DegreePrior(degrees, 0.7), workers=1)
    X = product(factors)
    assert found.value == pytest.approx(lp.theory.degree_prior(X, degrees, 0.7))
    np.testing.assert_allclose(found.GU, slope_of(X, degrees, 0.7) @ factors.U, rtol=1e-10)


@pytest.mark.parametrize("name", ["l1", "scale-free"])
@pytest.mark.parametrize("p", [2, 9, 60])
def test_flat_pass_is_the_dense_formula(p, name):
    factors = random_factors(p, p)
    prior, X = make_prior(name, None), product(factors)
    off = dense.without_diagonal(X)
    g = np.ones(p) if name == "l1" else 1 / (off.sum(axis=1) + prior.epsilon)
    G = dense.without_diagonal((g[:, None] + g) / 2)
    found = flat_pass(factors, prior)
    assert found.value == pytest.approx(prior_value(prior, X), rel=1e-10)
    np.testing.assert_allclose(found.GU, G @ factors.U, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("name", PRIORS)
def test_linearisation_bounds_the_prior_from_above(name):
    """prior(Y) ≤ prior(X) + ⟨G(X), Y − X⟩: what makes the descent work."""
    for seed in range(20):
        here, there = random_factors(8, seed), random_factors(8, 100 + seed)
        degrees = np.random.default_rng(seed).integers(1, 8, 8)
        prior = DegreePrior(degrees) if name == "degree" else make_prior(name, None)
        found = (flat_pass if prior.flat else ranked_pass)(here, prior)
        X, Y = product(here), product(there)
        if name == "degree":
            G = slope_of(X, degrees)
        else:
            g = prior.scale(here.row_sums())
            G = (g[:, None] + g) / 2 * ~np.eye(8, dtype=bool)
        np.testing.assert_allclose(found.GU, G @ here.U)  # it is this G that the solver uses
        bound = found.value + (G * (Y - X)).sum()
        assert prior_value(prior, Y) <= bound + 1e-9


@pytest.mark.parametrize("name", PRIORS)
def test_only_a_prior_without_ranks_tells_its_value_at_new_factors(name):
    """One with ranks would need a pass over all pairs."""
    solver = DirectSolver(KARATE, SquaredLoss(0.4), 2, make_prior(name, KARATE), 0.05)
    value = solver._extra(solver.init(np.random.default_rng(0))).value
    if name == "degree":
        assert value is None
    else:
        new = random_factors(34, 1)
        expected = 0.05 * prior_value(solver.prior, product(new))
        assert value(new) == pytest.approx(expected)


# ---- the loop ----------------------------------------------------------------------------------


def test_a_method_without_prior_cannot_stop_after_one_step():
    """A residual that is 0 from the start says nothing; a trial of the paper ended that way."""
    assert not settled([Measure(5.0, 0.0, 0.0)] * 3, 1.0)
    fit = solve(DirectSolver(KARATE, SquaredLoss(0.3), 3), np.random.default_rng(0), 60, 1e-6)
    assert fit.n_iter > 20
    assert fit.history[-1].objective < 0.7 * fit.history[1].objective


def test_history_begins_with_the_start_that_is_given():
    start = random_factors(34, 5, 2)
    solver = DirectSolver(KARATE, SquaredLoss(0.3), 2, start=start)
    fit = solve(solver, np.random.default_rng(0), 7, 0.0)
    assert len(fit.history) == 8
    assert fit.history[0].objective == pytest.approx(lp.theory.pu_loss(product(start), KARATE, 0.3))


@pytest.mark.parametrize("weight", [{}, {"lam": 0.0}])
def test_weight_zero_is_the_plain_method(weight):
    plain = DirectSolver(KARATE, SquaredLoss(0.3), 3)
    idle = DirectSolver(KARATE, SquaredLoss(0.3), 3, make_prior("degree", KARATE), **weight)
    fits = [solve(s, np.random.default_rng(4), 20, 1e-9) for s in (plain, idle)]
    np.testing.assert_array_equal(fits[0].state.factors.U, fits[1].state.factors.U)
    assert fits[0].history == fits[1].history


def test_random_start_has_the_density_of_the_network():
    state = DirectSolver(KARATE, SquaredLoss(0.3), 4).init(np.random.default_rng(6))
    assert product(state.factors).mean() == pytest.approx(78 / (34 * 33 / 2), rel=1e-9)
    np.testing.assert_array_equal(state.factors.S, state.factors.S.T)


# ---- the methods of the experiments ------------------------------------------------------------


STREAMED = {"solver": "streaming", "rank_by": "factors", "warmup": 0, "alpha": 0.7, "c": 1.5}


@pytest.mark.parametrize(
    ("name", "prior", "params"),
    [
        ("tri", None, {}),
        ("tri-l1", L1Prior(), {"lam": 0.02}),
        ("tri-scale", ScaleFreePrior(0.5), {"lam": 0.02, "epsilon": 0.5}),
        (
            "tri-degree",
            DegreePrior(lp.theory.estimate_degrees(KARATE, c=1.5), 0.7),
            {"lam": 0.02, **STREAMED},
        ),
    ],
)
def test_predictor_is_the_solver_with_its_prior(name, prior, params):
    model = lp.make(name, rank=3, rho=0.2, n_starts=1, max_iter=25, tol=0.0, seed=7, **params)
    scores = model.fit(KARATE).score_rows(0, 34)
    solver = DirectSolver(KARATE, SquaredLoss(0.2), 3, prior, params.get("lam", 0.0))
    first_start = np.random.default_rng(np.random.SeedSequence(7).spawn(1)[0])
    X = product(solve(solver, first_start, 25, 0.0).state.factors)
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
