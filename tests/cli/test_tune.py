"""`linkprior tune`: the table, a command that is ready to run, the study, Ctrl-C."""

import json
import os
import shlex
import signal
import subprocess
import sys

import pytest
from tests.cli.support import START, buffered, one_line_of_error, write_edges

import linkprior as lp


def ready_line(out):
    (line,) = [line for line in out.splitlines() if line.startswith("linkprior predict")]
    return shlex.split(line)


def test_tune_prints_the_best_settings_first(succeed, edges):
    out, err = succeed("tune", edges, "--model", "katz", "--trials", 14, "--seed", 2)
    found = lp.tune("katz", lp.read_network(edges), 14, seed=2)
    rows = [line.split() for line in out.partition("\n\n")[0].splitlines()]
    assert rows[0] == ["setting", "auprc", "beta"]
    complete = [t for t in found.trials if t.state == "complete"]
    expected = sorted(complete, key=lambda t: -t.value)[:10]
    assert [row[1] for row in rows[1:]] == [f"{t.value:.4f}" for t in expected]
    assert float(rows[1][2]) == found.best_params["beta"]
    assert f"best auprc {found.best_value:.4f}" in out
    assert f"the model's own parameters {found.default_value:.4f}" in out
    assert "14 settings tried" in out
    assert "No --study DIR is given: the settings tried are not saved." in err


def test_the_command_it_prints_runs_and_has_the_best_parameters(succeed, edges, tmp_path):
    spaced = tmp_path / "my edges.tsv"
    spaced.write_text("one\ttwo\tweight\n" + edges.read_text().replace("\n", "\t1\n"))
    read = ("--columns", "one,two", "--header", "--min-score", "0.5")
    out, _ = succeed(
        *("tune", spaced, "--model", "tri", "--trials", 3, "--seed", 4, "--inner", 1, *read),
        *("--set", "n_starts=1", "--set", "rank=3"),
    )
    words = ready_line(out)
    assert words[:3] == ["linkprior", "predict", str(spaced)]
    assert words[words.index("--seed") + 1] == "4"
    assert {"n_starts=1", "rank=3"} <= set(words)
    for option, value in (("--columns", "one,two"), ("--min-score", "0.5")):
        assert words[words.index(option) + 1] == value
    out, _ = succeed(*words[1:], "--top", 3)
    assert len(out.splitlines()) == 4
    net = lp.read_network(spaced, columns=("one", "two"))
    model = lp.make("tri", seed=4, n_starts=1, rank=3)
    found = lp.tune(model, net, 3, seed=4, inner=1, fixed=["n_starts", "rank"])
    chosen = {w.split("=")[0]: float(w.split("=")[1]) for w in words if "=" in w}
    plain = lp.make("tri").get_params()
    best = found.model.get_params()
    assert chosen == {k: v for k, v in best.items() if v != plain[k] and k != "seed"}


def test_a_study_goes_on_with_the_same_command(run, succeed, edges, tmp_path):
    study = tmp_path / "study"
    ask = ("tune", edges, "--model", "katz", "--study", study, "--sampler", "grid")
    _, err = succeed(*ask, "--trials", 3)
    assert f"3 settings are saved in {study}" in err
    more, _ = succeed(*ask, "--trials", 5)
    assert "5 settings tried" in more
    assert run(*ask, "--trials", 5)[1] == more
    best = json.loads((study / "best.json").read_text())
    assert f"own parameters stay: auprc {best['value']:.4f}" in more
    other = tmp_path / "other.tsv"
    other.write_text(edges.read_text() + "new\tnode\n")
    result = run("tune", other, "--model", "katz", "--study", study, "--sampler", "grid", "-q")
    digests = [lp.read_network(path).digest[:12] for path in (edges, other)]
    assert one_line_of_error(result, "a study of other data", *digests)


def test_nothing_is_written_without_a_study(run, edges, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    before = sorted(tmp_path.iterdir())
    assert run("tune", edges, "--model", "katz", "--trials", 2, "--inner", 1)[0] == 0
    assert sorted(tmp_path.iterdir()) == before


def test_importances_are_printed_where_they_are_known(run, edges):
    ask = ("tune", edges, "--model", "rnm", "--inner", 1, "--no-prune", "-q")
    _, out, _ = run(*ask, "--trials", 12)
    (line,) = [line for line in out.splitlines() if line.startswith("parameter importance: ")]
    assert "noise" in line
    assert "threshold" in line
    assert "parameter importance" not in run(*ask, "--trials", 3)[1]


def test_a_model_with_nothing_to_tune_says_so(run, edges, tmp_path):
    status, out, err = run("tune", edges, "--model", "l3", "--study", tmp_path / "study")
    assert (status, out) == (0, "")
    assert "l3 has nothing to tune." in err
    assert not (tmp_path / "study").exists()
    _, _, err = run("tune", edges, "--model", "katz", "--set", "beta=0.2")
    assert "katz has nothing to tune apart from what --set fixes." in err


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["--model", "kats"], ["no model is called 'kats'", "Did you mean katz"]),
        (["--model", "katz", "--metric", "luck"], ["no metric is called 'luck'"]),
        (["--model", "katz", "--trials", "0"], ["trials must be"]),
        (["--model", "katz", "--set", "beta=3"], ["beta must be"]),
        (["--model", "katz", "--set", "gamma=3"], ["katz has no parameter 'gamma'"]),
    ],
)
def test_tune_refuses_what_it_cannot_do(run, edges, tmp_path, arguments, expected):
    result = run("tune", edges, *arguments, "--study", tmp_path / "study")
    assert one_line_of_error(result, *expected)
    assert not (tmp_path / "study").exists()


# ---------------------------------------------------------------------- Ctrl-C


def interrupted(tmp_path, *arguments):
    """Start the command, interrupt it once settings are being tried, return its last words."""
    script = tmp_path / "start.py"
    script.write_text(f"{START}if __name__ == '__main__':\n    main()\n")
    process = subprocess.Popen(
        [sys.executable, script, *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=buffered(),
        start_new_session=True,
    )
    for line in process.stderr:
        if line.startswith("tuning "):
            break
    os.killpg(process.pid, signal.SIGINT)  # to all of them, as a terminal does
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert out == ""
    return err


@pytest.mark.skipif(os.name != "posix", reason="signals as POSIX has them")
@pytest.mark.parametrize("executor", ["threads", "processes"])
def test_ctrl_c_reports_what_is_saved(tmp_path, executor):
    edges = write_edges(tmp_path / "edges.tsv", lp.planted_network(500, seed=1))
    study = tmp_path / "study"
    ask = ("tune", edges, "--model", "nuclear-degree", "--trials", 500, "--executor", executor)
    last = interrupted(tmp_path, *ask, "--workers", 2, "--study", study)
    assert last.rstrip().endswith(f"saved in {study}; the same command resumes from there.")
    assert "Traceback" not in last
    assert "resource_tracker" not in last
    assert (study / "study.json").exists()
    assert not (study / "best.json").exists()
    if executor == "threads":
        assert "not saved, as no --study DIR was given." in interrupted(tmp_path, *ask)
