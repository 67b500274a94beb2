"""Half a minute of fuzzing over all targets, and a planted reader whose defects are found."""

import os
import subprocess
import sys

import pytest
from fuzz.targets import TARGETS
from fuzz.turns import collect, environment

from fuzz import places

pytest.importorskip("atheris", reason="atheris is not installed: no wheel for this system")


def fuzzed(*arguments):
    """Run a process that fuzzes; return its status."""
    call = [sys.executable, *map(str, arguments)]
    return subprocess.run(
        call, cwd=places.ROOT, env=environment(), timeout=150, capture_output=True, check=False
    )


def said(work, name):
    """Return what is said of each finding of a target."""
    paths = places.findings_in(work, name)
    texts = [path.with_suffix(".txt") for path in paths]
    return [t.read_text() if t.exists() else p.name for t, p in zip(texts, paths, strict=True)]


@pytest.mark.at_length
def test_nothing_is_found_in_half_a_minute(tmp_path):
    """One second for each target, in one process that forks."""
    done = fuzzed("-m", "fuzz.child", "--seconds", 1, "--work", tmp_path, *TARGETS)
    assert {name: said(tmp_path, name) for name in TARGETS} == {name: [] for name in TARGETS}
    assert done.returncode == 0, done.stderr.decode()[-2000:]
    for name in TARGETS:
        facts = collect(name, tmp_path, 0, 1.0)
        assert facts["inputs"] > 10, name
        assert facts["coverage"] > 10, name


@pytest.mark.at_length
def test_planted_defects_are_found(tmp_path):
    fuzzed("-m", "tests.fuzz.planted", tmp_path, 8, "planted")
    found = " ".join(said(tmp_path, "planted"))
    for piece in ("KeyError", "not one plain line", "writes while reading", "RuntimeWarning"):
        assert piece in found
    assert "MemoryError" in found or "oom-" in found
    assert "refused as it should be" not in found


@pytest.mark.at_length
def test_a_hang_is_found(tmp_path):
    done = fuzzed("-m", "tests.fuzz.planted", tmp_path, 8, "hanging")
    assert done.returncode != 0
    assert [path.name.partition("-")[0] for path in places.findings_in(tmp_path, "hanging")] == [
        "timeout"
    ]
    assert os.listdir(tmp_path / "corpus" / "hanging")
