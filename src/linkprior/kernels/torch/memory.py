"""How much a device can hold at once, and what to do when it cannot."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import TypeVar

import torch

from linkprior.errors import LinkpriorError

R = TypeVar("R")

SMALLER = 8  # times smaller are the blocks of a second try
_SHARE = 0.5  # of what is free that blocks may take
_MOST_ROWS = 4096
_CPU_ENTRIES = 1 << 24  # of a block where tensors lie in the computer's own memory
_LESS = (
    "End other programs that use it, take a lower rank (--set rank=16), fewer starts "
    "(--set n_starts=1) or --set solver=streaming, or --device cpu"
)


def free_bytes(device: torch.device) -> int | None:
    """Return what is free on a device; None for the computer's own memory."""
    if device.type != "cuda":
        return None
    free, _ = torch.cuda.mem_get_info(device)
    unused = torch.cuda.memory_reserved(device) - torch.cuda.memory_allocated(device)
    return int(free) + int(unused)


def require(needed: float, what: str, device: torch.device) -> None:
    """Raise an error before anything begins, if a device cannot hold so many bytes."""
    free = free_bytes(device)
    if free is not None and needed > free:
        raise LinkpriorError(
            f"{what} needs about {needed / 1e9:.3g} GB on the GPU, and {free / 1e9:.3g} GB are "
            f"free. {_LESS}"
        )


def block_rows(columns: int, bytes_per_entry: float, device: torch.device) -> int:
    """Return how many rows of so many columns a block may have."""
    free = free_bytes(device)
    entries = _CPU_ENTRIES if free is None else _SHARE * free / bytes_per_entry
    return int(max(1, min(_MOST_ROWS, entries // max(1, columns))))


def in_blocks(work: Callable[[int], R], rows: int) -> R:
    """Return work(rows of a block); out of memory, try once more with smaller blocks."""
    try:
        return work(rows)
    except torch.cuda.OutOfMemoryError:
        pass
    fewer = max(1, rows // SMALLER)
    logging.getLogger("linkprior").warning(
        "the GPU is out of memory with blocks of %d rows: going on with %d", rows, fewer
    )
    torch.cuda.empty_cache()
    try:
        return work(fewer)
    except torch.cuda.OutOfMemoryError as problem:
        raise LinkpriorError(
            f"the GPU is out of memory even with blocks of {fewer} rows "
            f"({str(problem).splitlines()[0][:100]}). {_LESS}"
        ) from None
