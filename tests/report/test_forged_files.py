"""Pages of folders whose files hold what no command writes: one line of ours, or a page."""

import json
import warnings

import pytest
from tests.benchmark.made_up import cell

import linkprior as lp
from linkprior.errors import StoreError
from linkprior.evaluation.store import read_cell
from linkprior.evaluation.tuning.search import trial_from
from linkprior.experiments.results import Results, ranks_of
from linkprior.report.benchmark import benchmark_page
from linkprior.report.prediction import prediction_page

NOTED = {"setting": 3, "params": {"rank": 4}, "scores": [0.5, None], "note": ""}


@pytest.mark.parametrize("name", ["trials", "threads", "hidden"])
def test_a_cell_with_a_number_without_end_is_not_whole(tmp_path, name):
    path = tmp_path / "cell.json"
    path.write_text(json.dumps(cell("USAir", "pa", 0, 0.1) | {name: 1}))
    assert read_cell(path)[name] == 1
    path.write_text(path.read_text().replace(f'"{name}": 1', f'"{name}": 1e999'))
    with pytest.raises(StoreError, match="does not hold a complete result"):
        read_cell(path)


def test_models_that_share_no_split_have_no_ranks_and_still_a_page():
    results = Results([cell("USAir", "pa", 0, 0.1), cell("USAir", "l3", 1, 0.2)])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert ranks_of(results, "auprc").means == {}
        page = benchmark_page(results)
    assert [part["id"] for part in page["parts"]] == ["ranks", "measures", "more"]


def test_a_trial_is_numbered_by_a_whole_number():
    assert trial_from(NOTED, "complete").number == 3
    with pytest.raises(ValueError, match="whole number"):
        trial_from(NOTED | {"setting": float("inf")}, "complete")


@pytest.mark.parametrize(("notes", "lines"), [(["a", 1], ["a", "1"]), (-1, []), (None, [])])
def test_notes_that_are_no_list_are_none(notes, lines):
    model = lp.make("cn").fit(lp.planted_network(20, mean_degree=4.0))
    page = prediction_page(model, model.predict_edges(3), {"notes": notes})
    assert page["network"]["notes"] == lines
