"""Tables, ranks and pictures of made-up cells, against means and ranks computed by hand."""

import json
import math

import numpy as np
import pytest
from scipy import stats
from tests.benchmark.made_up import cell, cells, kept

from linkprior.errors import StoreError
from linkprior.experiments import figures, tables
from linkprior.experiments.benchmark import FILES, results_in, rows, write_files
from linkprior.experiments.results import (
    ALONE,
    BEHIND,
    LEVEL,
    Results,
    critical_difference,
    ranks_of,
)

TABLE = {
    "USAir": {
        "auto": [0.50, 0.54, 0.52],
        "l3": [0.30, 0.36, 0.33],
        "pa": [0.51, 0.52, 0.50],  # behind by 0.01 on average, ± 0.0173: level
        "random": [0.01, 0.02, 0.03],
    },
    "yeast": {"auto": [0.2, 0.3], "l3": [0.4, 0.5], "pa": [0.1, 0.1], "random": [0.0, 0.0]},
    "rat 94-104": {"auto": [0.05], "l3": [0.06], "pa": [0.01], "random": [0.01]},
}


@pytest.fixture
def results():
    return Results(cells(TABLE))


def line_of(text, title, model):
    part = text.partition(f"## {title}\n")[2].partition("\n## ")[0]
    (found,) = [line for line in part.splitlines() if line.startswith(f"| {model} |")]
    return [entry.strip() for entry in found.strip("|").split("|")]


def test_entries_are_means_and_sds_over_the_splits(results):
    text = tables.markdown(results)
    # networks in the order of the suite: rat 94-104, yeast, USAir
    assert line_of(text, "auprc", "l3") == [
        *("l3", "*0.0600*"),
        f"**0.450 ± {math.sqrt(0.005):.3f}**",
        "0.330 ± 0.030",
    ]
    assert line_of(text, "auprc", "auto")[1:3] == ["0.0500", f"0.250 ± {math.sqrt(0.005):.3f}"]


def test_a_model_is_bold_only_where_it_leads_by_more_than_one_sd(results):
    by_network = {name: results.marks(name, "auprc") for name in TABLE}
    assert by_network["yeast"] == {"auto": BEHIND, "pa": BEHIND, "l3": ALONE, "random": BEHIND}
    assert by_network["rat 94-104"] == {  # one split makes nobody the winner
        **{"auto": BEHIND, "pa": BEHIND, "l3": LEVEL, "random": BEHIND}
    }
    assert by_network["USAir"] == {"auto": LEVEL, "pa": LEVEL, "l3": BEHIND, "random": BEHIND}


@pytest.mark.parametrize(
    ("auto", "pa", "marks"),
    [
        ([0.51, 0.53, 0.55], [0.50] * 3, (ALONE, BEHIND)),  # 0.03 ± 0.02
        ([0.49, 0.53, 0.55], [0.50] * 3, (LEVEL, LEVEL)),  # 0.023 ± 0.031
        ([0.4, None], [0.1, 0.9], (LEVEL, BEHIND)),  # only splits of auto count
    ],
)
def test_a_lead_of_more_than_one_sd_is_a_lead(auto, pa, marks):
    results = Results(cells({"USAir": {"auto": auto, "pa": pa}}))
    assert results.marks("USAir", "auprc") == dict(zip(("auto", "pa"), marks, strict=True))


def test_wins_are_counted_by_network(results):
    text = tables.markdown(results)
    assert line_of(text, "Wins", "l3")[1] == "1 + 1"
    assert line_of(text, "Wins", "auto")[1] == "0 + 1"
    assert "| random |" not in text.partition("## Wins")[2].partition("## Mean")[0]


def test_mean_ranks_are_those_counted_by_hand(results):
    ranks = ranks_of(results, "auprc")
    # rat: l3, auto, pa and random tied; yeast: l3, auto, pa, random; USAir: auto, pa, l3, random
    expected = {"auto": 5 / 3, "l3": 5 / 3, "pa": 8.5 / 3, "random": 11.5 / 3}
    assert ranks.means == pytest.approx(expected)
    assert list(ranks.means)[-1] == "random"
    assert line_of(tables.markdown(results), "Mean rank over 3 networks", "pa")[1] == "2.83"


def test_only_models_evaluated_on_all_networks_are_ranked():
    more = [*cells(TABLE), cell("USAir", "spm", 0, 0.9), cell("PPI", "pa", 0, 0.9)]
    ranks = ranks_of(Results(more), "auprc")
    assert sorted(ranks.models) == ["auto", "l3", "pa", "random"]
    assert ranks.networks == ["rat 94-104", "yeast", "USAir"]  # auto has not been to PPI
    assert "Not evaluated on all of these networks: spm" in tables.markdown(Results(more))


def test_the_critical_difference_is_the_published_one():
    """Demšar 2006, table 5: q of Nemenyi's test at 5 %."""
    published = {2: 1.960, 3: 2.343, 4: 2.569, 5: 2.728, 6: 2.850, 7: 2.949, 10: 3.164}
    for models, q in published.items():
        by_hand = q * math.sqrt(models * (models + 1) / (6 * 30))
        assert critical_difference(models, 30) == pytest.approx(by_hand, rel=1e-3)
    assert math.isnan(critical_difference(1, 30))


def test_friedmans_test_is_scipys_put_the_way_of_iman_and_davenport():
    rng = np.random.default_rng(4)
    values = rng.random((9, 4)) + np.arange(4) / 8
    table = {
        f"n{n}": {m: [v] for m, v in zip("abcd", row, strict=True)}
        for n, row in enumerate(values.tolist())
    }
    ranks = ranks_of(Results(cells(table)), "auprc")
    chi2 = stats.friedmanchisquare(*values.T).statistic
    ratio = 8 * chi2 / (9 * 3 - chi2)
    assert ranks.friedman == pytest.approx(stats.f.sf(ratio, 3, 24), rel=1e-9)


def test_where_auto_loses_is_the_paired_difference(results):
    text = tables.markdown(results).partition("## Where auto loses")[2].partition("\n## ")[0]
    assert "| yeast | auprc | l3 | 0.2000 ± 0.0000 | **more than one sd** |" in text
    assert "| rat 94-104 | auprc | l3 | 0.0100 | one split |" in text
    assert "USAir" not in text


def test_a_model_that_misses_a_split_says_how_many_it_has():
    table = {"USAir": {"auto": [0.4, 0.5, 0.6], "pa": [0.1, None, 0.3]}}
    assert line_of(tables.markdown(Results(cells(table))), "auprc", "pa")[1] == "0.200 ± 0.141 (2)"


def test_what_could_not_be_measured_is_no_number():
    found = [cell("USAir", "auto", 0, 0.4), cell("USAir", "pa", 0, 0.3, values={"auprc": None})]
    results = Results(found)
    assert line_of(tables.markdown(results), "auprc", "pa")[1] == "–"
    assert "USAir\t0\tpa\tauprc\t\n" in rows(results)


def test_the_yield_table_tells_how_often_the_interval_held():
    def told(k, expected, low, high, hits):
        return {"k": k, "expected": expected, "low": low, "high": high, "hits": hits}

    inside, outside = told(100, 50, 40, 60, 45), told(500, 100, 90, 110, 130)
    release = {"protocol": "release:newer", "yield": [told(100, 5, 0, 9, 50)]}
    found = [
        cell("USAir", "auto", 0, 0.4, **{"yield": [inside, outside]}),
        cell("rat 94-104", "auto", 0, 0.1, **release),
    ]
    text = tables.markdown(Results(found))
    assert "| USAir, split 0 | 100 | 50.0 | 40–60 | 45 |" in text
    widths = [20 / (2 * 1.645 * 5), 20 / (2 * 1.645 * math.sqrt(500 * 0.2 * 0.8))]
    assert "inside in 50% of 2;" in text
    assert f"the median width is {np.median(widths):.2f} of a binomial's" in text


def test_costs_are_the_median_and_the_most():
    found = [
        cell("USAir", "pa", n, 0.1, values={"seconds": s, "peak_mb": m})
        for n, (s, m) in enumerate([(1.0, 90.0), (9.0, 80.0), (2.0, 70.0)])
    ]
    assert line_of(tables.markdown(Results(found)), "Seconds and memory", "pa")[1] == "2 s, 90"


def test_what_was_left_out_is_named_with_its_reason():
    gone = cell("HuRI", "spm", 0, 0.0) | {"left_out": {"kind": "too much", "why": "30 GB needed"}}
    del gone["values"]
    text = tables.markdown(Results([*cells(TABLE), gone, gone | {"split": 1}]))
    assert "| spm | HuRI | 30 GB needed |" in text
    assert "HuRI" not in text.partition("## Wins")[0]


def test_merit_is_the_share_of_the_best_and_time_its_median(results):
    found = {name: point for name, *point in figures.cost_and_merit(results, "auprc")}
    shares = [0.05 / 0.06, 0.25 / 0.45, 1.0]
    assert found["auto"] == pytest.approx([1.0, np.mean(shares), True])


def test_files_are_the_same_bytes_whatever_the_order_of_the_cells(tmp_path):
    found = cells(TABLE)
    first, second = tmp_path / "a", tmp_path / "b"
    for folder, order in ((first, found), (second, found[::-1])):
        kept(folder, order)
        write_files(results_in(folder), folder)
        write_files(results_in(folder), folder)
    for name in FILES:
        assert (first / name).read_bytes() == (second / name).read_bytes()
    assert (first / "scaling.svg").read_text().startswith("<?xml")
    lines = (first / "results.tsv").read_text().splitlines()
    assert lines[0] == "network\tsplit\tmodel\tmetric\tvalue"
    assert len(lines) == 1 + 8 * len(found)
    assert "USAir\t1\tauto\tauprc\t0.54" in lines


def test_a_single_model_has_tables_and_pictures_too(tmp_path):
    kept(tmp_path, [cell("USAir", "pa", 0, 0.3)])
    write_files(results_in(tmp_path), tmp_path)
    assert "| pa | *0.300* |" in (tmp_path / "tables.md").read_text()
    told = tables.summary(results_in(tmp_path))
    assert told[0] == "auprc on 1 network, 1 cell"
    assert [line.split() for line in told[1:]] == [["USAir", "pa", "0.3000"]]


@pytest.mark.parametrize(
    "changed",
    [
        *("", "{", "[]", "{}", '{"network": "USAir", "model": "pa", "digest": "x", "split": 0}'),
        {"values": {}},
        {"values": {"auprc": math.nan}},
        {"values": {"auprc": 7.5}},
        {"values": {"recall@5%": -0.1}},
        {"values": {"seconds": math.inf}},
        {"values": {"auprc": True}},
        {"split": 3},  # another than its file's name says
        {"digest": "of another split"},
        {"network": "Mars"},
        {"model": "pa\x1b]0;title\x07"},
        {"protocol": "uniform\x9b2J"},
        {"linkprior": "0.1\u202e"},
        {"values": {"auprc\x1b[2J": 0.5}},
    ],
)
def test_a_cell_that_cannot_be_is_named(tmp_path, changed):
    kept(tmp_path, cells(TABLE))
    path = tmp_path / "USAir" / "1-pa.json"
    if isinstance(changed, dict):
        changed = json.dumps({**json.loads(path.read_text()), **changed})
    path.write_text(changed)
    with pytest.raises(StoreError, match=r"USAir/1-\w+\.json.* run again"):
        results_in(tmp_path)


def test_what_could_not_be_measured_and_a_negative_correlation_may_stand(tmp_path):
    values = {"dc_auroc": None, "spearman_degree": -0.2, "auprc_lift": 6000.0}
    kept(tmp_path, [cell("USAir", "pa", 0, 0.3, values=values)])
    assert results_in(tmp_path).values("USAir", "pa", "auprc") == {0: 0.3}


def test_names_from_files_are_text_in_tables_and_pictures(tmp_path):
    image, sums = "<img src=x onerror=alert(1)>", "$\\frac$ | $x$"
    why = {"left_out": {"kind": "failed", "why": "<b>\x1b[2J\n| no"}}
    found = cells({image: {"pa": [0.3], sums: [0.4]}, "b": {"pa": [0.3], sums: [0.2]}})
    results = Results([*found, {**cell("b", "l3", 0, 0.1), **why}])
    text = tables.markdown(results)
    assert "<" not in text
    assert "&lt;img src=x onerror=alert(1)&gt; (1)" in text
    assert "&lt;b&gt;\\x1b[2J / no" in text
    widths = [line.count("|") for line in text.split("## auroc")[1].split("##")[0].splitlines()]
    assert set(filter(None, widths)) == {4}
    assert b"$\\frac$ | $x$" in figures.mean_ranks(results)
    assert b"mathdefault" not in figures.scaling(results)
