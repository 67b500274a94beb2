"""Organisms by number and name, and what is said of rows that join two of them."""

import pytest

from linkprior.errors import InputError, ParameterError
from linkprior.io.collector import EdgeCollector
from linkprior.io.readers.interactions import Organism, Organisms, Records


def settled(pairs, organism=None):
    """Return what is noted of rows that join these taxa."""
    found = EdgeCollector("f")
    organisms = Organisms(organism, lambda rows: (rows.column(0), rows.column(1)), found)
    organisms.count(Records(range(len(pairs)), pairs), kept=organism is None)
    organisms.settle()
    return found.notes


@pytest.mark.parametrize(
    ("asked", "taxa"),
    [
        ("9606", {"9606"}),
        (" 9606 ", {"9606"}),
        ("-1", {"-1"}),
        ("Human", {"9606"}),
        ("YEAST", {"559292", "4932"}),
        ("budding yeast", {"559292", "4932"}),
        ("c. elegans", {"6239"}),
        ("hiv-1", {"11676"}),
    ],
)
@pytest.mark.parametrize("file_has_names", [True, False])
def test_an_organism_goes_by_number_or_by_any_of_its_names(asked, taxa, file_has_names):
    assert Organism(asked, file_has_names).taxa == taxa


def test_an_unknown_word_is_taken_only_where_the_file_may_explain_it():
    assert Organism("newt", True).taxa == set()
    with pytest.raises(ParameterError, match="got 'newt'"):
        Organism("newt", False)


@pytest.mark.parametrize(
    ("name", "learnt"),
    [
        ("Newt", True),
        (" newt ", True),
        ("NEWT (strain 7)", True),
        ("newt(strain 7)", False),
        ("Great newt", False),
        ("strain (newt)", False),
    ],
)
def test_a_name_of_the_file_is_learnt_without_what_stands_in_brackets(name, learnt):
    organism = Organism("newt", True)
    organism.learn("8316", name)
    assert organism.taxa == ({"8316"} if learnt else set())


@pytest.mark.parametrize(
    ("asked", "spelled"), [("9606", "9606 (human)"), ("human", "human"), ("77", "77")]
)
def test_the_reason_spells_out_a_number_that_is_known(asked, spelled):
    told = Organism(asked, True).reason
    assert told == f"not both ends are of the organism {spelled}"


@pytest.mark.parametrize(
    ("pairs", "told"),
    [
        ([("9606", "9606")], []),
        ([("9606", "-"), ("", "9606"), ("-", "")], []),
        (
            [("9606", "9606"), ("9606", "10090")],
            ["2 organisms; 1 rows join two organisms (--organism 9606 keeps human–human)"],
        ),
        (
            [("77", "77"), ("77", "88"), ("88", "77"), ("-", "88")],
            ["2 organisms; 2 rows join two organisms (--organism 77 keeps 77–77)"],
        ),
        (
            [("9606", "10090")],
            ["2 organisms; 1 rows join two organisms (--organism 10090 keeps mouse–mouse)"],
        ),
    ],
)
def test_rows_across_organisms_are_noted_with_the_commonest(pairs, told):
    assert settled(pairs) == told


def test_an_organism_that_some_row_has_at_both_ends_is_taken_without_a_word():
    assert settled([("9606", "10090"), ("9606", "9606")], Organism("9606", True)) == []
    assert settled([("559292", "4932")], Organism("yeast", True)) == []


def test_a_file_without_rows_refuses_no_organism():
    assert settled([], Organism("9606", True)) == []


def refused(pairs):
    with pytest.raises(InputError) as caught:
        settled(pairs, Organism("1", True))
    return str(caught.value).partition("Rows by organism: ")[2]


@pytest.mark.parametrize(
    ("pairs", "listed"),
    [
        ([("9606", "1")], "1: 1, 9606 (human): 1"),
        ([("9606", "9606"), ("10090", "10090")], "10090 (mouse): 1, 9606 (human): 1"),
        ([("7", "8"), ("8", "8"), ("8", "-")], "8: 3, 7: 1"),
        ([("-", "-"), ("", "-")], "none is named"),
    ],
)
def test_an_organism_no_row_has_is_refused_with_those_there_are(pairs, listed):
    assert refused(pairs) == listed


def test_the_ten_commonest_organisms_are_listed_and_the_others_counted():
    ten = [(str(n), str(n)) for n in range(100, 110)]
    assert refused(ten).endswith("108: 1, 109: 1")
    twelve = [(str(n), str(n)) for n in range(100, 112)]
    assert refused(twelve).endswith("108: 1, 109: 1 and 2 others")
