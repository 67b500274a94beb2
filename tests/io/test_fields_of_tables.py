"""PSI-MITAB by its columns: what a column beside the right one says does not count."""

from tests.io.databases import MOUSE_CELL, Y2H, edges, mitab_row, pairs, reading


def row(a, b, **cells):
    """Return a row that says nothing but what it is given, columns counted from 1."""
    empty = dict.fromkeys(("c7", "c10", "c11", "c12", "c36"), "-")
    return mitab_row(a, b, **(empty | cells))


def test_the_detection_method_is_in_column_7_alone(tmp_path):
    asked_for = row("u:3", "u:4", c7=Y2H)  # else no row has it, which is refused
    for at, kept in ((6, ["3-4"]), (7, ["1-2", "3-4"]), (8, ["3-4"])):
        content = "\n".join([asked_for, row("u:1", "u:2", **{f"c{at}": Y2H})])
        found = reading(tmp_path, content, format="mitab", systems=["two hybrid"])
        assert edges(found) == pairs(*kept), at


def test_the_organism_of_the_second_end_is_in_column_11_alone(tmp_path):
    mouse = row("u:3", "u:4", c10=MOUSE_CELL, c11=MOUSE_CELL)
    for at, kept in ((10, ["3-4"]), (11, ["1-2", "3-4"]), (12, ["3-4"])):
        ends = {"c10": MOUSE_CELL, f"c{at}": MOUSE_CELL}
        content = "\n".join([mouse, row("u:1", "u:2", **ends)])
        found = reading(tmp_path, content, format="mitab", organism="mouse")
        assert edges(found) == pairs(*kept), at
