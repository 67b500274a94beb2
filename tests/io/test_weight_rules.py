"""Weights of edges between file and network: which column, which line, which of several."""

import numpy as np
import pytest

from linkprior.errors import InputError, ParameterError
from linkprior.io.collector import (
    EdgeWeights,
    WeightFacts,
    column_called,
    no_weights,
    refuse_another_name,
    unknown,
)
from linkprior.network import Network

NAMES = ["source", "target", " Score ", "7", "score"]


# ---------------------------------------------------------------------- columns


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


@pytest.mark.parametrize(("width", "asked"), [(3, "3"), (9, "9"), (9, "000000009")])
def test_without_names_the_width_tells_the_numbers_there_are(width, asked):
    assert column_called(asked, [], "e.tsv", width) == width - 1
    with pytest.raises(ParameterError, match=rf"There are: 1 to {width} \(no header\)$"):
        column_called(str(width + 1), [], "e.tsv", width)


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


def test_nothing_there_is_said_to_be_nothing():
    assert listed(unknown("x", [], "e.tsv")) == "none"


@pytest.mark.parametrize("asked", [None, "weight", " Value "])
def test_a_format_of_one_kind_of_weights_takes_its_usual_names(asked):
    assert refuse_another_name(asked, "m.mtx") is None


def test_a_format_of_one_kind_of_weights_refuses_others():
    with pytest.raises(ParameterError, match=r"nothing called 'score'.* There are: value$"):
        refuse_another_name("score", "m.mtx")


def test_a_format_without_weights_is_named():
    told = no_weights("g.sif", "SIF")
    assert isinstance(told, InputError)
    assert str(told).startswith("g.sif: SIF has no weights of edges")


# ---------------------------------------------------------------------- values


def test_a_cell_that_is_no_weight_is_blamed_on_its_line_or_its_edge():
    weights = EdgeWeights("column w", "e.tsv", "do this")
    assert weights.numbers(["1", "0.5"], [3, 4]).tolist() == [1.0, 0.5]
    for lines, where in (([3, 4, 7], "e.tsv:7: "), ([0, 0, 0], "e.tsv: edge 3: ")):
        with pytest.raises(InputError) as told:
            weights.numbers(["1", "2", ""], lines)
        assert str(told.value).startswith(where)
        assert str(told.value).endswith("do this")


def test_weights_are_kept_in_order_and_forgotten_with_their_rows():
    weights = EdgeWeights("column w", "e.tsv")
    assert weights.values.tolist() == []
    weights.take(np.array([1.0, 2.0]))
    weights.take(np.array([3.0]))
    assert weights.values.tolist() == [1.0, 2.0, 3.0]
    weights.keep(np.array([True, False, True]))
    assert weights.values.tolist() == [1.0, 3.0]


def test_of_a_pair_given_both_ways_the_largest_weight_counts():
    weights = EdgeWeights("column w", "e.tsv")
    ends = np.array([[0, 1], [1, 0], [1, 2], [2, 1], [0, 2]])
    folded = weights.folded(ends, np.array([1.0, 4.0, 2.0, 2.0, 3.0]))
    assert folded.tolist() == [4.0, 4.0, 2.0, 2.0, 3.0]
    assert weights.folded(np.empty((0, 2), np.int64), np.empty(0)).tolist() == []
    weights.folded(ends[:2], np.array([1.0, 2.0]))
    weights.take(folded)
    network = Network.from_indices(ends, ["a", "b", "c"])
    settled, facts = weights.settle(network, ends)
    assert facts == WeightFacts("column w", 2.0, 3.0, 4.0, 2)  # 0-1 twice, in two matrices
    assert settled.known.weights is not None


def test_only_the_weights_of_one_pair_are_compared():
    weights = EdgeWeights("column w", "e.tsv")
    ends = np.array([[0, 3], [1, 2], [0, 2], [2, 0], [1, 3], [1, 1]])
    folded = weights.folded(ends, np.array([1.0, 5.0, 2.0, 3.0, 4.0, 9.0]))
    assert folded.tolist() == [1.0, 5.0, 3.0, 3.0, 4.0, 9.0]


def test_edges_with_several_weights_are_counted_whoever_found_them():
    weights = EdgeWeights("column w", "e.tsv")
    weights.take(np.array([1.0, 2.0, 5.0]))
    ends = np.array([[0, 1], [1, 0], [1, 2]])
    _, facts = weights.settle(Network.from_indices(ends, ["a", "b", "c"]), ends)
    assert facts == WeightFacts("column w", 2.0, 3.5, 5.0, 1)


@pytest.mark.parametrize(
    ("differing", "told"),
    [
        (0, "w, 1 to 3, median 2"),
        (1, "w, 1 to 3, median 2; 1 edge has several weights, of which the largest counts"),
        (2, "w, 1 to 3, median 2; 2 edges have several weights, of which the largest counts"),
    ],
)
def test_the_report_says_how_many_edges_have_several_weights(differing, told):
    assert WeightFacts("w", 1.0, 2.0, 3.0, differing).text() == told


@pytest.mark.parametrize(
    ("column", "shown"),
    [
        ("column w", "column w"),
        ("w" * 80, "w" * 80),
        ("w" * 81, "column of weights"),
        ("w\x1b", "column of weights"),
    ],
)
def test_a_column_no_line_could_show_is_not_named(column, shown):
    assert EdgeWeights(column, "e.tsv").column == shown
