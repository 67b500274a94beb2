"""Data of pages: where nodes are drawn, and folders whose files hold what no command writes."""

import json
import warnings

import numpy as np
import pytest
from tests.benchmark.made_up import cell

import linkprior as lp
from linkprior.errors import StoreError
from linkprior.evaluation.store import read_cell
from linkprior.evaluation.tuning.search import trial_from
from linkprior.experiments.results import Results, ranks_of
from linkprior.predictors.evidence import with_evidence
from linkprior.report.experiments import benchmark_page
from linkprior.report.page import as_json
from linkprior.report.prediction import (
    BESIDE,
    MOST_PLACED,
    graph_data,
    neighbourhood_of,
    place_nodes,
    prediction_page,
)

NOTED = {"setting": 3, "params": {"rank": 4}, "scores": [0.5, None], "note": ""}


def test_linked_nodes_stand_nearer_than_others_and_places_are_the_same_again():
    ring = np.array([(i, (i + 1) % 30) for i in range(30)])
    at = place_nodes(30, ring)
    assert at.tolist() == place_nodes(30, ring).tolist()
    assert (at >= 0).all()
    assert (at <= 1).all()
    apart = np.linalg.norm(at[:, None] - at[None], axis=2)
    linked = np.mean([apart[i, j] for i, j in ring])
    assert linked < 0.5 * apart[np.triu_indices(30, 1)].mean()


@pytest.mark.parametrize("n", [0, 1, 2])
def test_the_smallest_networks_have_places(n):
    assert np.isfinite(place_nodes(n, np.empty((0, 2), np.int64))).all()


def test_a_page_knows_the_ends_and_some_partners_of_each():
    net = lp.planted_network(200, seed=3)
    pairs = np.array([(0, 5), (7, 9), (0, 11)])
    around = neighbourhood_of(net, pairs)
    assert set(pairs.ravel().tolist()) <= set(around.tolist())
    neighbours = {j for i, j in _both_ways(net) if i in pairs}
    assert set(around.tolist()) <= neighbours | set(pairs.ravel().tolist())
    assert len(around) <= 5 + 5 * BESIDE
    data = graph_data(net, pairs, around)
    edges = np.reshape(data["edges"], (-1, 2))
    named = {tuple(around[edge].tolist()) for edge in edges}
    inside = set(around.tolist())
    assert named == {(i, j) for i, j in net.edges.tolist() if i in inside and j in inside}
    assert len(data["nodes"]) <= MOST_PLACED
    assert set(np.searchsorted(around, pairs.ravel()).tolist()) <= set(
        np.asarray(data["nodes"]).tolist()
    )
    assert np.asarray(data["degree"]).tolist() == net.degrees[around].tolist()


def _both_ways(net):
    return [*net.edges.tolist(), *net.edges[:, ::-1].tolist()]


def test_a_page_has_what_auto_learned():
    model = lp.make("auto", effort="fast", holdouts=2).fit(lp.planted_network(60, seed=1))
    page = prediction_page(model, with_evidence(model, model.predict_edges(30)))
    shares = {one["name"]: one["value"] for one in page["importance"]}
    assert shares.items() <= model.learned_.facts["importance"].items()
    assert sum(shares.values()) == pytest.approx(1.0, abs=0.02)
    assert "Calibrated on edges hidden from the network itself" in page["yield_words"]
    columns = page["links"]["columns"]
    low, middle, high = (columns[f"probability{end}"] for end in ("_low", "", "_high"))
    assert all(a <= b <= c for a, b, c in zip(low, middle, high, strict=True))


def test_what_a_history_taught_is_not_called_hidden():
    newer = lp.planted_network(80, seed=2)
    older = newer.hide(newer.edges[::4])
    model = lp.make("auto", effort="fast").fit(newer.with_history(older, newer))
    page = prediction_page(model, model.predict_edges(30))
    assert "Calibrated on links that the newer release found" in page["yield_words"]


def test_data_cannot_leave_its_script_element():
    text = as_json({"a": "</script><!-- & \u2028", "b": [np.float64("nan"), np.int64(3)]})
    assert "<" not in text
    assert ">" not in text
    assert "\u2028" not in text
    assert json.loads(text) == {"a": "</script><!-- & \u2028", "b": [None, 3]}


# ---------------------------------------------------------------------- forged files


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
