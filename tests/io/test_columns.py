"""Headers, and the two columns that name the ends of an edge."""

import itertools
import string

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.io.files import edges, links, pairs, read_text, reading

from linkprior.errors import InputError, ParameterError
from linkprior.io.collector import EdgeCollector
from linkprior.io.formats import ReadOptions
from linkprior.io.read import read_network
from linkprior.io.readers.columns import (
    Ends,
    Layout,
    _both_ways,
    ends_by_content,
    find_header,
    find_layout,
    holds_scores,
    pair_of_columns,
    plain,
)
from linkprior.io.readers.delimited import Labels, Rows, rows_of, sample_of
from linkprior.io.source import Block


def test_a_pair_in_either_order_and_among_others():
    words = ["weight", "year", "pmid"]
    for pair in (("source", "target"), ("gene_a", "gene_b"), ("node1", "node2"), ("id_1", "id_2")):
        for names in itertools.permutations([*words, *pair]):
            found = sorted(names.index(word) for word in pair)
            assert pair_of_columns(names) == tuple(found)


STEMS = st.text(string.ascii_lowercase, min_size=1, max_size=8).map("q".__add__)


MARKS = st.sampled_from([("a", "b"), ("1", "2"), ("A", "B"), ("i", "j")])


@given(stem=STEMS, marks=MARKS, joint=st.sampled_from("_ .-"))
def test_any_word_with_a_mark_set_off_makes_a_pair(stem, marks, joint):
    names = [f"{stem}{joint}{mark}" for mark in marks]
    assert pair_of_columns(["x", *names, "weight"]) == (1, 2)


@given(
    names=st.lists(st.text(max_size=12), min_size=2, max_size=8),
    pair=st.sampled_from([("source", "target"), ("protein1", "protein2"), ("x_a", "x_b")]),
)
def test_random_headers_give_a_pair_in_order_or_none(names, pair):
    found = pair_of_columns(names)
    assert found is None or 0 <= found[0] < found[1] < len(names)
    assert pair_of_columns([*names, *pair]) is not None


@given(st.text(max_size=20))
def test_a_plain_name_has_neither_case_nor_punctuation(name):
    word = plain(name)
    assert plain(word) == word
    assert all(letter.isalnum() for letter in word)


def test_spaces_around_a_name_and_capitals_do_not_matter():
    assert pair_of_columns([" Gene A ", "gene a b", "GENE B"]) == (0, 2)
    assert pair_of_columns(["x", " Odd.A", "odd.b "]) == (1, 2)


def test_partners_are_known_in_either_order():
    known = _both_ways([("tf", "gene"), ("tf", "target")])
    assert known == {"tf": ["gene", "target"], "gene": ["tf"], "target": ["tf"]}


def table(text):
    """Return rows written a,b;c,d."""
    return [row.split(",") for row in text.split(";")]


def header(text, comment="", asked=(), wanted=None):
    return find_header(table(text), comment.split(","), asked, wanted)


# rows, columns of the ends, whether the names tell them, whether it is beyond doubt
HEADERS = [
    # words that belong together, and usual words that do not tell the ends
    ("source,target;MYC,MAX", (0, 1), True, False),
    ("id,source,target;x,MYC,MAX", (1, 2), True, False),
    ("Gene,Symbol;MYC,MAX", (0, 1), False, False),
    ("Gene,Symbol,remark;MYC,MAX,x", (0, 1), False, False),
    ("source,target", (0, 1), True, False),  # no row below
    ("u,v;a,b", (0, 1), True, False),  # one letter is all of a name
    ("source,target,;MYC,MAX,", (0, 1), True, False),  # nothing is no cell that returns
    ("source,kind,target;MYC,x;MAX,x,TP53", (0, 2), True, False),  # a row without the end
    # a header several times
    ("source,target;MYC,MAX;source,target;MAX,TP53", (0, 1), True, False),
    # an index without a name, in front
    (",eins,zwei;1,MYC,MAX", (1, 2), False, True),
    (",eins,zwei,drei;1,MYC,MAX,x", (1, 2), False, True),
    (",source,kind,target;1,MYC,x,MAX", (1, 3), True, True),
    # words above numbers
    ("eins,zwei,drei;MYC,MAX,1;MAX,TP53,2", (0, 1), False, True),
    ("eins,zwei,drei;MYC,MAX,1;MAX,TP53,-2.5e-3", (0, 1), False, True),
    ("eins,zwei;1,2;2,3", (0, 1), False, True),
    ("source,target,score;MYC,MAX,1;MAX,TP53,2", (0, 1), True, True),
    # rows that have a name in front, as R writes them
    ("source,target;1,MYC,MAX;2,MAX,TP53", (1, 2), True, True),
    ("source,target;r1,MYC,MAX;r2,MYC,TP53", (1, 2), True, False),  # a name in two rows
    ("source,target;1,MYC,MAX;2,TP53,MAX", (1, 2), True, True),
    ("source,target;r1,MYC,MAX;r2,TP53,", (1, 2), True, False),  # one row ends early
    ("Gene,Symbol;1,MYC,MAX;2,MAX,TP53", (1, 2), False, True),
    # rows that are wider for another reason
    ("source,target;1,MYC,MAX,x;2,MAX,TP53,y", (0, 1), True, True),
    ("source,target;MYC,MAX,x;MYC,TP53,y", (0, 1), True, False),  # in front is no name of a row
    ("source,target;MYC,MAX;MAX,TP53,y", (0, 1), True, False),
    ("source,target;MYC,MAX,;MAX,TP53,", (0, 1), True, False),  # a separator at the end
]


@pytest.mark.parametrize(("text", "ends", "told", "sure"), HEADERS)
def test_a_first_row_of_column_names_is_a_header(text, ends, told, sure):
    found = header(text)
    assert (found.ends, found.told, found.sure, found.is_row) == (ends, told, sure, True)


def test_a_first_row_with_all_columns_asked_for_is_a_header():
    assert header("eins,zwei;MYC,MAX", asked=("eins", "zwei")).sure
    assert header("eins,zwei,drei;MYC,MAX,x", asked=("drei", "eins")).sure
    assert header("eins,zwei;MYC,MAX", asked=("eins", "drei")) is None


def ends(text):
    """Return the ends of rows written a,b,c;d,e,f."""
    return ends_by_content([row.split(",") for row in text.split(";")])


def related(words, nodes):
    """Return rows along a ring of nodes, with these words between them."""
    names = [f"n{at % nodes}" for at in range(len(words) + 1)]
    return [[a, word, b] for a, word, b in zip(names, words, names[1:], strict=False)]


def numbered(last):
    """Return rows with their number in front, and these words behind."""
    return [[str(at), f"n{at}", word] for at, word in enumerate(last)]


@pytest.mark.parametrize(
    "text",
    [
        "0.5,MYC,MAX;0.25,MAX,TP53",
        "1,MYC,MAX;0.5,MAX,TP53",  # one fraction is enough
        "0.5,MYC,MAX;1,MAX,TP53",
        "-0.5,MYC,MAX",
        "5e-1,MYC,MAX;2e0,MAX,TP53",
        "0.5,1,2;0.25,2,3",  # whole numbers may be nodes
    ],
)
def test_scores_in_front_leave_the_ends_to_the_next_two_columns(text):
    found = ends(text)
    assert (found.columns, found.aside) == ((1, 2), None)
    assert found.note.startswith("column 1 holds scores, so nodes are read from columns 2 and 3;")


@pytest.mark.parametrize(
    "text",
    [
        "0,MYC,MAX;1,MAX,TP53",
        "1,MYC,MAX;2,MAX,TP53",
        "0,MYC,MAX;1,MAX,TP53;2,TP53,MYC",
        "1,MYC,pp;2,MAX,pp",  # too few rows to call pp one word for all
        "1,pp,MAX;2,pp,TP53",
    ],
)
def test_row_numbers_in_front_leave_the_ends_to_the_next_two_columns(text):
    found = ends(text)
    assert (found.columns, found.aside) == ((1, 2), 0)
    assert found.note.startswith("column 1 numbers the rows, so nodes are read from")


def test_one_word_for_all_of_ten_numbered_rows_is_no_end():
    assert ends_by_content(numbered(["gene"] * 9)).columns == (1, 2)
    assert ends_by_content(numbered(["gene"] * 10)) == Ends()
    assert ends_by_content(numbered(["gene"] * 9 + ["rna"])).columns == (1, 2)


def test_the_note_lists_three_relations_in_their_order():
    note = ends("A,pp,B;B,pd,C;C,pp,D;D,->,E;E,binds,F").note
    assert "column 2 holds relations (pp, pd, ->), so nodes are read from columns 1 and 3" in note


RELATIONS = [
    # words nobody knows: at most one in five rows, and one for two targets
    (["odd"] * 5, 9, True),
    (["odd"] * 4, 9, False),
    (["odd", "even"] * 5, 99, True),
    (["odd", "even"] * 4 + ["odd"], 99, False),
    (["odd"] * 12, 3, True),
    (["odd", "even"] * 6, 4, True),
    (["odd", "even"] * 6, 3, False),
    # at most ten of them
    ([f"w{at % 10}x" for at in range(60)], 99, True),
    ([f"w{at % 11}x" for at in range(60)], 99, False),
    # never numbers
    (["7"] * 10, 99, False),
    ([""] * 10, 99, False),
]


@pytest.mark.parametrize(("words", "nodes", "is_relation"), RELATIONS)
def test_few_words_between_nodes_that_come_back_are_relations(words, nodes, is_relation):
    found = ends_by_content(related(words, nodes))
    assert found.columns == ((0, 2) if is_relation else (0, 1))


def test_few_words_are_no_relations_where_no_node_comes_back():
    assert ends_by_content([[f"a{at}", "odd", f"b{at}"] for at in range(10)]) == Ends()


@pytest.mark.parametrize(
    "text",
    [
        "",
        "MYC,MAX",
        "MYC,pp,MAX;MAX,TP53",  # a row of two cells
        "MYC,MAX;MAX,pp,TP53",
        "0.5,0.25,MAX;0.75,0.5,TP53",  # scores beside scores
        "0.5,MYC,0.25;0.75,MAX,0.5",
        "0.5,MYC,MAX;x,MAX,TP53",  # one is no number
        "1.0,MYC,MAX;2.0,MAX,TP53",  # no fraction
        "1,MYC,MAX",  # one row counts nothing
        "2,MYC,MAX;3,MAX,TP53",
        "1,MYC,MAX;3,MAX,TP53",
        "1,MYC,MAX;1,MAX,TP53",
        "1,7,MAX;2,8,TP53",  # a column of numbers behind the row numbers
        "1,MYC,7;2,MAX,8",
        "1,MYC,MAX;2,,TP53",  # a name missing
        "1,MYC,MAX;2,TP53,",
        "pp,pp,MAX",  # the relation is a node
        "MYC,pp,pp",
        "MYC,pp,0.5",  # a score behind it
        "MYC,pp,7",
        "1,pp,0.5",
        "1,pp,2;MYC,pp,3",  # numbers behind names
        "1,pp,2;5,pp,MAX",
        "MYC,pp,",
        "MYC,odd,MAX",
        "MYC,pp,MAX;MAX,odd,TP53",  # one of the words is no relation
    ],
)
def test_else_the_ends_are_the_first_two_columns(text):
    assert ends(text) == Ends((0, 1), None, "")


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        (["0.5"], True),
        (["0,5", "1"], True),
        (["1", "2"], False),
        (["1.0", "2.0"], False),
        (["0.5", "x"], False),
        (["0.5", ""], False),
        ([], False),
    ],
)
def test_scores_are_numbers_of_which_some_have_a_fraction(cells, expected):
    assert holds_scores(cells) is expected


def layout(text, columns=None, file="f.tsv"):
    return find_layout(sample_of(Block(1, text), file), file, columns)


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


def asked(tmp_path, text, *columns):
    return pairs(reading(tmp_path, "e.tsv", text, options=ReadOptions(columns=columns)).network)


def test_columns_of_a_comment(tmp_path):
    assert asked(tmp_path, "#p\tq\tr\na\tb\tc\n", "p", "r") == {frozenset("ac")}


def test_a_table_of_r_with_row_names_and_two_columns(tmp_path):
    """write.table leaves the name of the row names out of the header."""
    path = tmp_path / "r.txt"
    path.write_text('"from" "to"\n"1" "a" "b"\n"2" "b" "c"\n"3" "c" "d"\n')
    net = read_network(path)
    assert net.names == ("a", "b", "c", "d")
    assert net.n_edges == 3


def layout_of(text, file="f.txt", **asked):
    """Return the layout of rows written a b;c d."""
    return find_layout(sample_of(Block(1, text.replace(";", "\n") + "\n"), file), file, **asked)


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
    assert layout_of(text).score == score


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
    assert layout_of(text).describe() == said


LAYERS = "1 1 2 1;1 2 3 1;2 1 2 1"


@pytest.mark.parametrize("file", ["net.edges", "net.edges.gz"])
def test_four_numbers_per_row_of_a_file_of_edges_are_layers(file):
    found = layout_of(LAYERS, file)
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
    found = layout_of(text, file)
    assert (found.ends, found.multiplex) == ((0, 1), False)


def test_a_column_beyond_the_header_is_no_end():
    text = "eins zwei;MYC pp MAX;MYC pp TP53"
    assert layout_of(text, has_header=True).ends == (0, 1)
    assert layout_of(text.replace("zwei", "zwei drei"), has_header=True).ends == (0, 2)


def test_the_words_of_a_header_are_no_cells_of_its_columns():
    assert layout_of("nr eins zwei;1 a b;2 b c").ends == (1, 2)
    found = layout_of("# nr eins score;1 a b;2 b c", weights="nr")  # a comment is no row
    assert (found.ends, found.header_line, found.weights) == ((1, 2), None, 0)


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
        layout_of(f"# a note;{text}")
    got = f"f.txt:2: expected two columns of node names, got {width} columns with numbers from "
    assert str(told.value).startswith(f"{got}column {first} on. ")


@pytest.mark.parametrize(
    ("columns", "expected"),
    [(("1", "3"), (0, 2)), (("3", "1"), (2, 0)), (("drei", "eins"), (2, 0)), (("2", "zwei"), None)],
)
def test_columns_are_taken_by_name_or_number(columns, expected):
    text = "eins zwei drei;a b 1;b c 2"
    if expected is None:
        with pytest.raises(ParameterError, match="two different columns, got '2' twice"):
            layout_of(text, columns=columns)
    else:
        assert layout_of(text, columns=columns).ends == expected


@pytest.mark.parametrize("columns", [("1",), ("1", "2", "3"), "12"])
def test_columns_are_two(columns):
    with pytest.raises(ParameterError, match="^--columns expects two columns, got "):
        layout_of("a b c;b c d", columns=columns)


def test_a_name_that_is_a_number_is_a_name_first():
    assert layout_of("2 eins;a b;b c", columns=("2", "eins")).ends == (0, 1)


def test_weights_are_a_column_that_is_no_end():
    assert layout_of("a b 0.5;b c 0.7", weights="3").weights == 2
    with pytest.raises(ParameterError, match="column '2' of f.txt is read as names of nodes"):
        layout_of("a b 0.5;b c 0.7", weights="2")
    assert layout_of("a b 0.5;b c 0.7", weights="2", columns=("1", "3")).weights == 1


def test_the_name_of_the_weights_tells_a_header_and_a_number_does_not():
    assert layout_of("eins zwei drei;a b x;b c y", weights="drei").header_line == 1
    assert layout_of("eins zwei drei;a b x;b c y", weights="3").header_line is None
    asked = {"columns": ("1", "2"), "weights": "drei"}
    assert layout_of("eins zwei drei;a b x;b c y", **asked).header_line == 1
    assert layout_of("eins zwei 3;a b x;b c y", columns=("eins", "zwei"), weights="3").weights == 2


def header_of(text, asked=()):
    """Return the header of rows written a,b;c,d."""
    return find_header([row.split(",") for row in text.split(";")], [], asked)


def block(text):
    """Return rows written a b;c d as a block of a file."""
    return Block(1, text.replace(";", "\n") + "\n")


def test_an_index_has_no_name_and_all_other_columns_have_one():
    for first, is_index in (
        (",eins,zwei", True),
        (",eins,zwei,drei", True),
        (",eins,", False),
        (",,zwei", False),
        (",eins,,drei", False),
    ):
        found = header_of(f"{first};1,MYC,MAX;2,MAX,TP53")
        assert (found is not None) == is_index, first


def test_a_comment_is_cut_like_the_rows_below_it():
    for text, cells in (
        ("# gene one\tgene two;a\tb", ["gene one", "gene two"]),
        ("# gene one,gene two;a,b", ["gene one", "gene two"]),
        ("# one   two;a b", ["one", "two"]),
        ("# one\ttwo;a b", ["one", "two"]),
    ):
        assert sample_of(block(text), "f.txt").comment == cells, text


def test_the_word_above_the_weights_makes_no_edge_of_a_header(tmp_path):
    # A cell without a number leaves doubt about the header, and one of its words is a node far
    # below. Yet "weight" is no weight.
    rows = [f"n{k}\tn{k + 1}\t0.5\n" for k in range(250)]
    text = "".join(["source\ttarget\tweight\n", "n0\t\t?\n", *rows, "source\tn7\t0.25\n"])
    found = read_text(tmp_path, text, weights="3")
    expected = {f"n{k}-n{k + 1}" for k in range(250)} | {"source-n7"}
    assert edges(found) == links(*expected)


def test_columns_are_told_as_people_count_them():
    for ends, told in (((0, 1), "1 and 2"), ((1, 2), "2 and 3"), ((2, 0), "3 and 1")):
        assert Layout(",", ends, 3).describe().endswith(f", nodes in columns {told}")


def test_a_matrix_has_numbers_in_all_cells_of_all_rows():
    numbers = " ".join(map(str, range(1, 11)))
    words = "1 2 3 4 MYC 6 7 8 9 10"
    for text, refused in (
        (f"{numbers};{numbers}", True),
        (f"{numbers};{words}", False),
        (f"{words};{numbers}", False),
        (f"{words};{words}", False),
        ("1 2 3 4;5 6 7 8", False),  # two nodes, a weight and something else
    ):
        if refused:
            with pytest.raises(InputError, match="Is it a matrix"):
                find_layout(sample_of(block(text), "f.txt"), "f.txt")
        else:
            assert find_layout(sample_of(block(text), "f.txt"), "f.txt").ends == (0, 1), text


def test_a_block_without_rows_says_nothing_of_labels():
    first, last = (rows_of(block(text), "\t", 2, "f") for text in ("a\tb\t1", "b\tc\t0"))
    found = EdgeCollector("f")
    found.add(["a", "b"], ["b", "c"], [1, 2])
    labels = Labels(Layout("\t", (0, 1), 3), possible=True)
    for part in (first, Rows([], [], [0]), last):
        labels.take(part)
    assert labels.settle(found).startswith("gold standard")
    assert (found.ends.tolist(), found.non_edges.tolist()) == ([[0, 1]], [[1, 2]])
