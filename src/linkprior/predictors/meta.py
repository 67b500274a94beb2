"""Meta-models, called KIND:NAME, and models over an estimator of another library.

A class is made for each name (`registry.find("degree:l3")`), so that a wrapper is a predictor like
any other: its parameters are the wrapper's and the base's side by side, and whoever copies, tunes
or saves models need not know.
"""

from __future__ import annotations

import copy
import dataclasses
from abc import abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np

from linkprior.errors import LinkpriorError, ParameterError, refuse_unknown
from linkprior.network import Network
from linkprior.network import pairs as pr
from linkprior.predictors import registry
from linkprior.predictors.base import (
    Array,
    Learned,
    LinkPredictor,
    entries,
    sections,
    takes_presets,
)
from linkprior.predictors.spaces import Space


@dataclass(eq=False, kw_only=True)
class Wrapped(LinkPredictor):
    """Base of the meta-models; `over` makes the class for one of them."""

    kind: ClassVar[str] = ""
    # What is searched besides the axes of the base.
    own_space: ClassVar[Space] = {}
    wrapped: ClassVar[type[LinkPredictor]]
    # Parameters of the base that have another default here.
    changed: ClassVar[Mapping[str, Any]] = {}
    # Own parameters that may stand for those of the same name in the base.
    shared: ClassVar[frozenset[str]] = frozenset()

    @classmethod
    def over(cls, base: type[LinkPredictor]) -> type[Self]:
        """Return the class of this wrapper over a model, always the same one."""
        cls._refuse(base)
        return _made(cls, base)

    @classmethod
    def _refuse(cls, base: type[LinkPredictor]) -> None:
        """Raise an error where this wrapper cannot wrap a model."""
        own_fields, parameters = (
            {field.name for field in dataclasses.fields(cls)},
            base.parameter_names(),
        )
        both = [name for name in parameters if name in own_fields - cls.shared]
        if both:
            raise ParameterError(
                f"{cls.kind}:{base.name}: {base.name} has parameters of the same name: "
                f"{', '.join(both)}"
            )

    @classmethod
    def supported(cls) -> frozenset[str]:
        return cls.wrapped.supported()

    def _new(self, **changes: Any) -> LinkPredictor:
        """Return a fresh base model with the parameters it has here."""
        params = {name: getattr(self, name) for name in self.wrapped.parameter_names()}
        return self.wrapped(**{**params, **{k: v for k, v in changes.items() if k in params}})

    def _axes(self) -> Space:
        return {**self.own_space, **self._new()._axes()}

    # ------------------------------------------------------------------ what was learned

    @abstractmethod
    def _rebuilt(self) -> list[LinkPredictor]:
        """Return the base models, fitted, from what was learned."""

    def _remember(self, network: Network, learned: Learned) -> None:
        super()._remember(network, learned)
        self._cached_members = self._rebuilt()

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[str], dict[str, Any]]:
        """Be found again by name: the class was made, and is in no module."""
        state = {k: v for k, v in self.__dict__.items() if not k.startswith("_cached_")}
        return registry.make, (type(self).name,), state

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._revive()


def prefixed(prefix: str, values: Mapping[str, Any]) -> dict[str, Any]:
    """Return a base model's arrays as the wrapper saves them."""
    return {f"{prefix}.{name}": value for name, value in values.items()}


def under(prefix: str, learned: Learned) -> Learned:
    """Return what a base model learned, from what the wrapper saved."""
    return Learned(arrays_under(prefix, learned.arrays), learned.facts[prefix])


def arrays_under(prefix: str, arrays: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arrays that `prefixed` gave this prefix, by their own names."""
    start = f"{prefix}."
    return {k.removeprefix(start): v for k, v in arrays.items() if k.startswith(start)}


@cache
def _made(wrapper: type[Any], base: type[LinkPredictor]) -> type[Any]:
    """Return a dataclass with the parameters of both."""
    own_fields = {field.name for field in dataclasses.fields(wrapper)}
    added = [
        (field.name, field.type, wrapper.changed.get(field.name, field.default))
        for field in dataclasses.fields(base)
        if field.name not in own_fields
    ]
    space: Space | None = {**wrapper.own_space, **(base.search_space or {})}
    if base.search_space is None and not wrapper.own_space:
        space = None
    # What the wrapper does, and the base's parameters; its own are inherited, and go first.
    about = sections(wrapper.__doc__)
    documentation, known = f"Over {base.name}. {about['']}", entries(about.get("Parameters", ""))
    parameters = entries(sections(base.__doc__).get("Parameters", "")).items()
    if added_text := "\n".join(text for heading, text in parameters if heading not in known):
        documentation += f"\n\nParameters\n----------\n{added_text}"
    made = dataclasses.make_dataclass(
        f"{wrapper.__name__}{base.__name__}",
        added,
        bases=(wrapper,),
        namespace={
            "name": f"{wrapper.kind}:{base.name}",
            "wrapped": base,
            "presets": base.presets,
            "search_space": space,
            "__module__": wrapper.__module__,
            "__doc__": documentation,
        },
        eq=False,
        kw_only=True,
    )
    return takes_presets(made) if base.presets else made


# ---------------------------------------------------------------------- other people's estimators

_SCORING = ("score_pairs", "decision_function", "predict_proba", "predict")


def as_predictor(estimator: Any) -> LinkPredictor:
    """Return a predictor as it is, or one that asks an estimator of another library.

    Parameters
    ----------
    estimator
        A LinkPredictor, or an object with `fit(network)` and one of `score_pairs(pairs)`,
        `decision_function(pairs)`, `predict_proba(pairs)` or `predict(pairs)`, which are given an
        (m, 2) array of node positions and return m numbers, the higher the likelier; of
        probabilities by class the last column counts. Network and positions are as given to `fit`
        here, in any order of nodes; only ties between scores go by name.

    Returns
    -------
    LinkPredictor
        It fits copies, never the object itself. Scores of all pairs are asked for row by row.

    Examples
    --------
    >>> import linkprior as lp
    >>> class Degrees:
    ...     def fit(self, network):
    ...         self.degrees = network.degrees
    ...     def predict(self, pairs):
    ...         return self.degrees[pairs].sum(axis=1)
    >>> model = as_predictor(Degrees()).fit(lp.planted_network(30, seed=0))
    >>> model.score_pairs([(0, 1)]).shape
    (1,)
    """
    if isinstance(estimator, LinkPredictor):
        return estimator
    called = type(estimator).__name__
    if isinstance(estimator, type):
        raise ParameterError(
            f"a model must be an object, got the class {estimator.__name__}: call it first"
        )
    if not callable(getattr(estimator, "fit", None)):
        raise ParameterError(f"a model needs a method fit(network), which {called} lacks")
    scoring = [name for name in _SCORING if callable(getattr(estimator, name, None))]
    if not scoring:
        raise ParameterError(
            f"a model needs one of the methods {', '.join(_SCORING)}, called with an (m, 2) array "
            f"of node positions; {called} has none of them"
        )
    attributes = {"name": called, "estimator": estimator, "scoring": scoring[0]}
    made: type[_Adapter] = type(
        called, (_Adapter,), {**attributes, "__doc__": type(estimator).__doc__}
    )
    return made(**made._own_params())


class _Adapter(LinkPredictor):
    """An estimator of another library as a predictor; `as_predictor` makes a class for each."""

    per_node = frozenset()  # it is fitted to the network given
    estimator: ClassVar[Any] = None
    scoring: ClassVar[str] = ""

    def __init__(self, **params: Any) -> None:
        refuse_unknown(type(self).name, params, self.parameter_names())
        self.__dict__ |= {**self._own_params(), **params}

    @classmethod
    def _own_params(cls) -> dict[str, Any]:
        parameters = getattr(cls.estimator, "get_params", None)
        return dict(parameters(deep=False)) if callable(parameters) else {}

    @classmethod
    def parameter_names(cls) -> list[str]:
        return list(cls._own_params())

    def __repr__(self) -> str:
        return repr(self.estimator)

    def __reduce__(self) -> tuple[Any, ...]:
        return as_predictor, (self.estimator,), self.__dict__

    def _fit(self, network: Network) -> Learned:
        fresh = copy.deepcopy(self.estimator)
        if params := self.get_params():
            fresh.set_params(**params)
        fresh.fit(self.__dict__.get("_cached_given", network))
        self._cached_estimator = fresh
        return Learned()

    def _over_sorted(self, network: Network) -> Self:
        # It may hold what is numbered like the network given: a table of scores, say.
        model = super()._over_sorted(network)
        model.__dict__["_cached_given"] = network
        return model

    def _pairs(self, pairs: pr.Ints) -> Array:
        given: Network | None = self.__dict__.get("_cached_given")
        if given is not None:
            pairs = pr.ordered(given.order[pairs])
        scores = np.asarray(getattr(self._cached_estimator, self.scoring)(pairs))
        if scores.ndim == 2 and self.scoring == "predict_proba":
            scores = scores[:, -1]
        if scores.shape != (len(pairs),) or scores.dtype.kind not in "biuf":
            raise LinkpriorError(
                f"{type(self).name}.{self.scoring} must return one number for each of "
                f"{len(pairs)} pairs, got {scores.dtype} of shape {scores.shape}"
            )
        return scores.astype(np.float64)

    def _rows(self, start: int, stop: int) -> Array:
        block = np.zeros((stop - start, self.network_.n_nodes))
        for row, node in enumerate(range(start, stop)):
            others = np.flatnonzero(np.arange(block.shape[1]) != node)
            pairs = np.stack([np.full(len(others), node), others], axis=1)
            block[row, others] = self._pairs(pr.ordered(pairs))
        return block

    def save(self, folder: str | Path) -> None:
        raise ParameterError(
            f"{type(self).name} is not a LinkPredictor: only its own library can save it"
        )
