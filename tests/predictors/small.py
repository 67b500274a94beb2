"""Small random networks, and models that take no time on them."""

from itertools import combinations

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

import linkprior as lp

SMALL = {"rank": 2, "n_starts": 1, "warmup": 3, "max_iter": 2}
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
