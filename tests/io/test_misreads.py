"""Files that are easily misread: row numbers, titles, relations, labels, headers that return."""

import json

import networkx as nx
import pytest
from tests.io.files import (
    dropped,
    expected_pairs,
    links,
    pairs,
    problem,
    reading,
    written,
)

from linkprior.errors import InputError, ParameterError
from linkprior.io.formats import ReadOptions
from linkprior.io.read import read
from linkprior.io.readers.columns import pair_of_columns
from linkprior.io.readers.delimited import sample_of
from linkprior.io.readers.graphs import whole_numbers
from linkprior.io.source import Block

GRAPH = nx.relabel_nodes(nx.gnm_random_graph(20, 40, seed=3), lambda v: f"G{chr(65 + v)}")


EDGES = list(GRAPH.edges())


EXPECTED = expected_pairs(GRAPH)


def table(rows, separator="\t"):
    return "".join(separator.join(map(str, row)) + "\n" for row in rows)


PLAIN = table(EDGES)


def notes(found):
    return "\n".join(found.report.notes)


@pytest.mark.parametrize("separator", ["\t", ";", " "])
def test_scores_in_front_are_no_nodes_and_may_be_asked_for(tmp_path, separator):
    rows = [(0.9 if i % 2 else 0.25, *edge) for i, edge in enumerate(EDGES)]
    found = reading(tmp_path, "e.txt", table(rows, separator))
    assert pairs(found.network) == EXPECTED
    assert "column 1 holds scores" in notes(found)
    strong = reading(tmp_path, "e.txt", table(rows, separator), options=ReadOptions(min_score=0.5))
    assert pairs(strong.network) == {frozenset(edge) for edge in EDGES[1::2]}


def test_row_numbers_below_a_header_nobody_knows(tmp_path):
    rows = [("nr", "eins", "zwei"), *((i, *edge) for i, edge in enumerate(EDGES))]
    found = reading(tmp_path, "e.txt", table(rows))
    assert pairs(found.network) == EXPECTED


@pytest.mark.parametrize(
    "rows",
    [
        [(i, i + 1, 5 * i) for i in range(1, 20)],  # a path with weights
        [(2 * i, a, b) for i, (a, b) in enumerate(EDGES)],  # numbers that leave some out
        [(i, f"n{i}", "gene") for i in range(1, 20)],  # one word for all rows
    ],
    ids=["numbers throughout", "gaps", "a table of nodes"],
)
def test_whole_numbers_that_may_be_nodes_stay_nodes(tmp_path, rows):
    found = reading(tmp_path, "e.txt", table(rows))
    expected = {frozenset(map(str, row[:2])) for row in rows}
    assert pairs(found.network) == expected


def test_scores_beside_one_name_are_refused(tmp_path):
    told = problem(tmp_path, "e.txt", "0.53\tMYC\n0.21\tMAX\n0.5\tTP53\n")
    assert told.startswith("e.txt:1: expected two columns of node names")


@pytest.mark.parametrize("title", ["Interactions of 2020", "Yeast interactome", "Interactome"])
@pytest.mark.parametrize("separator", ["\t", ",", ";"])
@pytest.mark.parametrize("header", ["", "source{}target\n", "# gene_a{}gene_b\n"])
def test_titles_above_a_table_are_left_out_and_counted(tmp_path, title, separator, header):
    text = f"{title}\n\n{header.format(separator)}{table(EDGES, separator)}"
    report = (found := reading(tmp_path, "e.txt", text)).report
    assert pairs(found.network) == EXPECTED
    assert report.dropped == [{"reason": "text above the table", "count": 1, "first_lines": [1]}]
    header_row = header.startswith("source")
    assert report.rows + report.passed_over + 1 + header_row == report.lines


def test_a_title_that_names_a_node_is_a_title_still(tmp_path):
    found = reading(tmp_path, "e.txt", f"Partners of {EDGES[0][0]}\n{PLAIN}")
    assert pairs(found.network) == EXPECTED


@pytest.mark.parametrize(
    ("text", "edges"),
    [
        ("a b\na\tc\nb\td\n", ["ab", "ac", "bd"]),
        ("a b 1\nb c 0,5\nc d 0,25\n", ["ab", "bc", "cd"]),
        ('s t\na "x;y"\na "z;w"\n', None),
    ],
    ids=["blanks above tabs", "decimal commas", "marks in quotes"],
)
def test_a_first_row_without_the_mark_of_the_others_is_no_title(tmp_path, text, edges):
    found = reading(tmp_path, "e.txt", text)
    assert "text above the table" not in dropped(found)
    if edges:
        assert pairs(found.network) == {frozenset(edge) for edge in edges}


def test_a_row_with_another_separator_is_not_taken_for_a_title(tmp_path):
    assert problem(tmp_path, "e.txt", f"a,b\n{PLAIN}").startswith("e.txt:2: ")


def test_the_first_table_of_biogrid_is_read_below_its_preamble(tmp_path):
    preamble = "All interactions, explained:\n\nINTERACTOR_A\tthe first one\nand so on\n"
    header = "INTERACTOR_A\tINTERACTOR_B\tOFFICIAL_SYMBOL_A\tOFFICIAL_SYMBOL_B\n"
    found = reading(tmp_path, "e.txt", preamble + header + table((*e, "x", "y") for e in EDGES))
    assert pairs(found.network) == EXPECTED
    assert dropped(found) == {"text above the table": 3}


def test_a_title_above_a_table_of_biogrid_is_refused(tmp_path):
    header = "#BioGRID Interaction ID\tEntrez Gene Interactor A\tEntrez Gene Interactor B\n"
    told = problem(tmp_path, "e.txt", f"Rat of 2020\n{header}1\t2\t3\n2\t3\t4\n")
    assert told.startswith("e.txt:1: ")
    assert "Rat of 2020" in told


@pytest.mark.parametrize("word", ["->", "-|", "pp", "phosphorylates", "is_part_of", "inhibition"])
@pytest.mark.parametrize("more", [(), (0.5,)], ids=["alone", "with a score"])
def test_a_relation_between_two_names_is_no_node(tmp_path, word, more):
    text = table((a, word, b, *more) for a, b in EDGES)
    found = reading(tmp_path, "e.txt", text)
    assert pairs(found.network) == EXPECTED
    one = reading(tmp_path, "e.txt", text.split("\n")[0])
    assert pairs(one.network) == {frozenset(EDGES[0])}


def test_a_third_column_of_other_words_leaves_the_second_alone(tmp_path):
    """Members of a few clubs, and what they do there: no name of the first column comes back."""
    rows = [(f"m{i}", f"club{'ABC'[i % 3]}", f"task{i % 17}") for i in range(40)]
    found = reading(tmp_path, "e.txt", table(rows))
    assert pairs(found.network) == {frozenset(row[:2]) for row in rows}


def test_a_header_with_a_relation_is_a_header(tmp_path):
    text = "source\tinteraction\ttarget\n" + table((a, "pp", b) for a, b in EDGES)
    assert pairs(reading(tmp_path, "e.txt", text).network) == EXPECTED


@pytest.mark.parametrize("pair", [("0", "1"), ("0.0", "1.0"), ("FALSE", "TRUE"), ("False", "True")])
@pytest.mark.parametrize("end", [(), ("",)], ids=["", "a tab at the end"])
def test_labels_of_a_gold_standard_however_they_are_written(tmp_path, pair, end):
    rows = [(*edge, pair[i % 2], *end) for i, edge in enumerate(EDGES)]
    found = reading(tmp_path, "e.txt", table(rows))
    assert pairs(found.network) == {frozenset(edge) for edge in EDGES[1::2]}
    assert dropped(found) == {"labelled 0, a non-edge of the gold standard": 20}


@pytest.mark.parametrize("missing", ["NA", "nan", "", "?"])
def test_a_missing_label_is_neither_an_edge_nor_a_non_edge(tmp_path, missing):
    rows = [(*edge, missing if i in (4, 7) else i % 2) for i, edge in enumerate(EDGES)]
    found = reading(tmp_path, "e.txt", table(rows))
    kept = [edge for i, edge in enumerate(EDGES) if i % 2 and i != 7]
    assert pairs(found.network) == {frozenset(edge) for edge in kept}
    assert sorted(dropped(found).values()) == [2, 19]
    lines = {entry["count"]: entry["first_lines"] for entry in found.report.dropped}
    assert (lines[2], lines[19]) == ([5, 8], [1, 3, 7, 9, 11])


def test_missing_labels_without_any_0_leave_all_rows_edges(tmp_path):
    rows = [(*edge, "NA" if i % 2 else 1) for i, edge in enumerate(EDGES)]
    assert pairs(reading(tmp_path, "e.txt", table(rows)).network) == EXPECTED


@pytest.mark.parametrize("zero", ["0", "0.0", "0.000", "-0.0", "0.000000e+00", "0,0"])
@pytest.mark.parametrize("header", ["", "source\ttarget\tweight\n"])
def test_weights_of_0_are_said_to_count_as_edges(tmp_path, zero, header):
    rows = [(*edge, "0.7" if i % 4 else zero) for i, edge in enumerate(EDGES)]
    found = reading(tmp_path, "e.txt", header + table(rows))
    assert pairs(found.network) == EXPECTED
    assert "10 of 40 rows have weight 0 and count as edges; --min-score" in notes(found)
    asked = reading(tmp_path, "e.txt", header + table(rows), options=ReadOptions(min_score=0.1))
    assert asked.network.n_edges == 30
    assert "weight 0" not in notes(asked)


def test_labels_under_a_header_are_said_to_count_as_edges(tmp_path):
    rows = [("tf", "target", "label"), *((*edge, i % 2) for i, edge in enumerate(EDGES))]
    found = reading(tmp_path, "e.txt", table(rows))
    assert pairs(found.network) == EXPECTED
    assert "20 of 40 rows have label 0 and count as edges" in notes(found)


@pytest.mark.parametrize("cells", [("0.7", "0.9"), ("x", "0"), ("0", "00x")])
def test_columns_without_weights_of_0_need_no_word(tmp_path, cells):
    rows = [(*edge, cells[i % 2]) for i, edge in enumerate(EDGES)]
    assert "weight" not in notes(reading(tmp_path, "e.txt", table(rows)))


@pytest.mark.parametrize("header", ["source\ttarget\n", "Regulator\tTarget\n"])
@pytest.mark.parametrize("first", [3, 40], ids=["early", "late"])
def test_a_header_that_comes_again_is_dropped_and_counted(tmp_path, header, first):
    text = header + table(EDGES[:first]) + header + table(EDGES[first:] or EDGES[:2])
    found = reading(tmp_path, "e.txt", text)
    assert pairs(found.network) == EXPECTED
    assert found.report.dropped == [
        {"reason": "repeats the header", "count": 1, "first_lines": [first + 2]}
    ]


def test_a_header_above_numbers_comes_again(tmp_path):
    text = "eins\tzwei\tdrei\n" + table((*edge, 0.5) for edge in EDGES)
    found = reading(tmp_path, "e.txt", text * 3)
    assert pairs(found.network) == EXPECTED
    assert dropped(found) == {"repeats the header": 2}


def test_a_header_nobody_knows_that_comes_again_is_asked_about(tmp_path):
    text = f"Wirkstoff\tZiel\n{PLAIN}"
    assert "Wirkstoff – Ziel" in notes(reading(tmp_path, "e.txt", text * 2))
    found = reading(tmp_path, "e.txt", text * 2, options=ReadOptions(header=True))
    assert pairs(found.network) == EXPECTED


@pytest.mark.parametrize("text", ["4 4\n1 2\n2 3\n3 4\n1 4\n", "3 2\n1 2\n2 3\n"])
def test_an_edge_list_of_numbers_is_no_metis(tmp_path, text):
    assert reading(tmp_path, "e.txt", text).report.format == "edgelist"


@pytest.mark.parametrize(
    ("first", "more", "what"),
    [("20 20 40", " 1", "the size of a matrix"), ("20 40", "", "numbers of nodes and edges")],
)
def test_a_first_line_that_counts_the_others_is_refused(tmp_path, first, more, what):
    numbered = nx.convert_node_labels_to_integers(GRAPH, first_label=1)
    rows = "".join(f"{a} {b}{more}\n" for a, b in numbered.edges())
    told = problem(tmp_path, "e.txt", f"{first}\n{rows}")
    assert told.startswith(f"e.txt:1: {first!r} looks like {what}, as 40 rows follow; remove")
    kept = reading(tmp_path, "e.txt", f"{first}\n{rows}", options=ReadOptions(header=False))
    assert kept.report.rows == 41
    assert reading(tmp_path, "e.txt", f"{first}\n{rows}1 2{more}\n").report.rows == 42


def report(tmp_path, text, **options):
    path = tmp_path / "e.csv"
    path.write_text(text)
    return read(path, options=ReadOptions(**options))


def test_rows_of_different_widths_are_told_of(tmp_path):
    found = report(tmp_path, "a b c d\nb c\nc d e\n")
    assert any("2 to 4 columns" in note for note in found.report.notes)


def test_a_ranking_read_as_a_network_is_told_of(tmp_path):
    found = report(tmp_path, "rank\tsource\ttarget\tscore\n1\ta\tb\t3\n2\tb\tc\t2\n")
    assert any("looks like a ranking" in note for note in found.report.notes)
    assert found.network.n_edges == 2


def test_names_that_differ_in_capitals_alone_are_told_of(tmp_path):
    found = report(tmp_path, "TP53,a\ntp53,b\n")
    assert any("TP53 and tp53" in note for note in found.report.notes)


@pytest.mark.parametrize("start", ["graph [\n", 'Creator "igraph"\nVersion 1\ngraph\n[\n'])
def test_gml_is_refused_by_name(tmp_path, start):
    with pytest.raises(InputError, match=r"e\.csv:1: is GML"):
        report(tmp_path, start + "  node [ id 0 ]\n]\n")


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


def test_a_message_shows_what_a_terminal_would_obey_as_its_code(tmp_path):
    path = written(tmp_path, "e.tsv", "source\x1b[31m\ttarget\tscore\na\tb\t1\nb\tc\t2\n")
    with pytest.raises(ParameterError) as caught:
        read(path, options=ReadOptions(columns=("nothing", "target")))
    told = str(caught.value)
    assert told.isprintable()
    assert "source\\x1b[31m, target, score" in told


def cx2_of(edges):
    nodes = sorted({end for edge in edges for end in edge[:2]})
    return json.dumps(
        [
            {"CXVersion": "2.0", "hasFragments": False},
            {"nodes": [{"id": n, "v": {"name": f"g{n}"}} for n in nodes]},
            {
                "edges": [
                    {"id": at, "s": s, "t": t, "v": {"kind": kind}}
                    for at, (s, t, kind) in enumerate(edges)
                ]
            },
            {"status": [{"success": True}]},
        ]
    )


def test_a_predicted_link_is_left_out_and_counted_and_its_nodes_are_none_of_the_network(tmp_path):
    text = cx2_of([(0, 1, "pp"), (1, 2, "pp"), (3, 4, "predicted")])
    found = reading(tmp_path, "g.cx2", text, keep_isolated=True)
    assert pairs(found.network) == {frozenset(("g0", "g1")), frozenset(("g1", "g2"))}
    assert list(dropped(found).values()) == [1]


def test_one_number_too_long_is_refused_among_short_ones():
    assert whole_numbers(["1", "5", "02"], 5, "node", "f:1") == [1, 5, 2]
    for word in ("6", "0", "9" * 19, "9" * 5000):
        for words in ([word, "1"], ["1", word], [word]):
            with pytest.raises(InputError, match=rf"f:1: node {word[:30]} is beyond the 5"):
                whole_numbers(words, 5, "node", "f:1")
