"""The facts of a pair in plain lines; nothing is said that the facts do not hold."""

from __future__ import annotations

from math import log
from typing import Any

Facts = dict[str, Any]

CLEARLY = 3.0  # times by which one place must beat another before a word is said about it
NEAR_THE_TOP = 0.1  # share of all candidates


def lines(facts: Facts) -> list[str]:
    """Return the story line by line."""
    return [
        *_standing(facts),
        _parts(facts),
        *_ranks(facts),
        _by_degree(facts),
        _shared(facts),
        *_paths(facts),
        "A score orders pairs; it is no probability.",
    ]


def _standing(facts: Facts) -> list[str]:
    pair, score = f"{facts['source']} – {facts['target']}", _number(facts["score"])
    total = f"{facts['n_candidates']:,} candidate pair{_s(facts['n_candidates'])}"
    if _barred(facts):
        what = "an observed edge" if facts["observed"] else "a known non-edge"
        fitted = ", fitted with the edge in place," * facts["observed"]
        return [
            f"{pair} is {what}: {facts['model']} knew it, and does not predict it.",
            f"Its score{fitted} is {score}; {facts['candidates_above']:,} of {total} score higher.",
        ]
    tied = f", shared with {facts['tied']:,} more" if facts["tied"] else ""
    return [
        f"{pair} is not an observed edge: for {facts['model']} it is a candidate.",
        f"Its score is {score}: place {facts['place']:,} of {total}{tied}.",
    ]


def _parts(facts: Facts) -> str:
    prior = facts["prior"]
    if facts.get("model") == "auto":
        return "It comes from all models together: no part of it is the prior's alone."
    if prior == 0:
        return "No prior has a part in the score."
    verb = f"takes {_number(-prior)} away" if prior < 0 else f"adds {_number(prior)}"
    return f"Before the prior it is {_number(facts['base'])}; the prior {verb}."


def _ranks(facts: Facts) -> list[str]:
    """Say how good either node is for the other, beside how many edges it has."""
    ends = ("source", "target"), ("target", "source")
    return [
        f"Of all {facts['n_nodes'] - 1:,} partners {facts[one]} could have, {facts[other]} is the "
        f"{_nth_best(facts[f'rank_for_{one}'])}; {facts[one]} has "
        f"{facts[f'degree_{one}']:,} observed edge{_s(facts[f'degree_{one}'])}."
        for one, other in ends
    ]


def _by_degree(facts: Facts) -> str:
    """Say where degree alone would put the pair, and what that tells."""
    if not facts["n_candidates"]:
        known = " or a known non-edge" * facts.get("known_non_edge", False)
        every = f"Every pair of this network is an observed edge{known}"
        return f"{every}: there is nothing to compare with."
    by_degree = facts["rank_by_degree"]
    place = f"it at place {by_degree:,}"
    if _barred(facts):
        place = f"{by_degree - 1:,} candidate{_s(by_degree - 1)} above it"
    return f"Degree alone (the product of the two) would put {place}: {_verdict(facts)}."


def _verdict(facts: Facts) -> str:
    """Weigh the place against that by degree alone.

    Of a place's worth, the logarithm of how many candidates there are to each one above it, degree
    alone must leave a third unexplained before structure is said to speak.
    """
    place, by_degree = facts["candidates_above"] + 1, facts["rank_by_degree"]
    total = facts["n_candidates"]
    if by_degree * CLEARLY <= place:
        return "popularity speaks for it, the model does not follow"
    if place > max(3, total * NEAR_THE_TOP):
        return "neither puts it near the top"
    if place * CLEARLY <= by_degree and log(total / by_degree) <= 2 / 3 * log(total / place):
        return "the network's structure speaks for it, not popularity"
    return "not far off, so popularity explains much of its place"


def _shared(facts: Facts) -> str:
    count, best = facts["paths2"], facts["shared_partners"]
    if not count:
        return "They share no partner."
    told = ", ".join(f"{name} ({degree:,} edge{_s(degree)})" for name, degree in best)
    most = "" if count <= len(best) else "the most telling, with the fewest edges, are "
    return f"They share {count:,} partner{_s(count)}: {most}{told}."


def _paths(facts: Facts) -> list[str]:
    count, best = facts["paths3"], facts["best_paths"]
    if not count:
        return ["No path of length 3 joins them."]
    verb = "joins" if count == 1 else "join"
    ends = facts["source"], facts["target"]
    return [
        f"{count:,} path{_s(count)} of length 3 {verb} them; "
        "the heaviest, by 1/√(product of the degrees on the way):",
        *(
            f"  {' – '.join([ends[0], *path['through'], ends[1]])} ({_number(path['weight'])})"
            for path in best
        ),
    ]


def _barred(facts: Facts) -> bool:
    return bool(facts["observed"] or facts.get("known_non_edge"))


def _number(value: float) -> str:
    return f"{value:.4g}"


def _s(count: int) -> str:
    return "" if count == 1 else "s"


def _nth_best(number: int) -> str:
    teen = 10 <= number % 100 <= 20
    ending = "th" if teen else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return "best" if number == 1 else f"{number:,}{ending} best"
