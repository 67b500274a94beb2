"""Scores of all pairs on a device against dense formulas: tables, best pairs, exact ranks."""

import numpy as np
import pytest

from linkprior import kernels
from linkprior.predictors.scores import exact_penalty, knots

torch = pytest.importorskip("torch", reason="torch is not installed: nothing runs on a device")
from linkprior.kernels.torch import best, rank_tables  # noqa: E402
from linkprior.kernels.torch.scores import ScoreBlocks, penalised  # noqa: E402


def put(array, device, dtype=torch.float32):
    return torch.as_tensor(np.array(array), dtype=dtype, device=device)


class Case:
    """Factors of uneven nodes, some of them alike, with rank weights."""

    def __init__(self, p, device, r=4, seed=0, alike=0, strength=0.3):
        rng = np.random.default_rng(seed)
        left = (rng.random((p, r)) * (1 + rng.pareto(2.0, (p, 1)))).astype(np.float32)
        left[:alike] = left[0]
        self.p, self.left = p, left
        self.A = left @ left.T
        self.scale = (strength * self.A.max() * rng.uniform(0.2, 1.0, p)).astype(np.float32)
        self.profile = np.log(np.arange(1, p) + 1.0).astype(np.float32) ** 0.5
        self.ranks = knots(p - 1)
        parts = (put(left, device), put(left, device), put(self.scale, device))
        self.sheet = ScoreBlocks(*parts, put(self.profile[self.ranks], device))
        self.on_device = put(self.ranks, device, torch.int64), put(self.profile, device)
        edges = rng.integers(0, p, (2 * p, 2))
        edges = np.unique(np.sort(edges[edges[:, 0] != edges[:, 1]], axis=1), axis=0)
        self.barred = best.Barred(put(edges[:, 0] * p + edges[:, 1], device, torch.int64), p)
        self.allowed = np.triu(np.ones((p, p), bool), 1)
        self.allowed[edges[:, 0], edges[:, 1]] = False

    def same_best(self, found, scores, k, atol):
        """The k best of a dense matrix are those found, up to rounding at the last place."""
        i, j, values = (one.cpu().numpy() for one in found)
        assert self.allowed[i, j].all()
        assert len(set(zip(i.tolist(), j.tolist(), strict=True))) == len(i)
        np.testing.assert_allclose(values, scores[i, j], atol=atol)
        best_of_all = np.sort(scores[self.allowed])[::-1][:k]
        np.testing.assert_allclose(np.sort(values)[::-1][:k], best_of_all, atol=atol)


@pytest.mark.parametrize("ties", [False, True])
def test_weights_are_those_of_the_portable_kernel(device, ties):
    rng = np.random.default_rng(1)
    scores = rng.normal(size=(6, 40)).astype(np.float32)
    scores = np.round(scores * 2) / 2 if ties else scores
    ladder = np.array([0, 1, 2, 4, 8, 16, 38])
    rows, columns = (-np.sort(-rng.normal(size=(n, 40)), axis=1)[:, ladder] for n in (6, 40))
    rows, columns = (np.round(one * 2) / 2 if ties else one for one in (rows, columns))
    rows, columns = rows.astype(np.float32), columns.astype(np.float32)
    weights = np.sort(rng.random(7)).astype(np.float32)
    row_scale, column_scale = rng.random(6).astype(np.float32), rng.random(40).astype(np.float32)
    own = row_scale[:, None] * kernels.weights_at(scores, rows[:, None, :], weights)
    other = column_scale * kernels.weights_at(scores, columns[None, :, :], weights)
    given = [put(one, device) for one in (scores, rows, row_scale, columns, column_scale, weights)]
    block, a, b, c, d, h = given
    found = penalised(block, block, (a, b), (c, d), h)
    np.testing.assert_allclose(found.cpu(), scores - 0.5 * (own + other), atol=2e-6)


def test_counts_are_those_of_comparing_every_entry(device):
    rng = np.random.default_rng(2)
    block = rng.integers(0, 12, (5, 300)).astype(np.float32)
    lengths = np.array([3, 0, 12, 1, 2500])
    queries = [-np.sort(-rng.integers(-1, 14, n)).astype(np.float32) for n in lengths]
    starts = put(np.concatenate([[0], np.cumsum(lengths)]), device, torch.int64)
    above, reached = rank_tables.counts(
        put(block, device), put(np.concatenate(queries), device), starts
    )
    expected = [(row[None] > q[:, None]).sum(1) for row, q in zip(block, queries, strict=True)]
    np.testing.assert_array_equal(above.cpu(), np.concatenate(expected))
    expected = [(row[None] >= q[:, None]).sum(1) for row, q in zip(block, queries, strict=True)]
    np.testing.assert_array_equal(reached.cpu(), np.concatenate(expected))


@pytest.mark.parametrize("long_rows", [False, True])
@pytest.mark.parametrize("ties", [False, True])
def test_bounds_of_ranks_hold(device, monkeypatch, long_rows, ties):
    if long_rows:
        for name, value in (("SORTED", 100), ("TOP", 16), ("SAMPLE", 64)):
            monkeypatch.setattr(rank_tables, name, value)
    rng = np.random.default_rng(3)
    block = rng.pareto(1.5, (8, 400)).astype(np.float32)
    block = np.ceil(block * 3) if ties else block
    columns = rank_tables.sampled_columns(400, torch.device(device))
    ranks = put(knots(399), device, torch.int64)
    found = rank_tables.row_knots(put(block, device), ranks, columns)
    values, least, most = (one.cpu().numpy() for one in (found.values, found.least, found.most))
    for row in range(8):
        for score in np.concatenate([block[row], [0.0, 1.7, 1e9]]):
            below, over = score < values[row], score > values[row]
            assert (least[row][below] <= (block[row] > score).sum()).all()
            assert (most[row][over] >= (block[row] >= score).sum()).all()
    assert (np.diff(values, axis=1) <= 0).all()
    at = found.at_ranks(ranks).cpu().numpy()
    assert (np.diff(at, axis=1) <= 1e-6 * np.abs(at[:, 1:])).all()


@pytest.mark.parametrize("passes", [0, 1, 3])
@pytest.mark.parametrize("height", [7, 4096])
def test_the_best_pairs_are_those_of_the_dense_formula(device, monkeypatch, passes, height):
    monkeypatch.setattr("linkprior.kernels.torch.ops._MOST_ROWS", height)
    case = Case(120, device)
    sheet = rank_tables.with_tables(case.sheet, case.on_device[0], passes)
    Q = case.A.copy()
    for table in sheet.tables:
        dense, weights = table.cpu().numpy(), case.profile[case.ranks]
        expected = np.take_along_axis(-np.sort(-_off_diagonal(Q), axis=1), case.ranks[None], 1)
        np.testing.assert_allclose(dense, expected, atol=1e-5 * case.A.max())
        Q = case.A - kernels.lookup_penalty(Q, 0, dense, case.scale, weights)
    for k in (1, 50, 2000, 10**6):
        found = best.best_candidates([sheet], case.barred, k)
        case.same_best(found, Q, k, 1e-4 * np.abs(case.A).max())


def test_scores_of_several_sheets_are_averaged(device):
    cases = [Case(90, device, seed=seed) for seed in (0, 1)]
    sheets = [rank_tables.with_tables(one.sheet, one.on_device[0], 2) for one in cases]
    blocks = [one.block(torch.arange(90, device=device)).cpu().numpy() for one in sheets]
    found = best.best_candidates(sheets, cases[0].barred, 300)
    cases[0].same_best(found, np.mean(blocks, axis=0), 300, 1e-4)


@pytest.mark.parametrize("alike", [0, 30])
@pytest.mark.parametrize("long_rows", [False, True])
def test_exact_ranks_are_those_of_sorting_every_row(device, monkeypatch, alike, long_rows):
    if long_rows:
        for name, value in (("SORTED", 50), ("TOP", 8), ("SAMPLE", 32)):
            monkeypatch.setattr(rank_tables, name, value)
    case = Case(150, device, alike=alike)
    ranks, profile = case.on_device
    table, bounds = rank_tables.bounds_of(case.sheet, ranks, profile)
    assert torch.isfinite(table).all()  # though every row holds −∞ on the diagonal
    sheet = ScoreBlocks(
        *(getattr(case.sheet, n) for n in ("left", "right", "scale", "weights")), [table]
    )
    A = (case.sheet.left @ case.sheet.right.T).cpu().numpy()
    Q = A - exact_penalty(A, case.scale.astype(np.float64), case.profile.astype(np.float64))
    for k in (1, 60, 1500):
        found = best.exact_best(sheet, bounds, profile, case.barred, k)
        case.same_best(found, Q, k, 1e-4 * A.max())


def test_out_of_memory_is_tried_once_more_with_smaller_blocks_then_reported(caplog):
    from linkprior.errors import LinkpriorError
    from linkprior.kernels.torch.ops import in_blocks

    asked = []

    def work(rows, enough):
        asked.append(rows)
        if rows > enough:
            raise torch.cuda.OutOfMemoryError("CUDA out of memory. Tried to allocate 2 GiB")
        return rows

    assert in_blocks(lambda rows: work(rows, 100), 512) == 64
    assert "out of memory with blocks of 512 rows: going on with 64" in caplog.text
    with pytest.raises(LinkpriorError, match="even with blocks of 64 rows.*--device cpu"):
        in_blocks(lambda rows: work(rows, 1), 512)
    assert asked == [512, 64, 512, 64]


def _off_diagonal(Q):
    Q = Q.copy()
    np.fill_diagonal(Q, -np.inf)
    return Q
