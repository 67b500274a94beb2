"""Plain edge lists: what is read, what is left out and counted, and what is refused."""

import pytest
from tests.io.graph_files import dropped, pairs, problem, reading

import linkprior as lp
from linkprior.errors import InputError, ParameterError
from linkprior.io.formats import ReadOptions

EDGES = [("a", "b"), ("b", "c"), ("a", "d")]
EXPECTED = {frozenset(edge) for edge in EDGES}


def text(separator="\t", end="\n", edges=EDGES):
    return "".join(f"{a}{separator}{b}{end}" for a, b in edges)


def read(tmp_path, content, **options):
    return reading(tmp_path, "edges.txt", content, **options).network


def holds_the_edges(net):
    return net.names == ("a", "b", "c", "d") and pairs(net) == EXPECTED


# ---------------------------------------------------------------------- what is read


@pytest.mark.parametrize("separator", ["\t", ",", ";", " ", "   ", " , ", "\t ", ", ", " ; "])
def test_separators(tmp_path, separator):
    assert holds_the_edges(read(tmp_path, text(separator)))


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("last", [True, False], ids=["ended", "last line not ended"])
@pytest.mark.parametrize("separator", ["\t", " "])
def test_line_ends(tmp_path, end, last, separator):
    content = text(separator, end)
    content = content if last else content.removesuffix(end)
    assert holds_the_edges(read(tmp_path, content.encode()))


@pytest.mark.parametrize("head", ["source\ttarget", "Source\tTARGET", '"from"\t"to"\tweight'])
def test_a_first_line_of_usual_column_names_is_a_header(tmp_path, head):
    assert holds_the_edges(read(tmp_path, f"{head}\n{text()}"))


def test_columns_are_taken_by_header_name(tmp_path):
    rows = "".join(f"{i},x,{b},{a}\n" for i, (a, b) in enumerate(EDGES))
    assert pairs(read(tmp_path, f"id,kind,target,source\n{rows}")) == EXPECTED


def test_a_header_may_follow_comments(tmp_path):
    assert holds_the_edges(read(tmp_path, f"# made today\n\nregulator\ttarget\n{text()}"))


@pytest.mark.parametrize("mark", ";,\t")
def test_the_line_by_which_excel_tells_its_separator_is_passed_over(tmp_path, mark):
    found = reading(tmp_path, "e.csv", f"sep={mark}\nsource{mark}target\n{text(mark)}")
    assert holds_the_edges(found.network)
    assert found.report.passed_over == 1


def test_only_the_first_line_can_be_a_header(tmp_path):
    net = read(tmp_path, f"{text()}source\ttarget\n")
    assert net.names[-2:] == ("source", "target")
    assert net.n_edges == 4


def test_one_usual_word_does_not_make_a_header(tmp_path):
    net = read(tmp_path, f"source\tMYC\n{text()}")
    assert net.names[:2] == ("source", "MYC")
    assert net.n_edges == 4


@pytest.mark.parametrize("mark", "#%!")
@pytest.mark.parametrize("indent", ["", " ", "\t"])
def test_comments_are_passed_over_and_counted(tmp_path, mark, indent):
    content = f"{mark} a\tremark, with; marks\n{text()}{indent}{mark}x\ty\n"
    found = reading(tmp_path, "edges.txt", content)
    assert holds_the_edges(found.network)
    assert found.report.passed_over == 2


def test_blank_lines_are_passed_over_and_counted(tmp_path):
    found = reading(tmp_path, "e.txt", "\n  \n" + text().replace("\n", "\n\n \t \n"))
    assert holds_the_edges(found.network)
    assert found.report.passed_over == 8


@pytest.mark.parametrize("separator", ["\t", ",", ";"])
def test_further_columns_are_left_alone(tmp_path, separator):
    content = "".join(f"{a}{separator}{b}{separator}0{separator}x y\n" for a, b in EDGES)
    assert holds_the_edges(read(tmp_path, content))


def test_lines_may_have_different_numbers_of_further_columns(tmp_path):
    assert holds_the_edges(read(tmp_path, "a\tb\nb\tc\t1\t2\na\td\t\n"))


@pytest.mark.parametrize("separator", ["\t", ",", ";", " "])
def test_quoted_names(tmp_path, separator):
    content = f'"a, b"{separator}"say ""c"""\nd{separator}"a, b"\n'
    net = read(tmp_path, content)
    assert net.names == ("a, b", 'say "c"', "d")
    assert net.n_edges == 2


def test_names_with_inner_spaces_and_other_scripts(tmp_path):
    net = read(tmp_path, "heat shock\tβ-catenin\nβ-catenin\t蛋白\n蛋白\tمی\u200cروم\n")
    assert net.names == ("heat shock", "β-catenin", "蛋白", "می\u200cروم")


@pytest.mark.parametrize(
    "name", ["<script>alert(1)</script>", "=cmd|' /C calc'!A0", "5'-3'", "a&b", "\\N", "-1", "\\t"]
)
def test_names_that_mean_something_elsewhere_are_names(tmp_path, name):
    assert read(tmp_path, f"{name}\tb\nb\tc\n").names == (name, "b", "c")


def test_huge_numbers_are_names(tmp_path):
    assert read(tmp_path, "1000000000\t2\n2\t99999999999999999999\n").n_nodes == 3


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-le", "utf-16-be"])
def test_a_byte_order_mark_is_no_part_of_the_first_name(tmp_path, encoding):
    mark = "\ufeff" if encoding in ("utf-16-le", "utf-16-be") else ""
    content = f"{mark}{text()}β\ta\n".encode(encoding)
    assert read(tmp_path, content).names == ("a", "b", "c", "d", "β")


def test_a_path_may_be_text(tmp_path):
    (tmp_path / "edges.txt").write_text(text())
    assert holds_the_edges(lp.read_network(str(tmp_path / "edges.txt")))


@pytest.mark.at_length
def test_what_lies_beyond_one_block_is_read_with_its_line_numbers(tmp_path):
    rows = "".join(f"node{i}\tnode{i + 1}\n" for i in range(400_000))
    content = f"source\ttarget\n{rows}"
    assert len(content) > 1 << 22
    found = reading(tmp_path, "edges.txt", content)
    assert (found.network.n_nodes, found.network.n_edges) == (400_001, 400_000)
    assert "edges.txt:400002: " in problem(tmp_path, "edges.txt", f"{content}last\n")


# ---------------------------------------------------------------------- what is left out


def test_what_is_merged_is_counted(tmp_path):
    net = read(tmp_path, text() + "a\tb\nb\ta\nc\tc\n")
    assert holds_the_edges(net)
    assert (net.merged.self_loops, net.merged.duplicates) == (1, 1)
    assert net.merged.reversed_duplicates == 1


@pytest.mark.parametrize("row", ["a\t", "\ta", "\t\t", '""\ta', '"a"\t', '\t"a"', " \tb"])
def test_a_row_with_an_empty_name_is_left_out_and_counted(tmp_path, row):
    found = reading(tmp_path, "edges.txt", f"{text()}{row}\tx\n{row}\ty\n")
    assert holds_the_edges(found.network)
    assert dropped(found) == {"a node name is empty": 2}
    assert found.report.dropped[0]["first_lines"] == [4, 5]


def test_nodes_without_an_edge_are_dropped_and_counted_unless_asked_for(tmp_path):
    content = f"{text()}lonely\tlonely\n"
    assert read(tmp_path, content).merged.isolated == 1
    assert holds_the_edges(read(tmp_path, content))
    kept = read(tmp_path, content, keep_isolated=True)
    assert kept.names == ("a", "b", "c", "d", "lonely")


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


@pytest.mark.parametrize(
    "content",
    [
        gold([*GOLD, ("c", "f", "2")]),  # not only 0 and 1
        gold([*GOLD, ("c", "f", "0", "x")]),  # not only three columns
        "source\ttarget\tflag\n" + gold(GOLD),  # under a header, flags are attributes
        gold((a, b, label, "x") for a, b, label in GOLD),
    ],
    ids=["another label", "another column", "header", "four columns"],
)
def test_flags_are_no_labels(tmp_path, content):
    assert read(tmp_path, content).n_edges >= 4


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


# ---------------------------------------------------------------------- what is refused


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


@pytest.mark.parametrize("bad", ["x" * 5000, "x" * 5000 + '"' * 3, '"' + "x" * 5000])
def test_a_long_bad_line_is_shown_in_part(tmp_path, bad):
    told = problem(tmp_path, "edges.txt", f"a\tb\n{bad}\n")
    assert told.startswith("edges.txt:2: ")
    assert len(told) < 250


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
