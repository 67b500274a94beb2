"""A small cluster on this machine, shared by the tests of a module."""

import logging

import pytest

import linkprior as lp


def small_cluster(n_workers, **settings):
    """Processes of one thread each, reached from this machine only."""
    distributed = pytest.importorskip(
        "distributed", reason="distributed is not installed (extra: dask)"
    )
    return distributed.LocalCluster(
        n_workers=n_workers,
        threads_per_worker=1,
        host="127.0.0.1",
        dashboard_address="127.0.0.1:0",
        memory_limit=None,
        silence_logs=logging.CRITICAL,
        **settings,
    )


@pytest.fixture(scope="module")
def cluster():
    with small_cluster(2) as two:
        yield two


@pytest.fixture(scope="module")
def net():
    """Large enough for compiled kernels and for four row blocks."""
    network = lp.planted_network(n_nodes=300, seed=1)
    assert len(lp.parallel.blocks(network.n_nodes)) == 4
    return network
