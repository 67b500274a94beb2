"""The files that a run has, and removing those of an earlier one: these, and nothing else."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from linkprior.errors import StoreError, visible
from linkprior.io import store
from linkprior.io.writers import FORMATS
from linkprior.runs.manifest import write_manifest

REPORT, LOG, MODEL = "input_report.json", "log.txt", "model"
STUDY = "study"  # what a run that was tuned tried
RANKING = "ranking"
FILES = (*(f"{RANKING}.{format}" for format in FORMATS), REPORT, LOG)


def remove_run(folder: Path, old: Mapping[str, Any]) -> None:
    """Remove the files of an earlier run, and nothing else; refuse where that cannot be.

    Its manifest stays until it is replaced: without it nobody could tell that the folder is ours.
    """
    from linkprior.evaluation.tuning import study

    tuned = "tune" in old["request"]  # else a study there is somebody's own
    _refuse_others(folder / MODEL, store.others_in(folder / MODEL))
    if tuned:
        _refuse_others(folder / STUDY, study.others_in(folder / STUDY))
    write_manifest(folder, {**old, "status": "incomplete"})
    for name in _names(old):
        (folder / name).unlink(missing_ok=True)
    store.remove_model(folder / MODEL)
    if tuned:
        study.remove_study(folder / STUDY)


def _names(old: Mapping[str, Any]) -> list[str]:
    """Return the files of a run, by the names we give alone: anybody may write a manifest."""
    asked = str(old["request"].get("format")).lower()  # a run cut off has not listed its files yet
    rankings = {format: f"{RANKING}.{format}" for format in FORMATS}
    ours = [n for f, n in rankings.items() if f in ("tsv", asked) or n in old["files"]]
    return [*ours, REPORT, LOG]


def _refuse_others(place: Path, others: Collection[str]) -> None:
    """Raise an error where a folder of the run is a link, or holds something of others."""
    if place.is_symlink() or (place.exists() and not place.is_dir()):
        raise StoreError(
            f"-o {place.parent}: {place.name} there is no folder of ours; remove it, or give "
            "another folder"
        )
    if others:
        raise StoreError(
            f"-o {place.parent}: {place.name} there holds {visible(min(others))}, which is not of "
            "the run; move it elsewhere, or give another folder"
        )
