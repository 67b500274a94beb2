"""`linkprior evaluate`: the table, the files, and what is refused before anything is fitted."""

import json
import math
import os
import re
import shlex
import time
from pathlib import Path

import numpy as np
import pytest
from tests.cli.support import Job, by_name, one_line_of_error, table, write_pairs

import linkprior as lp
from linkprior.cli.evaluate import evaluate
from linkprior.evaluation.metrics import METRICS
from linkprior.evaluation.protocols import PROTOCOLS
from linkprior.evaluation.results import FILES, read_results
from linkprior.predictors import registry
from linkprior.predictors.estimate import expected_bytes

QUICK = ["--set", "n_starts=1", "--set", "max_iter=3", "--set", "warmup=3"]


def first_block(out):
    lines = out.split("\n\n")[0].splitlines()
    head, *rows = (re.split(r"\s{2,}", line.strip()) for line in lines)
    return {row[0]: dict(zip(head, row, strict=True)) for row in rows}


def columns(out):
    """Metric names over all blocks of the table."""
    heads = [line.split()[1:] for line in out.splitlines() if line.startswith("model ")]
    return [name for head in heads for name in head]


def test_evaluate_writes_results_and_prints_the_table(succeed, edges, tmp_path):
    folder = tmp_path / "new" / "results"
    out, err = succeed(
        *("evaluate", edges, "--models", "pa, l3", "--protocol", "uniform:0.8", "--repeats", 2),
        *("--rule", "all-nodes", "--seed", 3, "-o", folder),
    )
    assert {path.name for path in folder.iterdir()} == {
        *FILES,
        "evaluation.json",
        "cells",
        "splits",
    }
    header, rows = table((folder / "results.tsv").read_text())
    assert header == ["model", "split", "metric", "value"]
    facts = json.loads((folder / "results.json").read_text())
    assert (facts["protocol"], facts["rule"], facts["seed"]) == ("uniform:0.8", "all-nodes", 3)
    assert facts["linkprior"] == lp.__version__
    assert facts["command"][:2] == ["linkprior", "evaluate"]

    again = lp.evaluate(["pa", "l3"], lp.read_network(edges), "uniform:0.8", "all-nodes", 2, 3)
    assert len(rows) == 2 * 2 * len(again.metrics)
    clocks = ("seconds", "peak_mb")
    values = {tuple(row[:3]): row[3] for row in rows if row[2] not in clocks}
    expected = {row[:3]: row[3] for row in again.rows if row[2] not in clocks}
    assert values == {k: "" if math.isnan(v) else repr(v) for k, v in expected.items()}

    shown = first_block(out)
    assert list(shown) == ["pa", "l3", "random baseline"]
    for model in ("pa", "l3"):
        mean, _, sd = shown[model]["auprc"].rstrip("*").partition("±")
        assert float(mean) == pytest.approx(again.mean(model, "auprc"), abs=6e-4)
        assert float(sd) == pytest.approx(again.sd(model, "auprc"), abs=6e-4)
    assert "hidden edges to find" in err
    assert "over 2 splits: uniform:0.8, rule all-nodes, seed 3" in " ".join(out.split())


def test_degree_alone_is_always_evaluated(run, succeed, edges):
    out, err = succeed("evaluate", edges, "--models", "l3")
    assert list(first_block(out)) == ["l3", "pa", "random baseline"]
    assert "Evaluating pa too" in err
    _, _, err = run("evaluate", edges, "--models", "pa,l3")
    assert "Evaluating pa too" not in err


@pytest.mark.parametrize(
    ("asked", "expected"),
    [("auroc,auprc", ["auroc", "auprc"]), ("peak_mb", ["peak_mb"]), ("all", None)],
)
def test_the_metrics_shown_are_those_asked_for(run, edges, asked, expected):
    _, out, _ = run("evaluate", edges, "--models", "pa", "--metrics", asked)
    every = lp.evaluate("pa", lp.read_network(edges)).metrics
    assert columns(out) == (expected or every)


def test_folds_are_run_as_asked(run, edges, tmp_path):
    ask = ("evaluate", edges, "--models", "pa", "--protocol", "kfold:5", "--folds", "1-2,4")
    assert run(*ask, "-o", tmp_path / "out")[0] == 0
    assert read_results(tmp_path / "out").splits == [f"kfold:5 fold {n} seed 0" for n in (1, 2, 4)]


def test_settings_go_to_the_models_that_have_them(run, edges, tmp_path):
    models = ["--models", "tri-degree,tri,l3", "--set", "n_starts=1", "--set", "max_iter=3"]
    own = ["--set", "tri.rank=2", "--set", "tri-degree.alpha=0.7"]
    assert run("evaluate", edges, *models, *own, "-o", tmp_path / "out")[0] == 0
    made = read_results(tmp_path / "out").facts["models"]
    assert (made["tri"]["rank"], made["tri"]["n_starts"], made["tri"]["max_iter"]) == (2, 1, 3)
    assert (made["tri-degree"]["alpha"], made["tri-degree"]["n_starts"]) == (0.7, 1)
    assert made["tri-degree"]["rank"] == lp.make("tri-degree").rank


def test_ablations_noise_and_null_are_run_and_reported(succeed, edges, tmp_path):
    disturbed = ["--ablations", "--noise", "0.1", "--null", "rewired"]
    ask = ("evaluate", edges, "--models", "tri-degree", *QUICK, *disturbed)
    out, _ = succeed(*ask, "-o", tmp_path / "out")
    labels = [f"tri-degree[{x}]" for x in ("prior off", "shuffled degrees", "true degrees")]
    result = read_results(tmp_path / "out")
    assert result.models == ["tri-degree", *labels, "pa"]
    assert (result.facts["plan"]["noise"], result.facts["plan"]["null"]) == (0.1, "rewired")
    text = " ".join(out.split())
    assert "10% of the training edges replaced" in text
    assert "rewired at random" in text


def test_tuning_is_for_the_metric_asked_and_leaves_what_is_set(run, edges, tmp_path):
    ask = ("evaluate", edges, "--models", "katz", "--tune", 4, "--tune-metric", "ndcg")
    assert run(*ask, "--set", "katz.beta=0.95", "-o", tmp_path / "out")[0] == 0
    result = read_results(tmp_path / "out")
    tune = result.facts["tune"]
    assert (tune["trials"], tune["metric"]) == (4, "ndcg")
    assert next(cell for cell in result.cells if cell.model == "katz").params["beta"] == 0.95


def test_a_published_split_gives_the_same_numbers(run, edges, tmp_path):
    ask = ("evaluate", edges, "--models", "l3,pa")
    assert run(*ask, "--seed", 4, "-o", tmp_path / "one")[0] == 0
    (split,) = (tmp_path / "one" / "splits").iterdir()
    assert run(*ask, "--protocol", f"split:{split}", "-o", tmp_path / "two")[0] == 0
    one, two = read_results(tmp_path / "one"), read_results(tmp_path / "two")
    for metric in ("auprc", "auroc", "recall@5%"):
        assert one.values("l3", metric) == two.values("l3", metric)


def test_the_same_command_again_takes_up_finished_cells(run, edges, tmp_path):
    ask = ("evaluate", edges, "--models", "l3,pa", "-o", tmp_path / "out", "--repeats")
    _, _, err = run(*ask, 2)
    assert "were finished before" not in err
    before = {p.name: p.stat().st_mtime_ns for p in (tmp_path / "out" / "cells").iterdir()}
    _, _, err = run(*ask, 3)
    assert "4 of 6 cells were finished before" in err
    after = {p.name: p.stat().st_mtime_ns for p in (tmp_path / "out" / "cells").iterdir()}
    assert len(after) == 6
    assert {name: after[name] for name in before} == before


def test_evaluate_on_a_later_release(succeed, edges, tmp_path):
    net = lp.read_network(edges)
    new = by_name(net, np.argwhere(np.triu(net.adjacency.toarray() == 0, 1))[:5])
    newer = tmp_path / "newer.tsv"
    more = [*new, ("x", "y"), ("x", net.names[0])]
    newer.write_text(edges.read_text() + "".join(f"{a}\t{b}\n" for a, b in more))
    _, err = succeed("evaluate", edges, "--models", "pa", "--protocol", f"release:{newer}")
    assert "release: 5 hidden edges to find, 0 outside" in err
    assert "2 new nodes, and 2 edges with one of them" in err


def test_the_newer_release_is_read_like_the_older(run, tmp_path):
    """Otherwise edges that a filter left out of the older file would count as new."""
    older, newer = tmp_path / "older.tsv", tmp_path / "newer.tsv"
    rows = [("a", "b", 9), ("b", "c", 9), ("c", "d", 9), ("a", "d", 1), ("b", "d", 1)]
    older.write_text("".join(f"{a}\t{b}\t{w}\n" for a, b, w in rows))
    newer.write_text(older.read_text() + "a\tc\t9\n")
    ask = ("evaluate", older, "--models", "pa", "--protocol", f"release:{newer}")
    _, _, err = run(*ask, "--min-score", 5)
    assert "release: 1 hidden edges to find, 0 outside" in err
    assert "newer.tsv" in err


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["--models", "pa,pq"], ["no model is called 'pq'", "Did you mean"]),
        (["--models", ","], ["--models expects names"]),
        (["--metrics", "auprk"], ["no metric is called 'auprk'", "Did you mean auprc"]),
        (["--metrics", ","], ["--metrics expects names"]),
        (["--against", "l4"], ["no model called 'l4' is evaluated", "Did you mean l3"]),
        (["--tune-metric", "seconds"], ["--tune-metric seconds", "not better"]),
        (["--tune-metric", "ndgc"], ["no metric is called 'ndgc'", "Did you mean ndcg"]),
        (["--tune", "-1"], ["tune must be"]),
        (["--set", "rank=3"], ["none of l3, pa has a parameter 'rank'"]),
        pytest.param(  # by its former name
            *(["--models", "auto", "--set", "exercises=-2"], ["holdouts must be"]),
            marks=pytest.mark.filterwarnings("ignore:auto. exercises is now holdouts"),
        ),
        (["--set", "tri.rank=3"], ["no model 'tri' is evaluated"]),
        (["--set", "rank"], ["--set expects KEY=VALUE"]),
        (["--models", "tri", "--set", "tri.rnk=3"], ["tri has no parameter 'rnk'", "rank?"]),
        (["--models", "tri", "--set", "rank=-3"], ["rank must be"]),
        (["--protocol", "unifrom:0.9"], ["no protocol is called", "Did you mean uniform"]),
        (["--protocol", "uniform:2"], ["rate must be"]),
        (["--protocol", "kfold:x"], ["kfold:K needs a whole number"]),
        (["--protocol", "kfold:5", "--folds", "7"], ["fold must be"]),
        (["--protocol", "kfold:5", "--folds", "a"], ["--folds expects numbers"]),
        (["--protocol", "release:/nowhere.tsv"], ["/nowhere.tsv: no such file"]),
        (["--folds", "0"], ["folds are for kfold:K"]),
        (["--noise", "1.5"], ["noise must be"]),
        (["--repeats", "0"], ["repeats must be"]),
    ],
)
def test_evaluate_refuses_what_it_cannot_do_before_fitting(
    run, edges, tmp_path, monkeypatch, arguments, expected
):
    monkeypatch.setattr("linkprior.predictors.base.LinkPredictor.fit", None)
    result = run("evaluate", edges, "--models", "l3", *arguments, "-o", tmp_path / "out")
    assert one_line_of_error(result, *expected)
    assert not (tmp_path / "out").exists()


def test_nobody_elses_files_are_written_over(run, edges, tmp_path):
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "results.tsv").write_text("my own")
    result = run("evaluate", edges, "--models", "pa", "-o", mine)
    assert one_line_of_error(result, "holds a results.tsv that is not from an evaluation")
    assert (mine / "results.tsv").read_text() == "my own"
    result = run("evaluate", edges, "--models", "pa", "-o", edges)
    assert one_line_of_error(result, "is a file; give a new folder")
    result = run("evaluate", edges, "--models", "pa", "-o", edges / "below")
    assert one_line_of_error(result, "is a file")


def test_the_folder_of_other_data_is_refused(run, edges, tmp_path):
    assert run("evaluate", edges, "--models", "pa", "-o", tmp_path / "out")[0] == 0
    other = tmp_path / "other.tsv"
    other.write_text("".join(edges.read_text().splitlines(keepends=True)[3:]))
    result = run("evaluate", other, "--models", "pa", "-o", tmp_path / "out")
    assert one_line_of_error(result, "holds an evaluation of other data")


def test_all_leaves_out_what_does_not_fit_and_says_so(run, succeed, edges, monkeypatch):
    few = {name: registry.MODELS[name] for name in ("pa", "l3", "spm")}
    monkeypatch.setattr(registry, "MODELS", few)
    monkeypatch.setattr("linkprior.predictors.spectral.LARGEST_SPECTRAL", 10)
    out, err = succeed("evaluate", edges, "--models", "all")
    assert list(first_block(out)) == ["pa", "l3", "random baseline"]
    assert "Left out: spm needs every eigenvector" in err
    result = run("evaluate", edges, "--models", "spm")
    assert one_line_of_error(result, "spm needs every eigenvector")


def test_a_named_model_that_does_not_fit_in_memory_is_refused(run, edges, monkeypatch):
    monkeypatch.setattr("linkprior.machine.available_memory", lambda: 1000)
    result = run("evaluate", edges, "--models", "pa")
    assert one_line_of_error(result, "pa needs about", "are free")
    assert run("evaluate", edges, "--models", "pa", "--ignore-memory")[0] == 0


def test_a_lighter_model_is_offered_by_the_name_of_this_commands_option(run, edges, monkeypatch):
    net = lp.read_network(edges)
    heavy, light = (expected_bytes(lp.make(name), net) for name in ("tri", "pa"))
    assert light < heavy
    monkeypatch.setattr("linkprior.machine.available_memory", lambda: round((light + heavy) / 2))
    result = run("evaluate", edges, "--models", "tri")
    assert one_line_of_error(result, "tri needs about", "--models ")


def test_a_long_wait_is_announced(run, edges, monkeypatch):
    _, _, err = run("evaluate", edges, "--models", "pa")
    assert "This may take" not in err
    monkeypatch.setattr("linkprior.cli.evaluate._LONG", 1e-9)
    _, _, err = run("evaluate", edges, "--models", "pa")
    assert "This may take about" in err
    assert "for pa; with -o DIR finished cells are saved" in err


def test_help_lists_every_protocol(run):
    _, out, _ = run("evaluate", "--help")
    for text in PROTOCOLS.values():
        assert text.split()[0] in out


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
@pytest.mark.parametrize("kept", [True, False])
def test_control_c_says_how_many_cells_are_kept(edges, tmp_path, kept):
    """The second model hangs in its fit: one cell is done by then."""
    before = (
        "import time\n"
        "from linkprior.predictors import paths\n"
        "def wait(self, network):\n"
        "    print('WAITING', file=sys.stderr, flush=True)\n"
        "    time.sleep(60)\n"
        "paths.L3._fit = wait\n"
    )
    ask = ("evaluate", edges, "--models", "pa,l3", *(["-o", tmp_path / "out"] * kept))
    job = Job(*ask, before=before)
    job.wait_for("WAITING")
    time.sleep(0.2)
    code, _, err = job.send()
    assert code == 130
    said = f"{tmp_path / 'out'} holds 1 of 2 cells" if kept else "nothing is saved; with -o DIR"
    assert said in err[-1]
    assert (tmp_path / "out").exists() == kept
    if kept:
        (cell,) = (tmp_path / "out" / "cells").iterdir()
        assert json.loads(cell.read_text())["model"] == "pa"


PAGE = (Path(__file__).resolve().parents[2] / "docs" / "evaluation.md").read_text(encoding="utf-8")
COMMANDS = re.findall(r"^\$ linkprior evaluate (.*)$", PAGE, flags=re.MULTILINE)


@pytest.fixture
def here(tmp_path, monkeypatch):
    """A folder with the files the page speaks of: a network with many leaves, and a newer one."""
    net = lp.planted_network(n_nodes=120, n_groups=2, mean_degree=2, hubs=1.3, seed=1)
    for name, pairs in (("edges", net.edges), ("newer", net.edges), ("older", net.edges[:-20])):
        write_pairs(tmp_path / f"{name}.tsv", by_name(net, pairs))
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
