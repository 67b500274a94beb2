"""Matrix Market files at the edge of their rules: first lines, sizes, entries, chunks, weights."""

import numpy as np
import pytest
import scipy.sparse as sp
from tests.io.graph_files import dropped, pairs, problem, reading, written

from linkprior.errors import InputError, ParameterError
from linkprior.io.formats import ReadOptions
from linkprior.io.read import read


def mtx(size, *entries, kind="coordinate real general"):
    return "\n".join([f"%%MatrixMarket matrix {kind}", size, *entries]) + "\n"


def links(*words):
    return {frozenset(word.split("-")) for word in words}


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


def test_an_empty_file_has_no_first_line(tmp_path):
    (tmp_path / "m.mtx").write_bytes(b"\n")
    with pytest.raises(InputError, match=r"m\.mtx:1: expected a first line"):
        read(tmp_path / "m.mtx", "matrix-market")


def test_capitals_in_the_first_line_do_not_matter(tmp_path):
    content = mtx("3 3 1", "1 2 1").replace("coordinate real general", "COORDINATE Real General")
    assert pairs(reading(tmp_path, "m.mtx", content).network) == links("1-2")


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
    message = told(tmp_path, mtx(size, "1 2 1", "1 3 1", kind=kind))
    assert message == f"m.mtx:2: expected the numbers of {what}, got {size!r}"


def test_an_array_of_patterns_is_refused(tmp_path):
    message = told(tmp_path, mtx("2 2", "1", "1", "1", "1", kind="array pattern general"))
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
    content = mtx("3 3", *entries.split(), kind=f"array integer {symmetry}")
    assert pairs(reading(tmp_path, "m.mtx", content).network) == links(*found)


@pytest.mark.parametrize(
    ("symmetry", "needed"), [("general", 9), ("symmetric", 6), ("skew-symmetric", 3)]
)
def test_an_array_must_hold_as_many_values_as_its_symmetry_needs(tmp_path, symmetry, needed):
    kind = f"array real {symmetry}"
    few = told(tmp_path, mtx("3 3", *["1"] * (needed - 1), kind=kind))
    assert few.startswith(f"m.mtx: declares {needed} entries, the file has {needed - 1}:")
    many = told(tmp_path, mtx("3 3", *["1"] * (needed + 1), kind=kind))
    assert many == f"m.mtx:{needed + 3}: more than the {needed} entries declared"


def test_minus_1_is_an_entry_and_0_is_none(tmp_path):
    content = mtx("3 3 3", "1 2 -1", "2 3 1", "1 3 -0")
    found = reading(tmp_path, "m.mtx", content)
    assert pairs(found.network) == links("1-2", "2-3")
    assert dropped(found) == {"an entry of value 0: no edge": 1}


def test_a_comment_may_be_indented_and_stand_anywhere(tmp_path):
    content = mtx("  % first", "%", "3 3 2", "1 2 1", "\t% between", " ", "2 3 1", "%last")
    assert pairs(reading(tmp_path, "m.mtx", content).network) == links("1-2", "2-3")


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
    assert told(tmp_path, mtx("3 3 3", *entries)) == message


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
    message = told(tmp_path, mtx(size, *entries, kind=kind))
    assert message.startswith(f"m.mtx:4: expected {width} (")


# ---------------------------------------------------------------------- chunks


@pytest.mark.parametrize("symmetry", ["general", "symmetric"])
def test_entries_in_several_chunks_are_read_as_in_one(tmp_path, line_by_line, symmetry):
    content = mtx("% note", "4 4 3", "2 1 1", "% note", "3 2 0", "4 3 2",
                  kind=f"coordinate real {symmetry}")  # fmt: skip
    found = reading(tmp_path, "m.mtx", content)
    assert pairs(found.network) == links("1-2", "3-4")
    assert found.report.dropped[0]["first_lines"] == [6]


def test_values_of_an_array_in_several_chunks_keep_their_places(tmp_path, line_by_line):
    content = mtx("3 3", *"001100000", kind="array real general")
    assert pairs(reading(tmp_path, "m.mtx", content).network) == links("3-1", "1-2")


def test_an_entry_too_many_in_a_later_chunk_is_named(tmp_path, line_by_line):
    message = told(tmp_path, mtx("3 3 2", "1 2 1", "2 3 1", "1 3 1"))
    assert message == "m.mtx:5: more than the 2 entries declared"
    assert told(tmp_path, mtx("3 3 3", "1 2 1", "2 3 1")).startswith("m.mtx: declares 3 entries")
    assert told(tmp_path, mtx("% nothing")) == (
        "m.mtx: ends before the line of its size; get it again"
    )


# ---------------------------------------------------------------------- weights and options


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
        tmp_path, "m.mtx", mtx("3 3 1", entry, kind=kind), options=ReadOptions(weights="value")
    )
    assert message.startswith(f"m.mtx: Matrix Market, {named}, has no weights of edges")


@pytest.mark.parametrize("symmetry", ["general", "symmetric"])
def test_weights_in_several_chunks_stay_with_their_edges(tmp_path, line_by_line, symmetry):
    content = mtx("3 3 3", "2 1 4", "3 1 0", "3 2 2", kind=f"coordinate real {symmetry}")
    found = reading(tmp_path, "m.mtx", content, options=ReadOptions(weights="value"))
    facts = found.report.weights
    assert (facts.least, facts.largest) == (2.0, 4.0)
    assert found.network.confidence.toarray()[0, 1] == 1.0


@pytest.mark.parametrize("name", ["m.mtx", "m.npz"])
def test_options_of_other_formats_are_refused(tmp_path, name):
    content = mtx("3 3 1", "1 2 1")
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
