"""Wrapped: meta-models, called KIND:NAME, that take the parameters of their base as their own.

A class is made for each name (`registry.find("degree:l3")`), so that a wrapper is a predictor like
any other: its parameters are the wrapper's and the base's side by side, and whoever copies, tunes
or saves models need not know.
"""

from __future__ import annotations

import dataclasses
from abc import abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, ClassVar, Self

from linkprior.errors import ParameterError
from linkprior.network import Network
from linkprior.predictors import registry
from linkprior.predictors.base import Learned, LinkPredictor, takes_presets
from linkprior.predictors.documentation import sections
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
        if base.combines_models:
            raise ParameterError(
                f"{cls.kind}:{base.name}: {base.name} combines models in this way already"
            )
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
        if self.fitted:
            self._cached_members = self._rebuilt()


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
    # What the wrapper does, and the base's parameters; its own are inherited.
    documentation = f"Over {base.name}. {sections(wrapper.__doc__)['']}"
    if parameters := sections(base.__doc__).get("Parameters"):
        documentation += f"\n\nParameters\n----------\n{parameters}"
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
