"""Tables of the cells that `benchmarks.flagship` keeps."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

METRICS = ("auprc", "recall@5%", "p@500", "ndcg", "auroc", "dc_auroc")
RANKED = METRICS[:5]
WITHOUT = "auto without prior"

Cells = dict[str, dict[str, dict[int, dict[str, Any]]]]  # network, model, split


def read(folder: Path) -> Cells:
    """Return the cells of the networks auto was judged on, by network, model and split."""
    found: Cells = defaultdict(lambda: defaultdict(dict))
    for path in sorted(folder.glob("*/*.json")):
        cell = json.loads(path.read_text())
        found[cell["network"]][cell["model"]][cell["split"]] = cell
    return {name: models for name, models in found.items() if "auto" in models}


def _values(cells: dict[int, dict[str, Any]], metric: str, splits: list[int]) -> Any:
    found = (cells[n]["values"].get(metric) for n in splits)
    return np.array([np.nan if value is None else float(value) for value in found])


def _common(models: dict[str, dict[int, Any]]) -> list[int]:
    """Return the splits that auto has been judged on."""
    return sorted(models.get("auto", {}))


def text(found: Cells) -> str:
    """Return Markdown: a table per metric, ranks, verdicts, yields, what the prior adds."""
    parts = [*(_table(found, metric) for metric in METRICS), _ranks(found), _verdicts(found)]
    return "\n\n".join([*parts, _yields(found), _prior(found)]) + "\n"


def _models(found: Cells) -> list[str]:
    names = {model for models in found.values() for model in models} - {WITHOUT}
    return ["auto", *sorted(names - {"auto"})]


def _table(found: Cells, metric: str) -> str:
    models = _models(found)
    lines = [f"### {metric}", "", f"| network (splits) | {' | '.join(models)} |"]
    lines.append("|---" * (len(models) + 1) + "|")
    for network, by_model in found.items():
        splits = _common(by_model)
        row = []
        for model in models:
            own = [n for n in splits if n in by_model.get(model, {})]
            values = _values(by_model[model], metric, own) if own else np.array([])
            row.append(_number(values))
        best = max(row, key=lambda one: one[0] if one[0] == one[0] else -1)[0]
        shown = [f"**{t}**" if v == best else t for v, t in row]
        lines.append(f"| {network} ({len(splits)}) | {' | '.join(shown)} |")
    return "\n".join(lines)


def _number(values: Any) -> tuple[float, str]:
    if not len(values) or np.isnan(values).all():
        return float("nan"), "–"
    mean = float(np.nanmean(values))
    spread = f" ± {np.nanstd(values, ddof=1):.3f}" if len(values) > 1 else ""
    return mean, f"{mean:.4f}{spread}" if mean < 0.1 else f"{mean:.3f}{spread}"


def _ranks(found: Cells) -> str:
    """Return the mean rank of every model over the networks, metric by metric."""
    models = [m for m in _models(found) if all(m in by for by in found.values())]
    lines = ["### Mean rank over networks (1 is best)", "", f"| metric | {' | '.join(models)} |"]
    lines.append("|---" * (len(models) + 1) + "|")
    for metric in RANKED:
        ranks = []
        for by_model in found.values():
            splits = [n for n in _common(by_model) if all(n in by_model[m] for m in models)]
            means = np.array([np.nanmean(_values(by_model[m], metric, splits)) for m in models])
            ranks.append([(means > one).sum() + ((means == one).sum() + 1) / 2 for one in means])
        lines.append(f"| {metric} | {' | '.join(f'{r:.2f}' for r in np.mean(ranks, axis=0))} |")
    return "\n".join(lines)


def _verdicts(found: Cells) -> str:
    """Return where auto is not best, and by how many sds of the paired difference."""
    lines = ["### Where another model is ahead of auto (mean difference ± sd of the pairs)", ""]
    for network, metric, model, gap in _behind(found):
        sd = f" ± {gap.std(ddof=1):.4f}" if len(gap) > 1 else ""
        within = len(gap) > 1 and gap.mean() <= gap.std(ddof=1)
        note = "within one sd" if within else "MORE THAN ONE SD" if len(gap) > 1 else "one split"
        lines.append(f"- {network}, {metric}: {model} by {gap.mean():.4f}{sd} ({note})")
    return "\n".join(lines)


def _behind(found: Cells) -> Iterator[tuple[str, str, str, Any]]:
    for network, by_model in found.items():
        for metric in METRICS:
            for model, cells in by_model.items():
                splits = [n for n in _common(by_model) if n in cells]
                if model in ("auto", WITHOUT) or not splits:
                    continue
                gap = _values(cells, metric, splits) - _values(by_model["auto"], metric, splits)
                if not np.isnan(gap).any() and gap.mean() > 0:
                    yield network, metric, model, gap


def _yields(found: Cells) -> str:
    """Return expected against real hits, how often the interval held, and how wide it was."""
    lines = ["### Expected yield", "", "| network | split | k | expected | nine in ten | real |"]
    lines.append("|---|---|---|---|---|---|")
    held, widths = [], []
    for network, by_model in found.items():
        for split, cell in sorted(by_model.get("auto", {}).items()):
            for one in cell.get("yield", []):
                span = f"{one['low']:.0f}–{one['high']:.0f}"
                lines.append(
                    f"| {network} | {split} | {one['k']} | {one['expected']:.1f} | {span} "
                    f"| {one['hits']} |"
                )
                if not network.startswith("rat") and "70 %" not in network:
                    held.append(one["low"] <= one["hits"] <= one["high"])
                    p = min(1.0, one["expected"] / one["k"])
                    sd = max(0.3, float(np.sqrt(one["k"] * p * (1 - p))))
                    widths.append((one["high"] - one["low"]) / (2 * 1.645 * sd))
    if held:
        lines.append(
            f"\nOn splits that hide a tenth: inside in {np.mean(held):.0%} of {len(held)}; median "
            f"width {np.median(widths):.2f} of a binomial's."
        )
    return "\n".join(lines)


def _prior(found: Cells) -> str:
    """Return what the stack gains by the sources with the degree prior."""
    lines = ["### auto less auto without prior sources", "", f"| network | {' | '.join(METRICS)} |"]
    lines.append("|---" * (len(METRICS) + 1) + "|")
    for network, by_model in found.items():
        splits = [n for n in _common(by_model) if n in by_model.get(WITHOUT, {})]
        if not splits:
            continue
        row = []
        for metric in METRICS:
            own, other = (_values(by_model[m], metric, splits) for m in ("auto", WITHOUT))
            gain = own - other
            sd = f" ± {gain.std(ddof=1):.4f}" if len(gain) > 1 else ""
            row.append(f"{gain.mean():+.4f}{sd}")
        lines.append(f"| {network} ({len(splits)}) | {' | '.join(row)} |")
    return "\n".join(lines)
