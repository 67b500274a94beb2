"""Evaluation: rows, means and spreads of its cells."""

import math

import numpy as np
import pytest
from tests.evaluation.made import made

from linkprior.errors import ParameterError

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


def test_the_frame_has_the_rows_and_no_chance(judged):
    frame = judged.to_frame()
    assert list(frame.columns) == ["model", "split", "metric", "value"]
    assert len(frame) == 2 * 3 * 2
    assert set(frame["model"]) == {"l3", "pa"}
    chosen = frame[(frame["model"] == "l3") & (frame["metric"] == "auprc")]
    assert chosen["value"].tolist() == [0.1, 0.4, 0.7]


def test_mean_and_sd_are_over_the_splits_that_have_a_value(judged):
    assert judged.mean("l3", "auprc") == pytest.approx(0.4)
    assert judged.sd("l3", "auprc") == pytest.approx(np.std([0.1, 0.4, 0.7], ddof=1))
    assert judged.mean("l3", "auprc_low") == pytest.approx(0.25)
    assert judged.sd("l3", "auprc_low") == pytest.approx(np.std([0.2, 0.3], ddof=1))
    assert judged.sd("pa", "auprc") == 0.0
    assert math.isnan(judged.mean("pa", "auprc_low"))
    assert math.isnan(made({"a": {"x": [1.0]}}).sd("a", "x"))


def test_chance_is_a_model_that_is_not_listed(judged):
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
