"""Who is let in (token, host, origin), what no path reaches, and for how long."""

import contextlib
import http.client
import os
import socket

import pytest
from tests.serve.support import until

pytest.importorskip("uvicorn", reason="uvicorn is not installed (extra: serve)")

from linkprior.serve import security
from linkprior.serve.security import Guard

SAFE = {
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cache-control": "no-store",
    "cross-origin-resource-policy": "same-origin",
}
PASSWORDS = b"root:"


def safe(headers):
    there = {name.lower(): value for name, value in headers.items()}
    assert {name: there.get(name) for name in SAFE} == SAFE
    assert "default-src 'none'" in there["content-security-policy"]
    assert "frame-ancestors 'none'" in there["content-security-policy"]
    assert "server" not in there
    assert "access-control-allow-origin" not in there
    return True


def test_the_page_comes_with_the_token_and_not_without(client):
    status, headers, body = client.ask("GET", "")
    assert status == 200
    assert safe(headers)
    assert b"<title>linkprior</title>" in body
    assert b"unsafe" not in headers["content-security-policy"].encode()
    others = ("/%C3%A4%FF/state", f"{client.path.upper()}state", client.path[:-2] + "/")
    for path in ("/", "/state", "/events", f"/x{client.path}", "//", "", *others):
        status, headers, body = client.ask("GET", path or "*", raw=True)
        assert (status, body) in ((404, b"Not found\n"), (400, b"Invalid HTTP request received."))
        if status == 404:
            assert safe(headers)


def test_asking_for_the_headers_of_the_news_holds_no_line(client):
    line = http.client.HTTPConnection("127.0.0.1", client.port, timeout=30)
    try:
        for _ in range(2):  # the second would wait for ever behind news without end
            line.request("HEAD", f"{client.path}events", headers={"Host": client.host})
            answer = line.getresponse()
            assert answer.status == 200
            assert answer.getheader("content-type").startswith("text/event-stream")
            assert answer.read() == b""
    finally:
        line.close()


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1", "127.0.0.1:1", "[::1]:{port}", None])
def test_another_host_is_refused_before_the_token_is_looked_at(client, host):
    given = host and host.format(port=client.port)
    status, headers, body = client.ask("GET", "state", headers={"Host": given})
    if host is None:
        assert status == 400
        return
    assert status == 421
    assert safe(headers)
    assert f"ssh -L {client.port}:127.0.0.1:{client.port}".encode() in body
    assert client.path.strip("/").encode() not in body


def test_localhost_is_let_in_as_well(client):
    host = f"localhost:{client.port}"
    assert client.ask("GET", "state", headers={"Host": host})[0] == 200
    own = {"Host": host, "Origin": f"http://{host}"}
    assert client.ask("POST", "jobs", b"{}", own)[0] == 404  # let in; there is no such network


@pytest.mark.parametrize(
    "origin", [None, "null", "http://evil.example", "https://127.0.0.1:{port}", "http://127.0.0.1"]
)
@pytest.mark.parametrize(
    ("method", "path"),
    [("POST", "networks?name=a"), ("POST", "jobs"), ("POST", "jobs/1/stop"), ("DELETE", "jobs/1")],
)
def test_changes_need_our_own_origin(client, method, path, origin):
    given = origin and origin.format(port=client.port)
    before = client.state()
    status, headers, _ = client.ask(method, path, b"a\tb\n", {"Origin": given})
    assert status == 403
    assert safe(headers)
    assert client.state() == before


def test_a_foreign_page_may_not_read_either(client):
    status, headers, body = client.ask("GET", "state", headers={"Origin": "http://evil.example"})
    assert status == 403
    assert b"networks" not in body
    assert safe(headers)


@pytest.mark.parametrize(
    "path",
    [
        "../../../../etc/passwd",
        "jobs/../../../../../etc/passwd",
        "jobs/..%2f..%2f..%2f..%2fetc%2fpasswd/page",
        "jobs/%2e%2e/files/tsv",
        "jobs/%2e%2e/%2e%2e/page",
        "jobs//etc/passwd/page",
        "files/etc/passwd",
        "jobs/0/files/%2fetc%2fpasswd",
        "jobs/%00/page",
        "assets/explorer.js",
    ],
)
def test_no_path_reaches_the_disk(client, path):
    status, headers, body = client.ask("GET", path)
    assert status == 404
    assert PASSWORDS not in body
    assert safe(headers)


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "jobs/0123/page"),
        ("GET", "jobs/0123/files/tsv"),
        ("POST", "jobs/0123/stop"),
        ("DELETE", "jobs/0123"),
        ("DELETE", "networks/0123"),
    ],
)
def test_an_unknown_id_is_not_found(client, method, path):
    status, headers, body = client.ask(method, path)
    assert status == 404
    assert b"any more" in body
    assert safe(headers)


def test_methods_nobody_uses_and_headers_without_end_are_refused(client):
    assert client.ask("PUT", "jobs")[0] == 405
    assert client.ask("POST", "")[0] == 405
    try:
        status = client.ask("GET", "state", headers={"X-Long": "x" * 5_000_000})[0]
    except OSError:  # it hangs up before all is sent
        status = 400
    assert status == 400


def test_it_listens_on_the_loopback_alone(client):
    assert client.server._socket.getsockname()[0] == "127.0.0.1"
    with socket.socket() as other:
        other.settimeout(5)
        assert other.connect_ex(("127.0.0.2", client.port)) != 0


def test_an_address_without_its_last_slash_leads_to_the_page(client):
    status, headers, _ = client.ask("GET", client.path.rstrip("/"), raw=True)
    assert status == 307
    assert headers["location"] == f"http://{client.host}{client.path}"


def test_at_the_usual_port_of_the_web_no_port_is_named():
    guard = Guard(None, "token", 80)
    asked = {"path": "/token/", "method": "GET"}
    assert guard._refusal({**asked, "headers": [(b"host", b"127.0.0.1")]}) is None
    assert guard._refusal({**asked, "headers": [(b"host", b"127.0.0.1:81")]})[0] == 421


@pytest.fixture
def impatient(start, client, monkeypatch):
    monkeypatch.setattr(security, "WAIT", 0.3)
    other = start()
    assert other.path != client.path  # two servers have two tokens
    return other


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
        until(lambda: open_at(client) <= security.MOST_CONNECTIONS)
        most = before + len(fresh + lines) + security.MOST_CONNECTIONS
        until(lambda most=most: descriptors() <= most)
        while lines:
            lines.pop().close()
        lines += fresh


def test_room_is_made_by_the_oldest_silent_connection(client, lines, monkeypatch):
    monkeypatch.setattr(security, "WAIT", 600.0)  # nothing but room is a reason to close one
    monkeypatch.setattr(client.server._server.config, "timeout_keep_alive", 600.0)
    until(lambda: open_at(client) == 0)
    with connected(client) as listening, connected(client) as asked:
        listening.sendall(whole(client).replace(b" HTTP", b"events HTTP", 1))
        assert listening.recv(12) == b"HTTP/1.1 200"
        asked.sendall(whole(client))  # it is over when the others come, but had the token
        assert asked.recv(12) == b"HTTP/1.1 200"
        lines += [connected(client) for _ in range(security.MOST_CONNECTIONS + 5)]
        for line in lines[:7]:
            assert line.recv(1) == b""  # closed by the server
        assert all(map(is_open, (listening, asked, lines[-1])))


def drain(line):
    while line.recv(1 << 16):
        pass


def is_open(line):
    """Whether a connection is, whatever lies there to be read."""
    line.setblocking(False)
    try:
        drain(line)
    except BlockingIOError:
        return True
    return False


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


def test_more_requests_at_once_than_are_answered_are_reported(client, lines, monkeypatch):
    monkeypatch.setattr(security, "MOST_REQUESTS", 3)
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
        with pytest.raises(TimeoutError):
            drain(line)
