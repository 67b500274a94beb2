"""The solvers of tri-factorization with their arrays on a torch device.

Loop, steps and factor update are the text of `AdmmSolver` and `DirectSolver`; what differs between
the libraries is in `kernels.ops`. Here is where arrays are held, and how high blocks may be.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np

from linkprior.kernels.ops import ops_of
from linkprior.model.factors import Factors
from linkprior.model.priors import Prior
from linkprior.solvers.direct import DirectSolver, DirectState, PriorPass, start_factors
from linkprior.solvers.tri_admm import AdmmSolver, AdmmState

R = TypeVar("R")
_BLOCK_ENTRIES, _ADMM_BYTES = 1 << 26, 20.0  # of a block of rows, and what a sort holds for each
_DIRECT_BYTES = 40.0  # per entry of a block: scores, weights and, where rows are long, their sort


def _ops(device: str) -> Any:
    from linkprior.kernels.torch import ops

    return ops.TorchOps(ops.find_device(device))


def _on_device(factors: Factors, device: str) -> Factors:
    away = _ops(device)
    return Factors(away.put(factors.U), away.put(factors.S))


def _back(factors: Factors) -> Factors:
    to_numpy = ops_of(factors.U).to_numpy
    return Factors(to_numpy(factors.U), to_numpy(factors.S))


def _runs(n_rows: int, height: int) -> Iterator[slice]:
    return (slice(start, min(n_rows, start + height)) for start in range(0, n_rows, height))


@dataclass(frozen=True)
class DeviceAdmm(AdmmSolver):
    """The paper's ADMM on a torch device, with four p × p float32 arrays there."""

    device: str = "cuda"
    block_rows: int | None = None  # None: as many as what is free allows

    def back(self, state: AdmmState) -> AdmmState:
        """Return the state in the computer's own memory."""
        to_numpy = ops_of(state.Q).to_numpy
        arrays = {name: to_numpy(getattr(state, name)) for name in ("Q", "Y", "G", "B")}
        return replace(state, factors=_back(state.factors), **arrays)

    def most_rows(self) -> int:
        """Return the rows of a block; refuse a network whose matrices the device cannot hold."""
        from linkprior.kernels.torch import ops

        p, device, height = self.net.n_nodes, ops.find_device(self.device), self._height
        ops.require(16.0 * p**2 + _ADMM_BYTES * height * p, f"ADMM for {p} nodes", device)
        return height

    @property
    def _height(self) -> int:
        return max(1, min(self.net.n_nodes, _BLOCK_ENTRIES // self.net.n_nodes))

    def _placed(self, factors: Factors) -> Factors:
        return _on_device(factors, self.device)

    def _matrices(self) -> list[Any]:
        p, away = self.net.n_nodes, _ops(self.device)
        return [away.zeros((p, p), self.dtype) for _ in range(4)]

    def _over_blocks(self, one_block: Callable[[int, int], R], most: int | None = None) -> list[R]:
        runs = _runs(self.net.n_nodes, self.block_rows or self._height)
        return [one_block(rows.start, rows.stop) for rows in runs]


@dataclass(frozen=True)
class DeviceDirect(DirectSolver):
    """Multiplicative descent ("streaming") on a torch device."""

    device: str = "cuda"
    block_rows: int | None = None  # None: as many as what is free allows

    def init(self, rng: np.random.Generator) -> DirectState:
        drawn = self.start or start_factors(self.net, self.rank, rng)
        return self._at(_on_device(drawn, self.device))

    def back(self, state: DirectState) -> DirectState:
        """Return the state in the computer's own memory."""
        return DirectState(_back(state.factors), None)

    def most_rows(self) -> int:
        """Return how many rows of a block what is free on the device allows."""
        from linkprior.kernels.torch import ops

        return ops.block_rows(self.net.n_nodes, _DIRECT_BYTES, ops.find_device(self.device))

    def _ranked_pass(self, factors: Any, prior: Prior) -> PriorPass:
        """Rank, weigh and multiply by U in float32, block after block and not in groups of them."""
        left, right, p = factors.US.float(), factors.U.float(), len(factors.U)
        ops = ops_of(right)
        profile = ops.put(prior.profile(p - 1), np.float32)
        scale = ops.put(prior.scale(np.zeros(p)), np.float32)
        BU, BtU, sums = ops.zeros_like(right), ops.zeros_like(right), np.empty(p)
        for rows in _runs(p, self.block_rows or self.most_rows()):
            X = left[rows] @ right.T
            B = ops.zeros_like(X)
            ops.rank_weights(X, profile, rows.start, B)
            sums[rows] = ops.to_numpy(ops.row_sums(B * X))
            B *= scale[rows, None]
            BU[rows] = B @ right
            BtU += B.T @ right[rows]
        return PriorPass(prior.value(sums), (0.5 * (BU + BtU)).double())
