"""Pairs, ranking, parallel, checks, generator: the small rooms of the ground floor."""

import io
import itertools
import sys
import threading
import types

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from threadpoolctl import ThreadpoolController, threadpool_info

import linkprior as lp
from linkprior import _validation, parallel
from linkprior.errors import InputError, ParameterError, nearest
from linkprior.network import pairs
from linkprior.parallel import blas
from linkprior.ranking.ranking import Ranking


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


def test_ranking_as_table_and_text():
    ranking = Ranking(
        np.array([[0, 1], [1, 2]]),
        np.array([0.123456789, -1e-9]),
        ("a", 'b "q"\t', "c"),
        {"paths": np.array([3, 0])},
    )
    frame = ranking.to_frame()
    assert list(frame.columns) == ["rank", "source", "target", "score", "paths"]
    assert frame["rank"].tolist() == [1, 2]
    text = io.StringIO()
    ranking.write(text)
    assert text.getvalue().splitlines()[1] == '1\ta\t"b ""q""\t"\t0.123457\t3'
    assert (len(ranking), repr(ranking)) == (2, "Ranking(2 pairs)")


@pytest.mark.parametrize("workers", [1, 2, 5])
def test_map_blocks_keeps_order_and_covers_every_row(workers):
    with lp.use_workers(workers):
        found = list(parallel.map_blocks(lambda start, stop: (start, stop), 1000))
    assert found == parallel.blocks(1000)
    assert found[0][0] == 0
    assert found[-1][1] == 1000
    assert all(a[1] == b[0] for a, b in itertools.pairwise(found))


def test_an_error_in_a_task_comes_out():
    def task(n):
        if n == 3:
            raise ValueError("three")
        return n

    with pytest.raises(ValueError, match="three"):
        list(parallel.map_tasks(task, range(10), workers=2))


def test_workers_come_from_the_environment(monkeypatch):
    monkeypatch.setenv("LINKPRIOR_WORKERS", "3")
    assert parallel.current_workers() == 3
    with lp.use_workers(2), lp.use_workers(None):
        assert parallel.current_workers() == 2
    monkeypatch.setenv("LINKPRIOR_WORKERS", "many")
    with pytest.raises(ParameterError, match="LINKPRIOR_WORKERS must be a whole number"):
        parallel.current_workers()
    with pytest.raises(ParameterError, match="workers must be"), lp.use_workers(0):
        pass


def blas_threads():
    return {pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"}


def test_overlapping_users_share_the_blas_limit_and_the_last_restores_it():
    before = blas_threads()
    inside, leave = threading.Event(), threading.Event()

    def other():
        with parallel.one_blas_thread():
            inside.set()
            leave.wait(10)

    thread = threading.Thread(target=other)
    thread.start()
    assert inside.wait(10)
    with parallel.one_blas_thread():
        pass
    assert blas_threads() == {1}
    leave.set()
    thread.join()
    assert blas_threads() == before


def test_libraries_with_threads_are_looked_for_again_after_an_import(monkeypatch):
    looked = []

    class Counting(ThreadpoolController):
        def __init__(self):
            looked.append(len(sys.modules))
            super().__init__()

    monkeypatch.setattr("threadpoolctl.ThreadpoolController", Counting)
    for name in ("imported_first", "imported_first", "imported_second"):
        monkeypatch.setitem(sys.modules, name, types.ModuleType(name))
        with parallel.one_blas_thread():
            pass
    assert looked == [looked[0], looked[0] + 1]
    blas._libraries.cache_clear()  # what it holds belongs to modules that are gone now


@pytest.mark.parametrize("value", [0, 11, 2.0, True, None, "3"])
def test_whole_number_names_parameter_value_and_range(value):
    with pytest.raises(ParameterError, match=r"rank must be a whole number in 1…10, got"):
        _validation.whole_number("rank", value, 1, 10)


@pytest.mark.parametrize("value", [0.0, 1.0, np.nan, np.inf, "0.5", True, None])
def test_real_number_names_parameter_value_and_interval(value):
    with pytest.raises(ParameterError, match=r"rho must be a number in \(0, 1\), got"):
        _validation.real_number("rho", value, 0.0, 1.0)
    assert _validation.real_number("rho", np.float32(0.5), 0.0, 1.0) == 0.5


def test_choices_and_near_names():
    with pytest.raises(ParameterError, match="one of dual, mm, got 'duel'. Did you mean dual?"):
        _validation.choice("method", "duel", ["dual", "mm"])
    assert nearest("xyz", ["dual"]) == ""


def test_degrees_too_large_are_refused():
    with pytest.raises(ParameterError, match="degrees must be smaller"):
        _validation.degree_vector("degrees", [1e300])


def test_generated_network_has_the_wished_size_and_hubs():
    net = lp.planted_network(n_nodes=400, mean_degree=8, seed=5)
    assert abs(2 * net.n_edges / 400 - 8) < 1
    assert net.degrees.min() >= 1
    assert net.degrees.max() > 4 * net.degrees.mean()
    assert net.digest == lp.planted_network(n_nodes=400, mean_degree=8, seed=5).digest
    assert net.digest != lp.planted_network(n_nodes=400, mean_degree=8, seed=6).digest


# ---------------------------------------------------------------------- rewired networks


def test_rewiring_keeps_every_degree_and_hardly_any_edge():
    net = lp.planted_network(n_nodes=300, mean_degree=8, seed=1)
    rewired = lp.rewired_network(net, seed=3)
    assert (rewired.degrees == net.degrees).all()
    assert rewired.names == net.names
    assert rewired.n_edges == net.n_edges
    before, after = (set(map(tuple, n.edges.tolist())) for n in (net, rewired))
    assert len(before & after) < 0.3 * net.n_edges


def test_rewiring_is_drawn_by_its_seed():
    net = lp.planted_network(n_nodes=100, seed=1)
    one, again, other = (lp.rewired_network(net, seed=seed).digest for seed in (1, 1, 2))
    assert one == again
    assert one != other


def test_rewiring_reaches_every_network_of_its_degrees_about_as_often():
    """Degrees 2, 2, 2, 2, 2: the twelve rings of five nodes."""
    ring = lp.Network.from_edges([(i, (i + 1) % 5) for i in range(5)])
    found = [lp.rewired_network(ring, seed=seed).digest for seed in range(600)]
    counts = {digest: found.count(digest) for digest in found}
    assert len(counts) == 12
    assert max(counts.values()) < 100  # 50 expected, sd 6.8


@pytest.mark.parametrize(
    "edges", [[], [("a", "b")], [("a", "b"), ("b", "c"), ("c", "a")], [("a", "b"), ("a", "c")]]
)
def test_networks_that_cannot_be_rewired_stay_as_they_are(edges):
    net = lp.Network.from_edges(edges, nodes="abc")
    assert lp.rewired_network(net).digest == net.digest
