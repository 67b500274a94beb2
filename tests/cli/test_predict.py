"""`linkprior predict`: what goes to stdout, to stderr and to files."""

import io
import os
import re
import subprocess

import numpy as np
import pytest
from tests.cli.support import (
    FEW_STEPS,
    HEADER,
    SMALL,
    buffered,
    by_name,
    command,
    one_line_of_error,
    outside,
    table,
    write_edges,
    write_pairs,
)

import linkprior as lp
from linkprior.predictors.evidence import with_evidence
from linkprior.predictors.registry import MODELS, find


@pytest.mark.parametrize("model", ["tri-degree", "pa"])
def test_predict_ranks_new_pairs_best_first(run, edges, model):
    settings = SMALL if model == "tri-degree" else []
    status, out, err = run("predict", edges, "--top", 200, "--model", model, *settings)
    net = lp.read_network(edges)
    number = {name: i for i, name in enumerate(net.names)}
    header, rows = table(out)
    assert status == 0
    assert header[:4] == HEADER
    assert [int(row[0]) for row in rows] == list(range(1, 201))
    pairs = [(number[row[1]], number[row[2]]) for row in rows]
    assert all(row[1] < row[2] for row in rows)
    pairs = set(map(tuple, np.sort(pairs, axis=1).tolist()))
    assert len(pairs) == 200
    assert not pairs & set(map(tuple, net.edges.tolist()))
    scores = [float(row[3]) for row in rows]
    assert scores == sorted(scores, reverse=True)
    assert f"{net.n_nodes} nodes, {net.n_edges} edges" in err


def test_predict_writes_what_the_library_predicts(run, edges):
    _, out, _ = run("predict", edges, "--top", 30, "--model", "tri", *FEW_STEPS, "--seed", 5)
    net = lp.read_network(edges)
    ranking = lp.make("tri", n_starts=1, max_iter=4, seed=5).fit(net).predict_edges(30)
    _, rows = table(out)
    assert [(row[1], row[2]) for row in rows] == ranking.names
    np.testing.assert_allclose([float(row[3]) for row in rows], ranking.scores, rtol=1e-5)


# Steps that make a fit quick, for the models that have them.
QUICK = {"n_starts": 1, "max_iter": 4, "warmup": 3, "effort": "fast", "most": 3}
ASKED = [
    *([name] for name in MODELS),
    ["tri-degree", "--set", "solver=streaming"],
    ["tri-degree", "--set", "weights=learned"],
    ["tri-degree", "--set", "preset=paper", "--set", "rank=4"],
    ["degree:ra"],
    ["degree:pu", "--set", "passes=1", "--coverage", "0.8"],
    ["degree:l3", "--set", "weights=learned"],
    ["consensus:tri"],
    ["consensus:cn", "--set", "resample=0.2"],
    ["l3", "--candidates", "paths3", "--partners", "3"],
    ["tri", "--candidates", "knn", "--partners", "3"],
    ["l3", "--weights", "3"],
    ["katz", "--tune", "2"],
    ["cn", "--format", "graphml"],
]


@pytest.mark.parametrize("asked", ASKED, ids=" ".join)
def test_the_same_network_in_another_file_gives_the_same_bytes(succeed, planted, tmp_path, asked):
    """Lines shuffled, columns swapped, lines repeated, comments between them."""
    rng, names = np.random.default_rng(0), planted.names
    lines = [
        f"{names[i]}\t{names[j]}\t{0.2 + 0.1 * (i * j % 8):.1f}" for i, j in planted.edges.tolist()
    ]
    one, other = tmp_path / "one.tsv", tmp_path / "other.tsv"
    one.write_text("\n".join(lines) + "\n")
    swapped = ["\t".join([*line.split("\t")[1::-1], line.split("\t")[2]]) for line in lines]
    mixed = [*(swapped[at] for at in range(0, len(lines), 2)), *lines[1::2], *lines[:20]]
    mixed = rng.permutation(mixed).tolist()
    other.write_text(
        "# from elsewhere\n" + "\n".join([*mixed[:30], "# so far", *mixed[30:]]) + "\n"
    )
    known, model = find(asked[0]).parameter_names(), ["--model", *asked]
    quick = [f"{name}={value}" for name, value in QUICK.items() if name in known]
    model += [word for one in quick if one[: one.index("=") + 1] not in " ".join(asked)
              for word in ("--set", one)]  # fmt: skip
    weights = [] if "--weights" in asked else ["--columns", "1,2"]
    assert lp.read_network(one).names != lp.read_network(other).names
    texts = [
        succeed("predict", file, *weights, *model, "--top", 40, "-q")[0] for file in (one, other)
    ]
    assert texts[0] == texts[1]
    assert len(texts[0].splitlines()) > 40


def test_lists_of_nodes_and_pairs_mean_the_same_in_another_file(succeed, planted, tmp_path):
    names = planted.names
    edges = by_name(planted, planted.edges)
    one = write_pairs(tmp_path / "one.tsv", edges)
    other = write_pairs(tmp_path / "other.tsv", [(b, a) for a, b in reversed(edges)])
    older = write_pairs(tmp_path / "older.tsv", edges[::2])
    older_too = write_pairs(tmp_path / "older_too.tsv", [(b, a) for a, b in edges[::2]][::-1])
    few = tmp_path / "few.txt"
    few.write_text("\n".join(names[:30]))
    free = [(a, b) for a in names[:5] for b in names[20:25] if {(a, b), (b, a)}.isdisjoint(edges)]
    tested = write_pairs(tmp_path / "tested.tsv", free)
    degrees = tmp_path / "degrees.tsv"
    degrees.write_text("".join(f"{name}\t{3 + at % 7}\n" for at, name in enumerate(names)))
    new = tmp_path / "new.txt"
    new.write_text("aaa\nzzz\n")
    for asked in (
        ["--nodes", few, "--exclude", tested],
        ["--node", names[4], "--explain", names[4], names[9], "-o", "-"],
        ["--negatives", tested, "--model", "pu"],
        ["--degrees", degrees, "--model", "degree:l3"],
        ["--add-nodes", new, "--model", "degree:l3"],
        ["--history", None, "--effort", "fast", "--model", "auto"],
    ):
        model = [] if "--model" in asked else ["--model", "l3"]
        texts = []
        for file, earlier in ((one, older), (other, older_too)):
            options = [
                word for part in asked for word in ([earlier, file] if part is None else [part])
            ]
            texts.append(succeed("predict", file, *model, *options, "--top", 20, "-q")[0])
        assert texts[0] == texts[1], asked


@pytest.mark.parametrize(("top", "lines"), [(1, 2), (10**9, None)])
def test_top_at_its_limits(run, edges, planted, top, lines):
    _, out, _ = run("predict", edges, "--model", "pa", "--top", top)
    assert len(out.splitlines()) == (lines or 1 + planted.n_non_edges)


def test_set_gives_model_parameters(run, edges, tmp_path):
    run(
        *("predict", edges, "--model", "tri-degree", *SMALL, "--save", tmp_path / "m", "--seed", 9),
        *("--set", "rank=3", "--set", "alpha=0.25", "--set", "rank_by=x", "--set", "n_edges=none"),
    )
    params = lp.load(tmp_path / "m").get_params()
    asked = {"rank": 3, "alpha": 0.25, "rank_by": "x", "n_edges": None, "seed": 9, "n_starts": 1}
    assert {key: params[key] for key in asked} == asked
    assert isinstance(params["rank"], int)


def test_a_model_without_seed_takes_none(succeed, edges):
    succeed("predict", edges, "--model", "l3", "--seed", 3)


def test_a_saved_model_predicts_the_same(succeed, edges, tmp_path):
    out, err = succeed("predict", edges, *SMALL, "--top", 25, "--save", tmp_path / "model")
    assert "Saved the model" in err
    text = io.StringIO()
    model = lp.load(tmp_path / "model")
    with_evidence(model, model.predict_edges(25)).write(text)
    assert text.getvalue() == out


def test_standard_input_of_a_real_process(run, edges):
    _, expected, _ = run("predict", edges, "--model", "pa", "--top", 7)
    with edges.open("rb") as stream:
        done = outside("predict", "-", "--model", "pa", "--top", 7, stdin=stream)
    assert (done.returncode, done.stdout) == (0, expected)


# ---------------------------------------------------------------------- files appear whole


def test_output_file(run, edges, tmp_path):
    _, expected, _ = run("predict", edges, "--model", "pa")
    status, out, err = run("predict", edges, "--model", "pa", "-o", tmp_path / "links.tsv")
    assert (status, out) == (0, "")
    assert "Writing 100 links" in err
    assert (tmp_path / "links.tsv").read_bytes() == expected.encode()
    assert sorted(p.name for p in tmp_path.iterdir()) == ["edges.tsv", "links.tsv"]


def test_the_input_is_never_written_over(run, edges, tmp_path):
    link = tmp_path / "link.tsv"
    link.symlink_to(edges)
    before = edges.read_bytes()
    for target in (edges, link, tmp_path / "." / "edges.tsv"):
        assert one_line_of_error(
            run("predict", edges, "--model", "pa", "-o", target), "is the input"
        )
    assert one_line_of_error(
        run("predict", edges, "--model", "pa", "--exclude", edges, "-o", edges), "is the input"
    )
    assert edges.read_bytes() == before


def test_a_link_stays_a_link_and_a_file_keeps_its_mode(run, edges, tmp_path):
    real, link = tmp_path / "real.tsv", tmp_path / "link.tsv"
    real.write_text("old")
    real.chmod(0o600)
    link.symlink_to(real)
    run("predict", edges, "--model", "pa", "-o", link)
    assert link.is_symlink()
    assert real.read_text().startswith("rank\t")
    assert real.stat().st_mode & 0o777 == 0o600


def test_a_device_is_written_to_and_not_replaced(run, edges, tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with subprocess.Popen(["cat", pipe], stdout=subprocess.PIPE, text=True) as reader:
        run("predict", edges, "--model", "pa", "-o", pipe)
        out, _ = reader.communicate(timeout=20)
    assert out == run("predict", edges, "--model", "pa")[1]
    assert pipe.is_fifo()


FAST = ["--effort", "fast"]
EXPECTED = ["probability", "probability_low", "probability_high", "expected_hits_cumulative"]
YIELD = re.compile(
    r"^Of the (\d+) links (?:about (\d+)|less than one) \((\d+)–(\d+)\) (?:is|are) expected to be "
    r"real, if (\S+) % of all links are missing and look like the observed ones\.$",
    re.MULTILINE,
)


@pytest.fixture(scope="module")
def grouped(tmp_path_factory):
    """A network with enough edges to learn from, as a file."""
    net = lp.planted_network(n_nodes=130, n_groups=5, mean_degree=12, seed=2)
    return write_edges(tmp_path_factory.mktemp("grouped") / "edges.tsv", net)


@pytest.fixture(scope="module")
def plain(grouped):
    """What the command says and writes without any option, in a process of its own."""
    ask = command("predict", grouped)
    return subprocess.run(
        ask, capture_output=True, text=True, check=True, timeout=300, env=buffered()
    )


def column(text, name):
    header, rows = table(text)
    return np.array([float(row[header.index(name)]) for row in rows])


@pytest.mark.at_length
def test_without_options_it_is_a_hundred_links_by_auto(plain, grouped):
    net = lp.read_network(grouped)
    header, rows = table(plain.stdout)
    assert header[:4] == HEADER
    assert header[-4:] == EXPECTED
    assert "Fitting auto" in plain.stderr
    pairs = {tuple(sorted((net.index_of(row[1]), net.index_of(row[2])))) for row in rows}
    assert len(pairs) == len(rows) == 100
    assert not pairs & set(map(tuple, net.edges.tolist()))


@pytest.mark.at_length
def test_probabilities_fall_with_the_rank_and_add_up_to_the_expected_hits(plain):
    chances = column(plain.stdout, "probability")
    assert ((chances >= 0) & (chances <= 1)).all()
    assert (np.diff(chances) <= 0).all()
    assert chances[0] > chances[-1]
    sums = column(plain.stdout, "expected_hits_cumulative")
    np.testing.assert_allclose(sums, np.cumsum(chances), rtol=1e-4)


@pytest.mark.at_length
def test_what_was_learned_and_what_to_expect_is_reported_in_words(plain):
    assert re.search(
        r"^auto hid [\d–]+ edges \d+ times(, until the first 100 pairs held still)?, and fitted "
        r"\d+ base models$",
        plain.stderr,
        re.M,
    )
    assert re.search(r"AUPRC 0\.\d+", plain.stderr)
    number, about, low, high, missing = YIELD.search(plain.stderr).groups()
    assert plain.stderr.splitlines()[-1].startswith("Of the 100 links")
    sums = column(plain.stdout, "expected_hits_cumulative")
    assert (number, missing) == ("100", "10")
    assert int(about or 0) == (round(sums[-1]) if sums[-1] >= 1 else 0)
    assert int(low) <= sums[-1] <= int(high) <= 100


@pytest.mark.at_length
def test_the_share_that_is_missing_decides_what_to_expect_not_the_order(run, grouped):
    """Twice as many missing for each hidden one: twice the probability, where it is small."""
    shares = (0.1, 2 / 11)
    few, many = (run("predict", grouped, *FAST, "--set", f"missing={s}") for s in shares)
    assert [row[:3] for row in table(few[1])[1]] == [row[:3] for row in table(many[1])[1]]
    one, other = (column(said[1], "probability") for said in (few, many))
    small = other < 0.5  # near 1 probabilities level off
    assert small.sum() > 20
    np.testing.assert_allclose(other[small], 2 * one[small], rtol=0.05)
    assert (other >= one).all()
    assert YIELD.search(few[2])[5] == "10"


@pytest.mark.at_length
@pytest.mark.parametrize("objective", ["recall", "dc_auroc"])
def test_the_objective_and_the_effort_are_settings_of_auto(succeed, grouped, tmp_path, objective):
    ask = ("predict", grouped, *FAST, "--objective", objective, "--save", tmp_path / "model")
    out, err = succeed(*ask)
    assert len(table(out)[1]) == 100
    assert "auto hid" in err
    model = lp.load(tmp_path / "model")
    assert (model.effort, model.objective) == ("fast", objective)
    by_hand = lp.make("auto", effort="fast", objective=objective).fit(lp.read_network(grouped))
    assert [tuple(row[1:3]) for row in table(out)[1]] == by_hand.predict_edges(100).names


@pytest.mark.parametrize(
    "option", [["--effort", "fast"], ["--effort", "normal"], ["--objective", "recall"]]
)
def test_effort_and_objective_are_refused_for_other_models(run, grouped, option):
    status, out, err = run("predict", grouped, "--model", "tri-degree", *option)
    assert (status, out) == (2, "")
    assert f"{option[0]} is for --model auto" in err


@pytest.mark.parametrize("option", [["--effort", "much"], ["--objective", "fame"]])
def test_an_unknown_effort_or_objective_is_wrong_usage(run, grouped, option):
    status, _, err = run("predict", grouped, *option)
    assert status == 2
    assert option[1] in err
    key, value = option[0].removeprefix("--"), option[1]
    said = run("predict", grouped, "--set", f"{key}={value}")
    assert one_line_of_error(said, f"{key} must be one of")


# ---------------------------------------------------------------------- thresholds


@pytest.fixture(scope="module")
def long_list(grouped):
    """The header and the rows of two thousand links."""
    return table(outside("predict", grouped, *FAST, "--top", 2000).stdout)


@pytest.mark.at_length
def test_a_threshold_compares_with_the_probability_as_it_is_written(run, grouped, long_list):
    header, rows = long_list
    at = header.index("probability")
    for threshold in (rows[4][at], rows[150][at], "0.05", "0.995"):
        _, again, err = run("predict", grouped, *FAST, "--threshold", threshold)
        expected = [row for row in rows if float(row[at]) >= float(threshold)]
        assert table(again)[1] == expected
        assert len(expected) < 2000
    assert expected == []
    best = f"the highest is {rows[0][at]}."
    assert f"No candidate pair has a probability of 0.995 or more; {best}" in err
    assert not YIELD.search(err)


TINY = {"star": "a b\na c\na d\na e\n", "path": "a b\nb c\nc d\n"}


@pytest.mark.parametrize("kind", ["star", pytest.param("path", marks=pytest.mark.at_length)])
def test_where_nothing_can_be_learned_no_probability_is_stated(run, tmp_path, kind):
    path = tmp_path / "edges.tsv"
    path.write_text(TINY[kind])
    status, out, err = run("predict", path)
    header, rows = table(out)
    assert status == 0
    assert not set(EXPECTED) & set(header)
    assert len(rows) == lp.read_network(path).n_non_edges
    assert "links have scores only" in err
    assert "expected to be real" not in err
    for threshold in (rows[0][3], rows[-1][3]):
        _, again, _ = run("predict", path, "--threshold", threshold)
        assert table(again)[1] == [row for row in rows if float(row[3]) >= float(threshold)]


# ---------------------------------------------------------------------- runs, reasons, estimates


@pytest.mark.at_length
def test_a_run_keeps_auto_and_takes_it_up_again(run, succeed, grouped, tmp_path, monkeypatch):
    ask = ("predict", grouped, *FAST, "--top", 40, "-o", f"{tmp_path / 'run'}/")
    _, first = succeed(*ask)
    ranking = (tmp_path / "run" / "ranking.tsv").read_bytes()
    back = lp.load_run(tmp_path / "run")
    assert back.manifest["request"]["parameters"]["effort"] == "fast"
    for name in EXPECTED:
        assert back.ranking.evidence[name].dtype == np.float64
    again = back.model.predict_edges(40)
    assert again.names == back.ranking.names
    chances = back.model.probabilities(again.scores)
    np.testing.assert_allclose(back.ranking.evidence["probability"], chances, rtol=1e-5)
    assert YIELD.search(first)[0] in back.log
    monkeypatch.setattr("linkprior.predictors.auto.auto.Auto._fit", lambda *_: 1 / 0)
    _, second = succeed(*ask)
    assert "fitted before" in second
    assert YIELD.search(second)[0] == YIELD.search(first)[0]
    assert "auto hid" in second, "what was learned is said again"
    assert (tmp_path / "run" / "ranking.tsv").read_bytes() == ranking
    refused = run(*ask[:3], "normal", *ask[4:])
    assert one_line_of_error(refused, "holds another run", "effort was fast, now normal")


@pytest.mark.at_length
def test_an_explanation_gives_the_probability_of_a_pair_but_not_of_an_edge(
    succeed, grouped, long_list
):
    header, rows = long_list
    pair, probability = rows[2][1:3], float(rows[2][header.index("probability")])
    edge = by_name(lp.read_network(grouped), lp.read_network(grouped).edges[:1])[0]
    out, _ = succeed("predict", grouped, *FAST, "--explain", *pair, "--explain", *edge)
    story, other = out.split("\n\n")
    assert story.startswith(f"{pair[0]} – {pair[1]} is not an observed edge")
    assert "rank 3 of" in story
    assert f"The probability that it is a missing link is {probability:.3g}, if 10 %" in story
    assert "is an observed edge" in other
    assert "missing link" not in other
