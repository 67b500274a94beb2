"""Errors of the command line: one line, the right status, nothing left behind."""

import gzip
import json
import os
import resource
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from tests.cli.bad_files import BAD_FILES, GOOD, LAUGHS, xml
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
@pytest.mark.parametrize(
    ("asked", "unbuffered"),
    [
        (["models"], ""),
        (["--help"], "1"),
        (["evaluate", "EDGES", "--models", "pa", "-q"], ""),
        (["predict", "EDGES", "--model", "pa", "-q", "--top", "5"], ""),
        (["predict", "EDGES", "--model", "pa", "-q", "--top", "1500"], "1"),
    ],
)
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


POSIX_ONLY = pytest.mark.skipif(sys.platform == "win32", reason="limits of memory are POSIX's")


def put(folder, name, content):
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def told(result, path, line):
    """The last line on stderr, when it is one line about this file and this line of it."""
    assert one_line_of_error(result)
    last = result[2].splitlines()[-1]
    assert last.isprintable()
    assert len(last) < 500 + len(str(path))
    where = f"linkprior: {path}" if line is None else f"linkprior: {path}:{line}: "
    assert last.startswith(where), last
    return last


@pytest.mark.parametrize("case", BAD_FILES)
def test_a_bad_file_is_one_line_and_no_output_is_touched(run, tmp_path, case):
    name, content, line, expected = BAD_FILES[case]
    (tmp_path / "in").mkdir()
    path = put(tmp_path / "in", name, content)
    output = put(tmp_path, "out.tsv", "kept from before\n")
    stamp = output.stat().st_mtime_ns
    last = told(run("predict", path, "-o", output), path, line)
    assert all(words in last for words in expected), last
    assert output.read_text() == "kept from before\n"
    assert output.stat().st_mtime_ns == stamp
    assert sorted(p.name for p in tmp_path.rglob("*")) == sorted(["in", name, "out.tsv"])


def test_there_are_many_kinds():
    assert len(BAD_FILES) >= 60


@pytest.mark.parametrize(
    ("make", "expected"),
    [
        (lambda path: None, ["no such file", "Check the path"]),
        (lambda path: path.mkdir(), ["is a directory; give a network file inside it"]),
        (lambda path: path.symlink_to(path), ["a link to nothing"]),
        (lambda path: path.symlink_to(path.parent / "gone.tsv"), ["a link to nothing"]),
    ],
    ids=["missing", "a directory", "a link to itself", "a link to nothing"],
)
def test_what_is_no_file(run, tmp_path, make, expected):
    path = tmp_path / "edges.tsv"
    make(path)
    last = told(run("predict", path, "-o", tmp_path / "out.tsv"), path, None)
    assert all(words in last for words in expected), last
    assert not (tmp_path / "out.tsv").exists()


def test_a_run_folder_is_not_made_for_a_bad_file(run, tmp_path):
    path = put(tmp_path, "e.tsv", "a\tb\nc\n")
    told(run("predict", path, "-o", f"{tmp_path}/run/"), path, 2)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["e.tsv"]


@pytest.mark.parametrize("subcommand", ["predict", "evaluate"])
def test_every_subcommand_says_it_alike(run, tmp_path, subcommand):
    path = put(tmp_path, "e.tsv", "a\tb\nc\n")
    assert "expected 2 columns" in told(run(subcommand, path), path, 2)


@pytest.mark.parametrize(
    ("content", "where"), [(b"a\tb\nc\n", "stdin:2: "), (b"", "stdin: "), (b"\x1f\x8b", "stdin: ")]
)
def test_bad_standard_input(content, where, tmp_path):
    (tmp_path / "in").write_bytes(content)
    with (tmp_path / "in").open("rb") as stream:
        done = outside("predict", "-", stdin=stream)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.splitlines()[-1].startswith(f"linkprior: {where}")
    assert "Traceback" not in done.stderr


# ---------------------------------------------------------------------- bombs


def gzip_bomb():
    """12 GB in 12 MB: edges, then blank lines without end."""
    part = "".join(f"{i:07d}\tz\n" for i in range(100_000)).encode()
    zeros = gzip.compress(bytes(8 << 20).replace(b"\0", b"\n"), 9)
    return gzip.compress(part) + zeros * 1500


BOMBS = {
    "gzip": ("bomb.tsv.gz", gzip_bomb),
    "graphml": ("bomb.graphml", lambda: xml("graphml", "<graphml>&l9;</graphml>", LAUGHS)),
    "pajek": ("bomb.net", lambda: "*Vertices 1000000000\n*Edges\n1 2\n"),
    "matrix market": (
        "bomb.mtx",
        lambda: "%%MatrixMarket matrix array real general\n1000000000 1000000000\n1\n",
    ),
    "cx2": ("bomb.cx2", lambda: "[" * 20_000_000),
    "long line": ("bomb.tsv", lambda: "x" * 300_000_000),
}


@POSIX_ONLY
@pytest.mark.parametrize("kind", BOMBS)
def test_a_bomb_is_refused_in_bounded_memory(tmp_path, kind):
    name, make = BOMBS[kind]
    path = put(tmp_path, name, make())
    limit = 2 << 30  # of address space; what is unpacked would take more

    def bounded():
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))

    done = outside("predict", path, "-o", tmp_path / "out.tsv", preexec_fn=bounded)
    told((done.returncode, done.stdout, done.stderr), path, None)
    assert "out of memory" not in done.stderr
    assert [p.name for p in tmp_path.iterdir()] == [name]


@POSIX_ONLY
def test_that_bound_is_enough_for_a_good_file(tmp_path):
    """Else the test above would say nothing about bombs."""

    def bounded():
        resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30))

    path = put(tmp_path, "good.tsv", GOOD)
    done = outside("predict", path, "--dry-run", preexec_fn=bounded)
    assert done.returncode == 0, done.stderr


# ---------------------------------------------------------------------- odd, but legal


@pytest.mark.parametrize(
    "name",
    [
        "<script>alert(1)</script>",
        '"quoted ""inside"""',
        "5'-end\"",
        "=cmd|' /C calc'!A0",
        "1000000000",
        "naïve β-catenin 蛋白",
        "&amp;",
    ],
)
def test_odd_names_are_names(run, tmp_path, name):
    path = put(tmp_path, "e.tsv", f"{name}\tb\nb\tc\nc\td\nd\t{name}\nb\tx\n")
    status, out, err = run("predict", path, "--model", "pa")
    assert status == 0
    shown = 'quoted "inside"' if name.startswith('"quoted') else name
    assert any(shown.split('"')[0] in line for line in out.splitlines())
    assert "5 nodes, 5 edges" in err
