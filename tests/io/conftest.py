"""Fixtures of the tests on networks by name, and on files that come in several blocks."""

import pytest
from tests.io.web_site import Site

from linkprior.io import datasets
from linkprior.io.source import Source


@pytest.fixture
def site():
    site = Site()
    site.thread.start()
    yield site
    site.close()


@pytest.fixture
def apart(monkeypatch, tmp_path):
    """No test sees the user's folders or a proxy that works, and none waits between tries."""
    for name in ("LINKPRIOR_DATA", "LINKPRIOR_OFFLINE", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("LINKPRIOR_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    monkeypatch.setattr(datasets, "WAIT", 0)


@pytest.fixture
def line_by_line(monkeypatch):
    """A large file comes in several blocks; here every line is one."""
    whole = Source.blocks

    def blocks(self):
        for data in whole(self):
            yield from data.splitlines(keepends=True)

    monkeypatch.setattr(Source, "blocks", blocks)


@pytest.fixture(params=["one block", "line by line"])
def blocks(request):
    """What is read must not depend on where a block ends."""
    if request.param == "line by line":
        request.getfixturevalue("line_by_line")
