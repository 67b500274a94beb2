"""Blocks, ranks, tables and trees at the limits of what a kernel takes, before any engine."""

import numpy as np
import pytest

from linkprior import kernels
from linkprior.errors import ParameterError
from linkprior.kernels import arguments, portable_stack

KEYS = [[5.0, 3.0, 9.0, 1.0], [2.0, 8.0, 4.0, 6.0]]
NO_EDGE = np.zeros(3, np.int64), np.zeros(0, np.int64)  # two nodes


def test_ranks_run_from_the_best_to_the_last_column_and_no_further():
    """Of four columns a row ranks three where one is its diagonal."""
    for first, ranks, expected in (
        (0, [0, 2], [[9.0, 1.0], [6.0, 2.0]]),
        (2, [2, 0], [[1.0, 5.0], [2.0, 8.0]]),
        (-1, [0, 3], [[9.0, 1.0], [8.0, 2.0]]),
        (-1, [], [[], []]),
    ):
        assert kernels.row_quantiles(KEYS, first, ranks).tolist() == expected
    for first, ranks, told in (
        (0, [3], "0…2, got [3]"),
        (0, [-1], "0…2, got [-1]"),
        (2, [0, -1, 2], "0…2, got [0, -1, 2]"),
        (-1, [4], "0…3, got [4]"),
        (-1, [-1], "0…3, got [-1]"),
        (-1, [[0]], "0…3, got [[0]]"),
    ):
        with pytest.raises(ParameterError) as refused:
            kernels.row_quantiles(KEYS, first, ranks)
        assert str(refused.value) == f"ranks must lie in {told}"


def test_a_block_has_its_diagonal_within_its_columns_or_none_at_all():
    for shape, first in (((2, 2), 0), ((1, 2), 1), ((0, 2), 2), ((0, 0), 0), ((3, 2), -1)):
        assert arguments.row_block(np.ones(shape), first).shape == shape
    for shape, first in (
        ((3, 2), 0),
        ((1, 0), 0),
        ((2, 2), 1),
        ((1, 2), 2),
        ((0, 2), 3),
        ((1, 3), -2),
        ((1, 3), -3),
    ):
        with pytest.raises(ParameterError, match=rf"first = {first} does not fit"):
            kernels.argsort_rows(np.ones(shape), first)


def test_rows_of_no_square_matrix_have_no_pairs_to_look_up_or_to_list():
    """Their scores compare with no other node's, though −1 would count back from the last."""
    scores, tables, scale, weights = np.ones((2, 2)), np.ones((2, 1)), [1.0, 3.0], [2.0]
    penalty = kernels.lookup_penalty(scores, 0, tables, scale, weights)
    assert penalty.tolist() == [[0.0, 4.0], [4.0, 0.0]]  # ½(1·2 + 3·2)
    assert [part.tolist() for part in kernels.top_pairs(scores, 0, *NO_EDGE, 9)] == [[0], [1], [1]]
    for n_rows in (1, 2):
        with pytest.raises(ParameterError, match="first = -1 does not fit"):
            kernels.lookup_penalty(scores[:n_rows], -1, tables, scale, weights)
        with pytest.raises(ParameterError, match="first = -1 does not fit"):
            kernels.top_pairs(scores[:n_rows], -1, *NO_EDGE, 9)


def test_a_table_has_a_line_for_each_node_and_at_least_one_knot():
    scores, scale = np.ones((2, 2)), np.ones(2)
    for tables, weights in (((2, 0), 0), ((2, 1), 0), ((2, 0), 1), ((3, 1), 1), ((2, 2), 1)):
        with pytest.raises(ParameterError) as refused:
            kernels.lookup_penalty(scores, 0, np.ones(tables), scale, np.ones(weights))
        assert str(refused.value) == (
            f"tables must have shape (2, number of knots), got {tables} "
            f"for weights of shape ({weights},)"
        )
    with pytest.raises(ParameterError, match=r"for weights of shape \(1, 1\)"):
        kernels.lookup_penalty(scores, 0, np.ones((2, 1)), scale, np.ones((1, 1)))


def test_scores_below_zero_are_kept_unless_clipping_is_asked_for():
    """A score of −1 is below the only knot, whose weight is 2: −1 − 2."""
    asked = np.full((1, 2, 2), -1.0), 0, np.ones((1, 1, 2, 1)), np.ones(2), [2.0], -np.inf
    assert kernels.sketch_above(*asked)[0, 1] == -3.0
    assert kernels.sketch_above(*asked, clip=False)[0, 1] == -3.0
    assert kernels.sketch_above(*asked, clip=True)[0, 1] == 0.0


def test_every_tree_needs_a_depth():
    """Nodes 0 and 1 are leaves of 2 and 5, each a tree of its own."""
    features, none, leaves = np.zeros((3, 1), np.float32), np.zeros(2, int), np.arange(2)
    for depths, total in (([0, 0], 7.0), ([0], None), ([0, 0, 0], None)):
        out = np.zeros(3)
        rest = none, np.full(2, np.inf), leaves, np.array([2.0, 5.0]), out
        if total is None:
            with pytest.raises(ValueError, match=r"zip\(\)"):
                portable_stack.add_trees(features, leaves, np.array(depths), *rest)
        else:
            portable_stack.add_trees(features, leaves, np.array(depths), *rest)
            assert out.tolist() == [total] * 3


def test_a_block_knows_the_stored_pairs_of_its_rows_and_of_no_others():
    rows = [[1, 2], [0], [0, 3, 4], [2], [2]]
    indptr, indices = np.array([0, 2, 3, 6, 7, 8]), np.concatenate(rows)
    for first, stop in ((0, 1), (0, 3), (1, 3), (2, 4), (4, 5), (0, 5), (3, 3)):
        block = np.ones((stop - first, 5))
        for starts, columns in (
            arguments.stored_in(block, first, indptr, indices),
            arguments.stored_rows(5, first, stop - first, indptr, indices),
        ):
            assert starts.size == stop - first + 1
            assert [part.tolist() for part in np.split(columns, starts[1:])] == [
                *rows[first:stop],
                [],  # after the last row nothing is left
            ]
