"""Bad input: status 1, one line that says what, where and what to do, and no file touched."""

import gzip
import resource
import sys

import pytest
from tests.cli.bad_files import BAD_FILES, GOOD, LAUGHS, xml
from tests.cli.support import one_line_of_error, outside

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
    fresh = tmp_path / "fresh.tsv"
    stamp = output.stat().st_mtime_ns
    for target in (output, fresh):
        last = told(run("predict", path, "-o", target), path, line)
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
