"""Which pairs may be predicted: restrictions, exclusions and thresholds against brute force."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.predictors.small import MODELS, build, networks, slowly

import linkprior as lp
from linkprior.errors import InputError, LinkpriorError
from linkprior.predictors.registry import make
from linkprior.ranking import topk
from linkprior.ranking.candidates import Candidates


@st.composite
def restrictions(draw, net):
    """Some of the four restrictions, as keyword arguments of `Candidates.of`."""
    some = st.lists(st.sampled_from(net.names), min_size=1, max_size=net.n_nodes)
    pair = st.tuples(st.sampled_from(net.names), st.sampled_from(net.names))
    kinds = {
        "around": st.lists(st.sampled_from(net.names), min_size=1, max_size=3),
        "within": some,
        "between": st.tuples(some, some),
        "exclude": st.lists(pair, max_size=8),
    }
    chosen = draw(st.sets(st.sampled_from(sorted(kinds))))
    return {name: draw(kinds[name]) for name in sorted(chosen)}


def is_allowed(net, a, b, around=(), within=None, between=None, exclude=()):
    """Say whether a pair may be predicted, word by word as the restrictions are described."""
    edges = {frozenset((net.names[i], net.names[j])) for i, j in net.edges.tolist()}
    barred = edges | {frozenset(pair) for pair in exclude}
    first, second = between or (net.names, net.names)
    return (
        {a, b} not in barred
        and (not around or a in around or b in around)
        and (within is None or (a in within and b in within))
        and ((a in first and b in second) or (b in first and a in second))
    )


def brute_force(net, rules):
    """All allowed pairs in order of pair."""
    numbered = combinations(range(net.n_nodes), 2)
    return [(i, j) for i, j in numbered if is_allowed(net, net.names[i], net.names[j], **rules)]


def ranked(pairs, scores, k, threshold=-np.inf):
    """Sort in plain Python: best first, ties by pair."""
    chosen = [(-scores[pair], pair) for pair in pairs if scores[pair] >= threshold]
    return [(pair, -negative) for negative, pair in sorted(chosen)[:k]]


def answer(ranking):
    return [
        (tuple(pair), score)
        for pair, score in zip(ranking.pairs.tolist(), ranking.scores.tolist(), strict=True)
    ]


# ---------------------------------------------------------------------- against brute force


@slowly
@given(st.data())
def test_numbers_and_masks_of_candidates_are_those_of_a_plain_count(data):
    net = data.draw(networks())
    rules = data.draw(restrictions(net))
    candidates = Candidates.of(net, **rules)
    allowed = brute_force(net, rules)
    assert candidates.n_candidates == len(allowed)
    expected = np.zeros((net.n_nodes, net.n_nodes), dtype=bool)
    for i, j in allowed:
        expected[i, j] = expected[j, i] = True
    start = data.draw(st.integers(0, net.n_nodes))
    stop = data.draw(st.integers(start, net.n_nodes))
    assert (candidates.mask(start, stop) == expected[start:stop]).all()
    covered = expected[candidates.cover][:, :].any(axis=0) | candidates.cover
    assert covered[expected.any(axis=1)].all()
    assert not expected[~candidates.cover][:, ~candidates.cover].any()


@pytest.mark.parametrize("key", MODELS)
@slowly
@given(data=st.data())
def test_restricted_predictions_are_those_of_brute_force(key, data):
    net = data.draw(networks())
    rules = data.draw(restrictions(net))
    model = build(key).fit(net)
    scores = model.score_rows(0, net.n_nodes).astype(np.float64)
    allowed = brute_force(net, rules)
    k = data.draw(st.one_of(st.none(), st.integers(0, 30)))
    levels = [scores[pair] for pair in allowed] or [0.0]
    threshold = data.draw(st.one_of(st.none(), st.sampled_from(levels)))
    found = model.predict_edges(k, Candidates.of(net, **rules), threshold)
    lowest = -np.inf if threshold is None else threshold
    assert answer(found) == ranked(allowed, scores, k, lowest)


@pytest.mark.parametrize("key", ["pa", "dense"])
@slowly
@given(data=st.data())
def test_scoring_few_rows_gives_the_same_answer(key, data):
    """These scores are symmetric to the last bit, so it does not matter whose row is read."""
    net = data.draw(networks())
    rules = data.draw(restrictions(net))
    model = build(key).fit(net)
    scores = model.score_rows(0, net.n_nodes).astype(np.float64)
    k = data.draw(st.integers(0, 30))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(topk, "SCORED_WHOLE", 0)
        patch.setattr(topk, "_BRIDGED", data.draw(st.integers(0, 2)))
        found = model.predict_edges(k, Candidates.of(net, **rules))
    assert answer(found) == ranked(brute_force(net, rules), scores, k)


@slowly
@given(data=st.data())
def test_scoring_few_rows_changes_rounding_at_most(data):
    net = data.draw(networks())
    rules = data.draw(restrictions(net))
    model = build("l3").fit(net)
    scores = model.score_rows(0, net.n_nodes)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(topk, "SCORED_WHOLE", 0)
        found = model.predict_edges(None, Candidates.of(net, **rules))
    assert sorted(map(tuple, found.pairs.tolist())) == brute_force(net, rules)
    np.testing.assert_allclose(found.scores, scores[tuple(found.pairs.T)], rtol=1e-12)
    assert (np.diff(found.scores) <= 0).all()


# ---------------------------------------------------------------------- larger networks


@pytest.fixture(scope="module")
def large():
    """More nodes than are scored whole, more than a block of rows."""
    edges = np.random.default_rng(2).integers(2300, size=(6000, 2))
    return lp.Network.from_indices(edges, [f"n{number:04d}" for number in range(2300)])


class Counting:
    """A model's rows, and which of them were asked for."""

    def __init__(self, model, patch):
        self.asked = []
        rows = model._rows
        patch.setattr(model, "_rows", lambda i, j: self.asked.append((i, j)) or rows(i, j))


def test_one_node_costs_one_row(large, monkeypatch):
    model = make("pa").fit(large)
    counting = Counting(model, monkeypatch)
    name = large.names[1700]
    found = model.predict_edges(40, Candidates.of(large, around=[name]))
    assert counting.asked == [(1700, 1701)]
    scores = np.outer(large.degrees, large.degrees).astype(float)
    free = set(range(large.n_nodes)) - {1700, *large.adjacency[[1700]].indices.tolist()}
    pairs = [tuple(sorted((1700, other))) for other in free]
    assert answer(found) == ranked(pairs, scores, 40)


def test_lists_cost_the_rows_of_the_shorter_one(large, monkeypatch):
    model = make("pa").fit(large)
    counting = Counting(model, monkeypatch)
    first, second = large.names[900:903] + large.names[2000:2001], large.names[::2]
    rules = {"between": (second, first)}
    found = model.predict_edges(None, Candidates.of(large, **rules))
    assert sorted(counting.asked) == [(900, 903), (2000, 2001)]
    assert len(found) == Candidates.of(large, **rules).n_candidates
    assert {tuple(pair) for pair in found.pairs.tolist()} == {
        tuple(sorted((i, j)))
        for i in (900, 901, 902, 2000)
        for j in range(0, 2300, 2)
        if i != j and not large.adjacency[i, j]
    }


def test_where_most_nodes_are_wanted_scores_are_those_of_the_whole_ranking(large):
    """To the last bit, though sums of l3 depend on the side from which they are taken."""
    model = make("l3").fit(large)
    whole = model.predict_edges(50_000)
    found = model.predict_edges(1000, Candidates.of(large, around=large.names[800:]))
    kept = (whole.pairs >= 800).any(axis=1)
    assert kept.sum() > 1000
    assert (found.pairs == whole.pairs[kept][:1000]).all()
    assert found.scores.tobytes() == whole.scores[kept][:1000].tobytes()


def test_blocks_without_a_candidate_are_not_scored(monkeypatch):
    edges = np.random.default_rng(0).integers(900, size=(3000, 2))
    net = lp.Network.from_indices(edges, [f"{number:03d}" for number in range(900)])
    model = make("pa").fit(net)
    counting = Counting(model, monkeypatch)
    found = model.predict_edges(5, Candidates.of(net, within=net.names[800:]))
    assert len(found) == 5
    assert counting.asked
    assert all(stop > 800 for _, stop in counting.asked)


@pytest.mark.parametrize(
    ("key", "whole"), [("pa", 0), ("l3", 2000), ("dense", 0), ("sketch", 2000)]
)
def test_restricted_answers_do_not_depend_on_the_number_of_workers(key, whole, monkeypatch):
    monkeypatch.setattr(topk, "SCORED_WHOLE", whole)
    net = lp.planted_network(n_nodes=600, n_groups=5, mean_degree=6, seed=1)
    model = build(key).fit(net)
    candidates = Candidates.of(
        net, between=(net.names[::5], net.names[::2]), exclude=[net.names[:2], net.names[4:6]]
    )
    answers = []
    for workers in (1, 2, 4):
        with lp.use_workers(workers):
            found = model.predict_edges(200, candidates)
        answers.append((found.pairs.tobytes(), found.scores.tobytes()))
    assert answers[0] == answers[1] == answers[2]
    assert len(found) == 200


# ---------------------------------------------------------------------- thresholds


def test_an_answer_that_would_be_too_long_is_refused(planted, monkeypatch):
    model = make("pa").fit(planted)
    monkeypatch.setattr(topk, "MOST_PAIRS", 50)
    for candidates in (None, Candidates.of(planted, within=planted.names[:30])):
        scores = model.predict_edges(100, candidates).scores
        with pytest.raises(LinkpriorError, match=r"more than 50 candidate.*at least .*--top"):
            model.predict_edges(None, candidates, threshold=float(scores[50]))
        with pytest.raises(LinkpriorError, match="more than 50 candidate pairs: ask"):
            model.predict_edges(None, candidates)
        assert len(model.predict_edges(60, candidates, threshold=float(scores[-1]))) == 60
    level = float(model.predict_edges(100).scores[20])
    assert 21 <= len(model.predict_edges(None, threshold=level)) <= 50


# ---------------------------------------------------------------------- names


@pytest.fixture
def genes():
    edges = [("TP53", "MDM2"), ("MDM2", "MDM4"), ("MDM4", "EP300"), ("EP300", "CREBBP")]
    return lp.Network.from_edges(edges)


def test_an_unknown_node_is_an_error_with_the_nearest_names(genes):
    with pytest.raises(InputError, match=r"no node is called 'tp53'. Did you mean 'TP53'\?"):
        Candidates.of(genes, around=["tp53"])
    with pytest.raises(InputError, match=r"no node is called 'MDM3'. Did you mean .*MDM2"):
        Candidates.of(genes, around=["TP53", "MDM3"])
    with pytest.raises(InputError, match=r"no node is called 'xyzzy'\.$"):
        Candidates.of(genes, around=["xyzzy"])


def test_in_a_very_large_network_only_names_that_begin_alike_are_suggested(genes, monkeypatch):
    monkeypatch.setattr("linkprior.network.node_names._COMPARED", 3)
    with pytest.raises(InputError, match=r"'mdm3'\. Did you mean MDM\d or MDM\d\?"):
        Candidates.of(genes, around=["mdm3"])
    with pytest.raises(InputError, match=r"'YP53'\.$"):
        Candidates.of(genes, around=["YP53"])


def test_unknown_names_in_lists_are_left_aside_and_reported(genes):
    candidates = Candidates.of(
        genes,
        within=["TP53", "MDM4", "MDM4", "EP300", "BRCA1", "BRCA2"],
        between=(["TP53", "GATA1"], ["MDM4", "GATA2", "EP300"]),
        exclude=[("TP53", "MDM4"), ("TP53", "BRCA1"), ("nobody", "nowhere")],
    )
    unknown = candidates.unknown
    assert unknown.within == ("BRCA1", "BRCA2")
    assert unknown.first == ("GATA1",)
    assert unknown.second == ("GATA2",)
    assert unknown.exclude == (("TP53", "BRCA1"), ("nobody", "nowhere"))
    assert candidates.n_candidates == 1
    assert make("pa").fit(genes).predict_edges(9, candidates).names == [("EP300", "TP53")]
    notes = unknown.notes()
    assert len(notes) == 4
    assert notes[0] == "the list of nodes: 2 not in the network ignored (BRCA1, BRCA2)"
    assert "TP53 – BRCA1" in notes[3]
    assert Candidates.of(genes).unknown.notes() == []


def test_lists_of_which_nothing_is_known_are_refused(genes):
    with pytest.raises(InputError, match=r"the list of nodes: none of its 2.*'mdm2'.*mean 'MDM2'"):
        Candidates.of(genes, within=["mdm2", "mdm4"])
    with pytest.raises(InputError, match="the second list: none of its 1"):
        Candidates.of(genes, between=(["TP53"], ["x"]))
    with pytest.raises(InputError, match="the first list is empty"):
        Candidates.of(genes, between=([], ["TP53"]))
    for bad in ("AB", [["TP53"]], 3):
        with pytest.raises(InputError, match="between expects two lists"):
            Candidates.of(genes, between=bad)
    for bad in ("AB", ("a", "b", "c"), 3):
        with pytest.raises(InputError, match="excluded pair 1: expected a pair"):
            Candidates.of(genes, exclude=[bad])
    with pytest.raises(InputError, match="expected names of nodes, got int"):
        Candidates.of(genes, within=5)


def test_a_text_alone_is_one_name(genes):
    assert Candidates.of(genes, around="TP53").n_candidates == 3


def test_names_may_be_numbers():
    """A number means the node of that name, never the node in that place."""
    net = lp.Network.from_edges([(7, 5), (5, 0), (0, 2), (2, 9)])
    found = make("pa").fit(net).predict_edges(None, Candidates.of(net, around=[7]))
    assert {name for pair in found.names for name in pair} == {"7", "0", "2", "9"}
    assert len(found) == 3
    with pytest.raises(InputError, match="no node is called '1'"):
        Candidates.of(net, around=[1])
    assert Candidates.of(net, exclude=[(7, 0), ("9", "7")]).n_candidates == net.n_non_edges - 2


def test_candidates_of_another_network_are_refused(planted, genes):
    model = make("pa").fit(planted)
    with pytest.raises(InputError, match=r"of another network \(Network\(5 nodes"):
        model.predict_edges(3, Candidates.of(genes, around=["TP53"]))
    twin = planted.rename(planted.names)
    assert len(model.predict_edges(3, Candidates.of(twin, around=planted.names[:1]))) == 3


# ---------------------------------------------------------------------- special networks


@pytest.mark.parametrize("key", MODELS)
def test_a_complete_network_has_no_candidate(key):
    net = lp.Network.from_edges(combinations("abcd", 2))
    model = build(key).fit(net)
    for rules in ({}, {"around": "a"}, {"within": ["a", "b"]}, {"between": (["a"], ["b", "c"])}):
        candidates = Candidates.of(net, **rules)
        assert candidates.n_candidates == 0
        assert len(model.predict_edges(5, candidates)) == 0
        assert len(model.predict_edges(None, candidates, threshold=-1e9)) == 0
