"""Matrices as files: Matrix Market and .npz, against what scipy makes of them."""

import io
import zipfile

import numpy as np
import pytest
import scipy.io
import scipy.sparse as sp

from linkprior.errors import InputError
from linkprior.io.read import read


def random_matrix(seed=0, n=12, symmetric=False):
    rng = np.random.default_rng(seed)
    dense = np.where(rng.random((n, n)) < 0.15, rng.normal(size=(n, n)).round(3), 0)
    dense[n // 2] = dense[:, n // 2] = 0  # a node without an edge
    dense[0, 1] = dense[1, 0] = dense[3, 3] = 0.5
    return dense + dense.T if symmetric else dense


def expected(dense, first):
    """The pairs of a dense matrix, by brute force."""
    n = len(dense)
    return {
        frozenset((str(i + first), str(j + first)))
        for i in range(n)
        for j in range(n)
        if i != j and dense[i, j] != 0
    }


def pairs(network):
    names = network.names
    return {frozenset((names[i], names[j])) for i, j in network.edges.tolist()}


def agrees(found, dense, first):
    names = [str(i + first) for i in range(len(dense))]
    return list(found.network.names) == names and pairs(found.network) == expected(dense, first)


def written(tmp_path, content, name="m.mtx"):
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def problem(tmp_path, content, name="m.mtx"):
    with pytest.raises(InputError) as caught:
        read(written(tmp_path, content, name))
    assert "\n" not in str(caught.value)
    return str(caught.value).replace(str(tmp_path) + "/", "")


# ---------------------------------------------------------------------- Matrix Market


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
    assert f"{layout} " in read(tmp_path / "m.mtx").report.guess
    assert symmetry in read(tmp_path / "m.mtx").report.guess
    assert agrees(read(tmp_path / "m.mtx", keep_isolated=True), dense, first=1)


def test_a_general_matrix_that_is_symmetric_has_no_duplicates(tmp_path):
    dense = random_matrix(symmetric=True)
    scipy.io.mmwrite(tmp_path / "m.mtx", sp.coo_array(dense), symmetry="general")
    found = read(tmp_path / "m.mtx")
    assert (found.report.duplicates, found.report.reversed_duplicates) == (0, 0)
    assert found.report.self_loops == np.count_nonzero(dense.diagonal())
    assert found.report.rows == np.count_nonzero(np.triu(dense))


def mtx(body, size, kind="coordinate real general"):
    return f"%%MatrixMarket matrix {kind}\n% by hand\n\n{size}\n{body}"


def test_zeros_are_no_edges_and_are_counted_by_line(tmp_path):
    text = mtx("1 2 1\n% inside\n2 3 0\n\n3 1 0.0\n1 3 1e-9\n", "3 3 4")
    found = read(written(tmp_path, text))
    assert pairs(found.network) == {frozenset("12"), frozenset("13")}
    assert found.report.dropped == [
        {"reason": "an entry of value 0: no edge", "count": 2, "first_lines": [7, 9]}
    ]


def test_a_fraction_in_an_integer_matrix_is_an_edge(tmp_path):
    text = mtx("1 2 0.5\n", "2 2 1", "coordinate integer general")
    assert read(written(tmp_path, text)).network.n_edges == 1


def test_many_entries_are_read_in_chunks_with_the_right_lines(tmp_path):
    body = [f"{1 + k % 5000} {5001 + k // 5000} {(k + 1) / 1e6:.12f}" for k in range(400_000)]
    text = mtx("\n".join(body), "6000 6000 400000")
    assert len(text) > 2 * (4 << 20)
    assert read(written(tmp_path, text)).network.n_edges == 400_000
    body[399_998] = "1 2 x"
    assert problem(tmp_path, mtx("\n".join(body), "6000 6000 400000")).startswith("m.mtx:400003: ")


BIG = 10**12


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (mtx("1 2 1\n", "3 3 2"), "m.mtx: declares 2 entries, the file has 1"),
        (mtx("1 2 1\n2 3 1\n", "3 3 1"), "m.mtx:6: more than the 1 entries declared"),
        (
            mtx("1 2 1\n2 x 1\n", "3 3 2"),
            "m.mtx:6: expected 3 numbers (coordinate real), whole ones",
        ),
        (mtx("1 2 1\n2 4 1\n", "3 3 2"), "m.mtx:6: Column index out of bounds, got '2 4 1'"),
        (mtx("0 2 1\n", "3 3 1"), "m.mtx:5: Row index out of bounds"),
        (mtx("1 2\n", "3 3 1"), "m.mtx:5: expected 3 numbers"),
        (mtx("1 2 nan\n", "3 3 1"), "m.mtx:5: NaN or infinity"),
        (mtx("1 2 1\n1 3 inf\n", "3 3 2"), "m.mtx:6: NaN or infinity"),
        (mtx("1 2 1\n", "3 4 1"), "m.mtx:4: a rectangular matrix of 3 × 4 (a bipartite"),
        (mtx("1 2 1\n", f"{BIG} {BIG} 1"), f"m.mtx:4: declares {BIG} nodes"),
        (mtx("1 2 1\n", f"9 9 {BIG}"), f"m.mtx: declares {BIG} entries, the file has 1"),
        (mtx("1\n", "9000000 9000000", "array real general"), "m.mtx:4: an array of 9000000"),
        (mtx("1\n2\n", "2 2", "array real general"), "m.mtx: declares 4 entries"),
        (mtx("1 2 1\n", "3 3"), "m.mtx:4: expected the numbers of rows, columns and entries"),
        (mtx("1 2 1\n", "3 3 1", "coordinate real crooked"), "m.mtx:1: expected a first line"),
        (mtx("1 2 1\n", "3 3 1", "coordinate"), "m.mtx:1: expected a first line"),
        ("%%MatrixMarket matrix coordinate real general\n", "m.mtx: ends before the line of"),
    ],
)
def test_matrix_market_is_refused_with_a_line(tmp_path, text, told):
    assert problem(tmp_path, text).startswith(told)


def test_a_large_matrix_of_few_entries_makes_no_room_for_its_nodes(tmp_path):
    found = read(
        written(tmp_path, mtx("5 99999999 1\n", "99999999 99999999 1")), keep_isolated=True
    )
    assert found.network.names == ("5", "99999999")
    assert "99,999,997 of the 99,999,999 nodes declared" in found.report.notes[0]


# ---------------------------------------------------------------------- npz


@pytest.mark.parametrize("layout", ["csr", "csc", "coo", "bsr", "dia"])
@pytest.mark.parametrize("array", [True, False])
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int8, np.bool_, np.complex128])
def test_npz_of_scipy_comes_back(tmp_path, layout, array, dtype):
    dense = random_matrix(seed=3)
    dense = (dense != 0).astype(dtype)
    make = sp.coo_array if array else sp.coo_matrix
    matrix = make(dense).asformat(layout)
    sp.save_npz(tmp_path / "m.npz", matrix)
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


def test_a_symmetric_npz_has_no_duplicates(tmp_path):
    sp.save_npz(tmp_path / "m.npz", sp.csr_array(random_matrix(symmetric=True)))
    report = read(tmp_path / "m.npz").report
    assert (report.duplicates, report.reversed_duplicates) == (0, 0)


def test_entries_of_a_coo_matrix_at_one_place_are_summed_as_scipy_does(tmp_path):
    rows, columns, values = [0, 0, 1, 2, 2], [1, 1, 2, 3, 3], [1.0, 2.0, 1.0, 1.0, -1.0]
    sp.save_npz(tmp_path / "m.npz", sp.coo_array((values, (rows, columns)), shape=(4, 4)))
    found = read(tmp_path / "m.npz", keep_isolated=True)
    assert pairs(found.network) == {frozenset("01"), frozenset("12")}
    assert found.report.duplicates == 0


def archive(**arrays):
    """Return an .npz as bytes; what is bytes already is written as it is."""
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as made:
        for key, value in arrays.items():
            content = value
            if not isinstance(value, bytes):
                stream = io.BytesIO()
                np.save(stream, np.asarray(value), allow_pickle=True)
                content = stream.getvalue()
            made.writestr(f"{key}.npy", content)
    return target.getvalue()


def csr(**changed):
    parts = {
        "format": np.array(b"csr"),
        "shape": [3, 3],
        "data": [1.0, 1.0],
        "indices": [1, 2],
        "indptr": [0, 1, 2, 2],
    }
    return archive(**{key: value for key, value in (parts | changed).items() if value is not None})


def lying_header(shape):
    stream = io.BytesIO()
    np.lib.format.write_array_header_1_0(
        stream, {"descr": "<f8", "fortran_order": False, "shape": shape}
    )
    return stream.getvalue() + b"\0" * 16


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (csr(indices=[1, 3]), "m.npz: not a sparse matrix of scipy ("),
        (csr(indices=[1, -1]), "m.npz: not a sparse matrix of scipy ("),
        (csr(indptr=[0, 5, 1, 2]), "m.npz: not a sparse matrix of scipy ("),
        (csr(indptr=[0, 7, 7, 0]), "m.npz: not a sparse matrix of scipy ("),
        (csr(indptr=[1, 1, 2, 2]), "m.npz: not a sparse matrix of scipy ("),
        (csr(indptr=[0, 1, 2]), "m.npz: not a sparse matrix of scipy ("),
        (csr(indptr=[0, 1, 9, 9]), "m.npz: not a sparse matrix of scipy ("),
        (csr(indices=[1.0, 2.0]), "m.npz: a sparse matrix whose indices are no whole numbers"),
        (csr(data=["a", "b"]), "m.npz: a sparse matrix of <U1, expected numbers"),
        (csr(data=np.array([1, {}], dtype=object)), "m.npz: data.npy holds Python objects"),
        (csr(data=[1.0, np.nan]), "m.npz: the matrix holds NaN or infinity"),
        (csr(shape=[3, 4]), "m.npz: a rectangular matrix of 3 × 4"),
        (csr(shape=[3]), "m.npz: expected a matrix of two dimensions"),
        (csr(shape=[-3, -3]), "m.npz: not a sparse matrix of scipy ("),
        (csr(indptr=None), "m.npz: expected a matrix of two dimensions"),
        (csr(format=np.array(b"lil")), "m.npz: expected a matrix of two dimensions"),
        (csr(format=[1, 2]), "m.npz: not a sparse matrix of scipy ("),
        (archive(x=[1], y=[2]), "m.npz: a NumPy archive without a sparse matrix: keys x, y"),
        (csr(data=lying_header((10**12,))), "m.npz: data.npy declares more than it holds"),
        (csr(data=b"no array"), "m.npz: not a sparse matrix of scipy ("),
        (archive(x=b"\0" * (80 << 20)), "m.npz: unpacks to more than 250 times its size"),
        (csr()[:-30], "m.npz: "),
    ],
)
def test_npz_is_refused_with_a_reason(tmp_path, content, told):
    assert problem(tmp_path, content, "m.npz").startswith(told)


def test_npz_of_too_many_nodes_is_refused_and_of_many_makes_no_room(tmp_path):
    coo = {"format": np.array(b"coo"), "data": [1.0], "row": [5], "col": [70_000_000]}
    told = problem(tmp_path, archive(shape=[BIG, BIG], **coo), "m.npz")
    assert told.startswith(f"m.npz: declares {BIG} nodes")
    path = written(tmp_path, archive(shape=[80_000_000] * 2, **coo), "m.npz")
    assert read(path, keep_isolated=True).network.names == ("5", "70000000")


@pytest.mark.parametrize(
    ("entry", "kind"),
    [
        ("1 2 0,5", "coordinate real general"),
        ("1 2 0x5", "coordinate real general"),
        ("1 2 5-3", "coordinate real general"),
        ("1 2 3 4", "coordinate real general"),
        ("1 2 1_0", "coordinate real general"),
        ("1 2 ٣", "coordinate real general"),
        ("1 2 0", "coordinate pattern general"),
        ("1 2 3", "coordinate complex general"),
    ],
)
def test_an_entry_that_is_no_number_is_not_cut_to_one(tmp_path, entry, kind):
    good = {"pattern": "1 3", "complex": "1 3 1 0"}.get(kind.split()[1], "1 3 1")
    told = problem(tmp_path, mtx(f"{good}\n{entry}\n", "3 3 2", kind))
    assert told.startswith("m.mtx:6: expected ")
    assert told.endswith(f"got {entry!r}")


def test_a_comma_in_an_array_is_refused(tmp_path):
    told = problem(tmp_path, mtx("0\n1\n0,5\n0\n", "2 2", "array real general"))
    assert told.startswith("m.mtx:7: expected 1 number (array real), with a point")


def test_numbers_as_fortran_writes_them_are_read(tmp_path):
    (tmp_path / "m.mtx").write_text(mtx("1 2 1.0D+00\n1 3 .5\n2 3 -5.E-1\n", "3 3 3"))
    assert read(tmp_path / "m.mtx").network.n_edges == 3
