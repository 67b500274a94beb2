"""Files that name nodes, pairs and degrees."""

import gzip
import hashlib

import pytest
from tests.io.files import written

from linkprior.errors import InputError
from linkprior.io.node_lists import read_degrees, read_names, read_pairs


def test_names_one_per_line_each_once(tmp_path):
    path = tmp_path / "genes.txt"
    path.write_bytes(b'# my genes\r\nTP53\r\n\r\n MDM2 \r\nTP53\r\n"BRCA 1"\r\n')
    assert read_names(path) == ["TP53", "MDM2", "BRCA 1"]


def test_a_quoted_name_is_the_one_of_a_table_with_the_same_quotes(tmp_path):
    cells = ['" a "', '"b ""2"""', '"c, d"', "e'", '5" f', "\u3000g", '" "', '""']
    path = tmp_path / "genes.txt"
    path.write_text("\n".join(cells) + "\n")
    assert read_names(path) == ["a", 'b "2"', "c, d", "e'", '5" f', "\u3000g"]
    table = tmp_path / "edges.tsv"
    table.write_text("".join(f"{cell}\tx\n" for cell in cells[:6]))
    assert {*read_names(path), "x"} == {name for pair in read_pairs(table) for name in pair}


def test_quotes_that_do_not_match_are_refused_as_in_a_table(tmp_path):
    path = tmp_path / "genes.txt"
    for cell in ('"a', '"a"b"', '"""', '"a""', '"a" 5', '"a","b"'):
        path.write_text(f"x\n{cell}\n")
        with pytest.raises(InputError, match=r"genes\.txt:2: quotes do not match"):
            read_names(path)
    for cell in ('"a\tb"', '"\x1fa"'):
        path.write_text(f"x\n{cell}\n")
        with pytest.raises(InputError, match=r"genes\.txt:2: .*U\+00"):
            read_names(path)


def test_the_first_of_several_columns_and_gzip(tmp_path):
    path = tmp_path / "genes.tsv.gz"
    path.write_bytes(gzip.compress(b"a, or b\tdescription\nc\tx\nd\tx\ty\tz\n"))
    assert read_names(path) == ["a, or b", "c", "d"]


def test_a_list_without_a_name(tmp_path):
    path = tmp_path / "genes.txt"
    path.write_text("# nothing\n\n")
    with pytest.raises(InputError, match=r"genes\.txt: no name found; expected one node name"):
        read_names(path)


def test_the_digest_is_that_of_the_bytes(tmp_path):
    path = tmp_path / "genes.txt.gz"
    path.write_bytes(gzip.compress(b"a\nb\n"))
    assert read_names(path).sha256 == hashlib.sha256(path.read_bytes()).hexdigest()


@pytest.mark.parametrize("mark", ["\x1b", "\u202e", "\u200b"])
def test_a_name_no_message_could_show_is_refused_by_line(tmp_path, mark):
    path = tmp_path / "genes.txt"
    path.write_text(f"# mine\nTP53\nM{mark}DM2\n")
    with pytest.raises(
        InputError, match=r"genes\.txt:3: the node name .* invisible character"
    ) as e:
        read_names(path)
    assert str(e.value).isprintable()


def test_pairs_left_out_of_a_gold_standard_are_counted(tmp_path):
    path = written(tmp_path, "f.txt", "a\tb\t1\nb\tc\t0\nc\td\t1\n")
    alone, every = read_pairs(path, non_edges=True), read_pairs(path)
    assert (list(alone), alone.left_out) == ([("b", "c")], 2)
    assert (len(every), every.left_out) == (3, 0)


def test_a_file_of_nodes_alone_has_no_pair(tmp_path):
    with pytest.raises(InputError, match="no pair found"):
        read_pairs(written(tmp_path, "f.sif", "a\nb\nc\n"))


@pytest.mark.parametrize(
    "text",
    ["gene\tdegree\na b\t3\nc\t0\n", "a b, 3\nc, 0.0\n", "# mine\n\na b\t3e0\na b\t3\nc\t+0\n"],
    ids=["tabs and header", "commas", "comments and twice the same"],
)
def test_degrees_of_nodes(tmp_path, text):
    path = tmp_path / "degrees.txt"
    path.write_text(text)
    assert read_degrees(path) == [("a b", 3), ("c", 0)]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("0\t-1\n", ":1: a degree must be a whole number ≥ 0, got '-1'"),
        ("0\t2.5\n", ":1: a degree must be a whole number ≥ 0, got '2.5'"),
        ("0\t2147483648\n", ":1: a degree must be a whole number ≥ 0, got '2147483648'"),
        ("0\t1e400\n", ":1: a degree must be a whole number ≥ 0"),
        ("0\t.5\n", ":1: a degree must be a whole number ≥ 0"),
        ("node\tdegree\n0\tmany\n", ":2: a degree must be a whole number ≥ 0, got 'many'"),
        ("0\t1\n0\t2\n", ":2: 0 has degree 2 here and 1 before"),
        ("0\n", ":1: expected a node and its degree, got '0'"),
        ("# nothing\n", ": no degree found; expected a node and a number per line"),
    ],
)
def test_degrees_that_are_none_are_refused_with_their_line(tmp_path, text, problem):
    path = tmp_path / "degrees.txt"
    path.write_text(text)
    with pytest.raises(InputError) as caught:
        read_degrees(path)
    assert str(caught.value).partition("degrees.txt")[2].startswith(problem)
