"""What a user knows beside the edges: --negatives, --history, --add-nodes, --coverage."""

import json
from typing import NamedTuple

import numpy as np
import pytest

import linkprior as lp


class Done(NamedTuple):
    code: int
    stdout: str
    stderr: str


@pytest.fixture
def linkprior(run):
    return lambda *arguments: Done(*run(*arguments))


def write(path, pairs):
    path.write_text("".join(f"{a}\t{b}\n" for a, b in pairs))
    return str(path)


@pytest.fixture(scope="module")
def net():
    return lp.planted_network(120, n_groups=4, mean_degree=8.0, seed=3)


@pytest.fixture
def edges(net, tmp_path):
    return write(tmp_path / "edges.tsv", [(net.names[i], net.names[j]) for i, j in net.edges])


@pytest.fixture
def best(linkprior, edges):
    """The pairs l3 ranks first."""
    rows = linkprior("predict", edges, "--model", "l3", "--top", "10", "-q").stdout.splitlines()[1:]
    return [tuple(row.split("\t")[1:3]) for row in rows]


def ranked(done):
    return [tuple(row.split("\t")[1:3]) for row in done.stdout.splitlines()[1:]]


def test_known_non_edges_are_never_predicted(linkprior, edges, best, tmp_path):
    file = write(tmp_path / "no.tsv", best[:3])
    done = linkprior("predict", edges, "--model", "l3", "--negatives", file, "--top", "7")
    assert ranked(done) == best[3:]
    assert "3 known non-edges" in done.stderr
    assert "l3 takes no notice of negatives (they are not predicted)" in done.stderr


def test_known_non_edges_pull_the_scores_of_a_factorization(linkprior, edges, best, tmp_path):
    file = write(tmp_path / "no.tsv", best[:3])
    done = linkprior("predict", edges, "--model", "tri", "--negatives", file)
    assert done.code == 0
    assert "no notice" not in done.stderr


def test_an_observed_edge_among_the_negatives_is_refused_unless_forced(
    linkprior, edges, net, tmp_path
):
    i, j = net.edges[0]
    pair = (net.names[i], net.names[j])
    file = write(tmp_path / "no.tsv", [pair, ("0", "nobody")])
    done = linkprior("predict", edges, "--model", "l3", "--negatives", file)
    assert done.code == 1
    assert "is an observed edge" in done.stderr.splitlines()[-1]
    assert "--force" in done.stderr.splitlines()[-1]
    forced = linkprior("predict", edges, "--model", "l3", "--negatives", file, "--force")
    assert forced.code == 0
    assert "1 named there stays observed edge" in forced.stderr


def test_pairs_of_unknown_nodes_are_counted_and_five_shown(linkprior, edges, best, tmp_path):
    strangers = [(f"x{n}", f"y{n}") for n in range(8)]
    file = write(tmp_path / "no.tsv", [best[0], *strangers])
    done = linkprior("predict", edges, "--model", "l3", "--negatives", file)
    assert "8 of its pairs" in done.stderr
    assert "x4 – y4 and 3 more" in done.stderr


def test_negatives_of_another_network_are_refused(linkprior, edges, tmp_path):
    file = write(tmp_path / "no.tsv", [("x1", "y1"), ("x2", "y2")])
    done = linkprior("predict", edges, "--model", "l3", "--negatives", file)
    assert done.code == 1
    assert "none of its 2 pairs joins two nodes" in done.stderr


@pytest.mark.parametrize("share", ["0", "-0.2", "1.2", "nan"])
def test_a_coverage_that_is_no_share_is_refused(linkprior, edges, share):
    done = linkprior("predict", edges, "--coverage", share)
    assert done.code == 1
    assert "--coverage expects the share" in done.stderr.splitlines()[-1]


def test_coverage_says_how_many_links_are_missing(linkprior, edges, net, tmp_path):
    folder = tmp_path / "run"
    args = ("--model", "degree:l3", "--coverage", "0.5", "-o", f"{folder}/")
    done = linkprior("predict", edges, *args)
    assert f"{net.n_edges:,} links are taken to be missing" in done.stderr
    manifest = json.loads((folder / "manifest.json").read_text())
    assert manifest["request"]["coverage"] == 0.5
    assert manifest["request"]["parameters"]["n_edges"] == 2 * net.n_edges


def test_coverage_sets_the_chances_of_auto(linkprior, edges):
    args = ("predict", edges, "--effort", "fast", "--top", "50")
    chances = []
    for coverage in ("0.9", "0.5"):
        done = linkprior(*args, "--coverage", coverage)
        header, *rows = (line.split("\t") for line in done.stdout.splitlines())
        chances.append([float(row[header.index("probability")]) for row in rows])
    assert "50 % of all links are missing" in done.stderr
    assert np.mean(chances[1]) > 2 * np.mean(chances[0])


def test_coverage_and_the_parameter_it_sets_are_not_given_both(linkprior, edges):
    done = linkprior("predict", edges, "--coverage", "0.5", "--set", "missing=0.2")
    assert done.code == 2


def test_a_model_that_does_not_ask_for_coverage_says_so(linkprior, edges):
    done = linkprior("predict", edges, "--model", "l3", "--coverage", "0.5")
    assert "l3 does not ask how many links are missing" in done.stderr


def test_a_node_without_an_edge_is_scored_through_the_prior(linkprior, edges, net, tmp_path):
    file = tmp_path / "new.txt"
    file.write_text("newcomer\n")
    done = linkprior(
        "predict", edges, "--model", "degree:l3", "--add-nodes", str(file), "--node", "newcomer"
    )
    partners = [a if b == "newcomer" else b for a, b in ranked(done)]
    degree = dict(zip(net.names, net.degrees, strict=True))
    found = [degree[name] for name in partners]
    assert np.mean(found[:20]) > 1.5 * net.degrees.mean()


def test_a_model_without_a_prior_refuses_nodes_without_an_edge_by_name(linkprior, edges, tmp_path):
    file = tmp_path / "new.txt"
    file.write_text("newcomer\n")
    done = linkprior("predict", edges, "--add-nodes", str(file), "--effort", "fast")
    assert done.code == 1
    assert "auto cannot score nodes without an edge: newcomer" in done.stderr.splitlines()[-1]


def test_auto_learns_from_two_releases_and_a_run_is_taken_up_again(linkprior, net, tmp_path):
    rng = np.random.default_rng(0)
    kept = rng.random(net.n_edges) < 0.8
    newer = [(net.names[i], net.names[j]) for i, j in net.edges]
    older = [pair for pair, keep in zip(newer, kept, strict=True) if keep]
    old, new = write(tmp_path / "old.tsv", older), write(tmp_path / "new.tsv", newer)
    args = ("predict", new, "--history", old, new, "--effort", "fast", "-o", f"{tmp_path}/run/")
    first = linkprior(*args)
    assert f"{new} has" in first.stderr
    assert "if the next release finds links" in first.stderr
    ranking = (tmp_path / "run" / "ranking.tsv").read_bytes()
    again = linkprior(*args)
    assert "Taking up the auto model fitted before" in again.stderr
    assert (tmp_path / "run" / "ranking.tsv").read_bytes() == ranking


def test_releases_with_nothing_new_are_refused_by_file(linkprior, edges):
    done = linkprior("predict", edges, "--history", edges, edges)
    assert done.code == 1
    assert f"--history {edges} {edges}: the newer release has no new edge" in done.stderr


def test_other_models_say_that_they_take_no_notice_of_a_history(linkprior, edges, net, tmp_path):
    older = write(
        tmp_path / "old.tsv",
        [(net.names[i], net.names[j]) for i, j in net.edges[: net.n_edges // 2]],
    )
    done = linkprior("evaluate", edges, "--models", "l3", "--history", older, edges)
    assert done.code == 0
    assert "l3, pa take no notice of --history; auto does" in done.stderr


def test_evaluate_takes_known_non_edges(linkprior, edges, best, tmp_path):
    file = write(tmp_path / "no.tsv", best[:3])
    done = linkprior("evaluate", edges, "--models", "l3", "--negatives", file)
    assert done.code == 0
    assert "3 known non-edges" in done.stderr
