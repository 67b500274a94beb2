"""Protocols by their text, and what disturbs a split."""

import numpy as np
import pytest

import linkprior as lp
from linkprior.errors import InputError, ParameterError
from linkprior.evaluation import splits
from linkprior.evaluation.protocols import PROTOCOLS, Plan, fold_numbers
from linkprior.evaluation.splits import split_digest


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
    ("text", "numbers"), [("0-2", [0, 1, 2]), ("3", [3]), ("0,4-5", [0, 4, 5]), ("0, 2", [0, 2])]
)
def test_fold_numbers(text, numbers):
    assert fold_numbers(text) == numbers


@pytest.mark.parametrize(
    "text", ["", "a", "1-", "-1", "1-2-3", "1" * 50, "2;3", "2-0", "0-9999999999999"]
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
