"""What is known of a network beside its edges: confidences, known non-edges, releases."""

import pickle

import networkx as nx
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

import linkprior as lp
from linkprior.errors import InputError
from linkprior.network import History
from linkprior.ranking.candidates import Candidates

EDGES = [("a", "b"), ("b", "c"), ("c", "d"), ("a", "d")]  # in order: a–b, a–d, b–c, c–d


@pytest.fixture
def net():
    return lp.Network.from_edges(EDGES)


def test_weights_stand_in_the_confidence_matrix_in_the_order_of_edges(net):
    sure = net.with_weights([1, 2, 3, 4])
    dense = sure.confidence.toarray()
    for (i, j), weight in zip(net.edges, [0.25, 0.5, 0.75, 1.0], strict=True):
        assert dense[i, j] == dense[j, i] == weight
    assert dense.sum() == pytest.approx(2 * 2.5)
    np.testing.assert_allclose(sure.strengths, dense.sum(axis=1))


def test_without_weights_every_edge_is_sure(net):
    assert (net.confidence != net.adjacency).nnz == 0
    np.testing.assert_array_equal(net.strengths, net.degrees)


def test_hiding_edges_hides_their_weights(net):
    kept = net.with_weights([1, 2, 3, 4]).hide([(0, 1), (1, 2)])
    np.testing.assert_allclose(kept.known.weights, [0.5, 1.0])
    assert kept.confidence.toarray()[0, 3] == 0.5


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        *(([1, 2, 3, wrong], "weights must be above 0, but edge 3") for wrong in (0, -1, np.nan)),
        ([0, 2, 3, 0], "edge 0 has 0 \\(and 1 more\\)"),
        ([1, 2, 3], "one weight for each of 4 edges"),
        (["high", "low", "low", "low"], "weights must be numbers"),
        ([10**400, 1, 1, 1], "weights must be numbers"),
    ],
)
def test_weights_that_are_none_are_refused(net, weights, message):
    with pytest.raises(InputError, match=message):
        net.with_weights(weights)


def test_what_is_known_changes_the_digest_and_nothing_known_does_not(net):
    known = [
        net.with_weights([1, 2, 3, 4]),
        net.with_negatives([(0, 2)]),
        net.with_history(net.hide([(0, 1)]), net),
    ]
    assert len({net.digest, *(one.digest for one in known)}) == 4
    assert known[2].without_history().digest == net.digest


def test_known_non_edges_are_ordered_and_kept_once(net):
    found = net.with_negatives([(3, 1), (0, 2), (2, 0)]).known.negatives
    np.testing.assert_array_equal(found, [[0, 2], [1, 3]])


def test_a_known_non_edge_that_is_observed_is_refused_by_name_or_stays_an_edge_by_force(net):
    with pytest.raises(InputError, match="1 of 2 known non-edges is an observed edge.*a – b"):
        net.with_negatives([(1, 0), (0, 2)])
    forced = net.with_negatives([(1, 0), (0, 2)], force=True)
    np.testing.assert_array_equal(forced.known.negatives, [[0, 2]])
    assert forced.n_edges == net.n_edges


def test_known_non_edges_follow_their_nodes_when_isolated_ones_are_dropped():
    net = lp.Network.from_edges([("b", "c"), ("c", "d")], nodes=["a", "b", "c", "d"])
    kept = net.with_negatives([(1, 3), (0, 1)]).drop_isolated()
    assert kept.names == ("b", "c", "d")
    np.testing.assert_array_equal(kept.known.negatives, [[0, 2]])


def test_a_history_tells_what_the_newer_release_found_between_older_nodes():
    older = lp.Network.from_edges([("a", "b"), ("b", "c"), ("c", "d")])
    newer = lp.Network.from_edges([("d", "a"), ("b", "a"), ("c", "a"), ("a", "e"), ("b", "c")])
    found = History.between(older, newer)
    assert [(older.names[i], older.names[j]) for i, j in found.found] == [("a", "c"), ("a", "d")]
    assert (found.elsewhere, found.new_nodes) == (1, 1)


def test_releases_with_nothing_in_common_or_nothing_new_are_refused(net):
    for newer, message in (
        (lp.Network.from_edges([("x", "y")]), "share no node name"),
        (net, "no new edge"),
        ([("a", "b")], "newer must be a Network, got list"),
    ):
        with pytest.raises(InputError, match=message):
            net.with_history(net, newer)


def test_a_hidden_edge_is_hidden_in_the_history_too(net):
    older = net.hide([(0, 1), (1, 2)])
    told = net.with_history(older, net)
    kept = told.hide([(0, 1), (2, 3)]).known.history
    np.testing.assert_array_equal(kept.found, [[1, 2]])
    np.testing.assert_array_equal(kept.older.edges, [[0, 3]])
    assert told.hide([(0, 1), (1, 2)]).known.history is None  # nothing is left that was found
    renamed = told.rename(["w", "x", "y", "z"])
    np.testing.assert_array_equal(renamed.hide([(0, 1)]).known.history.found, [[1, 2]])


def test_weights_of_any_size_leave_every_edge_some(net):
    sure = net.with_weights([1e-300, 1e300, 5e-324, 1.0])
    assert (sure.known.weights > 0).all()
    assert sure.known.weights[1] == 1.0
    for model in ("l3", "lrw", "tri", "degree:l3"):
        assert np.isfinite(lp.make(model).fit(sure).predict_edges(2).scores).all()


def test_a_model_of_a_network_whose_surest_edge_is_hidden_can_be_loaded(net, tmp_path):
    train = net.with_weights([1, 2, 3, 4]).hide([(2, 3)])
    lp.make("l3").fit(train).save(tmp_path / "model")
    kept = lp.load(tmp_path / "model").network_
    np.testing.assert_array_equal(kept.known.weights, [0.25, 0.5, 0.75])


def test_what_is_known_stays_read_only_in_another_process(net):
    told = net.with_weights([1, 2, 3, 4]).with_negatives([(0, 2)])
    told = told.with_history(net.hide([(0, 1)]), net)
    known = pickle.loads(pickle.dumps(told)).known  # noqa: S301 – our own bytes
    parts = (known.weights, known.negatives, known.history.found)
    assert not any(part.flags.writeable for part in parts)


def test_candidates_do_not_depend_on_releases(net):
    model = lp.make("l3").fit(net)
    told = net.with_history(net.hide([(0, 1)]), net)
    asked = Candidates.of(told, around=["a"])
    assert len(model.predict_edges(5, candidates=asked)) == 1


# ---------------------------------------------------------------------- weights of any source

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


def test_side_information_follows_its_nodes_into_another_order(net):
    older = lp.Network.from_edges([("d", "a"), ("c", "b"), ("a", "b")])
    full = net.with_weights([1, 2, 3, 4]).with_negatives([(0, 2)]).with_history(older, net)
    order = [2, 0, 3, 1]
    moved = full.arranged(order)
    assert moved.names == ("c", "a", "d", "b")
    np.testing.assert_array_equal(moved.degrees, full.degrees[order])
    for part in ("adjacency", "confidence"):
        dense = getattr(full, part).toarray()
        np.testing.assert_array_equal(getattr(moved, part).toarray(), dense[order][:, order])
    by_edge = [{moved.names[i], moved.names[j]} for i, j in moved.edges.tolist()]
    weights = dict(zip(map(frozenset, by_edge), moved.known.weights.tolist(), strict=True))
    ends = dict(zip(map(frozenset, EDGES), (1, 3, 4, 2), strict=True))
    assert weights == {pair: weight / 4 for pair, weight in ends.items()}
    assert moved.known.negatives.tolist() == [[0, 1]]
    back = moved.sorted()
    assert back.names == ("a", "b", "c", "d")
    history = back.known.history
    assert history.older.names == ("a", "b", "c", "d")
    assert history.found.tolist() == [[2, 3]]
    assert (history.elsewhere, history.new_nodes) == (0, 0)
    assert full.known.history.found.tolist() == [[0, 2]]  # d and c, as the older file has them
    assert back.sorted() is back
    with pytest.raises(InputError, match="all 4 nodes once each"):
        net.arranged([0, 1, 1, 3])
