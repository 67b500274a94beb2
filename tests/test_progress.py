"""Progress: fractions, the time left, threads, and that a fit does all it promised."""

import threading
import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import linkprior as lp
from linkprior import _progress as progress
from linkprior import parallel
from linkprior.model.losses import SquaredLoss
from linkprior.predictors.cost import cost_of
from linkprior.solvers.base import solve
from linkprior.solvers.direct import DirectSolver


class Clock:
    """A clock that goes when it is told to."""

    def __init__(self):
        self.now = 100.0

    def __call__(self):
        return self.now


@pytest.fixture
def heard():
    """Reports, in the order they came."""
    return []


def fractions(reports):
    return [report.fraction for report in reports]


# ---------------------------------------------------------------------- fractions


def test_without_a_listener_stages_do_nothing():
    with progress.stage("work", 3) as outer, progress.part(1) as inner:
        outer.advance()
        inner.advance(7)
    assert outer is inner is progress.stage("other")


def test_advancing_moves_the_fraction(heard):
    with progress.listen(heard.append), progress.stage("work", 4) as work:
        work.advance()
        work.advance(2)
    assert fractions(heard) == [0.0, 0.25, 0.75, 1.0]
    assert {report.name for report in heard} == {"work"}
    assert [report.ended for report in heard] == [False, False, False, True]


def test_a_stage_in_a_part_counts_in_units_of_its_own(heard):
    with progress.listen(heard.append), progress.stage("work", 10):
        with progress.part(8), progress.stage("", 4) as steps:
            steps.advance()
            assert heard[-1].fraction == pytest.approx(0.2)
            steps.advance(2)
            assert heard[-1].fraction == pytest.approx(0.6)
        assert heard[-1].fraction == pytest.approx(0.8)


def test_what_ends_early_jumps_to_its_end(heard):
    with progress.listen(heard.append), progress.stage("work", 2):
        with progress.part(1), progress.stage("", 1000) as steps:
            steps.advance()
        assert heard[-1].fraction == pytest.approx(0.5)


def test_a_stage_without_total_has_no_fraction_but_fills_its_part(heard):
    with progress.listen(heard.append):
        with progress.stage("reading") as reading:
            reading.advance()
        assert fractions(heard) == [None, None, None]
        with progress.stage("work", 2):
            with progress.part(1), progress.stage("counting"):
                pass
            assert heard[-1].fraction == pytest.approx(0.5)


def test_a_stage_goes_by_its_own_name_or_by_the_one_around_it(heard):
    with progress.listen(heard.append), progress.stage("work", 2) as work:
        with progress.part(1), progress.stage("sorting", 1) as sorting:
            sorting.advance()
        work.advance()
    assert [report.name for report in heard] == [
        *("work", "sorting", "sorting", "sorting", "work", "work", "work")
    ]


def test_a_listener_that_raises_stops_the_work():
    def enough(report):
        if report.fraction and report.fraction > 0.5:
            raise InterruptedError

    steps = []

    def work():
        with progress.listen(enough), progress.stage("work", 4) as stage:
            for number in range(4):
                stage.advance()
                steps.append(number)

    with pytest.raises(InterruptedError):
        work()
    assert steps == [0, 1]


TREES = st.recursive(
    st.lists(st.floats(0.0, 5.0), max_size=4),
    lambda inner: st.lists(st.tuples(st.floats(0.0, 5.0), inner), max_size=4),
    max_leaves=12,
)


def work_on(tree, total):
    """Open a stage of `total` units and spend them as the tree says, too few or too many."""
    with progress.stage("", total) as here:
        for item in tree:
            if isinstance(item, tuple):
                with progress.part(item[0]):
                    work_on(item[1], 3.0)
            else:
                here.advance(item)


@given(TREES, st.one_of(st.none(), st.floats(0.0, 20.0)))
def test_the_fraction_never_falls_and_ends_at_one(tree, total):
    heard = []
    with progress.listen(heard.append):
        work_on(tree, total)
    known = [fraction for fraction in fractions(heard) if fraction is not None]
    assert all(0.0 <= fraction <= 1.0 for fraction in known)
    assert known == sorted(known)
    assert not known or known[-1] == pytest.approx(1.0)


# ---------------------------------------------------------------------- the time left


def advance_at(clock, stage, seconds, times):
    for _ in range(times):
        clock.now += seconds
        stage.advance()


def test_at_an_even_pace_the_time_left_is_exact(heard):
    clock = Clock()
    with progress.listen(heard.append, clock), progress.stage("work", 200) as work:
        for done in range(1, 201):
            advance_at(clock, work, 0.5, 1)
            if done > 10:
                assert heard[-1].left == pytest.approx(0.5 * (200 - done))
                assert heard[-1].elapsed == pytest.approx(0.5 * done)


def test_a_long_beginning_is_forgotten(heard):
    """Compiling before the first step, or during the second, says nothing of the steps to come."""
    clock = Clock()
    with progress.listen(heard.append, clock), progress.stage("work", 200) as work:
        advance_at(clock, work, 30.0, 2)
        advance_at(clock, work, 0.5, 100)
        assert heard[-1].left == pytest.approx(0.5 * 98)


def test_a_standstill_makes_the_time_left_longer():
    clock = Clock()
    with progress.listen(lambda _: None, clock) as watch, progress.stage("work", 10) as work:
        advance_at(clock, work, 1.0, 5)
        before = watch.report().left
        clock.now += 20.0
        assert watch.report().left > before + 10.0


def test_nothing_is_said_of_the_time_left_before_anything_moves(heard):
    with progress.listen(heard.append) as watch:
        assert watch.report() is None
        with progress.stage("work", 10):
            assert watch.report().left is None
        assert watch.report() is None
    assert heard[0].left is None


# ---------------------------------------------------------------------- threads


@pytest.mark.parametrize("workers", [1, 3])
def test_parts_in_other_threads_add_up(heard, workers):
    def task(units):
        with progress.part(units), progress.stage("", 5) as steps:
            for _ in range(5):
                steps.advance()
        return units

    with progress.listen(heard.append), progress.stage("work", 36):
        assert list(parallel.map_tasks(task, range(9), workers)) == list(range(9))
        assert heard[-1].fraction == pytest.approx(1.0)
    assert {report.name for report in heard} == {"work"}
    assert fractions(heard) == sorted(fractions(heard))


def test_calls_of_the_listener_never_overlap():
    busy, overlaps = threading.Lock(), []

    def slow(_):
        overlaps.append(not busy.acquire(blocking=False))
        time.sleep(0.001)
        busy.release()

    def task(_):
        with progress.part(1):
            pass

    with progress.listen(slow), progress.stage("work", 40):
        list(parallel.map_tasks(task, range(40), 4))
    assert len(overlaps) > 40
    assert not any(overlaps)


@pytest.mark.parametrize("workers", [1, 2])
def test_mapping_over_items_can_be_a_stage(heard, workers):
    with progress.listen(heard.append), progress.stage("work", 2):
        with progress.part(1):
            list(parallel.map_tasks(abs, range(4), workers, stage="counting"))
        assert heard[-1].fraction == pytest.approx(0.5)
    assert [r.fraction for r in heard if r.name == "counting"] == pytest.approx(
        [0.0, 0.125, 0.25, 0.375, 0.5, 0.5]
    )


def test_a_mapping_that_is_given_up_ends_its_stage(heard):
    with progress.listen(heard.append):
        results = parallel.map_tasks(abs, range(100), 2, stage="counting")
        next(results)
        results.close()
    assert heard[-1].ended


def test_tasks_see_the_context_of_their_caller():
    with parallel.use_workers(3):
        seen = list(parallel.map_tasks(lambda _: parallel.current_workers(), range(6), 2))
    assert seen == [3] * 6


# ---------------------------------------------------------------------- what is promised is done


def test_a_solver_tells_of_every_step(planted, heard):
    solver = DirectSolver(planted, SquaredLoss(0.2), 3)
    with progress.listen(heard.append):
        solve(solver, np.random.default_rng(0), 7, 0.0)
    seen = sorted(set(fractions(heard)))
    np.testing.assert_allclose(seen, np.arange(9) / 8)  # the start counts like a step


def test_a_solver_that_settles_early_jumps_to_the_end(planted, heard):
    solver = DirectSolver(planted, SquaredLoss(0.2), 3)
    with progress.listen(heard.append):
        fit = solve(solver, np.random.default_rng(0), 500, 1e-2)
    assert fit.n_iter < 250
    assert heard[-2].fraction < 0.5
    assert heard[-1].fraction == 1.0


FITS = [
    ("tri-degree", {"solver": "admm"}),
    ("tri-degree", {"solver": "admm", "rank_by": "x"}),
    ("tri-degree", {"solver": "streaming"}),
    ("tri-degree", {"solver": "streaming", "average": "scores"}),
    ("tri-degree", {"solver": "streaming", "warmup": 0}),
    ("tri-degree", {"rank_by": "factors"}),
    ("tri-degree", {"weights": "learned"}),
    ("tri", {}),
    ("tri-l1", {"solver": "streaming"}),
    ("tri-scale", {"solver": "admm"}),
    ("pu", {"tol": 0.0}),
]


@pytest.mark.parametrize("workers", [1, 2, 8])
@pytest.mark.parametrize(("name", "params"), FITS)
def test_the_parts_of_a_fit_add_up_to_its_total(planted, heard, name, params, workers):
    """The last report before the end: all parts are done, and nothing is left to jump over."""
    model = lp.make(name, **{"n_starts": 3, "max_iter": 5, "tol": 0.0, "rank": 4, **params})
    with parallel.use_workers(workers), progress.listen(heard.append):
        model.fit(planted)
    assert heard[0].name == f"fitting {name}"
    assert heard[-2].fraction == pytest.approx(1.0)
    assert fractions(heard) == sorted(fractions(heard))
    largest_step = np.diff(fractions(heard)).max()
    assert largest_step < 0.35


@pytest.mark.parametrize("name", ["tri-degree", "pu", "l3"])
def test_listening_changes_no_result(planted, name):
    def ranking():
        return lp.make(name).fit(planted).predict_edges(50)

    alone = ranking()
    with progress.listen(lambda _: None):
        watched = ranking()
    np.testing.assert_array_equal(alone.pairs, watched.pairs)
    np.testing.assert_array_equal(alone.scores, watched.scores)


def test_ranking_pairs_is_a_stage(planted, heard):
    model = lp.make("pa").fit(planted)
    with progress.listen(heard.append):
        model.predict_edges(10)
    assert {report.name for report in heard} == {"ranking pairs"}
    assert heard[-1].ended


def test_an_evaluation_reports_the_model_it_evaluates(planted, heard):
    with progress.listen(heard.append):
        lp.evaluate(["pa", "l3"], planted, repeats=2)
    names = list(dict.fromkeys(report.name for report in heard))
    evaluated = [name for name in names if name.startswith("evaluating ")]
    assert evaluated == ["evaluating pa", "evaluating l3"]
    assert fractions(heard) == sorted(fractions(heard))
    assert heard[-1].fraction == pytest.approx(1.0)


# ---------------------------------------------------------------------- efforts


def test_effort_refuses_what_a_fit_refuses(planted):
    with pytest.raises(lp.LinkpriorError, match="max_iter must be"):
        cost_of(lp.make("tri-degree", max_iter="many"), planted)


def test_a_network_without_edges_is_no_effort():
    net = lp.Network.from_edges([], nodes=["a", "b"])
    assert cost_of(lp.make("tri-degree"), net).fit == 0.0
