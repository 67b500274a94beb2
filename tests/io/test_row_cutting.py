"""Lines cut into cells: every kind of line, alone and among others, with its number."""

import pytest

from linkprior.errors import InputError
from linkprior.io.readers.delimited import Rows, data_lines, is_data, iterate, rows_of, separator_of
from linkprior.io.source import Block


def cut(text, separator, needed=1, **more):
    rows = rows_of(Block(11, text), separator, needed, "f", **more)
    return list(zip(rows.lines, rows.cells, strict=True))


def plain(*rows, first=11):
    """Return rows written a|b with the numbers of lines one below the other."""
    return [(number, row.split("|")) for number, row in enumerate(rows, first)]


EVEN = [
    ("a\tb", "\t", ["a|b"]),
    ("a\tb\n", "\t", ["a|b"]),
    ("a\tb\nc\td\ne\tf\n", "\t", ["a|b", "c|d", "e|f"]),
    ("a;b;c\nd;e;f\n", ";", ["a|b|c", "d|e|f"]),
    ("é,β\n蛋,ÿ\n", ",", ["é|β", "蛋|ÿ"]),
    ("a\nb\n", "\t", ["a", "b"]),
    ("a  b\nc \t d\n", " ", ["a|b", "c|d"]),
    ("a b \nc\td\t\n", " ", ["a|b", "c|d"]),
    ("heat shock, kinase\nx ,y\n", ",", ["heat shock|kinase", "x|y"]),
    ("a\xa0,b\nc,\xa0d\n", ",", ["a|b", "c|d"]),
    ("a\xa0 b\nc d\n", " ", ["a|b", "c|d"]),
    ("a\x0bb,c\nd,e\n", ",", ["a\x0bb|c", "d|e"]),
]
UNEVEN = [
    ("a\tb\nc\nd\te\tf\n", "\t", ["a|b", "c", "d|e|f"]),
    ("a b\nc  d\te\n", " ", ["a|b", "c|d|e"]),
    ("a,b,c\nd\ne,f\n", ",", ["a|b|c", "d", "e|f"]),  # as many marks as even rows have
    ("a,b\n,c\nd,\n", ",", ["a|b", "|c", "d|"]),  # empty cells
    (",a\nb,c\n", ",", ["|a", "b|c"]),
    ("\ta\nb\tc\n", "\t", ["|a", "b|c"]),
]
QUOTED = [
    ('"a","b"\n"c","d"\n', ",", ["a|b", "c|d"]),
    ('"a, b",c\nd,"e"\n', ",", ["a, b|c", "d|e"]),
    ('"a" "b c"\n d  "e" \n', " ", ["a|b c", "d|e"]),
    ('"a b" c\nd\te\n', " ", ["a b|c", "d|e"]),
    ('"a"\t"b"\nc\td\n', " ", None),  # a tab behind a quote, in a file cut at spaces
    ('a,  "b"\nc,d\n', ",", ["a|b", "c|d"]),  # a space before the quote
    ('"a","b"\nc\n"d",e,f\n', ",", ["a|b", "c", "d|e|f"]),
    ('"say ""a""",b\n', ",", ['say "a"|b']),
]


@pytest.mark.parametrize(("text", "separator", "rows"), [*EVEN, *UNEVEN, *QUOTED])
def test_lines_are_cut_at_the_separator(text, separator, rows):
    if rows is None:
        with pytest.raises(InputError, match="f:11: quotes do not match .* with a space between"):
            cut(text, separator)
    else:
        assert cut(text, separator) == plain(*rows)


NO_ROWS = ["", " ", "\t", "# c d", "%c d", "!c d", " # c d", "\t%c", "sep=,"]


@pytest.mark.parametrize("line", NO_ROWS)
@pytest.mark.parametrize("separator", ["\t", ",", " "])
def test_what_holds_no_row_is_passed_over_wherever_it_stands(line, separator):
    one, other = f"a{separator}b", f"c{separator}d"
    assert cut(f"{line}\n{one}\n{other}\n", separator) == plain("a|b", "c|d", first=12)
    expected = [(11, ["a", "b"]), (13, ["c", "d"])]
    assert cut(f"{one}\n{line}\n{other}\n", separator) == expected
    assert cut(f"{one}\n{other}\n{line}\n", separator) == plain("a|b", "c|d")
    assert cut(f"{one}\n{other}\n{line}", separator) == plain("a|b", "c|d")
    assert cut(f"{line}\n{line}", separator) == []


def test_marks_of_comments_inside_a_line_are_characters():
    assert cut("a#\tb%\nsep=\tx\nc!\t#d\n", "\t") == [(11, ["a#", "b%"]), (13, ["c!", "#d"])]
    assert cut("a\t#b\nc\td\n", "\t") == plain("a|#b", "c|d")


def test_a_block_without_rows_has_neither_cells_nor_widths():
    rows = rows_of(Block(1, "# a note\n\n"), "\t", 2, "f")
    assert (rows.lines, rows.cells, rows.widths, rows.column(0)) == ([], [], set(), [])
    assert rows.below_first().cells == []


# ---------------------------------------------------------------------- rows too short


@pytest.mark.parametrize(
    ("text", "separator", "line", "said"),
    [
        ("a\tb\nc\n", "\t", 12, "expected 2 columns with a tab between them, got 1: 'c'. Complete"),
        ("a\nb\n", "\t", 11, "got 1: 'a'. Complete the line, or start it with # to have it"),
        ("a,b\n# x\nc;d\n", ",", 13, "got 1: 'c;d'. This line has a semicolon: use one"),
        ("a b\nc,d\n", " ", 12, "got 1: 'c,d'. This line has a comma: use one"),
        ("a,b\nc\n", ",", 12, "got 1: 'c'. Complete the line"),
    ],
)
def test_the_line_that_is_too_short_is_named(text, separator, line, said):
    with pytest.raises(InputError) as told:
        cut(text, separator, 2)
    assert str(told.value).startswith(f"f:{line}: ")
    assert said in str(told.value)


def test_a_header_may_be_shorter_than_its_rows():
    assert cut("s\tt\n1\ta\tb\n", "\t", 3, header_line=11) == plain("s|t", "1|a|b")
    with pytest.raises(InputError, match="f:11: expected 3 columns"):
        cut("s\tt\n1\ta\tb\n", "\t", 3, header_line=12)
    with pytest.raises(InputError, match="f:13: expected 3 columns"):
        cut("s\tt\n1\ta\tb\n2\ta\n", "\t", 3, header_line=11)


@pytest.mark.parametrize("text", ['"a,b', 'c,"d', '"a"b,c', 'x,y\n"a,b\nc",d'])
def test_a_quote_that_is_not_closed_on_its_line_is_refused(text):
    line = 12 if text.startswith("x") else 11
    with pytest.raises(InputError, match=f"^f:{line}: quotes do not match in '.*with a comma"):
        cut(text, ",")


# ---------------------------------------------------------------------- rows by column

TABLES = [
    [["a", "b"], ["c", "d"], ["e", "f"]],
    [["a", "b", "c"], ["d"], ["e", "f"]],
    [["a"], ["b", "c"]],
    [["a", "b"]],
    [["a"], ["b"]],
    [],
]


@pytest.mark.parametrize("table", TABLES)
def test_rows_give_their_cells_widths_and_columns(table):
    rows = Rows.of(range(7, 7 + len(table)), table)
    assert rows.cells == table
    assert rows.widths == set(map(len, table))
    if all(table):
        assert rows.column(0) == [row[0] for row in table]
    if all(len(row) > 1 for row in table):
        assert rows.column(1) == [row[1] for row in table]


@pytest.mark.parametrize("table", [table for table in TABLES if table])
def test_rows_below_the_first_keep_their_lines(table):
    below = Rows.of(range(7, 7 + len(table)), table).below_first()
    assert (list(below.lines), below.cells) == (list(range(8, 7 + len(table))), table[1:])
    assert below.widths == set(map(len, table[1:]))


@pytest.mark.parametrize("wanted", [[True, False, True], [False, True, True], [False] * 3])
@pytest.mark.parametrize("table", TABLES[:2])
def test_rows_wanted_keep_their_lines(table, wanted):
    kept = Rows.of(range(7, 10), table).where(wanted)
    expected = [(7 + at, table[at]) for at in range(3) if wanted[at]]
    assert list(zip(kept.lines, kept.cells, strict=True)) == expected


def test_rows_of_all_blocks_come_one_after_the_other():
    blocks = iter([Block(1, "s\n1\ta\n"), Block(3, "# x\n"), Block(4, "b\tc\n")])
    rows = [(*part.lines, *part.flat) for part in iterate(blocks, "\t", 2, "f", 1)]
    assert rows == [(1, 2, "s", "1", "a"), (), (4, "b", "c")]


# ---------------------------------------------------------------------- lines and separators


@pytest.mark.parametrize("line", ["a", " a b", "\ta", "#N/A\tb", " #REF!", "se", "a#", "a sep="])
def test_a_line_of_data(line):
    assert is_data(line)
    assert data_lines(f"\n{line}\n# x\n{line}") == [(1, line), (3, line)]


@pytest.mark.parametrize("line", [*NO_ROWS, "\n", "#NA", "# #N/A", "#x#N/A", "sep=\t"])
def test_a_line_without_data(line):
    assert not is_data(line)


@pytest.mark.parametrize(
    ("line", "separator"),
    [("a;b,c;d", ";"), ("a,b;c,d", ","), ("a,b\tc", "\t"), ("a b", " "), ("a b;c", ";")],
)
def test_the_first_mark_is_the_separator_and_a_tab_comes_before_others(line, separator):
    assert separator_of(line) == separator
