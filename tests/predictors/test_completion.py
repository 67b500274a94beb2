"""Matrix completion: pu, and nuclear-degree by penalties and by bounds."""

from __future__ import annotations

import hypothesis.strategies as st
import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from tests.predictors.small import networks, slowly

import linkprior as lp
from linkprior import theory
from linkprior.errors import InputError, ParameterError
from linkprior.network import Network
from linkprior.predictors import completion
from linkprior.predictors.completion import FEASIBLE
from linkprior.predictors.spaces import space_of

NAMES = ["pu", "nuclear-degree"]


def network(edges, p: int) -> Network:
    return Network.from_indices(list(edges), [f"n{node:02d}" for node in range(p)])


def planted(p: int = 60) -> Network:
    """Two groups that connect inside themselves."""
    rng = np.random.default_rng(0)
    i, j = np.triu_indices(p, 1)
    kept = rng.random(len(i)) < np.where(i % 2 == j % 2, 18, 1) / p
    return network(zip(i[kept], j[kept], strict=True), p)


@pytest.mark.parametrize("name", NAMES)
def test_default_penalties_leave_something_of_the_smallest_network(name):
    params = {} if name == "pu" else {"rank_by": "x"}
    model = lp.make(name, **params).fit(network([(0, 1), (1, 2)], 3))
    assert model.score_pairs([(0, 1)])[0] > 0.1


@pytest.mark.parametrize(
    ("name", "params"),
    [
        *(("pu", {"rank": 4, **more}) for more in ({}, {"n_starts": 3}, {"inner": "exact"})),
        *(("nuclear-degree", params) for params in ({}, {"rank_by": "x"})),
    ],
)
def test_planted_groups_are_found(name, params):
    best = lp.make(name, **params).fit(planted()).predict_edges(100).pairs
    assert np.mean(best[:, 0] % 2 == best[:, 1] % 2) > 0.9


def test_more_starts_are_the_mean_of_single_ones():
    several = lp.make("pu", rank=4, n_starts=2).fit(planted())
    W, H = several.learned_.arrays["W"], several.learned_.arrays["H"]
    mean = np.mean([w @ h.T + h @ w.T for w, h in zip(W, H, strict=True)], axis=0) / 2
    np.fill_diagonal(mean, 0)
    np.testing.assert_allclose(several.score_rows(0, 60), mean, atol=1e-6)


def test_nuclear_degree_is_feasible_and_tells_its_facts():
    net = planted()
    model = lp.make("nuclear-degree", lam=0.01, alpha=0.8, c=1.5).fit(net)
    X, facts = model.learned_.arrays["X"], model.learned_.facts
    degrees = theory.estimate_degrees(net, None, 1.5)
    assert X.dtype == np.float32
    assert (X == X.T).all()
    assert X.min() >= 0
    assert X.max() <= 1
    assert facts["trace_norm"] == pytest.approx(np.linalg.norm(X.astype(float), "nuc"), rel=1e-9)
    assert facts["prior"] == pytest.approx(theory.degree_prior(X, degrees, 0.8), rel=1e-12)
    value = theory.pu_loss(X, net, model.rho) + 0.01 * facts["prior"]
    value += 2 * completion.default_ridge(net) * facts["trace_norm"]
    assert facts["objective"] == pytest.approx(value, rel=1e-12)
    assert facts["status"] == "converged"
    assert max(facts["primal"], facts["dual"]) <= model.tol


def test_an_unfinished_solve_says_so():
    assert (
        lp.make("nuclear-degree", max_iter=2).fit(planted()).learned_.facts["status"] == "max_iter"
    )
    assert lp.make("pu", max_iter=2).fit(planted()).learned_.facts["status"] == ["max_iter"]


def test_nuclear_degree_explains_its_score():
    net = planted()
    model = lp.make("nuclear-degree").fit(net)
    pairs = model.predict_edges(5).pairs
    told = model.explain(pairs)
    np.testing.assert_allclose(told.score, told.base + told.prior)
    assert (told.prior < 0).all()
    plain = lp.make("nuclear-degree", rank_by="x").fit(net).explain(pairs)
    assert (plain.prior == 0).all()
    assert (lp.make("nuclear-degree", tau=0.0).fit(net).explain(pairs).prior == 0).all()


def test_nuclear_degree_refuses_large_networks_with_advice(monkeypatch):
    monkeypatch.setattr(completion, "LARGEST_NUCLEAR", 50)
    with pytest.raises(InputError, match="at most 50 nodes, got 60; use tri-degree or pu"):
        lp.make("nuclear-degree").fit(planted())


# ----------------------------------------------------------------------
# nuclear-degree under bounds t and r: feasible, told in its facts, refused, saved and tuned.


KARATE = network(nx.karate_club_graph().edges, 34)
BOUNDS = {"trace": 10.0, "prior_bound": 80.0}


def fitted(net=KARATE, **params):
    return lp.make("nuclear-degree", **params).fit(net)


def nuclear_norm(X):
    return np.linalg.norm(X.astype(np.float64), "nuc")


@slowly
@given(networks(), st.floats(0.01, 30.0), st.floats(0.01, 60.0), st.sampled_from([2, 20]))
def test_the_estimate_is_feasible_also_where_the_fit_is_not_finished(net, t, r, steps):
    model = fitted(net, trace=t, prior_bound=r, max_iter=steps, alpha=1.0)
    X, facts = model.learned_.arrays["X"], model.learned_.facts
    assert (X == X.T).all()
    assert X.min() >= 0.0
    assert X.max() <= 1.0
    assert nuclear_norm(X) <= t * (1 + FEASIBLE)
    assert theory.degree_prior(X, theory.estimate_degrees(net), 1.0) <= r * (1 + FEASIBLE)
    assert facts["feasible"] is True
    assert 0.0 < facts["scaled_by"] <= 1.0


def test_the_facts_tell_bounds_multipliers_and_what_was_reached():
    model = fitted(**BOUNDS, lam=5.0, eta=5.0)  # λ is not used
    X, facts = model.learned_.arrays["X"], model.learned_.facts
    prior = theory.degree_prior(X, theory.estimate_degrees(KARATE), model.alpha)
    assert facts["trace_norm"] == pytest.approx(nuclear_norm(X), rel=1e-9)
    assert facts["prior"] == pytest.approx(prior, rel=1e-12)
    assert facts["objective"] == pytest.approx(theory.pu_loss(X, KARATE, model.rho), rel=1e-12)
    assert (facts["trace"], facts["prior_bound"]) == (10.0, 80.0)
    assert facts["active"] == ["trace", "prior_bound"]
    assert facts["status"] == "converged"
    assert max(facts["primal"], facts["dual"]) <= model.tol
    assert 0.99 < facts["scaled_by"] <= 1.0
    same = fitted(mu=facts["mu"], lam=facts["lam"], eta=5.0).learned_.facts
    assert same["trace_norm"] == pytest.approx(10.0, rel=0.02)
    assert same["prior"] == pytest.approx(80.0, rel=0.02)
    assert not {"trace", "feasible", "scaled_by", "mu"} & set(same)


def test_one_bound_leaves_the_other_penalty():
    by_norm = fitted(trace=10.0, lam=0.02).learned_
    value = theory.pu_loss(by_norm.arrays["X"], KARATE, 0.05) + 0.02 * by_norm.facts["prior"]
    assert by_norm.facts["objective"] == pytest.approx(value, rel=1e-12)
    assert by_norm.facts["prior_bound"] is None
    assert by_norm.facts["lam"] == 0.02
    assert by_norm.facts["active"] == ["trace"]
    by_prior = fitted(prior_bound=80.0, mu=1.5).learned_
    value = theory.pu_loss(by_prior.arrays["X"], KARATE, 0.05) + 1.5 * by_prior.facts["trace_norm"]
    assert by_prior.facts["objective"] == pytest.approx(value, rel=1e-12)
    assert by_prior.facts["trace"] is None
    assert by_prior.facts["mu"] == 1.5
    assert by_prior.facts["active"] == ["prior_bound"]


def test_bounds_that_do_not_bind_give_the_observed_network():
    learned = fitted(trace=1e4, prior_bound=1e5).learned_
    off = ~np.eye(KARATE.n_nodes, dtype=bool)
    omega = KARATE.adjacency.toarray()
    np.testing.assert_allclose(learned.arrays["X"][off], omega[off], atol=1e-4)
    assert learned.facts["active"] == []
    assert (learned.facts["mu"], learned.facts["lam"], learned.facts["scaled_by"]) == (0, 0, 1)
    assert learned.facts["status"] == "converged"
    assert learned.facts["feasible"] is True


def test_x_ranks_by_the_estimate_itself():
    model = fitted(**BOUNDS, rank_by="x")
    X = model.learned_.arrays["X"].copy()
    np.fill_diagonal(X, 0.0)
    assert model.score_rows(0, 34).tobytes() == X.tobytes()
    assert fitted(**BOUNDS).score_rows(0, 34).tobytes() != X.tobytes()


def test_without_its_prior_the_bound_on_the_norm_stays():
    plain = lp.make("nuclear-degree", **BOUNDS, lam=0.5).without_prior()
    assert plain.get_params()["trace"] == 10.0
    facts = plain.fit(KARATE).learned_.facts
    assert facts["prior"] > 80.0
    assert facts["trace_norm"] <= 10.0 * (1 + FEASIBLE)
    assert (facts["lam"], facts["prior_bound"]) == (0.0, None)


@pytest.mark.parametrize("mu", [0.0, 1.0])
def test_a_penalty_together_with_its_bound_is_refused_before_the_work(mu, monkeypatch):
    monkeypatch.setattr("linkprior.predictors.completion.solve", None)
    with pytest.raises(ParameterError, match=rf"^mu must not .* got mu={mu} and trace=10\.0$"):
        fitted(trace=10.0, mu=mu)


def test_what_a_bound_replaces_is_not_searched():
    def searched(**params):
        return set(space_of(lp.make("nuclear-degree", **params), KARATE))

    every = searched()
    assert {"mu", "lam"} <= every
    assert searched(trace=10.0) == every - {"mu"}
    assert searched(prior_bound=80.0) == every - {"lam"}
    assert searched(**BOUNDS) == every - {"mu", "lam"}
    consensus = lp.make("consensus:nuclear-degree", trace=10.0)
    assert "mu" not in space_of(consensus, KARATE)
