"""Two processes in one folder, and the lock that keeps them apart."""

import errno
import os
import subprocess
import sys

import pytest
from torture import disturbances

from linkprior.errors import StoreError
from linkprior.io.atomic_files import hold


@pytest.mark.parametrize("name", ["predict run", "evaluate"])
def test_of_two_processes_one_leaves_or_finds_the_same(sandbox, name):
    tally = disturbances.Tally(*disturbances.LOCKS)
    disturbances.two_at_once(sandbox, sandbox.of(name), tally, delay=0.0)
    assert tally.defects == []
    assert tally["left"] + tally["shared"] == 1


def test_the_lock_of_a_killed_process_is_taken_over(sandbox):
    tally = disturbances.Tally(*disturbances.LOCKS)
    for name in ("predict run", "tune"):
        disturbances.taken_over(sandbox, sandbox.of(name), tally)
    assert tally.defects == []
    assert tally["taken_over"] == 2


def test_a_lock_is_held_by_one_at_a_time(sandbox):
    tally = disturbances.Tally(*disturbances.LOCKS)
    disturbances.cycle(sandbox, tally, cycles=150, processes=3, seed=1)
    assert tally.defects == []
    assert tally["cycles"] == 150


def test_a_folder_is_refused_while_another_holds_it_and_free_after(tmp_path):
    said = pytest.raises(StoreError, match="another process is at work on this study")
    with hold(tmp_path, "study"), said:
        hold(tmp_path, "study")
    hold(tmp_path, "study").close()
    assert list(tmp_path.iterdir()) == []


def test_where_a_folder_cannot_be_locked_a_file_in_it_is(tmp_path, monkeypatch):
    real = os.open

    def no_folders(path, flags, mode=0o777):
        if os.path.isdir(path):
            raise PermissionError(errno.EACCES, "Permission denied", str(path))  # as Windows does
        return real(path, flags, mode)

    monkeypatch.setattr(os, "open", no_folders)
    with hold(tmp_path, "study"), pytest.raises(StoreError):
        hold(tmp_path, "study")
    assert [path.name for path in tmp_path.iterdir()] == [".lock"]


@pytest.mark.parametrize(
    ("argv", "what"),
    [
        (["predict", "edges.tsv", "--model", "pa", "-o", "out/"], "run"),
        (["tune", "edges.tsv", "--model", "katz", "--trials", "2", "--study", "out"], "study"),
        (["evaluate", "edges.tsv", "--models", "pa", "-o", "out"], "evaluation"),
        (["benchmark", "USAir", "--models", "pa", "--data", "data", "-o", "out"], "benchmark"),
    ],
)
def test_a_folder_in_use_is_one_line(sandbox, argv, what):
    place = sandbox.fresh(sandbox.of("predict file"))
    (place / "out").mkdir()
    with hold(place / "out", what):
        end = sandbox.server.run(argv, place)
    assert end.status == 1
    assert f"another process is at work on this {what}; wait for it" in end.err.splitlines()[-1]
    assert list((place / "out").iterdir()) == []


def test_an_experiment_in_use_is_one_line(sandbox):
    place = sandbox.fresh(sandbox.of("predict file"))
    target = place / "paper" / "quick" / "plasmodium"
    target.mkdir(parents=True)
    argv = ["reproduce", "plasmodium", "--quick", "--data", "data", "-o", "paper", "-q"]
    with hold(target, "experiment"):
        end = sandbox.server.run(argv, place)
    assert end.status == 1
    assert "another process is at work on this experiment" in end.err.splitlines()[-1]
    assert list(target.iterdir()) == []


def test_a_lock_ends_with_its_process(tmp_path):
    code = (
        "import sys, pathlib, time; from linkprior.io.atomic_files import hold\n"
        "held = hold(pathlib.Path(sys.argv[1]), 'test'); print('held', flush=True); time.sleep(60)"
    )
    words = [sys.executable, "-c", code, str(tmp_path)]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout.readline() == "held\n"
        with pytest.raises(StoreError):
            hold(tmp_path, "test")
        other.kill()
        other.wait(30)
    hold(tmp_path, "test").close()
