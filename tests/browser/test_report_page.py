"""The page of a prediction, in a browser: what it shows, and what can be done with it."""

import csv
import io
from collections import Counter

import numpy as np
import pytest
from tests.browser.conftest import saved

import linkprior as lp
from linkprior.predictors.evidence import with_evidence
from linkprior.ranking.candidates import Candidates
from linkprior.report import prediction_page, write_page

HOSTILE = ["<img src=x onerror=alert(1)>", "</script><script>alert(2)</script>", "quote\"'&amp;"]


@pytest.fixture(scope="module")
def case(tmp_path_factory):
    """A fitted model with hostile names among its nodes, its ranking and its page."""
    plain = lp.planted_network(140, seed=5)
    hubs = np.argsort(-plain.degrees)[: len(HOSTILE)]
    names = [str(name) for name in plain.names]
    for node, name in zip(hubs.tolist(), HOSTILE, strict=True):
        names[node] = name
    net = lp.Network.from_indices(plain.edges, names)
    model = lp.make("auto", effort="fast", seed=1).fit(net)
    ranking = with_evidence(model, model.predict_edges(130))
    path = tmp_path_factory.mktemp("page") / "report.html"
    write_page(path, prediction_page(model, ranking, {"file": "data/<b>.tsv"}))
    return net, model, ranking, path


@pytest.fixture
def page(case, open_page):
    return open_page(case[3].as_uri())


def ranks_shown(page):
    rows = page.locator("#links tbody tr")
    return [int(rank) for rank in rows.evaluate_all("rows => rows.map(r => r.dataset.rank)")]


def names_in(page, row):
    return [
        page.locator(f"#links tbody tr >> nth={row} >> td.name >> nth={at}").inner_text()
        for at in (0, 1)
    ]


def test_every_section_shows_what_the_run_holds(case, page):
    net, _, ranking, _ = case
    assert page.title() == "Missing links of <b>.tsv"
    assert page.locator("h1").inner_text() == "Missing links of <b>.tsv"
    titles = page.locator("h2").all_inner_texts()
    assert titles[:4] == [
        "Predicted links",
        "How many to expect to be real",
        "Who links to whom",
        "The network at a glance",
    ]
    tiles = page.locator("#network .tile b").all_inner_texts()
    assert tiles[:2] == [f"{net.n_nodes:,}", f"{net.n_edges:,}"]
    assert page.locator("#shown").inner_text() == "130 links"
    assert page.locator("#links tbody tr").count() == 20
    first = ranking[0:1]
    expected = [str(net.names[node]) for node in first.pairs[0]]
    assert names_in(page, 0) == expected
    heads = page.locator("#links th").all_inner_texts()
    assert heads[3:6] == ["probability", "at least", "at most"]
    assert page.locator("figure svg").count() >= 2
    best = next(iter(case[1].learned_.facts["importance"]))
    assert best in page.get_by_role("img", name="share of each model").text_content()


def test_the_cut_off_changes_the_list_and_what_to_expect(case, page):
    _, model, ranking, _ = case
    before = page.locator("#cut-result").inner_text()
    page.locator("#cut").evaluate("s => { s.value = 40; s.dispatchEvent(new Event('input')); }")
    assert page.locator("#shown").inner_text() == "40 links"
    told = page.locator("#cut-result").inner_text()
    assert told != before
    assert told.startswith("Best 40 of 130 links: about ")
    mean = model.expected_hits(ranking.scores)[0][39]
    shown = float(told.split("about ")[1].split(" ")[0])
    assert shown == pytest.approx(mean, abs=0.6 if mean >= 10 else 0.06)


def test_columns_sort_both_ways_and_names_filter(case, page):
    net, _, ranking, _ = case
    degrees = ranking.evidence["degree_source"]
    for down in (True, False):
        page.locator('th button[data-column="degree_source"]').click()
        ordered = [int(degrees[rank - 1]) for rank in ranks_shown(page)]
        assert ordered == sorted(ordered, reverse=down)
        assert ordered[0] == (degrees.max() if down else degrees.min())
    assert page.locator('th[aria-sort="ascending"]').count() == 1
    wanted = str(net.names[ranking.pairs[7, 0]])
    page.locator("#filter").fill(wanted)
    holding = [
        wanted.lower() in str(net.names[i]).lower() or wanted.lower() in str(net.names[j]).lower()
        for i, j in ranking.pairs.tolist()
    ]
    assert page.locator("#shown").inner_text().split()[0] == str(sum(holding))


def test_later_pages_hold_the_rest(case, page):
    for _ in range(6):
        page.get_by_role("button", name="later ›").click()
    assert page.locator("#links tbody tr").count() == 10
    assert page.get_by_role("button", name="later ›").is_disabled()
    page.locator("#rows").select_option("200")
    assert page.locator("#links tbody tr").count() == 130


def test_a_chosen_node_shows_its_neighbourhood_and_its_links(case, page):
    net, _, ranking, _ = case
    node = int(ranking.pairs[0, 0])
    page.locator("#node").fill(str(net.names[node]))
    page.locator("#node").press("Enter")
    own = (ranking.pairs == node).any(axis=1)
    assert page.locator("#shown").inner_text().startswith(f"{own.sum()} link")
    said = page.locator("#graph-message").inner_text()
    assert f"{net.degrees[node]} observed link" in said
    assert f"{min(36, own.sum())} predicted" in said
    assert page.locator("#graph line.predicted").count() == min(36, own.sum())
    page.locator("#top-links").click()
    assert page.locator("#shown").inner_text() == "130 links"
    assert page.locator("#graph line.predicted").count() == 50


def test_a_name_in_the_table_opens_its_neighbourhood_and_keys_reach_a_node(case, page):
    page.locator("#links tbody tr >> nth=0 >> td.name button >> nth=0").click()
    assert page.locator("#graph circle.chosen").count() == 1
    page.locator("#graph circle.node").nth(1).focus()
    page.keyboard.press("Enter")
    assert page.locator("#graph circle.chosen").count() == 1


def test_saved_tables_hold_the_ranking(case, page):
    net, _, ranking, _ = case
    for kind, dialect in (("tsv", "\t"), ("csv", ",")):
        text = saved(page.locator(f"#{kind}")).path().read_text(encoding="utf-8")
        rows = list(csv.DictReader(io.StringIO(text), delimiter=dialect, quoting=_quoting(kind)))
        assert len(rows) == 130
        for row, (i, j), score in zip(rows, ranking.pairs, ranking.scores, strict=True):
            assert [row["source"], row["target"]] == [str(net.names[i]), str(net.names[j])]
            assert float(row["score"]) == pytest.approx(score, rel=1e-5)


FORMULAS = ['=HYPERLINK("x")', "@SUM(A1)", "+1", "-1", "\uff1d1", "'=1", "''@x", "1-2", "'x", "a=b"]
GUARDED = {name: f"'{name}" for name in FORMULAS[:7]}


@pytest.mark.parametrize("kind", ["csv", "tsv"])
def test_a_saved_csv_holds_no_formula(show, kind):
    plain = lp.planted_network(60, seed=5)
    names = [str(name) for name in plain.names]
    for node, name in zip(np.argsort(-plain.degrees).tolist(), FORMULAS, strict=False):
        names[node] = name
    model = lp.make("cn").fit(lp.Network.from_indices(plain.edges, names))
    ranking = with_evidence(model, model.predict_edges(400))
    page = show(prediction_page(model, ranking, {"file": "a.tsv"}))
    text = io.StringIO(saved(page.locator(f"#{kind}")).path().read_text(encoding="utf-8"))
    delimiter, changed = (",", GUARDED) if kind == "csv" else ("\t", {})
    rows = csv.DictReader(text, delimiter=delimiter, quoting=_quoting(kind))
    found = [[row["source"], row["target"]] for row in rows]
    shown = [[names[i], names[j]] for i, j in ranking.pairs.tolist()]
    assert set(FORMULAS) <= {name for pair in shown for name in pair}
    assert found == [[changed.get(name, name) for name in pair] for pair in shown]


def _quoting(kind):
    return csv.QUOTE_NONE if kind == "tsv" else csv.QUOTE_MINIMAL


def test_the_file_for_cytoscape_is_read_by_networkx(case, page):
    networkx = pytest.importorskip("networkx", reason="networkx is not installed")
    net, _, ranking, _ = case
    graph = networkx.read_graphml(saved(page.locator("#graphml")).path())
    kinds = [data["kind"] for *_, data in graph.edges(data=True)]
    assert kinds.count("predicted") == 130
    names = networkx.get_node_attributes(graph, "name")
    ends = {str(net.names[node]) for node in ranking.pairs.ravel()}
    assert set(names.values()) == ends
    observed = {frozenset((str(net.names[i]), str(net.names[j]))) for i, j in net.edges.tolist()}
    for a, b, data in graph.edges(data=True):
        if data["kind"] == "observed":
            assert frozenset((names[a], names[b])) in observed


def test_pictures_are_saved_as_svg_and_png(case, page):
    svg, png = (
        saved(page.get_by_role("button", name=f"save as {name}"))
        for name in ("SVG: expected_yield", "PNG: network")
    )
    assert svg.path().read_text(encoding="utf-8").startswith("<svg")
    assert png.path().read_bytes().startswith(b"\x89PNG")


def test_hostile_names_stay_text(case, page):
    net, _, ranking, _ = case
    shown = {str(net.names[node]) for node in ranking.pairs.ravel()} & set(HOSTILE)
    assert shown
    page.locator("#rows").select_option("200")
    assert page.locator("img").count() == 0
    for name in shown:
        assert page.get_by_role("button", name=name, exact=True).count() >= 1


def test_the_page_fits_a_phone_and_a_dark_room(case, open_page):
    page = open_page(case[3].as_uri(), viewport={"width": 390, "height": 800}, color_scheme="dark")
    wide = page.evaluate("document.documentElement.scrollWidth")
    assert wide <= 391
    colour = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert colour == "rgb(18, 24, 30)"


def test_an_evaluation_shows_every_model_and_marks_who_leads(show):
    from linkprior.evaluation import statistics
    from linkprior.report.evaluation import evaluation_page

    net = lp.planted_network(150, seed=2)
    result = lp.evaluate(["l3", "pa", "random"], net, "kfold:3", seed=1)
    page = show(evaluation_page(result, "planted"))
    rows = page.locator("#comparison tbody tr")
    assert rows.count() == 4
    first = max(result.models, key=lambda model: result.mean(model, "auprc"))
    assert rows.nth(0).locator("th").inner_text() == first
    marked = page.locator("#comparison td b").count()
    assert marked == sum(statistics.best(result, metric) is not None for metric in result.metrics)
    assert page.locator("#evaluation figure").count() == 2


def test_the_yield_between_two_points_of_its_curve_is_between_theirs(case, show):
    """The curve of a long list has a point for every hundred links or so."""
    _, model, ranking, _ = case
    data = prediction_page(model, ranking)
    data["yield"] = {
        "k": [1, 101, 130],
        "mean": [1, 81, 90],
        "low": [0, 60, 70],
        "high": [1, 99, 99],
    }
    page = show(data)
    page.locator("#cut").evaluate("s => { s.value = 51; s.dispatchEvent(new Event('input')); }")
    told = page.locator("#cut-result").inner_text()
    assert told == "Best 51 of 130 links: about 41 of them (30–50) expected to be real"


def test_a_chart_without_a_point_does_not_stop_the_page(case, show):
    _, model, ranking, _ = case
    data = prediction_page(model, ranking[0:0])
    nothing = {"value": [], "nodes": []}
    data["network"] |= {"degrees": nothing, "prior": nothing}
    page = show(data)
    assert page.locator("#shown").inner_text() == "0 links"
    assert page.locator("#no-links").inner_text().startswith("No link is predicted")
    assert page.locator("#graph-section").count() == 0  # nothing to draw
    assert page.locator("#network figure").first.bounding_box()["width"] <= 680
    assert page.locator("h2").all_inner_texts()[-1] == "How this was made"


def test_a_node_with_more_partners_than_a_ring_holds_has_all_of_them_counted(case, show):
    net, model, *_ = case
    name = str(net.names[int(np.argmin(net.degrees))])
    ranking = model.predict_edges(60, Candidates.of(net, around=[name]))
    page = show(prediction_page(model, ranking))
    page.locator("#node").fill(name)
    page.locator("#node").press("Enter")
    said = page.locator("#graph-message").inner_text()
    assert "60 predicted in this list (outer ring: the best 36)" in said
    assert page.locator("#graph line.predicted").count() == 36
    assert page.locator("#shown").inner_text() == f"60 links of {name}"


def test_a_newcomer_finds_one_nodes_links_the_yield_and_the_file_at_once(case, page):
    net, model, ranking, _ = case
    node = int(ranking.pairs[3, 1])
    own = [n for n, pair in enumerate(ranking.pairs.tolist()) if node in pair]
    page.locator('th button[data-column="score"]').click()  # an order that is not the ranking's
    page.locator("#ask").fill(str(net.names[node]).upper())
    page.locator("#ask-go").click()
    assert [rank - 1 for rank in ranks_shown(page)] == own[:20]
    assert f"{len(own)} predicted" in page.locator("#asked").inner_text()
    assert ("Partners of one node only" in page.locator("#asked").inner_text()) == (len(own) < 10)
    rare = next(n for n, at in Counter(ranking.pairs.ravel().tolist()).items() if at < 10)
    page.locator("#ask").fill(str(net.names[rare]))
    page.locator("#ask-go").click()
    assert "Partners of one node only" in page.locator("#asked").inner_text()
    page.locator("#all-links").click()
    assert page.locator("#shown").inner_text() == "130 links"
    told = page.locator("#top-yield").inner_text()
    mean = model.expected_hits(ranking.scores)[0][99]
    assert float(told.split(" ")[1]) == pytest.approx(mean, abs=0.6 if mean >= 10 else 0.06)
    assert saved(page.locator("#cytoscape")).suggested_filename == "links.graphml"
    page.locator("#ask").fill("nobody of that name")
    page.locator("#ask-go").click()
    assert "No link of nobody of that name" in page.locator("#asked").inner_text()


def test_control_characters_leave_the_graphml_readable(case, show):
    import xml.etree.ElementTree as ET

    _, model, ranking, _ = case
    data = prediction_page(model, ranking)
    first = int(data["links"]["source"][0])
    data["names"][first] = "bell\x07 & \x0b<\ud83d\ude00\udcff>"
    page = show(data)
    tree = ET.parse(saved(page.locator("#graphml")).path())
    names = [one.text for one in tree.iter() if one.get("key") == "name"]
    assert "bell\ufffd & \ufffd<\U0001f600\ufffd>" in names


def test_links_without_a_score_stand_last_both_ways_and_have_none_in_files(case, show):
    networkx = pytest.importorskip("networkx", reason="networkx is not installed")
    _, model, ranking, _ = case
    data = prediction_page(model, ranking)
    for row in (4, 9):
        data["links"]["columns"]["score"][row] = None
        data["links"]["columns"]["probability"][row] = None
    page = show(data)
    page.locator("#rows").select_option("200")
    for _ in range(2):
        page.locator('th button[data-column="score"]').click()
        assert ranks_shown(page)[-2:] == [5, 10]
    assert page.locator('#links tr[data-rank="5"] td.number').nth(1).inner_text() == "–"
    graph = networkx.read_graphml(saved(page.locator("#graphml")).path())
    without = [d["rank"] for *_, d in graph.edges(data=True) if "rank" in d and "score" not in d]
    assert sorted(without) == [5, 10]


def test_the_keyboard_reaches_what_a_mouse_does(case, page):
    reached = []
    for _ in range(60):
        page.keyboard.press("Tab")
        reached.append(page.evaluate("document.activeElement.id || document.activeElement.tagName"))
    wanted = ["ask", "ask-go", "cytoscape", "cut", "filter", "tsv", "csv", "graphml"]
    assert [one for one in reached if one in wanted] == wanted


def test_scrolling_goes_past_the_drawing_until_it_is_chosen(case, page):
    before = page.locator("#graph svg").get_attribute("viewBox")
    page.locator("#graph").scroll_into_view_if_needed()
    page.locator("#graph svg").hover()
    page.mouse.wheel(0, -200)
    page.wait_for_timeout(100)
    assert page.locator("#graph svg").get_attribute("viewBox") == before
    page.locator("#graph svg").focus()
    page.locator("#graph svg").hover()
    page.mouse.wheel(0, -200)
    page.wait_for_function(
        "before => document.querySelector('#graph svg').getAttribute('viewBox') !== before",
        arg=before,
    )


def test_names_in_the_drawing_cover_no_other(case, page):
    boxes = page.locator("#graph text:not(.covered)").evaluate_all(
        "all => all.map(t => { const b = t.getBBox(); return [b.x, b.x + b.width, b.y, b.height] })"
    )
    assert len(boxes) > 10
    for n, (left, right, top, height) in enumerate(boxes):
        for other in boxes[n + 1 :]:
            across = min(right, other[1]) - max(left, other[0])
            down = min(top + height, other[2] + other[3]) - max(top, other[2])
            assert not (across > 4 and down > 6)


def test_ten_thousand_links_are_paged_not_all_drawn(case, show):
    _, model, ranking, _ = case
    data = prediction_page(model, ranking)
    links = data["links"]
    for name in ("source", "target"):
        links[name] = (list(links[name]) * 80)[:10_000]
    links["columns"] = {k: (list(v) * 80)[:10_000] for k, v in links["columns"].items()}
    page = show(data)
    assert page.locator("#shown").inner_text() == "10,000 links"
    assert page.locator("#links tbody tr").count() == 20
    page.locator("#rows").select_option("200")
    assert page.locator("#links tbody tr").count() == 200


def test_paper_shows_names_and_heads_and_no_buttons_to_press(case, page):
    page.emulate_media(media="print")
    assert page.locator("#links td.name button").first.is_visible()
    assert page.locator('th button[data-column="score"]').is_visible()
    assert page.locator("#cut-result").is_visible()
    for hidden in ("nav", "#cut", "#tsv", "#ask", "#top-links", "figcaption button >> nth=0"):
        assert not page.locator(hidden).is_visible()
    page.set_viewport_size({"width": 760, "height": 1000})  # A4 between its margins
    assert page.evaluate("document.querySelector('#links').scrollWidth") <= 740
