"""Files just inside and just outside of each rule: formats, lists, options, packing, lines.

Each rule is asked in one go, as all its cases together take no time.
"""

import zipfile

import pytest
from tests.io.databases import reading
from tests.io.packing import zipped

from linkprior.errors import InputError, ParameterError
from linkprior.io import formats
from linkprior.io.formats import Head, ReadOptions
from linkprior.io.node_lists import read_names, read_pairs
from linkprior.io.read import read, read_network

# Three nodes, one of them without an edge.
GRAPH = (
    "<graphml><graph edgedefault='undirected'><node id='a'/><node id='b'/><node id='c'/>"
    "<edge source='a' target='b'/></graph></graphml>"
)


def head(text, suffix=""):
    return Head(text.encode(), text, suffix)


def written(tmp_path, text, name="f.txt"):
    path = tmp_path / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


# ---------------------------------------------------------------------- signs of formats


def test_a_bracket_alone_is_not_cx2_nor_is_a_word_of_it():
    assert formats.cx2(head('[{"CXVersion": "2.0"}]'))
    assert formats.cx2(head("[]", ".cx2"))
    assert not formats.cx2(head("[a]\tb\n"))
    assert not formats.cx2(head('a\t"CXVersion"\n'))


def test_pajek_begins_below_its_comments():
    assert formats.pajek(head("  % made by hand\n*Vertices 3\n"))
    assert not formats.pajek(head("a %\n*Vertices 3\n"))


def test_a_header_of_mitab_has_fifteen_columns_and_may_stand_below_comments():
    def names(width):
        return "\t".join(["#ID(s) interactor A", "ID(s) interactor B", *["more"] * (width - 2)])

    assert [formats.mitab(head(names(width))) for width in (14, 15, 16)] == [False, True, True]
    assert formats.mitab(head(f"# of 2020\n{names(15)}\n"))
    assert not formats.mitab(head(f"of 2020\n{names(15)[1:]}#\n"))


def test_the_first_two_cells_of_mitab_are_identifiers_whatever_the_others_are():
    for first, second, third, last, is_mitab in (
        ("db:A", "db:B", "none", "none", True),
        ("db:A", "-", "none", "none", True),
        ("-", "db:B", "none", "none", True),
        ("A", "db:B", "db:C", "db:D", False),
        ("db:A", "B", "db:C", "db:D", False),
        ("-", "-", "db:C", "db:D", False),
    ):
        row = "\t".join([first, second, third, *["-"] * 11, last])
        assert formats.mitab(head(f"{row}\n{row}\n")) == is_mitab, (first, second)


def test_a_comment_says_nothing_of_sif():
    assert formats.sif(head("#nodes and how they are related\na pp b\nb pp c\n"))
    assert not formats.sif(head("nodes and how they are related #\na pp b\nb pp c\n"))


def test_a_format_nobody_knows_is_refused_with_the_nearest(tmp_path):
    path = written(tmp_path, "a\tb\n")
    with pytest.raises(ParameterError, match=r"no input format is called 'edgelits'.*edgelist"):
        read(path, "edgelits")
    assert read(path, "edgelist").report.format == "edgelist"


# ---------------------------------------------------------------------- lists


def test_a_list_of_names_leaves_nothing_out(tmp_path):
    listed = read_names(written(tmp_path, "a\nb\n"))
    assert (list(listed), listed.left_out) == (["a", "b"], 0)


def test_pairs_left_out_of_a_gold_standard_are_counted(tmp_path):
    path = written(tmp_path, "a\tb\t1\nb\tc\t0\nc\td\t1\n")
    alone, every = read_pairs(path, non_edges=True), read_pairs(path)
    assert (list(alone), alone.left_out) == ([("b", "c")], 2)
    assert (len(every), every.left_out) == (3, 0)


def test_a_file_of_nodes_alone_has_no_pair(tmp_path):
    with pytest.raises(InputError, match="no pair found"):
        read_pairs(written(tmp_path, "a\nb\nc\n", "f.sif"))


# ---------------------------------------------------------------------- options


def test_yes_and_no_are_answers_and_1_and_0_are_not():
    for name, answers in (("header", (True, False, None)), ("physical_only", (True, False))):
        for answer in answers:
            assert getattr(ReadOptions(**{name: answer}), name) is answer
        for other in (1, 0, "yes"):
            with pytest.raises(ParameterError, match=f"{name} must be one of True, False"):
                ReadOptions(**{name: other})


def test_systems_are_one_word_or_a_list_of_words():
    assert ReadOptions(systems="a b").systems == ("a b",)
    assert ReadOptions(systems=["a", "b"]).systems == ("a", "b")
    for other in (5, None, {"a": 1}, b"ab"):
        with pytest.raises(ParameterError, match="systems must be a list of names, got [5Nb{]"):
            ReadOptions(systems=other)


def test_a_node_without_an_edge_is_read_if_asked_for(tmp_path):
    path = written(tmp_path, GRAPH)
    assert list(read_network(path).names) == ["a", "b"]
    assert list(read_network(path, keep_isolated=True).names) == ["a", "b", "c"]


# ---------------------------------------------------------------------- lines and names


def test_lines_are_counted_where_there_are_lines(tmp_path):
    for text, lines in (("a\tb\nb\tc\n", 2), ("\n\na\tb\n", 3), ("\n\na\tb", 3), (GRAPH, 0)):
        assert reading(tmp_path, text).report.lines == lines, text


def test_of_two_names_nobody_can_show_the_first_is_told(tmp_path):
    with pytest.raises(InputError, match=r"f.txt:2: the node name 'x\\x07'"):
        read(written(tmp_path, "a\tb\nb\tx\x07\nc\td\nd\ty\x07\n"))


def test_700_is_what_string_calls_high_confidence(tmp_path):
    scores = (150, 699, 700, 701, 999)
    text = "".join(f"9606.P{i} 9606.P{i + 1} {score}\n" for i, score in enumerate(scores))
    notes = reading(tmp_path, f"protein1 protein2 combined_score\n{text}").report.notes
    assert any("--min-score 700 keeps" in note and "leave 3 rows" in note for note in notes)


# ---------------------------------------------------------------------- what was cut off, or packed


def test_xml_without_its_end_was_cut_off(tmp_path):
    cut = {
        "between tags": b"<graphml><graph>",
        "within a tag": b"<graphml><graph><nod",
        "within a character": "<graphml><graph>é".encode()[:-1],
        "within CDATA": b"<graphml><graph><![CDATA[x",
    }
    for where, content in cut.items():
        with pytest.raises(InputError) as told:
            read(written(tmp_path, content))
        assert "the XML ends too early" in str(told.value), where
    with pytest.raises(InputError, match="not well-formed"):
        read(written(tmp_path, "<graphml><graph></node>"))


def test_a_member_packed_by_lzma_ends_at_its_end_mark(tmp_path):
    packed = zipped({"e.tsv": "a\tb\nb\tc\n"}, zipfile.ZIP_LZMA)
    assert list(read_network(written(tmp_path, packed, "e.zip")).names) == ["a", "b", "c"]
