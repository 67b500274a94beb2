"""`linkprior predict` without a model: auto, what it expects of its links, and what it says."""

import re
import subprocess

import numpy as np
import pytest
from tests.cli.support import HEADER, buffered, by_name, command, one_line_of_error, table

import linkprior as lp

FAST = ["--effort", "fast"]
EXPECTED = ["probability", "expected_hits_cumulative"]
YIELD = re.compile(
    r"^Of the (\d+) links (?:about (\d+)|less than one) \((\d+)–(\d+)\) (?:is|are) expected to be "
    r"real, if (\S+) % of all links are missing and look like the observed ones\.$",
    re.MULTILINE,
)


@pytest.fixture(scope="module")
def grouped(tmp_path_factory):
    """A network with enough edges to learn from, as a file."""
    net = lp.planted_network(n_nodes=130, n_groups=5, mean_degree=12, seed=2)
    path = tmp_path_factory.mktemp("grouped") / "edges.tsv"
    path.write_text("".join(f"{a}\t{b}\n" for a, b in by_name(net, net.edges)))
    return path


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
    assert header[-2:] == EXPECTED
    assert "Fitting auto" in plain.stderr
    pairs = {tuple(sorted((net.index_of(row[1]), net.index_of(row[2])))) for row in rows}
    assert len(pairs) == len(rows) == 100
    assert not pairs & set(map(tuple, net.edges.tolist()))


@pytest.mark.at_length
def test_chances_fall_with_the_rank_and_add_up_to_the_expected_hits(plain):
    chances = column(plain.stdout, "probability")
    assert ((chances >= 0) & (chances <= 1)).all()
    assert (np.diff(chances) <= 0).all()
    assert chances[0] > chances[-1]
    sums = column(plain.stdout, "expected_hits_cumulative")
    np.testing.assert_allclose(sums, np.cumsum(chances), rtol=1e-4)


@pytest.mark.at_length
def test_what_was_learned_and_what_to_expect_is_said_in_words(plain):
    assert re.search(
        r"^auto hid [\d–]+ edges 10 times and fitted \d+ base models$", plain.stderr, re.M
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
    """Twice as many missing for each hidden one, twice the chance, where chances are small."""
    shares = (0.1, 2 / 11)
    few, many = (run("predict", grouped, *FAST, "--set", f"missing={s}") for s in shares)
    assert [row[:4] for row in table(few[1])[1]] == [row[:4] for row in table(many[1])[1]]
    one, other = (column(said[1], "probability") for said in (few, many))
    # None is stated above 0.99, and what lies between that and the next step leans towards it.
    np.testing.assert_allclose(other[50:], 2 * one[50:], rtol=1e-4)
    assert YIELD.search(few[2])[5] == "10"


@pytest.mark.at_length
@pytest.mark.parametrize("objective", ["recall", "dc_auroc"])
def test_the_objective_and_the_effort_are_settings_of_auto(run, grouped, tmp_path, objective):
    ask = ("predict", grouped, *FAST, "--objective", objective, "--save", tmp_path / "model")
    status, out, err = run(*ask)
    assert status == 0
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


@pytest.mark.at_length
def test_a_threshold_compares_with_the_probability_as_it_is_written(run, grouped):
    _, out, _ = run("predict", grouped, *FAST, "--top", 2000)
    header, rows = table(out)
    at = header.index("probability")
    for threshold in (rows[4][at], rows[60][at], rows[150][at], "0.05"):
        _, again, _ = run("predict", grouped, *FAST, "--threshold", threshold)
        expected = [row for row in rows if float(row[at]) >= float(threshold)]
        assert table(again)[1] == expected
        assert 0 < len(expected) < 2000


@pytest.mark.at_length
def test_a_threshold_that_no_pair_reaches_names_the_highest_chance(run, grouped):
    _, out, _ = run("predict", grouped, *FAST, "--top", 1)
    best = column(out, "probability")[0]
    status, out, err = run("predict", grouped, *FAST, "--threshold", 0.995)
    assert status == 0
    assert table(out)[1] == []
    said = f"No candidate pair has a probability of 0.995 or more; the highest is {best:g}."
    assert said in err
    assert not YIELD.search(err)


TINY = {"star": "a b\na c\na d\na e\n", "path": "a b\nb c\nc d\n"}


@pytest.mark.parametrize("kind", ["star", pytest.param("path", marks=pytest.mark.at_length)])
def test_where_nothing_can_be_learned_no_chance_is_stated(run, tmp_path, kind):
    path = tmp_path / "edges.tsv"
    path.write_text(TINY[kind])
    status, out, err = run("predict", path)
    header, rows = table(out)
    assert status == 0
    assert not set(EXPECTED) & set(header)
    assert len(rows) == lp.read_network(path).n_non_edges
    assert "nothing could be learned" in err or "too few hidden edges to choose by" in err
    assert "expected to be real" not in err
    for threshold in (rows[0][3], rows[-1][3]):
        _, again, _ = run("predict", path, "--threshold", threshold)
        assert table(again)[1] == [row for row in rows if float(row[3]) >= float(threshold)]


# ---------------------------------------------------------------------- runs, reasons, estimates


@pytest.mark.at_length
def test_a_run_keeps_auto_and_takes_it_up_again(run, grouped, tmp_path, monkeypatch):
    ask = ("predict", grouped, *FAST, "--top", 40, "-o", f"{tmp_path / 'run'}/")
    status, _, first = run(*ask)
    assert status == 0
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
    status, _, second = run(*ask)
    assert status == 0
    assert "fitted before" in second
    assert YIELD.search(second)[0] == YIELD.search(first)[0]
    assert "auto hid" in second, "what was learned is said again"
    assert (tmp_path / "run" / "ranking.tsv").read_bytes() == ranking
    refused = run(*ask[:3], "normal", *ask[4:])
    assert one_line_of_error(refused, "holds another run", "effort was fast, now normal")


@pytest.mark.at_length
def test_an_explanation_tells_the_chance_of_a_pair_but_not_of_an_edge(run, grouped):
    _, out, _ = run("predict", grouped, *FAST, "--top", 3)
    header, rows = table(out)
    pair, chance = rows[2][1:3], float(rows[2][header.index("probability")])
    edge = by_name(lp.read_network(grouped), lp.read_network(grouped).edges[:1])[0]
    status, out, _ = run("predict", grouped, *FAST, "--explain", *pair, "--explain", *edge)
    assert status == 0
    story, other = out.split("\n\n")
    assert story.startswith(f"{pair[0]} – {pair[1]} is not an observed edge")
    assert "place 3 of" in story
    assert f"The chance that it is a missing link is {chance:.3g}, if 10 %" in story
    assert "is an observed edge" in other
    assert "chance" not in other


def test_models_without_chances_say_nothing_of_them(run, grouped):
    _, out, err = run("predict", grouped, "--model", "l3")
    assert not set(EXPECTED) & set(table(out)[0])
    assert "expected to be real" not in err


def test_a_dry_run_knows_that_less_effort_takes_less(run, grouped):
    def told(effort):
        out = run("predict", grouped, "--effort", effort, "--dry-run")[1]
        assert out.startswith("auto on ")
        return int(re.search(r"about (\d+) (second|minute)", out)[1])

    assert told("fast") <= told("normal")


def test_contradicting_options_are_wrong_usage(run, grouped):
    for asked in (
        [*FAST, "--set", "effort=normal"],
        ["--threshold", "inf"],
    ):
        status, out, err = run("predict", grouped, *asked)
        assert (status, out) == (2, "")
        assert "Traceback" not in err
