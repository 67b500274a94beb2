"""Tables on either side of a rule: headers, layers, matrices, labels, first rows that stand out.

Each rule is asked in one go, as all its cases together take no time.
"""

import pytest
from tests.io.databases import edges, pairs, reading

from linkprior.errors import InputError
from linkprior.io.collector import EdgeCollector
from linkprior.io.formats import ReadOptions
from linkprior.io.node_lists import read_pairs
from linkprior.io.readers.columns import Layout, find_header, find_layout
from linkprior.io.readers.delimited import Labels, Rows, rows_of, sample_of
from linkprior.io.source import Block


def header(text, asked=()):
    """Return the header of rows written a,b;c,d."""
    return find_header([row.split(",") for row in text.split(";")], [], asked)


def block(text):
    """Return rows written a b;c d as a block of a file."""
    return Block(1, text.replace(";", "\n") + "\n")


def ring(n, name=""):
    """Return the rows of a ring of n nodes, called 1, 2 … behind a common name."""
    return "".join(f"{name}{k}\t{name}{k % n + 1}\n" for k in range(1, n + 1))


# ---------------------------------------------------------------------- headers


def test_an_index_has_no_name_and_all_other_columns_have_one():
    for first, is_index in (
        (",eins,zwei", True),
        (",eins,zwei,drei", True),
        (",eins,", False),
        (",,zwei", False),
        (",eins,,drei", False),
    ):
        found = header(f"{first};1,MYC,MAX;2,MAX,TP53")
        assert (found is not None) == is_index, first


def test_numbers_asked_for_may_stand_above_rows_that_end_before_them():
    assert header("1,2,3;MYC,MAX", ("1", "3")) is not None
    assert header("1,2,3;MYC,MAX,TP53;MAX,MYC", ("1", "3")) is not None
    assert header("1,2,3;MYC,MAX,5;MAX,MYC", ("1", "3")) is None


def test_a_comment_is_cut_like_the_rows_below_it():
    for text, cells in (
        ("# gene one\tgene two;a\tb", ["gene one", "gene two"]),
        ("# gene one,gene two;a,b", ["gene one", "gene two"]),
        ("# one   two;a b", ["one", "two"]),
        ("# one\ttwo;a b", ["one", "two"]),
    ):
        assert sample_of(block(text), "f.txt").comment == cells, text


def test_the_word_above_the_weights_makes_no_edge_of_a_header(tmp_path):
    # A cell without a number leaves doubt about the header, and one of its words is a node far
    # below. Yet "weight" is no weight.
    rows = [f"n{k}\tn{k + 1}\t0.5\n" for k in range(250)]
    text = "".join(["source\ttarget\tweight\n", "n0\t\t?\n", *rows, "source\tn7\t0.25\n"])
    found = reading(tmp_path, text, weights="3")
    expected = {f"n{k}-n{k + 1}" for k in range(250)} | {"source-n7"}
    assert edges(found) == pairs(*expected)


# ---------------------------------------------------------------------- columns


def test_the_ends_come_in_the_order_of_the_columns_asked_for(tmp_path):
    path = tmp_path / "f.txt"
    path.write_text("a\tb\nc\td\n")
    for columns, expected in (
        (None, [("a", "b"), ("c", "d")]),
        (("1", "2"), [("a", "b"), ("c", "d")]),
        (("2", "1"), [("b", "a"), ("d", "c")]),
    ):
        assert list(read_pairs(path, ReadOptions(columns=columns))) == expected, columns


def test_columns_are_told_as_people_count_them():
    for ends, told in (((0, 1), "1 and 2"), ((1, 2), "2 and 3"), ((2, 0), "3 and 1")):
        assert Layout(",", ends, 3).describe().endswith(f", nodes in columns {told}")


def test_layers_are_four_numbers_in_every_row():
    for text, layered in (
        ("1 2 3 1;1 3 4 1", True),
        ("1 2 3 1;1 3 4", False),
        ("1 a b 1;1 b c 1", False),
        ("1 2 3 1;1 b c 1", False),
        ("1 2 3 1;2 3 4 strong", False),
    ):
        assert find_layout(sample_of(block(text), "f.txt"), "f.edges").multiplex == layered, text


def test_a_matrix_has_numbers_in_all_cells_of_all_rows():
    numbers = " ".join(map(str, range(1, 11)))
    words = "1 2 3 4 MYC 6 7 8 9 10"
    for text, refused in (
        (f"{numbers};{numbers}", True),
        (f"{numbers};{words}", False),
        (f"{words};{numbers}", False),
        (f"{words};{words}", False),
        ("1 2 3 4;5 6 7 8", False),  # two nodes, a weight and something else
    ):
        if refused:
            with pytest.raises(InputError, match="Is it a matrix"):
                find_layout(sample_of(block(text), "f.txt"), "f.txt")
        else:
            assert find_layout(sample_of(block(text), "f.txt"), "f.txt").ends == (0, 1), text


# ---------------------------------------------------------------------- first rows that stand out


def test_a_first_row_counts_nodes_and_edges_if_there_are_so_many(tmp_path):
    rows = ring(12)
    with pytest.raises(InputError, match="'12 12' looks like numbers of nodes and edges"):
        reading(tmp_path, f"12\t12\n{rows}")
    # Twelve rows follow, but between more than three nodes: 3 and 12 are joined.
    found = reading(tmp_path, f"3\t12\n{rows}")
    assert frozenset(("3", "12")) in edges(found)
    assert found.network.n_edges == 13


def test_a_first_edge_stands_alone_unless_another_row_shares_a_node(tmp_path):
    for second, alone in (
        ("", True),
        ("left\tright\n", True),  # tables put one below the other repeat their header
        ("left\tmiddle\n", False),
        ("middle\tright\n", False),
        ("right\tleft\n", False),
    ):
        notes = reading(tmp_path, f"left\tright\n{ring(12, 'n')}{second}").report.notes
        assert any("shares no node" in note for note in notes) == alone, second


# ---------------------------------------------------------------------- labels


def test_a_block_without_rows_says_nothing_of_labels():
    first, last = (rows_of(block(text), "\t", 2, "f") for text in ("a\tb\t1", "b\tc\t0"))
    found = EdgeCollector("f")
    found.add(["a", "b"], ["b", "c"], [1, 2])
    labels = Labels(Layout("\t", (0, 1), 3), possible=True)
    for part in (first, Rows([], [], [0]), last):
        labels.take(part)
    assert labels.settle(found).startswith("gold standard")
    assert (found.ends.tolist(), found.non_edges.tolist()) == ([[0, 1]], [[1, 2]])
