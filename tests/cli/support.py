"""What the tests of the command line share: running it here, or in a process of its own."""

import csv
import io
import os
import subprocess
import sys

import numpy as np

HEADER = ["rank", "source", "target", "score"]
FEW_STEPS = ["--set", "n_starts=1", "--set", "max_iter=4"]
SMALL = ["--model", "tri-degree", *FEW_STEPS, "--set", "warmup=4"]  # a quick fit by a real model


def by_name(net, pairs):
    return [(net.names[i], net.names[j]) for i, j in np.asarray(pairs).tolist()]


def command(*arguments):
    """The command as a list for subprocess, through this Python."""
    start = "import sys; from linkprior.cli import main; sys.argv[0] = 'linkprior'; main()"
    return [sys.executable, "-c", start, *map(str, arguments)]


# What tests may have set for themselves; a user has set none of it.
OUR_OWN = ("PYTHONUNBUFFERED", "LINKPRIOR_KERNELS", "NUMBA_DISABLE_JIT")


def buffered():
    """The environment of a user: buffered output, compiled kernels."""
    return {key: value for key, value in os.environ.items() if key not in OUR_OWN}


def outside(*arguments, **options):
    """Run the command in a process of its own."""
    settings = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, **options}
    return subprocess.run(command(*arguments), check=False, timeout=60, env=buffered(), **settings)


def table(text):
    rows = list(csv.reader(io.StringIO(text), delimiter="\t"))
    return rows[0], rows[1:]


def one_line_of_error(result, *expected):
    """Status 1, nothing on stdout, and a last line on stderr that says what to do."""
    status, out, err = result
    assert status == 1
    assert out == ""
    assert "Traceback" not in err
    last = err.splitlines()[-1]
    assert last.startswith("linkprior: ")
    for text in expected:
        assert text in last
    return True
