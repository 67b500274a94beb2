"""`linkprior predict` asked about some pairs only, in other formats, or for its reasons."""

import json
import re

import networkx as nx
import numpy as np
import pytest
from tests.cli.support import GENES, SMALL, biogrid, by_name, one_line_of_error, table, write_edges

import linkprior as lp


@pytest.fixture
def ranked(edges):
    """All candidates by degree product, best first, as the library has them."""
    model = lp.make("pa").fit(lp.read_network(edges))
    return model.predict_edges(None).names


def listed(path, names):
    path.write_text("# a list\n" + "".join(f"{name}\n" for name in names))
    return path


def pairs(out):
    return [(row[1], row[2]) for row in table(out)[1]]


def test_pairs_within_a_list_and_what_it_does_not_know(run, edges, ranked, tmp_path):
    some = {name for pair in ranked[:9] for name in pair}
    path = listed(tmp_path / "genes.txt", [*sorted(some), "stranger"])
    _, out, err = run("predict", edges, "--model", "pa", "--nodes", path, "--top", 5000)
    assert pairs(out) == [pair for pair in ranked if set(pair) <= some]
    assert "stranger" in err


def test_pairs_tested_before_are_left_out_in_either_order(run, edges, ranked, tmp_path):
    tested = tmp_path / "tested.tsv"
    rows = [(b, a, at % 2) for at, (a, b) in enumerate(ranked[:6])]
    tested.write_text("".join(f"{a}\t{b}\t{label}\n" for a, b, label in rows))
    _, out, _ = run("predict", edges, "--model", "pa", "--exclude", tested, "--top", 10)
    assert pairs(out) == ranked[6:16], "labelled 0 or 1, a tested pair is no candidate"


@pytest.mark.parametrize("suffix", ["tsv", "csv", "graphml", "cx2", "sif"])
def test_an_earlier_prediction_can_be_left_out(run, edges, ranked, tmp_path, suffix):
    before = tmp_path / f"before.{suffix}"
    run("predict", edges, "--model", "pa", "--top", 8, "-o", before)
    _, out, _ = run("predict", edges, "--model", "pa", "--top", 5, "--exclude", before)
    assert pairs(out) == ranked[8:13]


def test_a_score_copied_from_the_output_finds_its_row_again(run, edges):
    """Scores are written with six digits; the threshold compares with what is written."""
    _, out, _ = run("predict", edges, *SMALL, "--top", 60)
    rows = table(out)[1]
    for at in (0, 7, 33, 59):
        _, again, _ = run("predict", edges, *SMALL, "--threshold", rows[at][3])
        found = table(again)[1]
        assert found[: at + 1] == rows[: at + 1]
        assert all(float(row[3]) >= float(rows[at][3]) for row in found)
        assert len(found) < 200


def test_an_explanation_in_place_of_a_list(succeed, edges, ranked):
    a, b = ranked[3]
    out, _ = succeed("predict", edges, *SMALL, "--explain", a, b, "--explain", b, a)
    first, second = out.split("\n\n")
    assert a in first
    assert b in first
    assert first.strip() == second.strip()
    assert "rank" in first


def test_evidence_columns_are_true(run, edges):
    _, out, _ = run("predict", edges, *SMALL, "--top", 30)
    net = lp.read_network(edges)
    header, rows = table(out)
    graph = nx.from_scipy_sparse_array(net.adjacency)
    dense = net.adjacency.toarray()
    three = np.linalg.matrix_power(dense, 3)
    at = {name: header.index(name) for name in header}
    for row in rows:
        i, j = net.index_of(row[1]), net.index_of(row[2])
        assert int(row[at["degree_source"]]) == graph.degree(i)
        assert int(row[at["degree_target"]]) == graph.degree(j)
        shared = list(nx.common_neighbors(graph, i, j))
        assert int(row[at["paths2"]]) == len(shared)
        assert int(row[at["paths3"]]) == three[i, j]
        named = [name for name in row[at["shared_partners"]].split(";") if name]
        assert len(named) == min(3, len(shared))
        assert {net.index_of(name) for name in named} <= set(shared)
        assert 0 <= float(row[at["prior_share"]]) <= 1


@pytest.mark.parametrize("suffix", ["csv", "jsonl", "graphml", "cx2", "sif"])
def test_the_format_follows_the_file_name(run, edges, ranked, tmp_path, suffix):
    target = tmp_path / f"links.{suffix}"
    assert run("predict", edges, "--model", "pa", "--top", 15, "-o", target)[0] == 0
    _, printed, _ = run("predict", edges, "--model", "pa", "--top", 15, "--format", suffix)
    assert target.read_bytes().decode() == printed
    if suffix == "jsonl":
        rows = [json.loads(line) for line in printed.splitlines()]
        assert [(row["source"], row["target"]) for row in rows] == ranked[:15]
    if suffix in ("graphml", "cx2", "sif"):
        # What is observed comes back as the network, what is predicted does not.
        net = lp.read_network(edges)
        used = {name for pair in ranked[:15] for name in pair}
        observed = {frozenset(e) for e in by_name(net, net.edges) if set(e) <= used}
        back = lp.read_network(target)
        assert {frozenset(e) for e in by_name(back, back.edges)} == observed


def test_a_dry_run_estimates_and_fits_nothing(succeed, edges, tmp_path, monkeypatch):
    monkeypatch.setattr("linkprior.predictors.auto.auto.Auto._fit", lambda *_: 1 / 0)
    out, err = succeed("predict", edges, "--dry-run", "-o", f"{tmp_path / 'run'}/")
    assert re.search(r"about \d+ seconds?, about [\d.]+ GB of memory", out)
    assert "nodes, " in err
    assert not (tmp_path / "run").exists()


def test_what_cannot_fit_in_memory_is_refused_with_advice(run, edges, monkeypatch):
    monkeypatch.setattr("linkprior.machine.available_memory", lambda: 10_000_000)
    for extra in ([], ["--dry-run"]):
        result = run("predict", edges, "-q", *extra)
        status, _, err = result
        assert status == 1
        for text in ("needs about", "are free", "--ignore-memory"):
            assert text in err.splitlines()[-1]
    assert run("predict", edges, *SMALL, "--ignore-memory")[0] == 0


def test_an_explanation_speaks_of_symbols(run, tmp_path):
    path = biogrid(tmp_path / "b.tab2.txt", [(1, 2), (2, 3), (3, 4), (1, 3)])
    _, out, _ = run("predict", path, "--model", "l3", "--explain", "CHEK2", "1")
    assert out.startswith("TP53 (1) – CHEK2 (4) ")
    assert "ATM (3)" in out


def test_tested_pairs_are_read_like_the_network(run, tmp_path):
    path = biogrid(tmp_path / "b.tab2.txt", [(1, 2), (2, 3), (3, 4)])
    tested = biogrid(tmp_path / "t.tab2.txt", [(4, 1)])
    _, out, _ = run("predict", path, "--model", "pa", "--id", "biogrid", "--exclude", tested)
    assert set(pairs(out)) == {("11", "13"), ("12", "14")}


def test_a_label_that_could_deceive_is_not_shown(succeed, tmp_path):
    odd = {1: "TP\u202e53", 2: "M\x1b[31mDM2", 3: "ATM", 4: "CHEK2"}
    path = biogrid(tmp_path / "b.tab2.txt", [(1, 2), (2, 3), (3, 4)], odd)
    out, _ = succeed("predict", path, "--model", "pa")
    assert "\u202e" not in out
    assert "\x1b" not in out
    assert "ATM" in out


def test_labels_are_shown_next_to_identifiers_and_may_be_asked_for(run, tmp_path):
    path = biogrid(tmp_path / "b.tab2.txt", [(1, 2), (2, 3), (3, 4), (1, 3)])
    _, out, _ = run("predict", path, "--model", "pa", "--node", "CHEK2")
    header, found = table(out)
    assert header[4:6] == ["label_source", "label_target"]
    assert {tuple(row[1:3]) for row in found} == {("1", "4"), ("2", "4")}
    assert {tuple(row[4:6]) for row in found} == {("TP53", "CHEK2"), ("MDM2", "CHEK2")}
    frame = lp.predict_links(path, model="pa", node="CHEK2")
    assert list(frame.columns) == header
    assert list(zip(frame.label_source, frame.label_target, strict=True)) == [
        tuple(row[4:6]) for row in found
    ]
    assert "label_source" not in lp.predict_links(path, model="pa", evidence=False)
    assert {row[header.index("shared_partners")] for row in found} == {"ATM"}
    for asked in (["--node", "chek2"], ["--explain", "TP53", "chek2"]):
        said = run("predict", path, "--model", "pa", *asked)
        assert one_line_of_error(said, "no node is called 'chek2'. Did you mean 'CHEK2'?")


def test_a_label_of_two_nodes_means_both_or_is_refused(run, tmp_path):
    """A symbol shared by two genes: tested pairs are left out for both, one pair is not chosen."""
    genes = {**GENES, 4: "TP53"}
    path = biogrid(tmp_path / "b.tab2.txt", [(1, 2), (2, 3), (3, 4)], genes)
    _, out, _ = run("predict", path, "--model", "pa", "--node", "TP53")
    assert set(pairs(out)) == {("1", "3"), ("1", "4"), ("2", "4")}
    tested = tmp_path / "tested.tsv"
    tested.write_text("TP53\tATM\n")
    _, out, _ = run("predict", path, "--model", "pa", "--exclude", tested)
    assert set(pairs(out)) == {("1", "4"), ("2", "4")}
    said = run("predict", path, "--model", "pa", "--explain", "TP53", "ATM")
    assert one_line_of_error(said, "is the label of 2 nodes: 1, 4")


def test_no_score_reaches_the_threshold(succeed, edges):
    out, err = succeed("predict", edges, "--model", "pa", "--threshold", 1e9)
    assert len(out.splitlines()) == 1
    assert "No candidate pair has a score of 1e+09 or more; the highest is 192." in err


def test_a_dash_is_standard_output(run, edges, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    expected = run("predict", edges, "--model", "pa")[1]
    assert run("predict", edges, "--model", "pa", "-o", "-")[1] == expected
    assert not (tmp_path / "-").exists()


PU = ["--model", "pu", "--set", "rank=4", "--set", "max_iter=3"]


@pytest.fixture
def large(tmp_path):
    """A network of several blocks of nodes, as a file."""
    net = lp.large_network(700, mean_degree=8, n_groups=6, seed=4)
    return write_edges(tmp_path / "large.tsv", net)


def test_with_room_for_all_partners_the_list_is_that_of_all_pairs(run, edges):
    every = run("predict", edges, "--model", "pa", "--candidates", "all", "--top", 200)
    some = run(
        "predict", edges, "--model", "pa", "--candidates", "paths3", "--partners", 60, "--top", 200
    )
    assert some[0] == 0
    assert some[1] == every[1], "evidence too"
    assert "Candidates hold all of the best pairs of the 53 nodes sampled" in some[2]


@pytest.mark.parametrize("kind", ["paths3", "knn"])
def test_the_share_of_the_best_pairs_is_reported(succeed, large, kind):
    out, err = succeed("predict", large, *PU, "--candidates", kind, "--partners", 5, "--top", 900)
    net = lp.read_network(large)
    every = lp.make("pu", rank=4, max_iter=3).fit(net).predict_edges(900).names
    truth = len(set(every) & set(pairs(out))) / 900
    told = re.search(
        r"Candidates hold ([\d.]+) % \(±([\d.]+)\) of the best pairs \(\d+ nodes sampled", err
    )
    assert len(pairs(out)) == 900
    assert abs(float(told[1]) - 100 * truth) <= 2.0 * float(told[2])


def test_above_the_limit_nearest_partners_are_the_default_and_this_is_reported(
    run, large, monkeypatch
):
    monkeypatch.setattr("linkprior.ranking.retrieval.ALL_UP_TO", 100)
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


def test_a_run_folder_remembers_the_candidates(run, edges, tmp_path):
    folder = tmp_path / "run"
    asked = ["predict", edges, "--model", "pa", "-o", f"{folder}/", "--candidates", "paths3"]
    assert run(*asked, "--partners", 7)[0] == 0
    kept = json.loads((folder / "manifest.json").read_text())
    assert kept["request"]["candidates"] == "paths3"
    assert kept["request"]["partners"] == 7
    assert one_line_of_error(run(*asked, "--partners", 8), "--force")


def test_an_estimate_is_of_the_partners_only(run, large, monkeypatch):
    monkeypatch.setattr("linkprior.ranking.candidates._NANOSECONDS", {"knn": 3.6e12 / 7000})
    monkeypatch.setattr("linkprior.predictors.estimate.machine_factor", lambda: 1.0)
    asked = ["predict", large, *PU, "--dry-run", "--workers", 1]
    assert "about 1 second" in run(*asked)[1]
    assert "about 60 minutes" in run(*asked, "--candidates", "knn", "--partners", 10)[1]
