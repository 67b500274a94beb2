"""Connections that ask for nothing are closed; those that ask are answered, however slowly."""

import socket

import pytest

pytest.importorskip("uvicorn", reason="uvicorn is not installed (extra: serve)")

from linkprior.serve import patience, server


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


def test_silent_connections_keep_nobody_out_for_long(impatient):
    silent = [connected(impatient) for _ in range(server._AT_ONCE + 6)]
    try:
        for line in silent:
            assert line.recv(1) == b""  # closed by the server
        assert impatient.ask("GET", "")[0] == 200
    finally:
        for line in silent:
            line.close()


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
