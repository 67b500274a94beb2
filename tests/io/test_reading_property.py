"""Any edge list, however it is written, reads as the network built directly from its pairs."""

import bz2
import gzip
import lzma

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.io.files import written, zipped

from linkprior.io.read import read
from linkprior.io.source import Source
from linkprior.network import Network

PACKERS = [bytes, gzip.compress, bz2.compress, lzma.compress, lambda data: zipped({"x": data})]
# Words in upper case are no usual column names, and no numbers.
NAMES = st.text(alphabet="PQRé蛋 ,;#\"'", min_size=1, max_size=5).filter(
    lambda name: name == name.strip() and any(letter in "PQR" for letter in name)
)
HEADERS = {
    ("source", "target"): (0, 1),
    ("gene_a", "gene_b", "in_screen"): (0, 1),
    ("pmid", "node1", "node2"): (1, 2),
    ("kind", "to", "weight", "from"): (1, 3),
    None: (0, 1),
}


@st.composite
def edge_lists(draw):
    """Pairs of names, and the text of a file that holds them."""
    pool = draw(st.lists(NAMES, min_size=2, max_size=6, unique=True))
    pair = st.tuples(st.sampled_from(pool), st.sampled_from(pool))
    edges = draw(
        st.lists(pair, min_size=1, max_size=25).filter(lambda es: any(a != b for a, b in es))
    )
    separator = draw(st.sampled_from(["\t", ",", ";", " "]))
    header = draw(st.sampled_from(list(HEADERS)))
    ends = HEADERS[header]
    width = len(header) if header else draw(st.integers(2, 4))
    always = draw(st.booleans())
    lines = [separator.join(header)] if header else []
    for edge in edges:
        cells = ["X"] * width
        cells[ends[0]], cells[ends[1]] = (quoted(name, separator, always) for name in edge)
        lines += draw(st.lists(st.sampled_from(["", "# P\tQ", "% P,Q", "!", " \t"]), max_size=1))
        lines.append(draw(st.sampled_from(["", " "])) + separator.join(cells))
    end = draw(st.sampled_from(["\n", "\r\n", "\r"]))
    text = end.join(lines) + draw(st.sampled_from(["", end]))
    return edges, text.encode(draw(st.sampled_from(["utf-8", "utf-8-sig", "utf-16"])))


def quoted(name, separator, always):
    special = '"#' + {"\t": "", " ": " ,;"}.get(separator, ",;")
    if always or any(mark in name for mark in special):
        return '"' + name.replace('"', '""') + '"'
    return name


@settings(
    deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
@given(case=edge_lists(), pack=st.sampled_from(PACKERS), block=st.sampled_from([7, 64, 1 << 22]))
def test_a_file_reads_as_the_network_of_its_pairs(tmp_path, monkeypatch, case, pack, block):
    edges, content = case
    pieces = Source.blocks
    sizes = []

    def small(self, size=block):
        for data in pieces(self, size):
            sizes.append(len(data))
            yield data

    monkeypatch.setattr(Source, "blocks", small)
    expected = Network.from_edges(edges)
    for keep in (False, True):
        found = read(written(tmp_path, "file", pack(content)), keep_isolated=keep)
        wanted = expected if keep else expected.drop_isolated()
        assert found.network.names == wanted.names
        assert found.network.edges.tolist() == wanted.edges.tolist()
        assert found.network.merged == wanted.merged
        assert found.report.rows == len(edges)
        header = found.report.lines - found.report.rows - found.report.passed_over
        assert header in (0, 1)
    assert 0 < max(sizes) <= block
    monkeypatch.undo()
