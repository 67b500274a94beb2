"""The model in a run folder: one that is not the run's is refused, and fitted again."""

import json

import pytest

import linkprior as lp
from linkprior.errors import StoreError
from linkprior.io import store
from linkprior.pipeline.run_folder import difference
from linkprior.predictors import registry

SAID = "Taking up the"


def manifest(folder):
    return json.loads((folder / "manifest.json").read_text())


def another(edges, what):
    """A fitted model that is not the one of the run."""
    if what == "name":
        return lp.make("pa").fit(edges)
    return lp.make("l3").fit(lp.planted_network(seed=5))


@pytest.mark.parametrize("noted", [True, False])
@pytest.mark.parametrize("what", ["name", "network"])
def test_a_model_of_something_else_is_refused_and_fitted_again(
    run, ask, edges, folder, what, noted
):
    before = (folder / "ranking.tsv").read_bytes()
    if not noted:  # as in runs that were written before model_sha256
        facts = manifest(folder)
        del facts["model_sha256"]
        (folder / "manifest.json").write_text(json.dumps(facts))
        assert lp.load_run(folder).model.name == "l3"
    another(edges, what).save(folder / "model")
    with pytest.raises(StoreError, match="is not the model of this run"):
        lp.load_run(folder)
    status, _, err = run(*ask)
    assert status == 0
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


def test_the_same_model_that_learned_otherwise_is_told_by_its_checksum(run, ask, edges, folder):
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
