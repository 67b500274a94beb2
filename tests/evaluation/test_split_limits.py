"""Splits small enough to be counted by hand: hubs, shares, folds, noise and what is not asked."""

import numpy as np
import pytest

import linkprior as lp
from linkprior.errors import InputError, ParameterError
from linkprior.evaluation.splits import Split, biased, kfold, noisy, release, uniform

RING = lp.Network.from_edges([(node, (node + 1) % 10) for node in range(10)])


def pairs(edges):
    return set(map(tuple, np.asarray(edges).tolist()))


def network(edges, n_nodes):
    return lp.Network.from_indices(np.array(edges), [str(node) for node in range(n_nodes)])


def wheels(n_nodes, n_hubs):
    """Return a ring in which the first nodes have one more edge each, to the nodes at its end."""
    ring = [(node, node + 1) for node in range(n_nodes - 1)] + [(0, n_nodes - 1)]
    more = [(hub, n_nodes - 3 - hub) for hub in range(0, 2 * n_hubs, 2)]
    return network(sorted(ring + more), n_nodes)


# ---------------------------------------------------------------------- a split by hand


def test_a_split_that_says_nothing_has_nothing_outside_and_nothing_barred():
    split = Split(RING, np.array([[0, 5]]), "connected", "by hand")
    assert (split.unconnected, split.unknown, split.new_nodes, split.outside) == (0, 0, 0, 0)
    assert split.barred.shape == (0, 2)
    assert split.taken is RING.adjacency


def test_edges_that_cannot_be_asked_for_are_added_up():
    split = Split(RING, np.array([[0, 5]]), "connected", "by hand", unconnected=3, unknown=4)
    assert split.outside == 7


@pytest.mark.parametrize(("rule", "count", "n_pairs"), [("connected", 3, 3), ("all-nodes", 5, 10)])
def test_the_rule_says_which_nodes_are_candidates(rule, count, n_pairs):
    split = Split(network([(0, 1), (1, 2)], 5), np.array([[0, 2]]), rule, "by hand")
    assert split.eligible.tolist() == [True] * count + [False] * (5 - count)
    assert split.n_pairs == n_pairs


def test_barred_pairs_are_taken_like_edges():
    split = Split(RING, np.array([[0, 5]]), "connected", "", barred=np.array([[2, 7], [3, 9]]))
    taken = np.argwhere(np.triu(split.taken.toarray(), 1))
    assert pairs(taken) == pairs(RING.edges) | {(2, 7), (3, 9)}


# ---------------------------------------------------------------------- shares


def test_hubs_alone_may_be_kept():
    split = biased(RING, 0.0, 1.0, 0, "all-nodes")
    assert split.label == "biased:0:inf seed 0"
    hubs = {0, 1}  # a fifth of the nodes, of equal degrees the first
    assert pairs(split.train.edges) == {edge for edge in pairs(RING.edges) if hubs & set(edge)}


@pytest.mark.parametrize(("rate", "kept"), [(0.05001, 1), (0.5, 5), (0.76, 8), (0.9499, 9)])
def test_a_uniform_split_keeps_the_rounded_share(rate, kept):
    split = uniform(RING, rate, rule="all-nodes")
    assert (split.train.n_edges, len(split.hidden)) == (kept, 10 - kept)
    assert pairs(split.train.edges) | pairs(split.hidden) == pairs(RING.edges)


@pytest.mark.parametrize(("rate", "said"), [(0.04, "learn from"), (0.96, "find")])
def test_a_share_that_keeps_all_or_nothing_is_refused(rate, said):
    with pytest.raises(ParameterError, match=f"nothing to {said}"):
        uniform(RING, rate)


def test_the_only_edge_can_be_learned_from_but_nothing_is_left_to_find():
    with pytest.raises(ParameterError, match="keep 1 of 1 edges: nothing to find"):
        uniform(network([(0, 1)], 2), 0.9)


def test_a_negative_seed_is_refused_by_name():
    for call in (uniform, lambda *given: biased(RING, 0.5, 0.5, -1)):
        with pytest.raises(ParameterError, match="seed must be a whole number ≥ 0"):
            call(RING, 0.5, -1)
    with pytest.raises(ParameterError, match="seed must be a whole number ≥ 0"):
        noisy(uniform(RING, 0.5, rule="all-nodes"), 0.5, -1)


def test_without_a_seed_it_is_zero():
    whole = uniform(RING, 0.5, rule="all-nodes")
    assert whole.hidden.tolist() == uniform(RING, 0.5, 0, "all-nodes").hidden.tolist()
    assert whole.label == "uniform:0.5 seed 0"
    fold = kfold(RING, 3, 1)
    assert fold.hidden.tolist() == kfold(RING, 3, 1, 0).hidden.tolist()
    one, other = noisy(whole, 0.4), noisy(whole, 0.4, 0)
    assert one.train.digest == other.train.digest


@pytest.mark.parametrize(
    ("n_nodes", "n_hubs"),
    [(10, 2), (11, 3), (15, 3), (35, 7), (36, 8)],  # 0.2 · 35 is a little more than 7
)
def test_hubs_are_the_fifth_of_all_nodes_rounded_up(n_nodes, n_hubs):
    """Of their edges nothing is kept, of the others everything."""
    net = wheels(n_nodes, n_hubs)
    hubs = set(np.argsort(-net.degrees, kind="stable")[:n_hubs].tolist())
    split = biased(net, 1.0, 0.0, rule="all-nodes")
    assert pairs(split.hidden) == {pair for pair in pairs(net.edges) if hubs & set(pair)}


def test_the_label_of_a_biased_split_tells_the_factor_unless_it_has_a_name():
    assert biased(RING, 0.8, 0.4, rule="all-nodes").label == "biased:0.8:0.5 seed 0"
    assert biased(RING, 0.8, 0.4, 2, "all-nodes", "mine").label == "mine seed 2"


@pytest.mark.parametrize("rates", [(1.01, 0.5), (-0.1, 0.5), (0.5, 1.01), (0.5, -0.1)])
def test_shares_beyond_all_and_nothing_are_refused(rates):
    with pytest.raises(ParameterError, match="rate must be a number in"):
        biased(RING, *rates)


# ---------------------------------------------------------------------- folds


@pytest.mark.parametrize("folds", [2, 3, 10])
def test_folds_are_equal_to_within_one_edge(folds):
    made = [kfold(RING, folds, fold, 5, "all-nodes") for fold in range(folds)]
    sizes = [len(split.hidden) for split in made]
    assert sum(sizes) == 10
    assert max(sizes) - min(sizes) <= 1
    assert len(set.union(*(pairs(split.hidden) for split in made))) == 10


@pytest.mark.parametrize(
    ("folds", "fold", "said"),
    [
        (1, 0, "folds must be a whole number ≥ 2"),
        (11, 0, "needs at least 11 edges, but the network has 10"),
        (4, 4, "fold must be a whole number in 0…3"),
        (4, -1, "fold must be a whole number in 0…3"),
    ],
)
def test_folds_that_are_none(folds, fold, said):
    with pytest.raises(ParameterError, match=said):
        kfold(RING, folds, fold)
    with pytest.raises(ParameterError, match="seed"):
        kfold(RING, 3, 0, -1)


# ---------------------------------------------------------------------- what is asked


def test_edges_of_nodes_left_alone_are_counted_and_barred():
    """1 – 2 stays; 2 – 3 and 3 – 4 would be asked for but 3 and 4 have no edge in training."""
    older = network([(0, 1), (1, 2)], 5)
    newer = lp.Network.from_edges([("0", "2"), ("2", "3"), ("3", "4"), ("0", "x"), ("x", "y")])
    split = release(older, newer)
    assert pairs(split.hidden) == {(0, 2)}
    assert pairs(split.barred) == {(2, 3), (3, 4)}
    assert (split.unconnected, split.unknown, split.new_nodes) == (2, 2, 2)
    whole = release(older, newer, "all-nodes")
    assert pairs(whole.hidden) == {(0, 2), (2, 3), (3, 4)}
    assert (whole.unconnected, len(whole.barred)) == (0, 0)


def test_a_split_without_an_edge_to_ask_for_is_refused():
    older = network([(0, 1), (1, 2)], 5)
    with pytest.raises(InputError, match="release: no hidden edge joins two nodes"):
        release(older, lp.Network.from_edges([("2", "3"), ("3", "4")]))


# ---------------------------------------------------------------------- noise


def by_hand(train, hidden, n_nodes=4):
    return Split(network(train, n_nodes), np.array(hidden), "all-nodes", "by hand")


def test_noise_may_take_every_pair_that_is_no_edge_and_no_more():
    train, free = [(0, 1), (2, 3)], {(0, 2), (1, 3)}
    made = noisy(by_hand(train, [(0, 3), (1, 2)]), 1.0)
    assert pairs(made.train.edges) == free
    assert pairs(made.barred) == set(train)
    with pytest.raises(ParameterError, match="needs 2 pairs that are no edges, but there are 1"):
        noisy(by_hand(train, [(0, 2), (0, 3), (1, 2)]), 1.0)


@pytest.mark.parametrize(("share", "replaced"), [(0.1, 1), (0.34, 3), (0.36, 4), (1.0, 10)])
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_noise_replaces_the_rounded_share(share, replaced, seed):
    split = Split(RING, np.array([[0, 5], [2, 7]]), "all-nodes", "by hand")
    made = noisy(split, share, seed)
    kept, false = pairs(made.train.edges) & pairs(RING.edges), pairs(made.train.edges)
    assert len(kept) == 10 - replaced
    assert made.train.n_edges == 10
    assert pairs(made.barred) == pairs(RING.edges) - kept
    assert not (false - kept) & pairs(split.hidden)
    assert made.label == f"by hand noise {share:g}"
    assert pairs(made.hidden) == pairs(split.hidden)


def test_edges_taken_out_before_are_not_put_in_as_false_ones():
    first = noisy(Split(RING, np.array([[0, 5]]), "all-nodes", "by hand"), 0.5, 3)
    second = noisy(first, 0.5, 4)
    assert pairs(first.barred) < pairs(second.barred)
    assert not pairs(second.train.edges) & pairs(second.barred)
    assert second.barred.tolist() == sorted(second.barred.tolist())


@pytest.mark.parametrize("share", [0.0, -0.1, 1.01])
def test_a_share_of_noise_lies_between_nothing_and_all(share):
    with pytest.raises(ParameterError, match="noise must be"):
        noisy(by_hand([(0, 1), (2, 3)], [(0, 3)]), share)
