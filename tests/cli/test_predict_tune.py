"""`linkprior predict --tune N`: settings on hidden edges first, then the fit on all of them."""

import json
import os
import re
import signal
import time

import jsonschema
import pandas as pd
import pytest
from tests.cli.support import Job, change, data_of, manifest, one_line_of_error, table, write_edges

import linkprior as lp
from linkprior.evaluation.tuning.executor import Objective
from linkprior.pipeline.run_folder import SCHEMA

KATZ = ["--model", "katz", "--tune", 8, "--top", 15]
CHOSEN = re.compile(r"Tuned on 3 inner splits: auprc 0\.\d{4} → 0\.\d{4} with beta=0\.\d+ \(8 sett")


class Killed(BaseException):
    """What a test raises where a process would be killed."""


@pytest.fixture
def ask(edges, tmp_path):
    """A tuned prediction into a run folder."""
    return ["predict", edges, *KATZ, "-o", f"{tmp_path / 'run'}/"]


def result_of(folder):
    """All that must be the same bytes whether or not the command was interrupted."""
    names = ("ranking.tsv", "input_report.json", "study/best.json", "model/manifest.json")
    arrays = (folder / "model" / "arrays.safetensors").read_bytes()
    return [*((folder / name).read_bytes() for name in names), arrays, manifest(folder)["tuned"]]


# ---------------------------------------------------------------------- what comes out


def test_the_best_parameters_are_fitted_on_all_edges(succeed, edges):
    out, err = succeed("predict", edges, *KATZ)
    found = lp.tune("katz", lp.read_network(edges).sorted(), 8)
    assert found.best_params != lp.make("katz").get_params()
    expected = found.model.fit(lp.read_network(edges)).predict_edges(15)
    assert [tuple(row[1:3]) for row in table(out)[1]] == expected.names
    assert CHOSEN.search(err)
    assert f"{found.default_value:.4f} → {found.best_value:.4f}" in err
    assert "No -o DIR/ is given: the settings tried are not saved." in err


@pytest.mark.parametrize(
    ("model", "settings"),
    [
        ("tri-degree", {"n_starts": 1, "max_iter": 3}),
        ("degree:l3", {}),
        ("consensus:katz", {"resample": 0.1}),
    ],
)
def test_python_and_the_command_line_agree(run, edges, tmp_path, model, settings):
    folder = tmp_path / "run"
    given = [text for k, v in settings.items() for text in ("--set", f"{k}={v}")]
    asked = ["--model", model, "--tune", 4, "--seed", 2, "--top", 9, *given]
    assert run("predict", edges, *asked, "-o", f"{folder}/")[0] == 0
    links = lp.predict_links(edges, 9, model, 2, tune=4, **settings)
    again = lp.load_run(folder)
    assert again.tuned == links.attrs["tuned"]
    pd.testing.assert_frame_equal(again.ranking.to_frame()[["source", "target"]],
                                  links[["source", "target"]], check_dtype=False)  # fmt: skip
    chosen = again.model.get_params()
    assert {k: chosen[k] for k in again.tuned["best_params"]} == again.tuned["best_params"]
    assert {k: chosen[k] for k in settings} == settings


def test_where_nothing_is_better_the_models_own_parameters_stay(run, succeed, edges, monkeypatch):
    own = lp.make("katz").beta
    monkeypatch.setattr(Objective, "_score", lambda self, params, split: params["beta"] == own)
    out, err = succeed("predict", edges, *KATZ)
    said = "auprc 1.0000 with the model's own parameters, which stay (8 settings tried)"
    assert said in err
    assert out == run("predict", edges, "--model", "katz", "--top", 15)[1]


def test_own_parameters_that_cannot_be_fitted_are_no_gain(succeed, edges, monkeypatch):
    own = lp.make("katz").beta

    def score(self, params, split):
        if params["beta"] == own:
            raise lp.LinkpriorError("not with these")
        return 0.5

    monkeypatch.setattr(Objective, "_score", score)
    _, err = succeed("predict", edges, *KATZ)
    assert "inner splits: auprc 0.5000 with beta=" in err


def test_a_dry_run_counts_the_settings(succeed, edges, monkeypatch):
    monkeypatch.setattr(Objective, "_score", None)
    monkeypatch.setattr("linkprior.predictors.estimate.machine_factor", lambda: 1e6)
    hours = []
    for trials in (20, 200):
        asked = ["predict", edges, "--model", "katz", "--tune", trials, "--dry-run", "-q"]
        out, _ = succeed(*asked)
        assert f"katz on 53 nodes, after {trials} settings on 3 inner splits: about " in out
        hours.append(float(re.search(r"about ([\d.]+) hours", out)[1]))
    assert hours[1] > hours[0]


# ---------------------------------------------------------------------- what is refused


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["--model", "katz", "--set", "beta=0.1"], ["--tune searches beta: leave out --set beta="]),
        (["--model", "degree:l3", "--set", "c=2"], ["--tune searches c: leave out --set c=…, or"]),
        ([], ["auto has no parameter to tune", "leave --tune out", "tri-degree", "degree:NAME"]),
        (["--model", "l3"], ["l3 has no parameter to tune"]),
        (["--model", "consensus:l3"], ["consensus:l3 has no parameter to tune"]),
    ],
)
def test_what_cannot_be_tuned_is_one_line_before_anything_is_read(
    run, edges, tmp_path, arguments, expected
):
    result = run("predict", edges, "--tune", 3, *arguments, "-o", f"{tmp_path / 'run'}/")
    assert one_line_of_error(result, *expected)
    assert "Reading" not in result[2]
    assert not (tmp_path / "run").exists()


def test_too_few_edges_to_hide_some_are_reported_before_the_run_is_begun(run, tmp_path):
    path = tmp_path / "few.tsv"
    path.write_text("a\tb\nb\tc\nc\td\n")
    result = run("predict", path, *KATZ, "-o", f"{tmp_path / 'run'}/")
    assert one_line_of_error(result, "tuning hides a tenth of the training edges", "3 of 3 edges")
    assert not (tmp_path / "run").exists()


def test_a_study_of_somebody_else_is_in_the_way(run, ask, tmp_path):
    study = tmp_path / "run" / "study"
    run(*ask[:2], "--model", "katz", *ask[-2:])
    study.write_text("a file")
    assert one_line_of_error(run(*ask, "--force"), f"{study} is a file")
    study.unlink()
    study.mkdir()
    (study / "notes.txt").write_text("mine")
    assert one_line_of_error(run(*ask, "--force"), "holds other files (notes.txt)")
    assert lp.load_run(tmp_path / "run").tuned is None


# ---------------------------------------------------------------------- the run folder


def test_the_study_is_part_of_the_run(run, ask, edges, tmp_path):
    folder = tmp_path / "run"
    assert run(*ask)[0] == 0
    facts = manifest(folder)
    jsonschema.validate(facts, json.loads(SCHEMA.read_text()))
    asked = {"trials": 8, "metric": "auprc", "rule": "connected", "inner": 3, "seed": 0}
    assert facts["request"]["tune"] == asked
    assert facts["request"]["parameters"] == lp.make("katz").get_params()
    found = lp.tune("katz", lp.read_network(edges).sorted(), 8, study=folder / "study")
    assert facts["tuned"] == found.facts()
    assert set(facts["seconds"]) >= {"tuning", "fitting"}
    again = lp.load_run(folder)
    assert again.study == folder / "study"
    assert again.tuned["best_params"] == found.best_params
    assert again.model.get_params() == found.model.get_params()
    assert CHOSEN.search(again.log)


def test_the_same_command_again_tries_and_fits_nothing(run, succeed, ask, tmp_path, monkeypatch):
    run(*ask)
    first = result_of(tmp_path / "run")
    monkeypatch.setattr(Objective, "_score", None)
    monkeypatch.setattr("linkprior.predictors.paths.Katz._fit", None)
    _, err = succeed(*ask)
    assert "fitted before" in err
    assert CHOSEN.search(err)
    assert result_of(tmp_path / "run") == first


@pytest.mark.parametrize("at", [0, 4])
def test_a_run_broken_off_at_a_setting_goes_on_from_there(run, ask, tmp_path, monkeypatch, at):
    assert run(*ask[:-1], f"{tmp_path / 'whole'}/")[0] == 0
    folder, score, calls = tmp_path / "run", Objective._score, []

    def until(self, params, split):
        calls.append(params)
        if len(calls) == at + 1:
            raise Killed
        return score(self, params, split)

    monkeypatch.setattr(Objective, "_score", until)
    with pytest.raises(Killed):
        run(*ask)
    assert manifest(folder)["status"] == "incomplete"
    whole = {t["params"]["beta"] for t in settings_in(tmp_path / "whole")}
    done = len(settings_in(folder))
    assert run(*ask)[0] == 0
    assert len({one["beta"] for one in calls[at + 1 :]}) <= len(whole) - done
    assert result_of(folder) == result_of(tmp_path / "whole")


def settings_in(folder):
    """The settings that are finished in the journal of a run."""
    lines = (folder / "study" / "journal.log").read_text().splitlines()
    steps = [json.loads(line) for line in lines]
    ended = {step["trial_id"] for step in steps if step.get("state") in (1, 2)}
    begun = [step for step in steps if step["op_code"] == 4]
    return [step["user_attrs"] for number, step in enumerate(begun) if number in ended]


@pytest.mark.skipif(os.name != "posix", reason="signals as POSIX has them")
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT])
def test_a_killed_process_ends_with_the_same_bytes(run, tmp_path, number):
    edges = write_edges(tmp_path / "edges.tsv", lp.planted_network(60, seed=1))
    ask = ["predict", edges, "--model", "nuclear-degree", "--tune", 4, "-o"]
    folder = tmp_path / "run"
    job = Job(*ask, f"{folder}/")
    journal = folder / "study" / "journal.log"
    end = time.monotonic() + 60
    while not (journal.exists() and len(settings_in(folder)) >= 2):
        assert time.monotonic() < end
        assert job.process.poll() is None
        time.sleep(0.02)
    err = job.send(number)[2]
    assert not (folder / "study" / "best.json").exists()
    if number == signal.SIGINT:
        assert err[-1].endswith(
            f"tried and saved in {folder}/study; the same command resumes from there."
        )
    done = len(settings_in(folder))
    assert run(*ask, f"{folder}/")[0] == 0
    assert done >= 2
    assert run(*ask, f"{tmp_path / 'whole'}/")[0] == 0
    assert result_of(folder) == result_of(tmp_path / "whole")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (["--tune", 9], "(tune was 8, now 9)"),
        (["--seed", 3], "(tune seed was 0, now 3)"),
        (None, "tune was 8, now not set"),
    ],
)
def test_another_search_is_another_command(run, ask, tmp_path, change, said):
    run(*ask)
    folder, before = tmp_path / "run", result_of(tmp_path / "run")
    changed = [*ask, *change] if change else [*ask[:4], *ask[6:]]
    assert one_line_of_error(run(*changed), "holds another run", said, "--force")
    assert result_of(folder) == before
    assert run(*changed, "--force")[0] == 0
    again = lp.load_run(folder)
    if change is None:
        assert (again.tuned, (folder / "study").exists()) == (None, False)
    else:
        question = json.loads((folder / "study" / "study.json").read_text())
        assert question["seed"] == again.manifest["request"]["tune"]["seed"]
        assert len(settings_in(folder)) == again.tuned["trials"]


def test_a_search_where_there_was_none_is_another_command(run, ask, tmp_path):
    run(*ask[:4], *ask[6:])
    assert one_line_of_error(run(*ask), "holds another run (tune was not set, now 8)")


def test_files_of_others_in_the_study_stop_the_removal(run, ask, tmp_path):
    run(*ask)
    (tmp_path / "run" / "study" / "notes.txt").write_text("mine")
    before = result_of(tmp_path / "run")
    told = run(*ask, "--seed", 3, "--force")
    assert one_line_of_error(told, "study there holds notes.txt, which is not part of the run")
    assert result_of(tmp_path / "run") == before


def test_a_study_of_somebodys_own_is_not_removed_with_a_run(run, edges, tmp_path):
    folder = tmp_path / "run"
    run("predict", edges, "--model", "katz", "-o", f"{folder}/")
    lp.tune("katz", lp.read_network(edges), 2, study=folder / "study")
    assert run("predict", edges, "--model", "pa", "-o", f"{folder}/", "--force")[0] == 0
    assert (folder / "study" / "best.json").exists()
    assert lp.load_run(folder).study is None


def test_settings_of_another_version_are_not_mixed_with_ours(run, ask, tmp_path):
    run(*ask)
    folder = tmp_path / "run"
    facts = manifest(folder)
    facts["versions"]["linkprior"] = "0.0.1"
    (folder / "manifest.json").write_text(json.dumps(facts))
    told = run(*ask)
    assert one_line_of_error(told, f"tuned by linkprior 0.0.1, this is {lp.__version__}", "--force")
    assert run(*ask, "--force")[0] == 0
    assert lp.load_run(folder).tuned == facts["tuned"]


def test_a_model_with_other_parameters_than_were_chosen_is_fitted_again(run, ask, edges, tmp_path):
    run(*ask)
    folder, first = tmp_path / "run", result_of(tmp_path / "run")
    lp.make("katz").fit(lp.read_network(edges)).save(folder / "model")
    with pytest.raises(lp.LinkpriorError, match="it has other parameters"):
        lp.load_run(folder)
    assert run(*ask)[0] == 0
    assert result_of(folder) == first


@pytest.mark.parametrize("tuned", [3, {"best_params": 3}, {}])
def test_nonsense_in_place_of_what_was_tuned_is_one_line(run, ask, tmp_path, tuned):
    run(*ask)
    folder = tmp_path / "run"
    change(folder, tuned=tuned)
    assert one_line_of_error(run("report", folder), "it has other parameters")
    assert run(*ask)[0] == 0
    assert lp.load_run(folder).tuned["trials"] == 8


# ---------------------------------------------------------------------- the page


def test_the_page_shows_how_the_parameters_were_tuned(run, ask, tmp_path):
    folder = tmp_path / "run"
    assert run(*ask, "--report", tmp_path / "beside.html")[0] == 0
    assert run("report", folder)[0] == 0
    (part,) = data_of(folder / "report.html")["parts"]
    assert part["title"] == "How the parameters were tuned"
    tuned = manifest(folder)["tuned"]
    assert [tile[0] for tile in part["tiles"][:3]] == [
        f"{tuned['best_value']:.4f}",
        f"{tuned['default_value']:.4f}",
        "8",
    ]
    (best,) = [one for one in part["tables"] if one["id"] == "best-setting"]
    assert [row[:2] for row in best["rows"]] == [["beta", f"{tuned['best_params']['beta']:g}"]]
    assert data_of(tmp_path / "beside.html")["parts"] == [part]


def test_another_study_can_be_shown_in_its_place(run, ask, edges, tmp_path):
    run(*ask)
    lp.tune("lrw", lp.read_network(edges), 2, study=tmp_path / "other")
    page = tmp_path / "page.html"
    assert run("report", tmp_path / "run", "--study", tmp_path / "other", "-o", page)[0] == 0
    (part,) = data_of(page)["parts"]
    assert part["command"].startswith("linkprior predict EDGES --model lrw")


def test_a_study_that_is_gone_costs_its_section_alone(run, ask, tmp_path):
    run(*ask)
    for path in (tmp_path / "run" / "study").iterdir():
        path.unlink()
    assert run("report", tmp_path / "run")[0] == 0
    assert "parts" not in data_of(tmp_path / "run" / "report.html")
    assert run(*ask)[0] == 0
    assert (tmp_path / "run" / "study" / "best.json").exists()
