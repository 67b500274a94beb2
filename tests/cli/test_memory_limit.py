"""What nobody types, and what Python hands over: still one line, and the same columns."""

import re

import pytest
from tests.cli.support import one_line_of_error, write_edges

import linkprior as lp
from linkprior import _progress as progress
from linkprior.predictors.evidence import with_evidence


def test_numbers_of_thousands_of_digits_are_one_line(run, edges, monkeypatch):
    digits = "9" * 5000
    result = run("predict", edges, "--model", "pa", "--columns", f"1,{digits}")
    assert one_line_of_error(result, "--columns", "column number")
    assert len(result[2]) < 300
    monkeypatch.setenv("LINKPRIOR_WORKERS", digits)
    result = run("predict", edges, "--model", "pa")
    assert one_line_of_error(result, "LINKPRIOR_WORKERS must be a whole number")
    assert len(result[2].splitlines()[-1]) < 300


def test_a_catalogue_that_is_too_deep_or_no_text_is_one_line(run, tmp_path):
    deep, odd = tmp_path / "deep.json", tmp_path / "odd.json"
    deep.write_text("[" * 200_000)
    odd.write_bytes(b"\xff\xfe{")
    for path in (deep, odd):
        result = run("data", "list", "--catalogue", path)
        assert one_line_of_error(result, str(path), "expected a catalogue in JSON")


def test_a_number_no_python_would_print_is_refused_as_a_parameter(planted):
    with pytest.raises(lp.LinkpriorError, match=r"rank must be .* thousands of digits"):
        lp.make("tri", rank=10**5000).fit(planted)


@pytest.mark.parametrize("candidates", ["x", [(0, 1)], 3])
def test_candidates_are_candidates(planted, candidates):
    with pytest.raises(lp.LinkpriorError, match="candidates must be made with Candidates.of"):
        lp.make("pa").fit(planted).predict_edges(3, candidates=candidates)


def test_progress_of_the_evidence_is_a_stage_of_its_own(planted):
    model = lp.make("tri-degree", n_starts=1, max_iter=2, warmup=2).fit(planted)
    heard = []
    with progress.listen(heard.append):
        with_evidence(model, model.predict_edges(3000))
    names = [report.name for report in heard]
    assert names.index("counting paths") < names.index("weighing the prior")
    own = [r.fraction for r in heard if r.name in ("counting paths", "weighing the prior")]
    assert own == sorted(own)
    assert own[0] < 0.5 < own[-1] <= 1.0


ADMM = ["--set", "solver=admm", "--set", "n_starts=2", "--set", "max_iter=2", "--set", "rank=4"]


@pytest.fixture
def network(tmp_path):
    made = lp.planted_network(400, n_groups=4, mean_degree=8, seed=5)
    return str(write_edges(tmp_path / "edges.tsv", made))


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


def test_a_dry_run_names_the_limit_and_the_disk(succeed, network):
    limited = ["--memory-limit", "1M", "--ignore-memory", "--dry-run"]
    out, _ = succeed("predict", network, "--model", "tri-degree", *ADMM, *limited)
    assert re.search(r"the limit is 1 MB\), [\d.]+ GB of disk", out)


def test_a_disk_too_small_is_one_line_before_the_work(run, network, monkeypatch):
    monkeypatch.setattr("linkprior.parallel.memory.free_disk", lambda: 1e5)
    monkeypatch.setattr("linkprior.predictors.estimate.expected_bytes", lambda *_: 0.0)
    limited = ["--memory-limit", "2M"]
    result = run("predict", network, "--model", "tri-degree", *ADMM, *limited)
    assert one_line_of_error(result, "do not fit the memory limit", "set TMPDIR")
