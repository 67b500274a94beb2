"""An explorer on a free port, in a thread of the tests."""

import threading

import numpy as np
import pytest
from tests.serve.support import Client

LIMIT = 3_000_000


@pytest.fixture(scope="session")
def planted_file(planted):
    """The planted network as the bytes of a file."""
    names = planted.names
    return "".join(f"{names[i]}\t{names[j]}\n" for i, j in planted.edges.tolist()).encode()


@pytest.fixture(scope="session")
def large_file():
    """A network whose fit by SLOW takes a minute."""
    pairs = np.random.default_rng(1).integers(0, 4000, (16000, 2))
    return "".join(f"n{a}\tn{b}\n" for a, b in pairs.tolist()).encode()


@pytest.fixture(scope="module")
def start(tmp_path_factory):
    """Start explorers; all of them are stopped in the end."""
    pytest.importorskip("starlette", reason="starlette is not installed (extra: serve)")
    pytest.importorskip("uvicorn", reason="uvicorn is not installed (extra: serve)")
    from linkprior.serve.jobs import JobManager
    from linkprior.serve.server import Server

    started = []

    def one(folder=None, limit=LIMIT):
        manager = JobManager(folder or tmp_path_factory.mktemp("work"))
        server = Server(manager, 0, limit)
        thread = threading.Thread(target=server.run)
        thread.start()
        started.append((server, thread))
        client = Client(server.address)
        client.manager, client.server = manager, server
        return client

    yield one
    for server, thread in started:
        server.stop()
        thread.join(30)
        assert not thread.is_alive()


@pytest.fixture(scope="module")
def client(start):
    """An explorer for all tests of a file."""
    return start()
