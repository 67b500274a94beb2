"""Tables of an evaluation: what stands in them is what was measured, and marked rightly."""

import math
import re

import pytest
from tests.evaluation.support import made

from linkprior.evaluation.tables import latex_table, markdown_table, p_value, text_table

NUMBERS = {
    "tri_x": {
        "auprc": [0.011, 0.012, 0.013],
        "auroc": [0.9, 0.8, 0.7],
        "spearman_degree": [-0.5, -0.5, -0.4],
        "seconds": [12.0, 11.0, 13.0],
    },
    "l3": {
        "auprc": [0.031, 0.032, 0.033],
        "auroc": [0.8, 0.8, 0.8],
        "spearman_degree": [0.25] * 3,
        "seconds": [1.0, 1.0, 1.1],
    },
}
BASELINE = {"auprc": [0.0001] * 3, "auroc": [0.5] * 3, "spearman_degree": [0.0] * 3}
FACTS = {
    "protocol": "uniform:0.9",
    "rule": "connected",
    "seed": 3,
    "network": {"nodes": 1966, "edges": 2705},
    "splits": [{"label": f"split {n}", "hidden": 10 + n} for n in range(3)],
}


@pytest.fixture
def judged():
    return made(NUMBERS, BASELINE, **FACTS)


def one_split(**facts):
    first = {m: {x: v[:1] for x, v in metrics.items()} for m, metrics in NUMBERS.items()}
    return made(first, {x: v[:1] for x, v in BASELINE.items()}, **facts)


def cells(text):
    """Rows of the first block, by their first cell."""
    lines = text.split("\n\n")[0].splitlines()
    head, *rows = (re.split(r"\s{2,}", line.strip()) for line in lines)
    return {row[0]: dict(zip(head, row, strict=True)) for row in rows}


def test_a_row_has_mean_and_sd_and_the_best_is_marked(judged):
    rows = cells(text_table(judged))
    assert list(rows) == ["tri_x", "l3", "random baseline"]
    assert rows["l3"]["auprc"] == "0.0320±0.0010*"
    assert rows["tri_x"]["auprc"] == "0.0120±0.0010"
    assert rows["tri_x"]["auroc"] == "0.800±0.100"  # the same mean: nobody leads
    assert rows["l3"]["auroc"] == "0.800±0.000"
    assert rows["l3"]["seconds"] == "1.0±0.1"  # what it costs is no merit
    assert rows["random baseline"] == {
        "model": "random baseline",
        "auprc": "0.0001",
        "auroc": "0.5",
        "spearman_degree": "0",
        "seconds": "–",
    }


def test_one_split_has_no_spread_no_mark_and_no_test():
    text = text_table(one_split(**FACTS))
    assert "±" not in text
    assert "*" not in text
    assert "Wilcoxon" not in text
    assert "no model is marked" in text
    assert float(cells(text)["l3"]["auprc"]) == pytest.approx(0.031)


def test_the_tests_stand_below_with_what_they_cannot_say(judged):
    text = text_table(judged)
    assert "auprc compared with tri_x on the same 3 splits" in text
    assert re.search(r"^l3 +\+0\.0200 +3/0/0 +0\.25 +0\.25$", text, flags=re.MULTILINE)
    assert "cannot give one below 0.25" in " ".join(text.split())
    assert "auprc compared with l3" in text_table(judged, against="l3")
    assert "auroc compared with tri_x" in text_table(judged, metrics=["auroc"])
    assert "auprc compared with tri_x" in text_table(judged, metrics=["seconds", "auprc"])
    assert "compared with" not in text_table(judged, metrics=["spearman_degree"])


def test_the_notes_say_what_was_measured_on_what(judged):
    text = " ".join(text_table(judged).split())
    for fact in ("3 splits", "uniform:0.9", "rule connected", "seed 3", "1,966 nodes", "10–12 hid"):
        assert fact in text
    disturbed = one_split(
        plan={"null": "rewired", "noise": 0.25}, tune={"trials": 7, "metric": "auprc"}
    )
    text = " ".join(text_table(disturbed).split())
    for fact in ("25% of the training edges", "tuned with 7 settings", "rewired at random"):
        assert fact in text


@pytest.mark.parametrize("width", [60, 100, 120])
def test_no_line_is_wider_than_asked_and_no_column_is_lost(width):
    metrics = [f"recall@10/node:{n}" for n in range(12)]
    judged = made({"tri-degree": {metric: [0.1, 0.2, 0.4] for metric in metrics}})
    text = text_table(judged, metrics, width=width)
    assert max(map(len, text.splitlines())) <= width
    heads = [line.split()[1:] for line in text.splitlines() if line.startswith("model")]
    assert [name for head in heads for name in head] == metrics


def test_small_numbers_do_not_look_like_nothing():
    judged = made({"a": {"auprc": [0.5]}, "b": {"auprc": [0.00004]}, "c": {"auprc": [0.0]}})
    rows = cells(text_table(judged))
    assert [rows[m]["auprc"] for m in "abc"] == ["0.500", "4.0e-05", "0.000"]


def test_what_could_not_be_measured_is_a_dash():
    judged = made({"a": {"auprc": [math.nan] * 2}, "b": {"auprc": [math.nan, 0.25]}})
    rows = cells(text_table(judged))
    assert (rows["a"]["auprc"], rows["b"]["auprc"]) == ("–", "0.250")
    assert p_value(None) == "–"


def table_rows(text):
    lines = [line for line in text.splitlines() if line.startswith("| ")]
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines]


def test_markdown_has_every_metric_and_the_p_values(judged):
    text = markdown_table(judged)
    head, rule, *rows = table_rows(text)
    assert head == ["metric", "tri_x", "l3", "random baseline"]
    assert set(rule) == {"---", "--:"}
    found = {row[0]: row[1:] for row in rows[:4]}
    assert found["auprc ↑"] == ["0.0120 ± 0.0010", "**0.0320 ± 0.0010**", "0.0001"]
    assert found["seconds ↓"][2] == "–"
    assert "spearman_degree" in found  # no arrow: it has no better end
    tests = {row[0]: row[1:] for row in rows[4:]}
    assert tests["auprc"] == ["0.25 / 0.25"]
    assert tests["auroc"] == ["1 / 1"]
    assert "spearman_degree" not in tests
    assert "p" not in {row[0] for row in table_rows(markdown_table(one_split()))}


def test_a_bar_in_a_name_does_not_break_the_table():
    text = markdown_table(made({"a|b": {"auprc": [0.1]}}))
    assert r"| a\|b |" in text


def test_latex_is_balanced_escaped_and_fits_a_page(judged):
    text = latex_table(judged)
    for kind in ("table", "tabular"):
        assert text.count(f"\\begin{{{kind}}}") == text.count(f"\\end{{{kind}}}") == 2
    assert re.sub(r"\\[{}]", "", text).count("{") == re.sub(r"\\[{}]", "", text).count("}")
    assert r"metric & tri\_x & l3 & random baseline \\" in text
    assert r"auprc & 0.0120 $\pm$ 0.0010 & \textbf{0.0320 $\pm$ 0.0010} & 0.0001 \\" in text
    assert r"spearman\_degree & $-$0.467" in text
    assert r"seconds & 12.0 $\pm$ 1.0 & 1.0 $\pm$ 0.1 & -- \\" in text
    assert not re.search(r"(?<!\\)[_&%#](?![^\n]*\\\\)", text.replace("% \\usepackage", ""))
    many = made({f"m{n}": {"auprc": [0.1, 0.2]} for n in range(14)})
    widths = [len(c) for c in re.findall(r"\\begin\{tabular\}\{l(r+)\}", latex_table(many))]
    assert widths == [5, 5, 4, 5, 5, 3]


def test_latex_escapes_whatever_a_name_holds():
    text = latex_table(made({"a_b&c%d#e{f}~^$\\": {"auprc": [0.1]}}))
    assert r"a\_b\&c\%d\#e\{f\}\textasciitilde{}\textasciicircum{}\$\textbackslash{}" in text
