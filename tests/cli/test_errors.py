"""Errors of the command line: one line, the right status, nothing left behind."""

import json
import os
import shlex
import subprocess
from pathlib import Path

import pytest
from tests.cli.support import HEADER, SMALL, buffered, command, one_line_of_error, outside


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["--model", "tri-degre"], ["no model is called 'tri-degre'", "Did you mean tri-degree"]),
        (["--set", "rnk=3"], ["no parameter 'rnk'", "Did you mean rank"]),
        (["--set", "rank"], ["--set expects KEY=VALUE, got 'rank'"]),
        (["--set", "=3"], ["--set expects KEY=VALUE"]),
        (["--set", "rank=0"], ["rank must be", "got 0"]),
        (["--set", "rank=many"], ["rank must be", "'many'"]),
        (["--set", "lam=nan"], ["lam must be"]),
        (["--set", "solver=magic"], ["solver must be one of auto, admm, streaming"]),
        (["--set", "seed=-1"], ["seed must be"]),
        (["--workers", "0"], ["workers must be"]),
    ],
)
def test_what_a_user_can_fix_is_one_line(run, edges, arguments, expected):
    assert one_line_of_error(run("predict", edges, *SMALL, *arguments), *expected)


@pytest.mark.parametrize("subcommand", ["predict", "evaluate"])
def test_a_missing_file(run, tmp_path, subcommand):
    path = tmp_path / "nowhere.tsv"
    assert one_line_of_error(run(subcommand, path), f"{path}: no such file")


def test_a_bad_line_names_file_and_line(run, tmp_path):
    path = tmp_path / "edges.tsv"
    path.write_text("a\tb\nc\n")
    assert one_line_of_error(run("predict", path), f"{path}:2: expected 2 columns")


def test_a_network_with_nothing_to_learn(run, tmp_path):
    path = tmp_path / "edges.tsv"
    path.write_text("a\ta\nb\tb\n")
    assert one_line_of_error(run("predict", path))


def test_out_of_memory_is_one_line(run, edges, monkeypatch):
    def too_large(self, network):
        raise MemoryError

    monkeypatch.setattr("linkprior.predictors.local.PreferentialAttachment._fit", too_large)
    assert one_line_of_error(run("predict", edges, "--model", "pa"), "out of memory")


def test_a_library_that_finds_no_memory_to_say_so_is_one_line(run, edges, monkeypatch):
    def fail(problem):
        def learn(self, network):
            raise SystemError(problem)

        monkeypatch.setattr("linkprior.predictors.local.PreferentialAttachment._fit", learn)

    fail("<method 'draw'> returned NULL without setting an exception")
    assert one_line_of_error(run("predict", edges, "--model", "pa"), "out of memory, most likely")
    fail("unknown opcode")  # a mistake of somebody's stays one, with its traceback
    with pytest.raises(SystemError):
        run("predict", edges, "--model", "pa")


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["predcit"],
        ["predict"],
        ["predict", "x.tsv", "--tpo", "3"],
        ["predict", "x.tsv", "--top", "three"],
        ["predict", "x.tsv", "--top", "-1"],
        ["predict", "x.tsv", "--seed", "-1"],
        ["evaluate", "x.tsv", "--rule", "some"],
        ["demo", "more"],
    ],
)
def test_wrong_usage_is_status_2_and_shows_the_usage(run, arguments):
    status, out, err = run(*arguments)
    assert (status, out) == (2, "")
    assert err.startswith("Usage: ")
    assert "Traceback" not in err


def test_an_interruption_is_status_130(run, edges, monkeypatch):
    def interrupted(self, network):
        raise KeyboardInterrupt

    monkeypatch.setattr("linkprior.predictors.local.PreferentialAttachment._fit", interrupted)
    status, out, err = run("predict", edges, "--model", "pa")
    assert (status, out) == (130, "")
    assert err.splitlines()[-1] == "Interrupted."
    assert "Traceback" not in err


def test_debug_shows_the_traceback(tmp_path):
    path = tmp_path / "nowhere.tsv"
    plain, debug = outside("predict", path), outside("--debug", "predict", path)
    assert plain.returncode == debug.returncode == 1
    last = plain.stderr.splitlines()[-1]
    assert last.startswith(f"linkprior: {path}: no such file")
    assert "Traceback (most recent call last)" in debug.stderr
    assert "source.py" in debug.stderr
    assert debug.stderr.splitlines()[-1].endswith(last.removeprefix("linkprior: "))


@pytest.mark.parametrize("top", [5, 1500], ids=["fits the buffer", "exceeds the buffer"])
def test_a_closed_pipe_ends_quietly(edges, top):
    """As in `linkprior predict … | head -0`: the reader had enough, so all is well."""
    read_end, write_end = os.pipe()
    os.close(read_end)
    try:
        done = outside("predict", edges, "--model", "pa", "-q", "--top", top, stdout=write_end)
    finally:
        os.close(write_end)
    assert done.stderr == ""
    assert done.returncode == 0


def test_a_reader_that_stops_after_one_line(edges):
    ask = command("predict", edges, "--model", "pa", "--top", 1500)
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(ask, text=True, env=buffered(), **pipes) as job:
        first = job.stdout.readline()
        job.stdout.close()
        err = job.stderr.read()
    assert first.split()[:4] == HEADER
    assert "Traceback" not in err
    assert "BrokenPipe" not in err


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full on this system")
@pytest.mark.parametrize("top", [5, 1500], ids=["fits the buffer", "exceeds the buffer"])
def test_a_full_disk_behind_stdout_is_one_line_and_status_1(edges, top):
    with open("/dev/full", "w") as full:
        done = outside("predict", edges, "--model", "pa", "-q", "--top", top, stdout=full)
    assert done.stderr == (
        "linkprior: standard output: the disk is full; free some space, or choose another place "
        "(No space left on device)\n"
    )
    assert done.returncode == 1


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full on this system")
@pytest.mark.parametrize(
    "asked", [["models"], ["--help"], ["evaluate", "EDGES", "--models", "pa", "-q"]]
)
@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_every_command_names_the_standard_output_that_is_full(edges, asked, unbuffered):
    words = [edges if word == "EDGES" else word for word in asked]
    environment = {**buffered(), "PYTHONUNBUFFERED": unbuffered}
    with open("/dev/full", "w") as full:
        told = {"stdout": full, "stderr": subprocess.PIPE, "text": True, "env": environment}
        done = subprocess.run(command(*words), check=False, timeout=60, **told)
    assert done.returncode == 1
    assert done.stderr.startswith("linkprior: standard output: the disk is full; ")
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize("closed", [">&-", "2>&-", ">&- 2>&-", "2>/dev/full"])
def test_a_stream_that_is_closed_or_full_is_no_reason_to_stop(edges, tmp_path, closed):
    """As under a daemon: the file is written, and nothing is said where nobody listens."""
    target = tmp_path / "links.tsv"
    ask = shlex.join(command("predict", edges, "--model", "pa", "-o", target))
    done = subprocess.run(f"{ask} {closed}", shell=True, check=False, timeout=60, env=buffered())
    assert done.returncode == 0
    assert target.read_text().startswith("rank\t")


def test_no_message_lets_a_file_steer_the_terminal(run, edges, tmp_path):
    """What a run's manifest says of itself is somebody's text."""
    ask = ["predict", edges, "--model", "pa", "-o", f"{tmp_path}/run/"]
    assert run(*ask)[0] == 0
    path = tmp_path / "run" / "manifest.json"
    facts = json.loads(path.read_text())
    facts["input"] |= {"sha256": "0" * 64, "file": "a\x1b]0;title\x07\x9b2J\u202eb\n.tsv"}
    path.write_text(json.dumps(facts))
    result = run(*ask)
    assert one_line_of_error(result, r"a\x1b]0;title\x07\x9b2J\u202eb\n.tsv")
    assert result[2].splitlines()[-1].isprintable()
