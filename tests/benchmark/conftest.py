"""A suite of tiny networks in the place of the real one."""

import pytest

import linkprior as lp
from linkprior.experiments import suite
from linkprior.experiments.suite import Case

NET = lp.planted_network(n_nodes=60, n_groups=3, mean_degree=6, seed=5)
OLDER = lp.Network.from_indices(NET.edges[::2], NET.names)
TINY = (
    Case("tiny 90 %", lambda _: NET, "uniform:0.9", 2, size=(60, NET.n_edges)),
    Case("folds", lambda _: NET, "kfold:5", 3, size=(60, NET.n_edges)),
    Case(
        *("older-newer", lambda _: OLDER, "release:newer", 1, "all-nodes", lambda _: NET),
        size=(5000, OLDER.n_edges),
    ),
)


@pytest.fixture
def tiny(monkeypatch):
    monkeypatch.setattr(suite, "SUITE", TINY)
    return TINY
