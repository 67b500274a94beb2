"""What was tried so far, added up over all turns, and the table of it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from linkprior.io.atomic_files import whole_file

Facts = dict[str, Any]
_TRIED = re.compile(r"^#(\d+)\s", re.MULTILINE)
_STATUS = re.compile(r"cov: (\d+) ft: (\d+) corp: (\d+)/(\d+)(b|Kb|Mb)")
_PEAK = re.compile(r"(?:peak_rss_mb:\s+|rss: )(\d+)")
_ENDED = re.compile(r"^Done \d+ runs in (\d+) second", re.MULTILINE)
_UNITS = {"b": 1, "Kb": 1 << 10, "Mb": 1 << 20}
_SUMMED = ("inputs", "seconds", "findings")
_HIGHEST = ("slowest_s", "peak_mb", "coverage", "features", "corpus", "corpus_bytes")


def read_log(text: str) -> Facts:
    """Return what libFuzzer's words tell of a turn, however it ended."""
    status = [found.groups() for found in _STATUS.finditer(text)]
    coverage, features, corpus, size, unit = status[-1] if status else (0, 0, 0, 0, "b")
    ended = _ENDED.search(text)
    took = {"seconds": int(ended[1])} if ended else {}
    return {
        **took,  # without the start of the process
        "inputs": max(map(int, _TRIED.findall(text)), default=0),
        "peak_mb": max(map(int, _PEAK.findall(text)), default=0),
        "coverage": int(coverage),
        "features": int(features),
        "corpus": int(corpus),
        "corpus_bytes": int(size) * _UNITS[unit],
    }


def added(before: Facts, turn: Facts) -> Facts:
    """Return the figures of a target with one turn more: sums, and what was highest."""
    summed = {name: before.get(name, 0) + turn.get(name, 0) for name in _SUMMED}
    highest = {name: max(before.get(name, 0), turn.get(name, 0)) for name in _HIGHEST}
    return {**before, **summed, **highest}


def read_figures(path: Path) -> Facts:
    """Return the figures that are kept, by target."""
    if not path.exists():
        return {}
    found: Facts = json.loads(path.read_text(encoding="utf-8"))
    return found


def keep_turn(path: Path, target: str, turn: Facts, **about: Any) -> Facts:
    """Add a turn to the figures that are kept; return those of its target."""
    whole = read_figures(path)
    targets = whole.get("targets", {})
    targets[target] = added(targets.get(target, {}), turn)
    with whole_file(path) as stream:
        stream.write(json.dumps({**whole, **about, "targets": targets}, indent=1, sort_keys=True))
        stream.write("\n")
    found: Facts = targets[target]
    return found


_COLUMNS = ("target", "inputs", "minutes", "slowest s", "peak MB", "lines", "corpus", "found")


def table(figures: Facts, names: Iterable[str]) -> str:
    """Return the figures as a Markdown table, with a row for all."""
    rows = [(name, figures[name]) for name in names if name in figures]
    if not rows:
        return "nothing has been tried yet"
    summed = {name: sum(facts[name] for _, facts in rows) for name in (*_SUMMED, "corpus")}
    highest = {name: max(facts[name] for _, facts in rows) for name in ("slowest_s", "peak_mb")}
    lines = [_row(name, facts) for name, facts in [*rows, ("all", {**summed, **highest})]]
    head = "| " + " | ".join(_COLUMNS) + " |"
    return "\n".join([head, "|" + "---|" * len(_COLUMNS), *lines])


def _row(name: str, facts: Facts) -> str:
    cells = (
        f"{facts['inputs']:,}",
        f"{facts['seconds'] / 60:.1f}",
        f"{facts['slowest_s']:.2f}",
        f"{facts['peak_mb']}",
        f"{facts.get('coverage', '')}",
        f"{facts['corpus']:,}",
        f"{facts['findings']}",
    )
    return f"| {name} | " + " | ".join(cells) + " |"
