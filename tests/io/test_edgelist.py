"""Plain edge lists: what is read, and what every unreadable file is told."""

import gzip
import io
import sys

import pytest

import linkprior as lp
from linkprior.errors import InputError

EDGES = [("a", "b"), ("b", "c"), ("a", "d")]
BOM = "\ufeff".encode()


def text(separator="\t", end="\n", edges=EDGES):
    return "".join(f"{a}{separator}{b}{end}" for a, b in edges)


def read(tmp_path, content):
    path = tmp_path / "edges.txt"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return lp.read_network(path)


def edges_by_name(net):
    return {frozenset((net.names[i], net.names[j])) for i, j in net.edges.tolist()}


EXPECTED = {frozenset(edge) for edge in EDGES}


def holds_the_edges(net):
    return net.names == ("a", "b", "c", "d") and edges_by_name(net) == EXPECTED


# ---------------------------------------------------------------------- what is read


@pytest.mark.parametrize("separator", ["\t", ",", ";", " ", "   ", " , ", "\t "])
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


def test_a_header_may_follow_comments(tmp_path):
    assert holds_the_edges(read(tmp_path, f"# made today\n\nregulator\ttarget\n{text()}"))


def test_only_the_first_line_can_be_a_header(tmp_path):
    net = read(tmp_path, f"{text()}source\ttarget\n")
    assert net.names[-2:] == ("source", "target")
    assert net.n_edges == 4


def test_one_usual_word_does_not_make_a_header(tmp_path):
    net = read(tmp_path, f"source\tMYC\n{text()}")
    assert net.names[:2] == ("source", "MYC")
    assert net.n_edges == 4


@pytest.mark.parametrize("mark", "#%!")
def test_comments(tmp_path, mark):
    content = f"{mark} a\tremark, with; marks\n{text()}{mark}x\ty\n"
    assert holds_the_edges(read(tmp_path, content))


def test_blank_lines(tmp_path):
    assert holds_the_edges(read(tmp_path, "\n  \n" + text().replace("\n", "\n\n \t \n")))


@pytest.mark.parametrize("separator", ["\t", ",", ";"])
def test_further_columns_are_left_alone(tmp_path, separator):
    content = "".join(f"{a}{separator}{b}{separator}0{separator}x y\n" for a, b in EDGES)
    assert holds_the_edges(read(tmp_path, content))


def test_lines_may_have_different_numbers_of_further_columns(tmp_path):
    assert holds_the_edges(read(tmp_path, "a\tb\nb\tc\t1\t2\na\td\t\n"))


def test_quoted_names(tmp_path):
    net = read(tmp_path, '"a, b","say ""c"""\nd,"a, b"\n')
    assert net.names == ("a, b", 'say "c"', "d")
    assert net.n_edges == 2


def test_names_with_inner_spaces_and_other_scripts(tmp_path):
    net = read(tmp_path, "heat shock\tβ-catenin\nβ-catenin\t蛋白\n")
    assert net.names == ("heat shock", "β-catenin", "蛋白")


@pytest.mark.parametrize("packed", [False, True])
def test_a_byte_order_mark_is_no_part_of_the_first_name(tmp_path, packed):
    content = BOM + text().encode()
    assert holds_the_edges(read(tmp_path, gzip.compress(content) if packed else content))


def test_gzip_is_known_by_its_bytes_not_its_name(tmp_path):
    assert holds_the_edges(read(tmp_path, gzip.compress(text().encode())))


def test_gzip_of_several_members(tmp_path):
    half = text(edges=EDGES[:1]).encode(), text(edges=EDGES[1:]).encode()
    assert holds_the_edges(read(tmp_path, b"".join(map(gzip.compress, half))))


def test_what_is_merged_is_counted(tmp_path):
    net = read(tmp_path, text() + "a\tb\nb\ta\nc\tc\n")
    assert holds_the_edges(net)
    assert (net.merged.self_loops, net.merged.duplicates) == (1, 1)
    assert net.merged.reversed_duplicates == 1


def test_a_path_may_be_text(tmp_path):
    (tmp_path / "edges.txt").write_text(text())
    assert holds_the_edges(lp.read_network(str(tmp_path / "edges.txt")))


# ---------------------------------------------------------------------- standard input


def feed(monkeypatch, content):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content), encoding="utf-8"))
    return lp.read_network("-")


def test_standard_input(monkeypatch):
    assert holds_the_edges(feed(monkeypatch, text().encode()))


def test_standard_input_names_the_line(monkeypatch):
    with pytest.raises(InputError, match=r"^stdin:2: expected 2 columns of names, got 'c'"):
        feed(monkeypatch, b"a\tb\nc\n")


@pytest.mark.parametrize(
    "content", [BOM + text().encode(), gzip.compress(text().encode())], ids=["mark", "gzip"]
)
def test_standard_input_is_read_as_a_file_is(monkeypatch, content):
    assert holds_the_edges(feed(monkeypatch, content))


def test_standard_input_that_is_no_utf8(monkeypatch):
    with pytest.raises(InputError, match="stdin: not UTF-8"):
        feed(monkeypatch, "é\tb\n".encode("latin-1"))


# ---------------------------------------------------------------------- what is refused


@pytest.mark.parametrize(
    ("content", "line", "shown"),
    [
        ("a\tb\nc\n", 2, "c"),
        ("a\tb\n\n# x\nc\t\n", 4, "c"),
        ("a\tb\n\tc\n", 2, "c"),
        ("source,target\na,b\nc;d\n", 3, "c;d"),
        ("alone\n", 1, "alone"),
        ("a b\nlonely\n", 2, "lonely"),
        ("a\tb\r\nc\r\n", 2, "c"),
        ("a\tb\rc\r", 2, "c"),
        ('a,b\n"c,d\n', 2, '"c,d'),
    ],
)
def test_a_wrong_number_of_columns_names_file_and_line(tmp_path, content, line, shown):
    with pytest.raises(InputError) as caught:
        read(tmp_path, content)
    assert str(caught.value) == (
        f"{tmp_path / 'edges.txt'}:{line}: expected 2 columns of names, got {shown!r}"
    )


def test_a_long_bad_line_is_shown_in_part(tmp_path):
    with pytest.raises(InputError) as caught:
        read(tmp_path, "a\tb\n" + "x" * 5000 + "\n")
    assert len(str(caught.value)) < len(str(tmp_path)) + 150


@pytest.mark.parametrize("content", ["", "\n\n", "# only a remark\n", "source\ttarget\n"])
@pytest.mark.parametrize("packed", [False, True])
def test_nothing_inside(tmp_path, content, packed):
    data = gzip.compress(content.encode()) if packed else content.encode()
    with pytest.raises(InputError, match=r"edges\.txt: no edge found; expected two columns"):
        read(tmp_path, data)


def test_no_such_file(tmp_path):
    with pytest.raises(InputError, match=r"nowhere\.tsv: no such file"):
        lp.read_network(tmp_path / "nowhere.tsv")


def test_a_directory(tmp_path):
    with pytest.raises(InputError, match="is a directory, expected an edge list"):
        lp.read_network(tmp_path)


@pytest.mark.parametrize("packed", [False, True])
def test_text_that_is_no_utf8(tmp_path, packed):
    data = text().encode() + "é\tf\n".encode("latin-1")
    with pytest.raises(InputError, match=r"edges\.txt: not UTF-8 text .* save it as UTF-8"):
        read(tmp_path, gzip.compress(data) if packed else data)


def test_utf16_text_is_refused_not_misread(tmp_path):
    with pytest.raises(InputError, match="not UTF-8"):
        read(tmp_path, text().encode("utf-16"))


@pytest.mark.parametrize("kept", [3, 15, 0.5, -9, -1])
def test_truncated_gzip(tmp_path, kept):
    edges = [(f"x{i}", f"y{i * i}") for i in range(3000)]
    whole = gzip.compress(text(edges=edges).encode())
    stop = int(len(whole) * kept) if isinstance(kept, float) else kept
    with pytest.raises(InputError, match=r"edges\.txt: cannot be read: "):
        read(tmp_path, whole[:stop])


@pytest.mark.parametrize("at", [12, 40, -6], ids=["early", "middle", "checksum"])
def test_damaged_gzip(tmp_path, at):
    edges = [(f"x{i}", f"y{i * i % 97}") for i in range(300)]
    data = bytearray(gzip.compress(text(edges=edges).encode()))
    data[at] ^= 0xFF
    with pytest.raises(InputError, match=r"edges\.txt: (cannot be read|not UTF-8)"):
        read(tmp_path, bytes(data))


@pytest.mark.parametrize(
    "data",
    [
        bytes(range(256)) * 8,
        b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR",
        b"PK\x03\x04\x14\x00\x00\x00\x08\x00\xff\xfe",
        b"\x00" * 100,
        b"\x7fELF\x02\x01\x01" + b"\x00" * 60,
    ],
    ids=["all bytes", "png", "zip", "zeros", "elf"],
)
def test_binary_junk(tmp_path, data):
    with pytest.raises(InputError, match=r"edges\.txt"):
        read(tmp_path, data)


def test_a_huge_quoted_cell_is_an_error_not_a_traceback(tmp_path):
    """The csv module gives up beyond 131,072 characters; a user must still be told the line."""
    with pytest.raises(InputError, match=r"edges\.txt:2"):
        read(tmp_path, 'a\tb\n"' + "x" * 140_000 + "\n")


# ---------------------------------------------------------------------- real files

REAL = [
    ("dream5/DREAM5_NetworkInference_Edges_Network1.tsv", 1565, 3996),
    ("dream5/DREAM5_NetworkInference_Edges_Network3.tsv", 1081, 2055),
    ("ppi-challenge2023/Yeast.csv", 1966, 2705),
    ("ppi-challenge2023/HuRI.csv.gz", 8245, 52068),
    ("l3-2019/hi-ii-14.txt", 4224, 13350),
    ("l3-2019/lit-nb-13.txt", 3251, 4388),
    ("lp-classic/USAir.txt", 332, 2126),
    ("lp-classic/Celegans.txt", 297, 2148),
    ("biogrid-species/C.elegans.txt", 4835, 12124),
    ("biogrid-rat/sana-RNorvegicus-2013.el", 1657, 2330),
    ("large/CA-GrQc.txt", 5241, 14484),
]


def counts(net):
    """Nodes that keep an edge, and edges: a node with a self-loop alone is not in the counts."""
    return int((net.degrees > 0).sum()), net.n_edges


@pytest.mark.parametrize(("name", "nodes", "edges"), REAL, ids=[name for name, *_ in REAL])
def test_real_files_have_the_counts_of_their_readme(data_folder, name, nodes, edges):
    assert counts(lp.read_network(data_folder / name)) == (nodes, edges)
