"""Files no network can be read from: what is in them, and what a user must be told.

Each entry: the file's name, its content, the line the message names (None where there is none), and
words the message must hold: what was expected or found, and what to do.
"""

import bz2
import gzip
import io
import lzma
import tarfile
import zipfile

import numpy as np
import scipy.sparse as sp

GOOD = "a\tb\nb\tc\na\td\n"
LONG = "".join(f"x{i}\ty{i * i % 97}\n" for i in range(5000)).encode()


def zipped(**members):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name.replace("_", "."), content)
    return stream.getvalue()


def encrypted():
    content = bytearray(zipped(edges_tsv=GOOD))
    for mark, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        content[content.index(mark) + offset] |= 1
    return bytes(content)


def tarred():
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w:gz") as archive:
        member = tarfile.TarInfo("edges.tsv")
        member.size = len(GOOD)
        archive.addfile(member, io.BytesIO(GOOD.encode()))
    return stream.getvalue()


def archive_of_arrays(**changed):
    """What scipy saves for a matrix of three nodes, with some arrays changed."""
    stream = io.BytesIO()
    sp.save_npz(stream, sp.csr_array(np.ones((3, 3))))
    stream.seek(0)
    arrays = dict(np.load(stream)) | changed
    again = io.BytesIO()
    np.savez(again, **{name: value for name, value in arrays.items() if value is not None})
    return again.getvalue()


LAUGHS = "".join(
    f'<!ENTITY l{i} "{f"&l{i - 1};" * 10}">' if i else '<!ENTITY l0 "lol">' for i in range(10)
)
GRAPHML = '<graphml xmlns="http://graphml.graphdrawing.org/xmlns"><graph edgedefault="undirected">'
NODES = '<node id="a"/><node id="b"/>'


def xml(root, inside, declared=""):
    return f'<?xml version="1.0"?>\n<!DOCTYPE {root} [\n{declared}\n]>\n{inside}'


NOTHING_TO_READ = {
    "an empty file": ("e.tsv", "", None, ["is empty; expected"]),
    "only blank lines": ("e.tsv", "\n\n \n", None, ["no edge found; expected"]),
    "only comments": ("e.tsv", "# a\tb\n% c\td\n", None, ["no edge found; expected"]),
    "only a header": ("e.tsv", "source\ttarget\n", None, ["no edge found; expected"]),
    "only self-loops": ("e.tsv", "a\ta\nb\tb\n", None, ["expected edges between two different"]),
    "only empty names": ("e.tsv", "a\t\n\tb\n", None, ["a node name is empty", "check the file"]),
    "only non-edges": ("e.tsv", "a\tb\t0\nb\tc\t0\n", None, ["labelled 0, a non-edge"]),
    "an empty gzip": ("e.tsv.gz", gzip.compress(b""), None, ["is empty; expected"]),
}

WRONG_COLUMNS = {
    "one column": ("e.txt", "a\nb\nc\n", 1, ["expected two columns", "both ends of an edge"]),
    "one column with CR": ("e.txt", "alone\rb\r", 1, ["got one: 'alone'"]),
    "a row with one column": ("e.tsv", "a\tb\nc\nd\te\n", 2, ["tab between", "Complete the line"]),
    "a row short of its header": (
        "e.csv",
        "id,source,target\n1,a,b\n2,b\n",
        3,
        ["expected 3 columns", "got 2: '2,b'"],
    ),
    "tab, then comma": ("e.txt", "a\tb\nc,d\n", 2, ["has a comma: use one separator"]),
    "comma, then semicolon": ("e.txt", "a,b\nc;d\n", 2, ["has a semicolon: use one separator"]),
    "space, then pipe": ("e.txt", "a b\nc|d\n", 2, ["expected 2 columns with a space"]),
    "a matrix of numbers": (
        "m.txt",
        "0 1 0 1 1 0 0 1 0 1\n" * 10,
        1,
        ["two columns of node names"],
    ),
    "an adjacency matrix": (
        "m.csv",
        ",A,B,C\nA,0,1,0\nB,1,0,1\nC,0,1,0\n",
        1,
        ["Is it a matrix", "--columns"],
    ),
    "a list of scores": ("s.tsv", "A\t0.5\nB\t0.25\nC\t0.1\n", 1, ["list of scores", "--columns"]),
}

BAD_NAMES = {
    "an open quote": (
        "e.csv",
        'a,b\n"c,d\n',
        2,
        ["quotes do not match", "close them on their line"],
    ),
    "a quoted name over two lines": ("e.csv", 'a,b\nc,"d\ne"\n', 2, ["close them on their line"]),
    "a tab in a name": ("e.csv", 'a,b\n"c\td",e\n', 2, ["U+0009", "remove it"]),
    "an escape sequence in a name": ("e.tsv", "a\tb\nc\t\x1b[31md\n", 2, ["U+001B", "remove it"]),
    "a name that reads backwards": ("e.tsv", "a\tb\nb\tc\u202edlo\n", 2, ["U+202E", "remove it"]),
    "a right-to-left mark": ("e.tsv", "a\tb\nb\tc\u200f\n", 2, ["U+200F", "remove it"]),
    "a name with a zero width space": ("e.tsv", "a\tb\nb\ta\u200b\n", 2, ["U+200B", "remove it"]),
    "a name of 2000 letters": ("e.tsv", f"a\tb\nb\t{'c' * 2000}\n", 2, ["at most 1000"]),
    "a quoted line without end": ("e.csv", 'a,b\n"' + "x" * 200_000, 2, ["is a quote missing"]),
}

NO_TEXT = {
    "latin-1": ("e.tsv", "a\tb\nM\xfcller\tc\n".encode("latin-1"), 2, ["save it as UTF-8"]),
    "a NUL byte": ("e.tsv", b"a\tb\nc\0\td\n", 2, ["a NUL byte", "linkprior formats"]),
    "half of UTF-16": ("e.tsv", GOOD.encode("utf-16")[:-1], 3, ["UTF-16", "save it as UTF-8"]),
    "all bytes": ("e.bin", bytes(range(1, 256)) * 8, 3, ["save it as UTF-8"]),
    "zeros": ("e.bin", bytes(1000), 1, ["a NUL byte"]),
    "a picture": ("e.png", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", 3, ["this is not text"]),
    "a program": ("e", b"\x7fELF\x02\x01\x01" + bytes(60), 1, ["a NUL byte"]),
    "a PDF": ("e.pdf", b"%PDF-1.7\n%\xe2\xe3\n", None, ["a PDF document", "export it"]),
    "an old Excel sheet": ("e.xls", b"\xd0\xcf\x11\xe0" + bytes(99), None, ["Excel", "export it"]),
    "a line of 10 MB": ("e.tsv", b"a\tb\n" + b"x" * 10_000_000, 2, ["a line of more than 1 MB"]),
    "10 MB without a line end": ("e.tsv", b"x\t" * 5_000_000, 1, ["a line of more than 1 MB"]),
}

PACKED = {
    "a truncated gzip": ("e.gz", gzip.compress(LONG)[:9000], None, ["cut off; get it again"]),
    "a truncated bzip2": ("e.bz2", bz2.compress(LONG)[:5000], None, ["cut off; get it again"]),
    "a truncated xz": ("e.xz", lzma.compress(LONG)[:5000], None, ["cut off; get it again"]),
    "a truncated zip": ("e.zip", zipped(e_tsv=LONG)[:5000], None, ["damaged", "get it again"]),
    "a gzip with a wrong checksum": (
        "e.gz",
        gzip.compress(LONG)[:-8] + bytes(8),
        None,
        ["CRC", "get it again"],
    ),
    "a damaged bzip2": (
        "e.bz2",
        bz2.compress(LONG)[:3000] + bytes(100) + bz2.compress(LONG)[3100:],
        None,
        ["damaged compressed data", "get it again"],
    ),
    "a gzip of a gzip": ("e.gz", gzip.compress(gzip.compress(LONG)), None, ["twice", "unpack it"]),
    "a tar archive": ("e.tar.gz", tarred(), None, ["tar archive", "unpack it"]),
    "a zip of two files": ("e.zip", zipped(a_tsv=GOOD, b_tsv=GOOD), None, ["2 files", "unpack it"]),
    "an encrypted zip": ("e.zip", encrypted(), None, ["encrypted; unpack it first"]),
    "an Excel workbook": (
        "e.xlsx",
        zipped(**{"xl/workbook_xml": "<x/>", "xl/sheet_xml": "<x/>"}),
        None,
        ["Excel workbook; save the sheet"],
    ),
    "a 7-Zip archive": ("e.7z", b"7z\xbc\xaf\x27\x1c\0\4", None, ["7-Zip", "unpack"]),
}

GRAPHS = {
    "a GraphML bomb": (
        "e.graphml",
        xml("graphml", f"{GRAPHML}<node id='&l9;'/></graph></graphml>", LAUGHS),
        2,
        ["entities", "export it again"],
    ),
    "a GEXF bomb": (
        "e.gexf",
        xml("gexf", "<gexf><graph><nodes><node id='&l9;'/></nodes></graph></gexf>", LAUGHS),
        2,
        ["entities", "export it again"],
    ),
    "a GraphML file that asks for another file": (
        "e.graphml",
        xml("graphml", f"{GRAPHML}</graph></graphml>", '<!ENTITY x SYSTEM "file:///etc/passwd">'),
        2,
        ["entities", "export it again"],
    ),
    "a GraphML file cut off": ("e.graphml", f"{GRAPHML}\n{NODES}\n<edge", 3, ["get it again"]),
    "a web page": (
        "e.tsv",
        "<!DOCTYPE html>\n<html> a b\n",
        1,
        ["a web page", "linkprior formats"],
    ),
    "XML of another kind": ("e.xml", "<?xml version='1.0'?>\n<a b='c'/>\n", 1, ["looks like XML"]),
    "JSON of another kind": ("e.json", '{"nodes": [], "links": []}', None, ["other JSON"]),
    "JSON of another name": ("e.txt", '{\n "nodes": [], "links": []\n}', 1, ["looks like JSON"]),
    "CX2 nested without end": ("e.cx2", "[" * 100_000, None, ["e.cx2"]),
    "CX2 cut off": ("e.cx2", '[{"CXVersion": "2.0"}, {"nodes": [{"id": 1}', None, ["e.cx2"]),
    "Pajek of a billion nodes": (
        "e.net",
        "*Vertices 1000000000\n*Edges\n1 2\n",
        None,
        ["1000000000"],
    ),
    "Pajek beyond its nodes": ("e.net", "*Vertices 3\n*Edges\n1 2\n2 7\n", 4, ["from 1 to 3"]),
    "METIS of a billion nodes": ("e.graph", "1000000000 1\n2\n1\n", None, ["1000000000"]),
    "METIS with a word": ("e.graph", "3 2\n2\n1 x\n2\n", 3, ["expected the number of"]),
    "Matrix Market of a billion nodes": (
        "e.mtx",
        "%%MatrixMarket matrix coordinate pattern symmetric\n1000000000 1000000000 1\n2 1\n",
        None,
        ["1000000000"],
    ),
    "Matrix Market that is not square": (
        "e.mtx",
        "%%MatrixMarket matrix coordinate pattern general\n3 4 1\n1 2\n",
        2,
        ["square"],
    ),
    "npz of a billion nodes": (
        "e.npz",
        archive_of_arrays(shape=np.array([10**9, 10**9])),
        None,
        ["e.npz"],
    ),
    "npz with code in it": (
        "e.npz",
        archive_of_arrays(data=np.array([{"a": 1}], dtype=object)),
        None,
        ["e.npz"],
    ),
    "npz without its indices": ("e.npz", archive_of_arrays(indices=None), None, ["e.npz"]),
    "a BioGRID table cut off": (
        "e.tab2.txt",
        "#BioGRID Interaction ID\tEntrez Gene Interactor A\tEntrez Gene Interactor B\n1\t2\n",
        None,
        ["e.tab2.txt"],
    ),
}

BAD_FILES = NOTHING_TO_READ | WRONG_COLUMNS | BAD_NAMES | NO_TEXT | PACKED | GRAPHS
