"""`python -m linkprior.serve.child`: a job in its folder; the command itself, then its page."""

from __future__ import annotations

import json
import runpy
import sys
from pathlib import Path

from linkprior.serve import parent_watch, results


def main() -> None:
    """Run the command that job.json orders, and make what the explorer shows of its result."""
    parent_watch.hold()
    order = json.loads(Path("job.json").read_text(encoding="utf-8"))
    sys.argv = ["linkprior", *order["arguments"]]
    runpy.run_module("linkprior", run_name="__main__")  # leaves by itself when something is wrong
    results.export_run(Path("run"), Path(), order["name"], order["command"])


if __name__ == "__main__":
    main()
