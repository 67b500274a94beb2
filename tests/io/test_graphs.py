"""What graph formats share: numbered nodes, labels, repeated ids, weights of zero."""

import itertools

import numpy as np
import pytest
from tests.io.files import dropped, links, pairs, reading, written

import linkprior as lp
from linkprior.errors import InputError, ParameterError
from linkprior.io.collector import EdgeCollector
from linkprior.io.formats import ReadOptions
from linkprior.io.read import read
from linkprior.io.readers.graphs import NamedGraph, each_once, hand_over_numbered
from linkprior.io.writers import write_ranking


@pytest.fixture
def found():
    return EdgeCollector("f")


def edges(found):
    return [[found.names[a], found.names[b]] for a, b in found.ends.tolist()]


ENDS = np.array([[9, 2], [2, 9], [4, 9]])


@pytest.mark.parametrize(
    ("n_nodes", "labels", "listed"),
    [
        (1_000_000, 0, True),
        (1_000_001, 0, False),
        (1_000_004, 250_001, True),  # four for each label
        (1_000_005, 250_001, False),
    ],
)
def test_of_very_many_nodes_only_those_with_edges_are_listed(found, n_nodes, labels, listed):
    names = {k: f"x{k}" for k in range(1, labels + 1)}
    hand_over_numbered(found, n_nodes, ENDS, labels=names)
    assert edges(found) == [[names.get(k, str(k)) for k in pair] for pair in ENDS.tolist()]
    assert len(found.names) == (n_nodes if listed else 3)
    note = f"{n_nodes - 3:,} of the {n_nodes:,} nodes declared have no edge and are left out"
    assert [told.startswith(note) for told in found.notes] == [True] * (not listed)


def test_only_a_matrix_that_gives_every_pair_both_ways_is_symmetric(found):
    """All directed graphs on three nodes, against the definition."""
    every = list(itertools.product(range(3), repeat=2))
    for size in range(6):
        for chosen in itertools.combinations(every, size):
            ends, _, both_ways = each_once(found, np.array(chosen, int).reshape(-1, 2), [])
            assert both_ways == (set(chosen) == {(j, i) for i, j in chosen}), chosen
            upper = [[i, j] for i, j in chosen if i <= j or not both_ways]
            assert ends.tolist() == upper, chosen


A_LINE = 400  # characters: some lines of a terminal at most


def listed(*names, node="1"):
    """Return what the collector has after one node was listed once with each tuple of names."""
    found = EdgeCollector("g")
    graph = NamedGraph(found)
    for line, alike in enumerate(names, 1):
        number = graph.declare(node, line)
        for name in alike:
            graph.label(number, 0, name)
    graph.hand_over()
    return found


def told(*names, node="1"):
    with pytest.raises(InputError) as caught:
        listed(*names, node=node)
    return str(caught.value)


def test_of_several_names_in_one_listing_only_the_first_must_agree():
    """The first name counts in each listing; the whole of it, repeated, is the same node."""
    for again in (("x",), ("x", "y"), ("x", "z"), ("x", "y", "z"), ()):
        assert list(listed(("x", "y"), again).names) == ["x"], again
    for again in (("y",), ("y", "x"), ("z", "x", "y")):
        wrong = f"g:2: the id '1' is that of two nodes, 'x' and '{again[0]}';"
        assert told(("x", "y"), again).startswith(wrong), again
    assert told(("x",), ("x", "y"), ("y",)).startswith("g:3: the id '1' is that of two nodes")


def test_a_label_too_long_to_be_a_name_leaves_the_node_its_id():
    """A name of 1,001 characters would be refused, and the file with it."""
    for n in (999, 1000, 1001, 5000):
        label = "x" * n
        assert list(listed((label,)).names) == [label if n <= 1000 else "1"], n
    with pytest.raises(InputError, match="^g:1: .*expected at most 1000"):
        listed((), node="x" * 1001)


def test_a_node_listed_twice_under_long_names_is_reported_in_a_short_message():
    long = "w" * 900
    for node, first, second in ((long, "x", "y"), ("1", long, "y"), ("1", "x", long)):
        assert len(told((first,), (second,), node=node)) < A_LINE
    (note,) = listed((), (), node=long).notes
    assert note.startswith("1 node is listed again under an id that was used before")
    assert len(note) < A_LINE
    assert listed((), (), ()).notes[0].startswith("2 nodes are listed again")


ZEROS = {
    "g.graphml": '<graphml><key id="w" for="edge" attr.name="Weight"><default>0</default></key>'
    '<graph><edge source="a" target="b"><data key="w">0.0</data></edge><edge source="b" '
    'target="c"/><edge source="c" target="d"><data key="w">0.5</data></edge></graph></graphml>',
    "g.gexf": '<gexf><graph><edges><edge source="a" target="b" weight="0"/><edge source="b" '
    'target="c" weight="-0.0"/><edge source="c" target="d" weight="2"/></edges></graph></gexf>',
    "g.net": '*Vertices 4\n1 a\n2 b\n3 c\n4 d\n*Edges\n1 2 0\n2 3 0e5 l "x"\n3 4 c Blue\n',
    "g.cx2": '[{"CXVersion":"2.0"},{"nodes":[{"id":"a"},{"id":"b"},{"id":"c"},{"id":"d"}]},'
    '{"edges":[{"s":"a","t":"b","v":{"weight":0}},{"s":"b","t":"c","v":{"weight":0.0}},'
    '{"s":"c","t":"d","v":{"weight":1e-9}}]}]',
    "g.cx": '[{"nodes":[{"@id":"a"},{"@id":"b"},{"@id":"c"},{"@id":"d"}]},{"edges":['
    '{"@id":7,"s":"a","t":"b"},{"@id":8,"s":"b","t":"c"},{"@id":9,"s":"c","t":"d"}]},'
    '{"edgeAttributes":[{"po":[7,8],"n":"weight","v":"0"}]}]',
}


@pytest.mark.parametrize("name", ZEROS)
def test_edges_of_weight_zero_are_edges_and_noted(tmp_path, name):
    found = reading(tmp_path, name, ZEROS[name])
    assert pairs(found.network) == links("a-b", "b-c", "c-d")
    assert "2 edges have weight 0 and count as edges" in found.report.notes


@pytest.mark.parametrize("form", ["graphml", "cx2", "sif"])
def test_our_own_export_is_read_without_its_predictions(tmp_path, form, planted):
    ranking = lp.make("l3").fit(planted).predict_edges(20)
    path = tmp_path / f"out.{form}"
    with path.open("w", encoding="utf-8", newline="") as target:
        write_ranking(target, ranking, form, planted)
    found = read(path)
    inside = {name for pair in ranking.names for name in pair}
    assert pairs(found.network) == {edge for edge in pairs(planted) if edge <= inside}
    assert dropped(found) == {"marked as predicted, not observed": 20}


@pytest.mark.parametrize(
    "name", ["graphml", "gexf", "cx2", "pajek", "metis", "sif", "matrix-market", "npz"]
)
def test_options_of_tables_do_not_apply(tmp_path, name):
    path = written(tmp_path, "g.txt", "a b\n")
    with pytest.raises(ParameterError, match="--min-score does not apply"):
        read(path, format=name, options=ReadOptions(min_score=0.5))
