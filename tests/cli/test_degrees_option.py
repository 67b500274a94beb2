"""`predict --degrees FILE`, and a number of edges that follows the list."""

import json

import pytest

import linkprior as lp

FAST = [f"--set={text}" for text in ("rank=3", "n_starts=1", "warmup=5", "max_iter=2")]


@pytest.fixture
def edges(tmp_path):
    net = lp.planted_network(40, n_groups=3, mean_degree=5, seed=1)
    pairs = [(net.names[i], net.names[j]) for i, j in net.edges.tolist()]
    path = tmp_path / "edges.tsv"
    path.write_text("".join(f"{a}\t{b}\n" for a, b in pairs))
    return path


def wished(edges, tmp_path, **changes):
    names = lp.read_network(edges).names
    degrees = {name: str(1 + number % 7) for number, name in enumerate(names)} | changes
    path = tmp_path / "degrees.tsv"
    path.write_text("node\tdegree\n" + "".join(f"{a}\t{d}\n" for a, d in degrees.items()))
    return path, names


@pytest.mark.parametrize("model", ["tri-degree", "degree:l3", "nuclear-degree"])
def test_the_prior_aims_at_the_degrees_of_a_file(run, edges, tmp_path, model):
    path, names = wished(edges, tmp_path)
    extra = FAST if model == "tri-degree" else []
    ask = ("predict", edges, "--model", model, *extra, "--top", 20)
    status, out, err = run(*ask, "--degrees", path)
    assert status == 0
    assert f"The degree prior aims at the degrees in {path}" in err
    params = dict(text.removeprefix("--set=").split("=") for text in extra)
    made = lp.make(model, degrees=[1 + n % 7 for n in range(len(names))],
                   **{k: int(v) for k, v in params.items()})  # fmt: skip
    best = made.fit(lp.read_network(edges)).predict_edges(20)
    listed = [tuple(line.split("\t")[1:3]) for line in out.splitlines()[1:]]
    assert listed == best.names
    assert out != run(*ask)[1]


def test_a_run_remembers_the_file_and_how_the_fit_ended(run, edges, tmp_path):
    path, _ = wished(edges, tmp_path)
    folder = f"{tmp_path / 'run'}/"
    ask = ("predict", edges, "--model", "tri-degree", *FAST, "-o", folder, "--degrees", path)
    assert run(*ask)[0] == 0
    manifest = json.loads((tmp_path / "run/manifest.json").read_text())
    assert len(manifest["request"]["degrees"]) == 64
    assert set(manifest["fit"]) == {"status", "n_iter", "objective", "primal", "dual"}
    assert manifest["fit"]["n_iter"] == [2]
    path.write_text(path.read_text().replace("\t7\n", "\t6\n"))
    status, _, err = run(*ask)
    assert status == 1
    assert "--force" in err


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("0\t-1\n", "1: a degree must be a whole number ≥ 0, got '-1'"),
        ("0\t2.5\n", "1: a degree must be a whole number ≥ 0, got '2.5'"),
        ("node\tdegree\n0\tmany\n", "2: a degree must be a whole number ≥ 0, got 'many'"),
        ("0\t1\n0\t2\n", "2: 0 has degree 2 here and 1 before"),
        ("0\n", "expected a node and its degree"),
        ("0\t3\n", "nodes: 1, 2"),
        ("", "no degree found"),
        ("0\t1e400\n", "1: a degree must be a whole number ≥ 0"),
        ("0\t.5\n", "1: a degree must be a whole number ≥ 0"),
        ("x\t1\ny\t2\n", "none of its 2 names is in the network: x, y"),
    ],
)
def test_degrees_that_cannot_be_aimed_at_are_refused_in_one_line(run, tmp_path, text, words):
    (tmp_path / "edges.tsv").write_text("0\t1\n1\t2\n0\t2\n2\t3\n")
    (tmp_path / "degrees.tsv").write_text(text)
    ask = ("predict", tmp_path / "edges.tsv", "--model", "tri-degree")
    status, out, err = run(*ask, "--degrees", tmp_path / "degrees.tsv")
    assert (status, out) == (1, "")
    assert words in err.splitlines()[-1]


def test_degrees_are_for_models_that_have_the_prior(run, edges):
    status, _, err = run("predict", edges, "--model", "l3", "--degrees", "missing.tsv")
    assert status == 1
    assert "l3 has no degree prior" in err.splitlines()[-1]
    ask = ("predict", edges, "--model", "tri-degree", "--degrees", "x.tsv", "--set")
    assert run(*ask, "degrees=shuffled")[0] == 2


def test_coverage_has_no_part_beside_given_degrees(run, edges, tmp_path):
    path, _ = wished(edges, tmp_path)
    ask = ("predict", edges, "--model", "tri-degree", *FAST, "--degrees", path)
    _, out, err = run(*ask, "--coverage", 0.5)
    assert "--coverage has no effect here" in err
    assert out == run(*ask)[1]


def test_what_cannot_fit_is_refused_where_only_admm_would_do(run, edges):
    ask = ("predict", edges, "--model", "tri-degree", "--set", "preset=paper")
    status, _, err = run(*ask, "--memory-limit", "1MB")
    assert status == 1
    assert "needs about" in err.splitlines()[-1]


def test_names_that_are_no_nodes_are_told(run, edges, tmp_path):
    path, _ = wished(edges, tmp_path, stranger="3")
    status, _, err = run("predict", edges, "--model", "degree:pa", "--degrees", path)
    assert status == 0
    assert "1 name in it not in the network: stranger" in err


def test_the_number_of_edges_follows_the_list(run, edges, tmp_path):
    folder = f"{tmp_path / 'run'}/"
    ask = ("predict", edges, "--model", "tri-degree", "--set", "preset=paper", *FAST[:1])
    assert run(*ask, "--set", "max_iter=3", "--top", 7, "-o", folder)[0] == 0
    params = json.loads((tmp_path / "run/manifest.json").read_text())["request"]["parameters"]
    assert (params["n_edges"], params["list_size"], params["preset"]) == ("list", 7, "paper")
    table = lp.predict_links(
        lp.read_network(edges), 7, "tri-degree", preset="paper", rank=3, max_iter=3
    )
    ranking = lp.load_run(folder).ranking
    assert list(zip(table.source, table.target, strict=True)) == ranking.names
