"""Which engine runs, when numba is loaded, what happens without it, and what kernels refuse."""

import logging
import os
import subprocess
import sys
import tempfile
from types import SimpleNamespace

import numpy as np
import pytest

from linkprior import _config, kernels
from linkprior.errors import ParameterError
from linkprior.kernels import _engine, _jit, ops, sbm, sort
from linkprior.kernels.bins import N_BINS

needs_jit = pytest.mark.skipif(
    os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0"), reason="nothing is compiled"
)


# ---------------------------------------------------------------------- the choice


def test_the_size_of_the_network_chooses():
    _config.set_fields(kernels="auto")
    assert not _engine.use_numba(_engine.SMALL_NETWORK - 1)
    assert _engine.use_numba(_engine.SMALL_NETWORK)


def test_the_configuration_overrides():
    _config.set_fields(kernels="portable")
    assert not _engine.use_numba(10**6)
    _config.set_fields(kernels="numba")
    assert _engine.use_numba(2)
    _config.set_fields(kernels="fortran")
    with pytest.raises(ParameterError, match="LINKPRIOR_KERNELS must be .*, got 'fortran'"):
        kernels.argsort_rows(np.eye(2), 0)


@pytest.mark.parametrize(("wish", "loaded"), [(None, 0), ("portable", 0), ("numba", 1)])
def test_numba_is_loaded_when_a_kernel_needs_it_and_the_environment_chooses(wish, loaded):
    code = (
        "import sys, numpy as np; from linkprior import kernels; assert 'numba' not in sys.modules;"
        "kernels.argsort_rows(np.eye(3), 0); sys.exit('numba' in sys.modules)"
    )
    environment = {k: v for k, v in os.environ.items() if k != "LINKPRIOR_KERNELS"}
    environment |= {} if wish is None else {"LINKPRIOR_KERNELS": wish}
    environment["PYTHONPATH"] = os.pathsep.join(sys.path)
    done = subprocess.run([sys.executable, "-c", code], env=environment, check=False)
    assert done.returncode == loaded


def test_without_numba_one_warning(monkeypatch, caplog):
    monkeypatch.setitem(sys.modules, "numba.core", None)
    _config.set_fields(kernels="auto")
    _jit._import_numba.cache_clear()
    try:
        with caplog.at_level(logging.WARNING, logger="linkprior"):
            assert not _engine.use_numba(10**6)
            assert not _engine.use_numba(10**6)
    finally:
        _jit._import_numba.cache_clear()
    assert len(caplog.records) == 1
    assert "portable kernels" in caplog.text


def test_works_where_no_cache_can_be_written(monkeypatch):
    def refusing_njit(function, cache=False, **_):
        if cache:
            raise RuntimeError("cannot cache function: no locator available")
        return function

    monkeypatch.setattr("numba.njit", refusing_njit)
    assert _jit.compiled(abs)(-3) == 3


@needs_jit
def test_compiling_is_reported_once_for_our_kernels_only_and_its_seconds_are_counted():
    code = """
import logging, sys, time, numba, numpy as np
from linkprior import kernels
lines = []
handler = logging.Handler()
handler.emit = lambda record: lines.append(record.getMessage())
logging.getLogger("linkprior").addHandler(handler)
logging.getLogger("linkprior").setLevel(logging.INFO)
assert kernels.seconds_compiling() == 0.0
numba.njit(lambda x: x + 1)(1)
assert kernels.seconds_compiling() > 0.0
assert lines == []
began, before = time.perf_counter(), kernels.seconds_compiling()
kernels.argsort_rows(np.eye(3), 0)
kernels.argsort_rows(np.eye(3, dtype=np.float32), 0)
assert 0.0 < kernels.seconds_compiling() - before < time.perf_counter() - began
assert [line[:17] for line in lines] == ["compiling kernels"]
"""
    with tempfile.TemporaryDirectory() as empty:
        settings = {"NUMBA_CACHE_DIR": empty, "LINKPRIOR_KERNELS": "numba"}
        environment = {**os.environ, **settings, "PYTHONPATH": os.pathsep.join(sys.path)}
        subprocess.run([sys.executable, "-c", code], env=environment, check=True)


@needs_jit
def test_kernels_release_the_gil_and_are_serial():
    options = sort.rank_penalty_numba.dispatcher.targetoptions
    assert options["nogil"]
    assert not options.get("parallel")


def test_a_tensor_brings_the_operations_of_its_device(monkeypatch):
    class TorchOps:
        def __init__(self, device):
            self.device = device

    module = SimpleNamespace(TorchOps=TorchOps)
    monkeypatch.setitem(sys.modules, "linkprior.kernels.torch", SimpleNamespace(ops=module))
    monkeypatch.setitem(sys.modules, "linkprior.kernels.torch.ops", module)
    one, other = (SimpleNamespace(device=object()) for _ in range(2))
    assert ops.ops_of(one).device is one.device
    assert ops.ops_of(other).device is other.device
    assert ops.ops_of(one) is ops.ops_of(one)
    assert isinstance(ops.ops_of(np.ones(1)), ops.NumpyOps)


# ---------------------------------------------------------------------- the device


def test_an_unknown_device_is_refused():
    with pytest.raises(ParameterError, match="cpu, cuda"), _engine.use_device("gpu"):
        pass


def test_without_a_gpu_one_line_says_so_and_the_cpu_works(caplog):
    torch = pytest.importorskip("torch", reason="torch is not installed")
    if torch.cuda.is_available():
        pytest.skip("there is a GPU here")
    with caplog.at_level(logging.WARNING, "linkprior"), _engine.use_device("cuda"):
        assert _engine.current_device() == "cpu"
    assert len(caplog.messages) == 1
    assert "no GPU can be used" in caplog.messages[0]


def test_the_device_is_left_when_the_body_ends():
    with _engine.use_device("cpu"):
        assert _engine.current_device() == "cpu"
    with _engine.use_device(None):
        assert _engine.current_device() == "cpu"


# ---------------------------------------------------------------------- by the nodes alone

LIMIT = 6  # nodes from which on compiled code is taken here


def ring(p):
    near = [sorted({(i - 1) % p, (i + 1) % p}) for i in range(p)]
    return np.arange(0, 2 * p + 1, 2), np.concatenate(near)


def tables_of(p):
    """Rank tables of one knot for two passes."""
    return np.zeros((1, 2, p, 1))


def move_no_node(p, rows):
    no_edge, group = (np.zeros(p + 1, int), np.zeros(0, int)), np.zeros(p, int)
    counts = np.zeros((1, 1), int)
    return sbm.move_nodes(no_edge, np.arange(p), group, np.array([p]), counts, np.zeros(1))


# Each is asked for what it has on two rows, 1 and 2, of a network of p nodes.
ASKED = {
    "argsort_rows": lambda p, rows: kernels.argsort_rows(rows, 1),
    "rank_penalty": lambda p, rows: kernels.rank_penalty(rows, np.ones(2), np.ones(p - 1), 1),
    "row_quantiles": lambda p, rows: kernels.row_quantiles(rows, 1, [0]),
    "edge_products": lambda p, rows: kernels.edge_products(
        np.ones((2, 3)), np.ones((p, 3)), ring(p)[0][1:4], ring(p)[1]
    ),
    "top_pairs": lambda p, rows: kernels.top_pairs(rows, 1, *ring(p), 3),
    "lookup_penalty": lambda p, rows: kernels.lookup_penalty(
        rows, 1, tables_of(p)[0, 0], np.ones(p), [1.0]
    ),
    "sketch_above": lambda p, rows: kernels.sketch_above(
        rows[None], 1, tables_of(p), np.ones(p), [1.0], 0.0
    ),
    "split_rows": lambda p, rows: kernels.split_rows(rows, rows, rows.copy(), rows.copy()),
    "linearise_rows": lambda p, rows: kernels.linearise_rows(
        np.ones((p, p)), np.ones((p, p)), np.ones(p), 1, 3, np.empty((p, p))
    ),
    "count_above": lambda p, rows: kernels.count_above(rows, 1, *ring(p), [0.0]),
    "tally_nodes": lambda p, rows: kernels.tally_nodes(
        rows[:, 1:], 1, *ring(p), np.zeros(p), np.arange(p + 1), np.zeros(p)
    ),
    "descend_rows": lambda p, rows: kernels.descend_rows(
        np.ones((2, 3)), np.ones(2), np.ones((p, 3)), ([0, 1, 2], [0, 0]), np.ones(2), np.ones(2), 1
    ),
    "l3_rows": lambda p, rows: kernels.l3_rows(*ring(p), np.ones(p), [1, 2]),
    "l3n_rows": lambda p, rows: kernels.l3n_rows(*ring(p), [1, 2]),
    "mps_rows": lambda p, rows: kernels.mps_rows(*ring(p), [1, 2]),
    "ch2_rows": lambda p, rows: kernels.ch2_rows(
        *ring(p), (np.zeros(2 * p + 1, np.int64), np.empty(0, np.int32)), [1, 2]
    ),
    "list_triangles": lambda p, rows: kernels.list_triangles(*ring(p)),
    "l3_partners": lambda p, rows: kernels.l3_partners(
        ring(p), np.ones(p), [1, 2], ring(p), np.zeros(p), [[True]], 2, 100
    ),
    "count_bins": lambda p, rows: kernels.count_bins(rows, 1),
    "rank_features": lambda p, rows: kernels.rank_features(rows, np.zeros((N_BINS, 4), np.float32)),
    "move_nodes": move_no_node,
    "merge_losses": lambda p, rows: sbm.merge_losses(np.zeros((1, 1), int), np.zeros(1), p),
}


@pytest.mark.parametrize("name", ASKED)
def test_two_rows_of_a_network_run_on_the_engine_for_all_its_nodes(name, monkeypatch):
    """Else the same network would be worked on by two engines, as its blocks happen to be cut.

    Blocks of nodes are searched for by hundreds of visits: compiled from an eighth of the nodes on.
    """
    asked = []
    weight = sbm.WEIGHT if name in ("move_nodes", "merge_losses") else 1
    _config.set_fields(kernels="auto")
    monkeypatch.setattr(_engine, "SMALL_NETWORK", weight * LIMIT)
    monkeypatch.setattr(_engine, "numba_works", lambda: asked.append(p) or False)
    for p in (LIMIT - 1, LIMIT, LIMIT + 1):
        ASKED[name](p, np.ones((2, p)))
    assert list(dict.fromkeys(asked)) == [LIMIT, LIMIT + 1]


# ---------------------------------------------------------------------- what comes in

# Rows 0 … 4 of a network of five nodes hold: 1 2 | 0 | 0 3 4 | 2 | 2
INDPTR, INDICES = np.array([0, 2, 3, 6, 7, 8]), np.array([1, 2, 0, 0, 3, 4, 2, 2])
KEYS = [[5.0, 3.0, 9.0, 1.0], [2.0, 8.0, 4.0, 6.0]]
NO_EDGE = np.zeros(3, np.int64), np.zeros(0, np.int64)  # two nodes


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
    made = _engine.stored_rows(5, first, n_rows, INDPTR, INDICES)
    assert [part.tolist() for part in made] == [starts, columns]


def test_counts_of_a_block_that_begins_before_the_first_row_are_refused(engine):
    """Only the rows of a square matrix have pairs; four columns would fit row −1 of three nodes."""
    nothing = np.zeros(4, int), np.zeros(0, int), np.zeros(3, int)
    with pytest.raises(ParameterError, match="from row -1 on must have 4 columns"):
        kernels.tally(np.ones((1, 4)), -1, *nothing, [0.0], np.zeros(3, int), np.ones((1, 1, 1)))


@pytest.mark.parametrize("shape", [(0, 1, 3, 1), (1, 0, 3, 1), (1, 1, 3, 0), (1, 1, 4, 1)], ids=str)
def test_a_sketch_without_layers_passes_or_knots_is_refused(engine, shape):
    bases, knots = np.ones((shape[0], 3, 3)), np.ones(shape[-1])
    with pytest.raises(ParameterError, match="tables must have shape"):
        kernels.sketch_above(bases, 0, np.ones(shape), np.ones(3), knots, 0.0)


def test_a_sketch_of_one_node_has_no_pair_and_is_no_error(engine):
    one = np.ones(1)
    found = kernels.sketch_above(np.ones((1, 1, 1)), 0, np.ones((1, 1, 1, 1)), one, one, 0.0)
    assert found.shape == (1, 1)


def test_scores_below_zero_are_kept(engine):
    """A score of −1 is below the only knot, whose weight is 2: −1 − 2."""
    asked = np.full((1, 2, 2), -1.0), 0, np.ones((1, 1, 2, 1)), np.ones(2), [2.0], -np.inf
    assert kernels.sketch_above(*asked)[0, 1] == -3.0


@pytest.mark.parametrize(
    ("first", "ranks", "last"),
    [(0, [3], 2), (0, [-1], 2), (2, [0, -1, 2], 2), (-1, [4], 3), (-1, [-1], 3), (-1, [[0]], 3)],
)
def test_ranks_beyond_the_row_are_refused(first, ranks, last):
    with pytest.raises(ParameterError, match=f"ranks must lie in 0…{last}"):
        kernels.row_quantiles(KEYS, first, ranks)


def test_a_block_has_its_diagonal_within_its_columns_or_none_at_all():
    for shape, first in (((2, 2), 0), ((1, 2), 1), ((0, 2), 2), ((0, 0), 0), ((3, 2), -1)):
        assert _engine.row_block(np.ones(shape), first).shape == shape
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


@pytest.mark.parametrize(
    ("tables", "weights"),
    [((2, 0), 0), ((2, 1), 0), ((2, 0), 1), ((3, 1), 1), ((2, 2), 1), ((2, 1), (1, 1))],
)
def test_a_table_has_a_line_for_each_node_and_at_least_one_knot(tables, weights):
    with pytest.raises(ParameterError, match=r"tables must have shape \(2, number of knots\)"):
        kernels.lookup_penalty(np.ones((2, 2)), 0, np.ones(tables), np.ones(2), np.ones(weights))
