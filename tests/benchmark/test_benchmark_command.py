"""`linkprior benchmark` from the outside, on tiny networks in the place of the suite."""

import pytest
from tests.cli.support import one_line_of_error

FILES = {"tables.md", "results.tsv", "mean_ranks.svg", "scaling.svg"}


def names_in(folder):
    return {path.name for path in folder.iterdir() if path.is_file()}


def test_a_run_leaves_cells_tables_and_pictures_and_goes_on(run, tiny, tmp_path, monkeypatch):
    ask = ("benchmark", "--models", "pa,l3,random", "--data", tmp_path, "-o", tmp_path / "out")
    status, out, err = run(*ask)
    assert status == 0
    assert "auprc on 3 networks, 18 cells" in out
    assert "folds, split 2: 3 models evaluated" in err
    assert names_in(tmp_path / "out") == FILES
    before = {name: (tmp_path / "out" / name).read_bytes() for name in FILES}
    monkeypatch.setattr("linkprior.evaluation.evaluate.evaluate_cell", None)
    assert run(*ask)[:2] == (0, out)
    monkeypatch.delenv("LINKPRIOR_DATA", raising=False)
    status, again, _ = run("benchmark", "--tables", "-o", tmp_path / "out")
    assert (status, again) == (0, out)
    assert {name: (tmp_path / "out" / name).read_bytes() for name in FILES} == before


def test_quick_and_tuned_cells_are_kept_apart(run, tiny, tmp_path):
    common = ("--models", "pa,katz", "--data", tmp_path, "-o", tmp_path / "out")
    assert run("benchmark", "--quick", *common)[0] == 0
    quick = tmp_path / "out" / "quick"
    assert sorted(path.name for path in quick.glob("*/*.json")) == [
        *("0-katz.json", "0-katz.json", "0-pa.json", "0-pa.json"),
    ]
    assert not (quick / "older-newer").exists()  # said to have 5000 nodes
    assert run("benchmark", "tiny_90_pc", "--trials", 2, *common)[0] == 0
    assert (tmp_path / "out" / "tuned-2" / "tiny_90_pc" / "1-katz.json").exists()
    tables = (tmp_path / "out" / "tuned-2" / "tables.md").read_text()
    assert "every model tuned with 2 settings" in tables


def test_quiet_prints_the_summary_alone(run, tiny, tmp_path):
    common = ("--models", "pa", "--data", tmp_path, "-o", tmp_path / "out")
    status, out, err = run("benchmark", "tiny_90_pc", "-q", *common)
    assert (status, err) == (0, "")
    assert out.startswith("auprc on 1 network")


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        (["--models", "l4"], "Did you mean l3"),
        (["--models", ","], "names no model"),
        (["fold"], "Did you mean folds"),
        (["-o", ""], "-o expects the name of a folder"),
        ([], "set LINKPRIOR_DATA"),
        (["--data", "nowhere"], "nowhere: no such folder"),
    ],
)
def test_what_is_wrong_is_one_line(run, tiny, tmp_path, monkeypatch, asked, words):
    monkeypatch.delenv("LINKPRIOR_DATA", raising=False)
    monkeypatch.chdir(tmp_path)
    status, out, err = run("benchmark", *asked)
    assert (status, out) == (1, "")
    assert words in err.splitlines()[-1]
    assert "Traceback" not in err
    assert list(tmp_path.iterdir()) == []


def test_a_file_in_the_place_of_the_folder_is_seen_before_anything_is_fitted(run, tiny, tmp_path):
    (tmp_path / "taken").write_text("")
    ask = ("benchmark", "--data", tmp_path, "-o", tmp_path / "taken" / "out")
    status, _, err = run(*ask)
    assert status == 1
    assert "is a file; give a new folder" in err.splitlines()[-1]


@pytest.mark.parametrize(
    "asked", [["--quick", "--trials", "3"], ["--tables", "USAir"], ["--tables", "--models", "pa"]]
)
def test_what_does_not_go_together_is_wrong_usage(run, asked):
    assert run("benchmark", *asked)[0] == 2


def test_tables_of_an_empty_folder_say_so(run, tmp_path):
    status, out, err = run("benchmark", "--tables", "-o", tmp_path / "none")
    assert (status, out) == (1, "")
    assert "holds no finished cell: run the benchmark first" in err


def test_peers_without_their_library_are_left_out_in_one_line(run, tiny, tmp_path, monkeypatch):
    monkeypatch.setattr("linkprior.experiments.models.find_spec", lambda name: None)
    common = ("--data", tmp_path, "-o", tmp_path / "out")
    ask = ("benchmark", "tiny_90_pc", "--models", "pa,node2vec", *common)
    status, _, err = run(*ask)
    assert status == 0
    assert "left out, their library is not installed: node2vec (`pip install" in err
    status, _, err = run("benchmark", "--models", "node2vec", *common)
    assert status == 1
    assert "their library is not installed" in err.splitlines()[-1]


@pytest.mark.parametrize("name", sorted(FILES))
def test_files_of_somebody_else_are_refused_before_the_work(run, tiny, tmp_path, monkeypatch, name):
    monkeypatch.setattr("linkprior.evaluation.evaluate.evaluate_cell", None)
    (tmp_path / "out" / "quick").mkdir(parents=True)
    (tmp_path / "out" / "quick" / name).write_text("my own")
    ask = ("benchmark", "--quick", "--models", "pa", "--data", tmp_path, "-o", tmp_path / "out")
    assert one_line_of_error(run(*ask), f"quick/{name} is not from a benchmark", "another folder")
    assert [path.name for path in (tmp_path / "out" / "quick").iterdir()] == [name]
    assert (tmp_path / "out" / "quick" / name).read_text() == "my own"


def test_other_json_next_to_the_cells_is_left_alone(run, tiny, tmp_path):
    (tmp_path / "out" / "notes").mkdir(parents=True)
    (tmp_path / "out" / "notes" / "x.json").write_text('{"a": 1}')
    ask = ("benchmark", "tiny_90_pc", "--models", "pa", "--data", tmp_path, "-o", tmp_path / "out")
    assert run(*ask)[0] == 0
    assert run(*ask)[0] == 0  # tables of ours are made anew
    assert run("report", tmp_path / "out")[0] == 0
    assert (tmp_path / "out" / "notes" / "x.json").read_text() == '{"a": 1}'


def test_a_cell_that_is_not_whole_is_reported_before_the_work(run, tiny, tmp_path, monkeypatch):
    monkeypatch.setattr("linkprior.evaluation.evaluate.evaluate_cell", None)
    (tmp_path / "folds").mkdir()
    (tmp_path / "folds" / "2-l3.json").write_text('{"a": 1}')
    ask = ("benchmark", "tiny_90_pc", "--models", "pa", "--data", tmp_path, "-o", tmp_path)
    assert one_line_of_error(run(*ask), "2-l3.json does not hold a complete result", "remove it")
