"""Odd networks and numbers far out of range: finite scores, or one clear line."""

from __future__ import annotations

import dataclasses
import warnings
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

import linkprior as lp
from linkprior.predictors.registry import find, make
from linkprior.ranking.ranking import Ranking
from torture.disturbances import Facts, Tally
from torture.sandbox import EVERY_MODEL, until

TIES, RING = 100_000, 460  # pairs asked for of a ring of nodes, most or all of one score
QUICK = {"n_starts": 1, "max_iter": 6, "warmup": 6, "effort": "fast", "holdouts": 1}
ENDS = ("fits", "refused")  # fits with an ordered list, errors of one line
_SMALL, _COMPILED = 60, 300  # nodes: below and above where compiled kernels take over


Make = Callable[[int], "lp.Network"]


def _of(pairs: Iterable[tuple[int, int]], n_nodes: int) -> lp.Network:
    return lp.Network.from_edges(pairs, nodes=range(n_nodes))


def usual(p: int) -> lp.Network:
    return lp.planted_network(n_nodes=p, n_groups=3, mean_degree=5, seed=1)


def _weighted(weights: Callable[[int], Any]) -> Make:
    def weighted(p: int) -> lp.Network:
        net = usual(p)
        return net.with_weights(weights(net.n_edges))

    return weighted


def _twice(p: int) -> lp.Network:
    half = usual(p // 2)
    other = half.edges + half.n_nodes
    return _of([*half.edges.tolist(), *other.tolist()], 2 * half.n_nodes)


def _complete(p: int, first: int = 0) -> lp.Network:
    pairs = [(i, j) for j in range(p // 2) for i in range(j)]
    return _of(pairs[first:], p // 2)


def _bipartite(p: int) -> lp.Network:
    half = p // 2
    ends = np.argwhere(np.random.default_rng(1).random((half, p - half)) < 5 / half)
    return _of(((int(i), half + int(j)) for i, j in ends), p)


CASES: dict[str, Make] = {
    "usual": usual,
    "half of the nodes isolated": lambda p: _of(usual(p // 2).edges.tolist(), p),
    "one edge": lambda _: _of([(0, 1)], 2),
    "one edge, others isolated": lambda p: _of([(3, 4)], p),
    "two edges": lambda _: _of([(0, 1), (2, 3)], 4),
    "no edge": lambda p: _of([], p),
    "one node": lambda _: _of([], 1),
    "no node": lambda _: _of([], 0),
    "weights 1e12": _weighted(lambda n: np.full(n, 1e12)),
    "weights 1e-12": _weighted(lambda n: np.full(n, 1e-12)),
    "weights over 24 orders": _weighted(lambda n: np.logspace(-12, 12, n)),
    "one weight 1e12 among ones": _weighted(lambda n: np.r_[1e12, np.ones(n - 1)]),
    "weights 3e38, sums beyond float32": _weighted(lambda n: np.full(n, 3e38)),
    "weights 1e308, sums beyond float64": _weighted(lambda n: np.full(n, 1e308)),
    "weights from 5e-324 to 1e308": _weighted(lambda n: np.r_[5e-324, 1e308, np.ones(n - 2)]),
    "smallest weights there are": _weighted(lambda n: np.full(n, 5e-324)),
    "a hub joined to everything": lambda p: _of(
        [*usual(p).edges.tolist(), *((0, i) for i in range(1, p))], p
    ),
    "two hubs joined to everything": lambda p: _of(
        ((h, i) for h in (0, 1) for i in range(2, p)), p
    ),
    "a star": lambda p: _of(((0, i) for i in range(1, p)), p),
    "complete": _complete,
    "complete but for one pair": lambda p: _complete(p, first=1),
    "a ring": lambda p: _of(((i, (i + 1) % p) for i in range(p)), p),
    "a path": lambda p: _of(((i, i + 1) for i in range(p - 1)), p),
    "pairs alone": lambda p: _of(((i, i + 1) for i in range(0, p - 1, 2)), p),
    "two components": _twice,
    "bipartite": _bipartite,
}


def try_fit(name: str, case: str, nodes: int, tally: Tally, k: int | None = None) -> None:
    _fit(f"{name} on {case} ({nodes} nodes)", name, {}, lambda: CASES[case](nodes), tally, k)


def try_value(name: str, parameter: str, value: float, tally: Tally) -> None:
    """Fit with one parameter far out of its range."""
    _fit(f"{name} with {parameter}={value}", name, {parameter: value}, lambda: usual(_SMALL), tally)


def _fit(
    label: str, name: str, params: Facts, network: Callable[[], lp.Network], tally: Tally,
    k: int | None = None,
) -> None:  # fmt: skip
    """Fit, score and rank with any warning an error; count the end and note what is wrong."""
    quick = {key: value for key, value in QUICK.items() if key in find(name).parameter_names()}
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            net = network()
            model = make(name, **{**quick, **params}).fit(net)
            rows = model.score_rows(0, net.n_nodes)
            ranking = model.predict_edges(net.n_non_edges + 5 if k is None else k)
    except lp.LinkpriorError as said:
        tally["refused"] += 1
        wrong = [] if one_line(said) else [f"not one line: {said}"]
    except Exception as problem:
        wrong = [f"{type(problem).__name__}: {problem}"]
    else:
        tally["fits"] += 1
        wrong = in_order(ranking, net, k)
        slack = 1e-6 * float(np.abs(rows).max(initial=0))
        if not np.isfinite(rows).all():
            wrong.append(f"{int((~np.isfinite(rows)).sum())} scores are not finite")
        elif not np.allclose(rows, rows.T, rtol=1e-4, atol=slack):
            wrong.append("scores are not symmetric")
    tally.defects += [f"{label}: {what}" for what in wrong]


def one_line(said: Exception) -> bool:
    return "\n" not in str(said) and 10 < len(str(said)) < 500


def in_order(ranking: Ranking, net: lp.Network, k: int | None = None) -> list[str]:
    """Say what is wrong with a list: its length, numbers, order, ties, edges, doubles."""
    expected = net.n_non_edges if k is None else min(k, net.n_non_edges)
    if len(ranking) != expected:
        return [f"{len(ranking)} pairs of {expected}"]
    (i, j), wrong = net.places[ranking.pairs].T, []  # in order of names
    if not np.isfinite(ranking.scores).all():
        wrong.append("scores of the list are not finite")
    if not (np.lexsort((j, i, -ranking.scores)) == np.arange(expected)).all():
        wrong.append("the list is not by score, then by names")
    if (i >= j).any() or len(np.unique(i * net.n_nodes + j)) != expected:
        wrong.append("pairs twice or turned round")
    if expected and np.asarray(net.adjacency.todense())[tuple(ranking.pairs.T)].any():
        wrong.append("edges in the list")
    return wrong


def run(end: float, tally: Tally) -> dict[str, int]:
    """Try all models on all cases while there is time; return how many of how many were tried."""
    asked = [
        (name, case, size)
        for size in (_SMALL, _COMPILED)
        for case in CASES
        for name in EVERY_MODEL
        if name != "auto" or size == _SMALL  # it takes seconds
    ]
    for name in until(end, EVERY_MODEL):
        if name != "auto":
            try_fit(name, "a ring", RING, tally, TIES)
    tried = [try_fit(*one, tally) for one in until(end, asked)]
    return {"tried": len(tried), "cases": len(asked), "networks": len(CASES)}


VALUES: tuple[float, ...] = (1e-300, 1e-30, 1e-12, 1e12, 1e30, 1e38, 1e300, 10**30, -1.0)
COUNTS = (10**30, 2**63 - 1, -1)
# Asked for a thousand million steps, a model takes them: no mistake of its own.
_LASTING = frozenset({"max_iter", "warmup", "cg_steps", "steps", "sweeps", "tri-degree passes"})
_COUNTED = frozenset({"seed", "n_starts", "n", "most", "least", "n_blocks", "rank", "passes"})


def run_extremes(end: float, tally: Tally) -> dict[str, int]:
    """Try every value while there is time; return how many of how many were tried."""
    every = [
        (name, one.name, value)
        for name in EVERY_MODEL
        for one in (dataclasses.fields(find(name)) if name != "auto" else ())
        if not {one.name, f"{name} {one.name}"} & _LASTING
        for value in (COUNTS if one.name in _COUNTED else VALUES)
    ]
    tried = [try_value(*one, tally) for one in until(end, every)]
    return {"values_tried": len(tried), "values": len(every)}
