"""Networks that leave little or nothing to learn: an answer or one clear line, never NaN."""

from itertools import combinations

import networkx as nx
import numpy as np
import pytest

import linkprior as lp
from linkprior.errors import InputError


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
    chances = model.probabilities(ranked.scores)
    if chances is not None:
        assert ((chances >= 0) & (chances < 1)).all()
        assert all(np.isfinite(part).all() for part in model.expected_hits(ranked.scores))
    check_words(model, name)


def check_words(model, name):
    facts, words = model.learned_.facts, model.summary()
    assert (not facts["hidden"]) == (name in NOTHING_HIDDEN)
    first = words[1 if facts["hidden"] else 0]
    if not facts["hidden"]:
        assert first == (
            "no edge was hidden, so nothing could be learned: "
            "ranked by what the degree prior says of the ranks of all models"
        )
        assert model.probabilities(np.zeros(1)) is None
    elif sum(facts["hidden"]) < 20:
        assert first == (
            "too few hidden edges to choose by: "
            "ranked by what the degree prior says of the ranks of all models"
        )
        assert facts["stack"]["kind"] == "prior"
    elif "stack" not in facts["validation"]:
        assert first.startswith("too little to learn from: ranked by ")
        assert first.endswith("best at finding hidden edges")
    elif facts["stack"]["kind"] == "stack":
        assert facts["validation"]["stack"] == max(facts["validation"].values())
        assert first.startswith("on hidden edges the learned combination reached AUPRC")
    else:
        assert facts["validation"]["stack"] < max(facts["validation"].values())
        assert first.startswith("nothing learned did better on hidden edges than ")
    assert "nan" not in " ".join(words)


@pytest.mark.parametrize("name", ["triangle", "five edges", "bipartite", "star", "matching"])
def test_an_odd_network_is_kept_as_well(name, tmp_path):
    model = lp.make("auto", effort="fast").fit(ODD[name]())
    model.save(tmp_path / "model")
    again = lp.load(tmp_path / "model")
    p = model.network_.n_nodes
    np.testing.assert_array_equal(again.score_rows(0, p), model.score_rows(0, p))
    assert again.summary() == model.summary()


@pytest.mark.parametrize("name", ["two nodes", "triangle", "five edges", "complete less one"])
@pytest.mark.parametrize("objective", ["recall", "dc_auroc"])
def test_other_objectives_have_an_answer_too(name, objective):
    net = ODD[name]()
    model = lp.make("auto", effort="fast", objective=objective, exercises=4).fit(net)
    assert np.isfinite(model.score_rows(0, net.n_nodes)).all()


@pytest.mark.at_length
@pytest.mark.parametrize("name", ["three nodes, two edges", "five edges", "clique and nodes alone"])
def test_all_models_have_an_answer(name):
    net = ODD[name]()
    model = lp.make("auto", effort="thorough", exercises=2).fit(net)
    assert np.isfinite(model.score_rows(0, net.n_nodes)).all()


def test_a_network_without_edges_is_refused_in_one_line():
    for p in (1, 5):
        with pytest.raises(InputError, match="no edge|no pair") as problem:
            lp.make("auto").fit(numbered(np.empty((0, 2), int), p))
        assert "\n" not in str(problem.value)
