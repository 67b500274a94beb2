"""What a network looks like, just at and just beyond each rule."""

import itertools

import numpy as np
import pytest
from scipy.sparse.csgraph import connected_components

from linkprior.io import read
from linkprior.io.read import looks_of
from linkprior.network import Network


def looks(rows, directed=None):
    """Return what is said of rows of node numbers."""
    ends = np.array(rows)
    names = [f"n{k}" for k in range(ends.max() + 1)]
    network = Network.from_indices(ends, names)
    labels = connected_components(network.adjacency, directed=False)[1].astype(np.int32)
    return list(looks_of(network, ends, labels, directed))


def bipartite(rows):
    return any("looks bipartite" in look for look in looks(rows))


def directed(rows):
    return any("looks directed" in look for look in looks(rows))


def turned(rows):
    return [(b, a) for a, b in rows]


# ---------------------------------------------------------------------- tables and two columns


@pytest.mark.parametrize(("pairs", "said"), [(9, False), (10, True), (11, True)])
def test_ten_edges_without_a_common_node_may_be_a_table(pairs, said):
    rows = [(2 * k, 2 * k + 1) for k in range(pairs)]
    assert any("table of names" in look for look in looks(rows)) == said
    assert not bipartite(rows)


def test_one_shared_node_makes_it_a_network():
    rows = [(2 * k, 2 * k + 1) for k in range(12)]
    assert looks([*rows, (1, 3)]) == []


def test_two_columns_without_a_common_node_are_told_with_their_sizes():
    (said,) = looks([(0, 2), (0, 3), (1, 3), (1, 4)])
    assert said.startswith("looks bipartite (2 nodes in the first column only, 3 in the second)")


@pytest.mark.parametrize("rows", [[(0, k) for k in range(1, 5)], [(k, 4) for k in range(4)]])
def test_a_star_is_not_called_bipartite(rows):
    assert looks(rows) == []


def test_one_node_in_both_columns_is_enough_to_doubt():
    rows = [(0, 2), (0, 3), (1, 3), (1, 4)]
    assert not bipartite([*rows, (4, 5)])


# ---------------------------------------------------------------------- cycles

SQUARES = [(0, 1), (1, 2), (2, 3), (3, 0), (2, 4), (4, 5), (5, 3)]  # two with a common side


def test_two_even_cycles_look_bipartite_and_one_does_not():
    assert bipartite(SQUARES)
    assert "no cycle has an odd number" in looks(SQUARES)[0]
    assert not bipartite(SQUARES[:4])
    assert not bipartite([*SQUARES[:4], (3, 6), (6, 7)])


def test_even_cycles_in_two_parts_look_bipartite_and_an_odd_one_anywhere_does_not():
    """The part with the odd cycle is the first or the last."""
    other = [(a + 10, b + 10) for a, b in SQUARES]
    odd = [(20, 21), (21, 22), (22, 20)]
    assert bipartite([*SQUARES, *other])
    assert not bipartite([*SQUARES, *odd])
    assert not bipartite([*odd, *SQUARES])


def test_an_odd_cycle_far_from_the_start_is_found():
    path = [(k, k + 1) for k in range(8)]
    assert not bipartite([*path, (8, 9), (9, 10), (10, 8), (0, 11), (11, 12), (12, 1)])


@pytest.mark.parametrize(("levels", "said"), [(2, False), (3, False), (4, True), (5, True)])
def test_colouring_ends_with_the_last_level_and_is_given_up_before(monkeypatch, levels, said):
    """From node 0 it takes four levels to reach all nodes of these cycles."""
    monkeypatch.setattr(read, "_MOST_LEVELS", levels)
    assert bipartite(SQUARES) == said


# ---------------------------------------------------------------------- directions


def test_what_the_file_says_counts_first():
    (said,) = looks([(0, 1), (1, 2)], directed=True)
    assert said == "looks directed (the file says so); links are taken without direction"
    assert looks([(0, 1), (1, 2)], directed=False) == []


def lopsided(many):
    """Return edges from the first four nodes, of which three are targets too, to many nodes."""
    return [(0, 1), (1, 2), (2, 3), *((k % 4, k) for k in range(4, many + 1))]


def test_three_times_as_many_targets_as_sources_are_not_yet_a_direction():
    """Four sources; the targets are the nodes from 1 on."""
    assert not directed(lopsided(12))
    assert directed(lopsided(13))
    assert directed(turned(lopsided(13)))
    (said,) = looks(lopsided(13))
    assert said.startswith("looks directed (4 sources, 13 targets, 0 pairs both ways)")


def test_a_file_that_says_it_has_no_direction_is_not_called_directed():
    assert looks(lopsided(13), directed=False) == []
    assert len(looks(lopsided(13), directed=True)) == 1


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


def test_pairs_both_ways_are_told_with_their_number():
    (said,) = looks(mixed(40, 13))
    assert "13 pairs both ways" in said
