"""A small cluster on this machine, shared by the tests of a module."""

import contextlib
import logging

import pytest

import linkprior as lp

LEFT = []  # clusters that would not close: dask warns of one that is forgotten


def small_cluster(n_workers, **settings):
    """Processes of one thread each, reached from this machine only.

    Closing waits for no worker for ever: one that is being started anew may never answer.
    """
    distributed = pytest.importorskip(
        "distributed", reason="distributed is not installed (extra: dask)"
    )

    class Cluster(distributed.LocalCluster):
        def close(self, timeout=20):
            with contextlib.suppress(TimeoutError):
                return super().close(timeout)
            return LEFT.append(self)

    return Cluster(
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
