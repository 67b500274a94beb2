"""How Cytoscape shows a ranking: colours that colour-blind people tell apart, and line styles."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from linkprior.io.writers.values import plain

# Vermilion and sky blue of Okabe and Ito's palette; dashes tell predicted links without colour.
_PREDICTED, _OBSERVED, _NODE = "#D55E00", "#999999", "#56B4E9"
_THIN, _THINNEST_PREDICTED, _WIDEST = 1.0, 2.0, 8.0

# Readers look for the properties under this word, whatever the text of the standard says.
EDITOR = {"properties": {"nodeSizeLocked": True, "arrowColorMatchesEdge": True}}

_DEFAULT = {
    "network": {"NETWORK_BACKGROUND_COLOR": "#FFFFFF"},
    "node": {
        "NODE_SHAPE": "ellipse",
        "NODE_WIDTH": 40.0,
        "NODE_HEIGHT": 40.0,
        "NODE_BACKGROUND_COLOR": _NODE,
        "NODE_BORDER_COLOR": "#333333",
        "NODE_BORDER_WIDTH": 1.0,
        "NODE_LABEL_COLOR": "#000000",
        "NODE_LABEL_FONT_SIZE": 12,
    },
    "edge": {
        "EDGE_LINE_COLOR": _OBSERVED,
        "EDGE_LINE_STYLE": "solid",
        "EDGE_WIDTH": _THIN,
        "EDGE_SOURCE_ARROW_SHAPE": "none",
        "EDGE_TARGET_ARROW_SHAPE": "none",
    },
}


def visual_properties(scores: NDArray[np.floating[Any]], shown: str = "name") -> dict[str, Any]:
    """Return defaults and mappings: node labels, and edges by their kind and score."""
    return {
        "default": _DEFAULT,
        "nodeMapping": {
            "NODE_LABEL": {
                "type": "PASSTHROUGH",
                "definition": {"attribute": shown, "type": "string"},
            }
        },
        "edgeMapping": {
            "EDGE_LINE_COLOR": _by_kind(_PREDICTED, _OBSERVED),
            "EDGE_LINE_STYLE": _by_kind("dashed", "solid"),
            "EDGE_WIDTH": _width(scores),
        },
    }


def _by_kind(predicted: Any, observed: Any) -> dict[str, Any]:
    values = [{"v": "predicted", "vp": predicted}, {"v": "observed", "vp": observed}]
    return {
        "type": "DISCRETE",
        "definition": {"attribute": "kind", "type": "string", "map": values},
    }


def _width(scores: NDArray[np.floating[Any]]) -> dict[str, Any]:
    """Return widths that grow with the score; where all scores are one, widths by kind."""
    finite = scores[np.isfinite(scores)]
    low, high = (plain(finite.min()), plain(finite.max())) if len(finite) else (0.0, 0.0)
    if low == high:
        return _by_kind((_THINNEST_PREDICTED + _WIDEST) / 2, _THIN)
    outside = {"includeMin": False, "includeMax": False}
    ranges = [
        {**outside, "max": low, "maxVPValue": _THINNEST_PREDICTED},
        {
            "min": low,
            "includeMin": True,
            "max": high,
            "includeMax": True,
            "minVPValue": _THINNEST_PREDICTED,
            "maxVPValue": _WIDEST,
        },
        {**outside, "min": high, "minVPValue": _WIDEST},
    ]
    return {
        "type": "CONTINUOUS",
        "definition": {"attribute": "score", "type": "double", "map": ranges},
    }
