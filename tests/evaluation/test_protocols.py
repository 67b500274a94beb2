"""Protocols by their text, and what disturbs a split."""

import numpy as np
import pytest

import linkprior as lp
from linkprior.errors import InputError, ParameterError
from linkprior.evaluation import protocols, splits
from linkprior.evaluation.protocols import PROTOCOLS, Plan, fold_numbers
from linkprior.evaluation.splits import split_digest, write_split


def hidden(protocol, net, **given):
    return [split.hidden.tobytes() for split in Plan(protocol, **given).make(net)]


@pytest.mark.parametrize(
    ("protocol", "same"),
    [
        ("uniform:0.8", lambda net: splits.uniform(net, 0.8, 3, "all-nodes")),
        ("uniform", lambda net: splits.uniform(net, 0.9, 3, "all-nodes")),
        ("over:0.9", lambda net: splits.biased(net, 0.9, 0.95, 3, "all-nodes")),
        ("over:0.7", lambda net: splits.biased(net, 0.7, 0.75, 3, "all-nodes")),
        ("under:0.9", lambda net: splits.biased(net, 0.9, 0.85, 3, "all-nodes")),
        ("under:0.7", lambda net: splits.biased(net, 0.7, 0.65, 3, "all-nodes")),
        ("biased:0.8:0.5", lambda net: splits.biased(net, 0.8, 0.4, 3, "all-nodes")),
        ("biased:0.8:1.25", lambda net: splits.biased(net, 0.8, 1.0, 3, "all-nodes")),
    ],
)
def test_a_protocol_is_its_split(planted, protocol, same):
    (made,) = Plan(protocol, "all-nodes", seed=3).make(planted)
    expected = same(planted)
    assert made.hidden.tobytes() == expected.hidden.tobytes()
    assert made.train.digest == expected.train.digest
    assert made.rule == "all-nodes"
    assert made.label.startswith(protocol)
    assert made.label.endswith("seed 3")


def test_repeats_take_the_next_seeds_and_labels_differ(planted):
    made = Plan("over:0.8", repeats=3, seed=5).make(planted)
    assert [split.label for split in made] == [f"over:0.8 seed {seed}" for seed in (5, 6, 7)]
    assert len({split.hidden.tobytes() for split in made}) == 3


def test_folds_run_all_or_those_asked_for_and_repeats_shuffle_anew(planted):
    every = Plan("kfold:4", repeats=2).make(planted)
    assert len(every) == len({split.label for split in every}) == 8
    some = Plan("kfold:4", folds=[3, 1]).make(planted)
    assert [split.label for split in some] == ["kfold:4 fold 3 seed 0", "kfold:4 fold 1 seed 0"]
    assert some[1].hidden.tobytes() == every[1].hidden.tobytes()


def test_a_release_is_one_split_however_often_it_is_asked_for():
    older = lp.Network.from_edges([("a", "b"), ("b", "c"), ("c", "d")])
    newer = lp.Network.from_edges([("a", "c"), ("a", "x")])
    (split,) = Plan("release:unread", repeats=4, newer=newer).make(older)
    assert (len(split.hidden), split.unknown, split.new_nodes) == (1, 1, 1)


def test_noise_and_null_are_named_in_the_label(planted):
    (noisy,) = Plan("uniform:0.9", noise=0.1).make(planted)
    assert noisy.label == "uniform:0.9 seed 0 noise 0.1"
    assert len(noisy.barred) == round(0.1 * noisy.train.n_edges)
    (null,) = Plan("uniform:0.9", "all-nodes", null="rewired").make(planted)
    assert null.label == "uniform:0.9 seed 0 rewired"
    whole = lp.Network.from_indices(np.concatenate([null.train.edges, null.hidden]), planted.names)
    assert (whole.degrees == planted.degrees).all()
    assert whole.digest != planted.digest


@pytest.mark.parametrize(
    ("plan", "message"),
    [
        ({"protocol": "kfold:ten"}, "kfold:K needs a whole number, got 'ten'"),
        ({"protocol": "kfold:1"}, "K of kfold:K must be"),
        ({"protocol": "kfold:0"}, "K of kfold:K must be"),
        ({"protocol": "kfold:5", "folds": []}, "folds must be a list of fold numbers"),
        ({"protocol": "kfold:5", "folds": 2}, "folds must be a list of fold numbers"),
        ({"protocol": "kfold:5", "folds": [1, 0, 1]}, "name one fold twice"),
        ({"protocol": "release:x", "null": "rewired"}, "a null network has no release of its own"),
        ({"protocol": "split:x", "null": "rewired"}, "a null network has no split of its own"),
        ({"newer": lp.planted_network(n_nodes=30)}, "a newer network is for release"),
        ({"protocol": "kfold:1000000"}, "needs at least 1000000 edges"),
        ({"protocol": "kfold:" + "9" * 5000}, "needs a whole number"),
        ({"protocol": "kfold:5", "folds": [5]}, "fold must be a whole number in 0…4"),
        ({"protocol": "uniform:0.9", "folds": [0]}, "folds are for kfold:K"),
        ({"protocol": "over:0.98"}, "over:0.98 would keep 103 % of the edges at hubs"),
        ({"protocol": "over:x"}, "over:RATE needs a number"),
        ({"protocol": "under:0.04"}, "under:0.04 would keep -1 % of the edges at hubs"),
        ({"protocol": "biased:0.9"}, "biased:RATE:FACTOR needs a number"),
        ({"protocol": "biased:0.9:2"}, "180 % of the edges at hubs"),
        ({"protocol": "uniform:nan"}, "rate must be"),
        ({"noise": 1.5}, "noise must be"),
        ({"null": "shuffled"}, "null must be one of none, rewired"),
        ({"repeats": 0}, "repeats must be"),
        ({"protocol": "split"}, "needs the file of a split"),
        ({"protocol": "overr:0.9"}, r"no protocol is called 'overr'. Did you mean over\?"),
    ],
)
def test_bad_plans(planted, plan, message):
    with pytest.raises((ParameterError, InputError), match=message):
        Plan(**plan).make(planted)


def test_the_error_names_every_protocol(planted):
    with pytest.raises(ParameterError) as caught:
        Plan("none").make(planted)
    assert all(name in str(caught.value) for name in PROTOCOLS)


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        *(("0-2", [0, 1, 2]), ("3", [3]), ("0,4-5", [0, 4, 5]), ("0, 2", [0, 2]), ("3-3", [3])),
        *(("7, 2-3", [7, 2, 3]), ("0" * 18 + "4", [4])),
    ],
)
def test_fold_numbers(text, numbers):
    assert fold_numbers(text) == numbers


@pytest.mark.parametrize(
    "text",
    [
        *("", "a", "1-", "-1", "1-2-3", "1" * 50, "2;3", "2-0", "0-9999999999999", "3-2"),
        *("0" * 19 + "4", "1,", "-", "1-x", "x-1", "1--2", "½"),
    ],
)
def test_bad_fold_numbers(text):
    with pytest.raises(ParameterError, match="--folds expects numbers|is no range of folds"):
        fold_numbers(text)


def test_the_label_tells_the_noise_and_the_null_network(planted):
    """Seed 1 is the same split, whether it comes first or second."""
    for disturbed in ({"noise": 0.2}, {"null": "rewired"}):
        (alone,) = Plan("uniform:0.8", seed=1, **disturbed).make(planted)
        _, second = Plan("uniform:0.8", seed=0, repeats=2, **disturbed).make(planted)
        assert alone.label == second.label
        assert split_digest(alone) == split_digest(second)


def test_folds_without_an_edge_to_ask_for_are_left_out_and_told(caplog):
    """Leaving one edge out of a tree isolates a leaf, or not."""
    tree = lp.Network.from_edges([(0, 1), (1, 2), (2, 3), (3, 4), (1, 5)])
    with caplog.at_level("INFO", logger="linkprior"):
        made = Plan("kfold:5").make(tree)
    assert len(made) == 2  # 1 – 2 and 2 – 3 leave all their ends an edge
    assert "3 folds without an edge to ask for left out" in caplog.text
    star = lp.Network.from_edges([(0, leaf) for leaf in range(1, 6)])
    with pytest.raises(InputError, match="no hidden edge joins two nodes"):
        Plan("kfold:5").make(star)


NET = lp.planted_network(n_nodes=30, n_groups=3, mean_degree=6, seed=1)
RING = lp.Network.from_edges([(node, (node + 1) % 12) for node in range(12)])


def made(protocol, net=NET, **given):
    return Plan(protocol, "all-nodes", **given).make(net)


def same(one, other):
    return (
        one.hidden.tolist() == other.hidden.tolist()
        and one.train.digest == other.train.digest
        and (one.rule, one.label) == (other.rule, other.label)
    )


def test_a_plan_that_says_nothing_keeps_nine_tenths_of_the_edges_once():
    (found,) = Plan().make(NET)
    assert same(found, splits.uniform(NET, 0.9, 0, "connected"))


@pytest.mark.parametrize(
    ("protocol", "expected"),
    [
        ("over:0.95", splits.biased(NET, 0.95, 1.0, 0, "all-nodes", "over:0.95")),
        ("under:0.05", splits.biased(NET, 0.05, 0.0, 0, "all-nodes", "under:0.05")),
        ("over", splits.biased(NET, 0.9, 0.95, 0, "all-nodes", "over:0.9")),
        ("under", splits.biased(NET, 0.9, 0.85, 0, "all-nodes", "under:0.9")),
        ("biased:0.5:2", splits.biased(NET, 0.5, 1.0, 0, "all-nodes")),
        ("biased:0.5:0.02", splits.biased(NET, 0.5, 0.01, 0, "all-nodes")),
    ],
)
def test_all_or_none_of_the_edges_at_hubs_may_be_kept(protocol, expected):
    (found,) = made(protocol)
    assert same(found, expected)


def test_the_share_at_hubs_is_free_of_the_last_digit_of_a_sum():
    """0.9 + 0.05 is a little more than 0.95; a half of an edge must not be rounded by it."""
    star = lp.Network.from_edges([(0, leaf) for leaf in range(1, 31)])
    (found,) = made("over:0.9", star)
    assert len(found.hidden) == 30 - round(0.95 * 30) == 2


@pytest.mark.parametrize(
    "protocol",
    [
        "over:0.951",
        "under:0.049",
        "biased:0.5:0",
        "biased:0.5:-1",
        "biased:0.5:2.01",
        "biased:0:1",
        "biased:1:0.5",
        "biased:2:0.1",
        "uniform:0",
        "uniform:1",
    ],
)
def test_shares_beyond_all_or_nothing_are_refused(protocol):
    with pytest.raises(ParameterError, match="rate must be|of the edges at hubs"):
        made(protocol)


# ---------------------------------------------------------------------- folds


@pytest.mark.parametrize(
    ("protocol", "count"),
    [("kfold", 10), ("kfold:2", 2), ("kfold:12", 12), ("kfold:000000000003", 3)],
)
def test_every_fold_hides_its_part(protocol, count):
    found = made(protocol, RING)
    assert len(found) == count
    hidden = np.concatenate([split.hidden for split in found])
    assert sorted(map(tuple, hidden.tolist())) == sorted(map(tuple, RING.edges.tolist()))
    assert same(found[-1], splits.kfold(RING, count, count - 1, 0, "all-nodes"))


@pytest.mark.parametrize(
    ("protocol", "said"),
    [
        ("kfold:1", "K of kfold:K must be a whole number ≥ 2"),
        ("kfold:13", "needs at least 13 edges, but the network has 12"),
        ("kfold:0000000000003", "needs a whole number"),
        ("kfold:-3", "needs a whole number"),
        ("kfold:2.0", "needs a whole number"),
    ],
)
def test_numbers_of_folds_that_cannot_be(protocol, said):
    with pytest.raises(ParameterError, match=said):
        made(protocol, RING)


def test_folds_may_be_any_sequence_of_numbers_but_no_text():
    found = made("kfold:3", RING, folds=(2, 0))
    assert [split.label for split in found] == ["kfold:3 fold 2 seed 0", "kfold:3 fold 0 seed 0"]
    for folds in ("01", {0, 1}, 1, (), [0, 0], [3], [-1]):
        with pytest.raises(ParameterError, match="fold"):
            made("kfold:3", RING, folds=folds)


@pytest.mark.parametrize("low", [0, 5])
def test_a_range_of_folds_has_a_largest_length(low):
    most = protocols._MOST_FOLDS
    assert len(fold_numbers(f"{low}-{low + most - 1}")) == most
    with pytest.raises(ParameterError, match="no range of folds"):
        fold_numbers(f"{low}-{low + most}")


# ---------------------------------------------------------------------- seeds, files, disturbances


def test_repeats_begin_at_the_seed_and_disturb_each_split_by_its_own():
    one, two = made("uniform:0.8", seed=4, repeats=2, noise=0.25)
    for found, seed in ((one, 4), (two, 5)):
        plain = splits.uniform(NET, 0.8, seed, "all-nodes")
        assert same(found, splits.noisy(plain, 0.25, seed))
    with pytest.raises(ParameterError, match="repeats must be a whole number ≥ 1"):
        made("uniform:0.8", repeats=0)


def test_a_split_that_was_written_is_read_once_however_often_it_is_asked_for(tmp_path):
    split = splits.uniform(NET, 0.8, 3)
    write_split(split, NET, tmp_path / "split.tsv")
    (found,) = made(f"split:{tmp_path / 'split.tsv'}", repeats=3)
    assert same(found, split)


def test_the_newer_release_is_read_from_the_file_that_is_named(tmp_path):
    newer = tmp_path / "newer.tsv"
    newer.write_text("0\t1\n0\t5\n", encoding="utf-8")
    (found,) = made(f"release:{newer}", RING)
    names = [{RING.names[i], RING.names[j]} for i, j in found.hidden]
    assert names == [{"0", "5"}]
    with pytest.raises(ParameterError, match="needs the newer file"):
        made("release", RING)
    given = lp.Network.from_edges([(0, 6)])
    assert len(made("release", RING, newer=given)[0].hidden) == 1


@pytest.mark.parametrize("protocol", ["uniform:0.8", "kfold:5", "over:0.8"])
def test_a_rewired_network_is_drawn_anew_by_every_seed(protocol):
    found = made(protocol, null="rewired", repeats=2)
    half = len(found) // 2
    for split in (found[0], found[half]):
        whole = np.concatenate([split.train.edges, split.hidden])
        assert np.bincount(whole.ravel()).tolist() == NET.degrees.tolist()
        assert split.label.endswith("rewired")

    def edges(split):
        return sorted(map(tuple, np.concatenate([split.train.edges, split.hidden]).tolist()))

    assert edges(found[0]) == edges(found[half - 1])
    assert len({str(edges(found[0])), str(edges(found[half])), str(NET.edges.tolist())}) == 3


def test_a_negative_seed_is_refused_even_where_nothing_is_drawn():
    """Two releases are what they are; the seed would still be written into the results."""
    older = lp.Network.from_edges([("a", "b"), ("b", "c"), ("c", "d")])
    newer = lp.Network.from_edges([("a", "b"), ("b", "c"), ("c", "d"), ("a", "c")])
    assert len(Plan("release", newer=newer).make(older)[0].hidden) == 1
    with pytest.raises(ParameterError, match="seed"):
        Plan("release", newer=newer, seed=-1).make(older)


def test_all_training_edges_may_be_noise():
    net = lp.planted_network(n_nodes=60, n_groups=3, mean_degree=4, seed=1)
    (made,) = Plan("uniform:0.8", "all-nodes", noise=1.0).make(net)
    true = set(map(tuple, net.edges.tolist()))
    assert true.isdisjoint(map(tuple, made.train.edges.tolist()))


def test_the_part_of_a_protocol_that_is_no_number_is_named():
    table = (
        ("biased:half", "'half'"),
        ("biased:0.5", "''"),
        ("biased:half:0.5", "'half'"),
        ("biased:0.5:1:2", "'1:2'"),
    )
    for protocol, part in table:
        with pytest.raises(ParameterError, match=f"RATE:FACTOR needs a number, got {part}$"):
            Plan(protocol).make(RING)


def test_the_first_fold_that_there_is_not_is_named():
    for folds, wrong in (([3, -1], 3), ([0, 3], 3), ([-1, 3], -1)):
        with pytest.raises(ParameterError, match=f"fold must be .* in 0…2, got {wrong}$"):
            Plan("kfold:3", "all-nodes", folds=folds).make(RING)
    assert len(Plan("kfold:3", "all-nodes", folds=[2, 0]).make(RING)) == 2
