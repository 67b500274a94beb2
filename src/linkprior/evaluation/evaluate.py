"""Judge models on the same splits of one network."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from linkprior import html, progress
from linkprior.checks import whole_number
from linkprior.errors import ParameterError, nearest
from linkprior.evaluation import splits
from linkprior.evaluation.metrics import places, recall_at_percents
from linkprior.io.convert import as_network
from linkprior.io.read import read_network
from linkprior.network import Network
from linkprior.predictors import registry
from linkprior.predictors.base import LinkPredictor
from linkprior.predictors.effort import Effort, effort_of

if TYPE_CHECKING:
    import pandas as pd

PROTOCOLS = ("uniform", "release")
COLUMNS = ["model", "split", "metric", "value"]


@dataclass(frozen=True)
class Evaluation:
    """Results in long form, and what they were measured on."""

    rows: list[tuple[str, str, str, float]]
    facts: dict[str, Any] = field(default_factory=dict)

    def to_frame(self) -> pd.DataFrame:
        """Return columns model, split, metric, value."""
        import pandas as pd

        return pd.DataFrame(self.rows, columns=COLUMNS)

    def mean(self, model: str, metric: str) -> float:
        """Return a model's mean of a metric over the splits."""
        values = [v for m, _, name, v in self.rows if (m, name) == (model, metric)]
        if not values:
            raise ParameterError(f"no result for model {model!r} and metric {metric!r}")
        return sum(values) / len(values)

    def _repr_html_(self) -> str:
        models = list(dict.fromkeys(row[0] for row in self.rows))
        metrics = list(dict.fromkeys(row[2] for row in self.rows))
        there = {(row[0], row[2]) for row in self.rows}
        table = html.table(
            ["model", *metrics],
            [[m, *(self.mean(m, x) if (m, x) in there else None for x in metrics)] for m in models],
        )
        named = [what for what in ("protocol", "rule", "seed") if what in self.facts]
        known = html.facts((what, self.facts[what]) for what in named)
        count = len({row[1] for row in self.rows})
        return html.card(f"Evaluation: mean over {count} split{'s' * (count != 1)}", table, known)


def evaluate(
    models: Iterable[str | LinkPredictor],
    net: Any,
    protocol: str = "uniform:0.9",
    rule: str = "connected",
    repeats: int = 1,
    seed: int = 0,
    newer: Network | None = None,
) -> Evaluation:
    """Fit every model on every split and rank the hidden edges among all candidates.

    Parameters
    ----------
    models
        Names, or predictors whose parameters are taken as they are.
    net
        A Network, or a graph, table or path that can be made one.
    protocol
        ``uniform:RATE`` or ``release:NEWER_EDGES``.
    rule
        "connected" or "all-nodes" (`Split`).
    repeats
        Number of splits, with seeds seed, seed + 1, …; a release split exists once.
    newer
        The network of the newer release, where it has been read already.
    """
    net = as_network(net)
    made = _labelled([models] if isinstance(models, str | LinkPredictor) else models)
    cases = make_splits(net, protocol, rule, whole_number("repeats", repeats, 1), seed, newer)
    rows = _judge_all(made, cases)
    facts = {
        "protocol": protocol,
        "rule": rule,
        "seed": seed,
        "network": {"nodes": net.n_nodes, "edges": net.n_edges, "digest": net.digest},
        "splits": [
            {"label": s.label, "hidden": len(s.hidden), "outside": s.outside} for s in cases
        ],
        "models": {label: model.get_params() for label, model in made.items()},
    }
    return Evaluation(rows, facts)


def make_splits(
    net: Network,
    protocol: str,
    rule: str,
    repeats: int,
    seed: int,
    newer: Network | None = None,
) -> Sequence[splits.Split]:
    """Make the splits a protocol names."""
    kind, _, argument = str(protocol).partition(":")
    if kind == "uniform":
        try:
            rate = float(argument or 0.9)
        except ValueError:
            raise ParameterError(
                f"protocol uniform:RATE needs a number, got {argument!r}"
            ) from None
        return [splits.uniform(net, rate, seed + n, rule) for n in range(repeats)]
    if kind == "release":
        if not argument:
            raise ParameterError("protocol release:NEWER_EDGES needs the newer file")
        later = read_network(Path(argument)) if newer is None else newer
        return [splits.release(net, later, rule)]
    raise ParameterError(
        f"no protocol is called {kind!r}.{nearest(kind, PROTOCOLS)} "
        "There are: uniform:RATE, release:NEWER_EDGES"
    )


def _labelled(models: Iterable[str | LinkPredictor]) -> dict[str, LinkPredictor]:
    """Return fresh predictors under their names; models of one kind tell how they differ."""
    made: dict[str, LinkPredictor] = {}
    for given in models:
        model = registry.make(given) if not isinstance(given, LinkPredictor) else given
        params, plain = model.get_params(), type(model)().get_params()
        changed = ", ".join(f"{k}={v}" for k, v in params.items() if v != plain[k])
        label = type(model).name
        if label in made:
            label = f"{label}({changed})"
        if label in made:
            raise ParameterError(f"the model {label} is there twice")
        made[label] = type(model)(**params)
    return made


def _judge_all(
    made: dict[str, LinkPredictor], cases: Sequence[splits.Split]
) -> list[tuple[str, str, str, float]]:
    jobs = [
        (label, split, effort_of(made[label], split.train)) for split in cases for label in made
    ]
    rows = []
    with progress.stage("evaluating", sum(work.fit + 2 * work.scores for *_, work in jobs)):
        for label, split, work in jobs:
            with progress.part(work.fit + 2 * work.scores, f"judging {label}"):
                rows += _judge(label, made[label], split, work)
    return rows


def _judge(
    label: str, model: LinkPredictor, split: splits.Split, work: Effort
) -> list[tuple[str, str, str, float]]:
    began = time.perf_counter()
    with progress.part(work.fit):
        model.fit(split.train)
    values = recall_at_percents(places(model, split), split)
    values["seconds"] = time.perf_counter() - began
    return [(label, split.label, metric, value) for metric, value in values.items()]
