"""The engine of dask: the same results as here, counted bytes, whoever dies or comes meanwhile."""

import hashlib
import json
import os
import time

import numpy as np
import pytest

import linkprior as lp
from linkprior import _progress as progress
from linkprior import parallel
from linkprior.errors import InputError
from linkprior.evaluation.tuning.tune import tune


def squares(engine_of, n=30):
    table = np.arange(1000.0)

    def task(number):
        return number * number + table[number]

    with lp.use_dask(engine_of) as engine:
        found = list(parallel.map_tasks(task, range(n), remote=True))
    assert found == [number * number + table[number] for number in range(n)]
    return engine.traffic


@pytest.fixture
def address(cluster):
    return cluster.scheduler_address


# ---------------------------------------------------------------------- maps


def test_results_come_in_order_and_bytes_are_counted(address):
    traffic = squares(address)
    assert traffic.passes == 1
    assert traffic.sent > 8000  # the table, once; items are a few bytes each
    assert traffic.sent < 2 * 8000
    assert 8000 < traffic.copied < 3 * 8500  # by one or two workers, once each
    assert 30 <= traffic.received < 30 * 300
    assert str(traffic).startswith("1 pass, ")


def test_a_client_one_has_can_be_used_and_stays_open(cluster):
    from distributed import Client

    with Client(cluster.scheduler_address, set_as_default=False) as client:
        squares(client, 5)
        assert client.submit(abs, -1).result() == 1


def test_tasks_may_come_as_they_end(address):
    def task(item):
        time.sleep(0.3 * (item == 0))
        return item * 10

    with lp.use_dask(address):
        found = list(parallel.map_as_they_end(task, range(8)))
    assert dict(found) == {n: 10 * n for n in range(8)}
    assert len(found) == 8


def test_only_maps_that_say_so_leave_this_process(address, monkeypatch):
    def here(*_):
        return os.getpid()

    with lp.use_dask(address) as engine:
        assert set(parallel.map_tasks(here, range(5))) == {os.getpid()}
        assert set(parallel.map_tasks(here, [1], remote=True)) == {os.getpid()}
        assert set(parallel.map_blocks(here, 300, remote=True)) == {os.getpid()}  # too small
        assert engine.traffic.passes == 0
        monkeypatch.setattr(parallel, "REMOTE_NODES", 299)
        assert os.getpid() not in set(parallel.map_blocks(here, 300, remote=True))
        assert engine.traffic.passes == 1
    assert set(parallel.map_tasks(here, range(5), remote=True)) == {os.getpid()}


def test_inside_a_worker_there_is_one_thread_and_no_engine(address):
    def inside(_):
        from threadpoolctl import threadpool_info

        blas = [one["num_threads"] for one in threadpool_info() if one["user_api"] == "blas"]
        return parallel.current_engine(), parallel.current_workers(), set(blas)

    with lp.use_dask(address):
        assert list(parallel.map_tasks(inside, range(3), remote=True)) == [(None, 1, {1})] * 3


def test_a_task_is_sent_once_for_several_maps(address):
    table = np.arange(100_000)

    def task(number):
        return int(table[number])

    with lp.use_dask(address) as engine:
        for _ in range(3):
            assert list(parallel.map_tasks(task, range(4), remote=True)) == [0, 1, 2, 3]
    assert engine.traffic.passes == 3
    assert engine.traffic.sent < 1.1 * table.nbytes


def test_an_item_is_packed_when_it_is_sent(address):
    known = {"floor": 0}
    seen = []
    with lp.use_dask(address):
        items = [(number, known) for number in range(60)]
        for floor in parallel.map_tasks(lambda item: item[1]["floor"], items, remote=True):
            seen.append(floor)
            known["floor"] = len(seen)
    assert seen[0] == 0
    assert all(floor <= place for place, floor in enumerate(seen))  # never from later results
    assert seen[-1] > 0


def test_an_error_of_a_task_comes_through_as_it_is(address):
    def task(number):
        raise InputError(f"edges.tsv:{number}: expected two columns")

    with (
        lp.use_dask(address),
        pytest.raises(InputError, match=r"edges.tsv:\d+: expected") as caught,
    ):
        list(parallel.map_tasks(task, range(4), remote=True))
    assert "on the worker" in caught.value.__notes__[0]


def test_an_error_that_cannot_be_packed_is_reported_nevertheless(address):
    class OddError(Exception):
        def __init__(self, one, two):
            super().__init__(f"{one} and {two}")

    def task(_):
        raise OddError("this", "that")

    with lp.use_dask(address), pytest.raises(lp.LinkpriorError, match="OddError: this and that"):
        list(parallel.map_tasks(task, range(4), remote=True))


# ---------------------------------------------------------------------- who dies, who comes


@pytest.mark.at_length
def test_a_killed_and_an_added_worker_change_nothing(cluster):
    def task(number):
        time.sleep(0.02)
        lot = np.random.default_rng(number).random(500)
        return os.getpid(), hashlib.sha256(np.sort(lot)).hexdigest()

    found = []
    with lp.use_dask(cluster.scheduler_address) as engine:
        for pid, digest in parallel.map_tasks(task, range(120), remote=True):
            if len(found) == 10:
                os.kill(pid, 9)
                cluster.scale(3)
            found.append((pid, digest))
    assert [digest for _, digest in found] == [task(number)[1] for number in range(120)]
    assert engine.traffic.passes == 1
    cluster.scale(2)


# ---------------------------------------------------------------------- the package over it


def edges_of(model, net):
    ranking = model.fit(net).predict_edges(200)
    return ranking.pairs.tobytes(), ranking.scores.tobytes()


@pytest.mark.at_length
@pytest.mark.parametrize(
    ("name", "params"),
    [
        ("tri-degree", {"solver": "streaming", "n_starts": 2, "max_iter": 3, "warmup": 5}),
        ("tri-degree", {"solver": "streaming", "n_starts": 1, "max_iter": 3, "warmup": 5}),
        ("l3", {}),
        ("auto", {"effort": "fast", "holdouts": 1}),
        ("consensus:tri", {"most": 3, "max_iter": 5}),
    ],
    ids=["two starts", "one start", "l3", "auto", "consensus"],
)
def test_rankings_are_the_same_bytes_serially_with_threads_and_on_a_cluster(
    name, params, net, address, monkeypatch
):
    monkeypatch.setattr(parallel, "REMOTE_NODES", 0)
    made = {}
    for workers in (1, 2):
        with lp.use_workers(workers):
            made[workers] = edges_of(lp.make(name, **params), net)
    with lp.use_dask(address) as engine:
        assert edges_of(lp.make(name, **params), net) == made[1] == made[2]
    assert 1 <= engine.traffic.passes <= 20  # what is done inside a worker is not sent again


def told(evaluation):
    """All that an evaluation tells but times and memory."""
    cells = []
    for cell in evaluation.cells:
        values = {k: v for k, v in cell.values.items() if k not in ("seconds", "peak_mb")}
        cells.append([cell.model, cell.split, values, dict(cell.curve), dict(cell.params)])
    return json.dumps(cells, default=lambda value: np.asarray(value).tolist())


MODELS = ["l3", "pa", "tri"]


@pytest.mark.at_length
def test_an_evaluation_is_the_same_and_its_cells_are_kept(net, address, tmp_path):
    here = lp.evaluate(MODELS, net, repeats=2)
    with lp.use_dask(address) as engine:
        there = lp.evaluate(MODELS, net, repeats=2, folder=tmp_path)
        assert engine.traffic.passes == 1
        again = lp.evaluate(MODELS, net, repeats=2, folder=tmp_path)
        assert engine.traffic.passes == 1  # nothing was missing
    assert told(here) == told(there) == told(again)
    assert len(list((tmp_path / "cells").iterdir())) == 6


@pytest.mark.at_length
def test_progress_counts_cells_as_they_come(net, address):
    heard = []
    with lp.use_dask(address), progress.listen(heard.append):
        lp.evaluate(["l3", "pa"], net, repeats=3)
    shares = [report.fraction for report in heard if report.fraction is not None]
    assert shares == sorted(shares)
    assert len({round(share, 9) for share in shares}) >= 7  # nothing, and six cells
    assert shares[-1] == pytest.approx(1.0)


@pytest.mark.at_length
def test_tuning_on_a_cluster_tries_the_same_settings(net, address):
    asked = {"trials": 4, "inner": 1, "workers": 2, "cheaper": {"max_iter": 3, "n_starts": 1}}
    here = tune("tri", net, **asked)
    with lp.use_dask(address) as engine:
        there = tune("tri", net, **asked)
    assert engine.traffic.passes >= 2
    assert sorted(map(repr, here.trials)) == sorted(map(repr, there.trials))
    assert here.best_params == there.best_params
