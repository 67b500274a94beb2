"""The loop under every solver: when it ends, and what it keeps."""

import numpy as np
import pytest

from linkprior.errors import LinkpriorError
from linkprior.solvers.base import Measure, Solution, settled, solve


class Told:
    """A solver whose state is the number of steps done, with objectives that are given."""

    def __init__(self, *objectives, primal=None, dual=None):
        self.objectives, self.primal, self.dual = objectives, primal, dual

    def init(self, rng):
        return 0

    def step(self, state):
        return state + 1

    def measure(self, state):
        last = self.objectives[min(state, len(self.objectives) - 1)]
        return Measure(last, self.primal, self.dual)


def run(solver, max_iter=20, tol=0.01):
    return solve(solver, np.random.default_rng(0), max_iter, tol)


def test_the_loop_ends_when_three_steps_in_a_row_changed_nothing():
    found = run(Told(9.0, 5.0, 4.0))
    assert (found.status, found.state, found.n_iter) == ("converged", 5, 5)
    assert [one.objective for one in found.history] == [9.0, 5.0, 4.0, 4.0, 4.0, 4.0]


def test_the_start_counts_as_a_value_that_may_stand_still():
    assert run(Told(7.0)).n_iter == 3


@pytest.mark.parametrize("most", [1, 2, 4])
def test_the_loop_ends_after_so_many_steps_at_most(most):
    found = run(Told(*range(100, 0, -1)), most)
    assert (found.status, found.state, found.n_iter) == ("max_iter", most, most)


def test_without_a_step_there_is_the_start():
    found = run(Told(3.0), 0)
    assert (found.status, found.state, found.n_iter) == ("max_iter", 0, 0)
    assert Solution(0, "max_iter").history == []


@pytest.mark.parametrize("bad", [np.inf, -np.inf, np.nan])
def test_an_objective_that_is_no_number_is_reported_with_its_step(bad):
    with pytest.raises(LinkpriorError, match="at step 2: try other parameters"):
        run(Told(9.0, 5.0, bad))


def measures(*objectives, primal=None, dual=None):
    return [Measure(one, primal, dual) for one in objectives]


@pytest.mark.parametrize(
    ("objectives", "still"),
    [
        ([4, 4, 4], False),
        ([4, 4, 4, 4], True),
        ([9, 4, 4, 4], False),
        ([9, 4, 4, 4, 4], True),
        ([4.04, 4.01, 4, 4.02], True),
        ([4.05, 4.01, 4, 4], False),  # more than one hundredth of the last
        ([-4.0, -4.0, -4.0, -4.03], True),
        ([-4.0, -4.0, -4.0, -4.05], False),
        ([0, 0, 0, 0], True),
        ([1e-9, 0, 0, 0], False),
    ],
)
def test_values_stand_still_within_a_share_of_the_last(objectives, still):
    assert settled(measures(*map(float, objectives)), 0.01) is still


@pytest.mark.parametrize(
    ("primal", "dual", "small"),
    [
        (None, None, True),
        (0.0, 0.0, True),
        (0.01, 0.01, True),
        (0.011, 0.0, False),
        (0.0, 0.011, False),
        (0.011, None, False),
        (None, 0.011, False),
        (None, 0.01, True),
    ],
)
def test_residuals_where_there_are_any_must_be_small_too(primal, dual, small):
    assert settled(measures(4.0, 4.0, 4.0, 4.0, primal=primal, dual=dual), 0.01) is small


@pytest.mark.parametrize("residual", ["primal", "dual"])
def test_only_the_last_residuals_count_and_patience_can_be_less(residual):
    large, small = measures(4.0, **{residual: 1.0}), measures(4.0, **{residual: 0.0})
    assert settled([*large, *large, *small], 0.01, patience=1)
    assert not settled([*small, *small, *large], 0.01, patience=1)
    assert not settled(small, 0.01, patience=1)
