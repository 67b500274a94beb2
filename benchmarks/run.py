"""All benchmarks in one run: `make bench`. Ratios, threads stated; never part of the tests."""

from __future__ import annotations

import logging
import sys
from importlib.util import find_spec
from pathlib import Path

from benchmarks import (
    admm,
    judging,
    paths,
    peers,
    prox,
    pu,
    reading,
    responsiveness,
    startup,
    threads,
    timing,
    topk,
)

RESULTS = Path(__file__).parent / "results" / "bench.txt"


def main() -> None:
    """Print every table; names on the command line choose some."""
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    every = {
        "startup": startup,
        "responsiveness": responsiveness,
        "reading": reading,
        "prox": prox,
        "admm": admm,
        "threads": threads,
        "topk": topk,
        "paths": paths,
        "peers": peers,
        "judging": judging,
        "pu": pu,
    }
    wanted = sys.argv[1:] or list(every)
    lines = [timing.machine()]
    print(lines[0])
    for name in wanted:
        if name not in every:
            sys.exit(f"no benchmark is called {name!r}; there are {', '.join(every)}")
        if name == "pu" and find_spec("implicit") is None:
            print("\npu: skipped, implicit is not installed (make bench installs it)")
            continue
        print()
        lines.append("")
        for line in every[name].run():
            print(line, flush=True)
            lines.append(line)
    if len(wanted) == len(every):
        RESULTS.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
