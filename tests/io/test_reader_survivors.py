"""What readers do at the edge of their rules: which line is blamed, which columns are nodes."""

import gzip
import io
import itertools
import zipfile

import numpy as np
import pytest
import scipy.sparse as sp
from tests.io.databases import TAB2, biogrid, mitab_row
from tests.io.graph_files import dropped, pairs, problem, reading, written

from linkprior.errors import InputError, ParameterError
from linkprior.io.formats import ReadOptions
from linkprior.io.node_lists import read_pairs
from linkprior.io.read import read
from linkprior.io.readers.columns import pair_of_columns
from linkprior.io.readers.delimited import sample_of
from linkprior.io.readers.graphs import one_of_each
from linkprior.io.readers.mitab import Field, fields_of, is_physical
from linkprior.io.source import Block


def links(*words):
    """Return pairs of names written a-b."""
    return {frozenset(word.split("-")) for word in words}


# ---------------------------------------------------------------------- tables of databases


def test_of_biogrid_rows_the_one_that_is_cut_off_is_named(tmp_path):
    header, first, second, *_ = biogrid(header=TAB2).splitlines()
    cut = second[: second.index("\t")]
    told = problem(tmp_path, "b.txt", "\n".join([header, first, cut, first]) + "\n")
    assert told.startswith(f"b.txt:3: expected {len(TAB2)} columns")
    assert "got 1" in told


def test_of_mitab_rows_the_one_that_is_cut_off_is_named(tmp_path):
    whole = mitab_row("uniprotkb:P1", "uniprotkb:P2", 15)
    text = f"{whole}\n{whole}\nuniprotkb:P3\tuniprotkb:P4\n{whole}\n"
    told = problem(tmp_path, "m.txt", text, format="mitab")
    assert told.startswith("m.txt:3: expected at least the 15 columns")


@pytest.mark.parametrize("width", [15, 16])
def test_a_header_of_fifteen_columns_is_enough_to_tell_mitab(tmp_path, width):
    """The rows do not tell: their identifiers name no database."""
    header = "\t".join(["#ID(s) interactor A", "ID(s) interactor B", *"c" * (width - 2)])
    rows = [mitab_row("P1", "P2", width), mitab_row("P2", "P3", width)]
    assert reading(tmp_path, "m.txt", "\n".join([header, *rows])).report.format == "mitab"


def test_a_wide_table_with_one_row_like_those_of_mitab_is_an_edge_list(tmp_path):
    ends = [("db:A", "db:B"), ("C", "D"), ("D", "E"), ("E", "db:A")]
    rows = ["\t".join([*pair, *"abcdefghijklmno"]) for pair in ends]
    found = reading(tmp_path, "t.txt", "\n".join(rows) + "\n")
    assert found.report.format == "edgelist"
    assert pairs(found.network) == set(map(frozenset, ends))


# Interaction types of PSI-MI below "physical association", by name.
PHYSICAL = {
    "aggregation": 191,
    "acetylation reaction": 192,
    "cleavage reaction": 194,
    "covalent binding": 195,
    "degeranylation reaction": 200,
    "phosphorylation reaction": 217,
    "ubiquitination reaction": 220,
    "direct interaction": 407,
    "disulfide bond": 408,
    "enzymatic reaction": 414,
    "transglutamination reaction": 556,
    "sumoylation reaction": 566,
    "association": 914,
    "physical association": 915,
    "oxidoreductase activity electron transfer reaction": 945,
    "phosphopantetheinylation": 971,
    "phospholipase reaction": 1146,
}


@pytest.mark.parametrize("number", PHYSICAL.values(), ids=PHYSICAL)
def test_a_physical_interaction_is_told_by_its_number_alone(number):
    assert is_physical(f'psi-mi:"MI:{number:04}"')
    assert is_physical(f"psi-mi:MI:{number:04}(as somebody else calls it)")


def test_brackets_inside_brackets_stay_with_the_text_of_a_short_identifier():
    assert fields_of("db:a(b (c))") == [Field("db", "a", "b (c)")]


def test_links_of_string_without_comments_have_no_line_passed_over(tmp_path):
    text = "protein1 protein2 combined_score\n9606.a 9606.b 900\n9606.b 9606.c 400\n"
    assert reading(tmp_path, "s.txt", text).report.passed_over == 0


def test_two_proteins_without_a_combined_score_are_an_edge_list(tmp_path):
    text = "protein1 protein2 evidence\na b seen\nb c seen\nc d told\n"
    found = reading(tmp_path, "s.txt", text)
    assert found.report.format == "edgelist"
    assert pairs(found.network) == links("a-b", "b-c", "c-d")


# ---------------------------------------------------------------------- columns of edge lists


def test_columns_about_the_species_are_the_ends_only_where_there_are_no_others():
    assert pair_of_columns(["species_a", "species_b", "clone_a", "clone_b"]) == (2, 3)
    assert pair_of_columns(["species_a", "species_b", "remark", "source"]) == (0, 1)


def test_a_row_that_ends_before_a_chosen_column_is_named(tmp_path):
    text = "a\tx\tb\nb\tx\tc\nc\tx\nd\tx\te\n"
    told = problem(tmp_path, "e.tsv", text, options=ReadOptions(columns=("1", "3")))
    assert told.startswith("e.tsv:3: expected 3 columns")


def test_a_hub_that_is_called_like_a_relation_is_a_node_where_scores_follow(tmp_path):
    text = "".join(f"gene{n}\tpp\t{n}.5\n" for n in range(1, 13))
    network = reading(tmp_path, "e.tsv", text).network
    assert pairs(network) == {frozenset((f"gene{n}", "pp")) for n in range(1, 13)}


def test_a_short_table_is_too_short_to_take_repeated_words_for_relations(tmp_path):
    """Two words in eight rows may be two hubs."""
    names = "abcdefghi"
    rows = [(names[n], ("hub", "spoke")[n % 2], names[n + 1]) for n in range(8)]
    found = reading(tmp_path, "e.tsv", "".join("\t".join(row) + "\n" for row in rows))
    assert pairs(found.network) == {frozenset(row[:2]) for row in rows}


def test_weights_by_the_name_in_a_comment_leave_the_first_two_columns_to_the_nodes(tmp_path):
    text = "# who whom strength\na b 1.5\nb c 2.5\nc d 3.5\n"
    found = reading(tmp_path, "e.txt", text, options=ReadOptions(weights="strength"))
    assert pairs(found.network) == links("a-b", "b-c", "c-d")
    facts = found.report.weights
    assert (facts.least, facts.median, facts.largest) == (1.5, 2.5, 3.5)


def test_one_row_wider_than_its_header_does_not_shift_the_columns_of_all(tmp_path):
    text = "source\ttarget\na\tb\nc\td\tseen twice\ne\tf\n"
    assert pairs(reading(tmp_path, "e.tsv", text).network) == links("a-b", "c-d", "e-f")


def test_without_a_header_the_least_score_goes_by_the_column_behind_the_nodes(tmp_path):
    text = "a\tb\t0.9\t0.1\nb\tc\t0.2\t0.8\nc\td\t0.7\t0.3\n"
    found = reading(tmp_path, "e.tsv", text, options=ReadOptions(min_score=0.5))
    assert pairs(found.network) == links("a-b", "c-d")


def test_a_table_of_counts_by_name_is_no_edge_list(tmp_path):
    rows = "".join(f"gene{n}\t{n}\t{n + 3}\t{n + 7}\n" for n in range(5))
    assert "Is it a matrix" in problem(tmp_path, "m.tsv", rows)


def test_a_name_that_ends_in_a_number_does_not_turn_the_separator_into_a_decimal_comma(tmp_path):
    text = "actin,myosin\nprotein kinase 1,2\nmyosin,tubulin\n"
    assert pairs(reading(tmp_path, "e.csv", text).network) == {
        *links("actin-myosin", "myosin-tubulin"),
        frozenset(("protein kinase 1", "2")),
    }


def test_comments_of_all_kinds_and_blank_lines_are_passed_over_together(tmp_path):
    text = "a\tb\n\n \n\t\n#c d\n%c d\n!c d\nsep=\t\nb\tc\n"
    found = reading(tmp_path, "e.tsv", text)
    assert pairs(found.network) == links("a-b", "b-c")
    assert found.report.passed_over == 7


def test_spaces_behind_quoted_names_are_no_third_column(tmp_path):
    text = "".join(f'"gene {n}" "gene {n + 1}" \n' for n in range(5))
    found = reading(tmp_path, "e.txt", text)
    assert pairs(found.network) == {frozenset((f"gene {n}", f"gene {n + 1}")) for n in range(5)}
    assert found.report.guess == "space-separated edge list without header"
    assert not dropped(found)


def test_a_block_without_rows_has_no_layout():
    with pytest.raises(InputError, match="^f: no edge found"):
        sample_of(Block(1, "# only\n\n# comments\n"), "f")


# ---------------------------------------------------------------------- matrices and graphs


def test_only_a_matrix_that_gives_every_pair_both_ways_is_symmetric():
    """All directed graphs on three nodes, against the definition."""
    every = list(itertools.permutations(range(3), 2))
    for size in range(1, len(every) + 1):
        for chosen in itertools.combinations(every, size):
            symmetric = set(chosen) == {(j, i) for i, j in chosen}
            assert (one_of_each(np.array(chosen)) is not None) == symmetric, chosen


def test_pointers_that_do_not_begin_at_the_first_entry_are_refused(tmp_path):
    parts = {"format": b"csr", "shape": (3, 3), "data": np.ones(3)}
    pointers = {"indices": np.array([1, 2, 0]), "indptr": np.array([1, 2, 3, 3])}
    np.savez(tmp_path / "m.npz", **parts, **pointers)
    told = problem(tmp_path, "m.npz", (tmp_path / "m.npz").read_bytes())
    assert "the pointers do not cut the entries into 3 rows" in told


def test_an_array_of_negative_size_is_refused_by_its_header(tmp_path):
    sp.save_npz(tmp_path / "whole.npz", sp.csr_array(np.ones((3, 3))))
    header = io.BytesIO()
    facts = {"descr": "<f8", "fortran_order": False, "shape": (3, -3)}
    np.lib.format.write_array_header_1_0(header, facts)
    with (
        zipfile.ZipFile(tmp_path / "whole.npz") as whole,
        zipfile.ZipFile(tmp_path / "m.npz", "w") as archive,
    ):
        for name in whole.namelist():
            own = header.getvalue() + bytes(72)
            archive.writestr(name, own if name == "data.npy" else whole.read(name))
    told = problem(tmp_path, "m.npz", (tmp_path / "m.npz").read_bytes())
    assert "data.npy declares more than it holds" in told


def test_what_follows_the_two_numbers_of_pajeks_vertices_is_passed_over(tmp_path):
    text = "*Vertices 4 2 women, then events\n*Edges\n1 3\n2 4\n1 4\n"
    assert pairs(reading(tmp_path, "g.net", text).network) == links("1-3", "2-4", "1-4")


def test_predicted_links_of_a_cx2_file_count_as_pairs_that_were_looked_at(tmp_path):
    text = (
        '[{"CXVersion":"2.0"},{"nodes":[{"id":0,"v":{"name":"a"}},{"id":1,"v":{"name":"b"}},'
        '{"id":2,"v":{"name":"c"}}]},{"edges":[{"id":0,"s":0,"t":1,"v":{"kind":"pp"}},'
        '{"id":1,"s":1,"t":2,"v":{"kind":"predicted"}}]},{"status":[{"success":true}]}]'
    )
    path = written(tmp_path, "g.cx2", text)
    assert set(map(frozenset, read_pairs(path))) == links("a-b", "b-c")
    assert pairs(read(path).network) == links("a-b")


def test_an_undefined_entity_is_named_by_its_line_below_a_blank_first_line(tmp_path):
    text = (
        '\n<!DOCTYPE graphml SYSTEM "graphml.dtd">\n<graphml><graph edgedefault="undirected">\n'
        '<node id="a&odd;"/><node id="b"/><edge source="a" target="b"/></graph></graphml>'
    )
    assert problem(tmp_path, "g.graphml", text).startswith("g.graphml:4: refers to &odd;")


def test_a_tree_in_metis_without_its_suffix_is_told_by_its_lines(tmp_path):
    """It has fewer edges than nodes."""
    found = reading(tmp_path, "tree.txt", "4 3\n2\n1 3\n2 4\n3\n")
    assert found.report.format == "metis"
    assert pairs(found.network) == links("1-2", "2-3", "3-4")


# ---------------------------------------------------------------------- what notes say


def test_one_pair_in_a_hundred_given_both_ways_is_no_sign_of_direction(tmp_path):
    rows = [(n, (n + step) % 50) for n in range(50) for step in (1, 2)] + [(1, 0)]
    text = "".join(f"n{a}\tn{b}\n" for a, b in rows)
    assert not any(
        "looks directed" in look for look in reading(tmp_path, "e.tsv", text).report.looks
    )
    text += "".join(f"n{b}\tn{a}\n" for a, b in rows[10:30])
    assert any("looks directed" in look for look in reading(tmp_path, "e.tsv", text).report.looks)


@pytest.mark.parametrize(("chords", "said"), [((), False), (((0, 3),), True)])
def test_a_single_even_cycle_is_too_little_to_call_a_network_bipartite(tmp_path, chords, said):
    rows = [*((n, (n + 1) % 6) for n in range(6)), *chords]
    looks = reading(tmp_path, "e.tsv", "".join(f"n{a}\tn{b}\n" for a, b in rows)).report.looks
    assert any("bipartite" in look for look in looks) == said


# ---------------------------------------------------------------------- packed files


def zipped(**members):
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w") as archive:
        for name, text in members.items():
            archive.writestr(name, text)
    return held.getvalue()


def test_the_suffix_inside_a_zip_archive_tells_the_format(tmp_path):
    """A line of SIF with several targets is told by the suffix alone."""
    found = reading(tmp_path, "n.zip", zipped(**{"net.sif": "a odd b c\nb odd d\n"}))
    assert found.report.format == "sif"
    assert pairs(found.network) == links("a-b", "a-c", "b-d")


def test_what_a_mac_adds_to_a_zip_archive_is_no_second_file(tmp_path):
    content = zipped(**{"net.tsv": "a\tb\nb\tc\n", "__MACOSX/net.tsv": "resources"})
    assert pairs(reading(tmp_path, "n.zip", content).network) == links("a-b", "b-c")


def test_a_file_packed_twice_is_told_so(tmp_path):
    told = problem(tmp_path, "e.gz", gzip.compress(gzip.compress(b"a\tb\nb\tc\n")))
    assert "is packed twice (gzip inside)" in told


def test_a_message_shows_what_a_terminal_would_obey_as_its_code(tmp_path):
    path = written(tmp_path, "e.tsv", "source\x1b[31m\ttarget\tscore\na\tb\t1\nb\tc\t2\n")
    with pytest.raises(ParameterError) as caught:
        read(path, options=ReadOptions(columns=("nothing", "target")))
    told = str(caught.value)
    assert told.isprintable()
    assert "source\\x1b[31m, target, score" in told
