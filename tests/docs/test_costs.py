"""docs/scaling.md tells what `benchmarks.cost` computes; its formulas count what arrays hold."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from benchmarks import cost, data

from linkprior.model.degrees import estimate_degrees
from linkprior.model.factors import Factors
from linkprior.model.priors import DegreePrior
from linkprior.network.generate import large_network
from linkprior.predictors.scores import build_tables
from linkprior.solvers import direct


@pytest.fixture(scope="module")
def page():
    return (data.ROOT / "docs" / "scaling.md").read_text(encoding="utf-8")


def test_the_page_prints_every_formula_of_the_module(page):
    section = page.split("## What it costs")[1].split("\n## ")[0]
    for told in ("6·p²·r", "8·p²·r", "16·p²", "28·(2m + p)·r + 12·p·r²", "16·m·r + 12·p·r²"):
        assert told in section


@pytest.mark.at_length
def test_tables_hold_the_bytes_the_formula_says():
    p, rng = 300, np.random.default_rng(0)
    factors = Factors(rng.random((p, 4)), np.eye(4))
    tables = build_tables(factors, np.ones(p), np.log(np.arange(2.0, p + 1)))
    assert tables.nbytes == cost.held_bytes("tables", cost.Size(p, 0, 4))


@pytest.mark.at_length
def test_a_streaming_pass_returns_the_bytes_the_formula_says(monkeypatch):
    net = large_network(400, 8.0, seed=1)
    size, sizes = cost.Size(net.n_nodes, net.n_edges, 4), []

    def counted(task, groups, *_, **__):
        for group in groups:
            found = task(group)
            sizes.append(sum(part.nbytes for part in found))
            yield found

    monkeypatch.setattr(direct.parallel, "map_tasks", counted)
    factors = direct.start_factors(net, 4, np.random.default_rng(0))
    direct.ranked_pass(factors, DegreePrior(estimate_degrees(net), 0.5))
    assert sum(sizes) == cost.received_bytes("pass", size)


def test_factors_are_as_large_as_what_is_sent_of_them():
    size, nodes = cost.Size(1000, 0, 8), 1000
    parts = [np.zeros((nodes, 8)), np.zeros(nodes), np.zeros(nodes)]
    assert len(pickle.dumps(parts, protocol=5)) == pytest.approx(
        cost.sent_bytes("pass", size), rel=0.02
    )


def test_flops_of_a_pass_are_three_products_of_p_by_p_with_rank_r():
    size = cost.Size(50, 0, 3)
    one_product = 2 * 50 * 50 * 3  # a multiplication and an addition per entry and column
    assert cost.flops("pass", size) == 3 * one_product
    assert cost.flops("tables", size) == cost.PASSES * one_product
