"""Strategies that several properties share."""

import hypothesis.strategies as st
import numpy as np
from hypothesis import HealthCheck, settings

import linkprior as lp

by_example = settings(
    max_examples=60,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
few = settings(by_example, max_examples=25)

# Fractions of 16: sums and differences of a few are exact, and ties are frequent.
exact = st.integers(0, 64).map(lambda n: n / 16.0)


@st.composite
def networks(draw, least=1, nodes=(3, 12), names=None):
    """Small networks of any shape, isolated nodes among them."""
    p = draw(st.integers(*nodes))
    every = [(i, j) for i in range(p) for j in range(i + 1, p)]
    some = st.lists(st.sampled_from(every), min_size=least, max_size=40, unique=True)
    net = lp.Network.from_edges(draw(some), nodes=range(p))
    if names is None:
        return net
    return net.rename(draw(st.lists(names, min_size=p, max_size=p, unique=True)))


@st.composite
def vectors(draw, n, values=exact):
    return np.array(draw(st.lists(values, min_size=n, max_size=n)))


@st.composite
def symmetric(draw, p, values=exact):
    """A symmetric matrix with zeros on its diagonal."""
    half = draw(vectors(p * (p - 1) // 2, values))
    X = np.zeros((p, p))
    X[np.triu_indices(p, 1)] = half
    return X + X.T


def permuted(X, order):
    return X[np.ix_(order, order)]
