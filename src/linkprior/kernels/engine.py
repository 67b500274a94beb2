"""Which engine runs a kernel: readable NumPy, or compiled code once a network is worth it."""

from __future__ import annotations

import functools
import logging
import os
import sys
from types import ModuleType

from linkprior.errors import ParameterError
from linkprior.kernels import portable

SMALL_NETWORK = 250  # nodes below which a whole fit takes less time than loading numba
ENGINE_VARIABLE = "LINKPRIOR_KERNELS"


@functools.cache
def compiled_engine() -> ModuleType:
    """Import numba at first need; without it everything works, only slower."""
    try:
        from linkprior.kernels import numba_cpu
    except ImportError as error:
        logging.getLogger("linkprior").warning(
            "numba cannot be imported (%s): using the slower portable kernels", error
        )
        return portable
    return numba_cpu


def seconds_compiling() -> float:
    """Return the seconds spent on compiling so far: what a second run on this machine saves."""
    loaded = sys.modules.get("linkprior.kernels.numba_jit")
    return loaded.compiled_for() if loaded else 0.0


def engine_for(n_nodes: int) -> ModuleType:
    """Choose by the network's size alone, so that results do not depend on blocks or threads."""
    wish = os.environ.get(ENGINE_VARIABLE, "auto")
    if wish not in ("auto", "numba", "portable"):
        raise ParameterError(f"{ENGINE_VARIABLE} must be auto, numba or portable, got {wish!r}")
    if wish == "portable" or (wish == "auto" and n_nodes < SMALL_NETWORK):
        return portable
    return compiled_engine()
