"""What an evaluation found: cells, means, and what chance would have given."""

from __future__ import annotations

import math
import statistics
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from linkprior import _html as html
from linkprior.errors import ParameterError
from linkprior.evaluation.judge import Cell

if TYPE_CHECKING:
    import pandas as pd

COLUMNS = ["model", "split", "metric", "value"]
CHANCE = "chance"


@dataclass(frozen=True, repr=False)
class Evaluation:
    """Cells of all models and splits, the same for chance, and what they were measured on.

    `print(evaluation)` shows the table of the command line, `write` keeps everything in a folder.
    """

    cells: list[Cell]
    chance: list[Cell] = field(default_factory=list)
    facts: dict[str, Any] = field(default_factory=dict)

    @property
    def rows(self) -> list[tuple[str, str, str, float]]:
        """Return one (model, split, metric, value) per number."""
        return [
            (cell.model, cell.split, metric, value)
            for cell in self.cells
            for metric, value in cell.values.items()
        ]

    @property
    def models(self) -> list[str]:
        """Labels of the models, in the order given."""
        return list(dict.fromkeys(cell.model for cell in self.cells))

    @property
    def splits(self) -> list[str]:
        """Labels of the splits, in order."""
        return list(dict.fromkeys(cell.split for cell in self.cells))

    @property
    def metrics(self) -> list[str]:
        """Names of the metrics."""
        return list(dict.fromkeys(metric for cell in self.cells for metric in cell.values))

    def to_frame(self) -> pd.DataFrame:
        """Return columns model, split, metric, value."""
        import pandas as pd

        return pd.DataFrame(self.rows, columns=COLUMNS)

    def by_split(self, model: str, metric: str) -> dict[str, float]:
        """Return a metric of a model by split; `chance` is a model too."""
        cells = self.chance if model == CHANCE else self.cells
        found = {
            c.split: c.values[metric] for c in cells if c.model == model and metric in c.values
        }
        if not found:
            raise ParameterError(f"no result for model {model!r} and metric {metric!r}")
        return found

    def values(self, model: str, metric: str) -> list[float]:
        """Return a metric of a model on each split, in order; `chance` is a model too."""
        return list(self.by_split(model, metric).values())

    def mean(self, model: str, metric: str) -> float:
        """Return a model's mean of a metric over the splits that have one (NaN where none has)."""
        known = self._known(model, metric)
        return statistics.fmean(known) if known else math.nan

    def sd(self, model: str, metric: str) -> float:
        """Return the standard deviation over the splits (n − 1); NaN for fewer than two."""
        known = self._known(model, metric)
        return statistics.stdev(known) if len(known) > 1 else math.nan

    def _known(self, model: str, metric: str) -> list[float]:
        return [value for value in self.values(model, metric) if not math.isnan(value)]

    def write(self, folder: str | Path, against: str | None = None) -> list[Path]:
        """Write results, tables and curves into a folder, and return the files."""
        from linkprior.evaluation.writing import write_results

        return write_results(self, folder, against=against)

    def __str__(self) -> str:
        from linkprior.evaluation.tables import text_table

        return text_table(self)

    def __repr__(self) -> str:
        counts = f"models: {', '.join(self.models)}; splits: {len(self.splits)}"
        named = "".join(f"; {name}: {fact}" for name, fact in self._named().items())
        return f"<Evaluation {counts}{named}>"

    def _named(self) -> dict[str, Any]:
        """The facts that tell one evaluation from another at a glance."""
        return {n: self.facts[n] for n in ("protocol", "rule", "seed") if n in self.facts}

    def _repr_html_(self) -> str:
        models = [*self.models, *([CHANCE] if self.chance else [])]
        rows = [[m, *(self._mean_or_nan(m, x) for x in self.metrics)] for m in models]
        count = len(self.splits)
        title = f"Evaluation: mean over {count} split{'s' * (count != 1)}"
        return html.card(
            title, html.table(["model", *self.metrics], rows), html.facts(self._named().items())
        )

    def _mean_or_nan(self, model: str, metric: str) -> float:
        """Chance takes no seconds."""
        try:
            return self.mean(model, metric)
        except ParameterError:
            return math.nan
