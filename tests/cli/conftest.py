import sys

import pytest
from tests.cli.support import by_name

from linkprior import cli


@pytest.fixture
def edges(planted, tmp_path):
    """The planted network as a file."""
    path = tmp_path / "edges.tsv"
    path.write_text("".join(f"{a}\t{b}\n" for a, b in by_name(planted, planted.edges)))
    return path


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
