"""What notebooks show: hostile text stays text, nothing runs, nothing is fetched."""

from html.parser import HTMLParser

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import linkprior as lp
from linkprior import _html as html
from linkprior.evaluation.results import Evaluation
from linkprior.evaluation.store import Cell
from linkprior.predictors.base import Explanation
from linkprior.ranking.ranking import Ranking

HOSTILE = (
    "<img src=x onerror=alert(1)>",
    "</td></table><script>alert(1)</script>",
    "\" onmouseover='alert(1)' &lt;b&gt;",
    "<!-- -->",
    "]]>",
    "&amp;",
)
TAGS = {"div", "strong", "table", "thead", "tbody", "tr", "th", "td", "b", "bdi"}


class Page(HTMLParser):
    """Checks that tags are ours and close in order; keeps the text of each cell."""

    def __init__(self, source):
        super().__init__(convert_charrefs=True)
        self.open, self.texts, self.bold = [], [], []
        source.encode("utf-8")
        self.feed(source)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        assert tag in TAGS
        assert {name for name, _ in attrs} <= {"style", "scope"}
        assert not any(
            "url" in value or "color:" in value.replace("color:inherit", "") for _, value in attrs
        )
        self.open.append(tag)
        if tag in ("td", "th"):
            self.texts.append("")

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if {"td", "th"} & set(self.open):
            self.texts[-1] += data
        else:
            self.texts.append(data)
        if "b" in self.open:
            self.bold.append(data)

    def refuse(self, data):
        raise AssertionError(f"markup that is not ours: {data!r}")

    handle_comment = handle_decl = handle_pi = unknown_decl = refuse


def page(thing):
    return Page(thing._repr_html_())


def ranking_of(names):
    k = len(names) - 1
    pairs = np.stack([np.arange(k), np.arange(1, k + 1)], axis=1)
    return Ranking(pairs, np.linspace(1, 0, k), tuple(names))


MARKUP = st.text(alphabet="<>&\"'/!-?[]=;#ab \n\x00é", max_size=50)


@given(MARKUP, st.one_of(MARKUP, st.text(max_size=50)))
def test_any_text_stays_text(name, value):
    shown = Page(html.table([name], [[value]])).texts
    assert len(shown) == 2
    for text, found in zip((name, value), shown, strict=True):
        same = [b in (a, "\ufffd") or a in "\r\n" for a, b in zip(text, found, strict=True)]
        assert all(same)


def test_text_that_cannot_be_shown_is_replaced_and_long_text_cut():
    assert html.text("a\x00b\x1b\ud800") == "a\ufffdb\ufffd\ufffd"
    assert html.text("x" * 10_000) == "x" * (html.LONGEST - 1) + "…"
    assert html.text(1 / 3) == "0.333333"
    assert html.text(None) == html.text(float("nan")) == "–"
    assert html.text("<" * 10_000) == "&lt;" * (html.LONGEST - 1) + "…"


def test_a_ranking_shows_ten_rows_and_counts_the_others():
    texts = page(ranking_of([f"n{i}" for i in range(101)])).texts
    assert texts[:5] == ["100 predicted links", "rank", "source", "target", "score"]
    assert texts[5:9] == ["1", "n0", "n1", "1"]
    assert texts[-1] == "… and 90 more"
    assert len(texts) == 1 + 4 + 10 * 4 + 1
    assert "more" not in ranking_of([f"n{i}" for i in range(11)])._repr_html_()
    assert page(ranking_of("ab")).texts[0] == "1 predicted link"
    none = page(ranking_of("ab")[:0]).texts
    assert none == ["0 predicted links", "rank", "source", "target", "score"]


def test_hostile_names_and_columns_of_a_ranking_stay_text():
    ranking = ranking_of(HOSTILE)
    evidence = {name: np.array(HOSTILE[1:]) for name in HOSTILE}
    texts = page(Ranking(ranking.pairs, ranking.scores, ranking.node_names, evidence)).texts
    assert texts[5 : 5 + len(HOSTILE)] == list(HOSTILE)
    first = texts[5 + len(HOSTILE) :]
    assert first[1:3] == list(HOSTILE[:2])
    assert first[4] == HOSTILE[1]


def test_a_network_shows_its_size_degrees_hubs_and_what_was_merged():
    edges = [("hub", f"n{i}") for i in range(5)] + [("n0", "n1"), ("n1", "n0"), ("n2", "n2")]
    texts = page(lp.Network.from_edges(edges)).texts
    shown = dict(zip(texts[1::2], texts[2::2], strict=True))
    assert (shown["nodes"], shown["edges"]) == ("6", "6")
    assert shown["degree"] == "1 to 5, median 1.5, mean 2"
    assert shown["most edges"] == "hub (5), n0 (2), n1 (2)"
    assert shown["merged"] == "self loops (1), reversed duplicates (1)"


def test_a_network_without_nodes_or_with_hostile_names_can_be_shown():
    assert page(lp.Network.from_edges([], nodes=[])).texts == [
        *("Network", "nodes", "0", "edges", "0", "merged", "–")
    ]
    network = lp.Network.from_edges([(HOSTILE[0], HOSTILE[1]), (HOSTILE[0], HOSTILE[2])])
    assert f"{HOSTILE[0]} (2), {HOSTILE[1]} (1), {HOSTILE[2]} (1)" in page(network).texts


def test_a_predictor_shows_changed_parameters_in_bold_and_what_it_was_fitted_on(planted):
    model = lp.make("tri", rank=7)
    shown = page(model)
    assert shown.texts[:2] == ["tri", "not fitted"]
    assert shown.bold == ["rank", "7"]
    cells = dict(zip(shown.texts[2::2], shown.texts[3::2], strict=True))
    assert cells == {name: repr(value) for name, value in model.get_params().items()}
    assert page(lp.make("l3").fit(planted)).texts[1] == f"fitted on {planted!r}"


@pytest.mark.parametrize("value", [*HOSTILE, np.arange(3), None])
def test_hostile_parameters_stay_text(value):
    shown = page(lp.make("tri", seed=value))
    assert shown.bold == ["seed", repr(value)]


def test_an_evaluation_shows_the_mean_of_each_metric():
    cells = [
        Cell("l3", "s1", {"auroc": 0.5, "ndcg": float("nan")}),
        Cell("l3", "s2", {"auroc": 0.75, "ndcg": float("nan")}),
        Cell("pa", "s1", {"auroc": 0.25, "ndcg": 0.125}),
    ]
    texts = page(Evaluation(cells, facts={"protocol": "uniform:0.9", "seed": 4})).texts
    assert texts == [
        *("Evaluation: mean over 2 splits", "model", "auroc", "ndcg"),
        *("l3", "0.625", "–", "pa", "0.25", "0.125"),
        *("protocol", "uniform:0.9", "seed", "4"),
    ]


def test_hostile_labels_of_an_evaluation_stay_text():
    cells = [Cell(HOSTILE[0], HOSTILE[1], {HOSTILE[2]: 1.0})]
    texts = page(Evaluation(cells, facts={"rule": HOSTILE[3]})).texts
    assert texts[1:] == ["model", HOSTILE[2], HOSTILE[0], "1", "rule", HOSTILE[3]]


def test_an_explanation_shows_one_row_per_pair(planted):
    model = lp.make("l3").fit(planted)
    frame = model.explain(planted.edges[:12]).to_frame()
    texts = page(model.explain(planted.edges[:12])).texts
    width = len(frame.columns)
    assert texts[0] == "Explanation"
    assert texts[1 : 1 + width] == list(frame.columns)
    assert texts[1 + width : 3 + width] == frame.loc[0, ["source", "target"]].tolist()
    assert texts[-1] == "… and 2 more"
    assert len(texts) == 2 + 11 * width


def test_hostile_names_of_an_explanation_stay_text(planted):
    model = lp.make("l3").fit(planted.rename([HOSTILE[0], HOSTILE[1], *planted.names[2:]]))
    explanation = model.explain([(0, 1)])
    assert isinstance(explanation, Explanation)
    assert set(HOSTILE[:2]) <= set(page(explanation).texts)
