"""Weights of networks that are built in Python."""

import networkx as nx
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

import linkprior as lp
from linkprior.errors import InputError

DENSE = np.array([[0, 4, 1, 0], [3, 0, 2, 0], [0, 2, 7, 0], [0, 0, 0, 0.0]])


def expected(matrix):
    """Return the larger of both directions over the largest of all, without the diagonal."""
    both = np.maximum(matrix, matrix.T)
    np.fill_diagonal(both, 0)
    return both / both.max()


def test_a_matrix_gives_its_values_where_asked_to():
    net = lp.Network.from_scipy(sp.csr_array(DENSE), list("abcd"), weights=True)
    np.testing.assert_array_equal(net.confidence.toarray(), expected(DENSE))
    plain = lp.Network.from_scipy(sp.csr_array(DENSE), list("abcd"))
    assert plain.known.weights is None
    assert (plain.confidence != plain.adjacency).nnz == 0
    assert net.merged == plain.merged


def test_a_symmetric_dense_matrix_and_one_of_whole_numbers_give_their_values():
    whole = (DENSE + DENSE.T).astype(int)
    net = lp.Network.from_scipy(whole, weights=True)
    np.testing.assert_array_equal(net.confidence.toarray(), expected(whole.astype(float)))
    assert net.merged.reversed_duplicates == 0


@pytest.mark.parametrize("value", [-1.0, 1j])
def test_a_matrix_with_what_is_no_weight_is_refused_with_its_place(value):
    matrix = DENSE.astype(type(value))
    matrix[2, 1] = value
    if isinstance(value, complex):
        matrix[:2] = 0
    with pytest.raises(InputError, match="row 2, column 1: expected a weight"):
        lp.Network.from_scipy(matrix, weights=True)
    lp.Network.from_scipy(matrix)


def test_a_graph_gives_an_attribute_of_its_edges():
    graph = nx.MultiDiGraph()
    graph.add_nodes_from("dcba")
    graph.add_edge("a", "b", sure=1)
    graph.add_edge("a", "b", sure=4)
    graph.add_edge("b", "a", sure=2)
    graph.add_edge("c", "b", sure=2)
    graph.add_edge("d", "c", sure=0)
    net = lp.Network.from_networkx(graph, weights="sure")
    assert net.names == tuple("dcba")
    dense = net.confidence.toarray()
    assert (dense[3, 2], dense[2, 1], dense.sum()) == (1.0, 0.5, 3.0)
    assert lp.Network.from_networkx(graph).n_edges == 3


def test_a_graph_says_which_edge_or_attribute_is_wrong():
    graph = nx.Graph()
    graph.add_edge("a", "b", sure=1)
    with pytest.raises(InputError, match="'suer'.*Did you mean sure"):
        lp.Network.from_networkx(graph, weights="suer")
    graph.add_edge("b", "c")
    with pytest.raises(InputError, match="the edge 'b' – 'c': expected a weight.* got none"):
        lp.Network.from_networkx(graph, weights="sure")
    assert lp.Network.from_networkx(nx.Graph(), weights="sure").n_edges == 0


def test_a_frame_gives_a_column_wherever_it_stands():
    frame = pd.DataFrame(
        {"sure": [1, 4, 2, 0], "x": ["c", "b", "b", "d"], "y": ["a", "a", "c", "a"]}
    )
    for net in (
        lp.Network.from_frame(frame, weights="sure"),
        lp.Network.from_frame(frame, "x", "y", "sure"),
        lp.Network.from_frame(frame[["x", "y", "sure"]], weights="sure"),
    ):
        assert net.names == ("c", "a", "b")
        dense = net.confidence.toarray()
        assert (dense[1, 2], dense[0, 2], dense[0, 1]) == (1.0, 0.5, 0.25)
    swapped = pd.concat([frame, frame.rename(columns={"x": "y", "y": "x"}).assign(sure=3)])
    dense = lp.Network.from_frame(swapped, "x", "y", "sure").confidence.toarray()
    assert (dense[1, 2], dense[0, 2], dense[0, 1]) == (1.0, 0.75, 0.75)


@pytest.mark.parametrize("value", [-1, "high", None, float("nan"), float("inf"), pd.NA])
def test_a_frame_with_what_is_no_weight_is_refused_with_its_row(value):
    frame = pd.DataFrame(
        {"x": ["a", "b"], "y": ["b", "c"], "w": pd.Series([1, value], dtype=object)}
    )
    with pytest.raises(InputError, match=r"row 1 of the table .*: expected a weight"):
        lp.Network.from_frame(frame, weights="w")


def test_a_frame_without_that_column_is_refused():
    frame = pd.DataFrame({"x": ["a", "b"], "y": ["b", "c"]})
    with pytest.raises(InputError, match="no column 'w'"):
        lp.Network.from_frame(frame, weights="w")
    with pytest.raises(InputError, match="expected two columns of nodes"):
        lp.Network.from_frame(frame, weights="y")
    with pytest.raises(InputError, match="expected one column of weights"):
        lp.Network.from_frame(frame, "x", "y", weights="y")


def test_a_file_a_frame_a_graph_and_a_matrix_make_the_same_network(tmp_path):
    rng = np.random.default_rng(5)
    i, j = np.triu_indices(12, 1)
    kept = rng.random(len(i)) < 0.4
    weights = rng.integers(1, 1000, kept.sum())
    frame = pd.DataFrame({"x": i[kept], "y": j[kept], "w": weights})
    frame.to_csv(tmp_path / "e.csv", index=False)
    nets = [
        lp.read_network(tmp_path / "e.csv", columns=("x", "y"), weights="w"),
        lp.Network.from_frame(frame, weights="w"),
        lp.Network.from_networkx(nx.from_pandas_edgelist(frame, "x", "y", "w"), weights="w"),
    ]
    assert len({net.digest for net in nets}) == 1
    matrix = sp.coo_array((weights, (i[kept], j[kept])), shape=(12, 12))
    net = lp.Network.from_scipy(matrix, weights=True)
    at = [int(name) for name in nets[0].names]
    np.testing.assert_array_equal(
        net.confidence.toarray()[np.ix_(at, at)], nets[0].confidence.toarray()
    )
