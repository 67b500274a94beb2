"""Inputs that change a whole thing in a few places: they get past checksums and stay short.

Each line is `path/to/value=JSON`; a value that is no JSON is text, and none removes what is there.
`params/rank=-3` sets a parameter, `network/names/0=` removes a name.
"""

from __future__ import annotations

import copy
import json
from typing import Any

_MOST = 64  # lines
_DEEPEST = 12


def edited(whole: Any, text: bytes) -> Any:
    """Return a copy with the lines of `text` carried out; one that leads nowhere is passed over."""
    changed = copy.deepcopy(whole)
    for line in text.decode("utf-8", "surrogateescape").split("\n")[:_MOST]:
        path, given, value = line.partition("=")
        if given:
            changed = _put(changed, path.split("/")[:_DEEPEST], value)
    return changed


def _put(whole: Any, path: list[str], value: str) -> Any:
    if path == [""]:
        return _value(value)
    at = whole
    for key in path[:-1]:
        at = _inside(at, key)
    last = path[-1]
    if isinstance(at, dict):
        at.pop(last, None)
        if value:
            at[last] = _value(value)
    elif isinstance(at, list) and last.isascii() and last.isdigit() and int(last) < len(at):
        if value:
            at[int(last)] = _value(value)
        else:
            del at[int(last)]
    elif isinstance(at, list) and last == "+":
        at.append(_value(value))
    return whole


def _inside(at: Any, key: str) -> Any:
    if isinstance(at, dict):
        return at.get(key)
    if isinstance(at, list) and key.isascii() and key.isdigit() and int(key) < len(at):
        return at[int(key)]
    return None


def _value(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def all_paths(whole: Any, most: int = 60, before: str = "") -> list[str]:
    """Return the paths there are, shallow ones first: words for the fuzzer, and seeds."""
    if not isinstance(whole, dict | list):
        return []
    inside = whole.items() if isinstance(whole, dict) else list(enumerate(whole))[:2]
    here = [(f"{before}{key}", value) for key, value in inside]
    deeper = [p for path, value in here for p in all_paths(value, most, f"{path}/")]
    return [*(path for path, _ in here), *deeper][:most]


def one_each(
    whole: Any, values: tuple[str, ...] = ("", "null", "-1", '"x"', "[]", "{}")
) -> list[bytes]:
    """Return inputs that change one place each: every path, values in turn."""
    paths = all_paths(whole)
    return [
        f"{path}={values[(at + turn) % len(values)]}".encode()
        for at, path in enumerate(paths)
        for turn in range(2)
    ]
