"""The collector, row by row: what it counts, which line it blames, what it forgets."""

import numpy as np
import pytest

from linkprior.errors import InputError
from linkprior.io.collector import ZERO_WEIGHT, Dropped, EdgeCollector, EdgeWeights, fault_of

EMPTY = "a node name is empty"
HIDDEN = "b\u200b"
LONGEST = "x" * 1000


def collector(*rows, weighted=False):
    """Return a collector that took rows of source, target, line and perhaps weight."""
    found = EdgeCollector("f.tsv")
    if weighted:
        found.weights = EdgeWeights("column w", "f.tsv")
    if rows:
        sources, targets, lines, *weights = zip(*rows, strict=True)
        found.add(sources, targets, lines, *weights)
    return found


def by_name(found):
    return [(found.names[i], found.names[j]) for i, j in found.ends.tolist()]


# ---------------------------------------------------------------------- what is taken


def test_a_new_collector_holds_nothing():
    found = collector()
    assert (found.rows, found.passed_over, found.names, found.notes) == (0, 0, [], [])
    assert found.ends.shape == found.non_edges.shape == found.predicted.shape == (0, 2)
    assert not found.dropped
    assert found.directed is None


def test_a_block_without_rows_changes_nothing():
    found = collector()
    found.add([], [], [])
    found.add_nodes([], [])
    assert (found.rows, found.names, found.ends.shape) == (0, [], (0, 2))


def test_edges_keep_the_order_of_the_file_over_several_blocks():
    found = collector(("b", "a", 1), ("a", "c", 2))
    found.add(["d"], ["b"], [3])
    assert found.names == ["b", "a", "c", "d"]
    assert by_name(found) == [("b", "a"), ("a", "c"), ("d", "b")]
    assert found.ends.dtype == np.int64
    assert found.rows == 3


@pytest.mark.parametrize(
    ("rows", "left", "lines"),
    [
        ([("", "b", 4), ("b", "c", 5)], [("b", "c")], [4]),
        ([("b", "c", 4), ("c", "", 5)], [("b", "c")], [5]),
        (
            [("", "", 4), ("b", "c", 5), ("c", "", 6), ("c", "d", 7)],
            [("b", "c"), ("c", "d")],
            [4, 6],
        ),
    ],
)
def test_a_row_with_an_empty_name_is_left_out_with_its_line(rows, left, lines):
    found = collector(*rows)
    assert by_name(found) == left
    assert found.rows == len(left)
    assert found.dropped == {EMPTY: Dropped(len(lines), lines)}


def test_weights_stay_with_their_rows_whatever_is_left_out_before_them():
    rows = [("", "b", 1, "no number"), ("a", "b", 2, "0"), ("b", "c", 3, "0.5"), ("c", "d", 4, "2")]
    found = collector(*rows, weighted=True)
    assert by_name(found) == [("b", "c"), ("c", "d")]
    assert found.weights.values.tolist() == [0.5, 2.0]
    assert found.dropped == {EMPTY: Dropped(1, [1]), ZERO_WEIGHT: Dropped(1, [2])}
    assert found.names == ["b", "c", "d"]


def test_weights_nobody_asked_for_are_not_looked_at():
    assert by_name(collector(("a", "b", 1, "no number"))) == [("a", "b")]


def test_a_weight_that_is_none_is_blamed_on_its_own_line():
    with pytest.raises(InputError, match="^f.tsv:9: expected a weight"):
        collector(("", "b", 7, "1"), ("a", "b", 8, "1"), ("b", "c", 9, "x"), weighted=True)


def test_rows_with_an_empty_name_are_left_out_where_weights_come_later():
    found = collector(weighted=True)
    found.add(["a", ""], ["b", "c"], [1, 2])
    assert by_name(found) == [("a", "b")]


def test_nodes_without_an_edge_are_numbered_with_the_others():
    found = collector(("b", "a", 1))
    assert found.add_nodes(["a", "lonely"], [2, 3]).tolist() == [1, 2]
    assert found.names == ["b", "a", "lonely"]
    assert found.rows == 1


@pytest.mark.parametrize(("lines", "told"), [([7, 8, 9], [8]), (None, [])])
def test_numbered_edges_of_weight_0_are_left_out_with_the_line_there_is(lines, told):
    found = collector(weighted=True)
    found.add_nodes(["a", "b", "c"], [0, 0, 0])
    found.add_numbered(np.array([[0, 1], [1, 2], [2, 0]]), np.array([3.0, 0.0, 0.5]), lines)
    assert by_name(found) == [("a", "b"), ("c", "a")]
    assert found.rows == 2
    assert found.weights.values.tolist() == [3.0, 0.5]
    assert found.dropped == {ZERO_WEIGHT: Dropped(1, told)}


# ---------------------------------------------------------------------- what is left out


def test_of_the_rows_left_out_all_are_counted_and_the_first_five_told():
    found = collector()
    found.drop("why", [0, 3, 4])
    found.drop("why", iter([0, 5]))
    assert found.dropped == {"why": Dropped(5, [3, 4, 5])}
    found.drop("why", [6, 7, 8, 9])
    found.drop("why", [10])
    assert found.dropped == {"why": Dropped(10, [3, 4, 5, 6, 7])}


def test_the_very_first_line_is_told():
    found = collector()
    found.drop("why", [1])
    assert found.dropped["why"].first_lines == [1]


def test_nothing_left_out_is_no_reason():
    found = collector()
    found.drop("why", [])
    assert not found.dropped


def test_a_note_is_made_once_and_can_be_shown():
    found = collector()
    for text in ("one\x1b", "two", "one\x1b"):
        found.note(text)
    assert found.notes == ["one\\x1b", "two"]


def test_rows_that_are_not_wanted_become_known_non_edges():
    rows = [("a", "b", 1, "1"), ("b", "c", 2, "2"), ("c", "d", 3, "3")]
    found = collector(*rows, weighted=True)
    found.keep(np.array([True, False, True]))
    assert by_name(found) == [("a", "b"), ("c", "d")]
    assert found.non_edges.tolist() == [[1, 2]]
    assert found.rows == 2
    assert found.weights.values.tolist() == [1.0, 3.0]


def test_rows_without_weights_can_be_left_out_too():
    found = collector(("a", "b", 1), ("b", "c", 2))
    found.keep(np.array([False, True]))
    assert by_name(found) == [("b", "c")]


def test_renamed_nodes_keep_their_numbers_and_new_ones_follow():
    found = collector(("a", "b", 1))
    found.rename(["x", "y"])
    found.add(["y"], ["z"], [2])
    assert by_name(found) == [("x", "y"), ("y", "z")]


# ---------------------------------------------------------------------- names


@pytest.mark.parametrize("name", ["a", "", LONGEST, "a b", "\u00e9\u200d"])
def test_what_a_table_can_show_has_no_fault(name):
    assert fault_of(name) == ""


def test_a_name_that_is_too_long_is_told_by_its_length_and_its_beginning():
    told = fault_of("begins" + LONGEST)
    assert told.startswith("a node name of 1006 characters ('beginsxxx")
    assert len(told) < 150


def test_an_invisible_character_is_told_by_its_number_and_the_name_is_cut():
    assert "'a\\x7f' holds the invisible character U+007F" in fault_of("a\x7f")
    assert len(fault_of("y" * 500 + "\u202e")) < 200


@pytest.mark.parametrize(
    ("rows", "where"),
    [
        ([("a", HIDDEN, 4)], "f.tsv:4: "),
        ([(HIDDEN, "a", 4)], "f.tsv:4: "),
        ([("a", "c", 4), (HIDDEN, "c", 5), ("a", "d\u200b", 6)], "f.tsv:5: "),
        ([("a", "c", 4), ("c", HIDDEN, 5), ("a", "d", 6)], "f.tsv:5: "),
        ([("a", "c", 4), ("c", "x" + LONGEST, 5), ("a", HIDDEN, 6)], "f.tsv:5: "),
        ([("a", "c", 4), ("c", "x" + LONGEST, 5), ("a", "d", 6)], "f.tsv:5: a node name of 1001"),
        ([("a", HIDDEN, 0)], "f.tsv: "),
    ],
)
def test_the_first_name_that_cannot_be_shown_is_refused_with_its_line(rows, where):
    """Also where all rows before were fine."""
    for found in (collector(), collector(("a", "c", 1), ("c", "e", 2))):
        with pytest.raises(InputError) as told:
            found.add(*zip(*rows, strict=True))
        assert str(told.value).startswith(where)


def test_a_node_that_cannot_be_shown_is_refused_with_its_own_line():
    found = collector(("a", "c", 1))
    with pytest.raises(InputError, match="^f.tsv:12: the node name"):
        found.add_nodes(["a", "d", HIDDEN, "e"], [10, 11, 12, 13])


@pytest.mark.parametrize("length", [999, 1000])
def test_the_longest_name_that_is_read_is_read(length):
    assert collector(("x" * length, "b", 1)).rows == 1


def test_only_labels_that_can_be_shown_of_nodes_asked_for_are_given():
    found = collector()
    found.labels = {"a": "A", "b": "", "c": LONGEST, "d": LONGEST + "x", "e": HIDDEN, "f": "F"}
    assert found.clean_labels("abcde") == {"a": "A", "c": LONGEST}
