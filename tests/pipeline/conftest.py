"""A finished run, written by the command."""

import pytest


@pytest.fixture
def ask(edges, tmp_path):
    return ["predict", edges, "--model", "l3", "--top", 3, "-o", f"{tmp_path / 'run'}/"]


@pytest.fixture
def folder(run, ask, tmp_path):
    """A finished run of l3."""
    assert run(*ask)[0] == 0
    return tmp_path / "run"
