"""The portable kernels on a torch device.

TF32 is off: products are true float32. Sorts are stable, so that ties go by column as everywhere.
"""

from __future__ import annotations

import logging
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

import numpy as np
import torch
from torch import Tensor

from linkprior.errors import LinkpriorError
from linkprior.kernels.torch import cuda
from linkprior.network import Network
from linkprior.network.side_information import Observations

torch.backends.cuda.matmul.allow_tf32 = False
torch.backends.cudnn.allow_tf32 = False
_AT_ONCE = 1 << 22  # entries of the evidence whose factor rows are gathered at a time


def numpy_of(tensor: Tensor) -> Any:
    """Copy a tensor to the computer's own memory."""
    return tensor.detach().cpu().numpy()


@dataclass(frozen=True)
class _Pattern:
    """The evidence of a network on a device, with the row of every entry."""

    rows: Tensor
    columns: Tensor
    starts: Tensor


@dataclass(eq=False)
class TorchOps:
    """Tensors on one device; `kernels.ops.NumpyOps` documents each operation."""

    device: torch.device
    _known: WeakKeyDictionary[Any, Any] = field(default_factory=WeakKeyDictionary)

    einsum, sqrt, log = map(staticmethod, (torch.einsum, torch.sqrt, torch.log))
    zeros_like, concatenate = staticmethod(torch.zeros_like), staticmethod(torch.cat)
    to_numpy = staticmethod(numpy_of)

    @staticmethod
    def maximum(x: Tensor, least: Any) -> Tensor:
        return torch.maximum(x, least) if isinstance(least, Tensor) else x.clamp(min=least)

    @staticmethod
    def astype(x: Tensor, dtype: Any) -> Tensor:
        return x.to(getattr(torch, np.dtype(dtype).name))

    def put(self, array: Any, dtype: Any = None) -> Tensor:
        return torch.as_tensor(np.array(array, dtype), device=self.device)

    def zeros(self, shape: tuple[int, ...], dtype: Any) -> Tensor:
        return torch.zeros(shape, dtype=getattr(torch, np.dtype(dtype).name), device=self.device)

    @staticmethod
    def row_sums(x: Tensor) -> Tensor:
        return torch.sum(x, dim=1, dtype=torch.float64)

    @staticmethod
    def sum_of_squares(x: Tensor) -> float:
        return float(torch.sum(x * x, dtype=torch.float64))

    def evidence(self, net: Network) -> Any:
        """Edges and known non-edges with their weights and targets; the pattern is a `_Pattern`."""
        if net not in self._known:
            a, evidence = net.evidence.pattern, net.evidence
            rows = np.repeat(np.arange(net.n_nodes), np.diff(a.indptr))
            pattern = _Pattern(*(self.put(one, np.int64) for one in (rows, a.indices, a.indptr)))
            values = (self.put(one, np.float64) for one in (evidence.weight, evidence.target))
            self._known[net] = Observations(pattern, *values)  # type: ignore[arg-type]
        return self._known[net]

    def edge_products(self, left: Tensor, right: Tensor, net: Network, rows: slice) -> Tensor:
        """left[i]·right[j] at every entry of the evidence, in float64; `rows` are all rows."""
        pattern = self.evidence(net).pattern
        out = torch.empty(len(pattern.rows), dtype=torch.float64, device=self.device)
        for begin in range(0, len(out), _AT_ONCE):
            some = slice(begin, begin + _AT_ONCE)
            own, other = left[pattern.rows[some]], right[pattern.columns[some]]
            out[some] = (own.double() * other.double()).sum(dim=1)
        return out

    def evidence_times(self, net: Network, values: Tensor, V: Tensor, rows: slice) -> Tensor:
        """The sparse matrix with these values on the evidence, times V; `rows` are all rows."""
        pattern = self.evidence(net).pattern
        shape = (net.n_nodes, net.n_nodes)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that CSR tensors are young
            sparse = torch.sparse_csr_tensor(
                pattern.starts, pattern.columns, values, shape, check_invariants=False
            )
        return sparse @ V

    @staticmethod
    def rank_weights(keys: Tensor, profile: Tensor, first: int, out: Tensor) -> None:
        rank_penalty(keys, keys.new_ones(len(keys)), profile, first, out)

    def split_rows(self, fitted: Tensor, G: Tensor, Q: Tensor, Y: Tensor) -> Any:
        """Do ADMM's X and Z steps for a block of rows, as `kernels.split_rows` does."""
        before = Q.clamp(min=0)
        A = fitted + (before - Y)
        Q.copy_(A - G)
        X = Q.clamp(min=0)
        Y.copy_(X - (A - X))
        terms = (fitted - X, X - before, fitted, X, Y)
        return np.array([self.sum_of_squares(term) for term in terms])

    def linearise_rows(
        self, B: Tensor, Q: Tensor, scale: Tensor, start: int, stop: int, G: Tensor
    ) -> Tensor:
        """Write rows of ½(scale∘B + (scale∘B)ᵀ), as `kernels.linearise_rows` does."""
        rows = slice(start, stop)
        own, other = scale[rows, None] * B[rows], scale[:, None] * B[:, rows]
        G[rows] = 0.5 * (own + other.T)
        return self.row_sums(B[rows] * Q[rows].clamp(min=0))


def rank_penalty(
    keys: Tensor, scale: Tensor, profile: Tensor, first: int, out: Tensor | None = None
) -> Tensor:
    """Return scale_r·profile_k, k the rank of a column in its row; the diagonal is 0."""
    target = torch.empty_like(keys) if out is None else out
    if cuda.fits(keys) and target.is_contiguous():
        cuda.rank_weights(keys, scale, profile, first, target)
    else:
        target.copy_(sorted_penalty(keys, scale, profile, first))
    return target


def sorted_penalty(keys: Tensor, scale: Tensor, profile: Tensor, first: int) -> Tensor:
    """Do the same by a stable sort, on any device: the oracle of the CUDA kernel."""
    rows = torch.arange(len(keys), device=keys.device)
    own = keys.clone()
    own[rows, first + rows] = torch.inf  # sorts first, and is then left out
    order = torch.sort(own, dim=1, descending=True, stable=True).indices[:, 1:]
    out = torch.zeros_like(keys)
    out.scatter_(1, order, scale[:, None] * profile)
    return out


def find_device(name: str) -> torch.device:
    """Return the device of that name, with an error of torch's where there is none."""
    device = torch.device(name)
    torch.zeros(1, device=device)
    return device


# ---------------------------------------------------------------------- memory of a device

R = TypeVar("R")

SMALLER = 8  # times smaller are the blocks of a second try
_SHARE = 0.5  # of what is free that blocks may take
_MOST_ROWS = 4096
_CPU_ENTRIES = 1 << 24  # of a block where tensors lie in the computer's own memory
_LESS = (
    "End other programs that use it, take a lower rank (--set rank=16), fewer starts "
    "(--set n_starts=1) or --set solver=streaming, or --device cpu"
)


def free_bytes(device: torch.device) -> int | None:
    """Return what is free on a device; None for the computer's own memory."""
    if device.type != "cuda":
        return None
    free, _ = torch.cuda.mem_get_info(device)
    unused = torch.cuda.memory_reserved(device) - torch.cuda.memory_allocated(device)
    return int(free) + int(unused)


def require(needed: float, what: str, device: torch.device) -> None:
    """Raise an error before anything begins, if a device cannot hold so many bytes."""
    free = free_bytes(device)
    if free is not None and needed > free:
        raise LinkpriorError(
            f"{what} needs about {needed / 1e9:.3g} GB on the GPU, and {free / 1e9:.3g} GB are "
            f"free. {_LESS}"
        )


def block_rows(columns: int, bytes_per_entry: float, device: torch.device) -> int:
    """Return how many rows of so many columns a block may have."""
    free = free_bytes(device)
    entries = _CPU_ENTRIES if free is None else _SHARE * free / bytes_per_entry
    return int(max(1, min(_MOST_ROWS, entries // max(1, columns))))


def in_blocks(work: Callable[[int], R], rows: int) -> R:
    """Return work(rows of a block); out of memory, try once more with smaller blocks."""
    try:
        return work(rows)
    except torch.cuda.OutOfMemoryError:
        pass
    fewer = max(1, rows // SMALLER)
    logging.getLogger("linkprior").warning(
        "the GPU is out of memory with blocks of %d rows: going on with %d", rows, fewer
    )
    torch.cuda.empty_cache()
    try:
        return work(fewer)
    except torch.cuda.OutOfMemoryError as problem:
        raise LinkpriorError(
            f"the GPU is out of memory even with blocks of {fewer} rows "
            f"({str(problem).splitlines()[0][:100]}). {_LESS}"
        ) from None
