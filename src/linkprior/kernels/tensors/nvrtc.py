"""Compiling CUDA kernels at first use; where that is not possible, one line says so."""

from __future__ import annotations

import functools
import logging
from typing import Any

import torch

SHARED = 227 * 1024  # bytes of shared memory a block may have on Hopper; less on older chips


@functools.cache
def compiled(source: str, name: str, shared: int = 0) -> Any:
    """Return a kernel, or None where NVRTC or the driver refuses it."""
    try:
        kernel = torch.cuda._compile_kernel(source, name)
        if shared > 48 * 1024:
            kernel.set_shared_memory_config(shared)
    except Exception as problem:  # NVRTC, the driver and torch all have errors of their own
        logging.getLogger("linkprior").warning(
            "a CUDA kernel (%s) was not compiled (%s): PyTorch's own operations are slower",
            name,
            str(problem).splitlines()[0] if str(problem) else type(problem).__name__,
        )
        return None
    return kernel


def on_gpu(tensor: torch.Tensor) -> bool:
    """Whether a kernel can take this tensor."""
    return tensor.device.type == "cuda" and tensor.dtype == torch.float32
