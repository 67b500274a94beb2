"""Tri-factorization by multiplicative updates of U, S ≥ 0 that never rise, with or without a prior.

The function minimised in one sweep is  F(X) + ridge·‖X‖² + 2·⟨push − pull, X⟩  at X = U S Uᵀ,
with ½∇F = curve + push − pull split by sign (negative targets sit in `push`). Per coordinate the
function is bounded above by  a·z⁴/4·… + n·z²/2·… − m·log z  in the ratio z = new/old, where
a, n, m are curve, push and pull times U S; its minimum is

    z = √((−n + √(n² + 4am)) / (2a)) = √(2m / (n + √(n² + 4am))),

which with n = 0 is the known exponent ¼. X is linear in S, so there the exponent is not halved.

Descent on F(USUᵀ) + λ·prior(USUᵀ) ("streaming") has no split variable and no p × p array. The prior
is concave along sorted rows, so its linearisation ⟨G, X⟩ at the current ranks, G = ½(B + Bᵀ) with
B_ij = b_i(rank of j in row i), bounds it from above; adding λ/2·G to the push of the factor update
therefore never lets the objective rise. G·U is all that is needed, and it comes out of one pass
over row blocks: memory O(p·r + b·p).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from linkprior import kernels, parallel
from linkprior.kernels.ops import ops_of
from linkprior.model.factors import Factors, random_factors
from linkprior.model.losses import Loss
from linkprior.model.priors import Prior, rows_of
from linkprior.network import Network
from linkprior.network.pairs import n_pairs
from linkprior.parallel.threads import scratch
from linkprior.solvers.base import Measure
from linkprior.solvers.nonnegative import leading_vectors

Array = NDArray[np.float64]
GROUPS = 32  # shares of a pass, at most
_TINY = 1e-30
_DRAWN = 0.8  # of a start near the eigenvectors: the largest random share, over a mean entry
_FITS = 30  # updates of its S

# ---------------------------------------------------------------------- one sweep


@dataclass(frozen=True)
class Extra:
    """What joins the loss in a sweep: a ridge on X and matrices already multiplied by U.

    `value` gives the extra part of the objective at new factors; where it is None (it would cost
    a pass over all pairs) only the provably monotone step is taken.
    """

    ridge: float = 0.0
    push_U: Array | None = None
    pull_U: Array | None = None
    value: Callable[[Factors], float] | None = None


def sweep(net: Network, loss: Loss, factors: Factors, extra: Extra) -> Factors:
    """Update S, then U. S first: both then share one product of the dense parts with U."""
    parts = _parts_times_U(net, loss, factors, extra)
    a, n, m = (factors.U.T @ part for part in parts)
    S = factors.S * (_damped_ratio(a, n, m) if loss.log_pull else m / (a + n + _TINY))
    factors = Factors(factors.U, (S + S.T) / 2.0)
    pull_U = None if loss.log_pull else parts[2]  # neither U nor the pull changes with S
    a, n, m = (part @ factors.S for part in _parts_times_U(net, loss, factors, extra, pull_U))
    if extra.value is not None:
        # Exponent ½ is faster but may rise: keep it only where it does not.
        bold = Factors(factors.U * ops_of(m).sqrt(m / (a + n + _TINY)), factors.S)
        before = loss.value(net, factors) + extra.value(factors)
        if loss.value(net, bold) + extra.value(bold) <= before:
            return bold
    return Factors(factors.U * ops_of(m).sqrt(_damped_ratio(a, n, m)), factors.S)


def _damped_ratio(a: Array, n: Array, m: Array) -> Array:
    return 2.0 * m / (n + ops_of(m).sqrt(n * n + 4.0 * a * m) + _TINY)


def _parts_times_U(
    net: Network, loss: Loss, factors: Factors, extra: Extra, pull_U: Array | None = None
) -> tuple[Array, Array, Array]:
    """Return (curve·U, push·U, pull·U), loss and extra together; the last may be known already."""
    U = factors.U
    half = loss.half_gradient(net, factors)
    curve, push = (part.times(U, factors) for part in (half.curve, half.push))
    pull = half.pull.times(U, factors) if pull_U is None else pull_U
    if extra.ridge:
        curve += extra.ridge * factors.US @ factors.gram
    if extra.push_U is not None:
        push += extra.push_U
    if extra.pull_U is not None and pull_U is None:
        pull += extra.pull_U
    return curve, push, pull


# ---------------------------------------------------------------------- descent


@dataclass(frozen=True)
class PriorPass:
    """The prior at one point: its value and its linearisation G times U."""

    value: float
    GU: Array


@dataclass(frozen=True)
class DirectState:
    factors: Factors
    prior: PriorPass | None


@dataclass(frozen=True)
class DirectSolver:
    """Multiplicative descent; with prior None it is plain tri-factorization."""

    net: Network
    loss: Loss
    rank: int
    prior: Prior | None = None
    lam: float = 0.0
    start: Factors | None = None  # None draws them
    workers: int | None = None

    def init(self, rng: np.random.Generator) -> DirectState:
        return self._at(self.start or start_factors(self.net, self.rank, rng))

    def step(self, state: DirectState) -> DirectState:
        return self._at(sweep(self.net, self.loss, state.factors, self._extra(state)))

    def measure(self, state: DirectState) -> Measure:
        penalty = self.lam * state.prior.value if state.prior else 0.0
        return Measure(self.loss.value(self.net, state.factors) + penalty)

    def _at(self, factors: Factors) -> DirectState:
        if self.prior is None or self.lam == 0.0:
            return DirectState(factors, None)
        one_pass = flat_pass if self.prior.flat else self._ranked_pass
        return DirectState(factors, one_pass(factors, self.prior))

    def _ranked_pass(self, factors: Factors, prior: Prior) -> PriorPass:
        return ranked_pass(factors, prior, self.workers)

    def _extra(self, state: DirectState) -> Extra:
        if state.prior is None:
            return Extra(value=lambda _: 0.0)
        prior, push = self.prior, self.lam / 2.0 * state.prior.GU
        if prior is not None and prior.flat:
            return Extra(push_U=push, value=lambda f: self.lam * prior.value(_row_sums(f)))
        return Extra(push_U=push)


def start_factors(net: Network, rank: int, rng: np.random.Generator) -> Factors:
    """Draw a start whose mean score is the density of the observed network."""
    return random_factors(net.n_nodes, rank, net.n_edges / n_pairs(net.n_nodes), rng)


def spectral_factors(net: Network, rank: int, rng: np.random.Generator) -> Factors:
    """Return a start near the leading eigenvectors: groups are their positive and negative parts.

    The heaviest parts are taken, a random share is added to every entry, as updates cannot leave
    zero, and S is what fits the network best, nearly.
    """
    a = net.confidence.astype(np.float32)
    values, V = leading_vectors(a, -(-rank // 2))
    parts = np.concatenate([np.maximum(V, 0), np.maximum(-V, 0)], axis=1).astype(np.float64)
    sizes = np.linalg.norm(parts, axis=0)
    heaviest = np.argsort(-sizes * np.tile(np.abs(values), 2) ** 0.5, kind="stable")[:rank]
    U = parts[:, heaviest] / np.maximum(sizes[heaviest], _TINY)
    U = np.pad(U, ((0, 0), (0, rank - U.shape[1])))
    U += _DRAWN * np.sqrt((U**2).mean()) * rng.uniform(0.0, 1.0, U.shape)
    gram, links = U.T @ U, U.T @ (a @ U)
    S = np.full((rank, rank), links.sum() / gram.sum() ** 2)
    for _ in range(_FITS):
        S *= links / (gram @ S @ gram + _TINY)
    return Factors(U, (S + S.T) / 2.0)


def flat_pass(factors: Factors, prior: Prior) -> PriorPass:
    """Evaluate a prior without ranks: G = ½(g1ᵀ + 1gᵀ) off the diagonal, in O(p·r)."""
    row_sums, U = _row_sums(factors), factors.U
    g = ops_of(U).put(prior.scale(row_sums))
    GU = 0.5 * (g[:, None] * U.sum(axis=0) + g @ U) - g[:, None] * U
    return PriorPass(prior.value(row_sums), GU)


def _row_sums(factors: Factors) -> Array:
    """Return the row sums of X as the prior takes them, wherever the factors are."""
    return ops_of(factors.U).to_numpy(factors.row_sums())


def ranked_pass(factors: Factors, prior: Prior, workers: int | None = None) -> PriorPass:
    """Evaluate a prior over ranks by one pass over row blocks: rank, weigh, multiply by U."""
    p = len(factors.U)
    profile = prior.profile(p - 1)
    scale = prior.scale(np.zeros(p))
    _ = factors.US  # before the threads ask for it

    def one_block(start: int, stop: int) -> tuple[Array, Array, Array]:
        X, B = (scratch(f"pass {name}", (stop - start, p), np.float64) for name in "XB")
        np.matmul(factors.US[start:stop], factors.U.T, out=X)
        kernels.rank_penalty(X, np.ones(stop - start), rows_of(profile, start, stop), start, B)
        row_sums = np.einsum("ij,ij->i", B, X)
        B *= scale[start:stop, None]
        return row_sums, B @ factors.U, B.T @ factors.U[start:stop]

    def one_group(group: list[tuple[int, int]]) -> tuple[Array, Array, Array]:
        total, rows = np.zeros_like(factors.U), []
        for block in group:
            *own, btu = one_block(*block)
            rows.append(own)
            total += btu
        sums, bu = (np.concatenate(part) for part in zip(*rows, strict=True))
        return sums, bu, total

    remote, groups = p > parallel.REMOTE_NODES, block_groups(p)
    BU, BtU, row_sums = np.empty_like(factors.U), np.zeros_like(factors.U), np.empty(p)
    passed = parallel.map_tasks(one_group, groups, workers, stage="", remote=remote)
    for group, (sums, bu, btu) in zip(groups, passed, strict=True):
        rows = slice(group[0][0], group[-1][1])
        row_sums[rows], BU[rows] = sums, bu
        BtU += btu
    return PriorPass(prior.value(row_sums), 0.5 * (BU + BtU))


def block_groups(n_rows: int) -> list[list[tuple[int, int]]]:
    """Cut the row blocks into at most GROUPS runs, each of which sums its own share of BᵀU.

    A share is as large as U: one for each block would be most of what a cluster sends back. Like
    the blocks, groups follow from the size alone, so sums never regroup.
    """
    blocks = parallel.blocks(n_rows)
    size = -(-len(blocks) // GROUPS)
    return [blocks[at : at + size] for at in range(0, len(blocks), size)]
