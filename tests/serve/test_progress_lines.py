"""`linkprior --progress json`: what a program reads along, one object per line."""

import io
import json

import pytest
from tests.serve.support import until

from linkprior import _progress as progress
from linkprior.cli import console


@pytest.fixture
def edges(planted_file, tmp_path):
    path = tmp_path / "edges.tsv"
    path.write_bytes(planted_file)
    return path


def test_every_line_is_an_object_and_the_list_is_as_ever(run, edges):
    plain = run("predict", edges, "--model", "l3")
    status, out, err = run("--progress", "json", "predict", edges, "--model", "l3")
    assert (status, out) == plain[:2]
    told = [json.loads(line) for line in err.splitlines()]
    said = [one["say"] for one in told if "say" in one]
    assert [line for line in plain[2].splitlines() if " gone" not in line] == [
        line for text in said for line in text.splitlines()
    ]


def test_an_error_is_said_in_an_object_and_the_next_command_speaks_plainly(run, tmp_path):
    status, out, err = run("--progress=json", "predict", tmp_path / "none.tsv")
    assert (status, out) == (1, "")
    assert json.loads(err.splitlines()[-1])["say"].startswith("linkprior: ")
    _, _, err = run("predict", tmp_path / "none.tsv")
    assert err.splitlines()[-1].startswith("linkprior: ")


def test_progress_is_told_as_numbers(monkeypatch):
    for name, value in (("_PATIENCE", 0.0), ("_TICK", 0.001), ("_APART", {"json": 0.0})):
        monkeypatch.setattr(console, name, value)
    stream, watched = io.StringIO(), console.Console()
    watched.json = True
    with watched.progress(False, stream), progress.stage("work", 4) as stage:
        stage.advance()
        until(lambda: '"fraction": 0.25' in stream.getvalue(), 10)
    told = [json.loads(line)["progress"] for line in stream.getvalue().splitlines()]
    (last,) = [one for one in told if one["fraction"] == 0.25][-1:]
    assert last["name"] == "work"
    assert last["elapsed"] >= 0
    assert set(last) == {"name", "fraction", "elapsed", "left"}
