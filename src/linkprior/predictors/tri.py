"""Tri-factorization under a loss, a prior and a solver: tri, tri-l1, tri-scale."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from linkprior import _progress as progress
from linkprior import parallel
from linkprior._validation import choice, real_number, whole_number
from linkprior.errors import ParameterError
from linkprior.kernels._engine import current_device
from linkprior.model.factors import Factors
from linkprior.model.losses import LOSSES, Loss
from linkprior.model.priors import L1Prior, Prior, ScaleFreePrior
from linkprior.network import Network
from linkprior.network.pairs import Ints
from linkprior.parallel import current_workers
from linkprior.parallel.memory import matrices, memory_limit, release
from linkprior.predictors import multistart
from linkprior.predictors.base import NEGATIVES, WEIGHTS, Array, Learned, ScoredPredictor
from linkprior.predictors.cost import Cost, entries, factor_scores, network_bytes, sweep
from linkprior.predictors.on_device import Form, solve_on_device
from linkprior.predictors.scores import DenseScores, FactorScores, Scores, SketchScores, mean_matrix
from linkprior.predictors.spaces import Axis, rank_axis
from linkprior.ranking.retrieval import FactorPair
from linkprior.solvers.base import Solution, solve
from linkprior.solvers.device import DeviceAdmm, DeviceDirect
from linkprior.solvers.direct import DirectSolver, DirectState, spectral_factors
from linkprior.solvers.symmetric_prox import DISK_ROWS, half_sum
from linkprior.solvers.tri_admm import AdmmSolver, AdmmState

Run = Solution[Any]  # of a solver whose state has factors

DEFAULT_RANK = 20
STARTS = ["random", "spectral"]
SPACE = {"rank": rank_axis(DEFAULT_RANK), "rho": Axis(0.02, 0.9, (0.05, 0.1, 0.2, 0.5))}
SWEEPS = Axis(20, 200, (40, 80, 160), whole=True)
DENSE_LIMIT = 3000  # nodes up to which p × p arrays are taken for granted

RANKED_STEP = 14.0  # nominal nanoseconds to rank rows, weigh, multiply: per entry, like ADMM's
ADMM_STEP = 16.0
_ARRAYS, _ARRAYS_AT_ONCE = 4.5, 3.5  # of nodes × rank, for each start and each thread
ADMM_BYTES = 17.0  # per entry: four float32 arrays, and row blocks
_KEPT_BYTES = 8.0  # X and Z of a start, where X is ranked
_MAPPED_AT_ONCE = 65536.0  # of a file, around the byte that is asked for


@dataclass(eq=False, kw_only=True)
class TriFactorization(ScoredPredictor):
    """X = U S Uᵀ with U, S ≥ 0, fitted from several random starts whose scores are averaged.

    Parameters
    ----------
    rank
        Number of groups r; None means 20, or the number of nodes where that is smaller.
    rho
        Share ρ of the edges thought to be observed: weight 1 − ρ/2 on edges, ρ/2 elsewhere. It is
        a parameter to tune, not an estimate: with a small value an unobserved pair carries little
        information.
    loss
        "squared" (the paper's) or "poisson".
    n_starts
        Random starts to average; worth more than any regulariser.
    max_iter, tol
        Steps at most, and the relative change at which to stop earlier. Some dozens of steps
        predict better than many: this is early stopping on purpose.
    seed
        Same seed, same bytes.
    """

    supports = WEIGHTS | NEGATIVES
    scores_pairs_alone = True
    has_factors = True

    rank: int | None = None
    rho: float = 0.2
    loss: str = "squared"
    n_starts: int = 5
    max_iter: int = 80
    tol: float = 1e-6
    seed: int = 0

    # ------------------------------------------------------------------ the three choices

    def _loss(self) -> Loss:
        kind = choice("loss", self.loss, LOSSES)
        return LOSSES[kind](real_number("rho", self.rho, 0.0, 1.0))

    def _prior(self, network: Network) -> Prior | None:
        return None

    @abstractmethod
    def _fit_start(self, network: Network, rng: np.random.Generator, workers: int) -> Run:
        """Run one start."""

    # ------------------------------------------------------------------ learning

    def _fit(self, network: Network) -> Learned:
        self._check(network)
        with progress.stage(f"fitting {self.name}", self._cost(network).fit):
            return self._run(network)

    def _run(self, network: Network) -> Learned:
        solutions = multistart.run_starts(
            self.seed,
            self.n_starts,
            lambda rng, workers: self._fit_start(network, rng, workers),
            sum(self._start_times(network)),
        )
        return self._learned(network, solutions)

    def _learned(self, network: Network, solutions: list[Run]) -> Learned:
        """Return what is kept of the starts."""
        factors = [solution.state.factors for solution in solutions]
        arrays = {"U": np.stack([f.U for f in factors]), "S": np.stack([f.S for f in factors])}
        return Learned(arrays, multistart.facts_of(solutions))

    def _check(self, network: Network) -> None:
        self._rank(network)
        self._loss()
        whole_number("n_starts", self.n_starts, 1, multistart.MOST_STARTS)
        whole_number("max_iter", self.max_iter, 1)
        real_number("tol", self.tol, 0.0, low_open=False)
        whole_number("seed", self.seed, 0, multistart.SEED_LIMIT)

    def _rank(self, network: Network) -> int:
        if self.rank is None:
            return min(DEFAULT_RANK, network.n_nodes)
        return whole_number("rank", self.rank, 1, network.n_nodes)

    # ------------------------------------------------------------------ how long it takes

    def _cost(self, network: Network) -> Cost:
        self._check(network)
        scores = factor_scores(network, self.n_starts * self._rank(network))
        fit = self.n_starts * sum(self._start_times(network))
        return Cost(fit, scores, self._factor_bytes(network))

    def _factor_bytes(self, network: Network) -> float:
        at_once = min(current_workers(), self.n_starts)
        arrays = _ARRAYS * self.n_starts + _ARRAYS_AT_ONCE * at_once
        return arrays * 8.0 * network.n_nodes * self._rank(network)

    def _start_times(self, network: Network) -> tuple[float, float]:
        """Return the work of a start's warm-up and of its steps, with cores that idle."""
        steps = (self.max_iter + 1) * self._step_time(network)
        return 0.0, multistart.idle_factor(self.n_starts) * steps

    def _step_time(self, network: Network) -> float:
        return sweep(network, self._rank(network))

    # ------------------------------------------------------------------ scoring

    def _scores(self) -> Scores:
        """Return the source of scores, made once after a fit or a load."""
        if "_cached_scores" not in self.__dict__:
            self._cached_scores = self._make_scores()
        return self._cached_scores

    def _make_scores(self) -> Scores:
        return self._factor_scores()

    def _factor_scores(self) -> FactorScores:
        _, learned = self._state()
        return FactorScores(learned.arrays["U"], learned.arrays["S"])

    def _plain(
        self,
        network: Network,
        rng: np.random.Generator,
        steps: int,
        start: Factors | None = None,
    ) -> Run:
        """Return so many plain sweeps, on the device in use."""
        given, loop = (network, self._loss(), self._rank(network)), (rng, steps, self.tol)
        if current_device() != "cpu":
            device = current_device()
            return solve_on_device(DeviceDirect(*given, start=start, device=device), *loop)
        return solve(DirectSolver(*given, start=start), *loop)

    def summary(self) -> list[str]:
        return multistart.convergence(self._state()[1].facts)

    def _factor_pair(self) -> FactorPair:
        mean, exact = self._factor_scores().mean, isinstance(self._scores(), FactorScores)
        return FactorPair(mean.US, mean.U, exact)

    def _factor_form(self) -> Form | None:
        scores = self._scores()
        if isinstance(scores, FactorScores):
            return Form.plain(scores.mean.US, scores.mean.U)
        if not isinstance(scores, SketchScores):
            return None
        factors = zip(scores.layers, scores.tables, strict=True)
        layers = [(one.US, one.U, tables) for one, tables in factors]
        return Form(layers, scores.scale, scores.weights)

    def _rows_above(self, start: int, stop: int, floor: float) -> Array:
        scores = self._scores()
        if isinstance(scores, SketchScores):
            return scores.rows_above(start, stop, floor)
        return scores.rows(start, stop)

    def _base(self, pairs: Ints) -> Array:
        return self._factor_scores().at(pairs)


@dataclass(eq=False, kw_only=True)
class Tri(TriFactorization):
    """Tri: no prior.

    Parameters
    ----------
    start
        "random", or "spectral": near the leading eigenvectors, with a random part. It then takes
        few sweeps, and the ranking moves less with the seed; without the mean over different
        random starts it finds fewer hidden edges in some networks, more in others.
    """

    name = "tri"
    summary_line = "non-negative tri-factorization U S Uᵀ, mean of several starts"
    search_space = {**SPACE, "max_iter": SWEEPS}
    lighter = "l3"
    start: str = "random"

    def _check(self, network: Network) -> None:
        super()._check(network)
        choice("start", self.start, STARTS)

    def _fit_start(self, network: Network, rng: np.random.Generator, workers: int) -> Run:
        near = self.start == "spectral"
        start = spectral_factors(network, self._rank(network), rng) if near else None
        return self._plain(network, rng, self.max_iter, start)


@dataclass(eq=False, kw_only=True)
class Penalised(TriFactorization):
    """Tri-factorization with a prior of weight λ, by either solver.

    Parameters
    ----------
    lam
        Weight λ of the prior.
    eta
        ADMM's η; λ/η is the strength of the prior in the prox, and when ranking by it.
    solver
        "admm" (the paper; p × p arrays) or "streaming" (direct descent over row blocks); "auto"
        takes what fits the prior and the size.
    sweeps
        Multiplicative sweeps in each Step_One of ADMM.
    warmup
        Sweeps without prior at the beginning of each start; the paper has none.
    rank_by
        "factors": U S Uᵀ, the mean over starts; "x": the X of ADMM, the mean over starts, kept
        with its dual variable Z in the arrays of a fit. Streaming has no X.
    """

    lam: float = 0.003
    eta: float = 0.003
    solver: str = "auto"
    sweeps: int = 1
    warmup: int = 0
    rank_by: str = "factors"

    _rankings: ClassVar[tuple[str, ...]] = ("x", "factors")

    def _check(self, network: Network) -> None:
        super()._check(network)
        real_number("lam", self.lam, 0.0, low_open=False)
        real_number("eta", self.eta, 0.0)
        choice("solver", self.solver, ["auto", "admm", "streaming"])
        whole_number("sweeps", self.sweeps, 1)
        whole_number("warmup", self.warmup, 0)
        choice("rank_by", self.rank_by, self._rankings)
        if self._solver_name(network) == "streaming":
            for name, why in self._admm_only().items():
                advice = ": set solver='admm', or leave it out"
                if self.solver == "auto":
                    advice = (
                        f", and {network.n_nodes:,} nodes take streaming by default: set "
                        "solver='admm' to have matrices of all pairs"
                    )
                raise ParameterError(
                    f"{name}={getattr(self, name)!r} {why}, which streaming does not have{advice}"
                )

    def _admm_only(self) -> dict[str, str]:
        """Return the parameters that ask for ADMM, and what each of them is of it."""
        asked = {}
        if self.rank_by == "x":
            asked["rank_by"] = "ranks the X of ADMM"
        if self.sweeps != 1:
            asked["sweeps"] = "is for Step_One of ADMM"
        return asked

    def _solver_name(self, network: Network) -> str:
        if self.solver != "auto":
            return self.solver
        dense = network.n_nodes <= DENSE_LIMIT and bool(self._admm_only())
        return "admm" if dense else "streaming"

    def _step_time(self, network: Network) -> float:
        prior, plain = self._prior(network), super()._step_time(network)
        if self._solver_name(network) == "admm":
            return self.sweeps * plain + ADMM_STEP * entries(network)
        if prior is None or prior.flat:
            return plain
        return plain + RANKED_STEP * entries(network)

    def _start_times(self, network: Network) -> tuple[float, float]:
        _, steps = super()._start_times(network)
        if not self.warmup:
            return 0.0, steps
        _, inner = multistart.threads(self.n_starts)  # a plain sweep keeps one of them busy
        warmup = inner * (self.warmup + 1) * sweep(network, self._rank(network))
        return multistart.idle_factor(self.n_starts) * warmup, steps

    def _fit_start(self, network: Network, rng: np.random.Generator, workers: int) -> Run:
        if not self.warmup:
            return self._fit_from(network, None, rng, workers)
        warmup, steps = self._start_times(network)
        with progress.stage(total=warmup + steps):
            with progress.part(warmup):
                start: Factors = self._plain(network, rng, self.warmup).state.factors
            return self._fit_from(network, start, rng, workers)

    def _fit_from(
        self, network: Network, start: Factors | None, rng: np.random.Generator, workers: int
    ) -> Run:
        prior, loss, rank = self._prior(network), self._loss(), self._rank(network)
        assert prior is not None
        given, loop = (network, loss, rank, prior, float(self.lam)), (rng, self.max_iter, self.tol)
        admm, device = self._solver_name(network) == "admm", current_device()
        asked = self._step_options()
        if device != "cpu":
            direct = DeviceDirect(*given, start, device=device)
            dense = DeviceAdmm(*given, float(self.eta), start, device=device, **asked)
            return self._without_matrices(solve_on_device(dense if admm else direct, *loop))
        if not admm:
            return solve(DirectSolver(*given, start, workers), *loop)
        # A limit is not sent to a cluster, though what was asked before the starts is.
        on_disk = memory_limit() is not None and self.__dict__.get("_cached_on_disk", False)
        asked |= {"workers": workers, "on_disk": on_disk}
        return self._without_matrices(
            solve(AdmmSolver(*given, float(self.eta), start, **asked), *loop)
        )

    def _step_options(self) -> dict[str, Any]:
        """Return how ADMM does its two steps."""
        return {"sweeps": self.sweeps}

    def _without_matrices(self, run: Run) -> Run:
        """Return a run without p × p arrays, or with X and Z alone where X is ranked.

        Starts are kept until all of them have ended.
        """
        state = run.state
        if self.rank_by != "x" or not isinstance(state, AdmmState):
            return replace(run, state=DirectState(state.factors, None))
        X, Z = state.Q, state.Y  # written over, so that no more arrays exist
        for begin, end in parallel.blocks(len(X)):
            np.maximum(X[begin:end], 0.0, out=X[begin:end])
            np.subtract(X[begin:end], Z[begin:end], out=Z[begin:end])
            for matrix in (X, Z):
                release(matrix, begin, end)
        return replace(run, state=SplitState(state.factors, X, Z))

    # ------------------------------------------------------------------ memory

    def _run(self, network: Network) -> Learned:
        # Asked before the starts begin: each of them knows of its own threads only.
        self._cached_on_disk = self._on_disk(network)
        return super()._run(network)

    def _learned(self, network: Network, solutions: list[Run]) -> Learned:
        learned = super()._learned(network, solutions)
        if self.rank_by != "x":
            return learned
        n, on_disk = network.n_nodes, self._on_disk(network)
        means = {}
        for name in "XZ":
            layers = (getattr(solution.state, name) for solution in solutions)
            (whole,) = matrices(1, n, np.float32, on_disk)
            half_sum(mean_matrix(layers, n, on_disk), whole, on_disk)
            means[name] = whole
        return Learned({**learned.arrays, **means}, learned.facts)

    def _make_scores(self) -> Scores:
        _, learned = self._state()
        if self.rank_by == "x":
            return DenseScores(learned.arrays["X"])
        return super()._make_scores()

    def _base(self, pairs: Ints) -> Array:
        # X less the factors' product is ADMM's residual, and no part that the prior has.
        return self._pairs(pairs) if self.rank_by == "x" else super()._base(pairs)

    def _cost(self, network: Network) -> Cost:
        plain, matrices = super()._cost(network), self._matrix_bytes(network)
        if not self._on_disk(network):
            return replace(plain, memory=plain.memory + matrices)
        # A part of these arrays is in memory at a time: one that is read by column, and row blocks.
        row = 4.0 * network.n_nodes
        columns = min(row, _MAPPED_AT_ONCE) * network.n_nodes
        blocks = columns + current_workers() * 3 * DISK_ROWS * row
        return replace(plain, memory=plain.memory + blocks, disk=matrices)

    def _matrix_bytes(self, network: Network) -> float:
        """Return the bytes of all p × p arrays that exist at a time, wherever they are held."""
        if self._solver_name(network) != "admm":
            return 0.0
        kept = _KEPT_BYTES * (self.n_starts + 2) if self.rank_by == "x" else 0.0
        at_once = ADMM_BYTES * min(current_workers(), self.n_starts)
        return (at_once + kept) * entries(network)

    def _on_disk(self, network: Network) -> bool:
        """Whether the p × p arrays do not fit the memory limit, where there is one."""
        limit = memory_limit()
        if limit is None or current_device() != "cpu":
            return False
        dense = self._matrix_bytes(network)
        return bool(dense) and network_bytes(network) + self._factor_bytes(network) + dense > limit


@dataclass(frozen=True)
class SplitState:
    """What is kept of a start whose X is ranked."""

    factors: Factors
    X: Array
    Z: Array


@dataclass(eq=False, kw_only=True)
class TriL1(Penalised):
    """Tri+L1: every entry of X costs λ."""

    name = "tri-l1"
    summary_line = "tri-factorization with an ℓ1 penalty"
    search_space = {**SPACE, "lam": Axis(1e-5, 0.1, (1e-4, 1e-3, 1e-2)), "max_iter": SWEEPS}
    lam: float = 0.001

    def _prior(self, network: Network) -> Prior:
        return L1Prior()


@dataclass(eq=False, kw_only=True)
class TriScale(Penalised):
    """Tri+Scale: the log-sum row penalty of Liu & Ihler (2011), reweighted each iteration.

    Parameters
    ----------
    epsilon
        ε in log(row mass + ε).
    """

    name = "tri-scale"
    summary_line = "tri-factorization with a scale-free (log-sum) penalty"
    search_space = {
        **SPACE,
        "lam": Axis(1e-5, 0.1, (3e-4, 3e-3, 3e-2)),
        "epsilon": Axis(0.1, 10.0, (0.3, 1.0, 3.0)),
        "max_iter": SWEEPS,
    }
    epsilon: float = 1.0

    def _check(self, network: Network) -> None:
        super()._check(network)
        self._prior(network)

    def _prior(self, network: Network) -> Prior:
        return ScaleFreePrior(real_number("epsilon", self.epsilon, 0.0))
