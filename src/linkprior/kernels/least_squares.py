"""Rows of a factor improved towards what its neighbours ask for."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from linkprior.errors import ParameterError
from linkprior.kernels.arguments import plain
from linkprior.kernels.engine import engine_for

Array = NDArray[Any]


def descend_rows(
    X: ArrayLike,
    x: ArrayLike,
    others: ArrayLike,
    pattern: tuple[Array, Array],
    curve: ArrayLike,
    pull: ArrayLike,
    steps: int,
) -> tuple[Array, Array]:
    """Take conjugate gradient steps from X towards the least of each row's own sum of squares.

    Row i minimises ½‖X_i‖² + Σ_e (½·curve_e·(X_i·others_j)² − pull_e·X_i·others_j) over the stored
    entries e = (i, j) of a CSR pattern (indptr, indices). The products x of X with the others at
    these entries follow X from step to step, in float64.

    Returns
    -------
    The improved X and x; those handed in stay as they are.
    """
    rows, partners = np.array(X, order="C"), plain(others)
    if rows.shape[1] != partners.shape[1] or rows.dtype != partners.dtype:
        raise ParameterError(f"X {rows.shape} and others {partners.shape} do not match")
    starts, columns = (np.ascontiguousarray(part) for part in pattern)
    starts = starts.astype(np.int64)
    products = np.array(x, np.float64)
    bent, drawn = np.asarray(curve, np.float64), np.asarray(pull, np.float64)
    if not (len(columns) == len(products) == len(bent) == len(drawn) == starts[-1]):
        raise ParameterError("x, curve and pull must have a number for every stored entry")
    if len(rows):
        engine = engine_for(len(partners))
        engine.descend_rows(rows, products, partners, starts, columns, bent, drawn, steps)
    return rows, products
