"""`linkprior serve` as a command: its address, how it ends, and what it refuses in one line."""

import os
import shutil
import signal
import socket
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from tests.cli.support import START, one_line_of_error
from tests.serve.support import Client, alive, predicted, until

from linkprior.cli.console import Console
from linkprior.serve import server as serving
from linkprior.serve.workspace import LaunchFile

pytest.importorskip("starlette", reason="starlette is not installed (extra: serve)")
pytest.importorskip("uvicorn", reason="uvicorn is not installed (extra: serve)")
pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals as POSIX has them")

serve_command = import_module("linkprior.cli.serve")  # the package names the command itself so
SLOW = {"model": "tri-degree", "settings": ["solver=streaming", "n_starts=100"]}  # ten minutes


class Running:
    """The command in a process of its own, and a client of it."""

    def __init__(self, *arguments, temporary, **environment):
        words = ["serve", "--port", "0", *map(str, arguments)]
        self.process = subprocess.Popen(
            [sys.executable, "-c", f"{START}main()\n", *words],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "TMPDIR": str(temporary), **environment},
        )
        self.address = self.process.stdout.readline().removeprefix("Explorer: ").strip()
        self.client = Client(self.address)

    def end(self, number):
        self.process.send_signal(number)
        return self.process.communicate(timeout=60)[1]


@pytest.fixture
def running(tmp_path):
    started = []
    temporary = tmp_path / "temporary"
    temporary.mkdir()

    def one(*arguments, **environment):
        started.append(Running(*arguments, temporary=temporary, **environment))
        started[-1].temporary = temporary
        return started[-1]

    yield one
    for each in started:
        if each.process.poll() is None:
            each.process.kill()
        each.process.communicate(timeout=60)


def job_process(folder):
    """The number of the process that works in a job's folder."""
    for entry in os.listdir("/proc"):
        try:
            if entry.isdigit() and os.readlink(f"/proc/{entry}/cwd").startswith(f"{folder}/"):
                return int(entry)
        except OSError:
            continue
    return None


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_it_with_its_jobs_and_leaves_nothing(running, large_file, number):
    server = running()
    (work,) = server.temporary.iterdir()
    assert work.stat().st_mode & 0o077 == 0
    client = server.client
    job = client.order(client.upload(large_file, "large.tsv"), **SLOW)
    until(lambda: client.job(job)["progress"])
    process = job_process(work)
    told = server.end(number)
    assert server.process.returncode == 128 + number
    assert told.splitlines()[-1].startswith("Interrupted: the explorer and its jobs have ended")
    assert "Traceback" not in told
    assert list(server.temporary.iterdir()) == []
    if process is not None:
        assert not alive(process)


@pytest.mark.skipif(not os.path.isdir("/proc"), reason="processes are found in /proc")
def test_jobs_end_by_themselves_when_the_server_is_killed(running, large_file):
    server = running()
    (work,) = server.temporary.iterdir()
    client = server.client
    job = client.order(client.upload(large_file, "large.tsv"), **SLOW)
    until(lambda: client.job(job)["progress"])
    process = job_process(work)
    assert alive(process)
    server.end(signal.SIGKILL)
    try:
        until(lambda: not alive(process), 30)  # long before its work would be done
    finally:
        if alive(process):
            os.kill(process, signal.SIGKILL)


def test_an_upload_cut_off_by_the_end_is_no_news(running):
    server = running()
    with server.client.begin_upload(b"a b\n", content_length=1000):
        (work,) = server.temporary.iterdir()
        until(lambda: list((work / "networks").iterdir()))
        told = server.end(signal.SIGINT)
    assert "Traceback" not in told
    assert [words.split(":")[0] for words in told.splitlines()] == [
        "Ctrl-C ends it and its jobs.",
        "Interrupted",
    ]


def test_a_network_on_the_command_line_is_read_at_once(running, edges, planted):
    client = running(edges).client
    until(lambda: client.state()["networks"][0]["state"] == "ready")
    (found,) = client.state()["networks"]
    assert found["name"] == "edges.tsv"
    assert found["report"]["edges"] == planted.n_edges
    assert client.finished(client.order(found, model="pa"))["state"] == "done"
    assert client.ask("DELETE", f"networks/{found['id']}")[0] == 204
    assert edges.exists()  # it is closed, not removed


def test_a_run_on_the_command_line_is_shown_at_once(running, edges, tmp_path):
    run = tmp_path / "run"
    predicted(edges, "--model", "l3", "--top", "20", "-o", f"{run}/")
    before = {path.name: path.stat().st_mtime_ns for path in run.iterdir()}
    server = running(run)
    assert "/jobs/" in server.address
    assert server.address.endswith("/page")
    client = Client(server.address.partition("jobs/")[0])
    (job,) = client.state()["jobs"]
    assert (job["state"], job["title"]) == ("done", "run")
    status, _, page = client.ask("GET", f"jobs/{job['id']}/page")
    assert status == 200
    assert b"Missing links of edges.tsv" in page
    assert client.ask("GET", f"jobs/{job['id']}/files/tsv")[2] == (run / "ranking.tsv").read_bytes()
    server.end(signal.SIGINT)
    assert {path.name: path.stat().st_mtime_ns for path in run.iterdir()} == before


def test_an_evaluation_is_shown_alone_and_next_to_a_run(running, run, edges, tmp_path):
    """As `linkprior report` has it."""
    both, judged = tmp_path / "run", tmp_path / "judged"
    predicted(edges, "--model", "l3", "--top", "20", "-o", f"{both}/")
    assert run("evaluate", edges, "--models", "l3,pa", "-o", judged, "-q")[0] == 0
    for name in ("results.json", "curves.json"):
        shutil.copy(judged / name, both / name)
    for folder, files, title in (
        (judged, [], b"Models compared on"),
        (both, ["tsv", "graphml", "cx2"], b"Missing links of edges.tsv"),
    ):
        client = Client(running(folder).address.partition("jobs/")[0])
        (job,) = client.state()["jobs"]
        assert (job["page"], job["files"]) == (True, files)
        status, _, page = client.ask("GET", f"jobs/{job['id']}/page")
        assert status == 200
        assert title in page
        assert b'"evaluation":' in page


def test_results_stay_in_a_folder_that_is_named(running, edges, tmp_path):
    kept = tmp_path / "kept"
    server = running(edges, "--work-folder", kept)
    client = server.client
    until(lambda: client.state()["networks"][0]["state"] == "ready")
    number = client.order(client.state()["networks"][0], model="l3")
    client.finished(number)
    told = server.end(signal.SIGINT)
    assert str(kept) in told.splitlines()[-1]
    assert (kept / "jobs" / number / "run" / "ranking.tsv").is_file()
    assert edges.is_file()


@pytest.mark.skipif(sys.platform != "linux", reason="a name may be any bytes on Linux")
def test_a_name_that_is_no_text_is_shown_as_well_as_can_be(running, planted_file, tmp_path):
    path = os.fsencode(tmp_path) + b"/\xff net.tsv"
    with open(path, "wb") as stream:
        stream.write(planted_file)
    client = running(os.fsdecode(path)).client
    until(lambda: client.state()["networks"][0]["state"] == "ready")
    (found,) = client.state()["networks"]
    assert found["name"] == "\ufffd net.tsv"
    job = client.finished(client.order(found, model="pa"))
    assert (job["state"], job["error"]) == ("done", None)
    assert client.ask("GET", f"jobs/{job['id']}/page")[0] == 200


# ---------------------------------------------------------------------- --open


@pytest.fixture
def browser_seen(tmp_path):
    """A browser that notes how it was called, and the notes."""
    program, notes = tmp_path / "browser", tmp_path / "called"
    program.write_text(
        f"#!/bin/sh\ntr '\\0' '\\n' </proc/$$/cmdline >{notes}.new\nmv {notes}.new {notes}\n"
    )
    program.chmod(0o700)
    return str(program), notes


@pytest.mark.skipif(not os.path.isdir("/proc"), reason="command lines are seen in /proc")
@pytest.mark.parametrize("mode", [None, 0o700, 0o755])
def test_no_command_line_shows_the_token_of_an_opened_address(
    running, browser_seen, tmp_path, mode
):
    program, notes = browser_seen
    kept = tmp_path / "kept"
    if mode is not None:
        kept.mkdir()
        kept.chmod(mode)
    server = running("--open", *(["--work-folder", kept] if mode else []), BROWSER=program)
    token = server.client.path.strip("/")
    until(notes.exists)
    called = notes.read_text()
    assert token not in called
    page = Path(urlsplit(called.splitlines()[-1]).path)
    assert called.splitlines()[-1] == page.as_uri()
    assert page.stat().st_mode & 0o777 == 0o600
    assert f'content="0; url={server.address}"' in page.read_text()
    inside = page.parent.parent == server.temporary
    assert inside if mode is None else page.parent == server.temporary
    assert server.client.ask("GET", "")[0] == 200
    server.end(signal.SIGINT)
    assert list(server.temporary.iterdir()) == []
    if mode is not None:
        assert {one.name for one in kept.iterdir()} <= {"networks", "jobs", "lock", ".lock"}


def test_where_no_browser_opens_the_address_is_there_to_be_opened(running, tmp_path):
    server = running("--open", BROWSER="/bin/false")
    said = [server.process.stderr.readline() for _ in range(2)]
    assert said[1] == "No browser could be opened: open the address yourself.\n"
    assert server.client.ask("GET", "")[0] == 200
    told = server.end(signal.SIGINT)
    assert "Traceback" not in told


def test_a_launch_file_that_cannot_be_written_is_reported(capsys, tmp_path):
    gone = LaunchFile(None)
    gone._folder = tmp_path / "gone"
    serve_command._open(Console(), gone, "http://127.0.0.1:1/token/")
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert said.startswith("No browser was opened (")
    assert said.endswith("open the address yourself.\n")


# ---------------------------------------------------------------------- refused in one line


@pytest.fixture
def port():
    """A port that somebody listens on."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        yield taken.getsockname()[1]


def test_a_port_in_use_is_reported_with_what_to_do_and_nothing_is_left(
    run, port, tmp_path, monkeypatch
):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    assert one_line_of_error(run("serve", "--port", port), f"port {port} is in use", "--port 0")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("tried", [20, 1])
def test_without_a_port_the_next_free_one_is_taken(monkeypatch, port, tried):
    monkeypatch.setattr(serving, "PORT", port)
    monkeypatch.setattr(serving, "_TRIED", tried)
    with serving._bound(None) as found:
        assert found.getsockname()[0] == "127.0.0.1"
        assert found.getsockname()[1] not in (0, port)


def test_what_is_missing_is_named(run, monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    said = "linkprior serve needs starlette and uvicorn: pip install 'linkprior[serve]'"
    assert one_line_of_error(run("serve"), said)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["nowhere.tsv"], "nowhere.tsv: no such file or folder"),
        (["-"], "standard input"),
        (["/dev/null"], "is a pipe or device"),
        (["--upload-limit", "much"], "--upload-limit expects a size"),
        (["{tmp}"], "is not a run folder"),
        (["--work-folder", "{tmp}"], "holds other files"),
        (["--work-folder", "{tmp}/edges.tsv"], "is a file"),
    ],
)
def test_what_cannot_be_served_is_refused(run, edges, tmp_path, arguments, told):
    given = [one.format(tmp=tmp_path) for one in arguments]
    assert one_line_of_error(run("serve", *given), told)
