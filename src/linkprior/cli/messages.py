"""What is said on stderr, and what happens when nobody listens on stdout."""

from __future__ import annotations

import contextlib
import os
import sys
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from linkprior.network import Network


def say(text: str) -> None:
    """Say something on stderr; that nobody listens is no reason to stop."""
    try:
        # Not by click, which finds its way past whoever stands in for stderr (the progress bar).
        # A path may hold bytes that are no text.
        plain = text.encode("utf-8", "backslashreplace").decode("utf-8")
        print(plain, file=sys.stderr, flush=True)
    except OSError:
        drop(sys.stderr)


def silent(text: str) -> None:
    """Say nothing."""


def describe(network: Network) -> str:
    m = network.merged
    text = f"{network.n_nodes} nodes, {network.n_edges} edges"
    merged = [
        f"{count} {what}"
        for count, what in (
            (m.self_loops, "self-loops left out"),
            (m.duplicates, "duplicates merged"),
            (m.reversed_duplicates, "reversed duplicates merged"),
            (m.isolated, "nodes without an edge left out"),
        )
        if count
    ]
    return f"{text} ({', '.join(merged)})" if merged else text


def drop_stdout() -> None:
    """Throw away what could not be written, or Python complains about it once more at exit."""
    drop(sys.stdout)


def drop(stream: TextIO) -> None:
    """Throw away what a stream still holds and all that is written to it from now on."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
