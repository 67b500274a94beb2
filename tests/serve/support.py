"""What the tests of the explorer share: a client that says exactly what it is told to."""

import http.client
import json
import os
import socket
import subprocess
import sys
import time
from urllib.parse import quote, urlsplit

PATIENCE = 120.0  # seconds; generous, a job of these tests takes two or three


def until(found, seconds=PATIENCE):
    """Wait for something true and return it."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        answer = found()
        if answer:
            return answer
        time.sleep(0.05)
    raise AssertionError("it never came")


def predicted(*arguments):
    """The command in a process of its own, with the engines the explorer's jobs have."""
    words = [sys.executable, "-m", "linkprior", "predict", *map(str, arguments)]
    done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=PATIENCE)
    assert done.returncode == 0, done.stderr
    return done


def alive(number):
    """Whether a process is there; one that has ended and waits to be fetched is not."""
    try:
        with open(f"/proc/{number}/stat", encoding="utf-8") as stream:
            return stream.read().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False
    except OSError:  # no /proc here
        try:
            os.kill(number, 0)
        except ProcessLookupError:
            return False
        return True


class Client:
    """Asks a server; by default as its own page would."""

    def __init__(self, address):
        parts = urlsplit(address)
        self.port, self.path = parts.port, parts.path
        self.host = f"127.0.0.1:{self.port}"

    def ask(self, method, path, body=None, headers=None, raw=False):
        """Return status, headers and body; a header that is None is left out."""
        usual = {"Host": self.host}
        if method not in ("GET", "HEAD"):
            usual["Origin"] = f"http://{self.host}"
        line = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        try:
            line.putrequest(
                method, path if raw else self.path + path, skip_host=True, skip_accept_encoding=True
            )
            sent = {**usual, **(headers or {})}
            if body is not None and not {"Content-Length", "Transfer-Encoding"} & set(sent):
                sent["Content-Length"] = str(len(body))
            for name, value in sent.items():
                if value is not None:
                    line.putheader(name, value)
            line.endheaders(body)
            answer = line.getresponse()
            return answer.status, dict(answer.getheaders()), answer.read()
        finally:
            line.close()

    def begin_upload(self, body=b"", **headers):
        """Return a connection on which an upload has begun, with headers and a part of its body."""
        lines = [f"POST {self.path}networks?name=begun HTTP/1.1", f"Host: {self.host}"]
        lines += [f"Origin: http://{self.host}", "Connection: close"]
        lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
        line = socket.create_connection(("127.0.0.1", self.port), timeout=30)
        line.sendall("\r\n".join([*lines, "", ""]).encode() + body)
        return line

    def send(self, path, data):
        """Send JSON; return status and answer."""
        status, _, body = self.ask("POST", path, json.dumps(data).encode())
        return status, json.loads(body) if body else None

    def state(self):
        return json.loads(self.ask("GET", "state")[2])

    def network(self, number):
        return next(one for one in self.state()["networks"] if one["id"] == number)

    def job(self, number):
        return next(one for one in self.state()["jobs"] if one["id"] == number)

    def upload(self, content, name):
        """Upload a file and return what was read of it."""
        status, _, body = self.ask("POST", f"networks?name={quote(name)}", content)
        assert status == 201, body
        number = json.loads(body)["id"]
        until(lambda: self.network(number)["state"] != "reading")
        return self.network(number)

    def order(self, network, **chosen):
        """Order a job that must be taken; return its id."""
        status, answer = self.send("jobs", {"network": network["id"], **chosen})
        assert status == 201, answer
        return answer["id"]

    def finished(self, number):
        """Wait for a job's end and return it."""
        until(lambda: self.job(number)["state"] not in ("waiting", "running"))
        return self.job(number)
