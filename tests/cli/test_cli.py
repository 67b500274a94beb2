"""The command line: what goes to stdout, what to stderr, what to files, and the exit status."""

import csv
import io
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import linkprior as lp
from linkprior import cli
from linkprior.evaluation.splits import uniform
from linkprior.predictors.registry import MODELS

HEADER = ["rank", "source", "target", "score"]
SMALL = ["--set", "n_starts=1", "--set", "max_iter=4", "--set", "warmup=4"]


@pytest.fixture
def edges(planted, tmp_path):
    """The planted network as a file."""
    path = tmp_path / "edges.tsv"
    path.write_text("".join(f"{a}\t{b}\n" for a, b in by_name(planted, planted.edges)))
    return path


def by_name(net, pairs):
    return [(net.names[i], net.names[j]) for i, j in np.asarray(pairs).tolist()]


@pytest.fixture
def run(monkeypatch, capsys):
    """Run the command in this process; returns status, stdout and stderr."""

    def one(*arguments):
        monkeypatch.setattr(sys, "argv", ["linkprior", *map(str, arguments)])
        try:
            cli.main()
            status = 0
        except SystemExit as done:
            status = done.code or 0
        out, err = capsys.readouterr()
        return status, out, err

    return one


def command(*arguments):
    """The command as a list for subprocess, through this Python."""
    start = "import sys; from linkprior.cli import main; sys.argv[0] = 'linkprior'; main()"
    return [sys.executable, "-c", start, *map(str, arguments)]


def buffered():
    """The environment of a user: output is buffered, whatever this process was told."""
    return {key: value for key, value in os.environ.items() if key != "PYTHONUNBUFFERED"}


def outside(*arguments, **options):
    """Run the command in a process of its own."""
    settings = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, **options}
    return subprocess.run(command(*arguments), check=False, timeout=60, env=buffered(), **settings)


def table(text):
    rows = list(csv.reader(io.StringIO(text), delimiter="\t"))
    return rows[0], rows[1:]


def one_line_of_error(result, *expected):
    """Status 1, nothing on stdout, and a last line on stderr that says what to do."""
    status, out, err = result
    assert status == 1
    assert out == ""
    assert "Traceback" not in err
    last = err.splitlines()[-1]
    assert last.startswith("linkprior: ")
    for text in expected:
        assert text in last
    return True


# ---------------------------------------------------------------------- predict


@pytest.mark.parametrize("model", ["tri-degree", "pa"])
def test_predict_ranks_new_pairs_best_first(run, edges, model):
    settings = SMALL if model == "tri-degree" else []
    status, out, err = run("predict", edges, "--top", 200, "--model", model, *settings)
    net = lp.read_network(edges)
    number = {name: i for i, name in enumerate(net.names)}
    header, rows = table(out)
    assert status == 0
    assert header[:4] == HEADER
    assert [int(row[0]) for row in rows] == list(range(1, 201))
    pairs = [(number[row[1]], number[row[2]]) for row in rows]
    assert all(i < j for i, j in pairs)
    assert len(set(pairs)) == 200
    assert not set(pairs) & set(map(tuple, net.edges.tolist()))
    scores = [float(row[3]) for row in rows]
    assert scores == sorted(scores, reverse=True)
    assert f"{net.n_nodes} nodes, {net.n_edges} edges" in err


def test_predict_writes_what_the_library_predicts(run, edges):
    _, out, _ = run("predict", edges, "--top", 30, "--model", "tri", *SMALL[:4], "--seed", 5)
    net = lp.read_network(edges)
    ranking = lp.make("tri", n_starts=1, max_iter=4, seed=5).fit(net).predict_edges(30)
    _, rows = table(out)
    assert [(row[1], row[2]) for row in rows] == ranking.names
    np.testing.assert_allclose([float(row[3]) for row in rows], ranking.scores, rtol=1e-5)


def test_a_hundred_links_by_the_degree_prior_are_the_default(run, edges):
    _, out, err = run("predict", edges)
    _, rows = table(out)
    assert len(rows) == 100
    assert "tri-degree" in err


@pytest.mark.parametrize(("top", "lines"), [(1, 2), (10**9, None)])
def test_top_at_its_limits(run, edges, planted, top, lines):
    _, out, _ = run("predict", edges, "--model", "pa", "--top", top)
    assert len(out.splitlines()) == (lines or 1 + planted.n_non_edges)


def test_messages_go_to_stderr_and_quiet_silences_them(run, edges):
    _, loud, err = run("predict", edges, "--model", "pa")
    _, quiet, nothing = run("predict", edges, "--model", "pa", "-q")
    assert loud == quiet
    assert "Fitting pa" in err
    assert nothing == ""


def test_quiet_silences_what_the_library_logs(edges):
    """Compiling kernels is announced through the log; -q asks for results and errors alone."""
    script = (
        "import logging, sys, linkprior.predictors.local as local\n"
        "from linkprior.cli import main\n"
        "learn = local.PreferentialAttachment._learn\n"
        "def loud(self, network):\n"
        "    logging.getLogger('linkprior').info('compiling kernels')\n"
        "    return learn(self, network)\n"
        "local.PreferentialAttachment._learn = loud\n"
        f"sys.argv = ['linkprior', 'predict', {str(edges)!r}, '--model', 'pa', *sys.argv[1:]]\n"
        "main()\n"
    )
    said = {
        flags: subprocess.run(
            [sys.executable, "-c", script, *flags], capture_output=True, text=True, check=True
        ).stderr
        for flags in ((), ("-q",))
    }
    assert "compiling kernels" in said[()]
    assert said[("-q",)] == ""


def test_merged_lines_are_reported(run, tmp_path):
    path = tmp_path / "edges.tsv"
    path.write_text("a\tb\nb\ta\nb\tc\nb\tc\nc\tc\nc\td\n")
    _, _, err = run("predict", path, "--model", "pa")
    assert "4 nodes, 3 edges" in err
    for text in ("1 self-loops", "1 duplicates", "1 reversed duplicates"):
        assert text in err


def test_same_seed_same_bytes(run, edges):
    ask = ("predict", edges, "--model", "tri", *SMALL[:4])
    one, again, other = (run(*ask, "--seed", seed)[1] for seed in (3, 3, 4))
    assert one == again
    assert one != other


def test_workers_change_nothing(run, edges):
    ask = ("predict", edges, *SMALL)
    assert run(*ask, "--workers", 1)[1] == run(*ask, "--workers", 3)[1]


def test_set_gives_model_parameters(run, edges, tmp_path):
    run(
        *("predict", edges, "--model", "tri-degree", *SMALL, "--save", tmp_path / "m", "--seed", 9),
        *("--set", "rank=3", "--set", "alpha=0.25", "--set", "rank_by=x", "--set", "n_edges=none"),
    )
    params = lp.load(tmp_path / "m").get_params()
    asked = {"rank": 3, "alpha": 0.25, "rank_by": "x", "n_edges": None, "seed": 9, "n_starts": 1}
    assert {key: params[key] for key in asked} == asked
    assert isinstance(params["rank"], int)


def test_a_model_without_seed_takes_none(run, edges):
    status, _, _ = run("predict", edges, "--model", "l3", "--seed", 3)
    assert status == 0


def test_a_saved_model_predicts_the_same(run, edges, tmp_path):
    status, out, err = run("predict", edges, *SMALL, "--top", 25, "--save", tmp_path / "model")
    assert status == 0
    assert "Saved the model" in err
    text = io.StringIO()
    lp.load(tmp_path / "model").predict_edges(25).write(text)
    assert text.getvalue() == out


def test_standard_input(run, edges, monkeypatch):
    _, expected, _ = run("predict", edges, "--model", "pa")
    stream = io.TextIOWrapper(io.BytesIO(edges.read_bytes()), encoding="utf-8")
    monkeypatch.setattr(sys, "stdin", stream)
    status, out, _ = run("predict", "-", "--model", "pa")
    assert status == 0
    assert out == expected


def test_standard_input_of_a_real_process(run, edges):
    _, expected, _ = run("predict", edges, "--model", "pa", "--top", 7)
    with edges.open("rb") as stream:
        done = outside("predict", "-", "--model", "pa", "--top", 7, stdin=stream)
    assert (done.returncode, done.stdout) == (0, expected)


# ---------------------------------------------------------------------- files appear whole


def test_output_file(run, edges, tmp_path):
    _, expected, _ = run("predict", edges, "--model", "pa")
    status, out, err = run("predict", edges, "--model", "pa", "-o", tmp_path / "links.tsv")
    assert (status, out) == (0, "")
    assert "Wrote 100 links" in err
    assert (tmp_path / "links.tsv").read_bytes() == expected.encode()
    assert sorted(p.name for p in tmp_path.iterdir()) == ["edges.tsv", "links.tsv"]


def full_disk(*_):
    raise OSError(28, "No space left on device")


def half_written(ranking, stream):
    stream.write("rank\tsource")
    stream.flush()
    full_disk()


@pytest.mark.parametrize(
    ("place", "failure"),
    [
        ("linkprior.io.files.os.fsync", full_disk),
        ("linkprior.io.files.os.replace", full_disk),
        ("linkprior.ranking.Ranking.write", half_written),
    ],
    ids=["when flushed", "when renamed", "half way"],
)
@pytest.mark.parametrize("earlier", [None, "an earlier result"])
def test_a_failed_write_leaves_nothing_new(
    run, edges, tmp_path, monkeypatch, place, failure, earlier
):
    target = tmp_path / "links.tsv"
    if earlier:
        target.write_text(earlier)
    monkeypatch.setattr(place, failure)
    result = run("predict", edges, "--model", "pa", "-o", target)
    assert one_line_of_error(result, "No space left on device")
    assert (target.read_text() if target.exists() else None) == earlier
    assert {p.name for p in tmp_path.iterdir()} - {"links.tsv"} == {"edges.tsv"}


def test_output_into_a_missing_folder(run, edges, tmp_path):
    target = tmp_path / "nowhere" / "links.tsv"
    result = run("predict", edges, "--model", "pa", "-o", target)
    assert one_line_of_error(result, str(tmp_path / "nowhere"))


def test_saving_over_what_is_no_model(run, edges, tmp_path):
    status, _, err = run("predict", edges, "--model", "pa", "--save", tmp_path)
    assert status == 1
    assert err.splitlines()[-1].endswith("is not a saved model: choose another folder")


# ---------------------------------------------------------------------- errors


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["--model", "tri-degre"], ["no model is called 'tri-degre'", "Did you mean tri-degree"]),
        (["--set", "rnk=3"], ["no parameter 'rnk'", "Did you mean rank"]),
        (["--set", "rank"], ["--set expects KEY=VALUE, got 'rank'"]),
        (["--set", "=3"], ["--set expects KEY=VALUE"]),
        (["--set", "rank=0"], ["rank must be", "got 0"]),
        (["--set", "rank=many"], ["rank must be", "'many'"]),
        (["--set", "lam=nan"], ["lam must be"]),
        (["--set", "solver=magic"], ["solver must be one of auto, admm, streaming"]),
        (["--set", "seed=-1"], ["seed must be"]),
        (["--workers", "0"], ["workers must be"]),
    ],
)
def test_what_a_user_can_fix_is_one_line(run, edges, arguments, expected):
    assert one_line_of_error(run("predict", edges, *SMALL, *arguments), *expected)


@pytest.mark.parametrize("subcommand", ["predict", "evaluate"])
def test_a_missing_file(run, tmp_path, subcommand):
    path = tmp_path / "nowhere.tsv"
    assert one_line_of_error(run(subcommand, path), f"{path}: no such file")


def test_a_bad_line_names_file_and_line(run, tmp_path):
    path = tmp_path / "edges.tsv"
    path.write_text("a\tb\nc\n")
    assert one_line_of_error(run("predict", path), f"{path}:2: expected 2 columns")


def test_a_network_with_nothing_to_learn(run, tmp_path):
    path = tmp_path / "edges.tsv"
    path.write_text("a\ta\nb\tb\n")
    assert one_line_of_error(run("predict", path))


def test_out_of_memory_is_one_line(run, edges, monkeypatch):
    def too_large(self, network):
        raise MemoryError

    monkeypatch.setattr("linkprior.predictors.local.PreferentialAttachment._learn", too_large)
    assert one_line_of_error(run("predict", edges, "--model", "pa"), "out of memory")


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["predcit"],
        ["predict"],
        ["predict", "x.tsv", "--tpo", "3"],
        ["predict", "x.tsv", "--top", "three"],
        ["predict", "x.tsv", "--top", "-1"],
        ["predict", "x.tsv", "--seed", "-1"],
        ["evaluate", "x.tsv", "--rule", "some"],
        ["demo", "more"],
    ],
)
def test_wrong_usage_is_status_2_and_shows_the_usage(run, arguments):
    status, out, err = run(*arguments)
    assert (status, out) == (2, "")
    assert err.startswith("Usage: ")
    assert "Traceback" not in err


def test_an_interruption_is_status_130(run, edges, monkeypatch):
    def interrupted(self, network):
        raise KeyboardInterrupt

    monkeypatch.setattr("linkprior.predictors.local.PreferentialAttachment._learn", interrupted)
    status, out, err = run("predict", edges, "--model", "pa")
    assert (status, out) == (130, "")
    assert err.splitlines()[-1] == "Interrupted."
    assert "Traceback" not in err


def test_debug_shows_the_traceback(tmp_path):
    path = tmp_path / "nowhere.tsv"
    plain, debug = outside("predict", path), outside("--debug", "predict", path)
    assert plain.returncode == debug.returncode == 1
    assert plain.stderr == f"linkprior: {path}: no such file\n"
    assert "Traceback (most recent call last)" in debug.stderr
    assert "edgelist.py" in debug.stderr
    assert debug.stderr.splitlines()[-1].endswith(f"{path}: no such file")


@pytest.mark.parametrize("top", [5, 1500], ids=["fits the buffer", "exceeds the buffer"])
def test_a_closed_pipe_ends_quietly(edges, top):
    """As in `linkprior predict … | head -0`: the reader had enough, so all is well."""
    read_end, write_end = os.pipe()
    os.close(read_end)
    try:
        done = outside("predict", edges, "--model", "pa", "-q", "--top", top, stdout=write_end)
    finally:
        os.close(write_end)
    assert done.stderr == ""
    assert done.returncode == 0


def test_a_reader_that_stops_after_one_line(edges):
    ask = command("predict", edges, "--model", "pa", "--top", 1500)
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(ask, text=True, env=buffered(), **pipes) as job:
        first = job.stdout.readline()
        job.stdout.close()
        err = job.stderr.read()
    assert first.split() == HEADER
    assert "Traceback" not in err
    assert "BrokenPipe" not in err


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full on this system")
@pytest.mark.parametrize("top", [5, 1500], ids=["fits the buffer", "exceeds the buffer"])
def test_a_full_disk_behind_stdout_is_one_line_and_status_1(edges, top):
    with open("/dev/full", "w") as full:
        done = outside("predict", edges, "--model", "pa", "-q", "--top", top, stdout=full)
    assert done.stderr == "linkprior: [Errno 28] No space left on device\n"
    assert done.returncode == 1


# ---------------------------------------------------------------------- evaluate


def test_evaluate_writes_results_and_prints_the_table(run, edges, tmp_path):
    folder = tmp_path / "new" / "results"
    status, out, err = run(
        *("evaluate", edges, "--models", "pa, l3", "--protocol", "uniform:0.8", "--repeats", 2),
        *("--rule", "all-nodes", "--seed", 3, "-o", folder),
    )
    assert status == 0
    assert sorted(p.name for p in folder.iterdir()) == ["results.json", "results.tsv"]
    header, rows = table((folder / "results.tsv").read_text())
    assert header == ["model", "split", "metric", "value"]
    facts = json.loads((folder / "results.json").read_text())
    assert [[str(v) for v in row.values()] for row in facts["results"]] == rows
    assert set(facts["results"][0]) == set(header)
    assert (facts["protocol"], facts["rule"], facts["seed"]) == ("uniform:0.8", "all-nodes", 3)
    assert facts["linkprior"] == lp.__version__

    net = lp.read_network(edges)
    again = lp.evaluate(["pa", "l3"], net, "uniform:0.8", "all-nodes", 2, 3)
    values = {tuple(row[:3]): float(row[3]) for row in rows if row[2] != "seconds"}
    assert values == {row[:3]: row[3] for row in again.rows if row[2] != "seconds"}
    assert len(values) == 2 * 2 * 4

    lines = [line.split() for line in out.splitlines()]
    assert lines[0][0] == "model"
    assert [line[0] for line in lines[1:]] == ["pa", "l3"]
    column = lines[0].index("recall@5%")
    for line in lines[1:]:
        assert float(line[column]) == pytest.approx(again.mean(line[0], "recall@5%"), abs=6e-4)
    assert "hidden edges to find" in err


def test_evaluate_on_a_later_release(run, edges, tmp_path):
    net = lp.read_network(edges)
    new = by_name(net, np.argwhere(np.triu(net.adjacency.toarray() == 0, 1))[:5])
    newer = tmp_path / "newer.tsv"
    newer.write_text(edges.read_text() + "".join(f"{a}\t{b}\n" for a, b in [*new, ("x", "y")]))
    status, _, err = run("evaluate", edges, "--models", "pa", "--protocol", f"release:{newer}")
    assert status == 0
    assert "release: 5 hidden edges to find, 1 outside" in err


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["--models", "pa,pq"], ["no model is called 'pq'", "Did you mean"]),
        (["--protocol", "unifrom:0.9"], ["no protocol is called", "Did you mean uniform"]),
        (["--protocol", "uniform:2"], ["rate must be"]),
        (["--repeats", "0"], ["repeats must be"]),
    ],
)
def test_evaluate_refuses_what_it_cannot_do(run, edges, tmp_path, arguments, expected):
    result = run("evaluate", edges, "--models", "pa", *arguments, "-o", tmp_path / "out")
    assert one_line_of_error(result, *expected)
    assert not (tmp_path / "out").exists()


# ---------------------------------------------------------------------- models, demo, info, cite


def test_models_lists_every_model_with_its_line(run):
    status, out, _ = run("models")
    assert status == 0
    listed = [line.split(maxsplit=1) for line in out.splitlines()]
    assert [name for name, _ in listed] == list(MODELS)
    assert all(len(line) > 10 for _, line in listed)


def test_version_info_and_cite(run):
    assert lp.__version__ in run("--version")[1]
    status, out, _ = run("info")
    assert status == 0
    lines = out.splitlines()
    assert lines[0] == f"linkprior {lp.__version__}"
    facts = dict(line.split(maxsplit=1) for line in lines)
    assert facts["numpy"] == np.__version__
    assert facts["python"].startswith(".".join(map(str, sys.version_info[:3])))
    assert int(facts["cores"]) >= 1
    status, out, _ = run("cite")
    assert status == 0
    assert "Network Inference by Learned Node-Specific Degree Prior" in out
    assert f"linkprior {lp.__version__}" in out


@pytest.mark.parametrize("flag", ["-h", "--help"])
def test_help_names_every_subcommand(run, flag):
    status, out, _ = run(flag)
    assert status == 0
    for name in ("predict", "evaluate", "models", "demo", "info", "cite"):
        assert re.search(rf"^  {name} ", out, re.MULTILINE)
        assert run(name, flag)[1].startswith("Usage: ")


def test_demo_marks_exactly_the_hidden_edges(run):
    """Everything it prints, computed again from the same network and split."""
    seed, top = 1, 40
    status, out, err = run("demo", "--seed", seed, "--top", top)
    assert status == 0
    net = lp.planted_network(seed=seed)
    split = uniform(net, 0.8, seed)
    hidden = set(by_name(net, split.hidden))
    ranking = lp.make("tri-degree", seed=seed).fit(split.train).predict_edges(100)
    head, *lines, _, summary = out.splitlines()
    assert head.split()[:4] == HEADER
    assert len(lines) == top
    degree = dict(zip(net.names, split.train.degrees.tolist(), strict=True))
    for line, pair, score in zip(lines, ranking.names, ranking.scores, strict=False):
        cells = line.split()
        assert tuple(cells[1:3]) == pair
        assert float(cells[3]) == pytest.approx(score, abs=6e-4)
        assert [int(cell) for cell in cells[4:6]] == [degree[name] for name in pair]
        assert ("✓ found" in line) == (pair in hidden)
    marks = sum("✓" in line for line in lines)
    assert 0 < marks < top  # both kinds were seen
    found = sum(pair in hidden for pair in ranking.names)
    alone = lp.make("pa").fit(split.train).predict_edges(100).names
    assert summary.startswith(f"{found} of the first 100 are hidden edges")
    assert f"degree alone: {sum(pair in hidden for pair in alone)};" in summary
    chance = 100 * len(hidden) / split.train.n_non_edges
    assert f"chance: {chance:.1f}" in summary
    assert f"{net.n_nodes} nodes, {net.n_edges} edges" in err


def test_demo_shows_as_many_as_asked_for(run):
    _, out, _ = run("demo", "--top", 130)
    assert len(re.findall(r"^ *\d+  node", out, re.MULTILINE)) == 130
    assert re.search(r"^\d+ of the first 100 are hidden edges", out, re.MULTILINE)
