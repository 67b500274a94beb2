"""The folder of an evaluation: every finished cell is a small file, so that a kill costs one cell.

DIR/evaluation.json  which network and protocol the folder is for
DIR/splits/*.tsv     the splits themselves
DIR/cells/*.json     one file per model × split
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any, Self

import numpy as np

from linkprior._version import __version__
from linkprior.errors import StoreError
from linkprior.evaluation.judge import Cell, numbers_from, plain_numbers
from linkprior.evaluation.metrics import METRICS
from linkprior.evaluation.split_files import (
    is_split_file,
    split_digest,
    write_split,
    written_digest,
)
from linkprior.evaluation.splits import Split
from linkprior.io.atomic_files import Held, hold, sweep, whole_file
from linkprior.io.store import stored_text
from linkprior.network import Network

CLAIM = "evaluation.json"


class CellStore:
    """Finished cells in a folder; without a folder every cell is computed.

    One process at a time may hold a folder: until the end of a with block.
    """

    def __init__(self, folder: Path | None, network: Network, plan: Mapping[str, Any]) -> None:
        self.folder, self.network, self._held = folder, network, Held(None)
        if folder is not None:
            self._open(folder, {"network": network.digest, **plan})

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._held.close()

    def _open(self, folder: Path, study: dict[str, Any]) -> None:
        """Take a folder for a study and for this process, one at a time."""
        folder.mkdir(parents=True, exist_ok=True)
        self._held = hold(folder, "evaluation")
        try:
            self._claim(folder, study)
        except BaseException:
            self._held.close()
            raise

    def _claim(self, folder: Path, study: dict[str, Any]) -> None:
        """Say what the folder is for; refuse that of other data."""
        path = folder / CLAIM
        if path.exists():
            before = read_json(path)
            if before.get("network") != study["network"]:
                raise StoreError(
                    f"{folder} holds an evaluation of other data: the digest of its network is "
                    f"{str(before.get('network'))[:12]}, that of the edges given is "
                    f"{study['network'][:12]}. Choose another folder"
                )
        for part in ("cells", "splits"):
            if (folder / part).exists() and not (folder / part).is_dir():
                raise StoreError(f"{folder / part} is a file; choose another folder")
            (folder / part).mkdir(exist_ok=True)
            sweep(folder / part)
        write_json(path, study)

    def publish(self, split: Split) -> None:
        """Write a split as a file; one of the same label that is another split is replaced."""
        if self.folder is None:
            return
        path = self.folder / "splits" / f"{slug(split.label)}.tsv"
        if path.exists() and not is_split_file(path):
            raise StoreError(
                f"{path} is no split of linkprior, and would be replaced; move it, or choose "
                "another folder"
            )
        if written_digest(path) != split_digest(split):
            write_split(split, self.network, path)

    def get(self, label: str, split: Split, key: Any, compute: Callable[[], Cell]) -> Cell:
        """Return a finished cell, or compute it and keep it.

        A cell is known again by `key` (the model's parameters and how they are chosen), the split
        and the version of linkprior; one that was made otherwise is made anew.
        """
        if self.folder is None:
            return compute()
        path = cell_file(self.folder, label, split)
        wanted = {"key": key, "split": split_digest(split), "linkprior": __version__}
        wanted = json.loads(json.dumps(wanted, default=plain_json))
        found = read_json(path) if path.exists() else {}
        if all(found.get(name) == value for name, value in wanted.items()):
            return _cell_from(found.get("cell"), path)
        cell = compute()
        content = asdict(cell) | {"values": plain_numbers(cell.values)}
        write_json(path, {**wanted, "cell": content})
        return cell


def cell_file(folder: Path, label: str, split: Split) -> Path:
    """Return where the cell of a model and a split is kept."""
    return folder / "cells" / f"{slug(label)}--{slug(split.label)}.json"


def _cell_from(kept: Any, path: Path) -> Cell:
    """Return the cell a file holds; one that is not whole is named."""
    try:
        cell = Cell(**{**kept, "values": numbers_from(kept["values"])})
        whole = cell.values.keys() == {*METRICS, "seconds", "peak_mb"}
        lengths = {len(cell.curve[name]) for name in ("predicted", "found")}
        if whole and len(lengths) == 1 and 0 not in lengths:
            return cell
    except (AttributeError, KeyError, TypeError, ValueError):
        pass
    raise StoreError(f"{path} does not hold a whole result; remove it and run again")


def slug(label: str) -> str:
    """Return a file name that tells the label, and is its own where two labels read alike."""
    plain = re.sub(r"[^A-Za-z0-9.+-]+", "-", label).strip("-")[:80]
    same = plain == label.replace(" ", "-").replace(":", "-")
    return plain if same else f"{plain}-{hashlib.sha256(label.encode()).hexdigest()[:8]}"


def write_json(path: Path, content: Any) -> None:
    """Write JSON, whole or not at all."""
    with whole_file(path) as stream:
        json.dump(
            content, stream, indent=1, default=plain_json, ensure_ascii=False, allow_nan=False
        )
        stream.write("\n")


def plain_json(value: Any) -> Any:
    """Return what JSON can hold of a value it does not know: arrays whole, not abridged."""
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    if callable(value):  # a sequence H, known again by its values, not by where it lies in memory
        values = np.asarray(value(np.arange(1.0, 1001.0)), dtype=np.float64)
        return f"function {hashlib.sha256(values.tobytes()).hexdigest()[:16]}"
    return str(value)


def read_json(path: Path) -> dict[str, Any]:
    """Return the object in a JSON file; a damaged one is named."""
    try:
        content = json.loads(stored_text(path))
    except StoreError:
        raise
    except (OSError, ValueError, RecursionError) as problem:
        raise StoreError(
            f"{path} cannot be read ({type(problem).__name__}); remove it and run again"
        ) from None
    if not isinstance(content, dict):
        raise StoreError(f"{path} is no JSON object; remove it and run again")
    return content
