"""The n-th call of the file system fails; `make torture` has every n of every command."""

import pytest
from torture import disturbances
from torture.disturbances import SCENARIOS

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
    known, tally = sandbox.of(name), SCENARIOS["writes"].tally()
    for number, kind in enumerate(CHOSEN[name]):
        calls = [at for at, call in enumerate(known.calls, 1) if call[0] == kind]
        disturbances.fail(sandbox, known, tally, calls[len(calls) // 2], lasting=number % 2 == 0)
    assert tally.defects == []
    assert tally["survived"] == len(CHOSEN[name])


@pytest.mark.parametrize("megabytes", [1, 12])
def test_a_memory_limit_is_one_line_and_leaves_nothing_torn(sandbox, megabytes):
    tally = SCENARIOS["memory"].tally()
    disturbances.limit(sandbox, sandbox.of("predict run"), tally, megabytes)
    assert tally.defects == []
    assert tally["hit"] == 1
