"""What is known of a network beside its edges: confidences, known non-edges, releases."""

import pickle

import numpy as np
import pytest

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
