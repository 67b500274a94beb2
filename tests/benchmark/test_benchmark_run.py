"""Cells: filled in order, kept whole, taken up again, and left out with a reason."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from tests.benchmark.conftest import NET, TINY
from tests.evaluation.support import evaluated  # noqa: F401 – a fixture

import linkprior as lp
from linkprior.errors import InputError, LinkpriorError, ParameterError
from linkprior.evaluation import evaluate as evaluate_module
from linkprior.evaluation.metrics import measure
from linkprior.evaluation.protocols import Plan
from linkprior.evaluation.ranks import rank_hidden_edges
from linkprior.evaluation.splits import split_digest
from linkprior.evaluation.store import read_cells
from linkprior.experiments import models as models_module
from linkprior.experiments.benchmark import Benchmark
from linkprior.experiments.models import (
    AUTO_FAST,
    FAST,
    BenchmarkModel,
    all_models,
    chosen_models,
    quick_models,
    too_much,
    without_library,
)
from linkprior.experiments.suite import SUITE, chosen_cases
from linkprior.predictors.auto.auto import Auto
from linkprior.predictors.local import PreferentialAttachment
from linkprior.predictors.registry import MODELS

NAMES = ["pa", "l3", "katz"]
FLAGSHIP = Path(__file__).parents[2] / "benchmarks" / "results" / "suite"


def benchmark(folder, names=NAMES, cases=TINY, **more):
    entries = names if isinstance(names[0], BenchmarkModel) else chosen_models(names)
    return Benchmark(cases, entries, folder, folder, **more)


def bytes_in(folder):
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_cells_hold_what_the_metrics_of_the_same_split_are(tmp_path):
    benchmark(tmp_path).run()
    for path, plan in {
        "tiny_90_pc/1-l3.json": Plan("uniform:0.9", seed=1),
        "folds/2-l3.json": Plan("kfold:5", folds=[2]),
    }.items():
        (split,) = plan.make(NET)
        cell = json.loads((tmp_path / path).read_text())
        expected = measure(rank_hidden_edges(lp.make("l3").fit(split.train), split))
        for name in ("auprc", "recall@5%", "ndcg"):
            assert cell["values"][name] == expected[name]
        assert cell["digest"] == split_digest(split)
        assert cell["data"] == NET.digest
        assert (cell["params"], cell["trials"]) == ({}, 0)
    release = json.loads((tmp_path / "older-newer/0-pa.json").read_text())
    assert (release["rule"], release["protocol"]) == ("all-nodes", "release:newer")


def test_first_splits_of_all_networks_come_first(tmp_path, evaluated):  # noqa: F811
    benchmark(tmp_path, ["pa"]).run()
    order = [
        split_digest(case.split(tmp_path, number)[1])
        for number in range(3)
        for case in TINY
        if number < case.rounds
    ]
    assert evaluated == [("pa", digest) for digest in order]
    assert len(order) == 6


def test_what_is_finished_is_not_fitted_again_also_after_an_interruption(tmp_path, evaluated):  # noqa: F811
    evaluated.limit = 7
    with pytest.raises(KeyboardInterrupt):
        benchmark(tmp_path).run()
    first = bytes_in(tmp_path)
    assert (len(first), {path.suffix for path in first}) == (7, {".json"})
    evaluated.limit = 18
    benchmark(tmp_path).run()
    whole = bytes_in(tmp_path)
    assert len(whole) == 18
    assert whole.items() >= first.items()
    benchmark(tmp_path).run()  # another cell would be Ctrl-C
    assert bytes_in(tmp_path) == whole


@pytest.mark.parametrize(
    "changed", [{"linkprior": "0.0.1"}, {"digest": "0"}, {"trials": 3}, {"params": {"beta": 0.3}}]
)
def test_a_cell_made_otherwise_is_made_again(tmp_path, evaluated, changed):  # noqa: F811
    benchmark(tmp_path).run()
    path = tmp_path / "folds" / "0-katz.json"
    kept = json.loads(path.read_text())
    path.write_text(json.dumps(kept | changed))
    evaluated.clear()
    benchmark(tmp_path).run()
    assert evaluated.labels == ["katz"]
    again = json.loads(path.read_text())
    assert {**again, "values": None} == {**kept, "values": None}


def test_cells_that_tell_no_parameters_are_taken_as_made_with_the_defaults(tmp_path, evaluated):  # noqa: F811
    """So were those of `benchmarks.flagship`."""
    benchmark(tmp_path).run()
    for path in tmp_path.glob("*/*.json"):
        old = json.loads(path.read_text())
        for name in ("params", "trials", "data", "threads"):
            del old[name]
        path.write_text(json.dumps(old, indent=1, sort_keys=True) + "\n")
    evaluated.clear()
    benchmark(tmp_path).run()
    assert evaluated == []
    benchmark(tmp_path, trials=2).run()
    assert set(evaluated.labels) == {"katz"}  # the only one with something to tune


def failing(name, problem):
    """A model of the benchmark whose fit raises an error."""

    class Failing(PreferentialAttachment):
        def _fit(self, network):
            raise problem

    return BenchmarkModel(name, Failing)


def test_a_model_that_fails_is_left_out_and_the_run_goes_on(tmp_path, evaluated):  # noqa: F811
    said = []
    entries = [failing("stubborn", LinkpriorError("it will not")), *chosen_models(["pa"])]
    benchmark(tmp_path, entries, rounds=1, notify=said.append).run()
    cell = json.loads((tmp_path / "folds" / "0-stubborn.json").read_text())
    assert cell["left_out"] == {"kind": "failed", "why": "it will not"}
    assert "values" not in cell
    assert (tmp_path / "folds" / "0-pa.json").exists()
    assert "folds, split 0: stubborn left out: it will not" in said
    evaluated.clear()
    benchmark(tmp_path, entries, rounds=1).run()
    assert evaluated == []  # it would fail again


def test_a_cell_for_which_memory_was_short_is_asked_again(tmp_path, evaluated):  # noqa: F811
    for _ in range(2):
        benchmark(tmp_path, [failing("greedy", MemoryError())], TINY[:1], rounds=1).run()
    (cell,) = read_cells(tmp_path)
    assert cell["left_out"] == {"kind": "too much", "why": "out of memory"}
    assert len(evaluated) == 2


def test_what_would_take_too_long_is_left_out_until_it_would_not(tmp_path, monkeypatch, evaluated):  # noqa: F811
    with monkeypatch.context() as patch:
        patch.setattr(models_module, "MOST_SECONDS", 0.0)
        benchmark(tmp_path, ["pa"], rounds=1).run()
    assert evaluated == []
    (first, *_) = read_cells(tmp_path)
    assert first["left_out"]["kind"] == "too much"
    assert "expected for a fit, more than 0 minutes" in first["left_out"]["why"]
    benchmark(tmp_path, ["pa"], rounds=1).run()
    assert len(evaluated) == 3


def test_what_needs_more_memory_than_is_free_is_left_out(monkeypatch):
    assert too_much(lp.make("pa"), NET, 1.0) is None
    monkeypatch.setattr("linkprior.machine.available_memory", lambda: 10**6)
    assert too_much(lp.make("pa"), NET, 1.0).endswith("GB of memory needed, 0.001 GB free")


def test_every_model_that_has_a_space_is_tuned_inside_the_training_network(tmp_path, monkeypatch):
    asked, plain = [], evaluate_module.Tuning

    def noted(model, network, trials, **more):
        asked.append((model.name, network.digest, trials, more["rule"]))
        return plain(model, network, trials, **more)

    monkeypatch.setattr(evaluate_module, "Tuning", noted)
    benchmark(tmp_path, trials=2, rounds=1).run()
    splits = [case.split(tmp_path, 0)[1] for case in TINY]
    assert asked == [("katz", split.train.digest, 2, "connected") for split in splits]
    cell = json.loads((tmp_path / "folds" / "0-katz.json").read_text())
    assert (cell["trials"], set(cell["tuned"])) == (2, set(cell["params"]))


def test_what_has_nothing_to_tune_is_taken_from_the_run_without_trials(tmp_path, evaluated):  # noqa: F811
    benchmark(tmp_path, rounds=1).run()
    evaluated.clear()
    target = tmp_path / "tuned-2"
    replace(benchmark(tmp_path, rounds=1, trials=2), folder=target, untuned=tmp_path).run()
    assert set(evaluated.labels) == {"katz"}
    assert len(evaluated) == 3
    names = ("tiny_90_pc/0-pa.json", "older-newer/0-l3.json")
    assert all((target / n).read_bytes() == (tmp_path / n).read_bytes() for n in names)


def test_auto_tells_what_it_expected_and_what_came(tmp_path):
    entries = [BenchmarkModel("auto", lambda: Auto(effort="fast", holdouts=2))]
    benchmark(tmp_path, entries, TINY[:1], rounds=1).run()
    (cell,) = read_cells(tmp_path)
    (split,) = Plan("uniform:0.9").make(NET)
    ranking = Auto(effort="fast", holdouts=2).fit(split.train).predict_edges(500)
    hidden = {tuple(pair) for pair in split.hidden.tolist()}
    hits = [tuple(pair) in hidden for pair in ranking.pairs.tolist()]
    told = {one["k"]: one for one in cell["yield"]}
    assert [told[k]["hits"] for k in (100, 500)] == [sum(hits[:100]), sum(hits)]
    assert cell["words"]


# ---------------------------------------------------------------------- who and what


def test_every_model_of_the_registry_is_in_the_suite():
    labels = [one.label for one in all_models()]
    assert set(MODELS) <= set(labels)
    assert {"auto", "degree:l3", "degree:pu", "random"} <= set(labels)
    assert {"sklearn-nmf", "implicit-als", "implicit-bpr", "node2vec"} <= set(labels)
    assert len(set(labels)) == len(labels)
    assert {one.file for one in all_models()} == {
        label.replace(" ", "_").replace(":", "-") for label in labels
    }


def test_the_quick_suite_has_fast_models_and_small_networks():
    labels = [one.label for one in quick_models()]
    assert labels[0] == AUTO_FAST
    assert set(labels[1:]) == set(FAST)
    assert quick_models()[0].make().effort == "fast"
    assert [case.name for case in chosen_cases([], quick=True)] == [
        *("DREAM5-1 90 %", "DREAM5-1 70 %", "DREAM5-3", "rat 94-104", "rat 94-114", "Plasmodium"),
        *("yeast", "USAir", "Celegans", "PPI"),
    ]


def test_networks_are_found_by_any_spelling_and_unknown_ones_by_the_nearest():
    found = chosen_cases(["huri", "dream5-1_90_pc", "RAT 94-104"])
    assert [case.name for case in found] == ["DREAM5-1 90 %", "rat 94-104", "HuRI"]
    assert chosen_cases([]) == list(SUITE)
    with pytest.raises(ParameterError, match=r"no network called 'USAri'\. Did you mean USAir\?"):
        chosen_cases(["USAri"])


def test_models_are_found_by_name_and_unknown_ones_by_the_nearest():
    found = chosen_models(["l3", " Auto_fast", "degree:ra", "l3"])
    assert [one.label for one in found] == ["l3", "auto fast", "degree:ra"]
    assert found[1].make().effort == "fast"
    with pytest.raises(ParameterError, match=r"no model called 'l4'\. Did you mean l3"):
        chosen_models(["l4"])
    with pytest.raises(ParameterError, match="no model is called"):
        chosen_models(["degree:nonsense"])
    with pytest.raises(ParameterError, match="names no model"):
        chosen_models([])


def test_a_peer_whose_library_is_absent_is_known(monkeypatch):
    monkeypatch.setattr("linkprior.experiments.models.find_spec", lambda name: None)
    absent = {one.label for one in without_library(all_models())}
    assert absent == {"sklearn-nmf", "implicit-als", "implicit-bpr", "node2vec"}


def test_missing_and_other_data_are_reported(tmp_path, caplog):
    usair = chosen_cases(["USAir"])[0]
    with pytest.raises(InputError, match=r"USAir\.txt: no such file; the benchmark needs it"):
        usair.check(tmp_path)
    replace(TINY[0], digest="123456789abc").check(tmp_path)
    assert "where 123456789abc was expected" in caplog.text
    caplog.clear()
    replace(TINY[0], digest=NET.digest[:12]).check(tmp_path)
    assert caplog.text == ""
    empty = lp.Network.from_edges([], "ab")
    with pytest.raises(InputError, match="hold no edge"):
        replace(TINY[0], load=lambda _: empty).check(tmp_path)


@pytest.mark.at_length
def test_the_networks_are_those_whose_digests_are_written_down(data_folder, caplog):
    for case in SUITE:
        case.check(data_folder)
        net = case.load(data_folder)
        assert (net.n_nodes, net.n_edges) == case.size
    assert caplog.text == ""


def test_the_first_cells_of_the_flagship_benchmark_are_accepted(data_folder, tmp_path, evaluated):  # noqa: F811
    """Their splits, labels and places are this suite's."""
    names = [f"{n}/0-{m}.json" for n in ("USAir", "rat_94-104") for m in ("auto", "pa", "l3")]
    first = FLAGSHIP / names[0]
    if not first.exists() or json.loads(first.read_text())["linkprior"] != lp.__version__:
        pytest.skip("benchmarks/results/flagship holds no cells of this version")
    for name in names:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes((FLAGSHIP / name).read_bytes())
    entries = chosen_models(["auto", "pa", "l3"])
    cases = chosen_cases(["USAir", "rat 94-104"])
    Benchmark(cases, entries, data_folder, tmp_path, rounds=1).run()
    assert evaluated == []


def test_the_page_lists_the_networks_of_the_suite():
    page = (Path(__file__).parents[2] / "docs" / "benchmark.md").read_text(encoding="utf-8")
    table = page.partition("## The networks")[2].partition("\n\nThe digest")[0]
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in table.splitlines()[4:]]
    assert [row[:5] + row[6:] for row in rows] == [
        [
            case.name,
            *(f"{n:,}" for n in case.size),
            case.protocol.removesuffix(":newer"),
            *(str(case.rounds), case.digest),
        ]
        for case in SUITE
    ]
