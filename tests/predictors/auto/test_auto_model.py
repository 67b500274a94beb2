"""auto as a whole: what it learns, stores and says, on odd networks too."""

import copy
from itertools import combinations

import networkx as nx
import numpy as np
import pytest
from tests.predictors.small import all_scores, every_pair

import linkprior as lp
from linkprior.errors import LinkpriorError, NotFittedError
from linkprior.predictors import evidence
from linkprior.predictors.auto import auto as module
from linkprior.predictors.auto import features
from linkprior.predictors.auto.calibration import FEWEST_HITS
from linkprior.predictors.auto.holdout import OBJECTIVES
from linkprior.predictors.auto.sources import choose
from linkprior.predictors.paths import L3


@pytest.fixture(scope="module")
def network():
    """Large enough to learn from, small enough for the portable kernels."""
    return lp.planted_network(n_nodes=130, n_groups=4, mean_degree=9, seed=5)


@pytest.fixture(scope="module")
def fitted(network):
    return lp.make("auto", effort="fast", holdouts=3).fit(network)


# ---------------------------------------------------------------------- chance


def chances(network, monkeypatch, seed, workers=1):
    """Return what a fit hides, draws pairs by and starts its models from, and its list."""
    hidden, drawn, starts, draw = {}, [], {}, module.draw
    find = features._fit_source

    def watched(found, holdout, others, rng_seed, *more):
        if len(holdout.hidden):
            hidden[rng_seed[1]] = holdout.hidden.tobytes()
            drawn.append(tuple(rng_seed))
        return draw(found, holdout, others, rng_seed, *more)

    def started(source, net, start, *more):
        starts.setdefault(source.label, set()).add(start)
        return find(source, net, start, *more)

    with monkeypatch.context() as patch, lp.use_workers(workers):
        patch.setattr(module, "draw", watched)
        patch.setattr(features, "_fit_source", started)
        links = lp.make("auto", effort="fast", holdouts=3, seed=seed).fit(network)
    ranking = links.predict_edges(200)
    return hidden, sorted(drawn), starts, ranking.names, ranking.scores.tobytes()


def test_the_same_seed_gives_the_same_bytes_with_any_number_of_workers(network, monkeypatch):
    one = chances(network, monkeypatch, 4)
    assert chances(network, monkeypatch, 4) == one
    assert chances(network, monkeypatch, 4, workers=2) == one


def test_another_seed_hides_draws_and_starts_otherwise(network, monkeypatch):
    one, other = (chances(network, monkeypatch, seed) for seed in (0, 1))
    for hidden, drawn, starts, *_ in (one, other):
        assert len({*hidden.values()}) == len({*drawn}) == 3
        assert len(starts["pu64"]) == 4  # all edges, and three times the rest
    assert not {*one[0].values()} & {*other[0].values()}
    assert not {*one[1]} & {*other[1]}
    assert not one[2]["pu64"] & other[2]["pu64"]
    assert one[4] != other[4]


# ---------------------------------------------------------------------- scores


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


def test_a_model_of_an_older_version_is_refused_with_what_to_do(network, tmp_path):
    model = lp.make("auto", effort="fast", holdouts=1).fit(network)
    facts = model._in_order().learned_.facts
    facts.pop("kind")
    facts["stack"] = {"kind": "stack", "labels": ["l3"]}
    model.save(tmp_path / "model")
    with pytest.raises(LinkpriorError, match="an earlier version saved this model.*: fit it again"):
        lp.load(tmp_path / "model").predict_edges(5)


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


@pytest.mark.parametrize("objective", OBJECTIVES)
def test_each_objective_states_its_own_measure(planted, objective):
    model = lp.make("auto", effort="fast", objective=objective, holdouts=3).fit(planted)
    measure = {"auprc": "AUPRC", "recall": "recall at 5 %", "dc_auroc": "similar degree"}[objective]
    said = model.summary()[1]
    assert said.startswith("on hidden edges the combination reached")
    assert measure in said


def test_links_that_degrees_do_not_predict_are_found_by_their_own_objective(network):
    found = {}
    for objective in ("auprc", "dc_auroc"):
        model = lp.make("auto", effort="fast", objective=objective, holdouts=5).fit(network)
        found[objective] = network.degrees[model.predict_edges(100).pairs].prod(axis=1).mean()
    assert found["dc_auroc"] < found["auprc"]


def test_more_effort_asks_more_models_more_often(planted):
    sources, rounds = [], []
    for effort in ("fast", "normal", "thorough"):
        model = lp.make("auto", effort=effort)
        sources.append({source.label for source in model._choose(planted).sources})
        rounds.append(model._range(planted))
    assert sources[0] < sources[1] < sources[2]
    assert rounds == sorted(set(rounds))
    model = lp.make("auto", effort="normal", holdouts=1).fit(planted)
    assert set(model.learned_.facts["sources"]) == sources[1]


def test_edges_are_hidden_until_the_top_of_the_list_holds_still(network, monkeypatch):
    def hidden(kept):
        monkeypatch.setattr(module.Auto, "_kept", lambda *_: kept.pop(0) if kept else 0.0)
        model = lp.make("auto", effort="fast").fit(network)
        return len(model.learned_.facts["hidden"]), model.summary()[0]

    assert hidden([0.96])[0] == 5
    times, said = hidden([0.9, 0.95])
    assert times == 9
    assert "9 times, until the first 100 pairs held still, and" in said
    times, said = hidden([])
    assert times == 10
    assert "10 times, and" in said


def test_where_no_edge_is_hidden_weights_of_other_networks_are_used(planted):
    model = lp.make("auto", effort="fast", holdouts=0).fit(planted)
    assert model.learned_.facts["hidden"] == []
    assert model.summary() == [
        "no edge was hidden: weights learned on other networks combine 7 base models",
        module.NO_PROBABILITIES,
    ]
    ranked = model.predict_edges(20)
    assert len(np.unique(ranked.scores)) > 10
    assert model.probabilities(ranked.scores) is None
    assert model.expected_hits(ranked.scores) is None
    assert model.probability_bounds(ranked.pairs, ranked.scores) is None
    assert model.score_threshold(0.5) == 0.5


def test_one_hold_out_is_enough_to_learn(planted):
    model = lp.make("auto", effort="fast", holdouts=1, hidden=0.3).fit(planted)
    (n_hidden,), words = model.learned_.facts["hidden"], model.summary()
    assert f"auto hid {n_hidden} edges 1 time" in words[0]
    assert "the combination reached" in words[1]
    assert model.probabilities(np.zeros(3)) is not None


# ---------------------------------------------------------------------- time


def test_models_that_are_not_fitted_in_time_are_left_out_and_named(planted):
    model = lp.make("auto", effort="fast", time_limit=1e-9).fit(planted)
    used, words = [*model.learned_.facts["sources"]], model.summary()
    assert len(used) == features.FEWEST  # some there are, however late
    assert words[0].startswith("no edge was hidden: weights learned on other networks combine")
    late = [source.label for source in choose(planted, "fast").sources if source.label not in used]
    assert words[1] == f"left out: {', '.join(late)}: not fitted within the time limit"
    assert len(model.predict_edges(20)) == 20
    assert np.isfinite(all_scores(model)).all()


def test_no_more_edges_are_hidden_when_the_time_is_over(network, monkeypatch):
    ended = []
    monkeypatch.setattr(
        module.Deadline, "passed", lambda self, share: share == module.LEARN and len(ended) >= 2
    )
    draw = module.draw
    monkeypatch.setattr(module, "draw", lambda *given: ended.append(1) or draw(*given))
    with lp.use_workers(1):
        model = lp.make("auto", effort="fast", time_limit=60.0).fit(network)
    assert len(model.learned_.facts["hidden"]) == 1  # the other draw is of the list
    assert "feature importance" in model.summary()[2]


def test_enough_time_changes_nothing(network, fitted):
    model = lp.make("auto", effort="fast", holdouts=3, time_limit=600.0).fit(network)
    assert all_scores(model).tobytes() == all_scores(fitted).tobytes()


# ---------------------------------------------------------------------- what to expect


def test_probabilities_follow_scores_and_the_share_taken_to_be_missing(network, fitted):
    ranked = fitted.predict_edges(2000)
    probabilities = fitted.probabilities(ranked.scores)
    assert (np.diff(probabilities) <= 1e-12).all()
    assert ((probabilities > 0) & (probabilities < 1)).all()
    more = lp.make("auto", effort="fast", holdouts=3, missing=0.3).fit(network).predict_edges(2000)
    np.testing.assert_array_equal(more.pairs, ranked.pairs)
    ratio = (0.3 / 0.7) / (0.1 / 0.9)
    low = probabilities * ratio < 0.2  # above, probabilities level off
    assert low.sum() > 1000
    found = fitted.probabilities(more.scores)
    np.testing.assert_allclose(found[low], (probabilities * ratio)[low], rtol=0.02)
    assert (found >= probabilities).all()


def test_bounds_enclose_the_probability_and_are_columns_of_the_evidence(network, fitted):
    ranked = fitted.predict_edges(200)
    columns = evidence.columns(fitted, ranked)
    low, p, high = (columns[f"probability{end}"] for end in ("_low", "", "_high"))
    assert (low > 0).all()
    assert (low < p).all()
    assert (p < high).all()
    assert (high < 1).all()
    again = fitted.probability_bounds(ranked.pairs[:, ::-1], ranked.scores)
    np.testing.assert_allclose(again, (low, high), rtol=1e-6)
    few = lp.make("auto", effort="fast", holdouts=3, hidden=0.02).fit(network)
    ranked = few.predict_edges(200)
    wide = np.divide(*few.probability_bounds(ranked.pairs, ranked.scores)[::-1])
    assert np.median(wide) > np.median(high / low)


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


# ---------------------------------------------------------------------- nodes without an edge


@pytest.mark.parametrize("holdouts", [0, 2])
def test_pairs_with_a_node_without_an_edge_go_by_the_degree_of_the_other_one(planted, holdouts):
    p = planted.n_nodes
    net = lp.Network.from_indices(planted.edges, [*planted.names, *"xyz"])
    k, given = net.degrees, {"effort": "fast", "holdouts": holdouts}
    one, other = (lp.make("auto", seed=seed, **given).fit(net) for seed in (0, 1))
    lonely = np.array([(i, p) for i in range(p)])
    scores = one.score_pairs(lonely)
    assert np.isfinite(all_scores(one)).all()
    assert (np.diff(scores[np.argsort(k[:p], kind="stable")]) >= 0).all()
    assert len(np.unique(scores)) == len(np.unique(k[:p]))
    np.testing.assert_array_equal(scores, other.score_pairs(lonely))
    np.testing.assert_array_equal(scores, one.score_pairs([(i, p + 2) for i in range(p)]))
    columns = evidence.columns(one, one.predict_edges(None))
    assert ("probability" in columns) == (holdouts > 0)
    if holdouts:
        probabilities = one.probabilities(scores)
        assert ((probabilities > 0) & (probabilities < 0.1)).all()
        low, high = one.probability_bounds(lonely, scores)
        assert ((low <= probabilities) & (probabilities <= high)).all()


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
    "two triangles": lambda: of(nx.disjoint_union(nx.complete_graph(3), nx.complete_graph(3))),
    "star": lambda: of(nx.star_graph(20)),
    "stars": lambda: of(nx.disjoint_union_all([nx.star_graph(k) for k in (3, 8, 15, 30)])),
    "path": lambda: of(nx.path_graph(40)),
    "tree": lambda: of(nx.balanced_tree(3, 4)),
    "forest": lambda: of(nx.disjoint_union(nx.path_graph(15), nx.balanced_tree(2, 4))),
    "random tree": lambda: of(nx.random_labeled_tree(60, seed=1)),
    "grid": lambda: of(nx.grid_2d_graph(8, 8)),
    "matching": lambda: numbered([(2 * i, 2 * i + 1) for i in range(20)], 40),
    "complete": lambda: of(nx.complete_graph(12)),
    "complete, larger": lambda: of(nx.complete_graph(30)),
    "complete less one": lambda: numbered([*combinations(range(15), 2)][1:], 15),
    "clique and nodes alone": lambda: numbered(combinations(range(15), 2), 25),
    "bipartite": lambda: of(nx.complete_bipartite_graph(9, 14)),
    "two components": lambda: of(nx.disjoint_union(random(40, 0.2, 1), random(30, 0.2, 2))),
    "cliques": lambda: of(nx.disjoint_union_all([nx.complete_graph(8)] * 4)),
    "five edges": lambda: numbered([(0, 1), (1, 2), (0, 2), (3, 4), (5, 6)], 9),
    "cycle": lambda: of(nx.cycle_graph(60)),
    "cycle, larger": lambda: of(nx.cycle_graph(300)),
    "hub of all": lambda: of(nx.compose(nx.star_graph(60), random(61, 0.08, 4))),
    "wheel": lambda: of(nx.wheel_graph(50)),
}
NOTHING_HIDDEN = {"two nodes", "three nodes, one edge", "three nodes, two edges", "star", "stars"}
NOTHING_HIDDEN |= {"matching"}
# Hidden edges join components here, and missing links close cycles.
TREES = {"path", "tree", "forest", "random tree", "cycle", "cycle, larger"}


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
    if name in TREES or facts["kind"] == "source":
        assert "join two parts of the network, as in a tree" in words[0]
        assert "nothing could be learned: ranked by " in words[0]
    elif name in NOTHING_HIDDEN:
        assert words[0].startswith("no edge was hidden: weights learned on other networks combine")
    else:
        assert words[0].startswith("auto hid ")
    few = sum(facts["hidden"]) < FEWEST_HITS
    assert (model.probabilities(np.zeros(1)) is None) == few
    assert (words[-1] == module.NO_PROBABILITIES) == (few and facts["kind"] == "stack")
    if not model.network_.n_non_edges and facts["kind"] == "stack":
        assert "every pair the same score" in " ".join(words)
    assert "nan" not in " ".join(words)


@pytest.mark.parametrize(
    ("graph", "way"),
    [
        (nx.grid_2d_graph(14, 14), "katz alone"),
        (nx.barabasi_albert_graph(150, 2, seed=3), "degree:katz alone"),
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
    assert f"ranked by {way}, and" in model.summary()[0]
    missing = model.score_pairs([edge for edge in graph.edges if edge not in tree.edges])
    others = model.score_pairs(list(nx.complement(graph).edges))
    assert (missing[:, None] > others).mean() + 0.5 * (missing[:, None] == others).mean() > 0.65


@pytest.mark.parametrize(
    ("method", "broken", "why"),
    [
        ("_fit", lambda *_: 1 / 0, "failed (division by zero)"),
        (
            "_rows",
            lambda self, i, j: np.full((j - i, 130), np.nan),
            "failed (scores are not finite)",
        ),
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


def test_a_base_model_that_fails_on_a_hold_out_is_left_out_and_named(network, monkeypatch):
    fit = L3._fit
    monkeypatch.setattr(
        L3, "_fit", lambda self, net: fit(self, net) if net.n_edges == network.n_edges else 1 / 0
    )
    model = lp.make("auto", effort="fast", holdouts=2).fit(network)
    assert "left out: l3: failed (division by zero)" in model.summary()[-1]
    assert "l3" not in model.learned_.facts["sources"]
    assert len(model.learned_.facts["hidden"]) == 2
    assert np.isfinite(all_scores(model)).all()


def test_where_no_base_model_can_be_fitted_to_what_is_left_nothing_is_learned(network, monkeypatch):
    fit = features._fit_source

    def only_on_all_edges(source, net, *more):
        return fit(source, net, *more) if net.n_edges == network.n_edges else 1 / 0

    monkeypatch.setattr(features, "_fit_source", only_on_all_edges)
    model = lp.make("auto", effort="fast", holdouts=2).fit(network)
    assert "weights learned on other networks combine 7 base models" in model.summary()[0]
    assert len(model.predict_edges(20)) == 20


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
