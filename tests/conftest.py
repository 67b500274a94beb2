"""Shared networks, and the command run in this process."""

import os
import sys
from pathlib import Path

import pytest
from hypothesis import settings
from tests.cli.support import write_edges

import linkprior as lp
from linkprior import cli

settings.register_profile("short", max_examples=25)  # make check; 100 else


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers():
    """One process more than cores: tests of terminals, signals and servers mostly wait."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return 1 + (cores or 1)


@pytest.fixture(scope="session")
def planted():
    """A generated network with groups and hubs, small enough for the portable kernels."""
    return lp.planted_network(n_nodes=60, n_groups=4, mean_degree=6, seed=3)


@pytest.fixture(scope="session")
def data_folder():
    """The folder of real networks; tests that need it are skipped where it is not set."""
    given = os.environ.get("LINKPRIOR_DATA")
    if not given:
        pytest.skip("LINKPRIOR_DATA is unset: no real networks here")
    return Path(given)


@pytest.fixture
def edges(planted, tmp_path):
    """The planted network as a file."""
    return write_edges(tmp_path / "edges.tsv", planted)


@pytest.fixture
def run(monkeypatch, capsys):
    """Run the command in this process; returns status, stdout and stderr."""

    def one(*arguments):
        monkeypatch.setattr(sys, "argv", ["linkprior", *map(str, arguments)])
        try:
            cli.main()
            status = 0
        except SystemExit as done:
            status = done.code or 0
        out, err = capsys.readouterr()
        return status, out, err

    return one


@pytest.fixture
def succeed(run):
    """Run the command, which must succeed, in this process; returns stdout and stderr."""

    def one(*arguments):
        status, out, err = run(*arguments)
        assert status == 0, err
        return out, err

    return one
