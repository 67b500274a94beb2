"""The path peers on HuRI: all pairs scored and the best 1000 kept, against sparse products."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import scipy.sparse as sp

from benchmarks import data
from benchmarks.timing import side_by_side
from linkprior.io.read import read_network
from linkprior.network import Network
from linkprior.parallel import one_blas_thread
from linkprior.predictors.registry import make
from linkprior.ranking.topk import best_pairs

TOP = 1000
# Seconds on two cores for models together; MPS has its own.
GOALS = {("l3",): 5.0, ("l3n", "ch2-l3"): 40.0, ("mps",): 25.0}


def by_products(net: Network) -> np.ndarray:
    """Rank by L3 as scipy's sparse products give it, in the same blocks and threads."""
    a, w = net.adjacency, sp.diags_array(1.0 / np.sqrt(np.maximum(net.degrees, 1)))
    half = sp.csr_array(a @ w @ a @ w)
    with one_blas_thread():
        return best_pairs(lambda i, j: (half[i:j] @ a).toarray(), net, TOP)[0]


def run() -> Iterator[str]:
    """Yield the lines to print."""
    folder = data.folder()
    if folder is None:
        yield "paths: skipped, LINKPRIOR_DATA is unset"
        return
    net = read_network(folder / "ppi-challenge2023" / "HuRI.csv.gz")
    names = [name for group in GOALS for name in group]

    def ranked(name: str) -> np.ndarray:
        return make(name).fit(net).predict_edges(TOP).pairs

    same = {*map(tuple, by_products(net))} == {*map(tuple, ranked("l3"))}
    tasks = [lambda: by_products(net), *(lambda name=name: ranked(name) for name in names)]
    products, *times = side_by_side(tasks, repeats=2)
    took = dict(zip(names, times, strict=True))
    yield f"path peers, fit and top {TOP} of HuRI ({net.n_nodes} nodes, {net.n_edges} edges)"
    yield f"l3 by sparse products {products:.2f} s: {products / took['l3']:.1f}× ours, same: {same}"
    for group, goal in GOALS.items():
        parts = " + ".join(f"{name} {took[name]:.2f}" for name in group)
        share = sum(took[name] for name in group) / goal
        yield f"{parts} s   {share:.2f} of the goal of {goal:.0f} s on two cores"
