"""One contract for every predictor of the registry."""

import json

import numpy as np
import pytest

import linkprior as lp
from linkprior.errors import InputError, NotFittedError, ParameterError, StoreError
from linkprior.predictors.cost import expected_bytes
from linkprior.predictors.registry import MODELS, find, make

SMALL = {"n_starts": 2, "max_iter": 6, "warmup": 6, "effort": "fast", "seed": 7}
VARIANTS = [
    *((name, {}) for name in MODELS),
    ("auto", {"objective": "dc_auroc", "exercises": 1, "prior": False}),
    ("tri", {"loss": "poisson"}),
    ("tri-l1", {"solver": "admm"}),
    ("tri-scale", {"solver": "admm"}),
    ("tri-degree", {"solver": "streaming"}),
    ("tri-degree", {"solver": "streaming", "average": "scores"}),
    ("tri-degree", {"rank_by": "x", "loss": "poisson"}),
    ("tri-degree", {"rank_by": "factors", "warmup": 0}),
    ("tri-degree", {"average": "scores"}),
    ("tri-degree", {"weights": "learned"}),
    ("degree:l3", {"weights": "learned"}),
]
every = pytest.mark.parametrize(
    ("name", "params"), VARIANTS, ids=[f"{n}{p or ''}" for n, p in VARIANTS]
)


def build(name, params):
    known = find(name).parameter_names()
    return make(name, **{**{k: v for k, v in SMALL.items() if k in known}, **params})


def networks():
    star = lp.Network.from_edges([(0, leaf) for leaf in range(1, 9)])
    complete = lp.Network.from_edges([(i, j) for i in range(6) for j in range(i)])
    pieces = lp.Network.from_edges([(0, 1), (1, 2), (0, 2), (3, 4), (5, 6)], nodes=range(9))
    return {
        "star": star,
        "complete": complete,
        "disconnected": pieces,
        "two nodes": lp.Network.from_edges([("a", "b")]),
        "three nodes": lp.Network.from_edges([("a", "b"), ("b", "c")]),
    }


def all_scores(model):
    return model.score_rows(0, model.network_.n_nodes)


@every
def test_fit_leaves_parameters_untouched_and_returns_self(name, params, planted):
    model = build(name, params)
    before = model.get_params()
    assert model.fit(planted) is model
    after = model.get_params()
    assert all(after[key] is before[key] for key in before)


@every
def test_refit_equals_a_fresh_fit(name, params, planted):
    other = networks()["star"]
    again = build(name, params).fit(other).fit(planted)
    fresh = build(name, params).fit(planted)
    assert all_scores(again).tobytes() == all_scores(fresh).tobytes()


@every
@pytest.mark.parametrize("kind", networks())
def test_scores_are_symmetric_and_finite_on_odd_networks(name, params, kind):
    net = networks()[kind]
    model = build(name, params).fit(net)
    scores = all_scores(model)
    assert scores.shape == (net.n_nodes, net.n_nodes)
    assert np.isfinite(scores).all()
    np.testing.assert_allclose(scores, scores.T, rtol=1e-5, atol=1e-7)
    assert (scores.diagonal() == 0).all()
    ranking = model.predict_edges(10**6)
    assert len(ranking) == net.n_non_edges


@every
def test_pairs_rows_and_blocks_agree(name, params, planted):
    model = build(name, params).fit(planted)
    scores = all_scores(model)
    i, j = np.triu_indices(planted.n_nodes, 1)
    pairs = np.stack([i, j], axis=1)
    by_pair = model.score_pairs(pairs)
    np.testing.assert_allclose(by_pair, scores[i, j], rtol=1e-5, atol=1e-6)
    assert (model.score_pairs(pairs[:, ::-1]) == by_pair).all()
    np.testing.assert_allclose(model.score_rows(7, 12), scores[7:12], rtol=1e-5, atol=1e-6)


@every
def test_predictions_are_new_unique_sorted_and_tied_by_pair(name, params, planted):
    model = build(name, params).fit(planted)
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
def test_new_names_change_nothing_but_the_names(name, params, planted):
    renamed = planted.rename([f"<{n}>" for n in reversed(planted.names)])
    one, other = (build(name, params).fit(net).predict_edges(50) for net in (planted, renamed))
    assert (one.pairs == other.pairs).all()
    assert one.scores.tobytes() == other.scores.tobytes()
    assert one.names != other.names


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
    model = build(name, params).fit(planted)
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
def test_save_and_load_give_the_same_scores(name, params, planted, tmp_path):
    model = build(name, params).fit(planted)
    model.save(tmp_path / "model")
    model.save(tmp_path / "model")  # a second time replaces the first
    back = lp.load(tmp_path / "model")
    assert type(back) is type(model)
    assert back.get_params() == model.get_params()
    assert back.network_.digest == planted.digest
    assert all_scores(back).tobytes() == all_scores(model).tobytes()
    assert [p.name for p in tmp_path.iterdir()] == ["model"]


@every
def test_without_fit_or_without_edges_there_is_an_error(name, params, planted, tmp_path):
    model = build(name, params)
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


@every
def test_bad_questions_are_refused(name, params, planted):
    model = build(name, params).fit(planted)
    with pytest.raises(InputError, match="two different nodes"):
        model.score_pairs([(3, 3)])
    with pytest.raises(InputError, match="node numbers"):
        model.score_pairs([(0, planted.n_nodes)])
    with pytest.raises(ParameterError, match="k must be"):
        model.predict_edges(-1)
    with pytest.raises(ParameterError, match="stop must be"):
        model.score_rows(3, 2)


BAD = [
    ("rank", 0),
    ("rank", 61),
    ("rank", 2.5),
    ("rho", 0.0),
    ("rho", 1.0),
    ("rho", float("nan")),
    ("lam", -1.0),
    ("mu", -1.0),
    ("eta", 0.0),
    ("alpha", -0.1),
    ("alpha", 1001.0),
    ("H", "cube"),
    ("prox", "magic"),
    ("passes", 0),
    ("sweeps", 0),
    ("list_size", 0),
    ("c", -1.0),
    ("n_edges", 0),
    ("n_starts", 0),
    ("max_iter", 0),
    ("tol", -1.0),
    ("seed", -1),
    ("loss", "hinge"),
    ("solver", "magic"),
    ("rank_by", "luck"),
    ("average", "median"),
    ("warmup", -1),
    ("epsilon", 0.0),
    ("tau", -1.0),
    ("inner", "magic"),
    ("cg_steps", 0),
    ("effort", "none"),
    ("objective", "luck"),
    ("hidden", 0.0),
    ("hidden", 0.95),
    ("missing", -0.1),
    ("missing", 1.0),
    ("exercises", -1),
]


@pytest.mark.parametrize("name", MODELS)
def test_bad_parameters_are_named_and_leave_nothing_fitted(name, planted):
    known = find(name).parameter_names()
    for key, value in BAD:
        if key in known:
            model = build(name, {key: value})
            with pytest.raises(ParameterError, match=rf"\b{key} must be"):
                model.fit(planted)
            assert not model.fitted


@pytest.mark.parametrize("name", MODELS)
def test_text_for_a_number_is_refused_before_memory_is_foreseen(name, planted):
    for key in ("n_starts", "rank", "max_iter", "exercises", "hidden"):
        if key in find(name).parameter_names():
            with pytest.raises(ParameterError, match=rf"\b{key} must be"):
                expected_bytes(build(name, {key: "many"}), planted)


@pytest.mark.parametrize("name", MODELS)
def test_every_parameter_is_documented(name):
    cls = find(name)
    text = "".join(c.__doc__ or "" for c in cls.__mro__)
    for parameter in cls.parameter_names():
        assert parameter in text, f"{name}: {parameter} has no line in a docstring"
    assert cls.name == name


def test_unknown_names_suggest_the_nearest(planted):
    with pytest.raises(ParameterError, match=r"no model is called 'tri-degre'. Did you mean tri-d"):
        make("tri-degre")
    with pytest.raises(ParameterError, match=r"no parameter 'rnk'. Did you mean rank\?"):
        make("tri", rnk=3)
    with pytest.raises(ParameterError, match="no parameter 'rnk'"):
        make("tri").set_params(rnk=3)
    assert make("tri").set_params(rank=3).rank == 3


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


@pytest.mark.parametrize("name", MODELS)
def test_new_parameters_need_a_new_fit(name, planted):
    model = build(name, {}).fit(planted)
    model.set_params(**model.get_params())
    assert not model.fitted


def test_a_fit_that_blows_up_is_an_error(planted):
    with np.errstate(all="ignore"), pytest.raises(lp.LinkpriorError, match="not finite"):
        make("nuclear-degree", tau=1e300).fit(planted)


def test_predictors_pass_scikit_learns_clone():
    sklearn = pytest.importorskip("sklearn.base")
    model = make("tri-degree", rank=3, seed=9)
    assert sklearn.clone(model).get_params() == model.get_params()


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


def test_save_never_removes_files_put_beside_a_model(saved, planted):
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
