"""Eq. `bound`, Theorem `mistake-bound`, the two errors, and where the theorem says nothing."""

import copy
import math
from typing import Any

import networkx as nx
import numpy as np
import pytest

import linkprior as lp
from linkprior.errors import ParameterError
from linkprior.model.bounds import (
    LARGEST_COUNT,
    RecoveryBound,
    expected_label_error,
    expected_squared_loss,
    gamma,
    gamma_weak,
    label_error,
    loss_minimiser,
    recovery_bound,
    recovery_error,
    smoothness_bound,
)

RANKS = [1, 2, 3, 5, 10, 40, 300]
STEPS = [0, 1, 2, 3, 10, 100]
BELOW_ONE, ABOVE_ONE = [0.05, 0.3, 0.5, 0.9, 1.0], [1.0, 1.01, 1.5, 2.0, 3.0, 6.0]


def weight_gap(t, delta, d, alpha):
    return (math.log(t + delta + 1) ** alpha - math.log(t + 1) ** alpha) / math.log(d + 1) ** alpha


def printed_bound(delta, d, alpha):
    return (math.log(delta + 1) / math.log(d + 1)) ** alpha


@pytest.mark.parametrize("alpha", [*BELOW_ONE, *ABOVE_ONE])
@pytest.mark.parametrize("d", [1, 2, 7, 50])
def test_smoothness_bound_holds(d, alpha):
    for t in RANKS:
        for delta in STEPS:
            bound = smoothness_bound(t, delta, d, alpha)
            assert weight_gap(t, delta, d, alpha) <= bound * (1 + 1e-12) + 1e-12


@pytest.mark.parametrize("alpha", ABOVE_ONE)
def test_smoothness_bound_is_tight_at_high_ranks(alpha):
    assert smoothness_bound(300, 1, 7, alpha) <= 1.01 * weight_gap(300, 1, 7, alpha)


@pytest.mark.parametrize("alpha", BELOW_ONE)
def test_printed_form_holds_up_to_one_and_ours_is_never_looser(alpha):
    for t in RANKS:
        for delta in STEPS:
            printed = printed_bound(delta, 7, alpha)
            assert weight_gap(t, delta, 7, alpha) <= printed + 1e-12
            assert smoothness_bound(t, delta, 7, alpha) <= printed + 1e-12


def test_printed_form_fails_from_three_halves_on():
    """t = δ = 1 fails first: at α = log 2 / log(log₂ 3) = 1.505."""
    first = math.log(2) / math.log(math.log2(3))
    assert first == pytest.approx(1.505, abs=1e-4)
    for alpha in (first + 1e-6, 1.6, 2.0, 3.0):
        assert weight_gap(1, 1, 5, alpha) > printed_bound(1, 5, alpha)
        assert weight_gap(1, 1, 5, alpha) <= smoothness_bound(1, 1, 5, alpha)
    grid = [(t, delta) for t in range(1, 80) for delta in range(1, 80)]
    assert all(
        weight_gap(t, s, 5, first - 1e-6) <= printed_bound(s, 5, first - 1e-6) for t, s in grid
    )


def test_smoothness_forms_meet_at_one_and_are_tight_there():
    for t, delta, d in [(1, 1, 1), (4, 9, 3), (20, 5, 60)]:
        exact = weight_gap(t, delta, d, 1.0)
        assert smoothness_bound(t, delta, d, 1.0) == pytest.approx(exact)
        assert smoothness_bound(t, delta, d, 1.0 + 1e-9) == pytest.approx(exact)


def test_smoothness_survives_extreme_exponents():
    assert smoothness_bound(5, 3, 1, 1e5) == math.inf
    assert smoothness_bound(5, 0, 1, 1e5) == 0.0
    assert smoothness_bound(1, 1, 1000, 1e5) == 0.0


@pytest.mark.parametrize(
    ("t", "delta", "d", "alpha", "bound"),
    [
        (0, 0, 1, 0.5, 0.0),
        (0, 1, 1, 0.5, 1.0),
        (0, 3, 1, 0.5, math.sqrt(2)),
        (1, 2, 3, 1.0, 0.5),
        (1, 2, 1, 2.0, 4.0),  # α·H_{t+δ}·log 2 / H_d² = 2 · log 4 · log 2 / log² 2
        (0, 1, 3, 3.0, 3 / 8),
        (4, 0, 1, 3.0, 0.0),
    ],
)
def test_smoothness_bound_in_numbers(t, delta, d, alpha, bound):
    assert smoothness_bound(t, delta, d, alpha) == pytest.approx(bound)


@pytest.mark.parametrize(
    ("name", "value"),
    [("t", -1), ("t", 1.5), ("delta", -1), ("d", 0), ("d", "2"), ("alpha", 0), ("alpha", np.nan)],
)
def test_smoothness_refuses(name, value):
    good = {"t": 1, "delta": 1, "d": 1, "alpha": 1.0}
    with pytest.raises(ParameterError, match=f"^{name} must be"):
        smoothness_bound(**{**good, name: value})


GOOD: dict[str, Any] = {
    "rho": 0.8,
    "q": 0.4,
    "n_edges": 50,
    "d_max_true": 9,
    "d_max": 8,
    "trace": 12.0,
    "prior": 60.0,
    "alpha": 1.0,
    "delta": 0.05,
    "C": 1.0,
}


def bound_for(rho, q, degrees, **others):
    """The bound for a network of these degrees."""
    top = int(max(degrees))
    own = {"n_edges": int(sum(degrees)) // 2, "d_max_true": top, "d_max": top}
    return recovery_bound(**{**GOOD, **own, "rho": rho, "q": q, **others})


@pytest.mark.parametrize("trace", [0.0, 12.0, 1e6])
@pytest.mark.parametrize(("rho", "q"), [(0.8, 0.4), (0.5, 0.7), (0.05, 0.01), (0.99, 0.97)])
def test_recovery_bound_is_the_theorems_formula(trace, rho, q):
    s, m = 100, (2 - rho) / (3 - 2 * rho)
    g = max(1 / q**2, 1 / ((3 - 2 * rho) * (q - m) ** 2))
    A = trace * 3.0 * (2 * math.sqrt(9) + s ** (1 / 4))
    B = 60.0 * math.log2(8 + 1) ** 1.5
    given = {**GOOD, "trace": trace, "rho": rho, "q": q, "alpha": 1.5, "C": 3.0}
    bound = recovery_bound(**given)
    direct = 4 * g * (2 - rho) / rho * (2 * min(A, B) + math.sqrt(s * math.log(2 / 0.05) / 2))
    assert bound == pytest.approx(direct, rel=1e-12)
    assert (bound.gamma, bound.A, bound.B) == pytest.approx((g, A, B))
    assert bound.active == ("B" if trace == 1e6 else "A")


def test_the_pieces_of_the_bound_in_numbers():
    """s = 16: A = 2 (2·2 + 2), B = 5 · log₂(4)², chance = √(16 · 2 / 2), γ = 16."""
    small = {"rho": 0.5, "q": 0.25, "n_edges": 8, "d_max_true": 4, "d_max": 3, "trace": 2.0}
    small |= {"prior": 5.0, "alpha": 2.0, "delta": 2 / math.e**2}
    bound = recovery_bound(**small)
    assert isinstance(bound, float)
    assert bound == pytest.approx(4 * 16 * 3 * (2 * 12 + 4))
    assert repr(bound) == "RecoveryBound(5376, gamma=16, A=12, B=20, active='A')"
    for twin in (copy.copy(bound), copy.deepcopy(bound)):
        assert (float(twin), vars(twin)) == (float(bound), vars(bound))
    doubled = recovery_bound(**small, C=2.0)
    assert (doubled.A, doubled.active) == (pytest.approx(24.0), "B")
    assert RecoveryBound(1.0, 1.0, 1.0, 1.0).active == "A"


def test_a_prior_of_nothing_bounds_by_nothing_however_large_its_exponent():
    assert recovery_bound(**{**GOOD, "prior": 0.0, "alpha": 1e6}).B == 0.0
    assert recovery_bound(**{**GOOD, "alpha": 1e6}).B == math.inf


@pytest.mark.parametrize("rho", [0.01, 0.5, 0.99])
def test_threshold_must_stay_below_the_minimiser(rho):
    limit = (2 - rho) / (3 - 2 * rho)
    assert recovery_bound(**{**GOOD, "rho": rho, "q": limit - 1e-6}) > 0
    for q in (limit, limit + 1e-9, 1.0, 0.0, -0.1, np.nan):
        with pytest.raises(ParameterError, match=r"^q must be .*\(2−ρ\)/\(3−2ρ\)"):
            recovery_bound(**{**GOOD, "rho": rho, "q": q})


BAD = [("rho", v) for v in (0, 1, -0.5, np.nan, "x", True)]
BAD += [(n, v) for n in ("n_edges", "d_max_true", "d_max") for v in (0, 2.5, LARGEST_COUNT + 1)]
BAD += [("trace", -0.1), ("trace", np.inf), ("prior", -0.1), ("prior", np.nan)]
BAD += [("alpha", 0), ("delta", 0), ("delta", 1), ("C", 0), ("C", -1.0)]


@pytest.mark.parametrize(("name", "value"), BAD)
def test_recovery_bound_refuses(name, value):
    with pytest.raises(ParameterError, match=f"^{name} must be"):
        recovery_bound(**{**GOOD, name: value})


@pytest.mark.parametrize("name", ["n_edges", "d_max_true", "d_max"])
def test_counts_go_from_one_to_the_largest_that_floats_can_tell(name):
    for count in (1, LARGEST_COUNT):
        assert math.isfinite(recovery_bound(**{**GOOD, name: count}))


def test_errors_against_loops():
    rng = np.random.default_rng(5)
    graph = nx.gnp_random_graph(9, 0.4, seed=5)
    net, X, q, rho = lp.Network.from_networkx(graph), rng.random((9, 9)), 0.6, 0.7
    wrong, weighed = 0, 0.0
    for i in range(9):
        for j in range(9):
            if i != j:
                said, there = X[i, j] > q, graph.has_edge(i, j)
                wrong += said != there
                weighed += (1 - rho / 2) * (there and not said) + rho / 2 * (said and not there)
    assert recovery_error(X, net, q) == wrong > 0
    assert label_error(X, net, rho, q) == pytest.approx(weighed)
    assert recovery_error(X, net.adjacency, q) == wrong  # a plain matrix does as well
    assert label_error(X, net.adjacency.toarray(), rho, q) == pytest.approx(weighed)


PATH = np.array([[0, 1, 0], [1, 0, 1], [0, 1, 0]])


def test_errors_of_a_path_in_numbers():
    """The diagonal is no data, a score at the threshold says no edge, any weight makes an edge."""
    assert recovery_error(PATH + 9 * np.eye(3), PATH, 0.5) == 0
    assert label_error(PATH + 9 * np.eye(3), PATH, 0.5, 0.5) == 0
    half = 0.5 * PATH
    assert (recovery_error(half, PATH, 0.5), recovery_error(half, PATH, 0.49)) == (4, 0)
    assert label_error(half, PATH, 0.5, 0.5) == pytest.approx(4 * 0.75)
    assert label_error(half, PATH, 0.5, 0.49) == 0.0
    assert expected_label_error(0.5, True, 0.5, 0.5) == pytest.approx(0.75 * 0.5)
    assert expected_label_error(0.51, True, 0.5, 0.5) == pytest.approx(0.25 * 0.5)
    X = np.array([[0.0, 0.9, 0.9], [0.1, 0.0, 0.1], [0.1, 0.9, 9.0]])
    assert recovery_error(X, PATH, 0.5) == 3  # 1 – 0, 1 – 2 are missed, 0 – 2 is new
    assert label_error(X, PATH, 0.4, 0.5) == pytest.approx(2 * 0.8 + 1 * 0.2)
    assert recovery_error(X, PATH, -1.0) == 2  # any threshold is allowed
    assert recovery_error(X, -7 * PATH, 0.5) == 3


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("X", {"X": np.zeros((2, 3))}),
        ("X", {"X": np.full((3, 3), np.nan)}),
        ("observed", {"X": np.zeros((4, 4))}),
        ("observed", {"observed": np.zeros((3, 2))}),
        ("rho", {"rho": 1.0}),
        ("q", {"q": np.nan}),
        ("q", {"q": "0.5"}),
    ],
)
def test_errors_refuse(name, change):
    given = {"X": np.zeros((3, 3)), "observed": PATH, "rho": 0.5, "q": 0.5, **change}
    with pytest.raises(ParameterError, match=f"^{name} must"):
        label_error(**given)
    if name != "rho":
        with pytest.raises(ParameterError, match=f"^{name.replace('observed', 'net')} must"):
            recovery_error(given["X"], given["observed"], given["q"])


def edge_prior(true_degrees, d, alpha):
    """S_H(E, d, α): row i holds its d*_i ones on the first ranks."""
    rows = [
        np.log(np.arange(2, own + 2)) ** alpha / np.log(wish + 1) ** alpha
        for own, wish in zip(true_degrees, d, strict=True)
    ]
    return float(sum(row.sum() for row in rows))


def any_fit_bound(rho, q, s):
    """What every X with L(X; Ω) ≤ L(0; Ω) fulfils: at most s missed, (2−ρ)s/(ρq²) made up."""
    return s * (1 + (2 - rho) / (rho * q**2))


@pytest.mark.parametrize("alpha", [0.3, 1.0, 2.5])
@pytest.mark.parametrize("rho", [0.1, 0.5, 0.9])
def test_bound_through_the_prior_is_worse_than_any_fit(rho, alpha):
    """With r ≥ S_H(mE) the piece B is at least m·s, and the bound above the trivial one."""
    rng = np.random.default_rng(7)
    m = loss_minimiser(rho)
    for seed in range(5):
        true = [k for _, k in nx.barabasi_albert_graph(60, 2, seed=seed).degree()]
        s, wish = sum(true), rng.integers(1, 12, len(true))
        r = m * edge_prior(true, wish, alpha)
        for q in (0.05, 0.3, 0.95 * m):
            given = {"d_max": int(max(wish)), "trace": 1e9, "prior": r, "alpha": alpha}
            bound = bound_for(rho, q, true, delta=0.1, **given)
            assert bound.active == "B"
            assert bound.B >= m * s
            assert bound > any_fit_bound(rho, q, s) > s


def test_any_fit_bound_holds_for_whatever_beats_the_empty_network():
    rng = np.random.default_rng(11)
    net = lp.Network.from_networkx(nx.gnp_random_graph(14, 0.15, seed=2))
    E, off, close = net.adjacency.toarray(), ~np.eye(14, dtype=bool), 0.0
    for _ in range(300):
        rho, q = rng.uniform(0.2, 0.9), rng.uniform(0.1, 0.6)
        seen = np.triu(E * (rng.random(E.shape) < rho), 1)
        seen = seen + seen.T
        made_up = np.triu((E == 0) & (rng.random(E.shape) < rng.random()), 1) * (q + 1e-9)
        X = seen + made_up + made_up.T
        weight = np.where(seen == 1, 1 - rho / 2, rho / 2)
        if (weight * (X - seen) ** 2)[off].sum() <= (weight * seen)[off].sum():
            close = max(close, recovery_error(X, net, q) / any_fit_bound(rho, q, E.sum()))
    assert 0.2 < close <= 1


def test_the_karate_club_in_numbers():
    """The table of docs/theory.md: 34 nodes, s = 156, every piece of the bound far above s."""
    E = nx.to_numpy_array(nx.karate_club_graph(), weight=None)
    true = E.sum(axis=1).astype(int)
    rho, s = 0.9, int(E.sum())
    m = loss_minimiser(rho)
    trace, prior = m * np.linalg.norm(E, "nuc"), m * edge_prior(true, true, 1.0)
    bound = bound_for(rho, m / 2, true, trace=trace, prior=prior)
    assert (s, E.size - len(E), bound.active) == (156, 1122, "B")
    pieces = (bound.A, bound.B, bound, any_fit_bound(rho, m / 2, s))
    assert pieces == pytest.approx((521.6, 448.7, 21280, 1063.6), rel=1e-3)


@pytest.mark.parametrize(("n", "informative"), [(100, False), (10_000, False), (100_000, True)])
def test_bound_through_the_trace_needs_a_huge_clique(n, informative):
    """A clique is the best case (‖E‖_* = 2(n−1)); only then does A beat `predict nothing`."""
    rho, s = 0.9, n * (n - 1)
    m = loss_minimiser(rho)
    trace, prior = m * 2 * (n - 1), m * n * edge_prior([n - 1], [n - 1], 1.0)
    bound = bound_for(rho, m / 2, [n - 1] * n, trace=trace, prior=prior)
    assert bound.active == "A"
    assert (bound < s) == informative


def test_bound_through_the_trace_is_vacuous_on_trees():
    """t·‖E‖₂ ≥ ⟨mE, E⟩ = m·s and a tree has ‖E‖₂ ≤ 2√(d_max−1), so A ≥ C·m·s."""
    m = loss_minimiser(0.9)
    for seed in range(3):
        tree = nx.barabasi_albert_graph(80, 1, seed=seed)
        E = nx.to_numpy_array(tree)
        t = m * np.linalg.norm(E, "nuc")
        degrees = [k for _, k in tree.degree()]
        bound = bound_for(0.9, GOOD["q"], degrees, trace=t, prior=1e9)
        assert bound.active == "A"
        assert bound.A >= m * E.sum()
        assert bound > any_fit_bound(0.9, GOOD["q"], E.sum())


@pytest.mark.parametrize(("rho", "best"), [(0.5, 0.75), (0.25, 0.7), (0.75, 1.25 / 1.5)])
def test_the_best_score_of_an_edge(rho, best):
    assert loss_minimiser(rho) == pytest.approx(best)
    grid = np.linspace(0, 1, 2001)
    assert grid[expected_squared_loss(grid, True, rho).argmin()] == pytest.approx(best, abs=1e-3)


@pytest.mark.parametrize(
    ("rho", "q", "strong", "weak"),
    [(0.5, 0.25, 16.0, 16.0), (0.5, 0.7, 200.0, 1 / (1.5 * 0.09)), (0.75, 0.5, 6.0, 4.0)],
)
def test_both_constants_of_the_lemma(rho, q, strong, weak):
    assert gamma(rho, q) == pytest.approx(strong)
    assert gamma_weak(rho, q) == pytest.approx(weak)


@pytest.mark.parametrize("bad", [0.0, 1.0, 1.5, -0.5])
def test_shares_and_thresholds_lie_between_zero_and_one(bad):
    for call in (
        lambda: loss_minimiser(bad),
        lambda: gamma(bad, 0.5),
        lambda: gamma_weak(bad, 0.5),
        lambda: expected_label_error(0.5, True, bad, 0.5),
        lambda: expected_squared_loss(0.5, True, bad),
    ):
        with pytest.raises(ParameterError, match=r"^rho must be a number in \(0, 1\)"):
            call()
    with pytest.raises(ParameterError, match=r"^q must be a number in \(0, 1\)"):
        gamma_weak(0.5, bad)


@pytest.mark.parametrize("good", [1, True, np.uint8(1), [0.5, 1], np.float32(1.0)])
def test_scores_may_be_any_kind_of_number(good):
    assert expected_squared_loss(good, True, 0.5).shape == np.shape(good)


@pytest.mark.parametrize("bad", [math.nan, [0.5, math.inf], "1", 1j])
def test_scores_must_be_finite_numbers(bad):
    for call in (
        lambda: expected_squared_loss(bad, True, 0.5),
        lambda: expected_label_error(bad, True, 0.5, 0.5),
    ):
        with pytest.raises(ParameterError, match="^x must be finite numbers"):
            call()
