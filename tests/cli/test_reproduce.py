"""`linkprior reproduce` from the outside, on a small network in the place of the paper's data."""

import json
import shutil

import pytest
from tests.cli.support import one_line_of_error

import linkprior as lp
from linkprior.experiments import reproduction as run_module
from linkprior.experiments.paper import EXPERIMENTS, Condition, Experiment

NET = lp.planted_network(n_nodes=60, n_groups=3, mean_degree=6, seed=5)


@pytest.fixture
def small(monkeypatch):
    condition = Condition("uniform-80", "uniform, 80 %", "uniform:0.8", lambda _: NET)
    for name in EXPERIMENTS:
        one = Experiment(name, f"the experiment {name}", "generated", (condition,))
        monkeypatch.setitem(EXPERIMENTS, name, one)


def test_one_experiment_leaves_its_files_and_prints_its_table(run, succeed, small, tmp_path):
    ask = ("reproduce", "plasmodium", "--quick", "--data", tmp_path, "-o", tmp_path / "out")
    out, err = succeed(*ask)
    assert "the experiment plasmodium" in out
    assert "Tri+Degree is" in out
    folder = tmp_path / "out" / "quick" / "plasmodium"
    files = {path.name for path in folder.iterdir()}
    assert {"results.json", "table.md", "numbers.tsv", "figure2.png", "figure2.svg"} <= files
    facts = json.loads((folder / "results.json").read_text())
    assert facts["care"]["seeds"] == 1
    assert "Default parameters, 1 seed." in err
    assert run(*ask, "-q") == (0, out, "")


@pytest.mark.at_length
def test_all_runs_all_three_and_again_takes_up_what_is_there(
    run, succeed, small, tmp_path, monkeypatch
):
    ask = ("reproduce", "all", "--quick", "--data", tmp_path, "-o", tmp_path / "out")
    out, _ = succeed(*ask)
    assert [name for name in EXPERIMENTS if f"the experiment {name}" in out] == list(EXPERIMENTS)
    monkeypatch.setattr("linkprior.evaluation.evaluate.evaluate_cell", None)
    assert run(*ask)[:2] == (0, out)


@pytest.mark.at_length
def test_a_page_of_all_three_is_written_where_it_is_asked_for(run, succeed, small, tmp_path):
    page = tmp_path / "out" / "paper.html"
    ask = ("reproduce", "all", "--quick", "--data", tmp_path, "-o", tmp_path / "out")
    _, err = succeed(*ask, "--report", page)
    assert "Wrote the page" in err
    text = page.read_text(encoding="utf-8")
    assert all(f"the experiment {name}" in text for name in EXPERIMENTS)
    refused = run(*ask, "--report", tmp_path / "none" / "paper.html")
    assert one_line_of_error(refused, "there is no folder")


@pytest.mark.at_length
def test_the_full_run_states_its_budget(succeed, small, tmp_path, monkeypatch):
    tiny = run_module.Care(seeds=1, trials=2, inner=2, auto=False, cheaper={"n_starts": 1})
    monkeypatch.setattr(run_module, "FULL", tiny)
    _, err = succeed("reproduce", "rat", "--data", tmp_path, "--trials", 2, "-o", tmp_path / "out")
    assert "every method tries 2 settings on edges hidden inside each training network (2×)" in err
    assert (tmp_path / "out" / "full" / "rat" / "results.json").exists()


@pytest.mark.at_length
def test_without_trials_every_method_keeps_its_defaults(succeed, small, tmp_path, monkeypatch):
    monkeypatch.setattr(run_module, "FULL", run_module.Care(seeds=2, auto=False))
    asked = ("reproduce", "rat", "--data", tmp_path, "--trials", 0, "-o", tmp_path / "out")
    _, err = succeed(*asked)
    assert "Default parameters, 2 seeds." in err
    facts = json.loads((tmp_path / "out" / "untuned" / "rat" / "results.json").read_text())
    for condition in facts["conditions"]:
        for seed, params in enumerate(condition["methods"]["Tri+Degree"]["params"]):
            assert params == lp.make("tri-degree", seed=seed).get_params()


def test_missing_data_are_one_line(run, tmp_path, monkeypatch):
    monkeypatch.delenv("LINKPRIOR_DATA", raising=False)
    for given, words in (((), "set LINKPRIOR_DATA"), (("--data", tmp_path), "no such file")):
        result = run("reproduce", "dream5", "--quick", *given, "-o", tmp_path / "out")
        assert one_line_of_error(result, words)


def test_all_looks_at_all_data_before_it_begins(run, small, tmp_path, monkeypatch):
    rat = EXPERIMENTS["rat"]
    empty = Condition("none", "none", "uniform:0.8", lambda _: lp.Network.from_edges([], "ab"))
    monkeypatch.setitem(EXPERIMENTS, "rat", Experiment("rat", rat.title, "", (empty,)))
    monkeypatch.setattr("linkprior.evaluation.evaluate.evaluate_cell", None)
    ask = ("reproduce", "all", "--quick", "--data", tmp_path, "-o", tmp_path / "out")
    assert one_line_of_error(run(*ask), "hold no edge")
    assert not (tmp_path / "out").exists()
    assert run("reproduce", "rat", "--data", tmp_path, "-o", "")[0] == 1


@pytest.mark.parametrize("content", ["my own", '{"a": 1}'])
@pytest.mark.parametrize("name", ["results.json", "table.md", "figure2.png"])
def test_files_of_somebody_else_are_refused_before_the_work(
    run, small, tmp_path, monkeypatch, name, content
):
    monkeypatch.setattr("linkprior.evaluation.evaluate.evaluate_cell", None)
    folder = tmp_path / "out" / "quick" / "plasmodium"
    folder.mkdir(parents=True)
    (folder / name).write_text(content)
    ask = ("reproduce", "plasmodium", "--quick", "--data", tmp_path, "-o", tmp_path / "out")
    assert one_line_of_error(run(*ask), f"plasmodium/{name} ")
    assert [path.name for path in folder.iterdir()] == [name]
    assert (folder / name).read_text() == content


@pytest.mark.at_length
def test_results_of_ours_without_their_cells_are_made_again(run, small, tmp_path):
    ask = ("reproduce", "plasmodium", "--quick", "--data", tmp_path, "-o", tmp_path / "out")
    assert run(*ask)[0] == 0
    folder = tmp_path / "out" / "quick" / "plasmodium"
    cell = next(folder.glob("cells/*/*/cells/*.json"))
    cell.write_text("{")
    assert one_line_of_error(run(*ask), cell.name, "remove it and run again")
    shutil.rmtree(folder / "cells")
    assert run(*ask)[0] == 0
