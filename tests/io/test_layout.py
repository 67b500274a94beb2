"""The layout of an edge list: separator, header or none, columns, and what is no edge list."""

import pytest
from tests.io.graph_files import pairs, problem, reading

from linkprior.errors import ParameterError
from linkprior.io.formats import ReadOptions
from linkprior.io.read import read_network
from linkprior.io.readers.columns import find_layout
from linkprior.io.readers.delimited import sample_of
from linkprior.io.source import Block


def layout(text, columns=None, file="f.tsv"):
    return find_layout(sample_of(Block(1, text), file), file, columns)


# ---------------------------------------------------------------------- separators


@pytest.mark.parametrize(
    ("text", "separator"),
    [
        ("a\tb c, d\n", "\t"),
        ("heat shock,kinase\nx,y\n", ","),
        ("a;b;0,5\nb;c;1\n", ";"),
        ("a,b,x;y\nb,c,z;w\n", ","),
        ('"a, b";c\n"d";e\n', ";"),
        ('"a\tb" c\n', " "),
        ("a b 0,5\nb c 1\n", " "),
        ("1 2 0,5\n2 3 0,25\n", " "),
        ("1,2\n2,3\n", ","),
        ("x;y,b\nc,d\n", ","),  # the mark all lines have
        ("x,y;b\nc;d\n", ";"),
        ("title\na;b\n", ";"),
    ],
)
def test_the_separator(text, separator):
    if text.startswith("title"):
        with pytest.raises(ValueError, match=r"f\.tsv:1: expected 2 columns with a semicolon"):
            layout(text)
    else:
        assert layout(text).separator == separator


# ---------------------------------------------------------------------- header or none

BODY = "MYC\tMAX\nTP53\tMDM2\nMYC\tTP53\n"


@pytest.mark.parametrize(
    "first",
    [
        "source\ttarget",
        "node1\tnode2",
        "Gene\tSymbol",
        "gene_a\tgene_b",
        '"from"\t"to"',
        "regulator\ttarget gene",
    ],
)
def test_usual_column_names_are_a_header(first):
    found = layout(f"{first}\n{BODY}")
    assert found.header_line == 1
    assert not found.sure


@pytest.mark.parametrize(
    "first",
    [
        "source\tMYC",  # one usual word
        "MYC\tMAX",  # no usual word
        "source\tsource",  # names of columns differ
        "gene_a\tMYC",
    ],
)
def test_other_first_rows_are_edges(first):
    assert layout(f"{first}\n{BODY}").header == []


@pytest.mark.parametrize(
    "text",
    [
        "node1\tnode2\nnode2\tnode3\n",  # its names come back
        "node1\tnode2\nnode7\tnode9\n",  # its kind comes back
        "geneA\tgeneB\ngeneC\tgeneD\n",
        "gene_a\tgene_b\ngene_c\tgene_d\n",
        "node1\tnode2\t0.5\nMYC\tMAX\t0.4\n",  # a number is no column name
        "protein1\tprotein2\tphysical\nMYC\tMAX\tphysical\n",  # its third cell comes back
        "TP53\t7157\n1\t2\n3\t4\n",
        "a\tb\tNA\nb\tc\t0.5\nc\td\t0.25\n",  # a missing score is no column name
    ],
)
def test_a_first_row_like_the_others_is_an_edge(text):
    found = layout(text)
    assert (found.header, found.ends) == ([], (0, 1))


def test_words_above_numbers_are_a_header_beyond_doubt():
    found = layout("alpha\tbeta\tgamma\n1\t2\t0.5\n2\t3\t0.1\n")
    assert (found.header_line, found.sure, found.ends) == (1, True, (0, 1))


def test_one_row_below_is_not_enough_to_tell():
    assert layout("alpha\tbeta\n1\t2\n").header == []


@pytest.mark.parametrize(
    ("text", "ends", "line"),
    [
        ("# node_a\tnode_b\tkind\n1\t2\tx\n2\t3\ty\n", (0, 1), None),
        ("#kind\tnode_a\tnode_b\nx\t1\t2\ny\t2\t3\n", (1, 2), None),
        ("% made today\n% id\tsource\ttarget\n\n1\ta\tb\n2\tb\tc\n", (1, 2), None),
        ("# source target\nsource target\na b\nb c\n", (0, 1), 2),
        ("# source target weight\na b\nb c\n", (0, 1), None),  # does not fit
        ("# Nodes: 9877\n1 2\n2 3\n", (0, 1), None),
    ],
)
def test_a_header_may_be_the_comment_above(text, ends, line):
    found = layout(text)
    assert (found.ends, found.header_line) == (ends, line)


def test_row_names_of_r_have_no_header():
    text = '"source" "target"\n"1" "a" "b"\n"2" "b" "c"\n'
    assert layout(text).ends == (1, 2)
    text = "V1\tV2\tV3\n1\ta\tb\t0.5\n2\tb\tc\t0.25\n"
    assert layout(text).ends == (1, 2)
    ended = "source,target\na,b,\nc,d,\n"  # a separator at the end is no column
    assert layout(ended).ends == (0, 1)


def test_names_that_return_beyond_the_first_rows_make_the_first_row_an_edge(tmp_path):
    rows = "".join(f"a{i}\tb{i}\tx\n" for i in range(300))
    found = reading(tmp_path, "e.tsv", f"source\ttarget\ty\n{rows}b3\tsource\tx\n")
    assert found.network.n_edges == 302
    assert {"source", "target"} <= set(found.network.names)
    assert any("line 1 looks like a header" in note for note in found.report.notes)


def test_layers_of_a_multiplex_file_are_merged(tmp_path):
    text = "1 1 2 1\n1 2 3 1\n2 1 2 1\n"
    found = reading(tmp_path, "net.edges", text)
    assert pairs(found.network) == {frozenset("12"), frozenset("23")}
    assert "multiplex" in found.report.guess
    assert pairs(reading(tmp_path, "net.txt", text).network) == {frozenset("12")}


# ---------------------------------------------------------------------- no edge list


@pytest.mark.parametrize(
    "text",
    [
        "".join(" ".join(str(i * j % 2) for j in range(12)) + "\n" for i in range(5)),
        ",A,B,C,D\nA,0,1,0,1\nB,1,0,0,0\nC,0,0,0,1\nD,1,0,1,0\n",
        "gene\ts1\ts2\ts3\nMYC\t1.5\t2\t3\nMAX\t0.5\t1\t1\nTP53\t1\t1\t0\n",
        "MYC\t0.53\nMAX\t0.21\nTP53\t0.5\n",
        "gene,score\nMYC,0.53\nMAX,0.21\nTP53,0.5\n",
    ],
    ids=["numbers", "adjacency", "expression", "scores", "scores with header"],
)
def test_a_matrix_or_a_list_of_scores_is_refused(tmp_path, text):
    told = problem(tmp_path, "m.txt", text)
    assert told.startswith("m.txt:1: expected two columns of node names")
    assert "--columns 1,2" in told


@pytest.mark.parametrize(
    "text",
    [
        "user\titem\trating\nann\t17\t5\nben\t18\t3\ncat\t17\t4\n",
        "ann\t17\nben\t18\ncat\t17\n",
        "1.0 2.0\n2.0 3.0\n3.0 1.0\n",
    ],
)
def test_whole_numbers_may_name_nodes(tmp_path, text):
    assert reading(tmp_path, "e.tsv", text).network.n_edges == 3


# ---------------------------------------------------------------------- columns asked for


def asked(tmp_path, text, *columns):
    return pairs(reading(tmp_path, "e.tsv", text, options=ReadOptions(columns=columns)).network)


@pytest.mark.parametrize(
    ("columns", "edge"),
    [(("beta", "delta"), "wy"), (("2", "4"), "wy"), (("delta", "alpha"), "yv"), ((1, 3), "vx")],
)
def test_columns_by_name_or_number(tmp_path, columns, edge):
    text = "alpha\tbeta\tgamma\tdelta\nv\tw\tx\ty\n"
    expected = {frozenset(edge)}
    if columns[0] in (1, "2"):  # a number alone does not make the first row a header
        first = {"wy": ("beta", "delta"), "vx": ("alpha", "gamma")}[edge]
        expected |= {frozenset(first)}
    assert asked(tmp_path, text, *columns) == expected


def test_columns_of_a_comment(tmp_path):
    assert asked(tmp_path, "#p\tq\tr\na\tb\tc\n", "p", "r") == {frozenset("ac")}


@pytest.mark.parametrize(
    ("columns", "expected"),
    [
        (("1", "1"), "two different columns"),
        (("1", "9"), "no column '9'. There are: 1 to 2"),
        (("a", "x"), "no column 'a'"),
        (("1",), "expects two columns"),
        ("12", "expects two columns"),
    ],
)
def test_columns_that_are_not_there(tmp_path, columns, expected):
    with pytest.raises(ParameterError) as caught:
        reading(tmp_path, "e.tsv", "a\tb\nb\tc\n", options=ReadOptions(columns=columns))
    assert expected in str(caught.value)
    assert str(caught.value).removeprefix("--").startswith("columns")


def test_a_column_nearly_named_is_suggested(tmp_path):
    text = "source\ttarget\tgene\na\tb\tc\n"
    with pytest.raises(ParameterError, match=r"no column 'tagret'\. Did you mean target\?"):
        asked(tmp_path, text, "source", "tagret")


def test_a_table_of_r_with_row_names_and_two_columns(tmp_path):
    """write.table leaves the name of the row names out of the header."""
    path = tmp_path / "r.txt"
    path.write_text('"from" "to"\n"1" "a" "b"\n"2" "b" "c"\n"3" "c" "d"\n')
    net = read_network(path)
    assert net.names == ("a", "b", "c", "d")
    assert net.n_edges == 3
