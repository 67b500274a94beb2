"""The paper's formulas over dense p × p matrices, slowly: what the package is compared with."""

import math

import networkx as nx
import numpy as np

import linkprior as lp
from linkprior.model.factors import Factors
from linkprior.model.priors import DegreePrior, L1Prior, ScaleFreePrior
from linkprior.network.side_information import NON_EDGE_WEIGHT


def numbered(p):
    """Names in order, so that positions are also those of what is learned."""
    return [f"n{node:03d}" for node in range(p)]


def from_graph(graph):
    return lp.Network.from_networkx(graph).rename(numbered(len(graph)))


KARATE = from_graph(nx.karate_club_graph())


def gnm(p, n_edges, seed):
    return from_graph(nx.gnm_random_graph(p, n_edges, seed=seed))


def random_network(p, density, seed=0):
    rng = np.random.default_rng(seed)
    i, j = np.triu_indices(p, 1)
    kept = rng.random(len(i)) < density
    return lp.Network.from_indices(np.stack([i[kept], j[kept]], axis=1), numbered(p))


def weighted_network(p=14, seed=0):
    """Edges of eighths as weights (exact in floats), and some known non-edges."""
    rng = np.random.default_rng(seed)
    i, j = np.triu_indices(p, 1)
    kind = rng.random(len(i))
    edges = np.stack([i, j], axis=1)[kind < 0.35]
    weights = rng.integers(1, 9, len(edges)) / 8.0
    weights[0] = 1.0  # weights count by their ratio to the largest
    plain = lp.Network.from_indices(edges, numbered(p))
    non_edges = np.stack([i, j], axis=1)[kind > 0.85]
    return plain.with_weights(weights).with_negatives(non_edges.tolist())


def random_factors(p, seed=0, rank=3, size=1.0):
    rng = np.random.default_rng(seed)
    S = rng.random((rank, rank)) * size
    return Factors(rng.random((p, rank)), (S + S.T) / 2)


def product(factors):
    """X = U S Uᵀ."""
    return factors.U @ factors.S @ factors.U.T


def without_diagonal(X):
    return X - np.diag(np.diagonal(X))


def weights_by_rank(keys, table):
    """B with B_ij = table[i, rank of j in row i of the keys], ties by index, 0 on the diagonal."""
    B = np.zeros_like(keys)
    for i, row in enumerate(keys):
        others = sorted((j for j in range(len(keys)) if j != i), key=lambda j: (-row[j], j))
        B[i, others] = table[i]
    return B


def half_sum(B):
    return (B + B.T) / 2


def observed(net, rho):
    """Ω and its weights M: 1 − ρ/2 on edges, ρ/2 elsewhere, 0 on the diagonal."""
    omega = net.adjacency.toarray()
    M = np.where(omega == 1, 1 - rho / 2, rho / 2)
    np.fill_diagonal(M, 0.0)
    return omega, M


def observed_in_part(net, rho):
    """What multiplies x² and 2x: a pair of weight w is known by w, and like any other by 1 − w."""
    sure = net.confidence.toarray()
    for i, j in net.known.negatives:
        sure[i, j] = sure[j, i] = NON_EDGE_WEIGHT
    M = sure * (1 - rho / 2) + (1 - sure) * rho / 2
    np.fill_diagonal(M, 0.0)
    return M, sure * (1 - rho / 2) * net.adjacency.toarray()


PRIORS = ["degree", "l1", "scale-free"]


def make_prior(name, net, alpha=1.0):
    if name == "degree":
        return DegreePrior(lp.theory.estimate_degrees(net), alpha)
    return {"l1": L1Prior(), "scale-free": ScaleFreePrior(0.5)}[name]


def printed_prior(X, d, alpha=1.0, H=lambda k: math.log(k + 1)):
    """S_H(X, d, α) term by term, as Eq. `degree_inducing` is printed; degree 0 counts as 1."""
    total = 0.0
    for i, row in enumerate(np.asarray(X, dtype=float)):
        falling = sorted(np.delete(row, i), reverse=True)
        own = H(max(d[i], 1))
        total += sum((H(k) / own) ** alpha * x for k, x in enumerate(falling, start=1))
    return total


def prior_value(prior, X):
    """The prior at a dense X."""
    if isinstance(prior, DegreePrior):
        return lp.theory.degree_prior(X, prior.degrees, prior.alpha)
    row_sums = without_diagonal(X).sum(axis=1)
    return row_sums.sum() if prior == L1Prior() else np.log(row_sums + prior.epsilon).sum()


def loss(name, X, net, rho):
    """Σ M∘(X − Ω)², or for "poisson" Σ M∘(X − Ω log X)."""
    omega, M = observed(net, rho)
    if name == "squared":
        return (M * (X - omega) ** 2).sum()
    return (M * X).sum() - (M * omega)[omega == 1] @ np.log(X[omega == 1])


def soft_threshold(S, threshold):
    """The symmetric matrix with its eigenvalues drawn towards 0 by the threshold."""
    values, vectors = np.linalg.eigh(S)
    return (vectors * np.sign(values) * np.maximum(np.abs(values) - threshold, 0.0)) @ vectors.T
