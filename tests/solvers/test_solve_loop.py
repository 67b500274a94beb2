"""The loop under every solver: when it ends, what it keeps; and products in parts of rows."""

import numpy as np
import pytest

import linkprior as lp
from linkprior import parallel
from linkprior.errors import LinkpriorError
from linkprior.model import edge_products
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
def test_an_objective_that_is_no_number_is_told_with_its_step(bad):
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


# ---------------------------------------------------------------------- products in parts


@pytest.mark.parametrize(
    ("entries", "workers", "parts"),
    [(60, 2, 1), (40, 2, 1), (30, 2, 2), (30, 1, 1), (20, 3, 3), (11, 2, 5)],
)
def test_rows_are_cut_where_there_is_work_for_two_threads(monkeypatch, entries, workers, parts):
    """A ring of 30 nodes has 60 stored entries, two in each row."""
    net = lp.Network.from_edges([(node, (node + 1) % 30) for node in range(30)])
    ends = net.evidence.pattern.indptr
    assert ends[-1] == 60
    monkeypatch.setattr(edge_products, "_ENTRIES", entries)
    asked = []

    def work(rows):
        asked.append((rows.start, rows.stop))
        return np.arange(rows.start, rows.stop)

    with parallel.use_workers(workers):
        found = edge_products._in_parts(work, np.empty(0), net)
    assert found.tolist() == list(range(30))
    asked.sort()
    assert len(asked) == parts
    assert asked[0][0] == 0
    assert asked[-1][1] == 30
    sizes = [stop - start for start, stop in asked]
    assert max(sizes) - min(sizes) <= 1


def test_parts_have_as_many_entries_each_whatever_the_number_of_rows(monkeypatch):
    """The last row of a star holds a half of all entries."""
    names = [str(node) for node in range(21)]
    net = lp.Network.from_indices(np.array([(leaf, 20) for leaf in range(20)]), names)
    monkeypatch.setattr(edge_products, "_ENTRIES", 20)
    asked = []
    with parallel.use_workers(2):
        edge_products._in_parts(lambda rows: asked.append(rows) or np.empty(0), np.empty(0), net)
    assert sorted((rows.start, rows.stop) for rows in asked) == [(0, 20), (20, 21)]


def test_what_is_no_array_of_numpy_is_worked_out_at_once(monkeypatch):
    net = lp.Network.from_edges([(node, (node + 1) % 30) for node in range(30)])
    monkeypatch.setattr(edge_products, "_ENTRIES", 2)
    asked = []
    with parallel.use_workers(2):
        edge_products._in_parts(asked.append, [1.0], net)
    assert asked == [slice(0, 30)]
