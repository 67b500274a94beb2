"""Run folders and models whose checksums vouch for what they should not: refused in one line."""

import json

import pytest

import linkprior as lp
from linkprior.errors import StoreError
from linkprior.io import store
from linkprior.pipeline.run_folder import RunFolder, file_digest
from linkprior.predictors.evidence import with_evidence


@pytest.mark.parametrize("folder", [None, 3, ""])
def test_a_model_is_saved_to_a_path(planted, folder):
    with pytest.raises(lp.LinkpriorError, match="folder must be the path of a folder"):
        lp.make("pa").fit(planted).save(folder)


def whole_run(network, folder):
    """A finished run, written as the command does."""
    model = lp.make("pa").fit(network)
    run = RunFolder.open(folder, {}, {})
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
    facts = json.loads((folder / "manifest.json").read_text())
    facts["files"][name] = file_digest(folder / name)
    (folder / "manifest.json").write_text(json.dumps(facts))


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
