"""`linkprior models`, `formats`, `info`, `cite` and `demo`."""

import re
import sys

import numpy as np
import pytest
from tests.cli.support import HEADER, by_name, one_line_of_error

import linkprior as lp
from linkprior.evaluation.splits import uniform
from linkprior.io.formats import FORMATS
from linkprior.io.writers import FORMATS as WRITTEN
from linkprior.predictors.registry import MODELS


def test_models_lists_every_model_with_its_line(succeed):
    out, _ = succeed("models")
    listed = [line.split(maxsplit=1) for line in out.split("\n\n")[0].splitlines()]
    assert [name for name, _ in listed] == list(MODELS)
    assert all(len(line) > 10 for _, line in listed)


@pytest.mark.parametrize("name", MODELS)
def test_one_model_is_explained_with_its_parameters(succeed, name):
    out, _ = succeed("models", name)
    model = lp.make(name)
    assert out.startswith(f"{name}: ")
    for parameter, default in model.get_params().items():
        assert re.search(rf"^{parameter} +{re.escape(str(default))}$", out, re.MULTILINE)
        assert len(re.findall(rf"\b{parameter}\b", out)) > 1, f"{parameter} is not explained"


def test_an_unknown_model_is_named(run):
    assert one_line_of_error(run("models", "tri-degre"), "Did you mean tri-degree")


def test_formats_lists_what_is_read_and_written(run):
    _, out, _ = run("formats")
    read, written = out.split("Written")
    assert set(FORMATS) <= set(re.findall(r"^  (\S+)", read, re.MULTILINE))
    assert set(re.findall(r"^  (\S+)", written, re.MULTILINE)) == set(WRITTEN)


def test_bibtex_names_paper_and_software(run):
    _, out, _ = run("cite", "--bibtex")
    assert out.count("@") == 2
    assert "Node-Specific Degree Prior" in out
    assert lp.__version__ in out
    assert out.count("{") == out.count("}")


def test_version_info_and_cite(run, succeed):
    assert lp.__version__ in run("--version")[1]
    out, _ = succeed("info")
    lines = out.splitlines()
    assert lines[0] == f"linkprior {lp.__version__}"
    facts = dict(line.split(maxsplit=1) for line in lines)
    assert facts["numpy"] == np.__version__
    assert facts["python"].startswith(".".join(map(str, sys.version_info[:3])))
    assert int(facts["cores"]) >= 1
    out, _ = succeed("cite")
    assert "Network Inference by Learned Node-Specific Degree Prior" in out
    assert f"linkprior {lp.__version__}" in out


@pytest.mark.parametrize("flag", ["-h", "--help"])
def test_help_names_every_subcommand(run, succeed, flag):
    out, _ = succeed(flag)
    for name in ("predict", "evaluate", "models", "demo", "info", "cite"):
        assert re.search(rf"^  {name} ", out, re.MULTILINE)
        assert run(name, flag)[1].startswith("Usage: ")


@pytest.mark.at_length
def test_demo_marks_exactly_the_hidden_edges(succeed):
    """Everything it prints, computed again from the same network and split."""
    seed, top = 1, 130  # more than the hundred that are counted
    out, err = succeed("demo", "--seed", seed, "--top", top)
    net = lp.planted_network(seed=seed)
    split = uniform(net, 0.8, seed)
    hidden = set(by_name(net, split.hidden))
    model = lp.make("auto", effort="fast", missing=0.2, seed=seed)
    ranking = model.fit(split.train).predict_edges(top)
    head, *lines, _, summary = out.splitlines()
    assert head.split()[:4] == HEADER
    assert len(lines) == top
    degree = dict(zip(net.names, split.train.degrees.tolist(), strict=True))
    for line, pair, score in zip(lines, ranking.names, ranking.scores, strict=False):
        cells = line.split()
        assert tuple(cells[1:3]) == pair
        assert float(cells[3]) == pytest.approx(score, abs=6e-4)
        assert [int(cell) for cell in cells[4:6]] == [degree[name] for name in pair]
        assert ("✓ found" in line) == (pair in hidden)
    marks = sum("✓" in line for line in lines)
    assert 0 < marks < top  # both kinds were seen
    found = sum(pair in hidden for pair in ranking.names[:100])
    alone = lp.make("pa").fit(split.train).predict_edges(100).names
    assert summary.startswith(f"{found} of the first 100 are hidden edges")
    mean = float(np.sum(model.probabilities(ranking.scores[:100])))
    assert re.search(rf"\(expected about {mean:.0f} \(\d+–\d+\); ", summary)
    assert f"degree alone: {sum(pair in hidden for pair in alone)};" in summary
    at_random = 100 * len(hidden) / split.train.n_non_edges
    assert f"random: {at_random:.1f}" in summary
    assert f"{net.n_nodes} nodes, {net.n_edges} edges" in err
    assert model.summary()[0] in err
