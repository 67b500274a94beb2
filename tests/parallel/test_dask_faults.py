"""What goes wrong with a cluster is told in one line, and nothing hangs."""

import gc
import os
import pickle
import signal
import subprocess
import sys

import pytest
from click.testing import CliRunner
from tests.cli.support import command
from tests.parallel.conftest import small_cluster

import linkprior as lp
from linkprior import _config, parallel
from linkprior.errors import ParameterError

pytest.importorskip("distributed", reason="distributed is not installed (extra: dask)")
from linkprior.parallel import dask as dask_engine


@pytest.fixture(scope="module")
def empty():
    """A scheduler without a worker."""
    with small_cluster(0) as cluster:
        yield cluster


def refused(address, expected, wait=1.0):
    with pytest.raises(lp.LinkpriorError, match=expected) as caught, lp.use_dask(address, wait):
        pass
    assert "\n" not in str(caught.value)


# ---------------------------------------------------------------------- connecting


@pytest.mark.parametrize("address", ["", "  ", 8786, None])
def test_what_is_no_address_is_refused(address):
    with pytest.raises(ParameterError, match="address of a scheduler"), lp.use_dask(address):
        pass


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:9", "nowhere", "http://x:1", "gone.json"])
def test_a_scheduler_that_does_not_answer_is_named(address, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(dask_engine, "CONNECTING", 0.5)
    refused(address, f"no dask scheduler answers at {address} ")


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:9", "nowhere", "http://x:1"])
def test_what_could_not_be_reached_is_closed_and_not_left_to_the_garbage_collector(
    address, monkeypatch
):
    """Closing takes a lock; collected while that is held, a client would wait for ever."""
    monkeypatch.setattr(dask_engine, "CONNECTING", 0.5)
    gc.collect()
    gc.disable()
    try:
        refused(address, "no dask scheduler answers")
        left = [found for found in gc.get_objects() if issubclass(type(found), dask_engine.Client)]
        assert left  # else this test would not see them
        assert {client.status for client in left} == {"closed"}
    finally:
        gc.enable()


def test_a_client_whose_loop_does_not_start_in_time_is_reported_in_a_line(monkeypatch):
    class Stalled:
        def __init__(self, *_, **__):
            raise AssertionError

    monkeypatch.setattr(dask_engine, "_SoonClosed", Stalled)
    refused("tcp://127.0.0.1:9", "no dask scheduler answers at tcp://127.0.0.1:9 ")


def test_a_scheduler_file_without_an_address_is_refused(tmp_path):
    (tmp_path / "s.json").write_text("[1, 2]")
    refused(str(tmp_path / "s.json"), "holds no address")


def test_a_scheduler_without_workers_is_not_waited_for_for_ever(empty):
    refused(empty.scheduler_address, "has had no worker for 0.2 s", wait=0.2)


def test_without_dask_the_message_says_what_to_install(monkeypatch):
    monkeypatch.delitem(sys.modules, "linkprior.parallel.dask")
    monkeypatch.delattr(parallel, "dask")
    monkeypatch.setitem(sys.modules, "distributed", None)
    refused("local", r"pip install 'linkprior\[dask\]'")


# ---------------------------------------------------------------------- workers unlike us


def test_a_worker_with_another_version_is_named(cluster, monkeypatch):
    monkeypatch.setattr(dask_engine, "__version__", "99.1")
    refused(cluster.scheduler_address, r"dask worker tcp://.* has linkprior .* \(here 99.1\)")


def test_a_worker_with_other_kernels_is_named(cluster):
    with _config.using(kernels="other"):
        refused(cluster.scheduler_address, r"LINKPRIOR_KERNELS \w+ \(here other\)")


def test_a_worker_that_comes_later_checks_itself():
    wanted = dask_engine.facts() | {"numpy": "0.1"}
    failed, _, problem = pickle.loads(dask_engine.run_task(b"", b"", wanted))  # noqa: S301
    assert failed
    with pytest.raises(lp.LinkpriorError, match=r"that joined later has numpy .* \(here 0.1\)"):
        raise problem


BARE_WORKER = """
import importlib.metadata as metadata, sys
real = metadata.version
def version(name):
    if name == "linkprior":
        raise metadata.PackageNotFoundError(name)
    return real(name)
metadata.version = version
sys.modules["linkprior"] = None
from distributed.cli.dask_worker import main
main(sys.argv[1:])
"""


def test_a_worker_without_the_package_is_named(empty):
    run = [sys.executable, "-c", BARE_WORKER, empty.scheduler_address]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    with subprocess.Popen([*run, "--no-nanny", "--no-dashboard"], **quiet) as worker:
        try:
            refused(empty.scheduler_address, r"dask worker tcp://.* has no linkprior", wait=30)
        finally:
            worker.kill()


# ---------------------------------------------------------------------- in the middle of it


def test_when_all_workers_are_lost_it_ends():
    with small_cluster(1) as one, lp.use_dask(one.scheduler_address, wait=0.5):
        results = parallel.map_tasks(lambda number: number, range(10_000), remote=True)
        assert next(results) == 0
        one.scale(0)
        with pytest.raises(lp.LinkpriorError, match="has had no worker for 0.5 s"):
            list(results)


def test_a_task_that_ends_every_worker_is_given_up(monkeypatch):
    import dask

    monkeypatch.setattr(dask_engine, "ATTEMPTS", 1)
    with (
        dask.config.set({"distributed.scheduler.allowed-failures": 0}),
        small_cluster(1) as one,
        lp.use_dask(one.scheduler_address),
        pytest.raises(lp.LinkpriorError, match="every dask worker that took one of the tasks died"),
    ):
        list(parallel.map_tasks(lambda _: os._exit(1), range(2), remote=True))


def test_a_cluster_that_will_not_close_costs_no_result(monkeypatch):
    closed = dask_engine.LocalCluster.close

    def late(cluster, timeout):
        closed(cluster, timeout)
        raise TimeoutError

    monkeypatch.setattr(dask_engine.LocalCluster, "close", late)
    with lp.use_workers(1), lp.use_dask("local"):
        assert list(parallel.map_tasks(lambda number: number, range(3), remote=True)) == [0, 1, 2]


def test_when_the_scheduler_is_lost_it_ends():
    one = small_cluster(1)
    with one, lp.use_dask(one.scheduler_address):
        results = parallel.map_tasks(lambda number: number, range(10_000), remote=True)
        assert next(results) == 0
        one.close()
        with pytest.raises(lp.LinkpriorError, match="no longer answers|has had no worker"):
            list(results)


def test_results_nobody_wants_are_dropped(cluster):
    with lp.use_dask(cluster.scheduler_address) as engine:
        results = parallel.map_tasks(lambda number: number, range(100), remote=True)
        assert next(results) == 0
        results.close()
        assert list(parallel.map_tasks(lambda number: -number, range(3), remote=True)) == [
            0,
            -1,
            -2,
        ]
    assert engine.traffic.passes == 2


# ---------------------------------------------------------------------- the command


def write_edges(net, path):
    names = net.names
    path.write_text("".join(f"{names[i]}\t{names[j]}\n" for i, j in net.edges.tolist()))


def test_the_command_says_what_went_over_the_wire(cluster, net, tmp_path):
    from linkprior.cli.main import cli

    write_edges(net, tmp_path / "edges.tsv")
    asked = ["evaluate", str(tmp_path / "edges.tsv"), "--models", "l3", "--metrics", "auprc"]
    plain = CliRunner().invoke(cli, asked)
    remote = CliRunner().invoke(cli, [*asked, "--dask", cluster.scheduler_address])
    assert remote.exit_code == plain.exit_code == 0, remote.output
    assert remote.stdout == plain.stdout
    assert "dask: 1 pass, " in remote.stderr
    assert "dask" not in plain.stderr


@pytest.mark.skipif(not hasattr(os, "killpg"), reason="needs process groups")
def test_ctrl_c_ends_the_command_and_its_processes(net, tmp_path):
    import psutil

    write_edges(net, tmp_path / "edges.tsv")
    asked = ["evaluate", tmp_path / "edges.tsv", "--models", "auto", "--repeats", "50"]
    run = command(*asked, "--dask", "local", "--workers", "2")
    pipes = {"stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen(run, start_new_session=True, **pipes) as process:
        for line in process.stderr:
            if "hidden edges to find" in line:
                break
        children = psutil.Process(process.pid).children(recursive=True)
        assert children
        os.killpg(process.pid, signal.SIGINT)
        _, said = process.communicate(timeout=30)
    assert process.returncode == 130
    assert "Interrupted" in said
    assert "Traceback" not in said
    _, alive = psutil.wait_procs(children, timeout=30)
    assert not alive
