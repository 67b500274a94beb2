"""Local peers against networkx over all non-edges, and whole scoring passes of a large network.

networkx scores one pair at a time and would take minutes for all: it gets every 40th non-edge, and
its time is multiplied. Ours is a fit and a ranking of all non-edges, so that it does more. With
LINKPRIOR_DATA set the networks are a yeast interactome and HuRI, else generated ones of their size.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from benchmarks import data
from benchmarks.timing import side_by_side
from linkprior.io.read import read_network
from linkprior.network import Network
from linkprior.network.generate import planted_network
from linkprior.parallel import use_workers
from linkprior.predictors.registry import make

EVERY = 40  # networkx is given one non-edge in so many
TOP = 100
PASSES = ("cn", "ra", "jaccard", "random", "lrw", "katz")


def load_networks() -> tuple[str, Network, Network]:
    """Return what they are, a small network and a large one."""
    folder = data.folder()
    if folder is None:
        small, large = planted_network(1966, mean_degree=2.8), planted_network(8245)
        return "generated", small, large
    path = folder / "ppi-challenge2023"
    return "yeast, HuRI", read_network(path / "Yeast.csv"), read_network(path / "HuRI.csv.gz")


def others() -> dict[str, Callable[[Any, Any], Any]]:
    """Return networkx's functions by our names; its common neighbours have one more term, off."""
    import networkx as nx

    return {
        "pa": nx.preferential_attachment,
        "cn": lambda graph, pairs: nx.common_neighbor_centrality(graph, pairs, alpha=1.0),
        "aa": nx.adamic_adar_index,
        "ra": nx.resource_allocation_index,
        "jaccard": nx.jaccard_coefficient,
    }


def against_networkx(net: Network) -> Iterator[str]:
    """Yield one line per peer, after checking that both give the same scores."""
    import networkx as nx

    graph = nx.from_scipy_sparse_array(net.adjacency)
    pairs = list(nx.non_edges(graph))[::EVERY]
    for name, other in others().items():
        model = make(name).fit(net)
        theirs = [score for _, _, score in other(graph, pairs)]
        same = np.allclose(model.score_pairs(pairs), theirs, rtol=1e-9)
        tasks = [
            lambda name=name: make(name).fit(net).predict_edges(TOP),
            lambda other=other: list(other(graph, pairs)),
        ]
        with use_workers(1):
            ours, slow = side_by_side(tasks, repeats=3)
        slow *= net.n_non_edges / len(pairs)
        yield f"{name:8}{ours:14.3f}{slow:14.1f}{slow / ours:11.0f}×   same scores: {same}"


def passes(net: Network) -> Iterator[str]:
    """Yield one line per peer: a fit and a ranking of all pairs."""
    for name in PASSES:
        took = []
        for workers in (1, 2):
            with use_workers(workers):
                began = time.perf_counter()
                make(name).fit(net).predict_edges(TOP)
                took.append(time.perf_counter() - began)
        yield f"{name:8}{took[0]:14.2f}{took[1]:14.2f}"


def run() -> Iterator[str]:
    """Yield the lines to print."""
    label, small, large = load_networks()
    make("pa").fit(small).predict_edges(1)  # compiles the kernels, before any clock runs
    yield (
        f"peers ({label}): {small.n_nodes} nodes, all {small.n_non_edges} non-edges; networkx "
        f"measured on every {EVERY}th, one thread (goal: ≥ 50×)"
    )
    yield "model    linkprior s    networkx s      ratio"
    yield from against_networkx(small)
    yield f"whole passes: {large.n_nodes} nodes, {large.n_edges} edges (goal: ra ≤ 5 s on two)"
    yield "model      1 thread s   2 threads s"
    yield from passes(large)
