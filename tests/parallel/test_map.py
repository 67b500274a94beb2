"""Blocks and tasks on threads, and the threads of BLAS."""

import itertools
import os
import subprocess
import sys
import threading
import types

import pytest
from threadpoolctl import ThreadpoolController, threadpool_info

import linkprior as lp
from linkprior import parallel
from linkprior.errors import ParameterError
from linkprior.parallel import threads


@pytest.mark.parametrize("workers", [1, 2, 5])
def test_map_blocks_keeps_order_and_covers_every_row(workers):
    with lp.use_workers(workers):
        found = list(parallel.map_blocks(lambda start, stop: (start, stop), 1000))
    assert found == parallel.blocks(1000)
    assert found[0][0] == 0
    assert found[-1][1] == 1000
    assert all(a[1] == b[0] for a, b in itertools.pairwise(found))


def test_an_error_in_a_task_comes_out():
    def task(n):
        if n == 3:
            raise ValueError("three")
        return n

    with pytest.raises(ValueError, match="three"):
        list(parallel.map_tasks(task, range(10), workers=2))


def test_workers_come_from_the_environment(monkeypatch):
    monkeypatch.setenv("LINKPRIOR_WORKERS", "3")
    assert parallel.current_workers() == 3
    with lp.use_workers(2), lp.use_workers(None):
        assert parallel.current_workers() == 2
    monkeypatch.setenv("LINKPRIOR_WORKERS", "many")
    with pytest.raises(ParameterError, match="LINKPRIOR_WORKERS must be a whole number"):
        parallel.current_workers()
    with pytest.raises(ParameterError, match="workers must be"), lp.use_workers(0):
        pass


def blas_threads():
    return {pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"}


def test_overlapping_users_share_the_blas_limit_and_the_last_restores_it():
    before = blas_threads()
    inside, leave = threading.Event(), threading.Event()

    def other():
        with parallel.one_blas_thread():
            inside.set()
            leave.wait(10)

    thread = threading.Thread(target=other)
    thread.start()
    assert inside.wait(10)
    with parallel.one_blas_thread():
        pass
    assert blas_threads() == {1}
    leave.set()
    thread.join()
    assert blas_threads() == before


def test_a_blas_that_a_fit_loads_is_limited_too():
    code = (
        "import linkprior as lp; from threadpoolctl import threadpool_info\n"
        "from linkprior import parallel\n"
        "with parallel.one_blas_thread():\n"
        "    import scipy.linalg\n"
        "    print({p['num_threads'] for p in threadpool_info() if p['user_api'] == 'blas'})"
    )
    env = {**os.environ, "OPENBLAS_NUM_THREADS": "2"}
    command = [sys.executable, "-c", code]
    found = subprocess.run(command, env=env, capture_output=True, text=True, check=True)
    assert found.stdout == "{1}\n"


def test_libraries_with_threads_are_looked_for_again_after_an_import(monkeypatch):
    looked = []

    class Counting(ThreadpoolController):
        def __init__(self):
            looked.append(len(sys.modules))
            super().__init__()

    monkeypatch.setattr("threadpoolctl.ThreadpoolController", Counting)
    for name in ("imported_first", "imported_first", "imported_second"):
        monkeypatch.setitem(sys.modules, name, types.ModuleType(name))
        with parallel.one_blas_thread():
            pass
    assert looked == [looked[0], looked[0] + 1]
    threads._libraries.cache_clear()  # what it holds belongs to modules that are gone now
