"""What a user is told about an edge list that may be something else, and when nothing is said."""

import pytest
from tests.io.graph_files import reading

from linkprior.io.formats import ReadOptions


def notes(tmp_path, rows, **options):
    """Return what is said of rows written a b;c d."""
    text = rows.replace(";", "\n") + "\n"
    return "\n".join(reading(tmp_path, "e.txt", text, options=ReadOptions(**options)).report.notes)


def path(n):
    """Return n edges of a path on n + 1 nodes."""
    return ";".join(f"n{at} n{at + 1}" for at in range(n))


@pytest.mark.parametrize(("row", "said"), [("c, d", "c,"), ("c; d", "c;")])
def test_names_that_end_in_a_separator_are_told_of(tmp_path, row, said):
    content = f"a b\n{row}\n"
    told = reading(tmp_path, "e.txt", content).report.notes
    assert any(f"names such as {said} end in a separator" in note for note in told)


def test_names_that_hold_a_separator_elsewhere_or_in_quotes_need_no_word(tmp_path):
    assert "separator" not in notes(tmp_path, "a b;c,x d")
    assert "separator" not in notes(tmp_path, 'a\tb;"c,"\td')


def test_widths_of_rows_are_told_of_where_they_differ(tmp_path):
    assert "rows have 2 to 3 columns, and columns 1 and 2 are" in notes(tmp_path, "a b x;b c;c d y")
    assert "columns" not in notes(tmp_path, "a b x;b c z;c d y")
    rows = "source target;a b;b c x;c d"
    assert "some rows have 3 columns, the header 2:" in notes(tmp_path, rows)
    assert "columns" not in notes(tmp_path, "source target more;a b;b c x;c d y")


def test_a_ranking_is_told_by_its_first_four_columns(tmp_path):
    names = "Rank Source Target Score"
    assert "ranking" in notes(tmp_path, f"{names};1 a b 3;2 b c 2")
    assert "ranking" in notes(tmp_path, f"{names} more;1 a b 3 x;2 b c 2 y")
    assert "ranking" not in notes(tmp_path, "Source Target Score;a b 3;b c 2")


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        (f"eins zwei;{path(9)}", True),
        (f"eins zwei;{path(8)}", False),  # few rows
        (f"eins zwei;{path(9)};zwei n1", False),
        (f"eins zwei;{path(9)};n1 eins", False),
        (f"eins zwei;{path(9)};eins zwei;{path(2)}", True),  # a header may come again
        (f"eins eins;{path(9)}", False),
        (f"gene7 zwei;{path(9)};gene7 zwei", False),  # an edge that is listed twice
    ],
)
def test_a_first_edge_that_stands_alone_is_told_of(tmp_path, rows, said):
    told = "the first edge, eins – zwei, shares no node with the others" in notes(tmp_path, rows)
    assert told == ("shares no node" in notes(tmp_path, rows)) == said
    assert "shares no node" not in notes(tmp_path, rows, header=False)
    assert "shares no node" not in notes(tmp_path, rows, header=True)


def test_a_first_edge_with_a_number_in_a_name_may_stand_alone_but_is_listed_once(tmp_path):
    """A header has no number in it, so a row that returns is an edge."""
    told = "the first edge, gene7 – zwei, shares no node with the others"
    assert told in notes(tmp_path, f"gene7 zwei;{path(9)}")
    assert told not in notes(tmp_path, f"gene7 zwei;gene7 zwei;{path(9)}")
