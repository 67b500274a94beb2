"""Errors of the command line: one line, the right status, nothing left behind."""

import gzip
import io
import json
import shlex
import subprocess
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from tests.cli.support import SMALL, buffered, command, one_line_of_error, outside
from tests.io.files import zipped


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
        ["predict", "x.tsv", "--threshold", "inf"],
        ["predict", "x.tsv", "--top", "3", "--threshold", "1"],
        ["predict", "x.tsv", "--effort", "fast", "--set", "effort=normal"],
        ["predict", "x.tsv", "--coverage", "0.5", "--set", "missing=0.2"],
        ["predict", "x.tsv", "--tune", "0"],
        ["predict", "x.tsv", "--candidates", "near"],
        ["evaluate", "x.tsv", "--rule", "some"],
        ["reproduce", "yeast"],
        ["reproduce", "rat", "--quick", "--trials", "3"],
        ["demo", "more"],
    ],
)
def test_wrong_usage_is_status_2_and_shows_the_usage(run, arguments):
    status, out, err = run(*arguments)
    assert (status, out) == (2, "")
    assert err.startswith("Usage: ")
    assert "Traceback" not in err


@pytest.mark.parametrize(
    "asked",
    [
        ["predict", "EDGES", "--model", "pa"],
        ["predict", "EDGES", "--model", "katz", "--tune", "2"],
        ["evaluate", "EDGES", "--models", "l3"],
        ["tune", "EDGES", "--model", "katz", "--trials", "2"],
    ],
)
def test_quiet_leaves_results_only(run, edges, asked):
    words = [edges if word == "EDGES" else word for word in asked]
    assert run(*words)[2]
    status, out, err = run(*words, "-q")
    assert (status, err) == (0, "")
    assert out


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


# ---------------------------------------------------------------------- files no network is in

# The file's name, its content, the line the message names (None where there is none), and words the
# message must hold: what was expected or found, and what to do. The readers' tests have more.
LONG = "".join(f"x{i}\ty{i * i % 97}\n" for i in range(5000)).encode()


def archive_of_arrays(**changed):
    """What scipy saves for a matrix of three nodes, with some arrays changed."""
    stream = io.BytesIO()
    sp.save_npz(stream, sp.csr_array(np.ones((3, 3))))
    stream.seek(0)
    arrays = dict(np.load(stream)) | changed
    again = io.BytesIO()
    np.savez(again, **{name: value for name, value in arrays.items() if value is not None})
    return again.getvalue()


LAUGHS = "".join(
    f'<!ENTITY l{i} "{f"&l{i - 1};" * 10}">' if i else '<!ENTITY l0 "lol">' for i in range(10)
)
GRAPHML = '<graphml xmlns="http://graphml.graphdrawing.org/xmlns"><graph edgedefault="undirected">'
NODES = '<node id="a"/><node id="b"/>'


def xml(root, inside, declared=""):
    return f'<?xml version="1.0"?>\n<!DOCTYPE {root} [\n{declared}\n]>\n{inside}'


NOTHING_TO_READ = {
    "an empty file": ("e.tsv", "", None, ["is empty; expected"]),
    "only self-loops": ("e.tsv", "a\ta\nb\tb\n", None, ["expected edges between two different"]),
    "only empty names": ("e.tsv", "a\t\n\tb\n", None, ["a node name is empty", "check the file"]),
}

WRONG_COLUMNS = {
    "one column": ("e.txt", "a\nb\nc\n", 1, ["expected two columns", "both ends of an edge"]),
    "one column with CR": ("e.txt", "alone\rb\r", 1, ["got one: 'alone'"]),
    "a row with one column": ("e.tsv", "a\tb\nc\nd\te\n", 2, ["tab between", "Complete the line"]),
    "a row short of its header": (
        "e.csv",
        "id,source,target\n1,a,b\n2,b\n",
        3,
        ["expected 3 columns", "got 2: '2,b'"],
    ),
    "comma, then semicolon": ("e.txt", "a,b\nc;d\n", 2, ["has a semicolon: use one separator"]),
    "space, then pipe": ("e.txt", "a b\nc|d\n", 2, ["expected 2 columns with a space"]),
    "an adjacency matrix": (
        "m.csv",
        ",A,B,C\nA,0,1,0\nB,1,0,1\nC,0,1,0\n",
        1,
        ["Is it a matrix", "--columns"],
    ),
    "a list of scores": ("s.tsv", "A\t0.5\nB\t0.25\nC\t0.1\n", 1, ["list of scores", "--columns"]),
}

BAD_NAMES = {
    "an open quote": (
        "e.csv",
        'a,b\n"c,d\n',
        2,
        ["quotes do not match", "close them on their line"],
    ),
    "a quoted name over two lines": ("e.csv", 'a,b\nc,"d\ne"\n', 2, ["close them on their line"]),
    "an escape sequence in a name": ("e.tsv", "a\tb\nc\t\x1b[31md\n", 2, ["U+001B", "remove it"]),
    "a name that reads backwards": ("e.tsv", "a\tb\nb\tc\u202edlo\n", 2, ["U+202E", "remove it"]),
    "a right-to-left mark": ("e.tsv", "a\tb\nb\tc\u200f\n", 2, ["U+200F", "remove it"]),
    "a name with a zero width space": ("e.tsv", "a\tb\nb\ta\u200b\n", 2, ["U+200B", "remove it"]),
    "a name of 2000 letters": ("e.tsv", f"a\tb\nb\t{'c' * 2000}\n", 2, ["at most 1000"]),
    "a quoted line without end": ("e.csv", 'a,b\n"' + "x" * 200_000, 2, ["is a quote missing"]),
}

NO_TEXT = {
    "latin-1": ("e.tsv", "a\tb\nM\xfcller\tc\n".encode("latin-1"), 2, ["save it as UTF-8"]),
    "a picture": ("e.png", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", 3, ["this is not text"]),
}

PACKED = {
    "a truncated gzip": ("e.gz", gzip.compress(LONG)[:9000], None, ["cut off; get it again"]),
    "a truncated zip": ("e.zip", zipped({"e.tsv": LONG})[:5000], None, ["damaged", "get it again"]),
    "a gzip with a wrong checksum": (
        "e.gz",
        gzip.compress(LONG)[:-8] + bytes(8),
        None,
        ["CRC", "get it again"],
    ),
    "a gzip of a gzip": ("e.gz", gzip.compress(gzip.compress(LONG)), None, ["twice", "unpack it"]),
    "an Excel workbook": (
        "e.xlsx",
        zipped({"xl/workbook.xml": "<x/>", "xl/sheet.xml": "<x/>"}),
        None,
        ["Excel workbook; save the sheet"],
    ),
}

GRAPHS = {
    "a GraphML bomb": (
        "e.graphml",
        xml("graphml", f"{GRAPHML}<node id='&l9;'/></graph></graphml>", LAUGHS),
        2,
        ["entities", "export it again"],
    ),
    "a GraphML file that asks for another file": (
        "e.graphml",
        xml("graphml", f"{GRAPHML}</graph></graphml>", '<!ENTITY x SYSTEM "file:///etc/passwd">'),
        2,
        ["entities", "export it again"],
    ),
    "a GraphML file cut off": ("e.graphml", f"{GRAPHML}\n{NODES}\n<edge", 3, ["get it again"]),
    "JSON of another kind": ("e.json", '{"nodes": [], "links": []}', None, ["other JSON"]),
    "CX2 nested without end": ("e.cx2", "[" * 100_000, None, ["e.cx2"]),
    "CX2 cut off": ("e.cx2", '[{"CXVersion": "2.0"}, {"nodes": [{"id": 1}', None, ["e.cx2"]),
    "Pajek beyond its nodes": ("e.net", "*Vertices 3\n*Edges\n1 2\n2 7\n", 4, ["from 1 to 3"]),
    "Matrix Market that is not square": (
        "e.mtx",
        "%%MatrixMarket matrix coordinate pattern general\n3 4 1\n1 2\n",
        2,
        ["square"],
    ),
    "npz of a billion nodes": (
        "e.npz",
        archive_of_arrays(shape=np.array([10**9, 10**9])),
        None,
        ["e.npz"],
    ),
    "npz with code in it": (
        "e.npz",
        archive_of_arrays(data=np.array([{"a": 1}], dtype=object)),
        None,
        ["e.npz"],
    ),
    "npz without its indices": ("e.npz", archive_of_arrays(indices=None), None, ["e.npz"]),
    "a BioGRID table cut off": (
        "e.tab2.txt",
        "#BioGRID Interaction ID\tEntrez Gene Interactor A\tEntrez Gene Interactor B\n1\t2\n",
        None,
        ["e.tab2.txt"],
    ),
}

BAD_FILES = NOTHING_TO_READ | WRONG_COLUMNS | BAD_NAMES | NO_TEXT | PACKED | GRAPHS


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


@pytest.mark.parametrize(
    ("make", "expected"),
    [
        (lambda path: None, ["no such file", "Check the path"]),
        (lambda path: path.mkdir(), ["is a directory; give a network file inside it"]),
        (lambda path: path.symlink_to(path), ["a broken link"]),
        (lambda path: path.symlink_to(path.parent / "gone.tsv"), ["a broken link"]),
    ],
    ids=["missing", "a directory", "a link to itself", "a broken link"],
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
def test_odd_names_are_names(succeed, tmp_path, name):
    path = put(tmp_path, "e.tsv", f"{name}\tb\nb\tc\nc\td\nd\t{name}\nb\tx\n")
    out, err = succeed("predict", path, "--model", "pa")
    shown = 'quoted "inside"' if name.startswith('"quoted') else name
    assert any(shown.split('"')[0] in line for line in out.splitlines())
    assert "5 nodes, 5 edges" in err
