"""What auto learned about a network, in words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from linkprior.predictors.auto.features import PRIOR
from linkprior.predictors.auto.holdout import FEW_HIDDEN
from linkprior.predictors.auto.stack import FEWEST_TO_CHOOSE

_MEASURES = {
    "auprc": "AUPRC",
    "recall": "recall at 5 %",
    "dc_auroc": "AUROC against pairs of like degree",
}
_COMMON = {
    "fusion": "the plain fusion of all ranks",
    "prior": "what the degree prior says of the ranks of all models",
}
_SHOWN = 5
NO_PROBABILITIES = "too little was found again to state probabilities: links have scores only"


def lines(facts: Mapping[str, Any], objective: str) -> list[str]:
    """Return some lines: how it was learned, what carried it, what was left out."""
    hidden, validation = facts["hidden"], facts["validation"]
    found = []
    if facts["from_history"]:
        found.append(
            f"auto learned from the {facts['found']:,} links that the newer release found between "
            f"nodes of the older one, and fitted {len(facts['sources'])} base models"
        )
    elif facts["found"] is not None:
        links = f"{facts['found']} link{'s' * (facts['found'] != 1)}"
        found.append(
            f"the two releases differ by {links} only, too few to learn from: edges were hidden "
            "instead"
        )
    if hidden and not facts["from_history"]:
        found.append(
            f"auto hid {_span(hidden)} edge{'s' * (max(hidden) != 1)} {len(hidden)} "
            f"time{'s' * (len(hidden) != 1)} and fitted {len(facts['sources'])} base models"
        )
    found.append(_chosen(facts, validation, objective))
    if facts["carried"]:
        parts = (f"{_called(label)} {share:.0%}" for label, share in _first(facts["carried"]))
        found.append(f"feature importance: {', '.join(parts)}")
    if facts["left_out"]:
        left = "; ".join(f"{name}: {why}" for name, why in facts["left_out"].items())
        found.append(f"left out: {left}")
    return found


def _chosen(facts: Mapping[str, Any], validation: Mapping[str, float], objective: str) -> str:
    measure, stack = _MEASURES[objective], facts["stack"]
    singles = {k: v for k, v in validation.items() if k not in ("stack", "fusion")}
    best = next(iter(singles), None)
    edges = "newly found links" if facts["from_history"] else "hidden edges"
    if stack["kind"] == "stack" and best is not None and "single" in _top_blend(stack):
        return (
            f"nothing learned found {edges} better than {_called(best)}, which ranks the top "
            f"of the list; the rest is ranked by all models ({measure} {validation['stack']:.3g}, "
            f"{_called(best)} alone {singles[best]:.3g}{_as_if(facts, objective)})"
        )
    if stack["kind"] == "stack" and best is not None:
        return (
            f"on {edges} the learned combination reached {measure} "
            f"{validation['stack']:.3g}, the best model alone ({_called(best)}) {singles[best]:.3g}"
            f"{_as_if(facts, objective)}"
        )
    name = _called(stack["labels"][stack["column"]]) if stack["kind"] == "source" else ""
    what = f"{name} alone" if name else _COMMON[stack["kind"]]
    if not facts["hidden"]:
        return f"no edge was hidden, so nothing could be learned: ranked by {what}"
    if sum(facts["hidden"]) < FEWEST_TO_CHOOSE:
        return f"too few {edges} to choose by: ranked by {what}"
    if "stack" not in validation:
        return f"too little to learn from: ranked by {what}, best at finding {edges}"
    return f"nothing learned did better on {edges} than {what}, which is what ranks here"


def _as_if(facts: Mapping[str, Any], objective: str) -> str:
    few = objective == "auprc" and min(facts["hidden"]) < FEW_HIDDEN
    return f", counted as if {FEW_HIDDEN} had been hidden at a time" * few


def _top_blend(stack: Mapping[str, Any]) -> list[str]:
    return list(stack["parts"].get("top", [[]])[0])


def _first(shares: Mapping[str, float]) -> list[tuple[str, float]]:
    return [(label, share) for label, share in shares.items() if share > 0][:_SHOWN]


def _called(label: str) -> str:
    plain = label.removeprefix(PRIOR)
    return f"{plain} with the degree prior" if label != plain else plain


def _span(numbers: list[int]) -> str:
    low, high = min(numbers), max(numbers)
    return f"{low}" if low == high else f"{low}–{high}"
