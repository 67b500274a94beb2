"""The studies behind docs/reproduction_studies.md, on networks small enough to check by hand."""

import itertools
import json
import math

import networkx as nx
import numpy as np
import pytest
from benchmarks import paper_studies, studies_base, studies_degrees, studies_recall
from scipy.optimize import minimize_scalar

import linkprior as lp
from linkprior.evaluation.splits import Split, uniform
from linkprior.model.bounds import gamma, loss_minimiser
from linkprior.theory import recovery_bound, recovery_error

NET = lp.planted_network(n_nodes=45, n_groups=3, mean_degree=6, seed=3)


def by_hand(scores, k):
    """The k best pairs, ties by pair, and their degrees as networkx counts them."""
    pairs = itertools.combinations(range(len(scores)), 2)
    best = sorted(pairs, key=lambda pair: (-scores[pair], pair))[:k]
    graph = nx.Graph(best)
    return best, [graph.degree(i) if i in graph else 0 for i in range(len(scores))]


def test_the_three_variables_are_those_the_model_ranks_by():
    params = {"n_starts": 2, "warmup": 8, "max_iter": 3, "seed": 4, "lam": 0.002}
    made = studies_recall.variables(lp.make("tri-degree", **params), NET)
    for name, scores in made.items():
        own = lp.make("tri-degree", **params, rank_by=name).fit(NET).score_rows(0, NET.n_nodes)
        off = ~np.eye(NET.n_nodes, dtype=bool)
        np.testing.assert_allclose(scores[off], own[off], rtol=1e-5, atol=1e-7)


def test_the_other_rule_asks_what_a_split_by_that_rule_asks():
    by_rule = [uniform(NET, 0.3, 2, rule) for rule in ("all-nodes", "connected")]
    changed = studies_base.connected(by_rule[0])
    assert len(changed.hidden) < len(by_rule[0].hidden)
    assert changed.hidden.tolist() == by_rule[1].hidden.tolist()
    assert changed.n_pairs == by_rule[1].n_pairs


def test_degrees_of_the_best_pairs_are_those_of_a_graph_made_of_them():
    rng = np.random.default_rng(0)
    scores = rng.integers(0, 30, (20, 20)).astype(float)
    scores += scores.T
    pairs, degrees = studies_base.top_degrees(scores, 40)
    best, wanted = by_hand(scores, 40)
    assert pairs.tolist() == [list(pair) for pair in best]
    assert degrees.tolist() == wanted


def test_perfect_scores_agree_with_the_given_degrees():
    found = studies_degrees.agreement(NET.adjacency.toarray(), NET, NET.n_edges)
    assert found["spearman"] == found["pearson"] == 1.0
    assert found["log ratio"] == 0.0
    assert found["observed edges among them"] == NET.n_edges


def test_the_degrees_a_method_induces_are_counted_among_non_edges():
    split = uniform(NET, 0.7, 1, "all-nodes")
    model = lp.make("pa").fit(split.train)
    found = studies_degrees.induced_by(model, split)
    scores = model.score_rows(0, NET.n_nodes).astype(float)
    scores[tuple(split.train.edges.T)] = -1.0
    _, wanted = by_hand(scores, len(split.hidden))
    assert dict(zip(found["degree"], found["nodes"], strict=True)) == dict(
        zip(*np.unique(wanted, return_counts=True), strict=True)
    )


def test_the_best_threshold_is_the_best_of_all():
    rng = np.random.default_rng(1)
    X = np.round(rng.random((12, 12)) + 0.4 * NET.adjacency.toarray()[:12, :12], 1)
    X = (X + X.T) / 2
    edges = NET.adjacency.toarray()[:12, :12]
    tried = [recovery_error(X, edges, q) for q in [-1.0, *np.unique(X)]]
    assert studies_degrees.best_error(X, edges) == min(tried)


@pytest.mark.parametrize("rho", [0.05, 0.5, 0.9])
def test_the_charitable_threshold_makes_gamma_smallest(rho):
    span = (1e-6, loss_minimiser(rho) - 1e-6)
    least = minimize_scalar(lambda q: gamma(rho, q), bounds=span, method="bounded").fun
    assert gamma(rho, studies_degrees.charitable_threshold(rho)) <= least * (1 + 1e-9)


def test_the_constant_that_bites_brings_the_bound_down_to_the_empty_network():
    common = {"rho": 0.9, "q": 0.5, "n_edges": 10**7, "d_max_true": 10**4, "d_max": 10**4}
    common |= {"alpha": 1.0, "delta": studies_degrees.DELTA}
    found = studies_degrees.one_bound(3e3, 1e9, common)
    again = recovery_bound(trace=3e3, prior=1e9, C=found["C that bites"], **common)
    assert math.isclose(again, 2e7, rel_tol=1e-9)
    few = {**common, "n_edges": 10}
    assert studies_degrees.one_bound(3e3, 1e9, few)["C that bites"] is None


@pytest.fixture
def small_study(monkeypatch):
    """The study of harder conditions on a small network, with one condition of each kind."""
    monkeypatch.setattr(studies_recall.paper, "dream5", lambda folder: NET)
    monkeypatch.setattr(studies_recall, "SHARES", (0.6,))
    monkeypatch.setattr(studies_recall, "FACTORS", (2.0,))
    monkeypatch.setattr(studies_base, "SEEDS", (0, 1))
    return paper_studies.STUDIES["harder"]


@pytest.mark.at_length
def test_a_study_leaves_its_numbers(small_study, tmp_path):
    path = tmp_path / "studies" / "harder.json"
    paper_studies.keep(small_study, tmp_path, path)
    kept = json.loads(path.read_text())
    assert kept["numbers"]["networks"]["DREAM5"]["digest"] == NET.digest


def test_a_study_leaves_the_same_figure_twice(tmp_path):
    study = paper_studies.STUDIES["learned_weights"]
    numbers = json.loads((paper_studies.NUMBERS / f"{study.name}.json").read_text())["numbers"]
    for name in ("one", "two"):
        studies_base.save_figure(name, study.draw, numbers, study.size, folder=tmp_path)
    assert (tmp_path / "one.svg").read_bytes() == (tmp_path / "two.svg").read_bytes()


def test_recall_in_a_study_is_that_of_the_list_sorted_by_hand(small_study, tmp_path):
    found = studies_recall.judged(NET, "uniform:0.6")["all-nodes"]["PA"]
    assert found == [
        pytest.approx(recall_by_hand(uniform(NET, 0.6, seed, "all-nodes")), abs=1e-6)
        for seed in (0, 1)
    ]


def test_a_renumbered_split_has_the_same_edges_by_name():
    split = uniform(NET, 0.6, 0, "all-nodes")
    moved = studies_recall.renumbered(split, 5)
    assert moved.train.names != split.train.names
    assert sorted(moved.train.names) == sorted(split.train.names)
    assert by_name(moved.train, moved.train.edges) == by_name(split.train, split.train.edges)
    assert by_name(moved.train, moved.hidden) == by_name(split.train, split.hidden)


def by_name(net, pairs):
    """Pairs as sets of names."""
    return {frozenset((net.names[i], net.names[j])) for i, j in pairs.tolist()}


def recall_by_hand(split: Split) -> float:
    """Share of hidden edges in the first 5 % by the product of degrees, ties by expectation."""
    k, n = split.train.degrees, NET.n_nodes
    taken = set(map(tuple, split.train.edges.tolist()))
    open_pairs = [p for p in itertools.combinations(range(n), 2) if p not in taken]
    products = np.array([k[i] * k[j] for i, j in open_pairs])
    length = round(0.05 * n * (n - 1) / 2)
    chances = []
    for i, j in split.hidden.tolist():
        above, tied = (products > k[i] * k[j]).sum(), (products == k[i] * k[j]).sum()
        chances.append(min(1.0, max(0.0, (length - above) / tied)))
    return sum(chances) / len(chances)


def test_an_unknown_study_is_refused_with_the_names_there_are(capsys):
    with pytest.raises(SystemExit):
        paper_studies.main(["hardest"])
    assert "degree_distributions" in capsys.readouterr().err
