"""How long a user waits before anything happens: `--help` and `import linkprior`."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator

from benchmarks.timing import side_by_side


def run() -> Iterator[str]:
    """Yield the lines to print."""
    tasks = {
        "linkprior --help": "import sys; sys.argv = ['linkprior', '--help']\n"
        "from linkprior.cli import main; main()",
        "import linkprior": "import linkprior",
        "import linkprior; linkprior.Network": "import linkprior; linkprior.Network",
        "python alone": "pass",
    }
    commands = [
        lambda code=code: subprocess.run(
            [sys.executable, "-c", code], capture_output=True, check=True
        )
        for code in tasks.values()
    ]
    yield "start (goal: --help ≤ 0.3 s, import ≤ 0.5 s)"
    for name, seconds in zip(tasks, side_by_side(commands), strict=True):
        yield f"{name:38}{seconds:6.3f} s"
