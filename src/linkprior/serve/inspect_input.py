"""`python -m linkprior.serve.look NETWORK REPORT.json`: reads a network and reports on it.

In a process of its own: a file that takes all memory, or crashes a reader, takes nobody along.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from linkprior.errors import LinkpriorError
from linkprior.io.atomic_files import whole_file
from linkprior.serve import parent_watch


def main() -> None:
    """Write the input report of a file, or why it is refused."""
    parent_watch.hold()
    source, target = sys.argv[1:]
    with whole_file(Path(target)) as stream:
        json.dump(report_on(source), stream)


def report_on(source: str) -> dict[str, Any]:
    """Return what a page shows of a network file, or the one line that says what is wrong."""
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


if __name__ == "__main__":
    main()
