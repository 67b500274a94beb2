"""Algorithm `alg` and Theorem `property`: what `construct` keeps, and what no rearrangement can."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import cache
from itertools import combinations, combinations_with_replacement, permutations

import networkx as nx
import numpy as np
import pytest

import linkprior as lp
from linkprior.errors import ParameterError
from linkprior.model import construction as con
from linkprior.model.construction import construct, is_graphical

Degrees = tuple[int, ...]
Graph = frozenset[tuple[int, int]]


def naive_prior(X, d, alpha=1.0):
    """S_H(X, d, α) straight from Eq. `degree_inducing`; degree 0 counts as 1."""
    total = 0.0
    for i, row in enumerate(np.asarray(X, dtype=float)):
        entries = sorted(np.delete(row, i), reverse=True)
        own = np.log(max(d[i], 1) + 1)
        total += sum((np.log(k + 1) / own) ** alpha * x for k, x in enumerate(entries, start=1))
    return total


def distinct_scores(p, seed):
    """A symmetric matrix whose upper entries are all different, with a diagonal of its own."""
    rng = np.random.default_rng(seed)
    rows, cols = np.triu_indices(p, 1)
    X = np.diag(rng.random(p) + 5)
    X[rows, cols] = X[cols, rows] = rng.permutation(rows.size) + 1.0
    return X


def pairs_by_score(X):
    """The pairs i < j, strongest first."""
    pairs = combinations(range(len(X)), 2)
    return sorted(pairs, key=lambda pair: -X[pair])


def degrees_of(pairs, p) -> Degrees:
    counts = np.bincount(np.array(list(pairs), dtype=int).ravel(), minlength=p)
    return tuple(int(c) for c in counts)


@cache
def graphs_by_degrees(p: int) -> dict[Degrees, list[Graph]]:
    """All simple graphs on p labelled nodes, grouped by their degrees."""
    pairs = list(combinations(range(p), 2))
    groups: dict[Degrees, list[Graph]] = {}
    for mask in range(2 ** len(pairs)):
        graph = frozenset(pair for k, pair in enumerate(pairs) if mask >> k & 1)
        groups.setdefault(degrees_of(graph, p), []).append(graph)
    return groups


def falling_sequences(p: int) -> Iterator[Degrees]:
    return combinations_with_replacement(range(p - 1, -1, -1), p)


def assert_promises(X, d, alpha=1.0):
    p, K = len(d), sum(d) // 2
    star = construct(X, d, alpha)
    upper = np.triu_indices(p, 1)
    assert (star == star.T).all()
    assert (np.sort(star[upper]) == np.sort(X[upper])).all()
    assert (np.diag(star) == np.diag(X)).all()
    assert degrees_of(pairs_by_score(star)[:K], p) == tuple(d)


@pytest.mark.parametrize(
    ("p", "count"),
    [
        *[(1, 1), (2, 2), (3, 4), (4, 11), (5, 31), (6, 102)],
        pytest.param(7, 342, marks=pytest.mark.at_length),
    ],
)
def test_every_graphical_sequence_is_met(p, count):
    graphical = [d for d in falling_sequences(p) if is_graphical(d)]
    assert len(graphical) == count  # the known number of degree sequences on p nodes
    rng = np.random.default_rng(p)
    for seed, d in enumerate(graphical):
        assert_promises(distinct_scores(p, seed), d)
        assert_promises(distinct_scores(p, seed), rng.permutation(d).tolist())


@pytest.mark.parametrize("p", [2, 3, 4, 5])
def test_is_graphical_agrees_with_all_graphs(p):
    realised = graphs_by_degrees(p)
    for d in np.ndindex(*(p + 1,) * p):
        assert is_graphical(d) == (d in realised)


@pytest.mark.parametrize("p", [10, 20, 40])
@pytest.mark.parametrize("alpha", [0.5, 1.0, 2.0])
def test_random_graphs_are_met(p, alpha):
    for seed in range(4):
        for graph in (
            nx.gnp_random_graph(p, 0.3, seed=seed),
            nx.barabasi_albert_graph(p, 2, seed=seed),
        ):
            assert_promises(distinct_scores(p, seed), [graph.degree(i) for i in range(p)], alpha)


@pytest.mark.parametrize("alpha", [1e-3, 300.0, 1e4])
def test_extreme_exponents_keep_the_promise(alpha):
    assert_promises(distinct_scores(8, 0), (5, 4, 3, 3, 2, 2, 1, 0), alpha)


@pytest.mark.parametrize("p", [3, 4, 5])
@pytest.mark.parametrize("alpha", [0.1, 1.0, 4.0])
def test_greedy_takes_the_cheapest_pair_that_can_still_be_completed(p, alpha):
    """Up to p = 5 the one 2-switch finds what a search over all graphs finds."""
    for d, graphs in graphs_by_degrees(p).items():
        star = construct(distinct_scores(p, 1), d, alpha)
        assert pairs_by_score(star)[: sum(d) // 2] == exhaustive_greedy(d, graphs, alpha)


def exhaustive_greedy(d: Degrees, graphs: list[Graph], alpha: float) -> list[tuple[int, int]]:
    placed: list[tuple[int, int]] = []
    while len(placed) < sum(d) // 2:
        A = degrees_of(placed, len(d))
        costs = {pair: cost(A, d, pair, alpha) for pair in combinations(range(len(d)), 2)}
        for pair in sorted(costs, key=costs.__getitem__):  # stable: ties stay by (i, j)
            left = [g for g in graphs if pair in g]
            if pair not in placed and left:
                placed, graphs = [*placed, pair], left
                break
    return placed


def cost(A: Degrees, d: Degrees, pair: tuple[int, int], alpha: float = 1.0) -> float:
    """Step 4's cost of a pair, rounded so that equal costs compare equal."""
    terms = [math.log(A[i] + 2) / math.log(max(d[i], 1) + 1) for i in pair]
    return round(sum(term**alpha for term in terms), 12)


@pytest.mark.parametrize("alpha", [0.5, 1.0, 2.0])
def test_pairs_after_the_first_K_go_on_greedily(alpha):
    for d in filter(is_graphical, falling_sequences(6)):
        order = pairs_by_score(construct(distinct_scores(6, 2), d, alpha))
        for step in range(sum(d) // 2, len(order)):
            A = degrees_of(order[:step], 6)
            cheapest = min(sorted(order[step:]), key=lambda x, A=A, d=d: cost(A, d, x, alpha))
            assert order[step] == cheapest


def test_exponent_changes_the_order():
    """After 23: pair 15 costs log₅6 + log₂3 = 2.70, pair 24 log₃5 + log₃4 = 2.73; squared, not."""
    d, X = (5, 4, 2, 2, 2, 1), distinct_scores(6, 0)
    assert pairs_by_score(construct(X, d, 1.0))[8:11] == [(2, 3), (1, 5), (2, 4)]
    assert pairs_by_score(construct(X, d, 2.0))[8:11] == [(2, 3), (2, 4), (1, 5)]


def test_input_stays_and_float32_stays():
    X = distinct_scores(6, 3).astype(np.float32)
    before = X.copy()
    assert construct(X, (2, 2, 1, 1, 1, 1)).dtype == np.float32
    assert (X == before).all()


@pytest.mark.at_length
@pytest.mark.parametrize("alpha", [0.5, 1.0, 2.0])
def test_two_valued_scores_never_get_dearer(alpha):
    p, compared = 5, 0
    for d in filter(is_graphical, falling_sequences(p)):
        for own, graphs in graphs_by_degrees(p).items():
            if sum(own) == sum(d):
                X = np.full((p, p), 0.25)
                for i, j in graphs[0]:
                    X[i, j] = X[j, i] = 1.0
                before = naive_prior(X, d, alpha)
                after = naive_prior(construct(X, d, alpha), d, alpha)
                assert after <= before * (1 + 1e-12)
                if own != d and min(d) >= 1:
                    assert after < before
                compared += 1
    assert compared > 1000


def printed_greedy_outcomes(d: Degrees, alpha: float) -> set[Degrees]:
    """Degrees after K steps of the printed algorithm over distinct pairs, under every tie-break."""
    graphs: set[Graph] = {frozenset()}
    for _ in range(sum(d) // 2):
        grown: set[Graph] = set()
        for graph in graphs:
            A = degrees_of(graph, len(d))
            costs = {
                pair: cost(A, d, pair, alpha)
                for pair in combinations(range(len(d)), 2)
                if pair not in graph
            }
            cheapest = min(costs.values())
            grown |= {graph | {pair} for pair, c in costs.items() if c == cheapest}
        graphs = grown
    return {degrees_of(graph, len(d)) for graph in graphs}


@pytest.mark.parametrize("alpha", [0.5, 1.0, 2.0])
def test_printed_greedy_misses_3322_under_every_tie_break(alpha):
    d = (3, 3, 2, 2)
    assert is_graphical(d)
    assert d not in printed_greedy_outcomes(d, alpha)
    assert_promises(distinct_scores(4, 0), d, alpha)


def test_printed_greedy_does_meet_easy_degrees():
    """The transcription above is not wrong everywhere: it meets d where the algorithm does."""
    for d in ((1, 1, 1, 1), (2, 2, 2), (3, 1, 1, 1)):
        assert d in printed_greedy_outcomes(d, 1.0)


def test_printed_step_taken_literally_repeats_a_pair():
    d, A, chosen = (3, 3, 2, 2), (0, 0, 0, 0), []
    for _ in range(3):
        pair = min(combinations(range(4), 2), key=lambda x: (cost(A, d, x), x))
        A = tuple(a + (i in pair) for i, a in enumerate(A))
        chosen.append(pair)
    assert chosen == [(0, 1), (2, 3), (0, 1)]


def test_printed_greedy_with_ties_by_index_misses_many_random_graphs():
    missed = total = 0
    for seed in range(60):
        graph = nx.gnp_random_graph(10, 0.4, seed=seed)
        d = tuple(graph.degree(i) for i in range(10))
        if min(d) >= 1:
            total += 1
            missed += degrees_of(printed_greedy(d), 10) != d
            assert_promises(distinct_scores(10, seed), d)
    assert total > 40
    assert missed > total / 5


def printed_greedy(d: Degrees) -> list[tuple[int, int]]:
    placed: list[tuple[int, int]] = []
    for _ in range(sum(d) // 2):
        A = degrees_of(placed, len(d))
        unused = [pair for pair in combinations(range(len(d)), 2) if pair not in placed]
        placed.append(min(unused, key=lambda pair: (cost(A, d, pair), pair)))
    return placed


def test_star_is_cheaper_than_every_rearrangement_with_the_wished_degrees():
    d, values = (2, 1, 1, 1, 1), (1.03, 1.02, 1.01, 1.00)
    star = np.zeros((5, 5))
    star[0, 1:] = star[1:, 0] = values
    reached = []
    for places in permutations(combinations(range(5), 2), len(values)):
        if degrees_of(places[:3], 5) == d:
            X = np.zeros((5, 5))
            for (i, j), value in zip(places, values, strict=True):
                X[i, j] = X[j, i] = value
            reached.append(naive_prior(X, d))
    assert len(reached) == 6 * 6 * 7  # graphs with degrees d, orders on them, places for the last
    assert naive_prior(star, d) == pytest.approx(8.4693, abs=5e-5)
    assert min(reached) == pytest.approx(8.5867, abs=5e-5)
    assert naive_prior(construct(star, d), d) == pytest.approx(min(reached))


GOOD = np.ones((3, 3))


@pytest.mark.parametrize(
    ("degrees", "said"),
    [
        ((1, 1, 1), "odd"),
        ((3, 2, 1), "0…2"),
        ((2, 2, 0), "room"),
        ((1, -1, 0), "negative"),
        ((1.5, 1, 1), "whole"),
        ((np.nan, 1, 1), "whole"),
        ((1, 1), "length 3"),
        ([[1, 1, 0]], "length 3"),
    ],
)
def test_degrees_refused(degrees, said):
    with pytest.raises(ParameterError, match=said) as caught:
        construct(GOOD, degrees)
    assert "degrees" in str(caught.value)


@pytest.mark.parametrize(
    ("X", "said"),
    [
        (np.ones((2, 3)), "square"),
        (np.ones(3), "square"),
        (np.triu(GOOD), "symmetric"),
        (-GOOD, "non-negative"),
        (np.full((3, 3), np.nan), "finite"),
        (np.full((3, 3), "a"), "numeric"),
    ],
)
def test_scores_refused(X, said):
    with pytest.raises(ParameterError, match=said) as caught:
        construct(X, (1, 1, 0))
    assert str(caught.value).startswith("X must be")


@pytest.mark.parametrize("alpha", [0, -1.0, np.nan, np.inf, "1", None, True])
def test_exponent_refused(alpha):
    with pytest.raises(ParameterError, match="alpha"):
        construct(GOOD, (1, 1, 0), alpha)


@pytest.mark.parametrize(
    ("degrees", "said"),
    [
        ([0, 1, 5], r"degrees\[2\] is 5, allowed are 0…2 with 3 nodes"),
        ([2, 3, 3], r"degrees\[1\] is 3, allowed are 0…2 with 3 nodes"),
        ([1, 1, 1], "their sum 3 is odd"),
        ([2, 2, 0], "the 1 largest sum to 2, a simple graph has room for 1"),
        ([3, 1, 3, 1], "the 2 largest sum to 6, a simple graph has room for 4"),
        ([4, 4, 4, 1, 1], "the 2 largest sum to 8, a simple graph has room for 6"),
        ([-1, 1, 0], r"degrees\[0\] is -1"),
    ],
)
def test_degrees_that_no_graph_has_are_refused_with_the_reason(degrees, said):
    p = len(degrees)
    with pytest.raises(ParameterError, match=said):
        construct(np.ones((p, p)), degrees)


@pytest.mark.parametrize(
    "degrees",
    [
        [0],
        [0, 0],
        [1, 1],
        [2, 2, 2],
        [2, 1, 1],
        [3, 3, 3, 3],
        [3, 1, 1, 1],
        [3, 3, 2, 2],
        [0, 1, 1],
    ],
)
def test_degrees_of_graphs_are_graphical(degrees):
    assert is_graphical(degrees) is True
    d = np.array(degrees)
    edges = con._havel_hakimi(d)
    assert edges.sum(axis=1).tolist() == degrees
    assert (edges == edges.T).all()
    assert not edges.diagonal().any()


@pytest.mark.parametrize("degrees", [[1], [1, 0], [2, 0, 0], [3, 3, 1, 1], [2, 2, 0]])
def test_degrees_of_no_graph_are_not(degrees):
    assert is_graphical(degrees) is False


def test_the_entry_without_its_counterpart_is_named():
    X = np.array([[0.0, 1.0, 2.0], [1.0, 0.0, 3.0], [2.0, 4.0, 0.0]])
    said = r"X\[1, 2\] is 3.0 and X\[2, 1\] is 4.0; \(X \+ X.T\) / 2 is symmetric"
    with pytest.raises(ParameterError, match=said):
        construct(X, [1, 1, 0])


@pytest.mark.parametrize("alpha", [0.5, 1.0, 3.0])
def test_the_cost_of_a_further_pair_grows_with_those_a_node_has(alpha):
    """A node without wished edges weighs as one with one."""
    d = np.array([0, 1, 3])
    expected = [[(np.log(a + 2) / np.log(own + 1)) ** alpha for a in range(3)] for own in (1, 1, 3)]
    np.testing.assert_allclose(con._weight_table(d, alpha), expected, rtol=1e-12)


def test_an_exponent_that_overflows_is_no_warning():
    with np.errstate(all="raise"):
        assert np.isinf(con._weight_table(np.array([1, 1, 1]), 1e6)[0, 2])


@pytest.mark.parametrize(
    ("cost", "order"),
    [
        ([3.0, 1.0, 2.0], [1, 2, 0]),
        ([1.0, 1.0, 0.5], [2, 0, 1]),
        ([1.0 + 1e-14, 1.0, 2.0], [0, 1, 2]),  # the last digit does not count
        ([1.0 + 1e-9, 1.0, 2.0], [1, 0, 2]),
    ],
)
def test_the_cheapest_pair_comes_first_and_ties_by_their_number(cost, order):
    found = con._cheapest_first(np.array([9.0, *cost]), np.array([1, 2, 3]))
    assert [code - 1 for code in found] == order


def test_a_pair_comes_in_for_two_others_and_all_degrees_stay():
    """0 – 1 and 2 – 3 become 0 – 2 and 1 – 3."""
    graph = con._Realisation(np.array([1, 1, 1, 1]))
    assert graph.free[0, 1]
    assert graph.free[2, 3]
    assert graph.admit(0, 2)
    taken = graph.taken & ~np.eye(4, dtype=bool)
    assert sorted(map(tuple, np.argwhere(np.triu(taken)).tolist())) == [(0, 2), (1, 3)]
    assert sorted(map(tuple, np.argwhere(np.triu(graph.free)).tolist())) == [(1, 3)]
    assert (graph.free == graph.free.T).all()
    assert (graph.taken == graph.taken.T).all()
    assert not graph.admit(0, 1)  # both ends have all their edges for good, or would need 0 – 2
    assert graph.admit(1, 3)
    assert not graph.free.any()


def test_a_pair_is_not_brought_in_over_an_edge_that_is_there():
    """In a star every edge has the hub; two leaves can never be joined."""
    graph = con._Realisation(np.array([3, 1, 1, 1]))
    for pair in [(1, 2), (1, 3), (2, 3)]:
        assert not graph.admit(*pair)
    for leaf in (1, 2, 3):
        assert graph.admit(0, leaf)
        assert not graph.free[0, leaf]


@pytest.mark.parametrize(
    "degrees",
    [[2, 2, 2, 2, 2], [1, 1, 1, 1, 0], [3, 2, 2, 2, 1], [4, 1, 1, 1, 1], [0] * 5, [4, 4, 4, 4, 4]],
)
@pytest.mark.parametrize("alpha", [0.5, 2.0])
def test_the_strongest_pairs_have_the_wished_degrees_and_entries_only_move(degrees, alpha):
    p = len(degrees)
    rows, cols = np.triu_indices(p, 1)
    X = np.diag(np.arange(50.0, 50.0 + p))
    X[rows, cols] = X[cols, rows] = np.random.default_rng(1).permutation(rows.size) + 1.0
    before = X.copy()
    found = construct(X, degrees, alpha)
    assert (X == before).all()
    assert (found == found.T).all()
    assert np.diagonal(found).tolist() == np.diagonal(X).tolist()
    assert sorted(found[rows, cols]) == sorted(X[rows, cols])
    strong = np.argsort(-found[rows, cols])[: sum(degrees) // 2]
    ends = np.concatenate([rows[strong], cols[strong]])
    assert np.bincount(ends, minlength=p).tolist() == degrees


def test_pairs_are_placed_by_what_their_nodes_have_already():
    """All nodes wish one edge: 0 – 1, then 2 – 3; then by the number of pairs, (0, 2) first."""
    found = con._placement(np.array([1, 1, 1, 1]), 1.0)
    pairs = list(zip(*(side[found].tolist() for side in np.triu_indices(4, 1)), strict=True))
    assert pairs == [(0, 1), (2, 3), (0, 2), (1, 3), (0, 3), (1, 2)]


def test_a_node_of_higher_degree_gets_pairs_first():
    found = con._placement(np.array([1, 2, 2, 1]), 1.0)
    pairs = list(zip(*(side[found].tolist() for side in np.triu_indices(4, 1)), strict=True))
    assert pairs[0] == (1, 2)
    assert sorted(pairs[:3]) in ([(0, 1), (1, 2), (2, 3)], [(0, 2), (1, 2), (1, 3)])


@pytest.mark.parametrize(("i", "j"), [(0, 1), (2, 1), (3, 2)])
def test_the_entry_that_is_wrong_is_named(i, j):
    X = np.ones((4, 4))
    X[i, j] = -2.0
    with pytest.raises(ParameterError, match=rf"X\[{i}, {j}\] is -2"):
        lp.theory.construct(X, [1, 1, 1, 1])
    X[i, j] = 3.0
    a, b = min(i, j), max(i, j)
    with pytest.raises(ParameterError, match=rf"X\[{a}, {b}\] is .* and X\[{b}, {a}\] is"):
        lp.theory.construct(X, [1, 1, 1, 1])
