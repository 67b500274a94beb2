"""Inputs to begin with: small files of every format, written by hand."""

from __future__ import annotations

import io

import numpy as np
import scipy.sparse as sp

_SIDES = ("Interactor A", "Interactor B")
_BIOGRID = [
    "#BioGRID Interaction ID",
    *(
        f"{what} {side}"
        for what in ("Entrez Gene", "BioGRID ID", "Official Symbol")
        for side in _SIDES
    ),
    *("Experimental System", "Experimental System Type"),
    *(f"Organism {side}" for side in _SIDES),
    "Score",
]
_BIOGRID_ROWS = (
    ("1", "10", "20", "110", "120", "Abc1", "Bcd2", "FRET", "physical", "9606", "9606", "0.5"),
    ("2", "20", "30", "120", "130", "Bcd2", "-", "FRET", "genetic", "9606", "10116", "-"),
    ("3", "-", "30", "140", "130", "orf9b", "-", "FRET", "physical", "10116", "10116", "2"),
)  # fmt: skip
_TAXON = 'taxid:9606(human)|taxid:9606("Homo sapiens")'
_XML = (
    '<node id="a"{0}/><node id="b"{0}/><node id="c"{0}/>'
    '<edge id="1" source="a" target="b"{1}/><edge id="2" source="b" target="c"{1}/>'
)
_GRAPHML = """<?xml version="1.0" encoding="UTF-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
<key id="w" for="edge" attr.name="weight" attr.type="double"><default>1.5</default></key>
<key id="n" for="node" attr.name="name" attr.type="string"/>
<graph edgedefault="undirected">
<node id="a"><data key="n">A&amp;1</data></node><node id="b"><data key="n">B</data></node>
<edge source="a" target="b"><data key="w">2</data></edge>
<hyperedge><endpoint node="a"/></hyperedge>
</graph></graphml>"""
_GEXF = """<gexf version="1.3"><graph defaultedgetype="undirected">
<attributes class="edge"><attribute id="0" title="weight" type="float"/></attributes>
<nodes><node id="0" label="x"><nodes><node id="2" label="z"/></nodes></node>
<node id="1" label="y"/></nodes><edges><edge id="0" source="0" target="1" weight="2.5">
<attvalues><attvalue for="0" value="3"/></attvalues></edge>
<edge id="1" source="1" target="2" weight="1"/></edges></graph></gexf>"""
_CX2 = """[{"CXVersion":"2.0","hasFragments":false},
{"attributeDeclarations":[{"nodes":{"name":{"d":"string","a":"n"}},
"edges":{"weight":{"d":"double","v":1.0},"interaction":{"a":"i","v":"pp"}}}]},
{"nodes":[{"id":1,"v":{"n":"a"}},{"id":2,"v":{"name":"b"}}]},
{"edges":[{"id":1,"s":1,"t":2,"v":{"weight":2.5}}]},{"status":[{"success":true}]}]"""
_CX = """[{"numberVerification":[{"longNumber":281474976710655}]},
{"nodes":[{"@id":1,"n":"a"},{"@id":2,"n":"b"}]},{"edges":[{"@id":3,"s":1,"t":2,"i":"pp"}]},
{"edgeAttributes":[{"po":3,"n":"weight","v":"0.5","d":"double"}]},
{"status":[{"error":"","success":true}]}]"""


def _mitab_row(a: str, b: str, score: str, width: int = 15, negative: str = "false") -> str:
    cells = ["-"] * max(width, 15)
    cells[:2], cells[4] = [a, b], 'uniprotkb:"a|b (c)"(gene name)'
    cells[6], cells[11] = 'psi-mi:"MI:0018"(two hybrid)', 'psi-mi:"MI:0915"(physical association)'
    cells[9] = cells[10] = _TAXON
    cells[14] = score
    if width > 36:
        cells[35] = negative
    return "\t".join(cells)


_MITAB = [
    _mitab_row("uniprotkb:P1", "uniprotkb:P2|intact:EBI-2", "intact-miscore:0.56"),
    _mitab_row("uniprotkb:P2", 'chebi:"CHEBI:15422"(ATP)', "author score:D|score:2"),
]
_MITAB_WIDE = [
    "#ID(s) interactor A\tID(s) interactor B" + "".join(f"\tcolumn {n}" for n in range(3, 43)),
    _mitab_row("uniprotkb:P1", "uniprotkb:P2", "intact-miscore:0.4", 42),
    _mitab_row("uniprotkb:P3", "uniprotkb:P1", "-", 42, "true"),
    _mitab_row("uniprotkb:P3", "-", "-", 42),
]


def _table(rows: list[str] | tuple[str, ...]) -> bytes:
    return ("\n".join(rows) + "\n").encode()


FILES: dict[str, tuple[bytes, ...]] = {
    "edgelist": (
        b"a\tb\nb\tc\nc\ta\n",
        b'source,target,score\na,b,0.5\n"b, c",a,1e3\n',
        b"# from to weight\n1 2 0,5\r\n2 3 1\r\n",
        b"a;b;1\nc;d;0\na;d;NA\n",
        b"0\tg1\tg2\n1\tg2\tg3\n2\tg1\tg3\n",
    ),
    "biogrid": (_table(["\t".join(_BIOGRID), *map("\t".join, _BIOGRID_ROWS)]),),
    "mitab": (_table(_MITAB), _table(_MITAB_WIDE)),
    "string": (
        b"protein1 protein2 combined_score\n9606.A 9606.B 900\n9606.B 9606.C 150\n",
        b"protein1 protein2 experimental combined_score\n1.A 1.B 0 900\n",
    ),
    "graphml": (
        _GRAPHML.encode(),
        f"<graphml><graph>{_XML.format('', '')}</graph></graphml>".encode(),
    ),
    "gexf": (_GEXF.encode(), f"<gexf><graph>{_XML.format('', '')}</graph></gexf>".encode()),
    "cx2": (_CX2.encode(), _CX.encode()),
    "pajek": (
        b'*Vertices 3\n1 "a b" 0.1 0.2\n2 b\n3 c\n*Edges\n1 2 0.5\n*Arcs\n2 3\n',
        b"*Network x\n*Vertices 3 2\n*Arcslist\n1 2 3\n*Edgeslist\n2 3\n",
        b"*Vertices 2\n*Matrix\n0 1\n1 0\n",
    ),
    "metis": (b"3 2\n2\n1 3\n2\n", b"% c\n3 2 011 1\n1 2 5 3 1\n2 1 5\n1 1 1\n"),
    "sif": (b"a\tpp\tb\nb\tpd\tc\td\n", b"a pp b\nx -> y z\nlonely\n"),
    "matrix-market": (
        b"%%MatrixMarket matrix coordinate real symmetric\n% c\n3 3 2\n2 1 1.0\n3 1 2.5\n",
        b"%%MatrixMarket matrix coordinate pattern general\n2 2 1\n1 2\n",
        b"%%MatrixMarket matrix array real general\n2 2\n0\n1\n1\n0\n",
        b"%%MatrixMarket matrix coordinate complex hermitian\n2 2 1\n2 1 1 -1D0\n",
        b"%%MatrixMarket matrix array integer skew-symmetric\n3 3\n1\n0\n2\n",
    ),
}

WORDS: dict[str, tuple[str, ...]] = {
    "edgelist": (*("source", "target", "from", "to", "weight", "score", "node1", "id_1", "NA"),
                 *("TRUE", "FALSE", "1e309", "-0", "nan", "inf", "\"", "\t", "\r\n", "\u00a0")),
    "biogrid": (*_BIOGRID, "Organism ID Interactor A", "SYSTEM", "physical"),
    "mitab": ("uniprotkb:", "psi-mi:\"MI:0915\"(", "taxid:9606(human)", "intact-miscore:", "true"),
    "string": ("protein1", "protein2", "combined_score", "experimental", "9606."),
    "graphml": (*("<graphml", "<graph", "<node id=", "<edge ", "source=", "target=", "<key "),
                *("<data key=", "<port ", "<hyperedge>", "<!DOCTYPE", "<![CDATA[", "&#x0;", "<?")),
    "gexf": (*("<gexf", "<nodes>", "<attvalue ", "<attributes class=", "label=", "pid=", "kind="),
             *("<viz:color ", "xmlns:viz=", "start=", "weight=")),
    "cx2": (*('"nodes"', '"edges"', '"s"', '"t"', '"v"', '"id"', '"@id"', '"status"', "null"),
            *('"attributeDeclarations"', '"nodeAttributes"', '"po"', '"n"', "1e999", "NaN", "{}")),
    "pajek": (*("*Vertices", "*Edges", "*Arcs", "*Arcslist", "*Edgeslist", "*Matrix", "*Network"),
              *("*Partition", "*Events", "99999999")),
    "metis": (" 011", " 100", " 1 1", "% ", "99999999"),
    "sif": ("pp", "pd", "->", "observed", "predicted"),
    "matrix-market": (*("%%MatrixMarket matrix ", "coordinate", "array", "pattern", "complex"),
                      *("symmetric", "skew-symmetric", "hermitian", "general", "integer", "1D+00")),
}  # fmt: skip

ODD_NAMES = ("'", "=1+1", "#x", "%y", "!z", "pp", "predicted", "observed", "<&>", "]]>", "\\")


def told() -> list[bytes]:
    """Return every seed under each ending it may have, and text in other encodings."""
    plain = [content for files in FILES.values() for content in files]
    wide = "a\tb\nb\tc\n".encode("utf-16")
    marked = b"\xef\xbb\xbfa,b\nb,c\n"
    shown = b"0" + wide, b"0" + marked, b"3" + FILES["metis"][0], b"4" + FILES["sif"][1]
    return [*(b"0" + content for content in plain), *shown, b"5" + FILES["cx2"][0]]


def lists() -> list[bytes]:
    """Return lists of nodes."""
    return [b"a\nb\nc\n", b'# nodes\n"a b"\tx\nb\n', "a\r\nß\r\n".encode()]


def written() -> list[bytes]:
    """Return edges between nodes with names that formats have to take care of."""
    odd = "\n".join(f"{name}\tn{at}" for at, name in enumerate(ODD_NAMES)) + "\nn0\tn1\n"
    chain = b"a\tb\nb\tc\nc\td\n"
    return [b"%c" % (48 + at) + text for at in range(5) for text in (odd.encode(), chain)]


def matrix() -> bytes:
    """Return a sparse matrix as scipy writes it."""
    stream = io.BytesIO()
    sp.save_npz(stream, sp.csr_array(np.array([[0, 1.0, 0], [1.0, 0, 2], [0, 2, 0]])), False)
    return stream.getvalue()
