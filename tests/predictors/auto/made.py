"""Samples made by hand, for what learns from them."""

import numpy as np

from linkprior.predictors.auto.holdout import Sample


def sample(X, y, weight=None, product=None, top=None, hub=None):
    """Pairs with these features; without more, each stands for itself and none is near a top."""
    X, y = np.asarray(X, np.float32), np.asarray(y, bool)
    n = len(y)
    weight = np.ones(n) if weight is None else np.asarray(weight, float)
    return Sample(
        X=X if X.ndim == 2 else X[:, None],
        y=y,
        top=np.zeros(n, bool) if top is None else top,
        drawn=~y,
        weight=weight,
        degree_product=np.ones(n) if product is None else np.asarray(product, float),
        hub=np.arange(n) if hub is None else np.asarray(hub),
        n_pairs=int(weight.sum()),
    )


def with_signal(seed, strength, n=3000, offset=5.0):
    """A sample whose log-odds are strength·X − offset."""
    rng = np.random.default_rng(seed)
    X = rng.exponential(size=(n, len(strength)))
    y = rng.random(n) < 1 / (1 + np.exp(offset - X @ np.array(strength)))
    return sample(X, y, top=X.max(axis=1) > 3)
