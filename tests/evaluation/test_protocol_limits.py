"""Protocols at both sides of each of their limits, and what is taken where nothing is said."""

import numpy as np
import pytest

import linkprior as lp
from linkprior.errors import ParameterError
from linkprior.evaluation import protocols, splits
from linkprior.evaluation.protocols import Plan, fold_numbers
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


@pytest.mark.parametrize(
    ("text", "numbers"),
    [("3-3", [3]), ("0-1", [0, 1]), ("7, 2-3", [7, 2, 3]), ("0" * 18 + "4", [4])],
)
def test_fold_numbers_of_the_command_line(text, numbers):
    assert fold_numbers(text) == numbers


@pytest.mark.parametrize("text", ["3-2", "0" * 19 + "4", "1,", "-", "1-x", "x-1", "1--2", "½"])
def test_fold_numbers_that_are_none(text):
    with pytest.raises(ParameterError, match="--folds"):
        fold_numbers(text)


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
