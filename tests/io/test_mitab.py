"""PSI-MITAB: tables counted by hand, and cells written by the rules and against them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.io.databases import (
    MITAB,
    MITAB_HEADER,
    MITAB_TEXT,
    MOUSE_CELL,
    PULL_DOWN,
    edges,
    left_out,
    mitab_row,
    pairs,
    reading,
)

from linkprior.errors import InputError, ParameterError
from linkprior.io.formats import ReadOptions
from linkprior.io.node_lists import read_pairs
from linkprior.io.readers.mitab import Field, fields_of, is_physical, score_of


def test_a_mitab_table_names_nodes_by_their_first_accession(tmp_path):
    result = reading(tmp_path, MITAB_TEXT)
    odd = {frozenset({"P1-2", "CHEBI:15422"}), frozenset({"P2", "EBI-9"})}
    assert edges(result) == pairs("P1-P2", "P3-P4", "P4-P5") | odd
    assert (
        result.report.guess == "PSI-MITAB 2.7, nodes named by accession (uniprotkb, chebi, intact)"
    )
    assert result.labels == {"P1": "P53", "P2": "MDM2"}


def test_negative_and_one_ended_mitab_rows_are_left_out(tmp_path):
    assert left_out(reading(tmp_path, MITAB_TEXT)) == {
        "only one participant is named": [6],
        "a negative interaction: tested and not found": [7],
    }


def test_mitab_notes_expanded_complexes_isoforms_and_organisms(tmp_path):
    notes = "\n".join(reading(tmp_path, MITAB_TEXT).report.notes)
    assert "1 rows were expanded from complexes" in notes
    assert "1 nodes are isoforms or chains" in notes
    assert "2 organisms; 1 rows join two organisms (--organism 9606 keeps human–human)" in notes


def test_accessions_two_databases_share_keep_the_database(tmp_path):
    rows = [
        mitab_row("uniprotkb:7", "entrez gene/locuslink:7"),
        mitab_row("uniprotkb:7", "uniprotkb:8"),
    ]
    result = reading(tmp_path, "\n".join(rows))
    assert edges(result) == {
        frozenset({"uniprotkb:7", "entrez gene/locuslink:7"}),
        frozenset({"uniprotkb:7", "uniprotkb:8"}),
    }
    assert "database:accession" in result.report.guess


@pytest.mark.parametrize(
    ("width", "version"),
    [
        (15, "2.5"),
        (17, "2.5 with 2 more columns"),
        (36, "2.6"),
        (42, "2.7"),
        (46, "2.8"),
        (54, "2.8 with 8"),
    ],
)
@pytest.mark.parametrize("header", ["", "#ID(s) interactor A", "ID interactor A", "#uidA"])
def test_all_versions_of_mitab_are_told_with_and_without_header(tmp_path, width, version, header):
    rows = [mitab_row("uniprotkb:P1", "uniprotkb:P2", width), mitab_row("x:P1", "x:P3", width)]
    top = [header + "\tb" * (width - 1)] if header else []
    result = reading(tmp_path, "\n".join(top + rows))
    assert result.report.format == "mitab"
    assert result.report.guess.startswith(f"PSI-MITAB {version}")
    assert result.network.n_edges == 2


def test_a_dip_table_without_database_prefixes_is_read(tmp_path):
    header = "\t".join(
        ["ID interactor A", "ID interactor B", *"abcdefghijklm", "Processing Status"]
    )
    row = mitab_row(
        "DIP-1N|refseq:NP_1|uniprotkb:P1",
        "DIP-2N|uniprotkb:P2",
        18,
        c7="MI:0018(two hybrid)|MI:0096(pull down)",
        c12="MI:0218(physical interaction)",
        c16="dip:0002(small scale)",
    )
    content = f"{header}\n{row}\n"
    for options in ({}, {"physical_only": True}, {"systems": "MI:0096"}, {"systems": "two hybrid"}):
        result = reading(tmp_path, content, **options)
        assert edges(result) == {frozenset({"DIP-1N", "DIP-2N"})}
        assert not result.report.notes


def test_symbols_of_biogrids_mitab_become_labels(tmp_path):
    row = mitab_row(
        "entrez gene/locuslink:6416",
        "entrez gene/locuslink:2318",
        15,
        c3="biogrid:112315|entrez gene/locuslink:MAP2K4|uniprot/swiss-prot:P45985",
        c4="biogrid:108607|entrez gene/locuslink:FLNC",
        c5="entrez gene/locuslink:JNKK(gene name synonym)",
        c10="taxid:9606",
        c11="taxid:9606",
    )
    result = reading(tmp_path, row, organism="human")
    assert result.labels == {"6416": "MAP2K4", "2318": "FLNC"}


@pytest.mark.parametrize("organism", ["9606", "human", "homo sapiens"])
def test_mitab_organism_filter(tmp_path, organism):
    result = reading(tmp_path, MITAB_TEXT, organism=organism)
    assert result.network.n_edges == 4
    assert [5] in left_out(result).values()


def test_a_mitab_organism_may_go_by_the_name_in_the_file(tmp_path):
    cell = "taxid:1234(Newt)|taxid:1234(Triturus (marmoratus))"
    rows = [mitab_row("u:1", "u:2", c10=cell, c11=cell), mitab_row("u:2", "u:3")]
    for name in ("newt", "triturus (marmoratus)", "1234"):
        assert edges(reading(tmp_path, "\n".join(rows), organism=name)) == pairs("1-2")
    with pytest.raises(
        InputError, match=r"organism 'axolotl'. Rows by organism: 1234: 1, 9606 \(human\): 1"
    ):
        reading(tmp_path, "\n".join(rows), organism="axolotl")


def test_a_mitab_end_without_organism_is_of_none(tmp_path):
    rows = [
        mitab_row("u:1", "u:2"),
        mitab_row("u:2", "u:3", c10="-"),
        mitab_row("u:3", "u:4", c11=""),
    ]
    assert not reading(tmp_path, "\n".join(rows)).report.notes
    assert edges(reading(tmp_path, "\n".join(rows), organism="human")) == pairs("1-2")


@pytest.mark.parametrize("system", ["pull down", "MI:0096", "mi:0096", "Pull Down"])
def test_mitab_detection_methods_go_by_name_or_number(tmp_path, system):
    result = reading(tmp_path, MITAB_TEXT, systems=[system])
    assert edges(result) == pairs("P1-P2") | {frozenset({"P2", "EBI-9"})}


def test_a_detection_method_no_row_has_is_refused(tmp_path):
    with pytest.raises(
        ParameterError, match="'two-hybrid'. Did you mean two hybrid.* It has: two hybrid"
    ):
        reading(tmp_path, MITAB_TEXT, systems=["two-hybrid"])


def test_mitab_physical_only_leaves_out_colocalization_and_genetics(tmp_path):
    result = reading(tmp_path, MITAB_TEXT, physical_only=True)
    assert result.network.n_edges == 3
    assert left_out(result)["not a physical interaction"] == [8, 9]


@pytest.mark.parametrize(
    ("cell", "physical"),
    [
        ('psi-mi:"MI:0914"(association)', True),
        ('psi-mi:"MI:0407"(direct interaction)', True),
        ("MI:0218(physical interaction)", True),
        ('psi-mi:"MI:0220"(ubiquitination reaction)', True),
        ('psi-mi:"MI:9999"(a later reaction)', True),
        ('psi-mi:"MI:0254"(genetic interference)|psi-mi:"MI:0915"(physical association)', True),
        ('psi-mi:"MI:0208"(genetic interaction)', False),
        ('psi-mi:"MI:0799"(additive genetic interaction defined by inequality)', False),
        ('psi-mi:"MI:2286"(functional association)', False),
        ('psi-mi:"MI:2364"(proximity)', False),
        ("-", False),
        ("", False),
    ],
)
def test_which_interaction_types_are_physical(cell, physical):
    assert is_physical(cell) is physical


def test_mitab_scores(tmp_path):
    result = reading(tmp_path, MITAB_TEXT, min_score=0.5)
    assert edges(result) == pairs("P1-P2", "P3-P4")
    assert left_out(result)["it has no score"] == [4, 5, 6]
    assert left_out(result)["the score is below 0.5"] == [3, 9]


@pytest.mark.parametrize(
    ("cell", "score"),
    [
        ("intact-miscore:0.56", 0.56),
        ("author score:3.1|MINT-MIscore:0.2", 0.2),
        ("author score:high|hpr:12|lpr:3", 12.0),
        ('rank:"1.5e-3"', 0.0015),
        ("author score:nan|score:inf", None),
        ("-", None),
    ],
)
def test_the_score_of_a_confidence_cell(cell, score):
    assert score_of(cell) == score


words = (
    st.text("ab1-. _", min_size=1, max_size=6).map(str.strip).filter(lambda w: w not in ("", "-"))
)
values = (
    st.text('ab|:()"\\ 1', min_size=1, max_size=8)
    .map(str.strip)
    .filter(lambda w: w not in ("", "-"))
)


@given(st.lists(st.tuples(words, values, st.one_of(st.just(""), words)), min_size=1, max_size=4))
def test_fields_written_by_the_rules_are_read_back(parts):
    def written(database, value, text):
        if set(value) & set('|:()"\\'):
            escaped = value.replace("\\", "\\\\").replace('"', '\\"')
            value = f'"{escaped}"'
        return f"{database}:{value}" + (f"({text})" if text else "")

    assert fields_of("|".join(written(*part) for part in parts)) == [Field(*part) for part in parts]


@pytest.mark.parametrize(
    ("cell", "first"),
    [
        ("uniprotkb:P1(a)(gene name)", Field("uniprotkb", "P1(a)", "gene name")),
        ("taxid:10090(Mus musculus (mouse))", Field("taxid", "10090", "Mus musculus (mouse)")),
        ("taxid:-1(in vitro)", Field("taxid", "-1", "in vitro")),
        ('uniprotkb:"P1', Field("uniprotkb", "P1", "")),
        ("P1", Field("", "P1", "")),
        ("a:b)", Field("a", "b)", "")),
        ("a:b))(c)", Field("a", "b))", "c")),
        ("a:b((c)", Field("a", "b(", "c")),
        ("a:b(c(d)))", Field("a", "b", "c(d")),
    ],
)
def test_fields_not_written_by_the_rules(cell, first):
    assert fields_of(cell)[0] == first


def test_a_short_mitab_row_is_named(tmp_path):
    content = "\n".join([*MITAB[:3], "\t".join(MITAB[3].split("\t")[:14])])
    with pytest.raises(InputError, match="input.txt:4: expected at least the 15 columns.*got 14"):
        reading(tmp_path, content)


@pytest.mark.parametrize("content", [MITAB_HEADER, "#\n#\n", " \n"])
def test_a_mitab_table_without_rows_is_refused(tmp_path, content):
    with pytest.raises(InputError, match="no row, expected PSI-MITAB"):
        reading(tmp_path, content, format="mitab")


def test_options_mitab_does_not_know_are_refused(tmp_path):
    with pytest.raises(ParameterError, match="--id does not apply to a PSI-MITAB table"):
        reading(tmp_path, MITAB_TEXT, id="entrez")


def test_negative_interactions_are_known_non_edges(tmp_path):
    path = tmp_path / "input.txt"
    rows = [
        mitab_row("uniprotkb:P9", "uniprotkb:P1", c36="true", c15="-"),
        *MITAB[1:4],
        mitab_row("uniprotkb:P1", "uniprotkb:P3", c36="TRUE", c11=MOUSE_CELL),
        mitab_row("uniprotkb:P4", "-", c36="true"),
    ]
    path.write_text("\n".join(rows))
    listed = {frozenset(pair) for pair in read_pairs(path)}
    chemical = {frozenset({"P1-2", "CHEBI:15422"})}
    assert listed == pairs("P9-P1", "P1-P3", "P1-P2") | chemical
    human = read_pairs(path, ReadOptions(organism="human", min_score=0.5))
    assert {frozenset(pair) for pair in human} == pairs("P9-P1", "P1-P2")
    result = reading(tmp_path, "\n".join(rows))
    assert result.network.names[:2] == ("P1", "P2")  # negative pairs change no order
    assert result.report.isolated == 2
    assert left_out(result)["a negative interaction: tested and not found"] == [1, 5, 6]


def test_a_file_of_negative_interactions_can_be_excluded(tmp_path):
    path = tmp_path / "tested.txt"
    path.write_text(mitab_row("uniprotkb:P3", "uniprotkb:P1", c36="true") + "\n")
    assert read_pairs(path) == [("P3", "P1")]


@pytest.mark.parametrize("header", [[MITAB_HEADER], [MITAB_HEADER[1:]], []])
def test_comments_between_mitab_rows_are_counted(tmp_path, header):
    rows = [*header, *MITAB[1:3], "# a comment", "", "#", *MITAB[3:5]]
    assert reading(tmp_path, "\n".join(rows)).report.passed_over == 3


def test_the_note_on_organisms_counts_the_rows_kept(tmp_path):
    rows = [
        mitab_row("u:1", "u:2", c11=MOUSE_CELL, c7=PULL_DOWN),
        mitab_row("u:2", "u:3", c11=MOUSE_CELL),
        mitab_row("u:3", "u:4", c11=MOUSE_CELL, c36="true"),
    ]
    assert (
        "1 rows join two organisms"
        in reading(tmp_path, "\n".join(rows), systems="pull down").report.notes[0]
    )
    assert "2 rows join two organisms" in reading(tmp_path, "\n".join(rows)).report.notes[0]
