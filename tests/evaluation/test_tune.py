"""lp.tune: settings are judged on inner splits, and chosen by what was finished before them."""

import logging
import math
import os
import signal
import statistics
import subprocess
import sys
import time
import warnings

import numpy as np
import pytest
from sklearn.metrics import average_precision_score
from tests.evaluation.support import quick, same  # noqa: F401 – a fixture

import linkprior as lp
from linkprior import _progress as progress
from linkprior.errors import LinkpriorError, ParameterError
from linkprior.evaluation.splits import uniform
from linkprior.evaluation.tuning.executor import Objective
from linkprior.evaluation.tuning.search import SearchSpace, Tpe, Trial, best_of, floors_of
from linkprior.predictors.paths import Katz
from linkprior.predictors.registry import make

# ---------------------------------------------------------------------- what a value is


@pytest.mark.parametrize("rule", ["connected", "all-nodes"])
def test_a_value_is_the_mean_over_inner_splits_of_the_training_edges(planted, rule):
    found = lp.tune("katz", planted, 3, rule=rule, inner=2, seed=5, prune=False)
    i, j = np.triu_indices(planted.n_nodes, 1)
    for trial in found.trials:
        expected = []
        for seed in (5, 6):
            split = uniform(planted, 0.9, seed, rule)
            adjacency = split.train.adjacency.toarray()
            model = make("katz", beta=trial.params["beta"]).fit(split.train)
            open_ = split.eligible[i] & split.eligible[j] & (adjacency[i, j] == 0)
            hidden = planted.adjacency.toarray()[i, j] > adjacency[i, j]
            scores = model.score_rows(0, planted.n_nodes)[i, j]
            expected.append(average_precision_score(hidden[open_], scores[open_]))
        assert trial.scores == pytest.approx(expected, rel=1e-9)
        assert trial.value == pytest.approx(np.mean(expected))


def test_only_the_edges_handed_in_are_seen(planted, monkeypatch):
    seen, fit = [], Katz.fit
    monkeypatch.setattr(Katz, "fit", lambda self, net: (seen.append(net), fit(self, net))[1])
    lp.tune("katz", planted, 2, prune=False)
    assert len(seen) == 6
    for net in seen:
        assert net.names == planted.names
        assert net.n_edges == round(0.9 * planted.n_edges)
        assert (planted.adjacency - net.adjacency).min() >= 0


@pytest.mark.parametrize("sampler", ["tpe", "grid"])
def test_the_first_setting_is_the_model_as_given_and_the_best_is_no_worse(planted, sampler):
    model = make("tri", rank=3, rho=0.31, n_starts=1, max_iter=6)
    found = lp.tune(model, planted, 6, sampler=sampler)
    assert found.trials[0].params == {"rank": 3, "rho": 0.31, "max_iter": 6}
    assert found.best_value == max(t.value for t in found.trials if t.state == "complete")
    assert found.best_value >= found.default_value == found.trials[0].value
    assert found.model.get_params() == {**model.get_params(), **found.best_params}
    assert not found.model.fitted
    assert not model.fitted


def test_a_model_with_nothing_to_tune_returns_at_once(planted, monkeypatch):
    monkeypatch.setattr("linkprior.predictors.base.LinkPredictor.fit", None)
    found = lp.tune("l3", planted, 5)
    assert (found.best_params, found.trials) == ({}, [])
    assert math.isnan(found.best_value)
    assert found.model.name == "l3"
    assert lp.tune("katz", planted, fixed=["beta"]).best_params == {}
    assert len(found.to_frame()) == 0


# ---------------------------------------------------------------------- which settings


def test_same_seed_same_settings_other_seed_others(planted, quick):  # noqa: F811
    one, again, other = (lp.tune("tri-l1", planted, 20, seed=s) for s in (1, 1, 2))
    assert same(one, again)
    assert [t.params for t in one.trials[1:]] != [t.params for t in other.trials[1:]]


def test_a_grid_is_walked_once_in_random_order_and_then_ends(planted, quick):  # noqa: F811
    found = lp.tune("lrw", planted, 50, sampler="grid")
    steps = [t.params["steps"] for t in found.trials]
    assert steps[0] == 3
    assert sorted(steps) == [2, 3, 4, 5, 6, 8, 10]
    other = lp.tune("lrw", planted, 50, sampler="grid", seed=1)
    assert steps != [t.params["steps"] for t in other.trials]
    two = lp.tune("rnm", planted, 99, sampler="grid")
    grid = [type(make("rnm")).search_space[name].grid for name in ("noise", "threshold")]
    tried = {(t.params["noise"], t.params["threshold"]) for t in two.trials}
    assert tried == {(a, b) for a in grid[0] for b in grid[1]}
    assert len(two.trials) == 9


def test_failed_settings_change_nothing_for_those_after_them(planted):
    search_space = SearchSpace.of(make("katz"), planted)
    tried = [Trial(n, {"beta": 0.1 + n / 20}, "complete", (n % 5 / 5,)) for n in range(14)]
    failed = [Trial(14, {"beta": b}, "failed", s, "?") for b, s in ((0.9, ()), (0.2, (0.99,)))]
    batches = [Tpe(search_space, 0).batch([*tried, one], 4) for one in failed]
    assert batches[0] == batches[1]
    good = Trial(14, {"beta": 0.9}, "complete", (2.0,))
    assert Tpe(search_space, 0).batch([*tried, good], 4) != batches[0]


def test_parameters_tried_before_are_not_fitted_again(planted, monkeypatch):
    calls = []
    monkeypatch.setattr(Objective, "_score", lambda self, p, s: calls.append(p["steps"]) or 0.5)
    found = lp.tune("lrw", planted, 30, inner=2)
    assert len(found.trials) == 30
    assert len(calls) == 2 * len(set(calls))


# ---------------------------------------------------------------------- stopping early


def test_only_settings_below_the_median_are_stopped(planted, quick):  # noqa: F811
    """A grid's settings do not depend on results, so a whole run tells what pruning should do."""
    whole = lp.tune("tri-l1", planted, 40, sampler="grid", prune=False)
    pruned = lp.tune("tri-l1", planted, 40, sampler="grid", prune=True)
    complete = []
    for full, cut in zip(whole.trials, pruned.trials, strict=True):
        assert full.params == cut.params
        reached = 3
        for n in (1, 2):
            at = [statistics.fmean(t.scores[:n]) for t in complete]
            if len(at) >= 5 and statistics.fmean(full.scores[:n]) < statistics.median(at):
                reached = n
                break
        assert cut.scores == full.scores[:reached]
        assert cut.state == ("complete" if reached == 3 else "pruned")
        if reached == 3:
            complete.append(cut)
    states = [t.state for t in pruned.trials]
    assert states.count("pruned") > 5
    assert states.count("complete") > 5
    assert all(math.isnan(t.value) for t in pruned.trials if t.state == "pruned")


# ---------------------------------------------------------------------- keeping the defaults


def trial(number, *scores, state="complete"):
    return Trial(number, {"n": number}, state, scores)


def test_the_cautious_keep_the_defaults_unless_clearly_beaten():
    own = trial(0, 0.5, 0.6, 0.7)
    lucky = trial(1, 0.9, 0.5, 0.8)  # +.13 on average, with an sd of .25
    steady = trial(2, 0.55, 0.64, 0.76)  # +.05 with an sd of .01
    level = trial(3, 0.5, 0.6, 0.7)
    assert best_of([own, lucky, steady]).number == 1
    assert best_of([own, lucky, steady], cautious=True).number == 2
    assert best_of([own, lucky], cautious=True).number == 0
    assert best_of([own, level], cautious=True).number == 0
    failed = trial(0, state="failed")
    assert best_of([failed, lucky], cautious=True).number == 1
    assert best_of([trial(0, 0.5), trial(1, 0.9)], cautious=True).number == 0  # one split: no sd
    nowhere = trial(0, 0.5, math.nan, 0.7), trial(1, 0.6, math.nan, 0.81)
    assert best_of(nowhere, cautious=True).number == 1


def test_the_cautious_stop_what_falls_behind_the_defaults():
    own, worse = trial(0, 0.5, 0.7, 0.9), trial(1, 0.1, 0.1, 0.1)
    assert floors_of([own, worse], 3, cautious=True) == pytest.approx((0.5, 0.6))
    assert floors_of([trial(0, state="failed"), worse], 3, cautious=True) == ()
    assert floors_of([], 3, cautious=True) == ()


def test_a_cautious_search_keeps_the_defaults_unless_clearly_beaten(planted, quick):  # noqa: F811
    found = lp.tune("katz", planted, 12, cautious=True)
    gains = {
        t.number: np.subtract(t.scores, found.trials[0].scores)
        for t in found.trials[1:]
        if t.state == "complete"
    }
    clear = {n: g.mean() for n, g in gains.items() if g.mean() > g.std(ddof=1)}
    best = max(clear, key=clear.get, default=0)
    assert found.best_params == found.trials[best].params
    assert best != 0  # the hill of `quick` is not where the defaults are


# ---------------------------------------------------------------------- where they are tried


def test_threads_and_processes_give_the_same(planted):
    asked = {"trials": 9, "workers": 2, "seed": 4}
    threads = lp.tune("katz", planted, executor="threads", **asked)
    assert same(threads, lp.tune("katz", planted, executor="processes", **asked))


def test_threads_share_the_cores(planted, monkeypatch):
    seen = []
    monkeypatch.setattr(
        Objective, "_score", lambda *_: seen.append(lp.parallel.current_workers()) or 0.1
    )
    with lp.use_workers(6):
        lp.tune("katz", planted, 4, workers=3)
    assert set(seen) == {2}


@pytest.mark.skipif(not os.path.isdir("/proc/self/task"), reason="needs Linux' /proc")
def test_processes_end_with_the_one_that_started_them(tmp_path):
    code = (
        "import linkprior as lp\n"
        "if __name__ == '__main__':\n"
        "    net = lp.planted_network(700, seed=1)\n"
        "    lp.tune('nuclear-degree', net, workers=2, executor='processes')\n"
    )
    script = tmp_path / "script.py"
    script.write_text(code)
    parent = subprocess.Popen([sys.executable, script])
    try:
        workers = wait_for(lambda: spawned_by(parent.pid))
    finally:
        parent.send_signal(signal.SIGKILL)
        parent.wait()
    assert wait_for(lambda: not any(map(is_alive, workers)))


def spawned_by(pid):
    """The worker processes of a process, once both are there."""
    with open(f"/proc/{pid}/task/{pid}/children") as stream:
        found = [child for child in stream.read().split() if b"spawn_main" in words(child)]
    return found if len(found) == 2 else None


def words(pid):
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as stream:
            return stream.read()
    except OSError:
        return b""


def is_alive(pid):
    return b"spawn_main" in words(pid)


def wait_for(condition):
    for _ in range(600):
        if found := condition():
            return found
        time.sleep(0.1)
    raise AssertionError("waited in vain")


# ---------------------------------------------------------------------- what goes wrong


def test_a_setting_that_cannot_be_fitted_has_failed_and_the_search_goes_on(planted, monkeypatch):
    fit = Katz.fit

    def sometimes(self, net):
        if self.beta > 0.6:
            raise LinkpriorError("too much")
        return fit(self, net)

    monkeypatch.setattr(Katz, "fit", sometimes)
    found = lp.tune("katz", planted, 12)
    failed = [t for t in found.trials if t.state == "failed"]
    assert failed
    assert all(t.params["beta"] > 0.6 and t.note == "too much" for t in failed)
    assert len(found.trials) == 12
    assert found.best_params["beta"] <= 0.6
    assert found.to_frame()["note"].tolist().count("too much") == len(failed)


def test_when_all_fail_the_error_of_the_models_own_parameters_is_reported(planted, monkeypatch):
    def never(self, net):
        raise LinkpriorError(f"beta {self.beta} is wrong")

    monkeypatch.setattr(Katz, "fit", never)
    with pytest.raises(LinkpriorError, match="none of 3 settings of katz .*: beta 0.5 is wrong"):
        lp.tune("katz", planted, 3)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"model": "kats"}, "no model is called 'kats'. Did you mean katz"),
        ({"metric": "auprk"}, "no metric is called 'auprk'. Did you mean auprc"),
        ({"metric": "seconds"}, "seconds cannot be tuned for"),
        ({"metric": "spearman_degree"}, "spearman_degree cannot be tuned for"),
        ({"sampler": "luck"}, "sampler must be one of tpe, grid"),
        ({"executor": "thread"}, "executor must be one of .* Did you mean threads"),
        ({"rule": "some"}, "rule must be one of"),
        ({"trials": 0}, "trials must be"),
        ({"inner": 0}, "inner must be"),
        ({"workers": 0}, "workers must be"),
        ({"seed": -1}, "seed must be"),
        ({"fixed": ["gamma"]}, "katz has no parameter 'gamma'"),
        ({"model": make("katz", beta=2.0)}, "beta must be"),
        ({"metric": "recall@10/node:21+"}, "has nothing to measure on any inner split"),
    ],
)
def test_bad_questions_are_refused_before_anything_is_fitted(
    planted, monkeypatch, tmp_path, changes, message
):
    monkeypatch.setattr("linkprior.predictors.base.LinkPredictor.fit", None)
    small = planted if "21+" not in str(changes) else lp.planted_network(30, 2, 4, seed=1)
    folder = tmp_path / "study"
    with pytest.raises(ParameterError, match=message):
        lp.tune(**{"model": "katz", "net": small, "study": folder, **changes})
    assert not folder.exists()


def test_a_network_too_small_to_hide_a_tenth_of_is_refused():
    with pytest.raises(LinkpriorError, match="tuning hides a tenth of the training edges"):
        lp.tune("katz", [("a", "b"), ("b", "c")])


# ---------------------------------------------------------------------- what is told


@pytest.mark.parametrize(
    ("workers", "executor"),
    [
        (3, "threads"),
        pytest.param(1, "threads", marks=pytest.mark.at_length),
        pytest.param(2, "processes", marks=pytest.mark.at_length),
    ],
)
def test_progress_tells_the_best_so_far_and_reaches_the_end(planted, workers, executor):
    heard, model = [], make("tri", n_starts=1)  # which tells of its own fits, too
    with progress.listen(heard.append), progress.stage("all", 10):
        with progress.part(4):
            found = lp.tune(model, planted, 6, workers=workers, executor=executor)
        assert heard[-1].fraction == pytest.approx(0.4)
    fractions = [report.fraction for report in heard]
    assert executor == "processes" or len(set(fractions)) > 6 * 3  # within fits as well
    assert fractions == sorted(fractions)
    names = {report.name for report in heard}
    assert "tuning tri: 0 of 6" in names
    done = 6 - workers if workers < 6 else 0
    best = max(t.value for t in found.trials[:done] if t.state == "complete")
    assert f"tuning tri: best auprc {best:.4g} after {done} of 6" in names
    assert not any("fitting" in name for name in names)


def test_importances_share_out_what_made_settings_differ(planted, monkeypatch):
    monkeypatch.setattr(Objective, "_score", lambda self, p, s: -abs(np.log(p["noise"])))
    found = lp.tune("rnm", planted, 25, prune=False)
    shares = found.importances()
    assert list(shares) == ["noise", "threshold"]
    assert shares["noise"] > 0.9
    assert sum(shares.values()) == pytest.approx(1.0)
    assert lp.tune("rnm", planted, 5).importances() == {}


def test_what_optuna_logs_and_warns_stays_inside_and_its_settings_stay_as_they_were(planted, capfd):
    import optuna

    before = optuna.logging.get_verbosity()
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        lp.tune("katz", planted, 3, workers=2)
    assert not seen
    assert optuna.logging.get_verbosity() == before != logging.ERROR
    assert capfd.readouterr() == ("", "")


def test_a_notebook_shows_the_best_settings(planted, quick):  # noqa: F811
    shown = lp.tune("katz", planted, 4)._repr_html_()
    assert "Tuning of katz by auprc" in shown
    assert "beta" in shown


def test_one_inner_split_cannot_be_cautious(planted):
    with pytest.raises(ParameterError, match="two inner splits"):
        lp.tune("katz", planted, 3, inner=1, cautious=True)
