"""predict_links with every option gives the links and scores of the command."""

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from tests.cli.support import biogrid, by_name, table

import linkprior as lp
from linkprior.cli.predict import predict
from linkprior.errors import InputError, LinkpriorError, ParameterError
from linkprior.io.node_lists import read_degrees, read_names, read_pairs


@pytest.fixture
def files(planted, tmp_path):
    """A network with weights, and lists beside it."""
    edges, names = by_name(planted, planted.edges), list(planted.names)
    rng = np.random.default_rng(0)
    rows = [
        f"{a}\t{b}\t{w:.3f}" for (a, b), w in zip(edges, rng.uniform(0.2, 1, 9999), strict=False)
    ]
    pairs = {
        tuple(sorted(pair))
        for pair in rng.choice(names, (60, 2)).tolist()
        if pair[0] != pair[1] and not {tuple(pair), tuple(pair[::-1])} & set(edges)
    }
    written = {
        "edges": "source\ttarget\tsure\n" + "\n".join(rows),
        "older": "\n".join(f"{a}\t{b}" for a, b in edges[::2]),
        "half": "\n".join(names[::2]),
        "rest": "\n".join(names[1::2]),
        "pairs": "\n".join(f"{a}\t{b}" for a, b in sorted(pairs)),
        "new": "new1\nnew2",
        "degrees": "\n".join(
            f"{name}\t{k + 3}" for name, k in zip(names, planted.degrees, strict=True)
        ),
    }
    for name, text in written.items():
        (tmp_path / name).write_text(text + "\n")
    biogrid(tmp_path / "b.tab2.txt", [(1, 2), (2, 3), (3, 4)])
    return tmp_path


# Options of the command, the same in Python with files, and with Python objects.
CASES = {
    "top": (["--top", 7], {"k": 7}, None),
    "threshold": (["--threshold", "0.5"], {"threshold": 0.5}, None),
    "node": (["--node", "{name}"], {"node": "{name}"}, {"node": ["{name}"]}),
    "nodes": (["--nodes", "half"], {"nodes": "half"}, {"nodes": "names half"}),
    "between": (
        ["--between", "half", "rest"],
        {"between": ("half", "rest")},
        {"between": ("names half", "names rest")},
    ),
    "exclude": (  # a list of pairs needs no weights
        ["--exclude", "pairs", "--weights", "sure"],
        {"exclude": "pairs", "weights": "sure"},
        {"exclude": "pairs pairs"},
    ),
    "negatives": (
        ["--negatives", "pairs", "--model", "tri-degree"],
        {"negatives": "pairs", "model": "tri-degree"},
        {"negatives": "frame pairs"},
    ),
    "weights": (["--weights", "sure"], {"weights": "sure"}, None),
    "history": (
        ["--history", "older", "edges"],
        {"history": ("older", "edges")},
        {"history": ("graph older", "graph edges")},
    ),
    "add nodes": (
        ["--add-nodes", "new", "--model", "degree:l3"],
        {"add_nodes": "new", "model": "degree:l3"},
        {"add_nodes": ["new1", "new2"]},
    ),
    "coverage": (
        ["--coverage", "0.7", "--model", "degree:l3"],
        {"coverage": 0.7, "model": "degree:l3"},
        None,
    ),
    "degrees": (
        ["--degrees", "degrees", "--model", "degree:l3"],
        {"degrees": "degrees", "model": "degree:l3"},
        {"degrees": "degrees degrees"},
    ),
    "candidates": (
        ["--candidates", "paths3", "--partners", 9],
        {"candidates": "paths3", "partners": 9},
        None,
    ),
    "tune": (["--tune", 2, "--model", "katz"], {"tune": 2, "model": "katz"}, None),
    "set": (
        ["--model", "tri", *["--set", "rank=4"], "--seed", 3],
        {"model": "tri", "rank": 4, "seed": 3},
        None,
    ),
    "effort and objective": (
        ["--model", "auto", "--effort", "fast", "--objective", "recall", "--time-limit", 600],
        {"model": "auto", "effort": "fast", "objective": "recall", "time_limit": 600},
        None,
    ),
    "columns": (
        ["--header", "--columns", "target,source", "--min-score", "0.5", "--weights", "sure"],
        {
            "read": {"header": True, "columns": ("target", "source"), "min_score": 0.5},
            "weights": "sure",
        },
        {"read": {"header": True, "min_score": 0.5}, "source": "target", "target": "source"},
    ),
    "force": (
        ["--negatives", "older", "--force", "--model", "pu"],
        {"negatives": "older", "force": True, "model": "pu"},
        {"negatives": "pairs older"},
    ),
    "biogrid": (
        [
            *("--input-format", "biogrid", "--organism", "9606", "--id", "symbol"),
            *("--physical-only", "--experimental-system", "Two-hybrid"),
        ],
        {
            "graph": "b.tab2.txt",
            "read": {
                **{"format": "biogrid", "organism": "9606", "id": "symbol"},
                **{"physical_only": True, "systems": ("Two-hybrid",)},
            },
        },
        None,
    ),
}
# What `test_files_and_explanations` compares, and what Python has otherwise or needs not.
FILES = {"--output", "--format", "--save", "--explain"}
ELSEWHERE = {
    **{"--workers": "use_workers", "--dask": "use_dask", "--device": "use_device"},
    **{"--memory-limit": "use_memory", "--quiet": "notify", "--report": "linkprior report"},
    **{"--dry-run": "", "--ignore-memory": "nothing is refused"},
}
STEPS = {"n_starts": 1, "max_iter": 4}
READ = {
    "names": lambda path: list(read_names(path)),
    "pairs": lambda path: list(read_pairs(path)),
    "frame": lambda path: pd.read_csv(path, sep="\t", header=None, names=["a", "b"]),
    "graph": lambda path: nx.Graph(list(read_pairs(path))),
    "degrees": lambda path: dict(read_degrees(path)),
}


def objects(value, files, name):
    """Fill in names, files and what is read of them."""
    if isinstance(value, tuple | list):
        return type(value)(objects(one, files, name) for one in value)
    if not isinstance(value, str):
        return value
    kind, _, file = value.partition(" ")
    if file:
        return READ[kind](files / file)
    return files / value if (files / value).exists() else value.format(name=name)


def test_no_option_of_the_command_is_forgotten():
    compared = {word for words, *_ in CASES.values() for word in words}
    for param in predict.params:
        if param.name != "edges":
            assert {*param.opts} & {*compared, *FILES, *ELSEWHERE}, param.opts


@pytest.mark.parametrize("case", CASES)
def test_python_gives_what_the_command_gives(run, files, planted, case):
    words, given, as_objects = CASES[case]
    given, name = {"graph": "edges", **given}, planted.names[3]
    model = given.get("model", "l3")
    steps = STEPS if model.startswith("tri") else {}
    words = [str(objects(word, files, name)) for word in words]
    words += ["--model", model] * ("--model" not in words)
    words += [word for key, value in steps.items() for word in ("--set", f"{key}={value}")]
    status, out, err = run("predict", files / given["graph"], *words)
    assert status == 0, err
    expected = [(row[1], row[2], row[3]) for row in table(out)[1]]
    assert expected
    for more in (given, as_objects):
        if more is not None:
            options = {key: objects(value, files, name) for key, value in (given | more).items()}
            links = lp.predict_links(**{"model": model, **steps, **options})
            rows = zip(links.source, links.target, links.score, strict=True)
            assert [(a, b, f"{score:.6g}") for a, b, score in rows] == expected


def test_nodes_of_any_kind_are_asked_for_by_themselves():
    grid = nx.grid_2d_graph(3, 4)
    links = lp.predict_links(grid, model="l3", node=[(0, 0)], exclude=[((0, 0), (1, 2))])
    assert {(0, 0)} == {*links.source} | {*links.target} & {(0, 0)}
    assert ((0, 0), (1, 2)) not in set(zip(links.source, links.target, strict=True))


def test_weights_of_a_frame_and_of_a_graph_are_those_of_the_file(files):
    frame = pd.read_csv(files / "edges", sep="\t")
    graph = nx.from_pandas_edgelist(frame, edge_attr="sure")
    expected = lp.predict_links(files / "edges", 9, "l3", weights="sure").score.tolist()
    for given in (frame, graph):
        assert lp.predict_links(given, 9, "l3", weights="sure").score.tolist() == pytest.approx(
            expected
        )
    assert expected != lp.predict_links(frame, 9, "l3").score.tolist()


def test_files_and_explanations_are_those_of_the_command(run, files):
    said, ask = [], ("predict", files / "edges", "--model", "l3", "--top", 5)
    more = {"save": files / "model", "notify": said.append}
    links = lp.predict_links(files / "edges", 5, "l3", output=files / "links.csv", **more)
    _, _, err = run(*ask, "-o", files / "command.csv", "--save", files / "saved")
    assert (files / "links.csv").read_bytes() == (files / "command.csv").read_bytes()
    one, other = lp.load(files / "model"), lp.load(files / "saved")
    assert one.predict_edges(5).names == other.predict_edges(5).names
    named = {"links.csv": "command.csv", f"{files}/model": f"{files}/saved"}
    for mine, theirs in named.items():
        said = [line.replace(mine, theirs) for line in said]
    assert said == err.splitlines()
    pair = links.source[0], links.target[0]
    asked = {"explain": [pair], "format": "sif", "output": f"{files}/run/"}
    explained = lp.predict_links(files / "edges", 5, "l3", **asked)
    _, out, _ = run(*ask, "--explain", *pair, "--format", "sif", "-o", f"{files}/command/")
    assert explained.attrs["explanations"] == [out.rstrip("\n")]
    for name in ("ranking.tsv", "ranking.sif", "input_report.json"):
        assert (files / "run" / name).read_bytes() == (files / "command" / name).read_bytes()


@pytest.mark.parametrize(
    ("given", "error", "said"),
    [
        ({"coverage": 1.5}, ParameterError, "^coverage expects the share"),
        ({"partners": 0}, ParameterError, "^partners expects a number"),
        ({"node": "nobody"}, InputError, "no node is called 'nobody'"),
        ({"nodes": []}, InputError, "nodes: the list is empty"),
        ({"nodes": 5}, InputError, "nodes expects a list or a file, got int"),
        ({"between": "half"}, InputError, "between expects two lists"),
        ({"history": "half"}, ParameterError, "history expects two releases"),
        ({"negatives": [("x", "y")]}, InputError, "^negatives: none of its 1 pair joins"),
        ({"exclude": [("x", "y")]}, LinkpriorError, "^exclude: none of its 1 pair joins"),
        ({"add_nodes": ["x"]}, LinkpriorError, "l3 cannot score nodes without an edge: x"),
        ({"degrees": "degrees"}, LinkpriorError, "^degrees: l3 has no degree prior"),
        ({"time_limit": 60}, ParameterError, "^l3 has no parameter 'time_limit'"),
        ({"explain": [("a", "a")]}, InputError, "no node is called 'a'"),
    ],
)
def test_what_cannot_be_is_refused_in_the_words_of_python(files, given, error, said):
    with pytest.raises(error, match=said):
        lp.predict_links(files / "edges", model="l3", **given)


def test_a_run_folder_is_of_a_file(tmp_path):
    with pytest.raises(ParameterError, match="give the path of a file"):
        lp.predict_links([("a", "b"), ("b", "c")], model="l3", output=f"{tmp_path}/run/")
    with pytest.raises(ParameterError, match="weights names a column"):
        lp.predict_links([("a", "b"), ("b", "c")], model="l3", weights="score")
