"""The symmetric prox where its matrices are in files, and where rows agree at once."""

import mmap

import numpy as np

from linkprior.solvers import symmetric_prox
from linkprior.solvers.symmetric_prox import dual_decomposition

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


def test_rows_that_agree_at_once_end_the_dual_decomposition():
    A = np.random.default_rng(0).random((6, 6))
    found = dual_decomposition(A + A.T, lambda keys: np.full_like(keys, 0.3), max_iter=50)
    assert found.converged
    assert len(found.history) == 2
    np.testing.assert_allclose(found.X, np.maximum(A + A.T - 0.3, 0.0))
