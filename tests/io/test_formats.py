"""Formats told by content and name, and the options of their readers."""

import io

import pytest
from tests.io.files import links, pairs, reading, written, zipped

import linkprior as lp
from linkprior.errors import InputError, ParameterError
from linkprior.io.formats import FORMATS, Head, ReadOptions
from linkprior.io.read import read
from linkprior.io.source import Source

MITAB_ROW = "\t".join(["uniprotkb:P1", "uniprotkb:P2", *["-"] * 13])


MITAB_NAMES = "\t".join(["#ID(s) interactor A", "ID(s) interactor B", *["more"] * 13])


LARGE = 1 << 16


def head(text, suffix=""):
    return Head(text.encode(), text, suffix)


def source(content, name="net.txt", packing=None):
    return Source(name, io.BytesIO(content), content, packing, _tap=None)


MATRICES = "%%MatrixMarket matrix coordinate pattern symmetric\n3 3 1\n2 1\n"


TRIANGLE = "3 3\n2 3\n1 3\n1 2\n"


RING = "4 4\n2 4\n1 3\n2 4\n1 3\n"


HAS_THE_SIGNS = [
    ("npz", "PK\x03\x04rest", ""),
    ("matrix-market", MATRICES, ""),
    ("matrix-market", MATRICES.upper(), ""),
    ("graphml", "<?xml version='1.0'?>\n<graphml>", ""),
    ("graphml", "  \n<graphml xmlns='x'>", ""),
    ("graphml", "<g:graphml\n", ""),
    ("graphml", "<graphml/>", ""),
    ("gexf", "<?xml version='1.0'?>\n<gexf>", ""),
    ("gexf", " <x:gexf version='1.3'>", ""),
    ("gexf", "<gexf/>", ""),
    ("cx2", '[{"CXVersion": "2.0"}', ""),
    ("cx2", ' [{"numberVerification": [', ""),
    ("cx2", "[{}]", ".cx2"),
    ("cx2", "[{}]", ".cx"),
    ("cx2", '{"data": 1}', ".json"),
    ("pajek", "*Vertices 3\n1 a\n", ""),
    ("pajek", "% made by hand\n *network mine\n", ""),
    ("pajek", "  % indented\n*ARCS\n1 2\n", ""),
    ("pajek", "*edges\n1 2\n", ""),
    ("pajek", "*Matrix\n0 1\n", ""),
    ("biogrid", "#BioGRID Interaction ID\tEntrez", ""),
    ("biogrid", "BIOGRID interaction id\tEntrez", ""),
    ("biogrid", '"#BioGRID Interaction ID"\tEntrez', ""),
    ("biogrid", "a line\n" * 59 + "#BioGRID Interaction ID\n", ""),
    ("mitab", MITAB_ROW, ""),
    ("mitab", MITAB_ROW + "\ncut:off\tno", ""),
    ("mitab", "\t".join(["x:P1", "-", *["-"] * 13]), ""),
    ("mitab", "\t".join(["-", "x:P1", *["-"] * 13]), ""),
    ("mitab", MITAB_ROW + "\n" + "-\tuniprotkb:P2" + "\t-" * 13 + "\n", ""),
    ("mitab", MITAB_NAMES + "\n", ""),
    ("mitab", MITAB_NAMES.removeprefix("#") + "\nwhatever", ""),
    ("mitab", "some words\n" + MITAB_NAMES + "\n", ""),
    ("mitab", "# a note\n" + MITAB_ROW + "\n", ""),
    ("mitab", "\t".join(["entrez gene/locuslink:1", "a b c:2", *["-"] * 13]), ""),
    ("string", "protein1 protein2 combined_score\n9606.A 9606.B 900\n", ""),
    ("string", "protein1 protein2 homology combined_score\n", ""),
    ("metis", TRIANGLE, ""),
    ("metis", RING, ""),
    ("metis", "3 2\n2\n1 3\n2\n", ""),
    ("metis", "% a note\n" + TRIANGLE, ""),
    ("metis", "\n" + TRIANGLE, ""),
    ("metis", "3 3 0\n2 3\n1 3\n1 2\n", ""),
    ("metis", "3 3 000 1\n2 3\n1 3\n1 2\n", ""),
    ("metis", "3 3 1\n2 5 3 5\n", ".graph"),
    ("metis", "3 3 011 2\nanything", ".metis"),
    ("metis", "5 4\n2 4\n1 3\n2 4\n1 3\n", ""),  # the last node alone, its blank line left out
    ("sif", "anything", ".sif"),
    ("sif", "A\tpp\tB\nB\tpd\tC\n", ""),
    ("sif", "A pp B\nB pp C\n", ""),
    ("sif", "# a note\nA pp B\n", ""),
    ("sif", "%one pp-like note\nA pp B\n", ""),
    ("sif", "! a note\nA pp B\n", ""),
]


HAS_NOT = [
    ("npz", "PK\x03 no", ""),
    ("matrix-market", "%MatrixMarket", ""),
    ("matrix-market", "\n" + MATRICES, ""),
    ("graphml", "a <graphml>", ""),
    ("graphml", "<graphmlx>", ""),
    ("graphml", "<gexf>", ""),
    ("gexf", "x <gexf>", ""),
    ("gexf", "<gexfx>", ""),
    ("gexf", "<graphml>", ""),
    ("cx2", "[{}]", ".txt"),
    ("cx2", "a b", ".cx2"),
    ("cx2", '{"CXVersion": "2.0"}', ""),
    ("cx2", "[" + " " * 2000 + '{"CXVersion": "2.0"}', ""),
    ("pajek", "Vertices 3", ""),
    ("pajek", "*verticesx 3", ""),
    ("pajek", "a b\n*Vertices 3", ""),
    ("pajek", "% a note\n", ""),
    ("biogrid", "Interaction ID", ""),
    ("biogrid", "x #BioGRID Interaction ID", ""),
    ("biogrid", "a line\n" * 60 + "#BioGRID Interaction ID\n", ""),
    ("mitab", "", ""),
    ("mitab", MITAB_ROW.rpartition("\t")[0], ""),
    ("mitab", MITAB_NAMES.rpartition("\t")[0], ""),
    ("mitab", "\t".join(["-", "-", *["x:y"] * 13]), ""),
    ("mitab", "\t".join(["P1", "x:P2", *["-"] * 13]), ""),
    ("mitab", "\t".join(["x:P1", "P2", *["-"] * 13]), ""),
    ("mitab", MITAB_ROW + "\nA\tB\n" + MITAB_ROW + "\n", ""),
    ("mitab", "some words\n" + MITAB_NAMES.removeprefix("#") + "\n", ""),
    ("mitab", "# a note\n" * 60 + MITAB_NAMES, ""),
    ("string", "protein1 protein2 score\n", ""),
    ("string", "protein2 protein1 combined_score\n", ""),
    ("string", "a protein1 protein2 combined_score\n", ""),
    ("string", "", ""),
    ("metis", "", ""),
    ("metis", "% a note\n", ""),
    ("metis", "a b", ".graph"),
    ("metis", "3 3 1\n2 3\n1 3\n1 2\n", ""),  # weights: only by its suffix
    ("metis", "3 4\n2 3\n1 3\n1 2\n", ""),  # another number of edges
    ("metis", "2 3\n2 3\n1 3\n1 2\n", ""),  # more lines than nodes
    ("metis", "3 3\n2 3\n1 3\n1 1\n", ""),  # 2 lists 3, 3 does not list 2
    ("metis", "3 3\n1 3\n1 2\n1 2\n", ""),  # 1 lists itself
    ("metis", "4 4\n2 4\n1 3\n2 4\n1 1\n", ""),  # 3 lists 4, 4 does not list 3
    ("metis", "3 3\n2 x\n1 3\n1 2\n", ""),
    ("metis", "2 1\n2\n1\n", ""),  # might be as well an edge list
    ("metis", "3\n2 3\n1 3\n1 2\n", ""),
    ("metis", "3 3 2\n2 3\n1 3\n1 2\n", ".graph"),
    ("sif", "", ""),
    ("sif", "A B\n", ""),
    ("sif", "A pp B C\n", ""),
    ("sif", "A pp 0.5\n", ""),
    ("sif", "A pp -1e-5\n", ""),
    ("sif", "A friend B\n", ""),
    ("sif", "A pp B\nB friend C\n", ""),
    ("sif", "A pp B\nB pp pp\n", ""),  # a node of the relation's name
    ("sif", "pp pp B\n", ""),
    ("sif", "source\tpp\ttarget\nA\tpp\tB\n", ""),
]


@pytest.mark.parametrize(("name", "text", "suffix"), HAS_THE_SIGNS)
def test_what_has_the_signs_is_known(name, text, suffix):
    assert FORMATS[name].matches(head(text, suffix)) is True


@pytest.mark.parametrize(("name", "text", "suffix"), HAS_NOT)
def test_what_nearly_has_them_is_not(name, text, suffix):
    assert FORMATS[name].matches(head(text, suffix)) is False


def test_mitab_looks_at_the_first_twenty_rows_but_the_last_of_them():
    odd = "A\tB"
    assert FORMATS["mitab"].matches(head("\n".join([*[MITAB_ROW] * 19, odd])))
    assert FORMATS["mitab"].matches(head("\n".join([*[MITAB_ROW] * 19, odd, MITAB_ROW])))
    assert not FORMATS["mitab"].matches(head("\n".join([*[MITAB_ROW] * 18, odd, MITAB_ROW])))


def test_lines_are_whole_and_not_blank():
    assert head("a b\n \n\nc d\ne").lines == ["a b", "c d", "e"]
    long = "a b\n" * (LARGE // 4)
    assert head(long + "cu").lines == ["a b"] * (LARGE // 4)
    assert head("x" * LARGE).lines == ["x" * LARGE]  # alone
    assert head("x" * LARGE + "\ncu").lines == ["x" * LARGE]
    assert head("a b\n" * (LARGE // 4 - 1) + "c d ").lines == ["a b"] * (LARGE // 4 - 1)
    assert head("a b\n" * (LARGE // 4 - 1) + "c").lines[-1] == "c"  # short of the limit: whole


@pytest.mark.parametrize(
    ("name", "packing", "suffix"),
    [
        ("net.GraphML", None, ".graphml"),
        ("net.graphml.gz", "gzip", ".graphml"),
        ("net.sif.bz2", "bzip2", ".sif"),
        ("net.sif.xz", "xz", ".sif"),
        ("net.zip", "zip (folder/net.SIF)", ".sif"),
        ("net.sif.zip", "zip (edges.tsv)", ".tsv"),
        ("net", None, ""),
    ],
)
def test_the_suffix_is_that_of_the_content(name, packing, suffix):
    assert Head.of(source(b"a b\n", name, packing)).suffix == suffix


@pytest.mark.parametrize(
    ("content", "packing", "said"),
    [
        (b"\x1f\x8b\x08rest", "gzip", "packed twice (gzip inside)"),
        (b"BZh91AY&SY", "xz", "packed twice (bzip2 inside)"),
        (b"x" * 257 + b"ustar  \0", None, "tar archive"),
        (b'Creator "x"\nVersion 1\ngraph [', None, "GML"),
        (b"  graph\n[", None, "GML"),
        (b"", None, "is empty"),
    ],
)
def test_what_is_no_network_is_named(content, packing, said):
    with pytest.raises(InputError, match="net.txt") as told:
        Head.of(source(content, "net.txt", packing))
    assert said in str(told.value)


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"columns": 5}, "--columns expects two columns by header name or number (1,2), got 5"),
        ({"columns": (1, 2, 3)}, "--columns expects two columns"),
        ({"columns": (1, 2.5)}, "--columns expects two columns"),
        ({"columns": {1, 2}}, "--columns expects two columns"),
        ({"format": 5}, "format must be the name of an input format, such as edgelist, got 5"),
        ({"systems": 3}, "systems must be a list of names, got 3"),
        ({"systems": b"FRET"}, "systems must be a list of names, got b'FRET'"),
        ({"systems": ["FRET", 3]}, "systems must be a list of names, got 3 among them"),
        ({"systems": None}, "systems must be a list of names, got None"),
        ({"organism": 1.5}, "organism must be an NCBI taxonomy number (9606) or a name (human)"),
        ({"organism": ["human"]}, "organism must be"),
        ({"header": "no"}, "header must be one of True, False, None, got 'no'"),
        ({"physical_only": 1}, "physical_only must be one of True, False, got 1"),
        ({"min_score": "high"}, "min_score must be a number"),
        ({"id": 3}, "--id does not apply to an edge list"),
    ],
)
def test_a_value_of_the_wrong_kind_is_refused_in_one_line(tmp_path, options, told):
    path = written(tmp_path, "e.tsv", "a\tb\nb\tc\n")
    with pytest.raises(ParameterError) as caught:
        lp.read_network(path, **options)
    assert str(caught.value).startswith(told)
    assert "\n" not in str(caught.value)


def test_the_suffix_inside_a_zip_archive_tells_the_format(tmp_path):
    """A line of SIF with several targets is told by the suffix alone."""
    found = reading(tmp_path, "n.zip", zipped({"net.sif": "a odd b c\nb odd d\n"}))
    assert found.report.format == "sif"
    assert pairs(found.network) == links("a-b", "a-c", "b-d")


def test_a_format_nobody_knows_is_refused_with_the_nearest(tmp_path):
    path = written(tmp_path, "f.txt", "a\tb\n")
    with pytest.raises(ParameterError, match=r"no input format is called 'edgelits'.*edgelist"):
        read(path, "edgelits")
    assert read(path, "edgelist").report.format == "edgelist"


def test_yes_and_no_are_answers_and_1_and_0_are_not():
    for name, answers in (("header", (True, False, None)), ("physical_only", (True, False))):
        for answer in answers:
            assert getattr(ReadOptions(**{name: answer}), name) is answer
        for other in (1, 0, "yes"):
            with pytest.raises(ParameterError, match=f"{name} must be one of True, False"):
                ReadOptions(**{name: other})
