"""Which engine runs a kernel: NumPy, compiled code once a network is worth it, or a GPU."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager

from linkprior import _config
from linkprior._validation import choice
from linkprior.errors import LinkpriorError, ParameterError
from linkprior.kernels._jit import numba_works

SMALL_NETWORK = 250  # nodes below which a whole fit takes less time than loading numba
DEVICES = ("cpu", "cuda")


def use_numba(n_nodes: int) -> bool:
    """Choose by the network's size alone, so that results do not depend on blocks or threads."""
    wish = _config.current().kernels
    if wish not in ("auto", "numba", "portable"):
        raise ParameterError(
            f"{_config.KERNELS_VARIABLE} must be auto, numba or portable, got {wish!r}"
        )
    if wish == "portable" or (wish == "auto" and n_nodes < SMALL_NETWORK):
        return False
    return numba_works()


def current_device() -> str:
    """Return the device in use."""
    return _config.current().device


@contextmanager
def use_device(name: str | None) -> Iterator[None]:
    """Run the body with the p × p work of fits on a device.

    Where there is no GPU, or it cannot be used, one line says so and the computer does the work.

    Parameters
    ----------
    name
        "cpu", "cuda" (through PyTorch), or None: leave it as it is.

    Yields
    ------
    None

    Examples
    --------
    >>> import linkprior as lp
    >>> with lp.use_device("cpu"):
    ...     model = lp.make("l3").fit(lp.planted_network(n_nodes=30, seed=1))
    """
    with _config.using(device=current_device() if name is None else usable(name)):
        yield


def usable(name: str) -> str:
    """Return the device itself, or "cpu" with a line that says why."""
    if choice("device", name, DEVICES) == "cpu":
        return name
    try:
        from linkprior.kernels.torch.ops import find_device
    except ImportError:
        raise LinkpriorError(
            "a GPU is used through PyTorch, which is not installed: pip install linkprior[gpu]"
        ) from None
    try:
        find_device(name)
    except (RuntimeError, AssertionError) as problem:  # torch built without CUDA, or no driver
        why = str(problem).splitlines()[0][:120]
        logging.getLogger("linkprior").warning("no GPU can be used (%s): computing on the CPU", why)
        return "cpu"
    return name
