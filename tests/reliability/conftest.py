"""One server for all tests here: a process that forks the commands to be disturbed."""

import sys

import pytest

# The server counts and finds by way of /proc.
collect_ignore_glob = [] if sys.platform == "linux" else ["test_*.py"]


@pytest.fixture(scope="session")
def sandbox(tmp_path_factory):
    from torture.sandbox import open_sandbox

    with open_sandbox(tmp_path_factory.mktemp("torture")) as made:
        yield made
