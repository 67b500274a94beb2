"""Weights as people hand them in: what is a weight, and which one an edge listed twice has."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from linkprior.errors import InputError
from linkprior.network import pairs as pr

if TYPE_CHECKING:
    from linkprior.network.network import Network

Floats = NDArray[np.float64]

_THOUSANDS = re.compile(r"[+-]?[1-9][0-9]{0,2}(,[0-9]{3})+")
_MISSING = {"", "-", "none", "nan", "na", "n/a", "null", "<na>", "nat", "?"}


def weight_numbers(values: Any, where: Callable[[int], str], hint: str = "") -> Floats:
    """Return weights as numbers of 0 or more; of the first that is none, say where it is."""
    numbers: Floats
    if isinstance(values, np.ndarray) and values.dtype.kind in "biuf":
        numbers = values.astype(np.float64)
    else:
        values = values.tolist() if isinstance(values, np.ndarray) else values
        numbers = np.fromiter(map(_number, values), dtype=np.float64, count=len(values))
    bad = np.flatnonzero(~(np.isfinite(numbers) & (numbers >= 0)))
    if len(bad):
        value = values[bad[0]]
        missing = str(value).strip().lower() in _MISSING
        got = "none" if missing else repr(value.item() if hasattr(value, "item") else value)[:40]
        raise InputError(
            f"{where(int(bad[0]))}: expected a weight, a plain number of 0 or more, got {got}; "
            f"{hint or 'correct it, or leave the edge out'}"
        )
    return numbers


def _number(value: Any) -> float:
    """Return the number a cell holds, with a point or a comma; NaN where it holds none."""
    try:
        if isinstance(value, str):
            # 1,234: is that more than a thousand, or little? And 1_000 is a number of Python alone.
            if "_" in value or ("," in value and _THOUSANDS.fullmatch(value.strip())):
                return math.nan
            value = value.replace(",", ".")
        return float(value)
    except (TypeError, ValueError):
        return math.nan
    except OverflowError:  # a whole number of hundreds of digits
        return math.inf


def by_pair(pairs: pr.Ints, weights: Floats, n_nodes: int) -> tuple[Floats, pr.Ints, int]:
    """Return the largest weight of each pair in order, which pair each row is, how many differ."""
    codes = pr.encode(pr.ordered(pairs), n_nodes)
    distinct, which = np.unique(codes, return_inverse=True)
    largest, least = np.zeros(len(distinct)), np.full(len(distinct), np.inf)
    np.maximum.at(largest, which, weights)
    np.minimum.at(least, which, weights)
    return largest, which, int((least < largest).sum())


def edge_weights(pairs: pr.Ints, weights: Floats, n_nodes: int) -> tuple[Floats, int]:
    """Return the largest weight of every edge, in order of pair, and how many have several."""
    proper = pairs[:, 0] != pairs[:, 1]
    largest, _, differing = by_pair(pairs[proper], weights[proper], n_nodes)
    return largest, differing


def weighted(network: Network, pairs: pr.Ints, weights: Floats) -> Network:
    """Return the network with the weights of the rows it was made of."""
    return network.with_weights(edge_weights(pairs, weights, network.n_nodes)[0])
