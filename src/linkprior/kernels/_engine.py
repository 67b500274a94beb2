"""What every kernel does first: check what comes in, and choose NumPy, compiled code or a GPU."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from linkprior import _config
from linkprior._validation import choice
from linkprior.errors import LinkpriorError, ParameterError
from linkprior.kernels._jit import numba_works

Array = NDArray[Any]
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
            "a GPU is used through PyTorch, which is not installed: pip install 'linkprior[gpu]'"
        ) from None
    try:
        find_device(name)
    except (RuntimeError, AssertionError) as problem:  # torch built without CUDA, or no driver
        why = str(problem).splitlines()[0][:120]
        logging.getLogger("linkprior").warning("no GPU can be used (%s): computing on the CPU", why)
        return "cpu"
    return name


# ---------------------------------------------------------------------- what comes in


def plain(values: ArrayLike, dtype: Any = None) -> Array:
    """Return a C-contiguous writable array: numba compiles again for every other kind."""
    array = np.asarray(values)
    if dtype is None and array.dtype not in (np.float32, np.float64):
        dtype = np.float64
    return np.require(array, dtype, ["C", "W"])


def row_block(scores: ArrayLike, first: int, *, square: bool = False) -> Array:
    """Return a 2-d block whose diagonal, if it has one, lies within its columns."""
    block = plain(scores)
    if block.ndim != 2:
        raise ParameterError(f"a block of rows must be 2-d, got shape {block.shape}")
    if first < (0 if square else -1) or (first >= 0 and first + block.shape[0] > block.shape[1]):
        raise ParameterError(f"first = {first} does not fit a block of shape {block.shape}")
    return block


def vector_of(name: str, values: ArrayLike, size: int, dtype: Any) -> Array:
    """Return a vector of a known length."""
    vector = plain(values, dtype)
    if vector.shape != (size,):
        raise ParameterError(f"{name} must have shape ({size},), got {vector.shape}")
    return vector


def target_for(out: Array | None, shape: tuple[int, ...], dtype: Any) -> Array:
    """Return `out` when a kernel can write into it, or a new array when there is none."""
    if out is None:
        return np.empty(shape, dtype)
    fits = out.shape == shape and out.dtype == dtype
    if not (fits and out.flags.c_contiguous and out.flags.writeable):
        raise ParameterError(
            f"out must be a writable C-contiguous {np.dtype(dtype)} array of shape {shape}, "
            f"got {out.dtype} of shape {out.shape}"
        )
    return out


def stored_rows(
    n_nodes: int, first: int, n_rows: int, indptr: Array, indices: Array
) -> tuple[Array, Array]:
    """Return some rows of the CSR pattern of a network of n_nodes, as a pattern of their own."""
    if len(indptr) != n_nodes + 1:
        raise ParameterError(f"indptr must have {n_nodes + 1} entries, got {len(indptr)}")
    starts = np.asarray(indptr)[first : first + n_rows + 1].astype(np.int64)
    columns = np.asarray(indices)[starts[0] : starts[-1]].astype(np.int64)
    return starts - starts[0], columns


def n_ranks(block: Array, first: int) -> int:
    """Return how many columns of a row are ranked: all but the diagonal."""
    return int(block.shape[1]) - (first >= 0)
