"""SIGKILL at chosen and at random moments; `make torture` has all of them."""

import pytest
from torture import disturbances
from torture.disturbances import SCENARIOS


def points(known, *wanted):
    """Numbers of the first calls that are of a kind, on a path that ends so."""
    numbered = list(enumerate(known.calls, 1))
    return [
        next(n for n, call in numbered if call[0] == kind and end in call[1])
        for kind, end in wanted
    ]


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
    known, tally = sandbox.of(name), SCENARIOS["kills"].tally()
    for number, at in enumerate(points(known, *CHOSEN[name])):
        disturbances.kill(sandbox, known, tally, at, "kill after" if number % 2 else "kill before")
    assert tally.defects == []
    assert tally["kills"] == tally["resumed"] == len(CHOSEN[name])
    assert tally["most_lost"] <= 1


@pytest.mark.at_length
@pytest.mark.parametrize(("name", "share"), [("tune", 0.2), ("reproduce", 0.1)])
def test_a_command_killed_at_some_moment_ends_as_if_it_had_not_been(sandbox, name, share):
    known, tally = sandbox.of(name), SCENARIOS["kills"].tally()
    disturbances.kill(sandbox, known, tally, after=share * known.seconds)
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
