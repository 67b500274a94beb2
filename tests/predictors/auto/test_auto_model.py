"""auto as a whole: what it learns, stores and says, on odd networks too."""

import copy
from itertools import combinations

import networkx as nx
import numpy as np
import pytest
from tests.predictors.small import all_scores, every_pair

import linkprior as lp
from linkprior.errors import NotFittedError
from linkprior.predictors.auto import auto as module
from linkprior.predictors.auto.holdout import OBJECTIVES
from linkprior.predictors.paths import L3


@pytest.fixture(scope="module")
def network():
    """Large enough to learn from, small enough for the portable kernels."""
    return lp.planted_network(n_nodes=130, n_groups=4, mean_degree=9, seed=5)


@pytest.fixture(scope="module")
def fitted(network):
    return lp.make("auto", effort="fast", holdouts=3).fit(network)


def test_another_seed_hides_other_edges(network, fitted):
    other = lp.make("auto", effort="fast", holdouts=3, seed=1).fit(network)
    assert other.learned_.facts["validation"] != fitted.learned_.facts["validation"]


def test_scores_of_pairs_and_of_rows_are_the_same_and_symmetric(network, fitted):
    matrix = all_scores(fitted)
    np.testing.assert_array_equal(matrix, matrix.T)
    pairs = every_pair(network)
    np.testing.assert_array_equal(fitted.score_pairs(pairs), matrix[tuple(pairs.T)])
    without_matrix = copy.deepcopy(fitted)
    assert "_cached_matrix" not in without_matrix.__dict__
    np.testing.assert_array_equal(without_matrix.score_pairs(pairs), matrix[tuple(pairs.T)])


def test_a_network_too_large_to_hold_all_scores_is_scored_in_blocks(fitted, monkeypatch):
    matrix = all_scores(fitted)
    streaming = copy.deepcopy(fitted)
    assert "_cached_matrix" not in streaming.__dict__
    monkeypatch.setattr(module.Auto, "_held_up_to", 10)
    # Blocks of another shape add up in another order: of float32, a last digit here and there.
    found = all_scores(streaming)
    np.testing.assert_allclose(found, matrix, atol=1e-3)
    assert np.isclose(found, matrix, atol=1e-4).mean() > 0.999
    assert "_cached_matrix" not in streaming.__dict__
    held, streamed = fitted.predict_edges(50), streaming.predict_edges(50)
    np.testing.assert_allclose(streamed.scores, held.scores, atol=1e-4)
    assert len({*map(tuple, held.pairs.tolist())} & {*map(tuple, streamed.pairs.tolist())}) >= 48


# ---------------------------------------------------------------------- keeping


def test_a_saved_model_scores_the_same_without_fitting_again(fitted, tmp_path, monkeypatch):
    fitted.save(tmp_path / "model")
    monkeypatch.setattr(module.Auto, "_fit", lambda *_: pytest.fail("fitted again"))
    again = lp.load(tmp_path / "model")
    ranked = again.predict_edges(20)
    np.testing.assert_array_equal(
        again.probabilities(ranked.scores), fitted.probabilities(ranked.scores)
    )
    np.testing.assert_array_equal(
        again.expected_hits(ranked.scores), fitted.expected_hits(ranked.scores)
    )


def test_new_parameters_drop_what_was_learned(fitted):
    model = copy.deepcopy(fitted).set_params(hidden=0.2)
    assert not model.fitted
    for ask in (model.probabilities, model.expected_hits):
        with pytest.raises(NotFittedError):
            ask(np.zeros(2))
    with pytest.raises(NotFittedError):
        model.score_threshold(0.5)
    with pytest.raises(NotFittedError):
        model.summary()


# ---------------------------------------------------------------------- parameters


def test_without_the_prior_no_feature_has_it(network, fitted):
    assert any(label.startswith("prior:") for label in fitted.learned_.facts["stack"]["labels"])
    model = fitted.without_prior()
    assert model.get_params() == {**fitted.get_params(), "prior": False}
    model.fit(network)
    labels = model.learned_.facts["stack"]["labels"]
    assert not any(label.startswith("prior:") for label in labels)
    assert not any(".rows." in name for name in model.learned_.arrays)
    assert len(labels) == len(model.learned_.facts["sources"])


@pytest.mark.parametrize("objective", OBJECTIVES)
def test_each_objective_states_its_own_measure(planted, objective, monkeypatch):
    drawn = []
    plain = module.draw
    monkeypatch.setattr(module, "draw", lambda *given: drawn.append(given[-1]) or plain(*given))
    model = lp.make("auto", effort="fast", objective=objective).fit(planted)
    assert drawn == [{"auprc": 0.0, "recall": 0.0, "dc_auroc": 1.0}[objective]] * 3
    measure = {"auprc": "AUPRC", "recall": "recall at 5 %", "dc_auroc": "similar degree"}[objective]
    text = " ".join(model.summary())
    assert measure in text or "no learned combination" in text or "too little" in text


def test_more_effort_asks_more_models_more_often(planted):
    sources, rounds = [], []
    for effort in ("fast", "normal", "thorough"):
        model = lp.make("auto", effort=effort)
        sources.append({source.label for source in model._choose(planted).sources})
        rounds.append(model._rounds(planted))
    assert sources[0] < sources[1] < sources[2]
    assert rounds == sorted(set(rounds))
    model = lp.make("auto", effort="normal", holdouts=1).fit(planted)
    assert set(model.learned_.facts["sources"]) == sources[1]


def test_edges_are_hidden_more_often_where_each_time_they_are_few():
    def rounds(degree):
        return lp.make("auto")._rounds(lp.planted_network(600, mean_degree=degree))

    assert rounds(4) == 10
    assert rounds(4) > rounds(8) > rounds(20) == 5


@pytest.mark.parametrize("holdouts", [0, 1])
def test_few_hold_outs_choose_without_learning(planted, holdouts):
    model = lp.make("auto", effort="fast", holdouts=holdouts, hidden=0.4).fit(planted)
    facts, words = model.learned_.facts, model.summary()
    assert len(facts["hidden"]) == holdouts
    if holdouts:
        stack = facts["stack"]
        label = stack["labels"][stack["column"]] if stack["kind"] == "source" else stack["kind"]
        assert label == next(iter(facts["validation"]))
        assert "1 time and" in words[0]
        assert words[1].startswith("too little to learn from: ranked by")
    else:
        assert facts["stack"]["kind"] == "prior"
        assert words[0].startswith("no edge was hidden")
        assert model.probabilities(np.zeros(3)) is None
        assert model.expected_hits(np.zeros(3)) is None
        assert model.score_threshold(0.5) == 0.5


# ---------------------------------------------------------------------- what to expect


def test_probabilities_follow_scores_and_the_share_taken_to_be_missing(network, fitted):
    ranked = fitted.predict_edges(200)
    probabilities = fitted.probabilities(ranked.scores)
    assert (np.diff(probabilities) <= 1e-12).all()
    assert ((probabilities > 0) & (probabilities < 1)).all()
    more = lp.make("auto", effort="fast", holdouts=3, missing=0.3).fit(network)
    np.testing.assert_array_equal(more.predict_edges(200).pairs, ranked.pairs)
    ratio = (0.3 / 0.7) / (0.1 / 0.9)
    low = probabilities * ratio < 0.6  # where nothing is cut off at the highest probability stated
    assert low.sum() > 100
    np.testing.assert_allclose(more.probabilities(ranked.scores)[low], (probabilities * ratio)[low])


def test_score_threshold_keeps_the_pairs_of_at_least_that_probability(fitted):
    ranked = fitted.predict_edges(300)
    probabilities = fitted.probabilities(ranked.scores)
    wanted = float(probabilities[40])
    kept = ranked.scores >= fitted.score_threshold(wanted) - 1e-9
    np.testing.assert_array_equal(kept, probabilities >= wanted - 1e-9)
    mean, low, high = fitted.expected_hits(ranked.scores)
    np.testing.assert_allclose(mean, np.cumsum(probabilities))
    assert (low <= mean).all()
    assert (mean <= high).all()


def test_all_links_taken_together_are_about_as_many_as_are_taken_to_be_missing(network, fitted):
    """Of all links a tenth is missing: an edge for every nine that are observed."""
    every = fitted.predict_edges(None)
    expected = network.n_edges / 9
    assert fitted.probabilities(every.scores).sum() == pytest.approx(expected, rel=0.3)


# ----------------------------------------------------------------------
# Networks that leave little or nothing to learn: an answer or one clear line, never NaN.


def numbered(edges, p):
    return lp.Network.from_indices(list(edges), [f"n{i}" for i in range(p)])


def of(graph):
    return lp.Network.from_networkx(nx.convert_node_labels_to_integers(graph))


def random(p, share, seed):
    return nx.gnp_random_graph(p, share, seed=seed)


ODD = {
    "two nodes": lambda: numbered([(0, 1)], 2),
    "three nodes, one edge": lambda: numbered([(0, 1)], 3),
    "three nodes, two edges": lambda: numbered([(0, 1), (1, 2)], 3),
    "triangle": lambda: numbered([(0, 1), (1, 2), (0, 2)], 3),
    "star": lambda: of(nx.star_graph(20)),
    "stars": lambda: of(nx.disjoint_union_all([nx.star_graph(k) for k in (3, 8, 15, 30)])),
    "path": lambda: of(nx.path_graph(40)),
    "tree": lambda: of(nx.balanced_tree(3, 4)),
    "matching": lambda: numbered([(2 * i, 2 * i + 1) for i in range(20)], 40),
    "complete": lambda: of(nx.complete_graph(12)),
    "complete, larger": lambda: of(nx.complete_graph(30)),
    "complete less one": lambda: numbered([*combinations(range(15), 2)][1:], 15),
    "clique and nodes alone": lambda: numbered(combinations(range(15), 2), 25),
    "bipartite": lambda: of(nx.complete_bipartite_graph(9, 14)),
    "two components": lambda: of(nx.disjoint_union(random(40, 0.2, 1), random(30, 0.2, 2))),
    "five edges": lambda: numbered([(0, 1), (1, 2), (0, 2), (3, 4), (5, 6)], 9),
    "cycle": lambda: of(nx.cycle_graph(60)),
    "cycle, larger": lambda: of(nx.cycle_graph(300)),
    "hub of all": lambda: of(nx.compose(nx.star_graph(60), random(61, 0.08, 4))),
    "wheel": lambda: of(nx.wheel_graph(50)),
}
NOTHING_HIDDEN = {"two nodes", "three nodes, one edge", "three nodes, two edges", "star", "stars"}
NOTHING_HIDDEN |= {"matching"}
# Hidden edges join components here, and missing links close cycles.
TREES = {"path", "tree", "cycle", "cycle, larger"}


@pytest.mark.parametrize("name", ODD)
def test_an_odd_network_has_finite_scores_and_true_words(name):
    net = ODD[name]()
    model = lp.make("auto", effort="fast").fit(net)
    scores = model.score_rows(0, net.n_nodes)
    assert np.isfinite(scores).all()
    np.testing.assert_array_equal(scores, scores.T)
    ranked = model.predict_edges(None)
    assert len(ranked.pairs) == net.n_non_edges
    assert not {*map(tuple, ranked.pairs.tolist())} & {*map(tuple, net.edges.tolist())}
    probabilities = model.probabilities(ranked.scores)
    if probabilities is not None:
        assert ((probabilities >= 0) & (probabilities < 1)).all()
        assert all(np.isfinite(part).all() for part in model.expected_hits(ranked.scores))
    check_words(model, name)


def check_words(model, name):
    facts, words = model.learned_.facts, model.summary()
    assert (not facts["hidden"]) == (name in NOTHING_HIDDEN | TREES)
    first = words[1 if facts["hidden"] else 0]
    if name in TREES:
        assert "join two parts of the network, as in a tree" in first
        assert first.endswith("nothing could be learned: ranked by katz alone")
        assert model.probabilities(np.zeros(1)) is None
    elif not facts["hidden"]:
        assert first.startswith("no edge was hidden, so nothing could be learned: ranked by ")
        assert model.probabilities(np.zeros(1)) is None
    elif sum(facts["hidden"]) < 20:
        rules = {
            "prior": "prior-weighted ranks of all models",
            "fusion": "plain fusion of all ranks",
        }
        kind = (
            "fusion" if name == "triangle" else "prior"
        )  # left with pa alone
        assert first == f"too few hidden edges to choose by: ranked by the {rules[kind]}"
        assert facts["stack"]["kind"] == kind
    elif "stack" not in facts["validation"]:
        assert first.startswith("too little to learn from: ranked by ")
        assert first.endswith("best at finding hidden edges")
    elif facts["stack"]["kind"] == "stack":
        assert facts["validation"]["stack"] == max(facts["validation"].values())
        assert first.startswith("on hidden edges the learned combination reached AUPRC")
    else:
        assert facts["validation"]["stack"] < max(facts["validation"].values())
        assert first.startswith("no learned combination did better on hidden edges than ")
    assert "nan" not in " ".join(words)


@pytest.mark.parametrize(
    ("graph", "way"),
    [
        (nx.grid_2d_graph(14, 14), "katz alone"),
        (nx.barabasi_albert_graph(150, 2, seed=3), "katz with the degree prior alone"),
    ],
    ids=["alike degrees", "unequal degrees"],
)
def test_in_a_tree_the_links_that_close_cycles_are_found(graph, way):
    """Of a network with cycles a random spanning tree is observed: the rest is missing."""
    graph, rng = nx.convert_node_labels_to_integers(graph), np.random.default_rng(0)
    for _, _, edge in graph.edges(data=True):
        edge["weight"] = rng.random()
    p, tree = len(graph), nx.minimum_spanning_tree(graph)
    model = lp.make("auto", effort="fast").fit(numbered(tree.edges, p))
    assert model.summary()[0].endswith(f"ranked by {way}")
    missing = model.score_pairs([edge for edge in graph.edges if edge not in tree.edges])
    others = model.score_pairs(list(nx.complement(graph).edges))
    assert (missing[:, None] > others).mean() + 0.5 * (missing[:, None] == others).mean() > 0.65


@pytest.mark.parametrize(
    ("method", "broken", "why"),
    [
        ("_fit", lambda *_: 1 / 0, "failed (division by zero)"),
        ("_rows", lambda self, i, j: np.full((j - i, 130), np.nan), "failed (its scores are not"),
        ("_rows", lambda self, i, j: np.zeros((j - i, 130)), "gives every pair the same score"),
    ],
    ids=["raises", "not finite", "constant"],
)
def test_a_base_model_of_no_use_is_left_out_and_named(network, monkeypatch, method, broken, why):
    monkeypatch.setattr(L3, method, broken)
    model = lp.make("auto", effort="fast", holdouts=1).fit(network)
    assert model.learned_.facts["left_out"]["l3"].startswith(why)
    assert f"left out: l3: {why}" in model.summary()[-1]
    assert "l3" not in model.learned_.facts["sources"]
    assert np.isfinite(all_scores(model)).all()


def test_without_any_base_model_the_reasons_are_given(network, monkeypatch):
    monkeypatch.setattr("linkprior.predictors.auto.features._fit_source", lambda *_: 1 / 0)
    with pytest.raises(lp.LinkpriorError, match=r"no base model can be used .*pa: failed"):
        lp.make("auto", effort="fast", holdouts=1).fit(network)


@pytest.mark.parametrize("name", ["two nodes", "triangle", "five edges", "complete less one"])
@pytest.mark.parametrize("objective", ["recall", "dc_auroc"])
def test_other_objectives_have_an_answer_too(name, objective):
    net = ODD[name]()
    model = lp.make("auto", effort="fast", objective=objective, holdouts=4).fit(net)
    assert np.isfinite(model.score_rows(0, net.n_nodes)).all()


@pytest.mark.at_length
@pytest.mark.parametrize("name", ["three nodes, two edges", "five edges", "clique and nodes alone"])
def test_all_models_have_an_answer(name):
    net = ODD[name]()
    model = lp.make("auto", effort="thorough", holdouts=2).fit(net)
    assert np.isfinite(model.score_rows(0, net.n_nodes)).all()


def test_the_former_name_of_a_parameter_is_taken_with_a_warning():
    with pytest.warns(DeprecationWarning, match="exercises is now holdouts"):
        model = lp.make("auto", exercises=2)
    assert model.get_params()["holdouts"] == 2
    with pytest.warns(DeprecationWarning, match="exercises is now holdouts"):
        assert model.set_params(exercises=3).get_params()["holdouts"] == 3
