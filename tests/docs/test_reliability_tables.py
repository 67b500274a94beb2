"""The tables of docs/reliability.md say what made-up figures say, bad news among it."""

from benchmarks import reliability_tables as tables

TIMED = {"seed": 0, "seconds": 1234}


def rows(text):
    table = text.split("\n\n")[0].splitlines()[2:]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in table]


def test_kills_are_shown_by_command_with_their_points():
    one = {"kills": 3, "resumed": 2, "units": 6, "most_lost": 1}
    total = {key: one[key] for key in ("kills", "resumed", "most_lost")}
    facts = {"commands": {"tune": one}, **total, "at_random_moments": 1, **TIMED}
    text = tables.kills({**facts, "points_tried": 2, "points": 1036})
    assert rows(text) == [["`tune`", "3", "2", "6", "1"], ["all", "**3**", "**2**", "", "1"]]
    assert "1 kills came at random moments, 2 at points of the file system" in text
    assert "Seed 0, 1,234 s. " in text
    assert "of which 2 of 1,036 were tried" in text


def test_defects_of_locks_are_shown():
    names = ("pairs", "left", "shared", "taken_over", "cycles", "refused")
    facts = {name: number for number, name in enumerate(names)}
    text = tables.locks({**facts, "defects": ["one hung"], **TIMED})
    assert [row[1] for row in rows(text)] == ["0", "1", "2", "3", "4", "5", "1"]


def test_models_with_the_same_row_share_it_and_differences_are_shown():
    same = {"1 worker": "same bytes", "2 workers": "same bytes", "without V3": "same pairs"}
    other = {**same, "2 workers": "DIFFERS", "without any of them": "3 moved, by up to 1 place"}
    table = {"evaluate": {}, "pa": same, "cn": same, "pu": other}
    found = rows(tables.determinism({"table": table, **TIMED}))
    assert found == [["`pa` `cn`", "=", "≈"], ["`pu`", "= DIFFERS", "≈ 3 by 1"]]
