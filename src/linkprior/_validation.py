"""Checks of single parameters: every message names the parameter, what came, what is allowed."""

from __future__ import annotations

import numbers
import re
from collections.abc import Iterable
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from linkprior.errors import ParameterError, nearest

Floats = NDArray[np.floating[Any]]
T = TypeVar("T", bound=str)

_SHOWN = 80  # characters of a value that a message repeats
_POWERS = {"": 0, "K": 1, "M": 2, "G": 3, "T": 4}
_SIZE = re.compile(r"([0-9]{1,15}(?:\.[0-9]{1,6})?)\s*([KMGT]?)(I?)B?", re.IGNORECASE)


def shown(value: object) -> str:
    """Return a value as a message shows it: short, also where Python refuses to spell it out."""
    try:
        text = repr(value)
    except ValueError:  # a number of more digits than Python writes
        return "a number of thousands of digits"
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}… ({len(text)} characters)"


def byte_size(text: str) -> int | None:
    """Return the bytes that text such as "2G", "1.5 GB" or "512MiB" stands for; None if none."""
    match = _SIZE.fullmatch(text.strip())
    if match is None:
        return None
    number, unit, binary = match.groups()
    return int(float(number) * (1024 if binary else 1000) ** _POWERS[unit.upper()])


def whole_number(name: str, value: object, low: int, high: int | None = None) -> int:
    """Return `value` as int when it is a whole number in [low, high]."""
    allowed = f"a whole number ≥ {low}" if high is None else f"a whole number in {low}…{high}"
    number = low - 1
    if isinstance(value, numbers.Integral) and not isinstance(value, bool):
        number = int(value)
    if number < low or (high is not None and number > high):
        raise ParameterError(f"{name} must be {allowed}, got {shown(value)}")
    return number


def real_number(
    name: str,
    value: object,
    low: float,
    high: float = np.inf,
    *,
    low_open: bool = True,
    high_open: bool = True,
) -> float:
    """Return `value` as float when it is finite and lies in the stated interval."""
    left, right = "(" if low_open else "[", ")" if high_open else "]"
    top = "∞" if np.isinf(high) else f"{high:g}"
    allowed = f"a number in {left}{low:g}, {top}{right}"
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        raise ParameterError(f"{name} must be {allowed}, got {shown(value)}")
    try:
        x = float(value)
    except OverflowError:
        x = np.inf
    above = x > low if low_open else x >= low
    below = x < high if high_open else x <= high
    if not (np.isfinite(x) and above and below):
        raise ParameterError(f"{name} must be {allowed}, got {shown(value)}")
    return x


def choice(name: str, value: object, allowed: Iterable[T]) -> T:
    """Return `value` when it is one of the allowed words."""
    words = list(allowed)
    for word in words:
        if value == word:
            return word
    raise ParameterError(
        f"{name} must be one of {', '.join(words)}, got {shown(value)}."
        f"{nearest(shown(value)[:_SHOWN], words)}"
    )


def real_matrix(name: str, value: ArrayLike, *, square: bool = False) -> Floats:
    """Return a 2-d float array without NaN or infinity; float32 stays float32."""
    a = np.asarray(value)
    if a.dtype.kind not in "fiub":
        raise ParameterError(f"{name} must be a numeric matrix, got dtype {a.dtype}")
    if a.ndim != 2 or (square and a.shape[0] != a.shape[1]):
        kind = "square matrix" if square else "2-d matrix"
        raise ParameterError(f"{name} must be a {kind}, got shape {a.shape}")
    if a.dtype not in (np.float32, np.float64):
        a = a.astype(np.float64)
    if not np.isfinite(a).all():
        i, j = (int(v) for v in np.argwhere(~np.isfinite(a))[0])
        raise ParameterError(f"{name} must be finite, but {name}[{i}, {j}] is {a[i, j]}")
    return a


def degree_vector(name: str, value: ArrayLike, n_nodes: int | None = None) -> NDArray[np.int64]:
    """Return degrees as int64 when they are whole, non-negative and of the right length."""
    d = np.asarray(value)
    if d.ndim != 1 or (n_nodes is not None and d.shape[0] != n_nodes):
        expected = "a vector" if n_nodes is None else f"a vector of length {n_nodes}"
        raise ParameterError(f"{name} must be {expected}, got shape {d.shape}")
    if d.dtype.kind not in "iufb" or not np.isfinite(d).all() or (d != np.floor(d)).any():
        raise ParameterError(f"{name} must be whole numbers, got {shown(value)}")
    if (d > np.iinfo(np.int64).max // 4).any():
        raise ParameterError(f"{name} must be smaller than 2**61, got {shown(value)}")
    if (d < 0).any():
        at = int(np.argmax(d < 0))
        raise ParameterError(f"{name} must not be negative, but {name}[{at}] is {d[at]}")
    return d.astype(np.int64)
