"""What kernels hand to their engine, what they refuse, and which engine and library they take."""

import sys
from types import SimpleNamespace

import numpy as np
import pytest

from linkprior import kernels
from linkprior.errors import ParameterError
from linkprior.kernels import arguments, blocks, ops, portable, rank_counts
from linkprior.kernels import engine as choice

# Rows 0 … 4 of a network of five nodes hold: 1 2 | 0 | 0 3 4 | 2 | 2
INDPTR, INDICES = np.array([0, 2, 3, 6, 7, 8]), np.array([1, 2, 0, 0, 3, 4, 2, 2])


@pytest.mark.parametrize(
    ("first", "n_rows", "starts", "columns"),
    [
        (0, 1, [0, 2], [1, 2]),
        (0, 5, [0, 2, 3, 6, 7, 8], [1, 2, 0, 0, 3, 4, 2, 2]),
        (1, 2, [0, 1, 4], [0, 0, 3, 4]),
        (4, 1, [0, 1], [2]),
        (3, 0, [0], []),
    ],
)
def test_a_block_takes_the_stored_pairs_of_its_own_rows_along(first, n_rows, starts, columns):
    for made in (
        arguments.stored_rows(5, first, n_rows, INDPTR, INDICES),
        arguments.stored_in(np.ones((n_rows, 5)), first, INDPTR, INDICES),
    ):
        assert [part.tolist() for part in made] == [starts, columns]


@pytest.mark.parametrize("name", ["tally", "tally_nodes"])
def test_an_engine_counts_with_the_stored_pairs_of_its_block_alone(name, monkeypatch):
    seen = []

    def counted(scores, first, indptr, indices, *others):
        seen.append((indptr.tolist(), indices.tolist()))

    monkeypatch.setattr(rank_counts, "engine_for", lambda p: SimpleNamespace(**{name: counted}))
    nodes = np.zeros(5, int)
    rest = ([0.0], nodes, np.ones((1, 1, 1))) if name == "tally" else (np.arange(6), np.zeros(5))
    getattr(kernels, name)(np.ones((2, 4)), 1, INDPTR, INDICES, nodes, *rest)
    assert seen == [([0, 1, 4], [0, 0, 3, 4])]


def test_counts_of_a_block_that_begins_before_the_first_row_are_refused(engine):
    """Only the rows of a square matrix have pairs; four columns would fit row −1 of three nodes."""
    nothing = np.zeros(4, int), np.zeros(0, int), np.zeros(3, int)
    with pytest.raises(ParameterError, match="from row -1 on must have 4 columns"):
        kernels.tally(np.ones((1, 4)), -1, *nothing, [0.0], np.zeros(3, int), np.ones((1, 1, 1)))


def test_a_source_is_a_node_up_to_the_last(engine):
    """Nodes 0 and 1 are an edge, node 2 is alone, and there is no node 3."""
    pattern = [0, 1, 2, 2], [1, 0]
    assert kernels.l3_rows(*pattern, np.ones(3), [2]).tolist() == [[0.0, 0.0, 0.0]]
    assert kernels.l3_rows(*pattern, np.ones(3), [0])[0, 1] == 1.0  # the walk 0–1–0–1
    for source in (3, 4, -1):
        with pytest.raises(ParameterError, match="nodes of 0…2"):
            kernels.l3_rows(*pattern, np.ones(3), [source])


@pytest.mark.parametrize(("layers", "passes", "knots"), [(0, 1, 1), (1, 0, 1), (1, 1, 0)], ids=str)
def test_a_sketch_without_layers_passes_or_knots_is_refused(engine, layers, passes, knots):
    bases, tables = np.ones((layers, 3, 3)), np.ones((layers, passes, 3, knots))
    with pytest.raises(ParameterError, match="tables must have shape"):
        kernels.sketch_above(bases, 0, tables, np.ones(3), np.ones(knots), 0.0)


def test_a_sketch_of_one_node_has_no_pair_and_is_no_error(engine):
    found = kernels.sketch_above(
        np.ones((1, 1, 1)), 0, np.ones((1, 1, 1, 1)), np.ones(1), np.ones(1), 0.0
    )
    assert found.shape == (1, 1)


def test_nothing_that_is_clipped_is_a_negative_zero(engine, dtype):
    """Both engines write the same bytes."""
    values = np.array([[-0.0, 0.0, -1.0, 2.0], [-0.0, -0.0, 0.5, -0.0]], dtype)
    for first in (-1, 0):
        profile = np.zeros(4 if first < 0 else 3)
        clipped = kernels.prox_rows(values, np.ones(2), profile, first, clip=True)
        assert clipped.tolist() == [[0, 0, 0, 2], [0, 0, 0.5, 0]]
        assert not np.signbit(clipped).any()


@pytest.mark.parametrize("name", ["move_nodes", "merge_losses"])
def test_blocks_of_nodes_are_compiled_for_networks_of_fewer_nodes(name, monkeypatch):
    asked = []
    monkeypatch.delenv("LINKPRIOR_KERNELS", raising=False)
    monkeypatch.setattr(choice, "SMALL_NETWORK", 6 * blocks.WEIGHT)
    monkeypatch.setattr(choice, "compiled_engine", lambda: asked.append(p) or portable)
    for p in (5, 6, 7):
        counts, xlogx, group = np.zeros((1, 1), int), np.zeros(1), np.zeros(p, int)
        if name == "merge_losses":
            blocks.merge_losses(counts, xlogx, p)
        else:
            no_edge = np.zeros(p + 1, int), np.zeros(0, int)
            blocks.move_nodes(no_edge, np.arange(p), group, np.array([p]), counts, xlogx)
    assert asked == [6, 7]


def test_no_second_is_spent_on_compiling_before_the_compiler_is_loaded(monkeypatch):
    name = "linkprior.kernels.numba_jit"
    monkeypatch.setitem(sys.modules, name, SimpleNamespace(compiled_for=lambda: 3.5))
    assert kernels.seconds_compiling() == 3.5
    monkeypatch.delitem(sys.modules, name)
    assert kernels.seconds_compiling() == 0.0


def test_a_tensor_brings_the_operations_of_its_device(monkeypatch):
    class TorchOps:
        def __init__(self, device):
            self.device = device

    monkeypatch.setitem(
        sys.modules, "linkprior.kernels.tensors.ops", SimpleNamespace(TorchOps=TorchOps)
    )
    one, other = (SimpleNamespace(device=object()) for _ in range(2))
    assert ops.ops_of(one).device is one.device
    assert ops.ops_of(other).device is other.device
    assert ops.ops_of(one) is ops.ops_of(one)
    assert isinstance(ops.ops_of(np.ones(1)), ops.NumpyOps)
