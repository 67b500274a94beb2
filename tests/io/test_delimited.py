"""Edge lists: separators, quotes, comments, titles, scores and gold standards."""

import csv
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.io.files import dropped, edges, left_out, links, pairs, problem, read_text, reading

import linkprior as lp
from linkprior.errors import InputError, ParameterError
from linkprior.io.formats import ReadOptions
from linkprior.io.node_lists import read_pairs
from linkprior.io.readers.columns import find_header, find_layout, pair_of_columns
from linkprior.io.readers.delimited import (
    Rows,
    _even_rows,
    _uneven_rows,
    is_data,
    rows_of,
    sample_of,
)
from linkprior.io.source import Block, Source

EDGES = [("a", "b"), ("b", "c"), ("a", "d")]


EXPECTED = {frozenset(edge) for edge in EDGES}


def text(separator="\t", end="\n", edges=EDGES):
    return "".join(f"{a}{separator}{b}{end}" for a, b in edges)


def read(tmp_path, content, **options):
    return reading(tmp_path, "edges.txt", content, **options).network


def holds_the_edges(net):
    return net.names == ("a", "b", "c", "d") and pairs(net) == EXPECTED


@pytest.mark.parametrize("separator", ["\t", ",", ";", " ", "   ", " , ", "\t ", ", ", " ; "])
def test_separators(tmp_path, separator):
    assert holds_the_edges(read(tmp_path, text(separator)))


@pytest.mark.parametrize("head", ["source\ttarget", "Source\tTARGET", '"from"\t"to"\tweight'])
def test_a_first_line_of_usual_column_names_is_a_header(tmp_path, head):
    assert holds_the_edges(read(tmp_path, f"{head}\n{text()}"))


def test_one_usual_word_does_not_make_a_header(tmp_path):
    net = read(tmp_path, f"source\tMYC\n{text()}")
    assert net.names[:2] == ("source", "MYC")
    assert net.n_edges == 4


@pytest.mark.parametrize("separator", ["\t", ",", ";"])
def test_further_columns_are_left_alone(tmp_path, separator):
    content = "".join(f"{a}{separator}{b}{separator}0{separator}x y\n" for a, b in EDGES)
    assert holds_the_edges(read(tmp_path, content))


def test_lines_may_have_different_numbers_of_further_columns(tmp_path):
    assert holds_the_edges(read(tmp_path, "a\tb\nb\tc\t1\t2\na\td\t\n"))


def gold(rows):
    return "".join("\t".join(row) + "\n" for row in rows)


GOLD = [("a", "b", "1"), ("a", "e", "0"), ("b", "c", "1"), ("", "x", "0"), ("a", "d", "1")]


def test_rows_labelled_0_in_a_gold_standard_are_non_edges(tmp_path):
    found = reading(tmp_path, "gold.tsv", gold([*GOLD, ("c", "f", "0")]))
    assert holds_the_edges(found.network)
    assert found.report.guess.startswith("gold standard")
    assert dropped(found) == {
        "labelled 0, a non-edge of the gold standard": 2,
        "a node name is empty": 1,
    }
    assert found.report.dropped[-1]["first_lines"] == [2, 6]
    assert found.report.isolated == 2
    assert found.report.lines == 6


def test_a_gold_standard_of_non_edges_alone(tmp_path):
    told = problem(tmp_path, "g.tsv", "a\tb\t0\nb\tc\t0\n")
    assert told.startswith("g.tsv: no edge is left")
    assert "labelled 0, a non-edge" in told


def test_rows_below_the_least_score_are_left_out(tmp_path):
    content = "source,weight,target\na,0.5,b\nb,0.4,c\na,1e1,d\n"
    found = reading(tmp_path, "e.csv", content, options=ReadOptions(min_score=0.5))
    assert pairs(found.network) == {frozenset("ab"), frozenset("ad")}
    assert dropped(found) == {"the score is below 0.5": 1}
    assert "--min-score 0.5 goes by column 2 (weight)" in found.report.notes


def test_scores_that_are_no_number_or_unclear_are_not_taken_for_low_ones(tmp_path):
    options = ReadOptions(min_score=0.5)
    found = reading(tmp_path, "e.tsv", "a\tb\t1\nb\tc\tnan\n", options=options)
    assert dropped(found) == {"the score is NaN": 1}
    with pytest.raises(InputError, match=r"edges\.txt:2: expected a score, got '1,234'"):
        read(tmp_path, "a b 1\nb c 1,234\n", options=options)


def test_without_a_header_the_third_column_is_the_score(tmp_path):
    options = ReadOptions(min_score=0.5)
    assert pairs(read(tmp_path, "a b 0,5\nb c 0,4\n", options=options)) == {frozenset("ab")}


def test_a_least_score_needs_scores(tmp_path):
    options = ReadOptions(min_score=0.5)
    with pytest.raises(ParameterError, match="--min-score: .* has no column of scores"):
        read(tmp_path, text(), options=options)
    with pytest.raises(InputError, match=r"edges\.txt:2: expected a score, got 'x'"):
        read(tmp_path, "a b 1\nb c x\n", options=options)
    with pytest.raises(InputError, match=r"edges\.txt:2: expected a score, got ''"):
        read(tmp_path, "a b 1\nb c\n", options=options)


def test_options_of_other_formats_are_refused(tmp_path):
    with pytest.raises(ParameterError, match="--organism does not apply to an edge list"):
        read(tmp_path, text(), options=ReadOptions(organism="9606"))


@pytest.mark.parametrize(
    ("content", "line", "expected"),
    [
        ("a\tb\nc\n", 2, "expected 2 columns with a tab"),
        ("source,target\na,b\nc;d\n", 3, "has a semicolon: use one separator"),
        ("alone\n", 1, "expected two columns of node names with a tab, comma"),
        ("a b\nlonely\n", 2, "expected 2 columns with a space"),
        ("a\tb\r\nc\r\n", 2, "expected 2 columns"),
        ("a\tb\rc\r", 2, "expected 2 columns"),
        ('a,b\n"c,d\n', 2, "quotes do not match"),
        ('a,b\nc,"d\ne",f\n', 2, "quotes do not match"),
        ('a,b\n"c\td",e\n', 2, "invisible character U+0009"),
        ("a\tb\nb\tc\x07\n", 2, "invisible character U+0007"),
        ("a\tb\nb\tc\u202ed\n", 2, "invisible character U+202E"),
        ("a\tb\nb\t\u200fc\n", 2, "invisible character U+200F"),
        ("a\tb\nb\tc\u200b\n", 2, "invisible character U+200B"),
        ("a\tb\nb\tc\ufeff\n", 2, "invisible character U+FEFF"),
        ("a b\nb c\x0cd\n", 2, "invisible character U+000C"),
        ("a\tb\nb\t" + "c" * 1001 + "\n", 2, "a node name of 1001 characters"),
    ],
)
def test_what_is_refused_names_file_and_line(tmp_path, content, line, expected):
    told = problem(tmp_path, "edges.txt", content)
    assert told.startswith(f"edges.txt:{line}: ")
    assert expected in told


@pytest.mark.parametrize(
    "content", ["\n\n", "# only a remark\n", "source\ttarget\n", " \t \n", "#a\tb\n#b\tc\n"]
)
def test_nothing_inside(tmp_path, content):
    assert problem(tmp_path, "e.txt", content).startswith("e.txt: no edge found; expected ")


def test_two_kinds_of_separators_are_said_where_they_can_be_read(tmp_path):
    found = reading(tmp_path, "e.txt", "a b\nc, d\n")
    assert found.network.names == ("a", "b", "c,", "d")
    assert any("names such as c, end in a separator" in note for note in found.report.notes)


def test_an_empty_file(tmp_path):
    assert problem(tmp_path, "e.txt", "").startswith("e.txt: is empty; expected ")


def test_only_self_loops(tmp_path):
    told = problem(tmp_path, "e.txt", "a\ta\nb\tb\n")
    assert told.startswith("e.txt: all 2 rows join a node to itself")


def test_only_empty_names(tmp_path):
    told = problem(tmp_path, "e.txt", "a\t\n\tb\n")
    assert told.startswith("e.txt: no edge is left (2 rows: a node name is empty)")


def test_an_unknown_option_is_named():
    with pytest.raises(ParameterError, match=r"no option 'colums'\. Did you mean columns\?"):
        lp.read_network("edges.tsv", colums=("a", "b"))


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


TABLES = [
    [["a", "b"], ["c", "d"], ["e", "f"]],
    [["a", "b", "c"], ["d"], ["e", "f"]],
    [["a"], ["b", "c"]],
    [["a", "b"]],
    [["a"], ["b"]],
    [],
]


@pytest.mark.parametrize("table", [table for table in TABLES if table])
def test_rows_below_the_first_keep_their_lines(table):
    below = Rows.of(range(7, 7 + len(table)), table).below_first()
    assert (list(below.lines), below.cells) == (list(range(8, 7 + len(table))), table[1:])
    assert below.widths == set(map(len, table[1:]))


def test_rows_of_all_blocks_come_one_after_the_other():
    blocks = [Block(1, "s\n1\ta\n"), Block(3, "# x\n"), Block(4, "b\tc\n")]
    rows = [
        (*part.lines, *part.flat) for part in (rows_of(block, "\t", 2, "f", 1) for block in blocks)
    ]
    assert rows == [(1, 2, "s", "1", "a"), (), (4, "b", "c")]


def sample(text, first=1):
    """Return the sample of lines written a,b / c,d."""
    return sample_of(Block(first, text.replace(" / ", "\n") + "\n"), "f")


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


def test_a_sample_has_two_hundred_rows_at_most():
    """What follows is not looked at: a short row is found later, with all others."""
    rows = [f"a{at} b" for at in range(200)]
    assert len(sample(" / ".join(rows)).rows) == 200
    assert len(sample(" / ".join([*rows, "lonely"])).rows) == 200


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


def test_markup_further_down_is_a_name():
    assert sample("a b / <html> d").rows[1] == ["<html>", "d"]


@pytest.mark.parametrize("text", ["one / two", " one / two ", "one"])
def test_a_list_of_names_is_no_edge_list(text):
    with pytest.raises(InputError, match=r"^f:1: .* got one: 'one'\. Give both ends"):
        sample(text)


def lines(rows):
    """Return lines from rows written a b;c d."""
    return rows.replace(";", "\n") + "\n"


def found(tmp_path, rows, name="e.txt", **options):
    return reading(tmp_path, name, lines(rows), options=ReadOptions(**options))


def joined(tmp_path, rows, **options):
    names = pairs(found(tmp_path, rows, **options).network)
    return {"-".join(sorted(pair)) for pair in names}


def notes(tmp_path, rows, **options):
    return "\n".join(found(tmp_path, rows, **options).report.notes)


def path(n, start=0, more=""):
    """Return n edges of a path on n + 1 nodes."""
    return ";".join(f"n{at} n{at + 1}{more}" for at in range(start, start + n))


@pytest.mark.parametrize(
    ("first", "rows", "what"),
    [
        ("11 10", path(10), "numbers of nodes and edges"),
        ("12 11", path(11), "numbers of nodes and edges"),
        ("5 12 11", path(11, more=" 1"), "the size of a matrix"),
    ],
)
def test_a_first_row_that_counts_what_follows_is_refused(tmp_path, first, rows, what):
    told = problem(tmp_path, "e.txt", lines(f"# a note;{first};{rows}"))
    said = f"{first!r} looks like {what}, as {rows.count(';') + 1} rows follow"
    assert told.startswith(f"e.txt:2: {said}")


@pytest.mark.parametrize(
    ("first", "rows"),
    [
        ("10 9", path(9)),  # few rows
        ("12 12", path(11)),  # another number of edges
        ("12 10", path(11)),
        ("9 11", path(11)),  # fewer nodes than there are
        ("5 20", f"{path(10)};{path(10, start=20)}"),
        ("12 11", f"{path(10)};x y"),  # one node more
        ("1 12 12 11", path(11, more=" 1 x")),  # one number more
        ("x 11", path(11)),
    ],
)
def test_a_first_row_that_counts_something_else_is_an_edge(tmp_path, first, rows):
    report = found(tmp_path, f"{first};{rows}").report
    assert report.rows == rows.count(";") + 2


def test_lines_are_counted_from_the_first_title_on(tmp_path):
    rows = "Made by hand;# note;in 2020;at home;;source,target;a,b;b,c;,d"
    report = found(tmp_path, rows).report
    assert (report.lines, report.rows, report.passed_over) == (9, 2, 2)
    assert {entry["reason"]: entry["first_lines"] for entry in report.dropped} == {
        "text above the table": [1, 3, 4],
        "a node name is empty": [9],
    }


def test_only_a_row_that_is_all_of_the_header_repeats_it(tmp_path):
    rows = "eins\tzwei\tdrei;a\tb\t1;eins\tc\t2;eins\tzwei\tdrei;c\td\t3"
    report = found(tmp_path, rows, header=True)
    assert dropped(report) == {"repeats the header": 1}
    assert report.report.dropped[0]["first_lines"] == [4]
    assert report.network.n_edges == 3


def returning(first, last, more=""):
    """Return a header in doubt, more rows than are looked at for it, and a last one."""
    rows = ";".join(f"a{at} b{at}{more}" for at in range(205))
    return f"{first};{rows};{last}"


@pytest.mark.parametrize("last", ["b3 source", "b3 target", "target b3"])
def test_a_header_with_one_word_that_is_a_node_is_an_edge(tmp_path, last):
    report = found(tmp_path, returning("source target", last))
    assert report.network.n_edges == 207
    assert "line 1 looks like a header, but source or target is a node" in report.report.notes[0]


def test_the_score_may_come_after_other_columns_and_before_the_nodes(tmp_path):
    assert joined(tmp_path, "0.5 a b;0.25 b c", min_score=0.4) == {"a-b"}
    rows = "source target year score;a b 1 2;b c 3 1"
    assert joined(tmp_path, rows, min_score=2) == {"a-b"}
    assert "goes by column 4 (score)" in notes(tmp_path, rows, min_score=2)
    assert notes(tmp_path, "a b 1;b c 2", min_score=2) == "--min-score 2 goes by column 3"


@pytest.mark.parametrize("score", ["1,234", "-12,345,678", "+1,000", "x", "", "1.2.3"])
def test_what_is_no_clear_number_is_no_score(tmp_path, score):
    rows = f"a\tb\t1;b\tc\t{score}"
    with pytest.raises(InputError, match=r"e\.txt:2: expected a score, got '") as told:
        found(tmp_path, rows, min_score=0)
    assert f"got {score!r}; write it as a plain number" in str(told.value)


@pytest.mark.parametrize("rows", ["a b 1;b c;c d 2", "a b 1;b c;c d"])
def test_a_row_that_ends_before_its_weight_is_named(tmp_path, rows):
    assert problem(tmp_path, "e.txt", lines(rows), options=ReadOptions(weights="3")).startswith(
        "e.txt:2: "
    )


def test_labels_are_weights_where_they_are_asked_for(tmp_path):
    """Rows of 0 are left out for their weight then, not as non-edges."""
    report = found(tmp_path, "a b 1;b c 0;c d 1", weights="3")
    assert dropped(report) == {"its weight is 0": 1}
    report = found(tmp_path, "a b 1;b c 0;c d 1", min_score=0)
    assert not dropped(report)


def notes_on(tmp_path, rows, **options):
    """Return what is said of rows written a b;c d."""
    text = rows.replace(";", "\n") + "\n"
    return "\n".join(reading(tmp_path, "e.txt", text, options=ReadOptions(**options)).report.notes)


def path_rows(n):
    """Return n edges of a path on n + 1 nodes."""
    return ";".join(f"n{at} n{at + 1}" for at in range(n))


@pytest.mark.parametrize(("row", "said"), [("c, d", "c,"), ("c; d", "c;")])
def test_names_that_end_in_a_separator_are_told_of(tmp_path, row, said):
    content = f"a b\n{row}\n"
    told = reading(tmp_path, "e.txt", content).report.notes
    assert any(f"names such as {said} end in a separator" in note for note in told)


def test_widths_of_rows_are_told_of_where_they_differ(tmp_path):
    assert "rows have 2 to 3 columns, and columns 1 and 2 are" in notes_on(
        tmp_path, "a b x;b c;c d y"
    )
    assert "columns" not in notes_on(tmp_path, "a b x;b c z;c d y")
    rows = "source target;a b;b c x;c d"
    assert "some rows have 3 columns, the header 2:" in notes_on(tmp_path, rows)
    assert "columns" not in notes_on(tmp_path, "source target more;a b;b c x;c d y")


def test_a_ranking_is_told_by_its_first_four_columns(tmp_path):
    names = "Rank Source Target Score"
    assert "ranking" in notes_on(tmp_path, f"{names};1 a b 3;2 b c 2")
    assert "ranking" in notes_on(tmp_path, f"{names} more;1 a b 3 x;2 b c 2 y")
    assert "ranking" not in notes_on(tmp_path, "Source Target Score;a b 3;b c 2")


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        (f"eins zwei;{path_rows(9)}", True),
        (f"eins zwei;{path_rows(8)}", False),  # few rows
        (f"eins zwei;{path_rows(9)};zwei n1", False),
        (f"eins zwei;{path_rows(9)};n1 eins", False),
        (f"eins zwei;{path_rows(9)};eins zwei;{path_rows(2)}", True),  # a header may come again
        (f"eins eins;{path_rows(9)}", False),
        (f"gene7 zwei;{path_rows(9)};gene7 zwei", False),  # an edge that is listed twice
    ],
)
def test_a_first_edge_that_stands_alone_is_told_of(tmp_path, rows, said):
    told = "the first edge, eins – zwei, shares no node with the others" in notes_on(tmp_path, rows)
    assert told == ("shares no node" in notes_on(tmp_path, rows)) == said
    assert "shares no node" not in notes_on(tmp_path, rows, header=False)
    assert "shares no node" not in notes_on(tmp_path, rows, header=True)


def test_a_first_edge_with_a_number_in_a_name_may_stand_alone_but_is_listed_once(tmp_path):
    """A header has no number in it, so a row that returns is an edge."""
    told = "the first edge, gene7 – zwei, shares no node with the others"
    assert told in notes_on(tmp_path, f"gene7 zwei;{path_rows(9)}")
    assert told not in notes_on(tmp_path, f"gene7 zwei;gene7 zwei;{path_rows(9)}")


NON_EDGE = "labelled 0, a non-edge of the gold standard"


UNKNOWN = "its label is missing, so it is neither an edge nor a non-edge"


@pytest.fixture
def in_blocks(monkeypatch):
    """A large file comes in several blocks; here four lines are one."""
    whole = Source.blocks

    def blocks(self):
        for data in whole(self):
            lines = data.splitlines(keepends=True)
            for at in range(0, len(lines), 4):
                yield b"".join(lines[at : at + 4])

    monkeypatch.setattr(Source, "blocks", blocks)


def rows(*cells, header=""):
    """Return a path of nodes with these cells beside its edges."""
    lines = [f"n{at}\tn{at + 1}\t{cell}\n" for at, cell in enumerate(cells)]
    return header + "".join(lines)


def labelled_path(*places):
    return {frozenset((f"n{at}", f"n{at + 1}")) for at in places}


def label_notes(found):
    return "\n".join(found.report.notes)


SPELLINGS = {
    "edge": ["1", "1.0", "true", "TRUE", "True", "tRue"],
    "no": ["0", "0.0", "false", "FALSE", "False", "fAlse"],
    "unknown": ["", "na", "NA", "nan", "NaN", "n/a", "N/A", "null", "NULL", "none", "None", "?"],
}


def test_all_spellings_of_labels_may_stand_in_one_file(tmp_path):
    cells = [cell for kind in ("edge", "no", "unknown") for cell in SPELLINGS[kind]]
    found = reading(tmp_path, "g.tsv", rows(*cells))
    assert found.report.guess.startswith("gold standard")
    assert pairs(found.network) == labelled_path(*range(6))
    assert dropped(found) == {NON_EDGE: 6, UNKNOWN: 12}


def test_the_pairs_of_a_gold_standard_are_its_edges_and_non_edges(tmp_path):
    (tmp_path / "g.tsv").write_text(rows("1", "0", "NA", "0", "1"))
    listed = {frozenset(pair) for pair in read_pairs(tmp_path / "g.tsv")}
    assert listed == labelled_path(0, 1, 3, 4)


def test_labels_in_several_blocks_are_one_column(tmp_path, in_blocks):
    found = reading(tmp_path, "g.tsv", rows(*"100010000010"))
    assert pairs(found.network) == labelled_path(0, 4, 10)
    assert found.report.dropped == [
        {"reason": NON_EDGE, "count": 9, "first_lines": [2, 3, 4, 6, 7]}
    ]


@pytest.mark.parametrize("odd", [0, 5, 9])
def test_one_cell_that_is_no_label_makes_all_rows_edges(tmp_path, in_blocks, odd):
    cells = ["2" if at == odd else str(at % 2) for at in range(10)]
    found = reading(tmp_path, "g.tsv", rows(*cells))
    assert pairs(found.network) == labelled_path(*range(10))
    assert not dropped(found)


def test_rows_of_unlike_widths_have_no_labels(tmp_path):
    content = "n0\tn1\t1\nn1\tn2\t0\t\nn2\tn3\t0\n"
    found = reading(tmp_path, "g.tsv", content)
    assert pairs(found.network) == labelled_path(0, 1, 2)


WEIGHT = "source\ttarget\tweight\n"


@pytest.mark.parametrize(
    ("cells", "told"),
    [
        (("0", "2", "3"), "1 of 3 rows have weight 0"),
        (("0", "0", "3"), "2 of 3 rows have weight 0"),
        (("0", "0", "0"), ""),
        (("1", "2", "3"), ""),
        (("0", "NA", "3"), "1 of 3 rows have weight 0"),
        (("0", "Inf", "3"), "1 of 3 rows have weight 0"),
        (("0", "high", "3"), ""),
        (("0E0", "-0,00", "3"), "2 of 3 rows have weight 0"),
        (("0.0000000000", "00", "3"), "1 of 3 rows have weight 0"),
    ],
)
def test_weights_of_0_are_counted_where_some_rows_have_others(tmp_path, cells, told):
    found = reading(tmp_path, "e.tsv", rows(*cells, header=WEIGHT))
    assert pairs(found.network) == labelled_path(0, 1, 2)
    assert ("weight 0" in label_notes(found)) == bool(told)
    assert told in label_notes(found)


@pytest.mark.parametrize(
    ("header", "told"),
    [
        ("source\ttarget\tIs_Edge", "1 of 3 rows have Is_Edge 0 and count as edges; remove"),
        ("source\ttarget\tweight", "1 of 3 rows have weight 0 and count as edges; --min-score"),
        ("source\ttarget\tyear", ""),
    ],
)
def test_a_column_is_known_by_its_name(tmp_path, header, told):
    found = reading(tmp_path, "e.tsv", rows("0", "5", "5", header=header + "\n"))
    assert told in label_notes(found)
    assert ("count as edges" in label_notes(found)) == bool(told)


@pytest.mark.parametrize(
    ("header", "told"),
    [
        ("source\ttarget\tgold\ttruth", "1 of 3 rows have gold 0"),
        ("source\ttarget\ttruth\tgold", "1 of 3 rows have truth 0"),
        ("source\ttarget\tgold\tweight", "2 of 3 rows have weight 0"),
    ],
)
def test_of_two_such_columns_a_weight_goes_first_and_then_the_first_flag(tmp_path, header, told):
    content = f"{header}\nn0\tn1\t0\t0\nn1\tn2\t1\t0\nn2\tn3\t1\t1\n"
    assert told in label_notes(reading(tmp_path, "e.tsv", content))


def test_a_column_of_nodes_holds_no_weights_whatever_its_name(tmp_path):
    content = "source\tgold\tyear\na\t0\tx\nb\t1\tx\n0\t1\tx\n"
    options = ReadOptions(columns=("source", "gold"))
    found = reading(tmp_path, "e.tsv", content, options=options)
    assert found.network.n_edges == 3
    assert "count as edges" not in label_notes(found)


def test_rows_that_end_before_the_weight_are_not_counted(tmp_path):
    content = f"{WEIGHT}a\tb\t0\nb\tc\n7\ta\t4\n"  # the 7 is no weight of the row above
    found = reading(tmp_path, "e.tsv", content)
    assert found.network.n_edges == 3
    assert "weight 0" not in label_notes(found)


def test_the_first_block_tells_whether_a_column_holds_weights(tmp_path, in_blocks):
    words = reading(tmp_path, "e.tsv", rows("a", "b", "c", "0", "2", "3", header=WEIGHT))
    assert "weight 0" not in label_notes(words)
    numbers = reading(tmp_path, "e.tsv", rows("0", "2", "3", "4", "late", "0", header=WEIGHT))
    assert "2 of 6 rows have weight 0" in label_notes(numbers)


def test_a_word_far_below_does_not_make_a_column_of_weights_another(tmp_path):
    cells = ["0", *["2"] * 300, "late"]
    found = reading(tmp_path, "e.tsv", rows(*cells, header=WEIGHT))
    assert "1 of 302 rows have weight 0" in label_notes(found)


def cells_of(text, separator="\t", needed=2):
    return rows_of(Block(1, text), separator, needed, "f.txt").cells


def header(text, asked=()):
    """Return the header of rows written a,b;c,d."""
    return find_header([row.split(",") for row in text.split(";")], [], asked)


def is_refused(text):
    """Tell whether rows written a b;c d are taken for a matrix."""
    try:
        find_layout(sample_of(Block(1, text.replace(";", "\n") + "\n"), "f.txt"), "f.txt")
    except InputError as problem:
        return "Is it a matrix" in str(problem)
    return False


def test_a_comment_may_stand_behind_blanks():
    assert [is_data(line) for line in ("# x", "  # x", "\t% x", " \t! x", "  sep=;", "   ")] == (
        [False] * 6
    )
    assert [is_data(line) for line in ("x #", "  x", "x  ", " #N/A y")] == [True] * 4


def test_a_comment_between_rows_is_no_row():
    whole = [["a", "b"], ["c", "d"]]
    assert cells_of("a\tb\n#x\ty\nc\td\n") == whole
    assert cells_of("a b\n # x\nc d\n", " ") == whole
    assert cells_of("a,b\n  %,y\nc,d\n", ",") == whole


def test_a_hard_space_around_a_name_is_no_part_of_it():
    assert cells_of("a\xa0\t\xa0b\nc\td\xa0e\n") == [["a", "b"], ["c", "d\xa0e"]]
    assert cells_of("a b\nc\xa0 d\n", " ") == [["a", "b"], ["c", "d"]]


def test_a_quote_that_opens_a_very_long_line_is_said_to_be_missing():
    with pytest.raises(InputError, match=r"f.txt:1: a quoted line of 200003 char.*quote missing"):
        cells_of('"a\t' + "x" * 200_000 + "\n")


def test_the_separator_is_what_all_lines_have_else_that_of_the_first():
    def separator(text):
        return sample_of(Block(1, text), "f.txt").separator

    assert separator("a,x;b\nc;d\ne;f\n") == ";"
    assert separator("a;x,b\nc,d\ne,f\n") == ","
    assert separator("a,x;b\nc,x;d\n") == ","  # both in all lines: the first one
    with pytest.raises(InputError, match=r"f.txt:2: expected 2 columns with a tab"):
        separator("\tb\nc\n")


def test_an_index_without_a_name_is_told_from_an_empty_cell():
    found = header(",eins,zwei;1,MYC,MAX;2,MAX,TP53")
    assert found is not None
    assert (found.ends, found.told, found.sure) == ((1, 2), False, True)
    assert header(",eins;a,MYC;b,MAX") is None  # two columns hold no index beside two ends
    assert header("eins,zwei,;MYC,MAX,x;MAX,TP53,y") is None


def test_usual_words_are_a_header_unless_they_come_back_as_names():
    assert header("gene,protein;MYC,MAX") is not None
    assert header("gene,protein,remark;MYC,MAX,x") is not None  # two usual words are enough
    assert header("gene,remark;MYC,MAX") is None
    assert header("gene,protein;MYC,gene;MAX,TP53") is None
    assert header("gene,protein;protein,MYC;MAX,TP53") is None
    assert header("source,target") is not None
    assert header("source,target;source,target") is None


def test_words_asked_for_are_a_header_above_numbers_and_numbers_are_not():
    assert header("eins,zwei;1,2", ("eins", "zwei")) is not None
    assert header("eins,zwei,2019;1,2,3;3,4,5", ("eins", "zwei")) is not None
    assert header("1,2;3,4", ("1", "2")) is None
    assert header("1,2;MYC,MAX", ("1", "2")) is not None


def test_both_partners_have_the_same_word_around_them():
    for names, ends in {
        "score source_id target_id": (1, 2),
        "score node_from node_to": (1, 2),
        "score symbol_tf symbol_target": (1, 2),
        "score source target_id": None,
        "score node_from to": None,
        "score from_node node_to": None,
    }.items():
        assert pair_of_columns(names.split()) == ends, names


def test_known_words_go_before_others_and_organisms_come_last():
    for names, ends in {
        "batch_a batch_b node1 node2": (2, 3),
        "node1 node2 batch_a batch_b": (0, 1),
        "species_a species_b node1 node2": (2, 3),
        "species_a species_b batch_a batch_b": (2, 3),
        "species_a species_b": (0, 1),
    }.items():
        assert pair_of_columns(names.split()) == ends, names


def test_measured_numbers_name_no_nodes():
    for text in (
        "gene s1 s2 s3;MYC 1.5 2 3;MAX 4 5 6;TP53 7 8 9",  # a header does not make it a list
        "MYC 1 2 3;MAX 4 5 6;TP53 7 8 9",
        "MYC 1.5;MAX 4;TP53 7",  # one fraction is enough
    ):
        assert is_refused(text), text
    for text in (
        "MYC 1 2;MAX 4 5;TP53 7 8",  # the second end is a number, the third column a weight
        "MYC 4;MAX 5;TP53 7",
        "MYC 1.5;MAX TP53;TP53 MYC",  # names in the second column, save one
    ):
        assert not is_refused(text), text


def test_a_gold_standard_is_its_rows_labelled_1(tmp_path):
    found = read_text(tmp_path, "a\tb\t1\nb\tc\t0\nc\td\t1\n\td\t0\nd\t\t0\nd\te\tNA\n")
    assert edges(found) == links("a-b", "c-d")
    assert sorted(left_out(found).values()) == [[2], [4, 5], [6]]
    assert found.report.guess.startswith("gold standard")


def test_weights_of_0_are_told_where_others_are_more(tmp_path):
    def told(weights):
        text = "".join(f"n{i}\tn{i + 1}\t{w}\n" for i, w in enumerate(weights))
        return [note for note in read_text(tmp_path, text).report.notes if "count as edges" in note]

    assert "2 of 3 rows have weight 0" in told(["0", "0.5", "-0.0"])[0]
    assert "1 of 3 rows have weight 0" in told(["0", "0.5", "0.1"])[0]
    assert told(["0.0", "0.0", "0.00"]) == []  # they say nothing
    assert told(["0.2", "0.5", "0.1"]) == []


def test_a_first_edge_that_stands_alone_may_be_a_header(tmp_path):
    ring = "".join(f"n{i}\tn{(i + 1) % 12}\n" for i in range(12))

    def is_told(text, **options):
        notes = read_text(tmp_path, text, **options).report.notes
        return any("shares no node" in note for note in notes)

    assert is_told(f"left\tright\n{ring}")
    assert not is_told(f"left\tn3\n{ring}")
    assert not is_told(f"left\tleft\n{ring}")  # no header names both columns alike
    assert not is_told(f"left\tright\n{ring}", header=False)  # the user knows
    assert not is_told(f"source\ttarget\nleft\tright\n{ring}")  # there is one already
