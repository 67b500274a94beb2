"""Estimates of time and memory: they grow with the work, and are said in words."""

from itertools import pairwise

import pytest

import linkprior as lp
from linkprior.predictors import cost as module
from linkprior.predictors.cost import Estimate, estimate, expected_bytes, spell


@pytest.fixture(autouse=True)
def same_machine(monkeypatch):
    """A machine as fast as the one efforts were measured on."""
    monkeypatch.setattr(module, "machine_factor", lambda: 1.0)


@pytest.fixture(scope="module")
def sizes():
    return [
        lp.large_network(n_nodes=n, mean_degree=14, n_groups=6, seed=1) for n in (400, 1200, 2900)
    ]


@pytest.mark.parametrize("name", ["tri-degree", "tri", "pu", "nuclear-degree", "pa", "l3"])
def test_larger_networks_take_more(name, sizes):
    told = [estimate(lp.make(name), net) for net in sizes]
    assert [e.n_nodes for e in told] == [net.n_nodes for net in sizes]
    for less, more in pairwise(told):
        assert less.seconds < more.seconds
        assert less.bytes < more.bytes


def test_more_starts_and_steps_take_more(sizes):
    few, many = (lp.make("tri-degree", n_starts=n) for n in (2, 10))
    assert estimate(few, sizes[0]).seconds < estimate(many, sizes[0]).seconds
    assert estimate(few, sizes[0]).bytes < estimate(many, sizes[0]).bytes


def test_matrices_of_all_pairs_are_counted(sizes):
    """ADMM holds four p × p arrays of float32 for each start that runs, none when streaming."""
    net = sizes[-1]
    for workers, at_once in [(1, 1), (2, 2), (16, 3)]:
        for name in ("tri-degree", "tri-l1"):
            with lp.use_workers(workers):
                dense, streamed = (
                    expected_bytes(lp.make(name, solver=solver, n_starts=3), net)
                    for solver in ("admm", "streaming")
                )
            assert dense - streamed > at_once * 13 * net.n_nodes**2
            assert dense - streamed < at_once * 24 * net.n_nodes**2


def test_more_threads_take_less_time(sizes):
    with lp.use_workers(1):
        alone = estimate(lp.make("tri"), sizes[-1]).seconds
    with lp.use_workers(2):
        assert estimate(lp.make("tri"), sizes[-1]).seconds < alone


def test_a_slow_machine_takes_longer(sizes, monkeypatch):
    quick = estimate(lp.make("tri"), sizes[0]).seconds
    monkeypatch.setattr(module, "machine_factor", lambda: 3.0)
    assert estimate(lp.make("tri"), sizes[0]).seconds == pytest.approx(3 * quick)


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (0.2, "about 1 second"),
        (7.4, "about 7 seconds"),
        (89, "about 89 seconds"),
        (91, "about 2 minutes"),
        (3600, "about 60 minutes"),
        (9000, "about 2.5 hours"),
    ],
)
def test_times_in_words(seconds, said):
    assert spell(seconds) == said


def test_the_estimate_in_words(sizes):
    told = Estimate("tri-degree", 8245, 95.0, 2.8e8)
    assert told.text(3_000_000_000) == (
        "tri-degree on 8245 nodes: about 2 minutes, about 0.28 GB of memory (3.0 GB are free)"
    )
    assert told.text(None).endswith("about 0.28 GB of memory")
    with lp.use_memory("2G"):
        assert told.text(2_000_000_000).endswith("of memory (the limit is 2.0 GB)")
    filed = Estimate("tri-degree", 8245, 95.0, 2.8e8, 1.2e9)
    assert filed.text(None).endswith("0.28 GB of memory, 1.2 GB of disk for a while")
