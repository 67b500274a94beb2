"""Tables just inside and just outside of each rule: rows, separators, headers, columns, labels.

Each rule is asked in one go, as all its cases together take no time.
"""

import pytest
from tests.io.databases import edges, left_out, pairs, reading

from linkprior.errors import InputError
from linkprior.io.readers.columns import find_header, find_layout, pair_of_columns
from linkprior.io.readers.delimited import is_data, rows_of, sample_of
from linkprior.io.source import Block


def rows(text, separator="\t", needed=2):
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


# ---------------------------------------------------------------------- rows


def test_a_comment_may_stand_behind_blanks():
    assert [is_data(line) for line in ("# x", "  # x", "\t% x", " \t! x", "  sep=;", "   ")] == (
        [False] * 6
    )
    assert [is_data(line) for line in ("x #", "  x", "x  ", " #N/A y")] == [True] * 4


def test_a_comment_between_rows_is_no_row():
    whole = [["a", "b"], ["c", "d"]]
    assert rows("a\tb\n#x\ty\nc\td\n") == whole
    assert rows("a b\n # x\nc d\n", " ") == whole
    assert rows("a,b\n  %,y\nc,d\n", ",") == whole


def test_a_hard_space_around_a_name_is_no_part_of_it():
    assert rows("a\xa0\t\xa0b\nc\td\xa0e\n") == [["a", "b"], ["c", "d\xa0e"]]
    assert rows("a b\nc\xa0 d\n", " ") == [["a", "b"], ["c", "d"]]


def test_only_separators_and_line_ends_cut_a_row():
    assert rows("a\x0bx\tb\n") == [["a\x0bx", "b"]]
    assert rows("a\tb\tx\x0by\n") == [["a", "b", "x\x0by"]]


def test_rows_may_have_a_single_cell():
    assert rows("a\nb\nc\n", ",", needed=1) == [["a"], ["b"], ["c"]]


def test_a_quote_that_opens_a_very_long_line_is_said_to_be_missing():
    with pytest.raises(InputError, match=r"f.txt:1: a quoted line of 200003 char.*quote missing"):
        rows('"a\t' + "x" * 200_000 + "\n")


def test_the_separator_is_what_all_lines_have_else_that_of_the_first():
    def separator(text):
        return sample_of(Block(1, text), "f.txt").separator

    assert separator("a,x;b\nc;d\ne;f\n") == ";"
    assert separator("a;x,b\nc,d\ne,f\n") == ","
    assert separator("a,x;b\nc,x;d\n") == ","  # both in all lines: the first one
    with pytest.raises(InputError, match=r"f.txt:2: expected 2 columns with a tab"):
        separator("\tb\nc\n")


# ---------------------------------------------------------------------- headers


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


# ---------------------------------------------------------------------- columns


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


# ---------------------------------------------------------------------- matrices


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


# ---------------------------------------------------------------------- labels and weights


def test_a_gold_standard_is_its_rows_labelled_1(tmp_path):
    found = reading(tmp_path, "a\tb\t1\nb\tc\t0\nc\td\t1\n\td\t0\nd\t\t0\nd\te\tNA\n")
    assert edges(found) == pairs("a-b", "c-d")
    assert sorted(left_out(found).values()) == [[2], [4, 5], [6]]
    assert found.report.guess.startswith("gold standard")


def test_weights_of_0_are_told_where_others_are_more(tmp_path):
    def told(weights):
        text = "".join(f"n{i}\tn{i + 1}\t{w}\n" for i, w in enumerate(weights))
        return [note for note in reading(tmp_path, text).report.notes if "count as edges" in note]

    assert "2 of 3 rows have weight 0" in told(["0", "0.5", "-0.0"])[0]
    assert "1 of 3 rows have weight 0" in told(["0", "0.5", "0.1"])[0]
    assert told(["0.0", "0.0", "0.00"]) == []  # they say nothing
    assert told(["0.2", "0.5", "0.1"]) == []


def test_a_first_edge_that_stands_alone_may_be_a_header(tmp_path):
    ring = "".join(f"n{i}\tn{(i + 1) % 12}\n" for i in range(12))

    def is_told(text, **options):
        notes = reading(tmp_path, text, **options).report.notes
        return any("shares no node" in note for note in notes)

    assert is_told(f"left\tright\n{ring}")
    assert not is_told(f"left\tn3\n{ring}")
    assert not is_told(f"left\tleft\n{ring}")  # no header names both columns alike
    assert not is_told(f"left\tright\n{ring}", header=False)  # the user knows
    assert not is_told(f"source\ttarget\nleft\tright\n{ring}")  # there is one already


def test_blanks_inside_quotes_are_no_part_of_a_name_whatever_separates_them():
    for separator in "\t,; ":
        text = f'"a "{separator}b\n"  "{separator}" c"\n'
        assert rows_of(Block(1, text), separator, 2, "f").cells == [["a", "b"], ["", "c"]]
