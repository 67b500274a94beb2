"""What a page may ask of a job: checked here, then arguments of `linkprior predict`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from linkprior._validation import shown
from linkprior.errors import ParameterError
from linkprior.predictors.registry import DEFAULT_MODEL, WRAPPERS, names

EFFORTS = ("fast", "normal", "thorough")
MOST_LINKS = 100_000
_LONGEST, _MOST_SETTINGS = 200, 40
_KNOWN = {"network", "model", "top", "effort", "node", "seed", "settings"}


@dataclass(frozen=True)
class JobRequest:
    """One prediction as it was chosen on the page."""

    model: str = DEFAULT_MODEL
    top: int = 100
    effort: str | None = None
    node: str | None = None
    seed: int = 0
    settings: tuple[str, ...] = ()

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> JobRequest:
        """Return the order in a page's words, or say in one line what is wrong with it."""
        unknown = sorted(set(given) - _KNOWN)
        if unknown:
            raise ParameterError(f"nothing called {shown(unknown[0])} can be chosen")
        model = _text(given, "model") or DEFAULT_MODEL
        _check_model(model)
        effort = _text(given, "effort") if model == "auto" else None
        if effort not in (None, *EFFORTS):
            raise ParameterError(f"effort expects {', '.join(EFFORTS)}, got {shown(effort)}")
        return cls(
            model,
            _number(given, "top", 100, 1, MOST_LINKS),
            effort,
            _text(given, "node"),
            _number(given, "seed", 0, 0, 2**32 - 1),
            _settings(given.get("settings")),
        )

    @property
    def words(self) -> str:
        """What a list of jobs says of it."""
        around = f" of {self.node}" if self.node else ""
        links = f"{self.top:,} link{'s' * (self.top != 1)}"
        effort = f" ({self.effort})" if self.effort else ""
        return f"{self.model}{effort}, {links}{around}"

    def options(self) -> list[str]:
        """Return its options; names and values in one word, so that no value becomes an option."""
        words = [f"--model={self.model}", f"--top={self.top}"]
        words += [f"--effort={self.effort}"] if self.effort else []
        words += [f"--node={self.node}"] if self.node else []
        words += [f"--seed={self.seed}"] if self.seed else []
        return words + [f"--set={setting}" for setting in self.settings]


def _check_model(name: str) -> None:
    """Refuse a model there is none of; without loading any, which takes its time."""
    *kinds, base = name.split(":")
    if base not in names() or any(kind not in WRAPPERS for kind in kinds):
        raise ParameterError(f"no model is called {shown(name)}; see linkprior models")


def _text(given: Mapping[str, Any], name: str) -> str | None:
    value = given.get(name)
    if value is None:
        return None
    if not isinstance(value, str) or len(value) > _LONGEST or not value.isprintable():
        raise ParameterError(f"{name} expects a short text, got {shown(value)}")
    return value.strip() or None


def _number(given: Mapping[str, Any], name: str, usual: int, least: int, most: int) -> int:
    value = given.get(name)
    if value is None:
        return usual
    if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
        expected = f"a whole number from {least:,} to {most:,}"
        raise ParameterError(f"{name} expects {expected}, got {shown(value)}")
    return value


def _settings(given: Any) -> tuple[str, ...]:
    if given is None:
        return ()
    if not isinstance(given, list) or len(given) > _MOST_SETTINGS:
        raise ParameterError(f"settings expects at most {_MOST_SETTINGS} lines of name=value")
    lines = (_text({"settings": line}, "settings") for line in given)
    found = tuple(line for line in lines if line)
    for line in found:
        name, equals, _ = line.partition("=")
        if not equals or not name.isidentifier():
            raise ParameterError(f"settings expects name=value, got {shown(line)}")
    return found
