"""One contract for every predictor of the registry, and for those over other models."""

import copy
import inspect
import json
import pickle
from dataclasses import dataclass, field

import numpy as np
import pytest
from sklearn.base import clone
from tests.predictors.small import all_scores, non_edges

import linkprior as lp
from linkprior.errors import InputError, NotFittedError, ParameterError, StoreError
from linkprior.predictors import evidence
from linkprior.predictors.estimate import expected_bytes
from linkprior.predictors.meta import as_predictor
from linkprior.predictors.registry import DEFAULT_MODEL, MODELS, find, make
from linkprior.ranking.recall import measure_recall

SMALL = {"n_starts": 2, "max_iter": 6, "warmup": 6, "effort": "fast", "most": 3, "seed": 7}
WRAPPED = [
    ("degree:l3", {"weights": "learned"}),
    ("degree:ra", {"passes": 4}),
    ("degree:katz", {"tau": "inf"}),
    ("degree:pu", {"tau": "inf", "passes": 1}),
    ("consensus:tri", {"resample": 0.3}),
    ("consensus:degree:pu", {}),
    ("degree:consensus:tri", {"resample": 0.2}),
]
VARIANTS = [
    *((name, {}) for name in MODELS),
    ("auto", {"objective": "dc_auroc", "holdouts": 1}),
    ("pu", {"inner": "exact"}),
    ("nuclear-degree", {"trace": 10.0, "prior_bound": 80.0, "rank_by": "x"}),
    ("tri", {"loss": "poisson"}),
    ("tri-l1", {"solver": "admm"}),
    ("tri-scale", {"solver": "admm"}),
    ("tri-degree", {"solver": "streaming"}),
    ("tri-degree", {"solver": "streaming", "average": "scores"}),
    ("tri-degree", {"rank_by": "x", "loss": "poisson"}),
    ("tri-degree", {"rank_by": "factors", "warmup": 0}),
    ("tri-degree", {"average": "scores"}),
    ("tri-degree", {"weights": "learned"}),
    *WRAPPED,
]
every = pytest.mark.parametrize(
    ("name", "params"), VARIANTS, ids=[f"{n}{p or ''}" for n, p in VARIANTS]
)
NAMES = [*MODELS, *(name for name, _ in WRAPPED)]
named = pytest.mark.parametrize("name", NAMES)
_fitted = {}


def build(name, params):
    known = find(name).parameter_names()
    return make(name, **{**{k: v for k, v in SMALL.items() if k in known}, **params})


def fitted(name, params, net):
    """A model that is fitted once, for the tests that only look at it."""
    key = name, repr(params), net.digest
    if key not in _fitted:
        _fitted[key] = build(name, params).fit(net)
    return _fitted[key]


def networks():
    return {
        "star": lp.Network.from_edges([(0, leaf) for leaf in range(1, 9)]),
        "complete": lp.Network.from_edges([(i, j) for i in range(6) for j in range(i)]),
        "disconnected": lp.Network.from_edges(
            [(0, 1), (1, 2), (0, 2), (3, 4), (5, 6)], nodes=range(9)
        ),
        "two nodes": lp.Network.from_edges([("a", "b")]),
        "three nodes": lp.Network.from_edges([("a", "b"), ("b", "c")]),
    }


@every
def test_a_fit_leaves_parameters_untouched_and_forgets_the_one_before(name, params, planted):
    model = build(name, params)
    before = model.get_params()
    assert model.fit(networks()["star"]) is model
    model.fit(planted)
    assert all(value is before[key] for key, value in model.get_params().items())
    expected = fitted(name, params, planted)
    assert all_scores(model).tobytes() == all_scores(expected).tobytes()
    assert model.learned_.facts == expected.learned_.facts


@every
@pytest.mark.parametrize("kind", networks())
def test_scores_are_symmetric_and_finite_on_odd_networks(name, params, kind):
    net = networks()[kind]
    model = build(name, params).fit(net)
    scores = all_scores(model)
    assert scores.shape == (net.n_nodes, net.n_nodes)
    assert np.isfinite(scores).all()
    np.testing.assert_allclose(scores, scores.T, rtol=1e-5, atol=1e-6)
    assert (scores.diagonal() == 0).all()
    ranking = model.predict_edges(10**6)
    assert len(ranking) == net.n_non_edges


@every
def test_pairs_rows_and_blocks_agree(name, params, planted):
    model = fitted(name, params, planted)
    scores = all_scores(model)
    i, j = np.triu_indices(planted.n_nodes, 1)
    pairs = np.stack([i, j], axis=1)
    by_pair = model.score_pairs(pairs)
    np.testing.assert_allclose(by_pair, scores[i, j], rtol=1e-5, atol=1e-6)
    assert (model.score_pairs(pairs[:, ::-1]) == by_pair).all()
    model._rows(7, 12)[:] = -1.0  # a block is fresh: its caller may write into it
    np.testing.assert_allclose(model.score_rows(7, 12), scores[7:12], rtol=1e-5, atol=1e-6)


@every
def test_predictions_are_new_unique_sorted_and_tied_by_pair(name, params, planted):
    model = fitted(name, params, planted)
    ranking = model.predict_edges(planted.n_non_edges + 5)
    assert len(ranking) == planted.n_non_edges
    i, j = ranking.pairs.T
    assert (i < j).all()
    assert (planted.adjacency.toarray()[i, j] == 0).all()
    assert len({*map(tuple, ranking.pairs.tolist())}) == len(ranking)
    order = np.lexsort((j, i, -ranking.scores))
    assert (order == np.arange(len(ranking))).all()
    first = model.predict_edges(17)
    assert (first.pairs == ranking.pairs[:17]).all()
    assert len(model.predict_edges(0)) == 0


@every
def test_names_in_the_same_order_change_nothing_but_the_names(name, params, planted):
    one = fitted(name, params, planted).predict_edges(50)
    renamed = planted.rename([f"<{n}>" for n in planted.names])
    other = build(name, params).fit(renamed).predict_edges(50)
    assert (one.pairs == other.pairs).all()
    assert one.scores.tobytes() == other.scores.tobytes()
    assert one.names != other.names


def as_another_file(net, seed=0):
    """The same network as if read from a file of other lines: nodes, edges and ends moved."""
    rng = np.random.default_rng(seed)
    edges = rng.permuted(rng.permutation(net.edges), axis=1)
    edges = [[net.names[end] for end in pair] for pair in edges.tolist()]
    nodes = rng.permutation(np.array(net.names)).tolist()
    return lp.Network.from_edges([*edges, *edges[:9]], nodes=nodes)


@every
def test_the_order_of_nodes_edges_and_ends_changes_nothing(name, params, planted, tmp_path):
    one, other_file = fitted(name, params, planted), as_another_file(planted)
    assert other_file.names != planted.names
    model = build(name, params).fit(other_file)
    assert model.network_ is other_file
    ranking = one.predict_edges(50)
    model.save(tmp_path / "model")
    loaded = lp.load(tmp_path / "model")
    through_bytes = pickle.loads(pickle.dumps(model))  # noqa: S301
    for other in (model, loaded, through_bytes, copy.deepcopy(model)):
        again = other.predict_edges(50)
        assert again.names == ranking.names
        assert again.scores.tobytes() == ranking.scores.tobytes()
        assert other.network_.digest == other_file.digest
        assert other.summary() == one.summary()
        assert other.get_params() == one.get_params()
    columns = (dict(columns_of(m, r)) for m, r in ((one, ranking), (model, again)))
    assert next(columns) == next(columns)


def columns_of(model, ranking):
    return ((name, column.tolist()) for name, column in evidence.columns(model, ranking).items())


@every
def test_positions_are_those_of_the_network_given(name, params, planted):
    one, other_file = fitted(name, params, planted), as_another_file(planted)
    model = build(name, params).fit(other_file)
    at = [planted.index_of(name) for name in other_file.names]
    scores = all_scores(one)[at][:, at]
    np.testing.assert_allclose(all_scores(model), scores, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(model.score_rows(7, 12), scores[7:12], rtol=1e-5, atol=1e-6)
    assert model.score_rows(3, 3).shape == (0, planted.n_nodes)
    ranking = model.predict_edges(40)
    assert (model.score_pairs(ranking.pairs) == one.score_pairs(ranking.names)).all()
    assert all(source < target for source, target in ranking.names)
    why, expected = model.explain(ranking.pairs[:5]), one.explain(ranking.names[:5])
    assert why.to_frame().equals(expected.to_frame())
    assert (why.pairs == ranking.pairs[:5]).all()


@pytest.mark.parametrize("name", ["pa", "l3", "tri", "degree:pu"])
def test_candidates_do_not_depend_on_the_order_of_nodes(name, planted):
    files = planted, as_another_file(planted)
    few = planted.names[:25]
    lists = {"within": few, "around": few[:3], "exclude": [few[:2], few[5:3:-1]]}
    kinds = ["paths3", *["knn"] * find(name).has_factors]
    found = []
    for net in files:
        model = build(name, {}).fit(net)
        asked = [
            lp.Candidates.of(net, **lists),
            *(lp.nearby_pairs(net, kind, 3, seed=5) for kind in kinds),
            lp.nearby_pairs(net, "paths3", 3, within=few),
        ]
        rankings = [model.predict_edges(30, one) for one in asked]
        shares = [measure_recall(model, *pair, 30) for pair in zip(asked[1:], rankings[1:])]  # noqa: B905
        found.append([[one.names for one in rankings], shares])
    assert found[0] == found[1]


def test_side_information_moves_along_with_the_nodes(planted):
    rng = np.random.default_rng(1)
    older = planted.hide(planted.edges[::4])
    net = planted.with_weights(rng.uniform(0.2, 1.0, planted.n_edges))
    net = net.with_negatives([tuple(map(int, pair)) for pair in non_edges(planted)[:20]])
    other_file = net.arranged(rng.permutation(net.n_nodes))
    assert other_file.sorted().digest == net.digest
    other_older = older.arranged(rng.permutation(net.n_nodes))
    with_history = net.with_history(older, planted)
    other_history = other_file.with_history(other_older, planted)
    assert other_history.sorted().digest == with_history.sorted().digest == with_history.digest
    for name, one, other in (
        ("degree:pu", net, other_file),
        ("auto", with_history, other_history),
        ("auto", with_history, with_history.with_history(other_older, planted)),
    ):
        expected = build(name, {}).fit(one).predict_edges(30)
        found = build(name, {}).fit(other).predict_edges(30)
        assert found.names == expected.names
        assert found.scores.tobytes() == expected.scores.tobytes()


@pytest.mark.parametrize("prior", ["tri-degree", "nuclear-degree", "degree:l3"])
@pytest.mark.parametrize("kind", [list, tuple, np.array, dict])
def test_degrees_are_given_in_the_order_of_the_nodes(prior, kind, planted, tmp_path):
    aims = dict(zip(planted.names, np.random.default_rng(2).integers(1, 30, planted.n_nodes)))  # noqa: B905
    rankings = []
    for net in (planted, as_another_file(planted)):
        degrees = {name: int(aims[name]) for name in net.names}
        degrees = degrees if kind is dict else kind(list(degrees.values()))
        model = build(prior, {"degrees": degrees}).fit(net)
        assert model.get_params()["degrees"] is degrees
        model.save(tmp_path / "model")
        for one in (model, lp.load(tmp_path / "model")):
            ranking = one.predict_edges(30)
            rankings.append((ranking.names, ranking.scores.tobytes()))
            given = one.get_params()["degrees"]
            assert dict(given) == degrees if kind is dict else list(given) == list(degrees)
    assert len({repr(ranking) for ranking in rankings}) == 1


def test_ties_go_by_the_names_of_both_nodes():
    net = lp.Network.from_edges([("d", "hub"), ("a", "hub"), ("c", "hub"), ("B", "hub")])
    ranking = make("cn").fit(net).predict_edges(None)
    assert set(ranking.scores) == {1.0}
    ends = [("B", "a"), ("B", "c"), ("B", "d"), ("a", "c"), ("a", "d"), ("c", "d")]
    assert ranking.names == ends  # by code points: capitals come first
    assert ranking.pairs[:2].tolist() == [[4, 2], [4, 3]]


@dataclass
class Table:
    """An estimator with scores of its own, numbered as the network given is."""

    scores: np.ndarray
    degrees: list
    seen: list = field(default_factory=list)

    def get_params(self, deep=True):
        return {"degrees": self.degrees}

    def set_params(self, degrees):
        self.degrees = degrees

    def fit(self, network):
        self.seen.append(network)

    def score_pairs(self, pairs):
        assert (pairs[:, 0] < pairs[:, 1]).all()
        return self.scores[tuple(pairs.T)] + np.take(self.degrees, pairs).sum(axis=1)


def test_estimators_of_others_see_the_network_as_it_is_given(planted):
    net, p = as_another_file(planted), planted.n_nodes
    scores = np.triu(np.random.default_rng(0).integers(0, 3, (p, p)))
    model = as_predictor(Table(scores, list(range(p)))).fit(net)
    assert model._in_order()._cached_estimator.seen == [net]
    expected = scores + scores.T + np.add.outer(np.arange(p), np.arange(p))
    np.fill_diagonal(expected, 0)
    for one in (model, pickle.loads(pickle.dumps(model))):  # noqa: S301
        np.testing.assert_array_equal(all_scores(one), expected)
        assert one.get_params() == {"degrees": list(range(p))}
        ranking = one.predict_edges(300)
        assert (ranking.scores == expected[tuple(ranking.pairs.T)]).all()
        names = np.array(ranking.names)
        order = np.lexsort((names[:, 1], names[:, 0], -ranking.scores))
        assert (order == np.arange(300)).all()


def test_a_model_saved_before_nodes_were_sorted_predicts_as_it_did(planted, tmp_path):
    net = as_another_file(planted)
    old = make("l3")
    old._remember(net, old._fit(net))  # as fit did then
    old.save(tmp_path / "old")
    assert json.loads((tmp_path / "old" / "manifest.json").read_text())["network"]["names"] == [
        *net.names
    ]
    loaded = lp.load(tmp_path / "old")
    for model in (old, loaded):
        ranking = model.predict_edges(40)
        assert (ranking.pairs[:, 0] < ranking.pairs[:, 1]).all()
        order = np.lexsort((*ranking.pairs.T[::-1], -ranking.scores))
        assert (order == np.arange(40)).all()
    now = make("l3").fit(net)
    np.testing.assert_allclose(all_scores(loaded), all_scores(now), rtol=1e-12)
    lp.predict_links(net, 5, loaded)


def test_every_fit_inside_a_fit_sees_sorted_nodes(planted, monkeypatch):
    seen, fit = [], lp.LinkPredictor.fit

    def watched(self, network):
        seen.append(network)
        return fit(self, network)

    monkeypatch.setattr(lp.LinkPredictor, "fit", watched)
    net = as_another_file(planted)
    learned = {"weights": "learned"}
    for name, params in (
        ("auto", {}), ("degree:l3", learned), ("tri-degree", learned), ("consensus:tri", {}),
    ):  # fmt: skip
        seen.clear()
        build(name, params).fit(net)
        assert seen[0] is net
        assert len(seen) > 1
        assert all(one.sorted() is one for one in seen[1:])


@pytest.mark.at_length
@every
def test_same_seed_same_bytes_for_any_number_of_workers(name, params):
    net = lp.planted_network(n_nodes=320, n_groups=5, mean_degree=6, seed=1)
    results = []
    for workers in (1, 2, 4):
        with lp.use_workers(workers):
            ranking = build(name, params).fit(net).predict_edges(300)
        results.append((ranking.pairs.tobytes(), ranking.scores.tobytes()))
    assert results[0] == results[1] == results[2]


@every
def test_explain_splits_the_score_and_ranks_it(name, params, planted):
    model = fitted(name, params, planted)
    pairs = [(5, 2), (0, 9), (2, 30)]
    why = model.explain(pairs)
    np.testing.assert_allclose(why.score, model.score_pairs(pairs))
    np.testing.assert_allclose(why.base + why.prior, why.score, atol=1e-12)
    scores = all_scores(model)
    for at, (i, j) in enumerate([(2, 5), (0, 9), (2, 30)]):
        others = np.delete(scores[i], i)
        assert why.rank_for_source[at] == 1 + (others > scores[i, j]).sum()
        others = np.delete(scores[j], j)
        assert why.rank_for_target[at] == 1 + (others > scores[j, i]).sum()
    assert list(why.to_frame()["source"]) == [planted.names[i] for i in (2, 0, 2)]


@every
def test_saved_models_and_copies_give_the_same_scores(name, params, planted, tmp_path):
    model = fitted(name, params, planted)
    scores = all_scores(model)
    model.save(tmp_path / "model")
    model.save(tmp_path / "model")  # a second time replaces the first
    assert [p.name for p in tmp_path.iterdir()] == ["model"]
    through_bytes = pickle.loads(pickle.dumps(model))  # noqa: S301
    twin = copy.deepcopy(model)
    for same in (lp.load(tmp_path / "model"), through_bytes, twin):
        assert type(same) is type(model)
        assert same.get_params() == model.get_params()
        assert same.network_.digest == planted.digest
        assert same.summary() == model.summary()
        assert all_scores(same).tobytes() == scores.tobytes()
    for array in twin.learned_.arrays.values():
        array[...] = 0
    assert all_scores(model).tobytes() == scores.tobytes()


@named
def test_a_clone_has_the_parameters_and_nothing_learned(name, planted):
    model = fitted(name, {}, planted)
    twin = clone(model)
    assert type(twin) is type(model)
    assert twin.get_params(deep=True) == model.get_params(deep=True)
    assert (model.fitted, twin.fitted) == (True, False)
    assert not pickle.loads(pickle.dumps(twin)).fitted  # noqa: S301
    twin = copy.deepcopy(model).set_params(**model.get_params())
    assert not twin.fitted  # new parameters need a new fit


@pytest.mark.parametrize("name", ["auto", "pa", "degree:l3"])
def test_without_fit_or_without_edges_there_is_an_error(name, planted, tmp_path):
    model = build(name, {})
    for ask in (lambda: model.predict_edges(3), lambda: model.save(tmp_path / "m")):
        with pytest.raises(NotFittedError, match="call fit"):
            ask()
    model.fit(planted)
    with pytest.raises(InputError, match="no edge: there is nothing to learn"):
        model.fit(lp.Network.from_edges([], nodes="abc"))
    assert not model.fitted  # nothing half-fitted, nothing stale
    for nodes in ("", "a"):
        with pytest.raises(InputError, match="no pair to predict"):
            model.fit(lp.Network.from_edges([], nodes=nodes))
    with pytest.raises(InputError, match="expected a linkprior Network, .*; got int"):
        model.fit(5)


def test_bad_questions_are_refused(planted):
    model = make("pa").fit(planted)
    with pytest.raises(InputError, match="two different nodes"):
        model.score_pairs([(3, 3)])
    with pytest.raises(InputError, match="node numbers"):
        model.score_pairs([(0, planted.n_nodes)])
    with pytest.raises(ParameterError, match="k must be"):
        model.predict_edges(-1)
    with pytest.raises(ParameterError, match="stop must be"):
        model.score_rows(3, 2)
    for bad in (float("nan"), float("inf"), "0.5", True):
        with pytest.raises(ParameterError, match="threshold must be"):
            model.predict_edges(threshold=bad)


# Values that no model takes; where a parameter needs more than these, by the name of the model.
BAD = {
    "rank": (0, 61, 2.5, "many"),
    "rho": (0.0, 1.0, 1.5, float("nan")),
    "lam": (-1.0,),
    "mu": (-1.0,),
    "eta": (0.0,),
    "alpha": (-0.1, 1001.0),
    "H": ("cube",),
    "prox": ("magic",),
    "passes": (0,),
    "sweeps": (0,),
    "list_size": (0,),
    "c": (-1.0, 0.0),
    "n_edges": (0,),
    "degrees": ("magic",),
    "start": ("magic",),
    "n_starts": (0, "many"),
    "max_iter": (0, "many"),
    "tol": (-1.0, float("nan")),
    "seed": (-1,),
    "loss": ("hinge",),
    "solver": ("magic",),
    "rank_by": ("luck",),
    "average": ("median",),
    "warmup": (-1,),
    "epsilon": (0.0,),
    "tau": (-1.0, float("nan")),
    "inner": ("magic",),
    "cg_steps": (0,),
    "weights": ("leaned", None),
    "isolated": ("no",),
    "effort": ("none", None),
    "objective": ("luck",),
    "hidden": (0.0, 0.95, "half", float("nan")),
    "missing": (0.0, 1.0),
    "holdouts": (-1, 2.5, 1001),
    "time_limit": (0.0, -1.0, "long", float("nan")),
    "beta": (0.0, 1.0, float("nan")),
    "steps": (0, 2.5),
    "noise": (0.0,),
    "threshold": (-1.0,),
    "n": (0,),
    "share": (0.0, 1.0),
    "n_blocks": (0, 61),
    "max_blocks": (0,),
    "trace": (0, -1.0, float("inf"), float("nan"), "10", True),
    "prior_bound": (0.0, -1.0, "10"),
    "most": (0, 2.5),
    "least": (0,),
    "settled": (0.0, 1.5),
    "resample": (-0.1, 1.0),
}
MORE = {
    "pu": [("lam", 0.0)],
    "degree:l3": [("tau", "much"), ("tau", 1e9), ("tau", True)],
    "nuclear-degree": [("eta", 1e-300)],
}


@named
def test_bad_parameters_are_named_before_the_work_and_leave_nothing_fitted(name, planted):
    known = set(find(name).parameter_names())
    cases = [(key, value) for key in sorted(known & set(BAD)) for value in BAD[key]]
    for key, value in [*cases, *MORE.get(name, [])]:
        with pytest.raises(ParameterError, match=rf"\b{key} must be .*") as problem:
            build(name, {key: value}).fit(planted)
        assert "\n" not in str(problem.value)
        if value == "many":
            with pytest.raises(ParameterError, match=rf"\b{key} must be"):
                expected_bytes(build(name, {key: value}), planted)
    model = build(name, {})
    if cases:
        model.fit(planted).set_params(**dict(cases[:1]))
        with pytest.raises(ParameterError):
            model.fit(planted)
        assert not model.fitted


@named
def test_parameters_are_those_of_the_constructor_and_shown_where_they_differ(name):
    cls, model = find(name), make(name)
    signature = inspect.signature(cls).parameters
    if not cls.presets:
        assert list(model.get_params(deep=True)) == list(signature)
    defaults = model.get_params(deep=False)
    assert repr(model) == f"{cls.__name__}()"
    given = {k: v for k, v in SMALL.items() if k in defaults and v != defaults[k]}
    model = make(name, **given)
    again = eval(repr(model), {cls.__name__: cls})  # noqa: S307 – our own text
    assert again.get_params() == model.get_params()
    assert all(f"{key}={value!r}" in repr(model) for key, value in given.items())
    assert repr(model).count("=") == len(given)


@named
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


def test_unknown_names_suggest_the_nearest():
    with pytest.raises(ParameterError, match=r"no model is called 'tri-degre'. Did you mean tri-d"):
        make("tri-degre")
    with pytest.raises(ParameterError, match=r"no parameter 'rnk'. Did you mean rank\?"):
        make("tri", rnk=3)


def test_the_default_model_is_in_the_registry():
    assert DEFAULT_MODEL in MODELS
    assert inspect.signature(lp.predict_links).parameters["model"].default == DEFAULT_MODEL


def test_fit_takes_what_other_libraries_hold(planted):
    nx = pytest.importorskip("networkx")
    graph = nx.from_scipy_sparse_array(planted.adjacency)
    numbered = planted.rename(map(str, range(planted.n_nodes)))
    expected = all_scores(make("l3").fit(numbered)).tobytes()
    for given in (graph, planted.adjacency, planted.adjacency.toarray()):
        model = make("l3").fit(given)
        assert all_scores(model).tobytes() == expected
        assert model.network_.names == tuple(str(i) for i in range(planted.n_nodes))
    matrix = np.zeros((5, 5))
    matrix[1, 2] = matrix[2, 4] = 1
    assert make("pa").fit(matrix).score_rows(0, 5).shape == (5, 5)  # nodes without an edge stay


@pytest.mark.parametrize("name", MODELS)
def test_numpy_numbers_are_numbers(name, planted, tmp_path):
    """They fit, save and give the scores of the same Python numbers."""
    kinds = {int: np.int64, float: np.float32}
    plain = build(name, {})
    params = {
        key: kinds[type(value)](value) if type(value) in kinds else value
        for key, value in plain.get_params().items()
    }
    same = make(
        name, **{k: v.item() if isinstance(v, np.generic) else v for k, v in params.items()}
    )
    scores = all_scores(make(name, **params).fit(planted))
    assert scores.tobytes() == all_scores(same.fit(planted)).tobytes()
    make(name, **params).fit(planted).save(tmp_path / "m")
    assert all_scores(lp.load(tmp_path / "m")).tobytes() == scores.tobytes()


def test_a_fit_that_blows_up_is_an_error(planted):
    with np.errstate(all="ignore"), pytest.raises(lp.LinkpriorError, match="not finite"):
        make("nuclear-degree", tau=1e300).fit(planted)


# ---------------------------------------------------------------------- damaged folders


@pytest.fixture
def saved(planted, tmp_path):
    folder = tmp_path / "model"
    make("pa").fit(planted).save(folder)
    return folder


def rewrite(folder, **changes):
    manifest = json.loads((folder / "manifest.json").read_text())
    (folder / "manifest.json").write_text(json.dumps({**manifest, **changes}))


def test_a_missing_or_incomplete_folder_is_refused(saved, tmp_path):
    with pytest.raises(StoreError, match=r"no manifest\.json"):
        lp.load(tmp_path / "nowhere")
    (saved / "arrays.safetensors").unlink()
    with pytest.raises(StoreError, match=r"no arrays\.safetensors"):
        lp.load(saved)


def test_damaged_arrays_are_refused(saved):
    data = bytearray((saved / "arrays.safetensors").read_bytes())
    data[-1] ^= 1
    (saved / "arrays.safetensors").write_bytes(data)
    with pytest.raises(StoreError, match="damaged"):
        lp.load(saved)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"format": "other"}, "not the manifest of a linkprior model"),
        ({"format_version": 99}, "format version 99"),
        ({"params": {"x": 1}}, "damaged or was edited"),
        ({"model": "tri"}, "damaged or was edited"),
        ({"facts": None}, "damaged or was edited"),
    ],
)
def test_a_spoilt_manifest_is_refused(saved, changes, message):
    rewrite(saved, **changes)
    with pytest.raises(lp.LinkpriorError, match=message):
        lp.load(saved)


def test_a_manifest_that_is_no_json_is_refused(saved):
    (saved / "manifest.json").write_text("{")
    with pytest.raises(StoreError, match="cannot be read"):
        lp.load(saved)


@pytest.mark.parametrize("beside", [{}, {"manifest.json": '{"name": "a web extension"}'}])
def test_save_never_overwrites_what_is_no_model(planted, tmp_path, beside):
    for name, text in {"thesis.tex": "precious", **beside}.items():
        (tmp_path / name).write_text(text)
    with pytest.raises(StoreError, match="not a saved model"):
        make("pa").fit(planted).save(tmp_path)
    assert (tmp_path / "thesis.tex").read_text() == "precious"


def test_save_never_removes_files_put_next_to_a_model(saved, planted):
    (saved / "notes.txt").write_text("precious")
    with pytest.raises(StoreError, match="not a saved model"):
        make("pa").fit(planted).save(saved)
    assert (saved / "notes.txt").read_text() == "precious"


def test_a_failed_save_leaves_the_old_model(saved, planted, monkeypatch):
    before = (saved / "manifest.json").read_bytes()

    def full_disk(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("linkprior.io.store.os.fsync", full_disk)
    with pytest.raises(OSError, match="No space left"):
        make("pa").fit(planted).save(saved)
    assert (saved / "manifest.json").read_bytes() == before
    assert [p.name for p in saved.parent.iterdir()] == ["model"]


def test_pairs_may_be_given_by_name(planted):
    model = make("pa").fit(planted)
    a, b = planted.names[3], planted.names[8]
    assert model.score_pairs([(a, b)]) == model.score_pairs([(3, 8)])
    assert model.explain([(b, a)]).names == [(a, b)]
    with pytest.raises(InputError, match="no node is called 'nobody'"):
        model.score_pairs([(a, "nobody")])
    for ragged in ([(0, 1), (2,)], [(0, 1, 2)]):
        with pytest.raises(InputError, match="pairs must"):
            model.score_pairs(ragged)
