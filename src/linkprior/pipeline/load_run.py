"""Reading a run folder back."""

from __future__ import annotations

import csv
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linkprior.errors import LinkpriorError, StoreError, visible
from linkprior.io.atomic_files import as_path
from linkprior.io.safe_read import kept_text
from linkprior.network import Network
from linkprior.pipeline.run_folder import (
    LOG,
    MODEL,
    RANKING,
    REPORT,
    STUDY,
    Manifest,
    difference,
    file_digest,
    read_manifest,
)
from linkprior.predictors.base import LinkPredictor
from linkprior.predictors.registry import load
from linkprior.ranking.ranking import Ranking

# Evidence that is a number; all else is text, whatever it looks like.
_KINDS: dict[str, type] = {
    **dict.fromkeys(("degree_source", "degree_target", "rank_by_degree"), np.int64),
    **dict.fromkeys(("paths2", "paths3"), np.int64),
    **dict.fromkeys(("prior_share", "spread"), np.float64),
    **dict.fromkeys(("probability", "expected_hits_cumulative"), np.float64),
}


@dataclass(frozen=True, eq=False)
class Run:
    """A finished run: ranking, fitted model, input report, manifest and log."""

    folder: Path
    ranking: Ranking
    model: LinkPredictor
    input_report: dict[str, Any]
    manifest: Manifest
    log: str

    @property
    def network(self) -> Network:
        """The network the model was fitted on."""
        return self.model.network_

    @property
    def tuned(self) -> dict[str, Any] | None:
        """What `--tune` chose: best_params, best_value, default_value; None for a run without."""
        found = self.manifest.get("tuned")
        return found if isinstance(found, dict) else None

    @property
    def study(self) -> Path | None:
        """The folder of every setting that was tried; None where there is none."""
        place = self.folder / STUDY
        return place if self.tuned is not None and place.is_dir() else None

    def __repr__(self) -> str:
        return f"Run({str(self.folder)!r}: {type(self.model).name}, {len(self.ranking)} links)"


def load_run(folder: str | Path) -> Run:
    """Read a run folder; refuse one that is incomplete, damaged or of another version."""
    path = as_path(folder)
    if not path.is_dir():
        raise StoreError(f"{folder} is no folder; expected what `linkprior predict -o DIR/` wrote")
    manifest = read_manifest(path)
    if manifest is None:
        raise StoreError(f"{folder} is not a run folder: it has no manifest.json")
    if manifest["status"] != "complete":
        raise StoreError(f"{folder} is an unfinished run: the same command again completes it")
    needed = dict.fromkeys((f"{RANKING}.tsv", REPORT))
    for name, digest in {**needed, **manifest["files"]}.items():
        if Path(name).name != name or not os.path.isfile(path / name):
            lacks = f"{folder} lacks {visible(name)}"
            raise StoreError(f"{lacks}: the same command again writes it anew")
        if file_digest(path / name) != digest:
            changed = visible(str(path / name))
            raise StoreError(f"{changed} was changed since: its checksum differs")
    model = load(path / MODEL)
    other = difference(model, path / MODEL, manifest)
    if other is not None:
        raise StoreError(
            f"{path / MODEL} is not the model of this run ({other}): the same command again fits "
            "it anew"
        )
    with _refusing(path / f"{RANKING}.tsv", "the table of a ranking"):
        ranking = _ranking(path / f"{RANKING}.tsv", model.network_)
    with _refusing(path / REPORT, "an input report"):
        report = dict(json.loads(kept_text(path / REPORT)))
    log = kept_text(path / LOG, "surrogateescape") if (path / LOG).exists() else ""
    return Run(path, ranking, model, report, manifest, log)


@contextmanager
def _refusing(path: Path, expected: str) -> Iterator[None]:
    """Refuse a file that is not what it should be, though its checksum vouches for it."""
    try:
        yield
    except (
        LinkpriorError,
        ValueError,
        LookupError,
        TypeError,
        RecursionError,
        csv.Error,
    ) as problem:
        raise StoreError(f"{path} is not {expected}: {problem}") from None


def _ranking(path: Path, network: Network) -> Ranking:
    with path.open(encoding="utf-8", errors="surrogateescape", newline="") as stream:
        header, *rows = csv.reader(stream, delimiter="\t")
    columns = dict(
        zip(header, zip(*rows, strict=True) if rows else [()] * len(header), strict=True)
    )
    pairs = np.array(
        [
            (network.index_of(a), network.index_of(b))
            for a, b in zip(columns["source"], columns["target"], strict=True)
        ],
        dtype=np.int64,
    ).reshape(-1, 2)
    evidence: dict[str, NDArray[Any]] = {
        name: np.array(columns[name], dtype=_KINDS.get(name, object)) for name in header[4:]
    }
    scores = np.array(columns["score"], dtype=np.float64)
    return Ranking(pairs, scores, network.names, evidence)
