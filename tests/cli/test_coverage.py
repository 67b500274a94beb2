"""`linkprior coverage`: the table, the last line, JSON, what is refused, and its page."""

import json
import re
import shlex
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from tests.cli.support import one_line_of_error, write_pairs

import linkprior as lp
from linkprior.cli.coverage import coverage
from linkprior.coverage import estimate_coverage

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "coverage.md").read_text(encoding="utf-8")


@pytest.fixture
def screens(tmp_path):
    """Two screens of 40 and 30 edges over twelve nodes, 12 of them in both."""
    pairs = list(combinations("abcdefghijkl", 2))
    pairs = [pairs[k] for k in np.random.default_rng(1).permutation(len(pairs))]
    folder = tmp_path / "my screens"
    folder.mkdir()
    return write_pairs(folder / "a.tsv", pairs[:40]), write_pairs(folder / "b.tsv", pairs[28:58])


def test_the_table_is_on_stdout_and_the_last_line_can_be_copied(succeed, screens):
    out, err = succeed("coverage", *screens)
    rows = {line[:20].strip(): line for line in out.splitlines()}
    assert rows["edges in both"].split()[3] == "12"
    assert rows["coverage of a.tsv"].split()[3] == "0.40"
    assert rows["coverage of b.tsv"].split()[3] == "0.30"
    last = shlex.split(out.splitlines()[-1])
    assert last == ["linkprior", "predict", str(screens[0]), "--coverage", "0.4"]
    assert "40 edges" in err
    assert "30 edges" in err


def test_json_has_the_numbers_of_the_library(succeed, screens):
    out, _ = succeed("coverage", *screens, "--precision", 0.9, 0.8, "--json")
    facts = json.loads(out)
    one, other = map(lp.read_network, screens)
    expected = estimate_coverage(one, other, precision=(0.9, 0.8)).to_dict()
    assert facts["files"] == list(map(str, screens))
    assert facts["command"].endswith("--coverage 0.5")
    assert {key: facts[key] for key in expected} == json.loads(json.dumps(expected))


def test_the_last_line_repeats_how_the_file_was_read(succeed, screens):
    for path in screens:
        rows = [line.split("\t") for line in path.read_text().splitlines()]
        path.write_text("w\tone\ttwo\n" + "".join(f"1\t{a}\t{b}\n" for a, b in rows))
    read = ("--columns", "one,two", "--header")
    out, _ = succeed("coverage", *screens, *read)
    words = shlex.split(out.splitlines()[-1])
    assert words[words.index("--columns") + 1] == "one,two"
    assert "--header" in words
    assert words[-2:] == ["--coverage", "0.4"]


def test_tested_nodes_come_from_a_file(succeed, screens, tmp_path):
    listed = tmp_path / "tested.txt"
    listed.write_text("\n".join("abcdefgh"))
    out, _ = succeed("coverage", *screens, "--nodes", listed, "--json")
    inside = [
        {
            pair
            for pair in path.read_text().split("\n")
            if pair and set(pair[::2]) <= set("abcdefgh")
        }
        for path in screens
    ]
    facts = json.loads(out)
    assert (facts["rule"], facts["nodes"]) == ("list", 8)
    assert [facts["n1"], facts["n2"]] == [len(edges) for edges in inside]
    assert facts["both"] == len(inside[0] & inside[1])


@pytest.mark.parametrize("kept", [40, 25])
def test_identical_and_contained_files_end_without_a_command(run, succeed, screens, kept):
    rows = screens[0].read_text().splitlines(keepends=True)
    screens[1].write_text("".join(rows[:kept]))
    out, _ = succeed("coverage", *screens)
    assert "not two independent screens" in out
    assert "linkprior predict" not in out
    assert json.loads(run("coverage", *screens, "--json")[1])["command"] is None


def test_files_of_one_name_are_distinguished_by_their_folders(run, screens, tmp_path):
    twin = tmp_path / "a.tsv"
    twin.write_text(screens[1].read_text())
    _, out, _ = run("coverage", screens[0], twin)
    assert f"edges of {screens[0]}" in out
    assert f"edges of {twin}" in out


def test_bad_input_is_one_line(run, screens, tmp_path):
    foreign = write_pairs(tmp_path / "foreign.tsv", [("P1", "P2"), ("P2", "P3")])
    assert one_line_of_error(run("coverage", screens[0], foreign), "share no node name", "'P1'")
    for bad in (0, 1.5, -1):
        result = run("coverage", *screens, "--precision", 1, bad)
        assert one_line_of_error(result, "precision of the second network must be a number in (0,")
    assert one_line_of_error(run("coverage", "-", "-"), "can be read only once")
    missing = run("coverage", screens[0], tmp_path / "nowhere.tsv")
    assert one_line_of_error(missing, "nowhere.tsv")
    apart = write_pairs(tmp_path / "apart.tsv", _edges_not_in(screens[0]))
    assert one_line_of_error(run("coverage", screens[0], apart), "no edge is in both networks")


def _edges_not_in(path):
    there = {frozenset(line.split("\t")) for line in path.read_text().splitlines()}
    return [pair for pair in combinations("abcdefghijkl", 2) if frozenset(pair) not in there]


# ---------------------------------------------------------------------- docs/coverage.md


def test_commands_of_the_page_have_only_options_that_exist():
    lines = re.findall(r"^\$ linkprior coverage (.*)$", PAGE, flags=re.MULTILINE)
    assert len(lines) >= 3
    for line in lines:
        coverage.make_context("coverage", shlex.split(line, comments=True))


def test_the_output_of_the_page_is_what_the_command_prints(succeed, data_folder, monkeypatch):
    monkeypatch.chdir(data_folder / "l3-2019")
    line, _, rest = PAGE.partition("$ linkprior coverage ")[2].partition("\n")
    out, _ = succeed("coverage", *shlex.split(line), "-q")
    assert rest.partition("```")[0].strip() == out.strip()
