"""What learns from samples: a linear model and boosted trees, stored as plain arrays."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from linkprior import kernels
from linkprior.errors import LinkpriorError
from linkprior.kernels import Trees
from linkprior.predictors.auto.sources import no_word_of_convergence
from linkprior.predictors.base import Array

KINDS = ("linear", "monotone", "free")
SINGLE = "single"  # the best feature alone, as log-odds
FEWEST = 10  # hidden edges without which there is nothing to learn
FEWEST_FOR_TREES = 100  # and without which trees would overfit
N_TREES, LEAVES, DEPTH, RATE = 80, 15, 5, 0.1
NEVER = np.finfo(np.float32).max  # a threshold no feature is above
_FOREST = Trees._fields


class Learner(Protocol):
    """Log-odds of pairs from their features."""

    def log_odds(self, X: Array, n_nodes: int) -> Array: ...

    def shares(self, X: Array) -> Array: ...

    def arrays(self) -> dict[str, Array]: ...


@dataclass(frozen=True)
class Linear:
    """Logistic regression; each feature counts the same everywhere."""

    weights: Array
    intercept: float

    def log_odds(self, X: Array, n_nodes: int) -> Array:
        """Return intercept + X·w."""
        return self.intercept + X @ self.weights

    def shares(self, X: Array) -> Array:
        """Return each feature's |w|·sd, as a part of the sum."""
        return _parts(np.abs(self.weights) * X.std(axis=0, dtype=np.float64))

    def arrays(self) -> dict[str, Array]:
        """Return the arrays to save."""
        return {"weights": self.weights, "intercept": np.array([self.intercept])}


@dataclass(frozen=True)
class Forest:
    """Boosted trees."""

    trees: Trees
    baseline: float
    gains: Array  # what the splits on each feature gained

    def log_odds(self, X: Array, n_nodes: int) -> Array:
        """Return the baseline and the leaves of all trees, added up."""
        return self.baseline + kernels.add_trees(X, self.trees, n_nodes)

    def shares(self, X: Array) -> Array:
        """Return what the splits on each feature gained, as a part of the sum."""
        return _parts(self.gains)

    def arrays(self) -> dict[str, Array]:
        """Return the arrays to save."""
        arrays = dict(zip(_FOREST, self.trees, strict=True))
        return {**arrays, "baseline": np.array([self.baseline]), "gains": self.gains}


def _parts(values: Array) -> Array:
    return values / (float(values.sum()) or 1.0)


def learner_from(arrays: Mapping[str, Array]) -> Learner:
    """Return a learner from what was saved of it."""
    if "weights" in arrays:
        return Linear(arrays["weights"], float(arrays["intercept"][0]))
    trees = Trees(*(arrays[name] for name in _FOREST))
    return Forest(trees, float(arrays["baseline"][0]), arrays["gains"])


def kinds_for(n_hidden: int) -> tuple[str, ...]:
    """Return the KINDS that so many hidden edges are enough for."""
    return KINDS if n_hidden >= FEWEST_FOR_TREES else KINDS[:1]


def learn(kind: str, X: Array, y: Array) -> Learner:
    """Return a learner of one of the KINDS."""
    if kind == "linear":
        return _linear(X, y)
    return _forest(X, y, monotone=kind == "monotone")


def learn_single(X: Array, y: Array, column: int) -> Linear:
    """Return the log-odds that one feature alone gives; more of it never counts against a pair."""
    alone = _linear(X[:, column : column + 1], y)
    weights = np.zeros(X.shape[1], np.float32)
    weights[column] = max(float(alone.weights[0]), 1e-3)
    return Linear(weights, alone.intercept)


def _linear(X: Array, y: Array) -> Linear:
    from sklearn.linear_model import LogisticRegression

    mean, sd = X.mean(axis=0, dtype=np.float64), X.std(axis=0, dtype=np.float64)
    sd = np.where(sd > 1e-6, sd, 1.0)  # a feature that never changes says nothing
    model = LogisticRegression(C=1.0, max_iter=300)
    with no_word_of_convergence():
        model.fit(((X - mean) / sd).astype(np.float32), y)
    weights = model.coef_[0].astype(np.float64) / sd
    return Linear(weights.astype(np.float32), float(model.intercept_[0] - weights @ mean))


def _forest(X: Array, y: Array, monotone: bool) -> Forest:
    """Grow trees; monotone ones never hold a better rank against a pair."""
    from sklearn.ensemble import HistGradientBoostingClassifier
    from threadpoolctl import threadpool_limits

    model = HistGradientBoostingClassifier(
        max_iter=N_TREES,
        learning_rate=RATE,
        max_leaf_nodes=LEAVES,
        max_depth=DEPTH,
        min_samples_leaf=int(np.clip(y.sum() // 10, 5, 50)),
        l2_regularization=5.0,
        monotonic_cst=[1] * X.shape[1] if monotone else None,
        early_stopping=False,
        random_state=0,
    )
    # Its threads wait for each other longer than they work, as soon as a core is shared.
    with threadpool_limits(1, user_api="openmp"):
        model.fit(X, y)
        expected = model.decision_function(X[:64])
    gains = np.zeros(X.shape[1])
    for (tree,) in model._predictors:
        inner = tree.nodes[tree.nodes["is_leaf"] == 0]
        np.add.at(gains, inner["feature_idx"], inner["gain"])
    baseline = float(np.ravel(model._baseline_prediction)[0])
    forest = Forest(_arrays_of(model), baseline, gains)
    _compare(forest, X[:64], expected)
    return forest


def _compare(forest: Forest, X: Array, expected: Array) -> None:
    """Refuse trees that a later scikit-learn may store in another way than we read them."""
    if not np.allclose(forest.log_odds(X, len(X)), expected, atol=1e-6):
        raise LinkpriorError(
            "this version of scikit-learn stores boosted trees in an unknown format; "
            "install another one (1.5 to 1.9 are supported)"
        )


def _arrays_of(model: Any) -> Trees:
    """Return scikit-learn's trees as arrays, so that they are saved without pickle."""
    trees, roots = [], [0]
    for (tree,) in model._predictors:
        trees.append(_side_by_side(tree.nodes, roots[-1]))
        roots.append(roots[-1] + len(tree.nodes))
    depths = [int(tree.nodes["depth"].max()) for (tree,) in model._predictors]
    nodes = [np.concatenate(part) for part in zip(*trees, strict=True)]
    return Trees(np.array(roots[:-1], np.int32), np.array(depths, np.int32), *nodes)


def _side_by_side(nodes: Any, first: int) -> tuple[Array, Array, Array, Array]:
    """Return split, threshold, left and value of a tree in an order where right follows left."""
    order = [0]
    for node in order:  # grows as it goes: level by level
        if not nodes["is_leaf"][node]:
            order += [int(nodes["left"][node]), int(nodes["right"][node])]
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    ordered = nodes[order]
    leaf = ordered["is_leaf"].astype(bool)
    return (
        np.where(leaf, 0, ordered["feature_idx"]).astype(np.int32),
        np.where(leaf, NEVER, _at_most(ordered["num_threshold"])).astype(np.float32),
        (first + np.where(leaf, np.arange(len(order)), place[ordered["left"]])).astype(np.int32),
        ordered["value"].astype(np.float64),
    )


def _at_most(thresholds: Array) -> Array:
    """Return the largest float32 numbers that are not above; features are compared as float32."""
    near = thresholds.astype(np.float32)
    return np.where(near > thresholds, np.nextafter(near, np.float32(-np.inf)), near)
