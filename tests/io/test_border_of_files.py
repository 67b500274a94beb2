"""Files on either side of a rule: formats and how they are told, numbers, names, directions.

Each rule is asked in one go, as all its cases together take no time.
"""

import contextlib
import gzip

import numpy as np
import pytest
from scipy.sparse.csgraph import connected_components
from tests.io.databases import mitab_row, reading
from tests.io.packing import zipped

from linkprior.errors import InputError
from linkprior.io import formats
from linkprior.io.collector import EdgeCollector
from linkprior.io.formats import Head, ReadOptions
from linkprior.io.read import looks_of, read
from linkprior.io.readers import matrices
from linkprior.io.readers.graphs import whole_numbers
from linkprior.io.readers.string_links import read_string
from linkprior.io.source import open_source
from linkprior.network import Network


def head(text):
    return Head(text.encode(), text, "")


def string(rows):
    """Return a file of STRING from rows of two proteins and a score."""
    lines = "".join(f"9606.P{a} 9606.P{b} {score}\n" for a, b, score in rows)
    return f"protein1 protein2 combined_score\n{lines}"


# ---------------------------------------------------------------------- signs of formats


def test_the_header_of_biogrid_stands_near_the_beginning():
    for above, is_biogrid in ((0, True), (5, True), (500, False)):
        text = "a\tb\n" * above + "#BioGRID Interaction ID\tEntrez Gene\n"
        assert formats.biogrid(head(text)) == is_biogrid, above


def test_mitab_without_a_header_is_told_by_rows_of_fifteen_cells():
    row, short = mitab_row("db:A", "db:B", 15), mitab_row("db:A", "db:B", 14)
    for text, is_mitab in (
        (f"{row}\n{row}\n{row}\n", True),
        (f"{short}\n{short}\n{short}\n", False),
        (f"{row}\n{short}\n{row}\n", False),
        (f"{row}\n{row[:20]}", True),  # the last row may be cut off
        (f"{row}\n{row}\n{row[:20]}", True),
        (f"# made by hand\n{row}\n{row}\n", True),
        (f"made by hand #\n{row}\n{row}\n", False),
    ):
        assert formats.mitab(head(text)) == is_mitab, text


def test_a_member_of_an_archive_is_told_by_its_own_name(tmp_path):
    # A relation nobody knows, which only the suffix makes one.
    packed = {name: zipped({name: "a likes b\nb likes c\n"}) for name in ("e.sif", "e.txt")}
    assert reading(tmp_path, packed["e.sif"], "e.zip").report.format == "sif"
    assert reading(tmp_path, packed["e.txt"], "e.zip").report.format == "edgelist"
    assert reading(tmp_path, packed["e.txt"], "e.sif.zip").report.format == "edgelist"


def test_what_was_unpacked_is_counted_over_all_blocks(tmp_path, monkeypatch):
    path = tmp_path / "e.gz"
    path.write_bytes(gzip.compress(b"a\tb\n" * 250))
    for limit, blocks in (("1000", 10), ("999", 9), ("250", 2)):
        monkeypatch.setenv("LINKPRIOR_UNPACK_LIMIT", limit)
        taken = 0
        with contextlib.suppress(InputError), open_source(path) as source:
            for data in source.blocks(100):
                taken += len(data) == 100
        assert taken == blocks, limit


# ---------------------------------------------------------------------- names and numbers


def test_a_name_has_at_most_a_thousand_characters(tmp_path):
    for length in (999, 1000):
        name = "x" * length
        assert name in reading(tmp_path, f"a\t{name}\na\tb\n").network.names
    with pytest.raises(InputError, match=r":1: a node name of 1001 characters"):
        reading(tmp_path, f"a\t{'x' * 1001}\na\tb\n")


def test_one_number_too_long_is_refused_among_short_ones():
    assert whole_numbers(["1", "5", "02"], 5, "node", "f:1") == [1, 5, 2]
    for word in ("6", "0", "9" * 19, "9" * 5000):
        for words in ([word, "1"], ["1", word], [word]):
            with pytest.raises(InputError, match=rf"f:1: node {word[:30]} is beyond the 5"):
                whole_numbers(words, 5, "node", "f:1")


# ---------------------------------------------------------------------- STRING


def test_scores_of_string_go_from_0_to_1000(tmp_path):
    for score in (0, 1, 999, 1000):
        assert reading(tmp_path, string([(1, 2, score)])).network.n_edges == 1
    for score in (-1, 1001, "0.5"):
        with pytest.raises(InputError, match=r":2: expected a combined score"):
            reading(tmp_path, string([(1, 2, score)]))


def test_string_has_no_direction_whatever_its_rows_look_like(tmp_path):
    # A ring of twenty edges, five of which are given both ways.
    rows = [(k, (k + 1) % 20, 900) for k in range(20)]
    rows += [(b, a, score) for a, b, score in rows[:5]]
    plain = "".join(f"9606.P{a} 9606.P{b}\n" for a, b, _ in rows)
    for text, told in ((plain, True), (string(rows), False)):
        looks = reading(tmp_path, text).report.looks
        assert any("looks directed" in look for look in looks) == told


def test_a_protein_paired_with_itself_is_not_listed_both_ways(tmp_path):
    for rows, twice in (
        ([(1, 2, 900), (2, 1, 900)], True),
        ([(1, 2, 900), (2, 1, 900), (3, 3, 900)], True),
        ([(1, 1, 900), (2, 2, 900)], False),
        ([(1, 2, 900), (3, 1, 900)], False),
    ):
        path = tmp_path / "links.txt"
        path.write_text(string(rows))
        with open_source(path) as source:
            found = EdgeCollector("links.txt")
            read_string(source, found, ReadOptions())
        assert any("listed twice" in note for note in found.notes) == twice, rows


# ---------------------------------------------------------------------- directions


def test_one_pair_both_ways_among_hundreds_is_chance():
    rows = [(k, (k + 1) % 200) for k in range(200)]
    for both_ways, told in ((0, False), (1, False), (20, True), (200, False)):
        ends = np.array(rows + [(b, a) for a, b in rows[:both_ways]])
        network = Network.from_indices(ends, [f"n{k}" for k in range(200)])
        labels = connected_components(network.adjacency, directed=False)[1].astype(np.int32)
        looks = looks_of(network, ends, labels)
        assert any("looks directed" in look for look in looks) == told, both_ways


def test_a_relation_joins_names_and_no_number_follows_it():
    assert formats.sif(head("a pp b\nb pd c\n"))
    assert not formats.sif(head("a pp 5\nb pp 6\n"))  # a score
    assert not formats.sif(head("a pp b\nb pp 0.5\n"))


def test_a_node_that_only_joins_itself_is_left_out_unless_it_is_asked_for(tmp_path):
    (tmp_path / "e.tsv").write_text("a\tb\nc\tc\n")
    assert read(tmp_path / "e.tsv").network.names == ("a", "b")
    assert read(tmp_path / "e.tsv", keep_isolated=True).network.names == ("a", "b", "c")


def test_what_scipy_says_without_a_line_is_told_of_the_file(tmp_path, monkeypatch):
    def broken(*_, **__):
        raise ValueError("something else")

    monkeypatch.setattr(matrices, "_mmread", broken)
    text = "%%MatrixMarket matrix coordinate pattern general\n2 2 1\n1 2\n"
    (tmp_path / "m.mtx").write_text(text)
    with pytest.raises(InputError, match=r"m\.mtx: something else$"):
        read(tmp_path / "m.mtx")
