"""What solvers ask of an array library, so that one text runs on a CPU and on a device.

Plain arithmetic, slices and products are the same for NumPy arrays and torch tensors; what is not
goes through the operations of the array at hand (`ops_of`). torch itself is imported in
`kernels.torch` alone.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import scipy.sparse as sp

from linkprior import kernels
from linkprior.network import Network
from linkprior.network.side_information import Observations


class NumpyOps:
    """Arrays in the computer's own memory."""

    einsum, sqrt, log = staticmethod(np.einsum), staticmethod(np.sqrt), staticmethod(np.log)
    maximum, zeros_like = staticmethod(np.maximum), staticmethod(np.zeros_like)
    astype, concatenate = staticmethod(np.ndarray.astype), staticmethod(np.concatenate)
    put, to_numpy = staticmethod(np.asarray), staticmethod(np.asarray)

    @staticmethod
    def row_sums(x: Any) -> Any:
        """Return the sum of every row, added in float64."""
        return np.sum(x, axis=1, dtype=np.float64)

    @staticmethod
    def sum_of_squares(x: Any) -> float:
        """Return Σ x², added in float64."""
        return float(np.sum(x * x, dtype=np.float64))

    @staticmethod
    def evidence(net: Network) -> Observations:
        """Edges and known non-edges with their weights and targets."""
        return net.evidence

    @staticmethod
    def edge_products(left: Any, right: Any, net: Network, rows: slice) -> Any:
        """left[i]·right[j] at every entry of these rows of the evidence."""
        a = net.evidence.pattern
        own = a.indptr[rows.start : rows.stop + 1]
        return kernels.edge_products(left[rows], right, own, a.indices)

    @staticmethod
    def evidence_times(net: Network, values: Any, V: Any, rows: slice) -> Any:
        """These rows of the sparse matrix with the values on the evidence, times V."""
        a = net.evidence.pattern
        own = a.indptr[rows.start : rows.stop + 1]
        part, shape = slice(own[0], own[-1]), (len(own) - 1, a.shape[1])
        return np.asarray(
            sp.csr_array((values[part], a.indices[part], own - own[0]), shape=shape) @ V
        )

    @staticmethod
    def rank_weights(keys: Any, profile: Any, first: int, out: Any) -> None:
        """Write profile_k, k the rank of a column in its row; the diagonal is 0."""
        kernels.rank_penalty(keys, np.ones(len(keys)), profile, first, out)

    @staticmethod
    def split_rows(fitted: Any, G: Any, Q: Any, Y: Any) -> Any:
        """ADMM's X and Z steps for a block of rows."""
        return kernels.split_rows(fitted, G, Q, Y)

    @staticmethod
    def linearise_rows(B: Any, Q: Any, scale: Any, start: int, stop: int, G: Any) -> Any:
        """The prior linearised at the ranks behind B, for a block of rows."""
        return kernels.linearise_rows(B, Q, scale, start, stop, G)


_NUMPY = NumpyOps()


def ops_of(array: Any) -> Any:
    """Return the operations of an array's library (`NumpyOps`), or of its device (`TorchOps`)."""
    return _NUMPY if isinstance(array, np.ndarray) else _device_ops(array.device)


@cache
def _device_ops(device: Any) -> Any:
    from linkprior.kernels.torch.ops import TorchOps

    return TorchOps(device)
