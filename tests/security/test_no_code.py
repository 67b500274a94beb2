"""No file can make linkprior run code: watched by an audit hook, attacked with pickles."""

import json
import pickle
import re
import zipfile
from pathlib import Path

import numpy as np
import pytest
from tests.io.files import problem
from tests.security import samples

import linkprior as lp
from linkprior.errors import StoreError
from linkprior.io.formats import FORMATS, format_of
from linkprior.io.source import open_source

ROOT = Path(__file__).resolve().parents[2]


class Attack:
    """Unpickled, it makes a file."""

    def __init__(self, trace):
        self.trace = str(trace)

    def __reduce__(self):
        return Path.touch, (Path(self.trace),)


def attacks(folder, trace):
    """Write pickles in every place a loader might look for arrays or settings."""
    folder.mkdir()
    payload = pickle.dumps(Attack(trace))
    (folder / "plain.pkl").write_bytes(payload)
    (folder / "named.npz").write_bytes(payload)
    objects = np.array([Attack(trace)], dtype=object)
    np.savez(folder / "objects.npz", format="coo", shape=[2, 2], row=[0], col=[1], data=objects)
    np.savez(folder / "format.npz", format=objects, shape=[2, 2], row=[0], col=[1], data=[1])
    with zipfile.ZipFile(folder / "raw.npz", "w") as archive:
        for name in ("format", "shape", "row", "col", "data"):
            archive.writestr(f"{name}.npy", payload)
    model = folder / "model"
    lp.make("cn").fit(lp.planted_network(n_nodes=20, seed=1)).save(model)
    (model / "arrays.safetensors").write_bytes(payload)
    return folder


@pytest.fixture(scope="module")
def watched(tmp_path_factory, results):
    """What the hook noted while everything was loaded, and whether an attack left its trace."""
    home = tmp_path_factory.mktemp("watched")
    samples.write_inputs(home / "inputs")
    folders = [home / "inputs", attacks(home / "attacks", home / "trace"), *results]
    told = samples.run_module("tests.security.load_under_audit", *folders)
    return json.loads(told), home / "trace"


def test_every_format_has_a_sample_that_is_recognised_by_its_content(tmp_path):
    assert set(samples.FILES) == set(FORMATS)
    for kind, paths in samples.write_inputs(tmp_path / "inputs").items():
        for path in paths:
            with open_source(path) as source:
                assert format_of(source) == kind, path
            assert lp.read_network(path).n_edges == 1


def test_loading_runs_no_code_and_reaches_for_nothing(watched):
    seen, trace = watched
    assert seen["noted"] == []
    assert seen["loaded"] >= 12 * 5 + 3 + 2
    assert seen["refused"] == 6
    assert not trace.exists()


def test_the_attacks_work_on_whoever_unpickles(tmp_path):
    """Else that no file appeared would mean nothing."""
    attacks(tmp_path / "attacks", tmp_path / "trace")
    np.load(tmp_path / "attacks" / "objects.npz", allow_pickle=True)["data"]
    assert (tmp_path / "trace").exists()


def test_the_hook_sees_what_it_is_there_for():
    from tests.security import load_under_audit as audit

    assert not audit.noted
    audit.awake = True
    try:
        audit.hook("pickle.find_class", ("os", "system"))
        audit.hook("ctypes.dlopen", ("evil.so",))
        audit.hook("open", ("x", "rb", 0))
        audit.hook("open", ("x", "w", 0))
        audit.hook("compile", (b"1", "<unknown>"))
        audit.hook("compile", (b"1", "<string>"))
        seen = [entry.split()[0] for entry in audit.noted]
        assert seen == ["pickle.find_class", "ctypes.dlopen", "open", "compile"]
    finally:
        audit.awake = False
        audit.noted.clear()


def test_pickled_matrices_are_refused_by_name(tmp_path):
    folder = attacks(tmp_path / "attacks", tmp_path / "trace")
    for name in ("objects.npz", "format.npz"):
        told = problem(tmp_path, name, (folder / name).read_bytes())
        assert "holds Python objects, which are never loaded" in told
    with pytest.raises(StoreError, match="is damaged: its checksum differs"):
        lp.load(folder / "model")
    assert not (tmp_path / "trace").exists()


@pytest.mark.parametrize("name", ["os.system", "linkprior.cli:main", "../tri", "__import__", ""])
def test_a_saved_model_names_no_code(tmp_path, name):
    """Only models of the table are made, also where the checksums fit."""
    from linkprior.io import store

    net = lp.planted_network(n_nodes=20, seed=1)
    lp.make("cn").fit(net).save(tmp_path / "model")
    manifest, arrays = store.read_model(tmp_path / "model")
    store.write_model(tmp_path / "other", {**manifest, "model": name}, arrays)
    with pytest.raises(StoreError, match="other"):
        lp.load(tmp_path / "other")


def test_pickle_and_eval_are_nowhere_but_between_the_processes_of_a_cluster():
    """What dask sends between its own processes is code by nature; no file goes that way."""
    asked = re.compile(
        r"^\s*(import|from) (pickle|marshal|shelve|dill|joblib|cloudpickle|yaml)\b"
        r"|(?<![.\w])(eval|exec|compile|__import__)\(|allow_pickle=True|os\.system|shell=True",
        re.MULTILINE,
    )
    sources = sorted((ROOT / "src").rglob("*.py"))
    found = {path.name for path in sources if asked.search(path.read_text(encoding="utf-8"))}
    assert found == {"dask.py"}
