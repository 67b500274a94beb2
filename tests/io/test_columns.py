"""Headers, and the two columns that name the ends of an edge."""

import itertools
import string

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.io.files import edges, links, pairs, problem, read_text, reading

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


@pytest.mark.parametrize(
    ("names", "ends"),
    [
        # partners, whatever stands before or after both
        ("source target", (0, 1)),
        ("target source", (0, 1)),
        ("Source-ID TARGET_id", (0, 1)),
        ("id_source id_target", (0, 1)),
        ("source_name target_id source_id", (1, 2)),
        ("gene_source source target gene_target", (1, 2)),  # the first pair that is whole
        ("source source target", (0, 2)),
        ("source target source target", (0, 1)),
        ("sourceid idtarget", None),
        ("source target_id", None),
        ("source id_target", None),
        # partners come before marks
        ("gene_a gene_b source target", (2, 3)),
        # marks
        ("gene_b gene_a", (0, 1)),
        ("gene1 gene2", (0, 1)),
        ("gene0 gene1", (0, 1)),
        ("gene_a_id gene_b_id", (0, 1)),
        ("gene_a_id gene_b", None),
        ("gene_a_id gene_b_name gene_b_id", (0, 2)),
        ("gene_a gene_a gene_b", (0, 2)),
        ("gene_a gene_2", None),
        ("gene_a protein_b", None),
        ("gene_id_a protein_id_b", None),
        ("odda oddb", None),  # not set off, and no word that is known
        ("odd_a odd_b", (0, 1)),
        ("odd_a even_b", None),
        # names that fit ends better come first
        ("odd_a odd_b gene1 gene2", (2, 3)),
        ("odd_a odd_b gene_a gene_b", (2, 3)),
        ("taxon_a taxon_b odd_a odd_b", (2, 3)),
        ("taxon_a taxon_b gene_a gene_b", (2, 3)),
        ("odd_a odd_b taxon_a taxon_b", (0, 1)),
        ("odd_a odd_b even_a even_b", (0, 1)),
        ("gene_a gene_b protein_a protein_b", (0, 1)),
        ("taxon_a taxon_b", (0, 1)),
        # what tells something about the ends is never one
        ("score_a score_b", None),
        ("gene_score_a gene_score_b", None),
        ("gene_type_1 gene_type_2", None),
    ],
)
def test_the_columns_of_the_ends_are_told_by_their_names(names, ends):
    assert pair_of_columns(names.split()) == ends


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


EDGES = {
    "nothing in front of one word": ",eins;MYC,MAX",
    "an index, and another column without a name": ",eins,;1,MYC,MAX",
    "two columns without a name": ",,zwei;1,MYC,MAX",
    "words nobody knows": "eins,zwei;MYC,MAX",
    "one word nobody knows": "Gene,eins;MYC,MAX",
    "the same word twice": "gene,gene;MYC,MAX",
    "one row below is too few": "eins,zwei,drei;MYC,MAX,1",
    "the same row again, and no other": "source,target;source,target",
    "a number above numbers": "eins,zwei,7;MYC,MAX,1;MAX,TP53,2",
    "one number in a column": "eins,zwei,drei;MYC,MAX,1;MAX,TP53,x",
    "a number missing from a column": "eins,zwei,drei;MYC,MAX,1;MAX,TP53",
    "a missing value above numbers": "eins,zwei,NA;MYC,MAX,1;MAX,TP53,2",
    "a number among column names": "gene_a,gene_b,7;MYC,MAX,8",
    "a further cell comes back": "source,target,pp;MYC,MAX,pp",
    "the first name comes back": "Gene,Symbol;MYC,Gene",
    "the second name comes back": "Gene,Symbol;Symbol,MAX",
    "a name of the ends comes back": "kind,source,target;x,MYC,source",
    "a kind of name comes back": "node1,node2;node7,MYC",
    "a kind comes back in the first row below alone": "node1,node2;node7,x;MYC,MAX",
    "a kind told by a capital comes back": "geneA,geneB;geneX,MYC",
    "a kind told by a letter comes back": "gene_a,gene_b;gene_x,MYC",
}


@pytest.mark.parametrize("text", EDGES.values(), ids=EDGES)
def test_a_first_row_that_may_be_an_edge_is_no_header(text):
    assert header(text) is None


def test_a_first_row_with_all_columns_asked_for_is_a_header():
    assert header("eins,zwei;MYC,MAX", asked=("eins", "zwei")).sure
    assert header("eins,zwei,drei;MYC,MAX,x", asked=("drei", "eins")).sure
    assert header("eins,zwei;MYC,MAX", asked=("eins", "drei")) is None


def test_a_comment_of_column_names_is_a_header_that_is_no_row():
    found = header("1,MYC,MAX;2,MAX,TP53", "nr,source,target")
    assert found.names == ["nr", "source", "target"]
    assert (found.ends, found.told, found.is_row, found.sure) == ((1, 2), True, False, False)


def test_a_header_in_the_first_row_comes_before_the_comment():
    assert header("source,target;MYC,MAX", "from,to").names == ["source", "target"]


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


@pytest.mark.parametrize(
    "text",
    [
        "MYC,pp,MAX",
        "MYC,pp,MAX;MAX,->,TP53",
        "1,pp,2;5,pp,3",  # numbers of nodes at both ends
        "7,pp,MAX",
    ],
)
def test_a_known_relation_leaves_the_ends_to_the_columns_beside_it(text):
    found = ends(text)
    assert (found.columns, found.aside) == ((0, 2), 1)
    assert found.note.startswith("column 2 holds relations (")


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


def asked(tmp_path, text, *columns):
    return pairs(reading(tmp_path, "e.tsv", text, options=ReadOptions(columns=columns)).network)


def test_columns_of_a_comment(tmp_path):
    assert asked(tmp_path, "#p\tq\tr\na\tb\tc\n", "p", "r") == {frozenset("ac")}


@pytest.mark.parametrize(
    ("columns", "expected"),
    [
        (("1", "1"), "two different columns"),
        (("1", "9"), "nothing called '9'. There are: 1 to 2"),
        (("a", "x"), "nothing called 'a'"),
        (("1",), "expects two columns"),
        ("12", "expects two columns"),
    ],
)
def test_columns_that_are_not_there(tmp_path, columns, expected):
    with pytest.raises(ParameterError) as caught:
        reading(tmp_path, "e.tsv", "a\tb\nb\tc\n", options=ReadOptions(columns=columns))
    assert expected in str(caught.value)
    assert str(caught.value).removeprefix("--").startswith("columns")


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


@pytest.mark.parametrize("name", ["", "a\x1bb", "x" * 100])
def test_a_column_whose_name_cannot_be_shown_is_told_by_its_number(name):
    found = Layout("\t", (0, 1), 2, [name, "target"])
    assert found.describe() == "tab-separated edge list, nodes in the columns 1 and target"


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
    assert layout_of(text).header == []


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


def ring(n, name=""):
    """Return the rows of a ring of n nodes, called 1, 2 … behind a common name."""
    return "".join(f"{name}{k}\t{name}{k % n + 1}\n" for k in range(1, n + 1))


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


def test_layers_are_four_numbers_in_every_row():
    for text, layered in (
        ("1 2 3 1;1 3 4 1", True),
        ("1 2 3 1;1 3 4", False),
        ("1 a b 1;1 b c 1", False),
        ("1 2 3 1;1 b c 1", False),
        ("1 2 3 1;2 3 4 strong", False),
    ):
        assert find_layout(sample_of(block(text), "f.txt"), "f.edges").multiplex == layered, text


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


def test_a_first_row_counts_nodes_and_edges_if_there_are_so_many(tmp_path):
    rows = ring(12)
    with pytest.raises(InputError, match="'12 12' looks like numbers of nodes and edges"):
        read_text(tmp_path, f"12\t12\n{rows}")
    # Twelve rows follow, but between more than three nodes: 3 and 12 are joined.
    found = read_text(tmp_path, f"3\t12\n{rows}")
    assert frozenset(("3", "12")) in edges(found)
    assert found.network.n_edges == 13


def test_a_block_without_rows_says_nothing_of_labels():
    first, last = (rows_of(block(text), "\t", 2, "f") for text in ("a\tb\t1", "b\tc\t0"))
    found = EdgeCollector("f")
    found.add(["a", "b"], ["b", "c"], [1, 2])
    labels = Labels(Layout("\t", (0, 1), 3), possible=True)
    for part in (first, Rows([], [], [0]), last):
        labels.take(part)
    assert labels.settle(found).startswith("gold standard")
    assert (found.ends.tolist(), found.non_edges.tolist()) == ([[0, 1]], [[1, 2]])
