"""A logistic regression whose weights are shrunk towards a mean: a convex problem."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.linalg import LinAlgError
from scipy.linalg import cho_factor, cho_solve
from scipy.special import expit

from linkprior import parallel
from linkprior.predictors.base import Array

CHUNK = 4096  # rows at a time; fixed, so that sums never regroup
STEPS, ENOUGH = 60, 1e-2  # of a search for weights, and the gain in likelihood that ends it
LEVEL_STEPS = 10  # to find the level to begin at
SHORTEST = 1e-6  # part of a step that is tried
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

    def curvature(self, bend: Array, most: int = ROWS) -> Array:
        """Return the matrix of second derivatives, precision + Σ bend·x·xᵀ.

        Of more rows than `most` some are taken for all, each in proportion to its part of the sum.
        """
        X, out = self.X, np.diag(self.precision)
        if len(bend) > most:
            reached = np.cumsum(bend)
            wanted = (np.arange(most) + 0.5) * (reached[-1] / most)
            X = X[np.searchsorted(reached, wanted)]
            bend = np.full(most, reached[-1] / most)

        def part(rows: slice) -> Array:
            scaled = X[rows] * np.sqrt(bend[rows]).astype(np.float32)[:, None]
            product: Array = scaled.T @ scaled
            return product

        chunks = (slice(start, start + CHUNK) for start in range(0, len(X), CHUNK))
        for more in parallel.map_tasks(part, chunks):
            out += more
        return out

    def solve(self, start: Array | None = None, most: int = ROWS) -> tuple[Array, Array]:
        """Return the likeliest weights and the curvature there, by Newton's method.

        The curvature is estimated from `most` rows as long as that serves.

        Before, the last weight, of a term that is 1, is moved until as many rows are expected to be
        1 as there are: far from there steps would have to be short.
        """
        beta = np.array(self.mean if start is None else start, dtype=np.float64)
        z, wanted = (self.X @ beta.astype(np.float32)).astype(np.float64), self.weight @ self.y
        for _ in range(LEVEL_STEPS):
            more = np.log(wanted / (self.weight @ expit(z))) if wanted else 0.0
            beta[-1], z = beta[-1] + more, z + more
        return self._descend(beta, True, most)

    def near(self, beta: Array) -> Array:
        """Return the likeliest weights, from those of a similar problem, with its curvature."""
        return self._descend(beta, False)[0]

    def weighted(self, weight: Array) -> Regression:
        """Return the same rows with other weights."""
        return replace(self, weight=weight)

    def _descend(self, beta: Array, anew: bool, most: int = ROWS) -> tuple[Array, Array]:
        """Take steps, halved until the function no longer rises; `anew`: each by its curvature."""
        now, slope, bend = self.expanded(beta)
        curvature = self.curvature(bend, most)
        for _ in range(STEPS):
            step, length = solved(curvature, slope), 1.0
            wanted = float(slope @ step)  # twice what a whole step gains, where the curvature holds
            if wanted <= 2.0 * ENOUGH:
                break
            while length > SHORTEST:
                after, slope_after, bend_after = self.expanded(beta - length * step)
                if after <= now - 0.1 * length * wanted:
                    break
                length *= 0.5
            else:
                if most > len(bend):
                    break
                length, after, slope_after, bend_after = 0.0, now, slope, bend
            beta, now, slope, bend = beta - length * step, after, slope_after, bend_after
            if length < 0.5:  # an estimate of the curvature does not do here
                most = len(bend) + 1
            if anew or length < 1.0:
                curvature = self.curvature(bend, most)
        return beta, curvature


def solved(curvature: Array, slope: Array) -> Array:
    """Return curvature⁻¹·slope; what rounding took from the curvature is made up for."""
    size = np.sqrt(np.diag(curvature))
    unit, more = curvature / np.outer(size, size), 0.0
    while True:
        try:
            factor = cho_factor(unit + more * np.eye(len(size)))
        except LinAlgError:
            more = 10.0 * more or 1e-7
        else:
            return np.asarray(cho_solve(factor, slope / size) / size)
