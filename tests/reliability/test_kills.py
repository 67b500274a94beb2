"""SIGKILL at chosen and at random moments; `make torture` has all of them."""

import random

import pytest
from torture import disturbances


def points(known, *wanted):
    """Numbers of the first calls that are of a kind, on a path that ends so."""
    found = []
    for kind, end in wanted:
        at = (n for n, call in enumerate(known.calls, 1) if call[0] == kind and end in call[1])
        found.append(next(at))
    return found


CHOSEN = {
    "predict run": [
        ("write", ".manifest.json"),
        ("rename", "run/manifest.json"),
        ("write", "arrays.safetensors"),
        ("rename", "run/model"),
        ("rename", "run/ranking.csv"),
    ],
    "predict over a run": [("remove", "run/ranking.tsv"), ("remove", "run/model/")],
    "predict save over": [("rename", "model"), ("remove", ".part/")],
    "tune": [("write", "journal.log"), ("rename", "best.json")],
    "evaluate": [("write", "cells/")],
    "benchmark": [("rename", "bench/USAir/1-cn.json")],
}


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[pytest.mark.at_length] * (name not in ("predict run", "tune")))
        for name in CHOSEN
    ],
)
def test_a_command_killed_at_a_file_ends_as_if_it_had_not_been(sandbox, name):
    """In turns before and after the call; `make torture` does both at every point."""
    known, tally = sandbox.of(name), disturbances.Tally(*disturbances.KILLS)
    for number, at in enumerate(points(known, *CHOSEN[name])):
        do = "kill after" if number % 2 else "kill before"
        disturbances.kill_at(sandbox, known, tally, at, do)
    assert tally.defects == []
    assert tally["kills"] == tally["resumed"] == len(CHOSEN[name])
    assert tally["most_lost"] <= 1


@pytest.mark.at_length
def test_a_command_killed_at_a_random_moment_ends_as_if_it_had_not_been(sandbox):
    chance = random.Random(4)
    for name in ("tune", "reproduce"):
        tally = disturbances.Tally(*disturbances.KILLS)
        disturbances.kill_after(sandbox, sandbox.of(name), tally, chance)
        assert tally.defects == []


def test_a_run_cut_off_leaves_no_file_in_the_one_that_replaces_it(sandbox):
    """What it had written is not in its manifest yet."""
    first, other = sandbox.of("predict run"), sandbox.of("another run")
    place = sandbox.fresh(first)
    [at] = points(first, ("rename", "run/ranking.csv"))
    assert sandbox.server.run(first.job.argv, place, at=at, do="kill after").status == -9
    assert (place / "run" / "ranking.csv").exists()
    assert sandbox.server.run([*other.job.argv, "--force"], place).status == 0
    names = {path.name for path in (place / "run").iterdir()}
    assert names == {"ranking.tsv", "input_report.json", "log.txt", "manifest.json", "model"}
