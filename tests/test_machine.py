"""What the machine tells: memory that is free, memory that was taken, versions."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import linkprior as lp
from linkprior import machine


def group(folder, limit, used, cached=0):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "memory.max").write_text(f"{limit}\n")
    (folder / "memory.current").write_text(f"{used}\n")
    (folder / "memory.stat").write_text(f"anon 5\ninactive_file {cached}\n")


def test_the_tightest_control_group_around_counts(tmp_path):
    own, root = tmp_path / "own", tmp_path / "cgroup"
    own.write_text("0::/slurm/job_7\n")
    group(root / "slurm" / "job_7", 5000, 3000)
    assert machine._free_in_group(root, own) == 2000
    group(root / "slurm" / "job_7", 5000, 3000, cached=500)
    assert machine._free_in_group(root, own) == 2500, "cached files can be let go of"
    group(root / "slurm", 9000, 8000)
    assert machine._free_in_group(root, own) == 1000
    group(root / "slurm", 9000, 9500)
    assert machine._free_in_group(root, own) == 0
    for folder in ("slurm", "slurm/job_7"):
        group(root / folder, "max", 7000)
    assert machine._free_in_group(root, own) is None
    assert machine._free_in_group(root, tmp_path / "nowhere") is None


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
