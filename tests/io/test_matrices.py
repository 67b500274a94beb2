"""Matrix Market files and .npz archives."""

import io
import itertools
import zipfile

import numpy as np
import pytest
import scipy.io
import scipy.sparse as sp
from numpy.lib import format as npy
from tests.io.files import (
    dropped,
    links,
    pairs,
    problem,
    reading,
    written,
)

from linkprior.errors import InputError, ParameterError
from linkprior.io.formats import ReadOptions
from linkprior.io.read import read
from linkprior.io.readers import matrices
from linkprior.io.readers.graphs import one_of_each
from linkprior.io.readers.matrices import load_sparse
from linkprior.io.unpack import VARIABLE


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


def agrees(found, dense, first):
    names = [str(i + first) for i in range(len(dense))]
    return list(found.network.names) == names and pairs(found.network) == expected(dense, first)


def mtx_file(tmp_path, content, name="m.mtx"):
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def mtx_problem(tmp_path, content, name="m.mtx"):
    with pytest.raises(InputError) as caught:
        read(mtx_file(tmp_path, content, name))
    assert "\n" not in str(caught.value)
    return str(caught.value).replace(str(tmp_path) + "/", "")


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
    found = read(mtx_file(tmp_path, text))
    assert pairs(found.network) == {frozenset("12"), frozenset("13")}
    assert found.report.dropped == [
        {"reason": "an entry of value 0: no edge", "count": 2, "first_lines": [7, 9]}
    ]


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
    assert mtx_problem(tmp_path, text).startswith(told)


def test_a_large_matrix_of_few_entries_makes_no_room_for_its_nodes(tmp_path):
    found = read(
        mtx_file(tmp_path, mtx("5 99999999 1\n", "99999999 99999999 1")), keep_isolated=True
    )
    assert found.network.names == ("5", "99999999")
    assert "99,999,997 of the 99,999,999 nodes declared" in found.report.notes[0]


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
    assert mtx_problem(tmp_path, content, "m.npz").startswith(told)


def test_npz_of_too_many_nodes_is_refused_and_of_many_makes_no_room(tmp_path):
    coo = {"format": np.array(b"coo"), "data": [1.0], "row": [5], "col": [70_000_000]}
    told = mtx_problem(tmp_path, archive(shape=[BIG, BIG], **coo), "m.npz")
    assert told.startswith(f"m.npz: declares {BIG} nodes")
    path = mtx_file(tmp_path, archive(shape=[80_000_000] * 2, **coo), "m.npz")
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
    told = mtx_problem(tmp_path, mtx(f"{good}\n{entry}\n", "3 3 2", kind))
    assert told.startswith("m.mtx:6: expected ")
    assert told.endswith(f"got {entry!r}")


def test_a_comma_in_an_array_is_refused(tmp_path):
    told = mtx_problem(tmp_path, mtx("0\n1\n0,5\n0\n", "2 2", "array real general"))
    assert told.startswith("m.mtx:7: expected 1 number (array real), with a point")


def test_numbers_as_fortran_writes_them_are_read(tmp_path):
    (tmp_path / "m.mtx").write_text(mtx("1 2 1.0D+00\n1 3 .5\n2 3 -5.E-1\n", "3 3 3"))
    assert read(tmp_path / "m.mtx").network.n_edges == 3


def two_entries(*entries, kind="coordinate real general", size=None):
    size = size or f"3 3 {len(entries)}"
    return "\n".join([f"%%MatrixMarket matrix {kind}", size, *entries]) + "\n"


@pytest.mark.parametrize(("word", "value"), [("1.5D3", 1500.0), ("1.5d+02", 150.0), ("4D0", 4.0)])
def test_an_exponent_of_fortran_counts(tmp_path, word, value):
    asked = ReadOptions(weights="value")
    for content in (
        two_entries(f"1 2 {word}", "1 3 1"),
        two_entries("0", word, "1", "0", "0", "0", kind="array real symmetric", size="3 3"),
    ):
        facts = reading(tmp_path, "m.mtx", content, options=asked).report.weights
        assert (facts.least, facts.largest) == (1.0, value)


@pytest.mark.parametrize("entry", ["2 3.0 1", "2.0 3 1", "2 3.25 1", "2 3e0 1", "+2 3 1"])
def test_a_row_or_column_that_is_no_whole_number_is_refused(tmp_path, entry):
    for other in ("1 2 1", "1 2 1D0"):  # the second is looked at line by line
        message = problem(tmp_path, "m.mtx", two_entries(other, entry), format="matrix-market")
        assert message.startswith(
            "m.mtx:4: expected 3 numbers (coordinate real), whole ones for row"
        )
        assert message.endswith(f"got {entry!r}")


def mtx_lines(size, *entries, kind="coordinate real general"):
    return "\n".join([f"%%MatrixMarket matrix {kind}", size, *entries]) + "\n"


def told(folder, content):
    return problem(folder, "m.mtx", content, format="matrix-market")


@pytest.mark.parametrize(
    "line",
    [
        "%%MatrixMarket matrix coordinate real general extra",
        "%%MatrixMarket matrix coordinate real",
        "%%MatrixMarket matrix coordinate real crooked",
        "%%MatrixMarket matrix coordinate text general",
        "%%MatrixMarket matrix list real general",
        "%%MatrixMarket vector coordinate real general",
        "%%MatrixMart matrix coordinate real general",
        "%%MatrixMarket",
        "",
    ],
)
def test_another_first_line_is_refused_and_shown(tmp_path, line):
    message = told(tmp_path, f"{line}\n3 3 1\n1 2 1\n")
    assert message.startswith("m.mtx:1: expected a first line such as %%MatrixMarket matrix ")
    assert message.endswith(f"got {line!r}")


@pytest.mark.parametrize(
    ("size", "kind", "what"),
    [
        ("3 3", "coordinate real general", "rows, columns and entries"),
        ("3 3 1 1", "coordinate real general", "rows, columns and entries"),
        ("3 x 1", "coordinate real general", "rows, columns and entries"),
        ("3 3 -1", "coordinate real general", "rows, columns and entries"),
        ("3 3 1", "array real general", "rows and columns"),
        ("3", "array real general", "rows and columns"),
        ("x y", "array real general", "rows and columns"),
    ],
)
def test_another_line_of_sizes_is_refused_and_shown(tmp_path, size, kind, what):
    message = told(tmp_path, mtx_lines(size, "1 2 1", "1 3 1", kind=kind))
    assert message == f"m.mtx:2: expected the numbers of {what}, got {size!r}"


def test_an_array_of_patterns_is_refused(tmp_path):
    message = told(tmp_path, mtx_lines("2 2", "1", "1", "1", "1", kind="array pattern general"))
    assert message.startswith("m.mtx:2: an array of 2 × 2 pattern values, expected coordinates")


@pytest.mark.parametrize(
    ("symmetry", "entries", "found"),
    [
        ("general", "0 0 1 1 0 0 0 -1 0", {"3-1", "1-2", "2-3"}),
        ("general", "0 0 1 0 0 0 0 0 0", {"1-3"}),
        ("symmetric", "7 0 1 0 1 0", {"1-3", "2-3"}),
        ("symmetric", "0 1 0 0 0 7", {"1-2"}),
        ("skew-symmetric", "0 1 1", {"1-3", "2-3"}),
        ("skew-symmetric", "-1 0 0", {"1-2"}),
    ],
)
def test_values_of_an_array_go_down_the_columns(tmp_path, symmetry, entries, found):
    content = mtx_lines("3 3", *entries.split(), kind=f"array integer {symmetry}")
    assert pairs(reading(tmp_path, "m.mtx", content).network) == links(*found)


@pytest.mark.parametrize(
    ("symmetry", "needed"), [("general", 9), ("symmetric", 6), ("skew-symmetric", 3)]
)
def test_an_array_must_hold_as_many_values_as_its_symmetry_needs(tmp_path, symmetry, needed):
    kind = f"array real {symmetry}"
    few = told(tmp_path, mtx_lines("3 3", *["1"] * (needed - 1), kind=kind))
    assert few.startswith(f"m.mtx: declares {needed} entries, the file has {needed - 1}:")
    many = told(tmp_path, mtx_lines("3 3", *["1"] * (needed + 1), kind=kind))
    assert many == f"m.mtx:{needed + 3}: more than the {needed} entries declared"


def test_minus_1_is_an_entry_and_0_is_none(tmp_path):
    content = mtx_lines("3 3 3", "1 2 -1", "2 3 1", "1 3 -0")
    found = reading(tmp_path, "m.mtx", content)
    assert pairs(found.network) == links("1-2", "2-3")
    assert dropped(found) == {"an entry of value 0: no edge": 1}


@pytest.mark.parametrize(
    ("entries", "message"),
    [
        (("1 2 1", "1 4 1", "2 3 1"), "m.mtx:4: Column index out of bounds, got '1 4 1'"),
        (("4 2 1", "1 3 1", "2 3 1"), "m.mtx:3: Row index out of bounds, got '4 2 1'"),
        (("1 2 nan", "1 3 1", "2 3 inf"), "m.mtx:3: NaN or infinity; remove such entries"),
        (("1 2 1", "1 3 1%", "2 3 x"), "m.mtx:4: expected 3 numbers (coordinate real), with a "
         "point for decimals, got '1 3 1%'"),
        (("1 2 1", "1 3", "2 3 1"), "m.mtx:4: expected 3 numbers (coordinate real), with a "
         "point for decimals, got '1 3'"),
    ],
)  # fmt: skip
def test_of_several_entries_the_first_bad_one_is_named(tmp_path, entries, message):
    assert told(tmp_path, mtx_lines("3 3 3", *entries)) == message


@pytest.mark.parametrize(
    ("kind", "entries", "width"),
    [
        ("coordinate pattern general", ("1 2", "1 3 1"), "2 numbers"),
        ("coordinate complex general", ("1 2 1 0", "1 3 1"), "4 numbers"),
        ("array complex general", ("1 0", "1"), "2 numbers"),
        ("array real general", ("1", "1 1"), "1 number"),
    ],
)
def test_each_kind_of_entry_has_its_own_number_of_numbers(tmp_path, kind, entries, width):
    size = "2 2" if kind.startswith("array") else "3 3 2"
    message = told(tmp_path, mtx_lines(size, *entries, kind=kind))
    assert message.startswith(f"m.mtx:4: expected {width} (")


@pytest.mark.parametrize("symmetry", ["general", "symmetric"])
def test_entries_in_several_chunks_are_read_as_in_one(tmp_path, line_by_line, symmetry):
    content = mtx_lines("% note", "4 4 3", "2 1 1", "% note", "3 2 0", "4 3 2",
                  kind=f"coordinate real {symmetry}")  # fmt: skip
    found = reading(tmp_path, "m.mtx", content)
    assert pairs(found.network) == links("1-2", "3-4")
    assert found.report.dropped[0]["first_lines"] == [6]


def test_values_of_an_array_in_several_chunks_keep_their_places(tmp_path, line_by_line):
    content = mtx_lines("3 3", *"001100000", kind="array real general")
    assert pairs(reading(tmp_path, "m.mtx", content).network) == links("3-1", "1-2")


def test_an_entry_too_many_in_a_later_chunk_is_named(tmp_path, line_by_line):
    message = told(tmp_path, mtx_lines("3 3 2", "1 2 1", "2 3 1", "1 3 1"))
    assert message == "m.mtx:5: more than the 2 entries declared"
    assert told(tmp_path, mtx_lines("3 3 3", "1 2 1", "2 3 1")).startswith(
        "m.mtx: declares 3 entries"
    )
    assert told(tmp_path, mtx_lines("% nothing")) == (
        "m.mtx: ends before the line of its size; get it again"
    )


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
    message = problem(
        tmp_path,
        "m.mtx",
        mtx_lines("3 3 1", entry, kind=kind),
        options=ReadOptions(weights="value"),
    )
    assert message.startswith(f"m.mtx: Matrix Market, {named}, has no weights of edges")


@pytest.mark.parametrize("name", ["m.mtx", "m.npz"])
def test_options_of_other_formats_are_refused(tmp_path, name):
    content = mtx_lines("3 3 1", "1 2 1")
    if name == "m.npz":
        sp.save_npz(tmp_path / "m.npz", sp.coo_array(np.eye(3, k=1)))
        content = (tmp_path / "m.npz").read_bytes()
    path = written(tmp_path, name, content)
    with pytest.raises(ParameterError, match="--min-score does not apply to (Matrix Market|npz)"):
        read(path, options=ReadOptions(min_score=1))


def test_entries_of_an_npz_may_be_negative_and_a_bad_weight_is_named_by_its_place(tmp_path):
    dense = np.array([[0, 1.0, 0], [0, 0, -1.0], [0, 0, 0]])
    sp.save_npz(tmp_path / "m.npz", sp.csr_array(dense))
    assert pairs(read(tmp_path / "m.npz").network) == links("0-1", "1-2")
    with pytest.raises(InputError, match=r"m\.npz: row 1, column 2: expected a weight"):
        read(tmp_path / "m.npz", options=ReadOptions(weights="value"))


def told_of_mtx(folder, *entries, field="real"):
    head = [f"%%MatrixMarket matrix coordinate {field} general", f"3 3 {len(entries)}"]
    return problem(folder, "m.mtx", "\n".join([*head, *entries]) + "\n", format="matrix-market")


def test_an_entry_that_is_no_finite_number_is_told_as_such_however_it_is_spelt(tmp_path):
    for word in ("nan", "NaN", "nAn", "inf", "-inf", "Infinity", "-infinity"):
        message = told_of_mtx(tmp_path, "1 2 1", f"1 3 {word}", "2 3 1")
        assert message == "m.mtx:4: NaN or infinity; remove such entries", word


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


def npz_told(**changed):
    with pytest.raises(InputError) as caught:
        load_sparse(packed(**changed), "m.npz")
    return str(caught.value)


def test_an_array_must_hold_the_last_byte_it_declares():
    np.testing.assert_array_equal(
        load_sparse(packed(), "m.npz")[0].toarray(), [[0, 5, 0], [0, 0, 7], [0, 0, 0]]
    )
    short = "m.npz: data.npy declares more than it holds; get it again"
    assert npz_told(data=array_of([5.0, 7.0])[:-1]) == short
    assert npz_told(data=array_of([5.0, 7.0], shape=(3,))) == short


def test_pointers_may_not_go_back_anywhere():
    cut = "m.npz: not a sparse matrix of scipy (the pointers do not cut the entries into 3 rows)"
    for pointers in ([0, 2, 1, 2], [0, 1, 2, 1], [0, -1, 1, 2], [0, 2, 1, 0]):
        assert npz_told(indptr=array_of(pointers, "<i8")).startswith(cut), pointers


def test_an_archive_that_is_too_large_is_told_with_its_size_in_megabytes(monkeypatch):
    monkeypatch.setattr(matrices, "_MOST", 2 << 20)
    assert load_sparse(packed(extra=array_of(bytes(1 << 20), f"|S{1 << 20}")), "m.npz")[1] == "csr"
    message = npz_told(extra=array_of(bytes(3 << 20), f"|S{3 << 20}"))
    assert message.startswith("m.npz: unpacks to 3 MB, at most 2 are read;")


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


def csr_archive(**changed):
    return {k: v for k, v in {**CSR, **changed}.items() if v is not None}


def dense(parts, **options):
    return load_sparse(npz_of(parts, **options), "m.npz")[0].toarray()


def npz_problem(parts, **options):
    with pytest.raises(InputError) as caught:
        load_sparse(npz_of(parts, **options), "m.npz")
    return str(caught.value)


@pytest.mark.parametrize(
    "parts",
    [
        csr_archive(),
        csr_archive(format=np.array("csr")),
        csr_archive(data=[5.0, 7.0, 9.0], indices=[1, 2, 0]),  # more than the pointers lead to
        csr_archive(data=np.array([5, 7], np.uint8), indices=np.array([1, 2], np.uint8)),
        csr_archive(data=array_bytes([5.0, 7.0], (2, 0))),
        csr_archive(data=array_bytes([5.0, 7.0], (3, 0))),
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
        (csr_archive(indptr=[1, 1, 2, 2]), POINTERS),
        (csr_archive(indptr=[-1, 1, 2, 2]), POINTERS),
        (csr_archive(indptr=[0, 1, 2]), POINTERS),
        (csr_archive(indptr=[0, 1, 2, 2, 2]), POINTERS),
        (csr_archive(indptr=[0, 2, 1, 2]), POINTERS),
        (csr_archive(indptr=[0, 1, 2, 3]), BEYOND),
        (csr_archive(indptr=[0, 1, 9, 9]), BEYOND),
        (csr_archive(data=[[5.0, 7.0]]), "an array of 2 dimensions, expected 1"),
        (csr_archive(data=5.0), "an array of 0 dimensions, expected 1"),
        (csr_archive(indptr=[[0, 1, 2, 2]]), "an array of 2 dimensions, expected 1"),
        (bsr((2, 1, 2), n=3, indptr=(0, 1, 2, 2)), "blocks of 1 × 2 do not fill the matrix"),
        (bsr((2, 2, 1), n=3), "blocks of 2 × 1 do not fill the matrix"),
        (bsr((2, 0, 1)), "blocks of 0 × 1 do not fill the matrix"),
        (bsr((2, 1, 0)), "blocks of 1 × 0 do not fill the matrix"),
        (bsr((1, 1, 2)), "the pointers lead beyond the last block"),
    ],
)
def test_parts_that_do_not_fit_together_are_refused_with_the_reason(parts, why):
    assert npz_problem(parts) == f"m.npz: not a sparse matrix of scipy ({why}); get it again"


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
    assert npz_problem(csr_archive(data=data)).startswith(f"m.npz: {problem}")


@pytest.mark.parametrize("key", ["shape", "indices", "indptr"])
def test_indices_must_be_whole_numbers(key):
    changed = {key: np.asarray(CSR[key], dtype=np.float64)}
    assert (
        npz_problem(csr_archive(**changed))
        == "m.npz: a sparse matrix whose indices are no whole numbers"
    )


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
    assert npz_problem(csr_archive(**changed)).endswith(got)


@pytest.mark.parametrize("key", ["format", "shape"])
def test_an_archive_without_format_or_shape_is_no_sparse_matrix(key):
    message = npz_problem(csr_archive(**{key: None}))
    assert message.startswith("m.npz: a NumPy archive without a sparse matrix: keys ")
    assert "indices, indptr" in message


def test_an_archive_of_other_files_is_told_apart_from_a_damaged_one():
    assert npz_problem({"net.txt": b"a b"}) == "m.npz: is packed twice (zip inside); unpack it once"
    assert npz_problem({"net.txt": b"a b", **CSR}).startswith(
        "m.npz: not a sparse matrix of scipy ("
    )


def test_only_what_numpy_packs_is_unpacked():
    np.testing.assert_array_equal(dense(CSR, method=zipfile.ZIP_DEFLATED), DENSE)
    message = npz_problem(CSR, method=zipfile.ZIP_BZIP2)
    assert message == "m.npz: format.npy is packed as NumPy packs none; save it again"


def test_an_archive_may_be_as_large_as_the_user_allows(monkeypatch):
    content = npz_of(CSR)
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        size = sum(member.file_size for member in archive.infolist())
    monkeypatch.setenv(VARIABLE, str(size))
    assert load_sparse(content, "m.npz")[1] == "csr"
    monkeypatch.setenv(VARIABLE, str(size - 1))
    with pytest.raises(InputError, match="unpacks to more than"):
        load_sparse(content, "m.npz")


def test_only_a_matrix_that_gives_every_pair_both_ways_is_symmetric():
    """All directed graphs on three nodes, against the definition."""
    every = list(itertools.permutations(range(3), 2))
    for size in range(1, len(every) + 1):
        for chosen in itertools.combinations(every, size):
            symmetric = set(chosen) == {(j, i) for i, j in chosen}
            assert (one_of_each(np.array(chosen)) is not None) == symmetric, chosen


def test_pointers_that_do_not_begin_at_the_first_entry_are_refused(tmp_path):
    parts = {"format": b"csr", "shape": (3, 3), "data": np.ones(3)}
    pointers = {"indices": np.array([1, 2, 0]), "indptr": np.array([1, 2, 3, 3])}
    np.savez(tmp_path / "m.npz", **parts, **pointers)
    told = problem(tmp_path, "m.npz", (tmp_path / "m.npz").read_bytes())
    assert "the pointers do not cut the entries into 3 rows" in told


def test_an_array_of_negative_size_is_refused_by_its_header(tmp_path):
    sp.save_npz(tmp_path / "whole.npz", sp.csr_array(np.ones((3, 3))))
    header = io.BytesIO()
    facts = {"descr": "<f8", "fortran_order": False, "shape": (3, -3)}
    np.lib.format.write_array_header_1_0(header, facts)
    with (
        zipfile.ZipFile(tmp_path / "whole.npz") as whole,
        zipfile.ZipFile(tmp_path / "m.npz", "w") as archive,
    ):
        for name in whole.namelist():
            own = header.getvalue() + bytes(72)
            archive.writestr(name, own if name == "data.npy" else whole.read(name))
    told = problem(tmp_path, "m.npz", (tmp_path / "m.npz").read_bytes())
    assert "data.npy declares more than it holds" in told


@pytest.mark.parametrize("offset", [-3, -1, 0, 1, 2])
def test_a_matrix_of_diagonals_gives_the_entries_inside_it_and_no_other(tmp_path, offset):
    """The stored rows of a diagonal are longer than the diagonal: what sticks out is no entry."""
    n = 6
    data = np.arange(1.0, 2 * n + 1).reshape(2, n)
    matrix = sp.dia_array((data, [offset, 3]), shape=(n, n))
    sp.save_npz(tmp_path / "m.npz", matrix)
    dense = matrix.toarray()
    expected = {frozenset((i, j)) for i, j in np.argwhere(dense).tolist() if i != j}
    network = read(tmp_path / "m.npz").network
    names = [int(name) for name in network.names]
    first = min(names)  # nodes are numbered from 0 or from 1
    got = {frozenset((names[i] - first, names[j] - first)) for i, j in network.edges.tolist()}
    lowest = min(min(pair) for pair in expected)
    assert got == {frozenset(end - lowest for end in pair) for pair in expected}


@pytest.mark.parametrize("layout", ["csr", "csc"])
def test_pointers_beyond_the_last_entry_are_refused(tmp_path, layout):
    parts = {"format": layout.encode(), "shape": (3, 3), "data": np.ones(2)}
    np.savez(tmp_path / "m.npz", **parts, indices=np.array([1, 2]), indptr=np.array([0, 1, 2, 5]))
    told = problem(tmp_path, "m.npz", (tmp_path / "m.npz").read_bytes())
    assert "beyond the last entry" in told


def test_what_scipy_says_without_a_line_is_told_of_the_file(tmp_path, monkeypatch):
    def broken(*_, **__):
        raise ValueError("something else")

    monkeypatch.setattr(matrices, "_mmread", broken)
    text = "%%MatrixMarket matrix coordinate pattern general\n2 2 1\n1 2\n"
    (tmp_path / "m.mtx").write_text(text)
    with pytest.raises(InputError, match=r"m\.mtx: something else$"):
        read(tmp_path / "m.mtx")


LONG = "w" * 5000


A_LINE = 400  # characters: some lines of a terminal at most


def test_a_long_line_of_sizes_is_told_in_a_short_message(tmp_path):
    head = "%%MatrixMarket matrix coordinate real general\n"
    message = problem(tmp_path, "m.mtx", f"{head}3 3 {LONG}\n", format="matrix-market")
    assert message.startswith("m.mtx:2: expected the numbers of rows, columns and entries, got '3")
    assert len(message) < A_LINE


def test_an_array_with_a_long_wrong_header_is_told_in_a_short_message():
    header = repr(LONG).encode()  # a text where NumPy expects a dictionary, and shows it whole
    array = b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as archive:
        archive.writestr("data.npy", array)
    with pytest.raises(InputError, match="not a dictionary: 'w") as caught:
        load_sparse(target.getvalue(), "m.npz")
    assert len(str(caught.value)) < A_LINE
