"""BioGRID tables, tab2 and tab3, and STRING's protein links."""

import gzip

import pytest
from tests.io.files import (
    G10,
    G20,
    G30,
    G40,
    HUMAN,
    MOUSE,
    RAT,
    ROWS,
    STRING,
    TAB2,
    TAB3,
    biogrid,
    each,
    edges,
    left_out,
    links,
    read_text,
)

from linkprior.errors import InputError, LinkpriorError, ParameterError
from linkprior.io.formats import ReadOptions
from linkprior.io.read import read


def test_a_biogrid_table_is_read_whole_by_entrez_id(tmp_path):
    result = read_text(tmp_path, biogrid())
    assert edges(result) == links("10-20", "10-30", "30-40", "50-60")
    assert result.report.guess == "BioGRID tab2, nodes named by Entrez gene id"
    assert left_out(result) == {"no Entrez gene id (--id biogrid keeps it)": [6]}
    assert (result.report.self_loops, result.report.reversed_duplicates) == (1, 1)
    assert result.labels == {"10": "Abc1", "20": "Bcd2", "30": "ABC1", "40": "Bcd2", "50": "Efg5"}


@pytest.mark.parametrize(
    ("options", "found", "dropped"),
    [
        ({"systems": "FRET"}, "10-20", {"another experimental system": [2, 4, 5, 6, 7]}),
        ({"physical_only": True}, "10-20 10-30 50-60", {"not a physical interaction": [5]}),
        ({"min_score": 0.9}, "10-30 30-40",
         {"it has no score": [2, 6, 7, 8], "the score is below 0.9": [3]}),
        ({"id": "symbol"}, "Abc1-Bcd2 Abc1-ABC1 ABC1-Bcd2 orf9b-Efg5",
         {"no official symbol (--id biogrid keeps it)": [8]}),
    ],
)  # fmt: skip
def test_options_choose_rows_and_count_the_others(tmp_path, options, found, dropped):
    result = read_text(tmp_path, biogrid(), **options)
    assert edges(result) == links(*found.split())
    assert left_out(result).items() >= dropped.items()


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"id": "uniprot"}, "--id must be one of entrez, biogrid, symbol"),
        ({"columns": ("1", "2")}, "--columns does not apply to a BioGRID table"),
        ({"organism": "mousse"}, "taxonomy number.*'mousse'. Did you mean mouse"),
        ({"systems": ("FRET", "two hybrid")}, "has 'two hybrid'. Did you mean Two-hybrid.*FRET"),
        # A system of rows that another filter leaves out is known.
        ({"systems": "Affinity Capture-MS", "organism": "rat"}, "no edge is left"),
    ],
)
def test_what_no_row_has_is_refused(tmp_path, options, problem):
    with pytest.raises(LinkpriorError, match=problem):
        read_text(tmp_path, biogrid(), **options)


@pytest.mark.parametrize("organism", ["10116", 10116, "rat", "Rattus norvegicus", " RAT "])
def test_an_organism_must_be_that_of_both_ends(tmp_path, organism):
    result = read_text(tmp_path, biogrid(), organism=organism, id="biogrid")
    assert edges(result) == links("110-120", "105-150")
    (reason,) = left_out(result)
    assert reason.startswith("not both ends are of the organism")
    assert left_out(result)[reason] == [4, 5, 7, 8]


def test_rows_across_organisms_are_noted_unless_one_was_chosen(tmp_path):
    note = "3 organisms; 2 rows join two organisms (--organism 10116 keeps rat–rat)"
    assert note in read_text(tmp_path, biogrid()).report.notes
    assert not read_text(tmp_path, biogrid(), organism="rat").report.notes


ORGANISMS = {RAT: "Rattus norvegicus", HUMAN: "Homo sapiens", MOUSE: "Mus musculus"}


@pytest.mark.parametrize("organism", ["Candida albicans (SC5314)", "candida albicans"])
def test_tab3_organisms_go_by_the_names_in_the_file(tmp_path, organism):
    content = biogrid(header=TAB3, names={**ORGANISMS, RAT: "Candida albicans (SC5314)"})
    assert edges(read_text(tmp_path, content, organism=organism)) == links("10-20")
    with pytest.raises(InputError, match="no row joins two nodes of the organism 'Albino'"):
        read_text(tmp_path, content, organism="Albino")


def test_quotes_around_all_cells_are_undone(tmp_path):
    lines = biogrid().replace('"', "").splitlines()
    content = "\n".join("\t".join(f'"{c}"' for c in line.split("\t")) for line in lines)
    assert edges(read_text(tmp_path, content)) == edges(read_text(tmp_path, biogrid()))


def test_the_header_of_a_second_file_appended_is_passed_over(tmp_path):
    assert edges(read_text(tmp_path, biogrid() * 2)) == edges(read_text(tmp_path, biogrid()))


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
    assert edges(read_text(tmp_path, content)) == links("10-20", "10-30", "30-40", "50-60")
    with pytest.raises(ParameterError, match="no column .* in the header, which --"):
        read_text(tmp_path, content, **options)


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (biogrid(rows=[]), "no row below it"),
        ("\nmade by hand\n" + biogrid(), r"input\.txt:2: expected the header.* got 'made by hand'"),
        (biogrid()[: biogrid().rindex("\t")], r"input.txt:8: expected 24 columns.*, got 23.*cut"),
        ("\n".join([*biogrid().splitlines()[:2], "1", "2"]), "input.txt:3: expected 24 .*, got 1:"),
        *((biogrid(header=[name for name in TAB2 if name != gone]),
           f"input.txt:1: no column '{gone.lower()}'.*begins with 'BioGRID Interaction ID, .*--id")
          for gone in each("Entrez Gene")),
        (biogrid().replace("\t", ","), "with tabs between columns"),
        ("a\tb\n", ":1: expected the header of a BioGRID table"),
        (" \n\n", "no line, expected the header of a BioGRID table"),
        (biogrid(rows=[ROWS[4]]), "no Entrez gene id"),
        (biogrid(rows=[ROWS[5]]), "join a node to itself"),
    ],
)  # fmt: skip
def test_what_is_no_biogrid_table_is_refused(tmp_path, content, problem):
    with pytest.raises(InputError, match=problem):
        read_text(tmp_path, content, format="biogrid")


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


ROW = (G10, G20, "FRET", "physical", "3")


NEXT = (G20, G40, "FRET", "physical", "6")


def notes(result):
    return "\n".join(result.report.notes)


def gene(number, symbol, organism="9606"):
    return (str(number), str(100 + number), symbol, organism)


def test_the_first_column_may_be_asked_for_as_any_other(tmp_path):
    result = read_text(tmp_path, biogrid([ROW, NEXT]), weights="BioGRID Interaction ID")
    assert result.report.weights.column == "column BioGRID Interaction ID"
    assert (result.report.weights.least, result.report.weights.largest) == (1.0, 2.0)


def test_without_the_columns_of_symbols_nodes_have_no_labels(tmp_path):
    header = [name for name in TAB2 if name not in each("Official Symbol")]
    result = read_text(tmp_path, biogrid([ROW], header=header))
    assert edges(result) == links("10-20")
    assert not result.labels


@pytest.mark.parametrize("side", [0, 1])
def test_with_one_column_of_organisms_alone_none_is_counted(tmp_path, side):
    header = [name for name in TAB2 if name != each("Organism")[side]]
    result = read_text(tmp_path, biogrid([(G10, G30, "FRET", "physical", "-")], header=header))
    assert edges(result) == links("10-30")
    assert not result.report.notes
    with pytest.raises(ParameterError, match=f"no column 'organism interactor {'ab'[side]}'"):
        read_text(tmp_path, biogrid([ROW], header=header), organism="rat")


def test_a_name_at_either_end_tells_the_number_of_an_organism(tmp_path):
    newt, frog = gene(1, "a", "11"), gene(2, "b", "22")
    rows = [(frog, newt, "FRET", "physical", "-"), (newt, gene(3, "c", "11"), "F", "physical", "-")]
    content = biogrid(rows, header=TAB3, names={"11": "Newt", "22": "Frog"})
    assert edges(read_text(tmp_path, content, organism="newt")) == links("1-3")


def test_scores_of_studies_are_called_incomparable_only_where_they_count(tmp_path):
    told = "BioGRID's scores come from the single studies and are not comparable between them"
    content = biogrid([ROW, (G20, G10, "FRET", "physical", "-")])
    assert told in read_text(tmp_path, content, min_score=1).report.notes
    assert told not in read_text(tmp_path, content).report.notes


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
    result = read_text(tmp_path, biogrid(rows), id="symbol")
    assert notes(result).startswith(told)
    assert ("several genes" in notes(result)) == bool(shared)
    assert result.network.n_edges == 7


def test_blank_lines_above_and_between_count_as_passed_over(tmp_path):
    header, *rows = biogrid([ROW, NEXT]).splitlines()
    result = read_text(tmp_path, "\n".join(["", header, "", rows[0], "# note", rows[1]]))
    assert edges(result) == links("10-20", "20-40")
    assert result.report.passed_over == 3


# ---------------------------------------------------------------------- STRING

HEADER = "protein1 protein2 combined_score\n"
TWICE = "each pair is listed twice, once each way, as STRING does; it counts once"


def string_file(*rows):
    return HEADER + "".join(f"{row}\n" for row in rows)


def test_string_links_are_all_kept_and_the_scores_noted(tmp_path):
    result = read_text(tmp_path, gzip.compress(STRING.encode()), "9606.protein.links.v12.0.txt.gz")
    assert edges(result) == links("P1-P2", "P1-P3.1", "P2-P3.1", "P2-P4")
    assert result.report.guess == (
        "STRING links, nodes named by STRING identifier without 9606. in front"
    )
    assert result.report.notes == [
        "STRING scores from 150 to 999, all kept; --min-score 700 keeps what STRING calls high "
        "confidence (would leave 4 rows)",
        TWICE,
    ]
    assert not result.report.looks
    assert result.report.passed_over == 0


@pytest.mark.parametrize(
    ("least", "kept", "reason"),
    [
        (None, {"a-b", "b-c", "c-d", "d-e"}, None),
        (0, {"a-b", "b-c", "c-d", "d-e"}, None),
        (0.001, {"b-c", "c-d", "d-e"}, "1"),
        (0.002, {"c-d", "d-e"}, "2"),
        (1, {"d-e"}, "1000"),
        (1.5, {"c-d", "d-e"}, "1.5"),
        (2, {"c-d", "d-e"}, "2"),
        (1000, {"d-e"}, "1000"),
    ],
)
def test_a_least_score_up_to_1_is_a_fraction_and_above_1_is_not(tmp_path, least, kept, reason):
    content = string_file("9.a 9.b 0", "9.b 9.c 1", "9.c 9.d 2", "9.d 9.e 1000")
    result = read_text(tmp_path, content, min_score=least)
    assert edges(result) == links(*kept)
    lines = [2, 3, 4][: 4 - len(kept)]
    assert left_out(result) == ({f"the score is below {reason}": lines} if reason else {})


@pytest.mark.parametrize("least", [-1, -0.5, 1000.5, float("nan")])
def test_a_least_score_outside_the_scale_is_refused(tmp_path, least):
    with pytest.raises(ParameterError, match="min.score must be a number in"):
        read_text(tmp_path, STRING, min_score=least)


@pytest.mark.parametrize(
    ("scores", "least", "said"),
    [
        ((699, 999), None, "STRING scores from 699 to 999, all kept; --min-score 700 "),
        ((0, 699, 700, 1000), None, "(would leave 2 rows)"),
        ((700, 999), None, ""),
        ((699, 999), 699, "all kept"),
        ((699, 999), 700, ""),
        ((750, 999), 800, ""),
    ],
)
def test_scores_are_noted_where_low_ones_are_kept(tmp_path, scores, least, said):
    content = string_file(*(f"9.a{n} 9.b {score}" for n, score in enumerate(scores)))
    told = notes(read_text(tmp_path, content, min_score=least))
    assert said in told
    assert ("all kept" in told) == bool(said)


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"weights": "protein2"}, "There are: combined_score$"),
        ({"weights": "2"}, "There are: combined_score$"),
        ({"organism": "9606"}, "--organism does not apply to STRING links"),
    ],
)
def test_other_options_are_refused(tmp_path, options, told):
    with pytest.raises(ParameterError, match=told):
        read_text(tmp_path, STRING, **options)


@pytest.mark.parametrize(
    ("content", "passed_over"),
    [
        *((string_file("9.a 9.b 900", "9.b 9.c 800").replace(" ", gap), 0)
          for gap in ("\t", "  ", " \t ")),
        ("#" + string_file("9.a 9.b 900", "9.b 9.c 800"), 0),
        ("\n" + string_file("9.a 9.b 900", "", "9.b 9.c 800", ""), 3),
    ],
)  # fmt: skip
def test_any_white_space_stands_between_columns(tmp_path, content, passed_over):
    result = read_text(tmp_path, content, format="string")
    assert edges(result) == links("a-b", "b-c")
    assert result.report.passed_over == passed_over


@pytest.mark.parametrize(
    ("content", "told"),
    [
        *((f"\n{header}\n9.a 9.b 900\n", f":2: expected STRING's header.* got '{header}'$")
          for header in ("protein1 protein2 score", "protein2 protein1 combined_score",
                         "protein1 combined_score x")),
        ("\n \n", "no line, expected STRING"),
        (HEADER, "STRING's header and no row below it"),
        (string_file("9.a 9.b 900", "9.b 9.c", "9.c 9.d"), ":3: expected 3 columns .* got 2: '9.b"),
        (string_file("9.a 9.b 900", "9.b 9.c 5 1"), ":3: expected 3 columns .* got 4"),
        (string_file("9.A 9.B 900 9.X", "9.Y 500", "9.A 9.C 800"), ":2: expected 3 columns"),
        *((string_file("9.a 9.b 900", f"9.b 9.c {score}", "9.c 9.d y"),
           f":3: expected a combined score.* got '{score}'")
          for score in ("x", "1001", "0.5", "-1")),
    ],
)  # fmt: skip
def test_what_are_no_string_links_is_refused(tmp_path, content, told):
    with pytest.raises(InputError, match=f"input.txt{told}" if told[0] == ":" else told):
        read_text(tmp_path, content, format="string")


def test_a_least_score_that_leaves_nothing_is_an_error(tmp_path):
    with pytest.raises(InputError, match="no edge is left.*below 1000"):
        read_text(tmp_path, STRING, min_score=1)


def test_the_score_is_found_wherever_its_column_stands(tmp_path):
    content = (
        "protein1 protein2 combined_score homology fusion\n9.a 9.b 900 0 x\n9.b 9.c 100 950 y\n"
    )
    result = read_text(tmp_path, content, min_score=500)
    assert edges(result) == links("a-b")
    assert result.report.guess.startswith("STRING links with 2 partial scores, ")


MIRRORED = ("9.a 9.b 900", "9.b 9.a 900", "9.b 9.c 800", "9.c 9.b 800")


@pytest.mark.parametrize(
    ("rows", "twice"),
    [
        (MIRRORED, True),
        ((*MIRRORED, "9.a 9.a 900"), True),
        ((*MIRRORED, "9.c 9.c 900", "9.b 9.b 900"), True),
        (MIRRORED[:3], False),
        ((*MIRRORED, "9.a 9.c 500"), False),
        (("9.a 9.b 900", "9.c 9.b 800"), False),
        (("9.a 9.b 900", "9.b 9.c 900", "9.c 9.a 900", "9.c 9.b 900"), False),
        (("9.a 9.b 900", "9.a 9.c 900", "9.b 9.a 900", "9.c 9.b 900"), False),
    ],
)
def test_pairs_are_said_to_be_listed_twice_only_if_each_has_its_mirror(tmp_path, rows, twice):
    assert (TWICE in read_text(tmp_path, string_file(*rows)).report.notes) == twice


@pytest.mark.parametrize(
    ("rows", "names", "told"),
    [
        (["9.a.1 9.b"], ["a.1-b"], "without 9. in front"),
        (["511145.b0001 511145.b0002"], ["b0001-b0002"], "without 511145. in front"),
        (["9.a 9.b", "10.a 10.b"], ["9.a-9.b", "10.a-10.b"], "STRING identifier"),
        (["9.a 9b"], ["9.a-9b"], "STRING identifier"),
        (["9.a 9."], ["9.a-9."], "STRING identifier"),
        (["x.a x.b"], ["x.a-x.b"], "STRING identifier"),
    ],
)
def test_the_number_of_the_organism_goes_where_all_names_have_it(tmp_path, rows, names, told):
    result = read_text(tmp_path, string_file(*(f"{row} 900" for row in rows)))
    assert edges(result) == links(*names)
    assert result.report.guess.endswith(told)


def test_two_proteins_without_a_combined_score_are_an_edge_list(tmp_path):
    text = "protein1 protein2 evidence\na b seen\nb c seen\nc d told\n"
    result = read_text(tmp_path, text)
    assert result.report.format == "edgelist"
    assert edges(result) == links("a-b", "b-c", "c-d")


def test_string_has_no_direction_whatever_its_rows_look_like(tmp_path):
    # A ring of twenty edges, five of which are given both ways.
    ring = [f"9.P{k} 9.P{(k + 1) % 20}" for k in range(20)]
    rows = [*ring, *(" ".join(row.split()[::-1]) for row in ring[:5])]
    for text, told in (("\n".join(rows), True), (string_file(*(f"{r} 900" for r in rows)), False)):
        looks = read_text(tmp_path, text).report.looks
        assert any("looks directed" in look for look in looks) == told
