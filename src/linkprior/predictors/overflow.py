"""Numbers beyond what a float holds: no warning on the way, one clear line in the end."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linkprior._validation import shown
from linkprior.errors import LinkpriorError


@contextmanager
def overflow_told_later() -> Iterator[None]:
    """Let numbers overflow without a warning: what comes out is checked by `refuse_not_finite`.

    An invalid number that no overflow came before is warned of as ever: it is a mistake of ours.
    """
    overflowed = False

    def note(what: str, _: int) -> None:
        nonlocal overflowed
        if what == "overflow":
            overflowed = True
        elif not overflowed:
            warnings.warn(f"{what} encountered", RuntimeWarning, stacklevel=2)

    with np.errstate(over="call", invalid="call", call=note):
        yield


def refuse_not_finite(
    model: str, params: Mapping[str, Any], arrays: Iterable[NDArray[Any]], short: bool = False
) -> None:
    """Raise an error where a number is not finite, or where the caller missed some: `short`."""
    if not short and all(np.isfinite(array).all() for array in arrays):
        return
    given = ", ".join(f"{name}={shown(value)}" for name, value in params.items())
    raise LinkpriorError(
        f"{model}: fit or scores gave numbers that are not finite; a parameter is far out of its "
        f"useful range: {given}"
    )
