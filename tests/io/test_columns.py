"""Headers, and the two columns that name the ends of an edge: tables of rows and what is read."""

import itertools
import string

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.io.files import edges, read_text, weights_of

from linkprior.errors import InputError, ParameterError
from linkprior.io.readers.columns import pair_of_columns


@pytest.mark.parametrize(
    ("names", "ends"),
    [
        # partners, whatever stands before or after both
        ("source target", (0, 1)),
        ("target source", (0, 1)),
        ("Source-ID TARGET_id", (0, 1)),
        ("score id_source id_target", (1, 2)),
        ("score node_from node_to", (1, 2)),
        ("score symbol_tf symbol_target", (1, 2)),
        ("source_name target_id source_id", (1, 2)),
        ("gene_source source target gene_target", (1, 2)),  # the first pair that is whole
        ("source source target", (0, 2)),
        ("source target source target", (0, 1)),
        ("sourceid idtarget", None),
        ("source target_id", None),
        ("source id_target", None),
        ("score from_node node_to", None),
        ("regulator tf gene", (0, 2)),
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
        ("x Odd.A odd.b", (1, 2)),
        ("odd_a even_b", None),
        # names that fit ends better come first
        ("odd_a odd_b gene1 gene2", (2, 3)),
        ("odd_a odd_b gene_a gene_b", (2, 3)),
        ("node1 node2 odd_a odd_b", (0, 1)),
        ("taxon_a taxon_b odd_a odd_b", (2, 3)),
        ("taxon_a taxon_b gene_a gene_b", (2, 3)),
        ("odd_a odd_b taxon_a taxon_b", (0, 1)),
        ("odd_a odd_b even_a even_b", (0, 1)),
        ("gene_a gene_b protein_a protein_b", (0, 1)),
        ("species_a species_b remark source", (0, 1)),
        # what tells something about the ends is never one
        ("score_a score_b", None),
        ("gene_score_a gene_score_b", None),
        ("gene_type_1 gene_type_2", None),
    ],
)
def test_the_columns_of_the_ends_are_recognised_by_their_names(names, ends):
    assert pair_of_columns(names.split()) == ends


def test_a_pair_in_either_order_and_among_others():
    for pair in (("source", "target"), ("gene_a", "gene_b"), ("node1", "node2"), ("id_1", "id_2")):
        for names in itertools.permutations(["weight", "year", "pmid", *pair]):
            assert pair_of_columns(names) == tuple(sorted(names.index(word) for word in pair))
    assert pair_of_columns([" Gene A ", "gene a b", "GENE B"]) == (0, 2)


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


# ---------------------------------------------------------------------- headers


def read_rows(folder, rows, name="e.csv", **options):
    """Read rows written a,b;c,d."""
    return read_text(folder, rows.replace(";", "\n") + "\n", name, "edgelist", **options)


def has_header(found):
    """Tell whether a line was neither read as an edge, left out nor passed over."""
    report = found.report
    left_out = sum(entry["count"] for entry in report.dropped)
    return report.lines - report.passed_over - report.rows - left_out == 1


def pairs_at(rows, ends, header=0):
    """Return the pairs that stand in two columns of rows written a,b;c,d."""
    first, *others = (row.split(",") for row in rows.split(";"))
    ours = [row for row in others if row != first] if header else [first, *others]
    a, b = ends
    joined = [(row[a], row[b]) for row in ours if len(row) > max(ends)]
    return {frozenset(pair) for pair in joined if "" not in pair and len(set(pair)) == 2}


@pytest.mark.parametrize(
    ("rows", "ends"),
    [
        # words that belong together, and usual words that do not tell the ends
        ("source,target;MYC,MAX", (0, 1)),
        ("id,source,target;x,MYC,MAX", (1, 2)),
        ("Gene,Symbol;MYC,MAX", (0, 1)),
        ("Gene,Symbol,remark;MYC,MAX,x", (0, 1)),
        ("gene_a,gene_b;MYC,MAX;TP53,MDM2", (0, 1)),
        ('"from","to";MYC,MAX', (0, 1)),
        ("regulator,target gene;MYC,MAX", (0, 1)),
        ("u,v;a,b", (0, 1)),  # one letter is all of a name
        ("source,target,;MYC,MAX,", (0, 1)),  # nothing is no cell that returns
        ("source,kind,target;MYC,x,TP53;MAX,x,TP53", (0, 2)),
        # a header several times
        ("source,target;MYC,MAX;source,target;MAX,TP53", (0, 1)),
        # an index without a name, in front
        (",eins,zwei;1,MYC,MAX;2,MAX,TP53", (1, 2)),
        (",eins,zwei,drei;1,MYC,MAX,x", (1, 2)),
        (",source,kind,target;1,MYC,x,MAX", (1, 3)),
        # words above numbers
        ("eins,zwei,drei;MYC,MAX,1;MAX,TP53,2", (0, 1)),
        ("eins,zwei,drei;MYC,MAX,1;MAX,TP53,-2.5e-3", (0, 1)),
        ("eins,zwei;1,2;2,3", (0, 1)),
        ("source,target,score;MYC,MAX,1;MAX,TP53,2", (0, 1)),
        # rows that have a name in front, as R writes them
        ("source,target;1,MYC,MAX;2,MAX,TP53", (1, 2)),
        ("source,target;r1,MYC,MAX;r2,MYC,TP53", (1, 2)),
        ("Gene,Symbol;1,MYC,MAX;2,MAX,TP53", (1, 2)),
        ("V1,V2,V3;1,a,b,0.5;2,b,c,0.25", (1, 2)),
        ("source,target;r1,MYC,MAX;r2,TP53,", (1, 2)),  # one row ends early
        # rows that are wider for another reason
        ("source,target;1,MYC,MAX,x;2,MAX,TP53,y", (0, 1)),
        ("source,target;MYC,MAX,x;MYC,TP53,y", (0, 1)),  # in front is no name of a row
        ("source,target;MYC,MAX;MAX,TP53,y", (0, 1)),
        ("source,target;MYC,MAX,;MAX,TP53,", (0, 1)),  # a separator at the end
        # below a header nobody knows, the cells tell
        ("nr,eins,zwei;1,a,b;2,b,c", (1, 2)),
    ],
)
def test_a_first_row_of_column_names_is_a_header(tmp_path, rows, ends):
    found = read_rows(tmp_path, rows)
    assert has_header(found)
    assert edges(found) == pairs_at(rows, ends, header=1)


@pytest.mark.parametrize(
    "rows",
    [
        ",eins;MYC,MAX",  # nothing in front of one word
        ",eins,;1,MYC,MAX",  # an index, and another column without a name
        ",,zwei;1,MYC,MAX",
        ",eins,,drei;1,MYC,MAX,x",
        "eins,zwei;MYC,MAX",  # words nobody knows
        "Gene,eins;MYC,MAX",
        "source,MYC;a,b",
        "gene,gene;MYC,MAX",  # the same word twice
        "eins,zwei,drei;MYC,MAX,1",  # one row below is too few
        "source,target;source,target",  # the same row again, and no other
        "eins,zwei,7;MYC,MAX,1;MAX,TP53,2",  # a number above numbers
        "eins,zwei,drei;MYC,MAX,1;MAX,TP53,x",  # one number in a column
        "eins,zwei,drei;MYC,MAX,1;MAX,TP53",  # a number missing from a column
        "eins,zwei,NA;MYC,MAX,1;MAX,TP53,2",  # a missing value above numbers
        "gene_a,gene_b,7;MYC,MAX,8",  # a number among column names
        "source,target,pp;MYC,MAX,pp",  # a further cell comes back
        "Gene,Symbol;MYC,Gene",  # a name comes back in another column
        "Gene,Symbol;Symbol,MAX",
        "node1,node2;node7,MYC",  # a kind of name comes back
        "node1,node2;node7,x;MYC,MAX",
        "geneA,geneB;geneX,MYC",  # a kind told by a capital
        "gene_a,gene_b;gene_x,MYC",  # a kind told by a letter
        "TP53,7157;1,2;3,4",
    ],
)
def test_a_first_row_that_may_be_an_edge_is_no_header(tmp_path, rows):
    found = read_rows(tmp_path, rows)
    assert not has_header(found)
    assert edges(found) == pairs_at(rows, (0, 1))


@pytest.mark.parametrize(
    ("rows", "ends"),
    [
        ("# node_a,node_b,kind;1,2,x;2,3,y", (0, 1)),
        ("#kind,node_a,node_b;x,1,2;y,2,3", (1, 2)),
        ("% made today;% id,source,target;;1,a,b;2,b,c", (1, 2)),
        ("# source,target,weight;a,b;b,c", (0, 1)),  # does not fit
        ("# Nodes: 9877;1,2;2,3", (0, 1)),
    ],
)
def test_a_comment_of_column_names_is_a_header_that_is_no_row(tmp_path, rows, ends):
    found = read_rows(tmp_path, rows)
    body = ";".join(row for row in rows.split(";") if row and row[0] not in "#%")
    assert edges(found) == pairs_at(body, ends)
    assert not has_header(found)


def test_a_header_in_the_first_row_comes_before_the_comment(tmp_path):
    assert edges(read_rows(tmp_path, "# id,source,x;x,source,target;1,a,b")) == {frozenset("ab")}


@pytest.mark.parametrize("separator", ["\t", ",", " "])
def test_a_comment_is_cut_like_the_rows_below_it(tmp_path, separator):
    names, rows = ("# one", "two", "three"), (("a", "b", "c"), ("b", "c", "d"))
    text = "\n".join(separator.join(row) for row in (names, *rows))
    found = read_text(tmp_path, text, columns=("one", "three"))
    assert edges(found) == {frozenset("ac"), frozenset("bd")}


@pytest.mark.parametrize(
    ("rows", "asked", "header"),
    [
        ("eins,zwei;MYC,MAX", ("eins", "zwei"), 1),
        ("eins,zwei,drei;MYC,MAX,x", ("drei", "eins"), 1),
        ("eins,zwei;1,2", ("eins", "zwei"), 1),
        ("eins,zwei,2019;1,2,3;3,4,5", ("eins", "zwei"), 1),
        ("1,2;3,4", ("1", "2"), 0),  # above numbers they are nodes
        ("1,2;MYC,MAX", ("1", "2"), 1),
        ("2,eins;a,b;b,c", ("2", "eins"), 1),  # a name that is a number is a name first
        ("eins,zwei,drei;a,b,1;b,c,2", ("1", "3"), 1),
        ("eins,zwei,drei;a,b,1;b,c,2", ("3", "1"), 1),
        ("Eins,Zwei,drei;a,b,1;b,c,2", ("drei", "eins"), 1),  # capitals aside
    ],
)
def test_columns_asked_for_are_taken_by_name_or_number(tmp_path, rows, asked, header):
    first = [name.lower() for name in rows.split(";")[0].split(",")]
    ends = [first.index(name) if name in first else int(name) - 1 for name in asked]
    found = read_rows(tmp_path, rows, columns=asked)
    assert has_header(found) == bool(header)
    assert edges(found) == pairs_at(rows, ends, header)


@pytest.mark.parametrize(
    ("rows", "options", "told"),
    [
        ("a,b;b,c", {"columns": ("1", "1")}, "two different columns, got '1' twice"),
        ("eins,zwei,x;a,b,1;b,c,2", {"columns": ("2", "zwei")}, "two different columns, got '2'"),
        ("a,b;b,c", {"columns": ("1", "9")}, "nothing called '9'. There are: 1 to 2"),
        ("a,b;b,c", {"columns": ("a", "x")}, "nothing called 'a'"),
        ("source,target,x;a,b,c", {"columns": ("sourse", "x")}, "Did you mean source"),
        ("a,b,0.5;b,c,0.7", {"weights": "2"}, "column '2' of .* is read as names of nodes"),
    ],
)
def test_columns_that_are_not_there_are_refused(tmp_path, rows, options, told):
    with pytest.raises(ParameterError, match=f"^--{next(iter(options))}.*{told}"):
        read_rows(tmp_path, rows, **options)


@pytest.mark.parametrize(
    ("rows", "options", "header"),
    [
        ("eins,zwei,drei;a,b,2;b,c,1", {"weights": "drei"}, True),
        ("2,1,5;a,b,2;b,c,1", {"weights": "3"}, False),  # a number tells no header
        ("eins,zwei,drei;a,b,2;b,c,1", {"columns": ("1", "2"), "weights": "drei"}, True),
        ("eins,zwei,3;a,b,2;b,c,1", {"columns": ("eins", "zwei"), "weights": "3"}, True),
        ("eins,3,zwei;a,2,b;b,1,c", {"columns": ("1", "3"), "weights": "2"}, None),
        ("# who,whom,strength;a,b,2;b,c,1", {"weights": "strength"}, False),
    ],
)
def test_the_name_of_the_weights_tells_a_header_and_a_number_does_not(
    tmp_path, rows, options, header
):
    found = read_rows(tmp_path, rows, **options)
    expected = {"a-b": 1.0, "b-c": 0.5}
    if header is None or rows[0] == "2":
        assert not has_header(found)
    else:
        assert weights_of(found.network) == expected
        assert has_header(found) == header


LATE = [f"n{k},n{k + 1},x" for k in range(250)]


@pytest.mark.parametrize("last", ["n3,source,x", "target,n3,x", "source,target2,x"])
def test_a_header_with_a_word_that_is_a_node_further_down_is_an_edge(tmp_path, last):
    found = read_rows(tmp_path, ";".join(["source,target,y", *LATE, last]))
    assert not has_header(found)
    assert {"source", "target"} <= set(found.network.names)
    assert "line 1 looks like a header, but source or target is a node" in found.report.notes[0]


def test_a_header_beyond_doubt_stays_one(tmp_path):
    rows = [row.replace("x", "0.5") for row in LATE]
    found = read_rows(tmp_path, ";".join(["source,target,y", *rows, "n3,source,0.5"]))
    assert has_header(found)
    # The word above the weights is none, so that no edge can be made of that line.
    rows = ["source,target,weight", "n0,,?", *rows, "source,n7,0.25"]
    found = read_rows(tmp_path, ";".join(rows), weights="3")
    assert has_header(found)
    assert found.network.n_edges == 251


# ---------------------------------------------------------------------- ends by their cells


def relations(words, nodes):
    """Return rows along a ring of nodes, with these words between them."""
    names = [f"n{at % nodes}" for at in range(len(words) + 1)]
    return ";".join(f"{a},{word},{b}" for a, word, b in zip(names, words, names[1:], strict=False))


def numbered(words):
    """Return rows with their number in front, and these words behind."""
    return ";".join(f"{at},n{at},{word}" for at, word in enumerate(words))


SCORES, NUMBERS = "column 1 holds scores", "column 1 numbers the rows"


@pytest.mark.parametrize(
    ("rows", "ends", "note"),
    [
        ("0.5,MYC,MAX;0.25,MAX,TP53", (1, 2), SCORES),
        ("1,MYC,MAX;0.5,MAX,TP53", (1, 2), SCORES),  # one fraction is enough
        ("0.5,MYC,MAX;1,MAX,TP53", (1, 2), SCORES),
        ("-0.5,MYC,MAX", (1, 2), SCORES),
        ("5e-1,MYC,MAX;2e0,MAX,TP53", (1, 2), SCORES),
        ("0.5,1,2;0.25,2,3", (1, 2), SCORES),  # whole numbers may be nodes
        ("0.5,a,b;1,b,c;2,c,d", (1, 2), SCORES),
        ("0,MYC,MAX;1,MAX,TP53", (1, 2), NUMBERS),
        ("1,MYC,MAX;2,MAX,TP53", (1, 2), NUMBERS),
        ("0,MYC,MAX;1,MAX,TP53;2,TP53,MYC", (1, 2), NUMBERS),
        ("1,MYC,pp;2,MAX,pp", (1, 2), NUMBERS),  # too few rows to call pp one word for all
        ("1,pp,MAX;2,pp,TP53", (1, 2), NUMBERS),
        (numbered(["gene"] * 9), (1, 2), NUMBERS),
        (numbered(["gene"] * 10), (0, 1), ""),  # one word for all rows is no end
        (numbered(["gene"] * 9 + ["rna"]), (1, 2), NUMBERS),
        # a known relation leaves the ends to the columns beside it
        ("MYC,pp,MAX", (0, 2), "column 2 holds relations (pp), so nodes are read from columns 1"),
        ("MYC,pp,MAX;MAX,->,TP53", (0, 2), "column 2 holds relations (pp, ->)"),
        ("1,pp,2;5,pp,3", (0, 2), "column 2 holds relations (pp)"),
        ("7,pp,MAX", (0, 2), "column 2 holds relations (pp)"),
        ("A,pp,B;B,pd,C;C,pp,D;D,->,E;E,binds,F", (0, 2), "holds relations (pp, pd, ->), so"),
        *((f"A,{word},B,0.5;B,{word},C,0.25", (0, 2), f"relations ({word})") for word in (
            "-|", "phosphorylates", "is_part_of", "inhibition", "Interacts-With")),
        # words nobody knows: at most one in five rows, and one for two targets
        (relations(["odd"] * 5, 9), (0, 2), "column 2 holds relations (odd)"),
        (relations(["odd"] * 4, 9), (0, 1), ""),
        (relations(["odd", "even"] * 5, 99), (0, 2), "(odd, even)"),
        (relations(["odd", "even"] * 4 + ["odd"], 99), (0, 1), ""),
        (relations(["odd"] * 12, 3), (0, 2), "(odd)"),
        (relations(["odd", "even"] * 6, 4), (0, 2), "(odd, even)"),
        (relations(["odd", "even"] * 6, 3), (0, 1), ""),
        # at most ten of them
        (relations([f"w{at % 10}x" for at in range(60)], 99), (0, 2), "(w0x, w1x, w2x)"),
        (relations([f"w{at % 11}x" for at in range(60)], 99), (0, 1), ""),
        (relations(["7"] * 10, 99), (0, 1), ""),  # never numbers
        (";".join(f"a{at},odd,b{at}" for at in range(10)), (0, 1), ""),  # no node comes back
        (";".join(f"gene{n},pp,{n}.5" for n in range(1, 13)), (0, 1), ""),  # scores follow a hub
        # else the ends are the first two columns
        ("MYC,pp,MAX;MAX,TP53", (0, 1), ""),
        ("MYC,MAX;MAX,pp,TP53", (0, 1), ""),
        ("0.5,0.25,MAX;0.75,0.5,TP53", (0, 1), ""),
        ("0.5,MYC,0.25;0.75,MAX,0.5", (0, 1), ""),
        ("0.5,MYC,MAX;x,MAX,TP53", (0, 1), ""),
        ("1.0,MYC,MAX;2.0,MAX,TP53", (0, 1), ""),  # no fraction
        ("1,MYC,MAX", (0, 1), ""),  # one row counts nothing
        ("2,MYC,MAX;3,MAX,TP53", (0, 1), ""),
        ("1,MYC,MAX;3,MAX,TP53", (0, 1), ""),
        ("1,MYC,MAX;1,MAX,TP53", (0, 1), ""),
        ("1,7,MAX;2,8,TP53", (0, 1), ""),  # numbers behind the row numbers
        ("1,MYC,7;2,MAX,8", (0, 1), ""),
        ("1,MYC,MAX;2,,TP53", (0, 1), ""),
        ("1,MYC,MAX;2,TP53,", (0, 1), ""),
        ("pp,pp,MAX;a,pp,b", (0, 1), ""),  # the relation is a node
        ("MYC,pp,pp", (0, 1), ""),
        ("MYC,pp,0.5", (0, 1), ""),
        ("MYC,pp,7", (0, 1), ""),
        ("1,pp,0.5", (0, 1), ""),
        ("1,pp,2;MYC,pp,3", (0, 1), ""),  # numbers behind names
        ("1,pp,2;5,pp,MAX", (0, 1), ""),
        ("MYC,odd,MAX", (0, 1), ""),
        ("MYC,pp,MAX;MAX,odd,TP53", (0, 1), ""),  # one of the words is no relation
    ],
)  # fmt: skip
def test_without_a_header_the_cells_tell_the_ends(tmp_path, rows, ends, note):
    found = read_rows(tmp_path, rows)
    assert edges(found) == pairs_at(rows, ends)
    told = "\n".join(found.report.notes)
    assert note in told
    assert ("so nodes are read from columns" in told) == bool(note)


def test_a_column_beyond_the_header_is_no_end(tmp_path):
    rows = "eins,zwei;MYC,pp,MAX;MYC,pp,TP53"
    assert edges(read_rows(tmp_path, rows, header=True)) == pairs_at(rows, (0, 1), 1)
    rows = rows.replace("zwei", "zwei,drei")
    assert edges(read_rows(tmp_path, rows, header=True)) == pairs_at(rows, (0, 2), 1)
    wider = "source,target;a,b;c,d,seen twice;e,f"
    assert edges(read_rows(tmp_path, wider)) == pairs_at(wider, (0, 1), 1)


LAYERS = "1,1,2,1;1,2,3,1;2,1,2,1"


@pytest.mark.parametrize(
    ("rows", "name", "ends"),
    [
        (LAYERS, "net.edges", (1, 2)),
        (LAYERS, "net.edges.gz", (1, 2)),  # the name is enough
        (LAYERS, "net.txt", (0, 1)),
        ("1,1,2;1,2,3;2,1,2", "net.edges", (0, 1)),
        ("1,1,2,1,1;1,2,3,1,1", "net.edges", (0, 1)),
        ("1,1,2,1;1,2,3,1,1", "net.edges", (0, 1)),  # one row is wider
        ("1,1,2,1;1,b,3,1", "net.edges", (0, 1)),  # one cell is a name
        ("1,2,3,1;2,3,4,strong", "net.edges", (0, 1)),
    ],
)
def test_four_numbers_per_row_of_a_file_of_edges_are_layers(tmp_path, rows, name, ends):
    found = read_rows(tmp_path, rows, name)
    assert edges(found) == pairs_at(rows, ends)
    assert ("multiplex" in found.report.guess) == (ends == (1, 2))
    chosen = read_rows(tmp_path, rows, name, columns=("1", "2"))
    assert edges(chosen) == pairs_at(rows, (0, 1))


TEN = ",".join(map(str, range(1, 11)))


@pytest.mark.parametrize(
    ("rows", "width", "first"),
    [
        (TEN, 10, 1),
        (f"{TEN};{TEN}", 10, 1),
        ("a,1,2,3;b,4,5,6;c,7,8,9", 4, 2),
        ("gene,s1,s2,s3;a,1.5,2,3;b,4,5,6;c,7,8,9", 4, 2),
        (",A,B,C;A,0,1,0;B,1,0,0;C,0,0,0", 4, 2),
        ("a,1;b,0.5;c,3", 2, 2),
        ("gene,odd;a,1;b,0.5;c,3", 2, 2),
        ("a,0.5,1;b,1,2;c,3,4", 3, 2),
        ("0.5,a;1,b;2,c", 2, 1),
    ],
)
def test_what_would_name_nodes_by_measured_numbers_is_refused(tmp_path, rows, width, first):
    told = rf"e\.csv:2: expected two columns of node names, got {width} columns with numbers from "
    with pytest.raises(InputError, match=f"{told}column {first} on. .*--columns 1,2"):
        read_rows(tmp_path, f"# a note;{rows}")


@pytest.mark.parametrize(
    "rows",
    [
        f"a,{TEN}",  # a name among numbers, in one row
        f"{TEN};1,2",  # one row is wide
        f"{TEN};{TEN.replace('5', 'MYC')}",
        "1,2,3,4;5,6,7,8",
        "a,1,2,3;b,4,5,6",  # two rows are too few
        "a,0.5;b,1.5",
        "0.5,a;1,b",
        "a,1,2;b,4,5;c,7,8",  # edges with a weight
        "a,1,0.5;b,4,0.7;c,7,0.8",
        "a,1;b,4;c,7",
        "a,0.5;b,1;7,3",  # a number in front
        "a,0.5;b,x;c,3",  # a name behind
        "a,0.5,x;b,1,y;c,3,z",
    ],
)
def test_what_may_be_edges_is_read(tmp_path, rows):
    assert edges(read_rows(tmp_path, rows)) == pairs_at(rows, (0, 1))


@pytest.mark.parametrize(
    ("rows", "score", "said"),
    [
        ("a,b;b,c", None, "comma-separated edge list without header"),
        ("a,b;b,c,x", None, "comma-separated edge list without header"),
        ("a,b,5;b,c,7", 3, "comma-separated edge list without header, nodes in columns 1 and 2"),
        ("a,b,5,6;b,c,7,1", 3, "without header, nodes in columns 1 and 2"),
        ("0.5,a,b;7,b,c", 1, "without header, nodes in columns 2 and 3"),
        ("a,pp,b,5;b,pp,c,7", 4, "without header, nodes in columns 1 and 3"),
        ("a,pp,b;b,pp,c", None, "without header, nodes in columns 1 and 3"),
        ("1,a,b,5;2,b,c,7", 4, "without header, nodes in columns 2 and 3"),
        ("source,target,weight;a,b,1;b,c,2", 3, "comma-separated edge list, nodes in the columns"),
        ("source,target,year,Combined_Score;a,b,1,2;b,c,2,3", 4, "columns source and target"),
        ("source,target,score,weight;a,b,1,2;b,c,2,3", 3, "columns source and target"),
        ("score,source,target;1,a,b;2,b,c", 1, "columns source and target"),
        ("source,target,year;a,b,1;b,c,2", None, "columns source and target"),
        ("value,strength,odd;a,b,1;b,c,2", None, "columns value and strength"),
        (f"{'x' * 100},zwei,odd;a,b,1;b,c,2", None, "nodes in the columns 1 and zwei"),
        (",zwei,drei,odd;x,b,c,1;y,c,d,2", None, "nodes in the columns zwei and drei"),
    ],
)  # fmt: skip
def test_the_report_says_where_the_nodes_are_and_the_least_score_where_scores_are(
    tmp_path, rows, score, said
):
    assert said in read_rows(tmp_path, rows).report.guess
    if score is None:
        with pytest.raises(ParameterError, match="--min-score: .* has no column of scores"):
            read_rows(tmp_path, rows, min_score=0)
    else:
        notes = "\n".join(read_rows(tmp_path, rows, min_score=0).report.notes)
        assert f"--min-score 0 goes by column {score}" in notes
