"""Edges, names and weights on their way from a reader to the network."""

import numpy as np
import pytest

from linkprior.errors import InputError, ParameterError
from linkprior.io.collector import (
    Dropped,
    EdgeCollector,
    EdgeWeights,
    WeightFacts,
    column_called,
    fault_of,
    unknown,
)
from linkprior.network import Network

HIDDEN, LONGEST = "b\u200b", "x" * 1000


def collector(*rows):
    """Return a collector that took rows of source, target and line."""
    found = EdgeCollector("f.tsv")
    if rows:
        found.add(*zip(*rows, strict=True))
    return found


def test_nodes_without_an_edge_are_numbered_with_the_others():
    found = collector(("b", "a", 1))
    assert found.add_nodes(["a", "lonely"], [2, 3]).tolist() == [1, 2]
    assert found.names == ["b", "a", "lonely"]
    assert found.rows == 1


def test_of_the_rows_left_out_all_are_counted_and_the_first_five_named():
    found = collector()
    found.drop("why", [0, 3, 4])
    found.drop("why", iter([0, 5]))
    assert found.dropped == {"why": Dropped(5, [3, 4, 5])}
    found.drop("why", [6, 7, 8, 9])
    found.drop("why", [10])
    assert found.dropped == {"why": Dropped(10, [3, 4, 5, 6, 7])}


def test_a_note_is_made_once_and_can_be_shown():
    found = collector()
    for text in ("one\x1b", "two", "one\x1b"):
        found.note(text)
    assert found.notes == ["one\\x1b", "two"]


@pytest.mark.parametrize("name", ["a", "", LONGEST, "a b", "\u00e9\u200d"])
def test_what_a_table_can_show_has_no_fault(name):
    assert fault_of(name) == ""


def test_a_name_that_is_too_long_is_reported_by_its_length_and_its_beginning():
    told = fault_of("begins" + LONGEST)
    assert told.startswith("a node name of 1006 characters ('beginsxxx")
    assert len(told) < 150


def test_a_node_that_cannot_be_shown_is_refused_with_its_own_line():
    found = collector(("a", "c", 1))
    with pytest.raises(InputError, match="^f.tsv:12: the node name"):
        found.add_nodes(["a", "d", HIDDEN, "e"], [10, 11, 12, 13])


def test_only_labels_that_can_be_shown_of_nodes_asked_for_are_given():
    found = collector()
    found.labels = {"a": "A", "b": "", "c": LONGEST, "d": LONGEST + "x", "e": HIDDEN, "f": "F"}
    assert found.clean_labels("abcde") == {"a": "A", "c": LONGEST}


NAMES = ["source", "target", " Score ", "7", "score"]


@pytest.mark.parametrize(
    ("asked", "place"),
    [
        ("score", 4),  # as it is written there
        ("SCORE", 2),  # capitals aside, the first
        (" target\t", 1),
        ("7", 3),  # a name before a number
        ("1", 0),
        ("5", 4),
    ],
)
def test_a_column_is_found_by_its_name_then_by_its_number(asked, place):
    assert column_called(asked, NAMES, "e.tsv") == place


@pytest.mark.parametrize("asked", ["0", "6", "-1", "1.0", "\u00b2", "9" * 10, "0000000001"])
def test_a_number_beyond_the_columns_is_refused(asked):
    with pytest.raises(ParameterError, match="e.tsv has nothing called"):
        column_called(asked, NAMES, "e.tsv")


def test_the_width_counts_where_only_some_columns_have_names():
    assert column_called("4", ["a", "b"], "e.tsv", 4) == 3
    with pytest.raises(ParameterError):
        column_called("4", ["a", "b"], "e.tsv")


def listed(error):
    return str(error).partition("There are: ")[2]


def test_what_is_there_is_listed_once_and_without_blanks():
    told = unknown("x", ["b  c", "", " ", "a", "b  c", "n" * 70], "e.tsv")
    assert listed(told) == f"b c, a, {'n' * 60}"


@pytest.mark.parametrize(("count", "more"), [(19, ""), (20, ""), (21, " \u2026")])
def test_a_long_list_is_cut_and_says_so(count, more):
    names = [f"n{k}" for k in range(count)]
    assert listed(unknown("x", names, "e.tsv")) == ", ".join(names[:20]) + more


def test_a_cell_that_is_no_weight_is_blamed_on_its_line_or_its_edge():
    weights = EdgeWeights("column w", "e.tsv", "do this")
    assert weights.numbers(["1", "0.5"], [3, 4]).tolist() == [1.0, 0.5]
    for lines, where in (([3, 4, 7], "e.tsv:7: "), ([0, 0, 0], "e.tsv: edge 3: ")):
        with pytest.raises(InputError) as told:
            weights.numbers(["1", "2", ""], lines)
        assert str(told.value).startswith(where)
        assert str(told.value).endswith("do this")


def test_edges_with_several_weights_are_counted_whoever_found_them():
    weights = EdgeWeights("column w", "e.tsv")
    weights.take(np.array([1.0, 2.0, 5.0]))
    ends = np.array([[0, 1], [1, 0], [1, 2]])
    _, facts = weights.settle(Network.from_indices(ends, ["a", "b", "c"]), ends)
    assert facts == WeightFacts("column w", 2.0, 3.5, 5.0, 1)
