"""Evidence: columns that explain the rank of a predicted pair."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import log
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from linkprior import _progress as progress
from linkprior import kernels, parallel
from linkprior.errors import InputError
from linkprior.network import Network
from linkprior.network.node_names import number_of
from linkprior.network.pairs import Ints
from linkprior.predictors.base import LinkPredictor
from linkprior.ranking.candidates import Candidates
from linkprior.ranking.ranking import Ranking

__all__ = ["COLUMNS", "columns", "explain_pair", "explanation", "with_evidence"]

COLUMNS = {
    "degree_source": "edges of the source",
    "degree_target": "edges of the target",
    "rank_by_degree": "rank of the pair if the product of degrees alone ranked all non-edges",
    "paths2": "paths of length 2 between the two: shared partners",
    "paths3": "paths of length 3 between the two",
    "shared_partners": "up to three shared partners, those with the fewest edges first",
    "prior_share": "part of the prior in the score, |prior| / (|base| + |prior|)",
}
_ROWS_AT_ONCE = 10_000
_PAIRS_AT_ONCE = 1024  # some models gather a row of the network for each pair
SHOWN = 3  # shared partners that are named
_ENTRIES = 1 << 20  # numbers a block of path counts, or of neighbours looked up, holds at most
_SPREAD_OUT = 50_000  # nodes up to which path counts of a node are held for all nodes


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
    pairs, model, labels = model._inward(ranking.pairs), model._in_order(), labels or {}
    net = model.network_
    with progress.stage("gathering evidence", 2.0):
        with progress.part(1.0):
            paths = count_paths(net, pairs)
        with progress.part(1.0):
            share = prior_share(model, pairs)
    source, target = pairs.T
    gathered: dict[str, NDArray[Any]] = {}
    if labels:  # of both ends; a node without one has an empty cell
        of_node = np.array([labels.get(name, "") for name in net.names], dtype=object)
        gathered = {"label_source": of_node[source], "label_target": of_node[target]}
    names = [labels.get(name, name) for name in net.names]
    partners = np.empty(len(pairs), dtype=object)
    for start in range(0, len(pairs), _ROWS_AT_ONCE):  # between two of them Ctrl-C takes effect
        rows = paths.partners[start : start + _ROWS_AT_ONCE].tolist()
        joined = [";".join(names[node] for node in row if node >= 0) for row in rows]
        partners[start : start + len(rows)] = joined
    counted = (
        net.degrees[source],
        net.degrees[target],
        rank_by_degree(net, pairs),
        paths.two,
        paths.three,
        partners,
        share,
    )
    gathered |= dict(zip(COLUMNS, counted, strict=True))
    if hasattr(model, "spread"):  # of the members of a consensus
        cuts = range(_PAIRS_AT_ONCE, len(pairs), _PAIRS_AT_ONCE)
        parts = [model.spread(some, by="position") for some in np.split(pairs, cuts)]
        gathered["spread"] = np.concatenate(parts)
    probabilities = model.probabilities(ranking.scores)
    if probabilities is not None and (hits := model.expected_hits(ranking.scores)) is not None:
        gathered["probability"] = probabilities
        if (bounds := model.probability_bounds(pairs, ranking.scores)) is not None:
            gathered |= {"probability_low": bounds[0], "probability_high": bounds[1]}
        gathered["expected_hits_cumulative"] = hits[0]
    return gathered


def with_evidence(
    model: LinkPredictor, ranking: Ranking, labels: Mapping[str, str] | None = None
) -> Ranking:
    """Return the same ranking with the evidence added to what it has already."""
    return replace(ranking, evidence={**ranking.evidence, **columns(model, ranking, labels)})


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


# ---------------------------------------------------------------------- what the network shows


def rank_by_degree(net: Network, pairs: Ints) -> Ints:
    """Return each pair's place were all non-edges ranked by the product of degrees.

    It is 1 + the number of non-edges with a higher product: pairs counted by classes of nodes of
    the same degree, less the edges among them.
    """
    degrees = net.degrees
    limits, which = np.unique(degrees[pairs].prod(axis=1), return_inverse=True)
    top = int(degrees.max(initial=0))
    per_degree = np.bincount(degrees, minlength=top + 1).astype(np.int64)
    nodes_above = len(degrees) - np.cumsum(per_degree)
    above = np.zeros(len(limits), np.int64)
    for degree in np.flatnonzero(per_degree[1:]) + 1:
        # degree·k > limit means k > ⌊limit/degree⌋; a node is not its own partner
        partners = nodes_above[np.minimum(limits // degree, top)]
        above += per_degree[degree] * (partners - (degree * degree > limits))
    on_edges = np.sort(degrees[net.edges].prod(axis=1))
    edges_above = len(on_edges) - np.searchsorted(on_edges, limits, side="right")
    places: Ints = 1 + above // 2 - edges_above
    return places[which]


@dataclass(frozen=True)
class Paths:
    """The short paths between the nodes of each pair."""

    two: Ints  # paths of length 2: shared partners
    three: Ints  # paths of length 3
    partners: Ints  # (m, 3) shared partners, fewest edges first, ties by node; then −1


def count_paths(net: Network, pairs: Ints) -> Paths:
    """Count the short paths between the ends of each pair, in blocks of nodes.

    Walks from the node with more edges (there are fewer of these) meet the neighbours of the other.
    """
    degrees = net.degrees
    i, j = pairs[:, 0], pairs[:, 1]
    swap = degrees[i] < degrees[j]
    hubs, others = np.where(swap, j, i), np.where(swap, i, j)
    order = np.argsort(hubs, kind="stable")
    paths = Paths(
        np.zeros(len(pairs), np.int64),
        np.zeros(len(pairs), np.int64),
        np.full((len(pairs), SHOWN), -1, np.int64),
    )

    fill = partial(_fill, net, hubs, others, paths)
    for _ in parallel.map_tasks(fill, _by_hub(order, hubs, net), stage="counting paths"):
        pass
    return paths


def _by_hub(order: Ints, hubs: Ints, net: Network) -> list[Ints]:
    """Cut pairs, in order of hub, where a block would hold walks from too many hubs."""
    if not len(order):
        return []
    starts = np.flatnonzero(np.diff(hubs[order], prepend=-1))
    if net.n_nodes > _SPREAD_OUT:
        held = np.cumsum(net.adjacency[hubs[order[starts]]] @ net.degrees)
        return np.split(order, starts[1:][np.diff(held // _ENTRIES) > 0])
    per_block = max(1, _ENTRIES // max(1, net.n_nodes))
    return np.split(order, starts[per_block::per_block])


def _reader(matrix: sp.csr_array) -> Callable[[Ints, NDArray[Any]], NDArray[Any]]:
    """Return what reads entries: of a dense copy, or where that is large, of those stored."""
    n_columns = matrix.shape[1]
    if n_columns <= _SPREAD_OUT:
        whole = matrix.toarray()
        return lambda rows, columns: whole[rows, columns]
    matrix.sort_indices()
    owner = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))
    stored = np.append(owner * n_columns + matrix.indices, np.iinfo(np.int64).max)
    values = np.append(matrix.data, 0)

    def read(rows: Ints, columns: NDArray[Any]) -> NDArray[Any]:
        wanted = rows * n_columns + columns
        at = np.searchsorted(stored, wanted)
        return np.where(stored[at] == wanted, values[at], 0)

    return read


def _fill(net: Network, all_hubs: Ints, all_others: Ints, paths: Paths, at: Ints) -> None:
    """Write the paths of one block of pairs to their places in `paths`."""
    adjacency, hubs, others = net.adjacency, all_hubs[at], all_others[at]
    nodes, row = np.unique(hubs, return_inverse=True)
    near = adjacency[nodes]
    walks, joined = _reader(near @ adjacency), _reader(near > 0)
    paths.two[at] = walks(row, others)
    reached = np.cumsum(net.degrees[others])
    for some in np.split(np.arange(len(at)), np.flatnonzero(np.diff(reached // _ENTRIES)) + 1):
        # All neighbours of the others, one node after the other, and whose they are.
        counts = net.degrees[others[some]]
        owner = np.repeat(np.arange(len(some)), counts)
        skipped = adjacency.indptr[others[some]] - (np.cumsum(counts) - counts)
        neighbour = adjacency.indices[np.arange(len(owner)) + skipped[owner]]
        pair, hub_row = at[some], row[some][owner]
        walked = np.bincount(owner, walks(hub_row, neighbour), minlength=len(pair))
        # On an edge some walks of length 3 go along it, there and back: they are not paths.
        edge = joined(row[some], others[some])
        along = net.degrees[hubs[some]] + counts - 1
        paths.three[pair] = walked.astype(np.int64) - edge * along
        shared = joined(hub_row, neighbour).astype(bool)
        owner, neighbour = owner[shared], neighbour[shared]
        # The first of the shared partners are those with the fewest edges.
        order = np.lexsort((neighbour, net.degrees[neighbour], owner))
        owner, neighbour = owner[order], neighbour[order]
        place = np.arange(len(owner)) - np.searchsorted(owner, owner)
        first = place < SHOWN
        paths.partners[pair[owner[first]], place[first]] = neighbour[first]


# ---------------------------------------------------------------------- the explanation of one pair


Facts = dict[str, Any]

CLEARLY = 3.0  # times by which one place must beat another before it is mentioned
NEAR_THE_TOP = 0.1  # share of all candidates


def explain_pair(
    model: LinkPredictor, a: str, b: str, labels: Mapping[str, str] | None = None
) -> Facts:
    """Return what is known of the pair of nodes called `a` and `b`: numbers and names for JSON.

    With `labels`, readable names of nodes, a node is shown as TP53 (7157).
    """
    model = model._in_order()
    net = model.network_
    one, other = number_of(net, a), number_of(net, b)
    if one == other:
        raise InputError(f"a pair joins two different nodes, got {net.names[one]!r} twice")
    i, j = sorted((one, other))
    names = [
        f"{labels[name]} ({name})" if labels and labels.get(name, name) != name else name
        for name in net.names
    ]
    negatives = net.known.negatives
    refuted = negatives is not None and bool((negatives == (i, j)).all(axis=1).any())
    observed = j in _partners(net, i)
    return {
        "model": type(model).name,
        "source": names[i],
        "target": names[j],
        "observed": observed,
        "known_non_edge": refuted,
        "n_nodes": net.n_nodes,
        **_ranks(model, net, i, j, listed=observed or refuted),
        **_surroundings(net, names, i, j),
    }


def _ranks(model: LinkPredictor, net: Network, i: int, j: int, listed: bool) -> Facts:
    """Return the score, its parts, and its rank among all candidates and for either node."""
    asked = Candidates.of(net)
    barred = asked.barred
    with parallel.one_blas_thread():
        # From the same block as a ranking has it, so that a tie stays a tie.
        start, stop = next(block for block in parallel.blocks(net.n_nodes) if block[1] > i)
        score = float(model.score_rows(start, stop)[i - start, j])

        def one_block(start: int, stop: int) -> tuple[int, int]:
            above, equal = kernels.count_above(
                model.score_rows(start, stop), start, barred.indptr, barred.indices, [score]
            )
            return int(above[0]), int(equal[0])

        counts = parallel.map_blocks(one_block, net.n_nodes, stage="placing the pair")
        above, equal = np.array(list(counts)).sum(axis=0).tolist()
    why = model.explain(np.array([[i, j]]), by="position")
    return {
        "score": score,
        "base": float(why.base[0]),
        "prior": float(why.prior[0]),
        "place": None if listed else above + 1,
        "candidates_above": above,
        "tied": equal - (not listed),
        "n_candidates": asked.n_candidates,
        "rank_for_source": int(why.rank_for_source[0]),
        "rank_for_target": int(why.rank_for_target[0]),
    }


def _surroundings(net: Network, names: Sequence[str], i: int, j: int) -> Facts:
    """Return degrees, shared partners, the heaviest paths by 1/√(k_u·k_v), ties in node order."""
    pair = np.array([[i, j]])
    paths = count_paths(net, pair)
    partners = [node for node in paths.partners[0].tolist() if node >= 0]
    first, last = _partners(net, i), _partners(net, j)
    first, last = first[first != j], last[last != i]  # a path does not touch its ends again
    steps = net.adjacency[first][:, last].tocoo()
    u, v = first[steps.coords[0]], last[steps.coords[1]]
    product = net.degrees[u] * net.degrees[v]
    heaviest = np.lexsort((v, u, product))[:SHOWN].tolist()
    return {
        "degree_source": int(net.degrees[i]),
        "degree_target": int(net.degrees[j]),
        "rank_by_degree": int(rank_by_degree(net, pair)[0]),
        "paths2": int(paths.two[0]),
        "paths3": int(paths.three[0]),
        "shared_partners": [[names[node], int(net.degrees[node])] for node in partners],
        "best_paths": [
            {"through": [names[u[at]], names[v[at]]], "weight": float(product[at]) ** -0.5}
            for at in heaviest
        ],
    }


def _partners(net: Network, node: int) -> Ints:
    start, stop = net.adjacency.indptr[node : node + 2]
    return net.adjacency.indices[start:stop].astype(np.int64)


def explanation(facts: Facts) -> str:
    """Return the explanation of a pair in 8 to 15 lines: score and parts, ranks, degrees, paths."""
    lines = [
        *_score_lines(facts),
        *(
            f"Of all {facts['n_nodes'] - 1:,} partners {facts[one]} could have, {facts[other]} is "
            f"the {_nth_best(facts[f'rank_for_{one}'])}; {facts[one]} has "
            f"{_count(facts[f'degree_{one}'], 'observed edge')}."
            for one, other in (("source", "target"), ("target", "source"))
        ),
        _by_degree(facts),
        *_path_lines(facts),
        "A score orders pairs; it is not a probability.",
    ]
    return "\n".join(lines)


def _score_lines(facts: Facts) -> list[str]:
    """Describe the pair, the rank of its score, and the prior's part in it."""
    pair, score = f"{facts['source']} – {facts['target']}", _number(facts["score"])
    total = _count(facts["n_candidates"], "candidate pair")
    if _barred(facts):
        what = "an observed edge" if facts["observed"] else "a known non-edge"
        fitted = ", fitted with the edge in place," * facts["observed"]
        text = [
            f"{pair} is {what}: {facts['model']} was fitted with it, and does not predict it.",
            f"Its score{fitted} is {score}; {facts['candidates_above']:,} of {total} score higher.",
        ]
    else:
        tied = f", shared with {facts['tied']:,} more" if facts["tied"] else ""
        text = [
            f"{pair} is not an observed edge: for {facts['model']} it is a candidate.",
            f"Its score is {score}: rank {facts['place']:,} of {total}{tied}.",
        ]
    prior = facts["prior"]
    if facts.get("model") == "auto":
        return [*text, "It combines all models: the prior has no separate part in it."]
    if prior == 0:
        return [*text, "The score has no part from a prior."]
    verb = f"subtracts {_number(-prior)}" if prior < 0 else f"adds {_number(prior)}"
    return [*text, f"Before the prior it is {_number(facts['base'])}; the prior {verb}."]


def _by_degree(facts: Facts) -> str:
    """Describe where degree alone would rank the pair, and what follows."""
    if not facts["n_candidates"]:
        non_edge = " or a known non-edge" * facts.get("known_non_edge", False)
        every = f"Every pair of this network is an observed edge{non_edge}"
        return f"{every}: there is nothing to compare with."
    by_degree = facts["rank_by_degree"]
    place = f"it at rank {by_degree:,}"
    if _barred(facts):
        place = f"{_count(by_degree - 1, 'candidate')} above it"
    return f"Degree alone (the product of the two) would put {place}: {_verdict(facts)}."


def _verdict(facts: Facts) -> str:
    """Compare the rank with that by degree alone.

    Of a rank's information, the logarithm of how many candidates there are to each one above it,
    degree alone must leave a third unexplained before structure is said to support the pair.
    """
    place, by_degree = facts["candidates_above"] + 1, facts["rank_by_degree"]
    total = facts["n_candidates"]
    if by_degree * CLEARLY <= place:
        return "degree supports it, the model does not"
    if place > max(3, total * NEAR_THE_TOP):
        return "neither ranks it near the top"
    if place * CLEARLY <= by_degree and log(total / by_degree) <= 2 / 3 * log(total / place):
        return "the network's structure supports it, not degree"
    return "not far off, so degree explains much of its rank"


def _path_lines(facts: Facts) -> list[str]:
    """Describe the partners they share, and the paths of length 3 that join them."""
    count, best = facts["paths2"], facts["shared_partners"]
    shared = "They share no partner."
    if count:
        listed = ", ".join(f"{name} ({_count(degree, 'edge')})" for name, degree in best)
        most = "" if count <= len(best) else "the most specific, with the fewest edges, are "
        shared = f"They share {_count(count, 'partner')}: {most}{listed}."
    if not facts["paths3"]:
        return [shared, "No path of length 3 joins them."]
    verb = "joins" if facts["paths3"] == 1 else "join"
    heaviest = [
        f"  {' – '.join([facts['source'], *path['through'], facts['target']])} "
        f"({_number(path['weight'])})"
        for path in facts["best_paths"]
    ]
    return [
        shared,
        f"{_count(facts['paths3'], 'path')} of length 3 {verb} them; "
        "the heaviest, by 1/√(product of the degrees on the way):",
        *heaviest,
    ]


def _barred(facts: Facts) -> bool:
    return bool(facts["observed"] or facts.get("known_non_edge"))


def _number(value: float) -> str:
    return f"{value:.4g}"


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}{'s' * (number != 1)}"


def _nth_best(number: int) -> str:
    teen = 10 <= number % 100 <= 20
    ending = "th" if teen else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return "best" if number == 1 else f"{number:,}{ending} best"
