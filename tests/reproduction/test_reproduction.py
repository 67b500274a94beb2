"""The paper's experiments on a small network in the place of its data."""

import csv
import json
from dataclasses import replace

import numpy as np
import pytest
from tests.evaluation.support import evaluated  # noqa: F401 – a fixture

import linkprior as lp
from linkprior.errors import InputError
from linkprior.evaluation.splits import release, uniform
from linkprior.experiments import paper, reproduction
from linkprior.experiments.paper import EXPERIMENTS, METHODS, Condition, Experiment
from linkprior.experiments.reproduction import FULL, OURS, QUICK, Care, reproduce, write

NET = lp.planted_network(n_nodes=70, n_groups=3, mean_degree=6, seed=5)
OLDER = lp.Network.from_indices(NET.edges[::2], NET.names)
SMALL = Experiment(
    "rat",
    "a small experiment",
    "generated",
    (
        Condition("uniform-80", "uniform, 80 %", "uniform:0.8", lambda _: NET),
        Condition(
            "older-to-newer",
            "older → newer",
            "release:newer",
            lambda _: OLDER,
            lambda _: NET,
            dict.fromkeys(METHODS, 0.25),
        ),
    ),
)
TINY = Care(seeds=2, trials=2, inner=2, auto=False, cheaper={"n_starts": 1})


@pytest.fixture(scope="module")
def quick(tmp_path_factory):
    return reproduce(SMALL, tmp_path_factory.mktemp("data"), QUICK, None)


@pytest.fixture(scope="module")
def tuned(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tuned")
    return reproduce(SMALL, folder, TINY, folder), folder


def counted_by_hand(scores, train, hidden, percent):
    """Recall by sorting every pair, with nothing of the package but scores and edges."""
    p = len(scores)
    known, wanted = set(map(tuple, train.edges.tolist())), set(map(tuple, hidden.tolist()))
    pairs = [(i, j) for i in range(p) for j in range(i + 1, p) if (i, j) not in known]
    k = round(percent / 100 * p * (p - 1) / 2)
    ranked = sorted((float(scores[pair]) for pair in pairs), reverse=True)
    last = ranked[k - 1]
    sure = sum(scores[pair] > last for pair in wanted)
    tied = sum(scores[pair] == last for pair in wanted)
    places = k - sum(score > last for score in ranked)
    return (sure + tied * places / ranked.count(last)) / len(wanted)


def test_recall_is_what_counting_by_hand_gives(quick):
    splits = uniform(NET, 0.8, 0, "all-nodes"), release(OLDER, NET, "all-nodes")
    for outcome, split in zip(quick.outcomes, splits, strict=True):
        for method, name in {"PA": "pa", "L3": "l3"}.items():
            scores = lp.make(name).fit(split.train).score_rows(0, NET.n_nodes)
            for percent in (1, 5, 10):
                (got,) = outcome.recall(method, percent)
                by_hand = counted_by_hand(scores, split.train, split.hidden, percent)
                assert got == pytest.approx(by_hand, abs=1e-6)


@pytest.mark.at_length
def test_a_run_that_stops_midway_goes_on_and_ends_the_same(quick, tmp_path, evaluated):  # noqa: F811
    evaluated.limit = 9
    with pytest.raises(KeyboardInterrupt):
        reproduce(SMALL, tmp_path, QUICK, tmp_path / "out")
    evaluated.clear()
    evaluated.limit = None
    again = reproduce(SMALL, tmp_path, QUICK, tmp_path / "out")
    assert 0 < len(evaluated) < 10  # eighteen cells, nine of them kept
    for one, other in zip(again.outcomes, quick.outcomes, strict=True):
        for method in one.methods:
            np.testing.assert_array_equal(one.recall(method, 5), other.recall(method, 5))


def test_other_data_than_the_published_results_are_of_are_noted(tmp_path, caplog):
    condition = Condition("a", "a condition", "uniform:0.8", lambda _: NET)
    replace(condition, size=(NET.n_nodes, NET.n_edges)).check(tmp_path)
    assert caplog.text == ""
    replace(condition, size=(1565, 3996)).check(tmp_path)
    assert "70 nodes" in caplog.text
    assert "1565 and 3996 were expected" in caplog.text


@pytest.mark.at_length
def test_each_seed_has_its_own_split_and_its_own_starts(tuned):
    result, _ = tuned
    uniform_80, releases = result.outcomes
    digests = [one.facts["splits"][0]["digest"] for one in uniform_80.evaluations]
    assert digests[0] != digests[1]
    assert [cell.params["seed"] for cell in uniform_80.cells("Tri")] == [0, 1]
    assert [cell.params["seed"] for cell in releases.cells("PU")] == [0, 1]
    assert releases.recall("PA", 5).std() == 0


@pytest.mark.at_length
def test_every_method_is_tuned_with_the_same_budget_and_fitted_with_all_starts(tuned):
    result, _ = tuned
    for outcome in result.outcomes:
        budget = outcome.evaluations[0].facts["tune"]
        assert (budget["trials"], budget["metric"], budget["inner"]) == (2, "recall@5%", 2)
        for cell in outcome.cells("Tri+Degree"):
            assert cell.params["n_starts"] == 5


@pytest.mark.at_length
def test_seeds_that_share_their_training_edges_share_what_was_tuned_on_them(tuned):
    uniform_80, releases = tuned[0].outcomes
    assert [one.facts["tune"] is None for one in uniform_80.evaluations] == [False, False]
    assert [one.facts["tune"] is None for one in releases.evaluations] == [False, True]
    for method in METHODS:
        first, second = (dict(cell.params) for cell in releases.cells(method))
        assert first | {"seed": 0} == second | {"seed": 0}


def test_the_ranking_and_the_margin_are_of_the_papers_five(tuned):
    for outcome in tuned[0].outcomes:
        means = {method: outcome.recall(method, 5).mean() for method in METHODS}
        ranked = outcome.ranking()
        assert sorted(ranked) == sorted(METHODS)
        assert [means[m] for m in ranked] == sorted(means.values(), reverse=True)
        best = max((m for m in METHODS if m != OURS), key=lambda m: means[m])
        margin = outcome.margin()
        lead = outcome.recall(OURS, 5) - outcome.recall(margin.over, 5)
        assert means[margin.over] == means[best]
        assert margin.mean == pytest.approx(means[OURS] - means[best])
        assert margin.sd == pytest.approx(np.std(lead, ddof=1))


def test_the_folder_holds_figures_table_and_every_number(tuned, tmp_path):
    result, _ = tuned
    files = write(result, tmp_path / "out", 1.0, ["reproduce", "rat"])
    assert all(path.is_file() for path in files)
    facts = json.loads((tmp_path / "out" / "results.json").read_text())
    assert facts["care"]["trials"] == 2
    assert facts["versions"]["linkprior"] == lp.__version__
    assert facts["conditions"][0]["network"]["digest"] == NET.digest
    assert facts["conditions"][1]["methods"]["PU"]["paper"] == 0.25
    lines = (tmp_path / "out" / "numbers.tsv").read_text().splitlines()
    rows = list(csv.DictReader(lines, delimiter="\t"))
    assert len(rows) == 2 * 9 * 40 * 2
    at5 = [r for r in rows if r["percent_of_pairs"] == "5" and r["method"] == "L3"][:2]
    expected = result.outcomes[0].recall("L3", 5)
    assert [float(r["recall"]) for r in at5] == pytest.approx(expected, abs=1e-6)


def test_figures_are_the_same_bytes_every_time(quick):
    for kind, start in (("png", b"\x89PNG"), ("svg", b"<?xml")):
        drawn = reproduction.figure(quick, kind)
        assert drawn.startswith(start)
        assert drawn == reproduction.figure(quick, kind)


def test_the_table_shows_the_papers_value_next_to_ours(quick):
    text = "\n".join(reproduction.lines(quick))
    assert "paper, 5 %" in text
    assert "0.250" in text
    table = reproduction.markdown(quick)
    assert "(paper 0.250)" in table
    assert table.count("| Tri+Degree |") == 1
    assert len(reproduction.numbers(quick).splitlines()) == 1 + 2 * 360


def test_the_experiments_are_the_papers():
    assert [len(one.conditions) for one in EXPERIMENTS.values()] == [6, 2, 3]
    protocols = [condition.protocol for condition in EXPERIMENTS["dream5"].conditions]
    assert protocols == [
        *("uniform:0.9", "over:0.9", "under:0.9"),
        *("uniform:0.7", "over:0.7", "under:0.7"),
    ]
    assert EXPERIMENTS["rat"].conditions[2].paper["Tri+Degree"] == 0.5169
    assert FULL.seeds == 5
    assert FULL.trials > 0


def test_the_networks_are_as_large_as_they_should_be(data_folder):
    sizes = {"3.1.94": (1567, 1813), "3.2.104": (2648, 3499), "3.2.114": (2803, 3769)}
    for version, size in sizes.items():
        net = paper.rat(data_folder, version)
        assert (net.n_nodes, net.n_edges) == size
    dream, plasmodium = paper.dream5(data_folder), paper.plasmodium(data_folder)
    assert (dream.n_nodes, dream.n_edges) == (1565, 3996)
    assert (plasmodium.n_nodes, plasmodium.n_edges) == (1200, 2424)


@pytest.mark.parametrize("line", ["1\t2", "1\t2\t3\t4\tfive", "", "\t2\tx\ty\t5", "1\t2\t\t\t-5"])
def test_a_damaged_file_of_releases_is_named_by_its_line(tmp_path, line):
    path = tmp_path / paper.RAT
    path.parent.mkdir()
    path.write_text(f"# comment\n1\t2\tx\ty\t5\n{line}\n")
    with pytest.raises(InputError, match=r"3\.2\.120\.tsv:3: expected two node ids"):
        paper.rat(tmp_path, "3.1.94")


def test_where_the_data_are_not(tmp_path, monkeypatch):
    monkeypatch.delenv("LINKPRIOR_DATA", raising=False)
    with pytest.raises(InputError, match="Give --data DIR, or set LINKPRIOR_DATA"):
        paper.data_folder(None)
    with pytest.raises(InputError, match="no such folder"):
        paper.data_folder(tmp_path / "nowhere")
    assert paper.data_folder(tmp_path) == tmp_path
    for load in (paper.dream5, paper.plasmodium, lambda folder: paper.rat(folder, "3.1.94")):
        with pytest.raises(InputError, match="the experiment needs it under the data folder"):
            load(tmp_path)
