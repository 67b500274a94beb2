"""The streaming solver in single steps: passes over ranks in groups, bold steps."""

import networkx as nx
import numpy as np
import pytest

import linkprior as lp
from linkprior import parallel
from linkprior.model.factors import Factors
from linkprior.model.losses import SquaredLoss
from linkprior.model.priors import DegreePrior, L1Prior
from linkprior.solvers import direct
from linkprior.solvers.direct import DirectSolver, ranked_pass
from linkprior.solvers.factor_update import Extra, sweep


def test_four_blocks_make_as_many_groups_as_are_allowed_and_needed(monkeypatch):
    """Groups are runs of as many blocks each; three are too many for four blocks."""
    monkeypatch.setattr(parallel, "_BLOCK_ENTRIES", 1)
    blocks = parallel.blocks(34)
    assert len(blocks) == 4
    for most, sizes in ((1, [4]), (2, [2, 2]), (3, [2, 2]), (4, [1, 1, 1, 1]), (9, [1, 1, 1, 1])):
        monkeypatch.setattr(direct, "GROUPS", most)
        groups = direct.block_groups(34)
        assert [len(group) for group in groups] == sizes
        assert [block for group in groups for block in group] == blocks


def test_a_group_of_several_blocks_fills_the_rows_of_all_of_them(monkeypatch):
    monkeypatch.setattr(parallel, "_BLOCK_ENTRIES", 1)
    rng = np.random.default_rng(0)
    factors = Factors(rng.random((34, 2)), np.array([[1.0, 0.3], [0.3, 2.0]]))
    prior = DegreePrior(rng.integers(1, 9, 34), 0.7)
    X, h, scale = factors.US @ factors.U.T, prior.profile(33), prior.scale(np.zeros(34))
    B = np.zeros((34, 34))
    for i in range(34):
        others = sorted((j for j in range(34) if j != i), key=lambda j: -X[i, j])
        B[i, others] = scale[i] * h
    for groups in (1, 2, 4):
        monkeypatch.setattr(direct, "GROUPS", groups)
        found = direct.ranked_pass(factors, prior, workers=1)
        assert found.value == pytest.approx((B * X).sum())
        np.testing.assert_allclose(found.GU, (B + B.T) / 2 @ factors.U, rtol=1e-10)


KARATE = lp.Network.from_networkx(nx.karate_club_graph())
RANKED = DegreePrior(KARATE.degrees, 0.7)
LOSS = SquaredLoss(0.4)


def factors_of(p, seed=0, size=1.0):
    rng = np.random.default_rng(seed)
    S = rng.random((3, 3)) * size / 2
    return Factors(rng.random((p, 3)), S + S.T)


def dense(f):
    return f.U @ f.S @ f.U.T


def test_without_a_weight_the_prior_counts_for_nothing():
    plain, weightless = DirectSolver(KARATE, LOSS, 3), DirectSolver(KARATE, LOSS, 3, RANKED)
    plain_state, state = (one.init(np.random.default_rng(1)) for one in (plain, weightless))
    assert weightless.measure(state) == plain.measure(plain_state)
    after = weightless.step(state).factors
    assert after.U.tolist() == plain.step(plain_state).factors.U.tolist()
    assert weightless._extra(state).value(after) == 0.0


@pytest.mark.parametrize("groups", [1, 2, 3, 32])
def test_the_pass_over_ranks_is_the_same_in_groups_of_blocks(monkeypatch, groups):
    monkeypatch.setattr(parallel, "_BLOCK_ENTRIES", 1)
    monkeypatch.setattr(direct, "GROUPS", groups)
    assert len(parallel.blocks(34)) == 4
    factors = factors_of(34)
    X, h, scale = dense(factors), RANKED.profile(33), RANKED.scale(np.zeros(34))
    B = np.zeros((34, 34))
    for i in range(34):
        others = sorted((j for j in range(34) if j != i), key=lambda j: -X[i, j])
        B[i, others] = scale[i] * h
    found = ranked_pass(factors, RANKED, workers=1)
    assert found.value == pytest.approx((B * X).sum())
    np.testing.assert_allclose(found.GU, (B + B.T) / 2 @ factors.U, rtol=1e-10)


class ToldLoss(SquaredLoss):
    """The squared loss, but what its value becomes with a new U is told."""

    start, later = np.empty(0), 0.0

    def value(self, net, factors):
        return 1.0 if np.array_equal(factors.U, self.start) else self.later


@pytest.mark.parametrize(("later", "power"), [(0.9, 0.5), (1.0, 0.5), (1.1, 0.25)])
def test_the_bold_step_is_taken_where_the_objective_does_not_rise(monkeypatch, later, power):
    """Without a push the bold step has exponent ½, the careful one ¼."""
    factors = factors_of(34)
    monkeypatch.setattr(ToldLoss, "start", factors.U)
    monkeypatch.setattr(ToldLoss, "later", later)
    found = sweep(KARATE, ToldLoss(0.4), factors, Extra(value=lambda _: 0.0))
    omega = KARATE.adjacency.toarray()
    M = 0.2 + 0.6 * omega
    np.fill_diagonal(M, 0.0)
    U, S = factors.U, found.S
    curve, pull = M * (U @ S @ U.T), M * omega
    np.testing.assert_allclose(found.U, U * ((pull @ U @ S) / (curve @ U @ S)) ** power, rtol=1e-9)


RANKED_OF_TWO = DegreePrior(KARATE.degrees.astype(float))


def factors_of_of_two(p, seed, rank=3):
    rng = np.random.default_rng(seed)
    S = rng.random((rank, rank)) / 4
    return Factors(rng.random((p, rank)), S + S.T)


def test_only_a_prior_without_ranks_tells_its_value_at_new_factors():
    """It is the sum of all entries; one with ranks would need a pass over all pairs."""
    new = factors_of_of_two(34, 1)
    dense = new.U @ new.S @ new.U.T
    flat = DirectSolver(KARATE, LOSS, 3, L1Prior(), 0.05)
    value = flat._extra(flat.init(np.random.default_rng(0))).value
    assert value(new) == pytest.approx(0.05 * (dense.sum() - np.trace(dense)))
    ranked = DirectSolver(KARATE, LOSS, 3, RANKED_OF_TWO, 0.05)
    assert ranked._extra(ranked.init(np.random.default_rng(0))).value is None
