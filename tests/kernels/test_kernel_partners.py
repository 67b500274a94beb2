"""Partners by walks of length 3, on both engines, against counting every walk."""

import itertools

import numpy as np
import pytest

from linkprior import kernels

P = 24
RNG = np.random.default_rng(4)
UPPER = np.triu(RNG.random((P, P)) < 0.12, 1)
UPPER[0, 1:16] = True  # a hub, which a small budget cannot follow whole
A = UPPER | UPPER.T
INDPTR = np.concatenate([[0], np.cumsum(A.sum(1))])
INDICES = np.flatnonzero(A.ravel()) % P
WEIGHT = 2.0 ** -RNG.integers(0, 4, P)  # sums of these are exact in any order
KINDS = (np.arange(P) % 3).astype(np.uint8)
ALLOWED = np.array([[True, True, False], [True, False, True], [False, True, True]])


def within(nodes, worth, budget):
    """Return the nodes worth most whose neighbours, all together, are within the budget."""
    degrees = A.sum(1)
    if sum(degrees[n] for n in nodes) <= budget:
        return set(nodes)
    best = sorted(nodes, key=lambda n: (-worth[n], n))
    spent = itertools.accumulate(degrees[n] for n in best)
    return {n for n, total in zip(best, spent, strict=True) if total <= budget}


def walked(x, most, budget):
    """Return the partners of one node, walk by walk."""
    half = dict.fromkeys(range(P), 0.0)
    for u in within(np.flatnonzero(A[x]), WEIGHT, budget):
        for v in np.flatnonzero(A[u]):
            half[v] += WEIGHT[u]
    amounts = {v: half[v] * WEIGHT[v] for v in half}
    sums = dict.fromkeys(range(P), 0.0)
    for v in within([v for v in amounts if amounts[v]], amounts, budget):
        for y in np.flatnonzero(A[v]):
            sums[y] += amounts[v]
    may = [y for y in sums if sums[y] and y != x and not A[x, y] and ALLOWED[KINDS[x], KINDS[y]]]
    return sorted(sorted(may, key=lambda y: (-sums[y], y))[:most])


@pytest.mark.parametrize("budget", [10**6, 30, 10, 3, 0])
@pytest.mark.parametrize("most", [P, 4, 1])
def test_partners_are_those_that_most_walks_lead_to(engine, most, budget):
    sources = [5, 0, P - 1, *range(1, 12)]
    pattern = (INDPTR, INDICES)
    counts, found = kernels.l3_partners(
        pattern, WEIGHT, sources, pattern, KINDS, ALLOWED, most, budget
    )
    expected = [walked(x, most, budget) for x in sources]
    assert counts.tolist() == [len(one) for one in expected]
    assert found.tolist() == list(itertools.chain(*expected))
    assert bool(counts.any()) is (budget > 0)
