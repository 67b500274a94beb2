"""The best pairs over row blocks against forming the whole score matrix and argpartition."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from benchmarks.timing import peak_megabytes, side_by_side
from linkprior.network import Network
from linkprior.parallel import one_blas_thread
from linkprior.ranking.topk import best_pairs

NODES, RANK, TOP = 8000, 32, 1000


def random_network(p: int, edges: int, rng: np.random.Generator) -> Network:
    """Draw edges anywhere: only their number matters here."""
    ends = rng.integers(0, p, (edges, 2))
    return Network.from_indices(ends, [str(i) for i in range(p)])


def whole_matrix(factors: np.ndarray, net: Network, k: int) -> np.ndarray:
    """Form all scores, mask what is no candidate, partition, sort."""
    scores = factors @ factors.T
    scores[np.tril_indices(len(scores))] = -np.inf
    rows = np.repeat(np.arange(len(scores)), net.degrees)
    scores[rows, net.adjacency.indices] = -np.inf
    flat = scores.ravel()
    best = np.argpartition(flat, flat.size - k)[flat.size - k :]
    best = best[np.argsort(-flat[best], kind="stable")]
    return np.stack(np.divmod(best, len(scores)), axis=1)


def run() -> Iterator[str]:
    """Yield the lines to print."""
    rng = np.random.default_rng(2)
    factors = rng.gamma(0.3, 1.0, (NODES, RANK)).astype(np.float32)
    net = random_network(NODES, 80_000, rng)

    def blocks(workers: int) -> np.ndarray:
        return best_pairs(lambda i, j: factors[i:j] @ factors.T, net, TOP, workers)[0]

    with one_blas_thread():
        same = {*map(tuple, blocks(1))} == {*map(tuple, whole_matrix(factors, net, TOP))}
        tasks = [lambda: whole_matrix(factors, net, TOP), lambda: blocks(1), lambda: blocks(2)]
        whole, one, two = side_by_side(tasks, repeats=3)
        whole_mb, block_mb = (peak_megabytes(task) for task in (tasks[0], tasks[2]))
    yield f"top {TOP} of {NODES} nodes, rank {RANK} (goal: not slower, ≤ 1/10 of the memory)"
    yield f"whole matrix {whole:6.2f} s {whole_mb:7.0f} MB   (one BLAS thread)"
    yield f"blocks       {one:6.2f} s, two threads {two:.2f} s {block_mb:7.0f} MB"
    yield f"{whole / one:.1f}× and {whole / two:.1f}× the speed, same pairs: {same}"
