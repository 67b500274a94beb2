"""Models fitted and ranked on a device against the CPU; torch on the CPU stands in for a GPU."""

import numpy as np
import pytest

import linkprior as lp
from linkprior.errors import ParameterError
from linkprior.predictors import degree_prior, on_device, tri_degree
from linkprior.ranking.candidates import Candidates

pytest.importorskip("torch", reason="torch is not installed: nothing runs on a device")

MODELS = [
    ("tri", {"n_starts": 2}),
    ("tri-l1", {"n_starts": 2}),
    ("tri-scale", {"n_starts": 1, "solver": "admm"}),
    ("pu", {"n_starts": 2}),
    ("tri-degree", {"n_starts": 2, "solver": "admm"}),
    ("tri-degree", {"n_starts": 2, "solver": "streaming"}),
    ("tri-degree", {"n_starts": 2, "solver": "admm", "rank_by": "x", "sweeps": 2, "passes": 2}),
    ("degree:pu", {"n_starts": 1}),
    ("degree:tri", {"n_starts": 2, "passes": 1}),
    ("degree:tri", {"n_starts": 1, "tau": "inf"}),
    ("degree:l3", {}),
    ("auto", {"effort": "fast", "holdouts": 2}),
]


@pytest.fixture
def net():
    return lp.planted_network(130, seed=2)


@pytest.fixture
def small_is_large(monkeypatch):
    """Use the tables of large networks in small ones."""
    monkeypatch.setattr(degree_prior, "DENSE_LIMIT", 10)
    monkeypatch.setattr(tri_degree, "DENSE_LIMIT", 10)


def shared(one, other):
    """How many pairs two lists have in common."""
    return len(set(map(tuple, one.pairs.tolist())) & set(map(tuple, other.pairs.tolist())))


@pytest.mark.parametrize(("name", "params"), MODELS)
def test_a_model_on_a_device_agrees_with_the_cpu(net, small_is_large, request, name, params):
    """But for a few pairs whose ranks stand so near that rounding may exchange them."""
    here = lp.make(name, **params).fit(net)
    scores, list_here = here.score_rows(0, net.n_nodes), here.predict_edges(60)
    request.getfixturevalue("stand_in")
    there = lp.make(name, **params).fit(net)
    size, other = np.abs(scores).max(), there.score_rows(0, net.n_nodes)
    assert np.mean(np.abs(other - scores) <= 1e-5 * size) >= 0.98
    assert np.mean(np.abs(other - scores) <= 1e-3 * size) >= 0.995
    list_there = there.predict_edges(60)
    assert shared(list_there, list_here) >= 58
    np.testing.assert_allclose(there.score_pairs(list_there.pairs), list_there.scores, rtol=1e-5)


def test_a_device_gives_the_same_list_as_the_cpu_for_the_same_fit(net, request, small_is_large):
    model = lp.make("tri-degree", n_starts=2, solver="streaming").fit(net)
    lists = [model.predict_edges(300), model.predict_edges(300, threshold=-0.2)]
    used = request.getfixturevalue("stand_in")
    for one, asked in zip(lists, [{}, {"threshold": -0.2}], strict=True):
        found = model.predict_edges(300, **asked)
        assert found.pairs.tolist() == one.pairs.tolist()
    assert used  # it did run there


def test_excluded_pairs_and_edges_are_no_candidates(net, stand_in):
    model = lp.make("pu", n_starts=1).fit(net)
    first = model.predict_edges(5)
    names = [[net.names[i], net.names[j]] for i, j in first.pairs.tolist()]
    later = model.predict_edges(5, Candidates.of(net, exclude=names))
    assert not {map(tuple, later.pairs.tolist())} & {map(tuple, first.pairs.tolist())}
    edges = set(map(tuple, net.edges.tolist()))
    every = model.predict_edges(10**6)
    assert not edges & set(map(tuple, every.pairs.tolist()))
    assert len(every.pairs) == net.n_nodes * (net.n_nodes - 1) // 2 - net.n_edges


def test_restricted_candidates_are_found_on_the_cpu(net, stand_in):
    model = lp.make("pu", n_starts=1).fit(net)
    stand_in.clear()
    some = model.predict_edges(5, Candidates.of(net, around=[net.names[0]]))
    assert len(some.pairs) == 5
    assert not stand_in


@pytest.mark.parametrize("base", ["tri", "pu"])
def test_exact_ranks_beyond_the_limit_are_those_below_it(net, monkeypatch, base):
    given = {"n_starts": 1, "passes": 1, "seed": 1}
    dense = lp.make(f"degree:{base}", **given).fit(net)
    monkeypatch.setattr(degree_prior, "DENSE_LIMIT", 10)
    counted = lp.make(f"degree:{base}", ranks="exact", **given).fit(net)
    tables = lp.make(f"degree:{base}", **given).fit(net)
    for model in (counted, tables):  # tables estimate the unit
        model.learned_.facts["unit"] = dense.learned_.facts["unit"]
        for name in [n for n in vars(model) if n.startswith("_cached_")]:
            delattr(model, name)
        model._remember(net, model.learned_)
    expected, found = dense.predict_edges(400), counted.predict_edges(400)
    assert shared(found, expected) >= 399
    assert shared(found, expected) > shared(tables.predict_edges(400), expected)
    exact = dict(zip(map(tuple, expected.pairs.tolist()), expected.scores, strict=True))
    gaps = [
        abs(exact.get(tuple(pair), np.inf) - score)
        for pair, score in zip(found.pairs.tolist(), found.scores, strict=True)
    ]
    assert np.mean(np.array(gaps) <= 1e-5 * np.abs(expected.scores).max()) >= 0.99


def test_exact_ranks_are_refused_where_they_cannot_be_had(net, small_is_large):
    with pytest.raises(ParameterError, match="passes=1"):
        lp.make("degree:pu", ranks="exact").fit(net)
    with pytest.raises(ParameterError, match="auto, exact"):
        lp.make("degree:pu", ranks="sure").fit(net)
    model = lp.make("degree:pu", ranks="exact", passes=1).fit(net)
    with pytest.raises(ParameterError, match="--top"):
        model.predict_edges(5, Candidates.of(net, around=[net.names[0]]))


def test_a_fit_that_runs_out_of_memory_begins_again_with_smaller_blocks(net, stand_in, caplog):
    import torch

    from linkprior.solvers.device import DeviceDirect

    plain = lp.make("tri-degree", n_starts=1, solver="streaming").fit(net)
    tried = []

    def often(self, factors, prior):
        tried.append(self.block_rows)
        if len(tried) == 3:
            raise torch.cuda.OutOfMemoryError("out of memory")
        return usual(self, factors, prior)

    usual = DeviceDirect._ranked_pass
    try:
        DeviceDirect._ranked_pass = often
        again = lp.make("tri-degree", n_starts=1, solver="streaming").fit(net)
    finally:
        DeviceDirect._ranked_pass = usual
    assert tried[3] == max(1, tried[0] // 8)
    assert "out of memory" in caplog.text
    np.testing.assert_allclose(again.learned_.arrays["U"], plain.learned_.arrays["U"], rtol=1e-4)


def test_a_device_that_is_too_small_is_reported_before_anything_begins(monkeypatch):
    import torch

    from linkprior.errors import LinkpriorError
    from linkprior.kernels.torch import ops

    monkeypatch.setattr(ops, "free_bytes", lambda device: 10**9)
    with pytest.raises(LinkpriorError, match=r"needs about 6.4 GB on the GPU.*1 GB are free.*rank"):
        ops.require(6.4e9, "ADMM for 20000 nodes", torch.device("cuda"))
    ops.require(0.9e9, "ADMM", torch.device("cuda"))


def test_without_torch_the_way_to_get_it_is_reported(net, small_is_large, monkeypatch):
    import builtins

    usual = builtins.__import__

    def missing(name, *args, **more):
        if name.startswith("linkprior.kernels.torch"):
            raise ImportError(name)
        return usual(name, *args, **more)

    monkeypatch.setattr(builtins, "__import__", missing)
    with pytest.raises(lp.LinkpriorError, match=r"pip install .linkprior\[gpu\]"):
        on_device.all_pairs()


def test_a_threshold_that_is_a_score_itself_keeps_its_pair_on_a_device(net, stand_in):
    model = lp.make("tri", n_starts=1).fit(net)
    scores = np.sort(model.predict_edges(40).scores)[::-1]
    for threshold in scores:
        found = model.predict_edges(None, threshold=float(threshold)).scores
        assert len(found) == np.sum(scores >= threshold)
        assert found.min() == threshold
    assert stand_in


def test_exact_ranks_over_a_model_without_factors_are_refused_when_large(net, small_is_large):
    with pytest.raises(ParameterError, match="models of factors"):
        lp.make("degree:l3", ranks="exact", passes=1).fit(net)


def test_exact_ranks_over_any_model_are_there_already_when_small(net):
    exact, auto = (lp.make("degree:l3", ranks=ranks).fit(net) for ranks in ("exact", "auto"))
    np.testing.assert_array_equal(exact.predict_edges(20).pairs, auto.predict_edges(20).pairs)
