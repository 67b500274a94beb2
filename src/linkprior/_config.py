"""The configuration of a run besides its arguments: one context variable for the whole package.

Threads that map over blocks get a copy of the context, so that all of it holds in them as well.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from typing import Any

KERNELS_VARIABLE = "LINKPRIOR_KERNELS"


@dataclass(frozen=True)
class Config:
    """The settings in force."""

    workers: int | None = None  # threads; None: LINKPRIOR_WORKERS, else every core
    engine: Any = None  # workers beyond this process (`parallel.use_dask`); None: all is done here
    device: str = "cpu"  # where p × p work runs: "cpu" or "cuda"
    memory: int | None = None  # bytes a run may take
    memory_folder: str | None = None  # for what does not fit; None: TMPDIR
    stage: Any = None  # of the progress, which new ones divide; None: no listener
    kernels: str = os.environ.get(KERNELS_VARIABLE, "auto")  # or "numba" or "portable"


_config: ContextVar[Config] = ContextVar("linkprior", default=Config())  # noqa: B039 - frozen


def current() -> Config:
    """Return the settings in force."""
    return _config.get()


def set_fields(**fields: Any) -> None:
    """Change some settings of this context; `using` is the way to change them for a while."""
    _config.set(replace(current(), **fields))


@contextmanager
def using(**fields: Any) -> Iterator[None]:
    """Run the body with some settings changed; those alone are as before afterwards."""
    before = current()
    set_fields(**fields)
    try:
        yield
    finally:
        set_fields(**{name: getattr(before, name) for name in fields})
