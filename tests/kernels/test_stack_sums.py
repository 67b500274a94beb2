"""The sum of terms of `auto`, against a pair by pair transcription."""

import numpy as np
import pytest

from linkprior import kernels
from linkprior.kernels.stack_sums import TILE, StackWeights


def by_pair(u, terms, i, j, weights):
    """The log-odds of one pair; u are its features, terms what degrees say of it."""
    u = np.clip(u, -weights.clip, weights.clip).astype(float)
    high = np.maximum(u - weights.bends[0], 0.0)
    total = float(weights.own[i] + weights.own[j] + weights.degrees @ terms)
    for s in range(len(u)):
        total += weights.curves[s, 0] * u[s]
        total += sum(
            w * max(u[s] - b, 0.0)
            for w, b in zip(weights.curves[s, 1:], weights.bends, strict=True)
        )
        slope = (
            weights.with_levels[s, i] + weights.with_levels[s, j] + weights.with_degrees[s] @ terms
        )
        slope += sum(weights.crossed[s, other] * high[other] for other in range(s))
        total += high[s] * slope
    return total


@pytest.mark.parametrize(("p", "start", "rows"), [(9, 2, 4), (TILE + 31, 30, 5)])
@pytest.mark.parametrize("whole", [True, False], ids=["all columns", "upper"])
def test_every_pair_has_the_sum_of_its_terms(engine, p, start, rows, whole):
    rng, n = np.random.default_rng(p), 4

    def drawn(*shape):
        return rng.normal(size=shape).astype(np.float32)

    weights = StackWeights(
        drawn(n, 4), np.array([-2, 0, 1], np.float32), drawn(n, n), drawn(n, 3), drawn(3),
        drawn(n, p), drawn(p), np.float32(3.0),
    )  # fmt: skip
    first = 0 if whole else start
    U, D = 3 * drawn(n, rows, p - first), drawn(3, rows, p - first)
    U[0] = -5.0  # below the first bend everywhere
    found = kernels.stack_sums(U, D, start, weights)
    expected = [
        [by_pair(U[:, r, c], D[:, r, c], start + r, first + c, weights) for c in range(p - first)]
        for r in range(rows)
    ]
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-4)
