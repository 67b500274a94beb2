"""Direct descent ("streaming") with its row blocks on a device: same steps, same factor update."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from linkprior.model.factors import Factors
from linkprior.model.priors import Prior
from linkprior.solvers.direct import DirectSolver, DirectState, PriorPass, start_factors
from linkprior.solvers.factor_update import Extra

_BYTES = 40.0  # per entry of a block: scores, weights and, where rows are long, their sort


@dataclass(frozen=True)
class DeviceDirect(DirectSolver):
    """Multiplicative descent on a torch device.

    Attributes
    ----------
    device
        Its name, as "cuda" or "cpu".
    block_rows
        Rows of a block; None: as many as what is free allows.
    """

    device: str = "cuda"
    block_rows: int | None = None

    def init(self, rng: np.random.Generator) -> DirectState:
        from linkprior.kernels.torch import ops

        away = ops.TorchOps(ops.find_device(self.device))
        drawn = self.start or start_factors(self.net, self.rank, rng)
        return self._at(Factors(away.put(drawn.U), away.put(drawn.S)))

    def back(self, state: DirectState) -> DirectState:
        """Return the state in the computer's own memory."""
        from linkprior.kernels.torch.ops import numpy_of

        return DirectState(Factors(numpy_of(state.factors.U), numpy_of(state.factors.S)), None)

    def _at(self, factors: Factors) -> DirectState:
        if self.prior is None or self.lam == 0.0:
            return DirectState(factors, None)
        way = _flat_pass if self.prior.flat else self._ranked_pass
        return DirectState(factors, way(factors, self.prior))

    def _extra(self, state: DirectState) -> Extra:
        from linkprior.kernels.torch.ops import numpy_of

        extra, prior = super()._extra(state), self.prior
        if prior is None or not prior.flat:
            return extra
        return replace(extra, value=lambda f: self.lam * prior.value(numpy_of(f.row_sums())))

    def _ranked_pass(self, factors: Any, prior: Prior) -> PriorPass:
        """Rank, weigh and multiply by U, block after block, as `direct.ranked_pass` does."""
        from linkprior.kernels.torch.ops import numpy_of, rank_penalty, row_sums

        left, right, p = factors.US.float(), factors.U.float(), len(factors.U)
        profile = right.new_tensor(prior.profile(p - 1))
        scale = right.new_tensor(prior.scale(np.zeros(p)))
        BU, BtU = right.new_empty(right.shape), right.new_zeros(right.shape)
        sums = np.empty(p)
        for rows in self._blocks(p):
            X = left[rows] @ right.T
            B = rank_penalty(X, X.new_ones(len(X)), profile, rows.start)
            sums[rows] = numpy_of(row_sums(B * X))
            B *= scale[rows, None]
            BU[rows] = B @ right
            BtU += B.T @ right[rows]
        return PriorPass(prior.value(sums), (0.5 * (BU + BtU)).double())

    def most_rows(self) -> int:
        """Return how many rows of a block what is free on the device allows."""
        from linkprior.kernels.torch import memory, ops

        return memory.block_rows(self.net.n_nodes, _BYTES, ops.find_device(self.device))

    def _blocks(self, p: int) -> Iterator[slice]:
        height = self.block_rows or self.most_rows()
        return (slice(begin, min(p, begin + height)) for begin in range(0, p, height))


def _flat_pass(factors: Any, prior: Prior) -> PriorPass:
    """Evaluate a prior without ranks, as `direct.flat_pass` does."""
    from linkprior.kernels.torch.ops import numpy_of

    row_sums, U = numpy_of(factors.row_sums()), factors.U
    g = U.new_tensor(prior.scale(row_sums))
    GU = 0.5 * (g[:, None] * U.sum(0) + g @ U) - g[:, None] * U
    return PriorPass(prior.value(row_sums), GU)
