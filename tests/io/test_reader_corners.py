"""Corners of the readers that a small error in the code could fill without anybody's notice."""

import gzip
import json

import numpy as np
import pytest
import scipy.sparse as sp
from tests.io.graph_files import dropped, pairs, problem, reading

from linkprior.errors import InputError
from linkprior.io import unpack
from linkprior.io.read import read
from linkprior.io.source import _refuse_long, open_source


def test_a_thousand_tags_beside_each_other_are_not_inside_each_other(tmp_path):
    """The limit on depth counts what is open, not what has been."""
    nodes = "".join(f'<node id="n{n}"/>' for n in range(1500))
    edges = "".join(f'<edge source="n{n}" target="n{n + 1}"/>' for n in range(1499))
    text = f'<graphml><graph edgedefault="undirected">{nodes}{edges}</graph></graphml>'
    assert reading(tmp_path, "g.graphml", text).network.n_edges == 1499


def cx2_of(edges):
    nodes = sorted({end for edge in edges for end in edge[:2]})
    return json.dumps(
        [
            {"CXVersion": "2.0", "hasFragments": False},
            {"nodes": [{"id": n, "v": {"name": f"g{n}"}} for n in nodes]},
            {
                "edges": [
                    {"id": at, "s": s, "t": t, "v": {"kind": kind}}
                    for at, (s, t, kind) in enumerate(edges)
                ]
            },
            {"status": [{"success": True}]},
        ]
    )


def test_a_predicted_link_is_left_out_and_counted_and_its_nodes_are_none_of_the_network(tmp_path):
    text = cx2_of([(0, 1, "pp"), (1, 2, "pp"), (3, 4, "predicted")])
    found = reading(tmp_path, "g.cx2", text, keep_isolated=True)
    assert pairs(found.network) == {frozenset(("g0", "g1")), frozenset(("g1", "g2"))}
    assert list(dropped(found).values()) == [1]


@pytest.mark.parametrize("offset", [-3, -1, 0, 1, 2])
def test_a_matrix_of_diagonals_gives_the_entries_inside_it_and_no_other(tmp_path, offset):
    """The stored rows of a diagonal are longer than the diagonal: what sticks out is no entry."""
    n = 6
    data = np.arange(1.0, 2 * n + 1).reshape(2, n)
    matrix = sp.dia_array((data, [offset, 3]), shape=(n, n))
    sp.save_npz(tmp_path / "m.npz", matrix)
    dense = matrix.toarray()
    expected = {frozenset((i, j)) for i, j in np.argwhere(dense).tolist() if i != j}
    network = read(tmp_path / "m.npz").network
    names = [int(name) for name in network.names]
    first = min(names)  # nodes are numbered from 0 or from 1
    got = {frozenset((names[i] - first, names[j] - first)) for i, j in network.edges.tolist()}
    lowest = min(min(pair) for pair in expected)
    assert got == {frozenset(end - lowest for end in pair) for pair in expected}


# ---------------------------------------------------------------------- how much is unpacked


def test_a_source_counts_the_bytes_on_the_disk(tmp_path):
    plain = b"a\tb\n" * 50_000
    packed = gzip.compress(plain)
    (tmp_path / "e.tsv.gz").write_bytes(packed)
    with open_source(tmp_path / "e.tsv.gz") as source:
        assert b"".join(source.blocks(1 << 10)) == plain
        assert source._tap.count == len(packed)


def test_what_unpacks_beyond_its_ratio_is_refused_at_the_byte(tmp_path, monkeypatch):
    """With nothing free, the ratio alone decides: one byte more than it allows is too much."""
    packed = gzip.compress(b"ab\tcd\n" * 400)
    size = len(gzip.decompress(packed))
    (tmp_path / "e.tsv.gz").write_bytes(packed)
    monkeypatch.setattr(unpack, "FREE", 0)
    monkeypatch.setitem(unpack.MOST_RATIO, "gzip", size / len(packed))
    assert read(tmp_path / "e.tsv.gz").network.n_edges == 1
    monkeypatch.setitem(unpack.MOST_RATIO, "gzip", (size - 1) / len(packed))
    assert "decompression bomb" in problem(tmp_path, "e.tsv.gz", packed)


@pytest.mark.parametrize(("allowed", "fits"), [(2400, True), (2399, False)])
def test_the_users_own_limit_is_exact(tmp_path, monkeypatch, allowed, fits):
    packed = gzip.compress(b"ab\tcd\n" * 400)
    monkeypatch.setenv(unpack.VARIABLE, str(allowed))
    if fits:
        assert reading(tmp_path, "e.tsv.gz", packed).network.n_edges == 1
    else:
        assert unpack.VARIABLE in problem(tmp_path, "e.tsv.gz", packed)


# ---------------------------------------------------------------------- single formats


def test_a_pajek_file_says_how_many_unknown_sections_it_left_out(tmp_path):
    unknown = "".join(f"*Odd{n}\n1 2\n" for n in range(9))
    found = reading(tmp_path, "g.net", f"*Vertices 3\n*Edges\n1 2\n{unknown}")
    [note] = [note for note in found.report.notes if "not known" in note]
    listed = sum(f"odd{n}" in note.lower() for n in range(9))
    assert f"and {9 - listed} more" in note


@pytest.mark.parametrize("layout", ["csr", "csc"])
def test_pointers_beyond_the_last_entry_are_refused(tmp_path, layout):
    parts = {"format": layout.encode(), "shape": (3, 3), "data": np.ones(2)}
    np.savez(tmp_path / "m.npz", **parts, indices=np.array([1, 2]), indptr=np.array([0, 1, 2, 5]))
    told = problem(tmp_path, "m.npz", (tmp_path / "m.npz").read_bytes())
    assert "beyond the last entry" in told


@pytest.mark.parametrize("gap", ["  ", "   "])
def test_quoted_names_with_several_spaces_between_are_two_names(tmp_path, gap):
    rows = "".join(f'"gene {n}"{gap}"gene {n + 1}"\n' for n in range(6))
    network = reading(tmp_path, "e.txt", rows).network
    assert pairs(network) == {frozenset((f"gene {n}", f"gene {n + 1}")) for n in range(6)}


@pytest.mark.parametrize("before", [0, 1, 700, 1000])
def test_a_long_line_is_refused_wherever_it_lies(before):
    text = "a\tb\n" * before + "x" * 1001 + "\n" + "a\tb\n" * 300
    with pytest.raises(InputError, match=f"^f:{before + 7}: a line of more than"):
        _refuse_long(text, 1000, "f", 7)
    _refuse_long(text, 1001, "f", 7)
