"""The first rows of a file: which lines are titles, what separates cells, what is no table."""

import pytest
from tests.io.databases import edges, pairs, reading

from linkprior.errors import InputError
from linkprior.io.readers.delimited import sample_of
from linkprior.io.source import Block


def sample(text, first=1):
    """Return the sample of lines written a,b / c,d."""
    return sample_of(Block(first, text.replace(" / ", "\n") + "\n"), "f")


# ---------------------------------------------------------------------- titles

TITLES = [
    ("a\tb / b\tc", 0),
    ("My table / a\tb / b\tc", 1),
    ("My / own / a\tb / b\tc", 2),
    ("My table / a;b / b;c", 1),
    ("My table / a,b / b,c", 1),
    ("My, own table / a\tb / b\tc", 1),  # a comma of a sentence
    ("My table / # a note / a\tb / b\tc", 1),
    # there is one row below: too few to tell
    ("My table / a,b / # a note", 0),
    # rows of the table cut at blanks
    ("a b / a\tc / b\td", 0),
    ("a b / a\tc / b\td\tx", 0),
    ("words / a b / a\tc / b\td", 0),
    ("a b / b c,d / c d,e", 0),
    ("a b x / a\tc / b\td", 1),  # another number of words
    ("x y / a\tc / b\td", 1),  # no word is a cell
    ("a b 1 / b c 0,5 / c d 0,25", 0),
    ("a b 1 / bc x,y / b c x,y", 0),
    ("a b 1 / bc x,y / b c d x,y", 1),
    ("a / b,c / c,d", 1),  # one word is no row
    # other separators
    ("x,y / a\tb / b\tc", 0),
    ("x;y / a\tb / b\tc", 0),
    ("x\ty / a;b / b;c", 0),
    # not all further lines have the mark
    ("My table / a\tb / b c / c\td", 0),
    # a mark in quotes is part of a name
    ('"a\tb" c / "d\te" f / g\th / i\tj', 2),
]


@pytest.mark.parametrize(("text", "count"), TITLES)
def test_lines_above_the_table_are_titles(text, count):
    lines = [line for line in text.split(" / ") if not line.startswith("#")]
    try:
        titles = sample(text).titles
    except InputError:  # what is no title may be a row that is too short
        titles = ()
    assert len(titles) == count < len(lines)


def test_the_first_line_is_the_one_below_the_titles():
    found = sample("My table / # note / by me /  / a\tb / b\tc", first=11)
    assert (found.titles, found.line, found.rows) == ((11, 13), 15, [["a", "b"], ["b", "c"]])


def test_the_header_of_biogrids_first_table_ends_its_preamble():
    header = "INTERACTOR_A\tINTERACTOR_B\tMORE"
    found = sample(f"a\tb\tc / words / {header} / x\ty\tz", first=5)
    assert (found.titles, found.line) == ((5, 6), 7)
    assert sample(f"{header} / x\ty\tz").titles == ()
    assert sample(f"My table / {header} / x\ty\tz").rows[0] == header.split("\t")


@pytest.mark.parametrize("n", [1, 60])
def test_up_to_sixty_lines_are_titles(n):
    words = " / ".join(["words"] * n)
    assert len(sample(f"{words} / a\tb / b\tc").titles) == n


# ---------------------------------------------------------------------- separators


@pytest.mark.parametrize(
    ("text", "separator"),
    [
        ("a b / c d", " "),
        ("a\tb c / c\td", "\t"),
        ("a,b;c / d,e", ","),  # the mark all lines have
        ("a;b,c / d;e", ";"),
        ("a,b;c / d,e;f", ","),  # two marks in all lines: the first of them
        ("a;b,c / d;e,f", ";"),
        ("a\tb,c / d\te,f", "\t"),
        ('"a,b";c / "d,e";f', ";"),
        # numbers with a decimal comma
        ("a b 0,5 / b c 1,25", " "),
        ("a b ,5 / b c -1,25", " "),
        ("a b x 0,5 / b c y 1,25", " "),
        ("a b,c 0,5 / b c,d 1,25", ","),
        ("a 0,5 / b 1,25", ","),
        ("a 0,5 x / b 1,25 y", ","),  # the second column names a node
        ("0,5 a b / 1,25 b c", ","),
        ("a b 0,5 / b c 1,x", ","),
        ("a b 0,5 / b,c", ","),  # one line is cut at commas
        ("a b 5 / b c 6", " "),
    ],
)
def test_the_separator_is_the_mark_all_lines_have(text, separator):
    assert sample(text).separator == separator


def test_where_no_mark_is_in_all_lines_the_first_line_with_columns_tells():
    with pytest.raises(InputError, match="^f:1: expected 2 columns with a comma between them"):
        sample("lonely / a,b / c;d")
    with pytest.raises(InputError, match="^f:2: expected 2 columns with a space between them"):
        sample("a b / lonely")


# ---------------------------------------------------------------------- rows and comments


@pytest.mark.parametrize(
    ("text", "comment"),
    [
        ("#p q / a b", ["p", "q"]),
        ("## p q / a b", ["p", "q"]),
        ("%! p  q / a b", ["p", "q"]),
        ("#p q\tr / a\tb", ["p q", "r"]),
        ('#"p" , "q" / a,b', ["p", "q"]),
        ("#old / #p q / a b", ["p", "q"]),  # the last one above
        ("#p q /  / a b", ["p", "q"]),
        ("#p q / a b / #r s / c d", ["p", "q"]),
        ("My table / #p\tq / a\tb / c\td", ["p", "q"]),
        ("#p#\tq# / a\tb", ["p#", "q#"]),
        ("a b / #p q / c d", []),
        ("a b", []),
    ],
)
def test_the_comment_is_the_last_one_above_the_first_row(text, comment):
    assert [cell for cell in sample(text).comment if cell] == comment


def test_a_sample_has_two_hundred_rows_at_most():
    """What follows is not looked at: a short row is found later, with all others."""
    rows = [f"a{at} b" for at in range(200)]
    assert len(sample(" / ".join(rows)).rows) == 200
    assert len(sample(" / ".join([*rows, "lonely"])).rows) == 200


# ---------------------------------------------------------------------- no table


@pytest.mark.parametrize(
    ("first", "kind"),
    [
        ("<?xml version='1.0'?>", "XML or a web page"),
        ("  <!DOCTYPE html>", "XML or a web page"),
        ("<HTML lang='en'>", "XML or a web page"),
        ('{"nodes": [', "JSON"),
        ("[", "JSON"),
        ("[[1, 2], [2, 3]]", "JSON"),
        ("{", "JSON"),
    ],
)
def test_markup_and_json_are_refused_by_the_first_line(first, kind):
    with pytest.raises(InputError, match=f"^f:2: looks like {kind}, expected an edge list"):
        sample(f"# a note / {first} / a b / c d")


@pytest.mark.parametrize("first", ["<x> b", "[a] b", "{a} b", "htmlx b"])
def test_names_that_begin_like_markup_are_names(first):
    assert sample(f"{first} / c d").rows[0] == first.split()


def test_markup_further_down_is_a_name():
    assert sample("a b / <html> d").rows[1] == ["<html>", "d"]


@pytest.mark.parametrize("text", ["one / two", " one / two ", "one"])
def test_a_list_of_names_is_no_edge_list(text):
    with pytest.raises(InputError, match=r"^f:1: .* got one: 'one'\. Give both ends"):
        sample(text)


def test_a_mark_inside_cells_makes_no_title_of_a_row_without_it(tmp_path):
    result = reading(tmp_path, "heat shock ; kinase\nabc ; d,e\nf ; abc,h\n")
    assert edges(result) == pairs("heat shock-kinase", "abc-d,e", "f-abc,h")
