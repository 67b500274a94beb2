"""What the machine tells: memory that is free, memory that was taken, versions."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import linkprior as lp
from linkprior import machine


def group(folder, limit, used):
    (folder / "memory.max").write_text(f"{limit}\n")
    (folder / "memory.current").write_text(f"{used}\n")
    return folder


def test_a_control_group_leaves_what_it_has_not_used(tmp_path):
    assert machine._free_in_group(group(tmp_path, 5000, 3000)) == 2000
    assert machine._free_in_group(group(tmp_path, 5000, 7000)) == 0
    assert machine._free_in_group(group(tmp_path, "max", 7000)) is None
    assert machine._free_in_group(tmp_path / "nowhere") is None


def test_the_least_of_all_limits_counts(monkeypatch):
    monkeypatch.setattr(machine, "_free_on_machine", lambda: 800)
    monkeypatch.setattr(machine, "_free_in_group", lambda: 300)
    assert machine.available_memory() == 300
    monkeypatch.setattr(machine, "_free_in_group", lambda: None)
    assert machine.available_memory() == 800
    monkeypatch.setattr(machine, "_free_on_machine", lambda: None)
    assert machine.available_memory() is None


@pytest.mark.skipif(not Path("/proc/meminfo").exists(), reason="no /proc on this system")
def test_free_memory_is_less_than_all_memory():
    total = int(Path("/proc/meminfo").read_text().split("MemTotal:")[1].split()[0]) * 1024
    assert 0 < machine.available_memory() < total


def test_peak_memory_sees_an_array_that_is_gone_again():
    code = (
        "import numpy as np; from linkprior.machine import peak_memory\n"
        "before = peak_memory(); np.ones(30_000_000); print(peak_memory() - before)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    assert 200e6 < int(done.stdout) < 400e6


def test_versions_name_what_results_depend_on():
    found = machine.versions()
    assert found["linkprior"] == lp.__version__
    assert found["numpy"] == np.__version__
    assert found["python"].count(".") == 2
