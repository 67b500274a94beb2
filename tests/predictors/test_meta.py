"""Models over other models: degree:NAME and consensus:NAME are predictors like any other."""

import numpy as np
import pytest
from tests.predictors.small import all_scores, every_pair

import linkprior as lp
from linkprior.errors import ParameterError, StoreError
from linkprior.predictors.cost import cost_of
from linkprior.predictors.estimate import expected_bytes
from linkprior.predictors.registry import MODELS, WRAPPERS, find, make
from linkprior.predictors.spaces import space_of

SMALL = {"n_starts": 1, "max_iter": 4, "warmup": 3, "most": 3, "seed": 7}
NAMES = [
    *("degree:l3", "degree:tri", "degree:dcsbm", "consensus:tri", "consensus:random"),
    *("degree:consensus:tri", "consensus:degree:pu"),
]


def build(name, params):
    known = find(name).parameter_names()
    return make(name, **{**{k: v for k, v in SMALL.items() if k in known}, **params})


# ---------------------------------------------------------------------- names and parameters


def test_a_name_always_gives_the_same_class():
    assert find("degree:l3") is find("degree:l3")
    assert find("degree:l3") is not find("degree:ra")
    assert find("degree:consensus:tri").wrapped is find("consensus:tri")
    assert find("consensus:tri").wrapped is find("tri")


def test_defaults_are_the_bases_own_but_a_member_of_a_consensus_is_one_start():
    over, base = make("degree:tri").get_params(), make("tri").get_params()
    assert {name: over[name] for name in base} == base
    assert make("consensus:tri").n_starts == 1
    assert make("consensus:tri", n_starts=4).n_starts == 4
    assert make("degree:consensus:tri", rank=3, tau=2.0).get_params().items() >= {
        ("rank", 3),
        ("tau", 2.0),
        ("n_starts", 1),
    }


@pytest.mark.parametrize("name", NAMES)
def test_parameters_are_those_of_both(name, run):
    cls = find(name)
    names = cls.parameter_names()
    assert len(set(names)) == len(names)
    assert set(cls.wrapped.parameter_names()) <= set(names)
    _, told, _ = run("models", name)
    assert all(told.count(parameter) > 1 for parameter in names)


def test_the_base_gets_the_parameters_it_is_given(planted):
    over, alone = make("degree:tri", rank=3, n_starts=1, tau=0.0), make("tri", rank=3, n_starts=1)
    scores = all_scores(alone.fit(planted))
    np.testing.assert_array_equal(all_scores(over.fit(planted)), scores)
    assert repr(over) == "DegreeOverTri(tau=0.0, rank=3, n_starts=1)"


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("degree:l33", r"no model is called 'l33'\. Did you mean l3"),
        ("degre:l3", r"no model is called 'degre:l3'\. Did you mean degree:l3"),
        ("degree:", "no model is called ''"),
        ("consensus:degree:trii", r"no model is called 'trii'\. Did you mean tri"),
        ("degree:tri-degree", "tri-degree has the degree prior already"),
        ("degree:nuclear-degree", "nuclear-degree has the degree prior already"),
        ("degree:consensus:tri-degree", "consensus:tri-degree has the degree prior already"),
        ("degree:degree:l3", "degree is given twice"),
        ("consensus:degree:consensus:tri", "consensus is given twice"),
        ("degree:" * 5000 + "l3", "degree is given twice"),
    ],
)
def test_what_cannot_be_made_is_refused_in_one_line(name, message):
    with pytest.raises(ParameterError, match=message) as problem:
        make(name)
    assert "\n" not in str(problem.value)


@pytest.mark.parametrize("kind", WRAPPERS)
def test_auto_may_be_a_base(kind, tmp_path):
    network = lp.planted_network(60, seed=1)
    model = make(f"{kind}:auto", effort="fast", holdouts=2).fit(network)
    best = model.predict_edges(20)
    assert len(best) == 20
    model.save(tmp_path / "model")
    assert lp.load(tmp_path / "model").predict_edges(20).names == best.names


def test_parameters_that_would_mean_two_things_are_refused(monkeypatch):
    from dataclasses import make_dataclass

    twice = make_dataclass(
        "Twice", [("passes", int, 3)], bases=(find("l3"),), namespace={"name": "twice"}
    )
    with pytest.raises(ParameterError, match="twice has parameters of the same name: passes"):
        find("degree:l3").__mro__[1].over(twice)


def test_models_lists_a_line_for_each_wrapper_and_all_means_plain_models(run):
    listed = run("models")[1].splitlines()
    for kind in WRAPPERS:
        assert sum(line.startswith(f"{kind}:NAME ") for line in listed) == 1
    assert not any(":" in name for name in MODELS)


# ---------------------------------------------------------------------- what comes of the base


@pytest.mark.parametrize("params", [{}, {"tau": "inf"}, {"passes": 4}], ids=str)
@pytest.mark.parametrize("name", ["degree:l3", "degree:consensus:tri"])
def test_the_base_of_a_score_is_that_of_the_base_model(name, params, planted):
    model = build(name, params).fit(planted)
    pairs = every_pair(planted)[:40]
    alone = model._new().fit(planted).score_pairs(pairs)
    np.testing.assert_array_equal(model.explain(pairs).base, alone)


@pytest.mark.parametrize("name", NAMES)
def test_what_it_takes_is_more_than_what_the_base_takes(name, planted):
    model = build(name, {})
    own, base = cost_of(model, planted), cost_of(model._new(), planted)
    assert own.fit > base.fit
    assert own.scores >= base.scores
    assert expected_bytes(model, planted) > expected_bytes(model._new(), planted)


def test_a_spoilt_file_of_a_wrapper_is_refused(planted, tmp_path):
    from linkprior.io import store

    model = make("degree:l3").fit(planted)
    model.save(tmp_path / "model")
    manifest, arrays = store.read_model(tmp_path / "model")
    for lost in ("state.base.weight", "state.penalty"):
        kept = {name: array for name, array in arrays.items() if name != lost}
        store.write_model(tmp_path / "spoilt", manifest, kept)
        with pytest.raises(StoreError, match="lacks or spoils"):
            lp.load(tmp_path / "spoilt")


# ---------------------------------------------------------------------- search and tuning


def test_the_search_has_the_axes_of_wrapper_and_base(planted):
    assert set(space_of(make("degree:l3"), planted)) == {"alpha", "c", "tau"}
    assert set(space_of(make("degree:katz"), planted)) == {"alpha", "c", "tau", "beta"}
    assert set(space_of(make("consensus:tri"), planted)) == set(space_of(make("tri"), planted))
    nested = set(space_of(make("degree:consensus:tri"), planted))
    assert nested == {"alpha", "c", "tau", *space_of(make("tri"), planted)}
    assert set(space_of(make("degree:l3", tau="inf"), planted, ["tau"])) == {"alpha", "c"}


def test_tuning_takes_a_wrapper_in_processes_as_in_threads(planted):
    found = [
        lp.tune("degree:l3", planted, trials=3, inner=1, executor=executor)
        for executor in ("threads", "processes")
    ]
    assert found[0].best_params == found[1].best_params
    assert type(found[0].model) is find("degree:l3")


def test_an_evaluation_that_is_kept_takes_an_infinite_tau(planted, tmp_path):
    models = ["pa", make("degree:ra", tau=float("inf"))]
    result = lp.evaluate(models, planted, folder=tmp_path / "kept", repeats=1)
    again = lp.evaluate(models, planted, folder=tmp_path / "kept", repeats=1)
    assert set(result.to_frame()["model"]) >= {"pa", "degree:ra"}
    assert result.to_frame().equals(again.to_frame())


def test_the_command_line_sets_parameters_of_both_and_shows_the_spread(edges, run):
    net, few = lp.read_network(edges), ["--top", "5", "--quiet"]

    def predict(model, *settings):
        given = [word for one in settings for word in ("--set", one)]
        _, out, _ = run("predict", edges, "--model", model, *given, *few)
        return [line.split("\t") for line in out.splitlines()]

    lines = predict("degree:katz", "tau=inf", "beta=0.3")
    expected = make("degree:katz", tau="inf", beta=0.3).fit(net).predict_edges(5)
    assert [line[1:3] for line in lines[1:]] == [list(pair) for pair in expected.names]
    assert "spread" not in lines[0]
    lines = predict("consensus:tri", "most=2", "rank=3")
    model = make("consensus:tri", most=2, rank=3).fit(net)
    told = [float(line[lines[0].index("spread")]) for line in lines[1:]]
    np.testing.assert_allclose(told, model.spread(model.predict_edges(5).pairs), rtol=1e-5)
