"""All benchmarks in one run: `make bench`. Ratios, threads stated; never part of the tests."""

from __future__ import annotations

import logging
import sys
from importlib.util import find_spec
from pathlib import Path

from benchmarks import speed_commands, speed_kernels, speed_models, timing

RESULTS = Path(__file__).parent / "results" / "bench.txt"
CASES = {
    "startup": speed_commands.startup,
    "responsiveness": speed_commands.responsiveness,
    "reading": speed_commands.reading,
    "prox": speed_kernels.prox,
    "admm": speed_kernels.admm,
    "threads": speed_kernels.threads,
    "topk": speed_kernels.topk,
    "paths": speed_models.paths,
    "peers": speed_models.peers,
    "judging": speed_models.metrics,
    "pu": speed_models.pu,
}


def main() -> None:
    """Print every table; names on the command line choose some."""
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    wanted = sys.argv[1:] or list(CASES)
    lines = [timing.machine()]
    print(lines[0])
    for name in wanted:
        if name not in CASES:
            sys.exit(f"no benchmark is called {name!r}; there are {', '.join(CASES)}")
        if name == "pu" and find_spec("implicit") is None:
            print("\npu: skipped, implicit is not installed (make bench installs it)")
            continue
        print()
        lines.append("")
        for line in CASES[name]():
            print(line, flush=True)
            lines.append(line)
    if len(wanted) == len(CASES):
        RESULTS.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
