"""The data of a page about one prediction: links, yield, neighbourhoods, network, origins."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse.csgraph import connected_components

from linkprior.model.degrees import prior_degrees
from linkprior.network import Network
from linkprior.predictors.base import LinkPredictor
from linkprior.ranking.ranking import Ranking
from linkprior.report.page import format_value, provenance

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

MOST_LINKS = 20_000  # a page with more would take long to open
_YIELD_POINTS = 200
_BINS_PER_DECADE = 8
_SHOWN_MODELS = 12
_LEAST_SHARE = 0.005
TOP = 50  # links drawn together
MOST_PLACED = 220  # nodes of that drawing
MOST_NODES = 4000  # nodes a page knows
BESIDE = 24  # observed partners of an end, at most
_ROUNDS = 240


def prediction_page(
    model: LinkPredictor,
    ranking: Ranking,
    report: Mapping[str, Any] | None = None,
    about: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Return what a page shows of a prediction.

    `report` is the input report as a dictionary, `about` the manifest of a run.
    """
    net, shown = model.network_, ranking.head(MOST_LINKS)
    around = neighbourhood_of(net, shown.pairs)
    report, about = report or {}, about or {}
    source = report.get("file") or about.get("input", {}).get("file") or "a network"
    source = str(source).replace("\\", "/").rsplit("/", 1)[-1]
    links = f"{len(ranking):,} predicted link{'s' * (len(ranking) != 1)}"
    more = "" if len(ranking) <= MOST_LINKS else f" (the first {MOST_LINKS:,} are shown)"
    edges = f"{net.n_edges:,} observed link{'s' * (net.n_edges != 1)} among {net.n_nodes:,} nodes"
    data: dict[str, Any] = {
        "title": f"Missing links of {source}",
        "model": type(model).name,
        "subtitle": f"{links} by {type(model).name}{more}, from {edges}",
        "names": [str(net.names[node]) for node in around.tolist()],
        "links": {
            "source": np.searchsorted(around, shown.pairs[:, 0]),
            "target": np.searchsorted(around, shown.pairs[:, 1]),
            "columns": {
                name: [float(f"{value:.6g}") for value in np.asarray(column).tolist()]
                if np.asarray(column).dtype.kind == "f"
                else column
                for name, column in {"score": shown.scores, **shown.evidence}.items()
            },
        },
        "words": model.summary(),
        "graph": graph_data(net, shown.pairs, around),
        "network": _network(model, net, report),
        "about": _about(model, net, report, about),
        **_yield(model, ranking),
    }
    importance = model.learned_.facts.get("importance")
    if importance:
        best = sorted(importance.items(), key=lambda one: -one[1])[:_SHOWN_MODELS]
        data["importance"] = [
            {"name": n, "value": v, "text": f"{v:.0%}"} for n, v in best if v >= _LEAST_SHARE
        ]
    return data


def _yield(model: LinkPredictor, ranking: Ranking) -> dict[str, Any]:
    n = len(ranking)
    expected = model.expected_hits(ranking.scores) if n else None
    if expected is None:
        return {}
    k = np.unique(np.round(np.linspace(1, n, min(n, _YIELD_POINTS))).astype(np.int64))
    curve = {
        name: [round(float(v), 2) for v in np.asarray(values)[k - 1]]
        for name, values in zip(("mean", "low", "high"), expected, strict=True)
    }
    assumption = model.assumption()
    known = "edges hidden from the network itself"
    if model.learned_.facts.get("from_history"):
        known = "links that the newer release found"
    return {
        "yield": {"k": k, **curve},
        "yield_words": f"Calibrated on {known}, {assumption}.",
        "yield_assumption": assumption,
    }


def _network(model: LinkPredictor, net: Network, report: Mapping[str, Any]) -> dict[str, Any]:
    degrees, notes = net.degrees, report.get("notes")  # a manifest may hold anything
    params = model.get_params()
    asked = {
        name: params[name] for name in ("n_edges", "c", "seed") if params.get(name) is not None
    }
    prior = prior_degrees(net, **asked, given=params.get("degrees", "observed"))
    hub = int(np.argmax(degrees))
    count, component = connected_components(net.adjacency, directed=False)
    return {
        "nodes": net.n_nodes,
        "edges": net.n_edges,
        "components": report.get("components") or int(count),
        "largest": report.get("largest_component") or int(np.bincount(component).max()),
        "mean": float(np.mean(degrees)),
        "most": int(degrees[hub]),
        "hub": str(net.names[hub]),
        "isolated": int(report.get("isolated") or 0),
        "notes": list(map(str, notes)) if isinstance(notes, list | tuple) else [],
        "degrees": _distribution(degrees),
        "prior": _distribution(prior),
    }


def _distribution(degrees: NDArray[Any]) -> dict[str, list[float]]:
    """Return how many nodes have how many links: each number up to ten, then in bins."""
    most = max(11, int(degrees.max(initial=1)) + 1)
    steps = np.geomspace(10.5, most, max(2, int(_BINS_PER_DECADE * np.log10(most / 10.5)) + 1))
    cuts = np.concatenate([np.arange(0.5, 10.5), steps])
    counts, _ = np.histogram(degrees, cuts)
    value = np.sqrt(cuts[:-1] * cuts[1:])
    value[:10] = np.arange(1, 11)
    each = np.maximum(1.0, np.diff(cuts))  # a bin of several numbers stands for their mean
    shown = counts > 0
    return {
        "value": [round(float(v), 2) for v in value[shown]],
        "nodes": [round(float(v), 3) for v in (counts / each)[shown]],
    }


def _about(
    model: LinkPredictor, net: Network, report: Mapping[str, Any], about: Mapping[str, Any]
) -> dict[str, Any]:
    rows = [
        ("input", report.get("file") or about.get("input", {}).get("file")),
        ("SHA-256 of the input", report.get("sha256") or about.get("input", {}).get("sha256")),
        ("digest of the network", net.digest),
        ("model", type(model).name),
        ("finished", about.get("finished")),
        ("threads", about.get("workers")),
    ]
    command, versions = about.get("command"), about.get("versions")
    facts = [[what, str(value)] for what, value in rows if value]
    return {
        **provenance(
            facts,
            shlex.join(map(str, command)) if isinstance(command, list) and command else None,
            versions if isinstance(versions, Mapping) else None,
        ),
        "parameters": [[name, format_value(value)] for name, value in model.get_params().items()],
    }


# ---------------------------------------------------------------------- the drawing


def neighbourhood_of(net: Network, pairs: Ints) -> Ints:
    """Return the ends of all pairs, and for each some observed partners: those near most ends.

    They are in order; a page counts them from 0.
    """
    ends = np.unique(pairs)
    is_end = np.zeros(net.n_nodes)
    is_end[ends] = 1.0
    nearness, adjacency = net.adjacency @ is_end, net.adjacency
    nodes: list[NDArray[np.integer[Any]]] = [ends]
    left = MOST_NODES - len(ends)
    for node in dict.fromkeys(pairs.ravel().tolist()):  # the best links' ends first
        if left <= 0:
            break
        others = adjacency.indices[adjacency.indptr[node] : adjacency.indptr[node + 1]]
        some = others[np.lexsort((others, -nearness[others]))][:BESIDE]
        nodes.append(some)
        left -= len(some)
    return np.unique(np.concatenate(nodes)).astype(np.int64)


def graph_data(net: Network, pairs: Ints, around: Ints) -> dict[str, Any]:
    """Return observed links among the nodes of a page, and places for those around the best.

    These are the ends of the best, and nodes observed partners of at least two of them, most first.
    """
    edges = net.edges[np.isin(net.edges, around).all(axis=1)]
    numbered, best = np.searchsorted(around, edges), np.searchsorted(around, pairs[:TOP])
    ends = np.unique(best)
    shared = np.zeros(int(max(numbered.max(initial=-1), ends.max(initial=-1))) + 1, dtype=np.int64)
    for near, other in ((0, 1), (1, 0)):  # how many ends each node is an observed partner of
        np.add.at(shared, numbered[np.isin(numbered[:, near], ends), other], 1)
    shared[ends] = 0
    more = np.argsort(-shared, kind="stable")[: max(0, MOST_PLACED - len(ends))]
    placed = np.concatenate([ends, more[shared[more] > 1]])
    among = np.concatenate([numbered, best])
    among = among[np.isin(among, placed).all(axis=1)]
    order = np.argsort(placed)
    at = place_nodes(len(placed), order[np.searchsorted(placed[order], among)])
    return {
        "nodes": placed,
        "x": at[:, 0],
        "y": at[:, 1],
        "edges": numbered.ravel(),
        "degree": net.degrees[around],
        "ends": list(dict.fromkeys(np.searchsorted(around, pairs).ravel().tolist())),
    }


def place_nodes(n_nodes: int, edges: Ints) -> Floats:
    """Return (n, 2) places in the unit square by forces: links pull, all nodes push apart.

    Fruchterman and Reingold's model with a weak pull to the middle, so that parts that are not
    linked stay in the picture. Rounded to a thousandth: last bits do not show.
    """
    if n_nodes == 0:
        return np.empty((0, 2))
    rng = np.random.default_rng(0)
    angle = 2.0 * np.pi * rng.permutation(n_nodes) / n_nodes
    at = np.stack([np.cos(angle), np.sin(angle)], axis=1) * (0.3 + 0.2 * rng.random((n_nodes, 1)))
    room = 1.0 / np.sqrt(n_nodes)
    for turn in range(_ROUNDS):
        step = 0.1 * (1.0 - turn / _ROUNDS) + 1e-3
        move = _forces(at, edges, room) - 0.35 * at
        length = np.sqrt((move**2).sum(axis=1, keepdims=True)) + 1e-12
        at = at + move / length * np.minimum(length, step)
    low, high = at.min(axis=0), at.max(axis=0)
    return np.round((at - low) / np.maximum(high - low, 1e-9), 3)


def _forces(at: Floats, edges: Ints, room: float) -> Floats:
    apart = at[:, None, :] - at[None, :, :]
    square = (apart**2).sum(axis=2) + 1e-6
    push: Floats = room**2 * (apart / square[:, :, None]).sum(axis=1)
    if len(edges):
        i, j = edges[:, 0], edges[:, 1]
        along = at[i] - at[j]
        pull = along * np.sqrt((along**2).sum(axis=1, keepdims=True)) / room
        np.add.at(push, i, -pull)
        np.add.at(push, j, pull)
    return push
