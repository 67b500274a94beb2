"""The data of a page about the paper's experiments: its numbers next to ours, and the curves."""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from linkprior.errors import StoreError
from linkprior.evaluation.store import read_json
from linkprior.experiments.paper import EXPERIMENTS, METHODS
from linkprior.experiments.reproduction import OURS, TABLE_PERCENT
from linkprior.report.page import provenance

RESULTS = "results.json"
_AT = f"{TABLE_PERCENT:g}%"
Facts = Mapping[str, Any]


def read_reproduction(folder: Path) -> list[dict[str, Any]]:
    """Return what `linkprior reproduce` wrote below a folder: one experiment, several or none."""
    paths = [path for name in EXPERIMENTS if (path := folder / name / RESULTS).is_file()]
    if (folder / RESULTS).is_file():
        paths = [folder / RESULTS] if "experiment" in read_json(folder / RESULTS) else []
    results = [read_json(path) for path in paths]
    for path, facts in zip(paths, results, strict=True):
        try:
            reproduction_page([facts])
        except (KeyError, TypeError, ValueError, IndexError, AttributeError):
            raise StoreError(f"{path} is incomplete; run `linkprior reproduce` again") from None
    return results


def reproduction_page(results: Sequence[Facts], command: str | None = None) -> dict[str, Any]:
    """Return what a page shows of one experiment or of several."""
    wins, of = (sum(numbers) for numbers in zip(*map(_wins, results), strict=True))
    care = results[0]["care"]
    tuned = f"{care['trials']} settings tried for each" if care["trials"] else "default parameters"
    digests: dict[tuple[str, str], str] = {}  # of each experiment's networks, by first condition
    for facts in results:
        for one in facts["conditions"]:
            if digest := str(one.get("network", {}).get("digest", "")):
                digests.setdefault((facts["experiment"], digest), one["condition"])
    digest_rows = [
        [f"{name}, {first}, digest", digest] for (name, digest), first in digests.items()
    ]
    seeds = f"{care['seeds']} seed{'s' * (care['seeds'] != 1)}"
    return {
        "title": "The paper's experiments, repeated",
        "subtitle": f"Network Inference by Learned Node-Specific Degree Prior; {tuned}, {seeds}. "
        f"{OURS} is the best of the paper's five at {TABLE_PERCENT:g} % in {wins} of {of}",
        "parts": [_part(one) for one in results],
        "about": provenance(digest_rows, command, results[0].get("versions")),
    }


def _wins(facts: Facts) -> tuple[int, int]:
    """Return in how many conditions the paper's method is the best of its five, and of how many."""
    of = int(facts["wins"]["of"])
    return int(sum(facts["wins"].values())) - of, of


def _part(facts: Facts) -> dict[str, Any]:
    wins, of = _wins(facts)
    name = str(facts["experiment"])
    return {
        "id": name,
        "nav": {"dream5": "DREAM5", "plasmodium": "Plasmodium", "rat": "Rat"}.get(name, name),
        "title": facts["title"],
        "words": [
            f"Data: {facts['source']}.",
            f"Share of the hidden edges among the best {TABLE_PERCENT:g} % of all pairs, mean ± sd "
            "over seeds, in brackets how many that are. *: best of the paper's five. "
            f"{OURS} is that in {wins} of {of}.",
        ],
        "tables_first": True,
        "tables": [_table(facts)],
        "figures": [_curve(name, one) for one in facts["conditions"]],
    }


def _table(facts: Facts) -> dict[str, Any]:
    conditions = facts["conditions"]
    heads, methods = ["method"], list(conditions[0]["methods"])
    for one in conditions:
        heads += [one["condition"], *(["paper"] if _has_paper(one) else [])]
    rows = [
        [method, *(cell for one in conditions for cell in _cells(one, method))]
        for method in methods
    ]
    leads: list[Any] = [f"{OURS}'s lead over"]
    for one in conditions:
        margin = one["margin"]
        spread = f" ± {margin['sd']:.3f}" if margin["sd"] else ""
        leads.append({"text": f"{margin['mean']:+.3f}{spread} ({margin['over']})"})
        leads += [{"text": ""}] if _has_paper(one) else []
    return {
        "id": f"table-{facts['experiment']}",
        "title": f"Recall at {TABLE_PERCENT:g} %",
        "file": f"recall_{facts['experiment']}",
        "heads": heads,
        "rows": [*rows, leads],
    }


def _has_paper(condition: Facts) -> bool:
    return any(one.get("paper") is not None for one in condition["methods"].values())


def _cells(condition: Facts, method: str) -> Iterator[Any]:
    results = condition["methods"][method]
    values, mean = results["recall"][_AT], results["mean"][_AT]
    spread = f" ± {statistics.stdev(values):.3f}" if len(set(values)) > 1 else ""
    hits = statistics.mean(v * h for v, h in zip(values, condition["hidden"], strict=True))
    best = method in METHODS and condition["ranking"][0] == method
    mark = {"mark": "best"} if best else {}
    yield {"text": f"{mean:.3f}{spread} ({hits:.0f})", "value": mean, **mark}
    if _has_paper(condition):
        yield results.get("paper")


def _curve(experiment: str, condition: Facts) -> dict[str, Any]:
    lines = []
    for method, results in condition["methods"].items():
        at = [float(percent.rstrip("%")) for percent in results["mean"]]
        lines.append({"name": method, "x": [0.0, *at], "y": [0.0, *results["mean"].values()]})
    lines.sort(key=lambda line: line["name"] != OURS)  # the first hue for the paper's method
    title = str(condition["condition"])
    file = f"{experiment}_{title}".replace(" → ", "_to_")
    return {
        "title": title,
        "note": "Share of hidden edges found among the best x % of all pairs.",
        "file": "".join(c if c.isalnum() or c in "._-" else "_" for c in file),
        "lines": lines,
        "x": {"name": "% of all pairs", "from": 0},
        "y": {"name": "recall", "from": 0},
    }
