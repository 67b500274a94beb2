"""Studies in folders: killed anywhere, they end with the same best; other questions are refused."""

import json
import logging
import random
import re

import pytest
from tests.evaluation.support import made_up, quick, same  # noqa: F401 – a fixture

import linkprior as lp
from linkprior.errors import StoreError
from linkprior.evaluation.tuning.executor import EXECUTORS, Objective
from linkprior.evaluation.tuning.study import mend
from linkprior.evaluation.tuning.tune import Tuning

OTHER = lp.planted_network(50, seed=9)
ASKED = {"trials": 14, "seed": 3, "workers": 3}


class Killed(BaseException):
    """What a test raises where a process would be killed."""


@pytest.fixture
def undisturbed(planted, quick):  # noqa: F811
    return lp.tune("rnm", planted, **ASKED)


def test_a_study_holds_its_question_a_journal_and_the_best(planted, undisturbed, tmp_path):
    folder = tmp_path / "new" / "study"
    found = lp.tune("rnm", planted, study=folder, **ASKED)
    assert same(found, undisturbed)
    names = sorted(p.name for p in folder.iterdir() if not p.name.startswith("."))
    assert names == ["best.json", "journal.log", "study.json"]
    question = json.loads((folder / "study.json").read_text())
    assert (question["linkprior"], question["model"]) == (lp.__version__, "rnm")
    assert question["network"] == planted.digest
    assert question["params"] == {"noise": 3.0, "threshold": 0.95}
    best = json.loads((folder / "best.json").read_text())
    assert best["best_params"] == found.best_params
    assert best["value"] == found.best_value
    assert best["params"] == found.model.get_params()


def test_a_finished_study_is_only_read(planted, undisturbed, tmp_path, monkeypatch):
    lp.tune("rnm", planted, study=tmp_path, **ASKED)
    journal = (tmp_path / "journal.log").read_bytes()
    monkeypatch.setattr(Objective, "_score", None)
    assert same(lp.tune("rnm", planted, study=tmp_path, **ASKED), undisturbed)
    assert (tmp_path / "journal.log").read_bytes() == journal


@pytest.mark.parametrize("first", [1, 4, 7])
def test_more_trials_go_on_as_if_they_had_been_asked_for_at_once(
    planted, undisturbed, tmp_path, first
):
    lp.tune("rnm", planted, study=tmp_path, **{**ASKED, "trials": first})
    assert same(lp.tune("rnm", planted, study=tmp_path, **ASKED), undisturbed)


def test_the_journal_is_one_of_optuna(planted, undisturbed, tmp_path):
    from optuna import load_study
    from optuna.storages import JournalStorage
    from optuna.storages.journal import JournalFileBackend
    from optuna.trial import TrialState

    lp.tune("rnm", planted, study=tmp_path, **ASKED)
    storage = JournalStorage(JournalFileBackend(str(tmp_path / "journal.log")))
    study = load_study(study_name="linkprior", storage=storage)
    complete = [t for t in study.trials if t.state == TrialState.COMPLETE]
    assert max(t.value for t in complete) == undisturbed.best_value
    states = {t.user_attrs["setting"]: t.state.name.lower() for t in study.trials}
    assert states == {t.number: t.state for t in undisturbed.trials}


# ---------------------------------------------------------------------- killed


@pytest.mark.parametrize("at", range(0, 40, 8))
def test_the_same_best_wherever_it_stopped(planted, undisturbed, tmp_path, monkeypatch, at, caplog):
    calls = []

    def until(self, params, split):
        calls.append(params)
        if len(calls) == at + 1:
            raise Killed
        return made_up(self, params, split)

    with monkeypatch.context() as m:
        m.setattr(Objective, "_score", until)
        try:
            lp.tune("rnm", planted, study=tmp_path, **ASKED)
        except Killed:
            assert not (tmp_path / "best.json").exists()
    with caplog.at_level(logging.INFO, "linkprior"):
        assert same(lp.tune("rnm", planted, study=tmp_path, **ASKED), undisturbed)
    if len(calls) == at + 1:
        lines = [r.message for r in caplog.records if "last time" in r.message]
        assert len(lines) == 1
        assert re.search(r": [123] settings? not finished last time", lines[0])
    caplog.clear()
    with caplog.at_level(logging.INFO, "linkprior"):
        lp.tune("rnm", planted, study=tmp_path, **ASKED)
    assert not caplog.records  # reaped once, not again


def test_the_same_best_after_the_journal_was_cut_anywhere(planted, undisturbed, tmp_path):
    """A kill may come between any two bytes that are written."""
    whole = tmp_path / "whole"
    lp.tune("rnm", planted, study=whole, **ASKED)
    journal, question = ((whole / n).read_bytes() for n in ("journal.log", "study.json"))
    places = random.Random(1).sample(range(len(journal)), 5)
    for place in [0, 1, len(journal) - 1, *places]:
        folder = tmp_path / f"cut-{place}"
        folder.mkdir()
        (folder / "study.json").write_bytes(question)
        (folder / "journal.log").write_bytes(journal[:place])
        assert same(lp.tune("rnm", planted, study=folder, **ASKED), undisturbed)
        assert same(lp.tune("rnm", planted, study=folder, **ASKED), undisturbed)


def test_a_line_cut_off_is_removed_and_nothing_else(tmp_path):
    path = tmp_path / "journal.log"
    for kept, torn in [(b'{"a":1}\n', b'{"b"'), (b'{"a":1}\n', b"\0\0\n"), (b"", b"{"), (b"", b"")]:
        path.write_bytes(kept + torn)
        assert mend(path) == bool(torn)
        assert path.read_bytes() == kept
    path.write_bytes(b'{"a":1}\n{"b"\n{"c":1}\n')
    with pytest.raises(StoreError, match=r"journal\.log:2: expected a line of JSON"):
        mend(path)
    assert not mend(tmp_path / "none.log")


# ---------------------------------------------------------------------- refused


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"net": OTHER}, f"a study of other data: the digest .*{OTHER.digest[:12]}"),
        ({"seed": 1}, "seed is 0 there and 1 here"),
        ({"metric": "ndcg"}, "metric is 'auprc' there and 'ndcg' here"),
        ({"rule": "all-nodes"}, "rule is 'connected' there"),
        ({"inner": 2}, "inner is 3 there and 2 here"),
        ({"sampler": "grid"}, "sampler is 'tpe' there and 'grid' here"),
        ({"workers": 2}, "workers is 1 there and 2 here"),
        ({"prune": False}, "prune is True there and False here"),
        ({"cautious": True}, "cautious is False there and True here"),
        ({"model": lp.make("rnm", noise=2.0)}, r"params noise is 3\.0 there and 2\.0 here"),
        ({"fixed": ["noise"]}, "searched noise is .* there and None here"),
        ({"model": "katz"}, "model is 'rnm' there and 'katz' here"),
    ],
)
def test_another_configuration_is_refused_and_what_differs_is_reported(
    planted,
    tmp_path,
    quick,  # noqa: F811
    changes,
    message,
):
    asked = {"model": "rnm", "net": planted, "trials": 2, "study": tmp_path}
    lp.tune(**asked)
    with pytest.raises(StoreError, match=message):
        lp.tune(**{**asked, **changes})


def test_the_executor_is_no_part_of_the_question(planted):
    one, other = (Tuning(lp.make("katz"), planted, 2, executor=e) for e in EXECUTORS)
    assert one.question() == other.question()


def test_folders_that_are_no_study_are_left_alone(planted, tmp_path):
    (tmp_path / "mine.txt").write_text("mine")
    with pytest.raises(StoreError, match=r"holds other files \(mine\.txt\) and no study\.json"):
        lp.tune("katz", planted, 1, study=tmp_path)
    assert [p.name for p in tmp_path.iterdir()] == ["mine.txt"]
    with pytest.raises(StoreError, match="is a file; a study needs a folder"):
        lp.tune("katz", planted, 1, study=tmp_path / "mine.txt")
    (tmp_path / "study.json").write_text('{"network": "abc"}')
    with pytest.raises(StoreError, match="not the folder of a tuning study"):
        lp.tune("katz", planted, 1, study=tmp_path)
    (tmp_path / "study.json").write_text("{")
    with pytest.raises(StoreError, match=r"study\.json cannot be read"):
        lp.tune("katz", planted, 1, study=tmp_path)


def test_two_at_once_are_refused(planted, tmp_path, monkeypatch):
    pytest.importorskip("fcntl")

    def inner(self, params, split):
        with pytest.raises(StoreError, match="another process is at work on this study"):
            lp.tune("katz", planted, 1, study=tmp_path)
        return 0.5

    monkeypatch.setattr(Objective, "_score", inner)
    assert lp.tune("katz", planted, 1, study=tmp_path).best_value == 0.5


def test_a_journal_of_something_else_is_refused(planted, tmp_path, quick):  # noqa: F811
    lp.tune("katz", planted, 1, study=tmp_path)
    (tmp_path / "journal.log").write_text('{"some": "line"}\n')
    with pytest.raises(StoreError, match=r"journal\.log is not the journal of a study"):
        lp.tune("katz", planted, 1, study=tmp_path)


def test_another_optuna_is_reported_not_refused(planted, tmp_path, quick, caplog):  # noqa: F811
    lp.tune("katz", planted, 1, study=tmp_path)
    path = tmp_path / "study.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "optuna": "0.1"}))
    with caplog.at_level(logging.INFO, "linkprior"):
        assert len(lp.tune("katz", planted, 2, study=tmp_path).trials) == 2
    assert "was begun with optuna 0.1" in caplog.text
