"""The symmetric prox over row blocks, in memory and in files."""

import mmap

import numpy as np
import pytest
from tests.paper.dense import half_sum, weights_by_rank

from linkprior import parallel
from linkprior.solvers import symmetric_prox as prox

ALL = set(range(34))
PROFILE = np.log(2 + np.arange(33.0))


def random_matrix(seed=0):
    A = np.random.default_rng(seed).normal(0.5, 1.0, (34, 34))
    return A + A.T


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_weights_of_scale_and_profile_are_a_table(monkeypatch, dtype):
    monkeypatch.setattr(parallel, "_BLOCK_ENTRIES", 1)
    assert len(parallel.blocks(34)) > 1
    keys, scale = random_matrix().astype(dtype), np.arange(1.0, 35.0)
    B = prox.separable_penalty(scale, PROFILE, dtype)(keys)
    assert B.dtype == dtype
    np.testing.assert_allclose(B, weights_by_rank(keys, np.outer(scale, PROFILE)), rtol=1e-6)


@pytest.mark.parametrize("on_disk", [False, True])
@pytest.mark.parametrize("passes", [0, 1, 2, 3])
def test_passes_by_blocks_are_passes_of_whole_matrices(monkeypatch, on_disk, passes):
    monkeypatch.setattr(parallel, "_BLOCK_ENTRIES", 1)
    A, scale = random_matrix(5), np.linspace(0.5, 2.0, 34)
    Q = A
    for _ in range(passes):
        Q = A - half_sum(weights_by_rank(Q, np.outer(scale, PROFILE)))
    made = prox.mm_passes(A, scale, PROFILE, passes, on_disk)
    np.testing.assert_allclose(made, Q, atol=1e-12)
    assert isinstance(made.base, mmap.mmap) is (on_disk and passes > 0)


@pytest.mark.parametrize("on_disk", [False, True])
def test_half_the_sum_with_the_transpose_lets_go_of_what_it_read_and_wrote(released, on_disk):
    """Columns are read from every row, whichever block is made."""
    M = np.random.default_rng(6).random((34, 34))
    out = np.empty_like(M)
    prox.half_sum(M, out, on_disk)
    np.testing.assert_allclose(out, (M + M.T) / 2)
    assert released(M, out) == [ALL, ALL]


def test_passes_let_go_of_what_they_ranked_and_of_what_they_subtracted(released, monkeypatch):
    """The first pass ranks A, the second what the first made of it; both subtract from A."""
    ranked, made, usual = [], [], prox.half_sum
    A = random_matrix()

    def noted(B, Q, on_disk):
        ranked.append(released(A, Q, B))
        usual(B, Q, on_disk)
        released()
        made.append(Q)

    monkeypatch.setattr(prox, "half_sum", noted)
    prox.mm_passes(A, np.ones(34), PROFILE, 2, on_disk=True)
    assert ranked == [[ALL, set(), ALL], [ALL, ALL, ALL]]
    assert released(A, made[0]) == [ALL, ALL]  # by the subtraction
