"""Run an experiment: every method on every condition and seed, each finished cell kept."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from linkprior import progress
from linkprior.evaluation.evaluate import evaluate
from linkprior.evaluation.results import Evaluation
from linkprior.predictors.base import LinkPredictor
from linkprior.predictors.registry import find, make
from linkprior.reproduction.experiments import METHODS, OTHERS, Condition, Experiment
from linkprior.reproduction.outcome import Outcome, Result

METRIC = "recall@5%"  # what the paper's table reports, and what methods are tuned for


@dataclass(frozen=True)
class Care:
    """How much care every method gets, the same for all.

    Attributes
    ----------
    seeds
        Of the random starts and, where edges are sampled, of the splits.
    trials
        Settings each method tries inside each training network; 0: default parameters.
    inner
        Inner splits a setting is judged on.
    cheaper
        Parameters while trying: few random starts tell as much about a setting as many.
    """

    seeds: int = 5
    trials: int = 12
    inner: int = 2
    cheaper: dict[str, Any] = field(default_factory=lambda: {"n_starts": 2})


QUICK = Care(seeds=1, trials=0)
FULL = Care()


def reproduce(experiment: Experiment, data: Path, care: Care, output: Path | None) -> Result:
    """Run one experiment on the files in a data folder; with `output` a killed run goes on."""
    jobs = [(condition, seed) for condition in experiment.conditions for seed in range(care.seeds)]
    found: dict[str, list[Evaluation]] = {one.key: [] for one in experiment.conditions}
    with progress.stage(f"reproducing {experiment.name}", len(jobs)):
        for condition, seed in jobs:
            with progress.part(1, f"{experiment.name}, {condition.title}, seed {seed}"):
                cells = output and output / "cells" / condition.key / f"seed-{seed}"
                found[condition.key].append(_judged(condition, seed, data, care, cells))
    outcomes = [Outcome(one, found[one.key]) for one in experiment.conditions]
    return Result(experiment, outcomes, asdict(care))


def _judged(
    condition: Condition, seed: int, data: Path, care: Care, cells: Path | None
) -> Evaluation:
    """Judge all methods on one split, every node a candidate as in the paper."""
    newer = condition.newer(data) if condition.newer else None
    return evaluate(
        [_seeded(name, seed) for name in (*METHODS.values(), *OTHERS.values())],
        condition.load(data),
        condition.protocol,
        "all-nodes",
        seed=seed,
        newer=newer,
        tune=care.trials,
        tune_metric=METRIC,
        tune_options={"inner": care.inner, "cheaper": care.cheaper},
        folder=cells,
    )


def _seeded(name: str, seed: int) -> LinkPredictor:
    return make(name, **({"seed": seed} if "seed" in find(name).parameter_names() else {}))
