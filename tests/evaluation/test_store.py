"""Finished cells are kept, known again, and never taken for others."""

import json
import os

import numpy as np
import pytest
from tests.evaluation.support import evaluated  # noqa: F401 – a fixture

import linkprior as lp
from linkprior.errors import StoreError
from linkprior.evaluation.splits import read_split, split_digest, uniform
from linkprior.evaluation.store import slug
from linkprior.predictors.registry import make


def cell_files(folder):
    return sorted(path.name for path in (folder / "cells").iterdir())


def test_a_second_run_computes_nothing_and_says_the_same(tmp_path, planted, evaluated):  # noqa: F811
    asked = {"models": ["pa", "l3"], "net": planted, "repeats": 2, "folder": tmp_path}
    first = lp.evaluate(**asked)
    assert len(evaluated) == 4
    again = lp.evaluate(**asked)
    assert len(evaluated) == 4
    assert first.models == again.models
    for one, other in zip(first.cells, again.cells, strict=True):
        np.testing.assert_equal(dict(one.values), dict(other.values))
        assert one.curve == other.curve
        assert one.params == other.params


def test_what_was_stopped_goes_on_with_the_next_cell(tmp_path, planted, evaluated):  # noqa: F811
    asked = {"models": ["pa", "l3"], "net": planted, "repeats": 2, "folder": tmp_path}
    evaluated.limit = 3
    with pytest.raises(KeyboardInterrupt):
        lp.evaluate(**asked)
    assert len(cell_files(tmp_path)) == 3
    evaluated.limit = None
    result = lp.evaluate(**asked)
    assert len(evaluated) == 4
    whole = lp.evaluate(["pa", "l3"], planted, repeats=2)
    assert [row[:3] for row in result.rows] == [row[:3] for row in whole.rows]


def test_other_parameters_split_or_rule_are_other_cells(tmp_path, planted, evaluated):  # noqa: F811
    lp.evaluate([make("tri", n_starts=1, max_iter=2)], planted, folder=tmp_path)
    lp.evaluate([make("tri", n_starts=1, max_iter=3)], planted, folder=tmp_path)
    lp.evaluate([make("tri", n_starts=1, max_iter=3)], planted, seed=1, folder=tmp_path)
    sparse_rule = {"rule": "all-nodes", "seed": 1, "folder": tmp_path}
    lp.evaluate([make("tri", n_starts=1, max_iter=3)], planted, **sparse_rule)
    assert len(evaluated) == 4


def test_another_version_makes_its_cells_again(tmp_path, planted, evaluated):  # noqa: F811
    lp.evaluate("pa", planted, folder=tmp_path)
    (path,) = (tmp_path / "cells").iterdir()
    content = json.loads(path.read_text())
    path.write_text(json.dumps({**content, "linkprior": "0.0.0"}))
    lp.evaluate("pa", planted, folder=tmp_path)
    assert len(evaluated) == 2


def test_a_folder_of_other_data_is_refused_with_both_digests(tmp_path, planted, evaluated):  # noqa: F811
    lp.evaluate("pa", planted, folder=tmp_path)
    other = lp.planted_network(n_nodes=60, seed=5)
    with pytest.raises(StoreError) as caught:
        lp.evaluate("pa", other, folder=tmp_path)
    assert planted.digest[:12] in str(caught.value)
    assert other.digest[:12] in str(caught.value)
    assert evaluated.labels == ["pa"]


def spoilt(change):
    def text(cell):
        content = json.loads(cell)
        change(content)
        return json.dumps(content)

    return text


@pytest.mark.parametrize(
    "spoil",
    [
        *(lambda _, text=text: text for text in ("", "{", "[]", "[" * 100_000, "\x00")),
        spoilt(lambda cell: cell.pop("values")),
        spoilt(lambda cell: cell.pop("split")),
        spoilt(lambda cell: cell.pop("curve")),
        spoilt(lambda cell: cell["values"].pop("auprc")),
        spoilt(lambda cell: cell["values"].update(auprc=1.5)),
        spoilt(lambda cell: cell["values"].update(auprc="high")),
        spoilt(lambda cell: cell.update(values=[1])),
        spoilt(lambda cell: cell.update(tuned=[1])),
        spoilt(lambda cell: cell.update(curve={})),
        spoilt(lambda cell: cell["curve"].update(found=[])),
    ],
)
def test_cells_that_are_not_whole_are_named(tmp_path, planted, spoil):
    lp.evaluate("pa", planted, folder=tmp_path)
    (path,) = (tmp_path / "cells").iterdir()
    path.write_text(spoil(path.read_text()))
    with pytest.raises(StoreError, match=r"pa--uniform.*remove it and run again"):
        lp.evaluate("pa", planted, folder=tmp_path)


def test_splits_are_published_once_and_whole(tmp_path, planted):
    lp.evaluate("pa", planted, "kfold:3", folder=tmp_path)
    files = sorted((tmp_path / "splits").iterdir())
    assert [path.name for path in files] == [f"kfold-3-fold-{n}-seed-0.tsv" for n in range(3)]
    before = [path.stat().st_mtime_ns for path in files]
    lp.evaluate("l3", planted, "kfold:3", folder=tmp_path)
    assert [path.stat().st_mtime_ns for path in files] == before


def test_labels_that_read_alike_have_files_of_their_own():
    labels = ["tri(rank=2)", "tri(rank=2.)", "tri rank 2", "tri(rank: 2)", "a/b", "a b"]
    names = [slug(label) for label in labels]
    assert len(set(names)) == len(labels)
    assert all(name and "/" not in name and not name.startswith(".") for name in names)


def test_unmeasured_numbers_survive_as_nan(tmp_path):
    ring = lp.Network.from_edges([(i, (i + 1) % 30) for i in range(30)])
    asked = {"models": "pa", "net": ring, "protocol": "uniform:0.8", "folder": tmp_path}
    first, again = lp.evaluate(**asked), lp.evaluate(**asked)
    assert np.isnan(first.cells[0].values["recall@10/node:21+"])
    assert np.isnan(again.cells[0].values["recall@10/node:21+"])
    text = (tmp_path / "cells" / cell_files(tmp_path)[0]).read_text()
    assert "NaN" not in text
    assert uniform(ring, 0.8).label == again.cells[0].split


@pytest.mark.at_length
def test_arrays_are_known_by_all_their_numbers(tmp_path, evaluated):  # noqa: F811
    """NumPy writes a long array with dots in its middle."""
    net = lp.planted_network(n_nodes=1100, mean_degree=3, seed=1)
    quick = {"n_starts": 1, "max_iter": 1, "warmup": 1, "rank": 1}
    for middle in (3, 4):
        degrees = np.full(net.n_nodes, 2)
        degrees[net.n_nodes // 2] = middle
        model = make("tri-degree", degrees=degrees, **quick)
        lp.evaluate([model], net, folder=tmp_path)
    assert len(evaluated) == 2


def test_the_published_split_is_the_one_evaluated(tmp_path):
    sparse = lp.planted_network(n_nodes=80, n_groups=2, mean_degree=2, hubs=1.3, seed=1)
    for rule in ("connected", "all-nodes", "connected"):
        lp.evaluate("pa", sparse, "uniform:0.7", rule, folder=tmp_path)
        (path,) = (tmp_path / "splits").iterdir()
        judged_on = uniform(sparse, 0.7, 0, rule)
        assert split_digest(read_split(path, sparse)) == split_digest(judged_on)


def test_a_split_from_a_file_brings_its_rule(tmp_path, planted):
    lp.evaluate("pa", planted, "uniform:0.7", "all-nodes", folder=tmp_path)
    (path,) = (tmp_path / "splits").iterdir()
    again = lp.evaluate("pa", planted, f"split:{path}")
    assert again.facts["rule"] == "all-nodes"


def test_an_evaluation_leaves_a_study_in_the_same_folder_alone(tmp_path, planted):
    asked = {"trials": 2, "inner": 1, "study": tmp_path}
    lp.tune("katz", planted, **asked)
    lp.evaluate("pa", planted, folder=tmp_path)
    assert len(lp.tune("katz", planted, **asked).trials) == 2


def test_cells_of_before_are_read(tmp_path, planted, evaluated):  # noqa: F811
    """They held a key and, inside, a cell."""
    asked = {"models": "katz", "net": planted, "tune": 2, "folder": tmp_path}
    first = lp.evaluate(**asked)
    (path,) = (tmp_path / "cells").iterdir()
    cell = json.loads(path.read_text())
    key = {"params": cell["params"], "label": "katz", "tune": 2, **cell["search"]}
    inner = {name: cell[name] for name in ("model", "split", "values", "curve")}
    old = {"key": key, "split": cell["digest"], "linkprior": cell["linkprior"]}
    path.write_text(json.dumps({**old, "cell": {**inner, "params": cell["tuned"]}}))
    again = lp.evaluate(**asked)
    assert evaluated.labels == ["katz"]
    assert again.cells[0].params == first.cells[0].params
    np.testing.assert_equal(dict(again.cells[0].values), dict(first.cells[0].values))


def test_a_file_in_the_place_of_the_cells(tmp_path, planted):
    (tmp_path / "cells").write_text("")
    with pytest.raises(StoreError, match="cells is a file"):
        lp.evaluate("pa", planted, folder=tmp_path)


def test_a_file_of_somebody_else_is_not_replaced_by_a_split(tmp_path, planted, evaluated):  # noqa: F811
    path = tmp_path / "splits" / "uniform-0.9-seed-0.tsv"
    path.parent.mkdir()
    path.write_text("my own")
    with pytest.raises(
        StoreError, match=r"seed-0\.tsv is not a split written by linkprior.* move it"
    ):
        lp.evaluate("pa", planted, folder=tmp_path)
    assert (path.read_text(), evaluated) == ("my own", [])
    path.write_text("# linkprior split {")  # ours, and damaged
    lp.evaluate("pa", planted, folder=tmp_path)
    assert read_split(path, planted).label == "uniform:0.9 seed 0"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes with names here")
def test_a_pipe_in_the_place_of_a_split_is_refused(tmp_path):
    sparse = lp.planted_network(n_nodes=80, n_groups=2, mean_degree=2, hubs=1.3, seed=1)
    lp.evaluate(["pa"], sparse, folder=tmp_path)
    (split,) = (tmp_path / "splits").iterdir()
    split.unlink()
    os.mkfifo(split)
    with pytest.raises(StoreError, match="is not a plain file"):
        lp.evaluate(["pa"], sparse, folder=tmp_path)
