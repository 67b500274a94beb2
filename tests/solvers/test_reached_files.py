"""Matrices in files: only where they are asked for, and let go of by every pass that used them."""

import mmap

import networkx as nx
import numpy as np

import linkprior as lp
from linkprior.model.factors import Factors
from linkprior.model.losses import SquaredLoss
from linkprior.model.priors import DegreePrior, L1Prior
from linkprior.solvers import symmetric_prox
from linkprior.solvers.tri_admm import AdmmSolver

NET = lp.Network.from_networkx(nx.karate_club_graph())
ALL = set(range(34))


def random_matrix():
    return np.random.default_rng(0).random((34, 34))


def test_a_half_sum_lets_go_of_what_it_read_and_what_it_wrote(released):
    """Columns are read from every row, whichever block is made."""
    for on_disk in (False, True):
        M, out = random_matrix(), np.empty((34, 34))
        symmetric_prox.half_sum(M, out, on_disk)
        assert released(M, out) == [ALL, ALL]


def test_a_pass_of_the_prox_lets_go_of_what_it_ranked_and_of_what_it_subtracted(
    released, monkeypatch
):
    """The first pass ranks A, the second what the first made of it; both subtract from A."""
    ranked, made, usual = [], [], symmetric_prox.half_sum
    A = random_matrix()

    def noted(B, Q, on_disk):
        ranked.append(released(A, Q, B))
        usual(B, Q, on_disk)
        released()
        made.append(Q)

    monkeypatch.setattr(symmetric_prox, "half_sum", noted)
    profile = np.log(2 + np.arange(33.0))
    symmetric_prox.mm_passes(A, np.ones(34), profile, 1, on_disk=True)
    assert ranked == [[ALL, set(), ALL]]
    assert released(A, made[0]) == [ALL, ALL]  # by the subtraction

    ranked.clear()
    symmetric_prox.mm_passes(A, np.ones(34), profile, 2, on_disk=True)
    assert ranked[1] == [ALL, ALL, ALL]


def test_the_prox_makes_files_only_where_they_are_asked_for():
    profile = np.log(2 + np.arange(33.0))
    for options, in_file in (({}, False), ({"on_disk": False}, False), ({"on_disk": True}, True)):
        found = symmetric_prox.mm_passes(random_matrix(), np.ones(34), profile, 1, **options)
        assert isinstance(found.base, mmap.mmap) is in_file


def test_every_pass_of_admm_lets_go_of_the_matrices_it_used(released):
    rng = np.random.default_rng(0)
    start = Factors(rng.random((34, 2)), np.array([[1.0, 0.3], [0.3, 2.0]]))
    for prior in (DegreePrior(NET.degrees, 0.7), L1Prior()):
        solver = AdmmSolver(NET, SquaredLoss(0.4), 2, prior, 0.3, 0.5, start, workers=1)
        state = solver.init(rng)
        four = state.Q, state.Y, state.G, state.B
        assert released(*four) == [ALL] * 4
        solver._pass_again(state)
        assert released(*four) == [ALL] * 4
        solver._squares_again(state, start)
        assert released(state.Q, state.Y) == [ALL] * 2
        solver._row_mass(state.Q)
        assert released(state.Q) == [ALL]
