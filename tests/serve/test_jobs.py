"""Jobs: the command in a process of its own; what comes of it, of a stop, and of a crash."""

import http.client
import json
import os
import re
import signal
import time

import pytest
from tests.serve.support import alive, predicted, until

from linkprior.errors import ParameterError
from linkprior.serve.jobs import Job, JobRequest
from linkprior.serve.process import Child

pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals as POSIX has them")

SLOW = {"model": "tri-degree", "settings": ["solver=streaming", "n_starts=10"]}


@pytest.fixture(scope="module")
def network(client, planted_file):
    return client.upload(planted_file, "planted net.tsv")


@pytest.fixture(scope="module")
def large(client, large_file):
    return client.upload(large_file, "large.tsv")


def process_of(client, number):
    """The number of a job's process, once there is one."""
    child = until(lambda: client.manager.jobs[number]._child)
    return child._process.pid


def data_of(page):
    (found,) = re.findall(r'<script type="application/json" id="data">(.*?)</script>', page)
    return json.loads(found)


CHOICES = {
    "l3": ({"model": "l3", "top": 40}, ["--model", "l3", "--top", "40"]),
    "auto": (
        {"model": "auto", "effort": "fast", "top": 30, "seed": 7},
        ["--effort", "fast", "--top", "30", "--seed", "7"],
    ),
    "a model with parameters, around a node": (
        {"model": "tri", "settings": ["n_starts=1", "", "max_iter=5"], "node": "HUB", "top": 12},
        ["--model", "tri", "--set", "n_starts=1", "--set", "max_iter=5", "--top", "12"],
    ),
}


@pytest.mark.parametrize(
    "chosen", [pytest.param(x, marks=[pytest.mark.at_length] * (x != "l3")) for x in CHOICES]
)
def test_downloads_are_the_bytes_of_the_command_line(
    client, network, planted, planted_file, tmp_path, chosen
):
    asked, options = CHOICES[chosen]
    if "node" in asked:
        hub = str(planted.names[int(planted.degrees.argmax())])
        asked, options = {**asked, "node": hub}, [*options, "--node", hub]
    number = client.order(network, **asked)
    job = client.finished(number)
    assert (job["state"], job["error"]) == ("done", None)
    assert job["files"] == ["tsv", "graphml", "cx2", "log"]
    (tmp_path / "planted net.tsv").write_bytes(planted_file)
    for kind in ("tsv", "graphml", "cx2"):
        target = tmp_path / f"links.{kind}"
        predicted(tmp_path / "planted net.tsv", *options, "-o", target)
        status, headers, body = client.ask("GET", f"jobs/{number}/files/{kind}")
        assert status == 200
        assert body == target.read_bytes()
        name = f"planted_net_{asked['model']}.{kind}"
        assert headers["content-disposition"] == f'attachment; filename="{name}"'


def test_the_page_shows_the_list_under_the_name_of_the_file(client, network):
    number = client.order(network, model="l3", top=25)
    assert client.finished(number)["page"]
    status, headers, body = client.ask("GET", f"jobs/{number}/page")
    assert status == 200
    policy = headers["content-security-policy"]
    assert policy.startswith("sandbox allow-scripts")
    assert "allow-same-origin" not in policy
    page = body.decode()
    data = data_of(page)
    assert data["title"] == "Missing links of planted net.tsv"
    assert len(data["links"]["source"]) == 25
    assert data["about"]["command"] == ("linkprior predict 'planted net.tsv' --model=l3 --top=25")
    assert '<a href="../../">' in page
    assert str(client.manager.workspace.jobs.parent) not in page


def test_messages_can_be_read_and_a_job_that_is_over_removed(client, network):
    number = client.order(network, model="pa")
    job = client.finished(number)
    status, _, body = client.ask("GET", f"jobs/{number}/files/log")
    assert status == 200
    assert b"Reading planted net.tsv" in body
    assert b"Fitting pa" in body
    assert b"progress" not in body
    assert job["messages"][-1] in body.decode()
    assert job["seconds"] > 0
    folders = [client.manager.jobs[number].folder, client.manager.networks[network["id"]].folder]
    assert all(folder.stat().st_mode & 0o077 == 0 for folder in folders)  # nobody else's to read
    assert client.ask("DELETE", f"jobs/{number}")[0] == 204
    assert number not in [job["id"] for job in client.state()["jobs"]]
    assert not folders[0].exists()


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ({"node": "nobody-of-this-name"}, "nobody-of-this-name"),
        ({"model": "tri", "settings": ["depth=3"]}, "depth"),
        ({"model": "auto", "effort": "fast", "settings": ["effort=normal"]}, "not both"),
    ],
)
def test_what_the_command_refuses_is_reported_in_its_own_line(client, network, asked, told):
    job = client.finished(client.order(network, **{"model": "l3", **asked}))
    assert job["state"] == "failed"
    assert told in job["error"]
    assert not job["error"].startswith("linkprior:")
    assert "Traceback" not in job["error"]
    assert job["files"] == ["log"]
    assert client.ask("GET", f"jobs/{job['id']}/page")[0] == 404
    assert client.ask("GET", f"jobs/{job['id']}/files/tsv")[0] == 404


def test_progress_is_reported_and_a_stop_ends_the_process(client, large):
    number = client.order(large, **SLOW)
    told = until(lambda: (client.job(number)["progress"] or {}).get("fraction"))
    assert 0 < told <= 1
    process = process_of(client, number)
    assert alive(process)
    assert client.ask("DELETE", f"jobs/{number}")[0] == 409
    assert client.ask("DELETE", f"networks/{large['id']}")[0] == 409
    assert client.ask("POST", f"jobs/{number}/stop")[0] == 204
    job = client.finished(number)
    assert (job["state"], job["error"], job["page"]) == ("stopped", None, False)
    assert not alive(process)
    assert any("Interrupted" in line for line in job["messages"])
    assert client.ask("POST", f"jobs/{number}/stop")[0] == 204  # once more is no harm
    assert client.job(number)["state"] == "stopped"


def test_a_job_that_is_killed_takes_nobody_along(client, large, network):
    number = client.order(large, **SLOW)
    until(lambda: client.job(number)["progress"])
    os.kill(process_of(client, number), signal.SIGKILL)
    job = client.finished(number)
    assert job["state"] == "failed"
    assert "memory may have run out" in job["error"]
    assert client.finished(client.order(network, model="pa"))["state"] == "done"


def test_one_runs_and_the_others_wait_their_turn(client, large, network):
    first = client.order(large, **SLOW)
    second, third = (client.order(network, model="pa") for _ in range(2))
    until(lambda: client.job(first)["state"] == "running")
    waiting = [client.job(number) for number in (second, third)]
    assert [(job["state"], job["ahead"]) for job in waiting] == [("waiting", 1), ("waiting", 2)]
    listed = [job["id"] for job in client.state()["jobs"][:3]]
    assert listed == [third, second, first]
    assert client.ask("POST", f"jobs/{second}/stop")[0] == 204
    assert client.job(second)["state"] == "stopped"
    assert client.job(third)["ahead"] == 1
    client.ask("POST", f"jobs/{first}/stop")
    assert client.finished(third)["state"] == "done"
    assert client.manager.jobs[second]._child is None  # it never began


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ({"model": "l4"}, "no model is called 'l4'"),
        ({"model": "degree:"}, "no model"),
        ({"model": "--dask=evil"}, "no model"),
        ({"model": 3}, "model expects"),
        ({"top": 0}, "top expects a whole number"),
        ({"top": "100"}, "top expects"),
        ({"top": True}, "top expects"),
        ({"top": 10**9}, "top expects"),
        ({"effort": "none"}, "effort expects"),
        ({"seed": -1}, "seed expects"),
        ({"node": "a\nb"}, "node expects"),
        ({"node": "x" * 1000}, "node expects"),
        ({"settings": "rank=3"}, "settings expects"),
        ({"settings": ["rank"]}, "settings expects name=value"),
        ({"settings": ["--output=x"]}, "settings expects name=value"),
        ({"settings": ["a=1"] * 100}, "settings expects"),
        ({"output": "/tmp/x"}, "output"),
    ],
)
def test_a_choice_that_is_none_is_refused_before_a_job_begins(client, network, asked, told):
    before = len(client.state()["jobs"])
    status, answer = client.send("jobs", {"network": network["id"], **asked})
    assert status == 400
    assert told in answer["error"]
    assert len(client.state()["jobs"]) == before


def test_what_is_no_form_of_the_page_is_refused(client):
    for body in (b"[1]", b"{", b"[" * 60_000):
        assert client.ask("POST", "jobs", body)[0] == 400
    assert client.ask("POST", "jobs", b" " * 70_000)[0] == 413
    assert client.send("jobs", {"network": "../1"})[0] == 404
    assert client.send("jobs", {"network": ["x"]})[0] == 404


def test_values_never_become_options():
    order = JobRequest.of({"model": "tri", "node": "--report=/tmp/x", "settings": ["a=--force"]})
    assert order.options() == [
        "--model=tri",
        "--top=100",
        "--node=--report=/tmp/x",
        "--set=a=--force",
    ]
    assert JobRequest.of({"model": "degree:l3"}).model == "degree:l3"
    assert JobRequest.of({"model": "l3", "effort": "fast"}).effort is None
    assert JobRequest.of({"effort": "fast", "top": 1, "node": "TP53"}).summary == (
        "auto (fast), 1 link of TP53"
    )
    with pytest.raises(ParameterError):
        JobRequest.of({"model": "evil:l3"})


@pytest.mark.parametrize(
    ("limit", "told"), [("JOBS", "remove finished ones"), ("WAITING", "waiting")]
)
def test_too_many_jobs_are_refused(client, network, monkeypatch, limit, told):
    monkeypatch.setattr(f"linkprior.serve.jobs.MOST_{limit}", 0)
    status, answer = client.send("jobs", {"network": network["id"], "model": "pa"})
    assert status == 409
    assert told in answer["error"]


def test_a_job_that_cannot_be_started_is_reported(client, network, monkeypatch):
    def no_process(*_):
        raise OSError("no room for one more")

    monkeypatch.setattr("linkprior.serve.jobs.Child", no_process)
    job = client.finished(client.order(network, model="pa"))
    assert (job["state"], job["error"]) == ("failed", "no room for one more")
    monkeypatch.undo()
    assert client.finished(client.order(network, model="pa"))["state"] == "done"


class Watch:
    """A stream of events, as a page reads it."""

    def __init__(self, client):
        self.line = http.client.HTTPConnection("127.0.0.1", client.port, timeout=30)
        self.line.request("GET", f"{client.path}events", headers={"Host": client.host})
        self.answer = self.line.getresponse()
        assert self.answer.headers["content-type"].startswith("text/event-stream")

    def next(self):
        while line := self.answer.readline():
            if line.startswith(b"data: "):
                return json.loads(line[6:])
        return None

    def close(self):
        self.answer.close()
        self.line.close()


def test_a_page_that_connects_gets_everything_and_then_every_change(client, network):
    watch = Watch(client)
    first = watch.next()
    assert first == client.state()
    number = client.order(network, model="pa")
    seen = []
    while True:
        (job,) = [one for one in watch.next()["jobs"] if one["id"] == number]
        seen.append(job["state"])
        if job["state"] == "done":
            break
    assert "running" in seen
    watch.close()
    again = Watch(client)  # a reload: the job is still there
    assert number in [job["id"] for job in again.next()["jobs"]]
    number = client.order(network, model="pa")
    again.close()  # a closed tab does not end its job
    assert client.finished(number)["state"] == "done"


def test_those_who_watch_hear_that_it_ends(start):
    client = start()
    watch = Watch(client)
    watch.next()
    began = time.monotonic()
    client.server.stop()
    assert watch.next() is None
    watch.close()
    assert time.monotonic() - began < 30


def test_an_explorer_in_the_same_folder_shows_what_was_done_there(start, planted_file, tmp_path):
    one = start(tmp_path)
    number = one.order(one.upload(planted_file, "net.tsv"), model="l3")
    one.finished(number)
    content = one.ask("GET", f"jobs/{number}/files/tsv")[2]
    one.server.stop()
    (tmp_path / "jobs" / ("0" * 32)).mkdir()  # cut off before it knew what it is
    (tmp_path / "jobs" / "notes").mkdir()
    other = start(tmp_path)
    (job,) = other.state()["jobs"]
    assert (job["id"], job["state"], job["title"]) == (number, "done", "net.tsv")
    assert other.ask("GET", f"jobs/{number}/files/tsv")[2] == content
    assert other.ask("GET", f"jobs/{number}/page")[0] == 200
    assert other.state()["networks"] == []


def test_a_process_that_does_not_listen_is_ended_for_good(tmp_path, monkeypatch):
    (tmp_path / "stubborn.py").write_text(
        "import signal, sys, time\n"
        "signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
        "print('ready', file=sys.stderr, flush=True)\n"
        "time.sleep(600)\n"
    )
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setattr("linkprior.serve.process.GRACE", 0.2)
    child = Child(["stubborn"], tmp_path)
    assert next(child.lines()) == "ready"
    child.stop()
    assert child.wait() == -signal.SIGKILL
    child.stop()  # one that is gone already


def test_a_line_that_is_no_object_is_a_message(client, network, tmp_path):
    known = client.manager.networks[network["id"]]
    job = Job(tmp_path, "net", "l3", [], network=known)
    kept = []
    for line in ("plain", "[1]", '{"say": "two\\nlines"}', '{"progress": {"fraction": 0.5}}', "{"):
        job._receive(line, kept.append)
    assert kept == ["plain\n", "[1]\n", "two\nlines\n", "{\n"]
    assert job.messages == ("plain", "[1]", "two", "lines", "{")
    assert job.progress["fraction"] == 0.5
