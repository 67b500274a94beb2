"""Algorithm `alg` and Theorem `property`: what `construct` keeps, and what no rearrangement can."""

import math
from collections.abc import Iterator
from functools import cache
from itertools import combinations, combinations_with_replacement, permutations

import networkx as nx
import numpy as np
import pytest
from tests.paper.dense import printed_prior

from linkprior.errors import ParameterError
from linkprior.model.construction import construct, is_graphical

Degrees = tuple[int, ...]
Graph = frozenset[tuple[int, int]]


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


@pytest.mark.parametrize("alpha", [1.0, 5000.0])
def test_inner_nodes_of_a_path_come_first_even_where_costs_are_too_small_for_a_float(alpha):
    """The two inner nodes cost (log 2 / log 3)^α each, the ends 1."""
    placed = construct(distinct_scores(4, 0), [1, 2, 2, 1], alpha)
    assert pairs_by_score(placed)[0] == (1, 2)
    assert degrees_of(pairs_by_score(placed)[:3], 4) == (1, 2, 2, 1)


def test_where_all_cost_the_same_pairs_are_placed_by_their_number():
    order = pairs_by_score(construct(distinct_scores(4, 0), [1, 1, 1, 1]))
    assert order == [(0, 1), (2, 3), (0, 2), (1, 3), (0, 3), (1, 2)]


def test_input_stays_and_float32_stays():
    X = distinct_scores(6, 3).astype(np.float32)
    before = X.copy()
    assert construct(X, (2, 2, 1, 1, 1, 1)).dtype == np.float32
    assert (X == before).all()


@pytest.mark.parametrize("alpha", [0.5, 1.0, 2.0])
def test_two_valued_scores_never_cost_more(alpha):
    p, compared = 5, 0
    for d in filter(is_graphical, falling_sequences(p)):
        after = None
        for own, graphs in graphs_by_degrees(p).items():
            if sum(own) == sum(d):
                X = np.full((p, p), 0.25)
                for i, j in graphs[0]:
                    X[i, j] = X[j, i] = 1.0
                before = printed_prior(X, d, alpha)
                if after is None:  # all these X have the same entries, so the same X*
                    after = printed_prior(construct(X, d, alpha), d, alpha)
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
    assert (3, 1, 1, 1) in printed_greedy_outcomes((3, 1, 1, 1), alpha)  # it does meet others
    assert_promises(distinct_scores(4, 0), d, alpha)


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


def test_star_is_cheaper_than_every_rearrangement_with_the_target_degrees():
    d, values = (2, 1, 1, 1, 1), (1.03, 1.02, 1.01, 1.00)
    star = np.zeros((5, 5))
    star[0, 1:] = star[1:, 0] = values
    reached = []
    for places in permutations(combinations(range(5), 2), len(values)):
        if degrees_of(places[:3], 5) == d:
            X = np.zeros((5, 5))
            for (i, j), value in zip(places, values, strict=True):
                X[i, j] = X[j, i] = value
            reached.append(printed_prior(X, d))
    assert len(reached) == 6 * 6 * 7  # graphs with degrees d, orders on them, places for the last
    assert printed_prior(star, d) == pytest.approx(8.4693, abs=5e-5)
    assert min(reached) == pytest.approx(8.5867, abs=5e-5)
    assert printed_prior(construct(star, d), d) == pytest.approx(min(reached))


@pytest.mark.parametrize(
    ("degrees", "said"),
    [
        ([0, 1, 5], r"degrees\[2\] is 5, allowed are 0…2 with 3 nodes"),
        ([2, 3, 3], r"degrees\[1\] is 3, allowed are 0…2 with 3 nodes"),
        ([1, 1, 1], "degrees .* their sum 3 is odd"),
        ([2, 2, 0], "the 1 largest sum to 2, a simple graph has room for 1"),
        ([3, 1, 3, 1], "the 2 largest sum to 6, a simple graph has room for 4"),
        ([4, 4, 4, 1, 1], "the 2 largest sum to 8, a simple graph has room for 6"),
        ([-1, 1, 0], r"degrees\[0\] is -1"),
        ([1.5, 1, 1], "degrees must be whole"),
        ([[1, 1, 0]], "degrees .*length 1"),
    ],
)
def test_degrees_that_no_graph_has_are_refused_with_the_reason(degrees, said):
    p = len(degrees)
    with pytest.raises(ParameterError, match=said):
        construct(np.ones((p, p)), degrees)


@pytest.mark.parametrize(
    ("X", "said"),
    [
        (np.ones((2, 3)), "square"),
        (np.ones(3), "square"),
        (np.triu(np.ones((3, 3))), "symmetric"),
        ([[0, 1, 2], [1, 0, 3], [2, 4, 0]], r"X\[1, 2\] is 3.0 and X\[2, 1\] is 4.0; \(X \+ X.T\)"),
        ([[0, 1, 2], [1, 0, -3], [2, -3, 0]], r"non-negative, but X\[1, 2\] is -3"),
        (np.full((3, 3), np.nan), "finite"),
        (np.full((3, 3), "a"), "numeric"),
    ],
)
def test_scores_refused(X, said):
    with pytest.raises(ParameterError, match=f"^X must be .*{said}"):
        construct(X, (1, 1, 0))


@pytest.mark.parametrize("alpha", [0, np.inf, "1"])
def test_exponent_refused(alpha):
    with pytest.raises(ParameterError, match="alpha"):
        construct(np.ones((3, 3)), (1, 1, 0), alpha)
