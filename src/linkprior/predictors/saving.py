"""A fitted predictor written to a folder; `registry.load` reads it back."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from linkprior._validation import shown
from linkprior._version import __version__
from linkprior.errors import InputError, LinkpriorError, ParameterError
from linkprior.io.store import write_model
from linkprior.network import Network
from linkprior.network import pairs as pr

if TYPE_CHECKING:
    from linkprior.predictors.base import Learned, LinkPredictor


def save(model: LinkPredictor, folder: str | Path) -> None:
    """Write parameters, learned state and the network the model was fitted on.

    All have the nodes sorted by name, so that they fit together; where the network given had them
    in another order, that is written too.
    """
    if not isinstance(folder, str | os.PathLike) or not os.fspath(folder):
        raise ParameterError(f"folder must be the path of a folder, got {shown(folder)}")
    given, _ = model._state()
    model = model._in_order()
    fitted_on, learned = model._state()
    net = fitted_on.without_history()  # it has served its purpose
    manifest = {
        "linkprior": __version__,
        "model": type(model).name,
        "params": {k: _plain(v, net) for k, v in model.get_params().items()},
        "facts": dict(learned.facts),
        "network": {"names": list(net.names), "n_edges": net.n_edges, "digest": net.digest},
    }
    state = {f"state.{name}": array for name, array in learned.arrays.items()}
    arrays = network_arrays(net) | state
    if given.names != net.names:
        arrays["network.order"] = given.order
    write_model(folder, manifest, arrays)


def restore(
    made: LinkPredictor, network: Network, learned: Learned, order: pr.Ints | None
) -> LinkPredictor:
    """Return the model that was saved, its network in the order it was given in."""
    made._remember(network, learned)
    if order is None:
        return made
    places = np.argsort(order)
    given, arranged = made._arranged(places), network.arranged(places)
    if not np.array_equal(arranged.order, order):
        raise InputError("the order in which the network had its nodes")
    given._stand_for(made, arranged)
    return given


def network_arrays(net: Network) -> dict[str, Any]:
    """Return a network as arrays: its edges and side information."""
    side = {"weights": net.known.weights, "negatives": net.known.negatives}
    arrays = {f"network.{name}": array for name, array in side.items() if array is not None}
    return {"network.edges": net.edges, **arrays}


def network_from(arrays: dict[str, Any], names: list[str]) -> Network:
    """Undo `network_arrays`."""
    net = Network.from_indices(arrays["network.edges"], names)
    if "network.weights" in arrays:
        # As they are: of a network with hidden edges the largest may be below 1.
        side = net.known.with_weights(arrays["network.weights"], net.n_edges, relative=False)
        net = replace(net, known=side)
    if "network.negatives" in arrays:
        net = net.with_negatives(arrays["network.negatives"])
    return net


def _plain(value: Any, net: Network) -> Any:
    """Return what JSON can hold: Python's numbers, and a function of ranks at all ranks."""
    if isinstance(value, np.generic):
        return value.item()
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, list | tuple | np.ndarray):
        return [_plain(one, net) for one in value]
    if isinstance(value, Mapping):  # of names
        return {str(name): _plain(one, net) for name, one in value.items()}
    if callable(value):
        return _plain(np.asarray(value(np.arange(1.0, float(net.n_nodes)))), net)
    raise LinkpriorError(f"a parameter of type {type(value).__name__} cannot be saved")
