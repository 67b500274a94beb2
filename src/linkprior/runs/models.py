"""Whether the model in a run folder is that of the run: anybody can save another in its place."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from linkprior.io.store import MANIFEST
from linkprior.runs.manifest import file_digest

if TYPE_CHECKING:
    from linkprior.predictors.base import LinkPredictor


def model_digest(place: Path) -> str:
    """Return the SHA-256 of a model's manifest, which has that of its arrays."""
    return file_digest(place / MANIFEST)


def difference(model: LinkPredictor, place: Path, facts: Mapping[str, Any]) -> str | None:
    """Return in what the model saved at a place is not that of a run, None where it is.

    `facts` is the run's manifest; what it does not tell (earlier ones have no `model_sha256`) is
    taken to be so.
    """
    name, params = type(model).name, _plain(model.get_params())
    request, digest = facts["request"], model.network_.digest
    if request.get("model", name) != name:
        return f"it is {name}"
    if "parameters" in request and _asked(facts) != params:
        return "it has other parameters"
    if facts.get("network_digest", digest) != digest:
        return "it is of another network"
    if "model_sha256" in facts and facts["model_sha256"] != model_digest(place):
        return "it was saved there later"
    return None


def _asked(facts: Mapping[str, Any]) -> Any:
    """Return the parameters the model of a run has: those of the request, and what tuning chose."""
    tuned = facts.get("tuned")
    chosen = tuned.get("best_params") if isinstance(tuned, Mapping) else None
    parameters = _plain(facts["request"]["parameters"])
    if isinstance(chosen, Mapping) and isinstance(parameters, dict):
        parameters = {**parameters, **_plain(chosen)}
    return parameters


def _plain(params: Any) -> Any:
    """Return parameters as a file holds them."""
    return json.loads(json.dumps(params, default=lambda array: array.tolist()))
