"""PSI-MITAB tables at the edge of their rules: versions, columns, negatives, what is noted."""

import pytest
from tests.io.databases import (
    MITAB_HEADER,
    MOUSE_CELL,
    PHYSICAL,
    edges,
    left_out,
    mitab_row,
    pairs,
    reading,
)

from linkprior.errors import InputError, ParameterError
from linkprior.io.node_lists import read_pairs


def table(*rows):
    return "\n".join(rows) + "\n"


def notes(result):
    return "\n".join(result.report.notes)


@pytest.mark.parametrize(
    ("width", "version"),
    [
        (15, "2.5"),
        (16, "2.5 with 1 more columns"),
        (35, "2.5 with 20 more columns"),
        (36, "2.6"),
        (41, "2.6 with 5 more columns"),
        (42, "2.7"),
        (45, "2.7 with 3 more columns"),
        (46, "2.8"),
        (47, "2.8 with 1 more columns"),
    ],
)
def test_a_version_is_told_by_the_number_of_columns(tmp_path, width, version):
    result = reading(tmp_path, table(mitab_row("u:1", "u:2", width)))
    assert result.report.guess == f"PSI-MITAB {version}, nodes named by accession (u)"
    assert edges(result) == pairs("1-2")


def test_the_first_row_tells_the_version_of_all_blocks(tmp_path, line_by_line):
    rows = [mitab_row("u:1", "u:2", 42), mitab_row("u:2", "u:3", 36)]
    result = reading(tmp_path, table(*rows))
    assert result.report.guess.startswith("PSI-MITAB 2.7, ")
    assert edges(result) == pairs("1-2", "2-3")


def test_each_end_has_its_own_columns_of_aliases_and_alternatives(tmp_path):
    rows = [
        mitab_row("u:1", "u:2", 15, c5="db:One(gene name)", c6="db:Two(gene name)"),
        mitab_row(
            "u:3", "u:4", 15, c3="entrez gene/locuslink:Three", c4="entrez gene/locuslink:Four"
        ),
    ]
    result = reading(tmp_path, table(*rows))
    assert result.labels == {"1": "One", "2": "Two", "3": "Three", "4": "Four"}


def test_the_first_alias_of_a_node_stays_and_a_later_one_fills_a_gap(tmp_path):
    rows = [
        mitab_row("u:1", "u:2", 15, c5="db:One(gene name)"),
        mitab_row("u:1", "u:2", 15, c5="db:Other(gene name)", c6="db:Two(gene name)"),
    ]
    assert reading(tmp_path, table(*rows)).labels == {"1": "One", "2": "Two"}


def test_databases_that_share_accessions_leave_labels_with_the_full_names(tmp_path):
    rows = [mitab_row("a:1", "b:1", 15, c5="db:One(gene name)")]
    assert reading(tmp_path, table(*rows)).labels == {"a:1": "One"}


@pytest.mark.parametrize(
    ("ends", "named"),
    [
        ([("P1", "P2")], "no database given"),
        ([("P1", "u:P2")], "u"),
        ([("a:1", "a:2"), ("b:3", "c:4"), ("d:5", "a:6"), ("b:7", "c:8")], "a, b, c"),
    ],
)
def test_the_databases_named_are_the_three_most_common(tmp_path, ends, named):
    content = table(*(mitab_row(a, b, 15) for a, b in ends))
    result = reading(tmp_path, content, format="mitab")
    assert result.report.guess == f"PSI-MITAB 2.5, nodes named by accession ({named})"


@pytest.mark.parametrize(
    ("cell", "expanded"),
    [
        ('psi-mi:"MI:1060"(spoke expansion)', True),
        ("bipartite", True),
        ("psi-mi:MI:1062(bipartite expansion)", True),
        ("-", False),
        ("none", False),
    ],
)
def test_pairs_from_complexes_are_noted_however_they_were_expanded(tmp_path, cell, expanded):
    rows = [mitab_row("u:1", "u:2", c16=cell), mitab_row("u:2", "u:3", c16=cell)]
    told = notes(reading(tmp_path, table(*rows)))
    assert ("2 rows were expanded from complexes" in told) == expanded
    assert ("expanded" in told) == expanded


def test_expanded_rows_of_several_blocks_are_summed(tmp_path, line_by_line):
    rows = [mitab_row(f"u:{n}", f"u:{n + 1}", c16="spoke expansion") for n in range(3)]
    assert "3 rows were expanded from complexes" in notes(reading(tmp_path, table(*rows)))


def test_isoforms_and_chains_are_counted_once_each(tmp_path):
    rows = [
        mitab_row("uniprotkb:P1-2", "uniprotkb:P1-PRO_0001"),
        mitab_row("uniprotkb:P1-2", "uniprotkb:P1-x"),
        mitab_row("intact:EBI-2", "uniprotkb:P1"),
    ]
    assert "2 nodes are isoforms or chains" in notes(reading(tmp_path, table(*rows)))


@pytest.mark.parametrize("cell", ["true", "TRUE", " True "])
def test_a_negative_row_is_a_pair_that_was_looked_at(tmp_path, cell):
    rows = [mitab_row("u:1", "u:2"), mitab_row("u:3", "u:4", c36=cell)]
    result = reading(tmp_path, table(*rows))
    assert edges(result) == pairs("1-2")
    assert left_out(result) == {"a negative interaction: tested and not found": [2]}
    assert sorted(read_pairs(tmp_path / "input.txt")) == [("1", "2"), ("3", "4")]


@pytest.mark.parametrize("cell", ["false", "-", "", "not true"])
def test_any_other_word_in_the_column_of_negatives_is_an_interaction(tmp_path, cell):
    assert edges(reading(tmp_path, table(mitab_row("u:1", "u:2", c36=cell)))) == pairs("1-2")


def test_of_two_organisms_in_one_cell_the_first_counts(tmp_path):
    both = "taxid:9606(human)|taxid:63221(Neanderthal)"
    content = table(mitab_row("u:1", "u:2", c10=both, c11=both), mitab_row("u:2", "u:3"))
    assert edges(reading(tmp_path, content, organism="9606")) == pairs("1-2", "2-3")
    with pytest.raises(InputError, match=r"Rows by organism: 9606 \(human\): 2$"):
        reading(tmp_path, content, organism="63221")


@pytest.mark.parametrize("sides", [{"c10": MOUSE_CELL}, {"c11": MOUSE_CELL}])
def test_one_end_of_another_organism_is_enough_to_leave_a_row_out(tmp_path, sides):
    content = table(mitab_row("u:1", "u:2"), mitab_row("u:2", "u:3", **sides))
    result = reading(tmp_path, content, organism="9606")
    assert edges(result) == pairs("1-2")
    assert left_out(result) == {"not both ends are of the organism 9606 (human)": [2]}


@pytest.mark.parametrize("ends", [("-", "u:2"), ("u:2", "-"), ("-", "-")])
def test_a_row_needs_both_participants(tmp_path, ends):
    result = reading(tmp_path, table(mitab_row("u:1", "u:2"), mitab_row(*ends)))
    assert edges(result) == pairs("1-2")
    assert left_out(result) == {"only one participant is named": [2]}


def test_a_method_asked_for_may_stand_without_a_name_or_among_others(tmp_path):
    rows = [
        mitab_row("u:1", "u:2", c7="psi-mi:MI:0096"),
        mitab_row("u:2", "u:3", c7="psi-mi:MI:0018(two hybrid)|psi-mi:MI:0096(pull down)"),
        mitab_row("u:3", "u:4"),
    ]
    result = reading(tmp_path, table(*rows), systems="MI:0096")
    assert edges(result) == pairs("1-2", "2-3")
    assert left_out(result) == {"another detection method": [3]}
    with pytest.raises(ParameterError, match="It has: two hybrid, MI:0096, pull down$"):
        reading(tmp_path, table(*rows), systems="fret")


def test_scores_asked_for_as_weights_may_come_in_a_later_filter_or_block(tmp_path, line_by_line):
    """A block without rows has no score, and is no reason to say that nothing has one."""
    rows = [
        mitab_row("u:1", "u:2", 15, c12="MI:0208(genetic interaction)", c15="-"),
        mitab_row("u:2", "u:3", 15, c12=PHYSICAL, c15="rank:4"),
        mitab_row("u:3", "u:4", 15, c12=PHYSICAL, c15="rank:2"),
    ]
    result = reading(tmp_path, table(*rows), physical_only=True, weights="rank")
    assert (result.report.weights.least, result.report.weights.largest) == (2.0, 4.0)
    late = table(*rows[1:], mitab_row("u:4", "u:5", 15, c12=PHYSICAL))
    with pytest.raises(InputError, match=r"input\.txt:3: expected a weight"):
        reading(tmp_path, late, physical_only=True, weights="rank")


def test_a_score_no_row_has_is_refused_with_those_there_are(tmp_path):
    rows = [
        mitab_row("u:1", "u:2", 15, c15="zeta:1|beta:2"),
        mitab_row("u:2", "u:3", 15, c15="-"),
    ]
    with pytest.raises(ParameterError, match="There are: score, beta, zeta$"):
        reading(tmp_path, table(*rows), weights="nothing like it")


def test_interactions_are_not_said_to_be_directed_by_the_file(tmp_path):
    looks = reading(tmp_path, table(mitab_row("u:1", "u:2"), mitab_row("u:2", "u:3"))).report.looks
    assert not any("the file says so" in look for look in looks)


@pytest.mark.parametrize("above", ["", "\n", "\n\n"])
def test_a_header_without_a_mark_is_no_row_wherever_blank_lines_put_it(tmp_path, above):
    header = MITAB_HEADER.removeprefix("#")
    result = reading(tmp_path, above + table(header, mitab_row("u:1", "u:2")))
    assert edges(result) == pairs("1-2")


def test_a_bait_with_many_preys_makes_no_interaction_directed(tmp_path):
    """Rows that an edge list would be called directed for: three hubs on one side."""
    ends = [(f"u:h{hub}", f"u:{hub}x{k}") for hub in range(3) for k in range(12)]
    ends += [("u:h0", "u:h1"), ("u:h1", "u:h2")]
    directed = "looks directed"
    edge_list = reading(tmp_path, table(*("\t".join(pair) for pair in ends)), "e.tsv")
    assert directed in " ".join(edge_list.report.looks)
    mitab = reading(tmp_path, table(*(mitab_row(*pair) for pair in ends)), "m.tsv")
    assert directed not in " ".join(mitab.report.looks)
