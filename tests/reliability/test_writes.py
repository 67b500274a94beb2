"""The n-th call of the file system fails; `make torture` has every n of every command."""

import pytest
from torture import disturbances

CHOSEN = {
    "predict over a file": ("open", "write", "fsync", "rename"),
    "predict run": ("open", "mkdir", "write", "fsync", "rename"),
    "predict save over": ("mkdir", "write", "rename"),
    "tune": ("mkdir", "write", "fsync"),
    "evaluate": ("rename",),
    "benchmark": ("write",),
    "report": ("write", "rename"),
}


@pytest.mark.parametrize("name", CHOSEN)
def test_a_call_that_fails_is_one_line_and_leaves_nothing_torn(sandbox, name):
    known, tally = sandbox.of(name), disturbances.Tally(*disturbances.WRITES)
    for number, kind in enumerate(CHOSEN[name]):
        calls = [at for at, call in enumerate(known.calls, 1) if call[0] == kind]
        disturbances.fail_at(sandbox, known, tally, calls[len(calls) // 2], lasting=number % 2 == 0)
    assert tally.defects == []
    assert tally["survived"] == len(CHOSEN[name])


@pytest.mark.parametrize("megabytes", [1, 12])
def test_a_memory_limit_is_one_line_and_leaves_nothing_torn(sandbox, megabytes):
    tally = disturbances.Tally(*disturbances.LIMITS)
    disturbances.limit(sandbox, "predict run", megabytes, tally)
    assert tally.defects == []
    assert tally["hit"] == 1
