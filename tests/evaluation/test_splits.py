"""Splits: nothing leaks from the hidden edges into training, and nothing goes missing."""

import json
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from benchmarks import data
from hypothesis import given
from hypothesis import strategies as st
from tests.properties import made
from tests.properties.made import by_example

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

rules = pytest.mark.parametrize("rule", ["connected", "all-nodes"])


networks = partial(made.networks, 4, (6, 14))
RING = lp.Network.from_edges([(node, (node + 1) % 10) for node in range(10)])


def as_set(pairs):
    return set(map(tuple, np.asarray(pairs).tolist()))


def by_name(net):
    return {frozenset((net.names[i], net.names[j])) for i, j in net.edges.tolist()}


# ---------------------------------------------------------------------- uniform


@by_example
@given(networks(), st.sampled_from([0.3, 0.5, 0.75]), st.integers(0, 2**32))
def test_train_and_hidden_are_the_network_cut_in_two(net, rate, seed):
    split = uniform(net, rate, seed, "all-nodes")
    assert split.train.names == net.names
    assert as_set(split.train.edges) | as_set(split.hidden) == as_set(net.edges)
    assert split.train.n_edges == round(rate * net.n_edges)
    assert len(split.hidden) == net.n_edges - split.train.n_edges
    assert split.outside == 0
    i, j = split.hidden.T
    assert (i < j).all()
    assert not split.train.adjacency.toarray()[i, j].any()


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


def test_every_edge_is_as_likely_to_be_hidden(planted):
    """Over 400 seeds each edge is hidden 120 times, give or take five standard deviations."""
    times = np.zeros(planted.n_edges)
    codes = {pair: at for at, pair in enumerate(map(tuple, planted.edges.tolist()))}
    for seed in range(400):
        for pair in as_set(uniform(planted, 0.7, seed, "all-nodes").hidden):
            times[codes[pair]] += 1
    share = 1 - round(0.7 * planted.n_edges) / planted.n_edges
    spread = np.sqrt(400 * share * (1 - share))
    assert abs(times - 400 * share).max() < 5 * spread


@rules
@pytest.mark.parametrize(
    "make",
    [
        lambda net, *given: uniform(net, 0.8, *given),
        lambda net, *given: biased(net, 0.8, 0.6, *given),
        lambda net, *given: kfold(net, 5, 2, *given),
        lambda net, *given: noisy(uniform(net, 0.8, 1, *given[1:]), 0.3, *given[:1]),
    ],
)
def test_same_seed_same_split_other_seed_another_and_none_is_zero(planted, rule, make):
    zero, again, other = (make(planted, seed, rule) for seed in (0, 0, 5))
    assert zero.hidden.tobytes() == again.hidden.tobytes()
    assert zero.train.digest == again.train.digest != other.train.digest
    assert "noise" in zero.label or zero.label != other.label
    if rule == "connected":
        assert make(planted).train.digest == zero.train.digest
    for seed in (-1, 0.5):
        with pytest.raises(ParameterError, match="seed must be a whole number ≥ 0"):
            make(planted, seed, rule)


BAD_SHARES = [-0.1, 1.5, float("nan"), float("inf"), "0.5", True]


@pytest.mark.parametrize(
    ("make", "name"),
    [
        *((lambda bad=bad: uniform(RING, bad), "rate") for bad in (0.0, 1.0, *BAD_SHARES)),
        *((lambda bad=bad: biased(RING, bad, 0.5), "rate") for bad in BAD_SHARES),
        *((lambda bad=bad: biased(RING, 0.5, bad), "hub_rate") for bad in BAD_SHARES),
        *(
            (lambda bad=bad: noisy(Split(RING, np.array([[0, 5]]), "all-nodes", ""), bad), "noise")
            for bad in (0.0, *BAD_SHARES)
        ),
    ],
)
def test_shares_that_are_none_are_refused_by_name(make, name):
    with pytest.raises(ParameterError, match=f"^{name} must be a number in"):
        make()


def test_an_unknown_rule_is_refused_with_the_nearest():
    with pytest.raises(ParameterError, match=r"rule must be .* Did you mean connected\?"):
        uniform(RING, 0.9, 0, "conected")
    with pytest.raises(ParameterError, match="rule must be"):
        release(_pairs("ab", "bc"), _pairs("ac"), "any")


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
    for fold, split in enumerate(parts):
        assert split.label == f"kfold:{folds} fold {fold} seed {seed}"
        assert as_set(split.train.edges) == as_set(net.edges) - as_set(split.hidden)
        assert split.train.names == net.names


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


# ---------------------------------------------------------------------- hubs


def hub_edges(net):
    """Edges that touch one of the ⌈p/5⌉ nodes of the highest degrees, in plain Python."""
    ranked = sorted(range(net.n_nodes), key=lambda node: (-net.degrees[node], node))
    hubs = set(ranked[: -(-net.n_nodes // 5)])
    return {pair for pair in as_set(net.edges) if hubs & set(pair)}


@by_example
@given(
    made.networks(12, (6, 14)),
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


# ---------------------------------------------------------------------- noise


@by_example
@given(made.networks(8, (6, 14)), st.sampled_from([0.1, 0.4, 1.0]), st.integers(0, 99))
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
@given(made.networks(8, (6, 14)), st.sampled_from([0.1, 0.4]), st.integers(0, 99))
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
    assert (split.train, split.label) == (older, "release")
    found = {frozenset((older.names[i], older.names[j])) for i, j in split.hidden.tolist()}
    assert found == asked
    assert split.outside == len(new) - len(asked)
    assert (split.hidden[:, 0] < split.hidden[:, 1]).all()
    assert not as_set(split.hidden) & as_set(older.edges)


def test_releases_that_share_no_node():
    with pytest.raises(InputError, match="share no node name: do they use the same identifiers"):
        release(lp.Network.from_edges(["ab", "bc"][:0], nodes="abc"), _pairs("xy"))
    with pytest.raises(InputError, match="share no node name"):
        release(_pairs("ab", "bc"), _pairs("AB", "BC"))


@pytest.mark.parametrize("newer", [("ab", "bc"), ("ba",), ("ab", "xy", "ax")])
def test_releases_without_anything_new(newer):
    with pytest.raises(InputError, match="no new edge between nodes of the older"):
        release(_pairs("ab", "bc"), _pairs(*newer))


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
    older = net.hide(net.edges[::4])
    oldest = older.hide(net.edges[1::4])
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


@rules
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


def network(edges, n_nodes):
    return lp.Network.from_indices(np.array(edges), [str(node) for node in range(n_nodes)])


def test_hubs_alone_may_be_kept():
    split = biased(RING, 0.0, 1.0, 0, "all-nodes")
    assert split.label == "biased:0:inf seed 0"
    hubs = {0, 1}  # a fifth of the nodes, of equal degrees the first
    assert as_set(split.train.edges) == {edge for edge in as_set(RING.edges) if hubs & set(edge)}


@pytest.mark.parametrize(("rate", "said"), [(0.04, "learn from"), (0.96, "find")])
def test_a_share_that_keeps_all_or_nothing_is_refused(rate, said):
    with pytest.raises(ParameterError, match=f"nothing to {said}"):
        uniform(RING, rate)


@pytest.mark.parametrize("n_nodes", [10, 11, 15, 35, 36])  # 0.2 · 35 is a little more than 7
def test_hubs_are_the_fifth_of_all_nodes_rounded_up(n_nodes):
    """Of their edges nothing is kept, of the others everything."""
    net = lp.planted_network(n_nodes, n_groups=2, mean_degree=2.0, seed=1)
    split = biased(net, 1.0, 0.0, rule="all-nodes")
    assert as_set(split.hidden) == hub_edges(net)


def test_the_label_of_a_biased_split_tells_the_factor_unless_it_has_a_name():
    assert biased(RING, 0.8, 0.4, rule="all-nodes").label == "biased:0.8:0.5 seed 0"
    assert biased(RING, 0.8, 0.4, 2, "all-nodes", "mine").label == "mine seed 2"


def test_edges_of_nodes_left_alone_are_counted_and_barred():
    """1 – 2 stays; 2 – 3 and 3 – 4 would be asked for but 3 and 4 have no edge in training."""
    older = network([(0, 1), (1, 2)], 5)
    newer = lp.Network.from_edges([("0", "2"), ("2", "3"), ("3", "4"), ("0", "x"), ("x", "y")])
    split = release(older, newer)
    assert as_set(split.hidden) == {(0, 2)}
    assert as_set(split.barred) == {(2, 3), (3, 4)}
    assert (split.unconnected, split.unknown, split.new_nodes) == (2, 2, 2)
    whole = release(older, newer, "all-nodes")
    assert as_set(whole.hidden) == {(0, 2), (2, 3), (3, 4)}
    assert (whole.unconnected, len(whole.barred)) == (0, 0)


def by_hand(train, hidden, n_nodes=4):
    return Split(network(train, n_nodes), np.array(hidden), "all-nodes", "by hand")


def test_noise_may_take_every_pair_that_is_no_edge_and_no_more():
    train, free = [(0, 1), (2, 3)], {(0, 2), (1, 3)}
    split = noisy(by_hand(train, [(0, 3), (1, 2)]), 1.0)
    assert as_set(split.train.edges) == free
    assert as_set(split.barred) == set(train)
    with pytest.raises(ParameterError, match="needs 2 pairs that are not edges, but there are 1"):
        noisy(by_hand(train, [(0, 2), (0, 3), (1, 2)]), 1.0)


def test_edges_taken_out_before_are_not_put_in_as_false_ones():
    first = noisy(Split(RING, np.array([[0, 5]]), "all-nodes", "by hand"), 0.5, 3)
    second = noisy(first, 0.5, 4)
    assert as_set(first.barred) < as_set(second.barred)
    assert not as_set(second.train.edges) & as_set(second.barred)
    assert second.barred.tolist() == sorted(second.barred.tolist())
    assert second.label == "by hand noise 0.5 noise 0.5"


def test_a_digest_distinguishes_splits_by_hidden_and_by_barred_pairs():
    split = Split(RING, np.array([[0, 5]]), "connected", "by hand")
    others = [
        split,
        replace(split, hidden=np.array([[0, 6]])),
        replace(split, barred=np.array([[2, 7]])),
        replace(split, rule="all-nodes"),
    ]
    assert len({split_digest(one) for one in others}) == 4
    assert split_digest(replace(split, label="the same")) == split_digest(split)


@rules
def test_a_split_read_back_has_the_side_information(tmp_path, planted, rule):
    """But not of edges that noise has replaced."""
    weights = np.random.default_rng(0).uniform(0.1, 1.0, planted.n_edges)
    told = planted.with_weights(weights).with_history(planted.hide(planted.edges[::3]), planted)
    plain = uniform(told, 0.7, 3, rule)
    for split, known in ((plain, plain.train.known.weights), (noisy(plain, 0.5), None)):
        write_split(split, told, tmp_path / "split.tsv")
        again = read_split(tmp_path / "split.tsv", told)
        assert again.train.digest == split.train.digest
        np.testing.assert_array_equal(again.train.known.weights, known)


def test_a_split_file_that_does_not_tell_its_digest_is_read(tmp_path):
    split, path = uniform(RING, 0.8, 1, "all-nodes"), tmp_path / "split.tsv"
    write_split(split, RING, path)
    head, rest = path.read_text(encoding="utf-8").split("\n", 1)
    start = "# linkprior split "
    facts = json.loads(head.removeprefix(start))
    assert facts.pop("digest") == split_digest(split)
    path.write_text(f"{start}{json.dumps(facts)}\n{rest}", encoding="utf-8")
    assert split_digest(read_split(path, RING)) == split_digest(split)
