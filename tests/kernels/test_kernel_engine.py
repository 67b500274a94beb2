"""Which engine runs, when numba is loaded, and what happens without it."""

import logging
import os
import subprocess
import sys
import types

import numpy as np
import pytest

from linkprior import kernels
from linkprior.errors import ParameterError
from linkprior.kernels import engine, portable

needs_jit = pytest.mark.skipif(
    os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0"), reason="nothing is compiled"
)


@pytest.fixture
def fresh_choice(monkeypatch):
    """Forget which engine was loaded, before and after."""
    monkeypatch.delenv("LINKPRIOR_KERNELS", raising=False)
    engine.compiled_engine.cache_clear()
    yield
    engine.compiled_engine.cache_clear()


def test_size_of_the_network_chooses(fresh_choice):
    assert engine.engine_for(engine.SMALL_NETWORK - 1) is portable
    assert engine.engine_for(engine.SMALL_NETWORK).__name__.endswith("numba_cpu")


def test_environment_overrides(fresh_choice, monkeypatch):
    monkeypatch.setenv("LINKPRIOR_KERNELS", "portable")
    assert engine.engine_for(10**6) is portable
    monkeypatch.setenv("LINKPRIOR_KERNELS", "numba")
    assert engine.engine_for(2).__name__.endswith("numba_cpu")
    monkeypatch.setenv("LINKPRIOR_KERNELS", "fortran")
    with pytest.raises(ParameterError, match="auto, numba or portable, got 'fortran'"):
        kernels.argsort_rows(np.eye(2), 0)


def test_import_does_not_load_numba():
    code = (
        "import sys, numpy as np; from linkprior import kernels; "
        "kernels.argsort_rows(np.eye(3), 0); sys.exit('numba' in sys.modules)"
    )
    environment = {k: v for k, v in os.environ.items() if k != "LINKPRIOR_KERNELS"}
    environment["PYTHONPATH"] = os.pathsep.join(sys.path)
    assert (
        subprocess.run([sys.executable, "-c", code], env=environment, check=False).returncode == 0
    )


def test_without_numba_one_warning(fresh_choice, monkeypatch, caplog):
    monkeypatch.setitem(sys.modules, "linkprior.kernels.numba_cpu", None)
    monkeypatch.delattr("linkprior.kernels.numba_cpu", raising=False)
    with caplog.at_level(logging.WARNING, logger="linkprior"):
        assert engine.engine_for(10**6) is engine.engine_for(10**6) is portable
    assert len(caplog.records) == 1
    assert "portable kernels" in caplog.text


def test_works_where_no_cache_can_be_written(monkeypatch):
    from linkprior.kernels import numba_jit

    def refusing_njit(function, cache=False, **_):
        if cache:
            raise RuntimeError("cannot cache function: no locator available")
        return function

    monkeypatch.setattr(numba_jit, "njit", refusing_njit)
    assert numba_jit.compiled(abs) is abs


def test_compile_notice_is_given_once_and_for_our_kernels_only(caplog):
    from linkprior.kernels import numba_jit

    notice = numba_jit._Compiling()

    def started(module):
        function = types.SimpleNamespace(__module__=module)
        notice.on_start(
            types.SimpleNamespace(data={"dispatcher": types.SimpleNamespace(py_func=function)})
        )

    with caplog.at_level(logging.INFO, logger="linkprior"):
        started("somebody.elses")
        assert not caplog.records
        started("linkprior.kernels.numba_sort")
        started("linkprior.kernels.numba_pairs")
    assert [r.getMessage()[:17] for r in caplog.records] == ["compiling kernels"]


def test_time_spent_compiling_counts_once_however_many_functions_compile_at_a_time(monkeypatch):
    from linkprior.kernels import numba_jit

    clock = iter([10.0, 14.0, 20.0, 21.5])
    monkeypatch.setattr(numba_jit.time, "perf_counter", lambda: next(clock))
    watch = numba_jit._Compiling()
    function = types.SimpleNamespace(__module__="somebody.elses")
    event = types.SimpleNamespace(data={"dispatcher": types.SimpleNamespace(py_func=function)})
    watch.on_start(event)
    watch.on_start(event)
    watch.on_end(event)
    assert watch.seconds == 0.0
    watch.on_end(event)
    assert watch.seconds == 4.0
    watch.on_start(event)
    watch.on_end(event)
    assert watch.seconds == 5.5


@needs_jit
def test_kernels_release_the_gil_and_engines_agree():
    from linkprior.kernels import numba_sort

    assert numba_sort.prox_rows.targetoptions["nogil"]
    assert not numba_sort.prox_rows.targetoptions.get("parallel")
