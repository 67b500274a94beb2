"""`linkprior evaluate`: the table and the files."""

import json

import numpy as np
import pytest
from tests.cli.support import (
    by_name,
    one_line_of_error,
    table,
)

import linkprior as lp


def test_evaluate_writes_results_and_prints_the_table(run, edges, tmp_path):
    folder = tmp_path / "new" / "results"
    status, out, err = run(
        *("evaluate", edges, "--models", "pa, l3", "--protocol", "uniform:0.8", "--repeats", 2),
        *("--rule", "all-nodes", "--seed", 3, "-o", folder),
    )
    assert status == 0
    assert sorted(p.name for p in folder.iterdir()) == ["results.json", "results.tsv"]
    header, rows = table((folder / "results.tsv").read_text())
    assert header == ["model", "split", "metric", "value"]
    facts = json.loads((folder / "results.json").read_text())
    assert [[str(v) for v in row.values()] for row in facts["results"]] == rows
    assert set(facts["results"][0]) == set(header)
    assert (facts["protocol"], facts["rule"], facts["seed"]) == ("uniform:0.8", "all-nodes", 3)
    assert facts["linkprior"] == lp.__version__

    net = lp.read_network(edges)
    again = lp.evaluate(["pa", "l3"], net, "uniform:0.8", "all-nodes", 2, 3)
    values = {tuple(row[:3]): float(row[3]) for row in rows if row[2] != "seconds"}
    assert values == {row[:3]: row[3] for row in again.rows if row[2] != "seconds"}
    assert len(values) == 2 * 2 * 4

    lines = [line.split() for line in out.splitlines()]
    assert lines[0][0] == "model"
    assert [line[0] for line in lines[1:]] == ["pa", "l3"]
    column = lines[0].index("recall@5%")
    for line in lines[1:]:
        assert float(line[column]) == pytest.approx(again.mean(line[0], "recall@5%"), abs=6e-4)
    assert "hidden edges to find" in err


def test_evaluate_on_a_later_release(run, edges, tmp_path):
    net = lp.read_network(edges)
    new = by_name(net, np.argwhere(np.triu(net.adjacency.toarray() == 0, 1))[:5])
    newer = tmp_path / "newer.tsv"
    newer.write_text(edges.read_text() + "".join(f"{a}\t{b}\n" for a, b in [*new, ("x", "y")]))
    status, _, err = run("evaluate", edges, "--models", "pa", "--protocol", f"release:{newer}")
    assert status == 0
    assert "release: 5 hidden edges to find, 1 outside" in err


def test_the_newer_release_is_read_like_the_older(run, tmp_path):
    """Otherwise edges that a filter left out of the older file would count as new."""
    older, newer = tmp_path / "older.tsv", tmp_path / "newer.tsv"
    rows = [("a", "b", 9), ("b", "c", 9), ("c", "d", 9), ("a", "d", 1), ("b", "d", 1)]
    older.write_text("".join(f"{a}\t{b}\t{w}\n" for a, b, w in rows))
    newer.write_text(older.read_text() + "a\tc\t9\n")
    ask = ("evaluate", older, "--models", "pa", "--protocol", f"release:{newer}")
    _, _, err = run(*ask, "--min-score", 5)
    assert "release: 1 hidden edges to find, 0 outside" in err
    assert "newer.tsv" in err


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["--models", "pa,pq"], ["no model is called 'pq'", "Did you mean"]),
        (["--protocol", "unifrom:0.9"], ["no protocol is called", "Did you mean uniform"]),
        (["--protocol", "uniform:2"], ["rate must be"]),
        (["--repeats", "0"], ["repeats must be"]),
    ],
)
def test_evaluate_refuses_what_it_cannot_do(run, edges, tmp_path, arguments, expected):
    result = run("evaluate", edges, "--models", "pa", *arguments, "-o", tmp_path / "out")
    assert one_line_of_error(result, *expected)
    assert not (tmp_path / "out").exists()
