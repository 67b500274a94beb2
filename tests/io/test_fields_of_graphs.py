"""Nodes listed twice, and a matrix read whole: names that agree, and messages of bounded length."""

import io
import zipfile

import numpy as np
import pytest
import scipy.sparse as sp
from tests.io.graph_files import pairs, problem, reading

from linkprior.errors import InputError
from linkprior.io.collector import EdgeCollector
from linkprior.io.readers.graphs import NamedGraph
from linkprior.io.readers.matrices import load_sparse

LONG = "w" * 5000
A_LINE = 400  # characters: some lines of a terminal at most


def listed(*names, node="1"):
    """Return what the collector has after one node was listed once with each tuple of names."""
    graph, found = NamedGraph(), EdgeCollector("g")
    for line, alike in enumerate(names, 1):
        number = graph.declare(node, line)
        for name in alike:
            graph.label(number, 0, name)
    graph.hand_over(found)
    return found


def told(*names, node="1"):
    with pytest.raises(InputError) as caught:
        listed(*names, node=node)
    return str(caught.value)


def test_of_several_names_in_one_listing_only_the_first_must_agree():
    """The first name counts in each listing; the whole of it, repeated, is the same node."""
    for again in (("x",), ("x", "y"), ("x", "z"), ("x", "y", "z"), ()):
        assert list(listed(("x", "y"), again).names) == ["x"], again
    for again in (("y",), ("y", "x"), ("z", "x", "y")):
        wrong = f"g:2: the id '1' is that of two nodes, 'x' and '{again[0]}';"
        assert told(("x", "y"), again).startswith(wrong), again
    assert told(("x",), ("x", "y"), ("y",)).startswith("g:3: the id '1' is that of two nodes")


def test_a_label_too_long_to_be_a_name_leaves_the_node_its_id():
    """A name of 1,001 characters would be refused, and the file with it."""
    for n in (999, 1000, 1001, 5000):
        label = "x" * n
        assert list(listed((label,)).names) == [label if n <= 1000 else "1"], n
    with pytest.raises(InputError, match="expected at most 1000"):
        listed((), node="x" * 1001)


def test_a_node_listed_twice_under_long_names_is_told_in_a_short_message():
    long = "w" * 900
    for node, first, second in ((long, "x", "y"), ("1", long, "y"), ("1", "x", long)):
        message = told((first,), (second,), node=node)
        assert "is that of two nodes" in message
        assert len(message) < A_LINE, message
    (note,) = listed((), (), node=long).notes
    assert note.startswith("1 node is listed again")
    assert len(note) < A_LINE


# ---------------------------------------------------------------------- matrices


def test_an_archive_of_a_matrix_is_read_as_its_edges(tmp_path):
    matrix = np.array([[0, 2, 0], [2, 0, 1], [0, 1, 0]])
    target = io.BytesIO()
    sp.save_npz(target, sp.csr_array(matrix))
    found = reading(tmp_path, "m.npz", target.getvalue())
    assert pairs(found.network) == {frozenset("01"), frozenset("12")}


def test_a_long_line_of_sizes_is_told_in_a_short_message(tmp_path):
    head = "%%MatrixMarket matrix coordinate real general\n"
    message = problem(tmp_path, "m.mtx", f"{head}3 3 {LONG}\n", format="matrix-market")
    assert message.startswith("m.mtx:2: expected the numbers of rows, columns and entries, got '3")
    assert len(message) < A_LINE


def test_an_array_with_a_long_wrong_header_is_told_in_a_short_message():
    header = repr(LONG).encode()  # a text where NumPy expects a dictionary, and shows it whole
    array = b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as archive:
        archive.writestr("data.npy", array)
    with pytest.raises(InputError, match="not a dictionary: 'w") as caught:
        load_sparse(target.getvalue(), "m.npz")
    assert len(str(caught.value)) < A_LINE
