"""The paper's method as printed: dual decomposition, ADMM's own X, K, H and α, and the preset."""

import networkx as nx
import numpy as np
import pytest
from scipy.optimize import minimize
from tests.paper import dense
from tests.paper.dense import KARATE, half_sum, weights_by_rank

import linkprior as lp
from linkprior.errors import ParameterError
from linkprior.model.losses import SquaredLoss
from linkprior.model.priors import DegreePrior
from linkprior.solvers.base import solve
from linkprior.solvers.symmetric_prox import dual_iterations
from linkprior.solvers.tri_admm import AdmmSolver

RANDOM, FEW = dense.gnm(30, 80, 3), dense.gnm(16, 36, 3)
RHO = 0.5


def prior_of(net, alpha=0.5):
    return DegreePrior(lp.theory.estimate_degrees(net), alpha)


def admm(net, lam, ratio, rank=2, **options):
    """ADMM in float64 with λ/η = ratio."""
    options = {"sweeps": 5, "dtype": np.float64, "workers": 1, **options}
    return AdmmSolver(net, SquaredLoss(RHO), rank, prior_of(net), lam, lam / ratio, **options)


# ---- the dense problem, transcribed from Eq. `regularized_objective` ----


def dense_problem(net, lam, rank):
    """Return (U, S) → objective and gradient, over a flat vector of both."""
    p, prior = net.n_nodes, prior_of(net)
    omega, M = dense.observed(net, RHO)
    weights = lp.theory.rank_weights(prior.degrees, p - 1, prior.alpha)

    def value(z):
        U, S = z[: p * rank].reshape(p, rank), half_sum(z[p * rank :].reshape(rank, rank))
        X = U @ S @ U.T
        B = weights_by_rank(X, weights)
        G = half_sum(2 * M * (X - omega) + lam * B)
        slope = np.concatenate([(2 * G @ U @ S).ravel(), (U.T @ G @ U).ravel()])
        return float((M * (X - omega) ** 2).sum() + lam * (B * X).sum()), slope

    return value


def test_admm_reaches_what_another_optimiser_reaches():
    lam, rank = 0.05, 2
    value, size = dense_problem(FEW, lam, rank), rank * (FEW.n_nodes + rank)
    rng = np.random.default_rng(0)
    options = {"jac": True, "method": "L-BFGS-B", "bounds": [(0, None)] * size}
    starts = (0.5 * rng.random(size) for _ in range(5))
    best = min(minimize(value, start, **options).fun for start in starts)
    for prox in ("mm", "dual"):
        reached = []
        for seed in range(3):
            solver = admm(FEW, lam, 0.1, rank, prox=prox)
            factors = solve(solver, np.random.default_rng(seed), 100, 1e-7).state.factors
            reached.append(value(np.concatenate([factors.U.ravel(), factors.S.ravel()]))[0])
        assert min(reached) <= 1.01 * best


@pytest.mark.parametrize(("prox", "ratio"), [("mm", 0.1), ("mm", 0.01), ("dual", 0.02)])
def test_with_a_small_share_of_the_prior_x_and_the_factors_agree(prox, ratio):
    """Dual decomposition keeps swapping ranks that nearly tie, so it needs a smaller λ/η."""
    fit = solve(admm(RANDOM, 0.01, ratio, 4, prox=prox), np.random.default_rng(0), 400, 1e-9)
    assert min(measure.primal for measure in fit.history) <= 1e-3


def test_the_iterations_are_those_of_dual_decomposition():
    """Rows solved apart, A′ moved against their asymmetry, symmetrised at the end."""
    rng = np.random.default_rng(0)
    A = rng.random((7, 7))
    A, g, h = A + A.T, rng.random(7), np.log(np.arange(2, 8))
    shift, moved = np.zeros((7, 7)), np.zeros((7, 7))
    for k in range(4):
        rows = A + moved - weights_by_rank(A + moved, np.outer(g, h))
        X = np.maximum(rows, 0)
        moved = moved - (X - X.T) / (2 * np.sqrt(k + 1))
    Q = dual_iterations(A, shift, g, h, range(4))
    np.testing.assert_allclose(Q, (rows + rows.T) / 2, atol=1e-12)
    np.testing.assert_allclose(shift, moved, atol=1e-12)


# ---- X of ADMM ----------------------------------------

FAST = {"rank": 4, "n_starts": 2, "warmup": 5, "max_iter": 6, "lam": 0.01, "eta": 0.1}


@pytest.mark.parametrize(
    ("name", "own"),
    [("tri-degree", {"prox": "mm"}), ("tri-degree", {"prox": "dual"}), ("tri-l1", {})],
    ids=["mm", "dual", "tri-l1"],
)
def test_ranking_by_x_ranks_the_mean_of_admms_own_x(name, own, tmp_path):
    model, first = (
        lp.make(name, rank_by="x", seed=3, **{**FAST, "n_starts": n}, **own).fit(KARATE)
        for n in (2, 1)
    )
    X, Z = model.learned_.arrays["X"], model.learned_.arrays["Z"]
    assert (X >= 0).all()
    assert not np.array_equal(first.learned_.arrays["X"], X)
    # Z holds what the factors' X and ADMM's X still differ by, summed over the steps.
    assert np.abs(Z).max() > 0
    i, j = np.triu_indices(34, 1)
    np.testing.assert_allclose(model.score_pairs(np.column_stack([i, j])), X[i, j])
    model.save(tmp_path / "model")
    loaded = lp.load(tmp_path / "model")
    np.testing.assert_array_equal(loaded.score_rows(0, 34), model.score_rows(0, 34))
    np.testing.assert_array_equal(loaded.learned_.arrays["Z"], Z)


def test_one_start_by_x_is_the_state_of_the_solver():
    model = lp.make("tri-degree", rank_by="x", prox="dual", **{**FAST, "n_starts": 1, "warmup": 0})
    model.fit(KARATE)
    rng = np.random.default_rng(np.random.SeedSequence(0).spawn(1)[0])
    options = {"prox": "dual", "passes": 3, "workers": 1}
    prior = DegreePrior(lp.theory.estimate_degrees(KARATE), 0.5)
    solver = AdmmSolver(KARATE, SquaredLoss(0.2), 4, prior, 0.01, 0.1, **options)
    state = solve(solver, rng, 6, 1e-6).state
    np.testing.assert_allclose(model.learned_.arrays["X"], state.X, atol=1e-6)
    np.testing.assert_allclose(model.learned_.arrays["Z"], state.Z, atol=1e-6)


def test_the_x_of_admm_recovers_dream5(data_folder):
    """One start, ten steps: .083 was found when a fresh prox was ranked in its place."""
    net = lp.read_network(data_folder / "dream5/DREAM5_NetworkInference_Edges_Network1.tsv")
    model = lp.make("tri-degree", rank_by="x", n_starts=1, max_iter=10)
    found = lp.evaluate(model, net, protocol="uniform:0.9", rule="all-nodes", seed=0).to_frame()
    assert found[found.metric == "recall@5%"]["value"].item() >= 0.50


# ---- what each start reports ----------------------------------------


def test_every_start_reports_its_end():
    model = lp.make("tri-degree", **FAST).fit(KARATE)
    facts = model.learned_.facts
    for name in ("status", "n_iter", "objective", "primal", "dual"):
        assert len(facts[name]) == 2
    (line,) = model.summary()
    assert line.startswith("Fit: 2 starts of 6 steps, not converged; objective")
    assert "primal residual" in line
    assert "dual residual" in line
    plain = lp.make("tri", rank=3, n_starts=1, max_iter=300, tol=1e-3).fit(KARATE)
    assert "primal" not in plain.learned_.facts
    assert "converged; objective" in plain.summary()[0]


# ---- H, α, K and degrees ----------------------------------------


@pytest.mark.parametrize("alpha", [0.0, 1e-12, 30.0, 1000.0])
@pytest.mark.parametrize(
    ("name", "params"),
    [("tri-degree", FAST), ("degree:l3", {}), ("nuclear-degree", {"max_iter": 5})],
    ids=["tri-degree", "degree:l3", "nuclear-degree"],
)
def test_any_alpha_gives_finite_scores(name, params, alpha):
    scores = lp.make(name, alpha=alpha, **params).fit(KARATE).score_rows(0, 34)
    assert np.isfinite(scores).all()
    assert np.unique(scores).size > 30


def test_steep_weights_are_the_powers_of_ratios():
    degrees = np.array([1, 2, 5, 9])
    prior = DegreePrior(degrees, 300.0)
    expected = lp.theory.rank_weights(degrees, 9, 300.0)
    np.testing.assert_allclose(prior.profile(9), np.minimum(expected, np.exp(60.0)))
    np.testing.assert_array_equal(prior.scale(np.zeros(4)), np.ones(4))
    assert np.isfinite(lp.theory.rank_weights([1, 2], 2000, 1000.0)).all()
    assert lp.theory.degree_prior(np.zeros((200, 200)), np.ones(200, int), 1000.0) == 0.0


def test_steep_and_separable_weights_lead_to_the_same_fit(monkeypatch):
    from linkprior.model import priors

    plain = lp.make("tri-degree", alpha=3.0, **FAST).fit(KARATE).score_rows(0, 34)
    monkeypatch.setattr(priors, "_STEEP", 0.0)
    monkeypatch.setattr(priors, "_MOST_WEIGHT", 1e30)
    steep = lp.make("tri-degree", alpha=3.0, **FAST).fit(KARATE).score_rows(0, 34)
    np.testing.assert_allclose(steep, plain, rtol=1e-3, atol=1e-4)


def test_alpha_zero_is_the_l1_norm():
    """The same steps as Tri+L1 from the same start."""
    same = {**FAST, "solver": "admm", "rank_by": "x"}
    by_degree = lp.make("tri-degree", alpha=0.0, **same).fit(KARATE)
    by_l1 = lp.make("tri-l1", **same).fit(KARATE)
    np.testing.assert_allclose(by_degree.score_rows(0, 34), by_l1.score_rows(0, 34), atol=1e-6)
    X = np.random.default_rng(0).random((6, 6))
    X = X + X.T
    off = X[~np.eye(6, dtype=bool)].sum()
    assert lp.theory.degree_prior(X, [1, 2, 3, 4, 5, 5], 0.0) == pytest.approx(off)


@pytest.mark.parametrize(
    ("name", "formula"),
    [
        ("log", lambda k: np.log(k + 1)),
        ("sqrt", np.sqrt),
        ("linear", lambda k: k),
        ("loglog", lambda k: np.log(1 + np.log(1 + k))),
    ],
)
def test_h_by_name_by_formula_and_by_its_values(name, formula, tmp_path):
    values = [float(formula(np.float64(k))) for k in range(1, 40)]
    scores = []
    for H in (name, formula, values):
        model = lp.make("tri-degree", H=H, **FAST).fit(KARATE)
        model.save(tmp_path / "model")
        np.testing.assert_array_equal(
            lp.load(tmp_path / "model").score_rows(0, 34), model.score_rows(0, 34)
        )
        scores.append(model.score_rows(0, 34))
    for other in scores[1:]:
        np.testing.assert_allclose(other, scores[0], rtol=1e-5, atol=1e-6)
    table = lp.theory.rank_weights([2, 5], 6, 0.7, H=name)
    k = np.arange(1.0, 7.0)
    expected = [(formula(k) / formula(np.float64(d))) ** 0.7 for d in (2, 5)]
    np.testing.assert_allclose(table, expected)


@pytest.mark.parametrize(
    ("H", "words"),
    [
        (lambda k: -k, "H_1 is -1"),
        (np.ones_like, "H_2 is 1 after H_1 = 1"),
        (lambda k: k[:3], "shape"),
        (lambda k: "much", "H must"),
        (lambda k: k.nothing, "H must take an array of ranks"),
        ([1.0, 3.0, 2.0, *range(4, 40)], "H_3 is 2 after H_2 = 3"),
        ([1.0, 2.0], "a value for each of 33 ranks, got 2"),
        ("cube", "H must be one of log, sqrt, linear, loglog"),
        (7, "H must be one of"),
        ([np.nan] * 40, "H_1 is nan"),
    ],
)
@pytest.mark.parametrize("name", ["tri-degree", "degree:l3", "nuclear-degree"])
def test_an_h_that_does_not_increase_is_refused(name, H, words):
    with pytest.raises(ParameterError, match=words.replace("[", r"\[")):
        lp.make(name, H=H).fit(KARATE)


def test_a_function_of_all_ranks_at_once_is_right_at_the_degrees():
    """Harmonic numbers: right for ranks 1 … n, and for nothing else."""

    def harmonic(k):
        return np.cumsum(1 / k)

    values = harmonic(np.arange(1.0, 40.0)).tolist()
    by_function, by_values = (
        lp.make("tri-degree", H=H, **FAST).fit(KARATE).score_rows(0, 34) for H in (harmonic, values)
    )
    np.testing.assert_array_equal(by_function, by_values)


def test_an_evaluation_knows_a_function_again_by_its_values(tmp_path):
    def found(H):
        model = lp.make("degree:l3", H=H)
        cells = lp.evaluate(model, KARATE, folder=tmp_path / "folder").to_frame()
        return cells[cells.metric == "seconds"]["value"].item()

    first = found(lambda k: k**0.1)
    assert found(lambda k: k**0.1) == first  # taken from the folder: seconds never repeat
    assert found(lambda k: k**4.0) != first


def test_degrees_by_the_nodes_of_a_graph():
    graph = nx.karate_club_graph()
    table = lp.predict_links(graph, 10, "degree:l3", degrees=dict(graph.degree()))
    plain = lp.predict_links(graph, 10, "degree:l3")
    assert table.values.tolist() == plain.values.tolist()


def test_a_list_size_of_the_models_own_stays():
    model = lp.make("degree:l3", n_edges="list", list_size=7)
    by_model = lp.predict_links(nx.karate_club_graph(), 50, model)
    by_params = lp.predict_links(nx.karate_club_graph(), 50, "degree:l3", n_edges=78 + 7)
    assert by_model.values.tolist() == by_params.values.tolist()


def test_k_follows_the_list():
    m = KARATE.n_edges
    given = [
        lp.make("tri-degree", n_edges=K, list_size=size)._prior(KARATE).degrees.tolist()
        for K, size in ((m + 50, 7), ("list", 50), ("observed", 50), (None, 50), ("list", 10**6))
    ]
    assert given[0] == given[1] == lp.theory.estimate_degrees(KARATE, m + 50).tolist()
    assert given[2] == given[3] == KARATE.degrees.tolist()
    assert given[4] == lp.theory.estimate_degrees(KARATE, 34 * 33 // 2).tolist()  # all pairs
    with pytest.raises(ParameterError, match="n_edges must be one of observed, list"):
        lp.make("tri-degree", n_edges="all").fit(KARATE)


def test_degrees_by_name():
    wished = {name: 1 + number % 5 for number, name in enumerate(KARATE.names)}
    by_name = lp.make("tri-degree", degrees=wished, **FAST).fit(KARATE)
    by_place = lp.make("tri-degree", degrees=list(wished.values()), **FAST).fit(KARATE)
    np.testing.assert_array_equal(by_name.score_rows(0, 34), by_place.score_rows(0, 34))
    del wished["n000"], wished["n033"]
    with pytest.raises(ParameterError, match="missing for 2 of 34 nodes: n000, n033"):
        lp.make("tri-degree", degrees=wished).fit(KARATE)


# ---- the preset ----------------------------------------


def test_the_preset_is_the_paper_and_what_is_given_comes_first():
    model = lp.make("tri-degree", preset="paper")
    params = model.get_params()
    asked = {"prox": "dual", "warmup": 0, "rank_by": "x", "n_edges": "list", "H": "log"}
    assert {name: params[name] for name in asked} == asked
    assert (params["solver"], params["n_starts"], params["preset"]) == ("admm", 1, "paper")
    own = lp.make("tri-degree", preset="paper", warmup=70, rank_by="q")
    assert (own.warmup, own.rank_by, own.prox) == (70, "q", "dual")
    assert lp.make("tri-degree", **own.get_params()).get_params() == own.get_params()
    assert lp.make("tri-degree").set_params(preset="paper").get_params() == params
    assert lp.make("consensus:tri-degree", preset="paper").prox == "dual"
    with pytest.raises(ParameterError, match="preset must be one of paper, got 'papers'"):
        lp.make("tri-degree", preset="papers")


# ---- what streaming and devices do not have ----------------------------------------


@pytest.mark.parametrize(
    ("params", "words"),
    [
        ({"prox": "dual"}, "prox='dual' is for Step_Two of ADMM, which streaming does not have"),
        ({"rank_by": "x"}, "rank_by='x' ranks the X of ADMM"),
        ({"sweeps": 2}, "sweeps=2 is for Step_One of ADMM"),
        ({"passes": 2}, "passes=2 is for Step_Two of ADMM"),
        ({"alpha": 500.0}, "too steep"),
    ],
)
def test_streaming_says_what_it_does_not_have(params, words):
    with pytest.raises(ParameterError, match=words):
        lp.make("tri-degree", solver="streaming", **params).fit(KARATE)
