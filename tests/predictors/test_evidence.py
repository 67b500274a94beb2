"""Why a pair stands where it stands: evidence columns and the story of one pair."""

import io
import json
from itertools import combinations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.predictors.small import MODELS, build, every_pair, networks, slowly

import linkprior as lp
from linkprior.errors import InputError, NotFittedError
from linkprior.predictors import evidence
from linkprior.predictors.registry import make
from linkprior.ranking.ranking import Ranking

every = pytest.mark.parametrize("key", MODELS)


def graph_of(net):
    graph = nx.Graph()
    graph.add_nodes_from(range(net.n_nodes))
    graph.add_edges_from(net.edges.tolist())
    return graph


def non_edges(net):
    return [pair for pair in combinations(range(net.n_nodes), 2) if not net.adjacency[pair]]


def place_by_degree(net, i, j):
    """Enumerate all non-edges."""
    k = net.degrees
    return 1 + sum(int(k[a] * k[b] > k[i] * k[j]) for a, b in non_edges(net))


def telling_partners(graph, i, j):
    shared = nx.common_neighbors(graph, i, j)
    return sorted(shared, key=lambda node: (graph.degree[node], node))


def simple_paths(graph, i, j, length):
    paths = nx.all_simple_paths(graph, i, j, cutoff=length)
    return [path for path in paths if len(path) == length + 1]


# ---------------------------------------------------------------------- the network alone


@slowly
@given(networks(), st.integers(1, 40))
def test_paths_and_partners_are_those_networkx_finds(net, room):
    """Edges too, whose walks there and back are no paths; whatever the size of the blocks."""
    pairs, graph = every_pair(net), graph_of(net)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(evidence, "_ENTRIES", room)
        found = evidence.count_paths(net, pairs)
    for at, (i, j) in enumerate(pairs.tolist()):
        assert found.two[at] == len(simple_paths(graph, i, j, 2))
        assert found.three[at] == len(simple_paths(graph, i, j, 3))
        expected = telling_partners(graph, i, j)[:3]
        assert found.partners[at].tolist() == expected + [-1] * (3 - len(expected))


@slowly
@given(networks())
def test_the_rank_by_degree_is_that_of_all_non_edges(net):
    pairs = every_pair(net)
    places = evidence.rank_by_degree(net, pairs)
    assert places.tolist() == [place_by_degree(net, i, j) for i, j in pairs.tolist()]


# ---------------------------------------------------------------------- columns


@every
@slowly
@given(net=networks())
def test_columns_agree_with_counting_by_hand(key, net):
    model = build(key).fit(net)
    ranking = model.predict_edges(40)
    found = evidence.columns(model, ranking)
    assert list(found) == list(evidence.COLUMNS)
    A = net.adjacency.toarray()
    i, j = ranking.pairs.T
    assert (found["degree_source"] == A.sum(axis=1)[i]).all()
    assert (found["degree_target"] == A.sum(axis=1)[j]).all()
    assert (found["paths2"] == np.linalg.matrix_power(A, 2)[i, j]).all()
    assert (found["paths3"] == np.linalg.matrix_power(A, 3)[i, j]).all()
    graph = graph_of(net)
    for at, (a, b) in enumerate(ranking.pairs.tolist()):
        names = [net.names[node] for node in telling_partners(graph, a, b)[:3]]
        assert found["shared_partners"][at] == ";".join(names)
        assert found["rank_by_degree"][at] == place_by_degree(net, a, b)


@every
def test_the_share_of_the_prior_follows_from_base_and_score(key, planted, monkeypatch):
    model = build(key).fit(planted)
    ranking = model.predict_edges(300)
    why = model.explain(ranking.pairs)
    whole = np.abs(why.base) + np.abs(why.prior)
    expected = np.where(whole > 0, np.abs(why.prior) / np.where(whole > 0, whole, 1.0), 0.0)
    for size in (1024, 7):
        monkeypatch.setattr(evidence, "_PAIRS_AT_ONCE", size)
        share = evidence.columns(model, ranking)["prior_share"]
        np.testing.assert_allclose(share, expected, rtol=1e-4, atol=1e-6)
        assert ((share >= 0) & (share <= 1)).all()
    has_prior = key in ("dense", "sketch")
    assert (share > 0).all() if has_prior else (share == 0).all()


def test_evidence_is_added_to_what_a_ranking_has(planted):
    model = make("l3").fit(planted)
    plain = model.predict_edges(5)
    noted = Ranking(plain.pairs, plain.scores, plain.node_names, {"note": np.arange(5)})
    full = evidence.with_evidence(model, noted)
    assert full.columns == ["rank", "source", "target", "score", "note", *evidence.COLUMNS]
    assert noted.columns == ["rank", "source", "target", "score", "note"]
    text = io.StringIO()
    full.write(text)
    rows = [line.split("\t") for line in text.getvalue().splitlines()]
    assert {len(row) for row in rows} == {12}
    assert list(full.to_frame()["shared_partners"]) == [row[10] for row in rows[1:]]


def test_evidence_is_the_same_for_any_number_of_workers(monkeypatch):
    monkeypatch.setattr(evidence, "_ENTRIES", 5000)
    net = lp.planted_network(n_nodes=500, n_groups=5, mean_degree=6, seed=1)
    model = build("dense").fit(net)
    ranking = model.predict_edges(800)
    tables = []
    for workers in (1, 3):
        with lp.use_workers(workers):
            text = io.StringIO()
            evidence.with_evidence(model, ranking).write(text)
            tables.append(text.getvalue())
    assert tables[0] == tables[1]


def test_an_empty_ranking_has_empty_columns(planted):
    model = make("pa").fit(planted)
    found = evidence.columns(model, model.predict_edges(0))
    assert all(len(column) == 0 for column in found.values())


def test_evidence_for_another_network_is_refused(planted):
    model = make("pa").fit(planted)
    other = make("pa").fit(lp.Network.from_edges([("a", "b"), ("b", "c")]))
    with pytest.raises(InputError, match="the ranking names 3 nodes that are not those"):
        evidence.columns(model, other.predict_edges(1))
    with pytest.raises(NotFittedError, match="call fit"):
        evidence.columns(make("pa"), other.predict_edges(1))


# ---------------------------------------------------------------------- the story of a pair


@pytest.mark.at_length
@every
@slowly
@given(data=st.data())
def test_the_facts_of_a_pair_are_those_of_brute_force(key, data):
    net = data.draw(networks())
    pair = data.draw(st.sampled_from(list(combinations(range(net.n_nodes), 2))))
    model = build(key).fit(net)
    names = [net.names[node] for node in data.draw(st.permutations(pair))]
    facts, (i, j) = evidence.explain_pair(model, *names), pair
    scores = model.score_rows(0, net.n_nodes).astype(np.float64)
    others = [scores[other] for other in non_edges(net)]
    observed = bool(net.adjacency[i, j])
    above = sum(score > scores[i, j] for score in others)
    assert (facts["source"], facts["target"]) == (net.names[i], net.names[j])
    assert facts["observed"] == observed
    assert facts["score"] == scores[i, j]
    assert facts["place"] == (None if observed else above + 1)
    assert facts["candidates_above"] == above
    assert facts["tied"] == sum(score == scores[i, j] for score in others) - (not observed)
    assert facts["n_candidates"] == len(others)
    for one, other, end in ((i, j, "source"), (j, i, "target")):
        row = model.score_rows(one, one + 1)[0]
        better = [node for node in range(net.n_nodes) if node != one and row[node] > row[other]]
        assert facts[f"rank_for_{end}"] == 1 + len(better)
        assert facts[f"degree_{end}"] == net.adjacency.toarray()[one].sum()
    assert np.isclose(facts["base"] + facts["prior"], facts["score"], rtol=1e-5, atol=1e-6)
    check_surroundings(net, facts, i, j)
    assert 8 <= len(evidence.explanation(facts).splitlines()) <= 15
    assert json.loads(json.dumps(facts)) == facts


def check_surroundings(net, facts, i, j):
    graph, k = graph_of(net), net.degrees
    assert facts["rank_by_degree"] == place_by_degree(net, i, j)
    partners = telling_partners(graph, i, j)
    assert facts["paths2"] == len(partners)
    assert facts["shared_partners"] == [[net.names[n], int(k[n])] for n in partners[:3]]
    paths = [path[1:3] for path in simple_paths(graph, i, j, 3)]
    assert facts["paths3"] == len(paths)
    best = sorted(paths, key=lambda uv: (k[uv[0]] * k[uv[1]], uv))[:3]
    assert [path["through"] for path in facts["best_paths"]] == [
        [net.names[u], net.names[v]] for u, v in best
    ]
    weights = [path["weight"] for path in facts["best_paths"]]
    np.testing.assert_allclose(weights, [1 / np.sqrt(k[u] * k[v]) for u, v in best])


@every
def test_the_place_of_a_pair_is_where_the_ranking_has_it(key):
    """In a network of several blocks, where the same score must be read from the same block."""
    net = lp.planted_network(n_nodes=400, n_groups=5, mean_degree=6, seed=1)
    assert len(lp.parallel.blocks(net.n_nodes)) > 1
    model = build(key).fit(net)
    ranking = model.predict_edges(2000)
    for at in (0, 5, 1200):
        facts = evidence.explain_pair(model, *ranking.names[at][::-1])
        assert facts["score"] == ranking.scores[at]
        assert facts["place"] == 1 + int((ranking.scores > ranking.scores[at]).sum())


@pytest.fixture
def square():
    """Two pairs that are not joined, in a ring with a tail: a–b–c–d–a and d–e."""
    return lp.Network.from_edges([("a", "b"), ("b", "c"), ("c", "d"), ("d", "a"), ("d", "e")])


def test_the_explanation_of_a_candidate_reads_well(square):
    facts = evidence.explain_pair(make("l3").fit(square), "e", "b")
    assert evidence.explanation(facts).splitlines() == [
        "b – e is not an observed edge: for l3 it is a candidate.",
        "Its score is 0.8165: rank 1 of 5 candidate pairs.",
        "The score has no part from a prior.",
        "Of all 4 partners b could have, e is the 3rd best; b has 2 observed edges.",
        "Of all 4 partners e could have, b is the 2nd best; e has 1 observed edge.",
        "Degree alone (the product of the two) would put it at rank 3: "
        "the network's structure supports it, not degree.",
        "They share no partner.",
        "2 paths of length 3 join them; the heaviest, by 1/√(product of the degrees on the way):",
        "  b – a – d – e (0.4082)",
        "  b – c – d – e (0.4082)",
        "A score orders pairs; it is not a probability.",
    ]


def test_the_explanation_of_an_edge_says_that_it_is_one(square):
    facts = evidence.explain_pair(make("pa").fit(square), "a", "d")
    text = evidence.explanation(facts)
    lines = text.splitlines()
    assert lines[0] == "a – d is an observed edge: pa was fitted with it, and does not predict it."
    told = "Its score, fitted with the edge in place, is 6; 0 of 5 candidate pairs score higher."
    assert lines[1] == told
    assert facts["place"] is None
    assert "would put 0 candidates above it" in text


def test_the_explanation_shows_what_the_prior_does(planted):
    model = build("dense").fit(planted)
    facts = evidence.explain_pair(model, *model.predict_edges(1).names[0])
    base, prior, text = facts["base"], facts["prior"], evidence.explanation(facts)
    assert prior < 0
    assert f"Before the prior it is {base:.4g}; the prior subtracts {-prior:.4g}." in text
    raised = evidence.explanation(facts | {"base": 0.25, "prior": 0.5})
    assert "Before the prior it is 0.25; the prior adds 0.5." in raised


def test_in_a_complete_network_there_is_nothing_to_compare_with():
    net = lp.Network.from_edges(combinations(range(5), 2))
    facts = evidence.explain_pair(make("l3").fit(net), 0, "4")
    text = evidence.explanation(facts)
    assert facts["n_candidates"] == facts["candidates_above"] == 0
    assert "Every pair of this network is an observed edge" in text
    assert "They share 3 partners: 1 (4 edges), 2 (4 edges), 3 (4 edges)." in text


@pytest.mark.parametrize(
    ("above", "by_degree", "word"),
    [
        (16, 10_312, "structure supports it"),
        (3, 100, "degree explains much"),
        (10_311, 17, "degree supports it, the model does not"),
        (20_000_000, 30_000_000, "neither ranks it near the top"),
        (0, 1, "degree explains much"),
    ],
)
def test_a_place_is_weighed_against_that_by_degree(above, by_degree, word):
    facts = {"candidates_above": above, "rank_by_degree": by_degree, "n_candidates": 34_000_000}
    assert word in evidence._by_degree({**facts, "observed": False})


def test_ranks_are_written_as_ordinals():
    said = [evidence._nth_best(number) for number in (1, 2, 3, 4, 11, 12, 13, 21, 102, 1113, 1023)]
    assert said == [
        *("best", "2nd best", "3rd best", "4th best", "11th best", "12th best", "13th best"),
        *("21st best", "102nd best", "1,113th best", "1,023rd best"),
    ]


def test_unknown_names_and_pairs_of_one_node_are_refused(square):
    model = make("pa").fit(square)
    with pytest.raises(InputError, match=r"no node is called 'A'\. Did you mean 'a'\?"):
        evidence.explain_pair(model, "A", "b")
    with pytest.raises(InputError, match="two different nodes, got 'b' twice"):
        evidence.explain_pair(model, "b", "b")
    with pytest.raises(NotFittedError, match="call fit"):
        evidence.explain_pair(make("pa"), "a", "b")
