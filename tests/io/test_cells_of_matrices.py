"""Entries of matrices one by one: odd spellings in Matrix Market, sizes and pointers in .npz."""

import io
import zipfile

import numpy as np
import pytest
from numpy.lib import format as npy
from tests.io.graph_files import problem

from linkprior.errors import InputError
from linkprior.io.readers import matrices
from linkprior.io.readers.matrices import load_sparse


def told_of_mtx(folder, *entries, field="real"):
    head = [f"%%MatrixMarket matrix coordinate {field} general", f"3 3 {len(entries)}"]
    return problem(folder, "m.mtx", "\n".join([*head, *entries]) + "\n", format="matrix-market")


def test_an_entry_that_is_no_finite_number_is_told_as_such_however_it_is_spelt(tmp_path):
    for word in ("nan", "NaN", "nAn", "inf", "-inf", "Infinity", "-infinity"):
        message = told_of_mtx(tmp_path, "1 2 1", f"1 3 {word}", "2 3 1")
        assert message == "m.mtx:4: NaN or infinity; remove such entries", word


def test_entries_of_one_number_each_are_too_short(tmp_path):
    """Two words on two lines: not the four numbers of one complex entry, nor of two."""
    expected = "m.mtx:3: expected 4 numbers (coordinate complex)"
    assert told_of_mtx(tmp_path, "1", "2", field="complex").startswith(expected)


# ---------------------------------------------------------------------- .npz


def array_of(values, descr="<f8", shape=None):
    """Return an array as NumPy writes it; its header may say another shape than it has."""
    content, stream = np.asarray(values, descr), io.BytesIO()
    facts = {"descr": descr, "fortran_order": False, "shape": shape or content.shape}
    npy.write_array_header_1_0(stream, facts)
    return stream.getvalue() + content.tobytes()


def packed(**changed):
    """Return an archive of the 3 × 3 matrix with 5 in row 0, column 1 and 7 in row 1, column 2."""
    parts = {
        "format": array_of(b"csr", "|S3"),
        "shape": array_of([3, 3], "<i8"),
        "data": array_of([5.0, 7.0]),
        "indices": array_of([1, 2], "<i8"),
        "indptr": array_of([0, 1, 2, 2], "<i8"),
    }
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as archive:
        for name, content in (parts | changed).items():
            archive.writestr(f"{name}.npy", content)
    return target.getvalue()


def told(**changed):
    with pytest.raises(InputError) as caught:
        load_sparse(packed(**changed), "m.npz")
    return str(caught.value)


def test_an_array_must_hold_the_last_byte_it_declares():
    np.testing.assert_array_equal(
        load_sparse(packed(), "m.npz")[0].toarray(), [[0, 5, 0], [0, 0, 7], [0, 0, 0]]
    )
    short = "m.npz: data.npy declares more than it holds; get it again"
    assert told(data=array_of([5.0, 7.0])[:-1]) == short
    assert told(data=array_of([5.0, 7.0], shape=(3,))) == short


def test_pointers_may_not_go_back_anywhere():
    cut = "m.npz: not a sparse matrix of scipy (the pointers do not cut the entries into 3 rows)"
    for pointers in ([0, 2, 1, 2], [0, 1, 2, 1], [0, -1, 1, 2], [0, 2, 1, 0]):
        assert told(indptr=array_of(pointers, "<i8")).startswith(cut), pointers


def test_a_matrix_with_more_rows_than_columns_or_fewer_is_told_with_both():
    for rows, columns in ((3, 4), (4, 3)):
        message = told(shape=array_of([rows, columns], "<i8"))
        assert message.startswith(f"m.npz: a rectangular matrix of {rows} × {columns} (")


def test_an_archive_that_is_too_large_is_told_with_its_size_in_megabytes(monkeypatch):
    monkeypatch.setattr(matrices, "_MOST", 2 << 20)
    assert load_sparse(packed(extra=array_of(bytes(1 << 20), f"|S{1 << 20}")), "m.npz")[1] == "csr"
    message = told(extra=array_of(bytes(3 << 20), f"|S{3 << 20}"))
    assert message.startswith("m.npz: unpacks to 3 MB, at most 2 are read;")
