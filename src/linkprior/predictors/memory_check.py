"""Saying before the work that memory is too short, with the options that would make it fit."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from linkprior import parallel
from linkprior.errors import InputError, ParameterError
from linkprior.network import Network
from linkprior.parallel import memory
from linkprior.predictors.base import LinkPredictor
from linkprior.predictors.estimate import expected_bytes, expected_disk, spell_room

_SETTINGS = {"n_starts": 1, "solver": "streaming"}  # what takes less memory, the mildest first
_LIGHTER = ("tri-degree", "tri", "l3", "pa")
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
    from linkprior.predictors.registry import make

    later = _LIGHTER[_LIGHTER.index(model.name) + 1 :] if model.name in _LIGHTER else _LIGHTER[1:]
    fitting = (name for name in later if _fits(make(name), network, room))
    yield from list(fitting)[:1]


def _fits_in_files(model: LinkPredictor, network: Network, room: float) -> bool:
    """Whether files take what does not fit the memory, and have the room for it."""
    if room < memory.LEAST:
        return False
    with memory.use_memory(int(room)):
        disk = expected_disk(model, network)
        return 0 < disk <= memory.free_disk() and _fits(model, network, room)


def _fits(model: LinkPredictor, network: Network, room: float) -> bool:
    return expected_bytes(model, network) <= room
