"""Which device the p × p work of a fit runs on: the computer itself, or a GPU through PyTorch."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from linkprior._validation import choice
from linkprior.errors import LinkpriorError

DEVICES = ("cpu", "cuda")
_device: ContextVar[str] = ContextVar("device", default="cpu")


def current_device() -> str:
    """Return the device in use."""
    return _device.get()


@contextmanager
def use_device(name: str | None) -> Iterator[None]:
    """Run the body on a device (None: leave it as it is).

    Where there is no GPU, or it cannot be used, one line says so and the computer does the work.
    """
    token = _device.set(current_device() if name is None else usable(name))
    try:
        yield
    finally:
        _device.reset(token)


def usable(name: str) -> str:
    """Return the device itself, or "cpu" with a line that says why."""
    if choice("device", name, DEVICES) == "cpu":
        return name
    try:
        from linkprior.kernels.tensors.ops import find_device
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
