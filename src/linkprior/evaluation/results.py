"""What an evaluation measured: the object users hold, its folder of files, and reading it back.

results.json     what was measured on what, by which versions; every number
results.tsv      model, split, metric, value
table.md, .tex   the tables
*.png, *.svg     the curves; curves.json holds their points
"""

from __future__ import annotations

import hashlib
import json
import math
import statistics
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from linkprior import _html as html
from linkprior import machine
from linkprior._version import __version__
from linkprior.errors import ParameterError, StoreError
from linkprior.evaluation import plots, tables
from linkprior.evaluation.store import (
    BASELINE,
    Cell,
    read_json,
    tsv,
    tsv_number,
    write_contents,
    write_json,
)
from linkprior.io.source import as_path
from linkprior.io.store import refuse_odd

if TYPE_CHECKING:
    import pandas as pd

COLUMNS = ["model", "split", "metric", "value"]
_STORED_BASELINE = "chance"  # the random baseline's name in results.json and curves.json
RESULTS, CURVES = "results.json", "curves.json"
_FIGURES: dict[str, Callable[[Any], dict[str, bytes]]] = {
    "precision_recall": plots.draw_precision_recall,
    "hidden_found": plots.draw_found,
}
FILES = (
    *(RESULTS, "results.tsv", "table.md", "table.tex", CURVES),
    *(f"{name}.{format}" for name in _FIGURES for format in plots.FORMATS),
)
_LONG = 24  # items of a parameter beyond which a digest stands for them: degrees of all nodes, say


@dataclass(frozen=True, repr=False)
class Evaluation:
    """Cells of all models and splits, the random baseline, and what they were measured on.

    `print(evaluation)` shows the table of the command line.

    Attributes
    ----------
    cells : list of Cell
        One per model and split.
    baseline : list of Cell
        What a random order of the candidates gives on each split, on average.
    facts : dict
        Protocol, rule, seed, network, splits and parameters of the models.

    Examples
    --------
    >>> import linkprior as lp
    >>> found = lp.evaluate(["l3", "pa"], lp.planted_network(60, seed=0), repeats=2)
    >>> found
    <Evaluation models: l3, pa; splits: 2; protocol: uniform:0.9; rule: connected; seed: 0>
    >>> found.mean("l3", "auprc") > found.mean("random baseline", "auprc")
    True
    """

    cells: list[Cell]
    baseline: list[Cell] = field(default_factory=list)
    facts: dict[str, Any] = field(default_factory=dict)

    @property
    def chance(self) -> list[Cell]:
        """The former name of `baseline`."""
        warnings.warn("Evaluation.chance is now baseline", DeprecationWarning, stacklevel=2)
        return self.baseline

    @property
    def rows(self) -> list[tuple[str, str, str, float]]:
        """One (model, split, metric, value) per number."""
        return [(c.model, c.split, m, value) for c in self.cells for m, value in c.values.items()]

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
        """Return all numbers as a data frame.

        Returns
        -------
        pandas.DataFrame
            Columns model, split, metric, value; NaN where there was nothing to measure.

        Examples
        --------
        >>> import linkprior as lp
        >>> frame = lp.evaluate("pa", lp.planted_network(60, seed=0)).to_frame()
        >>> frame.columns.tolist()
        ['model', 'split', 'metric', 'value']
        """
        import pandas as pd

        return pd.DataFrame(self.rows, columns=COLUMNS)

    def by_split(self, model: str, metric: str) -> dict[str, float]:
        """Return a metric of a model by split.

        Parameters
        ----------
        model : str
            A label, or "random baseline".
        metric : str
            Name of a metric.

        Returns
        -------
        dict
            The value under the label of each split.

        Examples
        --------
        >>> import linkprior as lp
        >>> list(lp.evaluate("pa", lp.planted_network(60, seed=0)).by_split("pa", "auprc"))
        ['uniform:0.9 seed 0']
        """
        random = model in (BASELINE, _STORED_BASELINE) and model not in self.models
        cells = self.baseline if random else [c for c in self.cells if c.model == model]
        values = {c.split: c.values[metric] for c in cells if metric in c.values}
        if not values:
            raise ParameterError(f"no result for model {model!r} and metric {metric!r}")
        return values

    def values(self, model: str, metric: str) -> list[float]:
        """Return a metric of a model on each split, in order (see `by_split`).

        Parameters
        ----------
        model, metric : str
            A label (or "random baseline") and the name of a metric.

        Returns
        -------
        list of float
            NaN where there was nothing to measure.

        Examples
        --------
        >>> import linkprior as lp
        >>> len(lp.evaluate("pa", lp.planted_network(60, seed=0), repeats=3).values("pa", "ndcg"))
        3
        """
        return list(self.by_split(model, metric).values())

    def mean(self, model: str, metric: str) -> float:
        """Return the mean of a metric over the splits that have one.

        Parameters
        ----------
        model, metric : str
            A label (or "random baseline") and the name of a metric.

        Returns
        -------
        float
            NaN where no split has a value.

        Examples
        --------
        >>> import linkprior as lp
        >>> 0 < lp.evaluate("pa", lp.planted_network(60, seed=0)).mean("pa", "auroc") < 1
        True
        """
        measured = self._measured(model, metric)
        return statistics.fmean(measured) if measured else math.nan

    def sd(self, model: str, metric: str) -> float:
        """Return the standard deviation of a metric over the splits (n - 1).

        Parameters
        ----------
        model, metric : str
            A label (or "random baseline") and the name of a metric.

        Returns
        -------
        float
            NaN for fewer than two splits.

        Examples
        --------
        >>> import linkprior as lp
        >>> lp.evaluate("pa", lp.planted_network(60, seed=0)).sd("pa", "auroc")
        nan
        """
        measured = self._measured(model, metric)
        return statistics.stdev(measured) if len(measured) > 1 else math.nan

    def _measured(self, model: str, metric: str) -> list[float]:
        return [value for value in self.values(model, metric) if not math.isnan(value)]

    def write(self, folder: str | Path, against: str | None = None) -> list[Path]:
        """Write results, tables and curves into a folder.

        Parameters
        ----------
        folder : str or Path
            Made where it is missing; files of the same names are replaced.
        against : str, optional
            The model that paired tests compare with; the first one by default.

        Returns
        -------
        list of Path
            The files.

        Examples
        --------
        >>> import tempfile, linkprior as lp
        >>> found = lp.evaluate("pa", lp.planted_network(60, seed=0))
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     found.write(folder)[0].name
        'results.json'
        """
        return write_results(self, folder, against=against)

    def __str__(self) -> str:
        return tables.text_table(self)

    def __repr__(self) -> str:
        counts = f"models: {', '.join(self.models)}; splits: {len(self.splits)}"
        return f"<Evaluation {counts}{''.join(f'; {n}: {fact}' for n, fact in self._named())}>"

    def _named(self) -> list[tuple[str, Any]]:
        """Return the facts that distinguish one evaluation from another at a glance."""
        return [(n, self.facts[n]) for n in ("protocol", "rule", "seed") if n in self.facts]

    def _repr_html_(self) -> str:
        rows = [
            [model, *(tables.mean_or_nan(self, model, metric) for metric in self.metrics)]
            for model in tables.row_names(self)
        ]
        count = len(self.splits)
        title = f"Evaluation: mean over {count} split{'s' * (count != 1)}"
        shown = html.table(["model", *self.metrics], rows)
        return html.card(title, shown, html.facts(self._named()))


# ---------------------------------------------------------------------- writing


def write_results(
    evaluation: Evaluation,
    folder: str | Path,
    *,
    against: str | None = None,
    command: Sequence[str] | None = None,
) -> list[Path]:
    """Write an evaluation into a folder, each file whole or not at all, and return the files.

    `against` is the model the paired tests compare with (the first one by default), `command` what
    was typed. Files of the same names are replaced.
    """
    path = as_path(folder)
    refuse_odd(path, FILES)
    # Made first: an error in one leaves the folder as it was.
    contents = {
        "results.tsv": tsv(COLUMNS, ((*named, tsv_number(v)) for *named, v in evaluation.rows)),
        "table.md": tables.markdown_table(evaluation, against),
        "table.tex": tables.latex_table(evaluation, against),
    }
    stored = [*evaluation.cells, *_stored_baseline(evaluation)]
    curves = [{"model": cell.model, "split": cell.split, **cell.curve} for cell in stored]
    figures: dict[str, bytes] = {}
    if all(cell.curve for cell in evaluation.cells):
        for name, draw in _FIGURES.items():
            figures |= {f"{name}.{format}": image for format, image in draw(evaluation).items()}
    path.mkdir(parents=True, exist_ok=True)
    written = write_contents(path, contents)
    write_json(path / CURVES, {"curves": curves})
    drawn = write_contents(path, figures)
    write_json(path / RESULTS, _content(evaluation, command))  # last: the others are there
    return [path / RESULTS, *written, path / CURVES, *drawn]


def _content(evaluation: Evaluation, command: Sequence[str] | None) -> dict[str, Any]:
    cells = [
        {"model": cell.model, "split": cell.split, "params": _shortened(cell.params)}
        for cell in evaluation.cells
    ]
    baseline = Evaluation(_stored_baseline(evaluation)).rows
    return {
        "linkprior": __version__,
        "versions": machine.versions(),
        "command": None if command is None else list(command),
        **_shortened(evaluation.facts),
        "cells": cells,
        "results": _number_rows(evaluation.rows),
        _STORED_BASELINE: _number_rows(baseline),
    }


def _stored_baseline(evaluation: Evaluation) -> list[Cell]:
    return [replace(cell, model=_STORED_BASELINE) for cell in evaluation.baseline]


def _number_rows(rows: list[tuple[str, str, str, float]]) -> list[dict[str, Any]]:
    measured = ((*names, None if math.isnan(value) else value) for *names, value in rows)
    return [dict(zip(COLUMNS, row, strict=True)) for row in measured]


def _shortened(value: Any) -> Any:
    """Return facts for a reader: instead of a long list, its length and digest."""
    if isinstance(value, Mapping):
        return {key: _shortened(item) for key, item in value.items()}
    if not isinstance(value, list | tuple):
        return value
    if len(value) > _LONG and not any(isinstance(item, Mapping) for item in value):
        digest = hashlib.sha256(json.dumps(value, default=str).encode()).hexdigest()
        return f"{len(value)} items, sha256 {digest[:16]}"
    return [_shortened(item) for item in value]


# ---------------------------------------------------------------------- and back


def read_results(folder: str | Path) -> Evaluation:
    """Read an evaluation that `write_results` wrote."""
    path = as_path(folder)
    if not (path / RESULTS).is_file():
        raise StoreError(
            f"{path} holds no {RESULTS}: expected a folder written by `linkprior evaluate -o DIR` "
            "to its end"
        )
    content = read_json(path / RESULTS)
    try:
        curves: dict[tuple[str, str], Any] = {}  # without them there are still the numbers
        if (path / CURVES).is_file():
            names = ("predicted", "found")
            for c in read_json(path / CURVES)["curves"]:
                curves[c["model"], c["split"]] = {name: c[name] for name in names if name in c}
        return _evaluation(content, curves)
    except (KeyError, TypeError, ValueError, AttributeError):
        raise StoreError(f"{path / RESULTS} is incomplete; run the evaluation again") from None


def _evaluation(content: dict[str, Any], curves: Mapping[tuple[str, str], Any]) -> Evaluation:
    params = {(cell["model"], cell["split"]): cell["params"] for cell in content["cells"]}
    values = _by_cell(content["results"])
    if params.keys() != values.keys():
        raise ValueError("cells without numbers, or numbers without a cell")
    cells = [Cell(*key, values[key], curves.get(key, {}), params[key]) for key in params]
    baseline = [
        Cell(BASELINE, split, numbers, curves.get((model, split), {}))
        for (model, split), numbers in _by_cell(content[_STORED_BASELINE]).items()
    ]
    ours = {"linkprior", "versions", "command", "cells", "results", _STORED_BASELINE}
    facts = {name: fact for name, fact in content.items() if name not in ours}
    return Evaluation(cells, baseline, facts)


def _by_cell(rows: Iterable[Mapping[str, Any]]) -> dict[tuple[str, str], dict[str, float]]:
    cells: dict[tuple[str, str], dict[str, float]] = {}
    for row in rows:
        value = math.nan if row["value"] is None else float(row["value"])
        cells.setdefault((row["model"], row["split"]), {})[row["metric"]] = value
    return cells
