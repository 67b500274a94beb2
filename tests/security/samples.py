"""A small file of every format that is read, and folders of everything the command keeps."""

import bz2
import gzip
import io
import lzma
import subprocess
import sys

import numpy as np
import scipy.sparse as sp
from tests.io.files import zipped

import linkprior as lp

MITAB_ROW = "\t".join(["uniprotkb:P1", "uniprotkb:P2", *["-"] * 13])
ENDS = [f"{what} Interactor {end}" for what in ("Entrez Gene", "Organism") for end in "AB"]
BIOGRID = "\t".join(["#BioGRID Interaction ID", *ENDS])
XML = "<node id='a'/><node id='b'/><edge source='a' target='b'/>"


def matrix():
    stream = io.BytesIO()
    sp.save_npz(stream, sp.csr_array(np.array([[0, 1.0], [1.0, 0]])))
    return stream.getvalue()


FILES = {
    "npz": ("a.npz", matrix()),
    "matrix-market": ("a.mtx", b"%%MatrixMarket matrix coordinate real general\n2 2 1\n2 1 1\n"),
    "graphml": ("a.graphml", f"<graphml><graph>{XML}</graph></graphml>".encode()),
    "gexf": ("a.gexf", f"<gexf><graph>{XML}</graph></gexf>".encode()),
    "cx2": (
        "a.cx2",
        b'[{"CXVersion":"2.0"},{"nodes":[{"id":1},{"id":2}]},{"edges":[{"id":1,"s":1,"t":2}]}]',
    ),
    "pajek": ("a.net", b"*Vertices 2\n*Edges\n1 2\n"),
    "biogrid": ("a.tab3.txt", f"{BIOGRID}\n1\t11\t12\t9606\t9606\n".encode()),
    "mitab": ("a.mitab", f"{MITAB_ROW}\n{MITAB_ROW}\n".encode()),
    "string": ("a.links.txt", b"protein1 protein2 combined_score\n9606.A 9606.B 900\n"),
    "metis": ("a.graph", b"2 1\n2\n1\n"),
    "sif": ("a.sif", b"a\tpp\tb\n"),
    "edgelist": ("a.tsv", b"a\tb\n"),
}


PACKED = {
    ".gz": lambda content, _: gzip.compress(content),
    ".bz2": lambda content, _: bz2.compress(content),
    ".xz": lambda content, _: lzma.compress(content),
    ".zip": lambda content, name: zipped({name: content}),
}


def write_inputs(folder):
    folder.mkdir()
    found = {}
    for kind, (name, content) in FILES.items():
        paths = [folder / name, *(folder / f"{name}{suffix}" for suffix in PACKED)]
        paths[0].write_bytes(content)
        for path, pack in zip(paths[1:], PACKED.values(), strict=True):
            path.write_bytes(pack(content, name))
        found[kind] = paths
    return found


def run_module(name, *arguments):
    """Run a module as a program that must succeed; return what it writes."""
    call = [sys.executable, "-m", name, *map(str, arguments)]
    done = subprocess.run(call, capture_output=True, text=True, timeout=180, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout


def write_results(folder):
    """Have the command write a run, an evaluation and a study; return their folders."""
    folder.mkdir()
    edges = folder / "edges.tsv"
    net = lp.planted_network(n_nodes=60, n_groups=4, mean_degree=6, seed=3)
    names = net.names
    edges.write_text("".join(f"{names[i]}\t{names[j]}\n" for i, j in net.edges.tolist()))
    run, evaluation, study = (folder / name for name in ("run", "evaluation", "study"))
    for command in (
        f"predict {edges} --model tri-degree --set max_iter=3 -o {run}/",
        f"evaluate {edges} --models cn,l3 -o {evaluation}",
        f"tune {edges} --model lrw --trials 2 --study {study}",
    ):
        run_module("linkprior", *command.split())
    return run, evaluation, study
