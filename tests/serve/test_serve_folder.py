"""The folder of an explorer: one server's alone, tidy after a kill, and not always there."""

import json
import os
import shutil
import socket

import pytest
from tests.serve.support import until

from linkprior.errors import StoreError
from linkprior.serve import job_manager as desks
from linkprior.serve.job_request import JobRequest
from linkprior.serve.jobs import Job
from linkprior.serve.networks import Network
from linkprior.serve.workspace import Workplace

pytestmark = pytest.mark.skipif(os.name != "posix", reason="locks and signals as POSIX has them")

SLOW = {"model": "tri-degree", "settings": ["solver=streaming", "n_starts=100"]}


def test_two_servers_do_not_share_a_folder(tmp_path):
    """The second one could remove what the first one is writing."""
    first = Workplace(tmp_path)
    with pytest.raises(StoreError, match="another process is at work on this explorer's folder"):
        Workplace(tmp_path)
    first.close()
    Workplace(tmp_path).close()


def test_networks_of_a_killed_server_are_removed_and_nothing_else(tmp_path):
    (tmp_path / "networks" / ("a" * 32)).mkdir(parents=True)
    (tmp_path / "networks" / "mine.tsv").write_text("a\tb\n")
    Workplace(tmp_path).close()
    assert [place.name for place in (tmp_path / "networks").iterdir()] == ["mine.tsv"]


WHOLE = {"title": "net", "words": "l3", "command": ["a"], "state": "done", "error": None}


@pytest.mark.parametrize(
    "spoiled",
    [[], "text", {**WHOLE, "command": "a"}, {**WHOLE, "title": 3}, {**WHOLE, "error": {}}],
)
def test_a_job_that_says_nonsense_is_not_listed(tmp_path, spoiled):
    for name, facts in (("0" * 32, WHOLE), ("1" * 32, spoiled)):
        (tmp_path / "jobs" / name).mkdir(parents=True)
        (tmp_path / "jobs" / name / "job.json").write_text(json.dumps(facts))
    place = Workplace(tmp_path)
    listed = [job.id for job in place.kept(10)]
    place.close()
    assert listed == ["0" * 32]


def test_what_is_shown_of_another_folder_is_not_kept(tmp_path):
    desk = desks.JobManager(tmp_path)
    desk.show("run", "a result", lambda folder: (folder / "page.html").write_text("x"))
    assert len(list((tmp_path / "jobs").iterdir())) == 1
    desk.close()
    assert list((tmp_path / "jobs").iterdir()) == []


def test_a_folder_that_is_gone_is_told_and_the_jobs_still_end(start, large_file, tmp_path):
    (tmp_path / "work").mkdir()
    client = start(tmp_path / "work")
    network = client.upload(large_file, "large.tsv")
    running, waiting = client.order(network, **SLOW), client.order(network, model="pa")
    until(lambda: client.job(running)["progress"])
    shutil.rmtree(tmp_path / "work")
    for status, _, body in (
        client.ask("POST", "networks?name=a", b"a\tb\n"),
        client.ask("POST", "jobs", json.dumps({"network": network["id"]}).encode()),
    ):
        assert status == 507
        assert "folder of files is gone" in json.loads(body)["error"]
        assert str(tmp_path).encode() not in body
    child = client.desk.jobs[running]._child
    client.desk.close()  # not kept from it by the job that waits
    assert child._process.poll() is not None
    assert client.job(waiting)["state"] == "stopped"
    assert client.finished(running)["state"] == "stopped"


def test_a_job_that_cannot_be_kept_leaves_no_folder(tmp_path, monkeypatch):
    def full(_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("linkprior.serve.jobs.whole_file", full)
    network = Network("1", "net", tmp_path / "net", tmp_path, 1)
    with pytest.raises(OSError, match="No space"):
        Job.ordered("2", tmp_path / "2", network, JobRequest())
    assert not (tmp_path / "2").exists()


def test_a_name_with_a_dash_is_a_file_in_the_command_shown(tmp_path):
    network = Network("1", "-q.tsv", tmp_path / "upload.txt", tmp_path, 1)
    job = Job.ordered("2", tmp_path / "2", network, JobRequest(model="l3"))
    assert job.command[:3] == ["linkprior", "predict", "./-q.tsv"]


def test_no_more_networks_than_there_is_room_for_even_at_once(start, monkeypatch):
    """Room is looked for when a file begins to come, and once more when all of it is there."""
    client = start()
    head = (
        f"POST {client.path}networks?name=a HTTP/1.1\r\nHost: {client.host}\r\n"
        f"Origin: http://{client.host}\r\nConnection: close\r\nContent-Length: 8\r\n\r\n"
    )
    monkeypatch.setattr("linkprior.serve.job_manager.MOST_NETWORKS", 1)
    lines = [socket.create_connection(("127.0.0.1", client.port), timeout=30) for _ in range(2)]
    for line in lines:
        line.sendall(head.encode())
    until(lambda: len(list(client.desk.workplace.networks.iterdir())) == 2)
    answers = []
    for line in lines:
        line.sendall(b"a b\nb c\n")
        answers.append(line.recv(65536).split()[1])
        line.close()
    assert answers == [b"201", b"409"]
    assert len(list(client.desk.workplace.networks.iterdir())) == 1


def test_a_network_that_was_closed_takes_no_job(start, planted_file):
    client = start()
    number = client.upload(planted_file, "net.tsv")["id"]
    network = client.desk.networks[number]
    client.ask("DELETE", f"networks/{number}")
    with pytest.raises(desks.BusyError, match="closed"):
        client.desk.order(network, JobRequest(model="pa"))
