"""Labels of a gold standard and weights of 0, at the edge of what is taken for them."""

import pytest
from tests.io.graph_files import dropped, pairs, reading

from linkprior.io.formats import ReadOptions
from linkprior.io.node_lists import read_pairs
from linkprior.io.source import Source

NON_EDGE = "labelled 0, a non-edge of the gold standard"
UNKNOWN = "its label is missing, so it is neither an edge nor a non-edge"


@pytest.fixture
def in_blocks(monkeypatch):
    """A large file comes in several blocks; here four lines are one."""
    whole = Source.blocks

    def blocks(self):
        for data in whole(self):
            lines = data.splitlines(keepends=True)
            for at in range(0, len(lines), 4):
                yield b"".join(lines[at : at + 4])

    monkeypatch.setattr(Source, "blocks", blocks)


def rows(*cells, header=""):
    """Return a path of nodes with these cells beside its edges."""
    lines = [f"n{at}\tn{at + 1}\t{cell}\n" for at, cell in enumerate(cells)]
    return header + "".join(lines)


def path(*places):
    return {frozenset((f"n{at}", f"n{at + 1}")) for at in places}


def notes(found):
    return "\n".join(found.report.notes)


SPELLINGS = {
    "edge": ["1", "1.0", "true", "TRUE", "True", "tRue"],
    "no": ["0", "0.0", "false", "FALSE", "False", "fAlse"],
    "unknown": ["", "na", "NA", "nan", "NaN", "n/a", "N/A", "null", "NULL", "none", "None", "?"],
}


def test_all_spellings_of_labels_may_stand_in_one_file(tmp_path):
    cells = [cell for kind in ("edge", "no", "unknown") for cell in SPELLINGS[kind]]
    found = reading(tmp_path, "g.tsv", rows(*cells))
    assert found.report.guess.startswith("gold standard")
    assert pairs(found.network) == path(*range(6))
    assert dropped(found) == {NON_EDGE: 6, UNKNOWN: 12}


def test_the_pairs_of_a_gold_standard_are_its_edges_and_non_edges(tmp_path):
    (tmp_path / "g.tsv").write_text(rows("1", "0", "NA", "0", "1"))
    listed = {frozenset(pair) for pair in read_pairs(tmp_path / "g.tsv")}
    assert listed == path(0, 1, 3, 4)


def test_labels_in_several_blocks_are_one_column(tmp_path, in_blocks):
    found = reading(tmp_path, "g.tsv", rows(*"100010000010"))
    assert pairs(found.network) == path(0, 4, 10)
    assert found.report.dropped == [
        {"reason": NON_EDGE, "count": 9, "first_lines": [2, 3, 4, 6, 7]}
    ]


@pytest.mark.parametrize("odd", [0, 5, 9])
def test_one_cell_that_is_no_label_makes_all_rows_edges(tmp_path, in_blocks, odd):
    cells = ["2" if at == odd else str(at % 2) for at in range(10)]
    found = reading(tmp_path, "g.tsv", rows(*cells))
    assert pairs(found.network) == path(*range(10))
    assert not dropped(found)


@pytest.mark.parametrize("order", [("1", "2"), ("2", "1")])
def test_the_two_first_columns_may_be_chosen_in_any_order(tmp_path, order):
    options = ReadOptions(columns=order)
    found = reading(tmp_path, "g.tsv", rows("1", "0", "1"), options=options)
    assert pairs(found.network) == path(0, 2)


def test_labels_between_or_before_the_ends_are_no_labels(tmp_path):
    between = "".join(f"n{at}\t{at % 2}\tn{at + 1}\n" for at in range(4))
    found = reading(tmp_path, "g.tsv", between, options=ReadOptions(columns=("1", "3")))
    assert pairs(found.network) == path(*range(4))
    before = "".join(f"{at % 2}\tn{at}\tn{at + 1}\n" for at in range(4))
    found = reading(tmp_path, "g.tsv", before, options=ReadOptions(columns=("2", "3")))
    assert pairs(found.network) == path(*range(4))


def test_rows_of_unlike_widths_have_no_labels(tmp_path):
    content = "n0\tn1\t1\nn1\tn2\t0\t\nn2\tn3\t0\n"
    found = reading(tmp_path, "g.tsv", content)
    assert pairs(found.network) == path(0, 1, 2)


# ---------------------------------------------------------------------- weights of 0

WEIGHT = "source\ttarget\tweight\n"


@pytest.mark.parametrize(
    ("cells", "told"),
    [
        (("0", "2", "3"), "1 of 3 rows have weight 0"),
        (("0", "0", "3"), "2 of 3 rows have weight 0"),
        (("0", "0", "0"), ""),
        (("1", "2", "3"), ""),
        (("0", "NA", "3"), "1 of 3 rows have weight 0"),
        (("0", "Inf", "3"), "1 of 3 rows have weight 0"),
        (("0", "high", "3"), ""),
        (("0E0", "-0,00", "3"), "2 of 3 rows have weight 0"),
        (("0.0000000000", "00", "3"), "1 of 3 rows have weight 0"),
    ],
)
def test_weights_of_0_are_counted_where_some_rows_have_others(tmp_path, cells, told):
    found = reading(tmp_path, "e.tsv", rows(*cells, header=WEIGHT))
    assert pairs(found.network) == path(0, 1, 2)
    assert ("weight 0" in notes(found)) == bool(told)
    assert told in notes(found)


@pytest.mark.parametrize(
    ("header", "told"),
    [
        ("source\ttarget\tIs_Edge", "1 of 3 rows have Is_Edge 0 and count as edges; remove"),
        ("source\ttarget\tweight", "1 of 3 rows have weight 0 and count as edges; --min-score"),
        ("source\ttarget\tyear", ""),
    ],
)
def test_a_column_is_known_by_its_name(tmp_path, header, told):
    found = reading(tmp_path, "e.tsv", rows("0", "5", "5", header=header + "\n"))
    assert told in notes(found)
    assert ("count as edges" in notes(found)) == bool(told)


@pytest.mark.parametrize(
    ("header", "told"),
    [
        ("source\ttarget\tgold\ttruth", "1 of 3 rows have gold 0"),
        ("source\ttarget\ttruth\tgold", "1 of 3 rows have truth 0"),
        ("source\ttarget\tgold\tweight", "2 of 3 rows have weight 0"),
    ],
)
def test_of_two_such_columns_a_weight_goes_first_and_then_the_first_flag(tmp_path, header, told):
    content = f"{header}\nn0\tn1\t0\t0\nn1\tn2\t1\t0\nn2\tn3\t1\t1\n"
    assert told in notes(reading(tmp_path, "e.tsv", content))


def test_a_column_of_nodes_holds_no_weights_whatever_its_name(tmp_path):
    content = "source\tgold\tyear\na\t0\tx\nb\t1\tx\n0\t1\tx\n"
    options = ReadOptions(columns=("source", "gold"))
    found = reading(tmp_path, "e.tsv", content, options=options)
    assert found.network.n_edges == 3
    assert "count as edges" not in notes(found)


def test_rows_that_end_before_the_weight_are_not_counted(tmp_path):
    content = f"{WEIGHT}a\tb\t0\nb\tc\n7\ta\t4\n"  # the 7 is no weight of the row above
    found = reading(tmp_path, "e.tsv", content)
    assert found.network.n_edges == 3
    assert "weight 0" not in notes(found)


def test_weights_in_several_blocks_are_summed(tmp_path, in_blocks):
    found = reading(tmp_path, "e.tsv", rows(*"2030405060", header=WEIGHT))
    assert "5 of 10 rows have weight 0" in notes(found)


def test_the_first_block_tells_whether_a_column_holds_weights(tmp_path, in_blocks):
    words = reading(tmp_path, "e.tsv", rows("a", "b", "c", "0", "2", "3", header=WEIGHT))
    assert "weight 0" not in notes(words)
    numbers = reading(tmp_path, "e.tsv", rows("0", "2", "3", "4", "late", "0", header=WEIGHT))
    assert "2 of 6 rows have weight 0" in notes(numbers)


def test_a_word_far_below_does_not_make_a_column_of_weights_another(tmp_path):
    cells = ["0", *["2"] * 300, "late"]
    found = reading(tmp_path, "e.tsv", rows(*cells, header=WEIGHT))
    assert "1 of 302 rows have weight 0" in notes(found)
