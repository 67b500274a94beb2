"""Edge lists: separators, quotes, comments, titles, scores and gold standards."""

import csv
import re

import networkx as nx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.io.files import edges, expected_pairs, left_out, links, problem, read_text, reading

import linkprior as lp
from linkprior.errors import InputError, ParameterError
from linkprior.io.formats import ReadOptions
from linkprior.io.node_lists import read_pairs
from linkprior.io.readers.delimited import rows_of, sample_of
from linkprior.io.source import Block, Source

GRAPH = nx.relabel_nodes(nx.gnm_random_graph(20, 40, seed=3), lambda v: f"G{chr(65 + v)}")
EDGES = list(GRAPH.edges())
EXPECTED = expected_pairs(GRAPH)


def table(rows, separator="\t"):
    return "".join(separator.join(map(str, row)) + "\n" for row in rows)


PLAIN = table(EDGES)


def notes(found):
    return "\n".join(found.report.notes)


# ---------------------------------------------------------------------- lines cut into cells


def cut(text, separator, needed=1, first=11):
    rows = rows_of(Block(first, text), separator, needed, "f")
    assert rows.widths == {len(row) for row in rows.cells}
    shared = range(min(rows.widths, default=0))
    assert [rows.column(at) for at in shared] == [[row[at] for row in rows.cells] for at in shared]
    below = rows.below_first()
    assert (list(below.lines), below.cells) == (list(rows.lines)[1:], rows.cells[1:])
    every_second = [at % 2 == 0 for at in range(len(rows.lines))]
    assert rows.where(every_second).cells == rows.cells[::2]
    return list(zip(rows.lines, rows.cells, strict=True))


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
    expected = [
        (number + first - 1, [cell.strip(" \xa0") for cell in cells])
        for number, cells in by_hand(text, separator)
    ]
    assert cut(text, separator, first=first) == expected


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
        lines.append(separator.join('"' + cell.replace('"', '""') + '"' for cell in row))
    assert list(csv.reader(lines, delimiter=separator)) == rows
    expected = [[cell.strip(" \xa0") for cell in row] for row in rows]
    assert [cells for _, cells in cut("\n".join(lines), separator)] == expected


@pytest.mark.parametrize(
    ("text", "separator", "rows"),
    [
        ("a\tb", "\t", ["a|b"]),
        ("a\tb\nc\td\ne\tf\n", "\t", ["a|b", "c|d", "e|f"]),
        ("a;b;c\nd;e;f\n", ";", ["a|b|c", "d|e|f"]),
        ("é,β\n蛋,ÿ\n", ",", ["é|β", "蛋|ÿ"]),
        ("a\nb\n", "\t", ["a", "b"]),
        ("a  b\nc \t d\n", " ", ["a|b", "c|d"]),
        ("a b \nc\td\t\n", " ", ["a|b", "c|d"]),
        ("heat shock, kinase\nx ,y\n", ",", ["heat shock|kinase", "x|y"]),
        ("a\xa0,b\nc,\xa0d\n", ",", ["a|b", "c|d"]),
        ("a\xa0\t\xa0b\nc\td\xa0e\n", "\t", ["a|b", "c|d\xa0e"]),
        ("a\xa0 b\nc d\n", " ", ["a|b", "c|d"]),
        ("a\x0bb,c\nd,e\n", ",", ["a\x0bb|c", "d|e"]),
        # rows of unlike widths
        ("a\tb\nc\nd\te\tf\n", "\t", ["a|b", "c", "d|e|f"]),
        ("a b\nc  d\te\n", " ", ["a|b", "c|d|e"]),
        ("a,b,c\nd\ne,f\n", ",", ["a|b|c", "d", "e|f"]),  # as many marks as even rows have
        ("a,b\n,c\nd,\n", ",", ["a|b", "|c", "d|"]),  # empty cells
        (",a\nb,c\n", ",", ["|a", "b|c"]),
        ("\ta\nb\tc\n", "\t", ["|a", "b|c"]),
        # marks of comments inside a line, and spreadsheet errors
        ("a#\tb%\nsep\tx\nc!\t#d\n", "\t", ["a#|b%", "sep|x", "c!|#d"]),
        ("#N/A\tb\n#REF!\td\n", "\t", ["#N/A|b", "#REF!|d"]),
        # quotes
        ('"a","b"\n"c","d"\n', ",", ["a|b", "c|d"]),
        ('"a, b",c\nd,"e"\n', ",", ["a, b|c", "d|e"]),
        ('"a" "b c"\n d  "e" \n', " ", ["a|b c", "d|e"]),
        ('"a b" c\nd\te\n', " ", ["a b|c", "d|e"]),
        ('a,  "b"\nc,d\n', ",", ["a|b", "c|d"]),  # a space before the quote
        ('"a","b"\nc\n"d",e,f\n', ",", ["a|b", "c", "d|e|f"]),
        ('"say ""a""",b\n', ",", ['say "a"|b']),
        ('5"-end,b\nc,d "e" f\n', ",", ['5"-end|b', 'c|d "e" f']),  # inside a name
    ],
)
def test_lines_are_cut_at_the_separator(text, separator, rows):
    assert cut(text, separator) == [(n, row.split("|")) for n, row in enumerate(rows, 11)]


@pytest.mark.parametrize(
    "line", ["", " ", "\t", "# c d", "%c d", "!c d", " # c d", "\t%c", "sep=,", "  sep=;"]
)
@pytest.mark.parametrize("separator", ["\t", ",", " "])
def test_what_holds_no_row_is_passed_over_wherever_it_stands(line, separator):
    one, other = f"a{separator}b", f"c{separator}d"
    for lines in ((line, one, other), (one, line, other), (one, other, line)):
        expected = [(n, list(x[::2])) for n, x in enumerate(lines, 11) if x is not line]
        assert cut("\n".join(lines), separator) == expected
        assert cut("\n".join([*lines, ""]), separator) == expected
    assert cut(f"{line}\n{line}", separator) == []


@pytest.mark.parametrize(
    ("text", "separator", "told"),
    [
        ("a\tb\nc\n", "\t", "f:12: expected 2 columns with a tab between them, got 1: 'c'"),
        ("a\tb\n\n# x\nc,d\n", "\t", "f:14: .*This line has a comma: use one separator throughout"),
        ("a,b\nc d\n", ",", "f:12: .*This line has a space: use one separator"),
        ("a b\nlonely\n", " ", "f:12: .*start it with # to have it skipped"),
        ('"a"\t"b"\n"c"\n', "\t", "f:12: expected 2 columns with a tab"),
        *((text, ",", "f:11: .*quote") for text in (
            '"a,b', 'a,"b', '"a"b,c', '"a,b\nc",d', '"' + "x" * 140_000)),
        ('"a\t' + "x" * 200_000 + "\n", "\t", "f:11: a quoted line of 200003 char.*quote missing"),
        ('"a"\t"b"\nc\td\n', " ", "f:11: quotes do not match .* with a space between"),
    ],
)  # fmt: skip
def test_a_line_that_cannot_be_cut_is_named(text, separator, told):
    with pytest.raises(InputError, match=f"^{told}"):
        cut(text, separator, 2)


# ---------------------------------------------------------------------- the first rows


def sample(text, first=1):
    """Return the sample of lines written a,b / c,d."""
    return sample_of(Block(first, text.replace(" / ", "\n") + "\n"), "f")


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("a\tb / b\tc", 0),
        ("My table / a\tb / b\tc", 1),
        ("My / own / a\tb / b\tc", 2),
        ("My table / a;b / b;c", 1),
        ("My table / a,b / b,c", 1),
        ("My, own table / a\tb / b\tc", 1),  # a comma of a sentence
        ("My table / # a note / a\tb / b\tc", 1),
        ("Partners of a / a\tb / b\tc", 1),
        (" / ".join([*["words"] * 60, "a\tb", "b\tc"]), 60),
        ("My table / a\tb / b c / c\td", 0),  # not all further lines have the mark
        # rows of the table cut at blanks
        ("a b / a\tc / b\td\tx", 0),
        ("a b / b c,d / c d,e", 0),
        ("a b x / a\tc / b\td", 1),  # another number of words
        ("x y / a\tc / b\td", 1),  # no word is a cell
        ("a b 1 / b c 0,5 / c d 0,25", 0),
        ("a b 1 / bc x,y / b c d x,y", 1),
        ("a / b,c / c,d", 1),  # one word is no row
        # a mark in quotes is part of a name
        ('"a\tb" c / "d\te" f / g\th / i\tj', 2),
    ],
)
def test_lines_above_the_table_are_titles(text, count):
    assert len(sample(text).titles) == count


@pytest.mark.parametrize(
    "text",
    [
        "My table / a,b / # a note",  # there is one row below: too few to tell
        "words / a b / a\tc / b\td",
        "x,y / a\tb / b\tc",  # other separators
        "x;y / a\tb / b\tc",
        "x\ty / a;b / b;c",
        "lonely / a,b / c;d",
        "\tb / c",
        " / ".join([*["words"] * 61, "a\tb", "b\tc"]),
    ],
)
def test_a_short_row_is_no_title(text):
    with pytest.raises(InputError, match="^f:[12]: expected 2 columns"):
        sample(text)


def test_the_header_of_biogrids_first_table_ends_its_preamble():
    header = "INTERACTOR_A\tINTERACTOR_B\tMORE"
    found = sample(f"a\tb\tc / words / {header} / x\ty\tz", first=5)
    assert (found.titles, found.line) == ((5, 6), 7)
    assert sample(f"{header} / x\ty\tz").titles == ()
    assert sample(f"My table / {header} / x\ty\tz").rows[0] == header.split("\t")


@pytest.mark.parametrize(
    ("text", "separator"),
    [
        ("a b / c d", " "),
        ("a\tb c, d / c\td", "\t"),
        ("a b / a\tc / b\td", " "),
        ("a,b;c / d,e", ","),  # the mark all lines have
        ("a;b,c / d;e", ";"),
        ("x;y,b / c,d", ","),
        ("a,b;c / d,e;f", ","),  # two marks in all lines: the first of them
        ("a;b,c / d;e,f", ";"),
        ('"a,b";c / "d,e";f', ";"),
        ('"a\tb" c / d e', " "),
        # numbers with a decimal comma
        ("a b 0,5 / b c 1,25", " "),
        ("1 2 0,5 / 2 3 0,25", " "),
        ("a b ,5 / b c -1,25", " "),
        ("a b x 0,5 / b c y 1,25", " "),
        ("a b,c 0,5 / b c,d 1,25", ","),
        ("a 0,5 / b 1,25", ","),
        ("a 0,5 x / b 1,25 y", ","),  # the second column names a node
        ("0,5 a b / 1,25 b c", ","),
        ("a b 0,5 / b c 1,x", ","),
        ("a b 0,5 / b,c", ","),  # one line is cut at commas
        ("a,b / kinase 1,2", ","),
    ],
)
def test_the_separator_is_the_mark_all_lines_have(text, separator):
    assert sample(text).separator == separator


def test_a_sample_has_two_hundred_rows_at_most():
    """What follows is not looked at: a short row is found later, with all others."""
    rows = [f"a{at} b" for at in range(200)]
    assert len(sample(" / ".join([*rows, "lonely"])).rows) == 200


@pytest.mark.parametrize(
    ("content", "told"),
    [
        *((f"# a note\n{first}\na b\n", "e.txt:2: looks like XML or a web page, expected an edge")
          for first in ("  <!DOCTYPE html>", "<HTML lang='en'>", "<?xml version='1.0'?>")),
        *((f"# a note\n{first}\na b\n", "e.txt:2: looks like JSON, expected an edge list")
          for first in ('{"nodes": [', "[", "[[1, 2], [2, 3]]", "{")),
        *((text, "e.txt:1: expected two columns of node names with a tab, comma")
          for text in ("one\ntwo\n", " one \n two \n", "one")),
        ("", "e.txt: is empty; expected "),
        *((text, "e.txt: no edge found; expected ")
          for text in ("\n\n", "# only a remark\n", "source\ttarget\n", " \t \n", "#a\tb\n")),
        ("a\ta\nb\tb\n", "e.txt: all 2 rows join a node to itself"),
        ("a\t\n\tb\n", "e.txt: no edge is left (2 rows: a node name is empty)"),
        ("a\tb\t0\nb\tc\t0\n", "e.txt: no edge is left (2 rows: labelled 0, a non-edge"),
        ("a\tb\r\nc\r\n", "e.txt:2: expected 2 columns"),
        ("a\tb\rc\r", "e.txt:2: expected 2 columns"),
        ("source,target\na,b\nc;d\n", "e.txt:3: expected 2 columns"),
        ('a,b\n"c\td",e\n', "e.txt:2: the node name 'c\\td' holds the invisible character U+0009"),
        *((f"a\tb\nb\tc{mark}d\n", "e.txt:2: the node name ") for mark in "\x07\u202e\u200b\ufeff"),
        ("a\tb\nb\t\u200fc\n", "e.txt:2: the node name "),
        ("a\tb\nb\t" + "c" * 1001 + "\n", "e.txt:2: a node name of 1001 characters"),
        ("graph [\n  node [ id 0 ]\n]\n", "e.txt:1: is GML"),
        ('Creator "igraph"\nVersion 1\ngraph\n[\n', "e.txt:1: is GML"),
        ("Rat of 2020\n#BioGRID Interaction ID\tEntrez\tMore\n1\t2\t3\n", "e.txt:1: expected"),
    ],
)  # fmt: skip
def test_what_is_no_edge_list_is_refused(tmp_path, content, told):
    assert problem(tmp_path, "e.txt", content).startswith(told)


# ---------------------------------------------------------------------- whole files


@pytest.mark.parametrize("separator", ["\t", ",", ";", " ", "   ", " , ", "\t ", ", ", " ; "])
@pytest.mark.parametrize("more", [(), ("0", "x"), ("0.5", "x y")])
def test_separators_and_further_columns(tmp_path, separator, more):
    if separator.strip(" ") or not more or " " not in more[1]:
        rows = [(*edge, *more) for edge in EDGES]
        found = read_text(tmp_path, table(rows, separator))
        assert found.network.names == lp.Network.from_edges(EDGES).names
        assert edges(found) == EXPECTED


@pytest.mark.parametrize("title", ["Interactions of 2020", "Yeast interactome", "Interactome"])
@pytest.mark.parametrize("separator", ["\t", ",", ";"])
@pytest.mark.parametrize("header", ["", "source{}target\n", "# gene_a{}gene_b\n"])
def test_titles_above_a_table_are_left_out_and_counted(tmp_path, title, separator, header):
    text = f"{title}\n\n{header.format(separator)}{table(EDGES, separator)}"
    found = read_text(tmp_path, text)
    assert edges(found) == EXPECTED
    assert left_out(found) == {"text above the table": [1]}
    header_row = header.startswith("source")
    report = found.report
    assert report.rows + report.passed_over + 1 + header_row == report.lines


def test_lines_are_counted_from_the_first_title_on(tmp_path):
    text = "Made by hand\n# note\nin 2020\nat home\n\nsource,target\na,b\nb,c\n,d\n"
    found = read_text(tmp_path, text)
    assert (found.report.lines, found.report.rows, found.report.passed_over) == (9, 2, 2)
    assert left_out(found) == {"text above the table": [1, 3, 4], "a node name is empty": [9]}


@pytest.mark.parametrize("header", ["source\ttarget\n", "Regulator\tTarget\n"])
@pytest.mark.parametrize("first", [3, 40], ids=["early", "late"])
def test_a_header_that_comes_again_is_dropped_and_counted(tmp_path, header, first):
    text = header + table(EDGES[:first]) + header + table(EDGES[first:] or EDGES[:2])
    found = read_text(tmp_path, text)
    assert edges(found) == EXPECTED
    assert left_out(found) == {"repeats the header": [first + 2]}


def test_only_a_row_that_is_all_of_the_header_repeats_it(tmp_path):
    text = "eins\tzwei\tdrei\na\tb\t1\neins\tc\t2\neins\tzwei\tdrei\nc\td\t3\n"
    found = read_text(tmp_path, text, header=True)
    assert left_out(found) == {"repeats the header": [4]}
    assert edges(found) == links("a-b", "eins-c", "c-d")


def test_a_row_that_ends_before_a_chosen_column_is_named(tmp_path):
    text = "a\tx\tb\nb\tx\tc\nc\tx\nd\tx\te\n"
    told = problem(tmp_path, "e.tsv", text, options=ReadOptions(columns=("1", "3")))
    assert told.startswith("e.tsv:3: expected 3 columns")


def test_an_edge_list_of_numbers_is_no_metis(tmp_path):
    for text in ("4 4\n1 2\n2 3\n3 4\n1 4\n", "3 2\n1 2\n2 3\n"):
        assert read_text(tmp_path, text).report.format == "edgelist"


def test_options_that_do_not_apply_or_do_not_exist_are_refused(tmp_path):
    with pytest.raises(ParameterError, match="--organism does not apply to an edge list"):
        read_text(tmp_path, PLAIN, organism="9606")
    with pytest.raises(ParameterError, match=r"no option 'colums'\. Did you mean columns\?"):
        lp.read_network("edges.tsv", colums=("a", "b"))


def path(n, start=0, more=""):
    """Return n edges of a path on n + 1 nodes."""
    return "".join(f"n{at} n{at + 1}{more}\n" for at in range(start, start + n))


@pytest.mark.parametrize(
    ("first", "rows", "what"),
    [
        ("11 10", path(10), "numbers of nodes and edges"),
        ("12 11", path(11), "numbers of nodes and edges"),
        ("5 12 11", path(11, more=" 1"), "the size of a matrix"),
    ],
)
def test_a_first_row_that_counts_what_follows_is_refused(tmp_path, first, rows, what):
    text, n = f"# a note\n{first}\n{rows}", rows.count("\n")
    told = problem(tmp_path, "e.txt", text)
    assert told.startswith(f"e.txt:2: {first!r} looks like {what}, as {n} rows follow; remove")
    for options in ({"header": False}, {"columns": ("1", "2")}):
        assert read_text(tmp_path, text, **options).report.rows == n + 1


@pytest.mark.parametrize(
    ("first", "rows"),
    [
        ("10 9", path(9)),  # few rows
        ("12 12", path(11)),  # another number of edges
        ("12 10", path(11)),
        ("9 11", path(11)),  # fewer nodes than there are
        ("5 20", path(10) + path(10, start=20)),
        ("12 11", f"{path(10)}x y\n"),  # one node more
        ("1 12 12 11", path(11, more=" 1 x")),  # one number more
        ("x 11", path(11)),
    ],
)
def test_a_first_row_that_counts_something_else_is_an_edge(tmp_path, first, rows):
    assert read_text(tmp_path, f"{first}\n{rows}").report.rows == rows.count("\n") + 1


# ---------------------------------------------------------------------- scores


def test_rows_below_the_least_score_are_left_out(tmp_path):
    content = 'source,weight,target\na,0.5,b\nb,0.4,c\na,1e1,d\nc,nan,d\nd,"0,6",e\n'
    found = read_text(tmp_path, content, min_score=0.5)
    assert edges(found) == links("a-b", "a-d", "d-e")
    assert left_out(found) == {"the score is below 0.5": [3], "the score is NaN": [5]}
    assert "--min-score 0.5 goes by column 2 (weight)" in found.report.notes


@pytest.mark.parametrize("score", ["1,234", "-12,345,678", "+1,000", "x", "", "1.2.3"])
def test_what_is_no_clear_number_is_no_score(tmp_path, score):
    with pytest.raises(InputError, match=r"e\.txt:2: expected a score, got '") as told:
        read_text(tmp_path, f"a\tb\t1\nb\tc\t{score}\n", "e.txt", min_score=0)
    assert f"got {score!r}; write it as a plain number" in str(told.value)


def test_a_row_that_ends_before_its_score_is_named(tmp_path):
    with pytest.raises(InputError, match=r"e\.txt:2: expected a score, got ''"):
        read_text(tmp_path, "a b 1\nb c\n", "e.txt", min_score=0.5)


@pytest.mark.parametrize("options", [{"weights": "3"}, {"min_score": 0}])
def test_labels_are_scores_where_they_are_asked_for(tmp_path, options):
    """Rows of 0 are left out for their weight then, not as non-edges."""
    found = read_text(tmp_path, "a b 1\nb c 0\nc d 1\n", **options)
    assert left_out(found) == ({"its weight is 0": [2]} if "weights" in options else {})


# ---------------------------------------------------------------------- gold standards

NON_EDGE = "labelled 0, a non-edge of the gold standard"
UNKNOWN = "its label is missing, so it is neither an edge nor a non-edge"
SPELLINGS = {
    "1": ["1", "1.0", "true", "TRUE", "True", "tRue"],
    "0": ["0", "0.0", "false", "FALSE", "False", "fAlse"],
    "?": ["", "na", "NA", "nan", "NaN", "n/a", "N/A", "null", "NULL", "none", "None", "?"],
}


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


def labelled(*cells, header=""):
    """Return a path of nodes with these cells beside its edges."""
    return header + "".join(f"n{at}\tn{at + 1}\t{cell}\n" for at, cell in enumerate(cells))


def on_path(*places):
    return {frozenset((f"n{at}", f"n{at + 1}")) for at in places}


@pytest.mark.parametrize("end", ["", "\t"], ids=["", "a tab at the end"])
def test_rows_labelled_0_in_a_gold_standard_are_non_edges(tmp_path, in_blocks, end):
    cells = [cell for mark in "1?0" for cell in SPELLINGS[mark]]
    text = labelled(*(cell + end for cell in cells)) + f"\tx\t0{end}\n"
    found = read_text(tmp_path, text)
    assert found.report.guess.startswith("gold standard")
    assert edges(found) == on_path(*range(6))
    assert left_out(found) == {
        UNKNOWN: [7, 8, 9, 10, 11], NON_EDGE: [19, 20, 21, 22, 23], "a node name is empty": [25],
    }  # fmt: skip
    assert [entry["count"] for entry in found.report.dropped] == [1, 6, 12]
    assert found.report.isolated == 18
    listed = {frozenset(pair) for pair in read_pairs(tmp_path / "input.txt")}
    assert listed == on_path(*range(6), *range(18, 24))


@pytest.mark.parametrize("odd", [0, 5, 9])
def test_one_cell_that_is_no_label_makes_all_rows_edges(tmp_path, in_blocks, odd):
    cells = ["2" if at == odd else str(at % 2) for at in range(10)]
    found = read_text(tmp_path, labelled(*cells))
    assert edges(found) == on_path(*range(10))
    assert not left_out(found)


@pytest.mark.parametrize(
    "text",
    ["n0\tn1\t1\nn1\tn2\t0\t\nn2\tn3\t0\n", labelled("1", "NA", "1"), labelled("1", "1", "1")],
    ids=["unlike widths", "no 0", "only 1"],
)
def test_other_third_columns_are_no_labels(tmp_path, text):
    found = read_text(tmp_path, text)
    assert edges(found) == on_path(0, 1, 2)
    assert not left_out(found)


# ---------------------------------------------------------------------- what is noted

WEIGHT = "source\ttarget\tweight\n"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        *((labelled(*cells.split(), header=WEIGHT), told) for cells, told in (
            ("0 2 3", "1 of 3 rows have weight 0 and count as edges; --min-score"),
            ("0 0 3", "2 of 3 rows have weight 0"),
            ("0 0.0 0.00", ""),  # they say nothing
            ("1 2 3", ""),
            ("0 NA 3", "1 of 3 rows have weight 0"),
            ("0 Inf 3", "1 of 3 rows have weight 0"),
            ("0 high 3", ""),
            ("0E0 -0,00 3", "2 of 3 rows have weight 0"),
            ("0.000000e+00 -0.0 3", "2 of 3 rows have weight 0"),
            ("0.0000000000 00 3", "1 of 3 rows have weight 0"),
        )),
        (labelled("0", "0.5", "3"), "1 of 3 rows have weight 0"),
        (labelled("0", *["2"] * 300, "late", header=WEIGHT), "1 of 302 rows have weight 0"),
        (labelled("0", "5", "5", header="source\ttarget\tIs_Edge\n"),
         "1 of 3 rows have Is_Edge 0 and count as edges; remove"),
        (labelled("0", "5", "5", header="source\ttarget\tyear\n"), ""),
        *((f"{header}\nn0\tn1\t0\t0\nn1\tn2\t1\t0\nn2\tn3\t1\t1\n", told) for header, told in (
            ("source\ttarget\tgold\ttruth", "1 of 3 rows have gold 0"),
            ("source\ttarget\ttruth\tgold", "1 of 3 rows have truth 0"),
            ("source\ttarget\tgold\tweight", "2 of 3 rows have weight 0"),
        )),
        ("source\ttarget\tweight\nn0\tn1\t0\nn1\tn2\nn2\tn3\t4\n", ""),  # a row ends before it
    ],
)  # fmt: skip
def test_weights_of_0_are_counted_where_some_rows_have_others(tmp_path, text, told):
    found = read_text(tmp_path, text)
    assert edges(found) >= on_path(0, 1, 2)
    assert told in notes(found)
    assert ("count as edges" in notes(found)) == bool(told)
    if told.endswith("weight 0"):
        assert "weight 0" not in notes(read_text(tmp_path, labelled("0", "1"), min_score=0))


def test_a_column_of_nodes_holds_no_weights_whatever_its_name(tmp_path):
    content = "source\tgold\tyear\na\t0\tx\nb\t1\tx\n0\t1\tx\n"
    found = read_text(tmp_path, content, columns=("source", "gold"))
    assert found.network.n_edges == 3
    assert "count as edges" not in notes(found)


def test_the_first_block_tells_whether_a_column_holds_weights(tmp_path, in_blocks):
    words = read_text(tmp_path, labelled("a", "b", "c", "0", "2", "3", header=WEIGHT))
    assert "weight 0" not in notes(words)
    numbers = read_text(tmp_path, labelled("0", "2", "3", "4", "late", "0", header=WEIGHT))
    assert "2 of 6 rows have weight 0" in notes(numbers)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("a b\nc, d\n", "names such as c, end in a separator"),
        ("a b\nc; d\n", "names such as c; end in a separator"),
        ("a b x\nb c\nc d y\n", "rows have 2 to 3 columns, and columns 1 and 2 are"),
        ("a b x\nb c z\nc d y\n", ""),
        ("source target\na b\nb c x\nc d\n", "some rows have 3 columns, the header 2:"),
        ("source target more\na b\nb c x\nc d y\n", ""),
        ("Rank Source Target Score\n1 a b 3\n2 b c 2\n", "looks like a ranking of linkprior"),
        ("Rank Source Target Score x\n1 a b 3 x\n2 b c 2 y\n", "looks like a ranking"),
        ("Source Target Score\na b 3\nb c 2\n", ""),
        ("TP53 a\ntp53 b\n", "names that differ only in case are different nodes: TP53 and t"),
        ('"gene 1" "gene 2" \n"gene 2" "gene 3" \n', ""),  # spaces behind them are no column
    ],
)
def test_what_is_odd_is_noted(tmp_path, text, told):
    found = read_text(tmp_path, text)
    assert told in notes(found)
    assert bool(notes(found)) == bool(told)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (f"eins zwei\n{path(9)}", True),
        (f"eins zwei\n{path(8)}", False),  # few rows
        (f"eins zwei\n{path(9)}zwei n1\n", False),
        (f"eins zwei\n{path(9)}n1 eins\n", False),
        (f"eins zwei\n{path(9)}eins zwei\n{path(2)}", True),  # a header may come again
        (f"eins eins\n{path(9)}", False),
        (f"gene7 zwei\n{path(9)}", True),
        (f"gene7 zwei\n{path(9)}gene7 zwei\n", False),  # an edge that is listed twice
        (f"source target\neins zwei\n{path(9)}", False),  # there is a header already
    ],
)
def test_a_first_edge_without_neighbours_is_noted(tmp_path, text, said):
    first = text.split("\n")[0].replace(" ", " – ")
    told = f"the first edge, {first}, shares no node with the others"
    assert (told in notes(read_text(tmp_path, text))) == said
    assert "shares no node" not in notes(read_text(tmp_path, text, header=False))
    assert "shares no node" not in notes(read_text(tmp_path, text, header=True))


def test_a_message_shows_what_a_terminal_would_obey_as_its_code(tmp_path):
    text = "source\x1b[31m\ttarget\tscore\na\tb\t1\nb\tc\t2\n"
    with pytest.raises(ParameterError) as caught:
        reading(tmp_path, "e.tsv", text, options=ReadOptions(columns=("nothing", "target")))
    assert str(caught.value).isprintable()
    assert "source\\x1b[31m, target, score" in str(caught.value)
