"""Rows of many nearly equal scores: exact to the last bit, and no work that grows with n²."""

import numpy as np
import pytest

from linkprior import kernels
from linkprior.kernels import numba_sort

N = 100


@pytest.mark.parametrize("top", [2.0, 4.0, 3.0])
def test_crowded_scores_below_a_round_number_are_ordered_to_the_last_bit(monkeypatch, dtype, top):
    """Scores an ulp apart beside 0 and a round best one: the range of keys ends in zero bits."""
    monkeypatch.setenv("LINKPRIOR_KERNELS", "numba")
    rng = np.random.default_rng(7)
    row = (1 + np.finfo(dtype).eps * rng.permutation(N)).astype(dtype)
    row[[3, 40]] = 0.0, top
    found = kernels.argsort_rows(row[None], -1)[0]
    assert found.tolist() == sorted(range(N), key=lambda column: (-row[column], column))


def places(keys):
    """Return words of equal leading bits for the places of some keys."""
    return np.arange(len(keys), dtype=np.uint64), keys.astype(np.uint64)


def test_sorting_by_insertion_is_given_up_where_it_would_take_n_squared_moves():
    backwards = np.arange(N)[::-1]
    assert not numba_sort.repair_words(backwards.astype(np.uint64), N)
    assert not numba_sort.repair_full_keys(*places(backwards), N)


def test_sorting_by_insertion_repairs_what_is_next_to_its_place():
    swapped = np.arange(N).reshape(-1, 2)[:, ::-1].ravel()
    words = swapped.astype(np.uint64)
    assert numba_sort.repair_words(words, N)
    assert words.tolist() == list(range(N))
    words, keys = places(swapped)
    assert numba_sort.repair_full_keys(words, keys, N)
    assert keys[words].tolist() == list(range(N))
