"""Speed and memory against another checkout, in turns: python -m benchmarks.compare DIR.

Each job runs in a fresh process of either checkout, one after the other, several times; the table
has the median seconds and peak megabytes of both, and their ratios. Every job has two threads.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
from functools import partial
from pathlib import Path

import linkprior as lp
from benchmarks import data
from linkprior.machine import peak_memory

TURNS = 4
JOBS = {
    "read a million edges": "lp.read_network(folder + '/million.tsv')",
    "l3, 3,000 nodes": "lp.make('l3').fit(net).predict_edges(1000)",
    "ch2-l3, 3,000 nodes": "lp.make('ch2-l3').fit(net).predict_edges(1000)",
    "katz, 3,000 nodes": "lp.make('katz').fit(net).predict_edges(1000)",
    "tri-degree, ADMM": "lp.make('tri-degree', n_starts=2).fit(net).predict_edges(1000)",
    "tri-degree, streaming": "lp.make('tri-degree', n_starts=2, solver='streaming').fit(net)",
    "pu": "lp.make('pu').fit(net).predict_edges(1000)",
    "dcsbm": "lp.make('dcsbm').fit(net).predict_edges(1000)",
    "auto, fast": "lp.make('auto', effort='fast').fit(small).predict_edges(1000)",
    "evaluate l3, pa, tri": "lp.evaluate(['l3', 'pa', 'tri'], small)",
}


def measure(folder: str, work: str) -> tuple[float, float]:
    """Return seconds and peak megabytes of one job, done in this process."""
    net = lp.planted_network(3000, 20, 20.0, seed=1) if "net)" in work else None
    small = lp.planted_network(1000, 10, 16.0, seed=2) if "small" in work else None
    lp.read_network(folder + "/small.tsv")  # everything is imported before the clock starts
    if "read" not in work:
        lp.make("l3").fit(lp.planted_network(300, seed=3)).predict_edges(10)
    given = {"lp": lp, "net": net, "small": small, "folder": folder}
    seconds, _ = data.clocked(lambda: eval(work, given))  # noqa: S307 - one of the JOBS
    return seconds, peak_memory() / 2**20


def main() -> None:
    one = partial(data.apart, "benchmarks.compare", "measure", env={"LINKPRIOR_WORKERS": "2"})
    checkouts = (Path(sys.argv[1]), data.ROOT)
    with tempfile.TemporaryDirectory() as folder:
        lines = (f"n{i % 99991}\tn{(i * 7919) % 100003}\n" for i in range(1_000_000))
        Path(folder, "million.tsv").write_text("".join(lines))
        Path(folder, "small.tsv").write_text("a\tb\nb\tc\n")
        print("| job | before s | now s | ratio | before MB | now MB | ratio |")
        print("|---|---|---|---|---|---|---|")
        for label, work in JOBS.items():
            for checkout in checkouts:
                one(folder, work, checkout=checkout)  # compiled kernels are on disk from here on
            turns = [[one(folder, work, checkout=c) for c in checkouts] for _ in range(TURNS)]
            cells = []
            for what in (0, 1):
                before, now = (statistics.median(t[side][what] for t in turns) for side in (0, 1))
                cells += [f"{before:.3g}", f"{now:.3g}", f"{now / before:.2f}"]
            print(f"| {label} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
