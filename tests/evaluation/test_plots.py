"""Curves: points from the cells by the definitions, pictures that repeat to the byte."""

import re
import xml.etree.ElementTree as ET
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import linkprior as lp
from linkprior.evaluation.plots import (
    draw_found,
    draw_precision_recall,
    hidden_edges_found,
    precision_recall,
    spread,
)
from linkprior.evaluation.splits import uniform


@pytest.fixture(scope="module")
def judged(planted):
    return lp.evaluate(["l3", "pa"], planted, "uniform:0.7", repeats=2)


def ranked_hits(model, split):
    """Whether each candidate, best first, is a hidden edge; ties do not occur here."""
    scores = model.score_rows(0, split.train.n_nodes)
    keeps = split.eligible
    free = np.triu(split.train.adjacency.toarray() == 0, 1) & keeps[:, None] & keeps
    pairs = np.argwhere(free)
    hidden = {tuple(pair) for pair in split.hidden.tolist()}
    order = np.argsort(-scores[free], kind="stable")
    return np.array([tuple(pairs[at].tolist()) in hidden for at in order])


@pytest.fixture(scope="module")
def untied(planted):
    """A model without ties, its evaluation, and its hits by sorting everything."""
    model = lp.make("random")
    splits = [uniform(planted, 0.7, seed) for seed in (0, 1)]
    hits = [ranked_hits(lp.make("random").fit(split.train), split) for split in splits]
    return lp.evaluate([model], planted, "uniform:0.7", repeats=2), splits, hits


def test_precision_and_recall_are_those_of_the_sorted_list(untied):
    judged, _, hits = untied
    line = precision_recall(judged)[0]
    ks = np.arange(1, min(map(len, hits)) + 1)
    found = [np.cumsum(one)[: len(ks)] for one in hits]
    recall = np.mean([f / one.sum() for f, one in zip(found, hits, strict=True)], axis=0)
    precision = np.mean([f / ks for f in found], axis=0)
    # Points kept are some of the k, with straight lines between them.
    away = np.hypot(recall[:, None] - line.x, precision[:, None] - line.y)
    assert away.min(axis=0).max() < 0.01
    begun = np.mean(found, axis=0) >= 1.0
    assert away[begun].min(axis=1).max() < 0.03
    assert line.x[-1] == pytest.approx(recall[-1], abs=0.005)


def test_hidden_edges_found_are_counted_against_all_pairs(untied):
    judged, splits, hits = untied
    line = hidden_edges_found(judged)[0]
    assert (line.x[0], line.x[-1], line.y[0]) == (0.0, 10.0, 0.0)
    for at in (60, 120, 240):
        k = [line.x[at] / 100 * split.n_pairs for split in splits]
        expected = np.mean([one[: round(n)].sum() for one, n in zip(hits, k, strict=True)])
        assert line.y[at] == pytest.approx(expected, abs=1.5)
    recall = judged.values("random", "recall@10%")
    edges = [len(split.hidden) for split in splits]
    assert line.y[-1] == pytest.approx(np.mean(np.multiply(recall, edges)), abs=0.75)


def test_the_random_baseline_is_a_level_and_a_straight_line(judged):
    by_name = {line.label: line for line in precision_recall(judged)}
    assert list(by_name) == ["l3", "pa", "random baseline"]
    level = by_name["random baseline"].y
    np.testing.assert_allclose(level, level[0], rtol=0.02)
    straight = hidden_edges_found(judged)[-1]
    np.testing.assert_allclose(straight.y, straight.x * straight.y[-1] / 10.0, atol=0.05)
    hidden = [split["hidden"] for split in judged.facts["splits"]]
    expected = np.mean(np.multiply(judged.values("random baseline", "recall@10%"), hidden))
    assert straight.y[-1] == pytest.approx(expected, abs=0.03)


@given(st.lists(st.floats(0, 100), min_size=1, max_size=12), st.floats(0.1, 10))
def test_labels_are_apart_in_order_and_centred(heights, gap):
    heights = sorted(heights)
    moved = spread(heights, gap)
    assert len(moved) == len(heights)
    assert all(b - a >= gap * (1 - 1e-6) - 1e-9 for a, b in pairwise(moved))
    assert sum(moved) == pytest.approx(sum(heights), abs=1e-6)


def test_labels_that_do_not_overlap_stay_where_they_are():
    assert spread([1.0, 5.0, 9.0], 2.0) == [1.0, 5.0, 9.0]
    assert spread([1.0, 5.0, 5.5], 2.0) == pytest.approx([1.0, 4.25, 6.25])


@pytest.mark.parametrize("draw", [draw_precision_recall, draw_found])
def test_pictures_repeat_to_the_byte_and_name_every_model(judged, draw):
    pictures = draw(judged)
    assert pictures == draw(judged)
    svg, png = pictures["svg"], pictures["png"]
    words = " ".join(ET.fromstring(svg).itertext())
    for name in ("l3", "pa", "random baseline", "uniform:0.7", "mean of 2 splits"):
        assert name in words
    assert not re.search(rb"<dc:date>|20\d\d-\d\d-\d\d", svg)
    assert png.startswith(b"\x89PNG\r\n\x1a\n")
    assert b"Software" not in png


def test_many_models_get_lines_of_their_own(planted):
    names = ["pa", "cn", "aa", "ra", "jaccard", "katz", "lrw", "l3", "random"]
    svg = draw_found(lp.evaluate(names, planted))["svg"].decode()
    lines = re.findall(r"<path[^>]*style=\"fill: none;([^\"]*stroke-width: 1.6[^\"]*)\"", svg)
    assert len(lines) == len(set(lines)) == len(names)
