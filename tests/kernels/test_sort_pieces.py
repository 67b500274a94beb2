"""The pieces of the radix sort, one by one: a later one would repair what an earlier one spoils."""

import numpy as np
import pytest

from linkprior.kernels import numba_sort as ns


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


@pytest.mark.parametrize(("size", "width"), [(1, 0), (2, 1), (16, 4), (32, 5), (2048, 11)])
def test_the_width_of_a_digit_is_the_logarithm_of_its_buckets(size, width):
    assert ns.digit_width(np.empty(size, np.uint32)) == width


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
    ("key", "n", "smallest", "span"),
    [
        ([7, 3, 9, 1], 3, 3, 6),
        ([4, 4, 2, 8], 4, 2, 6),
        ([7, 3, 99], 1, 7, 0),
        ([3, 7, 1], 1, 3, 0),
    ],
)
def test_the_range_of_keys_is_that_of_the_entries_of_the_row(key, n, smallest, span):
    assert ns.key_range(words(*key), n) == (smallest, span)


@pytest.mark.parametrize(
    ("span", "width", "shift"),
    [(0, 4, 0), (15, 4, 0), (16, 4, 1), (31, 4, 1), (32, 4, 2), (2**40, 32, 9), (1, 0, 1)],
)
def test_the_shift_is_the_least_that_fits_a_number_into_its_bits(span, width, shift):
    assert ns.bits_beyond(whole(span), whole(width)) == shift


# ---------------------------------------------------------------------- counting passes


def test_counts_become_first_positions():
    low, high = np.array([1, 0, 2, 4], np.uint32), np.array([0, 3, 0, 4], np.uint32)
    ns.starts_from_counts(low, high)
    assert low.tolist() == [0, 1, 1, 3]
    assert high.tolist() == [0, 0, 3, 3]


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
