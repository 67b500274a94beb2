"""Splits and their files: what belongs to a split, what must be known of it, what is refused."""

import json
from dataclasses import replace

import numpy as np
import pytest

import linkprior as lp
from linkprior.errors import ParameterError
from linkprior.evaluation.protocols import Plan
from linkprior.evaluation.splits import Split, noisy, read_split, split_digest, uniform, write_split

RING = lp.Network.from_edges([(node, (node + 1) % 12) for node in range(12)])


def test_a_null_network_of_another_name_is_refused():
    with pytest.raises(ParameterError, match="null must be one of none, rewired, got 'rewire'"):
        Plan("uniform:0.5", "all-nodes", null="rewire").make(RING)
    assert len(Plan("uniform:0.5", "all-nodes", null="none").make(RING)) == 1


def test_one_edge_is_enough_to_learn_from_and_none_is_not():
    two = lp.Network.from_edges([("a", "b"), ("b", "c")])
    split = uniform(two, 0.5, rule="all-nodes")
    assert (split.train.n_edges, len(split.hidden)) == (1, 1)
    with pytest.raises(ParameterError, match="keep 0 of 2 edges: nothing to learn from"):
        uniform(two, 0.1, rule="all-nodes")


def test_a_digest_tells_splits_apart_by_hidden_and_by_barred_pairs():
    split = Split(RING, np.array([[0, 5]]), "connected", "by hand")
    others = [
        split,
        replace(split, hidden=np.array([[0, 6]])),
        replace(split, barred=np.array([[2, 7]])),
        replace(split, rule="all-nodes"),
    ]
    assert len({split_digest(one) for one in others}) == 4
    assert split_digest(replace(split, label="the same")) == split_digest(split)


def test_of_edges_that_noise_has_replaced_no_confidence_is_known(tmp_path):
    told = RING.with_weights(np.linspace(0.1, 1.0, 12))
    plain = uniform(told, 0.8, 1, "all-nodes")
    for split, known in ((plain, True), (noisy(plain, 0.5), False)):
        write_split(split, told, tmp_path / "split.tsv")
        again = read_split(tmp_path / "split.tsv", told)
        assert (again.train.known.weights is not None) == known
        assert again.train.digest == split.train.digest


def test_a_split_file_that_does_not_tell_its_digest_is_read(tmp_path):
    split, path = uniform(RING, 0.8, 1, "all-nodes"), tmp_path / "split.tsv"
    write_split(split, RING, path)
    head, rest = path.read_text(encoding="utf-8").split("\n", 1)
    start = "# linkprior split "
    facts = json.loads(head.removeprefix(start))
    assert facts.pop("digest") == split_digest(split)
    path.write_text(f"{start}{json.dumps(facts)}\n{rest}", encoding="utf-8")
    assert split_digest(read_split(path, RING)) == split_digest(split)
