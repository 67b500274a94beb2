"""What a prediction will take, before it begins: seconds and bytes, within a factor of two."""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np

from linkprior import parallel
from linkprior.kernels._engine import SMALL_NETWORK
from linkprior.network import Network
from linkprior.parallel.memory import memory_limit
from linkprior.predictors import cost
from linkprior.predictors.base import LinkPredictor
from linkprior.predictors.cost import effort_of

# Seconds to start an interpreter with the libraries; then with compiled kernels.
START, START_COMPILED = 0.5, 1.1
EDGE_SECONDS = 3e-6  # to read an edge
_NOMINAL = 0.045  # seconds of `_probe` on the machine whose nanoseconds `effort` counts


@dataclass(frozen=True)
class Estimate:
    """Seconds and bytes one fit and one ranking of all pairs may take."""

    model: str
    n_nodes: int
    seconds: float
    bytes: float
    disk: float = 0.0
    note: str = ""

    def text(self, free: int | None) -> str:
        """Return the estimate in words."""
        memory = f"about {self.bytes / 1e9:.2g} GB of memory"
        room = "" if free is None else f" ({spell_room(free)})"
        disk = f", {self.disk / 1e9:.2g} GB of disk for a while" if self.disk else ""
        what = f"{self.model} on {self.n_nodes} nodes{self.note}"
        return f"{what}: {spell(self.seconds)}, {memory}{room}{disk}"


def expected_bytes(model: LinkPredictor, network: Network) -> float:
    """Return the memory a fit and a ranking may take."""
    cost.effort_of(model, network)  # refuses parameters out of range in its own words
    held = model._memory(network, parallel.current_workers())
    return cost.network_bytes(network) + held


def expected_disk(model: LinkPredictor, network: Network) -> float:
    """Return the disk a fit may take for matrices that do not fit the memory limit."""
    disk = getattr(model, "_disk", None)
    return 0.0 if disk is None else float(disk(network, parallel.current_workers()))


def spell_room(free: float) -> str:
    """Return how much memory there is, and who says so."""
    room = f"{free / 1e9:.1f} GB" if free >= 1e9 else f"{free / 1e6:.0f} MB"
    return f"{room} are free" if memory_limit() is None else f"the limit is {room}"


def estimate(
    model: LinkPredictor, network: Network, ranking: float | None = None, before: float = 0.0
) -> Estimate:
    """Return what fitting the model and ranking all pairs may take on this machine.

    `ranking` is the nominal work of ranking where not all pairs are ranked, `before` that of what
    comes before the fit.
    """
    work, cores = effort_of(model, network), parallel.current_workers()
    scores = work.scores if ranking is None else ranking
    start = START_COMPILED if network.n_nodes >= SMALL_NETWORK else START
    alone = start + EDGE_SECONDS * network.n_edges
    seconds = machine_factor() * (alone + 1e-9 * (before + work.fit + scores) / cores)
    memory, disk = expected_bytes(model, network), expected_disk(model, network)
    return Estimate(model.name, network.n_nodes, seconds, memory, disk)


def machine_factor() -> float:
    """Return how slow this machine is beside the one the efforts were measured on."""
    return min(_probe() for _ in range(3)) / _NOMINAL


def _probe() -> float:
    """Return the seconds of a fixed piece of work much like the models': products and sorts."""
    rng = np.random.default_rng(0)
    a, b = rng.random((512, 512), dtype=np.float32), rng.random((512, 64), dtype=np.float32)
    with parallel.one_blas_thread():
        began = time.perf_counter()
        for _ in range(4):
            np.argsort(a, axis=1, kind="stable")
            a @ b
        return time.perf_counter() - began


def spell(seconds: float) -> str:
    """Return a time as people say it."""
    if seconds < 90:
        whole = max(1, round(seconds))
        return f"about {whole} second{'s' * (whole != 1)}"
    if seconds < 90 * 60:
        return f"about {round(seconds / 60)} minutes"
    return f"about {seconds / 3600:.1f} hours"
