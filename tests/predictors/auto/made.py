"""Samples made by hand, for what learns from them."""

import numpy as np

from linkprior.predictors.auto.holdout import DEGREE_TERMS, Sample


def sample(U, y, weight=None, product=None, hub=None):
    """Pairs with these features, of nodes whose degrees are all alike; each stands for itself."""
    U, y = np.asarray(U, np.float32), np.asarray(y, bool)
    n, U = len(y), U if U.ndim == 2 else U[:, None]
    weight = np.ones(n) if weight is None else np.asarray(weight, float)
    return Sample(
        U=U,
        N=np.zeros_like(U),
        D=np.zeros((n, len(DEGREE_TERMS)), np.float32),
        y=y,
        weight=weight,
        degree_product=np.ones(n) if product is None else np.asarray(product, float),
        hub=np.arange(n) if hub is None else np.asarray(hub),
        n_pairs=int(weight.sum()),
        levels=np.zeros((U.shape[1], 1), np.float32),
        n_hidden=int(y.sum()),
    )


def with_signal(seed, strength, n=3000, offset=5.0):
    """A sample whose log-odds are strength·U − offset."""
    rng = np.random.default_rng(seed)
    U = rng.exponential(size=(n, len(strength)))
    return sample(U, rng.random(n) < 1 / (1 + np.exp(offset - U @ np.array(strength))))
