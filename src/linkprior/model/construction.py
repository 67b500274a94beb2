"""The rearrangement of scores that gives every node its target degree (Algorithm `alg`).

The printed algorithm repeats pairs and, read over distinct pairs, misses the degrees of some
graphs; `docs/theory.md` shows where. This version keeps its greedy order and repairs
the rest: at every moment some simple graph with the target degrees contains all pairs placed so
far.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import ArrayLike, NDArray

from linkprior._validation import Floats, degree_vector, real_matrix, real_number
from linkprior.errors import ParameterError

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

# Costs closer than this (relatively) count as tied, so that the last digit of a platform's `log`
# cannot change which pair comes first.
TIE = 1e-12


def construct(X: ArrayLike, degrees: ArrayLike, alpha: float = 1.0) -> Floats:
    """Rearrange the entries of `X` so that its strongest pairs form a graph with degrees `degrees`.

    Implements Algorithm `alg` (with Theorem `property`), corrected: pairs are never repeated and
    the first K = Σd/2 of them have degrees exactly d.

    Parameters
    ----------
    X : (p, p) array
        Symmetric, non-negative. Its diagonal is not data and stays where it is.
    degrees : (p,) array of whole numbers
        A graphical sequence d; a node of degree 0 gets none of the first K pairs.
    alpha : float
        The prior's exponent, > 0.

    Returns
    -------
    (p, p) array
        X*: symmetric, the same multiset of entries as `X`, its K largest entries above the diagonal
        on the edges of a simple graph with degrees d. Nothing is promised about S_H(X*) unless `X`
        has two values only (K large, the rest small): then S_H(X*) ≤ S_H(X).

    Examples
    --------
    >>> import numpy as np
    >>> from linkprior import theory
    >>> X = np.array([[0, 3, 1, 1], [3, 0, 1, 1], [1, 1, 0, 2], [1, 1, 2, 0]], dtype=float)
    >>> np.argwhere(np.triu(theory.construct(X, [2, 1, 1, 0])) > 1).tolist()
    [[0, 1], [0, 2]]
    """
    scores = real_matrix("X", X, square=True)
    if (scores < 0).any():
        i, j = (int(v) for v in np.argwhere(scores < 0)[0])
        raise ParameterError(f"X must be non-negative, but X[{i}, {j}] is {scores[i, j]}")
    if (scores != scores.T).any():
        i, j = (int(v) for v in np.argwhere(scores != scores.T)[0])
        raise ParameterError(
            f"X must be symmetric, but X[{i}, {j}] is {scores[i, j]} and X[{j}, {i}] is "
            f"{scores[j, i]}; (X + X.T) / 2 is symmetric"
        )
    n_nodes = len(scores)
    d = degree_vector("degrees", degrees, n_nodes)
    reason = _why_not_graphical(d)
    if reason:
        raise ParameterError(
            f"degrees must be the degrees of a simple graph, got {d.tolist()}: {reason}"
        )
    rows, cols = np.triu_indices(n_nodes, 1)
    order = _placement(d, real_number("alpha", alpha, 0.0))
    result = scores.copy()
    at = rows[order], cols[order]
    result[at] = result[at[::-1]] = np.sort(scores[rows, cols])[::-1]
    return result


def is_graphical(degrees: ArrayLike) -> bool:
    """Return whether some simple graph has these degrees (Erdős and Gallai's condition).

    Parameters
    ----------
    degrees : (p,) array of whole numbers
        One degree per node.

    Returns
    -------
    bool
        Whether there is such a graph.

    Examples
    --------
    >>> from linkprior import theory
    >>> theory.is_graphical([2, 1, 1]), theory.is_graphical([3, 1, 1])
    (True, False)
    """
    return not _why_not_graphical(degree_vector("degrees", degrees))


def _why_not_graphical(d: Ints) -> str:
    """Return the reason no simple graph has degrees `d`, or an empty string."""
    top = d.size - 1
    if ((d < 0) | (d > top)).any():
        at = int(np.argmax((d < 0) | (d > top)))
        return f"degrees[{at}] is {d[at]}, allowed are 0…{top} with {d.size} nodes"
    if d.sum() % 2:
        return f"their sum {d.sum()} is odd"
    falling = np.sort(d)[::-1]
    for k in range(1, d.size + 1):
        wanted = falling[:k].sum()
        room = k * (k - 1) + np.minimum(falling[k:], k).sum()
        if wanted > room:
            return f"the {k} largest sum to {wanted}, a simple graph has room for {room}"
    return ""


def _placement(d: Ints, alpha: float) -> Ints:
    """Return every pair's code (its place in `triu_indices`) in the order the values are placed."""
    n_nodes = d.size
    rows, cols = np.triu_indices(n_nodes, 1)
    # What the next pair costs node i when it has A pairs: (H_{A+1} / H_{d_i})^α, H_k = log(k + 1).
    # log(0 + 1) = 0 would divide: a node of degree 0 weighs as one of degree 1.
    H, H_d = (np.log(k + 1.0) for k in (np.arange(1, n_nodes + 1), np.maximum(d, 1)))
    with np.errstate(over="ignore", under="ignore"):
        weights = (H[None, :] / H_d[:, None]) ** alpha
    placed = np.zeros(n_nodes, dtype=np.int64)  # the paper's array A
    unused = np.ones(rows.size, dtype=bool)
    order = np.empty(rows.size, dtype=np.int64)
    n_edges = int(d.sum()) // 2
    graph = _Realisation(d)
    for step in range(rows.size):
        now = weights[np.arange(n_nodes), placed]
        wanting = placed < d if step < n_edges else np.ones(n_nodes, dtype=bool)
        open_pairs = np.flatnonzero(unused & wanting[rows] & wanting[cols])
        for code in _cheapest_first(now[rows] + now[cols], open_pairs):
            # Some edge of the realisation is always open, so this loop always ends in a break.
            if step >= n_edges or graph.admit(int(rows[code]), int(cols[code])):
                break
        order[step] = code
        unused[code] = False
        placed[[rows[code], cols[code]]] += 1
    return order


def _cheapest_first(cost: Floats, codes: Ints) -> Iterator[int]:
    """Yield `codes` by rising cost, ties by code, which is by (i, j)."""
    while codes.size:
        values = cost[codes]
        at = int(np.argmax(values <= values.min() * (1 + TIE)))
        yield int(codes[at])
        codes = np.delete(codes, at)


class _Realisation:
    """A simple graph with degrees d that contains every pair admitted so far."""

    def __init__(self, d: Ints) -> None:
        self.free: Bools = _havel_hakimi(d)  # edges not yet admitted: they may be switched away
        self.taken: Bools = self.free | np.eye(d.size, dtype=bool)

    def admit(self, i: int, j: int) -> bool:
        """Take the pair into the graph for good, if one 2-switch at most brings it in."""
        if not self.free[i, j]:  # replace free edges iu, jv by ij, uv: all degrees stay
            us, vs = np.flatnonzero(self.free[i]), np.flatnonzero(self.free[j])
            possible = ~self.taken[np.ix_(us, vs)]  # the diagonal is taken, so u ≠ v
            if not possible.any():
                return False
            first, second = np.unravel_index(int(possible.argmax()), possible.shape)
            u, v = int(us[first]), int(vs[second])
            for a, b, there in ((i, u, False), (j, v, False), (i, j, True), (u, v, True)):
                self.free[a, b] = self.free[b, a] = there
                self.taken[a, b] = self.taken[b, a] = there
        self.free[i, j] = self.free[j, i] = False
        return True


def _havel_hakimi(d: Ints) -> Bools:
    """Return one simple graph with the graphical degrees `d`: the neediest node joins the next."""
    edges = np.zeros((d.size, d.size), dtype=bool)
    left = d.copy()
    while left.any():
        node, *others = np.argsort(-left, kind="stable").tolist()
        partners = others[: int(left[node])]
        edges[node, partners] = edges[partners, node] = True
        left[partners] -= 1
        left[node] = 0
    return edges
