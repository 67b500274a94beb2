"""What the recovery bound says about a real fit."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.studies_base import RULE, Array, Numbers, Study, network_facts
from benchmarks.studies_drawing import tidy
from linkprior.evaluation import splits
from linkprior.evaluation.splits import Split
from linkprior.experiments import paper
from linkprior.model.bounds import loss_minimiser
from linkprior.network import Network
from linkprior.predictors.registry import make
from linkprior.theory import degree_prior, estimate_degrees, recovery_bound, recovery_error

DELTA = 0.05
DRAWS = 10  # of random signs
DEFAULT_RHO = make("nuclear-degree").get_params()["rho"]


def run_bound(folder: Path) -> Numbers:
    """Put t and r of fitted networks into the bound, beside the error that was made."""
    older, newer = (paper.rat(folder, version) for version in ("3.1.94", "3.2.104"))
    cases = {
        "DREAM5, uniform 90 %": splits.uniform(paper.dream5(folder), 0.9, 0, RULE),
        "rat 3.1.94 → 3.2.104": splits.release(older, newer, RULE),
    }
    return {
        "parameters": {**make("nuclear-degree").get_params(), "delta": DELTA, "C": 1.0, "seed": 0},
        "training networks": network_facts({title: s.train for title, s in cases.items()}),
        "cases": {title: bound_on(split) for title, split in cases.items()},
    }


def bound_on(split: Split) -> Numbers:
    """Judge two fits: ρ as the theorem has it (the share seen), and the default for ranking."""
    true = Network.from_indices(
        np.concatenate([split.train.edges, split.hidden]), split.train.names
    )
    share = split.train.n_edges / true.n_edges
    fits = {"ρ = share seen": share, f"ρ = {DEFAULT_RHO:g} (default)": DEFAULT_RHO}
    return {
        "share seen": round(share, 6),
        "all ordered pairs": true.n_nodes * (true.n_nodes - 1),
        "s": 2 * true.n_edges,
        "C of this network": round(latala_constant(true), 6),
        "fits": {name: fit_and_bound(split.train, true, rho) for name, rho in fits.items()},
    }


def fit_and_bound(train: Network, true: Network, rho: float) -> Numbers:
    """Fit nuclear-degree with ρ and evaluate the theorem at the same ρ."""
    model = make("nuclear-degree", rho=rho).fit(train)
    X, facts = model.learned_.arrays["X"], model.learned_.facts
    alpha, degrees = model.get_params()["alpha"], estimate_degrees(train)
    best, q, dense = loss_minimiser(rho), charitable_threshold(rho), true.adjacency.toarray()
    spectrum = np.abs(np.linalg.eigvalsh(dense.astype(np.float64))).sum()
    classes = {
        "of the fit": (facts["trace_norm"], facts["prior"]),
        "least that the proof covers": (
            best * spectrum,
            best * degree_prior(dense, degrees, alpha),
        ),
    }
    common = {
        "rho": rho, "q": q, "n_edges": true.n_edges, "d_max_true": int(true.degrees.max()),
        "d_max": int(degrees.max()), "alpha": alpha, "delta": DELTA,
    }  # fmt: skip
    return {
        "rho": rho,
        "q": q,
        "status": facts["status"],
        "error at q": recovery_error(X, true, q),
        "error at the best threshold": best_error(X, dense),
        "any fit": round(2 * true.n_edges * (1 + (2 - rho) / (rho * q * q)), 1),
        "bounds": {name: one_bound(t, r, common) for name, (t, r) in classes.items()},
    }


def one_bound(t: float, r: float, common: dict[str, Any]) -> Numbers:
    """Return the bound, its pieces, and the C at which it would fall below s."""
    bound = recovery_bound(trace=t, prior=r, **common)
    s = 2 * common["n_edges"]
    outer = 4 * bound.gamma * (2 - common["rho"]) / common["rho"]
    chance = math.sqrt(s * math.log(2 / DELTA) / 2)
    room = (s / outer - chance) / 2  # what min(A, B) may be at most
    return {
        "t": t,
        "r": r,
        "gamma": bound.gamma,
        "A": bound.A,
        "B": bound.B,
        "active": bound.active,
        "bound": float(bound),
        "bound / s": round(float(bound) / s, 3),
        "term without A or B": outer * chance,
        "C that bites": room / bound.A if room > 0 else None,
    }


def charitable_threshold(rho: float) -> float:
    """Return the q at which γ, and with it the bound, is smallest: both its terms are equal."""
    steep = math.sqrt(3 - 2 * rho)
    return float(loss_minimiser(rho) * steep / (1 + steep))


def best_error(X: Array, edges: Array) -> int:
    """Return the fewest ordered mistakes that any threshold makes."""
    i, j = np.triu_indices(len(X), 1)
    scores, hit = X[i, j], edges[i, j] != 0
    order = np.argsort(-scores, kind="stable")
    gained = np.cumsum(np.where(hit[order], -1, 1))
    last = np.concatenate([np.diff(scores[order]) != 0, [True]])  # ties fall together
    return int(2 * (hit.sum() + min(0, gained[last].min())))


def latala_constant(true: Network) -> float:
    """Return the C that this network alone asks for: E‖P‖₂ / (2√d*_max + s^¼), P random signs."""
    from scipy.sparse.linalg import svds

    rng = np.random.default_rng(0)
    signs = true.adjacency.astype(np.float64).copy()
    norms = []
    for _ in range(DRAWS):
        signs.data = rng.choice([-1.0, 1.0], len(signs.data))
        start = np.ones(true.n_nodes)
        norms.append(svds(signs, k=1, v0=start, return_singular_vectors=False)[0])
    reach = 2 * math.sqrt(true.degrees.max()) + (2 * true.n_edges) ** 0.25
    return float(np.mean(norms) / reach)


def draw_bound(drawing: Any, numbers: Numbers) -> None:
    """Draw, on one logarithmic axis per fit, the errors made and the bounds on them."""
    rows = [
        (f"{title}\n{name}", case, fit)
        for title, case in numbers["cases"].items()
        for name, fit in case["fits"].items()
    ]
    axes = drawing.subplots()
    looks = {
        "error made, best threshold": ("o", "#d55e00"),
        "predict nothing: s errors": ("|", "#000000"),
        "error made at q": ("D", "#e69f00"),
        "whatever fits no worse than 0": ("s", "#009e73"),
        "all ordered pairs": ("|", "#999999"),
        "the bound, t and r of the fit, C = 1": (">", "#0072b2"),
        "the bound, t and r as the proof needs": (">", "#56b4e9"),
    }
    for place, (_, case, fit) in enumerate(rows[::-1]):
        bounds = [one["bound"] for one in fit["bounds"].values()]
        values = [fit["error at the best threshold"], case["s"], fit["error at q"], fit["any fit"],
                  case["all ordered pairs"], *bounds]  # fmt: skip
        axes.plot([min(values), max(values)], [place] * 2, color="#dddddd", linewidth=1, zorder=1)
        for (label, (marker, colour)), value in zip(looks.items(), values, strict=True):
            axes.plot(value, place, marker, color=colour, markersize=11 if marker == "|" else 7,
                      markeredgewidth=2.5 if marker == "|" else 0,
                      linestyle="", label=label if place == 0 else None)  # fmt: skip
    axes.set_xscale("log")
    axes.set_yticks(range(len(rows)), [row[0] for row in rows[::-1]])
    axes.set_ylim(-0.6, len(rows) - 0.4)
    tidy(axes, "", "ordered pairs predicted wrongly (each edge counts twice)", grid="x")
    handles, labels = axes.get_legend_handles_labels()
    drawing.legend(handles, labels, loc="outside lower center", ncols=4, frameon=False)


STUDIES = (
    Study(
        "bound",
        "What does the paper's recovery bound say about a fitted network?",
        run_bound,
        draw_bound,
        (10.5, 4.2),
    ),
)
