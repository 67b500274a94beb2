"""What interaction tables share: organisms, systems and scores."""

import pytest
from tests.io.files import left_out, mitab_row, read_text

from linkprior.errors import InputError, ParameterError
from linkprior.io.collector import EdgeCollector
from linkprior.io.readers.interactions import InteractionTable, Records


class Taxa(InteractionTable):
    """Rows that hold nothing but the organisms of both ends."""

    unnamed = "no name"

    def taxa_of(self, rows):
        return rows.column(0), rows.column(1)

    def ends_of(self, rows):
        return ["name"] * len(rows.lines), ["name"] * len(rows.lines)


def organisms(asked, file_has_names=True):
    return Taxa(EdgeCollector("f"), asked, file_has_names)


def keeps(asked, taxon, file_has_names=True):
    """Tell whether a row with both ends of this organism is kept."""
    return organisms(asked, file_has_names).of_organism(Records([1], [[taxon, taxon]])) == [True]


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
    every = {"9606", "-1", "559292", "4932", "6239", "11676", "10090", "-", ""}
    assert {taxon for taxon in every if keeps(asked, taxon, file_has_names)} == taxa


def test_an_unknown_word_is_taken_only_where_the_file_may_explain_it():
    organisms("newt")
    with pytest.raises(ParameterError, match="got 'newt'"):
        organisms("newt", file_has_names=False)


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
    asked = organisms("newt")
    asked.learn_organism("8316", name)
    assert asked.of_organism(Records([1, 2], [["8316", "8316"], ["8316", "-"]])) == [learnt, False]


def settled(pairs, asked=None):
    """Return what is noted of rows that join these taxa."""
    table = organisms(asked)
    table.select(Records(range(len(pairs)), pairs))
    table.check_selection()
    return table.out.notes


@pytest.mark.parametrize(
    ("pairs", "asked", "told"),
    [
        ([("9606", "9606")], None, []),
        ([("9606", "-"), ("", "9606"), ("-", "")], None, []),
        (
            [("9606", "9606"), ("9606", "10090")],
            None,
            ["2 organisms; 1 rows join two organisms (--organism 9606 keeps human–human)"],
        ),
        (
            [("77", "77"), ("77", "88"), ("88", "77"), ("-", "88")],
            None,
            ["2 organisms; 2 rows join two organisms (--organism 77 keeps 77–77)"],
        ),
        (
            [("9606", "10090")],
            None,
            ["2 organisms; 1 rows join two organisms (--organism 10090 keeps mouse–mouse)"],
        ),
        ([("9606", "10090"), ("9606", "9606")], "9606", []),
        ([("559292", "4932")], "yeast", []),
        ([], "9606", []),
    ],
)
def test_rows_across_organisms_are_noted_with_the_commonest(pairs, asked, told):
    assert settled(pairs, asked) == told


@pytest.mark.parametrize(
    ("pairs", "listed"),
    [
        ([("9606", "1")], "1: 1, 9606 (human): 1"),
        ([("9606", "9606"), ("10090", "10090")], "10090 (mouse): 1, 9606 (human): 1"),
        ([("7", "8"), ("8", "8"), ("8", "-")], "8: 3, 7: 1"),
        ([("-", "-"), ("", "-")], "none is named"),
        ([(str(n), str(n)) for n in range(100, 110)], "108: 1, 109: 1"),
        ([(str(n), str(n)) for n in range(100, 112)], "108: 1, 109: 1 and 2 others"),
    ],
)
def test_an_organism_no_row_has_is_refused_with_those_there_are(pairs, listed):
    with pytest.raises(InputError, match="no row joins two nodes of the organism '1'") as caught:
        settled(pairs, "1")
    assert str(caught.value).partition("Rows by organism: ")[2].endswith(listed)


def methods(*names):
    return "\n".join(mitab_row(f"u:{n}", f"u:{n + 1}", c7=name) for n, name in enumerate(names))


def test_a_row_is_wanted_for_any_of_its_systems(tmp_path):
    text = methods("MI:0018(Two-Hybrid )", "MI:0096(pulldowns)", "x:1(y)|MI:0004(pulldown)", "-")
    result = read_text(tmp_path, text, systems=[" two-hybrid", "PULLDOWN"])
    assert left_out(result) == {"another detection method": [2, 4]}
    with pytest.raises(ParameterError, match="has 'Pull'. Did you mean pulldown.* It has: Two-H"):
        read_text(tmp_path, text, systems=["two-hybrid", "Pull"])


@pytest.mark.parametrize(("n", "more"), [(20, ""), (21, " …")])
def test_twenty_systems_are_listed_the_most_usual_first(tmp_path, n, more):
    text = methods(*(f"s{at}x" for at in range(n)), "s7x")
    with pytest.raises(ParameterError) as told:
        read_text(tmp_path, text, systems="none of them")
    listed = ["s7x", *(f"s{at}x" for at in range(20) if at != 7)]
    assert str(told.value).endswith(f"It has: {', '.join(listed)}{more}")
