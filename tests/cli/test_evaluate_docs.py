"""docs/evaluation.md: its commands are accepted, its code runs, its tables name what exists."""

import re
import shlex
from pathlib import Path

import pytest

import linkprior as lp
from linkprior.cli.evaluate import evaluate
from linkprior.evaluation.metrics import METRICS
from linkprior.evaluation.protocols import PROTOCOLS
from linkprior.evaluation.results import FILES, read_results

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "evaluation.md").read_text(encoding="utf-8")
COMMANDS = re.findall(r"^\$ linkprior evaluate (.*)$", PAGE, flags=re.MULTILINE)


@pytest.fixture
def here(tmp_path, monkeypatch):
    """A folder with the files the page speaks of: a network with many leaves, and a newer one."""
    net = lp.planted_network(n_nodes=120, n_groups=2, mean_degree=2, hubs=1.3, seed=1)
    rows = [f"{net.names[i]}\t{net.names[j]}\n" for i, j in net.edges.tolist()]
    (tmp_path / "edges.tsv").write_text("".join(rows))
    (tmp_path / "newer.tsv").write_text("".join(rows))
    (tmp_path / "older.tsv").write_text("".join(rows[:-20]))
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("line", COMMANDS)
def test_commands_have_only_options_that_exist(line):
    context = evaluate.make_context("evaluate", shlex.split(line, comments=True))
    assert context.params["edges"].endswith(".tsv")


def test_the_commands_of_the_page_that_are_quick_run(run, here):
    quick = [line for line in COMMANDS if "all" not in line and "tri" not in line]
    quick = [line for line in quick if "--models" in line or "release" in line]
    assert run("evaluate", "edges.tsv", "--models", "l3", "-o", "results", "-q")[0] == 0
    small = ("--set", "n_starts=1", "--set", "max_iter=2", "--set", "warmup=2")
    for line in quick:
        extra = () if "--models" in line else small
        status, _, err = run("evaluate", *shlex.split(line, comments=True), *extra, "-q")
        assert status == 0, err
    assert len(quick) == 2


def test_the_code_of_the_page_runs_and_shows_the_trap(here):
    names = {}
    for block in re.findall(r"^```python\n(.*?)^```", PAGE, flags=re.MULTILINE | re.DOTALL):
        exec(compile(block, "evaluation.md", "exec"), names)
    assert names["lonely_auroc"]["connected"] == 0.5
    assert names["lonely_auroc"]["all-nodes"] > 0.55
    assert read_results("results").models == ["l3", "pa"]


def test_every_metric_protocol_and_file_is_explained():
    for metric in [*METRICS, "seconds", "peak_mb"]:
        name = re.sub(r"@\d+%$", "@x%", metric)
        name = name.removeprefix("recall@10/node:")
        assert f"`{name}`" in PAGE or f"`recall@10/node:{name}`" in PAGE, metric
    for protocol in PROTOCOLS:
        assert f"`{protocol}:" in PAGE
    for name in FILES:
        assert name.partition(".")[0] in PAGE
