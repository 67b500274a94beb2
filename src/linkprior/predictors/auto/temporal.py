"""Learning from two releases: what was found between them, instead of edges hidden by lot.

Edges hidden by lot look like those that are there. What laboratories find next does not: it comes
in bursts around the nodes somebody looks at.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from linkprior.network import History
from linkprior.predictors.auto.features import listen
from linkprior.predictors.auto.holdout import HoldOut, Sample, draw
from linkprior.predictors.auto.sources import Source

FEWEST = 20  # found edges to learn from


@dataclass(frozen=True)
class Lessons:
    """Samples to learn from, and others to judge chances on; none of these: judge on the first."""

    samples: list[Sample]
    apart: list[Sample]


def enough(history: History | None) -> bool:
    """Return whether two releases differ by as many edges as learning takes."""
    return history is not None and n_found(history) >= FEWEST


def n_found(history: History) -> int:
    """Return the found edges whose nodes both had one before: what a model can be asked about."""
    return int((history.older.degrees[history.found] > 0).all(axis=1).sum())


def lessons(
    history: History, sources: Sequence[Source], others: int, seed: int, prior: bool, matched: float
) -> Lessons:
    """Return what two releases teach.

    Learners are chosen on pairs drawn by lot, as the next release may well go on around the same
    hubs. How many hits to expect is judged around hubs not learned from: by lot it comes out
    several times too high, as the edges of one burst tell of each other.
    """
    features = listen(history.older, sources, seed, prior)
    exercise = HoldOut(history.older, history.found)
    sample = draw(features, exercise, others, [seed, 0, 1], matched)
    rng = np.random.default_rng(seed)
    return Lessons(sample.halves(rng), sample.halves_by_hub(rng))
