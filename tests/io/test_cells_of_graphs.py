"""A graph by node ids, taken by itself: weights nobody asked for, and nodes without a line."""

import pytest

from linkprior.errors import InputError
from linkprior.io.collector import EdgeCollector
from linkprior.io.readers.graphs import NamedGraph


def handed_over(graph):
    found = EdgeCollector("g")
    graph.hand_over(found)
    return found


def test_weights_are_not_wanted_unless_asked_for_and_zeros_among_them_are_told():
    graph = NamedGraph()
    for weight in ("0", "2", "0.0", ""):
        graph.edge("a", "b", 1, weight)
    found = handed_over(graph)
    assert found.rows == 4
    assert found.notes == ["2 edges have weight 0 and count as edges"]


def test_a_bad_name_in_a_file_without_lines_is_told_without_one():
    for take, others in (("node", ()), ("declare", ()), ("edge", ("a",)), ("predicted", ("a",))):
        graph = NamedGraph()
        graph.edge("a", "b")
        getattr(graph, take)(*others, "c\x07")
        with pytest.raises(InputError, match="^g: the node name"):
            handed_over(graph)
