"""PSI-MITAB tables and their cells."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.io.files import (
    MITAB,
    MITAB_HEADER,
    MITAB_TEXT,
    MOUSE_CELL,
    PHYSICAL,
    PULL_DOWN,
    edges,
    left_out,
    links,
    mitab_row,
    pairs,
    read_text,
    reading,
)

from linkprior.errors import InputError, ParameterError
from linkprior.io.formats import ReadOptions
from linkprior.io.node_lists import read_pairs
from linkprior.io.readers.mitab import Field, fields_of, is_physical, label_of, scored_as


def test_a_mitab_table_names_nodes_by_their_first_accession(tmp_path):
    result = read_text(tmp_path, MITAB_TEXT)
    odd = {frozenset({"P1-2", "CHEBI:15422"}), frozenset({"P2", "EBI-9"})}
    assert edges(result) == links("P1-P2", "P3-P4", "P4-P5") | odd
    assert (
        result.report.guess == "PSI-MITAB 2.7, nodes named by accession (uniprotkb, chebi, intact)"
    )
    assert result.labels == {"P1": "P53", "P2": "MDM2"}


def test_mitab_notes_expanded_complexes_isoforms_and_organisms(tmp_path):
    notes = "\n".join(read_text(tmp_path, MITAB_TEXT).report.notes)
    assert "1 rows were expanded from complexes" in notes
    assert "1 nodes are isoforms or chains" in notes
    assert "2 organisms; 1 rows join two organisms (--organism 9606 keeps human–human)" in notes


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
        result = read_text(tmp_path, content, **options)
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
    result = read_text(tmp_path, row, organism="human")
    assert result.labels == {"6416": "MAP2K4", "2318": "FLNC"}


@pytest.mark.parametrize("organism", ["9606", "human", "homo sapiens"])
def test_mitab_organism_filter(tmp_path, organism):
    result = read_text(tmp_path, MITAB_TEXT, organism=organism)
    assert result.network.n_edges == 4
    assert [5] in left_out(result).values()


def test_a_mitab_organism_may_go_by_the_name_in_the_file(tmp_path):
    cell = "taxid:1234(Newt)|taxid:1234(Triturus (marmoratus))"
    rows = [mitab_row("u:1", "u:2", c10=cell, c11=cell), mitab_row("u:2", "u:3")]
    for name in ("newt", "triturus (marmoratus)", "1234"):
        assert edges(read_text(tmp_path, "\n".join(rows), organism=name)) == links("1-2")
    with pytest.raises(
        InputError, match=r"organism 'axolotl'. Rows by organism: 1234: 1, 9606 \(human\): 1"
    ):
        read_text(tmp_path, "\n".join(rows), organism="axolotl")


def test_a_mitab_end_without_organism_is_of_none(tmp_path):
    rows = [
        mitab_row("u:1", "u:2"),
        mitab_row("u:2", "u:3", c10="-"),
        mitab_row("u:3", "u:4", c11=""),
    ]
    assert not read_text(tmp_path, "\n".join(rows)).report.notes
    assert edges(read_text(tmp_path, "\n".join(rows), organism="human")) == links("1-2")


@pytest.mark.parametrize("system", ["pull down", "MI:0096", "mi:0096", "Pull Down"])
def test_mitab_detection_methods_go_by_name_or_number(tmp_path, system):
    result = read_text(tmp_path, MITAB_TEXT, systems=[system])
    assert edges(result) == links("P1-P2") | {frozenset({"P2", "EBI-9"})}


def test_a_detection_method_no_row_has_is_refused(tmp_path):
    with pytest.raises(
        ParameterError, match="'two-hybrid'. Did you mean two hybrid.* It has: two hybrid"
    ):
        read_text(tmp_path, MITAB_TEXT, systems=["two-hybrid"])


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


def test_a_short_mitab_row_is_named(tmp_path):
    content = "\n".join([*MITAB[:3], "\t".join(MITAB[3].split("\t")[:14])])
    with pytest.raises(InputError, match="input.txt:4: expected at least the 15 columns.*got 14"):
        read_text(tmp_path, content)


@pytest.mark.parametrize("content", [MITAB_HEADER, "#\n#\n", " \n"])
def test_a_mitab_table_without_rows_is_refused(tmp_path, content):
    with pytest.raises(InputError, match="no row, expected PSI-MITAB"):
        read_text(tmp_path, content, format="mitab")


def test_options_mitab_does_not_know_are_refused(tmp_path):
    with pytest.raises(ParameterError, match="--id does not apply to a PSI-MITAB table"):
        read_text(tmp_path, MITAB_TEXT, id="entrez")


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
    assert listed == links("P9-P1", "P1-P3", "P1-P2") | chemical
    human = read_pairs(path, ReadOptions(organism="human", min_score=0.5))
    assert {frozenset(pair) for pair in human} == links("P9-P1", "P1-P2")
    result = read_text(tmp_path, "\n".join(rows))
    assert result.network.names[:2] == ("P1", "P2")  # negative pairs change no order
    assert result.report.isolated == 2
    assert left_out(result)["a negative interaction: tested and not found"] == [1, 5, 6]


@pytest.mark.parametrize("header", [[MITAB_HEADER], [MITAB_HEADER[1:]], []])
def test_comments_between_mitab_rows_are_counted(tmp_path, header):
    rows = [*header, *MITAB[1:3], "# a comment", "", "#", *MITAB[3:5]]
    assert read_text(tmp_path, "\n".join(rows)).report.passed_over == 3


def test_the_note_on_organisms_counts_the_rows_kept(tmp_path):
    rows = [
        mitab_row("u:1", "u:2", c11=MOUSE_CELL, c7=PULL_DOWN),
        mitab_row("u:2", "u:3", c11=MOUSE_CELL),
        mitab_row("u:3", "u:4", c11=MOUSE_CELL, c36="true"),
    ]
    pull_down = read_text(tmp_path, "\n".join(rows), systems="pull down")
    assert "1 rows join two organisms" in pull_down.report.notes[0]
    assert "2 rows join two organisms" in read_text(tmp_path, "\n".join(rows)).report.notes[0]


@pytest.mark.parametrize(
    ("cell", "fields"),
    [
        ('a:"b|c"|d:e', [Field("a", "b|c", ""), Field("d", "e", "")]),
        (r'a:"b\"c"', [Field("a", 'b"c', "")]),
        (r'a:"b\\c"(d)', [Field("a", r"b\c", "d")]),
        ('"a:b"', [Field("", "a:b", "")]),
        ('a:" b "(c)', [Field("a", "b", "c")]),
        ("a : b |c:d", [Field("a", "b", ""), Field("c", "d", "")]),
        ("a:b||c:d|", [Field("a", "b", ""), Field("c", "d", "")]),
        ("a:b:c", [Field("a", "b:c", "")]),
        ("MI:0018(two hybrid)", [Field("", "MI:0018", "two hybrid")]),
        ("MI:18(two hybrid)", [Field("MI", "18", "two hybrid")]),
        ("psi-mi:MI:0018(two hybrid)", [Field("psi-mi", "MI:0018", "two hybrid")]),
        ("a:b(c", [Field("a", "b(c", "")]),
        ("a:b(c)d", [Field("a", "b(c)d", "")]),
        ("a:(b)", [Field("a", "", "b")]),
        ("a:((b))", [Field("a", "", "(b)")]),
        ("a:b(c))", [Field("a", "b", "c)")]),
        ("a:b(c)(d(e))", [Field("a", "b(c)", "d(e)")]),
        ("a:b(c(d)))", [Field("a", "b", "c(d")]),
        ("uniprotkb:P1(a)(gene name)", [Field("uniprotkb", "P1(a)", "gene name")]),
        ("taxid:1(Mus (mouse))", [Field("taxid", "1", "Mus (mouse)")]),
        ("taxid:-1(in vitro)", [Field("taxid", "-1", "in vitro")]),
        ('uniprotkb:"P1', [Field("uniprotkb", "P1", "")]),
        ("P1", [Field("", "P1", "")]),
        ("a:b)", [Field("a", "b)", "")]),
        ("a:b))(c)", [Field("a", "b))", "c")]),
        ("a:b((c)", [Field("a", "b(", "c")]),
        (" - ", []),
        ("", []),
    ],
)
def test_a_cell_is_cut_at_its_bars_colons_and_brackets(cell, fields):
    assert fields_of(cell) == fields


@pytest.mark.parametrize(
    ("cell", "label"),
    [
        ("db:long(display_long)|db:GENE(gene name)|db:SHORT(display_short)", "SHORT"),
        ("db:one(gene name)|db:two(gene name)", "one"),
        ("db:x(gene name synonym)|db:Y(gene symbol)", "Y"),
        ('db:""(display_short)|db:Y(gene name)', "Y"),
        ("db:x(orf name)", ""),
        ("db:x", ""),
        ("-", ""),
    ],
)
def test_a_node_is_shown_by_its_shortest_usual_alias(cell, label):
    assert label_of(cell) == label


@pytest.mark.parametrize(
    ("cell", "asked", "score"),
    [
        ("author score:7|intact-miscore:0.8", " Intact-MIscore ", "0.8"),
        ("author score:7|intact-miscore:0.8", "SCORE", "0.8"),
        ("author score:7|rank:2", "confidence value(s)", "7.0"),
        ("author score:high|intact-miscore:0.8", "author score", "high"),
        ("Author Score:7|author score:8", "author score", "7"),
        ("author score:7", "intact-miscore", ""),
        ("author score:high", "score", ""),
        ("-", "score", ""),
        ("-", "intact-miscore", ""),
        ("rank:3|mint-miscore:0.1|intact-miscore:0.2", "score", "0.1"),
        ("intact-miscore:none|rank:3|rank:4", "score", "3.0"),
    ],
)
def test_a_score_is_found_by_its_name_capitals_aside(cell, asked, score):
    assert scored_as(cell, asked) == score


def table(*rows):
    return "\n".join(rows) + "\n"


def notes(result):
    return "\n".join(result.report.notes)


def test_each_end_has_its_own_columns_of_aliases_and_alternatives(tmp_path):
    rows = [
        mitab_row("u:1", "u:2", 15, c5="db:One(gene name)", c6="db:Two(gene name)"),
        mitab_row(
            "u:3", "u:4", 15, c3="entrez gene/locuslink:Three", c4="entrez gene/locuslink:Four"
        ),
    ]
    result = read_text(tmp_path, table(*rows))
    assert result.labels == {"1": "One", "2": "Two", "3": "Three", "4": "Four"}


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
    result = read_text(tmp_path, content, format="mitab")
    assert result.report.guess == f"PSI-MITAB 2.5, nodes named by accession ({named})"


def test_isoforms_and_chains_are_counted_once_each(tmp_path):
    rows = [
        mitab_row("uniprotkb:P1-2", "uniprotkb:P1-PRO_0001"),
        mitab_row("uniprotkb:P1-2", "uniprotkb:P1-x"),
        mitab_row("intact:EBI-2", "uniprotkb:P1"),
    ]
    assert "2 nodes are isoforms or chains" in notes(read_text(tmp_path, table(*rows)))


def test_of_two_organisms_in_one_cell_the_first_counts(tmp_path):
    both = "taxid:9606(human)|taxid:63221(Neanderthal)"
    content = table(mitab_row("u:1", "u:2", c10=both, c11=both), mitab_row("u:2", "u:3"))
    assert edges(read_text(tmp_path, content, organism="9606")) == links("1-2", "2-3")
    with pytest.raises(InputError, match=r"Rows by organism: 9606 \(human\): 2$"):
        read_text(tmp_path, content, organism="63221")


def test_a_method_asked_for_may_stand_without_a_name_or_among_others(tmp_path):
    rows = [
        mitab_row("u:1", "u:2", c7="psi-mi:MI:0096"),
        mitab_row("u:2", "u:3", c7="psi-mi:MI:0018(two hybrid)|psi-mi:MI:0096(pull down)"),
        mitab_row("u:3", "u:4"),
    ]
    result = read_text(tmp_path, table(*rows), systems="MI:0096")
    assert edges(result) == links("1-2", "2-3")
    assert left_out(result) == {"another detection method": [3]}
    with pytest.raises(ParameterError, match="It has: two hybrid, MI:0096, pull down$"):
        read_text(tmp_path, table(*rows), systems="fret")


def test_scores_asked_for_as_weights_may_come_in_a_later_filter_or_block(tmp_path, line_by_line):
    """A block without rows has no score, and is no reason to say that nothing has one."""
    rows = [
        mitab_row("u:1", "u:2", 15, c12="MI:0208(genetic interaction)", c15="-"),
        mitab_row("u:2", "u:3", 15, c12=PHYSICAL, c15="rank:4"),
        mitab_row("u:3", "u:4", 15, c12=PHYSICAL, c15="rank:2"),
    ]
    result = read_text(tmp_path, table(*rows), physical_only=True, weights="rank")
    assert (result.report.weights.least, result.report.weights.largest) == (2.0, 4.0)
    late = table(*rows[1:], mitab_row("u:4", "u:5", 15, c12=PHYSICAL))
    with pytest.raises(InputError, match=r"input\.txt:3: expected a weight"):
        read_text(tmp_path, late, physical_only=True, weights="rank")


def test_a_score_no_row_has_is_refused_with_those_there_are(tmp_path):
    rows = [mitab_row("u:1", "u:2", 15, c15="zeta:1|beta:2"), mitab_row("u:2", "u:3", 15, c15="-")]
    with pytest.raises(ParameterError, match="There are: score, beta, zeta$"):
        read_text(tmp_path, table(*rows), weights="nothing like it")


def test_a_bait_with_many_preys_makes_no_interaction_directed(tmp_path):
    """Rows that an edge list would be called directed for: three hubs on one side."""
    ends = [(f"u:h{hub}", f"u:{hub}x{k}") for hub in range(3) for k in range(12)]
    ends += [("u:h0", "u:h1"), ("u:h1", "u:h2")]
    directed = "looks directed"
    edge_list = read_text(tmp_path, table(*("\t".join(pair) for pair in ends)), "e.tsv")
    assert directed in " ".join(edge_list.report.looks)
    mitab = read_text(tmp_path, table(*(mitab_row(*pair) for pair in ends)), "m.tsv")
    assert directed not in " ".join(mitab.report.looks)


def row(a="u:1", b="u:2", width=42, **cells):
    """Return a row of MITAB that says nothing but what it is given, columns counted from 1."""
    empty = dict.fromkeys(("c7", "c10", "c11", "c12", "c36"), "-")
    return mitab_row(a, b, width, **(empty | cells))


def kept(result):
    return result.report.rows == 2


def noted(result):
    return bool(result.report.notes)


@pytest.mark.parametrize(
    ("column", "cell", "counted", "options"),
    [
        (12, PHYSICAL, kept, {"physical_only": True}),
        (15, "score:0.9", kept, {"min_score": 0.5}),
        (16, "spoke expansion", noted, {}),
        (16, "bipartite", noted, {}),
        (36, "True ", lambda result: not kept(result), {}),
    ],
)
def test_a_cell_counts_in_its_own_column_alone(tmp_path, column, cell, counted, options):
    always = row("u:8", "u:9", c12=PHYSICAL, c15="score:1")
    for at in (column - 1, column, column + 1):
        result = read_text(tmp_path, table(row(**{f"c{at}": cell}), always), **options)
        assert counted(result) == (at == column), at


@pytest.mark.parametrize(
    ("cell", "ends"),
    [("entrez gene/locuslink:Sym", {3: "1", 4: "2"}), ("db:Sym(gene name)", {5: "1", 6: "2"})],
)
def test_names_of_the_two_ends_are_in_columns_3_to_6(tmp_path, cell, ends):
    """Columns 3 and 4 hold other identifiers of the ends, 5 and 6 their aliases."""
    for at in range(3, 8):
        result = read_text(tmp_path, row(**{f"c{at}": cell}))
        assert result.labels == ({ends[at]: "Sym"} if at in ends else {}), at


VERSIONS = {
    15: "2.5", 16: "2.5 with 1 more columns", 35: "2.5 with 20 more columns", 36: "2.6",
    41: "2.6 with 5 more columns", 42: "2.7", 45: "2.7 with 3 more columns", 46: "2.8",
    54: "2.8 with 8 more columns",
}  # fmt: skip


@pytest.mark.parametrize("width", VERSIONS)
@pytest.mark.parametrize("header", ["", "#ID(s) interactor A", "ID interactor A", "#uidA"])
def test_a_version_has_the_number_of_columns_its_specification_gives_it(tmp_path, width, header):
    """That of the first row counts."""
    top = [header + "\tb" * (width - 1)] if header else []
    result = read_text(tmp_path, table(*top, row(width=width), row("u:2", "u:3", 46)))
    assert result.report.format == "mitab"
    assert result.report.guess == f"PSI-MITAB {VERSIONS[width]}, nodes named by accession (u)"
    assert edges(result) == links("1-2", "2-3")


@pytest.mark.parametrize("ends", [("u:a\u200bb", "u:3"), ("u:3", "u:a\u200bb")])
def test_a_bad_name_in_a_negative_row_is_reported_with_its_line(tmp_path, ends):
    rows = [row(), row("u:4", "u:5", c36="true"), row("u:2", "u:6"), row(*ends, c36="true")]
    with pytest.raises(InputError, match=r"input\.txt:4: the node name .* holds .* U\+200B"):
        read_text(tmp_path, table(*rows))


# PSI-MI below MI:0914, by branch; and two terms that were retired.
PHYSICAL_TYPES = {
    "association, physical association, direct interaction": {914, 915, 407},
    "covalent binding and its kinds, self interactions": {195, 408, 556, 1126, 1127},
    "enzymatic reactions that add a group": {
        192, 193, 206, 207, 209, 210, 211, 213, 214, 216, 217, 220, 557, 559, 566, 567, 971, 1027,
        1139, 1143, 1148, 1230, 2263, 2272, 2273,
    },
    "enzymatic reactions that cleave or take a group away": {
        194, 197, 198, 199, 200, 201, 202, 203, 204, 212, 558, 568, 569, 570, 571, 572, 871, 902,
        910, 985, 1140, 1310, 1355, 2280,
    },
    "enzymatic reactions of all and of other kinds": {
        414, 701, 844, 881, 882, 883, 945, 986, 987, 1146, 1237, 1250, 1251, 1327, 2252, 2356,
    },
    "aggregation and physical interaction, retired": {191, 218},
}  # fmt: skip


def test_a_number_is_that_of_a_physical_type_and_the_next_one_is_not_unless_listed():
    physical = set.union(*PHYSICAL_TYPES.values())
    looked_at = {number + step for number in physical for step in (-1, 0, 1)}
    assert {n for n in looked_at if is_physical(f"psi-mi:MI:{n:04}")} == physical


def test_a_wide_table_with_one_row_like_those_of_mitab_is_an_edge_list(tmp_path):
    ends = [("db:A", "db:B"), ("C", "D"), ("D", "E"), ("E", "db:A")]
    rows = ["\t".join([*pair, *"abcdefghijklmno"]) for pair in ends]
    found = reading(tmp_path, "t.txt", "\n".join(rows) + "\n")
    assert found.report.format == "edgelist"
    assert pairs(found.network) == set(map(frozenset, ends))
