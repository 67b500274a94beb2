"""What to expect of a list of links, in words, where a model has tried itself on hidden edges."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from linkprior.predictors.base import Array, LinkPredictor
    from linkprior.predictors.evidence import PairStory


def yield_of(model: LinkPredictor, scores: Array) -> str | None:
    """Return how many of these ranked links may be real: `about 41 (30–52)`; None: unknown."""
    hits = model.expected_hits(scores) if len(scores) else None
    if hits is None:
        return None
    mean, low, high = (float(column[-1]) for column in hits)
    about = f"about {mean:.0f}" if mean >= 1.0 else "less than one"
    return f"{about} ({low:.0f}–{high:.0f})"


def line(model: LinkPredictor, scores: Array) -> str | None:
    """Return the sentence that follows a list; None for a model that cannot tell."""
    told = yield_of(model, scores)
    if told is None:
        return None
    links = f"Of the {len(scores):,} links" if len(scores) > 1 else "Of this one link"
    verb = "is" if told.startswith(("about 1 ", "less")) else "are"
    return f"{links} {told} {verb} expected to be real, {model.assumption()}."


def of_pair(model: LinkPredictor, story: PairStory) -> str | None:
    """Return the chance of a pair that is explained; None where it is known to be one or none."""
    import numpy as np

    if story.facts["observed"] or story.facts["known_non_edge"]:
        return None
    chances = model.probabilities(np.array([story.facts["score"]]))
    if chances is None:
        return None
    return f"The chance that it is a missing link is {chances[0]:.3g}, {model.assumption()}."
