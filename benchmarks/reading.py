"""A million edges from a file to a network, against pandas that parses the table and no more."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np

NODES, EDGES, REPEATS = 20_000, 1_000_000, 3

# Each runs in a process of its own: memory is the most the process ever held, imports included.
_MEASURE = """
import json, resource, sys, time
began = time.perf_counter()
{imports}
ready = time.perf_counter()
{work}
done = time.perf_counter()
try:  # Linux hands ru_maxrss down from the parent; this counts from the start of the program
    status = open("/proc/self/status").read()
    peak = int(status.split("VmHWM:")[1].split()[0]) / 1024
except OSError:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024**2
print(json.dumps([done - ready, done - began, peak]))
"""
_READERS = {
    "linkprior": ("from linkprior.io.read import read", "read(sys.argv[1])"),
    "pandas": ("import pandas", "pandas.read_csv(sys.argv[1], sep='\\t', header=None)"),
}


def write_edges(path: Path, rng: np.random.Generator) -> None:
    """Write edges between nodes named like genes, few of them with most of the edges."""
    weight = rng.pareto(1.5, NODES) + 0.2
    ends = rng.choice(NODES, size=(EDGES, 2), p=weight / weight.sum()).tolist()
    text = "".join(f"ENSG{i:011d}\tENSG{j:011d}\n" for i, j in ends)
    path.write_text(text)
    with gzip.open(path.with_suffix(".tsv.gz"), "wt", compresslevel=5) as packed:
        packed.write(text)


def measured(reader: str, path: Path) -> list[float]:
    """Return the seconds of the work, the seconds with imports, and the megabytes, of one run."""
    imports, work = _READERS[reader]
    code = _MEASURE.format(imports=imports, work=work)
    done = subprocess.run(
        [sys.executable, "-c", code, str(path)], capture_output=True, check=True, text=True
    )
    figures: list[float] = json.loads(done.stdout)
    return figures


def run() -> Iterator[str]:
    """Yield the lines to print."""
    yield f"reading {EDGES:,} edges (goal: ≤ 3 s and ≤ 400 MB, imports included)"
    yield "                      read s  with imports s      MB"
    with tempfile.TemporaryDirectory() as folder:
        plain = Path(folder) / "edges.tsv"
        write_edges(plain, np.random.default_rng(4))
        for path in (plain, plain.with_suffix(".tsv.gz")):
            best = {
                reader: np.min([measured(reader, path) for _ in range(REPEATS)], axis=0)
                for reader in _READERS
            }
            for reader, (seconds, whole, megabytes) in best.items():
                yield f"{path.name:13}{reader:9}{seconds:6.2f}{whole:16.2f}{megabytes:8.0f}"
            ours, theirs = best["linkprior"], best["pandas"]
            yield (
                f"{'':13}{ours[0] / theirs[0]:.1f}× the time of pandas' parsing alone, "
                f"{ours[2] / theirs[2]:.1f}× its memory"
            )
