"""Models of other installed packages: found everywhere, and harmless where they are broken."""

import os
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import linkprior as lp
from linkprior.errors import ParameterError, StoreError
from linkprior.predictors import registry

PLUGIN = Path(__file__).resolve().parents[2] / "examples" / "plugin"


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """A folder of packages with examples/plugin installed in it."""
    pytest.importorskip("hatchling", reason="needed to build the example package")
    folder = tmp_path_factory.mktemp("site")
    options = ("--no-deps", "--no-build-isolation", "--no-index", "--quiet", "--no-compile")
    command = [sys.executable, "-m", "pip", "install", *options, "--target", folder, PLUGIN]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture
def installed(site, monkeypatch):
    monkeypatch.syspath_prepend(site)


@pytest.fixture
def offering(tmp_path, monkeypatch):
    """Return a function that puts a package on the path which offers an entry point."""

    def offer(package, name, value, source=""):
        about = tmp_path / f"{package}-1.0.dist-info"
        about.mkdir()
        (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
        (about / "entry_points.txt").write_text(f"[linkprior.predictors]\n{name} = {value}\n")
        if source:
            (tmp_path / f"{value.partition(':')[0]}.py").write_text(source)

    monkeypatch.syspath_prepend(tmp_path)
    return offer


def test_a_model_of_another_package_is_a_model_like_any_other(installed, tmp_path):
    net = lp.planted_network(60, seed=0)
    row = next(row for row in lp.models() if row.name == "hub-promoted")
    assert row.package == "linkprior-hub-promoted"
    assert row.summary.startswith("Shared neighbours as a share")
    model = lp.make("hub-promoted", shrink=2.0).fit(net)
    model.save(tmp_path / "model")
    again = lp.load(tmp_path / "model")
    assert again.shrink == 2.0
    assert again.predict_edges(20).names == model.predict_edges(20).names
    table = lp.evaluate(["hub-promoted", "cn"], net).to_frame()
    assert set(table["model"]) == {"hub-promoted", "cn"}
    assert set(lp.tune("hub-promoted", net, trials=3).best_params) == {"shrink"}
    assert len(lp.make("degree:hub-promoted").fit(net).predict_edges(5)) == 5


def test_the_command_line_finds_it(site, edges):
    def run(*arguments):
        path = os.pathsep.join(map(str, [site, Path(lp.__file__).parents[1]]))
        command = [sys.executable, "-m", "linkprior", *map(str, arguments)]
        env = {**os.environ, "PYTHONPATH": path}
        return subprocess.run(command, capture_output=True, text=True, env=env, check=True).stdout

    assert "hub-promoted" in run("models")
    assert "shrink" in run("models", "hub-promoted")
    lines = run("predict", edges, "--model", "hub-promoted", "--top", "3").splitlines()
    assert len(lines) == 4


@pytest.mark.parametrize(
    ("value", "source", "message"),
    [
        ("nowhere_at_all:Model", "", "cannot be imported .*ModuleNotFoundError"),
        ("raises:Model", "1 / 0", "cannot be imported .*ZeroDivisionError"),
        ("plain:Model", "class Model: pass", "is no subclass of linkprior.LinkPredictor"),
        ("plain2:Model", "Model = 3", "is no subclass of linkprior.LinkPredictor"),
        (
            "other:Model",
            "from linkprior.predictors.local import CommonNeighbours as Model",
            "calls itself 'cn'",
        ),
    ],
)
def test_a_broken_package_is_named_and_harms_no_other_model(offering, value, source, message):
    offering("bad-models", "their-model", value, source)
    with pytest.raises(ParameterError, match=f"'their-model' of the package bad-models.*{message}"):
        lp.make("their-model")
    rows = {row.name: row for row in lp.models()}
    assert rows["their-model"].summary.startswith("cannot be used: ")
    assert rows["l3"].package == "linkprior"
    assert type(lp.make("l3")).__name__ == "L3"


def test_a_built_in_model_keeps_its_name(offering):
    offering("bad-models", "l3", "plain3:Model", "class Model: pass")
    assert type(lp.make("l3")).__name__ == "L3"
    (row,) = [row for row in lp.models() if row.package == "bad-models"]
    assert "needs another name" in row.summary
    assert registry.names().count("l3") == 1


def test_two_packages_with_one_name_are_both_refused(offering):
    offering("first-models", "their-model", "a_module:Model")
    offering("second-models", "their-model", "b_module:Model")
    with pytest.raises(ParameterError, match="several packages, first-models, second-models"):
        lp.make("their-model")


def test_a_saved_model_whose_package_is_gone_is_named(site, monkeypatch, tmp_path):
    with monkeypatch.context() as there:
        there.syspath_prepend(site)
        lp.make("hub-promoted").fit(lp.planted_network(20, seed=0)).save(tmp_path / "model")
    with pytest.raises(StoreError, match="no model is called 'hub-promoted'"):
        lp.load(tmp_path / "model")


def test_every_class_that_declares_a_name_is_a_model():
    """The registry reads files by a pattern: a class written otherwise would be found by no one."""
    folder = Path(registry.__file__).parent
    modules = [import_module(f"linkprior.predictors.{path.stem}") for path in folder.glob("*.py")]
    modules.append(import_module("linkprior.predictors.auto.auto"))
    classes = [
        (f"{module.__name__.removeprefix('linkprior.predictors.')}:{cls.__name__}", cls)
        for module in modules
        for cls in vars(module).values()
        if isinstance(cls, type) and issubclass(cls, lp.LinkPredictor)
        if cls.__module__ == module.__name__
    ]
    named = {vars(cls)["name"]: place for place, cls in classes if vars(cls).get("name")}
    kinds = {vars(cls)["kind"]: place for place, cls in classes if vars(cls).get("kind")}
    assert (named, kinds) == (registry.MODELS, registry.WRAPPERS)
