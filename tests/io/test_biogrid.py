"""BioGRID tab2 and tab3: tables counted by hand, and a release against pandas."""

import gzip

import pytest
from tests.io.databases import (
    HUMAN,
    MOUSE,
    RAT,
    ROWS,
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
from linkprior.io.formats import ReadOptions
from linkprior.io.read import read


def test_a_biogrid_table_is_read_whole_by_entrez_id(tmp_path):
    result = reading(tmp_path, biogrid())
    assert edges(result) == pairs("10-20", "10-30", "30-40", "50-60")
    assert result.report.guess == "BioGRID tab2, nodes named by Entrez gene id"
    assert left_out(result) == {"no Entrez gene id (--id biogrid keeps it)": [6]}
    assert (result.report.self_loops, result.report.reversed_duplicates) == (1, 1)
    assert result.labels == {"10": "Abc1", "20": "Bcd2", "30": "ABC1", "40": "Bcd2", "50": "Efg5"}


def test_biogrid_ids_keep_genes_without_an_entrez_id(tmp_path):
    result = reading(tmp_path, biogrid(), id="biogrid")
    assert edges(result) == pairs("110-120", "110-130", "130-140", "105-150", "150-160")
    assert result.labels["105"] == "orf9b"
    assert not result.report.dropped


def test_symbols_merge_genes_that_share_one_and_say_so(tmp_path):
    result = reading(tmp_path, biogrid(), id="symbol")
    assert edges(result) == pairs("Abc1-Bcd2", "Abc1-ABC1", "ABC1-Bcd2", "orf9b-Efg5")
    assert left_out(result) == {"no official symbol (--id biogrid keeps it)": [8]}
    assert any("1 symbols name several genes" in n and "(Bcd2)" in n for n in result.report.notes)


@pytest.mark.parametrize("organism", ["10116", 10116, "rat", "Rattus norvegicus", " RAT "])
def test_an_organism_must_be_that_of_both_ends(tmp_path, organism):
    result = reading(tmp_path, biogrid(), organism=organism, id="biogrid")
    assert edges(result) == pairs("110-120", "105-150")
    (reason,) = left_out(result)
    assert reason.startswith("not both ends are of the organism")
    assert left_out(result)[reason] == [4, 5, 7, 8]


def test_rows_across_organisms_are_noted_unless_one_was_chosen(tmp_path):
    note = "3 organisms; 2 rows join two organisms (--organism 10116 keeps rat–rat)"
    assert note in reading(tmp_path, biogrid()).report.notes
    assert not reading(tmp_path, biogrid(), organism="rat").report.notes


def test_an_organism_no_row_has_is_refused_with_those_there_are(tmp_path):
    with pytest.raises(
        InputError, match=r"10116 \(rat\): 5, 9606 \(human\): 3, 10090 \(mouse\): 1"
    ):
        reading(tmp_path, biogrid(), organism="7227")


def test_an_unknown_organism_name_is_refused_with_the_nearest(tmp_path):
    with pytest.raises(ParameterError, match="taxonomy number.*'mousse'. Did you mean mouse"):
        reading(tmp_path, biogrid(), organism="mousse")


@pytest.mark.parametrize("systems", [("two-hybrid", "FRET"), ["Two-Hybrid", " fret "]])
def test_experimental_systems_are_chosen_by_name(tmp_path, systems):
    result = reading(tmp_path, biogrid(), systems=systems, id="biogrid")
    assert edges(result) == pairs("110-120", "105-150", "150-160")
    assert left_out(result) == {"another experimental system": [4, 5]}


def test_one_system_may_be_given_as_a_word(tmp_path):
    assert edges(reading(tmp_path, biogrid(), systems="FRET")) == pairs("10-20")


def test_an_experimental_system_no_row_has_is_refused_with_those_there_are(tmp_path):
    with pytest.raises(
        ParameterError, match="no row of .*'two hybrid'. Did you mean Two-hybrid.*FRET"
    ):
        reading(tmp_path, biogrid(), systems=("FRET", "two hybrid"))


def test_a_system_of_rows_that_another_filter_leaves_out_is_known(tmp_path):
    with pytest.raises(InputError, match="no edge is left"):
        reading(tmp_path, biogrid(), systems="Affinity Capture-MS", organism="rat")


def test_physical_only_goes_by_the_type_of_the_system(tmp_path):
    result = reading(tmp_path, biogrid(), physical_only=True)
    assert edges(result) == pairs("10-20", "10-30", "50-60")
    assert left_out(result)["not a physical interaction"] == [5]


def test_a_least_score_leaves_out_lower_ones_and_rows_without(tmp_path):
    result = reading(tmp_path, biogrid(), min_score=0.9)
    assert edges(result) == pairs("10-30", "30-40")
    assert left_out(result) == {"it has no score": [2, 6, 7, 8], "the score is below 0.9": [3]}


ORGANISMS = {RAT: "Rattus norvegicus", HUMAN: "Homo sapiens", MOUSE: "Mus musculus"}


def test_tab3_has_the_same_columns_under_other_names(tmp_path):
    content = biogrid(header=TAB3, names=ORGANISMS)
    result = reading(tmp_path, content)
    assert edges(result) == pairs("10-20", "10-30", "30-40", "50-60")
    assert result.report.guess == "BioGRID tab3, nodes named by Entrez gene id"
    assert edges(reading(tmp_path, content, organism="human", id="biogrid")) == pairs("130-140")
    assert edges(reading(tmp_path, content, organism=RAT)) == pairs("10-20")


@pytest.mark.parametrize("organism", ["Candida albicans (SC5314)", "candida albicans"])
def test_tab3_organisms_go_by_the_names_in_the_file(tmp_path, organism):
    content = biogrid(header=TAB3, names={**ORGANISMS, RAT: "Candida albicans (SC5314)"})
    assert edges(reading(tmp_path, content, organism=organism)) == pairs("10-20")
    with pytest.raises(InputError, match="no row joins two nodes of the organism 'Albino'"):
        reading(tmp_path, content, organism="Albino")


def test_line_ends_compression_and_blank_lines_do_not_matter(tmp_path):
    content = gzip.compress(biogrid().replace("\n", "\r\n\r\n").encode())
    assert edges(reading(tmp_path, content)) == edges(reading(tmp_path, biogrid()))


def test_quotes_around_all_cells_are_undone(tmp_path):
    lines = biogrid().replace('"', "").splitlines()
    content = "\n".join("\t".join(f'"{c}"' for c in line.split("\t")) for line in lines)
    assert edges(reading(tmp_path, content)) == edges(reading(tmp_path, biogrid()))


def test_the_header_of_a_second_file_appended_is_passed_over(tmp_path):
    assert edges(reading(tmp_path, biogrid() * 2)) == edges(reading(tmp_path, biogrid()))


def test_a_biogrid_line_cut_off_is_named(tmp_path):
    content = biogrid()
    with pytest.raises(InputError, match=r"input.txt:8: expected 24 columns.*, got 23.*cut off"):
        reading(tmp_path, content[: content.rindex("\t")])


@pytest.mark.parametrize("column", ["Entrez Gene Interactor A", "Entrez Gene Interactor B"])
def test_a_missing_biogrid_column_is_named(tmp_path, column):
    header = [name for name in TAB2 if name != column]
    with pytest.raises(InputError, match=f"input.txt:1: no column '{column.lower()}'.*--id"):
        reading(tmp_path, biogrid(header=header))


@pytest.mark.parametrize(
    ("columns", "options"),
    [
        (each("Organism"), {"organism": RAT}),
        (["Experimental System"], {"systems": "FRET"}),
        (["Experimental System Type"], {"physical_only": True}),
        (["Score"], {"min_score": 1}),
    ],
)
def test_a_filter_whose_column_is_missing_is_refused_and_otherwise_not_missed(
    tmp_path, columns, options
):
    content = biogrid(header=[name for name in TAB2 if name not in columns])
    assert edges(reading(tmp_path, content)) == pairs("10-20", "10-30", "30-40", "50-60")
    with pytest.raises(ParameterError, match="no column .* in the header, which --"):
        reading(tmp_path, content, **options)


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (biogrid(rows=[]), "no row below it"),
        (biogrid().replace("\t", ","), "with tabs between columns"),
        ("a\tb\n", ":1: expected the header of a BioGRID table"),
        (" \n\n", "no line, expected the header of a BioGRID table"),
        (biogrid(rows=[ROWS[4]]), "no Entrez gene id"),
        (biogrid(rows=[ROWS[5]]), "join a node to itself"),
    ],
)
def test_what_is_no_biogrid_table_is_refused(tmp_path, content, problem):
    with pytest.raises(InputError, match=problem):
        reading(tmp_path, content, format="biogrid")


def test_options_biogrid_does_not_know_are_refused(tmp_path):
    with pytest.raises(ParameterError, match="--id must be one of entrez, biogrid, symbol"):
        reading(tmp_path, biogrid(), id="uniprot")
    with pytest.raises(ParameterError, match="--columns does not apply to a BioGRID table"):
        reading(tmp_path, biogrid(), columns=("1", "2"))


def ask(table, **options):
    """Choose rows of the table with pandas, as the options say."""
    if "organism" in options:
        a, b = (table[name] == options["organism"] for name in each("Organism"))
        table = table[a & b]
    if "systems" in options:
        table = table[table["Experimental System"].isin(options["systems"])]
    if options.get("physical_only"):
        table = table[table["Experimental System Type"] == "physical"]
    if "min_score" in options:
        import pandas as pd

        table = table[pd.to_numeric(table["Score"], errors="coerce") >= options["min_score"]]
    kind = {"entrez": "Entrez Gene", "biogrid": "BioGRID ID", "symbol": "Official Symbol"}
    ends = table[each(kind[options.get("id", "entrez")])].to_numpy().tolist()
    return {frozenset(pair) for pair in ends if pair[0] != pair[1] and "-" not in pair}


@pytest.mark.parametrize(
    ("options", "counts"),
    [
        ({}, (3046, 4111)),
        ({"id": "biogrid"}, (3046, 4111)),
        ({"id": "symbol"}, (2898, 4071)),
        ({"organism": "10116"}, (1833, 2639)),
        ({"physical_only": True}, (3036, 4101)),
        ({"systems": ("Two-hybrid", "FRET")}, None),
        ({"min_score": 1.0}, None),
        ({"organism": "9606", "physical_only": True}, "none"),
        ({"organism": "10116", "systems": ("Two-hybrid",), "id": "symbol"}, None),
    ],
    ids=str,
)
def test_the_rat_release_gives_what_pandas_gives(data_folder, options, counts):
    import pandas as pd

    path = data_folder / "biogrid-rat" / "BIOGRID-ORGANISM-Rattus_norvegicus-3.2.120.tab2.txt"
    table = pd.read_csv(path, sep="\t", dtype=str, keep_default_na=False, quoting=3)
    expected = ask(table, **options)
    if counts == "none":  # a rat file has no human–human row
        assert not expected
        with pytest.raises(InputError, match="no row joins two nodes of the organism '9606'"):
            read(path, options=ReadOptions(**options))
        return
    result = read(path, options=ReadOptions(**options))
    assert edges(result) == expected
    if counts:
        assert (result.network.n_nodes, result.network.n_edges) == counts


def test_the_note_on_organisms_counts_the_rows_that_filters_leave(tmp_path):
    # Two rows join two organisms: an Affinity Capture-MS and a Two-hybrid, both physical.
    result = reading(tmp_path, biogrid(), systems="Affinity Capture-MS")
    assert "2 organisms; 1 rows join two organisms (--organism 10116" in "".join(
        result.report.notes
    )
    assert not reading(tmp_path, biogrid(), systems="Synthetic Lethality").report.notes


def test_comments_between_biogrid_rows_are_counted(tmp_path):
    lines = biogrid().splitlines()
    content = "\n".join([*lines[:3], "# checked by hand", "", *lines[3:]])
    assert reading(tmp_path, content).report.passed_over == 2
    assert reading(tmp_path, biogrid()).report.passed_over == 0
