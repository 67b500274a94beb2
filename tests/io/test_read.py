"""The input report: what was read and left out, and what the network looks like."""

import itertools
import json

import networkx as nx
import numpy as np
import pytest
from scipy.sparse.csgraph import connected_components
from tests.io.files import reading

from linkprior.io.read import looks_of
from linkprior.network import Network

FILE = """\
# a network of nine names
source\ttarget\tweight
a\tb\t1
b\ta\t2
a\tb\t3
b\tc\t1
c\tc\t1

d\te\t5
e\tf\t1
f\td\t1
\tg\t1
1-Mar\ta\t1
lonely\tlonely\t1
h\t\t1
2.31E+13\t1-Mar\t0.5
"""


@pytest.fixture
def report(tmp_path):
    return reading(tmp_path, "edges.tsv", FILE).report


def test_the_text_says_it_all_in_few_lines(report):
    assert report.text()[1:] == [
        "16 lines read, 11 edges listed, 2 comment or blank lines",
        "8 nodes, 7 edges",
        "1 duplicate merged, 1 reversed duplicate merged, 2 self-loops left out (c, lonely), "
        "1 node without an edge left out",
        "2 rows left out: a node name is empty (lines 12, 15)",
        "2 components, the largest of 5 nodes; degrees: median 2, mean 1.75, largest 2 (node a)",
        "Warning: 2 names look damaged by a spreadsheet: 1-Mar, 2.31E+13. Go back to the file "
        "from before",
    ]
    assert report.text()[0].endswith(
        "edges.tsv: tab-separated edge list, nodes in the columns source and target"
    )


def test_a_small_clean_file_needs_four_lines(tmp_path):
    report = reading(tmp_path, "e.txt", "a b\n").report
    assert report.text()[1:] == [
        "1 line read, 1 edge listed",
        "2 nodes, 1 edge",
        "1 component; degrees: median 1, mean 1, largest 1 (node a)",
    ]


def test_the_report_is_plain_json_with_nothing_lost(report):
    again = json.loads(json.dumps(report.to_dict()))
    assert again == report.to_dict()
    assert set(again) == set(report.__dataclass_fields__)


def test_only_the_first_lines_and_names_are_kept(tmp_path):
    rows = "".join(f"n{i}\tn{i}\n\tx{i}\n" for i in range(100))
    report = reading(tmp_path, "e.tsv", f"a\tb\n{rows}").report
    assert report.dropped[0]["first_lines"] == [3, 5, 7, 9, 11]
    assert len(report.self_loop_nodes) == 20
    text = "\n".join(report.text())
    assert "100 self-loops left out (n0, n1, n2, n3, n4 …)" in text
    assert "100 rows left out: a node name is empty (lines 3, 5, 7, 9, 11 …)" in text


def test_a_long_name_is_cut_in_the_text(tmp_path):
    report = reading(tmp_path, "e.tsv", f"{'x' * 900}\tb\n{'x' * 900}\tc\n").report
    assert report.hub == "x" * 900
    assert max(map(len, report.text()[1:])) < 150


def test_in_a_notebook_names_are_text_not_markup(tmp_path):
    report = reading(tmp_path, "e.tsv", "<script>\tb\n<script>\t<script>\n").report
    page = report._repr_html_()
    assert "<script>" not in page
    assert "&lt;script&gt;" in page
    assert "2 nodes, 1 edge" in page


@pytest.mark.parametrize(
    "name",
    [
        *("1-Mar", "Mar-01", "2-Sep", "1-sept", "01-Dec-2003", "2003-03-01", "2003-03-01 00:00:00"),
        *("3/1/2003", "2.31E+13", "2,31E+13", "1E+05", "3e-10", "#N/A", "#NAME?", "#REF!"),
    ],
)
def test_what_a_spreadsheet_makes_of_names(tmp_path, name):
    report = reading(tmp_path, "e.tsv", f"TP53\tMDM2\n{name}\tTP53\n").report
    assert report.damaged_names == [name]
    assert any(line.startswith("Warning: 1 name looks damaged") for line in report.text())


@pytest.mark.parametrize(
    "name",
    ["MARCH1", "SEPT2", "1E5", "E+13", "50-00-0", "Mar-thin", "2-Mar-kinase", "1.5", "P53-1", "10"],
)
def test_names_that_only_resemble_damage(tmp_path, name):
    report = reading(tmp_path, "e.tsv", f"TP53\tMDM2\n{name}\tTP53\n").report
    assert report.n_damaged_names == 0


@pytest.mark.parametrize("name", ["nan", "NA", "NULL", "-"])
def test_a_missing_name_that_became_a_node_is_noted(tmp_path, name):
    notes = reading(tmp_path, "e.tsv", f"a\tb\nb\t{name}\n").report.notes
    assert any(f"a node is called {name}: " in note for note in notes)


def looks(tmp_path, edges):
    text = "".join(f"n{a}\tn{b}\n" for a, b in edges)
    return reading(tmp_path, "e.tsv", text).report.looks


@pytest.mark.parametrize(("length", "is_said"), [(1_000, True), (20_000, False)])
def test_a_long_even_ring_is_given_up_and_a_short_one_is_not(tmp_path, length, is_said):
    """Colouring goes level by level, and a ring of 20,000 nodes has 10,000 levels."""
    ring = [(i, (i + 1) % length) for i in range(length)]
    edges = [*ring, (0, 3), (10, 13), (20, 23)]  # chords that close even cycles
    assert nx.is_bipartite(nx.Graph(edges))
    assert any("bipartite" in look for look in looks(tmp_path, edges)) == is_said


def looks_of_edges(rows, directed=None):
    """Return what is said of rows of node numbers."""
    ends = np.array(rows)
    names = [f"n{k}" for k in range(ends.max() + 1)]
    network = Network.from_indices(ends, names)
    labels = connected_components(network.adjacency, directed=False)[1].astype(np.int32)
    return list(looks_of(network, ends, labels, directed))


def bipartite(rows):
    return any("looks bipartite" in look for look in looks_of_edges(rows))


def directed(rows):
    return any("looks directed" in look for look in looks_of_edges(rows))


def turned(rows):
    return [(b, a) for a, b in rows]


@pytest.mark.parametrize(("pairs", "said"), [(9, False), (10, True), (11, True)])
def test_ten_edges_without_a_common_node_may_be_a_table(pairs, said):
    rows = [(2 * k, 2 * k + 1) for k in range(pairs)]
    assert any("table of names" in look for look in looks_of_edges(rows)) == said
    assert not bipartite(rows)


def test_one_shared_node_makes_it_a_network():
    rows = [(2 * k, 2 * k + 1) for k in range(12)]
    assert looks_of_edges([*rows, (1, 3)]) == []


def test_two_columns_without_a_common_node_are_reported_with_their_sizes():
    (said,) = looks_of_edges([(0, 2), (0, 3), (1, 3), (1, 4)])
    assert said.startswith("looks bipartite (2 nodes in the first column only, 3 in the second)")


@pytest.mark.parametrize("rows", [[(0, k) for k in range(1, 5)], [(k, 4) for k in range(4)]])
def test_a_star_is_not_called_bipartite(rows):
    assert looks_of_edges(rows) == []


SQUARES = [(0, 1), (1, 2), (2, 3), (3, 0), (2, 4), (4, 5), (5, 3)]  # two with a common side


def test_two_even_cycles_look_bipartite_and_one_does_not():
    assert bipartite(SQUARES)
    assert "no cycle has an odd number" in looks_of_edges(SQUARES)[0]
    assert not bipartite(SQUARES[:4])
    assert not bipartite([*SQUARES[:4], (3, 6), (6, 7)])


def test_even_cycles_in_two_parts_look_bipartite_and_an_odd_one_anywhere_does_not():
    """The part with the odd cycle is the first or the last."""
    other = [(a + 10, b + 10) for a, b in SQUARES]
    odd = [(20, 21), (21, 22), (22, 20)]
    assert bipartite([*SQUARES, *other])
    assert not bipartite([*SQUARES, *odd])
    assert not bipartite([*odd, *SQUARES])


def lopsided(many):
    """Return edges from the first four nodes, of which three are targets too, to many nodes."""
    return [(0, 1), (1, 2), (2, 3), *((k % 4, k) for k in range(4, many + 1))]


def test_three_times_as_many_targets_as_sources_are_not_yet_a_direction():
    """Four sources; the targets are the nodes from 1 on."""
    assert not directed(lopsided(12))
    assert directed(lopsided(13))
    assert directed(turned(lopsided(13)))
    (said,) = looks_of_edges(lopsided(13))
    assert said.startswith("looks directed (4 sources, 13 targets, 0 pairs both ways)")


def test_a_file_that_says_it_has_no_direction_is_not_called_directed():
    assert looks_of_edges(lopsided(13), directed=False) == []
    assert len(looks_of_edges(lopsided(13), directed=True)) == 1


def test_fewer_than_ten_edges_tell_no_direction():
    star = [(0, 1), (1, 0), *((0, k) for k in range(2, 12))]
    assert not directed(star[:10])  # nine edges, one both ways
    assert directed(star[:11])


def test_a_few_pairs_both_ways_do_not_count_among_many_targets():
    """One in twenty does."""
    for edges, said in ((20, False), (21, True)):
        rows = [(0, k) for k in range(1, edges + 1)]
        assert directed([*rows, (1, 0), (0, 1), (0, 1)]) == said


def mixed(edges, both, again=0):
    """Return edges of a clique, so many of them both ways and so many repeated."""
    rows = list(itertools.combinations(range(30), 2))[::-1][:edges]
    rows = [row if k % 2 else row[::-1] for k, row in enumerate(rows)]
    return [*rows, *turned(rows[:both]), *rows[:again]]


@pytest.mark.parametrize(
    ("edges", "both", "again", "said"),
    [
        (9, 4, 0, False),  # too few edges
        (10, 4, 0, True),
        (100, 2, 0, False),  # one in fifty by chance
        (100, 3, 0, True),
        (10, 8, 0, True),
        (10, 9, 0, False),  # nearly all: both ways is how the file lists edges
        (100, 89, 0, True),
        (100, 90, 0, False),
        (100, 20, 10, False),  # rows repeat in any order
        (100, 21, 10, True),
        (100, 20, 9, True),
    ],
)
def test_some_pairs_both_ways_but_not_all_look_directed(edges, both, again, said):
    assert directed(mixed(edges, both, again)) == said
