"""A logistic regression whose weights are shrunk towards a mean: a convex problem."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from linkprior import parallel
from linkprior.predictors.base import Array

CHUNK = 4096  # rows at a time; fixed, so that sums never regroup
STEPS, ENOUGH = 60, 1e-2  # of a search for weights, and the gain in likelihood that ends it
ROWS = 16_384  # that a matrix of second derivatives is estimated from; with fewer it is exact


@dataclass(frozen=True)
class Regression:
    """Rows of terms X with labels y between 0 and 1, each row counting `weight` times."""

    X: Array
    y: Array
    weight: Array
    mean: Array
    precision: Array

    def expanded(self, beta: Array) -> tuple[float, Array, Array]:
        """Return Σ w·(log(1 + e^z) − y·z) + ½ Σ precision·(β − mean)², its slope, and w·p·(1 − p).

        z are the log-odds of the rows, p their probabilities.
        """
        off, narrow = beta - self.mean, beta.astype(np.float32)

        def part(rows: slice) -> tuple[float, Array, Array]:
            x, y, weight = self.X[rows], self.y[rows], self.weight[rows]
            z = (x @ narrow).astype(np.float64)
            small = np.exp(-np.abs(z))
            p = np.where(z > 0, 1.0, small) / (1.0 + small)
            value = float((weight * (np.maximum(z, 0.0) + np.log1p(small) - y * z)).sum())
            return value, x.T @ (weight * (p - y)).astype(np.float32), weight * p * (1.0 - p)

        value, slope = 0.5 * float((self.precision * off**2).sum()), self.precision * off
        bends = []
        chunks = (slice(start, start + CHUNK) for start in range(0, len(self.X), CHUNK))
        for more, slopes, bend in parallel.map_tasks(part, chunks):
            value, slope = value + more, slope + slopes
            bends.append(bend)
        return value, slope, np.concatenate(bends)

    def curvature(self, bend: Array) -> Array:
        """Return the matrix of second derivatives, precision + Σ bend·x·xᵀ.

        Of many rows some are taken for all, each in proportion to its part of the sum.
        """
        X, out = self.X, np.diag(self.precision)
        if len(bend) > ROWS:
            reached = np.cumsum(bend)
            wanted = (np.arange(ROWS) + 0.5) * (reached[-1] / ROWS)
            X = X[np.searchsorted(reached, wanted)]
            bend = np.full(ROWS, reached[-1] / ROWS)

        def part(rows: slice) -> Array:
            scaled = X[rows] * np.sqrt(bend[rows]).astype(np.float32)[:, None]
            product: Array = scaled.T @ scaled
            return product

        chunks = (slice(start, start + CHUNK) for start in range(0, len(X), CHUNK))
        for more in parallel.map_tasks(part, chunks):
            out += more
        return out

    def solve(self) -> tuple[Array, Array]:
        """Return the likeliest weights and the curvature there, by Newton's method."""
        return self._descend(np.array(self.mean, dtype=np.float64), anew=True)

    def near(self, beta: Array) -> Array:
        """Return the likeliest weights, from those of a similar problem, with its curvature."""
        return self._descend(beta, anew=False)[0]

    def weighted(self, weight: Array) -> Regression:
        """Return the same rows with other weights."""
        return replace(self, weight=weight)

    def _descend(self, beta: Array, anew: bool) -> tuple[Array, Array]:
        """Take steps, halved until the function no longer rises; `anew`: each by its curvature."""
        now, slope, bend = self.expanded(beta)
        curvature = self.curvature(bend)
        for _ in range(STEPS):
            step, length = np.linalg.solve(curvature, slope), 1.0
            while length > 1e-6:
                after, slope_after, bend = self.expanded(beta - length * step)
                if after <= now:
                    break
                length *= 0.5
            else:
                break
            gain, beta = now - after, beta - length * step
            now, slope = after, slope_after
            if anew:
                curvature = self.curvature(bend)
            if gain <= ENOUGH:
                break
        return beta, curvature
