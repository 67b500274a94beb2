"""What auto learned about a network, as text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from linkprior.predictors.auto.features import PRIOR
from linkprior.predictors.auto.holdout import FEW_HIDDEN
from linkprior.predictors.auto.stack import FEWEST_TO_CHOOSE

_MEASURES = {
    "auprc": "AUPRC",
    "recall": "recall at 5 %",
    "dc_auroc": "AUROC against pairs of similar degree",
}
_COMMON = {
    "fusion": "the plain fusion of all ranks",
    "prior": "the prior-weighted ranks of all models",
}
_SHOWN = 5
NO_PROBABILITIES = "too few hidden edges were found to give probabilities: links have scores only"


def lines(facts: Mapping[str, Any], objective: str) -> list[str]:
    """Return some lines: how it was learned, feature importance, what was left out."""
    hidden, validation = facts["hidden"], facts["validation"]
    summary = []
    if facts["from_history"]:
        summary.append(
            f"auto learned from the {facts['found']:,} links that the newer release found between "
            f"nodes of the older one, and fitted {len(facts['sources'])} base models"
        )
    elif facts["found"] is not None:
        links = f"{facts['found']} link{'s' * (facts['found'] != 1)}"
        summary.append(
            f"the two releases differ by {links} only, too few to learn from: edges were hidden "
            "instead"
        )
    if hidden and not facts["from_history"]:
        low, high = min(hidden), max(hidden)
        span = f"{low}" if low == high else f"{low}–{high}"
        summary.append(
            f"auto hid {span} edge{'s' * (max(hidden) != 1)} {len(hidden)} "
            f"time{'s' * (len(hidden) != 1)} and fitted {len(facts['sources'])} base models"
        )
    summary.append(_chosen(facts, validation, objective))
    if facts["carried"]:
        shares = facts["carried"].items()
        parts = [f"{_called(label)} {share:.0%}" for label, share in shares if share > 0]
        summary.append(f"feature importance: {', '.join(parts[:_SHOWN])}")
    if facts["left_out"]:
        left = "; ".join(f"{name}: {why}" for name, why in facts["left_out"].items())
        summary.append(f"left out: {left}")
    return summary


def _chosen(facts: Mapping[str, Any], validation: Mapping[str, float], objective: str) -> str:
    measure, stack = _MEASURES[objective], facts["stack"]
    singles = {k: v for k, v in validation.items() if k not in ("stack", "fusion")}
    best = next(iter(singles), None)
    edges = "newly found links" if facts["from_history"] else "hidden edges"
    if stack["kind"] == "stack" and best is not None:
        few = objective == "auprc" and min(facts["hidden"]) < FEW_HIDDEN
        as_if = f", counted as if {FEW_HIDDEN} had been hidden at a time" * few
        reached, alone = f"{measure} {validation['stack']:.3g}", f"{singles[best]:.3g}{as_if}"
        if "single" in stack["parts"].get("top", [[]])[0]:
            return (
                f"no learned combination found {edges} better than {_called(best)}, which ranks "
                f"the top of the list; the rest is ranked by all models ({reached}, "
                f"{_called(best)} alone {alone})"
            )
        return (
            f"on {edges} the learned combination reached {reached}, the best model alone "
            f"({_called(best)}) {alone}"
        )
    name = _called(stack["labels"][stack["column"]]) if stack["kind"] == "source" else ""
    what = f"{name} alone" if name else _COMMON[stack["kind"]]
    if not facts["hidden"]:
        return f"no edge was hidden, so nothing could be learned: ranked by {what}"
    if sum(facts["hidden"]) < FEWEST_TO_CHOOSE:
        return f"too few {edges} to choose by: ranked by {what}"
    if "stack" not in validation:
        return f"too little to learn from: ranked by {what}, best at finding {edges}"
    return f"no learned combination did better on {edges} than {what}, which is used instead"


def _called(label: str) -> str:
    plain = label.removeprefix(PRIOR)
    return f"{plain} with the degree prior" if label != plain else plain
