"""Sparse matrices in .npz archives, right and wrong by one: what is read, and what is said."""

import io
import warnings
import zipfile

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.lib import format as npy

from linkprior.errors import InputError
from linkprior.io.readers.matrices import load_sparse
from linkprior.io.unpack import VARIABLE


def array_bytes(value, version=None):
    stream = io.BytesIO()
    npy.write_array(stream, np.asarray(value), version=version)
    return stream.getvalue()


def claiming(shape, descr="<f8", held=16):
    """An array whose header says one thing, and that holds so many bytes."""
    stream = io.BytesIO()
    npy.write_array_header_1_0(stream, {"descr": descr, "fortran_order": False, "shape": shape})
    return stream.getvalue() + bytes(held)


def packed(parts, method=zipfile.ZIP_STORED):
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


def dense(parts, **options):
    return load_sparse(packed(parts, **options), "m.npz")[0].toarray()


def told(parts, **options):
    with pytest.raises(InputError) as caught:
        load_sparse(packed(parts, **options), "m.npz")
    return str(caught.value)


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
        parts_of("coo", 3, data=[4.0, 7.0, 1.0], row=[0, 1, 0], col=[1, 2, 1]),
        # Off its diagonal, above the first row and below the last one, a cell is no entry.
        parts_of("dia", 3, data=[[9.0, 5.0, 7.0]], offsets=[1]),
        parts_of("dia", 3, data=[[9.0, 5.0, 7.0], [0, 0, 9.0]], offsets=[1, -1]),
        parts_of("dia", 3, data=[[9.0, 5.0, 7.0, 9.0]], offsets=[1]),
        parts_of("dia", 3, data=[[0, 0, 0, 9.0], [9.0, 5.0, 7.0, 9.0]], offsets=[3, 1]),
    ],
)
def test_one_matrix_is_read_from_all_its_layouts(parts):
    np.testing.assert_array_equal(dense(parts), DENSE)


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


def bsr(shape=(2, 1, 2), n=2, indices=(0, 0), indptr=(0, 1, 2)):
    data = np.arange(1.0, 1 + np.prod(shape)).reshape(shape)
    return parts_of("bsr", n, data=data, indices=np.array(indices), indptr=np.array(indptr))


def test_blocks_behind_the_last_pointer_are_no_entries():
    np.testing.assert_array_equal(dense(bsr((3, 1, 2), indices=(0, 0, 0))), [[1, 2], [3, 4]])


POINTERS = "the pointers do not cut the entries into 3 rows"
BEYOND = "the pointers lead beyond the last entry"


@pytest.mark.parametrize(
    ("parts", "why"),
    [
        (csr(indptr=[1, 1, 2, 2]), POINTERS),
        (csr(indptr=[-1, 1, 2, 2]), POINTERS),
        (csr(indptr=[0, 1, 2]), POINTERS),
        (csr(indptr=[0, 1, 2, 2, 2]), POINTERS),
        (csr(indptr=[0, 2, 1, 2]), POINTERS),
        (csr(indptr=[0, 1, 2, 3]), BEYOND),
        (csr(indptr=[0, 1, 9, 9]), BEYOND),
        (csr(data=[[5.0, 7.0]]), "an array of 2 dimensions, expected 1"),
        (csr(data=5.0), "an array of 0 dimensions, expected 1"),
        (csr(indptr=[[0, 1, 2, 2]]), "an array of 2 dimensions, expected 1"),
        (bsr((2, 1, 2), n=3, indptr=(0, 1, 2, 2)), "blocks of 1 × 2 do not fill the matrix"),
        (bsr((2, 2, 1), n=3), "blocks of 2 × 1 do not fill the matrix"),
        (bsr((2, 0, 1)), "blocks of 0 × 1 do not fill the matrix"),
        (bsr((2, 1, 0)), "blocks of 1 × 0 do not fill the matrix"),
        (bsr((1, 1, 2)), "the pointers lead beyond the last block"),
    ],
)
def test_parts_that_do_not_fit_together_are_refused_with_the_reason(parts, why):
    assert told(parts) == f"m.npz: not a sparse matrix of scipy ({why}); get it again"


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (claiming((3,)), "data.npy declares more than it holds"),
        (claiming((-1,)), "data.npy declares more than it holds"),
        (claiming((10**6,), "|V0", 0), "data.npy declares more than it holds"),
        (np.array(["a", "b"]), "a sparse matrix of <U1, expected numbers"),
    ],
)
def test_an_array_that_cannot_be_the_entries_is_refused(data, problem):
    assert told(csr(data=data)).startswith(f"m.npz: {problem}")


@pytest.mark.parametrize("key", ["shape", "indices", "indptr"])
def test_indices_must_be_whole_numbers(key):
    changed = {key: np.asarray(CSR[key], dtype=np.float64)}
    assert told(csr(**changed)) == "m.npz: a sparse matrix whose indices are no whole numbers"


@pytest.mark.parametrize(
    ("changed", "got"),
    [
        ({"indptr": None}, "got 'csr', shape [3, 3], without indptr"),
        ({"data": None, "indices": None}, "got 'csr', shape [3, 3], without data, indices"),
        ({"shape": [3]}, "got 'csr', shape [3], without gaps"),
        ({"shape": [3, 3, 3]}, "got 'csr', shape [3, 3, 3], without gaps"),
        ({"format": np.array(b"lil")}, "got 'lil', shape [3, 3], without gaps"),
    ],
)
def test_what_is_missing_of_a_layout_is_named(changed, got):
    assert told(csr(**changed)).endswith(got)


@pytest.mark.parametrize("key", ["format", "shape"])
def test_an_archive_without_format_or_shape_is_no_sparse_matrix(key):
    message = told(csr(**{key: None}))
    assert message.startswith("m.npz: a NumPy archive without a sparse matrix: keys ")
    assert "indices, indptr" in message


def test_an_archive_of_other_files_is_told_apart_from_a_damaged_one():
    assert told({"net.txt": b"a b"}) == "m.npz: is packed twice (zip inside); unpack it once"
    assert told({"net.txt": b"a b", **CSR}).startswith("m.npz: not a sparse matrix of scipy (")


def test_only_what_numpy_packs_is_unpacked():
    np.testing.assert_array_equal(dense(CSR, method=zipfile.ZIP_DEFLATED), DENSE)
    message = told(CSR, method=zipfile.ZIP_BZIP2)
    assert message == "m.npz: format.npy is packed as NumPy packs none; save it again"


def test_arrays_of_python_2_are_read_without_a_warning():
    header = array_bytes([5.0, 7.0]).replace(b"'shape': (2,), }  ", b"'shape': (2L,), } ")
    assert b"2L" in header
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        np.testing.assert_array_equal(dense(csr(data=header)), DENSE)


def test_an_archive_may_be_as_large_as_the_user_allows(monkeypatch):
    content = packed(CSR)
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        size = sum(member.file_size for member in archive.infolist())
    monkeypatch.setenv(VARIABLE, str(size))
    assert load_sparse(content, "m.npz")[1] == "csr"
    monkeypatch.setenv(VARIABLE, str(size - 1))
    with pytest.raises(InputError, match="unpacks to more than"):
        load_sparse(content, "m.npz")
