"""What readers of graphs share: numbers of nodes, and nodes handed over by number."""

import io

import numpy as np
import pytest

from linkprior.errors import InputError
from linkprior.io.collector import EdgeCollector, EdgeWeights
from linkprior.io.readers import graphs
from linkprior.io.readers.graphs import (
    every_line,
    hand_over,
    hand_over_numbered,
    is_zero,
    note_zero_weights,
    one_of_each,
    refuse_too_many,
    square_size,
    whole_numbers,
)
from linkprior.io.source import Source


@pytest.fixture
def found():
    return EdgeCollector("f")


def source(content):
    return Source("f", io.BytesIO(content), content, None, _tap=None)


# ---------------------------------------------------------------------- numbers of nodes


@pytest.mark.parametrize(
    ("words", "most", "numbers"),
    [
        (["1"], 1, [1]),
        (["1", "7", "3"], 7, [1, 7, 3]),
        (["007", "3"], 7, [7, 3]),
        (["9" * 18], 10**18, [10**18 - 1]),
    ],
)
def test_numbers_from_1_to_the_most_declared_are_taken(words, most, numbers):
    assert whole_numbers(words, most, "node", "f:3") == numbers


@pytest.mark.parametrize("word", ["x", "1.5", "-1", "1_000", "٣", "²"])
def test_a_word_that_is_no_number_is_named(word):
    with pytest.raises(InputError, match="^f:3: expected the number of a node, got ") as told:
        whole_numbers(["1", word, "2"], 9999, "node", "f:3")
    assert str(told.value).endswith(repr(word))
    with pytest.raises(InputError, match="got "):  # behind the longest number there may be
        whole_numbers(["9" * 18, word], 10**18, "node", "f:3")


@pytest.mark.parametrize("word", ["0", "8", "1" + "0" * 18, "0" * 19])
def test_a_number_beyond_those_declared_is_named(word):
    with pytest.raises(InputError, match=f"^f:3: node {word} is beyond the 7 declared"):
        whole_numbers(["1", "7", word], 7, "node", "f:3")
    with pytest.raises(InputError, match=f"^f:3: node {word} is beyond the 7 declared"):
        whole_numbers([word], 7, "node", "f:3")


def test_a_number_of_too_many_digits_is_refused_whatever_was_declared():
    with pytest.raises(InputError, match="is beyond the"):
        whole_numbers(["1" + "0" * 18], 10**30, "node", "f:3")


def test_a_matrix_must_be_square_and_not_too_large(monkeypatch):
    monkeypatch.setattr(graphs, "MOST_NODES", 5)
    assert square_size(5, 5, "f") == 5
    refuse_too_many(5, "f")
    with pytest.raises(InputError, match="^f: declares 6 nodes, at most 5 are read"):
        refuse_too_many(6, "f")
    with pytest.raises(InputError, match="^f: declares 6 nodes"):
        square_size(6, 6, "f")
    with pytest.raises(InputError, match="^f: a rectangular matrix of 3 × 4"):
        square_size(3, 4, "f")


def test_every_line_has_its_number_blank_ones_too():
    lines = list(every_line(source(b"a\n\n b \nc")))
    assert lines == [(1, "a"), (2, ""), (3, " b "), (4, "c")]


# ---------------------------------------------------------------------- nodes and edges


def edges(found):
    return [[found.names[a], found.names[b]] for a, b in found.ends.tolist()]


def test_edges_are_handed_over_by_the_places_of_their_names(found):
    names = ["x", "y", "z", "lonely"]
    hand_over(found, names, [1, 2, 3, 4], np.array([[2, 0], [1, 2]]), np.array([[0, 1]]))
    assert list(found.names) == names
    assert edges(found) == [["z", "x"], ["y", "z"]]
    assert found.predicted.tolist() == [[0, 1]]


def test_weights_are_handed_over_with_their_edges(found):
    found.weights = EdgeWeights("weight", "f")
    weights = (np.array([2.0, 0.0, 3.0]), [4, 5, 6])
    hand_over(found, ["x", "y", "z"], [0] * 3, np.array([[0, 1], [1, 2], [0, 2]]), weights=weights)
    assert edges(found) == [["x", "y"], ["x", "z"]]
    assert found.weights.values.tolist() == [2, 3]
    assert found.dropped["its weight is 0"].first_lines == [5]
    assert len(found.predicted) == 0


@pytest.mark.parametrize(
    ("first", "labels", "names"),
    [
        (1, None, ["1", "2", "3"]),
        (0, None, ["0", "1", "2"]),
        (1, {2: "two"}, ["1", "two", "3"]),
        (1, {2: "", 3: "three"}, ["1", "2", "three"]),
    ],
)
def test_numbered_nodes_are_named_by_label_or_number(found, first, labels, names):
    ends = np.array([[0, 2], [1, 0]]) + first
    hand_over_numbered(found, 3, ends, first, labels)
    assert list(found.names) == names
    assert edges(found) == [[names[0], names[2]], [names[1], names[0]]]
    assert not found.notes


def test_nodes_are_numbered_from_1_unless_told_otherwise(found):
    hand_over_numbered(found, 2, np.array([[1, 2]]))
    assert edges(found) == [["1", "2"]]


def test_the_line_of_a_bad_label_is_named(found):
    with pytest.raises(InputError, match="^f:12: the node name 'a"):
        hand_over_numbered(found, 2, np.array([[1, 2]]), 1, {2: "a\x07"}, {2: 12})
    with pytest.raises(InputError, match="^f: the node name 'a"):
        hand_over_numbered(EdgeCollector("f"), 2, np.array([[1, 2]]), 1, {2: "a\x07"})


ENDS = np.array([[9, 2], [2, 9], [4, 9]])


@pytest.mark.parametrize(
    ("n_nodes", "labels", "listed"),
    [
        (12, {}, True),  # four for each edge
        (13, {}, False),
        (16, dict.fromkeys(range(1, 5), "x"), True),  # four for each label
        (17, dict.fromkeys(range(1, 5), "x"), False),
    ],
)
def test_of_very_many_nodes_only_those_with_edges_are_listed(
    found, monkeypatch, n_nodes, labels, listed
):
    monkeypatch.setattr(graphs, "_LISTED_FREELY", 10)
    labels = {k: f"{name}{k}" for k, name in labels.items()}
    hand_over_numbered(found, n_nodes, ENDS, labels=labels)
    name = {k: labels.get(k, str(k)) for k in (2, 4, 9)}
    assert edges(found) == [[name[a], name[b]] for a, b in ENDS.tolist()]
    assert len(found.names) == (n_nodes if listed else 3)
    note = f"{n_nodes - 3} of the {n_nodes} nodes declared have no edge and are left out"
    assert [told.startswith(note) for told in found.notes] == [True] * (not listed)


def test_so_many_nodes_are_listed_whatever_the_edges(found, monkeypatch):
    monkeypatch.setattr(graphs, "_LISTED_FREELY", 20)
    hand_over_numbered(found, 20, ENDS)
    assert len(found.names) == 20
    few = EdgeCollector("f")
    hand_over_numbered(few, 21, ENDS)
    assert list(few.names) == ["2", "4", "9"]


# ---------------------------------------------------------------------- weights of 0, both ways


def test_a_weight_of_exactly_0_is_zero():
    assert [is_zero(text) for text in ("0", "0.0", "-0", "0e5")] == [True] * 4
    assert [is_zero(text) for text in ("1", "-1", "1e-9", "", "x", "nan")] == [False] * 6


@pytest.mark.parametrize(
    ("count", "notes"),
    [
        (0, []),
        (1, ["1 edge has weight 0 and counts as edge"]),
        (2, ["2 edges have weight 0 and count as edges"]),
        (1234, ["1,234 edges have weight 0 and count as edges"]),
    ],
)
def test_weights_of_0_are_told_of(found, count, notes):
    note_zero_weights(found, count)
    assert found.notes == notes


def test_of_pairs_given_both_ways_one_is_marked():
    ends = np.array([[0, 1], [1, 0], [2, 2], [3, 1], [1, 3]])
    assert one_of_each(ends).tolist() == [True, False, True, False, True]
    assert one_of_each(ends[:4]) is None
    assert one_of_each(np.array([[5, 7], [7, 5]])).tolist() == [True, False]
    assert one_of_each(np.array([[0, 0]])).tolist() == [True]
    assert one_of_each(np.empty((0, 2), np.int64)).tolist() == []
