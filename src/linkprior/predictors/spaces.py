"""Where to look for better parameters, model by model: intervals, and a few values for a grid.

Only what changes the ranking is searched. What buys precision with time (`n_starts`, `tol`, `n` of
spm) or chooses another method (`solver`, `loss`, `rank_by`) stays as the user has it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from linkprior.predictors import completion, tri
from linkprior.predictors.base import refuse_unknown

if TYPE_CHECKING:
    from linkprior.network import Network
    from linkprior.predictors.base import LinkPredictor

Of = Callable[["Network"], float]

_DIGITS = 3  # a parameter that is searched has no more: it is written, read and typed again


@dataclass(frozen=True)
class Axis:
    """Where to look for one parameter.

    Attributes
    ----------
    low, high, log, whole
        The interval, its scale, and whether only whole numbers count.
    grid
        Values for a search by grid; without any, a grid leaves the parameter alone.
    none_is
        What None stands for on a network; without it None is a choice the model makes itself.
    relative
        Whether interval and grid are multiples of what None stands for.
    most
        An upper limit that depends on the network, such as its number of nodes.
    unless
        A parameter that takes the place of this one: where it is given, this one is not searched.
    """

    low: float
    high: float
    grid: tuple[float, ...] = ()
    log: bool = True
    whole: bool = False
    none_is: Of | None = None
    relative: bool = False
    most: Of | None = None
    unless: str = ""

    def on(self, network: Network, given: Any) -> Axis:
        """Return the axis for a network, wide enough for the value that a model has already."""
        unit = self.none_is(network) if self.relative and self.none_is else 1.0
        most = math.inf if self.most is None else self.most(network)
        high = self.rounded(min(self.high * unit, most))
        low = min(self.rounded(self.low * unit), high)
        own = self.position(network, given)
        if own is not None:
            low, high = min(low, own), max(high, own)
        values = (self.rounded(value * unit) for value in self.grid)
        grid = tuple(dict.fromkeys(value for value in values if low <= value <= high))
        return replace(self, low=low, high=high, grid=grid, relative=False, most=None)

    def position(self, network: Network, value: Any) -> float | None:
        """Return where a parameter's value lies on the axis; None where it has no place there."""
        if value is None:
            return None if self.none_is is None else self.rounded(self.none_is(network))
        known = isinstance(value, int | float) and not isinstance(value, bool)
        return value if known and math.isfinite(value) and (value > 0 or not self.log) else None

    def rounded(self, value: float) -> float:
        """Return a value as it is tried: a whole number, or one of three digits."""
        return round(value) if self.whole else float(f"{value:.{_DIGITS}g}")

    def inside(self, value: float) -> float:
        """Return a value as it is tried, within the interval."""
        return min(max(self.rounded(value), self.low), self.high)


Space = dict[str, Axis]


def space_of(model: LinkPredictor, network: Network, fixed: Collection[str] = ()) -> Space:
    """Return what to search for a model on a network; empty where there is nothing to tune."""
    given = model.get_params()
    refuse_unknown(type(model).name, dict.fromkeys(fixed), model.parameter_names())
    axes = searched(model)
    return {k: axis.on(network, given[k]) for k, axis in axes.items() if k not in fixed}


def searched(model: LinkPredictor) -> Space:
    """Return what is searched for a model with its parameters, on whatever network."""
    given = model.get_params()
    axes = {**_axes(type(model).name), **PRESETS.get(given.get("preset"), {})}
    if given.get("preset") in PRESETS:
        axes = {name: axes[name] for name in PRESETS[given["preset"]]}
    if given.get("weights") == "learned":  # what it learns itself, and what then has no part
        axes = {name: axis for name, axis in axes.items() if name not in LEARNED}
    return {name: axis for name, axis in axes.items() if given.get(axis.unless) is None}


def _axes(name: str) -> Space:
    """Return the axes of a model; those over another model have its axes too."""
    kind, colon, base = name.partition(":")
    return {**OVER.get(kind, {}), **_axes(base)} if colon else SPACES.get(name, {})


def _nodes(network: Network) -> float:
    return float(network.n_nodes)


def _half_the_nodes(network: Network) -> float:
    return max(1, network.n_nodes // 2)  # some lose all edges in a split, and are in no block


def _rank(default: int) -> Axis:
    return Axis(
        4,
        64,
        (default // 2, default, 2 * default),
        whole=True,
        none_is=lambda network: min(default, network.n_nodes),
        most=_nodes,
    )


_TRI: Space = {"rank": _rank(tri.DEFAULT_RANK), "rho": Axis(0.02, 0.9, (0.05, 0.1, 0.2, 0.5))}
_SWEEPS = Axis(20, 200, (40, 80, 160), whole=True)
_ALPHA = Axis(0.1, 2.0, (0.25, 0.5, 1.0))
_C = Axis(0.5, 3.0, (0.8, 1.0, 1.5, 2.0))

SPACES: dict[str, Space] = {
    "tri-degree": {
        **_TRI,
        "lam": Axis(3e-4, 0.03, (0.001, 0.003, 0.01)),
        "c": _C,
        "alpha": _ALPHA,
        "warmup": Axis(20, 200, whole=True),
    },
    "tri": {**_TRI, "max_iter": _SWEEPS},
    "tri-l1": {**_TRI, "lam": Axis(1e-5, 0.1, (1e-4, 1e-3, 1e-2)), "max_iter": _SWEEPS},
    "tri-scale": {
        **_TRI,
        "lam": Axis(1e-5, 0.1, (3e-4, 3e-3, 3e-2)),
        "epsilon": Axis(0.1, 10.0, (0.3, 1.0, 3.0)),
        "max_iter": _SWEEPS,
    },
    "pu": {
        "rank": _rank(completion.DEFAULT_RANK),
        "rho": Axis(
            0.1,
            10.0,
            (0.3, 1.0, 3.0),
            none_is=completion.default_rho,
            relative=True,
            most=lambda _: 0.9,
        ),
        "lam": Axis(
            0.1, 3.0, (0.3, 0.6, 1.0, 1.5), none_is=completion.default_ridge, relative=True
        ),
        "max_iter": Axis(5, 80, (10, 20, 40), whole=True),
    },
    "nuclear-degree": {
        "rho": Axis(0.005, 0.5, (0.02, 0.05, 0.2)),
        "mu": Axis(
            0.1,
            3.0,
            (0.5, 1.0, 1.5),
            none_is=lambda network: 2.0 * completion.default_ridge(network),
            relative=True,
            unless="trace",
        ),
        "lam": Axis(1e-4, 0.02, (3e-4, 1e-3, 5e-3), unless="prior_bound"),
        "alpha": _ALPHA,
        "c": _C,
        "tau": Axis(0.1, 10.0, (0.3, 1.0, 3.0)),
    },
    "katz": {"beta": Axis(0.02, 0.95, (0.05, 0.1, 0.2, 0.5, 0.7, 0.9), log=False)},
    "lrw": {"steps": Axis(2, 10, (2, 3, 4, 5, 6, 8, 10), log=False, whole=True)},
    "rnm": {
        "noise": Axis(0.3, 30.0, (1.0, 3.0, 10.0)),
        "threshold": Axis(0.2, 4.0, (0.5, 0.95, 1.5)),
    },
    "spm": {"share": Axis(0.02, 0.4, (0.05, 0.1, 0.2))},
    "dcsbm": {"n_blocks": Axis(2, 128, (4, 8, 16, 32, 64), whole=True, most=_half_the_nodes)},
}

# What models over other models search beside the axes of these.
OVER: dict[str, Space] = {
    "degree": {"alpha": _ALPHA, "c": _C, "tau": Axis(0.1, 10.0, (0.3, 1.0, 3.0))},
    "consensus": {},
}

# What the paper chooses by cross-validation, and nothing else; λ/η from .01, where ADMM settles.
PRESETS: dict[Any, Space] = {
    "paper": {
        "rho": _TRI["rho"],
        "lam": Axis(3e-5, 3e-3, (3e-5, 1e-4, 3e-4, 1e-3)),
        "c": _C,
        "alpha": _ALPHA,
    }
}

LEARNED = ("lam", "c", "alpha", "tau")

# What learns its own weights, formulas without a number to choose, and chance.
NOTHING = ("auto", "pa", "cn", "aa", "ra", "jaccard", "l3", "l3n", "ch2-l3", "mps", "random")
