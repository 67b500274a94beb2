"""Arrays that a thread uses again for block after block.

A fresh array of some megabytes comes from the system page by page, and goes back when it is
dropped; two threads then wait for each other in the system rather than work.
"""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

_own = threading.local()


def scratch(name: str, shape: tuple[int, ...], dtype: DTypeLike) -> NDArray[Any]:
    """Return this thread's array of a name: whatever it held before is still in it.

    It is the same memory at the next call, so nothing of it may be returned to others.
    """
    kept: dict[str, NDArray[np.uint8]] = _own.__dict__.setdefault("kept", {})
    size = int(np.prod(shape)) * np.dtype(dtype).itemsize
    if name not in kept or kept[name].nbytes < size:
        kept.pop(name, None)  # before the larger one is made
        kept[name] = np.empty(size, np.uint8)
    return kept[name][:size].view(dtype).reshape(shape)
