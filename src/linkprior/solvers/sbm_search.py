"""The degree-corrected block model (Karrer & Newman 2011): likelihood and search for blocks.

Nodes fall into B blocks; m_rs counts the edges between blocks r and s (twice those within one) and
κ_r = Σ_s m_rs. Up to terms that no partition changes, the likelihood at its best parameters is

    L = ½ Σ_rs m_rs log(m_rs / (κ_r κ_s)) = ½ Σ_rs f(m_rs) − Σ_r f(κ_r),   f(x) = x log x.

The search begins with many blocks, cut from a spectral picture of the network. Then, in turn, nodes
move to the blocks where they raise the likelihood most, and the blocks that lose least by it are
merged, about a tenth at a time, down to one. The partition of the least description length wins;
around it the search is repeated one merge at a time. A sweep of moves costs O(edges · blocks), and
nothing is p × p. Where partitions are averaged, none has to be the best: a start then gives the few
it finds on the way down, and ends where their length has been growing for some time.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp
import scipy.sparse.linalg as spla
from numpy.typing import NDArray
from scipy.special import gammaln, xlogy

from linkprior import _progress as progress
from linkprior import parallel
from linkprior.kernels import sbm as kernels
from linkprior.network.pairs import Ints

Array = NDArray[Any]

MERGED_SHARE = 0.1  # of the blocks, between two rounds of moves
KEPT = 2  # partitions of a start that are averaged
_PATIENCE = 3  # merges that may find nothing shorter before a start of these ends
_WIDTH = 16  # eigenvectors of the picture
_DENSE_BELOW = 100  # nodes below which all eigenvectors are as quick
_ROUNDS = 10  # of k-means: moves do the rest


@dataclass
class Partition:
    """Nodes in blocks, none of them empty; moves and merges write over it."""

    group: Ints  # block of each node
    sizes: Ints  # nodes of each block
    counts: Ints  # edges between blocks, twice those within one

    @classmethod
    def of(cls, adjacency: sp.csr_array, labels: Ints) -> Partition:
        """Return the partition of a network by any labels of its nodes."""
        names, group = np.unique(labels, return_inverse=True)
        n = len(names)
        rows = np.repeat(group, np.diff(adjacency.indptr))
        counts = np.bincount(rows * n + group[adjacency.indices], minlength=n * n)
        return cls(group.astype(np.int64), np.bincount(group), counts.reshape(n, n))

    @property
    def n_blocks(self) -> int:
        return len(self.sizes)

    def log_likelihood(self) -> float:
        """Return L."""
        m, totals = self.counts, self.counts.sum(axis=1)
        return float(xlogy(m, m).sum() / 2.0 - xlogy(totals, totals).sum())

    def description_length(self) -> float:
        """Return the description length in nats of the network by these blocks; less is better.

        −L, the edges between blocks (any counts that add up to E are as likely), and the
        partition (any number of blocks, any sizes, any nodes in them), after Peixoto (2013, 2017).
        """
        B, N, E = self.n_blocks, len(self.group), self.counts.sum() / 2.0
        pairs = B * (B + 1) / 2.0
        edges = _log_binomial(pairs + E - 1.0, E)
        sizes = np.log(N) + _log_binomial(N - 1.0, B - 1.0)
        nodes = gammaln(N + 1.0) - gammaln(self.sizes + 1.0).sum()
        return float(-self.log_likelihood() + edges + sizes + nodes)

    def rates(self) -> Array:
        """Return w_rs = m_rs / (κ_r κ_s): k_i·k_j·w is the expected number of edges i–j."""
        totals = self.counts.sum(axis=1).astype(np.float64)
        return self.counts / np.outer(totals, totals)


def _log_binomial(n: float, k: float) -> float:
    return float(gammaln(n + 1.0) - gammaln(k + 1.0) - gammaln(n - k + 1.0))


def xlogx_table(n_edges: int) -> Array:
    """Return f(0) … f(2·n_edges): all that moves and merges ever ask for."""
    x = np.arange(2 * n_edges + 1, dtype=np.float64)
    return xlogy(x, x)


def levels(most: int, least: int = 1, merged: float = MERGED_SHARE) -> list[int]:
    """Return the numbers of blocks the search passes through, the largest first."""
    numbers = [most]
    while numbers[-1] > least:
        numbers.append(max(least, numbers[-1] - max(1, int(merged * numbers[-1]))))
    return numbers


@dataclass(frozen=True)
class BlockSearch:
    """The search on one network in which every node has an edge."""

    adjacency: sp.csr_array
    most: int  # number of blocks to begin with
    n_blocks: int | None  # the number wanted; None for that of the least description length
    max_iter: int  # sweeps of moves at most after each merge
    merged: float = MERGED_SHARE

    def run(self, rng: np.random.Generator) -> Partition:
        """Return the best partition of one start."""
        first = Partition.of(self.adjacency, self._cut(rng))
        path = levels(first.n_blocks, self.n_blocks or 1, self.merged)
        with progress.stage(total=float(sum(path)) * 1.5):
            partitions = list(self._descend(first, path, rng))
            if self.n_blocks is not None:
                return partitions[-1]
            at = int(np.argmin([one.description_length() for one in partitions]))
            above, below = partitions[max(0, at - 1)], partitions[min(at + 1, len(partitions) - 1)]
            slowly = list(range(above.n_blocks, below.n_blocks - 1, -1))
            partitions += self._descend(above, slowly, rng)
        return min(partitions, key=Partition.description_length)

    def several(self, rng: np.random.Generator) -> list[Partition]:
        """Return the partitions of one start that are the shortest, or the one that is wanted."""
        first = Partition.of(self.adjacency, self._cut(rng))
        path = levels(first.n_blocks, self.n_blocks or 1, self.merged)
        found: list[Partition] = []
        lengths: list[float] = []
        with progress.stage(total=float(sum(path))):
            for part in self._descend(first, path, rng):
                found.append(part)
                lengths.append(part.description_length())
                late = len(lengths) - int(np.argmin(lengths)) > _PATIENCE
                if late and self.n_blocks is None:
                    break
        if self.n_blocks is not None:
            return found[-1:]
        return [found[at] for at in np.argsort(lengths, kind="stable")[:KEPT]]

    def _descend(
        self, start: Partition, path: list[int], rng: np.random.Generator
    ) -> Iterator[Partition]:
        """Yield a settled partition for each number of blocks on the path."""
        group = start.group
        for n in path:
            part = Partition.of(self.adjacency, group)
            if part.n_blocks > n:
                part = Partition.of(self.adjacency, self._merged(part, n))
            with progress.part(float(n)):
                self._settle(part, rng)
            yield part
            group = part.group

    def _settle(self, part: Partition, rng: np.random.Generator) -> None:
        """Move nodes until none gains, at most `max_iter` times through."""
        for _ in range(self.max_iter if part.n_blocks > 1 else 0):
            order = rng.permutation(len(part.group))
            if not kernels.move_nodes(
                self._pattern, order, part.group, part.sizes, part.counts, self._xlogx
            ):
                break

    def _merged(self, part: Partition, n: int) -> Ints:
        """Return labels after the cheapest merges that leave n blocks, each block merged once."""
        losses = kernels.merge_losses(part.counts, self._xlogx, len(part.group))
        i, j = np.triu_indices(part.n_blocks, 1)
        label, free = np.arange(part.n_blocks), np.ones(part.n_blocks, dtype=bool)
        left = part.n_blocks - n
        # Rounded, so that merges that are equal by the formula go by their blocks, not by noise.
        for pair in np.argsort(losses[i, j].round(6), kind="stable").tolist():
            r, s = int(i[pair]), int(j[pair])
            if left and free[r] and free[s]:
                label[s], free[r], free[s] = r, False, False
                left -= 1
        return label[part.group]

    @cached_property
    def _pattern(self) -> tuple[Ints, Ints]:
        a = self.adjacency
        return a.indptr.astype(np.int64), a.indices.astype(np.int64)

    @cached_property
    def _xlogx(self) -> Array:
        return xlogx_table(self.adjacency.nnz // 2)

    @cached_property
    def picture(self) -> Array:
        """One point per node: the leading eigenvectors of D^-½ A D^-½, each row of length one.

        Leading in modulus, so that blocks that avoid themselves show as well; degrees regularised
        by their mean, or small pieces would take all the eigenvectors.
        """
        a, n = self.adjacency, self.adjacency.shape[0]
        degrees = np.diff(a.indptr).astype(np.float64)
        scale = sp.diags_array((degrees + degrees.mean()) ** -0.5)
        matrix = sp.csr_array(scale @ a @ scale)
        if n < _DENSE_BELOW:
            values, vectors = np.linalg.eigh(matrix.toarray())
            order = np.argsort(-np.abs(values), kind="stable")[:_WIDTH]
            vectors = vectors[:, order]
        else:
            v0 = np.random.default_rng(0).standard_normal(n)
            values, vectors = spla.eigsh(matrix, _WIDTH, which="LM", v0=v0, tol=1e-6)
        length = np.linalg.norm(vectors, axis=1, keepdims=True)
        return vectors / np.maximum(length, 1e-300)

    def _cut(self, rng: np.random.Generator) -> Ints:
        """Return labels of about `most` blocks, by k-means over the picture."""
        points = self.picture
        centres = points[np.sort(rng.choice(len(points), self.most, replace=False))]
        for _ in range(_ROUNDS):
            label = _nearest(points, centres)
            sizes = np.bincount(label, minlength=self.most)
            sums = np.zeros_like(centres)
            np.add.at(sums, label, points)
            used = sizes > 0
            centres = sums[used] / sizes[used, None]
            centres = np.concatenate([centres, points[rng.integers(0, len(points), (~used).sum())]])
        return _nearest(points, centres)


def _nearest(points: Array, centres: Array) -> Ints:
    """Return the centre nearest to each point, block by block."""
    half = (centres * centres).sum(axis=1) / 2.0
    parts = [
        np.argmax(points[start:stop] @ centres.T - half, axis=1)
        for start, stop in parallel.blocks(len(points), 4096)
    ]
    return np.concatenate(parts)
