"""ADMM with its p × p arrays on a device: the same steps, the same text for the factors.

Only what touches whole matrices is written anew here, as operations on row blocks of tensors; the
loop, Step_One and the factor update are those of `AdmmSolver`. Memory on the device: four p × p
float32 arrays, and blocks whose height follows from what is free.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from linkprior.model.factors import Factors
from linkprior.solvers.direct import start_factors
from linkprior.solvers.tri_admm import AdmmSolver, AdmmState

_BLOCK_ENTRIES, _BYTES = 1 << 26, 20.0  # of a block of rows, and what a sort holds for each


@dataclass(frozen=True)
class DeviceAdmm(AdmmSolver):
    """The paper's ADMM on a torch device.

    Attributes
    ----------
    device
        Its name, as "cuda" or "cpu".
    block_rows
        Rows of a block; None: as many as what is free allows.
    """

    device: str = "cuda"
    block_rows: int | None = None

    def init(self, rng: np.random.Generator) -> AdmmState:
        from linkprior.kernels.torch import ops as torch_ops

        device = torch_ops.find_device(self.device)
        drawn, ops = (
            self.start or start_factors(self.net, self.rank, rng),
            torch_ops.TorchOps(device),
        )
        factors = Factors(ops.put(drawn.U), ops.put(drawn.S))
        Q, Y, G, B = (torch_ops.zeros(self.net.n_nodes, device) for _ in range(4))
        state = AdmmState(factors, Q, Y, G, B, factors.row_sums())
        *_, square = self._split(state, factors)
        return replace(state, row_sums=self._linearise(state), Y_square=float(square))

    def back(self, state: AdmmState) -> AdmmState:
        """Return the state in the computer's own memory."""
        from linkprior.kernels.torch.ops import numpy_of

        factors = Factors(numpy_of(state.factors.U), numpy_of(state.factors.S))
        arrays = {name: numpy_of(getattr(state, name)) for name in ("Q", "Y", "G", "B")}
        return replace(state, factors=factors, **arrays)

    def _times_Y(self, state: AdmmState, U: Any, parts: list[Callable[[Any], Any]]) -> list[Any]:
        thin = U.float()
        return [
            _together([part(state.Y[rows]) @ thin for rows in self._row_blocks()]).double()
            for part in (_device_part(part) for part in parts)
        ]

    def _split(self, state: Any, factors: Any) -> Any:
        from linkprior.kernels.torch.ops import sum_of_squares

        left, right = factors.US.float(), factors.U.float()
        squares = np.zeros(5)
        for rows in self._row_blocks():
            Q, Y = state.Q[rows], state.Y[rows]
            before, fitted = Q.clamp(min=0), left[rows] @ right.T
            A = fitted + (before - Y)
            Q.copy_(A - state.G[rows])
            X = Q.clamp(min=0)
            Y.copy_(X - (A - X))
            terms = (fitted - X, X - before, fitted, X, Y)
            squares += [sum_of_squares(term) for term in terms]
            self._weigh_rows(state, rows)
        return squares

    def _pass_again(self, state: Any) -> None:
        for rows in self._row_blocks():
            Q, Y = state.Q[rows], state.Y[rows]
            A = 2 * Q.clamp(min=0) - Y
            Q.copy_(A - state.G[rows])
            Y.copy_(2 * Q.clamp(min=0) - A)
            self._weigh_rows(state, rows)

    def _squares_again(self, state: Any, factors: Any) -> Any:
        from linkprior.kernels.torch.ops import sum_of_squares

        left, right = factors.US.float(), factors.U.float()
        squares = np.zeros(3)
        for rows in self._row_blocks():
            X, Y = state.Q[rows].clamp(min=0), state.Y[rows]
            squares += [sum_of_squares(term) for term in (left[rows] @ right.T - X, X, Y)]
        return squares

    def _linearise(self, state: Any) -> Any:
        Q, B = state.Q, state.B
        mass = np.asarray(self._row_mass(Q)) if self.prior.flat else np.zeros(len(Q))
        from linkprior.kernels.torch.ops import row_sums

        scale = B.new_tensor(self.lam / self.eta * self.prior.scale(mass))
        sums = []
        for rows in self._row_blocks():
            own, other = scale[rows, None] * B[rows], scale[:, None] * B[:, rows]
            state.G[rows] = 0.5 * (own + other.T)
            sums.append(row_sums(B[rows] * Q[rows].clamp(min=0)))
        return _together(sums).cpu().numpy()

    def _row_mass(self, Q: Any) -> Any:
        mass = _together([Q[rows].clamp(min=0).double().sum(dim=1) for rows in self._row_blocks()])
        return (mass - Q.diagonal().clamp(min=0)).cpu().numpy()

    def _weigh_rows(self, state: Any, rows: slice) -> None:
        from linkprior.kernels.torch.ops import rank_penalty

        keys = state.Q[rows]
        profile = keys.new_tensor(self.prior.profile(len(state.Q) - 1))
        if self.prior.flat:
            state.B[rows] = profile[0]
            state.B.fill_diagonal_(0.0)
            return
        rank_penalty(keys, keys.new_ones(len(keys)), profile, rows.start, state.B[rows])

    def most_rows(self) -> int:
        """Return the rows of a block; refuse a network whose matrices the device cannot hold."""
        from linkprior.kernels.torch import memory, ops

        p, device, height = self.net.n_nodes, ops.find_device(self.device), self._height
        memory.require(16.0 * p**2 + _BYTES * height * p, f"ADMM for {p} nodes", device)
        return height

    @property
    def _height(self) -> int:
        return max(1, min(self.net.n_nodes, _BLOCK_ENTRIES // self.net.n_nodes))

    def _row_blocks(self) -> Iterator[slice]:
        p = self.net.n_nodes
        height = self.block_rows or self._height
        return (slice(start, min(p, start + height)) for start in range(0, p, height))


def _device_part(part: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Return a part of Y as the device has it: all of it, or what is positive."""
    from linkprior.solvers.tri_admm import _same

    return part if part is _same else lambda block: block.clamp(min=0)


def _together(parts: list[Any]) -> Any:
    from linkprior.kernels.torch.ops import concatenate

    return concatenate(parts)
