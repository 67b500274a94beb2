"""Lemmas `lem:recovery-label` and `lem:label-loss`, by all observations or many draws."""

import math
from itertools import product

import networkx as nx
import numpy as np
import pytest

from linkprior.errors import ParameterError
from linkprior.model.bounds import (
    expected_label_error,
    expected_squared_loss,
    gamma,
    gamma_weak,
    label_error,
    loss_minimiser,
    recovery_error,
)


def network(p, edges):
    dense = np.zeros((p, p))
    for i, j in edges:
        dense[i, j] = dense[j, i] = 1.0
    return dense


def all_observations(p, edges, rho):
    """Every Ω ⊆ E with its probability."""
    for mask in product((False, True), repeat=len(edges)):
        seen = [edge for edge, kept in zip(edges, mask, strict=True) if kept]
        yield network(p, seen), rho ** len(seen) * (1 - rho) ** (len(edges) - len(seen))


SMALL = {
    "path": (4, [(0, 1), (1, 2), (2, 3)]),
    "triangle and leaf": (4, [(0, 1), (0, 2), (1, 2), (2, 3)]),
    "star": (6, [(0, k) for k in range(1, 6)]),
}
RATES = [0.1, 0.5, 0.85]

# ---- Lemma `lem:recovery-label` ----------------------------------------------------------------


@pytest.mark.parametrize("rho", RATES)
@pytest.mark.parametrize("name", SMALL)
def test_label_error_of_a_fixed_X(name, rho):
    p, edges = SMALL[name]
    rng = np.random.default_rng(p)
    truth = network(p, edges)
    for q in (0.2, 0.5, 0.8):
        X = rng.random((p, p))
        mean = sum(w * label_error(X, seen, rho, q) for seen, w in all_observations(p, edges, rho))
        claimed = rho / 2 * recovery_error(X, truth, q) + rho * (1 - rho) * len(edges)
        assert mean == pytest.approx(claimed, rel=1e-12)


@pytest.mark.parametrize("rho", RATES)
def test_label_error_fails_when_X_depends_on_the_observation(rho):
    """X = Ω makes no error on Ω itself, yet misses (1−ρ) of the edges."""
    p, edges = SMALL["star"]
    truth, left, right = network(p, edges), 0.0, rho * (1 - rho) * len(edges)
    for seen, w in all_observations(p, edges, rho):
        left += w * label_error(seen, seen, rho, 0.5)
        right += w * rho / 2 * recovery_error(seen, truth, 0.5)
    assert left == 0
    assert right == pytest.approx(2 * rho * (1 - rho) * len(edges))


@pytest.mark.parametrize("rho", RATES)
def test_label_error_holds_again_on_a_second_observation(rho):
    p, edges = SMALL["triangle and leaf"]
    truth, left, right = network(p, edges), 0.0, rho * (1 - rho) * len(edges)
    for seen, w in all_observations(p, edges, rho):
        right += w * rho / 2 * recovery_error(seen, truth, 0.5)
        for other, v in all_observations(p, edges, rho):
            left += w * v * label_error(seen, other, rho, 0.5)
    assert left == pytest.approx(right, rel=1e-12)


@pytest.mark.parametrize("rho", RATES)
@pytest.mark.parametrize("seed", [0, 1])
def test_label_error_in_simulation(rho, seed):
    """1,500 draws of Ω from a random network: the mean lies within 4.5 standard errors."""
    rng = np.random.default_rng(seed)
    graph = nx.barabasi_albert_graph(40, 3, seed=seed)
    truth, edges = network(40, graph.edges), np.array(graph.edges)
    X, q, draws = rng.random((40, 40)), 0.7, []
    for _ in range(1500):
        seen = network(40, edges[rng.random(len(edges)) < rho])
        draws.append(label_error(X, seen, rho, q))
    claimed = rho / 2 * recovery_error(X, truth, q) + rho * (1 - rho) * len(edges)
    error = np.std(draws) / math.sqrt(len(draws))
    assert abs(np.mean(draws) - claimed) < 4.5 * error
    assert 4.5 * error < 0.05 * claimed  # narrow enough to catch a wrong constant


# ---- Lemma `lem:label-loss` --------------------------------------------------------------------

SCORES = np.linspace(0, 1, 401)
THRESHOLDS = [0.01, 0.1, 0.3, 0.5, 0.6, 0.66, 0.7, 0.8, 0.95]
SHARES = [0.02, 0.2, 0.5, 0.8, 0.98]


@pytest.mark.parametrize("edge", [False, True])
@pytest.mark.parametrize("rho", SHARES)
def test_expected_losses_are_the_average_over_the_observation(edge, rho):
    for x in (0.0, 0.3, 1.0):
        truth = [(0, 1)] if edge else []
        X, label, square = np.full((2, 2), x), 0.0, 0.0
        for seen, w in all_observations(2, truth, rho):
            there = seen[0, 1]
            label += w * label_error(X, seen, rho, 0.5) / 2
            square += w * (1 - rho / 2 if there else rho / 2) * (x - there) ** 2
        assert expected_label_error(x, edge, rho, 0.5) == pytest.approx(label)
        assert expected_squared_loss(x, edge, rho) == pytest.approx(square)


def excess_label_error(edge, rho, q):
    error = expected_label_error(SCORES, edge, rho, q)
    return error - min(error)  # both answers occur on the grid, so this is the least there is


@pytest.mark.parametrize("rho", SHARES)
@pytest.mark.parametrize("q", THRESHOLDS)
def test_weak_inequality_holds_entrywise(q, rho):
    for edge in (False, True):
        loss = expected_squared_loss(SCORES, edge, rho)
        assert (excess_label_error(edge, rho, q) <= gamma_weak(rho, q) * loss + 1e-12).all()


@pytest.mark.parametrize("rho", SHARES)
@pytest.mark.parametrize("q", THRESHOLDS)
def test_strong_inequality_holds_below_the_minimiser_only(q, rho):
    best = loss_minimiser(rho)
    for edge in (False, True):
        loss = expected_squared_loss(SCORES, edge, rho)
        least = expected_squared_loss(best if edge else 0.0, edge, rho)
        assert (loss >= least - 1e-15).all()
        if q < best:
            room = gamma(rho, q) * (loss - least)
            assert (excess_label_error(edge, rho, q) <= room + 1e-12).all()
        else:
            with pytest.raises(ParameterError, match="^q must be"):
                gamma(rho, q)


@pytest.mark.parametrize("rho", SHARES)
def test_strong_inequality_fails_from_the_minimiser_on(rho):
    """At x = (2−ρ)/(3−2ρ) ≤ q the excess loss is 0 and the edge is missed: no γ is enough."""
    x = loss_minimiser(rho)
    around = expected_squared_loss(np.linspace(0, 1, 2001), True, rho)
    assert expected_squared_loss(x, True, rho) <= around.min() + 1e-15
    for q in (x, (x + 1) / 2):
        missed = expected_label_error(x, True, rho, q) - expected_label_error(1.0, True, rho, q)
        assert missed == pytest.approx(rho / 2)


def test_strong_inequality_needs_the_unconstrained_minimum():
    """On the path 1–0–2 with S_H ≤ r the constrained minimiser of R_l misses an edge.

    r is what q⁺·E costs, so some X* in the set thresholds to E; yet with the constrained minimum
    on the right the inequality would read ρ ≤ 0. (x_12 = 0: it only costs.)
    """
    rho, q, d_cost = 0.5, 0.5, (2.0, 1 + math.log2(3))  # of the stronger and the weaker edge
    r = 0.51 * sum(d_cost)
    grid = np.linspace(0, 1, 1001)
    a, b = np.meshgrid(grid, grid, indexing="ij")
    allowed = d_cost[0] * np.maximum(a, b) + d_cost[1] * np.minimum(a, b) <= r + 1e-12
    loss = expected_squared_loss(a, True, rho) + expected_squared_loss(b, True, rho)
    at = np.unravel_index(np.argmin(np.where(allowed, loss, np.inf)), loss.shape)
    assert allowed[510, 510]
    assert min(a[at], b[at]) < q < max(a[at], b[at])
