"""What the tests of the command line share: running it here, or in a process of its own."""

import csv
import io
import json
import os
import re
import signal
import subprocess
import sys

import numpy as np

HEADER = ["rank", "source", "target", "score"]
FEW_STEPS = ["--set", "n_starts=1", "--set", "max_iter=4"]
SMALL = ["--model", "tri-degree", *FEW_STEPS, "--set", "warmup=4"]  # a quick fit by a real model


def by_name(net, pairs):
    return [(net.names[i], net.names[j]) for i, j in np.asarray(pairs).tolist()]


def write_pairs(path, pairs):
    path.write_text("".join(f"{a}\t{b}\n" for a, b in pairs))
    return path


def write_edges(path, net):
    """Write a network as a file and return its path."""
    return write_pairs(path, by_name(net, net.edges))


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


def data_of(page):
    """The data a page was made from; it is given as a file, or as its text."""
    text = page if isinstance(page, str) else page.read_text(encoding="utf-8")
    (found,) = re.findall(r'<script type="application/json" id="data">(.*?)</script>', text)
    return json.loads(found)


GENES = {1: "TP53", 2: "MDM2", 3: "ATM", 4: "CHEK2"}


def biogrid(path, edges, symbol=GENES):
    """Write a small BioGRID table of human, physical pairs; BioGRID ids are Entrez ids and 10."""
    names = ["BioGRID Interaction ID"] + [
        f"{what} Interactor {side}"
        for what in ("Entrez Gene", "BioGRID ID", "Official Symbol")
        for side in "AB"
    ]
    names += ["Experimental System", "Experimental System Type"]
    names += ["Organism Interactor A", "Organism Interactor B"]
    how = ("Two-hybrid", "physical", 9606, 9606)
    rows = [[n, a, b, 10 + a, 10 + b, symbol[a], symbol[b], *how] for n, (a, b) in enumerate(edges)]
    lines = ["#" + "\t".join(names), *("\t".join(map(str, row)) for row in rows)]
    path.write_text("\n".join(lines) + "\n")
    return path


def manifest(folder):
    return json.loads((folder / "manifest.json").read_text())


def change(folder, **facts):
    """Change what the manifest of a run says."""
    (folder / "manifest.json").write_text(json.dumps(manifest(folder) | facts))


SOON = 10.0  # seconds; generous, it takes some hundredths
# Whoever runs the tests in the background has told us to ignore Ctrl-C.
START = (
    "import signal, sys\n"
    "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
    "from linkprior.cli import main\n"
    "sys.argv[0] = 'linkprior'\n"
)


class Job:
    """The command in a process of its own, with its last words."""

    def __init__(self, *arguments, before="", path="", **options):
        code = f"import sys\nsys.path.insert(0, {str(path)!r})\n{START}{before}\nmain()\n"
        self.process = subprocess.Popen(
            [sys.executable, "-c", code, *map(str, arguments)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=buffered(),
            **options,
        )

    def wait_for(self, text):
        """Read what it says until a line holds the text."""
        for line in self.process.stderr:
            if text in line:
                return
        raise AssertionError(f"it never said {text!r}")

    def send(self, number=signal.SIGINT):
        """Send a signal; return the exit status, stdout and the lines of stderr from then on."""
        self.process.send_signal(number)
        try:
            out, err = self.process.communicate(timeout=SOON)
        finally:
            self.process.kill()
        return self.process.returncode, out, err.splitlines()
