"""Docstrings of models made whole: a class shows the parameters it inherits, and an example."""

from __future__ import annotations

import inspect
import re

_EXAMPLE = """
Examples
--------
>>> import linkprior as lp
>>> network = lp.planted_network(40, seed=0)
>>> len(lp.make("{name}").fit(network).predict_edges(5))
5
"""


def sections(text: str | None) -> dict[str, str]:
    """Split a numpydoc docstring by its titles; what comes before the first has none."""
    parts = re.split(r"^(\w[\w ]*)\n-{3,}\n", inspect.cleandoc(text or ""), flags=re.MULTILINE)
    by_title = {"": parts[0].strip()}
    return by_title | {title: body.strip() for title, body in zip(parts[1::2], parts[2::2])}  # noqa: B905


def complete(model: type, name: str) -> str:
    """Return the docstring of a class with the parameters of its bases, theirs first."""
    own_sections = sections(model.__dict__.get("__doc__"))
    inherited = sections(model.__mro__[1].__dict__.get("__doc__")).get("Parameters", "")
    parameters = "\n".join(filter(None, [inherited, own_sections.get("Parameters", "")]))
    text = own_sections[""]
    if parameters:
        text += f"\n\nParameters\n----------\n{parameters}"
    if "Examples" in own_sections:
        text += f"\n\nExamples\n--------\n{own_sections['Examples']}"
    elif name and model.__module__.startswith("linkprior."):
        text += "\n" + _EXAMPLE.format(name=name)
    return text
