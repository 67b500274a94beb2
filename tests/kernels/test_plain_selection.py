"""The best pairs are as many as asked for, also with ties and with more than a buffer holds."""

import numpy as np
import pytest

from linkprior import kernels
from linkprior.kernels import selection
from linkprior.kernels.portable_stack import bins_of
from linkprior.kernels.stack import N_BINS


@pytest.mark.parametrize(
    ("scores", "k", "kept"),
    [
        ([3, 1, 1, 1, 1], 2, [0, 1]),
        ([1, 1, 3, 1, 4, 1], 3, [0, 2, 4]),
        ([1, 1, 3, 1, 4, 1], 4, [0, 1, 2, 4]),
        ([1, 1, 3, 1, 4, 1], 2, [2, 4]),
        ([2, 2, 2], 2, [0, 1]),
        ([2, 1], 2, [0, 1]),
        ([2, 1], 3, [0, 1]),
    ],
)
def test_of_equal_scores_only_the_earliest_that_still_fit_are_kept(scores, k, kept):
    scores, codes = np.array(scores, float), np.arange(len(scores))
    best, at = selection.keep_best(scores, codes, k)
    assert at.tolist() == kept
    assert best.tolist() == scores[kept].tolist()


def test_pairs_of_falling_score_are_all_found_however_many_are_asked_for(engine):
    """No later pair beats one before, so that the k best are the first k."""
    p, rows = 80, 40
    falling = np.arange(rows * p, 0, -1, dtype=float).reshape(rows, p)
    nothing = np.zeros(p + 1, np.int64), np.zeros(0, np.int64)
    pairs = [[i, j] for i in range(rows) for j in range(i + 1, p)]
    for k in (1, 1000, 1500, 2000, len(pairs), 10**9):
        found = kernels.top_pairs(falling, 0, *nothing, k)
        assert np.stack(found[:2], axis=1).tolist() == pairs[:k]


def test_a_block_without_rows_has_no_pairs(engine, dtype):
    for p, first in ((0, 0), (3, 0), (3, 3)):
        nothing = np.zeros(p + 1, np.int64), np.zeros(0, np.int64)
        found = kernels.top_pairs(np.empty((0, p), dtype), first, *nothing, 2)
        assert [(len(part), part.dtype) for part in found] == [
            (0, np.int64),
            (0, np.int64),
            (0, dtype),
        ]


def test_every_upper_half_of_a_number_has_a_bin_of_its_own_and_no_bin_is_spare():
    halves = np.arange(1 << 16, dtype=np.uint32) << np.uint32(16)
    assert np.sort(bins_of(halves.view(np.float32))).tolist() == list(range(N_BINS))
