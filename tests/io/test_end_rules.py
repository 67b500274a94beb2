"""Which columns hold the ends where no header tells: tables at both sides of each rule."""

import pytest

from linkprior.io.readers.columns import Ends, ends_by_content, holds_scores


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


def test_no_row_tells_nothing():
    assert ends_by_content([]) == Ends()


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
