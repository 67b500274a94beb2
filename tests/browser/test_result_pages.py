"""Pages of a study, a benchmark and the paper's experiments, in a browser."""

import csv
import io
import json
from pathlib import Path

import pytest
from tests.benchmark.made_up import cell, cells
from tests.browser.conftest import saved

import linkprior as lp
from linkprior.experiments.results import METRICS, Results, ranks_of
from linkprior.report.evaluation import Study, read_study, tuning_page
from linkprior.report.experiments import benchmark_page, read_reproduction, reproduction_page

HOSTILE = "<img src=x onerror=alert(1)></script>"
KEPT = Path(__file__).resolve().parents[2] / "benchmarks" / "results" / "reproduction"


def saved_text(page, button):
    button = page.get_by_role("button", name=button, exact=True)
    return saved(button).path().read_text(encoding="utf-8")


# ---------------------------------------------------------------------- a study


@pytest.fixture(scope="module")
def tuned(tmp_path_factory):
    folder = tmp_path_factory.mktemp("study") / "kept"
    net = lp.planted_network(90, seed=4)
    found = lp.tune("degree:l3", net, trials=14, inner=2, study=folder, prune=False)
    return found, folder


def test_the_page_of_a_study_shows_settings_and_importances(tuned, show):
    found, folder = tuned
    page = show(tuning_page(read_study(folder), HOSTILE))
    assert page.locator("h1").inner_text() == f"degree:l3 tuned on {HOSTILE}"
    assert page.locator("#settings tbody tr").count() == 14
    points = page.locator("#tuning figure").first.locator("svg circle title")
    assert points.count() == len(found.ranked)
    (best,) = page.locator("#settings td b").all_inner_texts()
    assert best == f"{found.best_value:.4f} *"
    shares = found.importances()
    shown = page.locator("#best-setting tbody tr").all_inner_texts()
    assert [line.split("\t")[0] for line in shown] == list(found.search_space.axes)
    for name, value in found.best_params.items():
        (line,) = (line for line in shown if line.startswith(f"{name}\t"))
        assert float(line.split("\t")[1]) == pytest.approx(value, rel=1e-5)
    drawn = page.get_by_role("img", name="Parameter importance")
    assert len(shares) == 3
    for name, share in shares.items():
        assert f"{name}{share:.0%}" in drawn.text_content()


def test_a_column_sorts_down_up_and_back_and_is_saved_as_shown(tuned, show):
    found, folder = tuned
    page = show(tuning_page(read_study(folder)))
    head = page.locator("#settings thead button").nth(1)
    numbers = {t.number: t.value for t in found.trials}

    def shown():
        names = page.locator("#settings tbody th").all_inner_texts()
        return [numbers[int(name)] for name in names]

    before = shown()
    head.click()
    assert shown() == sorted(before, reverse=True)
    text = saved_text(page, "save as TSV: settings")
    rows = list(csv.DictReader(io.StringIO(text), delimiter="\t"))
    assert [int(row["setting"]) for row in rows] == [
        int(name) for name in page.locator("#settings tbody th").all_inner_texts()
    ]
    assert [float(row["auprc"]) for row in rows] == pytest.approx(shown(), abs=5e-5)
    head.click()
    assert shown() == sorted(before)
    head.click()
    assert shown() == before
    assert saved_text(page, "save as SVG: tuning_history").startswith("<svg")
    assert saved_text(page, "save as CSV: settings").startswith("setting,auprc,state")


def test_the_search_itself_and_its_folder_tell_the_same(tuned):
    found, folder = tuned
    kept = read_study(folder)
    live = Study.of(found, kept.question)
    assert kept.importances == pytest.approx(live.importances)
    assert (kept.best, kept.trials) == (live.best, live.trials)
    assert list(kept.question["searched"]) == list(found.search_space.axes)


# ---------------------------------------------------------------------- a benchmark


@pytest.fixture(scope="module")
def results():
    table = {
        f"net {n}": {"auto": [0.9, 0.8 + 0.01 * n], "l3": [0.5, 0.4], "pa": [0.1 * n, 0.2]}
        for n in range(1, 5)
    }
    strange = [cell(HOSTILE, name, 0, value) for name, value in (("auto", 0.3), ("l3", 0.6))]
    return Results([*cells(table), *strange, cell(HOSTILE, "pa", 0, 0.2)])


def test_the_page_of_a_benchmark_has_a_table_for_every_measure(results, show):
    page = show(benchmark_page(results))
    tiles = page.locator("#ranks .tile b").all_inner_texts()
    assert tiles == ["5", "3", str(len(results.cells)), "auto"]
    tables = page.locator("#measures table")
    assert tables.count() == len(METRICS)
    assert [tables.nth(n).is_visible() for n in range(tables.count())] == [True, *[False] * 5]
    rows = page.locator("#table-auprc tbody tr")
    assert rows.locator("th").all_inner_texts() == results.models
    heads = page.locator("#table-auprc thead th").all_inner_texts()
    for model, row in zip(results.models, rows.all(), strict=True):
        for head, text in zip(heads[1:], row.locator("td").all_inner_texts(), strict=True):
            network = head.rsplit(" (", 1)[0]
            mean = results.mean(network, model, "auprc")
            assert float(text.split(" ")[0].rstrip("*")) == pytest.approx(mean, abs=5e-4)
    page.locator("#measures select").select_option("ndcg")
    assert page.locator("#table-ndcg").is_visible()
    assert not page.locator("#table-auprc").is_visible()
    assert page.locator("img").count() == 0
    assert any(HOSTILE in head for head in heads)


def test_a_saved_table_holds_no_formula_and_numbers_as_they_are(results, show):
    data = benchmark_page(results)
    (table,) = [one for one in tables_in(data) if one["id"] == "table-auprc"]
    table["heads"] = ['=HYPERLINK("x")', "@SUM(A1)", "+1", "-1", "plain"]
    table["rows"] = [
        ["=1+1", -0.25, {"text": "-0.125", "value": -0.125}, {"text": "-A1", "value": -1}, None],
        ["'-x", 1e-7, {"text": "-1e-07", "value": -1e-7}, {"text": "\uff0bx", "value": 1}, "a,\tb"],
    ]
    page = show(data)
    head, *rows = csv.reader(io.StringIO(saved_text(page, f"save as CSV: {table['file']}")))
    assert head == ['\'=HYPERLINK("x")', "'@SUM(A1)", "'+1", "'-1", "plain"]
    assert rows[0] == ["'=1+1", "-0.25", "-0.125", "'-A1", ""]
    assert rows[1] == ["''-x", "1.000e-7", "-1e-07", "'\uff0bx", "a,\tb"]


def tables_in(data):
    """Every table of a page's data, wherever it stands."""
    inside = data.values() if isinstance(data, dict) else data if isinstance(data, list) else []
    if isinstance(data, dict) and "heads" in data:
        yield data
    for one in inside:
        yield from tables_in(one)


def test_mean_ranks_are_drawn_best_first_with_the_critical_difference(results, show):
    page = show(benchmark_page(results))
    ranks = ranks_of(results, "auprc")
    drawn = page.get_by_role("img", name="Mean rank by auprc").locator("circle title")
    assert drawn.all_text_contents() == [f"{n}: {v:.2f}" for n, v in ranks.means.items()]
    note = page.locator("#ranks figure small").first.inner_text()
    assert f"{ranks.critical_difference:.2f}" in note
    points = page.get_by_role("img", name="auprc against seconds").locator("circle title")
    assert points.count() == 3


def test_paper_gets_every_table_and_a_phone_no_wider_page(results, show):
    size = {"width": 390, "height": 800}
    page = show(benchmark_page(results), viewport=size)
    assert page.evaluate("document.documentElement.scrollWidth") <= 391
    page.emulate_media(media="print")
    tables = page.locator("#measures table")
    assert all(tables.nth(n).is_visible() for n in range(tables.count()))
    assert not page.locator("nav").is_visible()
    assert page.locator("#measures h3").first.is_visible()
    assert not page.get_by_role("button", name="copy auprc").is_visible()


# ---------------------------------------------------------------------- the paper


def test_the_page_of_the_paper_has_its_numbers_next_to_ours(show):
    page = show(reproduction_page(read_reproduction(KEPT)))
    assert page.locator("section h2").count() == 4
    facts = json.loads((KEPT / "rat" / "results.json").read_text(encoding="utf-8"))
    assert page.locator("#rat figure").count() == len(facts["conditions"]) == 3
    assert page.locator("#table-rat td b").count() == 3
    for row in page.locator("#table-rat tbody tr").all()[:-1]:
        method = row.locator("th").inner_text()
        shown = row.locator("td").all_inner_texts()
        for at, condition in enumerate(facts["conditions"]):
            found = condition["methods"][method]
            ours, theirs = shown[2 * at : 2 * at + 2]
            assert float(ours.split(" ")[0]) == pytest.approx(found["mean"]["5%"], abs=5e-4)
            if found["paper"] is None:
                assert theirs == "–"
            else:
                assert float(theirs) == pytest.approx(found["paper"], abs=5e-5)
