"""Temporary files: the dead ones go, the living stay, and an error names the file that is meant."""

import errno
import os
import sys

import pytest
from torture.machine import run_machine

import linkprior as lp
from linkprior.io import atomic_files, store
from linkprior.pipeline.outputs import format_error

DEAD = "0123456789abcdef" * 2


def test_what_a_killed_process_left_is_removed_with_the_next_file(tmp_path):
    (tmp_path / f".links.tsv.{DEAD}.part").write_text("half")
    others = {f".other.tsv.{DEAD}.part", ".links.tsv.part", ".links.tsv.mine.part"}
    for name in others:
        (tmp_path / name).write_text("not of this file")
    with atomic_files.whole_file(tmp_path / "links.tsv") as stream:
        stream.write("whole")
    assert {path.name for path in tmp_path.iterdir()} == {*others, "links.tsv"}


def test_what_somebody_is_writing_stays(tmp_path):
    with atomic_files.whole_file(tmp_path / "links.tsv") as slow:
        slow.write("slow")
        with atomic_files.whole_file(tmp_path / "links.tsv") as quick:
            quick.write("quick")
        atomic_files.sweep(tmp_path)
        assert (tmp_path / "links.tsv").read_text() == "quick"
    assert (tmp_path / "links.tsv").read_text() == "slow"
    assert [path.name for path in tmp_path.iterdir()] == ["links.tsv"]


def test_a_link_or_pipe_of_such_a_name_is_left_alone(tmp_path):
    (tmp_path / "kept").mkdir()
    (tmp_path / "kept" / "file").write_text("here")
    (tmp_path / f".a.{DEAD}.part").symlink_to(tmp_path / "kept")
    os.mkfifo(tmp_path / f".b.{DEAD}.part")  # opening it would wait for a writer
    atomic_files.sweep(tmp_path)
    assert (tmp_path / "kept" / "file").read_text() == "here"


def test_a_file_taken_for_a_dead_one_is_begun_again(tmp_path, monkeypatch):
    real, answers = atomic_files.take, [False]
    monkeypatch.setattr(atomic_files, "take", lambda fd: answers.pop() if answers else real(fd))
    with atomic_files.whole_file(tmp_path / "links.tsv") as stream:
        stream.write("whole")
    assert (tmp_path / "links.tsv").read_text() == "whole"


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EIO])
def test_an_error_of_the_disk_names_the_file(tmp_path, monkeypatch, number):
    def fail(_):
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(OSError) as told, atomic_files.whole_file(tmp_path / "links.tsv") as stream:
        stream.write("much")
    assert format_error(told.value).startswith(f"{tmp_path / 'links.tsv'}: ")
    assert os.strerror(number) in format_error(told.value)
    assert list(tmp_path.iterdir()) == []


def test_an_error_of_something_else_is_left_as_it_is(tmp_path):
    with (
        pytest.raises(ConnectionResetError) as told,
        atomic_files.whole_file(tmp_path / "links.tsv"),
    ):
        raise ConnectionResetError(errno.ECONNRESET, "gone")
    assert told.value.filename is None


def save(planted, folder, seed=1):
    lp.make("random", seed=seed).fit(planted).save(folder)


def test_a_model_is_never_missing_while_it_is_replaced(planted, tmp_path, monkeypatch):
    save(planted, tmp_path / "model")
    real, seen = atomic_files.exchange, []

    def watched(fresh, target):
        seen.append(lp.load(target).get_params()["seed"])
        done = real(fresh, target)
        seen.append(lp.load(target).get_params()["seed"])
        return done

    monkeypatch.setattr(atomic_files, "exchange", watched)
    save(planted, tmp_path / "model", seed=2)
    assert seen == [1, 2]
    assert [path.name for path in tmp_path.iterdir()] == ["model"]


@pytest.mark.parametrize("left", [[], ["manifest.json"], ["arrays.safetensors"]])
def test_what_is_left_of_a_model_is_discarded(planted, tmp_path, left):
    save(planted, tmp_path / "model")
    for path in (tmp_path / "model").iterdir():
        if path.name not in left:
            path.unlink()
    store.discard_damaged(tmp_path / "model")
    assert not (tmp_path / "model").exists()


def test_a_folder_with_other_files_is_no_damaged_model(tmp_path):
    (tmp_path / "model").mkdir()
    (tmp_path / "model" / "thesis.tex").write_text("years of work")
    store.discard_damaged(tmp_path / "model")
    assert (tmp_path / "model" / "thesis.tex").exists()


def test_a_thread_that_cannot_be_started_is_one_line_and_a_mistake_of_ours_is_not(run, monkeypatch):
    def fail(text):
        def command(*_, **__):
            raise RuntimeError(text)

        monkeypatch.setattr(sys.modules["linkprior.cli.main"].cli, "main", command)

    fail("can't start new thread")
    status, _, err = run("info")
    assert status == 1
    assert "no thread can be started: memory or processes are limited" in err
    fail("a mistake")
    with pytest.raises(RuntimeError, match="a mistake"):
        run("info")


def test_a_run_folder_through_any_order_of_starts_kills_damages_and_exports(sandbox):
    assert run_machine(sandbox, examples=4, steps=6) >= 12
