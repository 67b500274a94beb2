"""Pipes, devices, folders and endless files in the places of what a command kept: one line each."""

import contextlib
import os
import shutil
import signal

import pytest

import linkprior as lp
from linkprior.benchmark import writing as benchmark
from linkprior.cli.report import data_of
from linkprior.errors import LinkpriorError, StoreError
from linkprior.evaluation import writing as evaluation
from linkprior.evaluation.split_files import written_digest
from linkprior.evaluation.tuning.journal import mend
from linkprior.io import kept
from linkprior.reproduction import writing as reproduction

READ = [
    *("run/manifest.json", "run/log.txt", "run/model/manifest.json"),
    *("run/model/arrays.safetensors", "study/journal.log"),
]


@pytest.fixture(autouse=True)
def no_waiting():
    """Whoever waits for a pipe is torn away from it, lest the tests hang."""

    def give_up(*_):
        raise AssertionError("still waiting for a pipe")

    before = signal.signal(signal.SIGALRM, give_up)
    signal.alarm(60)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


@pytest.fixture
def folders(results, tmp_path):
    """Copies of the folders of results."""
    for folder in results:
        shutil.copytree(folder, tmp_path / folder.name)
    return tmp_path


ODD = {
    "pipe": os.mkfifo,
    "device": lambda path: path.symlink_to("/dev/null"),  # /dev/zero would never end
    "folder": lambda path: path.mkdir(),
}


@pytest.mark.parametrize("file", READ)
@pytest.mark.parametrize("kind", ODD)
def test_what_is_no_plain_file_is_refused(folders, file, kind):
    (folders / file).unlink()
    ODD[kind](folders / file)
    with pytest.raises(LinkpriorError) as told:
        data_of(folders / file.partition("/")[0])
    assert "\n" not in str(told.value)
    if file != "run/manifest.json":  # a folder without one is none of a run
        assert f"{folders / file} is no plain file" in str(told.value)


@pytest.mark.parametrize("kind", ODD)
def test_a_pipe_for_any_other_file_makes_nobody_wait(folders, kind):
    for path in sorted(path for path in folders.rglob("*") if path.is_file()):
        whole = path.read_bytes()
        path.unlink()
        ODD[kind](path)
        with contextlib.suppress(LinkpriorError):
            data_of(folders / path.relative_to(folders).parts[0])
        path.rmdir() if kind == "folder" else path.unlink()
        path.write_bytes(whole)


@pytest.mark.parametrize("file", ["run/manifest.json", "run/model/manifest.json", "run/log.txt"])
def test_a_file_without_end_is_refused_unread(folders, file):
    os.truncate(folders / file, kept.MOST_TEXT + 1)
    with pytest.raises(StoreError, match="is larger than 500 MB") as told:
        lp.load_run(folders / "run")
    assert str(folders / file) in str(told.value)


def test_a_run_whose_manifest_is_a_pipe_is_refused(folders):
    (folders / "run" / "manifest.json").unlink()
    os.mkfifo(folders / "run" / "manifest.json")
    with pytest.raises(StoreError, match="is no plain file"):
        lp.load_run(folders / "run")


@pytest.mark.parametrize("look", [mend, written_digest])
def test_a_journal_or_split_that_is_a_pipe_is_refused(tmp_path, look):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(StoreError, match="is no plain file"):
        look(tmp_path / "pipe")


WRITTEN = {
    "evaluation": (evaluation.FILES, ("evaluate", "edges.tsv", "--models", "cn,l3", "-o")),
    "study": (["best.json"], ("tune", "edges.tsv", "--model", "lrw", "--trials", 2, "--study")),
    "run": (["report.html"], ("report",)),
}


@pytest.mark.parametrize("folder", WRITTEN)
@pytest.mark.parametrize("kind", ODD)
def test_nobody_waits_for_a_reader_of_what_is_written(
    folders, results, run, monkeypatch, kind, folder
):
    monkeypatch.chdir(folders)
    shutil.copy(results[0].parent / "edges.tsv", folders)
    names, command = WRITTEN[folder]
    for path in (folders / folder / name for name in names):
        before = path.read_bytes() if path.exists() else None
        path.unlink(missing_ok=True)
        ODD[kind](path)
        status, out, err = run(*command, folder)
        assert (status, out) == (1, "")
        said = "is a folder" if (kind, folder) == ("folder", "run") else "is no plain file"
        assert f"{path.relative_to(folders)} {said}" in err.splitlines()[-1].replace(": is", " is")
        path.rmdir() if kind == "folder" else path.unlink()
        if before is not None:
            path.write_bytes(before)


@pytest.mark.parametrize("kind", ODD)
def test_nobody_waits_for_a_reader_of_tables(tmp_path, kind):
    for names, refuse in (
        (benchmark.FILES, benchmark.refuse_foreign),
        (reproduction.files_of("rat"), lambda folder: reproduction.refuse_foreign("rat", folder)),
    ):
        for name in names:
            folder = tmp_path / name
            folder.mkdir(exist_ok=True)
            (folder / name).exists() or ODD[kind](folder / name)
            with pytest.raises(StoreError, match=f"{name} is no plain file"):
                refuse(folder)


def test_a_link_to_a_plain_file_is_read(folders):
    (folders / "run" / "log.txt").rename(folders / "log.txt")
    (folders / "run" / "log.txt").symlink_to(folders / "log.txt")
    assert lp.load_run(folders / "run").log == (folders / "log.txt").read_text()
