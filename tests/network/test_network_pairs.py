"""Pairs of nodes as numbers."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from linkprior.errors import InputError
from linkprior.network import pairs


@given(st.integers(2, 10**6), st.data())
def test_codes_give_pairs_back_and_sort_like_pairs(p, data):
    ends = st.integers(0, p - 1)
    several = np.array(data.draw(st.lists(st.tuples(ends, ends), min_size=1)), dtype=np.int64)
    codes = pairs.encode(several, p)
    assert (pairs.decode(codes, p) == several).all()
    by_pair = sorted(map(tuple, several.tolist()))
    assert [tuple(x) for x in pairs.decode(np.sort(codes), p).tolist()] == by_pair


@pytest.mark.parametrize("bad", [[(0, 1, 2)], [(0.5, 1.0)], [(0, -1)], [(0, 9)]])
def test_bad_pairs_are_refused(bad):
    with pytest.raises(InputError, match="pairs must"):
        pairs.as_pairs(bad, 5)
