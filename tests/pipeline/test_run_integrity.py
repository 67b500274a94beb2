"""`--force` and what others put into a run folder: its own files are removed, and nothing else."""

import json
import os

import pytest
from tests.cli.support import change, manifest, one_line_of_error

import linkprior as lp
from linkprior.errors import StoreError
from linkprior.io import store
from linkprior.pipeline.run_folder import RunFolder, difference, file_digest
from linkprior.predictors import registry
from linkprior.predictors.evidence import with_evidence

SAID = "fitted before"


@pytest.fixture
def ask(edges, tmp_path):
    return ["predict", edges, "--model", "l3", "--top", 3, "-o", f"{tmp_path / 'run'}/"]


@pytest.fixture
def folder(run, ask, tmp_path):
    """A finished run of l3."""
    assert run(*ask)[0] == 0
    return tmp_path / "run"


def force(run, ask):
    return run(*ask[:2], "--model", "pa", *ask[4:], "--force")


def test_files_of_others_next_to_the_model_stop_the_removal(run, ask, folder):
    (folder / "model" / "notes.txt").write_text("mine")
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    assert one_line_of_error(force(run, ask), "notes.txt", "not part of the run", "another folder")
    assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == before
    (folder / "model" / "notes.txt").unlink()
    assert force(run, ask)[0] == 0
    assert lp.load_run(folder).model.name == "pa"


@pytest.mark.parametrize("kind", ["link", "file"])
def test_a_model_that_is_no_folder_of_ours_stops_the_removal(run, ask, folder, kind):
    (folder / "model").rename(folder.parent / "kept")
    if kind == "link":
        (folder / "model").symlink_to(folder.parent / "kept")
    else:
        (folder / "model").write_text("mine")
    before = (folder / "ranking.tsv").read_bytes()
    assert one_line_of_error(force(run, ask), "model there was not created by linkprior")
    assert (folder / "ranking.tsv").read_bytes() == before
    assert lp.load(folder.parent / "kept").name == "l3"


def test_a_model_that_cannot_be_removed_is_an_error(run, ask, folder, monkeypatch):
    def fail(self, *_, **__):
        raise PermissionError(13, "Permission denied", str(self))

    with monkeypatch.context() as patch:
        patch.setattr("pathlib.Path.rmdir", fail)
        assert one_line_of_error(force(run, ask), "no permission")
    status, _, err = force(run, ask)
    assert (status, SAID in err) == (0, False)
    assert lp.load_run(folder).model.name == "pa"


def test_a_read_only_model_is_replaced(run, ask, folder):
    (folder / "model").chmod(0o555)
    assert force(run, ask)[0] == 0
    assert lp.load_run(folder).model.name == "pa"


@pytest.mark.parametrize("name", ["a\0b", "..", ".", "model", "mine.txt", "", "../mine.txt"])
def test_names_that_we_do_not_give_are_nothing_to_remove(run, ask, folder, name):
    for mine in (folder / "mine.txt", folder.parent / "mine.txt"):
        mine.write_text("mine")
    facts = manifest(folder)
    change(folder, files={**facts["files"], name: "0" * 64})
    assert force(run, ask)[0] == 0
    assert (folder / "mine.txt").read_text() == (folder.parent / "mine.txt").read_text() == "mine"
    assert lp.load_run(folder).model.name == "pa"


@pytest.mark.parametrize("format", ["a\0b", "../../mine.txt", 3, ["tsv"], None, "csv.d/../x"])
def test_a_format_that_we_do_not_write_is_nothing_to_remove(run, ask, folder, format):
    change(folder, request={**manifest(folder)["request"], "format": format})
    assert force(run, ask)[0] == 0
    assert lp.load_run(folder).model.name == "pa"


def test_a_ranking_that_a_run_cut_off_has_not_listed_is_removed(run, ask, folder):
    request = {**manifest(folder)["request"], "format": "CSV"}
    change(folder, request=request, files={}, status="incomplete")
    for name in ("ranking.csv", "ranking.sif"):
        (folder / name).write_text("of somebody")
    assert force(run, ask)[0] == 0
    assert not (folder / "ranking.csv").exists()
    assert (folder / "ranking.sif").exists(), "neither listed nor asked for"


@pytest.mark.parametrize("name", ["log.txt", "ranking.tsv", "input_report.json"])
@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir])
def test_what_is_no_plain_file_is_refused_before_anything_is_removed(run, ask, folder, name, make):
    (folder / name).unlink()
    make(folder / name)
    before = sorted(folder.rglob("*"))
    for asked in (run(*ask), force(run, ask)):
        assert one_line_of_error(asked, name, "is not a plain file")
    assert sorted(folder.rglob("*")) == before


def test_a_model_that_could_not_be_kept_is_reported_before_the_fit(run, ask, folder, monkeypatch):
    (folder / "model" / "notes.txt").write_text("mine")
    (folder / "model" / "manifest.json").write_text("{")
    monkeypatch.setattr("linkprior.predictors.paths.L3._fit", lambda *_: 1 / 0)
    assert one_line_of_error(run(*ask), "is not a saved model")


@pytest.mark.parametrize("folder", [None, 3, ""])
def test_a_model_is_saved_to_a_path(planted, folder):
    with pytest.raises(lp.LinkpriorError, match="folder must be the path of a folder"):
        lp.make("pa").fit(planted).save(folder)


def whole_run(network, folder):
    """A finished run, written as the command does."""
    model = lp.make("pa").fit(network)
    run = RunFolder(folder, {}, {})
    run.write_json("input_report.json", {"nodes": network.n_nodes})
    model.save(folder / "model")
    with run.writing("ranking.tsv") as stream:
        with_evidence(model, model.predict_edges(5)).write(stream)
    run.finish()
    assert len(lp.load_run(folder).ranking) == 5
    return folder


def forge(folder, name, text):
    """Write a file and have the manifest vouch for it."""
    (folder / name).write_text(text)
    change(folder, files=manifest(folder)["files"] | {name: file_digest(folder / name)})


RANK = "rank\tsource\ttarget\tscore\n"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("ranking.tsv", ""),
        ("ranking.tsv", "rank\tscore\n1\t2\n"),
        ("ranking.tsv", f"{RANK}1\tnobody\tnowhere\t1.0\n"),
        ("ranking.tsv", f"{RANK}1\tn000\tn001\thigh\n"),
        ("ranking.tsv", f"{RANK}1\tn000\n"),
        ("ranking.tsv", RANK + "1\t" + "x" * 200_000 + "\tn001\t1\n"),
        ("input_report.json", "{"),
        ("input_report.json", "3"),
        ("input_report.json", "[" * 200_000),
    ],
)
def test_a_forged_checksum_does_not_help(planted, tmp_path, name, text):
    folder = whole_run(planted, tmp_path / "run")
    forge(folder, name, text)
    with pytest.raises(StoreError) as refused:
        lp.load_run(folder)
    assert str(folder / name) in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    "spoil",
    [
        lambda manifest, arrays: arrays.pop("state.U"),
        lambda manifest, arrays: arrays.update({"state.S": arrays["state.S"][:, :1]}),
        lambda manifest, arrays: arrays.update({"state.Q": arrays["state.Q"][0]}),
        lambda manifest, arrays: arrays.update({"network.edges": arrays["network.edges"] + 10**6}),
        lambda manifest, arrays: manifest.update(model="no such model"),
        lambda manifest, arrays: manifest.update(params={"shoe_size": 3}),
        lambda manifest, arrays: manifest.update(network=3),
    ],
)
def test_a_forged_model_is_refused_in_one_line(planted, tmp_path, spoil):
    lp.make("tri-degree", n_starts=1, max_iter=2, warmup=2).fit(planted).save(tmp_path / "model")
    manifest, arrays = store.read_model(tmp_path / "model")
    spoil(manifest, arrays)
    store.write_model(tmp_path / "model", manifest, arrays)
    with pytest.raises(StoreError) as refused:
        lp.load(tmp_path / "model")
    assert "\n" not in str(refused.value)


def another(edges, what):
    """A fitted model that is not the one of the run."""
    if what == "name":
        return lp.make("pa").fit(edges)
    return lp.make("l3").fit(lp.planted_network(seed=5))


@pytest.mark.parametrize("noted", [True, False])
@pytest.mark.parametrize("what", ["name", "network"])
def test_a_model_of_something_else_is_refused_and_fitted_again(
    run, succeed, ask, edges, folder, what, noted
):
    before = (folder / "ranking.tsv").read_bytes()
    if not noted:  # as in runs that were written before model_sha256
        facts = {k: v for k, v in manifest(folder).items() if k != "model_sha256"}
        (folder / "manifest.json").write_text(json.dumps(facts))
        assert lp.load_run(folder).model.name == "l3"
    another(edges, what).save(folder / "model")
    with pytest.raises(StoreError, match="is not the model of this run"):
        lp.load_run(folder)
    _, err = succeed(*ask)
    assert SAID not in err
    assert lp.load_run(folder).model.name == "l3"
    assert (folder / "ranking.tsv").read_bytes() == before
    assert SAID in run(*ask)[2]


@pytest.mark.parametrize("noted", [True, False])
def test_a_model_with_other_parameters_is_refused_and_fitted_again(run, edges, tmp_path, noted):
    ask = ["predict", edges, "--model", "katz", "-o", f"{tmp_path / 'run'}/", "--set", "beta=0.01"]
    run(*ask)
    folder = tmp_path / "run"
    if not noted:
        facts = {k: v for k, v in manifest(folder).items() if k != "model_sha256"}
        (folder / "manifest.json").write_text(json.dumps(facts))
    lp.make("katz", beta=0.002).fit(edges).save(folder / "model")
    with pytest.raises(StoreError, match="other parameters"):
        lp.load_run(folder)
    assert SAID not in run(*ask)[2]
    assert lp.load_run(folder).model.get_params()["beta"] == 0.01


def test_the_same_model_that_learned_otherwise_is_recognised_by_its_checksum(
    run, ask, edges, folder
):
    """As auto does with --history, which is not kept with the model."""
    facts, arrays = store.read_model(folder / "model")
    store.write_model(folder / "model", facts | {"facts": {"from": "elsewhere"}}, arrays)
    with pytest.raises(StoreError, match="saved there later"):
        lp.load_run(folder)
    assert SAID not in run(*ask)[2]


@pytest.mark.parametrize(
    "name",
    [
        pytest.param("auto", marks=pytest.mark.at_length),
        *("degree:l3", "consensus:pu", "degree:consensus:pu", "pu"),
    ],
)
def test_a_model_by_any_name_is_taken_up(run, edges, tmp_path, name):
    ask = ["predict", edges, "--model", name, "--top", 3, "-o", f"{tmp_path / 'run'}/"]
    assert run(*ask)[0] == 0
    assert lp.load_run(tmp_path / "run").model.name == name
    assert SAID in run(*ask)[2]


def test_every_model_is_called_what_it_is_asked_for_by():
    wrapped = [f"{kind}:{base}" for kind in registry.WRAPPERS for base in ("l3", "pu")]
    assert all(registry.find(name).name == name for name in [*registry.MODELS, *wrapped])


def test_given_degrees_are_parameters_like_others(planted, tmp_path):
    model = lp.make("degree:l3", degrees=planted.degrees + 1).fit(planted)
    model.save(tmp_path / "model")
    request = {"model": "degree:l3", "parameters": model.get_params()}
    kept = lp.load(tmp_path / "model")
    assert difference(kept, tmp_path / "model", {"request": request}) is None


@pytest.mark.filterwarnings("ignore:auto. exercises is now holdouts:DeprecationWarning")
def test_a_run_whose_parameters_had_former_names_is_read_and_resumed(run, edges, tmp_path):
    folder = tmp_path / "run"
    ask = ["predict", edges, "--model", "auto", "--effort", "fast", "--top", 3, "-o", f"{folder}/"]
    assert run(*ask, "--set", "holdouts=2")[0] == 0

    request = manifest(folder)["request"]
    request["parameters"]["exercises"] = request["parameters"].pop("holdouts")
    change(folder, request=request)
    assert lp.load_run(folder).model.get_params()["holdouts"] == 2
    status, _, err = run(*ask, "--set", "exercises=2")
    assert status == 0
    assert SAID in err
