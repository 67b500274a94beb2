"""All benchmarks in one run: `make bench`. Ratios, threads stated; never part of the tests."""

from __future__ import annotations

import logging
import sys
from importlib.util import find_spec

from benchmarks import admm, prox, pu, startup, timing, topk


def main() -> None:
    """Print every table; names on the command line choose some."""
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    every = {"startup": startup, "prox": prox, "admm": admm, "topk": topk, "pu": pu}
    wanted = sys.argv[1:] or list(every)
    print(timing.machine())
    for name in wanted:
        if name not in every:
            sys.exit(f"no benchmark is called {name!r}; there are {', '.join(every)}")
        if name == "pu" and find_spec("implicit") is None:
            print("\npu: skipped, implicit is not installed (make bench installs it)")
            continue
        print()
        for line in every[name].run():
            print(line, flush=True)


if __name__ == "__main__":
    main()
