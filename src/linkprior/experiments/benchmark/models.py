"""Who is judged: every model of the registry, some over others, and other libraries' models."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from linkprior import machine, parallel
from linkprior.errors import ParameterError, nearest
from linkprior.experiments.benchmark.external import PEERS, installed, make_peer
from linkprior.network import Network
from linkprior.predictors.auto.auto import Auto
from linkprior.predictors.base import LinkPredictor
from linkprior.predictors.cost import effort_of, expected_bytes, spell
from linkprior.predictors.registry import MODELS, find, make

AUTO, WITHOUT, AUTO_FAST = "auto", "auto without prior", "auto fast"
OVER = ("degree:l3", "degree:pu")
ABLATION_NODES = 3000  # up to which auto is asked without its prior too
MOST_SECONDS = 20 * 60.0  # a fit that would take longer is left out
# Models of the quick suite: a second or less on its networks, and one or two of every family.
FAST = (
    *("pu", "pa", "cn", "aa", "ra", "jaccard", "katz", "lrw", "l3", "l3n", "ch2-l3", "mps"),
    *("dcsbm", "random", "degree:l3", "implicit-als"),
)


@dataclass(frozen=True)
class BenchmarkModel:
    """A model under its label; `most_nodes` is the size up to which it is asked."""

    label: str
    make: Callable[[], LinkPredictor]
    most_nodes: int | None = None

    @property
    def file(self) -> str:
        """The label as part of a file name."""
        return self.label.replace(" ", "_").replace(":", "-")


def _ours(name: str) -> BenchmarkModel:
    return BenchmarkModel(name, lambda: make(name))


def _peer(name: str) -> BenchmarkModel:
    return BenchmarkModel(name, lambda: make_peer(name))


def all_models() -> list[BenchmarkModel]:
    """Return the models of the full suite, those of other libraries last."""
    ours = [_ours(name) for name in (*MODELS, *OVER)]
    without = BenchmarkModel(WITHOUT, lambda: Auto(prior=False), ABLATION_NODES)
    return [*ours, without, *(_peer(name) for name in PEERS)]


def quick_entrants() -> list[BenchmarkModel]:
    """Return the models of the quick suite."""
    fast = BenchmarkModel(AUTO_FAST, lambda: Auto(effort="fast"))
    return [fast, *(one for one in all_models() if one.label in FAST)]


def chosen_entrants(names: Iterable[str] | None, quick: bool = False) -> list[BenchmarkModel]:
    """Return the models of these names; without any, those of the suite.

    Any other model of the registry, such as degree:ra, can be named too.
    """
    usual = quick_entrants() if quick else all_models()
    if names is None:
        return usual
    known = {_key(one.label): one for one in (*all_models(), *quick_entrants())}
    chosen = {one.label: one for one in (_named(name, known) for name in names)}
    if not chosen:
        raise ParameterError("--models names no model: expected names with commas between them")
    return list(chosen.values())


def _named(name: str, known: dict[str, BenchmarkModel]) -> BenchmarkModel:
    if _key(name) in known:
        return known[_key(name)]
    if ":" in name:
        return _ours(find(name.strip()).name)  # refuses what is no model, with the nearest names
    labels = [one.label for one in known.values()]
    raise ParameterError(
        f"the benchmark has no model called {name!r}.{nearest(name, labels)} There are: "
        f"{', '.join(labels)}"
    )


def _key(name: str) -> str:
    return name.strip().casefold().replace("_", " ")


def without_library(entrants: Iterable[BenchmarkModel]) -> list[BenchmarkModel]:
    """Return those whose library is not installed."""
    return [one for one in entrants if one.label in PEERS and not installed(one.label)]


def too_much(model: LinkPredictor, network: Network, slowness: float) -> str | None:
    """Say why a model is not fitted to a network: it would take too long, or too much memory.

    `slowness` is that of the machine (`estimate.machine_factor`). None: it can be fitted.
    """
    work = effort_of(model, network)
    seconds = slowness * 1e-9 * (work.fit + work.scores) / parallel.current_workers()
    if seconds > MOST_SECONDS:
        return f"{spell(seconds)} expected for a fit, more than {MOST_SECONDS / 60:.0f} minutes"
    needed, free = expected_bytes(model, network), machine.available_memory()
    if free is not None and needed > free:
        return f"about {needed / 1e9:.2g} GB of memory needed, {free / 1e9:.2g} GB free"
    return None
