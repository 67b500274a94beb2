"""nuclear-degree under bounds t and r: feasible, told in its facts, refused, saved and tuned."""

import hypothesis.strategies as st
import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from tests.predictors.small import networks, slowly

import linkprior as lp
from linkprior import theory
from linkprior.errors import ParameterError
from linkprior.predictors.completion import FEASIBLE
from linkprior.predictors.spaces import space_of

KARATE = lp.Network.from_networkx(nx.karate_club_graph())
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


@pytest.mark.parametrize(("mu", "lam"), [(None, 0.001), (1.0, 0.05), (2.0, 0.01)])
def test_the_bounds_of_a_penalised_fit_give_its_loss_again(mu, lam):
    precise = {"tol": 1e-4, "max_iter": 1000}
    plain = fitted(mu=mu, lam=lam, **precise).learned_
    t, r = plain.facts["trace_norm"], plain.facts["prior"]
    again = fitted(trace=t, prior_bound=r, **precise).learned_
    losses = [theory.pu_loss(one.arrays["X"], KARATE, 0.05) for one in (plain, again)]
    assert losses[1] == pytest.approx(losses[0], rel=0.01)


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


def test_the_facts_go_into_the_theorem():
    model = fitted(**BOUNDS, rho=0.9)
    facts, degrees = model.learned_.facts, theory.estimate_degrees(KARATE)
    known = {
        "rho": 0.9, "q": 0.4, "n_edges": KARATE.n_edges, "d_max": int(degrees.max()),
        "d_max_true": int(KARATE.degrees.max()), "alpha": model.alpha, "delta": 0.05,
    }  # fmt: skip
    reached = theory.recovery_bound(trace=facts["trace_norm"], prior=facts["prior"], **known)
    allowed = theory.recovery_bound(trace=facts["trace"], prior=facts["prior_bound"], **known)
    assert float(reached) <= float(allowed) * (1 + FEASIBLE)


@pytest.mark.parametrize("rank_by", ["q", "x"])
def test_both_rankings_are_there_and_saved_to_the_byte(rank_by, tmp_path):
    model = fitted(**BOUNDS, rank_by=rank_by)
    rows = model.score_rows(0, KARATE.n_nodes)
    model.save(tmp_path / "model")
    again = lp.load(tmp_path / "model")
    assert again.score_rows(0, KARATE.n_nodes).tobytes() == rows.tobytes()
    assert again.learned_.facts == model.learned_.facts
    assert again.get_params() == model.get_params()
    assert fitted(**BOUNDS, rank_by=rank_by).score_rows(0, 34).tobytes() == rows.tobytes()
    X = model.learned_.arrays["X"].copy()
    np.fill_diagonal(X, 0.0)
    assert (rows.tobytes() == X.tobytes()) is (rank_by == "x")


def test_without_its_prior_the_bound_on_the_norm_stays():
    plain = lp.make("nuclear-degree", **BOUNDS, lam=0.5).without_prior()
    assert plain.get_params()["trace"] == 10.0
    facts = plain.fit(KARATE).learned_.facts
    assert facts["prior"] > 80.0
    assert facts["trace_norm"] <= 10.0 * (1 + FEASIBLE)
    assert (facts["lam"], facts["prior_bound"]) == (0.0, None)


@pytest.mark.parametrize("name", ["trace", "prior_bound"])
@pytest.mark.parametrize("value", [0, 0.0, -1.0, float("inf"), float("nan"), "10", True])
def test_a_bound_that_is_none_is_refused_in_one_line(name, value):
    with pytest.raises(ParameterError, match=rf"^{name} must be a number in \(0, ∞\), got .*$"):
        fitted(**{name: value})


@pytest.mark.parametrize("mu", [0.0, 1.0])
def test_a_penalty_beside_its_bound_is_refused_before_the_work(mu, monkeypatch):
    monkeypatch.setattr("linkprior.predictors.completion.solve", None)
    with pytest.raises(ParameterError, match=rf"^mu must not .* got mu={mu} and trace=10\.0$"):
        fitted(trace=10.0, mu=mu)


def test_an_eta_that_single_precision_takes_for_zero_is_refused():
    with pytest.raises(ParameterError, match="^eta must be a number in"):
        fitted(eta=1e-300, mu=0.0)


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


def test_a_model_with_bounds_can_be_tuned():
    model = lp.make("nuclear-degree", **BOUNDS, max_iter=3)
    found = lp.tune(model, KARATE, 3, inner=1, prune=False)
    assert all(trial.value is not None for trial in found.trials)
    assert not {"mu", "lam"} & {name for trial in found.trials for name in trial.params}
