"""Seconds and memory a run will take on this machine, and what is refused for want of memory."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations, islice

import numpy as np

from linkprior import parallel
from linkprior.errors import InputError, ParameterError
from linkprior.kernels._engine import SMALL_NETWORK
from linkprior.network import Network
from linkprior.parallel import memory
from linkprior.predictors.base import LinkPredictor
from linkprior.predictors.cost import cost_of, network_bytes
from linkprior.predictors.registry import make

# Seconds to start an interpreter with the libraries; then with compiled kernels.
START, START_COMPILED = 0.5, 1.1
EDGE_SECONDS = 3e-6  # to read an edge
_NOMINAL = 0.045  # seconds of `_probe` on the machine whose nanoseconds costs count

_SETTINGS = {"n_starts": 1, "solver": "streaming"}  # what takes less memory, the mildest first
_MOST_OFFERED = 3


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
        """Return the estimate as text."""
        needed = f"about {self.bytes / 1e9:.2g} GB of memory"
        room = "" if free is None else f" ({_spell_room(free)})"
        disk = f", {self.disk / 1e9:.2g} GB of disk for a while" if self.disk else ""
        what = f"{self.model} on {self.n_nodes} nodes{self.note}"
        return f"{what}: {spell(self.seconds)}, {needed}{room}{disk}"


def estimate(
    model: LinkPredictor, network: Network, ranking: float | None = None, before: float = 0.0
) -> Estimate:
    """Return what fitting the model and ranking all pairs may take on this machine.

    `ranking` is the nominal work of ranking other pairs, `before` that of what precedes the fit.
    """
    work = cost_of(model, network)
    nominal = before + work.fit + (work.scores if ranking is None else ranking)
    start = START_COMPILED if network.n_nodes >= SMALL_NETWORK else START
    alone = start + EDGE_SECONDS * network.n_edges
    seconds = machine_factor() * (alone + 1e-9 * nominal / parallel.current_workers())
    needed = network_bytes(network) + work.memory
    return Estimate(model.name, network.n_nodes, seconds, needed, work.disk)


def expected_bytes(model: LinkPredictor, network: Network) -> float:
    """Return the memory a fit and a ranking may take."""
    return network_bytes(network) + cost_of(model, network).memory


def machine_factor() -> float:
    """Return how slow this machine is compared with the one the costs were measured on."""
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
    """Return a time in words."""
    if seconds < 90:
        whole = max(1, round(seconds))
        return f"about {whole} second{'s' * (whole != 1)}"
    if seconds < 90 * 60:
        return f"about {round(seconds / 60)} minutes"
    return f"about {seconds / 3600:.1f} hours"


def _spell_room(free: float) -> str:
    """Return how much memory there is, and who says so."""
    room = f"{free / 1e9:.1f} GB" if free >= 1e9 else f"{free / 1e6:.0f} MB"
    return f"{room} are free" if memory.memory_limit() is None else f"the limit is {room}"


def refuse_too_large(
    model: LinkPredictor, network: Network, ignorable: bool = True, choice: str = "--model"
) -> None:
    """Raise an error where a fit would take more memory, or more disk, than there is.

    `ignorable` says that there is an option --ignore-memory to name, `choice` what the option is
    called that chooses a model.
    """
    room, needed = memory.memory_room(), expected_bytes(model, network)
    if room is not None and needed > room:
        options = islice(fitting_options(model, network, room, choice), _MOST_OFFERED)
        offered = " or ".join(options)
        advice = f"It would fit with {offered}" if offered else "No setting of it would fit"
        raise InputError(
            f"{model.name} needs about {needed / 1e9:.2g} GB for {network.n_nodes} nodes, and "
            f"{_spell_room(room)}. {advice}" + "; --ignore-memory tries it anyway" * ignorable
        )
    disk = cost_of(model, network).disk
    if disk:
        memory.check_disk(disk)


def fitting_options(
    model: LinkPredictor, network: Network, room: float, choice: str = "--model"
) -> Iterator[str]:
    """Yield options with which the model's own estimate is within `room`, the mildest first."""

    def fits(other: LinkPredictor) -> bool:
        try:
            return expected_bytes(other, network) <= room
        except ParameterError:  # a setting that does not go with the others is no way out
            return False

    if memory.memory_limit() is None and room >= memory.LEAST:
        with memory.use_memory(int(room)):
            disk = cost_of(model, network).disk
            in_files = 0 < disk <= memory.free_disk() and fits(model)
        if in_files:
            yield f"--memory-limit {room / 1e6:.0f}M"
    with parallel.use_workers(1):
        alone = fits(model)
    if alone:
        yield "--workers 1"
    given = model.get_params(deep=False)
    changes = [one for one in _SETTINGS.items() if given.get(*one) != one[1]]
    for count in range(1, len(changes) + 1):
        settings = [dict(chosen) for chosen in combinations(changes, count)]
        settings = [one for one in settings if fits(type(model)(**{**given, **one}))]
        for one in settings:
            yield " ".join(f"--set {name}={value}" for name, value in one.items())
        if settings:
            break
    lighter = model.lighter
    while lighter:
        other = make(lighter)
        if fits(other):
            yield f"{choice} {lighter}"
            break
        lighter = other.lighter
