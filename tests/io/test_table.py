"""Cutting lines into cells: the quick way and the careful way, compared."""

import csv
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linkprior.errors import InputError
from linkprior.io.readers.delimited import (
    _even_rows,
    _uneven_rows,
    data_lines,
    rows_of,
    separator_of,
)
from linkprior.io.source import Block

SEPARATORS = st.sampled_from(["\t", ",", ";", " "])


def by_hand(text, separator):
    """Rows as a plain program would read them: line number and cells."""
    for number, line in enumerate(text.removesuffix("\n").split("\n"), 1):
        bare = line.strip(" \t")
        if not bare or bare[0] in "#%!":
            continue
        if separator == " ":
            yield number, re.split("[ \t]+", bare)
        else:
            yield number, [cell.strip(" \xa0") for cell in line.split(separator)]


@settings(deadline=None)
@given(
    lines=st.lists(st.text(alphabet="ab#%\t, ;\xa0é", max_size=8), min_size=1, max_size=12),
    separator=SEPARATORS,
    first=st.integers(1, 1000),
)
def test_rows_are_those_of_a_plain_program(lines, separator, first):
    text = "\n".join(lines)
    rows = rows_of(Block(first, text), separator, 1, "f")
    expected = [
        (number + first - 1, [cell.strip(" \xa0") for cell in cells])
        for number, cells in by_hand(text, separator)
    ]
    assert list(zip(rows.lines, rows.cells, strict=True)) == expected


@settings(deadline=None)
@given(
    table=st.integers(1, 4).flatmap(
        lambda width: st.lists(
            st.lists(
                st.text(alphabet="abé#", min_size=1, max_size=3), min_size=width, max_size=width
            ),
            min_size=1,
            max_size=10,
        )
    ),
    separator=SEPARATORS,
)
def test_the_quick_way_equals_the_careful_way(table, separator):
    text = "\n".join(separator.join(row) for row in table)
    numbers = range(1, len(table) + 1)
    quick = _even_rows(text, numbers, separator)
    careful = _uneven_rows(text, numbers, separator, "f")
    assert isinstance(quick.starts, range)
    assert quick.cells == careful.cells == table
    assert quick.widths == careful.widths
    for at in range(len(table[0])):
        assert quick.column(at) == careful.column(at)
    for rows in (quick, careful):
        assert rows.below_first().cells == table[1:]
        assert rows.below_first().lines == numbers[1:]


@settings(deadline=None)
@given(
    rows=st.lists(
        st.lists(st.text(alphabet='ab, ;"é\t', min_size=1, max_size=5), min_size=2, max_size=4),
        min_size=1,
        max_size=6,
    ),
    separator=SEPARATORS,
)
def test_quoted_cells_come_back_as_python_wrote_them(rows, separator):
    lines = []
    for row in rows:
        line = separator.join('"' + cell.replace('"', '""') + '"' for cell in row)
        lines.append(line)
    assert list(csv.reader(lines, delimiter=separator)) == rows
    found = rows_of(Block(1, "\n".join(lines)), separator, 2, "f")
    assert found.cells == [[cell.strip(" \xa0") for cell in row] for row in rows]


def test_widths_that_differ_by_one_up_and_one_down_are_not_even():
    text = "a\tb\tc\nd\ne\tf"
    assert _even_rows(text, range(1, 4), "\t") is None
    assert rows_of(Block(1, text), "\t", 1, "f").cells == [["a", "b", "c"], ["d"], ["e", "f"]]


@pytest.mark.parametrize(
    ("line", "separator"),
    [
        ("a\tb,c;d e", "\t"),
        ("a,b;c d", ","),
        ("a;b;0,5", ";"),
        ("a b", " "),
        ("ab", " "),
    ],
)
def test_the_separator_of_a_line(line, separator):
    assert separator_of(line) == separator


@pytest.mark.parametrize("line", ["#N/A\tb", "#NAME?\tb", " #REF!\tb", "#DIV/0!\tc"])
def test_an_error_of_a_spreadsheet_is_no_comment(line):
    assert data_lines(f"# a comment\n{line}\n#NA\tb") == [(1, line)]


@pytest.mark.parametrize(
    ("text", "separator", "line", "expected"),
    [
        ("a\tb\nc\n", "\t", 12, "expected 2 columns with a tab between them, got 1: 'c'"),
        ("a\tb\n\n# x\nc,d\n", "\t", 14, "This line has a comma: use one separator throughout"),
        ("a,b\nc d\n", ",", 12, "This line has a space: use one separator"),
        ("a b\nlonely\n", " ", 12, "start it with # to have it skipped"),
        ('"a"\t"b"\n"c"\n', "\t", 12, "expected 2 columns with a tab"),
    ],
)
def test_a_short_line_is_named(text, separator, line, expected):
    with pytest.raises(InputError) as caught:
        rows_of(Block(11, text), separator, 2, "file")
    assert str(caught.value).startswith(f"file:{line}: ")
    assert expected in str(caught.value)


@pytest.mark.parametrize("text", ['"a,b', 'a,"b', '"a"b,c', '"a,b\nc",d', '"' + "x" * 140_000])
def test_quotes_that_do_not_match_are_refused_by_line(text):
    with pytest.raises(InputError, match=r"^file:1: .*quote"):
        rows_of(Block(1, text), ",", 1, "file")


def test_a_quote_inside_a_name_is_a_character_like_others():
    rows = rows_of(Block(1, '5"-end,b\nc,d "e" f\n'), ",", 2, "file")
    assert rows.cells == [['5"-end', "b"], ["c", 'd "e" f']]


def test_rows_wanted():
    rows = rows_of(Block(5, "a\tb\nc\td\ne\tf\n"), "\t", 2, "f")
    kept = rows.where([True, False, True])
    assert (list(kept.lines), kept.cells) == ([5, 7], [["a", "b"], ["e", "f"]])
    assert rows.where([True] * 3) is rows
    none = rows.where([False] * 3)
    assert (none.lines, none.cells, none.widths, none.column(1)) == ([], [], set(), [])
