"""One thing to be fuzzed: how an input is tried, and what inputs to begin with."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from fuzz.verdict import Attempt


@dataclass(frozen=True)
class Target:
    """A reader or loader.

    Attributes
    ----------
    summary
        One line.
    make
        Returns what tries one input; it may keep files in the folder it is given.
    seeds
        Inputs to begin with.
    words
        Pieces that random bytes would hardly hit upon.
    largest
        The most bytes of an input.
    """

    summary: str
    make: Callable[[Path], Attempt]
    seeds: Callable[[], Sequence[bytes]]
    words: tuple[str, ...] = ()
    largest: int = 4096
