"""Matrix Market files and .npz archives."""

import io
import itertools
import zipfile

import numpy as np
import pytest
import scipy.io
import scipy.sparse as sp
from numpy.lib import format as npy
from tests.io.files import dropped, links, pairs, problem, reading

from linkprior.errors import InputError
from linkprior.io.formats import ReadOptions
from linkprior.io.read import read
from linkprior.io.readers.matrices import load_sparse
from linkprior.io.source import UNPACK_VARIABLE

VALUES = ReadOptions(weights="value")
BIG = 10**12


def random_matrix(seed=0, n=12, symmetric=False):
    rng = np.random.default_rng(seed)
    dense = np.where(rng.random((n, n)) < 0.15, rng.normal(size=(n, n)).round(3), 0)
    dense[n // 2] = dense[:, n // 2] = 0  # a node without an edge
    dense[0, 1] = dense[1, 0] = dense[3, 3] = 0.5
    return dense + dense.T if symmetric else dense


def agrees(found, dense, first):
    """Tell whether all nodes and the pairs of a dense matrix were read, by brute force."""
    n = len(dense)
    expected = {
        frozenset((str(i + first), str(j + first)))
        for i, j in itertools.permutations(range(n), 2)
        if dense[i, j] != 0
    }
    names = [str(i + first) for i in range(n)]
    return list(found.network.names) == names and pairs(found.network) == expected


@pytest.mark.parametrize("symmetric", [True, False])
@pytest.mark.parametrize(
    ("layout", "field"),
    [
        *(("coordinate", field) for field in ("real", "integer", "complex", "pattern")),
        *(("array", field) for field in ("real", "integer", "complex")),
    ],
)
def test_matrix_market_of_scipy_comes_back(tmp_path, field, symmetric, layout):
    dense = np.sign(random_matrix(symmetric=symmetric)) * 2
    matrix = dense if layout == "array" else sp.coo_array(dense)
    symmetry = "symmetric" if symmetric else "general"
    path = tmp_path / "m.mtx"
    scipy.io.mmwrite(path, matrix, comment="made\nby hand", field=field, symmetry=symmetry)
    found = read(path, keep_isolated=True)
    assert found.report.format == "matrix-market"
    assert found.report.guess == f"Matrix Market, {layout} {field} {symmetry}, 12 × 12"
    assert agrees(found, dense, first=1)


@pytest.mark.parametrize("symmetry", ["skew-symmetric", "hermitian"])
@pytest.mark.parametrize("layout", ["coordinate", "array"])
def test_matrix_market_of_other_symmetries(tmp_path, symmetry, layout):
    dense = np.triu(random_matrix(), 1)
    dense = dense - dense.T if symmetry == "skew-symmetric" else 1j * dense - 1j * dense.T
    matrix = dense if layout == "array" else sp.coo_array(dense)
    scipy.io.mmwrite(tmp_path / "m.mtx", matrix, symmetry=symmetry)
    found = read(tmp_path / "m.mtx", keep_isolated=True)
    assert f"{layout} " in found.report.guess
    assert symmetry in found.report.guess
    assert agrees(found, dense, first=1)


def test_a_general_matrix_that_is_symmetric_has_no_duplicates(tmp_path):
    dense = random_matrix(symmetric=True)
    scipy.io.mmwrite(tmp_path / "m.mtx", sp.coo_array(dense), symmetry="general")
    found = read(tmp_path / "m.mtx")
    assert (found.report.duplicates, found.report.reversed_duplicates) == (0, 0)
    assert found.report.self_loops == np.count_nonzero(dense.diagonal())
    assert found.report.rows == np.count_nonzero(np.triu(dense))


def mtx(size, *entries, kind="coordinate real general"):
    return "\n".join([f"%%MatrixMarket matrix {kind}", size, *entries]) + "\n"


@pytest.mark.parametrize(
    ("symmetry", "entries", "found"),
    [
        ("general", "001100000", {"3-1", "1-2"}),
        ("general", "001000000", {"1-3"}),
        ("general", ["0", "0", "0", "0", "0", "0", "0", "-1", "0"], {"2-3"}),
        ("symmetric", "701010", {"1-3", "2-3"}),
        ("symmetric", "010007", {"1-2"}),
        ("skew-symmetric", "011", {"1-3", "2-3"}),
        ("skew-symmetric", ["-1", "0", "0"], {"1-2"}),
    ],
)
@pytest.mark.usefixtures("blocks")
def test_values_of_an_array_go_down_the_columns(tmp_path, symmetry, entries, found):
    content = mtx("3 3", *entries, kind=f"array integer {symmetry}")
    assert pairs(reading(tmp_path, "m.mtx", content).network) == links(*found)


@pytest.mark.parametrize("symmetry", ["general", "symmetric"])
@pytest.mark.usefixtures("blocks")
def test_zeros_are_no_edges_and_are_counted_by_line(tmp_path, symmetry):
    entries = ("% note", "", "4 4 4", "2 1 -1", "% note", "3 2 0", "4 3 1e-9", "4 1 -0")
    found = reading(tmp_path, "m.mtx", mtx(*entries, kind=f"coordinate real {symmetry}"))
    assert pairs(found.network) == links("1-2", "3-4")
    assert dropped(found) == {"an entry of value 0: no edge": 2}
    assert found.report.dropped[0]["first_lines"] == [7, 9]


FIRST = "m.mtx:1: expected a first line such as %%MatrixMarket matrix "
ROWS, ROWS_AND_ENTRIES = "rows and columns", "rows, columns and entries"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        *((f"{line}\n3 3 1\n1 2 1\n", FIRST) for line in (
            "%%MatrixMarket matrix coordinate real general extra",
            "%%MatrixMarket matrix coordinate real",
            "%%MatrixMarket matrix coordinate real crooked",
            "%%MatrixMarket matrix coordinate text general",
            "%%MatrixMarket matrix list real general",
            "%%MatrixMarket vector coordinate real general",
            "%%MatrixMart matrix coordinate real general",
        )),
        *((mtx(size, "1 2 1"), f"m.mtx:2: expected the numbers of {ROWS_AND_ENTRIES}, got")
          for size in ("3 3", "3 3 1 1", "3 x 1", "3 3 -1", f"3 3 {'w' * 5000}")),
        *((mtx(size, "1", kind="array real general"), f"m.mtx:2: expected the numbers of {ROWS}, g")
          for size in ("3 3 1", "3", "x y")),
        (mtx("% nothing"), "m.mtx: ends before the line of its size"),
        (mtx("% no\n3 4 1", "1 2 1"), "m.mtx:3: a rectangular matrix of 3 × 4 (a bipartite"),
        (mtx(f"{BIG} {BIG} 1", "1 2 1"), f"m.mtx:2: declares {BIG} nodes"),
        (mtx("9000000 9000000", "1", kind="array real general"), "m.mtx:2: an array of 9000000"),
        (mtx("2 2", *"1111", kind="array pattern general"), "m.mtx:2: an array of 2 × 2 pattern"),
        (mtx("3 3 2", "1 2 1"), "m.mtx: declares 2 entries, the file has 1"),
        (mtx(f"9 9 {BIG}", "1 2 1"), f"m.mtx: declares {BIG} entries, the file has 1"),
        (mtx("3 3 1", "1 2 1", "2 3 1"), "m.mtx:4: more than the 1 entries declared"),
        (mtx("3 3 3", "1 2 1", "1 4 1", "2 3 1"), "m.mtx:4: Column index out of bounds, got '1 4"),
        (mtx("3 3 2", "0 2 1", "1 9 1"), "m.mtx:3: Row index out of bounds, got '0 2 1'"),
        (mtx("3 3 2", "1 2 1", "1 3"), "m.mtx:4: expected 3 numbers (coordinate real), with a po"),
        (mtx("3 3 3", "1 2 nan", "1 3 1", "2 3 inf"), "m.mtx:3: NaN or infinity; remove such"),
        *((mtx("3 3 3", "1 2 1", f"1 3 {word}", "2 3 1"), "m.mtx:4: NaN or infinity")
          for word in ("NaN", "nAn", "inf", "-inf", "Infinity")),
        *((mtx("3 3 2", f"1 2 {one}", entry), "m.mtx:4: expected 3 numbers (coordinate r")
          for entry in ("2 3.0 1", "2.0 3 1", "+2 3 1", "2 x 1") for one in ("1", "1D0")),
        *((mtx("3 3 3", "1 3 1", entry, "1 x 1"), "m.mtx:4: expected 3 numbers (c")
          for entry in ("1 2 0,5", "1 2 5-3", "1 2 1_0", "1 2 ٣", "1 3 1%")),
        (mtx("3 3 2", "1 3", "1 2 0", kind="coordinate pattern general"), "m.mtx:4: expected 2 n"),
        (mtx("3 3 2", "1 3 1 0", "1 2 3", kind="coordinate complex general"),
         "m.mtx:4: expected 4 numbers (coordinate complex)"),
        (mtx("2 2", "1 0", "1", kind="array complex general"), "m.mtx:4: expected 2 numbers"),
        (mtx("2 2", "0", "1", "0,5", kind="array real general"), "m.mtx:5: expected 1 number ("),
    ],
)  # fmt: skip
@pytest.mark.usefixtures("blocks")
def test_matrix_market_is_refused_with_a_line(tmp_path, text, told):
    message = problem(tmp_path, "m.mtx", text, format="matrix-market")
    assert message.startswith(told)
    assert len(message) < 400


@pytest.mark.parametrize(
    ("symmetry", "needed"), [("general", 9), ("symmetric", 6), ("skew-symmetric", 3)]
)
def test_an_array_must_hold_as_many_values_as_its_symmetry_needs(tmp_path, symmetry, needed):
    def told(count):
        text = mtx("3 3", *["1"] * count, kind=f"array real {symmetry}")
        return problem(tmp_path, "m.mtx", text)

    few = f"m.mtx: declares {needed} entries, the file has {needed - 1}:"
    assert told(needed - 1).startswith(few)
    assert told(needed + 1) == f"m.mtx:{needed + 3}: more than the {needed} entries declared"


@pytest.mark.parametrize(
    ("word", "value"),
    [("1.5D3", 1500.0), ("1.5d+02", 150.0), ("4D0", 4.0), ("50.E-1", 5.0), ("+7", 7.0)],
)
def test_numbers_as_fortran_writes_them_are_read(tmp_path, word, value):
    for content in (
        mtx("3 3 2", f"1 2 {word}", "1 3 1"),
        mtx("3 3", "0", word, "1", "0", "0", "0", kind="array real symmetric"),
    ):
        facts = reading(tmp_path, "m.mtx", content, options=VALUES).report.weights
        assert (facts.least, facts.largest) == (1.0, value)


@pytest.mark.parametrize(
    ("kind", "entry", "named"),
    [
        ("coordinate pattern general", "2 1", "pattern"),
        ("coordinate complex general", "2 1 1 0", "complex"),
        ("coordinate real skew-symmetric", "2 1 1", "skew-symmetric"),
        ("coordinate pattern skew-symmetric", "2 1", "pattern"),
    ],
)
def test_a_matrix_without_weights_says_what_it_is(tmp_path, kind, entry, named):
    message = problem(tmp_path, "m.mtx", mtx("3 3 1", entry, kind=kind), options=VALUES)
    assert message.startswith(f"m.mtx: Matrix Market, {named}, has no weights of edges")


# ---------------------------------------------------------------------- npz


@pytest.mark.parametrize("layout", ["csr", "csc", "coo", "bsr", "dia"])
@pytest.mark.parametrize("make", [sp.coo_array, sp.coo_matrix])
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int8, np.bool_, np.complex128])
def test_npz_of_scipy_comes_back(tmp_path, layout, make, dtype):
    dense = (random_matrix(seed=3) != 0).astype(dtype)
    sp.save_npz(tmp_path / "m.npz", make(dense).asformat(layout))
    found = read(tmp_path / "m.npz", keep_isolated=True)
    assert found.report.format == "npz"
    assert agrees(found, dense, first=0)
    assert not found.report.dropped


def test_zeros_stored_in_an_npz_are_counted(tmp_path):
    matrix = sp.csr_array(random_matrix(symmetric=True))
    matrix.data[:3] = 0
    sp.save_npz(tmp_path / "m.npz", matrix)
    found = read(tmp_path / "m.npz", keep_isolated=True)
    assert agrees(found, matrix.toarray(), first=0)
    assert found.report.dropped[0]["count"] == 3


def test_entries_of_an_npz_may_be_negative_and_a_bad_weight_is_named_by_its_place(tmp_path):
    sp.save_npz(tmp_path / "m.npz", sp.csr_array([[0, 1.0, 0], [0, 0, -1.0], [0, 0, 0]]))
    assert pairs(read(tmp_path / "m.npz").network) == links("0-1", "1-2")
    with pytest.raises(InputError, match=r"m\.npz: row 1, column 2: expected a weight"):
        read(tmp_path / "m.npz", options=VALUES)


@pytest.mark.parametrize("layout", ["mtx", "npz"])
def test_a_large_matrix_of_few_entries_makes_no_room_for_its_nodes(tmp_path, layout):
    content, first = mtx("99999999 99999999 1", "5 90000000 1"), "5"
    if layout == "npz":
        content = npz_of(parts_of("coo", 99999999, data=[1.0], row=[5], col=[90000000]))
    found = reading(tmp_path, f"m.{layout}", content, keep_isolated=True)
    assert found.network.names == (first, "90000000")
    assert "99,999,997 of the 99,999,999 nodes declared" in found.report.notes[0]


def array_bytes(value, version=None):
    stream = io.BytesIO()
    npy.write_array(stream, np.asarray(value), version=version)
    return stream.getvalue()


def claiming(shape, descr="<f8", held=16):
    """An array whose header says one thing, and that holds so many bytes."""
    stream = io.BytesIO()
    npy.write_array_header_1_0(stream, {"descr": descr, "fortran_order": False, "shape": shape})
    return stream.getvalue() + bytes(held)


def npz_of(parts, method=zipfile.ZIP_STORED):
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", method) as archive:
        for name, value in parts.items():
            content = value if isinstance(value, bytes) else array_bytes(value)
            archive.writestr(name if "." in name else f"{name}.npy", content)
    return target.getvalue()


def parts_of(layout, n, **parts):
    return {"format": np.array(layout.encode()), "shape": [n, n], **parts}


CSR = parts_of("csr", 3, data=[5.0, 7.0], indices=[1, 2], indptr=[0, 1, 2, 2])
DENSE = np.array([[0, 5.0, 0], [0, 0, 7.0], [0, 0, 0]])


def csr(**changed):
    return {k: v for k, v in {**CSR, **changed}.items() if v is not None}


def bsr(shape=(2, 1, 2), n=2, indices=(0, 0), indptr=(0, 1, 2)):
    data = np.arange(1.0, 1 + np.prod(shape)).reshape(shape)
    return parts_of("bsr", n, data=data, indices=np.array(indices), indptr=np.array(indptr))


def dense(parts, **options):
    return load_sparse(npz_of(parts, **options), "m.npz")[0].toarray()


@pytest.mark.parametrize(
    "parts",
    [
        csr(),
        csr(format=np.array("csr")),
        csr(data=[5.0, 7.0, 9.0], indices=[1, 2, 0]),  # more than the pointers lead to
        csr(data=np.array([5, 7], np.uint8), indices=np.array([1, 2], np.uint8)),
        csr(data=array_bytes([5.0, 7.0], (2, 0))),
        csr(data=array_bytes([5.0, 7.0], (3, 0))),
        parts_of("csc", 3, data=[5.0, 7.0], indices=[0, 1], indptr=[0, 0, 1, 2]),
        parts_of("coo", 3, data=[5.0, 7.0], row=[0, 1], col=[1, 2]),
        parts_of("coo", 3, data=[4.0, 7.0, 1.0], row=[0, 1, 0], col=[1, 2, 1]),  # summed
        # Off its diagonal, above the first row and below the last one, a cell is no entry.
        parts_of("dia", 3, data=[[9.0, 5.0, 7.0]], offsets=[1]),
        parts_of("dia", 3, data=[[9.0, 5.0, 7.0], [0, 0, 9.0]], offsets=[1, -1]),
        parts_of("dia", 3, data=[[9.0, 5.0, 7.0, 9.0]], offsets=[1]),
        parts_of("dia", 3, data=[[0, 0, 0, 9.0], [9.0, 5.0, 7.0, 9.0]], offsets=[3, 1]),
    ],
)
@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_one_matrix_is_read_from_all_its_layouts(parts, method):
    np.testing.assert_array_equal(dense(parts, method=method), DENSE)


def test_a_diagonal_through_the_first_row_and_the_last_is_read_whole():
    parts = parts_of("dia", 3, data=[[1.0, 2.0, 3.0], [4.0, 5.0, 9.0]], offsets=[0, -1])
    np.testing.assert_array_equal(dense(parts), [[1, 0, 0], [4, 2, 0], [0, 5, 3]])


@pytest.mark.parametrize("blocksize", [(1, 1), (2, 3), (3, 2), (6, 1)])
def test_blocks_of_any_shape_lie_where_scipy_puts_them(tmp_path, blocksize):
    matrix = np.where(np.arange(36).reshape(6, 6) % 5 == 1, np.arange(36).reshape(6, 6), 0)
    sp.save_npz(tmp_path / "m.npz", sp.bsr_array(matrix, blocksize=blocksize))
    found, layout = load_sparse((tmp_path / "m.npz").read_bytes(), "m.npz")
    assert layout == "bsr"
    np.testing.assert_array_equal(found.toarray(), matrix)
    assert found.nnz == np.count_nonzero(matrix)


def test_blocks_behind_the_last_pointer_are_no_entries():
    np.testing.assert_array_equal(dense(bsr((3, 1, 2), indices=(0, 0, 0))), [[1, 2], [3, 4]])


POINTERS = "not a sparse matrix of scipy (the pointers do not cut the entries into 3 rows)"
BEYOND = "not a sparse matrix of scipy (the pointers lead beyond the last "
MORE = "data.npy declares more than it holds"
TWO = "expected a matrix of two dimensions as csr, csc, bsr, dia, coo; got "
NOT = "not a sparse matrix of scipy ("
LONG = repr("w" * 5000).encode()  # a text where NumPy expects a dictionary, and shows it whole


@pytest.mark.parametrize(
    ("parts", "why"),
    [
        *((csr(indptr=pointers), POINTERS) for pointers in (
            [1, 1, 2, 2], [-1, 1, 2, 2], [0, 1, 2], [0, 1, 2, 2, 2], [0, 2, 1, 2], [0, 1, 2, 1],
            [0, 2, 1, 0], [0, -1, 1, 2], [1, 2, 3, 3], [0, 7, 7, 0],
        )),
        (csr(indptr=[0, 1, 2, 3]), f"{BEYOND}entry"),
        (csr(indptr=[0, 1, 9, 9]), f"{BEYOND}entry"),
        (csr(indices=[1, 3]), NOT),
        (csr(indices=[1, -1]), NOT),
        (csr(shape=[-3, -3]), NOT),
        (csr(format=[1, 2]), NOT),
        (csr(data=b"no array"), NOT),
        (csr(data=[[5.0, 7.0]]), f"{NOT}an array of 2 dimensions, expected 1"),
        (csr(data=5.0), f"{NOT}an array of 0 dimensions, expected 1"),
        (csr(indptr=[[0, 1, 2, 2]]), f"{NOT}an array of 2 dimensions, expected 1"),
        (bsr((2, 1, 2), n=3, indptr=(0, 1, 2, 2)), f"{NOT}blocks of 1 × 2 do not fill the matrix"),
        (bsr((2, 2, 1), n=3), f"{NOT}blocks of 2 × 1 do not fill the matrix"),
        (bsr((2, 0, 1)), f"{NOT}blocks of 0 × 1 do not fill the matrix"),
        (bsr((2, 1, 0)), f"{NOT}blocks of 1 × 0 do not fill the matrix"),
        (bsr((1, 1, 2)), f"{BEYOND}block"),
        (csr(data=claiming((3,))), MORE),
        (csr(data=claiming((2,), held=15)), MORE),
        (csr(data=claiming((-1,))), MORE),
        (csr(data=claiming((3, -3))), MORE),
        (csr(data=claiming((BIG,))), MORE),
        (csr(data=claiming((10**6,), "|V0", 0)), MORE),
        (csr(data=np.array(["a", "b"])), "a sparse matrix of <U1, expected numbers"),
        *((csr(**{key: np.asarray(CSR[key], dtype=np.float64)}),
           "a sparse matrix whose indices are not whole numbers")
          for key in ("shape", "indices", "indptr")),
        (csr(indptr=None), f"{TWO}'csr', shape [3, 3], without indptr"),
        (csr(data=None, indices=None), f"{TWO}'csr', shape [3, 3], without data, indices"),
        (csr(shape=[3]), f"{TWO}'csr', shape [3], without gaps"),
        (csr(shape=[3, 3, 3]), f"{TWO}'csr', shape [3, 3, 3], without gaps"),
        (csr(format=np.array(b"lil")), f"{TWO}'lil', shape [3, 3], without gaps"),
        (csr(shape=[3, 4]), "a rectangular matrix of 3 × 4"),
        (csr(shape=[BIG, BIG]), f"declares {BIG} nodes"),
        (csr(format=None), "a NumPy archive without a sparse matrix: keys shape, data, indices, i"),
        (csr(shape=None), "a NumPy archive without a sparse matrix: keys format, data, indices, "),
        ({"net.txt": b"a b"}, "is packed twice (zip inside); unpack it once"),
        ({"net.txt": b"a b", **CSR}, NOT),
        ({"data": b"\x93NUMPY\x01\x00" + len(LONG).to_bytes(2, "little") + LONG}, NOT),
    ],
)  # fmt: skip
def test_an_archive_is_refused_with_the_reason(parts, why):
    with pytest.raises(InputError) as caught:
        load_sparse(npz_of(parts), "m.npz")
    assert str(caught.value).startswith(f"m.npz: {why}")
    assert len(str(caught.value)) < 400


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (npz_of(csr(data=[1.0, np.nan])), "the matrix holds NaN or infinity"),
        (
            npz_of(CSR, zipfile.ZIP_BZIP2),
            "format.npy is packed in a way that NumPy does not use; save it",
        ),
        (npz_of({"x": b"\0" * (80 << 20)}, zipfile.ZIP_DEFLATED), "unpacks to more than 250 times"),
        (npz_of(CSR)[:-30], ""),
    ],
)
def test_an_npz_file_is_refused_with_the_reason(tmp_path, content, told):
    assert problem(tmp_path, "m.npz", content).startswith(f"m.npz: {told}")


def test_python_objects_are_never_loaded():
    stream = io.BytesIO()
    np.save(stream, np.array([1, {}], dtype=object), allow_pickle=True)
    with pytest.raises(InputError, match=r"m\.npz: data\.npy holds Python objects"):
        dense(csr(data=stream.getvalue()))


def test_an_archive_may_be_as_large_as_the_user_allows(monkeypatch):
    content = npz_of(CSR)
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        size = sum(member.file_size for member in archive.infolist())
    monkeypatch.setenv(UNPACK_VARIABLE, str(size))
    assert load_sparse(content, "m.npz")[1] == "csr"
    monkeypatch.setenv(UNPACK_VARIABLE, str(size - 1))
    with pytest.raises(InputError, match="unpacks to more than"):
        load_sparse(content, "m.npz")
