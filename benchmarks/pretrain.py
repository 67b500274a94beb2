"""Learn the weights that ship with `auto`, over many networks: python -m benchmarks.pretrain.

Of the OLP corpus those networks whose number is divisible by 4, without those that are one of the
benchmark's or share most of their edges with one. Each is hidden a tenth at a time, as `auto` does
it; one logistic regression over the pairs of all of them, in which weights depend on what the
network is like (`stack.describe`), gives the mean of the prior. `--check` leaves families of
networks out in turn and says how good weights learned on the others are, for some precisions.
"""

from __future__ import annotations

import argparse
import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import data
from linkprior import parallel
from linkprior.network import Network
from linkprior.predictors.auto import holdout as ho
from linkprior.predictors.auto import stack
from linkprior.predictors.auto.auto import OTHERS
from linkprior.predictors.auto.features import CONSTANT, fit_sources
from linkprior.predictors.auto.regression import Regression
from linkprior.predictors.auto.sources import choose

OUT = Path(__file__).parents[1] / "src/linkprior/predictors/auto/prior_stack.json"
# One of the benchmark's networks, or most of its edges in one: yeast, literature and Y2H (BioGRID,
# Yeast), airports (USAir).
SHARED = {364: "Reguly, yeast", 376: "US airports", 388: "Yu, yeast"}
HOLD_OUTS, HIDDEN, SEED = 10, 0.1, 0
MOST_NODES, MOST_ROWS = 1_700, 5_000  # larger networks take too long; rows of a network, at most
MOST_HITS = 150  # hidden edges of one network that count
PRECISION = {
    "linear": 15.0,
    "bent": 6000.0,
    "crossed": 150.0,
    "with degrees": 2000.0,
    "with level": 500.0,
    "by node": 500.0,
    "degrees": 30.0,
    "intercept": 0.1,
}
VARYING = ("linear", "bent", "degrees", "intercept")  # with what the network is like
RIDGE, LIKE_RIDGE = 1.0, 3.0  # of the common weights, and of those that depend on the network
FOLDS = 5


@dataclass(frozen=True)
class Case:
    """One network of the corpus: samples of it at 80 % observed, and what was hidden."""

    number: int
    family: str
    digest: str
    network: Network  # what is left
    labels: tuple[str, ...]
    samples: list[ho.Sample]
    test: ho.Sample


def numbers() -> list[int]:
    """Return the numbers of the networks to learn from."""
    return [n for n in data.olp_members() if n % 4 == 0 and n not in SHARED]


def family(name: str) -> str:
    """Return what networks of one source have in common in their names."""
    return re.sub(r"[\d\-]+", "", name.partition("_")[2])[:14]


def sample_of(network: Network, holdout: ho.HoldOut, effort: str, seed: int) -> Any:
    """Return the labels of the usable sources and the sample of a hold-out."""
    sources = choose(network, effort).sources
    blocks = parallel.blocks(network.n_nodes)
    features, reasons = fit_sources(holdout.train, sources, seed, blocks, hold=True)
    features = features.without([x for x, why in reasons.items() if why == CONSTANT])
    return features.labels, ho.draw(features, holdout, OTHERS, [seed, 1])


def case(asked: tuple[int, str, bool]) -> Case | None:
    """Hide edges of one network and fit all sources; None where it is too small or too large."""
    number, effort, whole = asked
    network, name = data.network(f"olp/{number}"), Path(data.olp_members()[number]).stem
    if network.n_nodes > MOST_NODES:
        return None
    with parallel.use_workers(1), parallel.one_blas_thread():
        draws = np.random.default_rng([SEED, number]).random(network.n_edges)
        outer = ho.hide(network, 0.2, draws)
        left = network if whole else outer.train
        labels, test = sample_of(network, outer, effort, SEED)
        made = [(labels, test)]
        for at in range(HOLD_OUTS):
            one = ho.hold_out(left, HIDDEN, SEED, at)
            if len(one.hidden):
                made.append(sample_of(left, one, effort, at))
        if len(made) < 2 or ho.joining_share([outer]) > ho.MOST_JOINING:
            return None
    common = tuple(x for x in labels if all(x in names for names, _ in made))
    parts = [s.without([at for at, x in enumerate(n) if x not in common]) for n, s in made]
    digest = left.digest
    return Case(number, family(name) or name[-24:-12], digest, left, common, parts[1:], parts[0])


@dataclass(frozen=True)
class Rows:
    """The terms of one case among all columns, with what belongs to each row."""

    X: Any
    y: Any
    weight: Any
    like: Any


def rows_of(one: Case, names: Sequence[str]) -> Rows:
    """Return the rows of a case to learn the prior from."""
    rng, own = np.random.default_rng([SEED, one.number]), stack.columns(one.labels)
    place = [names.index(name) for name in own]
    total = sum(int((~s.y).sum()) for s in one.samples)
    share = min(1.0, MOST_ROWS / max(1, total))  # of those that are no hidden edges
    parts = []
    for s in one.samples:
        rows = s.y | (rng.random(len(s.y)) < share)
        X = np.zeros((int(rows.sum()), len(names)), np.float32)
        X[:, place] = stack.terms(s, one.labels, rows)
        weight = np.where(s.y, s.weight, s.weight / share)[rows]
        parts.append((X, s.y[rows].astype(float), weight))
    X, y, weight = (np.concatenate(part) for part in zip(*parts, strict=True))
    return Rows(X, y, weight, stack.describe(one.network))


def pooled(
    cases: Sequence[Case], rows: Sequence[Rows], names: Sequence[str]
) -> tuple[Any, Any, Any]:
    """Return centre and scale of all terms, and their means (terms, numbers about the network)."""
    every = np.concatenate([one.X for one in rows])
    centre, scale = every.mean(axis=0, dtype=np.float64), every.std(axis=0, dtype=np.float64)
    scale[scale < 1e-6] = 1.0
    centre[-1], scale[-1] = 0.0, 1.0
    # Which nodes a model overestimates differs too much between networks: those means are zero.
    own = np.array([stack.kind_of(name) in ("by node", "with level") for name in names])
    centre[own] = 0.0
    del every
    size = Counter(one.family for one in cases)
    # Weights of products are the same on all networks, but for how far they fade.
    varies = np.array([stack.kind_of(name) in VARYING for name in names])
    parts, weights = [], []
    for one, by in zip(cases, rows, strict=True):
        X = np.where(own, 0.0, (by.X - centre) / scale).astype(np.float32)
        more = [X[:, varies] * np.float32(value) for value in by.like[1:]]
        parts.append(np.concatenate([X, *more], axis=1))
        few = min(1.0, MOST_HITS / max(1.0, by.y.sum()))
        weights.append(by.weight * few / np.sqrt(size[one.family]))
    X, weight = np.concatenate(parts), np.concatenate(weights)
    del parts
    y, n = np.concatenate([by.y for by in rows]), len(names)
    precision = np.full(X.shape[1], LIKE_RIDGE)
    precision[:n] = RIDGE
    precision[n - 1] = 1e-6
    problem = Regression(X, y, weight, np.zeros(len(precision)), precision)
    beta, _ = problem.solve(most=len(X))  # the exact curvature: terms are many
    mean = np.zeros((n, len(rows[0].like)))
    mean[:, 0], mean[varies, 1:] = beta[:n], beta[n:].reshape(-1, int(varies.sum())).T
    return centre, scale, mean


def check(cases: Sequence[Case], names: Sequence[str]) -> Iterator[str]:
    """Yield how good the prior is on families of networks it was not learned from."""
    families = sorted({one.family for one in cases})
    fold = {name: at % FOLDS for at, name in enumerate(families)}
    rows = [rows_of(one, names) for one in cases]
    plans = {
        "prior alone": 1e9, "λ × 10": 10.0, "λ × 3": 3.0, "λ": 1.0, "λ / 3": 1 / 3, "λ / 10": 0.1,
    }  # fmt: skip
    found: dict[str, list[Any]] = {}
    for left_out in range(FOLDS):
        use = [at for at, one in enumerate(cases) if fold[one.family] != left_out]
        centre, scale, mean = pooled([cases[at] for at in use], [rows[at] for at in use], names)
        for one in [one for one in cases if fold[one.family] == left_out]:
            own = stack.columns(one.labels)
            place = [names.index(name) for name in own]
            fading = stack.FADES / (stack.FADES + one.network.n_edges)
            like = fading * (mean[place] @ stack.describe(one.network))
            kinds = np.array([PRECISION[stack.kind_of(name)] for name in own])
            few = one.network.n_edges < 300
            best = max(
                ho.average_precision(one.test.U[:, at], one.test) for at in range(len(one.labels))
            )
            for plan, factor in plans.items():
                p = np.where(np.array(own) == stack.INTERCEPT, kinds, kinds * factor)
                prior = stack.Prior(centre[place], scale[place], like, p, like)
                fit = stack.learn(one.samples, one.labels, prior, SEED, 1.0).stack
                z = fit.of_terms(stack.terms(one.test, one.labels))
                value = ho.average_precision(z, one.test)
                halves = []
                for half in (one.samples[::2], one.samples[1::2]):
                    part = stack.learn(half, one.labels, prior, SEED, 0.5).stack
                    log_odds = part.of_terms(stack.terms(one.test, one.labels))
                    halves.append(set(np.argsort(-log_odds)[:100].tolist()))
                kept = len(halves[0] & halves[1]) / 100
                found.setdefault(plan, []).append(
                    (few, value, ho.area(z, one.test), value >= 0.95 * best, kept, best)
                )
    for plan, values in found.items():
        v = np.array(values, float)
        small = v[:, 0] > 0
        for what, of in (("all", v), ("below 300 edges", v[small])):
            _, ap, area, near, kept, best = of.mean(axis=0)
            yield (
                f"{plan}, {what}: AUPRC {ap:.4f} (best source {best:.4f}), AUROC {area:.4f}, "
                f"within 5 % of the best {near:.2f}, kept by half of the hold-outs {kept:.3f}"
            )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="leave families out in turn")
    parser.add_argument("--effort", default="normal,fast", help="which of the two to learn")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--out", type=Path, default=OUT)
    given = parser.parse_args()
    stored = json.loads(OUT.read_text("utf-8")) if OUT.exists() else {"weights": {}}
    for effort in given.effort.split(","):
        asked = [(number, effort, not given.check) for number in numbers()]
        with ProcessPoolExecutor(given.workers) as pool:
            cases = [one for one in pool.map(case, asked) if one is not None]
        order = [s.label for s in choose(cases[0].network, effort).sources]
        names = stack.columns(order)
        print(f"{effort}: {len(cases)} networks, {len(names)} terms", flush=True)
        if given.check:
            print("\n".join(check(cases, names)), flush=True)
            continue
        centre, scale, mean = pooled(cases, [rows_of(one, names) for one in cases], names)
        stored["weights"][effort] = {
            name: {"centre": _short(c), "scale": _short(s), "mean": [_short(v) for v in m]}
            for name, c, s, m in zip(names, centre, scale, mean, strict=True)
        }
        digests = "".join(f"{one.number} {one.digest}\n" for one in cases)
        stored |= {
            "from": "Optimal Link Prediction corpus, numbers divisible by 4 without "
            f"{', '.join(map(str, SHARED))}, up to {MOST_NODES:,} nodes, with cycles",
            "command": "python -m benchmarks.pretrain",
            "networks": [one.number for one in cases],
            "digest": sha256(digests.encode()).hexdigest(),
            "seed": SEED,
        }
    if not given.check:
        stored["precision"] = PRECISION
        given.out.write_text(json.dumps(stored, indent=1) + "\n", "utf-8")


def _short(value: float) -> float:
    return float(f"{value:.5g}")


if __name__ == "__main__":
    main()
