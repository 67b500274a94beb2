"""Other people's graphs become the network they hold, or are refused with a reason."""

import os
import subprocess
import sys
from pathlib import Path

import igraph
import networkx as nx
import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp

import linkprior as lp
from linkprior.errors import InputError, ParameterError
from linkprior.io.convert import as_network, labelled
from linkprior.network import CleaningCounts

# Node 3 joins nothing but itself; 1–0 comes back as 0–1.
ROWS = [(0, 1), (1, 2), (1, 0), (3, 3), (4, 0)]
DENSE = np.array(
    [[0, 1, 0, 0, 1], [1, 0, 1, 0, 0], [0, 1, 0, 0, 0], [0, 0, 0, 0, 0], [1, 0, 0, 0, 0]]
)


def holds(net, names, dense):
    assert net.names == tuple(names)
    assert (net.adjacency.toarray() == dense).all()


# ---------------------------------------------------------------------- graphs


@pytest.mark.parametrize("kind", [nx.Graph, nx.DiGraph, nx.MultiGraph, nx.MultiDiGraph])
def test_networkx_graphs_of_any_kind(kind):
    graph = kind()
    graph.add_nodes_from(range(5))
    graph.add_edges_from(ROWS)
    holds(as_network(graph), "01234", DENSE)
    assert labelled(graph).labels == (0, 1, 2, 3, 4)
    assert as_network(graph).merged.self_loops == 1


def test_networkx_nodes_may_be_anything_hashable():
    grid = nx.grid_2d_graph(2, 2)
    grid.add_edge((0, 0), frozenset("x"))
    found = labelled(grid)
    assert found.labels == tuple(grid.nodes())
    assert found.network.names[:2] == ("(0, 0)", "(0, 1)")
    assert (found.network.adjacency.toarray() == nx.to_numpy_array(grid)).all()


def test_views_and_subclasses_are_graphs_too():
    class Mine(nx.Graph):
        pass

    graph = Mine([(0, 1), (1, 2), (2, 3)])
    assert as_network(graph.subgraph([0, 1, 2])).n_edges == 2


def test_two_nodes_that_read_alike_are_refused_by_name():
    graph = nx.Graph([(1, "a"), ("1", "b")])
    with pytest.raises(InputError, match="nodes 1 and '1' have the same name '1'"):
        as_network(graph)
    with pytest.raises(InputError, match="nan is not the name"):
        as_network(nx.Graph([(float("nan"), 1)]))


def test_igraph_vertices_are_named_by_their_names():
    graph = igraph.Graph(n=5, edges=ROWS, directed=True)
    holds(as_network(graph), "01234", DENSE)
    assert labelled(graph).labels == (0, 1, 2, 3, 4)
    graph.vs["name"] = list("abcde")
    holds(as_network(graph), "abcde", DENSE)
    assert as_network(graph).merged == CleaningCounts(self_loops=1, reversed_duplicates=1)
    assert labelled(igraph.Graph.TupleList([(10, 30)])).labels == (10, 30)


@pytest.mark.parametrize("names", [["a", "b", None], ["a", "b", "a"], ["a", 1, "1"]])
def test_igraph_names_that_do_not_tell_vertices_apart_are_passed_over(names):
    graph = igraph.Graph(n=3, edges=[(0, 1), (1, 2)])
    graph.vs["name"] = names
    assert as_network(graph).names == ("0", "1", "2")


# ---------------------------------------------------------------------- matrices and pairs

FORMATS = ["bsr", "coo", "csc", "csr", "dia", "dok", "lil"]


@pytest.mark.parametrize("name", [f"{f}_{kind}" for f in FORMATS for kind in ("array", "matrix")])
def test_sparse_matrices_of_any_format(name):
    matrix = getattr(sp, name)(DENSE * 0.5)
    holds(as_network(matrix), "01234", DENSE)
    assert labelled(matrix).labels == (0, 1, 2, 3, 4)


@pytest.mark.parametrize("dtype", [bool, np.int8, np.float32])
def test_square_arrays_are_matrices(dtype):
    holds(as_network(DENSE.astype(dtype)), "01234", DENSE)
    holds(as_network(np.triu(DENSE).astype(dtype)), "01234", DENSE)


@pytest.mark.parametrize("dtype", [np.int32, np.uint64, np.float64, np.dtypes.StringDType(), "U3"])
def test_two_columns_are_edges(dtype):
    edges = np.array(ROWS[:3] + ROWS[4:]).astype(dtype)
    if dtype in (np.dtypes.StringDType(), "U3"):
        assert labelled(edges).labels == ("0", "1", "2", "4")
    net = as_network(edges)
    holds(net, "0124", np.delete(np.delete(DENSE, 3, 0), 3, 1))
    assert net.merged == CleaningCounts(reversed_duplicates=1)


def test_two_by_two_is_two_edges():
    net = as_network(np.array([[0, 1], [1, 7]]))
    assert net.names == ("0", "1", "7")
    assert net.n_edges == 2


def test_arrays_of_other_libraries_are_taken_as_arrays():
    class Tensor:
        def __array__(self, dtype=None, copy=None):
            return DENSE

    holds(as_network(Tensor()), "01234", DENSE)


@pytest.mark.parametrize(
    ("array", "message"),
    [
        (np.ones((2, 5)), r"shape \(2, 5\); transpose it"),
        (np.ones((4, 3)), r"edges of shape \(m, 2\), got shape \(4, 3\)$"),
        (np.ones(4), r"got shape \(4,\)"),
        (np.float64(4), r"got shape \(\)"),
        (pd.Series([1, 2]), r"got shape \(2,\)"),
        (np.full((3, 3), np.nan), "NaN or infinity"),
        (np.full((3, 3), "a"), "expected a square sparse matrix or array"),
        (sp.csr_array((3, 4)), "must be square"),
        (np.array([[0, 1], [2, np.nan]]), "edge 2: nan is not the name of a node"),
    ],
)
def test_other_shapes_are_refused(array, message):
    with pytest.raises(InputError, match=message):
        as_network(array)


def test_pairs_come_from_any_iterable():
    expected = lp.Network.from_edges(ROWS)
    for pairs in (ROWS, tuple(ROWS), iter(ROWS), dict.fromkeys(ROWS, 0.5), map(list, ROWS)):
        assert as_network(pairs).digest == expected.digest
    assert labelled([((0, 0), "a"), ("a", 2.0)]).labels == ((0, 0), "a", 2.0)
    assert as_network([(1.0, 2), ("2", 3)]).names == ("1", "2", "3")
    one = labelled([(1, True), (2, 1)]).labels  # equal to Python, two names to us
    assert [str(label) for label in one] == ["1", "True", "2"]


def test_sets_are_read_in_an_order_that_does_not_change_between_runs():
    code = (
        "from linkprior.io.convert import as_network\n"
        "words = [f'node{i}' for i in range(40)]\n"
        "one = as_network({(a, b) for a in words for b in words[:3]})\n"
        "two = as_network([frozenset(p) for p in zip(words, words[1:])])\n"
        "print(one.digest, two.digest)"
    )
    answers = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(answers) == 1
    assert answers != {b""}


# ---------------------------------------------------------------------- tables

COLUMNS = {"weight": [0.1] * 5, "gene_a": list("abcae"), "gene_b": list("bcbae"), "n": [1] * 5}
TABLES = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "polars lazy": pl.LazyFrame}
every_table = pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)


@every_table
def test_tables_by_the_names_of_their_columns(table):
    net = as_network(table(COLUMNS))
    assert net.names == ("a", "b", "c", "e")
    assert net.edges.tolist() == [[0, 1], [1, 2]]
    assert net.merged == CleaningCounts(self_loops=2, reversed_duplicates=1)


@every_table
def test_tables_by_chosen_columns_and_by_place(table):
    frame = table({"p": [1, 2], "q": [2, 3], "r": [3, 1]})
    assert as_network(frame).edges.tolist() == [[0, 1], [1, 2]]
    chosen = labelled(frame, "r", "p")
    assert chosen.labels == (3, 1, 2)
    assert chosen.network.edges.tolist() == [[0, 1], [1, 2]]
    with pytest.raises(InputError, match=r"no column 's'; there are \['p', 'q', 'r'\]"):
        as_network(frame, "p", "s")
    for columns in (("p", None), (None, "p"), ("p", "p")):
        with pytest.raises(ParameterError, match="two columns, or neither given"):
            as_network(frame, *columns)


@every_table
def test_whole_floats_are_whole_numbers(table):
    found = labelled(table({"source": [1.0, 2.0, 2.5], "target": [2, 3, 1]}))
    assert found.network.names == ("1", "2", "3", "2.5")
    assert found.labels == (1.0, 2.0, 3, 2.5)


@every_table
@pytest.mark.parametrize("empty", [None, float("nan")])
def test_an_empty_end_is_refused_with_its_row(table, empty):
    frame = table({"source": [1.0, 2.0, empty], "target": [2.0, 3.0, 1.0]})
    with pytest.raises(InputError, match="row 2 of the table has an empty node name"):
        as_network(frame)


@every_table
def test_a_table_of_one_column_is_refused(table):
    with pytest.raises(InputError, match="at least 2 columns, got 1"):
        as_network(table({"a": [1, 2]}))


def test_pandas_kinds_of_columns():
    frame = pd.DataFrame({"from": pd.array([1, 2, None], "Int64"), "to": [2, 3, 4]})
    with pytest.raises(InputError, match="row 2 of the table"):
        as_network(frame)
    assert labelled(frame[:2].astype("category")).labels == (1, 2, 3)
    mixed = pd.DataFrame({"from": [1, "1"], "to": ["a", (2, 3)]})
    assert labelled(mixed).labels == (1, "a", (2, 3))


def test_column_names_may_be_numbers_or_repeat():
    assert as_network(pd.DataFrame([[5, 6, 9], [6, 7, 9]])).names == ("5", "6", "7")
    twice = pd.DataFrame([["a", "b"], ["b", "c"]], columns=["gene", "gene"])
    assert as_network(twice).n_edges == 2
    with pytest.raises(InputError, match="more than one column 'gene'"):
        as_network(twice, "gene", "other")


def test_a_frame_with_names_at_both_sides_is_a_matrix():
    graph = nx.Graph([("x", "y"), ("y", "z"), ("z", "w")])
    found = labelled(nx.to_pandas_adjacency(graph))
    holds(found.network, "xyzw", nx.to_numpy_array(graph))
    assert found.labels == ("x", "y", "z", "w")


# ---------------------------------------------------------------------- files and the rest


def test_files_drop_nodes_without_an_edge_and_objects_keep_them(tmp_path):
    path = tmp_path / "net.tsv"
    path.write_text("".join(f"{a}\t{b}\n" for a, b in ROWS))
    rest = np.delete(np.delete(DENSE, 3, 0), 3, 1)
    for given in (path, str(path)):
        holds(as_network(given), "0124", rest)
        holds(as_network(given, keep_isolated=True), "01234", DENSE)
    holds(as_network(ROWS), "01234", DENSE)
    kept = as_network(ROWS, keep_isolated=False)
    holds(kept, "0124", rest)
    assert kept.merged == as_network(path).merged


def test_columns_of_a_file_may_be_chosen(tmp_path):
    path = tmp_path / "net.csv"
    path.write_text("p,q,r\n1,2,x\n2,3,y\n")
    assert as_network(path, "r", "p").names == ("x", "1", "y", "2")


def test_a_network_is_returned_as_it_is():
    net = lp.Network.from_edges(ROWS)
    assert as_network(net) is net
    assert labelled(net).drop_isolated().labels == ("0", "1", "2", "4")


@pytest.mark.parametrize("nonsense", [None, 5, b"ab", object(), lp.Network, pl])
def test_nonsense_is_refused_with_a_list_of_what_is_taken(nonsense):
    with pytest.raises(InputError, match=r"networkx or igraph graph, .* path of a file; got"):
        as_network(nonsense)


def test_columns_of_what_has_none_are_refused():
    with pytest.raises(ParameterError, match="columns of a table or file, got Graph"):
        as_network(nx.Graph([(0, 1)]), "a", "b")


@pytest.mark.parametrize("pairs", [["ab"], [(1, 2, 3)], {"a": ["b"]}, [5]])
def test_what_are_no_pairs_is_refused(pairs):
    with pytest.raises(InputError, match="edge 1: expected a pair"):
        as_network(pairs)


@pytest.mark.parametrize("pairs", [[("a", None)], [(pd.NA, "a")], [("a", [1])], [(1, np.ones(2))]])
def test_what_is_no_node_is_refused(pairs):
    with pytest.raises(InputError, match="edge 1: .* is not the name of a node"):
        as_network(pairs)


def test_no_library_is_loaded_to_look_at_an_object():
    code = (
        "import sys; from linkprior.io.convert import as_network; as_network([(0, 1)])\n"
        "assert not {'networkx', 'igraph', 'pandas', 'polars'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=Path(__file__).parent)


def test_a_square_frame_of_numbers_is_a_matrix_whatever_its_names():
    graph = nx.karate_club_graph()
    for frame in (nx.to_pandas_adjacency(graph), nx.to_pandas_adjacency(graph).astype(bool)):
        net = as_network(frame)
        assert (net.n_nodes, net.n_edges) == (34, 78)
    edges = pd.DataFrame([["a", "b"], ["b", "c"]])
    assert as_network(edges).n_edges == 2, "two columns of names are edges"
    numbers = pd.DataFrame([[1, 2], [2, 3]])
    assert as_network(numbers).n_edges == 2
