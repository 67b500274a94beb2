"""What a layout says of a table, and which tables are refused as matrices: both sides of rules."""

import pytest

from linkprior.errors import InputError, ParameterError
from linkprior.io.readers.columns import Layout, find_layout
from linkprior.io.readers.delimited import sample_of
from linkprior.io.source import Block


def layout(text, file="f.txt", **asked):
    """Return the layout of rows written a b;c d."""
    return find_layout(sample_of(Block(1, text.replace(";", "\n") + "\n"), file), file, **asked)


# ---------------------------------------------------------------------- where the score is


@pytest.mark.parametrize(
    ("text", "score"),
    [
        ("a b;b c", None),
        ("a b 0.5;b c 0.7", 2),
        ("a b 0.5 0.6;b c 0.7 0.1", 2),
        ("0.5 a b;0.7 b c", 0),
        ("a pp b 0.5;b pp c 0.7", 3),
        ("a pp b;b pp c", None),
        ("1 a b 0.5;2 b c 0.7", 3),
        ("source target weight;a b 1;b c 2", 2),
        ("source target year Combined_Score;a b 1 2;b c 2 3", 3),
        ("source target score weight;a b 1 2;b c 2 3", 2),
        ("score source target;1 a b;2 b c", 0),
        ("source target year;a b 1;b c 2", None),
        ("value strength odd;a b 1;b c 2", None),  # these are the ends
    ],
)
def test_the_score_is_the_column_called_so_or_the_first_that_is_no_end(text, score):
    assert layout(text).score == score


# ---------------------------------------------------------------------- what is said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a b;b c", "space-separated edge list without header"),
        ("a b;b c x", "space-separated edge list without header"),
        (
            "a b 0.5;b c 0.7",
            "space-separated edge list without header, nodes in columns 1 and 2",
        ),
        (
            "a pp b;b pp c",
            "space-separated edge list without header, nodes in columns 1 and 3",
        ),
        (
            "u v;a b;b c",
            "space-separated edge list, nodes in the columns u and v",
        ),
        (
            "nr source target;x a b;x b c",
            "space-separated edge list, nodes in the columns source and target",
        ),
    ],
)
def test_the_report_says_where_the_nodes_are(text, said):
    assert layout(text).describe() == said


@pytest.mark.parametrize("name", ["", "a\x1bb", "x" * 100])
def test_a_column_whose_name_cannot_be_shown_is_told_by_its_number(name):
    found = Layout("\t", (0, 1), 2, [name, "target"])
    assert found.describe() == "tab-separated edge list, nodes in the columns 1 and target"


# ---------------------------------------------------------------------- layers

LAYERS = "1 1 2 1;1 2 3 1;2 1 2 1"


@pytest.mark.parametrize("file", ["net.edges", "net.edges.gz"])
def test_four_numbers_per_row_of_a_file_of_edges_are_layers(file):
    found = layout(LAYERS, file)
    assert (found.ends, found.multiplex, found.width) == ((1, 2), True, 4)
    assert "multiplex" in found.describe()


@pytest.mark.parametrize(
    ("text", "file"),
    [
        (LAYERS, "net.txt"),
        ("1 1 2;1 2 3;2 1 2", "net.edges"),
        ("1 1 2 1 1;1 2 3 1 1", "net.edges"),
        ("1 1 2 1;1 2 3 1 1", "net.edges"),  # one row is wider
        ("1 1 2 1;1 b 3 1", "net.edges"),  # one cell is a name
    ],
)
def test_other_rows_have_no_layers(text, file):
    found = layout(text, file)
    assert (found.ends, found.multiplex) == ((0, 1), False)


def test_columns_that_are_chosen_are_no_layers():
    found = layout(LAYERS, "net.edges", columns=("1", "4"))
    assert (found.ends, found.multiplex) == ((0, 3), False)


# ---------------------------------------------------------------------- header and cells


def test_a_column_beyond_the_header_is_no_end():
    text = "eins zwei;MYC pp MAX;MYC pp TP53"
    assert layout(text, has_header=True).ends == (0, 1)
    assert layout(text.replace("zwei", "zwei drei"), has_header=True).ends == (0, 2)


def test_the_words_of_a_header_are_no_cells_of_its_columns():
    assert layout("nr eins zwei;1 a b;2 b c").ends == (1, 2)
    found = layout("# nr eins score;1 a b;2 b c", weights="nr")  # a comment is no row
    assert (found.ends, found.header_line, found.weights) == ((1, 2), None, 0)


def test_a_header_that_tells_the_ends_comes_before_what_the_cells_tell():
    found = layout("source target odd;MYC pp MAX;MAX pp TP53")
    assert (found.ends, found.note) == ((0, 1), "")


def test_the_layout_knows_the_first_row_and_its_line():
    found = layout("# a note;;source target;a b")
    assert (found.line, found.first, found.header_line) == (3, ("source", "target"), 3)


# ---------------------------------------------------------------------- matrices

MATRICES = [
    (" ".join("01" * 5), 10, 1),
    ("a 1 2 3;b 4 5 6;c 7 8 9", 4, 2),
    ("gene s1 s2 s3;a 1 2 3;b 4 5 6;c 7 8 9", 4, 2),
    ("a 1;b 0.5;c 3", 2, 2),
    ("gene odd;a 1;b 0.5;c 3", 2, 2),
    ("a 0.5 1;b 1 2;c 3 4", 3, 2),
    ("0.5 a;1 b;2 c", 2, 1),
]


@pytest.mark.parametrize(("text", "width", "first"), MATRICES)
def test_what_would_name_nodes_by_measured_numbers_is_refused(text, width, first):
    with pytest.raises(InputError) as told:
        layout(f"# a note;{text}")
    got = f"f.txt:2: expected two columns of node names, got {width} columns with numbers from "
    assert str(told.value).startswith(f"{got}column {first} on. ")


@pytest.mark.parametrize(("text", "width", "first"), MATRICES)
def test_two_columns_of_a_matrix_may_be_chosen(text, width, first):
    assert layout(text, columns=("1", "2"), has_header=False).ends == (0, 1)


@pytest.mark.parametrize(
    "text",
    [
        "a " + " ".join("01" * 5),  # a name among numbers, in one row
        " ".join("01" * 5) + ";1 2",  # one row is wide
        "a 1 2 3;b 4 5 6",  # two rows are too few
        "a 0.5;b 1.5",
        "0.5 a;1 b",
        "a 1 2;b 4 5;c 7 8",  # edges with a weight
        "a 1 0.5;b 4 0.7;c 7 0.8",
        "a 1;b 4;c 7",
        "a 0.5;b 1;7 3",  # a number in front
        "a 0.5;b x;c 3",  # a name behind
        "a 0.5 x;b 1 y;c 3 z",
        "0.5 a b;1 b c;2 c d",  # scores in front of two names
    ],
)
def test_what_may_be_edges_is_read(text):
    assert layout(text).header == []


# ---------------------------------------------------------------------- columns asked for


@pytest.mark.parametrize(
    ("columns", "expected"),
    [(("1", "3"), (0, 2)), (("3", "1"), (2, 0)), (("drei", "eins"), (2, 0)), (("2", "zwei"), None)],
)
def test_columns_are_taken_by_name_or_number(columns, expected):
    text = "eins zwei drei;a b 1;b c 2"
    if expected is None:
        with pytest.raises(ParameterError, match="two different columns, got '2' twice"):
            layout(text, columns=columns)
    else:
        assert layout(text, columns=columns).ends == expected


@pytest.mark.parametrize("columns", [("1",), ("1", "2", "3"), "12"])
def test_columns_are_two(columns):
    with pytest.raises(ParameterError, match="^--columns expects two columns, got "):
        layout("a b c;b c d", columns=columns)


def test_a_name_that_is_a_number_is_a_name_first():
    assert layout("2 eins;a b;b c", columns=("2", "eins")).ends == (0, 1)


@pytest.mark.parametrize("name", ["0", "3", "-1", "x"])
def test_a_column_that_is_not_there_is_refused_with_those_that_are(name):
    with pytest.raises(ParameterError, match=rf"no column '{name}'\. There are: 1 to 2 \(no head"):
        layout("a b;b c", columns=("1", name))


def test_weights_are_a_column_that_is_no_end():
    assert layout("a b 0.5;b c 0.7", weights="3").weights == 2
    with pytest.raises(ParameterError, match="column '2' of f.txt is read as names of nodes"):
        layout("a b 0.5;b c 0.7", weights="2")
    assert layout("a b 0.5;b c 0.7", weights="2", columns=("1", "3")).weights == 1


def test_the_name_of_the_weights_tells_a_header_and_a_number_does_not():
    assert layout("eins zwei drei;a b x;b c y", weights="drei").header_line == 1
    assert layout("eins zwei drei;a b x;b c y", weights="3").header_line is None
    asked = {"columns": ("1", "2"), "weights": "drei"}
    assert layout("eins zwei drei;a b x;b c y", **asked).header_line == 1
    assert layout("eins zwei 3;a b x;b c y", columns=("eins", "zwei"), weights="3").weights == 2
