"""How good `predict --dry-run` guesses: seconds and peak memory beside those of a real run.

python -m benchmarks.estimates            the models and files below that end within minutes
python -m benchmarks.estimates tri-degree all files for one model, the largest left out
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from benchmarks import data, timing

RESULTS = Path(__file__).parent / "results" / "estimates.txt"
FILES = (
    "lp-classic/Jazz.txt",
    "lp-classic/USAir.txt",
    "dream5/DREAM5_NetworkInference_Edges_Network3.tsv",
    "dream5/DREAM5_NetworkInference_Edges_Network1.tsv",
    "ppi-challenge2023/Yeast.csv",
    "lp-classic/PPI.txt",
    "biogrid-rat/BIOGRID-ORGANISM-Rattus_norvegicus-3.2.120.tab2.txt",
    "l3-2019/hi-ii-14.txt",
    "large/CA-GrQc.txt",
    "lp-classic/Wikivote.txt",
    "ppi-challenge2023/HuRI.csv.gz",
    "l3-2019/bioplex_2.txt",
    "l3-2019/biogrid_all.txt.gz",
    "large/PP-Pathways_ppi.csv.gz",
    "large/musae-github_edges.csv.gz",
    "large/prone-dblp.ungraph.gz",
)
MODELS = ("tri-degree", "tri", "tri-l1", "tri-scale", "pu", "nuclear-degree", "pa", "l3")
LONGEST = 150.0  # seconds; what is expected to take longer is left out
_ESTIMATE = """
import json, sys
from linkprior.io.read import read
from linkprior.predictors.cost import estimate
from linkprior.predictors.registry import make
net = read(sys.argv[1]).network
try:
    e = estimate(make(sys.argv[2]), net)
    print(json.dumps([net.n_nodes, e.seconds, e.bytes]))
except Exception as problem:
    print(json.dumps([net.n_nodes, None, str(problem)]))
"""


def run(models: tuple[str, ...] = MODELS, longest: float = LONGEST) -> Iterator[str]:
    """Yield the lines to print."""
    folder = data.folder()
    if folder is None:
        yield "estimates: skipped, LINKPRIOR_DATA is unset"
        return
    yield _line(
        "file", "nodes", "model", "told s", "took s", "ratio", "told GB", "held GB", "ratio"
    )
    ratios = []
    for name in FILES:
        for model in models:
            told = _told(folder / name, model)
            if told is None or told[1] > longest:
                continue
            nodes, seconds, size = told
            took, held = _took(folder / name, model)
            ratios += [took / seconds, held / size]
            times = (f"{seconds:.1f}", f"{took:.1f}", f"{took / seconds:.2f}")
            sizes = (f"{size / 1e9:.2f}", f"{held / 1e9:.2f}", f"{held / size:.2f}")
            yield _line(Path(name).name[:33], nodes, model, *times, *sizes)
    outside = sum(not 0.5 <= ratio <= 2.0 for ratio in ratios)
    yield (
        f"{len(ratios)} figures, {outside} of them not within a factor of 2; took / told lies "
        f"between {min(ratios):.2f} and {max(ratios):.2f}"
    )


def _line(file: object, nodes: object, model: object, *figures: object) -> str:
    return f"{file!s:34}{nodes!s:>6} {model!s:15}" + "".join(f"{x!s:>9}" for x in figures)


def _told(path: Path, model: str) -> tuple[int, float, float] | None:
    done = subprocess.run(
        [sys.executable, "-c", _ESTIMATE, str(path), model], capture_output=True, check=True
    )
    nodes, seconds, size = json.loads(done.stdout)
    return None if seconds is None else (nodes, seconds, size)


def _took(path: Path, model: str) -> tuple[float, float]:
    """Return seconds and peak bytes of a prediction in a process of its own."""
    code = "import sys; from linkprior.cli import main; main()"
    ask = ["predict", str(path), "--model", model, "--force", "-q"]
    began = time.perf_counter()
    job = subprocess.Popen([sys.executable, "-c", code, *ask], stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(job.pid, 0)
    job.returncode = os.waitstatus_to_exitcode(status)
    if job.returncode:
        raise RuntimeError(f"{model} on {path.name} ended with status {job.returncode}")
    return time.perf_counter() - began, used.ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def main() -> None:
    """Print the table and keep it."""
    models = tuple(sys.argv[1:]) or MODELS
    lines = [timing.machine()]
    print(lines[0])
    for line in run(models, 900.0 if sys.argv[1:] else LONGEST):
        print(line, flush=True)
        lines.append(line)
    if not sys.argv[1:]:
        RESULTS.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
