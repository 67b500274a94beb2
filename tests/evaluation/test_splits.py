"""Splits: nothing leaks from the hidden edges into training, and nothing goes missing."""

import numpy as np
import pytest
from benchmarks import data
from hypothesis import given, settings
from hypothesis import strategies as st

import linkprior as lp
from linkprior.errors import InputError, ParameterError
from linkprior.evaluation.protocols import Plan
from linkprior.evaluation.splits import (
    Split,
    biased,
    kfold,
    noisy,
    read_split,
    release,
    split_digest,
    uniform,
    write_split,
)
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


@pytest.mark.parametrize("rates", [(1.01, 0.5), (0.5, 1.01), (-0.1, 0.5), (0.5, -0.1), (0.5, "x")])
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


# ---------------------------------------------------------------------- split files


@pytest.mark.parametrize("rule", ["connected", "all-nodes"])
def test_a_split_comes_back_as_it_was(tmp_path, planted, rule):
    split = noisy(uniform(planted, 0.7, 3, rule), 0.2)
    write_split(split, planted, tmp_path / "split.tsv")
    (again,) = Plan(f"split:{tmp_path / 'split.tsv'}").make(planted)
    assert split_digest(again) == split_digest(split)
    assert again.train.names == split.train.names
    assert (again.label, again.rule, again.outside) == (split.label, split.rule, split.outside)


def test_names_that_tables_find_hard_come_back(tmp_path):
    names = ['a"b', "c\td", "e f", "#g", "ü", "\ttab", "node", "'"]
    net = lp.Network.from_edges([(names[i], names[(i + 1) % 8]) for i in range(8)])
    split = uniform(net, 0.5, 0, "all-nodes")
    write_split(split, net, tmp_path / "split.tsv")
    again = read_split(tmp_path / "split.tsv", net)
    assert again.train.digest == split.train.digest
    assert np.array_equal(again.hidden, split.hidden)


def test_anybody_can_read_it(tmp_path):
    net = lp.Network.from_edges([tuple(pair) for pair in ("ab", "bc", "cd", "da")])
    split = uniform(net, 0.5, 1, "all-nodes")
    write_split(split, net, tmp_path / "split.tsv")
    lines = (tmp_path / "split.tsv").read_text().splitlines()
    assert lines[0].startswith("# linkprior split {")
    assert lines[1] == "kind\tsource\ttarget"
    rows = [line.split("\t") for line in lines[2:]]
    assert [row[1] for row in rows if row[0] == "node"] == list("abcd")
    hidden = {(net.names[i], net.names[j]) for i, j in split.hidden.tolist()}
    assert {tuple(row[1:]) for row in rows if row[0] == "hidden"} == hidden


def test_a_split_of_another_network_is_refused_with_both_digests(tmp_path, planted):
    write_split(uniform(planted, 0.9), planted, tmp_path / "split.tsv")
    other = lp.planted_network(n_nodes=50, seed=9)
    with pytest.raises(InputError) as caught:
        read_split(tmp_path / "split.tsv", other)
    assert planted.digest[:12] in str(caught.value)
    assert other.digest[:12] in str(caught.value)


def damaged(text):
    lines = text.splitlines(keepends=True)
    return {
        "empty": "",
        "no first line": "".join(lines[1:]),
        "broken JSON": lines[0][:40] + "\n" + "".join(lines[1:]),
        "deep JSON": "# linkprior split " + "[" * 100_000,
        "no rule": text.replace('"rule": "connected"', '"rule": "some"'),
        "an unknown kind": text.replace("hidden\t", "secret\t", 1),
        "an unknown name": text + "hidden\tnobody\tnowhere\n",
        "a short row": text + "hidden\n",
        "nothing hidden": "".join(line for line in lines if not line.startswith("hidden")),
        "a hidden training edge": text
        + next(line for line in lines if line.startswith("train")).replace("train", "hidden"),
    }


@pytest.mark.parametrize("kind", damaged("# linkprior split {}\ntrain\ta\tb\n"))
def test_damaged_files_are_refused_in_one_line(tmp_path, planted, kind):
    path = tmp_path / "split.tsv"
    write_split(uniform(planted, 0.9), planted, path)
    path.write_text(damaged(path.read_text())[kind])
    with pytest.raises(InputError, match=r"split\.tsv") as caught:
        read_split(path, planted)
    assert "\n" not in str(caught.value)


def test_a_missing_file(tmp_path, planted):
    with pytest.raises(InputError, match="cannot be read"):
        read_split(tmp_path / "none.tsv", planted)


@pytest.mark.parametrize("rule", ["connected", "all-nodes"])
def test_what_is_known_beside_the_edges_is_known_of_a_split_read_back(tmp_path, planted, rule):
    weights = np.random.default_rng(0).uniform(0.1, 1.0, planted.n_edges)
    older = planted.hide(planted.edges[::3])
    told = planted.with_weights(weights).with_history(older, planted)
    split = uniform(told, 0.7, 3, rule)
    write_split(split, told, tmp_path / "split.tsv")
    again = read_split(tmp_path / "split.tsv", told)
    assert again.train.digest == split.train.digest
    np.testing.assert_array_equal(again.train.known.weights, split.train.known.weights)


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


def test_a_biased_split_without_a_seed_is_that_of_seed_zero(planted):
    made, zero = biased(planted, 0.8, 0.6), biased(planted, 0.8, 0.6, seed=0)
    assert made.hidden.tobytes() == zero.hidden.tobytes()
    assert made.label == zero.label


def test_a_label_is_written_in_its_own_letters(tmp_path):
    path = tmp_path / "split.tsv"
    write_split(Split(RING, np.array([[0, 5]]), "connected", "größer:½"), RING, path)
    assert '"label": "größer:½"' in path.read_text(encoding="utf-8").splitlines()[0]
