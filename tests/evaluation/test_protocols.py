"""Protocols by their text, and what disturbs a split."""

import numpy as np
import pytest

import linkprior as lp
from linkprior.errors import InputError, ParameterError
from linkprior.evaluation import splits
from linkprior.evaluation.protocols import PROTOCOLS, Plan, fold_numbers
from linkprior.evaluation.splits import write_split

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


@pytest.mark.parametrize(
    ("protocol", "rates"),
    [
        ("over:0.9", (0.9, 0.95)),
        ("over", (0.9, 0.95)),
        ("over:0.95", (0.95, 1.0)),
        ("under:0.7", (0.7, 0.65)),
        ("under", (0.9, 0.85)),
        ("under:0.05", (0.05, 0.0)),
        ("biased:0.8:1.25", (0.8, 1.0)),
        ("biased:0.5:0.02", (0.5, 0.01)),
    ],
)
def test_a_protocol_keeps_its_own_share_at_hubs(protocol, rates):
    """All or none of the edges at hubs may be kept."""
    kind = protocol.partition(":")[0]
    name = "" if kind == "biased" else f"{kind}:{rates[0]:g}"
    (found,) = made(protocol, seed=3)
    assert same(found, splits.biased(NET, *rates, 3, "all-nodes", name))


def test_a_plan_that_says_nothing_keeps_nine_tenths_of_the_edges_once():
    (found,) = Plan().make(NET)
    assert same(found, splits.uniform(NET, 0.9, 0, "connected"))
    (found,) = made("uniform", seed=3)
    assert same(found, splits.uniform(NET, 0.9, 3, "all-nodes"))


@pytest.mark.parametrize(
    ("protocol", "count"),
    [("kfold", 10), ("kfold:2", 2), ("kfold:12", 12), ("kfold:000000000003", 3)],
)
def test_every_fold_is_made_and_repeats_shuffle_again(protocol, count):
    found = made(protocol, RING, repeats=2, seed=4)
    assert len(found) == 2 * count
    for n, split in enumerate(found):
        again, fold = divmod(n, count)
        assert same(split, splits.kfold(RING, count, fold, 4 + again, "all-nodes"))


def test_folds_may_be_any_sequence_of_numbers():
    for folds in ([2, 0], (2, 0)):
        found = made("kfold:3", RING, folds=folds)
        assert all(
            same(split, splits.kfold(RING, 3, fold, 0, "all-nodes"))
            for split, fold in zip(found, folds, strict=True)
        )


def test_a_release_is_read_from_its_file_once_however_often_it_is_asked_for(tmp_path):
    newer = tmp_path / "newer: edges.tsv"
    newer.write_text("0\t1\n0\t5\nx\t0\n", encoding="utf-8")
    expected = splits.release(RING, lp.read_network(newer), "all-nodes")
    (found,) = made(f"release:{newer}", RING, repeats=4)
    assert same(found, expected)
    assert (found.unknown, found.new_nodes) == (1, 1)
    (given,) = made("release:unread", RING, newer=lp.read_network(newer))
    assert same(given, expected)


def edges(split):
    return sorted(map(tuple, np.concatenate([split.train.edges, split.hidden]).tolist()))


@pytest.mark.parametrize("protocol", ["uniform:0.8", "kfold:5", "over:0.8"])
def test_every_seed_draws_another_rewired_network(protocol):
    found = made(protocol, null="rewired", repeats=2)
    half = len(found) // 2
    for split in (found[0], found[half]):
        assert np.bincount(np.ravel(edges(split))).tolist() == NET.degrees.tolist()
        assert split.label.endswith("rewired")
    assert edges(found[0]) == edges(found[half - 1])
    assert len({str(edges(found[0])), str(edges(found[half])), str(NET.edges.tolist())}) == 3


@pytest.mark.parametrize(
    ("plan", "message"),
    [
        *(
            ({"protocol": f"kfold:{k}"}, f"kfold:K needs a whole number, got '{k}'")
            for k in ("ten", "-3", "2.0", "0000000000003", "9" * 5000)
        ),
        ({"protocol": "kfold:1"}, "K of kfold:K must be a whole number ≥ 2"),
        ({"protocol": "kfold:13"}, "needs at least 13 edges, but the network has 12"),
        *(({"protocol": "kfold:5", "folds": f}, "must be a list") for f in ([], 2, "01", {0, 1})),
        ({"protocol": "kfold:5", "folds": [1, 0, 1]}, "name one fold twice"),
        ({"protocol": "kfold:3", "folds": [3, -1]}, "fold must be .* in 0…2, got 3$"),
        ({"protocol": "kfold:3", "folds": [-1, 3]}, "fold must be .* in 0…2, got -1$"),
        ({"protocol": "uniform:0.9", "folds": [0]}, "folds are for kfold:K"),
        ({"protocol": "release:x", "null": "rewired"}, "a null network has no release of its own"),
        ({"protocol": "split:x", "null": "rewired"}, "a null network has no split of its own"),
        ({"newer": NET}, "a newer network is for release"),
        ({"protocol": "release:"}, "needs the newer file"),
        ({"protocol": "release:/nowhere.tsv"}, r"/nowhere\.tsv: no such file"),
        ({"protocol": "split"}, "needs the file of a split"),
        ({"protocol": "over:x"}, "over:RATE needs a number"),
        ({"protocol": "over:0.951"}, "over:0.951 would keep 100.1 % of the edges at hubs"),
        ({"protocol": "under:0.04"}, "under:0.04 would keep -1 % of the edges at hubs"),
        *(
            ({"protocol": f"biased:{text}"}, f"RATE:FACTOR needs a number, got '{part}'$")
            for text, part in {
                "half": "half",
                "0.5": "",
                "half:0.5": "half",
                "0.5:1:2": "1:2",
            }.items()
        ),
        ({"protocol": "biased:0.9:2"}, "180 % of the edges at hubs"),
        *(({"protocol": f"biased:0.5:{x}"}, "of the edges at hubs") for x in (2.01, 0, -1)),
        *(({"protocol": f"biased:{rate}:0.1"}, "rate must be") for rate in (0, 1, 2)),
        *(({"protocol": f"uniform:{rate}"}, "rate must be") for rate in (0, 1, "nan")),
        ({"noise": 1.5}, "noise must be"),
        ({"null": "rewire"}, "null must be one of none, rewired, got 'rewire'"),
        ({"repeats": 0}, "repeats must be a whole number ≥ 1"),
        ({"protocol": "release", "newer": NET, "seed": -1}, "seed must be"),
        ({"protocol": "overr:0.9"}, r"no protocol is called 'overr'. Did you mean over\?"),
        ({"protocol": ""}, f"no protocol is called ''.*{'.*'.join(PROTOCOLS)}"),
    ],
)
def test_bad_plans(plan, message):
    with pytest.raises((ParameterError, InputError), match=message):
        Plan(**plan).make(RING)


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
    with pytest.raises(ParameterError, match="--folds expects numbers|is not a range of folds"):
        fold_numbers(text)


def test_folds_without_an_edge_to_ask_for_are_left_out_and_reported(caplog):
    """Leaving one edge out of a tree isolates a leaf, or not."""
    tree = lp.Network.from_edges([(0, 1), (1, 2), (2, 3), (3, 4), (1, 5)])
    with caplog.at_level("INFO", logger="linkprior"):
        made = Plan("kfold:5").make(tree)
    assert len(made) == 2  # 1 – 2 and 2 – 3 leave all their ends an edge
    assert "3 folds without an edge to ask for left out" in caplog.text
    star = lp.Network.from_edges([(0, leaf) for leaf in range(1, 6)])
    with pytest.raises(InputError, match="no hidden edge joins two nodes"):
        Plan("kfold:5").make(star)


def test_the_share_at_hubs_is_free_of_the_last_digit_of_a_sum():
    """0.9 + 0.05 is a little more than 0.95; a half of an edge must not be rounded by it."""
    star = lp.Network.from_edges([(0, leaf) for leaf in range(1, 31)])
    (found,) = made("over:0.9", star)
    assert len(found.hidden) == 30 - round(0.95 * 30) == 2


def test_repeats_begin_at_the_seed_and_disturb_each_split_by_its_own():
    one, two = made("uniform:0.8", seed=4, repeats=2, noise=0.25)
    for found, seed in ((one, 4), (two, 5)):
        plain = splits.uniform(NET, 0.8, seed, "all-nodes")
        assert same(found, splits.noisy(plain, 0.25, seed))
    (found,) = made("uniform:0.8", noise=1.0)  # no true edge is left
    assert same(found, splits.noisy(splits.uniform(NET, 0.8, 0, "all-nodes"), 1.0, 0))


def test_a_split_that_was_written_is_read_once_however_often_it_is_asked_for(tmp_path):
    split = splits.uniform(NET, 0.8, 3)
    write_split(split, NET, tmp_path / "split.tsv")
    (found,) = made(f"split:{tmp_path / 'split.tsv'}", repeats=3)
    assert same(found, split)
