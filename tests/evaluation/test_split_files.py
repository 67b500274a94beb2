"""Splits as files: read back, they are the same splits."""

import numpy as np
import pytest

import linkprior as lp
from linkprior.errors import InputError
from linkprior.evaluation.protocols import Plan
from linkprior.evaluation.splits import noisy, read_split, split_digest, uniform, write_split


@pytest.mark.parametrize("rule", ["connected", "all-nodes"])
def test_a_split_comes_back_as_it_was(tmp_path, planted, rule):
    split = noisy(uniform(planted, 0.7, 3, rule), 0.2)
    write_split(split, planted, tmp_path / "split.tsv")
    (again,) = Plan(f"split:{tmp_path / 'split.tsv'}").make(planted)
    assert split_digest(again) == split_digest(split)
    assert again.train.names == split.train.names
    assert (again.label, again.rule, again.outside) == (split.label, split.rule, split.outside)


def test_names_that_tables_find_hard_come_back(tmp_path):
    names = ['a"b', "c\td", "e f", "#g", "ü", "\ttab", "node", "'"]
    net = lp.Network.from_edges([(names[i], names[(i + 1) % 8]) for i in range(8)])
    split = uniform(net, 0.5, 0, "all-nodes")
    write_split(split, net, tmp_path / "split.tsv")
    again = read_split(tmp_path / "split.tsv", net)
    assert again.train.digest == split.train.digest
    assert np.array_equal(again.hidden, split.hidden)


def test_anybody_can_read_it(tmp_path):
    net = lp.Network.from_edges([tuple(pair) for pair in ("ab", "bc", "cd", "da")])
    split = uniform(net, 0.5, 1, "all-nodes")
    write_split(split, net, tmp_path / "split.tsv")
    lines = (tmp_path / "split.tsv").read_text().splitlines()
    assert lines[0].startswith("# linkprior split {")
    assert lines[1] == "kind\tsource\ttarget"
    rows = [line.split("\t") for line in lines[2:]]
    assert [row[1] for row in rows if row[0] == "node"] == list("abcd")
    hidden = {(net.names[i], net.names[j]) for i, j in split.hidden.tolist()}
    assert {tuple(row[1:]) for row in rows if row[0] == "hidden"} == hidden


def test_a_split_of_another_network_is_refused_with_both_digests(tmp_path, planted):
    write_split(uniform(planted, 0.9), planted, tmp_path / "split.tsv")
    other = lp.planted_network(n_nodes=50, seed=9)
    with pytest.raises(InputError) as caught:
        read_split(tmp_path / "split.tsv", other)
    assert planted.digest[:12] in str(caught.value)
    assert other.digest[:12] in str(caught.value)


def damaged(text):
    lines = text.splitlines(keepends=True)
    return {
        "empty": "",
        "no first line": "".join(lines[1:]),
        "broken JSON": lines[0][:40] + "\n" + "".join(lines[1:]),
        "deep JSON": "# linkprior split " + "[" * 100_000,
        "no rule": text.replace('"rule": "connected"', '"rule": "some"'),
        "an unknown kind": text.replace("hidden\t", "secret\t", 1),
        "an unknown name": text + "hidden\tnobody\tnowhere\n",
        "a short row": text + "hidden\n",
        "nothing hidden": "".join(line for line in lines if not line.startswith("hidden")),
        "a hidden training edge": text
        + next(line for line in lines if line.startswith("train")).replace("train", "hidden"),
    }


@pytest.mark.parametrize("kind", damaged("# linkprior split {}\ntrain\ta\tb\n"))
def test_damaged_files_are_refused_in_one_line(tmp_path, planted, kind):
    path = tmp_path / "split.tsv"
    write_split(uniform(planted, 0.9), planted, path)
    path.write_text(damaged(path.read_text())[kind])
    with pytest.raises(InputError, match=r"split\.tsv") as caught:
        read_split(path, planted)
    assert "\n" not in str(caught.value)


def test_a_missing_file(tmp_path, planted):
    with pytest.raises(InputError, match="cannot be read"):
        read_split(tmp_path / "none.tsv", planted)


@pytest.mark.parametrize("rule", ["connected", "all-nodes"])
def test_what_is_known_beside_the_edges_is_known_of_a_split_read_back(tmp_path, planted, rule):
    weights = np.random.default_rng(0).uniform(0.1, 1.0, planted.n_edges)
    older = planted.hide(planted.edges[::3])
    told = planted.with_weights(weights).with_history(older, planted)
    split = uniform(told, 0.7, 3, rule)
    write_split(split, told, tmp_path / "split.tsv")
    again = read_split(tmp_path / "split.tsv", told)
    assert again.train.digest == split.train.digest
    np.testing.assert_array_equal(again.train.known.weights, split.train.known.weights)
