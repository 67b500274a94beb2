"""Evaluation: rows, means and spreads of its cells."""

import csv
import json
import math

import numpy as np
import pytest
from tests.evaluation.support import made, same_number

import linkprior as lp
from linkprior.errors import ParameterError, StoreError
from linkprior.evaluation import results
from linkprior.evaluation.results import FILES, read_results, write_results

NUMBERS = {
    "l3": {"auprc": [0.1, 0.4, 0.7], "auprc_low": [math.nan, 0.2, 0.3]},
    "pa": {"auprc": [0.3, 0.3, 0.3], "auprc_low": [math.nan] * 3},
}


@pytest.fixture
def judged():
    return made(NUMBERS, {"auprc": [0.01, 0.02, 0.03]}, protocol="uniform:0.9", seed=4)


def test_names_come_in_the_order_given(judged):
    assert judged.models == ["l3", "pa"]
    assert judged.metrics == ["auprc", "auprc_low"]
    assert judged.splits == ["split 0", "split 1", "split 2"]


def test_mean_and_sd_are_over_the_splits_that_have_a_value(judged):
    assert judged.mean("l3", "auprc") == pytest.approx(0.4)
    assert judged.sd("l3", "auprc") == pytest.approx(np.std([0.1, 0.4, 0.7], ddof=1))
    assert judged.mean("l3", "auprc_low") == pytest.approx(0.25)
    assert judged.sd("l3", "auprc_low") == pytest.approx(np.std([0.2, 0.3], ddof=1))
    assert judged.sd("pa", "auprc") == 0.0
    assert math.isnan(judged.mean("pa", "auprc_low"))
    assert math.isnan(made({"a": {"x": [1.0]}}).sd("a", "x"))


def test_the_random_baseline_is_a_model_that_is_not_listed(judged):
    assert judged.values("random baseline", "auprc") == [0.01, 0.02, 0.03]
    assert judged.mean("chance", "auprc") == pytest.approx(0.02)


@pytest.mark.parametrize(
    ("model", "metric"), [("tri", "auprc"), ("l3", "luck"), ("chance", "luck")]
)
def test_what_was_not_measured_is_named(judged, model, metric):
    with pytest.raises(
        ParameterError, match=f"no result for model '{model}' and metric '{metric}'"
    ):
        judged.mean(model, metric)


def test_it_shows_itself_shortly_as_text_and_as_a_page(judged):
    assert repr(judged) == "<Evaluation models: l3, pa; splits: 3; protocol: uniform:0.9; seed: 4>"
    assert str(judged).splitlines()[0].split() == ["model", "auprc"]
    page = judged._repr_html_()
    assert "mean over 3 splits" in page
    assert "random baseline" in page
    assert "nan" not in page


# ---------------------------------------------------------------------- writing


@pytest.fixture(scope="module")
def judged_writing(planted):
    return lp.evaluate(["l3", "pa"], planted, "uniform:0.8", repeats=2, seed=5)


@pytest.fixture(scope="module")
def folder(judged_writing, tmp_path_factory):
    place = tmp_path_factory.mktemp("evaluation") / "new" / "results"
    written = write_results(judged_writing, place, command=["linkprior", "evaluate", "x.tsv"])
    assert sorted(path.name for path in written) == sorted(FILES)
    assert sorted(path.name for path in place.iterdir()) == sorted(FILES)
    return place


def test_the_table_of_results_has_one_row_per_number(judged_writing, folder):
    with (folder / "results.tsv").open(newline="") as stream:
        head, *rows = csv.reader(stream, delimiter="\t")
    assert head == ["model", "split", "metric", "value"]
    assert len(rows) == 2 * 2 * len(judged_writing.metrics)
    for row, (*named, value) in zip(rows, judged_writing.rows, strict=True):
        assert row[:3] == named
        assert same_number(float(row[3]) if row[3] else math.nan, value)


def test_the_json_tells_data_versions_command_and_parameters(judged_writing, folder, planted):
    content = json.loads((folder / "results.json").read_text())
    assert content["linkprior"] == content["versions"]["linkprior"] == lp.__version__
    assert content["command"] == ["linkprior", "evaluate", "x.tsv"]
    assert content["network"]["digest"] == planted.digest
    asked = [content[name] for name in ("protocol", "rule", "seed")]
    assert asked == ["uniform:0.8", "connected", 5]
    assert len(content["results"]) == len(judged_writing.rows)
    assert {(cell["model"], cell["split"]) for cell in content["cells"]} == {
        (cell.model, cell.split) for cell in judged_writing.cells
    }
    assert {row["model"] for row in content["chance"]} == {"chance"}


def test_what_was_read_back_is_the_same_and_writes_the_same_bytes(judged_writing, folder, tmp_path):
    again = read_results(folder)
    assert str(again) == str(judged_writing)
    assert [c.curve for c in again.baseline] == [c.curve for c in judged_writing.baseline]
    for path in write_results(again, tmp_path, command=["linkprior", "evaluate", "x.tsv"]):
        assert path.read_bytes() == (folder / path.name).read_bytes(), path.name


def test_a_value_that_could_not_be_measured_is_empty_and_null(tmp_path):
    judged_writing = made({"a": {"auprc": [0.1, 0.2], "auprc_low": [math.nan, 0.5]}})
    written = {path.name for path in write_results(judged_writing, tmp_path)}
    assert "a\tsplit 0\tauprc_low\t\n" in (tmp_path / "results.tsv").read_text()
    text = (tmp_path / "results.json").read_text()
    assert "NaN" not in text
    values = [row["value"] for row in json.loads(text)["results"]]
    assert values == [0.1, None, 0.2, 0.5]
    assert math.isnan(read_results(tmp_path).values("a", "auprc_low")[0])
    assert not any(name.endswith((".png", ".svg")) for name in written)  # no curves to draw


def test_long_parameters_are_reported_by_their_digest(planted, tmp_path):
    degrees = planted.degrees.tolist()
    small = {"n_starts": 1, "max_iter": 2, "warmup": 2}
    judged_writing = lp.evaluate([lp.make("tri-degree", degrees=degrees, **small)], planted)
    write_results(judged_writing, tmp_path)
    (cell,) = json.loads((tmp_path / "results.json").read_text())["cells"]
    assert cell["params"]["degrees"].startswith(f"{len(degrees)} items, sha256 ")
    assert cell["params"]["n_starts"] == 1


def test_names_of_any_script_survive(tmp_path):
    judged_writing = made({'täb\t"quote"': {"auprc": [0.5]}}, protocol="release:ß.tsv")
    write_results(judged_writing, tmp_path)
    assert read_results(tmp_path).models == ['täb\t"quote"']
    assert read_results(tmp_path).facts["protocol"] == "release:ß.tsv"


def test_an_interruption_leaves_no_results_that_look_whole(judged_writing, tmp_path, monkeypatch):
    def stop(*_):
        raise KeyboardInterrupt

    monkeypatch.setitem(results._FIGURES, "precision_recall", stop)
    with pytest.raises(KeyboardInterrupt):
        write_results(judged_writing, tmp_path)
    assert not any(path.name.endswith(".part") for path in tmp_path.iterdir())
    with pytest.raises(StoreError, match=r"holds no results\.json"):
        read_results(tmp_path)


@pytest.mark.parametrize(
    "content",
    [
        *("", "{", "[]", "{}"),
        '{"cells": 3, "results": [], "chance": []}',
        '{"cells": [{"model": "a", "split": "b", "params": {}}], "results": [], "chance": []}',
        '{"cells": [], "results": [{"model": "a"}], "chance": []}',
        '{"cells": [], "results": ["x"], "chance": []}',
    ],
)
def test_damaged_results_are_refused_in_one_line(tmp_path, content):
    (tmp_path / "results.json").write_text(content)
    with pytest.raises(StoreError, match="results.json") as refused:
        read_results(tmp_path)
    assert "\n" not in str(refused.value)


def test_the_model_compared_with_is_the_one_asked_for(judged_writing, tmp_path):
    judged_writing.write(tmp_path, against="pa")
    assert "against pa" in (tmp_path / "table.md").read_text()
    assert "against pa" in (tmp_path / "table.tex").read_text()
    with pytest.raises(lp.LinkpriorError, match="no model called 'pq'"):
        judged_writing.write(tmp_path / "other", against="pq")
    assert not (tmp_path / "other").exists()
