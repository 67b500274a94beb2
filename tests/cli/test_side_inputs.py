"""What a user knows beside the edges: --negatives, --history, --add-nodes, --coverage."""

import json

import numpy as np
import pytest
from tests.cli.support import biogrid, by_name, one_line_of_error, write_edges, write_pairs

import linkprior as lp


@pytest.fixture(scope="module")
def net():
    return lp.planted_network(120, n_groups=4, mean_degree=8.0, seed=3)


@pytest.fixture
def edges(net, tmp_path):
    return write_edges(tmp_path / "edges.tsv", net)


@pytest.fixture
def best(succeed, edges):
    """The pairs l3 ranks first."""
    return ranked(succeed("predict", edges, "--model", "l3", "--top", "10", "-q")[0])


def ranked(out):
    return [tuple(row.split("\t")[1:3]) for row in out.splitlines()[1:]]


def test_known_non_edges_are_never_predicted(succeed, edges, best, tmp_path):
    file = write_pairs(tmp_path / "no.tsv", best[:3])
    out, err = succeed("predict", edges, "--model", "l3", "--negatives", file, "--top", "7")
    assert ranked(out) == best[3:]
    assert "3 known non-edges" in err
    assert "l3 ignores negatives (they are not predicted)" in err
    out, err = succeed("predict", edges, "--model", "tri", "--negatives", file)
    assert "ignores" not in err


def test_of_a_gold_standard_only_the_zeros_are_non_edges(succeed, edges, best, tmp_path):
    rows = [*((*pair, 0) for pair in best[:3]), *((*pair, 1) for pair in best[3:5])]
    file = write_pairs(tmp_path / "gold.tsv", [(a, f"{b}\t{label}") for a, b, label in rows])
    out, err = succeed("predict", edges, "--model", "l3", "--negatives", file, "--top", "7")
    assert ranked(out) == best[3:]
    assert "3 known non-edges" in err
    assert "2 of its 5 pairs left out, as they are not labelled non-edges" in err


def test_an_observed_edge_among_the_negatives_is_refused_unless_forced(
    run, succeed, edges, net, tmp_path
):
    file = write_pairs(tmp_path / "no.tsv", [*by_name(net, net.edges[:1]), ("0", "nobody")])
    done = run("predict", edges, "--model", "l3", "--negatives", file)
    assert one_line_of_error(done, "is an observed edge", "--force")
    _, err = succeed("predict", edges, "--model", "l3", "--negatives", file, "--force")
    assert "1 named there kept as edges" in err


@pytest.fixture
def beside(net, best, edges, tmp_path, monkeypatch):
    """Files of side inputs in the folder of the edges, which becomes the working folder."""
    pairs = by_name(net, net.edges)
    files = {
        "no": best[:3],
        "strangers": [best[0], *((f"x{n}", f"y{n}") for n in range(8))],
        "older": [pair for at, pair in enumerate(pairs) if at % 10],
        "newer": [pair for at, pair in enumerate(pairs) if at % 10 != 2],
        "foreign": [(f"x{a}", f"x{b}") for a, b in pairs],
        "foreign_older": [(f"x{a}", f"x{b}") for a, b in pairs[:200]],
    }
    for name, rows in files.items():
        write_pairs(tmp_path / f"{name}.tsv", rows)
    monkeypatch.chdir(tmp_path)


AUTO = "edges.tsv --effort fast"


@pytest.mark.usefixtures("beside")
@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ("predict edges.tsv --model l3 --negatives strangers.tsv", "8 pairs of strangers.tsv"),
        ("predict edges.tsv --model l3 --negatives strangers.tsv", "x4 – y4 and 3 more"),
        ("evaluate edges.tsv --models l3 --negatives no.tsv", "3 known non-edges"),
        *(
            (f"evaluate edges.tsv --models l3 --negatives no.tsv {change}", "without negatives")
            for change in ("--noise 0.1", "--null rewired")
        ),
        ("predict edges.tsv --model l3 --coverage 0.5", "l3 ignores --coverage"),
        ("predict edges.tsv --model degree:l3 --coverage 0.999", "{n} edges observed, 1 link miss"),
        (
            "predict edges.tsv --model degree:l3 --coverage 1e-320 --negatives no.tsv",
            "{most:,} links missing, which is all pairs",
        ),
        (
            "predict older.tsv --model l3 --history older.tsv edges.tsv",
            "Note: edges.tsv has {tenth} edges between nodes of the network that the network lacks",
        ),
        (
            "predict newer.tsv --model l3 --history older.tsv newer.tsv",
            "{lost} edges of older.tsv gone",
        ),
        (
            "predict edges.tsv --model l3 --history foreign_older.tsv foreign.tsv",
            "foreign_older.tsv and the network have no node in common",
        ),
        (
            "evaluate edges.tsv --models l3 --history older.tsv edges.tsv",
            "l3, pa ignore --history; auto uses it",
        ),
        (
            f"predict {AUTO} --history older.tsv edges.tsv --coverage 0.5",
            "--coverage has no effect here",
        ),
        (f"predict {AUTO} --set holdouts=0", "to give probabilities: links have scores only"),
    ],
)
def test_what_becomes_of_side_inputs_is_reported(succeed, net, asked, words):
    out, err = succeed(*asked.split())
    tenth, lost = (len(net.edges[first::10]) for first in (0, 2))
    known = {"n": net.n_edges, "most": net.n_non_edges - 3, "tenth": tenth, "lost": lost}
    assert words.format(**known) in err
    assert ("the network lacks" in err) == ("the network lacks" in words)
    if "has no effect" in words:
        assert " missing" not in err
    if "holdouts" in asked:
        assert "probability" not in out


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        (["--negatives", "SELF"], "none of its 1 pair joins two different nodes"),
        (["--negatives", "STRANGERS"], "none of its 2 pairs joins two different nodes"),
        (["--history", "EDGES", "EDGES"], "edges.tsv: the newer release has no new edge"),
        (["--history", "", "EDGES"], "the name of the input is empty"),
        (["--history", "EDGES", ""], "the name of the input is empty"),
        (["--add-nodes", "NEW"], "l3 cannot score nodes without an edge: newcomer"),
        *((["--coverage", share], "--coverage expects the share") for share in ("0", "1", "nan")),
    ],
)
def test_what_no_model_can_use_is_refused(run, edges, net, tmp_path, asked, words):
    files = {
        "EDGES": edges,
        "SELF": write_pairs(tmp_path / "self.tsv", [(net.names[0], net.names[0])]),
        "STRANGERS": write_pairs(tmp_path / "strangers.tsv", [("x1", "y1"), ("x2", "y2")]),
        "NEW": tmp_path / "new.txt",
    }
    files["NEW"].write_text("newcomer\n")
    done = run("predict", edges, "--model", "l3", *(files.get(one, one) for one in asked))
    assert one_line_of_error(done, words)


def test_coverage_says_how_many_links_are_missing(succeed, edges, net, tmp_path):
    folder = tmp_path / "run"
    args = ("--model", "degree:l3", "--coverage", "0.5", "-o", f"{folder}/")
    _, err = succeed("predict", edges, *args)
    assert f"{net.n_edges:,} links missing" in err
    manifest = json.loads((folder / "manifest.json").read_text())
    assert manifest["request"]["coverage"] == 0.5
    assert manifest["request"]["parameters"]["n_edges"] == 2 * net.n_edges


@pytest.mark.at_length
def test_coverage_sets_the_probabilities_of_auto(succeed, edges):
    args = ("predict", edges, "--effort", "fast", "--top", "50")
    chances = []
    for coverage in ("0.9", "0.5"):
        out, err = succeed(*args, "--coverage", coverage)
        header, *rows = (line.split("\t") for line in out.splitlines())
        chances.append([float(row[header.index("probability")]) for row in rows])
    assert "50 % of all links are missing" in err
    assert np.mean(chances[1]) > 2 * np.mean(chances[0])


def test_a_node_without_an_edge_is_scored_through_the_prior(succeed, edges, net, tmp_path):
    file = tmp_path / "new.txt"
    file.write_text("newcomer\n")
    out, _ = succeed(
        "predict", edges, "--model", "degree:l3", "--add-nodes", str(file), "--node", "newcomer"
    )
    partners = [a if b == "newcomer" else b for a, b in ranked(out)]
    degree = dict(zip(net.names, net.degrees, strict=True))
    found = [degree[name] for name in partners]
    assert np.mean(found[:20]) > 1.5 * net.degrees.mean()


def test_auto_learns_from_two_releases_and_a_run_is_taken_up_again(succeed, net, tmp_path):
    old, new = halves(net, tmp_path)
    args = ("predict", new, "--history", old, new, "--effort", "fast", "-o", f"{tmp_path}/run/")
    args += ("--node", net.names[0])
    _, first = succeed(*args)
    assert f"{new} has" in first
    assert "if the next release finds links" in first
    ranking = (tmp_path / "run" / "ranking.tsv").read_bytes()
    _, again = succeed(*args)
    assert "Using the auto model fitted before" in again
    assert (tmp_path / "run" / "ranking.tsv").read_bytes() == ranking


# ---------------------------------------------------------------------- odd input


def halves(net, tmp_path):
    """Return the files of an older release and of all edges."""
    kept = np.random.default_rng(0).random(net.n_edges) < 0.7
    pairs = by_name(net, net.edges)
    older = [pair for pair, keep in zip(pairs, kept, strict=True) if keep]
    return write_pairs(tmp_path / "old.tsv", older), write_pairs(tmp_path / "new.tsv", pairs)


def test_evaluate_names_no_option_it_lacks(run, edges, net, tmp_path):
    file = write_pairs(tmp_path / "no.tsv", by_name(net, net.edges[:1]))
    done = run("evaluate", edges, "--models", "l3", "--negatives", file)
    assert done[0] == 1
    assert "Take them out" in done[2]
    assert "--force" not in done[2]


def test_a_least_score_of_edges_is_none_of_known_non_edges(succeed, net, best, tmp_path):
    rows = [(net.names[i], f"{net.names[j]}\t0.{1 + (i + j) % 9}") for i, j in net.edges]
    scored = write_pairs(tmp_path / "scored.tsv", [("source", "target\tscore"), *rows])
    file = write_pairs(tmp_path / "no.tsv", best[:2])
    args = ("predict", scored, "--model", "l3", "--min-score", "0.2", "--negatives", file)
    _, err = succeed(*args)
    assert "2 known non-edges" in err


def test_a_least_score_goes_by_the_column_of_weights_where_there_is_no_other(
    succeed, net, tmp_path
):
    rows = [(net.names[i], f"{net.names[j]}\t0.{1 + (i + j) % 9}") for i, j in net.edges]
    file = write_pairs(tmp_path / "sure.tsv", [("source", "target\tsure"), *rows])
    args = ("predict", file, "--model", "l3", "--min-score", "0.5", "--weights", "sure")
    _, err = succeed(*args)
    low = sum((int(i) + int(j)) % 9 < 4 for i, j in net.edges)
    assert f"{net.n_edges - low} edges" in err


@pytest.mark.at_length
def test_a_known_non_edge_is_explained_as_one(succeed, edges, net, best, tmp_path):
    file = write_pairs(tmp_path / "no.tsv", best[:3])
    args = ("predict", edges, "--effort", "fast", "--negatives", file)
    out, _ = succeed(*args, "--explain", *best[0])
    assert "is a known non-edge: auto was fitted with it, and does not predict it" in out
    assert "missing link" not in out
    told, _ = succeed(*args, "--explain", *best[4])
    assert f"of {net.n_non_edges - 3:,} candidate pairs" in told


def test_a_node_known_by_its_label_is_not_added(succeed, tmp_path):
    table = biogrid(tmp_path / "b.tab2.txt", [(1, 2), (2, 3), (3, 4), (4, 1)])
    new = tmp_path / "new.txt"
    new.write_text("MDM2\n3\nnewcomer\n")
    _, err = succeed("predict", table, "--model", "degree:l3", "--add-nodes", new)
    assert "1 node without an edge added" in err
    assert "2 of its names already in the network" in err


FAST = [f"--set={text}" for text in ("rank=3", "n_starts=1", "warmup=5", "max_iter=2")]


@pytest.fixture
def degree_edges(tmp_path):
    net = lp.planted_network(40, n_groups=3, mean_degree=5, seed=1)
    return write_edges(tmp_path / "degree_edges.tsv", net)


def wished(degree_edges, tmp_path, **changes):
    names = lp.read_network(degree_edges).names
    degrees = {name: str(1 + number % 7) for number, name in enumerate(names)} | changes
    path = tmp_path / "degrees.tsv"
    path.write_text("node\tdegree\n" + "".join(f"{a}\t{d}\n" for a, d in degrees.items()))
    return path, names


@pytest.mark.parametrize("model", ["tri-degree", "degree:l3", "nuclear-degree"])
def test_the_prior_aims_at_the_degrees_of_a_file(run, succeed, degree_edges, tmp_path, model):
    path, names = wished(degree_edges, tmp_path)
    extra = FAST if model == "tri-degree" else []
    ask = ("predict", degree_edges, "--model", model, *extra, "--top", 20)
    out, err = succeed(*ask, "--degrees", path)
    assert f"The degree prior aims at the degrees in {path}" in err
    params = dict(text.removeprefix("--set=").split("=") for text in extra)
    made = lp.make(model, degrees=[1 + n % 7 for n in range(len(names))],
                   **{k: int(v) for k, v in params.items()})  # fmt: skip
    best = made.fit(lp.read_network(degree_edges)).predict_edges(20)
    listed = [tuple(line.split("\t")[1:3]) for line in out.splitlines()[1:]]
    assert listed == best.names
    assert out != run(*ask)[1]


def test_a_run_remembers_the_file_and_how_the_fit_ended(run, degree_edges, tmp_path):
    path, _ = wished(degree_edges, tmp_path)
    folder = f"{tmp_path / 'run'}/"
    ask = ("predict", degree_edges, "--model", "tri-degree", *FAST, "-o", folder, "--degrees", path)
    assert run(*ask)[0] == 0
    manifest = json.loads((tmp_path / "run/manifest.json").read_text())
    assert len(manifest["request"]["degrees"]) == 64
    assert set(manifest["fit"]) == {"status", "n_iter", "objective", "primal", "dual"}
    assert manifest["fit"]["n_iter"] == [2]
    path.write_text(path.read_text().replace("\t7\n", "\t6\n"))
    assert one_line_of_error(run(*ask), "--force")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("0\t-1\n", "1: a degree must be a whole number ≥ 0, got '-1'"),
        ("0\t3\n", "nodes: 1, 2"),
        ("x\t1\ny\t2\n", "none of its 2 names is in the network: x, y"),
    ],
)
def test_degrees_that_cannot_be_aimed_at_are_refused_in_one_line(run, tmp_path, text, words):
    (tmp_path / "degree_edges.tsv").write_text("0\t1\n1\t2\n0\t2\n2\t3\n")
    (tmp_path / "degrees.tsv").write_text(text)
    ask = ("predict", tmp_path / "degree_edges.tsv", "--model", "tri-degree")
    assert one_line_of_error(run(*ask, "--degrees", tmp_path / "degrees.tsv"), words)


def test_degrees_are_for_models_that_have_the_prior(run, degree_edges):
    result = run("predict", degree_edges, "--model", "l3", "--degrees", "missing.tsv")
    assert one_line_of_error(result, "l3 has no degree prior")
    ask = ("predict", degree_edges, "--model", "tri-degree", "--degrees", "x.tsv", "--set")
    assert run(*ask, "degrees=shuffled")[0] == 2


def test_coverage_has_no_effect_with_given_degrees(run, degree_edges, tmp_path):
    path, _ = wished(degree_edges, tmp_path)
    ask = ("predict", degree_edges, "--model", "tri-degree", *FAST, "--degrees", path)
    _, out, err = run(*ask, "--coverage", 0.5)
    assert "--coverage has no effect here" in err
    assert out == run(*ask)[1]


def test_names_that_are_no_nodes_are_reported(succeed, degree_edges, tmp_path):
    path, _ = wished(degree_edges, tmp_path, stranger="3")
    _, err = succeed("predict", degree_edges, "--model", "degree:pa", "--degrees", path)
    assert "1 name in it not in the network: stranger" in err


def test_the_number_of_edges_follows_the_list(run, degree_edges, tmp_path):
    folder = f"{tmp_path / 'run'}/"
    ask = ("predict", degree_edges, "--model", "tri-degree", "--set", "preset=paper", *FAST[:1])
    assert run(*ask, "--set", "max_iter=3", "--top", 7, "-o", folder)[0] == 0
    params = json.loads((tmp_path / "run/manifest.json").read_text())["request"]["parameters"]
    assert (params["n_edges"], params["list_size"], params["preset"]) == ("list", 7, "paper")
    table = lp.predict_links(
        lp.read_network(degree_edges), 7, "tri-degree", preset="paper", rank=3, max_iter=3
    )
    ranking = lp.load_run(folder).ranking
    assert list(zip(table.source, table.target, strict=True)) == ranking.names
