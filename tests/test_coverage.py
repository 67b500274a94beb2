"""Coverage by capture–recapture: textbook numbers, brute-force counts, drawn screens."""

import json
import math
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import linkprior as lp
from linkprior.coverage import chapman, estimate_coverage, lincoln_petersen
from linkprior.errors import InputError, ParameterError


def network(pairs):
    return lp.Network.from_edges([tuple(pair) for pair in pairs])


def edge_set(net):
    return {frozenset((net.names[i], net.names[j])) for i, j in net.edges.tolist()}


def two_of(n1, n2, both, n_nodes=12):
    """Two networks with so many edges and so many in both; of twelve nodes each has several."""
    names = [chr(ord("a") + k) for k in range(n_nodes)]
    pairs = list(combinations(names, 2))
    order = np.random.default_rng(1).permutation(len(pairs)).tolist()
    pairs = [pairs[k] for k in order]
    return network(pairs[:n1]), network(pairs[n1 - both : n1 - both + n2])


# ---------------------------------------------------------------------- formulas


def test_textbook_values_of_the_two_estimates():
    # 10 marked, 15 caught, 5 of them marked: 30 and 28.3.
    assert lincoln_petersen(10, 15, 5) == 30
    assert chapman(10, 15, 5).value == pytest.approx(28 + 1 / 3)
    # Turner's cricket frogs in Krebs, Ecological Methodology: 109 marked, 57 of 177 recaught.
    assert round(lincoln_petersen(109, 177, 57)) == 338
    assert round(chapman(109, 177, 57).value) == 337


def test_the_interval_is_log_normal_in_what_was_not_seen():
    n1, n2, m = 109, 177, 57
    value = (n1 + 1) * (n2 + 1) / (m + 1) - 1
    variance = (n1 + 1) * (n2 + 1) * (n1 - m) * (n2 - m) / ((m + 1) ** 2 * (m + 2))
    seen = n1 + n2 - m
    c = math.exp(1.959964 * math.sqrt(math.log(1 + variance / (value - seen) ** 2)))
    found = chapman(n1, n2, m)
    assert found.low == pytest.approx(seen + (value - seen) / c, rel=1e-6)
    assert found.high == pytest.approx(seen + (value - seen) * c, rel=1e-6)


@given(st.data())
def test_estimates_lie_in_their_interval_and_above_what_was_seen(data):
    n1, n2 = data.draw(st.integers(1, 10**6)), data.draw(st.integers(1, 10**6))
    both = data.draw(st.integers(1, min(n1, n2)))
    found, plain = chapman(n1, n2, both), lincoln_petersen(n1, n2, both)
    assert n1 + n2 - both <= found.low <= found.value <= found.high
    assert found.value <= plain * (1 + 1e-12)
    assert plain <= found.high * (1 + 1e-12)
    assert found.value == pytest.approx((n1 + 1) * (n2 + 1) / (both + 1) - 1)


# ---------------------------------------------------------------------- what counts


def brute_counts(one, other):
    """Edges whose nodes each have another edge in both networks, counted pair by pair."""
    a, b = edge_set(one), edge_set(other)

    def shown(pair):
        rest = [{node for edge in edges - {pair} for node in edge} for edges in (a, b)]
        return all(node in nodes for node in pair for nodes in rest)

    kept = {pair for pair in a | b if shown(pair)}
    return len(a & kept), len(b & kept), len(a & b & kept)


@pytest.mark.parametrize("seed", range(5))
def test_counts_are_those_of_brute_force(seed):
    rng = np.random.default_rng(seed)
    truth = lp.planted_network(n_nodes=40, n_groups=3, mean_degree=5, seed=seed)
    one, other = drawn(truth, 0.5, rng), drawn(truth, 0.6, rng)
    found = estimate_coverage(one, other)
    assert (found.n1, found.n2, found.both) == brute_counts(one, other)
    assert found.nodes == len(set(one.names) & set(other.names))
    assert found.left_out == (one.n_edges - found.n1, other.n_edges - found.n2)
    every = estimate_coverage(one, other, nodes="either")
    a, b = edge_set(one), edge_set(other)
    assert (every.n1, every.n2, every.both) == (len(a), len(b), len(a & b))
    assert every.jaccard == pytest.approx(len(a & b) / len(a | b))


def test_a_list_of_tested_nodes_says_what_counts():
    one, other = network(["ab", "bc", "cd", "ax"]), network(["ab", "cd", "bd", "by"])
    found = estimate_coverage(one, other, nodes=["a", "b", "c", "d", "never-seen"])
    assert (found.nodes, found.n1, found.n2, found.both) == (5, 3, 3, 2)
    assert found.left_out == (1, 1)


def test_nodes_that_a_network_lists_without_an_edge_are_known_to_be_tested():
    one = lp.Network.from_edges([tuple("ab"), tuple("cd")], nodes="abcde")
    other = lp.Network.from_edges([tuple("ab"), tuple("bc")], nodes="abcde")
    found = estimate_coverage(one, other)
    assert (found.n1, found.n2, found.both) == (2, 2, 1)


def test_shares_are_the_plain_ratios():
    one, other = two_of(40, 30, 12)
    found = estimate_coverage(one, other)
    assert (found.n1, found.n2, found.both) == (40, 30, 12)
    assert found.one.value == pytest.approx(12 / 30)
    assert found.other.value == pytest.approx(12 / 40)
    assert found.union.value == pytest.approx(58 / (40 * 30 / 12))
    assert found.one.low == pytest.approx(40 / found.total.high)
    assert found.union.high == pytest.approx(58 / found.total.low)


# ---------------------------------------------------------------------- drawn screens

DRAWS = 150


def drawn(truth, rate, rng, false=0):
    """A screen that finds each link with some probability, and adds random pairs that are none."""
    kept = truth.edges[rng.uniform(size=truth.n_edges) < rate].tolist()
    real, wrong = edge_set(truth), set()
    while len(wrong) < false:
        pair = frozenset(truth.names[k] for k in rng.choice(truth.n_nodes, 2, replace=False))
        wrong |= {pair} - real
    pairs = [(truth.names[i], truth.names[j]) for i, j in kept]
    return network(pairs + sorted(tuple(sorted(pair)) for pair in wrong))


def links_that_count(truth, one, other):
    """All true links, seen or not, whose nodes other edges show to both screens."""
    count = 0
    seen = [(edge_set(net), dict(zip(net.names, net.degrees, strict=True))) for net in (one, other)]
    for pair in edge_set(truth):
        count += all(
            degree.get(node, 0) - (pair in edges) > 0 for node in pair for edges, degree in seen
        )
    return count


@pytest.mark.at_length
@pytest.mark.parametrize("rates", [(0.3, 0.2), (0.6, 0.4)])
def test_intervals_cover_the_truth_and_shares_are_unbiased_in_a_sparse_network(rates):
    truth = lp.planted_network(n_nodes=300, mean_degree=6, seed=2)
    rng, hits, shares = np.random.default_rng(5), 0, []
    for _ in range(DRAWS):
        one, other = (drawn(truth, rate, rng) for rate in rates)
        found = estimate_coverage(one, other)
        links = links_that_count(truth, one, other)
        hits += found.total.low <= links <= found.total.high
        shares.append((found.one.value, found.other.value))
    assert 0.90 <= hits / DRAWS <= 0.99
    assert np.mean(shares, axis=0) == pytest.approx(rates, rel=0.03)


def test_intervals_of_all_nodes_cover_the_truth():
    truth = lp.planted_network(n_nodes=200, mean_degree=8, seed=4)
    rng, hits, shares = np.random.default_rng(6), 0, []
    for _ in range(DRAWS):
        found = estimate_coverage(drawn(truth, 0.3, rng), drawn(truth, 0.3, rng), nodes="either")
        hits += found.total.low <= truth.n_edges <= found.total.high
        shares.append(found.union.value)
    assert 0.90 <= hits / DRAWS <= 0.99
    assert np.mean(shares) == pytest.approx(1 - 0.7**2, rel=0.03)


def test_precision_makes_up_for_false_edges():
    truth = lp.planted_network(n_nodes=200, mean_degree=8, seed=4)
    rng, raw, corrected, hits = np.random.default_rng(7), [], [], 0
    for _ in range(30):
        one, other = drawn(truth, 0.5, rng, false=150), drawn(truth, 0.4, rng, false=200)
        real = [len(edge_set(net) & edge_set(truth)) / net.n_edges for net in (one, other)]
        raw.append(estimate_coverage(one, other, "either").one.value)
        found = estimate_coverage(one, other, "either", precision=real)
        corrected.append((found.one.value, found.other.value))
        hits += found.total.low <= truth.n_edges <= found.total.high
    assert np.mean(raw) < 0.9 * 0.5
    assert np.mean(corrected, axis=0) == pytest.approx([0.5, 0.4], rel=0.03)
    assert hits >= 0.85 * 30


# ---------------------------------------------------------------------- words and warnings


def test_the_text_says_numbers_words_and_the_direction_of_every_bias():
    found = estimate_coverage(*two_of(40, 30, 12, n_nodes=30), nodes="either")
    text = found.text("mine.tsv", "theirs.tsv")
    words = (
        "mine.tsv has about 40, theirs.tsv 30",
        "Lincoln–Petersen 100",
        "too high where both find the same easy links",
        "too low where edges are false",
    )
    for expected in words:
        assert expected in text
    assert "Warning" not in text


def test_to_dict_is_plain_json_with_every_number():
    found = estimate_coverage(*two_of(40, 30, 12, n_nodes=30), "either", precision=(0.9, 0.8))
    back = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert (back["n1"], back["n2"], back["both"], back["rule"]) == (40, 30, 12, "either")
    assert back["precision"] == [0.9, 0.8]
    assert back["one"]["value"] == pytest.approx(12 / (30 * 0.8))
    assert back["jaccard"] == pytest.approx(12 / 58)
    assert (back["independent"], back["warnings"]) == (True, [])


@pytest.mark.parametrize(("both", "words"), [(6, "only 6 edges are"), (1, "only 1 edge is")])
def test_a_small_overlap_is_a_guess(both, words):
    found = estimate_coverage(*two_of(30, 20, both))
    assert any(words in line for line in found.warnings)


def test_the_same_network_twice_or_one_within_the_other_is_no_pair_of_screens():
    one, _ = two_of(40, 30, 12)
    same, within = estimate_coverage(one, one), estimate_coverage(*two_of(40, 30, 30))
    assert not same.independent
    assert not within.independent
    assert "have the same 40 edges: these are not two independent" in same.text()
    assert "every edge of the second screen that counts is in the first" in within.text()
    assert "links in all" not in same.text() + within.text()


def test_a_screen_nearly_within_the_other_is_warned_of():
    found = estimate_coverage(*two_of(40, 30, 28))
    assert found.independent
    assert not found.sound
    assert "93.3% of the edges of the second screen are in the first screen" in found.warnings[0]
    assert estimate_coverage(*two_of(40, 30, 26)).sound


def test_an_overlap_by_chance_is_counted_and_warned_of():
    """Names that mean different nodes: as many edges in both as rewired networks have."""
    one = lp.planted_network(n_nodes=150, mean_degree=8, seed=1)
    other = lp.planted_network(n_nodes=150, mean_degree=8, seed=2)
    found = estimate_coverage(one, other, "either")
    mixed = [lp.rewired_network(other, seed=seed) for seed in range(20)]
    by_chance = np.mean([len(edge_set(one) & edge_set(net)) for net in mixed])
    assert found.by_chance == pytest.approx(by_chance, rel=0.15)
    assert any("hardly an edge in common" in line for line in found.warnings)
    rng = np.random.default_rng(3)
    real = estimate_coverage(drawn(one, 0.3, rng), drawn(one, 0.3, rng))
    assert real.warnings == []


def test_few_shared_names_are_warned_of():
    names = [f"x{k}" for k in range(400)]
    near = list(combinations(["a", "b", "c", "d", "e"], 2))
    one = network([*near[:8], *zip(names[:200:2], names[1:200:2], strict=True)])
    other = network([*near[2:], *zip(names[200::2], names[201::2], strict=True)])
    warned = estimate_coverage(one, other).warnings
    assert any("only 5 node names are in both (of 205 and 205)" in line for line in warned)


# ---------------------------------------------------------------------- what is refused


@pytest.mark.parametrize(
    ("one", "other", "nodes", "message"),
    [
        ("ab bc", "xy yz", "both", "share no node name: the first has 'a', the second 'x'"),
        ("ab bc cd da", "ac bd", "either", r"no edge is in both networks \(4 and 2 edges count\)"),
        ("ax by", "ab bc ca", "both", "first network has no edge among the pairs that both"),
        ("ab bc", "ab bc", ["P1", "P2"], "none of the 2 tested nodes"),
        ("ab bc", "ab bc", [], "list of tested nodes is empty"),
        ("ab bc", "ab bc", 5, "nodes must be names"),
        ("ab bc", "ab bc", "all", "nodes must be one of both, either"),
    ],
)
def test_networks_and_rules_that_leave_nothing_to_count_are_refused(one, other, nodes, message):
    with pytest.raises((InputError, ParameterError), match=message):
        estimate_coverage(network(one.split()), network(other.split()), nodes=nodes)


def test_what_is_no_network_is_refused():
    with pytest.raises(InputError, match="second screen must be a Network"):
        estimate_coverage(network(["ab"]), None)


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        *(
            (bad, r"precision of the \w+ network must be a number in")
            for bad in [(0.0, 1.0), (1.0, 1.1), (-1, 1), (math.nan, 1), ("x", 1)]
        ),
        *((bad, "two numbers") for bad in [0.9, (0.9,), (0.9, 0.9, 0.9)]),
    ],
)
def test_precision_is_two_numbers_in_their_range(bad, message):
    with pytest.raises(ParameterError, match=message):
        estimate_coverage(*two_of(40, 30, 12), precision=bad)


def test_a_precision_below_what_the_other_confirms_is_refused_with_the_least_there_is():
    with pytest.raises(ParameterError, match=r"0\.3 is too low for the second .* at least 0\.4 of"):
        estimate_coverage(*two_of(40, 30, 12), precision=(1.0, 0.3))
    least = estimate_coverage(*two_of(40, 30, 12), precision=(1.0, 12 / 30))
    assert least.one.value == pytest.approx(1.0)
