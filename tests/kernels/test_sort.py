"""Order, penalty and quantiles of rows, against plain Python; the sort in pieces."""

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given
from hypothesis.extra import numpy as hnp
from tests.kernels.conftest import RELAXED

from linkprior import _config, kernels
from linkprior.errors import ParameterError
from linkprior.kernels import sort as ns


def naive_order(row, diagonal):
    columns = [j for j in range(len(row)) if j != diagonal]
    return sorted(columns, key=lambda j: (-float(row[j]), j))


def naive_orders(keys, first):
    orders = [naive_order(row, first + r if first >= 0 else -1) for r, row in enumerate(keys)]
    return np.array(orders, dtype=np.int32).reshape(len(keys), -1)


def naive_penalty(keys, scale, profiles, first):
    out = np.zeros_like(keys)
    for r, order in enumerate(naive_orders(keys, first)):
        for k, j in enumerate(order):
            out[r, j] = scale[r] * profiles[r, k]
    return out


def kinds_of_data(p, b, dtype):
    rng = np.random.default_rng(p)
    uniform = rng.random((b, p))
    yield "uniform", uniform.astype(dtype)
    yield "normal", rng.standard_normal((b, p)).astype(dtype)
    yield "heavy tail", (rng.pareto(0.5, (b, p)) * (rng.random((b, p)) < 0.4)).astype(dtype)
    yield "all equal", np.full((b, p), -2.5, dtype)
    yield "few values", rng.integers(-1, 2, (b, p)).astype(dtype)
    yield "signed zeros", np.where(uniform < 0.5, -0.0, 0.0).astype(dtype)
    yield "extremes", rng.choice([-np.inf, np.inf, 0, 1e-30, -1e30, 1], (b, p)).astype(dtype)
    # One far value makes all others share their leading bits: the plain radix passes must run.
    crowded = dtype(1) + rng.integers(0, 900, (b, p)).astype(dtype) * np.finfo(dtype).eps
    crowded[:, -1] = -1e30
    yield "crowded", crowded


def blocks(p):
    """Yield (first, rows) of whole, middle, single and non-square blocks."""
    b = min(p, 6)
    return {(0, b), (p - b, b), (p // 2, 1), (-1, 3)}


def test_argsort_rows(engine, dtype, size):
    for first, b in blocks(size):
        for kind, keys in kinds_of_data(size, b, dtype):
            order = kernels.argsort_rows(keys, first)
            assert order.dtype == np.int32
            np.testing.assert_array_equal(order, naive_orders(keys, first), kind)


def test_rank_penalty(engine, dtype, size):
    rng = np.random.default_rng(size)
    for first, b in blocks(size):
        scale = rng.random(b).astype(dtype)
        profiles = np.sort(rng.random((b, size - (first >= 0))), axis=1).astype(dtype)
        for kind, keys in kinds_of_data(size, b, dtype):
            for profile in (profiles[0], profiles):  # one of all rows, or one for each
                penalty = kernels.rank_penalty(keys, scale, profile, first)
                expected = naive_penalty(
                    keys, scale, np.broadcast_to(profile, (b, *profile.shape[-1:])), first
                )
                np.testing.assert_array_equal(penalty, expected, kind)
                assert penalty.dtype == dtype


def test_row_quantiles(engine, dtype, size):
    for first, b in blocks(size):
        last = size - (first >= 0)  # a row does not rank its diagonal
        ranks = np.unique(np.geomspace(1, last, 9).astype(int))[::-1] - 1 if last else []
        for kind, keys in kinds_of_data(size, b, dtype):
            expected = np.take_along_axis(keys, naive_orders(keys, first)[:, ranks], 1)
            np.testing.assert_array_equal(kernels.row_quantiles(keys, first, ranks), expected, kind)


@RELAXED
@given(data=st.data())
def test_any_floats_are_ordered(engine, data):
    width = data.draw(st.sampled_from([32, 64]))
    floats = st.floats(width=width, allow_nan=False) | st.sampled_from([0.0, -0.0, 1.0])
    shape = hnp.array_shapes(min_dims=2, max_dims=2, max_side=9)
    keys = data.draw(hnp.arrays(f"f{width // 8}", shape, elements=floats))
    b, p = keys.shape
    first = data.draw(st.integers(-1, p - b)) if p >= b else -1
    np.testing.assert_array_equal(kernels.argsort_rows(keys, first), naive_orders(keys, first))


def test_out_is_written_and_may_be_the_input(engine, dtype):
    rng = np.random.default_rng(0)
    values, scale, profile = rng.random((20, 20)).astype(dtype), np.ones(20), np.arange(19) / 19
    expected = kernels.rank_penalty(values, scale, profile, 0)
    assert kernels.rank_penalty(values, scale, profile, 0, values) is values
    np.testing.assert_array_equal(values, expected)


def test_any_layout_comes_in(engine):
    values = np.random.default_rng(0).integers(0, 9, (7, 7))
    values.flags.writeable = False
    np.testing.assert_array_equal(kernels.argsort_rows(values.T, 0), naive_orders(values.T, 0))
    np.testing.assert_array_equal(
        kernels.argsort_rows(values[::2], -1), naive_orders(values[::2], -1)
    )


def test_unfit_arguments_are_refused(engine):
    keys, scale, profile = np.eye(4), np.ones(4), np.ones(3)
    with pytest.raises(ParameterError, match="2-d"):
        kernels.argsort_rows(keys[0], 0)
    with pytest.raises(ParameterError, match="profile must have shape"):
        kernels.rank_penalty(keys, scale, np.ones(4), 0)
    with pytest.raises(ParameterError, match="out must be"):
        kernels.rank_penalty(keys, scale, profile, 0, np.empty((4, 4), np.float32))


def words(*numbers):
    return np.array(numbers, np.uint64)


def whole(number):
    return np.uint64(number)


def backwards_by(moves, n):
    """Return 0 … n − 1 in an order from which insertion takes so many moves."""
    order = []
    for number in range(n):
        step = min(number, moves)
        order.insert(number - step, number)
        moves -= step
    assert moves == 0
    return order


# ---------------------------------------------------------------------- buffers


@pytest.mark.parametrize("p", [1, 50, 63, 64, 65, 127, 128, 4095, 4096, 9000, 20000])
def test_counters_are_a_power_of_two_that_grows_with_the_row_up_to_eleven_bits(p):
    key, low, high, first, second = ns.scratch_for(np.empty((1, p), np.uint32))
    assert len(key) == len(first) == len(second) == p
    assert key.dtype == np.uint32
    size = len(low)
    assert size == len(high)
    assert bin(size).count("1") == 1
    assert 16 <= size <= 2**11
    assert size == 16 or 2 * size <= p  # not more of them than a half of the entries
    assert size == 2**11 or 4 * size > p


# ---------------------------------------------------------------------- keys


@pytest.mark.parametrize(("floats", "bits"), [(np.float32, np.uint32), (np.float64, np.uint64)])
def test_keys_ascend_where_scores_descend_and_zeros_have_one_key(floats, bits):
    tiny = np.finfo(floats).smallest_subnormal
    scores = np.array([np.inf, 2, 1, tiny, 0.0, -0.0, -tiny, -1, -2, -np.inf], floats)
    key = np.zeros(len(scores) + 1, bits)
    mask = bits(np.iinfo(bits).max // 2)
    ns.fill_keys(scores.view(bits), mask, 0, len(scores), 0, key)
    steps = np.diff(key[:-1].astype(object))
    assert (steps >= 0).all()
    assert np.flatnonzero(steps == 0).tolist() == [4]
    assert key[6] == key[5] + 1  # no step is left where -0.0 was
    assert key[-1] == 0  # nothing is written beyond


def test_keys_of_a_stretch_of_columns_are_moved_to_the_left():
    bits = np.array([5.0, 4.0, 3.0, 2.0]).view(np.uint64)
    mask, whole_row = whole(2**63 - 1), np.zeros(4, np.uint64)
    ns.fill_keys(bits, mask, 0, 4, 0, whole_row)
    key = np.zeros(4, np.uint64)
    ns.fill_keys(bits, mask, 2, 4, 1, key)
    assert key.tolist() == [0, *whole_row[2:].tolist(), 0]


@pytest.mark.parametrize(
    ("before", "n", "after", "gap"),
    [
        ([5, 2, 100, 90], 4, [5, 2, 16, 6], 84),
        ([10, 100, 3], 3, [10, 11, 3], 89),  # the edge itself is no negative score
        ([5, 90, 20], 2, [5, 6, 20], 84),  # the third is no entry of this row
        ([11, 10], 2, [11, 10], 0),
    ],
)
def test_the_empty_stretch_between_both_signs_is_closed(before, n, after, gap):
    key = words(*before)
    assert ns.close_gap(key, n, whole(10)) == gap
    assert key.tolist() == after


@pytest.mark.parametrize(
    ("span", "width", "shift"),
    [(0, 4, 0), (15, 4, 0), (16, 4, 1), (31, 4, 1), (32, 4, 2), (2**40, 32, 9), (1, 0, 1)],
)
def test_the_shift_is_the_least_that_fits_a_number_into_its_bits(span, width, shift):
    assert ns.bits_beyond(whole(span), whole(width)) == shift


# ---------------------------------------------------------------------- counting passes


@pytest.mark.parametrize(("p", "digit"), [(60, 4), (70, 5)])
@pytest.mark.parametrize(("bits", "trim"), [(6, 0), (12, 0), (30, 0), (40, 8), (62, 30)])
def test_two_passes_sort_by_the_topmost_bits_and_keep_the_order_of_equals(p, digit, bits, trim):
    """The words then tell the leading 32 bits of each key, and its place."""
    work = ns.scratch_for(np.empty((1, p), np.uint64))
    n, rng, smallest = p - 3, np.random.default_rng(bits), 1000
    offsets = rng.integers(0, 2**bits, n)
    offsets[:3] = 0, 2**bits - 1, offsets[4]
    work[0][:n], work[0][n:] = offsets + smallest, 2**63  # what is beyond n does not count
    ns.sort_leading_bits(n, whole(smallest), whole(2**bits - 1), whole(trim), work)
    found = work[4][:n].tolist()
    leading = [word >> 32 for word in found]
    places = [word & 0xFFFFFFFF for word in found]
    assert sorted(places) == list(range(n))
    assert leading == (offsets[places] >> trim).tolist()
    beyond = max(0, bits - trim - 2 * digit)
    topmost = [number >> beyond for number in leading]
    assert places == sorted(range(n), key=lambda at: int(offsets[at]) >> trim >> beyond)
    assert topmost == sorted(topmost)


@pytest.mark.parametrize("bits", [0, 4, 5, 23, 60, 64])
def test_plain_passes_order_keys_of_any_length_and_keep_equals_in_place(bits):
    p = n = 70
    work = ns.scratch_for(np.empty((1, p), np.uint64))
    rng = np.random.default_rng(bits)
    smallest = 3 if bits < 64 else 0
    key = [smallest + int(k) % 2**bits for k in rng.integers(0, 2**64 - 1, n, np.uint64)]
    key[5] = key[9]
    key[0], key[1] = smallest, smallest + 2**bits - 1
    work[0][:] = words(*key)
    ns.radix_order(n, whole(smallest), whole(2**bits - 1), work)
    assert work[4].tolist() == sorted(range(n), key=lambda place: key[place])


def test_plain_passes_leave_alone_what_is_beyond_the_row():
    work = ns.scratch_for(np.empty((1, 5), np.uint64))
    work[0][:], work[4][:] = words(9, 7, 8, 1, 2), 77
    ns.radix_order(3, whole(7), whole(2), work)
    assert work[4].tolist() == [1, 2, 0, 77, 77]


# ---------------------------------------------------------------------- insertion


@pytest.mark.parametrize("order", [[1, 0], [2, 0, 1], [1, 2, 0], [0, 2, 1], [3, 1, 2, 0]])
def test_few_words_are_put_in_order(order):
    given = words(*order)
    assert ns.repair_words(given, len(order))
    assert given.tolist() == sorted(order)


@pytest.mark.parametrize("key", [[1, 0], [2, 0, 1], [1, 2, 0], [0, 2, 1], [5, 5, 1, 5]])
def test_words_of_equal_leading_bits_are_ordered_by_the_whole_key(key):
    given = words(*range(len(key)))
    assert ns.repair_full_keys(given, words(*key), len(key))
    assert given.tolist() == sorted(range(len(key)), key=lambda place: key[place])


def test_words_of_other_leading_bits_stay_where_they_are():
    given = words(0 << 32 | 1, 1 << 32 | 2, 1 << 32 | 0, 2 << 32 | 3)
    assert ns.repair_full_keys(given, words(5, 9, 8, 1), 4)
    assert [word & 0xFFFFFFFF for word in given.tolist()] == [1, 0, 2, 3]


@pytest.mark.parametrize("n", [20, 31])
@pytest.mark.parametrize(("more", "done"), [(0, True), (1, False)])
def test_insertion_goes_on_up_to_its_share_of_moves(n, more, done):
    order = backwards_by(ns.MOVES_PER_ENTRY * n + more, n)
    assert ns.repair_words(words(*order), n) is done
    assert ns.repair_full_keys(words(*range(n)), words(*order), n) is done


# ---------------------------------------------------------------------- whole rows


@pytest.mark.parametrize("diagonal", [0, 1, 3, 4])
@pytest.mark.parametrize(
    "row",
    [
        [0.0, -1.0, -2.0, -0.5],
        [3.0, 0.0, 2.0, 1.0],
        [-1.0, 1.0, -2.0, 2.0],
        [1.0, 1.0, -0.0, 0.0],
        [-3.0, -3.0, -1.0, -2.0],
    ],
)
def test_a_row_is_ordered_whatever_its_signs_and_its_diagonal(row, diagonal):
    bits = np.array([row]).view(np.uint64)
    work = ns.scratch_for(bits)
    found = ns.order_row(bits[0], whole(2**63 - 1), diagonal, work)
    columns = [column for column in range(4) if column != diagonal]
    ranked = [int(ns.column_of(word, whole(diagonal))) for word in found[: len(columns)]]
    assert ranked == sorted(columns, key=lambda column: (-row[column], column))


N = 100


@pytest.mark.parametrize("top", [2.0, 4.0, 3.0])
def test_crowded_scores_below_a_round_number_are_ordered_to_the_last_bit(monkeypatch, dtype, top):
    """Scores an ulp apart beside 0 and a round best one: the range of keys ends in zero bits."""
    _config.set_fields(kernels="numba")
    rng = np.random.default_rng(7)
    row = (1 + np.finfo(dtype).eps * rng.permutation(N)).astype(dtype)
    row[[3, 40]] = 0.0, top
    found = kernels.argsort_rows(row[None], -1)[0]
    assert found.tolist() == sorted(range(N), key=lambda column: (-row[column], column))


class Watched(int):
    """A number that is shifted by less than its 64 bits only."""

    def __rshift__(self, shift):
        assert shift < 64
        return np.uint64(int(self) >> int(shift))


@pytest.mark.parametrize("p", [20, 70, 256, 512])
def test_no_pass_shifts_by_all_64_bits(p):
    """NumPy makes that 0; compiled it may be no shift at all, and the lowest bits sort again."""
    work = ns.scratch_for(np.empty((1, p), np.uint64))
    work[0][:3] = np.array([2**64 - 1, 0, 5], np.uint64)
    passes = getattr(ns.radix_order, "py_func", ns.radix_order)
    passes(3, np.uint64(0), Watched(2**64 - 1), work)
    assert work[4][:3].tolist() == [1, 2, 0]


def test_a_row_of_its_diagonal_alone_has_no_places():
    bits = np.array([[1.0]]).view(np.uint64)
    found = ns.order_row(bits[0], np.uint64(2**63 - 1), 0, ns.scratch_for(bits))
    assert found[:0].tolist() == []


def test_rows_without_columns_have_an_order_of_nothing(engine, dtype):
    assert kernels.argsort_rows(np.empty((2, 0), dtype), -1).shape == (2, 0)
