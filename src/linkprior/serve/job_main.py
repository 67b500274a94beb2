"""What the server's processes run.

`python -m linkprior.serve.job_main` runs the job of its folder; `… NETWORK REPORT.json` reads a
network file and writes a report. These are separate processes: a file that takes all memory, or
crashes a reader, ends only its own. Each process ends when its standard input closes, so that none
outlives the server: a pipe closes with the process at its other end, however that one ends.
"""

from __future__ import annotations

import json
import os
import runpy
import signal
import sys
import threading
import time
from pathlib import Path
from typing import Any

from linkprior.errors import LinkpriorError
from linkprior.io.atomic_files import whole_file

_GRACE = 5.0  # seconds to tidy up


def main() -> None:
    """Read a network where one is given, else run the command of job.json and export its run."""
    threading.Thread(target=_end_with_parent, name="parent watch", daemon=True).start()
    if len(sys.argv) == 3:
        with whole_file(Path(sys.argv[2])) as stream:
            json.dump(inspect_input(sys.argv[1]), stream)
        return
    job = json.loads(Path("job.json").read_text(encoding="utf-8"))
    sys.argv = ["linkprior", *job["arguments"]]
    runpy.run_module("linkprior", run_name="__main__")  # exits by itself when something is wrong
    from linkprior.serve.jobs import export_run

    export_run(Path("run"), Path(), job["name"], job["command"])


def inspect_input(source: str) -> dict[str, Any]:
    """Return what the page shows of a network file, or the line that says what is wrong."""
    from linkprior.io.read import read

    try:
        report = read(source).report
    except (LinkpriorError, OSError) as problem:
        return {"error": str(problem)}
    except MemoryError:
        return {"error": f"{source}: does not fit into memory"}
    first, *lines = report.text()
    return {
        "kind": first.removeprefix(f"{report.file}: "),
        "nodes": report.nodes,
        "edges": report.edges,
        "components": report.components,
        "largest": report.largest_component,
        "mean_degree": report.degrees["mean"],
        "max_degree": report.degrees["max"],
        "hub": report.hub,
        "lines": lines,
    }


def _end_with_parent() -> None:
    """End this process, as by SIGTERM, once nobody holds its standard input open."""
    while os.read(0, 4096):  # not through sys.stdin, whose lock a daemon thread may not hold
        pass
    signal.raise_signal(signal.SIGTERM)
    time.sleep(_GRACE)
    os._exit(143)


if __name__ == "__main__":
    main()
