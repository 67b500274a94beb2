"""Network: building, counting what is merged, refusing what is none."""

import copy
import itertools
import sys

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

import linkprior as lp
from linkprior.errors import InputError
from linkprior.network import CleaningCounts, pairs


def edges_by_name(net):
    return {(net.names[i], net.names[j]) for i, j in net.edges.tolist()}


def test_self_loops_duplicates_and_reversed_pairs_are_merged_and_counted():
    net = lp.Network.from_edges(
        [("b", "a"), ("a", "b"), ("b", "a"), ("c", "c"), ("a", "c"), ("a", "c"), ("c", "a")]
    )
    assert net.names == ("b", "a", "c")
    assert net.merged == CleaningCounts(self_loops=1, duplicates=2, reversed_duplicates=2)
    assert edges_by_name(net) == {("b", "a"), ("a", "c")}
    assert net.degrees.tolist() == [1, 2, 1]
    dense = net.adjacency.toarray()
    assert (dense == dense.T).all()
    assert dense.diagonal().sum() == 0


def test_names_may_be_any_string():
    names = ["", " ", "a\tb", "<script>", "Ω", "1-Mar", "\u202eabc", "0"]
    net = lp.Network.from_edges(list(itertools.pairwise(names)))
    assert net.names == tuple(names)
    assert net.n_edges == len(names) - 1


def test_given_nodes_fix_the_order_and_allow_isolated_ones():
    net = lp.Network.from_edges([("x", "y")], nodes=["z", "y", "x"])
    assert net.names == ("z", "y", "x")
    assert net.degrees.tolist() == [0, 1, 1]


AB = ("a", "b")


@pytest.mark.parametrize(
    ("edges", "nodes", "message"),
    [
        *(
            ([AB, edge], None, "edge 2: expected a pair")
            for edge in [("a",), ("a", "b", "c"), "ab"]
        ),
        *(
            ([("a", x)], None, "edge 1: .* is not the name")
            for x in (None, float("nan"), np.nan, [1])
        ),
        *((no_pairs, None, "expected") for no_pairs in (None, 5, [1, 2], [b"ab"])),
        ([("x", "w")], "xy", "'w' is not among the given nodes"),
        ([], "aba", "'a' appears twice"),
    ],
)
def test_what_is_no_list_of_edges_is_refused(edges, nodes, message):
    with pytest.raises(InputError, match=message):
        lp.Network.from_edges(edges, nodes)


@given(st.integers(2, 10**6), st.data())
def test_codes_give_pairs_back_and_sort_like_pairs(p, data):
    ends = st.integers(0, p - 1)
    several = np.array(data.draw(st.lists(st.tuples(ends, ends), min_size=1)), dtype=np.int64)
    codes = pairs.encode(several, p)
    assert (pairs.decode(codes, p) == several).all()
    by_pair = sorted(map(tuple, several.tolist()))
    assert [tuple(x) for x in pairs.decode(np.sort(codes), p).tolist()] == by_pair


@pytest.mark.parametrize("bad", [[(0, 1, 2)], [(0.5, 1.0)], [(0, -1)], [(0, 9)]])
def test_bad_pairs_are_refused(bad):
    with pytest.raises(InputError, match="pairs must"):
        pairs.as_pairs(bad, 5)


def test_from_scipy_takes_symmetric_and_one_sided_matrices():
    upper = sp.csr_array(np.array([[1, 2.5, 0], [0, 0, -1], [0, 0, 0]]))
    one_sided = lp.Network.from_scipy(upper, names=["a", "b", "c"])
    both = lp.Network.from_scipy(upper + upper.T)
    assert edges_by_name(one_sided) == {("a", "b"), ("b", "c")}
    assert both.names == ("0", "1", "2")
    assert (both.adjacency.toarray() == one_sided.adjacency.toarray()).all()
    assert both.merged == one_sided.merged == CleaningCounts(self_loops=1)


@pytest.mark.parametrize(
    ("matrix", "names", "message"),
    [
        (np.ones((2, 3)), None, "must be square"),
        (np.array([[0, np.nan], [0, 0]]), None, "NaN or infinity"),
        (np.ones((2, 2)), ["a"], "expected 2 names"),
    ],
)
def test_from_scipy_refuses(matrix, names, message):
    with pytest.raises(InputError, match=message):
        lp.Network.from_scipy(matrix, names)


def test_from_networkx_merges_directions_and_keeps_isolated_nodes():
    nx = pytest.importorskip("networkx")
    graph = nx.MultiDiGraph([(1, 2), (2, 1), (1, 2), (3, 3)])
    graph.add_node(4)
    net = lp.Network.from_networkx(graph)
    assert net.names == ("1", "2", "3", "4")
    assert net.merged == CleaningCounts(self_loops=1, duplicates=1, reversed_duplicates=1)
    assert net.n_edges == 1


def test_from_frame_by_position_and_by_name():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"weight": [1.0, 2.0], "a": ["x", "y"], "b": ["y", "z"]})
    net = lp.Network.from_frame(frame, "a", "b")
    assert edges_by_name(net) == {("x", "y"), ("y", "z")}
    assert lp.Network.from_frame(frame[["a", "b"]]).digest == net.digest
    with pytest.raises(InputError, match="no column 'c'"):
        lp.Network.from_frame(frame, "a", "c")
    with pytest.raises(InputError, match="at least 2 columns"):
        lp.Network.from_frame(frame[["a"]])
    with pytest.raises(InputError, match="row 1 of the table has an empty node name"):
        lp.Network.from_frame(pd.DataFrame({"a": ["x", None], "b": ["y", "z"]}))


def test_a_network_cannot_be_changed():
    net = lp.Network.from_edges([("a", "b")])
    assert copy.deepcopy(net) is net
    for part in (net.adjacency.data, copy.copy(net).adjacency.data, net.degrees, net.edges):
        with pytest.raises(ValueError, match="read-only"):
            part[0] = 5
    with pytest.raises(AttributeError):
        net.names = ("c", "d")


def test_hide_removes_edges_and_keeps_nodes():
    net = lp.Network.from_edges([("a", "b"), ("b", "c"), ("c", "d")])
    rest = net.hide([(1, 0), (2, 3)])
    assert rest.names == net.names
    assert rest.degrees.tolist() == [0, 1, 1, 0]
    with pytest.raises(InputError, match="a – c is not an edge"):
        net.hide([(0, 2)])
    with pytest.raises(InputError, match="node numbers 0…3, got 4"):
        net.hide([(0, 4)])


def test_digest_knows_names_and_edges():
    net = lp.Network.from_edges([("a", "b"), ("b", "c")])
    assert net.digest == lp.Network.from_edges([("a", "b"), ("c", "b")], nodes="abc").digest
    assert net.digest != net.rename(["a", "b", "d"]).digest
    assert net.digest != lp.Network.from_edges([("a", "b"), ("a", "c")]).digest
    # The boundary between two names counts.
    one = lp.Network.from_edges([], nodes=["ab", "c"])
    assert one.digest != lp.Network.from_edges([], nodes=["a", "bc"]).digest


def test_rename_and_index_of():
    net = lp.Network.from_edges([("a", "b")]).rename(["x", "y"])
    assert net.index_of("y") == 1
    with pytest.raises(InputError, match="no node is called 'a'"):
        net.index_of("a")
    with pytest.raises(InputError, match="expected 2 names, got 1"):
        net.rename(["x"])
    assert repr(net) == "Network(2 nodes, 1 edges)"


@given(st.lists(st.text(max_size=3), min_size=1, max_size=12, unique=True), st.randoms())
def test_nodes_sorted_by_name_are_those_of_any_order(names, random):
    pairs = [(i, j) for i in range(len(names)) for j in range(i) if random.random() < 0.3]
    net = lp.Network.from_indices(pairs, names)
    ascending = net.sorted()
    assert ascending.names == tuple(sorted(names))
    assert (ascending is net) == (names == sorted(names))
    assert [ascending.names[place] for place in net.places] == names
    assert [names[node] for node in net.order] == sorted(names)
    order = random.sample(range(len(names)), len(names))
    assert net.arranged(order).sorted().digest == ascending.digest
    dense = net.adjacency.toarray()[net.order][:, net.order]
    np.testing.assert_array_equal(ascending.adjacency.toarray(), dense)
    assert not ascending.adjacency.data.flags.writeable


def test_empty_networks_exist_but_have_nothing_to_say():
    assert lp.Network.from_edges([]).n_nodes == 0
    lonely = lp.Network.from_edges([], nodes=["a"])
    assert (lonely.n_edges, lonely.n_non_edges) == (0, 0)
    assert lonely.edges.shape == (0, 2)


def test_isolated_nodes_are_dropped_on_request_and_counted():
    net = lp.Network.from_edges([("x", "x"), ("a", "b"), ("c", "b")], nodes="zaxbc")
    kept = net.drop_isolated()
    assert kept.names == ("a", "b", "c")
    assert edges_by_name(kept) == {("a", "b"), ("b", "c")}
    assert kept.merged == CleaningCounts(self_loops=1, isolated=2)
    assert kept.drop_isolated() is kept


def test_names_become_text_before_they_are_compared():
    assert lp.Network.from_indices([(0, 1)], [1, 2]).names == ("1", "2")
    with pytest.raises(InputError, match="'1' appears twice"):
        lp.Network.from_edges([("a", "b")]).rename([1, "1"])


def test_from_frame_never_takes_one_column_twice():
    frame = pytest.importorskip("pandas").DataFrame({"a": ["x"], "b": ["y"]})
    assert edges_by_name(lp.Network.from_frame(frame, source="b")) == {("y", "x")}
    with pytest.raises(InputError, match="two different columns"):
        lp.Network.from_frame(frame, "b", "b")


@pytest.mark.parametrize("weights", [None, [3, 1, 2]])
def test_a_network_comes_back_from_networkx(weights):
    net = lp.Network.from_edges([("b", "a"), ("c", "a"), ("c", "b")], nodes="dcba")
    net = net if weights is None else net.with_weights(weights)
    graph = lp.to_networkx(net)
    assert list(graph.nodes) == list(net.names)
    back = lp.Network.from_networkx(graph, weights="weight" if weights else None)
    assert (back.names, back.digest) == (net.names, net.digest)
    assert any("weight" in facts for *_, facts in graph.edges(data=True)) is bool(weights)


def test_without_networkx_the_error_names_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "networkx", None)
    with pytest.raises(lp.LinkpriorError, match="pip install networkx"):
        lp.to_networkx(lp.Network.from_edges([("a", "b")]))
