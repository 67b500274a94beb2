"""All benchmarks in one run: `make bench`. Ratios, threads stated; never part of the tests."""

from __future__ import annotations

import logging
import sys
from importlib.util import find_spec
from itertools import chain

from benchmarks import data, speed, speed_commands

CASES = {
    case.__name__: case
    for case in (
        *(speed_commands.startup, speed_commands.responsiveness),
        *(speed.prox, speed.threads, speed.topk, speed.pu),
    )
}


def main() -> None:
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    wanted = sys.argv[1:] or list(CASES)
    lines = [data.machine()]
    print(lines[0])
    for name in wanted:
        if name not in CASES:
            sys.exit(f"no benchmark is called {name!r}; there are {', '.join(CASES)}")
        if name == "pu" and find_spec("implicit") is None:
            print("\npu: skipped, implicit is not installed (make bench installs it)")
            continue
        for line in chain([""], CASES[name]()):
            print(line, flush=True)
            lines.append(line)
    if len(wanted) == len(CASES):
        (data.RESULTS / "bench.txt").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
