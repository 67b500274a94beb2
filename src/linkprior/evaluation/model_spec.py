"""Who is judged: models under their labels, and what becomes of them without their prior."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from textwrap import shorten
from typing import Any

import numpy as np

from linkprior.errors import ParameterError
from linkprior.evaluation.splits import Split
from linkprior.network import Network
from linkprior.predictors import registry
from linkprior.predictors.base import LinkPredictor

Models = str | LinkPredictor | Iterable[str | LinkPredictor] | Mapping[str, str | LinkPredictor]
Change = Callable[[LinkPredictor, Split], LinkPredictor]


@dataclass(frozen=True)
class ModelSpec:
    """A model to be judged: a template, and for an ablation what is changed for each split."""

    label: str
    template: LinkPredictor
    change: Change | None = None

    def make(self, split: Split) -> LinkPredictor:
        """Return a fresh model for a split."""
        fresh = type(self.template)(**self.template.get_params())
        return fresh if self.change is None else self.change(fresh, split)


def contenders(models: Models, ablations: bool = False) -> list[ModelSpec]:
    """Return models under their names or given labels; two of one kind tell how they differ."""
    made: dict[str, ModelSpec] = {}
    for name, one in _labelled(models):
        model = registry.make(one) if not isinstance(one, LinkPredictor) else one
        label = type(model).name if name is None else name
        if label in made and name is None:
            label = f"{label}({_changed(model)})"
        if label in made:
            raise ParameterError(f"the model {label} is there twice")
        made[label] = ModelSpec(label, model)
        if ablations and "degrees" in model.parameter_names():
            made |= {
                f"{label}[{name}]": ModelSpec(f"{label}[{name}]", model, change)
                for name, change in ABLATIONS.items()
            }
    if not made:
        raise ParameterError("no model is given: name at least one, such as tri-degree")
    return list(made.values())


def _labelled(models: Any) -> list[tuple[str | None, Any]]:
    """Return each model with its label, where it has one."""
    if isinstance(models, Mapping):
        return [(str(label), one) for label, one in models.items()]
    if isinstance(models, str | LinkPredictor):
        return [(None, models)]
    try:
        return [(None, one) for one in models]
    except TypeError:
        raise ParameterError(
            f"models must be names or predictors, got {type(models).__name__}"
        ) from None


def _changed(model: LinkPredictor) -> str:
    plain = type(model)().get_params()
    shown = {name: shorten(repr(value), 40) for name, value in model.get_params().items()}
    return ", ".join(f"{k}={v}" for k, v in shown.items() if v != shorten(repr(plain[k]), 40))


def _prior_off(model: LinkPredictor, split: Split) -> LinkPredictor:
    return model.without_prior()


def _shuffled_degrees(model: LinkPredictor, split: Split) -> LinkPredictor:
    return model.set_params(degrees="shuffled")


def _true_degrees(model: LinkPredictor, split: Split) -> LinkPredictor:
    """Give the degrees with the hidden edges: what a perfect estimate would be worth."""
    edges = np.concatenate([split.train.edges, split.hidden])
    whole = Network.from_indices(edges, split.train.names)
    return model.set_params(degrees=whole.degrees.tolist())


ABLATIONS: dict[str, Change] = {
    "prior off": _prior_off,
    "shuffled degrees": _shuffled_degrees,
    "true degrees": _true_degrees,
}
