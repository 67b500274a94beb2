"""The corpus that is kept: of all inputs found so far, few and small ones that reach everything."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from fuzz import places
from fuzz.targets import TARGETS
from fuzz.verdict import judged

MOST_BYTES = 48_000  # of one target
_LARGEST = 3_000  # an input that takes more has to be worth it: none so far was


def keep(names: Sequence[str], work: Path) -> int:
    """Make the kept corpus of some targets anew; return 0."""
    for name in names:
        inputs = [*places.inputs_in(places.corpus_folder(work, name)), *places.kept(name)]
        known = {places.name_of(content): content for content in [*inputs, *_seeds(name)]}
        chosen = choose(reached(name, known, work), {n: len(c) for n, c in known.items()})
        places.keep(name, [known[one] for one in _sound(name, chosen, known)])
        size = sum(len(known[one]) for one in chosen)
        print(f"{name}: {len(chosen)} of {len(known)} inputs kept, {size:,} bytes", flush=True)
    return 0


def _seeds(name: str) -> list[bytes]:
    return list(TARGETS[name].seeds())


def reached(name: str, known: Mapping[str, bytes], work: Path) -> dict[str, frozenset[int]]:
    """Return what each input reaches, as libFuzzer counts it: its merge, the inner half of it."""
    folder = work / "merging" / name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for one, content in known.items():
        (folder / one).write_bytes(content)
    order = sorted(known)
    control = folder / "control.txt"
    control.write_text("\n".join([str(len(order)), "0", *(str(folder / one) for one in order), ""]))
    call = [sys.executable, "-m", "fuzz.child", name, "--work", str(work / "merging")]
    subprocess.run([*call, "--merge", str(control)], cwd=places.ROOT, check=True)
    found = parsed(control.read_text(), order)
    shutil.rmtree(work / "merging")
    return found


def parsed(control: str, order: Sequence[str]) -> dict[str, frozenset[int]]:
    """Return the features by input of a control file of libFuzzer's merge."""
    lines = [line.split() for line in control.splitlines() if line.startswith("FT ")]
    return {order[int(at)]: frozenset(map(int, features)) for _, at, *features in lines}


def choose(features: Mapping[str, frozenset[int]], sizes: Mapping[str, int]) -> list[str]:
    """Return inputs, small ones first, each of which reaches something that none before did."""
    seen: set[int] = set()
    chosen: list[str] = []
    total = 0
    for one in sorted(features, key=lambda one: (sizes[one], one)):
        fits = sizes[one] <= _LARGEST and total + sizes[one] <= MOST_BYTES
        if fits and not features[one] <= seen:
            seen |= features[one]
            chosen.append(one)
            total += sizes[one]
    return chosen


def _sound(name: str, chosen: Sequence[str], known: Mapping[str, bytes]) -> list[str]:
    """Leave out what breaks a promise: that is a finding, and no part of a corpus."""
    with places.scratch() as place:
        attempt = TARGETS[name].make(place)
        return [one for one in chosen if judged(attempt, known[one]) is None]
