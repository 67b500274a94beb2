"""Pipes, folders, endless or deeply nested files where a command kept results: one line each."""

import contextlib
import errno
import os
import re
import shutil
import signal
import socket
from types import SimpleNamespace

import pytest

import linkprior as lp
from linkprior.errors import LinkpriorError, StoreError
from linkprior.evaluation import results as evaluation
from linkprior.evaluation.splits import written_digest
from linkprior.evaluation.store import CLAIM
from linkprior.evaluation.tuning.study import mend
from linkprior.experiments import benchmark, reproduction
from linkprior.io import atomic_files, store
from linkprior.pipeline.outputs import format_error
from linkprior.report.folder import folder_page

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


ODD = {
    "pipe": os.mkfifo,
    "device": lambda path: path.symlink_to("/dev/null"),  # /dev/zero would never end
    "folder": lambda path: path.mkdir(),
}


@pytest.mark.parametrize("file", READ)
@pytest.mark.parametrize("kind", ODD)
def test_what_is_no_plain_file_is_refused(copies, file, kind):
    (copies / file).unlink()
    ODD[kind](copies / file)
    load = lp.load_run if file == "run/manifest.json" else folder_page  # a folder without is no run
    with pytest.raises(LinkpriorError, match=f"^{copies / file} is not a plain file.*$"):
        load(copies / file.partition("/")[0])


@pytest.mark.parametrize("kind", ODD)
def test_a_pipe_for_any_other_file_makes_nobody_wait(copies, kind):
    for path in sorted(path for path in copies.rglob("*") if path.is_file()):
        whole = path.read_bytes()
        path.unlink()
        ODD[kind](path)
        with contextlib.suppress(LinkpriorError):
            folder_page(copies / path.relative_to(copies).parts[0])
        path.rmdir() if kind == "folder" else path.unlink()
        path.write_bytes(whole)


@pytest.mark.parametrize("file", ["run/manifest.json", "run/model/manifest.json", "run/log.txt"])
def test_a_file_without_end_is_refused_unread(copies, file):
    os.truncate(copies / file, store.MOST_TEXT + 1)
    with pytest.raises(StoreError, match="is larger than 500 MB") as told:
        lp.load_run(copies / "run")
    assert str(copies / file) in str(told.value)


@pytest.mark.parametrize("look", [mend, written_digest])
def test_a_journal_or_split_that_is_a_pipe_is_refused(tmp_path, look):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(StoreError, match="is not a plain file"):
        look(tmp_path / "pipe")


def bind(path):
    """Leave a socket behind; its name must be short."""
    with socket.socket(socket.AF_UNIX) as left:
        left.bind(os.path.relpath(path))


IN_THE_WAY = {
    **ODD,
    "socket": bind,
    "link to nowhere": lambda path: path.symlink_to("nowhere/at/all"),
    "link to itself": lambda path: path.symlink_to(path.name),
}
# The files of a folder, and the command that writes them.
WRITTEN = {
    "evaluation": ((CLAIM, *evaluation.FILES), "evaluate edges.tsv --models cn,l3 -o evaluation"),
    "study": (
        ("study.json", "journal.log", "best.json"),
        "tune edges.tsv --model lrw --trials 2 --study study",
    ),
    "run": (("report.html",), "report run"),
    ".": (("page.html",), "evaluate edges.tsv --models cn --report page.html"),
}


@pytest.fixture
def in_the_way(copies, results, monkeypatch):
    """Put something odd in the place of a file, for as long as a with block lasts."""
    monkeypatch.chdir(copies)
    shutil.copy(results[0].parent / "edges.tsv", copies)

    @contextlib.contextmanager
    def put(path, kind):
        before = path.read_bytes() if path.exists() else None
        path.unlink(missing_ok=True)
        IN_THE_WAY[kind](path)
        yield
        path.rmdir() if kind == "folder" else path.unlink()
        if before is not None:
            path.write_bytes(before)

    return put


def is_told(told, path):
    """Whether one line names a file and what it is."""
    *_, line = told.splitlines()
    kinds = "not a plain file|a folder|a broken link|the link leads back to itself"
    return path.name in line and re.search(f"(is|:) ({kinds})", line)


@pytest.mark.parametrize("folder", WRITTEN)
@pytest.mark.parametrize("kind", IN_THE_WAY)
def test_nothing_odd_stands_in_the_way_of_results(copies, in_the_way, run, kind, folder):
    names, command = WRITTEN[folder]
    for path in (copies / folder / name for name in names):
        with in_the_way(path, kind):
            status, out, err = run(*command.split())
        assert (status, out) == (1, "")
        assert is_told(err, path), err


@pytest.mark.parametrize("kind", IN_THE_WAY)
def test_nothing_odd_stands_in_the_way_of_tables(copies, in_the_way, kind):
    """Neither before the work nor where tables alone are made."""
    rat = SimpleNamespace(experiment=SimpleNamespace(name="rat"))
    judged = lp.evaluate(["cn"], lp.read_network("edges.tsv"))
    of_rat = reproduction.files_of("rat")
    for names, refuse in (
        (benchmark.FILES, benchmark.refuse_foreign),
        (benchmark.FILES, lambda at: benchmark.write_files(None, at)),
        (of_rat, lambda at: reproduction.refuse_foreign("rat", at)),
        (of_rat, lambda at: reproduction.write(rat, at, 0.0, [])),
        (evaluation.FILES, lambda at: evaluation.write_results(judged, at)),
    ):
        for path in (copies / name for name in names):
            with in_the_way(path, kind), pytest.raises((StoreError, OSError)) as told:
                refuse(copies)
            assert is_told(format_error(told.value), path)


@pytest.mark.parametrize("name", ["manifest.json", "arrays.safetensors"])
@pytest.mark.parametrize("force", [(), ("--model", "l3", "--force")])
def test_a_folder_in_the_place_of_a_models_file_is_kept_with_all_it_holds(
    copies, results, run, name, force
):
    shutil.copy(results[0].parent / "edges.tsv", copies)
    model = copies / "run" / "model"
    (model / name).unlink()
    (model / name).mkdir()
    (model / name / "notes.txt").write_text("mine")
    before = sorted(path for path in copies.rglob("*") if path.name != "log.txt")
    asked = force or ("--model", "tri-degree", "--set", "max_iter=3")
    edges = copies / "edges.tsv"
    for place in (("-o", f"{copies / 'run'}/"), ("-o", copies / "x.tsv", "--save", model)):
        status, _, err = run("predict", edges, *asked, *place)
        assert status == 1
        assert "model" in err.splitlines()[-1]
        assert sorted(path for path in copies.rglob("*") if path.name != "log.txt") == before
    assert (model / name / "notes.txt").read_text() == "mine"


@pytest.mark.parametrize("kind", ["pipe", "link to nowhere", "folder"])
def test_a_lock_that_is_none_makes_nobody_wait(tmp_path, monkeypatch, kind):
    """Where a folder cannot be opened, a file in it is locked."""
    IN_THE_WAY[kind](tmp_path / atomic_files.LOCK)
    before, opened = sorted(tmp_path.iterdir()), os.open

    def refusing(path, *arguments):
        if path == tmp_path:
            raise PermissionError(errno.EACCES, "Permission denied", str(path))
        return opened(path, *arguments)

    monkeypatch.setattr(os, "open", refusing)
    atomic_files.hold(tmp_path, "run").close()
    assert sorted(tmp_path.iterdir()) == before


def test_a_link_to_a_plain_file_is_read(copies):
    (copies / "run" / "log.txt").rename(copies / "log.txt")
    (copies / "run" / "log.txt").symlink_to(copies / "log.txt")
    assert lp.load_run(copies / "run").log == (copies / "log.txt").read_text()


DEEP = "[" * 100_000 + "\n"


@pytest.mark.parametrize(
    "file",
    [
        *("run/manifest.json", "run/model/manifest.json", "run/input_report.json"),
        *("evaluation/results.json", "study/study.json", "study/journal.log"),
    ],
)
def test_a_result_that_is_nested_without_end_is_refused(copies, file):
    (copies / file).write_text(DEEP)
    with pytest.raises(LinkpriorError) as caught:
        folder_page(copies / file.partition("/")[0])
    assert "\n" not in str(caught.value)


def test_every_other_file_of_results_may_be_so_without_harm(copies):
    for path in sorted(copies.rglob("*.json")):
        whole = path.read_text(encoding="utf-8")
        path.write_text(DEEP)
        with contextlib.suppress(LinkpriorError):
            folder_page(copies / path.relative_to(copies).parts[0])
        path.write_text(whole, encoding="utf-8")


def test_a_journal_whose_last_line_is_so_is_cut_there(copies):
    journal = copies / "study" / "journal.log"
    whole = journal.read_bytes()
    journal.write_bytes(whole + DEEP.encode())
    assert mend(journal)
    assert journal.read_bytes() == whole
