"""Edge lists that are probably something else: the user is told, and can say what they are."""

import pytest

from linkprior.errors import InputError
from linkprior.io.formats import ReadOptions
from linkprior.io.read import read

RING = "".join(f"g{i},g{(i + 1) % 12}\n" for i in range(12))


def report(tmp_path, text, **options):
    path = tmp_path / "e.csv"
    path.write_text(text)
    return read(path, options=ReadOptions(**options))


def test_a_first_row_that_stands_alone_is_told_of_and_may_be_called_a_header(tmp_path):
    """Column names nobody knows look like an edge; the user is asked, and can say so."""
    text = "Wirkstoff,Zielmolekuel\n" + RING
    found = report(tmp_path, text)
    assert found.network.n_edges == 13
    (note,) = found.report.notes
    assert "Wirkstoff – Zielmolekuel" in note
    assert "--header" in note
    found = report(tmp_path, text, header=True)
    assert found.network.n_edges == 12
    assert not found.report.notes
    assert not report(tmp_path, RING).report.notes
    assert report(tmp_path, "source,target\n" + RING, header=False).network.n_edges == 13


def test_an_index_column_without_a_name(tmp_path):
    rows = "".join(f'"{i}","g{i}","g{i + 1}"\n' for i in range(1, 12))
    found = report(tmp_path, '"","V1","V2"\n' + rows)
    assert found.network.n_edges == 11
    assert found.network.names[:2] == ("g1", "g2")


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
