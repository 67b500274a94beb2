"""Models as a user names them: --model NAME --set key=value --seed S."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from linkprior.errors import ParameterError

if TYPE_CHECKING:
    from linkprior.predictors.base import LinkPredictor


_WORDS = {"none": None, "true": True, "false": False}


def make_model(model: str, settings: tuple[str, ...], seed: int) -> LinkPredictor:
    """Return the predictor asked for; a model without random parts takes no seed."""
    from linkprior.predictors import registry

    params = dict(setting(s) for s in settings)
    if "seed" in registry.find(model).parameter_names():
        params.setdefault("seed", seed)
    return registry.make(model, **params)


def setting(text: str) -> tuple[str, Any]:
    """Read KEY=VALUE; what looks like a number is one, none, true and false are what they say."""
    key, equals, value = text.partition("=")
    if not equals or not key:
        raise ParameterError(f"--set expects KEY=VALUE, got {text!r}")
    if value.lower() in _WORDS:
        return key, _WORDS[value.lower()]
    for kind in (int, float):
        try:
            return key, kind(value)
        except ValueError:
            continue
    return key, value
