"""The tables of docs/reliability.md say what made-up figures say, bad news among it."""

import json

import pytest
from benchmarks import told_reliability as told

TIMED = {"seed": 0, "seconds": 1234}


def rows(text):
    table = text.split("\n\n")[0].splitlines()[2:]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in table]


def test_kills_are_told_by_command_with_their_points():
    one = {"kills": 3, "resumed": 2, "units": 6, "most_lost": 1}
    facts = {"commands": {"tune": one}, **one, "at_random_moments": 1, **TIMED}
    text = told.kills({**facts, "points_tried": 2, "points": 1036})
    assert rows(text) == [["`tune`", "3", "2", "6", "1"], ["all", "**3**", "**2**", "", "1"]]
    assert "1 kills came at random moments, 2 at points of the file system" in text
    assert "Seed 0, 1,234 s. " in text
    assert "of which 2 of 1,036 were tried" in text


def test_defects_of_locks_are_told():
    names = ("pairs", "left", "shared", "taken_over", "cycles", "refused")
    facts = {name: number for number, name in enumerate(names)}
    text = told.locks({**facts, "defects": ["one hung"], **TIMED})
    assert [row[1] for row in rows(text)] == ["0", "1", "2", "3", "4", "5", "1"]


def test_models_with_the_same_row_share_it_and_differences_are_shown():
    same = {"1 worker": "same bytes", "2 workers": "same bytes", "without V3": "same pairs"}
    other = {**same, "2 workers": "DIFFERS", "without any of them": "3 moved, by up to 1 place"}
    table = {"evaluate": {}, "pa": same, "cn": same, "pu": other}
    found = rows(told.determinism({"table": table, **TIMED}))
    assert found == [["`pa` `cn`", "=", "≈"], ["`pu`", "= DIFFERS", "≈ 3 by 1"]]


def test_a_folder_that_differs_is_told():
    table = {name: {"--workers 1": "same bytes"} for name in told.FOLDERS}
    table["evaluate"] = {"--workers 1": "same bytes", "--workers 2": "DIFFERS: a"}
    found = rows(told.folders({"table": table}))
    assert [row[2] for row in found] == ["**no**", "yes", "yes"]
    assert found[0][1] == "`--workers 1`; `--workers 2`"


def test_survivors_are_counted_by_reason_and_those_without_one_named():
    facts = {"survivors": [{"reason": "same"}, {"reason": ""}, {"reason": "same"}]}
    found = rows(told.survivors(facts))
    assert found == [[told.REASONS["same"], "2"], ["not looked into", "1"], ["all", "3"]]


def test_a_cell_of_the_matrix_that_failed_is_told():
    versions = dict.fromkeys(told.VERSIONS, "1.0")
    failed = {"verdict": "FAILED", "told": "1 failed, 2 passed in 7.30s", "versions": versions}
    found = rows(told.matrix({"cells": {"3.11/oldest": failed}}))
    assert found == [["3.11/oldest", *["1.0"] * len(versions), "FAILED: 1 failed, 2 passed"]]


@pytest.fixture
def results(tmp_path, monkeypatch):
    """Small made-up files of results."""
    parts = {"kills": {"kills": 1500, "resumed": 1499}, "writes": {"failures": 9, "survived": 8}}
    parts |= {"memory": {"hit": 7}, "locks": {"cycles": 6}, "machine": {"steps": 5}}
    files = {
        told.TORTURE: {name: {**facts, "defects": ["x"]} for name, facts in parts.items()},
        told.FUZZ: {"targets": {n: {"seconds": n, "inputs": 4} for n in (239, 660)}},
        told.MUTANTS: {"all": {"tried": 10, "share": 0.9312}},
        told.MATRIX: {"cells": {"a": {"verdict": "passed"}, "b": {"verdict": "FAILED"}}},
    }
    for name, facts in files.items():
        (tmp_path / name).write_text(json.dumps(facts))
    monkeypatch.setattr(told, "RESULTS", tmp_path)


def test_the_summary_tells_good_and_bad_outcomes(results):
    assert [row[1:] for row in rows(told.told("summary"))] == [
        ["1,500", "1,499 ended byte-identical"],
        ["9", "8 survived"],
        ["7", "1 defects"],
        ["6", "1 defects"],
        ["5", "1 defects"],
        ["8", "2 targets, 3 minutes or more each"],
        ["10", "93.1% killed"],
        ["2", "1 passed"],
    ]
