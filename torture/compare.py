"""Two folders byte for byte, and what may differ between them.

What may differ, and why: the clock and the process are in it.

- `log.txt` grows with every attempt; each line has its time.
- `manifest.json` of a run: started, finished, seconds, peak_memory_mb.
- `results.json` of the paper's experiments: written, seconds.
- `journal.log` of a study has optuna's process numbers and times, and the settings that a killed
  process left running; compared are the trials it holds.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

MANIFEST_CLOCK = ("started", "finished", "seconds", "peak_memory_mb")
RESULTS_CLOCK = ("written", "seconds")

Files = dict[str, bytes]


def files_in(folder: Path) -> Files:
    """Return every file beneath a folder by its name there."""
    paths = sorted(path for path in folder.rglob("*") if path.is_file() or path.is_symlink())
    return {str(path.relative_to(folder)): path.read_bytes() for path in paths}


def leftovers(files: Files) -> list[str]:
    """Return the names of temporary files."""
    return [name for name in files if any(p.endswith((".part", ".old")) for p in name.split("/"))]


def settled(files: Files) -> dict[str, Any]:
    """Return what must be the same in the end, by name."""
    return {name: _lasting(name, content) for name, content in files.items()}


def differences(found: Files, wanted: Files) -> list[str]:
    """Name the files that are missing, too many, or not the same."""
    a, b = settled(found), settled(wanted)
    return [
        name for name in sorted({*a, *b}) if name not in a or name not in b or a[name] != b[name]
    ]


def torn(files: Files, before: Files, after: Files) -> list[str]:
    """Name the files with a final name that are neither as before nor as after an undisturbed run.

    A run's manifest is also right while it says that the run is incomplete.
    """
    old, new, now = settled(before), settled(after), settled(files)
    wrong = []
    for name in now:
        if name in leftovers(files) or name.endswith("log.txt"):
            continue
        if name.endswith("journal.log"):
            wrong += [name] * any(trial not in new[name] for trial in now[name])
            continue
        if name.endswith("run/manifest.json") and _incomplete(files[name]):
            continue
        if now[name] not in (old.get(name), new.get(name)):
            wrong.append(name)
    return wrong


def vouched(files: Files, before: Files, after: Files) -> bool:
    """Tell whether a run folder that says it is complete is so, as before or as after."""
    manifest = files.get("run/manifest.json")
    if manifest is None or _incomplete(manifest):
        return True
    return any(
        not [name for name in differences(_run(files), _run(whole)) if name not in leftovers(files)]
        for whole in (before, after)
    )


def _run(files: Files) -> Files:
    return {name: content for name, content in files.items() if name.startswith("run/")}


def _incomplete(content: bytes) -> bool:
    return json.loads(content)["status"] == "incomplete"


def _lasting(name: str, content: bytes) -> Any:
    last = name.rsplit("/", 1)[-1]
    if last == "log.txt":
        return "a log"
    if name.endswith("run/manifest.json"):
        return _without(content, MANIFEST_CLOCK)
    if last == "results.json" and b'"experiment"' in content:
        return _without(content, RESULTS_CLOCK)
    if last == "journal.log":
        return trials_in(content)
    return content


def _without(content: bytes, names: tuple[str, ...]) -> Any:
    try:
        return {k: v for k, v in json.loads(content).items() if k not in names}
    except ValueError:
        return content


def trials_in(journal: bytes) -> Any:
    """Return the finished trials of a journal; what was given up after a kill is no trial."""
    attrs: dict[int, dict[str, Any]] = {}
    states: dict[int, tuple[int, Any]] = {}
    born = 0
    for line in journal.splitlines(keepends=True):
        step = json.loads(line) if line.endswith(b"\n") else {}  # else cut off by a kill
        if step.get("op_code") == 4:  # a new trial
            attrs[born] = dict(step.get("user_attrs", {}))
            born += 1
        elif step.get("op_code") == 8:  # a user attribute
            attrs[step["trial_id"]] |= step["user_attr"]
        elif step.get("op_code") == 6:  # its state
            states[step["trial_id"]] = step["state"], step.get("values")
    kept = [(attrs[n], state) for n, state in states.items() if not attrs[n].get("reaped")]
    return sorted(kept, key=lambda one: one[0]["setting"])
