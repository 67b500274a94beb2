"""The paper's bounds, and the two errors its Theorem `mistake-bound` speaks of.

All sums run over ordered off-diagonal pairs, so an edge counts twice. `docs/theory.md` states
which of these statements hold, under which assumptions, and where they say nothing.
"""

from __future__ import annotations

import math
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from linkprior._validation import Floats, real_matrix, real_number, whole_number
from linkprior.errors import ParameterError
from linkprior.network import Network

Bools = NDArray[np.bool_]

LARGEST_COUNT = 2**62  # of nodes or edges; beyond it floats overflow


class RecoveryBound(float):
    """The bound of Theorem `mistake-bound` as a number, with the pieces it is made of.

    Attributes
    ----------
    gamma, A, B : float
        The theorem's γ, A (trace norm) and B (degree prior).
    active : {"A", "B"}
        Which of the two is the minimum. With "B" the bound is vacuous (see `docs/theory.md`).
    """

    gamma: float
    A: float
    B: float

    def __new__(cls, value: float, gamma: float, A: float, B: float) -> Self:
        bound = super().__new__(cls, value)
        bound.gamma, bound.A, bound.B = gamma, A, B
        return bound

    def __getnewargs__(self) -> tuple[float, float, float, float]:  # type: ignore[override]
        return float(self), self.gamma, self.A, self.B  # so that copy and pickle work

    @property
    def active(self) -> str:
        return "A" if self.A <= self.B else "B"

    def __repr__(self) -> str:
        pieces = f"gamma={self.gamma:.6g}, A={self.A:.6g}, B={self.B:.6g}, active={self.active!r}"
        return f"RecoveryBound({float(self):.6g}, {pieces})"


def smoothness_bound(t: int, delta: int, d: int, alpha: float) -> float:
    """Bound the gap between the penalty weights of ranks t and t + δ at a node of degree d.

    Implements Eq. `bound` in the form that holds for every α: with H_k = log(k + 1),
    (log(1 + δ/(t+1)) / H_d)^α for α ≤ 1 and α·H_{t+δ}^{α−1}·log(1 + δ/(t+1)) / H_d^α for α ≥ 1.

    Parameters
    ----------
    t, delta, d : int
        The rank, the distance δ to the other rank, and the degree.
    alpha : float
        The prior's exponent.

    Returns
    -------
    float
        The bound.

    Examples
    --------
    >>> from linkprior import theory
    >>> round(theory.smoothness_bound(5, 1, 5, alpha=1.0), 4)
    0.086
    """
    t, delta = whole_number("t", t, 0), whole_number("delta", delta, 0)
    d, alpha = whole_number("d", d, 1), real_number("alpha", alpha, 0.0)
    step, H_d = math.log1p(delta / (t + 1)), math.log1p(d)
    if alpha <= 1:
        return _power(step / H_d, alpha)
    if step == 0:
        return 0.0
    return alpha * _power(math.log1p(t + delta) / H_d, alpha - 1) * step / H_d


def loss_minimiser(rho: float) -> float:
    """Return (2−ρ)/(3−2ρ): the score that minimises an edge's expected squared loss."""
    rho = real_number("rho", rho, 0.0, 1.0)
    return (2 - rho) / (3 - 2 * rho)


def gamma(rho: float, q: float) -> float:
    """Return γ of Lemma `lem:label-loss`, Eq. `e:loss-and-error`; q below (2−ρ)/(3−2ρ)."""
    rho = real_number("rho", rho, 0.0, 1.0)
    best = loss_minimiser(rho)
    try:
        q = real_number("q", q, 0.0, best)
    except ParameterError as error:  # the limit's number alone explains nothing
        raise ParameterError(f"{error}; the upper end is (2−ρ)/(3−2ρ)") from None
    gap = best - q
    return max((1 / q) * (1 / q), 1 / ((3 - 2 * rho) * gap * gap))


def gamma_weak(rho: float, q: float) -> float:
    """Return γ′ of Lemma `lem:label-loss`, Eq. `e:loss-and-error-weak`; q in (0, 1)."""
    rho, q = real_number("rho", rho, 0.0, 1.0), real_number("q", q, 0.0, 1.0)
    return max((1 / q) * (1 / q), 1 / ((2 - rho) * (1 - q) * (1 - q)))


def recovery_bound(
    *,
    rho: float,
    q: float,
    n_edges: int,
    d_max_true: int,
    d_max: int,
    trace: float,
    prior: float,
    alpha: float,
    delta: float,
    C: float = 1.0,
) -> RecoveryBound:
    """Evaluate the right-hand side of the recovery bound, s = 2·n_edges.

    Implements Theorem `mistake-bound`. It bounds the error only where (2−ρ)/(3−2ρ)·E fulfils both
    constraints, ‖X‖_* ≤ `trace` and S_H(X) ≤ `prior`; `C` is Latała's unnamed universal constant.

    Parameters
    ----------
    rho, q : float
        Share of edges seen, in (0, 1), and the threshold, in (0, (2−ρ)/(3−2ρ)).
    n_edges, d_max_true : int
        Edges and largest degree of the true network.
    d_max : int
        Largest of the degrees the prior uses.
    trace, prior : float
        The constraints t and r.
    alpha, delta, C : float
        The prior's exponent, the allowed probability of failure, the universal constant.

    Returns
    -------
    RecoveryBound
        The bound and its terms.

    Examples
    --------
    >>> from linkprior import theory
    >>> given = dict(n_edges=100, d_max_true=10, d_max=10, trace=50.0, prior=200.0)
    >>> theory.recovery_bound(rho=0.5, q=0.25, alpha=1.0, delta=0.05, **given).active
    'A'
    """
    rho = real_number("rho", rho, 0.0, 1.0)
    g = gamma(rho, q)
    s = 2 * whole_number("n_edges", n_edges, 1, LARGEST_COUNT)
    root = 2 * math.sqrt(whole_number("d_max_true", d_max_true, 1, LARGEST_COUNT)) + s**0.25
    A = real_number("trace", trace, 0.0, low_open=False) * real_number("C", C, 0.0) * root
    r = real_number("prior", prior, 0.0, low_open=False)
    reach = math.log2(whole_number("d_max", d_max, 1, LARGEST_COUNT) + 1)
    alpha = real_number("alpha", alpha, 0.0)
    B = r * _power(reach, alpha) if r else 0.0
    deviation = math.sqrt(s * math.log(2 / real_number("delta", delta, 0.0, 1.0)) / 2)
    return RecoveryBound(4 * g * (2 - rho) / rho * (2 * min(A, B) + deviation), g, A, B)


def recovery_error(X: ArrayLike, net: Network | ArrayLike, q: float) -> int:
    """Count the ordered pairs where thresholding X at q disagrees with the network.

    Implements Eq. `expected-recovery-error` for one fixed X: Σ 1[1[X_ij > q] ≠ E_ij], i ≠ j.

    Parameters
    ----------
    X : (p, p) array
        Scores of all pairs.
    net : Network or (p, p) array
        The true edges E.
    q : float
        The threshold: X_ij > q is an edge.

    Returns
    -------
    int
        The number of disagreements, over ordered pairs.

    Examples
    --------
    >>> import numpy as np
    >>> import linkprior as lp
    >>> net = lp.Network.from_edges([("a", "b"), ("b", "c")])
    >>> lp.theory.recovery_error(np.zeros((3, 3)), net, q=0.5)
    4
    """
    scores = real_matrix("X", X, square=True)
    edges = _edge_matrix("net", net, scores.shape[0])
    return int(_off_diagonal((scores > real_number("q", q, -math.inf)) != edges).sum())


def label_error(X: ArrayLike, observed: Network | ArrayLike, rho: float, q: float) -> float:
    """Weigh the disagreements of X with the observed edges Ω: 1 − ρ/2 a missed one, ρ/2 a new one.

    Implements the label-dependent error R_ρ(X; Ω) of Lemma `lem:recovery-label`.

    Parameters
    ----------
    X : (p, p) array
        Scores of all pairs.
    observed : Network or (p, p) array
        The observed edges Ω.
    rho, q : float
        Share of edges seen, and the threshold: X_ij > q is an edge.

    Returns
    -------
    float
        The weighted number of disagreements, over ordered pairs.

    Examples
    --------
    >>> import numpy as np
    >>> import linkprior as lp
    >>> net = lp.Network.from_edges([("a", "b"), ("b", "c")])
    >>> lp.theory.label_error(np.zeros((3, 3)), net, rho=0.5, q=0.25)
    3.0
    """
    scores = real_matrix("X", X, square=True)
    seen = _edge_matrix("observed", observed, scores.shape[0])
    rho = real_number("rho", rho, 0.0, 1.0)
    predicted = scores > real_number("q", q, -math.inf)
    missed, new = _off_diagonal(~predicted & seen).sum(), _off_diagonal(predicted & ~seen).sum()
    return float((1 - rho / 2) * missed + rho / 2 * new)


def expected_label_error(x: ArrayLike, edge: bool, rho: float, q: float) -> Floats:
    """Return R_ρ(X_ij) of Lemma `lem:label-loss`: E_Ω of a pair's label-dependent error at x."""
    predicted = _finite("x", x) > real_number("q", q, -math.inf)
    rho = real_number("rho", rho, 0.0, 1.0)
    seen = rho if edge else 0.0
    return np.where(predicted, rho / 2 * (1 - seen), (1 - rho / 2) * seen)


def expected_squared_loss(x: ArrayLike, edge: bool, rho: float) -> Floats:
    """Return R_l(X_ij) of Lemma `lem:label-loss`: E_Ω of a pair's squared loss at x (`e:obj`)."""
    score = _finite("x", x)
    rho = real_number("rho", rho, 0.0, 1.0)
    seen = rho if edge else 0.0
    return (1 - rho / 2) * seen * (score - 1) ** 2 + rho / 2 * (1 - seen) * score**2


def _power(base: float, exponent: float) -> float:
    """Return base ** exponent, infinity where it overflows (Python's own would raise)."""
    with np.errstate(over="ignore", under="ignore"):
        return float(np.power(np.float64(base), exponent))


def _finite(name: str, value: ArrayLike) -> Floats:
    """Return an array of any shape without NaN or infinity."""
    x = np.asarray(value)
    if x.dtype.kind not in "fiub" or not np.isfinite(x).all():
        raise ParameterError(f"{name} must be finite numbers, got {value!r}")
    return x.astype(np.float64)


def _edge_matrix(name: str, net: Network | ArrayLike, n_nodes: int) -> Bools:
    """Return the network, or a plain matrix, as a dense boolean matrix of the size of X."""
    matrix: Any = net.adjacency if isinstance(net, Network) else net
    dense = matrix.toarray() if hasattr(matrix, "toarray") else matrix
    edges: Bools = real_matrix(name, dense, square=True) != 0
    if edges.shape[0] != n_nodes:
        raise ParameterError(f"{name} must have {n_nodes} nodes as X has, got {edges.shape[0]}")
    return edges


def _off_diagonal(pairs: Bools) -> Bools:
    return pairs & ~np.eye(pairs.shape[0], dtype=bool)
