"""`linkprior predict`: what goes to stdout, to stderr and to files."""

import io
import os
import subprocess
import sys

import numpy as np
import pytest
from tests.cli.support import (
    FEW_STEPS,
    HEADER,
    SMALL,
    one_line_of_error,
    outside,
    table,
)

import linkprior as lp
from linkprior.predictors.evidence import with_evidence


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
    _, out, _ = run("predict", edges, "--top", 30, "--model", "tri", *FEW_STEPS, "--seed", 5)
    net = lp.read_network(edges)
    ranking = lp.make("tri", n_starts=1, max_iter=4, seed=5).fit(net).predict_edges(30)
    _, rows = table(out)
    assert [(row[1], row[2]) for row in rows] == ranking.names
    np.testing.assert_allclose([float(row[3]) for row in rows], ranking.scores, rtol=1e-5)


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
        "learn = local.PreferentialAttachment._fit\n"
        "def loud(self, network):\n"
        "    logging.getLogger('linkprior').info('compiling kernels')\n"
        "    return learn(self, network)\n"
        "local.PreferentialAttachment._fit = loud\n"
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
    for text in ("1 self-loop ", "1 duplicate ", "1 reversed duplicate "):
        assert text in err


def test_same_seed_same_bytes(run, edges):
    ask = ("predict", edges, "--model", "tri", *FEW_STEPS)
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
    model = lp.load(tmp_path / "model")
    with_evidence(model, model.predict_edges(25)).write(text)
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
    assert "Writing 100 links" in err
    assert (tmp_path / "links.tsv").read_bytes() == expected.encode()
    assert sorted(p.name for p in tmp_path.iterdir()) == ["edges.tsv", "links.tsv"]


def test_the_input_is_never_written_over(run, edges, tmp_path):
    link = tmp_path / "link.tsv"
    link.symlink_to(edges)
    before = edges.read_bytes()
    for target in (edges, link, tmp_path / "." / "edges.tsv"):
        assert one_line_of_error(
            run("predict", edges, "--model", "pa", "-o", target), "is the input"
        )
    assert one_line_of_error(
        run("predict", edges, "--model", "pa", "--exclude", edges, "-o", edges), "is the input"
    )
    assert edges.read_bytes() == before


def test_a_link_stays_a_link_and_a_file_keeps_its_mode(run, edges, tmp_path):
    real, link = tmp_path / "real.tsv", tmp_path / "link.tsv"
    real.write_text("old")
    real.chmod(0o600)
    link.symlink_to(real)
    run("predict", edges, "--model", "pa", "-o", link)
    assert link.is_symlink()
    assert real.read_text().startswith("rank\t")
    assert real.stat().st_mode & 0o777 == 0o600


def test_a_device_is_written_to_and_not_replaced(run, edges, tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with subprocess.Popen(["cat", pipe], stdout=subprocess.PIPE, text=True) as reader:
        run("predict", edges, "--model", "pa", "-o", pipe)
        out, _ = reader.communicate(timeout=20)
    assert out == run("predict", edges, "--model", "pa")[1]
    assert pipe.is_fifo()


def test_packed_output_is_refused(run, edges, tmp_path):
    said = run("predict", edges, "--model", "pa", "-o", tmp_path / "links.tsv.gz")
    assert one_line_of_error(said, "leave out .gz")


def full_disk(*_):
    raise OSError(28, "No space left on device")


def half_written(ranking, stream):
    stream.write("rank\tsource")
    stream.flush()
    full_disk()


@pytest.mark.parametrize(
    ("place", "failure"),
    [
        ("linkprior.io.atomic_files.os.fsync", full_disk),
        ("linkprior.io.atomic_files.os.replace", full_disk),
        ("linkprior.ranking.ranking.Ranking.write", half_written),
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
