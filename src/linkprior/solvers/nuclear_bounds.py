"""The two bounds of the paper's constrained estimator, each met by finding one number.

‖Y‖_* ≤ t: the nearest such Y has the eigenvalues of S, all drawn towards 0 by the same θ
(`ball_threshold`). ⟨G, X⟩ ≤ r: the best such X of the box pays a price ν for what it spends
(`least_price`). Both numbers are multipliers: of a penalty η·θ·‖X‖_*, and of ν·S_H(X).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.floating[Any]]
Point = tuple[float, float]

CLOSE = 1e-6  # of r that may be left unspent: float32 knows sums no better
_MOST = float(np.finfo(np.float32).max)  # of a price: times 0 it is still 0
_SAME = 1e-7  # relative difference of two prices that float32 cannot tell apart
_TRIES = 100  # far more secants than a search takes


def ball_threshold(sizes: Array, radius: float) -> float:
    """Return the θ ≥ 0 with Σ (sizes − θ)₊ = radius; 0 where they sum to no more than that.

    Subtracting θ and clipping at 0 projects non-negative numbers on the ℓ1 ball. Of some of the
    largest numbers only, θ is too small at most: it is that of all if one of them is below it.
    """
    falling = -np.sort(-sizes.astype(np.float64))
    over = (np.cumsum(falling) - radius) / np.arange(1, len(falling) + 1)
    kept = np.flatnonzero(falling > over)  # the first k are kept by their own θ: true up to one k
    return max(float(over[kept[-1]]), 0.0) if len(kept) else 0.0


def least_price(spent: Callable[[float], float], bound: float, guess: float) -> float:
    """Return the least price ν ≥ 0 at which no more than `bound` is spent, to six digits.

    `spent` falls continuously to 0 as the price rises. The answer is on the safe side of the
    bound; `guess` (the price of the step before) saves most of the way.
    """

    def left(price: float) -> float:
        return bound - spent(price)

    low, short = 0.0, left(0.0)
    if short >= 0.0:
        return 0.0
    high = guess if guess > 0.0 else 1.0
    over = left(high)
    while over < 0.0 and high < _MOST:
        low, short, high = high, over, min(2.0 * high, _MOST)
        over = left(high)
    return _crossing(left, (low, short), (high, over), CLOSE * bound)


def _crossing(f: Callable[[float], float], lower: Point, upper: Point, close: float) -> float:
    """Return where a rising f is in [0, close], by secants between a point below and one above.

    The end that a secant leaves in place counts half from then on (as in the Illinois method):
    else the other end alone would creep towards the crossing.
    """
    (low, below), (high, above), reached = lower, upper, upper[1]
    for _ in range(_TRIES):
        if reached <= close or high - low <= _SAME * high:
            break
        x = low - (high - low) * below / (above - below)
        y = f(x)
        if y < 0.0:
            low, below, above = x, y, above / 2.0
        else:
            high, above, below, reached = x, y, below / 2.0, y
    return high
