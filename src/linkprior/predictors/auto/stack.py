"""The stack: how the ranks that all sources give a pair become its log-odds.

The log-odds are a sum: of each source's feature, bent at two places, of products of features of
sources of different kinds, and of the two nodes' degrees. The weights are those under which the
hidden edges are likeliest, shrunk towards weights learned on many other networks (`Prior`): where
few edges can be hidden these decide, where many can, the network itself. The problem is convex and
no learner is chosen over another, so that hiding other edges changes little.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

import numpy as np
from scipy.special import expit

from linkprior import parallel
from linkprior.network import Network
from linkprior.predictors.auto.holdout import DEGREE_TERMS, Sample, degree_terms
from linkprior.predictors.auto.sources import BY_LABEL
from linkprior.predictors.base import Array

CLIP = 9.0  # features beyond which a better or worse rank makes no difference
BENDS = (-3.0, 0.0, 1.5, 3.0, 4.5)  # features at which their weights may change
CROSSED = ("pa", "ra", "l3", "l3n", "mps", "nmf64", "pu64", "dcsbm")  # one of each kind
INTERCEPT = "intercept"
FADES = 200.0  # edges of a network for which the means of other networks count half
MOST_NEGATIVES = 200_000  # pairs other than hidden edges to learn from; beyond, some stand for all
CHUNK = 4096  # rows at a time, which stay in a core's cache
STEPS, ENOUGH = 40, 1e-3  # of a search for weights, and the gain in likelihood that ends it


def columns(labels: Sequence[str]) -> list[str]:
    """Return the names of the terms of the sum."""
    bent = [f"{label} above {bend:g}" for bend in BENDS for label in _bent(labels)]
    crossed = [f"{a} and {b}" for a, b in _crossed(labels)]
    by_node = [f"{label} by node" for label in _bent(labels)]
    return [*labels, *bent, *crossed, *by_node, *DEGREE_TERMS, INTERCEPT]


def _bent(labels: Sequence[str]) -> list[str]:
    """Return the sources whose weight may change with the rank: few pairs are all that degrees say.

    A bend at the top of a ranking by degree would be learned from some pairs of two hubs.
    """
    return [label for label in labels if not BY_LABEL[label].by_degree]


def _crossed(labels: Sequence[str]) -> list[tuple[str, str]]:
    chosen = [label for label in labels if label in CROSSED]
    return [(a, b) for at, a in enumerate(chosen) for b in chosen[at + 1 :]]


class Described(NamedTuple):
    """What a `Sample` says of pairs."""

    U: Array
    N: Array
    D: Array


def terms(sample: Sample | Described, labels: Sequence[str], rows: Any = slice(None)) -> Array:
    """Return the terms (n, columns) of some pairs of a sample, as float32."""
    u, place = np.clip(sample.U[rows], -CLIP, CLIP), {label: at for at, label in enumerate(labels)}
    unequal = [place[label] for label in _bent(labels)]
    some = u[:, unequal]
    bent = [np.maximum(some - np.float32(bend), 0) for bend in BENDS]
    high = np.maximum(u - np.float32(BENDS[0]), 0)
    crossed = [high[:, place[a]] * high[:, place[b]] for a, b in _crossed(labels)]
    given = sample.N[rows][:, unequal], sample.D[rows], np.ones((len(u), 1), np.float32)
    parts = [u, *bent, *(one[:, None] for one in crossed), *given]
    return np.concatenate(parts, axis=1).astype(np.float32, copy=False)


# ---------------------------------------------------------------------- the prior


@dataclass(frozen=True)
class Prior:
    """Weights learned on other networks: their mean on a network like this, and how sure they are.

    Terms are standardized, by `centre` and `scale`; `precision` is the inverse variance of a weight
    between networks.
    """

    centre: Array
    scale: Array
    mean: Array
    precision: Array


def describe(network: Network) -> Array:
    """Return what the mean of the prior depends on: 1, and four numbers about the network."""
    k = network.degrees[network.degrees > 0].astype(np.float64)
    a = network.adjacency
    closed = float((a @ a).multiply(a).sum()) if len(k) else 0.0
    paths = float((k * (k - 1.0)).sum())
    numbers = [
        np.log10(max(1, network.n_edges)) - 2.8,
        2.0 * closed / paths - 0.4 if paths else -0.4,
        np.log(k.mean()) - 1.3,
        k.std() / k.mean() - 1.0,
    ]
    return np.r_[1.0, np.clip(numbers, -1.5, 1.5)]


@cache
def _stored() -> dict[str, Any]:
    text = files("linkprior.predictors.auto").joinpath("prior_stack.json").read_text("utf-8")
    stored: dict[str, Any] = json.loads(text)
    return stored


def prior_for(network: Network, labels: Sequence[str], effort: str) -> Prior:
    """Return the prior for a network and some sources; a term it does not know has mean zero.

    The more edges a network has, the nearer to zero the means are: what other networks have in
    common helps where little can be learned, and is in the way where much can.
    """
    stored = _stored()
    precision, names = stored["precision"], columns(labels)
    few = effort == "fast" or {*labels} <= stored["weights"]["fast"].keys()  # others would lack
    known, like = stored["weights"]["fast" if few else "normal"], describe(network)
    rows = [known.get(name, {"centre": 0.0, "scale": 1.0, "mean": [0.0] * 5}) for name in names]
    kinds = [precision[kind_of(name)] for name in names]
    fading = FADES / (FADES + network.n_edges)
    means = fading * (np.array([row["mean"] for row in rows]) @ like)
    centre, scale = (np.array([row[what] for row in rows]) for what in ("centre", "scale"))
    return Prior(centre, scale, means, np.array(kinds))


def kind_of(column: str) -> str:
    """Return the kind of a term, which has a precision of its own."""
    if column == INTERCEPT:
        return INTERCEPT
    if column in DEGREE_TERMS:
        return "degrees"
    if column.endswith(" by node"):
        return "by node"
    if " and " in column:
        return "crossed"
    return "bent" if " above " in column else "linear"


# ---------------------------------------------------------------------- learning


@dataclass(frozen=True)
class Regression:
    """A logistic regression whose weights are shrunk towards a mean."""

    X: Array
    y: Array
    weight: Array
    mean: Array
    precision: Array

    def expanded(self, beta: Array) -> tuple[float, Array]:
        """Return Σ w·(log(1 + e^z) − y·z) + ½ Σ precision·(β − mean)², and its slope."""
        off = beta - self.mean
        value, slope = 0.5 * float((self.precision * off**2).sum()), self.precision * off
        for rows in self._chunks():
            x, y, weight, z = self._rows(rows, beta)
            value += float((weight * (np.logaddexp(0.0, z) - y * z)).sum())
            slope += x.T @ (weight * (expit(z) - y)).astype(np.float32)
        return value, slope

    def curvature(self, beta: Array) -> Array:
        """Return the matrix of second derivatives."""
        out = np.diag(self.precision)
        for rows in self._chunks():
            x, _, weight, z = self._rows(rows, beta)
            p = expit(z)
            scaled = x * np.sqrt(weight * p * (1.0 - p)).astype(np.float32)[:, None]
            out += scaled.T @ scaled
        return out

    def solve(self) -> tuple[Array, Array]:
        """Return the likeliest weights and the curvature there, by Newton's method."""
        return self._descend(np.array(self.mean, dtype=np.float64), None)

    def near(self, beta: Array, curvature: Array) -> Array:
        """Return the likeliest weights, from those of almost the same problem."""
        return self._descend(beta, curvature)[0]

    def _descend(self, beta: Array, given: Array | None) -> tuple[Array, Array]:
        """Take steps, halved until the function no longer rises: it is convex."""
        now, slope = self.expanded(beta)
        curvature = self.curvature(beta) if given is None else given
        for _ in range(STEPS):
            step, length = np.linalg.solve(curvature, slope), 1.0
            while length > 1e-6:
                after, slope_after = self.expanded(beta - length * step)
                if after <= now:
                    break
                length *= 0.5
            else:
                break
            gain, beta = now - after, beta - length * step
            now, slope = after, slope_after
            curvature = self.curvature(beta) if given is None else given
            if gain <= ENOUGH:
                break
        return beta, curvature

    def _chunks(self) -> list[slice]:
        return [slice(start, start + CHUNK) for start in range(0, len(self.X), CHUNK)]

    def _rows(self, rows: slice, beta: Array) -> tuple[Array, Array, Array, Array]:
        """Return some rows of what is given, and their log-odds."""
        z = (self.X[rows] @ beta.astype(np.float32)).astype(np.float64)
        return self.X[rows], self.y[rows], self.weight[rows], z


@dataclass(frozen=True)
class Training:
    """The terms of all samples, standardized, with what belongs to each row."""

    X: Array
    y: Array
    weight: Array
    group: Array  # which sample it is of


def training(
    samples: Sequence[Sample],
    labels: Sequence[str],
    prior: Prior,
    seed: int,
    matched: bool = False,
) -> Training:
    """Gather samples to learn from; of very many pairs that are no hidden edges, a part."""
    rng, parts = np.random.default_rng([seed, 2]), []
    share = min(1.0, MOST_NEGATIVES / max(1, sum(int((~one.y).sum()) for one in samples)))
    for at, one in enumerate(samples):
        rows = one.y | (rng.random(len(one.y)) < share)
        X = (terms(one, labels, rows) - prior.centre) / prior.scale
        y = one.y[rows].astype(np.float64)
        given = one.matched_weight if matched else one.weight
        weight = np.where(one.y, given, given / share)[rows]
        parts.append((X.astype(np.float32), y, weight, np.full(len(y), at)))
    return Training(*(np.concatenate(part) for part in zip(*parts, strict=True)))


@dataclass(frozen=True)
class Stack:
    """How features become log-odds: weights of the terms as they are, and how sure they are."""

    labels: tuple[str, ...]
    weights: Array  # of `columns(labels)`
    covariance: Array

    def of_terms(self, X: Array) -> Array:
        """Return the log-odds of pairs from their terms."""
        return X.astype(np.float64) @ self.weights

    def spread(self, X: Array) -> Array:
        """Return the standard deviation of the log-odds, from that of the weights."""
        wide = X.astype(np.float64)
        return np.sqrt(np.maximum(0.0, np.einsum("ij,jk,ik->i", wide, self.covariance, wide)))

    def of_block(self, U: Array, a: Array, b: Array) -> Array:
        """Return the log-odds of a block from features (sources, rows, p), as float32.

        What `by_node` returns of either node is to be added.
        `a` and `b` are logarithms of the degrees of the rows' and of the columns' nodes.
        """
        by_name = dict(zip(columns(self.labels), self.weights.astype(np.float32), strict=True))
        total = np.full(U.shape[1:], by_name[INTERCEPT], np.float32)
        place = {label: at for at, label in enumerate(self.labels)}
        np.clip(U, -CLIP, CLIP, out=U)
        part = np.empty_like(total)
        for label, at in place.items():
            total += np.multiply(U[at], by_name[label], out=part)
        for bend in BENDS[1:]:
            for label in _bent(self.labels):
                np.maximum(U[place[label]] - np.float32(bend), 0, out=part)
                total += np.multiply(part, by_name[f"{label} above {bend:g}"], out=part)
        U -= np.float32(BENDS[0])
        np.maximum(U, 0, out=U)
        for label in _bent(self.labels):
            name = f"{label} above {BENDS[0]:g}"
            total += np.multiply(U[place[label]], by_name[name], out=part)
        for one, other in _crossed(self.labels):
            np.multiply(U[place[one]], U[place[other]], out=part)
            total += np.multiply(part, by_name[f"{one} and {other}"], out=part)
        for name, term in zip(DEGREE_TERMS, degree_terms(a[:, None], b), strict=True):
            total += np.multiply(term, by_name[name], out=part)
        return total

    def by_node(self, levels: Array) -> Array:
        """Return what each node adds to the log-odds of its pairs, from its levels."""
        by_name = dict(zip(columns(self.labels), self.weights, strict=True))
        weights = [by_name.get(f"{label} by node", 0.0) for label in self.labels]
        own: Array = (np.array(weights) @ levels).astype(np.float32)
        return own

    def on_device(self, tables: Sequence[Array], device: str) -> Any:
        """Return what does `of_block` from scores, on a device; `tables` are of all sources."""
        from linkprior.kernels.torch.stack import DeviceStack

        by_name = dict(zip(columns(self.labels), self.weights.tolist(), strict=True))
        place = {label: at for at, label in enumerate(self.labels)}
        sums: list[tuple[int, float | None, float]] = [
            (at, None, by_name[label]) for label, at in place.items()
        ]
        for bend in BENDS:
            for label in _bent(self.labels):
                sums.append((place[label], bend, by_name[f"{label} above {bend:g}"]))
        crossed = [
            (place[one], place[other], by_name[f"{one} and {other}"])
            for one, other in _crossed(self.labels)
        ]
        degrees = [by_name[name] for name in DEGREE_TERMS]
        return DeviceStack(
            tables, sums, crossed, degrees, degree_terms, by_name[INTERCEPT], BENDS[0], CLIP, device
        )

    def importance(self, X: Array) -> dict[str, float]:
        """Return each source's share in what tells pairs with these terms apart, largest first."""
        names = columns(self.labels)
        parts = X.astype(np.float64) * self.weights
        shares = dict.fromkeys([*self.labels, "degrees"], 0.0)
        sums = {label: np.zeros(len(X)) for label in shares}
        for at, name in enumerate(names):
            kind = kind_of(name)
            if kind == "crossed":
                for label in name.split(" and "):
                    sums[label] += 0.5 * parts[:, at]
            elif kind != INTERCEPT:
                label = name.partition(" above ")[0].removesuffix(" by node")
                sums["degrees" if kind == "degrees" else label] += parts[:, at]
        spreads = {label: float(one.std()) for label, one in sums.items()}
        whole = sum(spreads.values()) or 1.0
        return dict(sorted(((k, v / whole) for k, v in spreads.items()), key=lambda kv: -kv[1]))

    # ------------------------------------------------------------------ saving

    def arrays(self) -> dict[str, Array]:
        """Return the arrays to save."""
        return {"weights": self.weights, "covariance": self.covariance}

    @classmethod
    def restored(cls, labels: Sequence[str], arrays: Mapping[str, Array]) -> Stack:
        """Return a stack from what was saved of it."""
        return cls(tuple(labels), arrays["weights"], arrays["covariance"])


def raw(beta: Array, curvature: Array, labels: Sequence[str], prior: Prior) -> Stack:
    """Return the stack of weights of standardized terms."""
    weights, inverse = beta / prior.scale, np.linalg.inv(curvature)
    # The intercept takes in what centring took away.
    change = np.diag(1.0 / prior.scale)
    change[-1, :] -= prior.centre / prior.scale
    weights[-1] -= float((beta * prior.centre / prior.scale).sum())
    return Stack(tuple(labels), weights, change @ inverse @ change.T)


@dataclass(frozen=True)
class Learned:
    """What learning leaves: the stack, others that each lack some samples, and their log-odds."""

    stack: Stack
    others: list[Stack]
    crossed: list[Array]  # log-odds of each sample by a stack that did not see it

    @classmethod
    def of_prior(cls, labels: Sequence[str], prior: Prior) -> Learned:
        """Return the weights of the prior alone."""
        return cls(raw(prior.mean, np.diag(prior.precision), labels, prior), [], [])


GROUPS = 5  # into which hold-outs are put, to be left out in turn


def learn(
    samples: Sequence[Sample],
    labels: Sequence[str],
    prior: Prior,
    seed: int,
    rounds: float = 1.0,
    matched: bool = False,
) -> Learned:
    """Return the weights under which the hidden edges are likeliest, given the prior.

    `rounds` is how often each edge was hidden; that it was hidden again is no new evidence. With
    `matched` other pairs count in proportion to the product of their degrees.
    """
    if len(samples) == 1:  # both halves are judged by what was learned from the other one
        even = np.arange(len(samples[0].y)) % 2 == 0
        halves = learn(
            [samples[0].part(even), samples[0].part(~even)], labels, prior, seed, rounds, matched
        )
        crossed = np.empty(len(even))
        crossed[even], crossed[~even] = halves.crossed
        return Learned(halves.stack, halves.others, [crossed])
    data, n = training(samples, labels, prior, seed, matched), min(GROUPS, len(samples))
    weight = data.weight / max(1.0, rounds)
    prior_ = prior.mean, prior.precision
    beta, curvature = Regression(data.X, data.y, weight, *prior_).solve()

    def without(left_out: int) -> Stack:
        rows = data.group % n != left_out
        more = len(data.y) / max(1, rows.sum())
        rest = Regression(data.X[rows], data.y[rows], more * weight[rows], *prior_)
        return raw(rest.near(beta, curvature), curvature, labels, prior)

    others = list(parallel.map_tasks(without, range(n)))
    crossed_ = [others[at % n].of_terms(terms(one, labels)) for at, one in enumerate(samples)]
    return Learned(raw(beta, curvature, labels, prior), others, crossed_)
