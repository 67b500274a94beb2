"""The files of an explorer: its folder, uploads up to a limit, names of ours."""

import gzip
import json
import os
import shutil
import signal

import pytest
from tests.serve.support import until

from linkprior.errors import StoreError
from linkprior.serve import jobs, workspace
from linkprior.serve.jobs import Job, JobRequest
from linkprior.serve.workspace import Network, Workspace

pytestmark = pytest.mark.skipif(os.name != "posix", reason="locks and signals as POSIX has them")

SLOW = {"model": "tri-degree", "settings": ["solver=streaming", "n_starts=100"]}


def test_two_servers_do_not_share_a_folder(tmp_path):
    """The second one could remove what the first one is writing."""
    first = Workspace(tmp_path)
    with pytest.raises(StoreError, match="another process is at work on this explorer's folder"):
        Workspace(tmp_path)
    first.close()
    Workspace(tmp_path).close()


def test_networks_of_a_killed_server_are_removed_and_nothing_else(tmp_path):
    (tmp_path / "networks" / ("a" * 32)).mkdir(parents=True)
    (tmp_path / "networks" / "mine.tsv").write_text("a\tb\n")
    Workspace(tmp_path).close()
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
    restored = [Job.restore(folder) for folder in sorted((tmp_path / "jobs").iterdir())]
    assert restored[0].id == "0" * 32
    assert restored[1] is None


def test_what_is_shown_of_another_folder_is_not_kept(tmp_path):
    manager = jobs.JobManager(tmp_path)
    manager.show("run", "a result", lambda folder: (folder / "page.html").write_text("x"))
    assert len(list((tmp_path / "jobs").iterdir())) == 1
    manager.close()
    assert list((tmp_path / "jobs").iterdir()) == []


def test_a_folder_that_is_gone_is_reported_and_the_jobs_still_end(start, large_file, tmp_path):
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
    child = client.manager.jobs[running]._child
    client.manager.close()  # not kept from it by the job that waits
    assert child._process.poll() is not None
    assert client.job(waiting)["state"] == "stopped"
    assert client.finished(running)["state"] == "stopped"


def test_a_job_that_cannot_be_kept_leaves_no_folder(tmp_path, monkeypatch):
    def full(_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("linkprior.serve.jobs.whole_file", full)
    network = Network("1", "net", tmp_path / "net", tmp_path, 1)
    with pytest.raises(OSError, match="No space"):
        Job.create(tmp_path, network, JobRequest())
    assert list(tmp_path.iterdir()) == []


def test_a_name_with_a_dash_is_a_file_in_the_command_shown(tmp_path):
    network = Network("1", "-q.tsv", tmp_path / "upload.txt", tmp_path, 1)
    job = Job.create(tmp_path, network, JobRequest(model="l3"))
    assert job.command[:3] == ["linkprior", "predict", "./-q.tsv"]


def test_no_more_networks_than_there_is_room_for_even_at_once(start, monkeypatch):
    """Room is looked for when a file begins to come, and once more when all of it is there."""
    client = start()
    monkeypatch.setattr("linkprior.serve.jobs.MOST_NETWORKS", 1)
    lines = [client.begin_upload(content_length=8) for _ in range(2)]
    until(lambda: len(list(client.manager.workspace.networks.iterdir())) == 2)
    answers = []
    for line in lines:
        line.sendall(b"a b\nb c\n")
        answers.append(line.recv(65536).split()[1])
        line.close()
    assert answers == [b"201", b"409"]
    assert len(list(client.manager.workspace.networks.iterdir())) == 1


def test_a_network_that_was_closed_takes_no_job(start, planted_file):
    client = start()
    number = client.upload(planted_file, "net.tsv")["id"]
    network = client.manager.networks[number]
    client.ask("DELETE", f"networks/{number}")
    with pytest.raises(jobs.BusyError, match="closed"):
        client.manager.submit(network, JobRequest(model="pa"))


def kept(client):
    """Folders of networks on the disk."""
    return sorted(place.name for place in client.manager.workspace.networks.iterdir())


def test_the_input_report_tells_what_the_file_holds(client, planted, planted_file):
    doubled = planted_file + b"# a comment\n" + planted_file.splitlines()[0] + b"\nx\tx\n"
    found = client.upload(doubled, "my network.tsv")
    assert found["state"] == "ready"
    assert found["name"] == "my network.tsv"
    assert found["size"] == len(doubled)
    report = found["report"]
    assert (report["nodes"], report["edges"]) == (planted.n_nodes, planted.n_edges)
    assert report["max_degree"] == planted.degrees.max()
    assert report["mean_degree"] == pytest.approx(2 * planted.n_edges / planted.n_nodes)
    told = " ".join(report["lines"])
    assert "1 duplicate merged" in told
    assert "1 self-loop left out (x)" in told


def test_a_file_is_read_by_its_packing_and_the_ending_of_its_name(client, planted, planted_file):
    """Three columns, the middle one is no node: only a file's name can tell."""
    content = b"a likes b\nb likes c\nc knows d\n"
    for sent, name, kind in (
        (gzip.compress(planted_file), "net.tsv.gz", "gzip"),
        (content, "friends.sif", "SIF"),
        (content, "friends.txt", "edge list"),
    ):
        assert kind in client.upload(sent, name)["report"]["kind"]


@pytest.mark.parametrize(
    ("content", "name", "told"),
    [
        (b"\x7fELF\x00\x01\x02", "program", "program:1: a NUL byte: this is not text"),
        (b"word\nother\n", "poem.txt", "poem.txt:1: "),
        (b"a\ta\n", "loops.tsv", "loops.tsv: all 1 rows join a node to itself"),
        (b"%PDF-1.7 ...", "paper.pdf", "paper.pdf: is a PDF document"),
    ],
)
def test_a_file_that_is_no_network_is_refused_by_its_own_name(client, content, name, told):
    found = client.upload(content, name)
    assert found["state"] == "refused"
    assert told in found["error"]
    assert "upload" not in found["error"]
    assert str(client.manager.workspace.networks) not in found["error"]
    status, answer = client.send("jobs", {"network": found["id"]})
    assert status == 409
    assert "read" in answer["error"]


@pytest.mark.parametrize("length", ["0", "2000000000", "9" * 19, "9" * 20])
def test_an_empty_file_and_two_gigabytes_are_refused_before_one_byte_is_read(client, length):
    before = kept(client)
    headers = {"Content-Length": length}
    status, answered, body = client.ask("POST", "networks?name=all.tsv", None, headers)
    assert kept(client) == before
    if length == "0":
        assert (status, b"is empty" in body) == (400, True)
        return
    assert status == 413
    assert b"larger than 3 MB" in body
    assert b"--upload-limit" in body
    assert answered["connection"] == "close"


def test_a_body_that_does_not_tell_its_size_is_cut_off_at_the_limit(client):
    before = kept(client)
    piece = b"%x\r\n" % 65536 + b"x" * 65536 + b"\r\n"
    with client.begin_upload(transfer_encoding="chunked") as line:
        try:
            for _ in range(200):
                line.sendall(piece)
            line.sendall(b"0\r\n\r\n")
            answer = line.recv(65536)
        except OSError:  # it hangs up before all is sent
            answer = b"HTTP/1.1 413 "
    assert answer == b"" or b" 413 " in answer.splitlines()[0]
    assert [one["name"] for one in client.state()["networks"]].count("begun") == 0
    until(lambda: kept(client) == before)


def test_an_upload_that_breaks_off_leaves_nothing(client):
    before = kept(client)
    with client.begin_upload(b"a\tb\n", content_length=100_000):
        until(lambda: len(kept(client)) > len(before))
    until(lambda: kept(client) == before)
    assert client.ask("GET", "state")[0] == 200


@pytest.mark.parametrize(
    ("given", "shown", "stored"),
    [
        ("../../etc/passwd", "passwd", "upload.txt"),
        ("C:\\data\\net.SIF", "net.SIF", "upload.sif"),
        ("a.graph.gz", "a.graph.gz", "upload.graph.gz"),
        ("x.sif/../y.py", "y.py", "upload.txt"),
        ("<img src=x>.cx2", "<img src=x>.cx2", "upload.cx2"),
        ("a\x00b\nc.tsv", "a\ufffdb\ufffdc.tsv", "upload.txt"),
        ("", "network", "upload.txt"),
        ("..", "..", "upload.txt"),
        (".gz", ".gz", "upload.txt"),
        ("n" * 500 + ".sif", "n" * 116 + ".sif", "upload.sif"),
    ],
)
def test_names_are_shown_and_never_paths(given, shown, stored):
    assert workspace.display_name(given) == shown
    assert workspace.stored_name(given) == stored


def test_a_hostile_name_stays_inside_the_folder(client, planted_file):
    found = client.upload(planted_file, "../../../tmp/<b>evil</b>.tsv")
    assert found["name"] == "b>.tsv"  # what stands after the last slash
    folder = client.manager.workspace.networks / found["id"]
    assert sorted(place.name for place in folder.iterdir()) == ["report.json", "upload.txt"]


def test_a_reader_that_dies_is_reported_and_harms_nobody(client, planted_file, monkeypatch):
    class Dying(workspace.Child):
        def lines(self):
            os.kill(self._process.pid, signal.SIGKILL)
            return super().lines()

    monkeypatch.setattr(workspace, "Child", Dying)
    found = client.upload(planted_file, "net.tsv")
    assert found["state"] == "refused"
    assert found["error"].startswith("net.tsv: reading it ended early")
    assert "memory" in found["error"]
    monkeypatch.undo()
    assert client.upload(planted_file, "net.tsv")["state"] == "ready"


def test_a_network_is_closed_with_its_file(start, planted_file, monkeypatch):
    client = start()
    found = client.upload(planted_file, "net.tsv")
    monkeypatch.setattr("linkprior.serve.jobs.MOST_NETWORKS", 1)
    status, _, body = client.ask("POST", "networks?name=b", b"a\tb\n")
    assert status == 409
    assert b"close one first" in body
    assert client.ask("DELETE", f"networks/{found['id']}")[0] == 204
    assert client.state()["networks"] == []
    assert kept(client) == []
