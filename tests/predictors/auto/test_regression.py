"""The regression of the stack where it is hard: far from the start, with many rows."""

import numpy as np
import pytest

from linkprior.predictors.auto import regression
from linkprior.predictors.auto.regression import Regression


def rare(n=60_000, p=30, seed=0):
    """Few rows are 1, some that are not stand for thousands, and terms go together."""
    rng = np.random.default_rng(seed)
    base = rng.normal(size=(n, 3))
    X = (base @ rng.normal(size=(3, p)) + 0.3 * rng.normal(size=(n, p))).astype(np.float32)
    X[:, -1] = 1.0
    y = (rng.random(n) < 1 / (1 + np.exp(5 - 2 * base[:, 0]))).astype(float)
    weight = np.where((y == 0) & (rng.random(n) < 0.1), 2000.0, 1.0)
    precision = np.full(p, 15.0)
    precision[-1] = 0.1
    return Regression(X, y, weight, np.zeros(p), precision)


@pytest.mark.parametrize("size", [0.0, 30.0])
def test_the_minimum_is_found_from_a_bad_start_with_an_estimated_curvature(size):
    problem = rare()
    assert len(problem.X) > regression.ROWS
    start = size * np.random.default_rng(1).normal(size=len(problem.mean))
    beta, _ = problem.solve(start)
    value, slope, bend = problem.expanded(beta)
    exact = problem.curvature(bend, len(bend))
    assert slope @ np.linalg.solve(exact, slope) < 10 * regression.ENOUGH
    assert value < problem.expanded(np.zeros(len(beta)))[0]


def test_an_estimated_curvature_is_near_the_exact_one():
    problem = rare()
    beta, _ = problem.solve()
    bend = problem.expanded(beta)[2]
    estimate, exact = problem.curvature(bend), problem.curvature(bend, len(bend))
    ratio = np.linalg.eigvals(np.linalg.solve(exact, estimate)).real
    assert ratio.min() > 0.8
    assert ratio.max() < 1.25


def test_rounding_that_makes_a_curvature_singular_is_made_up_for():
    curvature = np.ones((3, 3)) + np.diag([0.0, 0.0, -1e-9])
    slope = np.array([1.0, 1.0, 1.0])
    step = regression.solved(curvature, slope)
    assert np.isfinite(step).all()
    assert slope @ step > 0
