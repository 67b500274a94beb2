"""A coverage estimate in words: the table, what speaks against it, and which way it may be off."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from linkprior.coverage.estimate import Coverage, Estimate

FEW = 7  # in both: below it the estimate is biased and wide (Seber 1982)
CONTAINED = 0.9  # of a screen's edges in the other: more than independent screens reach
_CHANCE = 3.0  # times what degrees alone would bring
_HARDLY = 0.02  # coverage below which files of foreign names lie, and few screens
_FEW_NAMES = 0.1  # of the smaller network's nodes

_BIASES = """\
These numbers hold for two independent screens of the same links. They are
- too high where both find the same easy links (strong binding, well-studied genes),
- too high where one screen took edges from the other, or both from one source,
- too low where the two can see different kinds of links (direct contact, shared complex),
- too low where edges are false (precision corrects for a known share of them)."""

_PAIRS = {
    "both": "{nodes} nodes in both; a pair counts if other edges show its nodes to both",
    "either": "{nodes} nodes of either screen, taken as tested by both",
    "list": "{nodes} nodes listed as tested by both",
}


def text(found: Coverage, one: str, other: str) -> str:
    """Return the table, the answer in a sentence, warnings and biases."""
    warned = [f"Warning: {line}" for line in warnings(found, one, other)]
    said = [_sentence(found, one, other)] if found.sound else []
    blocks = [_table(found, one, other), *said, *warned]
    return "\n\n".join([*blocks, _BIASES] if found.independent else blocks)


def warnings(
    found: Coverage, one: str = "the first screen", other: str = "the second screen"
) -> list[str]:
    """Return why the numbers may not be trusted, worst first."""
    return [*_not_two(found, one, other), *_overlap(found), *_names(found)]


def _not_two(found: Coverage, one: str, other: str) -> Iterator[str]:
    """Yield whether one screen holds the other, all of it or nearly."""
    if found.both == found.n1 == found.n2:
        yield (
            f"{one} and {other} have the same {found.both} edges: these are not two independent "
            "screens, and no coverage follows"
        )
        return
    for n, inner, outer in ((found.n1, one, other), (found.n2, other, one)):
        if found.both == n:
            yield (
                f"every edge of {inner} that counts is in {outer} too: these are not two "
                "independent screens, and no coverage follows"
            )
        elif found.both >= CONTAINED * n:
            yield (
                f"{found.both / n:.1%} of the edges of {inner} are in {outer} too. If {outer} took "
                "them from there, or both from one source, no coverage follows"
            )


def _overlap(found: Coverage) -> Iterator[str]:
    if found.both < FEW:
        edges = "edges are" if found.both > 1 else "edge is"
        yield (
            f"only {found.both} {edges} in both screens; below {FEW} this is a guess: use the "
            "interval, not the value"
        )
    few = max(found.one.value, found.other.value) < _HARDLY
    if few or found.both < _CHANCE * found.by_chance:
        yield (
            f"the two have hardly an edge in common ({found.both}; the nodes' degrees alone would "
            f"make it {found.by_chance:.2g}): do the same names mean the same nodes in both?"
        )


def _names(found: Coverage) -> Iterator[str]:
    here, there, shared = found.network_nodes
    if shared < _FEW_NAMES * min(here, there):
        yield (
            f"only {shared} node names are in both (of {here} and {there}): do the two use the "
            "same kind of identifiers?"
        )


def _sentence(found: Coverage, one: str, other: str) -> str:
    shares = (found.one, found.other, found.union)
    first, second, union = (_hundred(share.value) for share in shares)
    return (
        f"Of 100 real links that both could have seen, {one} has about {first}, {other} {second}, "
        f"the two together {union}."
    )


def _hundred(share: float) -> str:
    return f"{100 * share:.0f}" if share >= 0.095 else f"{100 * share:.2g}"


def _table(found: Coverage, one: str, other: str) -> str:
    rows = [
        ("pairs that count", "", _PAIRS[found.rule].format(nodes=found.nodes)),
        (f"edges of {one}", str(found.n1), _edges(found.left_out[0], found.precision[0])),
        (f"edges of {other}", str(found.n2), _edges(found.left_out[1], found.precision[1])),
        ("edges in both", str(found.both), f"Jaccard {found.jaccard:.2g}"),
    ]
    if found.independent:
        rows += _answers(found, one, other)
    widths = [max(len(row[k]) for row in rows) for k in (0, 1)]
    lines = (f"{a:<{widths[0]}}  {b:>{widths[1]}}  {more}".rstrip() for a, b, more in rows)
    return "\n".join(lines)


def _answers(found: Coverage, one: str, other: str) -> Iterator[tuple[str, str, str]]:
    total, plain = found.total, found.lincoln_petersen
    wide = f"95 % interval {total.low:.0f} to {total.high:.0f}; Lincoln–Petersen {plain:.0f}"
    yield "links in all (Chapman)", f"{total.value:.0f}", wide
    for label, share in ((one, found.one), (other, found.other), ("the two together", found.union)):
        yield f"coverage of {label}", brief(share.value), _interval(share)


def _interval(share: Estimate) -> str:
    return f"95 % interval {brief(share.low)} to {brief(share.high)}"


def brief(share: float) -> str:
    """Return a share with two digits that count."""
    return f"{share:.2f}" if share >= 0.095 else f"{share:.2g}"


def _edges(left_out: int, precision: float) -> str:
    sure = f"{precision:g} of them real" if precision < 1.0 else ""
    others = f"{left_out} others do not count" if left_out else ""
    return "; ".join(filter(None, (sure, others)))
