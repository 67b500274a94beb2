"""Evidence: columns that say why a predicted pair stands where it stands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linkprior import _progress as progress
from linkprior import parallel
from linkprior.errors import InputError
from linkprior.network.pairs import Ints
from linkprior.predictors.base import LinkPredictor
from linkprior.predictors.explanation import PairStory, explain_pair
from linkprior.predictors.path_counts import count_paths, rank_by_degree
from linkprior.ranking.ranking import Ranking

__all__ = ["COLUMNS", "PairStory", "columns", "explain_pair", "with_evidence"]

COLUMNS = {
    "degree_source": "edges of the source",
    "degree_target": "edges of the target",
    "rank_by_degree": "place of the pair if the product of degrees alone ranked all non-edges",
    "paths2": "paths of length 2 between the two: shared partners",
    "paths3": "paths of length 3 between the two",
    "shared_partners": "up to three shared partners, those with the fewest edges first",
    "prior_share": "part of the prior in the score, |prior| / (|base| + |prior|)",
}
_ROWS_AT_ONCE = 10_000
_PAIRS_AT_ONCE = 1024  # some models gather a row of the network for each pair


def columns(
    model: LinkPredictor, ranking: Ranking, labels: Mapping[str, str] | None = None
) -> dict[str, NDArray[Any]]:
    """Return the evidence for each pair of a ranking, one array per name in `COLUMNS`.

    With `labels`, readable names of nodes named by identifiers, two columns of them come first and
    partners go by them.
    """
    net, _ = model._state()
    if ranking.node_names != net.names:
        raise InputError(
            f"the ranking names {len(ranking.node_names)} nodes that are not those of the model's "
            f"network ({net!r}): take evidence from the model that made the ranking"
        )
    pairs = ranking.pairs
    with progress.stage("gathering evidence", 2.0):
        with progress.part(1.0):
            paths = count_paths(net, pairs)
        with progress.part(1.0):
            share = prior_share(model, pairs)
    found = (
        net.degrees[pairs[:, 0]],
        net.degrees[pairs[:, 1]],
        rank_by_degree(net, pairs),
        paths.two,
        paths.three,
        _joined([(labels or {}).get(name, name) for name in net.names], paths.partners),
        share,
    )
    return {
        **_labelled(ranking, labels),
        **dict(zip(COLUMNS, found, strict=True)),
        **_spread(model, pairs),
        **_expected(model, ranking.scores),
    }


def with_evidence(
    model: LinkPredictor, ranking: Ranking, labels: Mapping[str, str] | None = None
) -> Ranking:
    """Return the same ranking with the evidence beside what it has already."""
    return replace(ranking, evidence={**ranking.evidence, **columns(model, ranking, labels)})


def _labelled(ranking: Ranking, labels: Mapping[str, str] | None) -> dict[str, NDArray[Any]]:
    """Return the labels of both ends, where there are any; a node without one has an empty cell."""
    if not labels:
        return {}
    of_node = np.array([labels.get(name, "") for name in ranking.node_names], dtype=object)
    ends = enumerate(("source", "target"))
    return {f"label_{end}": of_node[ranking.pairs[:, at]] for at, end in ends}


def _spread(model: LinkPredictor, pairs: Ints) -> dict[str, NDArray[Any]]:
    """Return how far the members of a consensus disagree, for the models that are one."""
    if not hasattr(model, "spread"):
        return {}
    spread = np.zeros(len(pairs))
    for start in range(0, len(pairs), _PAIRS_AT_ONCE):
        at = slice(start, start + _PAIRS_AT_ONCE)
        spread[at] = model.spread(pairs[at])
    return {"spread": spread}


def _expected(model: LinkPredictor, scores: NDArray[Any]) -> dict[str, NDArray[Any]]:
    """Return the chance of each pair, and the hits so far, for the models that state them."""
    chances, hits = model.probabilities(scores), model.expected_hits(scores)
    if chances is None or hits is None:
        return {}
    return {"probability": chances, "expected_hits_cumulative": hits[0]}


def prior_share(model: LinkPredictor, pairs: Ints) -> NDArray[np.float64]:
    """Return |prior| / (|base| + |prior|) for each pair; 0 where there is no prior."""
    share = np.zeros(len(pairs))
    if type(model)._base is LinkPredictor._base:
        return share
    order = np.argsort(pairs[:, 0], kind="stable")
    weighing = progress.stage("weighing the prior", len(order))
    with parallel.one_blas_thread(), weighing:
        for start in range(0, len(order), _PAIRS_AT_ONCE):
            at = order[start : start + _PAIRS_AT_ONCE]
            base = model._base(pairs[at])
            prior = np.abs(model._pairs(pairs[at]) - base)
            whole = np.abs(base) + prior
            share[at] = np.divide(prior, whole, out=np.zeros(len(at)), where=whole > 0)
            weighing.advance(len(at))
    return share


def _joined(names: Sequence[str], partners: Ints) -> NDArray[np.object_]:
    """Return the names of each row's nodes joined by `;`, −1 left out.

    In pieces: one list of all rows is made in a single step, and Ctrl-C would wait for it.
    """
    texts = np.empty(len(partners), dtype=object)
    for start in range(0, len(partners), _ROWS_AT_ONCE):
        part = slice(start, start + _ROWS_AT_ONCE)
        texts[part] = [
            ";".join(names[node] for node in row if node >= 0) for row in partners[part].tolist()
        ]
    return texts
