"""One nursery for all tests here: a process that forks the commands to be disturbed."""

import sys

import pytest

# The nursery counts and finds by way of /proc.
collect_ignore_glob = [] if sys.platform == "linux" else ["test_*.py"]


@pytest.fixture(scope="session")
def ground(tmp_path_factory):
    from torture.ground import ground

    with ground(tmp_path_factory.mktemp("torture")) as made:
        yield made
