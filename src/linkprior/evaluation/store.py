"""Finished cells as small files, one per model and split, so that a kill costs one cell.

Evaluations, reproductions and benchmarks share one record: what was asked (`ASKED`), the `values`
of every metric or why the model was `left_out`, and whatever belongs to the one kind alone.

DIR/evaluation.json           which network and protocol an evaluation is of
DIR/splits/*.tsv              its splits
DIR/cells/*.json              its cells
DIR/<network>/<n>-<model>.json  the cells of a benchmark
"""

from __future__ import annotations

import csv
import hashlib
import io
import json
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Self

import numpy as np

from linkprior._version import __version__
from linkprior.errors import StoreError
from linkprior.evaluation.metrics import METRICS
from linkprior.evaluation.splits import (
    Split,
    is_split_file,
    split_digest,
    write_split,
    written_digest,
)
from linkprior.io.atomic_files import Held, hold, sweep, whole_file
from linkprior.io.store import stored_text
from linkprior.network import Network
from linkprior.predictors import registry

Record = dict[str, Any]

CLAIM = "evaluation.json"
BASELINE = "random baseline"
ASKED = ("model", "params", "trials", "search", "data", "digest", "linkprior")
_SHARE = re.compile(r"auprc(_low)?|(dc_)?auroc|ndcg|(p|recall)@.*")
_SHOWN = ("network", "model", "protocol", "rule", "data", "linkprior")


@dataclass(frozen=True)
class Cell:
    """What came out for one model on one split."""

    model: str
    split: str
    values: Mapping[str, float]  # every metric by name
    curve: Mapping[str, Any] = field(default_factory=dict)  # hidden edges among the first k
    params: Mapping[str, Any] = field(default_factory=dict)  # what it was fitted with


class CellStore:
    """The cells of an evaluation in a folder; without a folder nothing is stored.

    One process at a time may hold a folder: until the end of a with block.
    """

    def __init__(self, folder: Path | None, network: Network, plan: Mapping[str, Any]) -> None:
        self.folder, self.network, self._held = folder, network, Held()
        if folder is None:
            return
        folder.mkdir(parents=True, exist_ok=True)
        self._held = hold(folder, "evaluation")
        try:
            self._claim(folder, {"network": network.digest, **plan})
        except BaseException:
            self._held.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._held.close()

    def _claim(self, folder: Path, study: Record) -> None:
        """Write what the folder is for; refuse that of other data."""
        path = folder / CLAIM
        if path.exists():
            refuse_other_data(folder, "an evaluation", read_json(path), study)
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
                f"{path} is not a split written by linkprior, and would be replaced; move it, or "
                "choose another folder"
            )
        if written_digest(path) != split_digest(split):
            write_split(split, self.network, path)

    def find(self, label: str, split: Split, asked: Mapping[str, Any]) -> Cell | None:
        """Return a finished cell; None where it is missing or was made otherwise."""
        if self.folder is None:
            return None
        path = cell_file(self.folder, label, split)
        record = finished(path, _asked(label, split, asked))
        return None if record is None else _cell_from(record, path)

    def save(self, cell: Cell, split: Split, asked: Mapping[str, Any]) -> None:
        """Store a finished cell."""
        if self.folder is not None:
            record = {
                **_asked(cell.model, split, asked),
                "split": cell.split,
                "values": plain_numbers(cell.values),
                "curve": cell.curve,
                "tuned": cell.params,
            }
            write_json(cell_file(self.folder, cell.model, split), record)  # in the order given


def refuse_other_data(
    folder: Path, what: str, before: Mapping[str, Any], now: Mapping[str, Any]
) -> None:
    """Raise an error where a folder was begun with another network."""
    if before.get("network") != now["network"]:
        raise StoreError(
            f"{folder} holds {what} of other data: the digest of its network is "
            f"{str(before.get('network'))[:12]}, that of the edges given is "
            f"{now['network'][:12]}. Choose another folder"
        )


def _asked(label: str, split: Split, asked: Mapping[str, Any]) -> Record:
    return {**asked, "model": label, "digest": split_digest(split), "linkprior": __version__}


def cell_file(folder: Path, label: str, split: Split) -> Path:
    """Return the path of the cell of a model and a split."""
    return folder / "cells" / f"{slug(label)}--{slug(split.label)}.json"


def slug(label: str) -> str:
    """Return a file name that shows the label, and is its own where two labels read alike."""
    plain = re.sub(r"[^A-Za-z0-9.+-]+", "-", label).strip("-")[:80]
    same = plain == label.replace(" ", "-").replace(":", "-")
    return plain if same else f"{plain}-{hashlib.sha256(label.encode()).hexdigest()[:8]}"


def _cell_from(record: Record, path: Path) -> Cell:
    """Return the cell of a record that holds every metric and a curve."""
    try:
        values = {name: math.nan if v is None else float(v) for name, v in record["values"].items()}
        curve, params = record["curve"], dict(record["tuned" if "tuned" in record else "params"])
        lengths = {len(curve[name]) for name in ("predicted", "found")}
        whole = values.keys() == {*METRICS, "seconds", "peak_mb"}
        if whole and len(lengths) == 1 and 0 not in lengths:
            return Cell(record["model"], str(record["split"]), values, curve, params)
    except (AttributeError, KeyError, TypeError, ValueError):
        pass
    raise not_whole(path)


# ---------------------------------------------------------------------- records


def finished(path: Path, wanted: Mapping[str, Any]) -> Record | None:
    """Return the record in a file, None where it is missing or something else was asked.

    A record without parameters, search or data was made with the defaults and of the same data;
    one without trials had none.
    """
    if not path.exists():
        return None
    record, expected = read_cell(path), {**plain(wanted), "trials": 0}
    same = all(
        record.get(name, expected[name]) == plain(wanted[name]) for name in ASKED if name in wanted
    )
    return record if same else None


def write_cell(path: Path, record: Mapping[str, Any]) -> None:
    """Write a record, whole or not at all; the same facts are the same bytes."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with whole_file(path) as stream:
        stream.write(json.dumps(plain(record), indent=1, sort_keys=True, allow_nan=False) + "\n")


def read_cell(path: Path) -> Record:
    """Return the record in a file; one that is not whole is named."""
    record = _of_today(read_json(path))
    for name in ("params", "tuned"):
        if isinstance(record.get(name), dict):
            record[name] = {_names_now().get(k, k): v for k, v in record[name].items()}
    named = all(isinstance(record.get(name), str) for name in ("model", "digest"))
    whole = all(isinstance(record.get(name, 0), int) for name in ("trials", "threads", "hidden"))
    split = isinstance(record.get("split"), int | str) and "linkprior" in record
    left, values = record.get("left_out"), record.get("values")
    left_out = isinstance(left, dict) and isinstance(left.get("why"), str)
    measured = isinstance(values, dict) and values and all(map(_is_value, values, values.values()))
    if not (named and whole and split and (measured or left_out)):
        raise not_whole(path)
    for name in _SHOWN:  # on terminals, in tables and in figures
        if not str(record.get(name, "")).isprintable():
            raise StoreError(
                f"{path}: its {name} holds invisible characters; remove it and run again"
            )
    return record


def read_cells(folder: Path) -> list[Record]:
    """Return all records below a folder, in the order of their files' names."""
    return [read_cell(path) for path in sorted(folder.glob("*/*.json"))]


def _of_today(record: Record) -> Record:
    """Return a record as it is written today; evaluations once had a key and a cell inside."""
    key, cell = record.get("key"), record.get("cell")
    if not (isinstance(key, dict) and isinstance(cell, dict)):
        return record
    search = {name: key[name] for name in key if name not in ("params", "label", "tune")}
    asked = {"params": key.get("params", {}), "trials": key.get("tune", 0), "search": search}
    about = {"digest": record.get("split"), "linkprior": record.get("linkprior")}
    return {**cell, **asked, **about, "tuned": cell.get("params")}


@cache
def _names_now() -> dict[str, str]:
    """Return today's name of each parameter that was renamed, of any model."""
    return {
        k: v for one in registry.MODELS for k, v in registry.find(one).renamed_parameters.items()
    }


def _is_value(name: str, value: Any) -> bool:
    """Return whether a value can be that of its metric; None is what could not be measured."""
    if not name.isprintable():
        return False
    if value is None:
        return True
    if not isinstance(value, int | float) or isinstance(value, bool):
        return False
    return 0.0 <= value <= 1.0 if _SHARE.fullmatch(name) else math.isfinite(value)


def not_whole(path: Path) -> StoreError:
    """Return the error for a file in which something is missing or cannot be."""
    return StoreError(f"{path} does not hold a complete result; remove it and run again")


# ---------------------------------------------------------------------- files


def plain_numbers(values: Mapping[str, float]) -> dict[str, float | None]:
    """Return metrics for JSON, which has no NaN: None where there was nothing to measure."""
    return {name: None if math.isnan(value) else value for name, value in values.items()}


def plain(value: Any) -> Any:
    """Return a value as JSON has it, so that it can be compared with one that was read."""
    return json.loads(json.dumps(value, default=_plain_json))


def _plain_json(value: Any) -> Any:
    """Return what JSON can hold of a value it does not know: arrays whole, not abridged."""
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    if callable(value):  # a sequence H, recognised by its values, not by its address in memory
        values = np.asarray(value(np.arange(1.0, 1001.0)), dtype=np.float64)
        return f"function {hashlib.sha256(values.tobytes()).hexdigest()[:16]}"
    return str(value)


def tsv(head: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """Return a table as tab-separated text."""
    text = io.StringIO()
    writer = csv.writer(text, delimiter="\t", lineterminator="\n")
    writer.writerow(head)
    writer.writerows(rows)
    return text.getvalue()


def tsv_number(value: float | None) -> str:
    """Return a number with all its digits; nothing where there was nothing to measure."""
    return "" if value is None or math.isnan(value) else repr(float(value))


def write_contents(folder: Path, contents: Mapping[str, str | bytes]) -> list[Path]:
    """Write files in this order, each whole or not at all, and return their paths."""
    for name, content in contents.items():
        data = content if isinstance(content, bytes) else content.encode("utf-8", "surrogateescape")
        with whole_file(folder / name) as stream:
            stream.buffer.write(data)
    return [folder / name for name in contents]


def write_json(path: Path, content: Any) -> None:
    """Write JSON, whole or not at all."""
    with whole_file(path) as stream:
        json.dump(
            content, stream, indent=1, default=_plain_json, ensure_ascii=False, allow_nan=False
        )
        stream.write("\n")


def read_json(path: Path) -> Record:
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
        raise StoreError(f"{path} is not a JSON object; remove it and run again")
    return content
