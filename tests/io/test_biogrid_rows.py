"""BioGRID tables at the edge of their rules: headers, missing cells, shared symbols, notes."""

import pytest
from tests.io.databases import (
    G10,
    G20,
    G30,
    G40,
    TAB2,
    TAB3,
    biogrid,
    each,
    edges,
    left_out,
    pairs,
    reading,
)

from linkprior.errors import InputError, ParameterError

ROW = (G10, G20, "FRET", "physical", "3")
NEXT = (G20, G40, "FRET", "physical", "6")


def notes(result):
    return "\n".join(result.report.notes)


def gene(number, symbol, organism="9606"):
    return (str(number), str(100 + number), symbol, organism)


def test_a_tab_at_the_end_of_the_header_is_no_column(tmp_path):
    header, *rows = biogrid([ROW, NEXT]).splitlines()
    result = reading(tmp_path, "\n".join([header + "\t", *rows]))
    assert edges(result) == pairs("10-20", "20-40")


def test_of_columns_with_one_name_the_first_counts(tmp_path):
    header, row = biogrid([ROW]).splitlines()
    content = f"{header}\tEntrez Gene Interactor A\n{row}\t99\n"
    assert edges(reading(tmp_path, content)) == pairs("10-20")


def test_the_first_column_may_be_asked_for_as_any_other(tmp_path):
    result = reading(tmp_path, biogrid([ROW, NEXT]), weights="BioGRID Interaction ID")
    assert result.report.weights.column == "column BioGRID Interaction ID"
    assert (result.report.weights.least, result.report.weights.largest) == (1.0, 2.0)


def test_spaces_and_capitals_in_the_header_do_not_matter(tmp_path):
    header, *rows = biogrid([ROW, NEXT]).splitlines()
    loose = "\t".join(f" {name.upper()} " for name in header.split("\t"))
    result = reading(tmp_path, "\n".join([loose, *rows]), format="biogrid", organism="rat")
    assert edges(result) == pairs("10-20")


def test_spaces_around_ends_are_no_part_of_them(tmp_path):
    rows = [
        ((" 10 ", "1", "a", "9606"), (" 20", "2", "b", "9606"), "FRET", "Physical ", "-"),
        ((" - ", "3", "c", "9606"), ("20", "2", "b", "9606"), "FRET", "physical", "-"),
        (("20", "2", "b", "9606"), (" ", "3", "c", "9606"), "FRET", "physical", "-"),
    ]
    result = reading(tmp_path, biogrid(rows), physical_only=True)
    assert edges(result) == pairs("10-20")
    assert left_out(result) == {"no Entrez gene id (--id biogrid keeps it)": [3, 4]}


def test_a_quote_in_a_table_without_quotes_belongs_to_the_name(tmp_path):
    rows = [(gene(1, '5"'), gene(2, "b"), "FRET", "physical", "-")]
    assert reading(tmp_path, biogrid(rows)).labels == {"1": '5"', "2": "b"}


def test_without_the_columns_of_symbols_nodes_have_no_labels(tmp_path):
    header = [name for name in TAB2 if name not in each("Official Symbol")]
    result = reading(tmp_path, biogrid([ROW], header=header))
    assert edges(result) == pairs("10-20")
    assert not result.labels


@pytest.mark.parametrize("side", [0, 1])
def test_with_one_column_of_organisms_alone_none_is_counted(tmp_path, side):
    header = [name for name in TAB2 if name != each("Organism")[side]]
    result = reading(tmp_path, biogrid([(G10, G30, "FRET", "physical", "-")], header=header))
    assert edges(result) == pairs("10-30")
    assert not result.report.notes
    with pytest.raises(ParameterError, match=f"no column 'organism interactor {'ab'[side]}'"):
        reading(tmp_path, biogrid([ROW], header=header), organism="rat")


@pytest.mark.parametrize("side", [0, 1])
def test_with_names_of_organisms_at_one_end_alone_only_known_words_are_taken(tmp_path, side):
    header = [name for name in TAB3 if name != each("Organism Name")[side]]
    content = biogrid([ROW], header=header)
    assert edges(reading(tmp_path, content, organism="rat")) == pairs("10-20")
    with pytest.raises(ParameterError, match="'albino'"):
        reading(tmp_path, content, organism="albino")


def test_a_name_at_either_end_tells_the_number_of_an_organism(tmp_path):
    newt, frog = gene(1, "a", "11"), gene(2, "b", "22")
    rows = [(frog, newt, "FRET", "physical", "-"), (newt, gene(3, "c", "11"), "F", "physical", "-")]
    content = biogrid(rows, header=TAB3, names={"11": "Newt", "22": "Frog"})
    assert edges(reading(tmp_path, content, organism="newt")) == pairs("1-3")


def test_scores_of_studies_are_said_not_to_compare_only_where_they_count(tmp_path):
    told = "BioGRID's scores are each study's own and do not compare across them"
    content = biogrid([ROW, (G20, G10, "FRET", "physical", "-")])
    assert told in reading(tmp_path, content, min_score=1).report.notes
    assert told not in reading(tmp_path, content).report.notes


def test_a_gene_of_two_symbols_keeps_the_first_and_is_not_called_shared(tmp_path):
    rows = [
        (gene(1, "old"), gene(2, "b"), "FRET", "physical", "-"),
        (gene(1, "new"), gene(3, "c"), "FRET", "physical", "-"),
    ]
    result = reading(tmp_path, biogrid(rows))
    assert result.labels["1"] == "old"
    assert not result.report.notes


@pytest.mark.parametrize(
    ("shared", "told"),
    [
        (0, ""),
        (1, "1 symbols name several genes, which become one node (s0); "),
        (5, "5 symbols name several genes, which become one node (s0, s1, s2, s3, s4); "),
        (6, "6 symbols name several genes, which become one node (s0, s1, s2, s3, s4 …); "),
    ],
)
def test_symbols_of_several_genes_are_listed_up_to_five(tmp_path, shared, told):
    rows = [(gene(n, f"s{n}"), gene(50, "hub"), "FRET", "physical", "-") for n in range(7)]
    rows += [
        (gene(20 + n, f"s{n}"), gene(50, "hub"), "FRET", "physical", "-") for n in range(shared)
    ]
    result = reading(tmp_path, biogrid(rows), id="symbol")
    assert notes(result).startswith(told)
    assert ("several genes" in notes(result)) == bool(shared)
    assert result.network.n_edges == 7


def test_the_line_that_should_be_the_header_is_shown_with_its_number(tmp_path):
    with pytest.raises(
        InputError, match=r"input\.txt:2: expected the header .* got 'made by hand'"
    ):
        reading(tmp_path, "\nmade by hand\n" + biogrid([ROW]), format="biogrid")


def test_another_id_does_without_the_column_that_is_missing(tmp_path):
    header = [name for name in TAB2 if "Entrez" not in name]
    with pytest.raises(InputError, match=r"input\.txt:1: no column 'entrez gene interactor a'"):
        reading(tmp_path, biogrid([ROW], header=header))
    assert edges(reading(tmp_path, biogrid([ROW], header=header), id="biogrid")) == pairs("110-120")


def test_blank_lines_above_and_between_count_as_passed_over(tmp_path):
    header, *rows = biogrid([ROW, NEXT]).splitlines()
    result = reading(tmp_path, "\n".join(["", header, "", rows[0], "# note", rows[1]]))
    assert edges(result) == pairs("10-20", "20-40")
    assert result.report.passed_over == 3


def test_bait_and_prey_are_not_said_to_be_a_direction(tmp_path):
    looks = reading(tmp_path, biogrid([ROW, NEXT])).report.looks
    assert not any("the file says so" in look for look in looks)


def test_a_missing_column_is_told_with_the_first_that_are_there(tmp_path):
    lines = [line.split("\t") for line in biogrid([ROW], header=TAB2).splitlines()]
    without = ["\t".join([row[0], *row[3:]]) for row in lines]
    with pytest.raises(InputError, match="no column 'entrez gene interactor a'") as told:
        reading(tmp_path, "\n".join(without) + "\n")
    assert "it begins with 'BioGRID Interaction ID, BioGRID ID Interactor A" in str(told.value)
