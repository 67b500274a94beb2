"""Rows in order of their scores, and penalties by rank: a stable radix sort that stays in cache.

How a row is ordered, exactly and in about five cheap passes:

1. every float becomes an unsigned key whose ascending order is the float's descending order, and
   the empty stretch of keys between negative and other scores is closed;
2. the leading 32 bits of `key - smallest key` are packed above the entry's place in the row;
3. two counting passes sort by the leading 2·d bits only (d ≤ 11, so counters stay in L1);
4. what these bits left unsorted is next to its final position: insertion sort repairs it;
5. rows where that would be slow (huge clusters of nearly equal scores) take plain radix passes.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from linkprior.errors import ParameterError
from linkprior.kernels._engine import (
    Array,
    n_ranks,
    plain,
    row_block,
    target_for,
    use_numba,
    vector_of,
)
from linkprior.kernels._jit import compiled

Scratch = tuple[Array, Array, Array, Array, Array]


def argsort_rows(keys: ArrayLike, first: int) -> Array:
    """Order the columns of each row by descending key, ties by smaller column, as int32.

    The diagonal is left out when ``first >= 0``; 0.0 and -0.0 are equal.
    """
    block = row_block(keys, first)
    b, p = block.shape
    if use_numba(p):
        out = np.empty((b, n_ranks(block, first)), np.int32)
        argsort_rows_numba(block, *_bits(block), first, out)
        return out
    if first < 0:
        return np.argsort(-block, axis=1, kind="stable").astype(np.int32)
    diagonal = first + np.arange(b)[:, None]
    others = block[np.arange(p) != diagonal].reshape(b, p - 1)
    order = np.argsort(-others, axis=1, kind="stable")
    return (order + (order >= diagonal)).astype(np.int32)


def rank_penalty(
    keys: ArrayLike, scale: ArrayLike, profile: ArrayLike, first: int, out: Array | None = None
) -> Array:
    """Write ``scale[r] * profile[k]``, k the 0-based rank of a column in its row; diagonal 0.

    Ranks are positions in `argsort_rows`; `profile` has a number for each of them, or a row of
    numbers for each row of the block. Products are formed in the dtype of `keys`, which may be
    `out` as well; what has its shape and dtype is made where `out` is None.
    """
    block = row_block(keys, first)
    target = target_for(out, block.shape, block.dtype)
    factors = vector_of("scale", scale, block.shape[0], block.dtype)
    steps = np.atleast_2d(plain(profile, block.dtype))
    shape = block.shape[0], n_ranks(block, first)
    if steps.shape not in ((1, shape[1]), shape):
        raise ParameterError(
            f"profile must have shape {shape[1:]} or {shape}, got {np.shape(profile)}"
        )
    if use_numba(block.shape[1]):
        rank_penalty_numba(block, *_bits(block), factors, steps, first, target)
        return target
    order = argsort_rows(block, first)
    target[:] = 0
    np.put_along_axis(target, order.astype(np.int64), factors[:, None] * steps, axis=1)
    return target


def row_quantiles(keys: ArrayLike, first: int, ranks: ArrayLike) -> Array:
    """Return the (b, m) keys at m 0-based ranks of each row's descending order."""
    block = row_block(keys, first)
    at = plain(ranks, np.int64)
    if at.ndim != 1 or ((at < 0) | (at >= n_ranks(block, first))).any():
        raise ParameterError(f"ranks must lie in 0…{n_ranks(block, first) - 1}, got {ranks!r}")
    return np.take_along_axis(block, argsort_rows(block, first)[:, at], axis=1)


def _bits(values: Array) -> tuple[Array, Any]:
    """Return the bit patterns of floats, and the mask of all bits but the sign."""
    kind = np.uint32 if values.dtype == np.float32 else np.uint64
    return values.view(kind), kind(np.iinfo(kind).max // 2)


# ---------------------------------------------------------------------- compiled

# numba turns uint64 mixed with a plain int into a float, hence constants of the exact type.
ZERO, ONE, HALF_WORD = np.uint64(0), np.uint64(1), np.uint64(32)
PLACE = np.uint64(0xFFFFFFFF)  # the low half of a packed word: the entry's place in its row
TICK = np.uint32(1)
MOVES_PER_ENTRY = 8  # insertion work above which plain radix passes are the cheaper way
MOST_BUCKETS = 2048  # digits of at most 11 bits


@compiled
def scratch_for(bits: Array) -> Scratch:
    """Return the buffers one row needs: keys, two counters, two arrays of packed words."""
    p = bits.shape[1]
    buckets = 16
    while buckets < MOST_BUCKETS and 4 * buckets <= p:
        buckets *= 2
    low, high = np.empty(buckets, np.uint32), np.empty(buckets, np.uint32)
    return np.empty(p, bits.dtype), low, high, np.empty(p, np.uint64), np.empty(p, np.uint64)


@compiled
def fill_keys(bits: Array, mask: Any, start: int, stop: int, skip: int, key: Array) -> None:
    """Write keys that ascend where scores descend; 0.0 and -0.0 get the same key.

    The bits of a negative score are above `mask`; one less for them closes the step that -0.0
    makes. Both ways are cheap, so the compiler computes both and chooses: signs come in no order,
    and a branch would be guessed wrong half of the time.
    """
    for column in range(start, stop):
        pattern = np.uint64(bits[column])
        negative = pattern > np.uint64(mask)
        key[column - skip] = pattern - ONE if negative else pattern ^ np.uint64(mask)


@compiled
def close_gap(key: Array, n: int, edge: Any) -> Any:
    """Move the keys above `edge` (negative scores) up to the others; return by how much.

    Small exponents take up most of the range of floats around zero and hardly a score lies there:
    without them the leading bits distinguish far more scores.
    """
    last, first = ZERO, ~ZERO
    for place in range(n):
        word = np.uint64(key[place])
        last = max(last, ZERO if word > edge else word)
        first = min(first, word if word > edge else ~ZERO)
    gap = first - last - ONE
    for place in range(n):
        word = np.uint64(key[place])
        key[place] = word - gap if word > edge else word
    return gap


@compiled
def bits_beyond(span: Any, width: Any) -> Any:
    """Return how far `span` must be shifted right to fit into `width` bits."""
    shift, limit = ZERO, ONE << width
    while (span >> shift) >= limit:
        shift += ONE
    return shift


@compiled
def sort_leading_bits(n: int, smallest: Any, span: Any, trim: Any, work: Scratch) -> None:
    """Fill work[4] with words (leading key bits, place), sorted by their topmost 2·d bits."""
    key, low, high, first_pass, result = work
    mask = np.uint64(low.size - 1)
    width = bits_beyond(mask, ZERO)
    shift = bits_beyond(span >> trim, width + width)
    low[:] = 0
    high[:] = 0
    for place in range(n):
        leading = (np.uint64(key[place]) - smallest) >> (trim + shift)
        low[leading & mask] += TICK
        high[leading >> width] += TICK
    low_start, high_start = np.uint32(0), np.uint32(0)
    for bucket in range(low.size):
        low_count, high_count = low[bucket], high[bucket]
        low[bucket], high[bucket] = low_start, high_start
        low_start += low_count
        high_start += high_count
    for place in range(n):
        leading = (np.uint64(key[place]) - smallest) >> trim
        bucket = (leading >> shift) & mask
        position = low[bucket]
        low[bucket] = position + TICK
        first_pass[position] = (leading << HALF_WORD) | np.uint64(place)
    top = HALF_WORD + shift + width
    for place in range(n):
        word = first_pass[place]
        bucket = word >> top
        position = high[bucket]
        high[bucket] = position + TICK
        result[position] = word


@compiled
def repair_words(words: Array, n: int) -> bool:
    """Insertion-sort nearly sorted words; give up (False) when it takes too many moves."""
    moves = 0
    for i in range(1, n):
        word = words[i]
        if word < words[i - 1]:
            j = i
            while j > 0 and words[j - 1] > word:
                words[j] = words[j - 1]
                j -= 1
            words[j] = word
            moves += i - j
            if moves > MOVES_PER_ENTRY * n:
                return False
    return True


@compiled
def repair_full_keys(words: Array, key: Array, n: int) -> bool:
    """Order words whose 32 leading bits agree by the whole key (float64 only)."""
    moves = 0
    for i in range(1, n):
        word, leading, j = words[i], words[i] >> HALF_WORD, i
        while j > 0 and (words[j - 1] >> HALF_WORD) == leading:
            if key[words[j - 1] & PLACE] <= key[word & PLACE]:
                break
            words[j] = words[j - 1]
            j -= 1
        words[j] = word
        moves += i - j
        if moves > MOVES_PER_ENTRY * n:
            return False
    return True


@compiled
def radix_order(n: int, smallest: Any, span: Any, work: Scratch) -> None:
    """Fill work[4] with places in ascending key order by plain passes from the lowest digit."""
    key, counts, source, target = work[0], work[1], work[3], work[4]
    mask, shift = np.uint64(counts.size - 1), ZERO
    width = bits_beyond(mask, ZERO)
    for place in range(n):
        target[place] = np.uint64(place)
    while shift < np.uint64(64) and (span >> shift) > ZERO:
        source[:n] = target[:n]
        counts[:] = 0
        for place in range(n):
            counts[((np.uint64(key[place]) - smallest) >> shift) & mask] += TICK
        start = np.uint32(0)
        for bucket in range(counts.size):
            count = counts[bucket]
            counts[bucket] = start
            start += count
        for i in range(n):
            digit = ((np.uint64(key[source[i]]) - smallest) >> shift) & mask
            target[counts[digit]] = source[i]
            counts[digit] += TICK
        shift += width


@compiled
def order_row(bits: Array, mask: Any, diagonal: int, work: Scratch) -> Array:
    """Return words whose low half lists a row's places (`column_of`), best first, ties by place."""
    p, key, result = bits.size, work[0], work[4]
    n = p - 1 if diagonal < p else p
    if n == 0:
        return result
    fill_keys(bits, mask, 0, diagonal, 0, key)
    fill_keys(bits, mask, diagonal + 1, p, 1, key)
    smallest, largest = key[0], key[0]
    for place in range(n):
        smallest, largest = min(smallest, key[place]), max(largest, key[place])
    smallest, span = np.uint64(smallest), np.uint64(largest) - np.uint64(smallest)
    if smallest <= np.uint64(mask) < smallest + span:
        span -= close_gap(key, n, np.uint64(mask))
    trim = bits_beyond(span, HALF_WORD)
    sort_leading_bits(n, smallest, span, trim, work)
    if not (repair_words(result, n) and (trim == ZERO or repair_full_keys(result, key, n))):
        radix_order(n, smallest, span, work)
    return result


@compiled
def column_of(word: Any, diagonal: Any) -> Any:
    """Return the column at a word's place: k, or k + 1 from the diagonal on, which has no place."""
    place = word & PLACE
    return place + np.uint64(place >= diagonal)


@compiled
def argsort_rows_numba(keys: Array, bits: Array, mask: Any, first: int, out: Array) -> None:
    """Write each row's columns, best first."""
    work = scratch_for(bits)
    for r in range(keys.shape[0]):
        diagonal = first + r if first >= 0 else keys.shape[1]
        words = order_row(bits[r], mask, diagonal, work)
        for rank in range(out.shape[1]):
            out[r, rank] = column_of(words[rank], np.uint64(diagonal))


@compiled
def rank_penalty_numba(
    keys: Array, bits: Array, mask: Any, scale: Array, profile: Array, first: int, out: Array
) -> None:
    """Write scale[r] * profile[rank], and 0 on the diagonal."""
    work = scratch_for(bits)
    for r in range(keys.shape[0]):
        diagonal = first + r if first >= 0 else keys.shape[1]
        words, target, factor = order_row(bits[r], mask, diagonal, work), out[r], scale[r]
        steps = profile[r % len(profile)]
        for rank in range(steps.size):
            target[column_of(words[rank], np.uint64(diagonal))] = factor * steps[rank]
        if diagonal < target.size:
            target[diagonal] = 0
