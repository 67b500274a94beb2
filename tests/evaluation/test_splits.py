"""Splits: nothing leaks from the hidden edges into training, and nothing goes missing."""

import numpy as np
import pytest
from benchmarks import data
from hypothesis import given, settings
from hypothesis import strategies as st

import linkprior as lp
from linkprior.errors import InputError, ParameterError
from linkprior.evaluation.splits import biased, kfold, noisy, release, uniform
from linkprior.network.pairs import n_pairs

by_example = settings(max_examples=60, deadline=None, derandomize=True)
rules = pytest.mark.parametrize("rule", ["connected", "all-nodes"])


@st.composite
def networks(draw, least_edges=4):
    """Small networks of any shape, isolated nodes among them."""
    p = draw(st.integers(6, 14))
    every = [(i, j) for i in range(p) for j in range(i + 1, p)]
    chosen = draw(st.lists(st.sampled_from(every), min_size=least_edges, max_size=40, unique=True))
    return lp.Network.from_edges(chosen, nodes=range(p))


def as_set(pairs):
    return set(map(tuple, np.asarray(pairs).tolist()))


def by_name(net):
    return {frozenset((net.names[i], net.names[j])) for i, j in net.edges.tolist()}


def n_kept(net, rate):
    return round(rate * net.n_edges)


def can_split(net, rate):
    return 1 <= n_kept(net, rate) < net.n_edges


# ---------------------------------------------------------------------- uniform


@by_example
@given(networks(), st.sampled_from([0.3, 0.5, 0.75]), st.integers(0, 2**32))
def test_train_and_hidden_are_the_network_cut_in_two(net, rate, seed):
    split = uniform(net, rate, seed, "all-nodes")
    train, hidden = as_set(split.train.edges), as_set(split.hidden)
    assert not train & hidden
    assert train | hidden == as_set(net.edges)
    assert len(hidden) == len(split.hidden) == net.n_edges - n_kept(net, rate)
    assert split.train.n_edges == n_kept(net, rate)
    assert split.outside == 0


@by_example
@given(networks(), st.sampled_from([0.3, 0.5, 0.75]), st.integers(0, 2**32))
def test_no_hidden_edge_is_in_training_in_either_direction(net, rate, seed):
    split = uniform(net, rate, seed, "all-nodes")
    seen = split.train.adjacency.toarray()
    i, j = split.hidden.T
    assert (i < j).all()
    assert (seen[i, j] == 0).all()
    assert (seen[j, i] == 0).all()
    assert (seen == seen.T).all()


@by_example
@given(networks(), st.sampled_from([0.3, 0.5, 0.75]), st.integers(0, 99), st.booleans())
def test_nodes_keep_number_name_and_order(net, rate, seed, connected):
    try:
        split = uniform(net, rate, seed, "connected" if connected else "all-nodes")
    except InputError:
        return  # connected, and no hidden edge joins two nodes with edges
    assert split.train.names == net.names


@by_example
@given(networks(), st.sampled_from([0.5, 0.75]), st.integers(0, 99))
def test_connected_asks_only_for_pairs_of_nodes_with_an_edge_in_training(net, rate, seed):
    every = uniform(net, rate, seed, "all-nodes")
    keeps = every.train.degrees > 0
    asked = {pair for pair in as_set(every.hidden) if keeps[list(pair)].all()}
    if not asked:
        with pytest.raises(InputError, match="no hidden edge joins two nodes that keep an edge"):
            uniform(net, rate, seed, "connected")
        return
    split = uniform(net, rate, seed, "connected")
    assert as_set(split.hidden) == asked
    assert split.outside == len(every.hidden) - len(asked)
    assert (split.eligible == keeps).all()
    assert split.n_pairs == n_pairs(int(keeps.sum()))
    assert split.train.digest == every.train.digest  # the rule changes questions, not training
    assert every.eligible.all()
    assert every.n_pairs == n_pairs(net.n_nodes)


@rules
def test_same_seed_same_split_other_seed_another(planted, rule):
    one, again, other = (uniform(planted, 0.8, seed, rule) for seed in (5, 5, 6))
    assert one.hidden.tobytes() == again.hidden.tobytes()
    assert one.train.digest == again.train.digest
    assert one.label == again.label
    assert as_set(one.hidden) != as_set(other.hidden)
    assert one.train.digest != other.train.digest
    assert one.label != other.label


def test_every_edge_is_as_likely_to_be_hidden(planted):
    """Over 400 seeds each edge is hidden 120 times, give or take five standard deviations."""
    times = np.zeros(planted.n_edges)
    codes = {pair: at for at, pair in enumerate(map(tuple, planted.edges.tolist()))}
    for seed in range(400):
        for pair in as_set(uniform(planted, 0.7, seed, "all-nodes").hidden):
            times[codes[pair]] += 1
    share = 1 - n_kept(planted, 0.7) / planted.n_edges
    spread = np.sqrt(400 * share * (1 - share))
    assert abs(times - 400 * share).max() < 5 * spread


@pytest.mark.parametrize("rate", [0.0, 1.0, -0.1, 1.5, float("nan"), float("inf"), "0.5", True])
def test_bad_rates(planted, rate):
    with pytest.raises(ParameterError, match="rate must be a number in"):
        uniform(planted, rate)


@pytest.mark.parametrize(("rate", "kept"), [(0.001, 0), (0.9999, 4)])
def test_rates_that_leave_nothing_to_learn_or_to_find(rate, kept):
    net = lp.Network.from_edges([(0, 1), (1, 2), (2, 3), (3, 0)])
    with pytest.raises(ParameterError, match=rf"would keep {kept} of 4 edges: nothing"):
        uniform(net, rate)


def test_bad_seed_and_rule(planted):
    with pytest.raises(ParameterError, match="seed must be"):
        uniform(planted, 0.9, -1)
    with pytest.raises(ParameterError, match=r"rule must be .* Did you mean connected\?"):
        uniform(planted, 0.9, 0, "conected")


# ---------------------------------------------------------------------- folds


@by_example
@given(networks(), st.integers(2, 4), st.integers(0, 99))
def test_folds_hide_every_edge_once(net, folds, seed):
    parts = [kfold(net, folds, fold, seed, "all-nodes") for fold in range(folds)]
    hidden = [pair for split in parts for pair in map(tuple, split.hidden.tolist())]
    assert len(hidden) == len(set(hidden)) == net.n_edges
    assert set(hidden) == as_set(net.edges)
    sizes = [len(split.hidden) for split in parts]
    assert max(sizes) - min(sizes) <= 1
    for split in parts:
        assert as_set(split.train.edges) == as_set(net.edges) - as_set(split.hidden)
        assert split.train.names == net.names


def test_folds_depend_on_the_seed_alone(planted):
    one, again, other = (kfold(planted, 5, 2, seed) for seed in (1, 1, 2))
    assert one.hidden.tobytes() == again.hidden.tobytes()
    assert as_set(one.hidden) != as_set(other.hidden)
    assert one.label == "kfold:5 fold 2 seed 1"


def test_bad_folds():
    net = _pairs("ab", "bc", "cd")
    with pytest.raises(ParameterError, match="kfold:4 needs at least 4 edges.* has 3"):
        kfold(net, 4, 0)
    with pytest.raises(ParameterError, match="fold must be a whole number in 0…1"):
        kfold(net, 2, 2)
    with pytest.raises(ParameterError, match="folds must be"):
        kfold(net, 1, 0)


# ---------------------------------------------------------------------- hubs


def hub_edges(net):
    """Edges that touch one of the ⌈p/5⌉ nodes of the highest degrees, in plain Python."""
    ranked = sorted(range(net.n_nodes), key=lambda node: (-net.degrees[node], node))
    hubs = set(ranked[: -(-net.n_nodes // 5)])
    return {pair for pair in as_set(net.edges) if hubs & set(pair)}


@by_example
@given(
    networks(least_edges=12),
    st.sampled_from([(0.7, 0.5), (0.5, 0.75), (0.6, 1.0)]),
    st.integers(0, 99),
)
def test_a_biased_split_hides_exactly_its_share_of_both_kinds(net, rates, seed):
    rate, hub_rate = rates
    at_hubs = hub_edges(net)
    others = net.n_edges - len(at_hubs)
    wanted = [len(at_hubs) - round(hub_rate * len(at_hubs)), others - round(rate * others)]
    if sum(wanted) in (0, net.n_edges):
        return  # nothing to find or to learn from, which is refused as in every protocol
    split = biased(net, rate, hub_rate, seed, "all-nodes")
    hidden = as_set(split.hidden)
    assert [len(hidden & at_hubs), len(hidden - at_hubs)] == wanted
    assert as_set(split.train.edges) == as_set(net.edges) - hidden


@pytest.mark.parametrize("rates", [(1.2, 0.5), (0.5, 1.2), (-0.1, 0.5), (0.5, "0.5")])
def test_bad_rates_at_hubs(planted, rates):
    with pytest.raises(ParameterError, match="rate must be a number in"):
        biased(planted, *rates)


# ---------------------------------------------------------------------- noise


@by_example
@given(networks(least_edges=8), st.sampled_from([0.1, 0.4, 1.0]), st.integers(0, 99))
def test_noise_replaces_its_share_of_training_edges_by_pairs_that_are_no_edges(net, share, seed):
    clean = uniform(net, 0.7, seed, "all-nodes")
    n = round(share * clean.train.n_edges)
    free = n_pairs(net.n_nodes) - net.n_edges
    if n > free:
        with pytest.raises(ParameterError, match="noise needs"):
            noisy(clean, share, seed)
        return
    split = noisy(clean, share, seed)
    train, hidden, known = as_set(split.train.edges), as_set(split.hidden), as_set(net.edges)
    assert split.train.n_edges == clean.train.n_edges
    assert len(train - known) == n
    assert as_set(split.barred) == as_set(clean.train.edges) - train
    assert hidden == as_set(clean.hidden)
    taken = split.taken.toarray()
    assert taken.sum() / 2 == len(train | as_set(split.barred))
    assert all(taken[pair] for pair in train | as_set(split.barred))


@by_example
@given(networks(least_edges=8), st.sampled_from([0.1, 0.4]), st.integers(0, 99))
def test_noise_never_takes_a_true_edge_for_false_nor_for_a_candidate(net, share, seed):
    """Also under `connected`, where some hidden edges are not asked for."""
    try:
        split = noisy(uniform(net, 0.6, seed, "connected"), share, seed)
    except (InputError, ParameterError):
        return  # nothing to ask for, or no pair left to be false
    known, train = as_set(net.edges), as_set(split.train.edges)
    assert len(train - known) == round(share * split.train.n_edges)
    every = train | as_set(split.hidden) | as_set(split.barred)
    assert known <= every


# ---------------------------------------------------------------------- releases


def test_a_release_is_matched_by_name_and_new_nodes_are_counted():
    older = lp.Network.from_edges([("a", "b"), ("b", "c"), ("c", "d")])
    newer = lp.Network.from_edges(
        [
            ("x", "y"),  # both new
            ("d", "a"),  # new, the other way round than the older order
            ("c", "b"),  # known, reversed
            ("a", "c"),  # new
            ("d", "x"),  # one new node
            ("b", "a"),  # known
        ]
    )
    split = release(older, newer)
    assert split.train is older
    assert split.hidden.tolist() == [[0, 2], [0, 3]]
    assert split.outside == 2
    assert split.label == "release"


@by_example
@given(networks(), networks(), st.randoms(use_true_random=False))
def test_release_hides_what_is_new_between_old_nodes(older, newer, random):
    names = [f"n{i}" for i in range(older.n_nodes)]
    older = older.rename(names)
    pool = [f"n{i}" for i in range(20)]
    newer = newer.rename(random.sample(pool, newer.n_nodes))
    new = by_name(newer) - by_name(older)
    asked = {pair for pair in new if pair <= set(names)}
    if not asked:
        with pytest.raises(InputError):
            release(older, newer, "all-nodes")
        return
    split = release(older, newer, "all-nodes")
    found = {frozenset((older.names[i], older.names[j])) for i, j in split.hidden.tolist()}
    assert found == asked
    assert split.outside == len(new) - len(asked)
    assert (split.hidden[:, 0] < split.hidden[:, 1]).all()
    assert not as_set(split.hidden) & as_set(older.edges)


def test_connected_leaves_old_nodes_without_edges_outside():
    older = lp.Network.from_edges([("a", "b"), ("b", "c")], nodes="abcd")
    newer = lp.Network.from_edges([("a", "c"), ("a", "d"), ("a", "e")])
    split = release(older, newer, "connected")
    assert split.hidden.tolist() == [[0, 2]]
    assert split.outside == 2
    assert release(older, newer, "all-nodes").outside == 1


def test_releases_that_share_no_node():
    with pytest.raises(InputError, match="share no node name: do they use the same identifiers"):
        release(lp.Network.from_edges(["ab", "bc"][:0], nodes="abc"), _pairs("xy"))
    with pytest.raises(InputError, match="share no node name"):
        release(_pairs("ab", "bc"), _pairs("AB", "BC"))


@pytest.mark.parametrize("newer", [("ab", "bc"), ("ba",), ("ab", "xy", "ax")])
def test_releases_without_anything_new(newer):
    with pytest.raises(InputError, match="no new edge between nodes of the older"):
        release(_pairs("ab", "bc"), _pairs(*newer))


def test_a_release_under_an_unknown_rule():
    with pytest.raises(ParameterError, match="rule must be"):
        release(_pairs("ab", "bc"), _pairs("ac"), "any")


def _pairs(*pairs):
    return lp.Network.from_edges([tuple(pair) for pair in pairs])


@pytest.mark.parametrize(
    ("older", "newer", "hidden", "outside"),
    [
        ("3.1.94", "3.2.104", 358, 1328),
        ("3.1.94", "3.2.114", 426, 1530),
        ("3.2.104", "3.2.114", 90, 180),
    ],
)
def test_rat_releases(data_folder, older, newer, hidden, outside):
    """New pairs are 1686, 1956 and 270 in all (the data folder's README)."""
    split = release(data.rat(data_folder, older), data.rat(data_folder, newer), "all-nodes")
    assert (len(split.hidden), split.outside) == (hidden, outside)


@rules
def test_a_history_tells_nothing_of_what_a_release_asks_for(rule):
    net = lp.planted_network(40, n_groups=2, mean_degree=6.0, seed=1)
    older, oldest = (
        net.hide(net.edges[::4]),
        net.hide(np.concatenate([net.edges[::4], net.edges[1::4]])),
    )
    split = release(older.with_history(oldest, net), net, rule)
    told = as_set(split.train.known.history.found)
    assert told == as_set(net.edges[1::4])
    assert not told & as_set(split.hidden)


def test_known_non_edges_are_no_candidates():
    net = lp.planted_network(40, n_groups=2, mean_degree=6.0, seed=1)
    i, j = np.nonzero(np.triu(net.adjacency.toarray() == 0, 1))
    negatives = np.stack([i, j], axis=1)[::5]
    split = uniform(net.with_negatives(negatives), 0.8, 0, "all-nodes")
    taken = as_set(np.stack(np.triu(split.taken.toarray()).nonzero(), axis=1))
    assert taken == as_set(split.train.edges) | as_set(negatives)


def test_a_known_non_edge_that_a_release_has_can_still_be_found():
    net = lp.planted_network(40, n_groups=2, mean_degree=6.0, seed=1)
    older = net.hide(net.edges[::4]).with_negatives(net.edges[:1])
    split = release(older, net, "all-nodes")
    assert tuple(net.edges[0]) in as_set(split.hidden)
    assert split.taken[*net.edges[0]] == 0
