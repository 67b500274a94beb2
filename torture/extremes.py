"""Every number a model takes, far too small and far too large: finite scores, or one clear line."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Iterator

from torture.numerics import Tally, fitted, models, usual

VALUES: tuple[float, ...] = (1e-300, 1e-30, 1e-12, 1e12, 1e30, 1e38, 1e300, 10**30, -1.0)
COUNTS = (10**30, 2**63 - 1, -1)
# Asked for a thousand million steps, a model takes them: no mistake of its own.
_LASTING = frozenset({"max_iter", "warmup", "cg_steps", "steps"})
_COUNTED = frozenset({"seed", "n_starts", "n", "most", "least", "n_blocks", "rank", "passes"})
NODES = 60


def asked() -> Iterator[tuple[str, str, float]]:
    """Yield every model but auto, each of its parameters, and the values it is given."""
    from linkprior.predictors.registry import find

    for name in models():
        for field in dataclasses.fields(find(name)) if name != "auto" else ():
            if field.name not in _LASTING:
                values = COUNTS if field.name in _COUNTED else VALUES
                yield from ((name, field.name, value) for value in values)


def try_value(name: str, parameter: str, value: float, tally: Tally) -> None:
    """Fit and rank with one parameter far out of its range, and note what is wrong."""
    wrong = fitted(name, {parameter: value}, lambda: usual(NODES), tally)
    tally.defects += [f"{name} with {parameter}={value}: {what}" for what in wrong]


def run(end: float, tally: Tally) -> dict[str, int]:
    """Try every value while there is time; return how many of how many were tried."""
    every, done = list(asked()), 0
    for name, parameter, value in every:
        if time.monotonic() > end:
            break
        try_value(name, parameter, value, tally)
        done += 1
    return {"values_tried": done, "values": len(every)}
