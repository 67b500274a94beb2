"""`linkprior predict --candidates`: some partners per node, what that misses, and bad input."""

import json
import re

import numpy as np
import pytest
from tests.cli.support import one_line_of_error, outside, table

import linkprior as lp

PU = ["--model", "pu", "--set", "rank=4", "--set", "max_iter=3"]


@pytest.fixture
def large(tmp_path):
    """A network of several blocks of nodes, as a file."""
    net = lp.large_network(700, mean_degree=8, n_groups=6, seed=4)
    path = tmp_path / "large.tsv"
    path.write_text("".join(f"{net.names[i]}\t{net.names[j]}\n" for i, j in net.edges.tolist()))
    return path


def pairs(out):
    return [(row[1], row[2]) for row in table(out)[1]]


def test_with_room_for_all_partners_the_list_is_that_of_all_pairs(run, edges):
    every = run("predict", edges, "--model", "pa", "--candidates", "all", "--top", 200)
    some = run(
        "predict", edges, "--model", "pa", "--candidates", "paths3", "--partners", 60, "--top", 200
    )
    assert some[0] == 0
    assert some[1] == every[1], "evidence too"
    assert "Candidates hold all of the best pairs of the 53 nodes judged" in some[2]


@pytest.mark.parametrize("kind", ["paths3", "knn"])
def test_the_share_of_the_best_pairs_is_told(run, large, kind):
    status, out, err = run(
        "predict", large, *PU, "--candidates", kind, "--partners", 5, "--top", 900
    )
    net = lp.read_network(large)
    every = lp.make("pu", rank=4, max_iter=3).fit(net).predict_edges(900).names
    truth = len(set(every) & set(pairs(out))) / 900
    told = re.search(
        r"Candidates hold ([\d.]+) % \(±([\d.]+)\) of the best pairs \(\d+ nodes judged", err
    )
    assert status == 0
    assert len(pairs(out)) == 900
    assert abs(float(told[1]) - 100 * truth) <= 2.0 * float(told[2])


@pytest.mark.at_length
def test_the_number_of_workers_changes_no_byte(large):
    arguments = ["predict", large, *PU, "--candidates", "knn", "--partners", 9, "--top", 400]
    one, two = (outside(*arguments, "--workers", workers) for workers in (1, 2))
    assert one.returncode == 0
    assert one.stdout == two.stdout
    assert one.stdout.count("\n") == 401


def test_above_the_limit_nearest_partners_are_the_default_and_it_is_said(run, large, monkeypatch):
    monkeypatch.setattr("linkprior.ranking.candidates.ALL_UP_TO", 100)
    _, _, by_factors = run("predict", large, *PU)
    _, _, by_paths = run("predict", large, "--model", "l3")
    _, _, every = run("predict", large, "--model", "l3", "--candidates", "all")
    said = "Candidates: per node 1,000 of the partners"
    assert f"{said} nearest by the model's factors" in by_factors
    assert f"{said} that most paths of length 3 lead to" in by_paths
    assert "--candidates all" in by_paths
    assert "Candidates" not in every


def test_restrictions_and_exclusions_combine_with_partners(run, edges, tmp_path):
    names = lp.read_network(edges).names
    listed = tmp_path / "some.txt"
    listed.write_text("\n".join(names[:30]))
    asked = ["predict", edges, "--model", "pa", "--nodes", listed, "--node", names[3]]
    _, every, _ = run(*asked)
    tested = tmp_path / "tested.tsv"
    tested.write_text("".join(f"{a}\t{b}\n" for a, b in pairs(every)[:2]))
    nearby = ["--candidates", "paths3", "--partners", 60]
    _, out, _ = run(*asked, *nearby, "--exclude", tested)
    assert pairs(out) == pairs(every)[2:]
    assert len(pairs(out)) > 5


def test_a_threshold_is_met(run, edges):
    asked = ["predict", edges, "--model", "pa", "--threshold", 60]
    assert run(*asked)[1] == run(*asked, "--candidates", "paths3", "--partners", 60)[1]


def test_a_run_folder_remembers_the_candidates(run, edges, tmp_path):
    folder = tmp_path / "run"
    asked = ["predict", edges, "--model", "pa", "-o", f"{folder}/", "--candidates", "paths3"]
    assert run(*asked, "--partners", 7)[0] == 0
    kept = json.loads((folder / "manifest.json").read_text())
    assert kept["request"]["candidates"] == "paths3"
    assert kept["request"]["partners"] == 7
    assert one_line_of_error(run(*asked, "--partners", 8), "--force")


@pytest.mark.parametrize("partners", [0, -5, 10**9])
def test_partners_out_of_range_are_refused(run, edges, partners):
    said = run("predict", edges, "--candidates", "paths3", "--partners", partners)
    assert one_line_of_error(said, "--partners expects", "1 to 100,000", str(partners))


def test_partners_without_partners_to_choose_are_refused(run, edges):
    said = run("predict", edges, "--model", "pa", "--candidates", "all", "--partners", 5)
    assert one_line_of_error(said, "--partners is for --candidates paths3 or knn")
    said = run("predict", edges, "--model", "pa", "--partners", 5)
    assert one_line_of_error(said, "--candidates paths3 or knn")


def test_nearest_by_factors_asks_for_a_model_with_factors(run, edges):
    said = run("predict", edges, "--model", "l3", "--candidates", "knn")
    assert one_line_of_error(said, "l3 has no factors", "paths3")
    assert "Fitting" not in said[2]


def test_an_unknown_kind_is_wrong_usage(run, edges):
    status, _, err = run("predict", edges, "--candidates", "near")
    assert status == 2
    assert "paths3" in err


def test_scores_are_those_of_the_model(run, large):
    _, out, _ = run("predict", large, *PU, "--candidates", "knn", "--partners", 20)
    net = lp.read_network(large)
    model = lp.make("pu", rank=4, max_iter=3).fit(net)
    rows = table(out)[1]
    given = [[net.index_of(name) for name in row[1:3]] for row in rows]
    assert np.allclose([float(row[3]) for row in rows], model.score_pairs(given), rtol=1e-5)


def test_an_estimate_is_of_the_partners_only(run, large, monkeypatch):
    monkeypatch.setattr("linkprior.ranking.candidates._NANOSECONDS", {"knn": 3.6e12 / 7000})
    monkeypatch.setattr("linkprior.predictors.cost.machine_factor", lambda: 1.0)
    asked = ["predict", large, *PU, "--dry-run", "--workers", 1]
    assert "about 1 second" in run(*asked)[1]
    assert "about 60 minutes" in run(*asked, "--candidates", "knn", "--partners", 10)[1]
