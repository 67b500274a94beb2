"""The errors a user can meet: each names what was expected, what came, and what to do."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class LinkpriorError(Exception):
    """Base of every error linkprior raises on purpose; the command line turns it into one line.

    Examples
    --------
    >>> import linkprior as lp
    >>> try:
    ...     lp.make("no-such-model")
    ... except lp.LinkpriorError as problem:
    ...     print(type(problem).__name__)
    ParameterError
    """


class ParameterError(LinkpriorError, ValueError):
    """A parameter has a value outside what is allowed."""


class InputError(LinkpriorError, ValueError):
    """A file or an object handed in is not the network it should be."""


class NotFittedError(LinkpriorError, RuntimeError):
    """A predictor was asked for scores before `fit`."""


class StoreError(LinkpriorError, ValueError):
    """A saved model or run is missing, incomplete, or of another version."""


def visible(text: str, keep: str = "") -> str:
    """Return text of a file as messages show it: control characters are shown as codes.

    Characters of `keep` stay as they are.
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() or c in keep else ascii(c)[1:-1] for c in text)


def nearest(name: str, choices: Iterable[str]) -> str:
    """Return `` Did you mean …?`` for the closest known names, or an empty string."""
    close = difflib.get_close_matches(name, list(choices), n=3, cutoff=0.5)
    return f" Did you mean {' or '.join(close)}?" if close else ""


def refuse_unknown(model: str, given: Iterable[str], allowed: list[str]) -> None:
    """Raise an error that names the first unknown parameter and the nearest known ones."""
    for name in given:
        if name not in allowed:
            raise ParameterError(
                f"{model} has no parameter {name!r}.{nearest(name, allowed)} "
                f"It takes {', '.join(allowed) or 'none'}"
            )
