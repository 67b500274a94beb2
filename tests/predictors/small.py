"""Small random networks, and models that take no time on them."""

from itertools import combinations

import numpy as np
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

import linkprior as lp

SMALL = {"rank": 2, "n_starts": 1, "warmup": 3, "max_iter": 2}
MODELS = {
    "pa": ("pa", {}),
    "l3": ("l3", {}),
    "tri": ("tri", {"rank": 2, "n_starts": 1, "max_iter": 3}),
    "dense": ("tri-degree", SMALL),
    "sketch": ("tri-degree", {**SMALL, "solver": "streaming"}),
}
slowly = settings(
    deadline=None,
    max_examples=30,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


@st.composite
def networks(draw, largest=12):
    """Small networks with at least one edge, often with isolated nodes and several components."""
    p = draw(st.integers(2, largest))
    names = [f"n{number}" for number in range(100, 100 + p)]
    every = list(combinations(names, 2))
    edges = draw(st.lists(st.sampled_from(every), min_size=1, max_size=3 * p))
    return lp.Network.from_edges(edges, nodes=names)


def build(key):
    name, params = MODELS[key]
    return lp.make(name, **params)


def all_scores(model):
    return model.score_rows(0, model.network_.n_nodes)


def every_pair(net):
    return np.stack(np.triu_indices(net.n_nodes, 1), axis=1)


def non_edges(net):
    pairs = every_pair(net)
    return pairs[net.adjacency.toarray()[tuple(pairs.T)] == 0]
