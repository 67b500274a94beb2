"""Studies of degrees: those of the best pairs, of predictions, and what the recovery bound says."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse.linalg import svds
from scipy.stats import ks_2samp

from benchmarks import studies_base as base
from benchmarks.studies_base import Array, Numbers
from linkprior.evaluation import splits
from linkprior.evaluation.splits import Split
from linkprior.experiments import paper
from linkprior.model.bounds import loss_minimiser
from linkprior.network import Network
from linkprior.network import pairs as pr
from linkprior.predictors.base import LinkPredictor
from linkprior.predictors.registry import make
from linkprior.predictors.scores import FactorScores
from linkprior.theory import degree_prior, estimate_degrees, recovery_bound, recovery_error

# ---------------------------------------------------------------------- alpha

ALPHAS = (0.0, 0.25, 0.5, 1.0, 2.0, 4.0)
ALMOST_ZERO = 1e-6  # α must be positive; in this limit the prior is the ℓ1 norm


def run_alpha(folder: Path) -> Numbers:
    """Do the K best pairs get the degrees given to the prior, the more so the larger α?

    As in Theorem `property` the K best of *all* pairs are taken, observed edges where their own
    scores put them, and d′ is estimated for a network of K edges.
    """
    case = base.sampled(base.DREAM_90, paper.dream5(folder), 0.9)
    train = case.splits[0].train
    sizes = {"K = observed edges": train.n_edges, "K = 5 % of all pairs": base.five_percent(train)}

    def on(alpha: float, k: int) -> Numbers:
        found: Numbers = {"q": [], "factors": []}
        for seed, given in case.seeded:
            split = given.sorted()  # in the order of what is learned
            model = base.seeded("tri-degree", seed, alpha=alpha or ALMOST_ZERO, n_edges=k)
            learned = model.fit(split.train).learned_.arrays
            factors = FactorScores(learned["U"], learned["S"]).rows(0, split.train.n_nodes)
            q = learned["Q"] if alpha else factors  # where all ranks weigh the same: alike
            found["q"].append(agreement(q, split.train, k))
            found["factors"].append(agreement(factors, split.train, k))
        return found

    return {
        "parameters": base.tri_degree_parameters(),
        "training networks": base.network_facts([case]),
        "K": sizes,
        "agreement": {
            title: {f"{alpha:g}": on(alpha, k) for alpha in ALPHAS} for title, k in sizes.items()
        },
    }


def agreement(scores: Array, train: Network, k: int) -> Numbers:
    """Compare induced and given degrees: correlations, and the mean |log((a+1)/(b+1))|."""
    given = estimate_degrees(train, k)
    pairs, induced = base.top_degrees(scores, k)
    p = train.n_nodes
    seen = np.isin(pr.encode(pairs, p), pr.encode(train.edges, p))
    return {
        "spearman": base.spearman(induced, given),
        "pearson": round(float(np.corrcoef(induced, given)[0, 1]), 6),
        "log ratio": round(float(np.abs(np.log((induced + 1) / (given + 1))).mean()), 6),
        "largest induced": int(induced.max()),
        "largest given": int(given.max()),
        "nodes without": int((induced == 0).sum()),
        "observed edges among them": int(seen.sum()),
    }


# ---------------------------------------------------------------------- distributions


def run_distributions(folder: Path) -> Numbers:
    """Do predictions have the degrees of the hidden edges?

    K = number of hidden edges: prediction and truth then have the same sum of degrees, so that
    the distributions can be laid over each other. 5 % of all pairs, the paper's length, is some
    hundred times longer; its correlation is given too.
    """
    dream = base.sampled(base.DREAM_90, paper.dream5(folder), 0.9)
    cases = [dream, base.released(folder, *base.RELEASES[0])]

    def truth(split: Split) -> Numbers:
        """Describe the hidden edges' degrees; how well do observed degrees alone foretell them?"""
        hidden = base.degrees_of(split.hidden, split.train.n_nodes)
        agreed = base.spearman(split.train.degrees, hidden)
        return {**_shape(hidden), "spearman of observed degrees": agreed}

    return {
        "parameters": base.all_parameters(),
        "seeds": base.SEEDS,
        "rule": base.RULE,
        "training networks": base.network_facts(cases),
        "hidden": {c.title: len(c.splits[0].hidden) for c in cases},
        "truth": {c.title: [truth(split) for _, split in c.seeded] for c in cases},
        "methods": {
            c.title: {
                method: [
                    induced_by(base.seeded(name, seed).fit(split.train), split)
                    for seed, split in c.seeded
                ]
                for method, name in base.NAMES.items()
            }
            for c in cases
        },
    }


def induced_by(model: LinkPredictor, split: Split) -> Numbers:
    """Return the shape of the induced degrees and their correlations with true ones."""
    p, hidden = split.train.n_nodes, base.degrees_of(split.hidden, split.train.n_nodes)
    lengths = len(split.hidden), base.five_percent(split.train)
    best = model.predict_edges(max(lengths)).pairs
    short, long = (base.degrees_of(best[:k], p) for k in lengths)
    true = split.train.degrees + hidden
    _, whole = base.top_degrees(model.score_rows(0, p), int(true.sum()) // 2)
    return {
        **_shape(short),
        "at the node with most hidden edges": int(short[hidden.argmax()]),
        "spearman, K hidden": base.spearman(short, hidden),
        "spearman, 5 %": base.spearman(long, hidden),
        "spearman, whole network": base.spearman(whole, true),
        "ks": round(float(ks_2samp(short, hidden).statistic), 6),
    }


def _shape(degrees: pr.Ints) -> Numbers:
    """Return how many nodes have which degree, as two short lists."""
    values, counts = np.unique(degrees, return_counts=True)
    return {
        "degree": values.tolist(),
        "nodes": counts.tolist(),
        "largest": int(degrees.max()),
        "nodes touched": int((degrees > 0).sum()),
    }


def draw_distributions(drawing: Any, numbers: Numbers) -> None:
    """Draw how many nodes have at least so many predicted edges; and the correlations."""
    panels = drawing.subplots(2, 2, width_ratios=(1.5, 1.0))
    for row, title in zip(panels, numbers["methods"], strict=True):
        left, right = row
        for method in base.NAMES:
            left.step(*_tail(numbers["methods"][title][method]), where="post", **base.style(method))
        wide = {"color": "#555555", "linewidth": 6, "alpha": 0.3, "zorder": 1}
        left.step(*_tail(numbers["truth"][title]), where="post", label="hidden edges", **wide)
        left.set(xscale="log", yscale="log")
        base.tidy(left, title, "degree k in the K best pairs", "nodes with degree ≥ k")
        _draw_correlations(right, numbers["methods"][title])
    base.legend_below(drawing, panels[0, 0], 7)


def _tail(shapes: list[Numbers]) -> tuple[Array, Array]:
    """Return k and the mean number of nodes with degree at least k, k from 1 to the largest."""
    at = np.arange(1, max(one["largest"] for one in shapes) + 1)
    counts = [
        [sum(n for d, n in zip(one["degree"], one["nodes"], strict=True) if d >= k) for k in at]
        for one in shapes
    ]
    return at, np.maximum(np.mean(counts, axis=0), 1e-9)


def _draw_correlations(panel: Any, methods: Numbers) -> None:
    looks = {"spearman, K hidden": "o", "spearman, 5 %": "D", "spearman, whole network": "|"}
    names = list(methods)[::-1]
    for metric, marker in looks.items():
        for place, method in enumerate(names):
            values = [one[metric] for one in methods[method]]
            look = {"color": base.style(method)["color"], "markersize": 7}
            look["markeredgewidth"] = 2 if marker == "|" else 0
            panel.plot(base.mean(values), place, marker, **look)
    panel.set_yticks(range(len(names)), names)
    panel.set_xlim(0, 1)
    said = "● K hidden   ◆ 5 %   ❘ whole network"
    base.tidy(panel, "Spearman correlation with true degrees", said, grid="x")


# ---------------------------------------------------------------------- bound

DELTA = 0.05
DRAWS = 10  # of random signs
DEFAULT_RHO = make("nuclear-degree").get_params()["rho"]


def run_bound(folder: Path) -> Numbers:
    """What does the paper's recovery bound say about a fitted network?"""
    cases = {
        base.DREAM_90: splits.uniform(paper.dream5(folder), 0.9, 0, base.RULE),
        "rat 3.1.94 → 3.2.104": base.released(folder, *base.RELEASES[0]).splits[0],
    }
    return {
        "parameters": {**make("nuclear-degree").get_params(), "delta": DELTA, "C": 1.0, "seed": 0},
        "training networks": base.network_facts(cases),
        "cases": {title: bound_on(split) for title, split in cases.items()},
    }


def bound_on(split: Split) -> Numbers:
    """Judge two fits: ρ as the theorem has it (the share seen), and the default for ranking."""
    split = split.sorted()  # in the order of what is learned
    edges = np.concatenate([split.train.edges, split.hidden])
    true = Network.from_indices(edges, split.train.names)
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
    needed = best * spectrum, best * degree_prior(dense, degrees, alpha)
    classes = {
        "of the fit": (facts["trace_norm"], facts["prior"]),
        "least that the proof covers": needed,
    }
    common = {
        "rho": rho, "q": q, "n_edges": true.n_edges, "d_max_true": int(true.degrees.max()),
        "d_max": int(degrees.max()), "alpha": alpha, "delta": DELTA,
    }  # fmt: skip
    return {
        **{"rho": rho, "q": q, "status": facts["status"]},
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
    deviation = math.sqrt(s * math.log(2 / DELTA) / 2)
    room = (s / outer - deviation) / 2  # what min(A, B) may be at most
    return {
        **{"t": t, "r": r, "gamma": bound.gamma, "A": bound.A, "B": bound.B},
        **{"active": bound.active, "bound": float(bound)},
        "bound / s": round(float(bound) / s, 3),
        "term without A or B": outer * deviation,
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
    rng = np.random.default_rng(0)
    signs = true.adjacency.astype(np.float64).copy()
    norms = []
    for _ in range(DRAWS):
        signs.data = rng.choice([-1.0, 1.0], len(signs.data))
        start = np.ones(true.n_nodes)
        norms.append(svds(signs, k=1, v0=start, return_singular_vectors=False)[0])
    reach = 2 * math.sqrt(true.degrees.max()) + (2 * true.n_edges) ** 0.25
    return float(np.mean(norms) / reach)
