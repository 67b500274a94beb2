"""What work takes, roughly: nominal nanoseconds on one core, for progress and for estimates.

Ratios matter most: they make a sweep, a sort of all rows and a look into the tables count for what
they cost. Measured on DREAM5 network 1 and HuRI; a factor of 1.5 between machines does no harm.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from linkprior import parallel
from linkprior.errors import InputError, ParameterError
from linkprior.kernels._engine import SMALL_NETWORK
from linkprior.network import Network
from linkprior.parallel import memory
from linkprior.parallel.memory import memory_limit
from linkprior.predictors.base import LinkPredictor
from linkprior.predictors.registry import make
from linkprior.solvers.symmetric_prox import DISK_ROWS

SWEEP = 2.2  # plain factor update, per edge entry and column
SWEEP_NODES = 4.0  # the same per node and column squared
SWEEP_CALLS = 5e5  # its Python, whatever the size
PU_ROUND = 0.27  # one conjugate gradient step for all rows: so much of a sweep
NUCLEAR_STEP = 0.025  # eigenvalues: per entry of a matrix of all nodes, and node
RANKED_STEP = 14.0  # rank rows, weigh, multiply: per entry, like all that follow
ADMM_STEP = 16.0
DUAL_STEP = 45.0  # one iteration of dual decomposition
DENSE_PROX = 55.0  # all passes for one layer
TABLES = 155.0  # the same as tables of ranks
TABLE_SCORES = 60.0  # scores of one layer from its tables
PICK = 1.5  # the best pairs from rows of scores
PRODUCT = 0.08  # scores from factors, per column
QUICK = 0.2  # scores of a model that does not say, as of degrees alone
WALK = 1.0  # third steps of walks, where those that meet go on as one
L3N_WALK, L3N_END, L3N_ROW = 2.7, 3.5, 2.0  # per walk, per end of walks through a node, per entry
MPS_END, MPS_ROW = 3.0, 3.0
CH2_WALK, CH2_END, CH2_ROW = 3.0, 7.0, 2.0
CH2_MARK, CH2_TRIANGLE = 0.5, 2.0  # per end beside a triangle, per triangle seen from a node

# Bytes, likewise: arrays held at the same time, or bytes per entry of a matrix of all nodes.
TRI_ARRAYS, TRI_ARRAYS_AT_ONCE = 4.5, 3.5  # of nodes × rank, for each start and each thread
PU_ARRAYS = 13.0
ADMM_BYTES, PROX_BYTES = 17.0, 17.0  # four float32 arrays, and row blocks
KEPT_BYTES = 8.0  # X and Z of a start, where X is ranked
DUAL_BYTES = 48.0  # what dual decomposition holds at a time, beside ADMM's arrays
NUCLEAR_BYTES = 85.0
MAPPED_AT_ONCE = 65536.0  # of a file, around the byte that is asked for
BASE, BASE_COMPILED = 73e6, 188e6  # an interpreter with the libraries; then with compiled kernels
EDGE_BYTES, NODE_BYTES = 300.0, 100.0  # of a network with its names, and of reading it


@dataclass(frozen=True)
class Effort:
    """Nominal work of a fit, and of one pass over all scores."""

    fit: float
    scores: float


def effort_of(model: Any, network: Network) -> Effort:
    """Return what fitting and scoring may take; a model that does not say is taken as quick.

    Parameters out of range are refused here already.
    """
    if network.n_edges == 0 or network.n_nodes < 2:
        return Effort(0.0, 0.0)  # there is nothing to learn from, as the fit will say
    if hasattr(model, "_effort"):
        own: Effort = model._effort(network)
        return own
    return Effort(QUICK * entries(network), QUICK * entries(network))


def entries(network: Network) -> float:
    """Return the number of scores of all nodes against all nodes."""
    return float(network.n_nodes) ** 2


def sweep(network: Network, rank: int) -> float:
    """Return the work of one plain factor update."""
    edges, nodes = 2.0 * network.n_edges * rank, float(network.n_nodes) * rank**2
    return SWEEP_CALLS + SWEEP * edges + SWEEP_NODES * nodes


def network_bytes(network: Network) -> float:
    """Return what an interpreter with the libraries and the network take, without any model."""
    base = BASE_COMPILED if network.n_nodes >= SMALL_NETWORK else BASE
    return base + EDGE_BYTES * network.n_edges + NODE_BYTES * network.n_nodes


def disk_blocks(network: Network, workers: int) -> float:
    """Return the part of p × p arrays in files that is in memory at a time."""
    row = 4.0 * network.n_nodes
    columns = min(row, MAPPED_AT_ONCE) * network.n_nodes  # of one array, read by column
    return columns + workers * 3 * DISK_ROWS * row


def pick(network: Network) -> float:
    """Return the work of finding the best pairs in rows of scores."""
    return PICK * entries(network)


def factor_scores(network: Network, columns: int) -> float:
    """Return the work of forming all scores from factors and finding the best pairs."""
    return PRODUCT * columns * entries(network) + pick(network)


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
    effort_of(model, network)  # refuses parameters out of range in its own words
    held = model._memory(network, parallel.current_workers())
    return network_bytes(network) + held


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


_SETTINGS = {"n_starts": 1, "solver": "streaming"}  # what takes less memory, the mildest first
_MOST_OFFERED = 3


def refuse_too_large(
    model: LinkPredictor, network: Network, ignorable: bool = True, choice: str = "--model"
) -> None:
    """Raise an error where a fit would take more memory, or more disk, than there is.

    `ignorable` says that there is an option --ignore-memory to name, `choice` what the option is
    called that chooses a model.
    """
    room, needed = memory.memory_room(), expected_bytes(model, network)
    if room is not None and needed > room:
        raise InputError(refusal(model, network, needed, room, ignorable, choice))
    disk = expected_disk(model, network)
    if disk:
        memory.check_disk(disk)


def refusal(
    model: LinkPredictor,
    network: Network,
    needed: float,
    room: float,
    ignorable: bool = True,
    choice: str = "--model",
) -> str:
    """Say that it cannot fit, and what would."""
    options = list(fitting_options(model, network, room, choice))
    offered = " or ".join(options[:_MOST_OFFERED])
    advice = f"It would fit with {offered}" if offered else "No setting of it would fit"
    return (
        f"{model.name} needs about {needed / 1e9:.2g} GB for {network.n_nodes} nodes, and "
        f"{spell_room(room)}. {advice}"
    ) + "; --ignore-memory tries it all the same" * ignorable


def fitting_options(
    model: LinkPredictor, network: Network, room: float, choice: str = "--model"
) -> Iterator[str]:
    """Yield options with which the model's own estimate is within `room`, the mildest first."""
    if memory.memory_limit() is None and _fits_in_files(model, network, room):
        yield f"--memory-limit {room / 1e6:.0f}M"
    with parallel.use_workers(1):
        if _fits(model, network, room):
            yield "--workers 1"
    yield from _fitting_settings(model, network, room)
    yield from (f"{choice} {name}" for name in _lighter_models(model, network, room))


def _fitting_settings(model: LinkPredictor, network: Network, room: float) -> Iterator[str]:
    given = model.get_params(deep=False)
    changes = {name: value for name, value in _SETTINGS.items() if given.get(name, value) != value}
    for count in range(1, len(changes) + 1):
        found = False
        for names in combinations(changes, count):
            chosen = {name: changes[name] for name in names}
            if _would_fit(type(model)(**{**given, **chosen}), network, room):
                yield " ".join(f"--set {name}={value}" for name, value in chosen.items())
                found = True
        if found:
            return


def _would_fit(model: LinkPredictor, network: Network, room: float) -> bool:
    """Whether another setting fits; one that does not go with the others is no way out."""
    try:
        return _fits(model, network, room)
    except ParameterError:
        return False


def _lighter_models(model: LinkPredictor, network: Network, room: float) -> Iterator[str]:
    lighter = model.lighter
    while lighter:
        other = make(lighter)
        if _fits(other, network, room):
            yield lighter
            return
        lighter = other.lighter


def _fits_in_files(model: LinkPredictor, network: Network, room: float) -> bool:
    """Whether files take what does not fit the memory, and have the room for it."""
    if room < memory.LEAST:
        return False
    with memory.use_memory(int(room)):
        disk = expected_disk(model, network)
        return 0 < disk <= memory.free_disk() and _fits(model, network, room)


def _fits(model: LinkPredictor, network: Network, room: float) -> bool:
    return expected_bytes(model, network) <= room
