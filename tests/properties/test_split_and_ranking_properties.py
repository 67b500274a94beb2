"""Splits repeat and come back from files; rankings merge; edges of a network have no order."""

import hypothesis.strategies as st
import numpy as np
from hypothesis import assume, given
from tests.properties.made import by_example, exact, few, networks, symmetric

import linkprior as lp
from linkprior.errors import LinkpriorError
from linkprior.evaluation.splits import read_split, split_digest, uniform, write_split
from linkprior.ranking.ranking import Ranking
from linkprior.ranking.topk import Best, best_pairs, first_pairs

RULES = st.sampled_from(["connected", "all-nodes"])
NAMES = st.text(
    st.characters(exclude_categories=("Cs", "Cc", "Zl", "Zp", "Zs")), min_size=1, max_size=4
)

# ---------------------------------------------------------------------- splits


@few
@given(networks(least=6, nodes=(6, 10), names=NAMES), st.integers(0, 99), RULES)
def test_a_split_comes_back_from_its_file(tmp_path, net, seed, rule):
    try:
        split = uniform(net, 0.6, seed, rule)
    except LinkpriorError:  # the network leaves nothing to ask for
        assume(False)
    write_split(split, net, tmp_path / "split.tsv")
    again = read_split(tmp_path / "split.tsv", net)
    assert split_digest(again) == split_digest(split)
    assert again.train.names == net.names
    assert again.hidden.tolist() == split.hidden.tolist()
    assert (again.rule, again.label, again.outside) == (split.rule, split.label, split.outside)


# ---------------------------------------------------------------------- rankings


@st.composite
def scored(draw):
    """Different pairs with scores, many of them tied."""
    p = draw(st.integers(3, 9))
    every = [(i, j) for i in range(p) for j in range(i + 1, p)]
    pairs = draw(st.lists(st.sampled_from(every), min_size=1, max_size=30, unique=True))
    scores = draw(st.lists(st.integers(0, 4), min_size=len(pairs), max_size=len(pairs)))
    rows, cols = np.array(pairs).T
    return rows, cols, np.array(scores, float)


def listed(rows, cols, scores):
    return list(zip((-scores).tolist(), rows.tolist(), cols.tolist(), strict=True))


@by_example
@given(scored(), st.integers(1, 35))
def test_the_first_pairs_are_those_of_a_sorted_list(case, k):
    assert listed(*first_pairs(*case, k)) == sorted(listed(*case))[:k]


@by_example
@given(scored(), st.integers(1, 35), st.lists(st.integers(0, 30), max_size=5))
def test_the_best_of_parts_are_the_best_of_all(case, k, cuts):
    best = Best(k)
    for part in zip(*(np.split(one, sorted(cuts)) for one in case), strict=True):
        best.add(*first_pairs(*part, k))
    assert listed(*best.compress()) == sorted(listed(*case))[:k]


@by_example
@given(scored(), st.integers(1, 20))
def test_the_floor_never_shuts_out_a_pair_of_the_list(case, k):
    best = Best(k)
    for row, col, score in zip(*case, strict=True):
        if score >= best.floor:
            best.add(np.array([row]), np.array([col]), np.array([score]))
    assert listed(*best.compress()) == sorted(listed(*case))[:k]


@by_example
@given(networks(nodes=(3, 9)), st.data(), st.integers(1, 40), st.sampled_from([-np.inf, 0.5, 2.0]))
def test_the_best_pairs_of_a_matrix_are_those_of_a_sorted_list(net, data, k, threshold):
    X = data.draw(symmetric(net.n_nodes))
    A = net.adjacency.toarray()
    pairs, scores = best_pairs(lambda a, b: X[a:b].copy(), net, k, threshold=threshold)
    free = [
        (-X[i, j], i, j)
        for i in range(net.n_nodes)
        for j in range(i + 1, net.n_nodes)
        if not A[i, j] and X[i, j] >= threshold
    ]
    assert listed(*pairs.T, scores) == sorted(free)[:k]


@by_example
@given(scored(), st.integers(0, 30), st.integers(0, 30))
def test_a_part_of_a_ranking_keeps_its_ranks(case, start, stop):
    rows, cols, scores = first_pairs(*case, 10**6)
    names = tuple(f"n{i}" for i in range(9))
    whole = Ranking(np.stack([rows, cols], axis=1), scores, names)
    part = whole[start:stop]
    assert list(part) == list(whole)[start:stop]
    assert [link.rank for link in part] == list(range(1, len(whole) + 1))[start:stop]


# ---------------------------------------------------------------------- networks


@by_example
@given(networks(nodes=(2, 10)), st.randoms(use_true_random=False))
def test_a_network_does_not_depend_on_the_order_or_direction_of_its_edges(net, rng):
    named = [(net.names[i], net.names[j]) for i, j in net.edges.tolist()]
    turned = [pair if rng.random() < 0.5 else pair[::-1] for pair in named]
    rng.shuffle(turned)
    again = lp.Network.from_edges(turned + turned[:3], nodes=net.names)
    assert again.digest == net.digest
    assert again.merged.duplicates == min(3, len(turned))


@by_example
@given(networks(least=2, nodes=(3, 10)), st.data())
def test_hiding_edges_takes_these_and_no_others(net, data):
    gone = data.draw(st.lists(st.sampled_from(net.edges.tolist()), min_size=1, unique_by=tuple))
    left = net.hide(np.array(gone))
    assert sorted(left.edges.tolist() + gone) == net.edges.tolist()
    assert left.names == net.names
    assert (net.degrees - left.degrees).sum() == 2 * len(gone)


@by_example
@given(networks(least=2, nodes=(3, 10)), st.data())
def test_weights_count_by_their_ratio_alone(net, data):
    made = st.lists(exact.filter(bool), min_size=net.n_edges, max_size=net.n_edges)
    weights = np.array(data.draw(made))
    scale = data.draw(st.sampled_from([2.0**-40, 2.0, 2.0**40]))
    plain, scaled = net.with_weights(weights), net.with_weights(scale * weights)
    assert plain.digest == scaled.digest
    assert plain.confidence.max() == 1.0
