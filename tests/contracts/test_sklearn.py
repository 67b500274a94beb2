"""scikit-learn's habits: parameters in, clone, grids, short names on the screen."""

import copy
import inspect

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import ParameterGrid

import linkprior as lp
from linkprior.errors import InputError, ParameterError
from linkprior.evaluation.splits import uniform
from linkprior.predictors.registry import DEFAULT_MODEL, MODELS, find, make

QUICK = {"n_starts": 1, "max_iter": 3, "warmup": 3, "effort": "fast", "seed": 7}
every = pytest.mark.parametrize("name", MODELS)


def quick(name):
    known = find(name).parameter_names()
    return make(name, **{key: value for key, value in QUICK.items() if key in known})


@every
def test_clone_has_the_parameters_and_nothing_learned(name, planted):
    model = quick(name).fit(planted)
    twin = clone(model)
    assert twin is not model
    assert type(twin) is type(model)
    assert twin.get_params(deep=True) == model.get_params(deep=True)
    assert model.fitted
    assert not twin.fitted
    scores = model.score_rows(0, planted.n_nodes)
    assert twin.fit(planted).score_rows(0, planted.n_nodes).tobytes() == scores.tobytes()


@every
def test_parameters_are_those_of_the_constructor(name):
    model, signature = make(name), inspect.signature(find(name))
    assert list(model.get_params(deep=True)) == list(signature.parameters)
    for key, value in model.get_params(deep=False).items():
        assert value is signature.parameters[key].default


@every
def test_set_params_returns_the_model_and_refuses_unknown_names_whole(name):
    model = make(name)
    before = model.get_params()
    assert model.set_params() is model
    assert model.set_params(**before) is model
    with pytest.raises(ParameterError, match="has no parameter 'sed'"):
        model.set_params(**before, sed=3)
    if "seed" in before:
        with pytest.raises(ParameterError, match=r"Did you mean seed\?|Did you mean seed or"):
            model.set_params(seed=3, sed=3)
        assert model.seed == before["seed"]
        assert model.set_params(seed=3).get_params() == {**before, "seed": 3}


@every
def test_repr_shows_what_differs_from_the_defaults_and_builds_the_model_again(name):
    cls = find(name)
    assert repr(make(name)) == f"{cls.__name__}()"
    model = quick(name)
    defaults = make(name).get_params()
    known = {key: QUICK[key] for key in QUICK.keys() & defaults if QUICK[key] != defaults[key]}
    again = eval(repr(model), {cls.__name__: cls})  # noqa: S307 – our own text
    assert again.get_params() == model.get_params()
    assert all(f"{key}={value!r}" in repr(model) for key, value in known.items())
    assert repr(model).count("=") == len(known)


@every
def test_deep_copies_are_fitted_and_independent(name, planted):
    model = quick(name).fit(planted)
    before = model.score_rows(0, planted.n_nodes)
    twin = copy.deepcopy(model)
    assert twin.score_rows(0, planted.n_nodes).tobytes() == before.tobytes()
    for array in twin.learned_.arrays.values():
        array[...] = 0
    assert model.score_rows(0, planted.n_nodes).tobytes() == before.tobytes()
    twin.set_params()
    assert model.fitted


@every
def test_fit_takes_what_other_libraries_hold(name, planted):
    nx = pytest.importorskip("networkx")
    graph = nx.from_scipy_sparse_array(planted.adjacency)
    expected = quick(name).fit(planted).score_rows(0, planted.n_nodes).tobytes()
    for given in (graph, planted.adjacency, planted.adjacency.toarray()):
        model = quick(name).fit(given)
        assert model.score_rows(0, planted.n_nodes).tobytes() == expected
        assert model.network_.names == tuple(str(i) for i in range(planted.n_nodes))


@every
def test_fit_refuses_nonsense_and_forgets(name, planted):
    model = quick(name).fit(planted)
    with pytest.raises(InputError, match="expected a linkprior Network, .*; got int"):
        model.fit(5)
    assert not model.fitted


def test_fit_keeps_nodes_without_an_edge_so_that_rows_stay_rows():
    matrix = np.zeros((5, 5))
    matrix[1, 2] = matrix[2, 4] = 1
    model = make("pa").fit(matrix)
    assert model.score_rows(0, 5).shape == (5, 5)
    assert model.score_pairs([(2, 4)]).tolist() == [2.0]


def test_a_loop_over_a_grid_finds_the_best_parameters(planted):
    """As a user would write it; the best by hand is the best of the grid."""
    split = uniform(planted, 0.8, seed=1, rule="connected")
    hidden = {tuple(pair) for pair in split.hidden.tolist()}
    base = make("tri", n_starts=1, max_iter=20)
    found = {}
    for params in ParameterGrid({"rank": [2, 4], "rho": [0.1, 0.5]}):
        model = clone(base).set_params(**params).fit(split.train)
        pairs = model.predict_edges(len(hidden)).pairs.tolist()
        found[params["rank"], params["rho"]] = sum(tuple(pair) in hidden for pair in pairs)
    assert len(found) == 4
    assert not base.fitted
    for (rank, rho), hits in found.items():
        fresh = make("tri", n_starts=1, max_iter=20, rank=rank, rho=rho).fit(split.train)
        pairs = fresh.predict_edges(len(hidden)).pairs.tolist()
        assert hits == sum(tuple(pair) in hidden for pair in pairs)
    assert max(found.values()) > 0


def test_the_default_model_is_in_the_registry():
    assert DEFAULT_MODEL in MODELS
    assert isinstance(make(DEFAULT_MODEL), find(DEFAULT_MODEL))
    assert inspect.signature(lp.predict_links).parameters["model"].default == DEFAULT_MODEL
