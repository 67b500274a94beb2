"""When a first row is a header, and when it only nearly is: rows at both sides of each rule."""

import pytest
from tests.io.databases import edges, pairs, reading

from linkprior.io.readers.columns import find_header


def table(text):
    """Return rows written a,b;c,d."""
    return [row.split(",") for row in text.split(";")]


def header(text, comment="", asked=(), wanted=None):
    return find_header(table(text), comment.split(","), asked, wanted)


# ---------------------------------------------------------------------- the first row is one

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


def test_the_column_of_row_names_gets_an_empty_name():
    found = header("source,target;1,MYC,MAX;2,MAX,TP53")
    assert found.names == ["", "source", "target"]


# ---------------------------------------------------------------------- it is none

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


# ---------------------------------------------------------------------- what the user says


def test_the_user_decides_whether_there_is_a_header():
    assert header("source,target;MYC,MAX", wanted=False) is None
    assert header("source,target;MYC,MAX", "u,v", wanted=False) is None
    found = header("eins,zwei;MYC,MAX", wanted=True)
    assert (found.names, found.ends, found.told, found.sure) == (
        ["eins", "zwei"],
        (0, 1),
        False,
        True,
    )


def test_a_first_row_with_all_columns_asked_for_is_a_header():
    assert header("eins,zwei;MYC,MAX", asked=("eins", "zwei")).sure
    assert header("eins,zwei,drei;MYC,MAX,x", asked=("drei", "eins")).sure
    assert header("eins,zwei;MYC,MAX", asked=("eins", "drei")) is None


# ---------------------------------------------------------------------- the comment above


def test_a_comment_of_column_names_is_a_header_that_is_no_row():
    found = header("1,MYC,MAX;2,MAX,TP53", "nr,source,target")
    assert found.names == ["nr", "source", "target"]
    assert (found.ends, found.told, found.is_row, found.sure) == ((1, 2), True, False, False)


def test_a_comment_with_the_columns_asked_for_is_a_header():
    found = header("MYC,MAX,x;MAX,TP53,y", "eins,zwei,drei", asked=("drei",))
    assert (found.ends, found.told, found.is_row) == ((0, 1), False, False)


@pytest.mark.parametrize(
    ("comment", "asked"),
    [
        ("source,target,score", ()),  # one name too many
        ("source", ()),
        ("eins,zwei", ()),  # does not tell
        ("eins,zwei", ("eins", "drei")),
        ("eins,zwei,drei", ("drei",)),
    ],
)
def test_another_comment_is_no_header(comment, asked):
    assert header("MYC,MAX;MAX,TP53", comment, asked) is None


def test_a_header_in_the_first_row_comes_before_the_comment():
    assert header("source,target;MYC,MAX", "from,to").names == ["source", "target"]


@pytest.mark.parametrize(
    ("text", "columns", "expected"),
    [
        ("1 2\n2 3\n3 4\n4 1\n", ("1", "2"), "1-2 2-3 3-4 4-1"),
        ("3 1 2\n7 4 5\n8 5 6\n9 2 1\n", ("2", "3"), "1-2 4-5 5-6 2-1"),
        ("1,2\nA,B\nB,C\n", ("1", "2"), "A-B B-C"),  # names that are numbers, as pandas writes them
    ],
)
def test_columns_asked_for_by_number_are_no_header_where_nodes_are_numbers(
    tmp_path, text, columns, expected
):
    result = reading(tmp_path, text, columns=columns)
    assert edges(result) == pairs(*expected.split())
