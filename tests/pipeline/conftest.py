"""A finished run, written by the command."""

import pytest


@pytest.fixture
def edges(planted, tmp_path):
    path, names = tmp_path / "edges.tsv", planted.names
    path.write_text("".join(f"{names[i]}\t{names[j]}\n" for i, j in planted.edges.tolist()))
    return path


@pytest.fixture
def ask(edges, tmp_path):
    return ["predict", edges, "--model", "l3", "--top", 3, "-o", f"{tmp_path / 'run'}/"]


@pytest.fixture
def folder(run, ask, tmp_path):
    """A finished run of l3."""
    assert run(*ask)[0] == 0
    return tmp_path / "run"
