"""Places for the nodes of a small network: the same for the same network, on every machine."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_ROUNDS = 240


def place_nodes(n_nodes: int, edges: Ints, seed: int = 0) -> Floats:
    """Return (n, 2) places in the unit square by forces: links pull, all nodes push apart.

    Fruchterman and Reingold's model with a weak pull to the middle, so that parts that are not
    linked stay in the picture. Rounded to a thousandth: last bits do not show.
    """
    if n_nodes == 0:
        return np.empty((0, 2))
    rng = np.random.default_rng(seed)
    angle = 2.0 * np.pi * rng.permutation(n_nodes) / n_nodes
    at = np.stack([np.cos(angle), np.sin(angle)], axis=1) * (0.3 + 0.2 * rng.random((n_nodes, 1)))
    room = 1.0 / np.sqrt(n_nodes)
    for turn in range(_ROUNDS):
        step = 0.1 * (1.0 - turn / _ROUNDS) + 1e-3
        move = _forces(at, edges, room) - 0.35 * at
        length = np.sqrt((move**2).sum(axis=1, keepdims=True)) + 1e-12
        at = at + move / length * np.minimum(length, step)
    return np.round(_fitted(at), 3)


def _forces(at: Floats, edges: Ints, room: float) -> Floats:
    apart = at[:, None, :] - at[None, :, :]
    square = (apart**2).sum(axis=2) + 1e-6
    push: Floats = room**2 * (apart / square[:, :, None]).sum(axis=1)
    if len(edges):
        i, j = edges[:, 0], edges[:, 1]
        along = at[i] - at[j]
        pull = along * np.sqrt((along**2).sum(axis=1, keepdims=True)) / room
        np.add.at(push, i, -pull)
        np.add.at(push, j, pull)
    return push


def _fitted(at: Floats) -> Floats:
    low, high = at.min(axis=0), at.max(axis=0)
    return np.asarray((at - low) / np.maximum(high - low, 1e-9))
