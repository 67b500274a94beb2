"""`linkprior predict -o DIR/`: the run folder, how it is completed, refused and read back."""

import hashlib
import json
import os
import shutil
import sys
import threading

import jsonschema
import numpy as np
import pytest
from tests.cli.support import SMALL, change, manifest, one_line_of_error, outside

import linkprior as lp
from linkprior.errors import StoreError
from linkprior.pipeline.run_folder import SCHEMA
from linkprior.predictors.evidence import with_evidence

FILES = ["input_report.json", "log.txt", "manifest.json", "model", "ranking.tsv"]


@pytest.fixture
def ask(edges, tmp_path):
    """A small prediction into a run folder."""
    return ["predict", edges, *SMALL, "--top", 20, "-o", f"{tmp_path / 'run'}/"]


def sha256(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def test_a_run_keeps_all_there_is_to_know(run, ask, edges, tmp_path):
    status, out, _ = run(*ask, "--seed", 4)
    folder = tmp_path / "run"
    assert (status, out) == (0, "")
    assert sorted(p.name for p in folder.iterdir()) == FILES
    facts, net = manifest(folder), lp.read_network(edges).sorted()
    assert facts["status"] == "complete"
    assert facts["command"] == ["linkprior", *map(str, ask), "--seed", "4"]
    assert facts["input"]["sha256"] == sha256(edges)
    assert facts["input"]["network_digest"] == net.digest
    assert (facts["model"], facts["seed"], facts["links"]) == ("tri-degree", 4, 20)
    assert facts["request"]["parameters"] == lp.load(folder / "model").get_params()
    assert facts["versions"]["linkprior"] == lp.__version__
    assert set(facts["seconds"]) == {"reading", "fitting", "ranking", "evidence"}
    assert facts["peak_memory_mb"] > 10
    assert facts["files"] == {
        name: sha256(folder / name) for name in ("input_report.json", "ranking.tsv")
    }
    report = json.loads((folder / "input_report.json").read_text())
    assert (report["nodes"], report["edges"]) == (net.n_nodes, net.n_edges)
    log = (folder / "log.txt").read_text()
    assert f"{net.n_nodes} nodes, {net.n_edges} edges" in log
    assert "Fitting tri-degree" in log


def test_the_manifest_follows_its_published_schema(run, ask, edges, tmp_path):
    genes = tmp_path / "genes.txt"
    genes.write_text("\n".join(lp.read_network(edges).sorted().names[:90]))
    choices = ["--no-header", "--nodes", genes, "--exclude", edges, "--format", "csv"]
    choices += ["--between", genes, genes]
    schema = json.loads(SCHEMA.read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    nearby = ["--candidates", "paths3", "--partners", 9]
    for extra in ([], [*choices, "--force"], [*nearby, "--force"]):
        assert run(*ask, *extra)[0] == 0
        jsonschema.validate(manifest(tmp_path / "run"), schema)
    broken = {**manifest(tmp_path / "run"), "links": -1}
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(broken, schema)


def test_it_can_be_loaded_again(run, ask, edges, tmp_path):
    _, expected, _ = run(*ask[:-2])
    run(*ask)
    again = lp.load_run(tmp_path / "run")
    net = lp.read_network(edges).sorted()
    assert again.network.digest == net.digest
    fresh = lp.make("tri-degree", n_starts=1, max_iter=4, warmup=4).fit(net).predict_edges(20)
    assert again.ranking.names == fresh.names
    np.testing.assert_allclose(again.ranking.scores, fresh.scores, rtol=1e-5)
    np.testing.assert_array_equal(again.model.predict_edges(20).scores, fresh.scores)
    degrees = net.degrees[fresh.pairs]
    np.testing.assert_array_equal(again.ranking.evidence["degree_source"], degrees[:, 0])
    assert again.input_report["edges"] == net.n_edges
    assert "Fitting" in again.log
    assert (tmp_path / "run" / "ranking.tsv").read_text() == expected
    assert "tri-degree, 20 links" in repr(again)


def test_the_same_command_again_gives_the_same_bytes_without_a_fit(
    run, succeed, ask, tmp_path, monkeypatch
):
    run(*ask)
    first = (tmp_path / "run" / "ranking.tsv").read_bytes()

    def no_fit(self, network):
        raise AssertionError("fitted again")

    monkeypatch.setattr("linkprior.predictors.tri.TriFactorization._fit", no_fit)
    _, err = succeed(*ask)
    assert "fitted before" in err
    assert (tmp_path / "run" / "ranking.tsv").read_bytes() == first
    assert manifest(tmp_path / "run")["status"] == "complete"


def test_a_run_broken_off_after_the_fit_is_completed(run, ask, tmp_path, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr("linkprior.pipeline.predict.PredictJob.write", lambda *_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            run(*ask)
    folder = tmp_path / "run"
    assert manifest(folder)["status"] == "incomplete"
    with pytest.raises(StoreError, match="the same command completes it"):
        lp.load_run(folder)
    monkeypatch.setattr("linkprior.predictors.tri.TriFactorization._fit", lambda *_: 1 / 0)
    assert run(*ask)[0] == 0
    assert len(lp.load_run(folder).ranking) == 20


def test_a_damaged_model_is_fitted_again(run, succeed, ask, tmp_path):
    run(*ask)
    arrays = tmp_path / "run" / "model" / "arrays.safetensors"
    arrays.write_bytes(arrays.read_bytes()[:-1] + b"x")
    _, err = succeed(*ask)
    assert "Fitting tri-degree" in err
    assert len(lp.load_run(tmp_path / "run").ranking) == 20


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (["--seed", 3], "(seed was 0, now 3)"),
        (["--top", 5], "top was 20, now 5"),
        (["--model", "pa"], "model was tri-degree, now pa"),
        (["--node", "node-13"], "node was not set, now ['node-13']"),
    ],
)
def test_another_command_is_refused_without_force(run, ask, tmp_path, change, said):
    run(*ask)
    before = {p.name: p.read_bytes() for p in (tmp_path / "run").iterdir() if p.is_file()}
    changed = [*ask, *change] if change[0] != "--model" else [*ask[:2], *change, *ask[-4:]]
    assert one_line_of_error(run(*changed), "holds another run", said, "--force")
    assert {p.name: p.read_bytes() for p in (tmp_path / "run").iterdir() if p.is_file()} == before
    assert run(*changed, "--force")[0] == 0
    assert lp.load_run(tmp_path / "run").manifest["status"] == "complete"


def test_another_input_is_refused(run, ask, edges, tmp_path):
    run(*ask)
    edges.write_text(edges.read_text() + "x\ty\n")
    assert one_line_of_error(run(*ask), "of another input")
    moved = tmp_path / "moved.tsv"
    shutil.copy(edges, moved)
    run(*ask, "--force")
    assert run("predict", moved, *ask[2:])[0] == 0, "the same bytes elsewhere are the same input"


def test_a_folder_of_other_things_is_left_alone(run, ask, tmp_path):
    folder = tmp_path / "run"
    folder.mkdir()
    (folder / "thesis.doc").write_text("years of work")
    for extra in ([], ["--force"]):
        assert one_line_of_error(run(*ask, *extra), "holds files but no run")
    assert [p.name for p in folder.iterdir()] == ["thesis.doc"]
    (folder / "manifest.json").write_text('{"format": "other"}')
    assert one_line_of_error(run(*ask, "--force"), "not the manifest of a linkprior run")


def test_force_removes_the_old_run_and_nothing_else(run, ask, tmp_path):
    run(*ask, "--format", "csv")
    folder = tmp_path / "run"
    (folder / "notes.txt").write_text("mine")
    assert (folder / "ranking.csv").exists()
    assert run(*ask, "--force")[0] == 0
    assert sorted(p.name for p in folder.iterdir()) == sorted([*FILES, "notes.txt"])


def test_a_file_that_is_lacking_is_named_without_what_a_terminal_obeys(run, ask, tmp_path):
    run(*ask)
    whole = manifest(tmp_path / "run")["files"]
    for name, told in [
        ("x\x1b[2J\n", r"lacks x\\x1b\[2J\\n: the same command"),
        ("x" * 300, "lacks x+: the same"),
        ("x\0", r"lacks x\\x00: the same"),
        ("../edges.tsv", r"lacks \.\./edges.tsv: the same"),
    ]:
        change(tmp_path / "run", files={**whole, name: "0" * 64})
        with pytest.raises(StoreError, match=told):
            lp.load_run(tmp_path / "run")
    (tmp_path / "run" / "x\x1b").touch()
    change(tmp_path / "run", files={**whole, "x\x1b": "0" * 64})
    with pytest.raises(StoreError, match=r"x\\x1b was changed after the run"):
        lp.load_run(tmp_path / "run")


def test_evidence_comes_back_as_it_was(run, tmp_path):
    """Names that look like numbers, zeros and an empty cell keep their types."""
    path = tmp_path / "edges.tsv"
    path.write_text("001\t003\n003\t002\n002\tNAN\n001\tx\n")
    run("predict", path, "--model", "pa", "-o", f"{tmp_path / 'run'}/")
    back = lp.load_run(tmp_path / "run").ranking
    net = lp.read_network(path)
    model = lp.make("pa").fit(net)
    true = with_evidence(model, model.predict_edges(100))
    assert list(back.evidence) == list(true.evidence)
    for name, column in true.evidence.items():
        assert back.evidence[name].dtype == column.dtype, name
        assert back.evidence[name].tolist() == column.tolist()


@pytest.mark.parametrize("spoil", [{"input": []}, {"request": None}, {"files": []}, {"status": 3}])
def test_a_manifest_of_other_types_is_refused_in_one_line(run, ask, tmp_path, spoil):
    run(*ask)
    change(tmp_path / "run", **spoil)
    assert one_line_of_error(run(*ask), "lacks", next(iter(spoil)))
    with pytest.raises(StoreError, match="lacks"):
        lp.load_run(tmp_path / "run")


@pytest.mark.skipif(sys.platform != "linux", reason="file names are bytes on Linux")
def test_a_path_of_odd_bytes_does_not_spoil_the_run(run, ask, edges, tmp_path):
    odd = tmp_path / os.fsdecode(b"n\xe4me.tsv")
    shutil.copy(edges, odd)
    assert run("predict", odd, *ask[2:])[0] == 0
    assert lp.load_run(tmp_path / "run").manifest["input"]["file"]
    assert run("predict", odd, *ask[2:])[0] == 0


def test_another_list_is_another_run_even_through_a_pipe(ask, edges, tmp_path):
    """A pipe can be read once: its content, not an empty rest, tells runs apart."""
    names = lp.read_network(edges).sorted().names
    for count, expected in ((30, 0), (40, 1)):
        pipe = tmp_path / f"pipe{count}"
        os.mkfifo(pipe)
        feed = threading.Thread(target=pipe.write_text, args=("\n".join(names[:count]),))
        feed.start()
        done = outside(*ask, "--nodes", pipe)
        feed.join(10)
        assert done.returncode == expected, done.stderr
    assert "holds another run (nodes was" in done.stderr


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (lambda d: (d / "manifest.json").unlink(), "no manifest.json"),
        (lambda d: (d / "manifest.json").write_text("{"), "cannot be read"),
        (lambda d: (d / "manifest.json").write_text("[]"), "not the manifest"),
        (lambda d: change(d, format_version=99), "run format 99"),
        (lambda d: (d / "ranking.tsv").unlink(), "lacks ranking.tsv"),
        (lambda d: (d / "ranking.tsv").write_text("rank\n"), "checksum differs"),
        (lambda d: shutil.rmtree(d / "model"), "not a saved model"),
        (shutil.rmtree, "is not a folder"),
    ],
)
def test_what_is_no_whole_run_is_refused(run, ask, tmp_path, spoil, said):
    run(*ask)
    spoil(tmp_path / "run")
    with pytest.raises(StoreError, match=said):
        lp.load_run(tmp_path / "run")


def test_a_run_where_a_file_is_in_the_way(run, ask, tmp_path):
    (tmp_path / "run").write_text("a file")
    assert one_line_of_error(run(*ask), "is a file")
    assert one_line_of_error(run(*ask[:-1], f"{tmp_path / 'run' / 'deeper'}/"), "is a file")


def test_an_explanation_leaves_the_run_whole(run, succeed, ask, edges, tmp_path):
    run(*ask)
    before = (tmp_path / "run" / "ranking.tsv").read_bytes()
    a, b = lp.load_run(tmp_path / "run").ranking.names[0]
    out, err = succeed(*ask, "--explain", a, b)
    assert out.startswith(f"{a} – {b}")
    assert "fitted before" in err
    assert lp.load_run(tmp_path / "run").manifest["status"] == "complete"
    assert (tmp_path / "run" / "ranking.tsv").read_bytes() == before


def test_an_empty_ranking_can_be_kept(succeed, tmp_path):
    whole = tmp_path / "triangle.tsv"
    whole.write_text("a b\nb c\na c\n")
    _, err = succeed("predict", whole, "--model", "pa", "-o", f"{tmp_path / 'run'}/")
    assert "No pair is left to predict" in err
    assert len(lp.load_run(tmp_path / "run").ranking) == 0
