"""The predictors pu and nuclear-degree: parameters, facts, scores on every kind of network."""

from __future__ import annotations

import numpy as np
import pytest

import linkprior as lp
from linkprior import theory
from linkprior.errors import InputError, ParameterError
from linkprior.network import Network
from linkprior.predictors import completion

NAMES = ["pu", "nuclear-degree"]


def network(edges, p: int) -> Network:
    return Network.from_edges([(str(a), str(b)) for a, b in edges], nodes=map(str, range(p)))


def planted(p: int = 60) -> Network:
    """Two groups that connect inside themselves."""
    rng = np.random.default_rng(0)
    i, j = np.triu_indices(p, 1)
    kept = rng.random(len(i)) < np.where(i % 2 == j % 2, 18, 1) / p
    return network(zip(i[kept], j[kept], strict=True), p)


SHAPES = {
    "one edge": network([(0, 1)], 2),
    "path": network([(0, 1), (1, 2)], 3),
    "isolated": network([(0, 1)], 3),
    "star": network([(0, k) for k in range(1, 9)], 9),
    "complete": network([(a, b) for a in range(6) for b in range(a)], 6),
    "disconnected": network([(0, 1), (1, 2), (0, 2), (3, 4), (4, 5), (5, 6)], 8),
    "planted": planted(),
}


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("name", NAMES)
def test_scores_are_finite_and_symmetric_on_every_shape(name, shape):
    net = SHAPES[shape]
    model = lp.make(name).fit(net)
    rows = model.score_rows(0, net.n_nodes)
    assert np.isfinite(rows).all()
    np.testing.assert_allclose(rows, rows.T, rtol=1e-5, atol=1e-6)
    pairs = np.stack(np.triu_indices(net.n_nodes, 1), axis=1)
    np.testing.assert_allclose(
        model.score_pairs(pairs), rows[pairs[:, 0], pairs[:, 1]], rtol=1e-5, atol=1e-6
    )


@pytest.mark.parametrize("name", NAMES)
def test_default_penalties_leave_something_of_the_smallest_network(name):
    params = {} if name == "pu" else {"rank_by": "x"}
    model = lp.make(name, **params).fit(SHAPES["path"])
    assert model.score_pairs([(0, 1)])[0] > 0.1


@pytest.mark.parametrize("params", [{}, {"n_starts": 3}, {"inner": "exact"}], ids=str)
def test_pu_finds_planted_groups(params):
    model = lp.make("pu", rank=4, **params).fit(planted())
    best = model.predict_edges(100).pairs
    assert np.mean(best[:, 0] % 2 == best[:, 1] % 2) > 0.9


@pytest.mark.parametrize("params", [{}, {"rank_by": "x"}], ids=str)
def test_nuclear_degree_finds_planted_groups(params):
    best = lp.make("nuclear-degree", **params).fit(planted()).predict_edges(100).pairs
    assert np.mean(best[:, 0] % 2 == best[:, 1] % 2) > 0.9


@pytest.mark.parametrize("name", NAMES)
def test_fit_leaves_parameters_alone_and_refits_afresh(name):
    model = lp.make(name, seed=3)
    before = model.get_params()
    model.fit(SHAPES["star"]).fit(planted())
    fresh = lp.make(name, seed=3).fit(planted())
    assert model.get_params() == before
    for key, array in fresh.learned_.arrays.items():
        assert array.tobytes() == model.learned_.arrays[key].tobytes()
    assert model.learned_.facts == fresh.learned_.facts


@pytest.mark.parametrize("name", NAMES)
def test_workers_do_not_change_a_byte(name, monkeypatch):
    monkeypatch.setattr("linkprior.solvers.pu_als.BLOCK_ROWS", 32)
    monkeypatch.setattr("linkprior.solvers.nuclear.FULL_BELOW", 50)
    monkeypatch.setattr("linkprior.parallel._BLOCK_ENTRIES", 32 * 150)
    quick = {"max_iter": 3} if name == "nuclear-degree" else {"max_iter": 3, "n_starts": 2}
    results = []
    for workers in (1, 2, 4):
        with lp.use_workers(workers):
            results.append(lp.make(name, **quick).fit(planted(150)).score_rows(0, 150).tobytes())
    assert results[0] == results[1] == results[2]


@pytest.mark.parametrize("name", NAMES)
def test_a_saved_model_scores_the_same(name, tmp_path):
    model = lp.make(name).fit(planted())
    model.save(tmp_path / "model")
    again = lp.load(tmp_path / "model")
    assert again.score_rows(0, 60).tobytes() == model.score_rows(0, 60).tobytes()


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


BAD = [
    ("pu", "rank", 0),
    ("pu", "rank", 61),
    ("pu", "rank", 2.5),
    ("pu", "rho", 0.0),
    ("pu", "rho", 1.0),
    ("pu", "lam", -1.0),
    ("pu", "lam", 0.0),
    ("pu", "inner", "newton"),
    ("pu", "cg_steps", 0),
    ("pu", "n_starts", 0),
    ("pu", "max_iter", 0),
    ("pu", "tol", -1.0),
    ("pu", "seed", -1),
    ("nuclear-degree", "rho", 1.5),
    ("nuclear-degree", "mu", -1.0),
    ("nuclear-degree", "lam", -0.1),
    ("nuclear-degree", "alpha", -0.5),
    ("nuclear-degree", "c", 0.0),
    ("nuclear-degree", "n_edges", 0),
    ("nuclear-degree", "tau", -1.0),
    ("nuclear-degree", "rank_by", "factors"),
    ("nuclear-degree", "eta", 0.0),
    ("nuclear-degree", "max_iter", 0),
    ("nuclear-degree", "tol", float("nan")),
    ("nuclear-degree", "seed", -1),
]


@pytest.mark.parametrize(("name", "parameter", "value"), BAD, ids=str)
def test_bad_parameters_are_named(name, parameter, value):
    with pytest.raises(ParameterError, match=parameter):
        lp.make(name, **{parameter: value}).fit(planted())
