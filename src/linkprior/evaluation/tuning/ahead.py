"""Tuning ahead of a prediction: what can be asked for, said before anything is read or fitted."""

from __future__ import annotations

from collections.abc import Collection

from linkprior.errors import ParameterError
from linkprior.predictors.base import LinkPredictor
from linkprior.predictors.registry import tunable
from linkprior.predictors.spaces import searched


def refuse_untunable(
    model: LinkPredictor,
    given: Collection[str] = (),
    option: str = "tune",
    spelled: str = "{}",
) -> None:
    """Raise an error where a model has nothing to tune, or is given what would be searched.

    Parameters
    ----------
    model
        The model to tune.
    given
        Parameters that were set by hand.
    option, spelled
        How the user writes that it is to be tuned, and a parameter.
    """
    axes = searched(model)
    if not axes:
        raise ParameterError(
            f"{type(model).name} has no parameter to tune: leave {option} out, or choose another "
            f"model: {', '.join(tunable())}, or degree:NAME"
        )
    both = [name for name in axes if name in given]
    if both:
        named = ", ".join(spelled.format(name) for name in both)
        raise ParameterError(f"{option} searches {', '.join(both)}: leave out {named}, or {option}")
    if model.fitted:
        raise ParameterError(
            f"{option} searches the parameters of a model, and {model!r} is fitted already: give "
            "one that is not fitted"
        )
