"""Connections that ask for nothing are closed; those that ask are answered, however slowly."""

import contextlib
import os
import socket

import pytest
from tests.serve.support import until

pytest.importorskip("uvicorn", reason="uvicorn is not installed (extra: serve)")

from linkprior.serve import guard, patience


@pytest.fixture
def impatient(start, monkeypatch):
    monkeypatch.setattr(patience, "WAIT", 0.3)
    return start()


def connected(client):
    line = socket.create_connection(("127.0.0.1", client.port), timeout=30)
    line.settimeout(30)
    return line


def whole(client):
    return f"GET {client.path} HTTP/1.1\r\nHost: {client.host}\r\n\r\n".encode()


@pytest.mark.parametrize("sent", [b"", b"G", b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n"])
def test_a_connection_without_a_whole_request_is_closed(impatient, sent):
    with connected(impatient) as line:
        line.sendall(sent)
        assert line.recv(1) == b""


def test_so_is_one_whose_second_request_never_gets_whole(impatient):
    with connected(impatient) as line:
        line.sendall(whole(impatient) + b"GET / HT")
        answer = b""
        while got := line.recv(1 << 16):
            answer += got
    assert answer.startswith(b"HTTP/1.1 200")
    assert answer.count(b"HTTP/1.1 ") == 1


def open_at(client):
    """How many connections a server has open."""
    return len(client.server._server.server_state.connections)


@pytest.fixture
def lines():
    """A list of connections, closed in the end."""
    made = []
    yield made
    for line in made:
        line.close()


def descriptors():
    return len(os.listdir("/proc/self/fd"))


@pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="descriptors are counted in /proc")
def test_silent_connections_keep_nobody_out_however_often_they_are_renewed(client, lines):
    before = descriptors()
    for _ in range(3):
        fresh = [connected(client) for _ in range(200)]
        assert client.ask("GET", "")[0] == 200
        until(lambda: open_at(client) <= patience.MOST)
        most = before + len(fresh + lines) + patience.MOST
        until(lambda most=most: descriptors() <= most)
        while lines:
            lines.pop().close()
        lines += fresh


def test_room_is_made_by_the_oldest_silent_connection(client, lines, monkeypatch):
    monkeypatch.setattr(patience, "WAIT", 600.0)  # nothing but room is a reason to close one
    monkeypatch.setattr(client.server._server.config, "timeout_keep_alive", 600.0)
    until(lambda: open_at(client) == 0)
    with connected(client) as listening, connected(client) as asked:
        listening.sendall(whole(client).replace(b" HTTP", b"events HTTP", 1))
        assert listening.recv(12) == b"HTTP/1.1 200"
        asked.sendall(whole(client))  # it is over when the others come, but had the token
        assert asked.recv(12) == b"HTTP/1.1 200"
        lines += [connected(client) for _ in range(patience.MOST + 5)]
        for line in lines[:7]:
            assert line.recv(1) == b""  # closed by the server
        assert closed(listening) is None
        assert closed(asked) is None
        assert closed(lines[-1]) is None


def closed(line):
    """None of a connection that is open, whatever lies there to be read."""
    line.setblocking(False)
    try:
        while line.recv(1 << 16):
            pass
    except BlockingIOError:
        return None
    return "closed"


@pytest.mark.at_length
def test_answers_that_nobody_reads_do_not_hold_a_connection(impatient, lines):
    """They fill all buffers, so that one of them is never sent to its end."""
    line = connected(impatient)
    lines.append(line)
    stranger = b"GET / HTTP/1.1\r\nHost: " + impatient.host.encode() + b"\r\n\r\n"
    line.settimeout(1.0)
    with contextlib.suppress(OSError):  # it takes no more, or has hung up
        for _ in range(2000):
            line.sendall(stranger * 100)
    until(lambda: open_at(impatient) == 0, 30)


def test_more_requests_at_once_than_are_answered_are_told(client, lines, monkeypatch):
    monkeypatch.setattr(guard, "AT_ONCE", 3)
    for _ in range(3):
        line = connected(client)
        lines.append(line)
        line.sendall(whole(client).replace(b" HTTP", b"events HTTP", 1))
        assert line.recv(12) == b"HTTP/1.1 200"
    status, _, body = client.ask("GET", "state")
    assert (status, body) == (503, b"3 requests are being answered; close some of the tabs\n")
    assert client.ask("GET", "/no/token", raw=True)[0] == 404
    lines.pop().close()
    until(lambda: client.ask("GET", "state")[0] == 200)


def test_a_request_under_way_is_not_cut_off(impatient):
    """News are a request that goes on for as long as somebody listens."""
    with connected(impatient) as line:
        news = whole(impatient).replace(b" HTTP", b"events HTTP", 1)
        line.sendall(news)
        assert line.recv(12) == b"HTTP/1.1 200"
        line.settimeout(2.0)  # seven times the patience
        try:
            while line.recv(1 << 16):
                pass
            closed = True
        except TimeoutError:
            closed = False
    assert not closed
