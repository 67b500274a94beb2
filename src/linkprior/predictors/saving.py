"""A fitted predictor to a folder and back."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from linkprior._version import __version__
from linkprior.errors import LinkpriorError, StoreError
from linkprior.io.store import read_model, write_model
from linkprior.network import Network
from linkprior.predictors import registry
from linkprior.predictors.base import Learned, LinkPredictor


def save(model: LinkPredictor, folder: str | Path) -> None:
    """Write parameters, learned state and the network the model was fitted on."""
    net, learned = model._state()
    manifest = {
        "linkprior": __version__,
        "model": type(model).name,
        "params": {k: _plain(v) for k, v in model.get_params().items()},
        "facts": dict(learned.facts),
        "network": {"names": list(net.names), "n_edges": net.n_edges, "digest": net.digest},
    }
    edges = {"network.edges": net.edges}
    write_model(folder, manifest, {**edges, **{f"state.{k}": v for k, v in learned.arrays.items()}})


def load(folder: str | Path) -> LinkPredictor:
    """Read a model saved with `save`; it predicts at once, without fitting again."""
    manifest, arrays = read_model(folder)
    try:
        model = registry.make(manifest["model"], **manifest["params"])
        edges, names = arrays["network.edges"], manifest["network"]["names"]
        net = Network.from_indices(edges, names)
        state = {k.removeprefix("state."): v for k, v in arrays.items() if k.startswith("state.")}
        if net.digest != manifest["network"]["digest"]:
            raise StoreError(f"{folder}: the stored network does not match its digest")
        model._remember(net, Learned(state, manifest["facts"]))
    except (KeyError, TypeError, AttributeError) as problem:
        raise StoreError(f"{folder}: the manifest lacks or spoils {problem}") from None
    return model


def _plain(value: Any) -> Any:
    """Turn NumPy numbers into Python's; refuse what JSON cannot hold."""
    if isinstance(value, np.generic):
        return value.item()
    if value is None or isinstance(value, bool | int | float | str):
        return value
    raise LinkpriorError(f"a parameter of type {type(value).__name__} cannot be saved")
