"""Matrix completion: pu (biased factorization) and nuclear-degree (the constrained estimator)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from linkprior import _progress as progress
from linkprior._validation import choice, real_number, shown, whole_number
from linkprior.errors import InputError, ParameterError
from linkprior.model.degrees import LIST_SIZE, Degrees, Edges
from linkprior.model.losses import pu_loss
from linkprior.model.priors import H_Like, degree_prior
from linkprior.network import Network
from linkprior.network.pairs import Ints, n_pairs
from linkprior.predictors import multistart
from linkprior.predictors.base import ISOLATED, NEGATIVES, WEIGHTS, Array, Learned, ScoredPredictor
from linkprior.predictors.cost import PICK, Cost, amount, factor_scores, sweep
from linkprior.predictors.on_device import Form
from linkprior.predictors.scores import PASSES, BilinearScores, DenseScores, prior_of
from linkprior.predictors.spaces import ALPHA, TAU, Axis, C, rank_axis
from linkprior.ranking.retrieval import FactorPair
from linkprior.solvers.base import Solution, solve
from linkprior.solvers.nuclear import NuclearSolver, NuclearState
from linkprior.solvers.pu_als import PuAlsSolver, PuState
from linkprior.solvers.symmetric_prox import mm_passes

DEFAULT_RANK = 30
LARGEST_NUCLEAR = 6000  # nodes beyond which a dozen p × p arrays and their eigenvalues are too much
STARTS = ["random", "spectral"]
_MOST_RIDGE = 1e30  # beyond it factors of float32 cannot be solved for
FEASIBLE = 1e-6  # of a bound that X̂ may exceed it by: what rounding to float32 does
_LEAST_ETA = 1e-30  # below it η is 0 to float32, and the diagonal is 0/0
_ROUND = 0.27  # a conjugate gradient step of `pu` for all rows: so much of a sweep of tri
_ARRAYS = 13.0  # of nodes × rank that `pu` holds for each start
_AFTER = 3  # steps that all eigenvalues at the end of nuclear-degree are worth


def default_rho(network: Network) -> float:
    """Return the default ρ of `pu`: four times the density, at most ½.

    All unobserved pairs together then weigh twice what all edges weigh. A fixed ρ cannot serve
    both: in a dense network a small one lets X = 1 everywhere pass for a good fit.
    """
    return min(0.5, 4.0 * network.n_edges / n_pairs(network.n_nodes))


def default_ridge(network: Network) -> float:
    """Return the default λ of `pu`: 2, or less where 2 would leave nothing of the network.

    All factors vanish once λ reaches the largest singular value of Ω, which is at least the
    square root of the largest degree.
    """
    return float(min(2.0, np.sqrt(network.degrees.max()) / 3.0))


@dataclass(eq=False, kw_only=True)
class PU(ScoredPredictor):
    """PU: biased matrix completion Σ M_ij(Ω_ij − w_i·h_j)² + λ(‖W‖² + ‖H‖²) (Hsieh et al. 2015).

    The score is ½(w_i·h_j + w_j·h_i).

    Parameters
    ----------
    rank
        Width r of the factors; None means 30, or the number of nodes where that is smaller. With
        the default λ more changes little.
    rho
        Share ρ: weight 1 − ρ/2 on edges, ρ/2 elsewhere. A parameter to tune, not an estimate;
        None means four times the density of the network, at most ½.
    lam
        Ridge λ; None means 2, or a third of the square root of the largest degree where that is
        smaller (a λ near the largest singular value of Ω leaves nothing).
    inner, cg_steps
        How a half sweep solves its rows: "cg" by some conjugate gradient steps from where the last
        sweep ended, "exact" by dense solves (slow; the objective then never rises).
    start
        "random", or "spectral": near the leading eigenvectors, with a random part. Another seed
        then changes little.
    n_starts
        Random starts whose scores are averaged.
    max_iter, tol
        Sweeps at most, and the relative change of the objective at which to stop earlier.
    seed
        Same seed, same bytes.
    """

    name = "pu"
    summary_line = "positive-unlabelled matrix completion by alternating LS"
    search_space = {
        "rank": rank_axis(DEFAULT_RANK),
        "rho": Axis(
            0.1, 10.0, (0.3, 1.0, 3.0), none_is=default_rho, relative=True, most=lambda _: 0.9
        ),
        "lam": Axis(0.1, 3.0, (0.3, 0.6, 1.0, 1.5), none_is=default_ridge, relative=True),
        "max_iter": Axis(5, 80, (10, 20, 40), whole=True),
    }
    scores_pairs_alone = True
    has_factors = True
    supports = WEIGHTS | NEGATIVES
    rank: int | None = None
    rho: float | None = None
    lam: float | None = None
    inner: str = "cg"
    cg_steps: int = 3
    start: str = "random"
    n_starts: int = 1
    max_iter: int = 20
    tol: float = 1e-4
    seed: int = 0

    def _fit(self, network: Network) -> Learned:
        max_iter = whole_number("max_iter", self.max_iter, 1)
        tol = real_number("tol", self.tol, 0.0, low_open=False)
        self._solver(network, 1)  # a bad parameter is an error here, not inside a thread

        def one_start(rng: np.random.Generator, workers: int) -> Solution[PuState]:
            return solve(self._solver(network, workers), rng, max_iter, tol)

        with progress.stage(
            "fitting pu", whole_number("n_starts", self.n_starts, 1, multistart.MOST_STARTS)
        ):
            solutions = multistart.run_starts(self.seed, self.n_starts, one_start)
        states = [solution.state for solution in solutions]
        arrays = {name: np.stack([getattr(state, name) for state in states]) for name in "WH"}
        return Learned(arrays, multistart.facts_of(solutions))

    def _solver(self, network: Network, workers: int) -> PuAlsSolver:
        rank = min(DEFAULT_RANK, network.n_nodes) if self.rank is None else self.rank
        rho = default_rho(network) if self.rho is None else self.rho
        lam = default_ridge(network) if self.lam is None else self.lam
        exact = choice("inner", self.inner, ["cg", "exact"]) == "exact"
        steps = whole_number("cg_steps", self.cg_steps, 1)
        return PuAlsSolver(
            network,
            whole_number("rank", rank, 1, network.n_nodes),
            real_number("rho", rho, 0.0, 1.0),
            real_number("lam", lam, 0.0, _MOST_RIDGE),
            None if exact else steps,
            np.float64 if exact else np.float32,
            workers,
            choice("start", self.start, STARTS) == "spectral",
        )

    def _cost(self, network: Network) -> Cost:
        solver = self._solver(network, 1)
        rounds = whole_number("max_iter", self.max_iter, 1) * (1 + (solver.cg_steps or 10))
        n_starts = whole_number("n_starts", self.n_starts, 1, multistart.MOST_STARTS)
        steps = n_starts * multistart.idle_factor(n_starts) * rounds
        fit = steps * _ROUND * sweep(network, solver.rank)
        held = 4.0 * _ARRAYS * n_starts * network.n_nodes * solver.rank
        return Cost(fit, factor_scores(network, n_starts * solver.rank), held)

    def _factor_form(self) -> Form:
        W, H = (np.concatenate(list(self.learned_.arrays[name]), axis=1) for name in "WH")
        half = 0.5 / self.n_starts
        return Form.plain(half * np.hstack([W, H]), np.hstack([H, W]))

    def _factor_pair(self) -> FactorPair:
        ((left, right, _),) = self._factor_form().layers
        return FactorPair(left, right, exact=True)

    def _scores(self) -> BilinearScores:
        _, learned = self._state()
        return BilinearScores(learned.arrays["W"], learned.arrays["H"])


@dataclass(eq=False, kw_only=True)
class NuclearDegree(ScoredPredictor):
    """Nuclear norm + degree prior: the paper's constrained estimator, by penalties or by bounds.

    By penalties (default) X̂ minimises L(X; Ω) + μ·‖X‖_* + λ·S_H(X, c·d, α) over symmetric X with
    entries in [0, 1]. The facts of a fit hold its t = ‖X̂‖_* (`trace_norm`) and r = S_H(X̂, d′, α)
    (`prior`), for which it is a candidate of the constrained problem too.

    By bounds it minimises L(X; Ω), and what penalty is left, under ‖X‖_* ≤ t (`trace`) or
    S_H(X, d′, α) ≤ r (`prior_bound`) or both, as the paper states it. X̂ meets the bounds; that it
    is the best can be said only without prior, as S_H is concave. The facts then also hold the
    bounds given, whether X̂ is `feasible` (to one part in a million), which bounds are `active`,
    the penalties `mu` and `lam` that they amount to, and the factor that took X̂ inside
    (`scaled_by`, at most 1, and close to it where the fit has settled).

    In either form `theory.recovery_bound(trace=facts["trace_norm"], prior=facts["prior"], …)` is
    the theorem's bound for the fit; by bounds, t and r themselves are `facts["trace"]` and
    `facts["prior_bound"]`.

    Parameters
    ----------
    rho
        Share ρ: weight 1 − ρ/2 on edges, ρ/2 elsewhere.
    mu
        Weight μ of the nuclear norm; None means 4, or two thirds of the square root of the largest
        degree where that is smaller.
    lam
        Weight λ of the prior in the estimate. It acts like an ℓ1 penalty there: keep it small. Not
        used where `prior_bound` is given.
    trace
        Bound t > 0 on the nuclear norm of X̂, in place of the penalty μ: `mu` must be None then.
    prior_bound
        Bound r > 0 on the prior S_H(X̂, d′, α), in place of the penalty λ.
    alpha, c, n_edges, list_size, H, degrees
        The prior S_H(X, c·d, α), as in tri-degree.
    tau
        Strength of the prior when ranking by "q"; the part λ/η has in tri-degree.
    rank_by
        "q": Q = A − τ·½(B + Bᵀ), the prox of the prior over the low-rank copy A of X̂, before
        clipping (default); "x": X̂ itself.
    eta
        ADMM's η; it changes how fast the estimate is reached. Where bounds or penalties are tight
        and the status is "max_iter", 3 to 10 may do better.
    max_iter, tol
        Steps at most; and what residuals and relative change must fall below to stop earlier.
    seed
        For the start of the search for eigenvalues; it hardly matters.
    """

    name = "nuclear-degree"
    summary_line = "nuclear norm + degree prior, best up to about 3,000 nodes"
    search_space = {
        "rho": Axis(0.005, 0.5, (0.02, 0.05, 0.2)),
        "mu": Axis(
            0.1,
            3.0,
            (0.5, 1.0, 1.5),
            none_is=lambda network: 2.0 * default_ridge(network),
            relative=True,
            unless="trace",
        ),
        "lam": Axis(1e-4, 0.02, (3e-4, 1e-3, 5e-3), unless="prior_bound"),
        "alpha": ALPHA,
        "c": C,
        "tau": TAU,
    }
    scores_pairs_alone = True
    score_time = {"entries": PICK}
    fit_bytes = {"entries": 85.0}
    supports = WEIGHTS | NEGATIVES | ISOLATED
    rho: float = 0.05
    mu: float | None = None
    lam: float = 0.001
    trace: float | None = None
    prior_bound: float | None = None
    alpha: float = 0.5
    c: float = 1.0
    n_edges: Edges = None
    list_size: int = LIST_SIZE
    H: H_Like = "log"
    degrees: Degrees = "observed"
    tau: float = 1.0
    rank_by: str = "q"
    eta: float = 1.0
    max_iter: int = 100
    tol: float = 1e-3
    seed: int = 0

    def summary(self) -> list[str]:
        return multistart.convergence(self._state()[1].facts)

    def without_prior(self) -> NuclearDegree:
        changed = {"lam": 0.0, "tau": 0.0, "prior_bound": None}
        return NuclearDegree(**{**self.get_params(), **changed})

    def _fit(self, network: Network) -> Learned:
        solver = self._solver(network)
        max_iter = whole_number("max_iter", self.max_iter, 1)
        tol = real_number("tol", self.tol, 0.0, low_open=False)
        rng = np.random.default_rng(whole_number("seed", self.seed, 0, multistart.SEED_LIMIT))
        with progress.stage("fitting nuclear-degree", max_iter + _AFTER):
            with progress.part(max_iter):
                solution = solve(solver, rng, max_iter, tol)
            X, facts = _estimate(network, solver, solution)
            A, prior = solution.state.Y, solver.prior
            scale, profile = prior.scale(np.zeros(len(A))), prior.profile(len(A) - 1)
            Q = mm_passes(A, float(self.tau) * scale, profile, PASSES)
            return Learned({"X": X, "A": A, "Q": Q}, facts)

    def _cost(self, network: Network) -> Cost:
        self._solver(network)  # refuses parameters out of range
        steps = whole_number("max_iter", self.max_iter, 1) + _AFTER
        fit = amount({"cubes_alone": 0.025 * steps}, network)
        return replace(super()._cost(network), fit=fit)

    def _solver(self, network: Network) -> NuclearSolver:
        """Check the parameters and the size of the network."""
        if network.n_nodes > LARGEST_NUCLEAR:
            raise InputError(
                f"nuclear-degree holds matrices of all pairs: expected at most {LARGEST_NUCLEAR} "
                f"nodes, got {network.n_nodes}; use tri-degree or pu for larger networks"
            )
        choice("rank_by", self.rank_by, ["q", "x"])
        real_number("tau", self.tau, 0.0, low_open=False)
        lam = real_number("lam", self.lam, 0.0, low_open=False)
        mu = 0.0  # a bound on the norm leaves no penalty
        if self.trace is None:
            mu = 2.0 * default_ridge(network) if self.mu is None else self.mu
            mu = real_number("mu", mu, 0.0, low_open=False)
        elif self.mu is not None:
            raise ParameterError(
                "mu must not be given together with trace, the bound that replaces this penalty; "
                f"got mu={shown(self.mu)} and trace={shown(self.trace)}"
            )
        return NuclearSolver(
            network,
            prior_of(self, network),
            real_number("rho", self.rho, 0.0, 1.0),
            mu,
            lam if self.prior_bound is None else 0.0,
            real_number("eta", self.eta, _LEAST_ETA),
            trace=_bound("trace", self.trace),
            prior_bound=_bound("prior_bound", self.prior_bound),
        )

    def _scores(self) -> DenseScores:
        return DenseScores(self._state()[1].arrays[self.rank_by.upper()])

    def _base(self, pairs: Ints) -> Array:
        return DenseScores(self.learned_.arrays["A" if self.rank_by == "q" else "X"]).at(pairs)


def _estimate(
    network: Network, solver: NuclearSolver, solution: Solution[NuclearState]
) -> tuple[Array, dict[str, Any]]:
    """Return X̂, and t, r and the objective at X̂ itself, not at the solver's two copies.

    X is scaled down into the bounds, where the two copies do not quite agree: norm and prior are
    proportional to X, and the box holds with X all that is smaller.
    """
    last, state, prior = solution.history[-1], solution.state, solver.prior
    X, scaled_by = state.X, 1.0
    bounds = {"trace": solver.trace, "prior_bound": solver.prior_bound}

    def measured() -> dict[str, float]:
        # NumPy's, as SciPy's would hold the GIL, and with it Ctrl-C, for as long as it takes.
        norm = float(np.abs(np.linalg.eigvalsh(X.astype(np.float64))).sum())
        value = degree_prior(X, prior.degrees, prior.alpha, prior.H)
        return {"trace": norm, "prior_bound": value}

    def exceeded(share: float) -> list[float]:
        """Return bound / reached for each bound that is exceeded by more than a share of it."""
        return [
            bound / reached[name]
            for name, bound in bounds.items()
            if bound is not None and reached[name] > bound * (1.0 + share)
        ]

    reached = measured()
    if too_much := exceeded(0.0):
        scaled_by = min(too_much)
        X = X * X.dtype.type(scaled_by)
        reached = measured()
    norm, value = reached["trace"], reached["prior_bound"]
    facts: dict[str, Any] = {
        "status": solution.status,
        "n_iter": solution.n_iter,
        "objective": pu_loss(X, network, solver.rho) + solver.mu * norm + solver.lam * value,
        "trace_norm": norm,
        "prior": value,
        "rank": len(state.spectrum),
        "primal": last.primal,
        "dual": last.dual,
    }
    if solver.trace is not None or solver.prior_bound is not None:
        prices = {"trace": state.theta, "prior_bound": state.nu}
        facts |= {
            **bounds,
            "feasible": not exceeded(FEASIBLE),
            "active": [name for name, b in bounds.items() if b is not None and prices[name] > 0.0],
            "mu": state.theta * solver.eta,  # the penalties that stand for the bounds
            "lam": state.nu,
            "scaled_by": scaled_by,
        }
    return X, facts


def _bound(name: str, value: float | None) -> float | None:
    """Check a bound: only X = 0 would meet one of 0."""
    return None if value is None else real_number(name, value, 0.0)
