"""`--memory-limit`: the same result within less memory, or one line that says what would fit."""

import re

import pytest
from tests.cli.support import one_line_of_error

import linkprior as lp

ADMM = ["--set", "solver=admm", "--set", "n_starts=2", "--set", "max_iter=2", "--set", "rank=4"]


@pytest.fixture
def network(tmp_path):
    made = lp.planted_network(400, n_groups=4, mean_degree=8, seed=5)
    file = tmp_path / "edges.tsv"
    file.write_text("".join(f"{made.names[i]}\t{made.names[j]}\n" for i, j in made.edges))
    return str(file)


def test_a_limit_too_small_for_matrices_gives_the_same_bytes(run, network, tmp_path):
    command = ["predict", network, "--model", "tri-degree", *ADMM, "-q"]
    inside, outside = tmp_path / "inside.tsv", tmp_path / "outside.tsv"
    assert run(*command, "-o", str(inside))[0] == 0
    limited = ["--memory-limit", "1M", "--ignore-memory"]
    assert run(*command, *limited, "-o", str(outside))[0] == 0
    assert inside.read_bytes() == outside.read_bytes()
    assert {file.name for file in tmp_path.iterdir()} == {"edges.tsv", "inside.tsv", "outside.tsv"}


@pytest.mark.parametrize("command", ["predict", "evaluate", "tune"])
def test_what_does_not_fit_the_limit_is_refused_before_the_work(run, network, command, monkeypatch):
    monkeypatch.setattr("linkprior.predictors.tri.TriFactorization._fit", lambda *_: 1 / 0)
    models = ["--models" if command == "evaluate" else "--model", "tri-degree"]
    result = run(command, network, *models, "--memory-limit", "20M")
    assert one_line_of_error(result, "tri-degree needs about", "the limit is 20 MB")
    _, usage, _ = run(command, "--help")
    assert ("--ignore-memory" in result[2]) == ("--ignore-memory" in usage)


@pytest.mark.parametrize("command", ["predict", "evaluate", "tune"])
def test_a_limit_that_is_no_size_is_refused(run, network, command):
    model = [] if command == "evaluate" else ["--model", "tri"]
    result = run(command, network, *model, "--memory-limit", "much")
    assert one_line_of_error(result, "500M or 2G", "'much'")


def test_a_dry_run_names_the_limit_and_the_disk(run, network):
    limited = ["--memory-limit", "1M", "--ignore-memory", "--dry-run"]
    status, out, _ = run("predict", network, "--model", "tri-degree", *ADMM, *limited)
    assert status == 0
    assert re.search(r"the limit is 1 MB\), [\d.]+ GB of disk", out)


def test_a_disk_too_small_is_one_line_before_the_work(run, network, monkeypatch):
    monkeypatch.setattr("linkprior.parallel.memory.free_disk", lambda: 1e5)
    monkeypatch.setattr("linkprior.predictors.cost.network_bytes", lambda _: 0.0)
    monkeypatch.setattr("linkprior.predictors.cost.disk_blocks", lambda *_: 0.0)
    limited = ["--memory-limit", "2M"]
    result = run("predict", network, "--model", "tri-degree", *ADMM, *limited)
    assert one_line_of_error(result, "do not fit the memory limit", "set TMPDIR")
