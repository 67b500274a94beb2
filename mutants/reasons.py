"""Why some mutants may live: read from survivors.tsv, one line each with a class and its key."""

from __future__ import annotations

from pathlib import Path

PLACE = Path(__file__).with_name("survivors.tsv")


def read_reasons(path: Path = PLACE) -> dict[str, str]:
    """Return the class of reason of each mutant that is known to survive, by key."""
    if not path.exists():
        return {}
    lines = path.read_text(encoding="utf-8").splitlines()
    cells = [line.split("\t") for line in lines if line and not line.startswith("#")]
    return {key: reason for reason, key, *_ in cells}
