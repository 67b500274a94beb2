"""`--force` and what others put into a run folder: its own files are removed, and nothing else."""

import json
import os

import pytest

import linkprior as lp
from linkprior.pipeline import run_folder

SAID = "Taking up the"


def manifest(folder):
    return json.loads((folder / "manifest.json").read_text())


def change(folder, **facts):
    (folder / "manifest.json").write_text(json.dumps(manifest(folder) | facts))


def force(run, ask):
    return run(*ask[:2], "--model", "pa", *ask[4:], "--force")


def refused(result, *said):
    status, _, err = result
    last = err.splitlines()[-1]
    assert (status, "Traceback" in err) == (1, False)
    for text in said:
        assert text in last


def test_files_of_others_beside_the_model_stop_the_removal(run, ask, folder):
    (folder / "model" / "notes.txt").write_text("mine")
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    refused(force(run, ask), "notes.txt", "not of the run", "another folder")
    assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == before
    (folder / "model" / "notes.txt").unlink()
    assert force(run, ask)[0] == 0
    assert lp.load_run(folder).model.name == "pa"


@pytest.mark.parametrize("kind", ["link", "file"])
def test_a_model_that_is_no_folder_of_ours_stops_the_removal(run, ask, folder, kind):
    (folder / "model").rename(folder.parent / "kept")
    if kind == "link":
        (folder / "model").symlink_to(folder.parent / "kept")
    else:
        (folder / "model").write_text("mine")
    before = (folder / "ranking.tsv").read_bytes()
    refused(force(run, ask), "model there is no folder of ours")
    assert (folder / "ranking.tsv").read_bytes() == before
    assert lp.load(folder.parent / "kept").name == "l3"


def test_a_model_that_cannot_be_removed_is_an_error(run, ask, folder, monkeypatch):
    def fail(self, *_, **__):
        raise PermissionError(13, "Permission denied", str(self))

    with monkeypatch.context() as patch:
        patch.setattr("pathlib.Path.rmdir", fail)
        refused(force(run, ask), "no permission")
    status, _, err = force(run, ask)
    assert (status, SAID in err) == (0, False)
    assert lp.load_run(folder).model.name == "pa"


def test_a_read_only_model_is_replaced(run, ask, folder):
    (folder / "model").chmod(0o555)
    assert force(run, ask)[0] == 0
    assert lp.load_run(folder).model.name == "pa"


@pytest.mark.parametrize("name", ["a\0b", "..", ".", "model", "mine.txt", "", "../mine.txt"])
def test_names_that_we_do_not_give_are_nothing_to_remove(run, ask, folder, name):
    for mine in (folder / "mine.txt", folder.parent / "mine.txt"):
        mine.write_text("mine")
    facts = manifest(folder)
    change(folder, files={**facts["files"], name: "0" * 64})
    assert force(run, ask)[0] == 0
    assert (folder / "mine.txt").read_text() == (folder.parent / "mine.txt").read_text() == "mine"
    assert lp.load_run(folder).model.name == "pa"


@pytest.mark.parametrize("format", ["a\0b", "../../mine.txt", 3, ["tsv"], None, "csv.d/../x"])
def test_a_format_that_we_do_not_write_is_nothing_to_remove(run, ask, folder, format):
    change(folder, request={**manifest(folder)["request"], "format": format})
    assert force(run, ask)[0] == 0
    assert lp.load_run(folder).model.name == "pa"


def test_a_ranking_that_a_run_cut_off_has_not_listed_is_removed(run, ask, folder):
    request = {**manifest(folder)["request"], "format": "CSV"}
    change(folder, request=request, files={}, status="incomplete")
    for name in ("ranking.csv", "ranking.sif"):
        (folder / name).write_text("of somebody")
    assert force(run, ask)[0] == 0
    assert not (folder / "ranking.csv").exists()
    assert (folder / "ranking.sif").exists(), "neither listed nor asked for"


@pytest.mark.parametrize("name", ["log.txt", "ranking.tsv", "input_report.json"])
@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir])
def test_what_is_no_plain_file_is_refused_before_anything_is_removed(run, ask, folder, name, make):
    (folder / name).unlink()
    make(folder / name)
    before = sorted(folder.rglob("*"))
    for asked in (run(*ask), force(run, ask)):
        refused(asked, name, "is no plain file")
    assert sorted(folder.rglob("*")) == before


def test_a_model_that_could_not_be_kept_is_told_before_the_fit(run, ask, folder, monkeypatch):
    (folder / "model" / "notes.txt").write_text("mine")
    (folder / "model" / "manifest.json").write_text("{")
    monkeypatch.setattr("linkprior.predictors.paths.L3._fit", lambda *_: 1 / 0)
    refused(run(*ask), "is not a saved model")


def test_the_files_of_a_run_are_those_of_the_table(folder):
    assert {path.name for path in folder.iterdir()} == {
        *(run_folder.REPORT, run_folder.LOG, run_folder.MODEL),
        *("manifest.json", "ranking.tsv"),
    }
