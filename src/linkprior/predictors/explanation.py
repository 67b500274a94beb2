"""The story of one pair: where it stands, and what speaks for it, in numbers and in words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from linkprior import kernels, parallel
from linkprior.errors import InputError
from linkprior.network import Network
from linkprior.network.node_names import number_of
from linkprior.network.pairs import Ints
from linkprior.predictors import wording
from linkprior.predictors.base import LinkPredictor
from linkprior.predictors.path_counts import SHOWN, count_paths, rank_by_degree
from linkprior.ranking.candidates import Candidates


@dataclass(frozen=True)
class PairStory:
    """What is known of one pair.

    Attributes
    ----------
    facts
        Numbers, names and lists, fit for JSON: model, source, target (in node order), observed,
        known_non_edge, score, base, prior, place (None for these two), candidates_above, tied,
        n_candidates, rank_for_source, rank_for_target, n_nodes, degree_source, degree_target,
        rank_by_degree, paths2, paths3, shared_partners (name, degree) and best_paths (through,
        weight).
    """

    facts: dict[str, Any]

    def text(self) -> str:
        """Return the story in 8 to 15 plain lines."""
        return "\n".join(wording.lines(self.facts))


def explain_pair(
    model: LinkPredictor, a: str, b: str, labels: Mapping[str, str] | None = None
) -> PairStory:
    """Return the story of the pair of nodes called `a` and `b`, for a fitted model.

    With `labels`, readable names of nodes, a node is told as TP53 (7157).
    """
    net, _ = model._state()
    one, other = number_of(net, a), number_of(net, b)
    if one == other:
        raise InputError(f"a pair joins two different nodes, got {net.names[one]!r} twice")
    i, j = sorted((one, other))
    facts = {
        "model": type(model).name,
        "source": net.names[i],
        "target": net.names[j],
        "observed": j in _partners(net, i),
        "known_non_edge": _refuted(net, i, j),
        "n_nodes": net.n_nodes,
        **_standing(model, net, i, j),
        **_surroundings(net, i, j),
    }
    return PairStory(_relabelled(facts, labels) if labels else facts)


def _relabelled(facts: dict[str, Any], labels: Mapping[str, str]) -> dict[str, Any]:
    def shown(name: str) -> str:
        return f"{labels[name]} ({name})" if labels.get(name, name) != name else name

    return facts | {
        "source": shown(facts["source"]),
        "target": shown(facts["target"]),
        "shared_partners": [[shown(name), degree] for name, degree in facts["shared_partners"]],
        "best_paths": [
            path | {"through": list(map(shown, path["through"]))} for path in facts["best_paths"]
        ],
    }


def _standing(model: LinkPredictor, net: Network, i: int, j: int) -> dict[str, Any]:
    """Tell the score, its parts, and its place among all candidates and for either node."""
    asked = Candidates.of(net)
    with parallel.one_blas_thread():
        score = _score_in_block(model, net, i, j)
        above, equal = _count(model, asked, score)
    barred = j in _partners(net, i) or _refuted(net, i, j)
    why = model.explain(np.array([[i, j]]))
    return {
        "score": score,
        "base": float(why.base[0]),
        "prior": float(why.prior[0]),
        "place": None if barred else above + 1,
        "candidates_above": above,
        "tied": equal - (not barred),
        "n_candidates": asked.n_candidates,
        "rank_for_source": int(why.rank_for_source[0]),
        "rank_for_target": int(why.rank_for_target[0]),
    }


def _score_in_block(model: LinkPredictor, net: Network, i: int, j: int) -> float:
    """Return the score as a ranking has it: from the same block, so that a tie stays a tie."""
    start, stop = next(block for block in parallel.blocks(net.n_nodes) if block[1] > i)
    return float(model.score_rows(start, stop)[i - start, j])


def _count(model: LinkPredictor, asked: Candidates, score: float) -> tuple[int, int]:
    """Return how many candidates score higher and how many the same."""
    barred = asked.barred

    def one_block(start: int, stop: int) -> tuple[int, int]:
        above, equal = kernels.count_above(
            model.score_rows(start, stop), start, barred.indptr, barred.indices, [score]
        )
        return int(above[0]), int(equal[0])

    counts = parallel.map_blocks(one_block, asked.network.n_nodes, stage="placing the pair")
    above, equal = np.array(list(counts)).sum(axis=0).tolist()
    return above, equal


def _surroundings(net: Network, i: int, j: int) -> dict[str, Any]:
    """Tell degrees, shared partners and paths."""
    pair = np.array([[i, j]])
    paths = count_paths(net, pair)
    partners = [node for node in paths.partners[0].tolist() if node >= 0]
    return {
        "degree_source": int(net.degrees[i]),
        "degree_target": int(net.degrees[j]),
        "rank_by_degree": int(rank_by_degree(net, pair)[0]),
        "paths2": int(paths.two[0]),
        "paths3": int(paths.three[0]),
        "shared_partners": [[net.names[node], int(net.degrees[node])] for node in partners],
        "best_paths": _best_paths(net, i, j),
    }


def _best_paths(net: Network, i: int, j: int) -> list[dict[str, Any]]:
    """Return the paths i–u–v–j of largest weight 1/√(k_u·k_v), ties in node order."""
    first, last = (ends[ends != barred] for ends, barred in _ends(net, i, j))
    steps = net.adjacency[first][:, last].tocoo()
    u, v = first[steps.coords[0]], last[steps.coords[1]]
    product = net.degrees[u] * net.degrees[v]
    best = np.lexsort((v, u, product))[:SHOWN]
    return [
        {"through": [net.names[u[at]], net.names[v[at]]], "weight": float(product[at]) ** -0.5}
        for at in best.tolist()
    ]


def _ends(net: Network, i: int, j: int) -> tuple[tuple[Ints, int], tuple[Ints, int]]:
    """Return either node's partners, and the node a path must not touch again."""
    return (_partners(net, i), j), (_partners(net, j), i)


def _refuted(net: Network, i: int, j: int) -> bool:
    negatives = net.known.negatives
    return negatives is not None and bool((negatives == (i, j)).all(axis=1).any())


def _partners(net: Network, node: int) -> Ints:
    start, stop = net.adjacency.indptr[node : node + 2]
    return net.adjacency.indices[start:stop].astype(np.int64)
