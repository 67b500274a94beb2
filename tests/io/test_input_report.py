"""The input report, counted by hand; what it says in words; what a shape looks like."""

import itertools
import json
import random

import networkx as nx
import pytest
from tests.io.graph_files import reading

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


def test_every_line_is_accounted_for(report):
    assert report.lines == 16
    assert report.rows == 11
    assert report.passed_over == 2
    assert report.dropped == [
        {"reason": "a node name is empty", "count": 2, "first_lines": [12, 15]}
    ]
    header = 1
    assert report.rows + report.passed_over + 2 + header == report.lines


def test_every_row_is_accounted_for(report):
    """Edges: ab, bc, de, ef, fd, 1-Mar–a, 2.31E+13–1-Mar."""
    assert (report.nodes, report.edges) == (8, 7)
    assert (report.duplicates, report.reversed_duplicates) == (1, 1)
    assert (report.self_loops, report.self_loop_nodes) == (2, ["c", "lonely"])
    assert report.isolated == 1
    assert report.edges + 1 + 1 + 2 == report.rows


def test_the_shape_is_measured(report):
    assert (report.components, report.largest_component) == (2, 5)
    assert report.degrees == {"min": 1, "median": 2.0, "mean": 14 / 8, "max": 2}
    assert report.hub == "a"


def test_damaged_names_are_listed(report):
    assert report.damaged_names == ["1-Mar", "2.31E+13"]
    assert report.n_damaged_names == 2


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


# ---------------------------------------------------------------------- damaged names


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


# ---------------------------------------------------------------------- looks


def looks(tmp_path, edges):
    text = "".join(f"n{a}\tn{b}\n" for a, b in edges)
    return reading(tmp_path, "e.tsv", text).report.looks


def test_two_columns_without_a_common_node_look_bipartite(tmp_path):
    (said,) = looks(tmp_path, [(i, 100 + j) for i in range(4) for j in range(6) if (i + j) % 3])
    assert said.startswith("looks bipartite (4 nodes in the first column only, 6 in the second)")
    assert "--between" in said


def test_even_cycles_alone_look_bipartite_whatever_the_columns(tmp_path):
    rng = random.Random(1)
    edges = [rng.sample([i, 10 + j], 2) for i in range(5) for j in range(5)]
    (said,) = looks(tmp_path, edges)
    assert said.startswith("looks bipartite (no cycle has an odd number of edges)")


@pytest.mark.parametrize("seed", range(8))
def test_bipartite_is_what_networkx_calls_so(tmp_path, seed):
    rng = random.Random(seed)
    graph = nx.gnp_random_graph(24, 0.12, seed=seed)
    if seed % 2:
        graph = nx.Graph((i, j) for i, j in nx.bipartite.random_graph(12, 12, 0.2, seed=seed).edges)
    cycles = len(graph.edges) - len(graph) + nx.number_connected_components(graph)
    # Shuffled and turned at random, so that columns tell nothing.
    edges = [rng.sample(edge, 2) for edge in graph.edges]
    assert cycles >= 2
    said = any("bipartite" in look for look in looks(tmp_path, edges))
    assert said == nx.is_bipartite(graph)


@pytest.mark.parametrize(
    "edges",
    [
        [(0, i) for i in range(1, 9)],  # a star
        [(i, i + 1) for i in range(30)],  # a path
        [(0, 1), (2, 3)],
        list(itertools.combinations(range(7), 2)),
        [(i, i + 1) for i in range(30)] + [(30, 0)],  # one cycle
    ],
    ids=["star", "path", "two edges", "clique", "cycle"],
)
def test_small_plain_shapes_look_like_nothing_special(tmp_path, edges):
    assert looks(tmp_path, edges) == []


def test_few_sources_of_many_targets_look_directed(tmp_path):
    edges = [(i % 5, j) for i, j in enumerate(range(1, 41))]
    (said,) = looks(tmp_path, edges)
    assert said.startswith("looks directed (5 sources, 40 targets, 0 pairs both ways)")


def test_some_pairs_both_ways_look_directed(tmp_path):
    edges = list(itertools.combinations(range(8), 2))
    (said,) = looks(tmp_path, edges + [(b, a) for a, b in edges[:5]])
    assert "looks directed (7 sources, 8 targets, 5 pairs both ways)" in said


def test_all_pairs_both_ways_do_not_look_directed(tmp_path):
    edges = list(itertools.combinations(range(8), 2))
    assert looks(tmp_path, edges + [(b, a) for a, b in edges]) == []


def test_pairs_repeated_in_any_order_do_not_look_directed(tmp_path):
    edges = list(itertools.combinations(range(8), 2))
    assert looks(tmp_path, edges + edges[:5] + [(b, a) for a, b in edges[5:10]]) == []


def test_a_table_of_ids_is_said_to_look_so(tmp_path):
    (said,) = looks(tmp_path, [(i, 1000 + i) for i in range(20)])
    assert "no two edges share a node" in said


@pytest.mark.parametrize(("length", "is_said"), [(1_000, True), (20_000, False)])
def test_a_long_even_ring_is_given_up_and_a_short_one_is_not(tmp_path, length, is_said):
    """Colouring goes level by level, and a ring of 20,000 nodes has 10,000 levels."""
    ring = [(i, (i + 1) % length) for i in range(length)]
    edges = [*ring, (0, 3), (10, 13), (20, 23)]  # chords that close even cycles
    assert nx.is_bipartite(nx.Graph(edges))
    assert any("bipartite" in look for look in looks(tmp_path, edges)) == is_said
