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
from linkprior.report.neighbourhood import graph_data, neighbourhood_of
from linkprior.report.page import format_value, provenance

MOST_LINKS = 20_000  # a page with more would take long to open
_YIELD_POINTS = 200
_BINS_PER_DECADE = 8
_SHOWN_MODELS = 12
_LEAST_SHARE = 0.005


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
    carried = model.learned_.facts.get("carried")
    if carried:
        best = sorted(carried.items(), key=lambda one: -one[1])[:_SHOWN_MODELS]
        data["carried"] = [
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
    return {
        "yield": {"k": k, **curve},
        "yield_words": f"By edges hidden from the network itself: {assumption}.",
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
