"""Where to look for better parameters: each model says so by the axes of its `search_space`.

Only what changes the ranking is searched. What trades time for precision (`n_starts`, `tol`, `n` of
spm) or chooses another method (`solver`, `loss`, `rank_by`) stays as the user has it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from linkprior.errors import ParameterError, refuse_unknown

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
        present = self.position(network, given)
        if present is not None:
            low, high = min(low, present), max(high, present)
        values = (self.rounded(value * unit) for value in self.grid)
        grid = tuple(dict.fromkeys(value for value in values if low <= value <= high))
        return replace(self, low=low, high=high, grid=grid, relative=False, most=None)

    def position(self, network: Network, value: Any) -> float | None:
        """Return where a parameter's value lies on the axis; None where it has no place there."""
        if value is None:
            return None if self.none_is is None else self.rounded(self.none_is(network))
        number = isinstance(value, int | float) and not isinstance(value, bool)
        return value if number and math.isfinite(value) and (value > 0 or not self.log) else None

    def rounded(self, value: float) -> float:
        """Return a value as it is tried: a whole number, or one of three digits."""
        return round(value) if self.whole else float(f"{value:.{_DIGITS}g}")

    def inside(self, value: float) -> float:
        """Return a value as it is tried, within the interval."""
        return min(max(self.rounded(value), self.low), self.high)


Space = Mapping[str, Axis]


def space_of(
    model: LinkPredictor, network: Network, fixed: Collection[str] = ()
) -> dict[str, Axis]:
    """Return what to search for a model on a network; empty where there is nothing to tune."""
    given = model.get_params()
    refuse_unknown(type(model).name, fixed, model.parameter_names())
    axes = searched(model)
    return {k: axis.on(network, given[k]) for k, axis in axes.items() if k not in fixed}


def searched(model: LinkPredictor) -> dict[str, Axis]:
    """Return what is searched for a model with its parameters, on whatever network."""
    if type(model).search_space is None:
        name = type(model).name or type(model).__name__
        raise ParameterError(
            f"{name} does not say which parameters to tune: declare them on its class, as in "
            'search_space = {"parameter": Axis(low, high)}, with Axis from '
            "linkprior.predictors.spaces; {} where there is nothing to tune"
        )
    given = model.get_params()
    return {k: axis for k, axis in model._axes().items() if given.get(axis.unless) is None}


def rank_axis(default: int) -> Axis:
    """Return where to look for the width of factors."""
    return Axis(
        4,
        64,
        (default // 2, default, 2 * default),
        whole=True,
        none_is=lambda network: min(default, network.n_nodes),
        most=lambda network: float(network.n_nodes),
    )


# Of the degree prior, whichever model it wraps; learned weights leave no part to them.
ALPHA = Axis(0.1, 2.0, (0.25, 0.5, 1.0))
C = Axis(0.5, 3.0, (0.8, 1.0, 1.5, 2.0))
TAU = Axis(0.1, 10.0, (0.3, 1.0, 3.0))
LEARNED = ("lam", "c", "alpha", "tau")


def without_learned(axes: Space, weights: str) -> Space:
    """Return the axes that are left where the weights of the prior are learned."""
    return axes if weights != "learned" else {k: v for k, v in axes.items() if k not in LEARNED}
