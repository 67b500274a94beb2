"""What evaluate and tune leave behind under other workers and engines: the same bytes.

`tune` depends on how many settings are tried at a time, as each learns from those before, unless
it walks a grid; so it is compared at one number of them, or on a grid.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from torture.compare import Files, differences, files_in
from torture.determinism import WORKERS, Row, Words, has_dask, note, run_all

_CLOCK = ("seconds", "peak_mb")


def compare_folders(place: Path) -> dict[str, Row]:
    """Return what evaluate and tune leave under other workers and engines, beside what alone."""
    judged = ["evaluate", "edges.tsv", "--models", "tri,pu,l3,random", "--repeats", "2", "-q", "-o"]
    tuned = ["tune", "edges.tsv", "--model", "pu", "--trials", "4", "--inner", "2", "-q", "--study"]
    grid = [*tuned[:-1], "--sampler", "grid", "--no-prune", "--study"]
    processes = [["--executor", "processes", *_at("2")]]
    local = [["--dask", "local", *_at("2")]] if has_dask() else []
    plans = {
        "evaluate": (judged, [*map(_at, WORKERS), *local]),
        "tune, grid": (grid, [*map(_at, WORKERS), *processes, *local]),
        "tune, 2 at a time": (tuned, [_at("2"), *processes, *local]),
    }
    rows = {}
    for name, (words, ways) in plans.items():
        rows[name] = _folders(place, name, words, ways)
    return rows


def _at(workers: str) -> Words:
    return ["--workers", workers]


def _folders(place: Path, name: str, words: Words, ways: list[Words]) -> Row:
    targets = [f"{name}-{number}".replace(" ", "-") for number in range(len(ways))]
    ends = run_all(place, [[*words, at, *way] for at, way in zip(targets, ways, strict=True)])
    left = [_timeless(place / target) for target in targets]
    row = Row()
    for way, end, files in zip(ways, ends, left, strict=True):
        apart = differences(files, left[0])
        told = f"FAILED: {end['said'][-200:]}" if end["status"] else "DIFFERS: " + ", ".join(apart)
        note(
            {name: row},
            " ".join(way),
            {name: told if end["status"] or apart else "same bytes"},
            True,
        )
    return row


def _timeless(folder: Path) -> Files:
    """Return the files of a folder without times, memory, and the command that was typed."""
    # Tables in .md and .tex are of the numbers in results.json, times among them.
    found = {n: c for n, c in files_in(folder).items() if not n.endswith((".md", ".tex"))}
    return {name: _lasting(name, content) for name, content in found.items()}


def _lasting(name: str, content: bytes) -> bytes:
    if name.endswith(".json"):
        return json.dumps(_plain(json.loads(content))).encode()
    if name.endswith(".tsv"):
        return b"\n".join(row for row in content.splitlines() if not _times(row))
    return content


def _times(row: bytes) -> bool:
    return any(b"\t" + name.encode() + b"\t" in row for name in _CLOCK)


def _plain(found: Any) -> Any:
    if isinstance(found, dict):
        left = (*_CLOCK, "command", "workers", "executor", "written")
        return {k: _plain(v) for k, v in found.items() if k not in left}
    if isinstance(found, list):
        return [_plain(v) for v in found if not (isinstance(v, dict) and v.get("metric") in _CLOCK)]
    return found
