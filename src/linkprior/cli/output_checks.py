"""Places to write to, looked at before the work begins: better now than after a long fit."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable
from itertools import permutations
from pathlib import Path

from linkprior.cli.console import format_error
from linkprior.errors import LinkpriorError
from linkprior.io.atomic_files import resolved

_LONGEST_NAME = 200  # bytes; most disks take 255, and the temporary name is longer


def check_save(save: str, inputs: Iterable[str | None] = ()) -> None:
    """Refuse a place for the model that is taken, or that holds what is read."""
    from linkprior.io.store import refuse_foreign

    if not save:
        raise LinkpriorError("--save expects the name of a folder for the model")
    target = Path(save)
    check_name(f"--save {save}", target)
    refuse_foreign(target)
    resolved(target)  # a link that leads back to itself is an error
    there = first_there(target.absolute().parent)
    if not there.is_dir():
        raise LinkpriorError(f"--save {save}: {there} is a file; give a new folder")
    check_writable(f"--save {save}", there)
    refuse_inputs_in(f"--save {save}", [target], inputs)


def check_apart(output: str | None, save: str | None, report: str | None) -> None:
    """Refuse two results in one place, and one inside another that would be spoiled by it.

    A page may lie in a run folder, and `--save` may name the run's own model.
    """
    from linkprior.pipeline.run_folder import MODEL

    own = Path(output, MODEL) if output and is_folder(output) else None
    given = {"-o": None if output == "-" else output, "--save": save, "--report": report}
    if own and report and _within(Path(report), own):
        raise LinkpriorError(f"--report {report}: lies in the run's model; give another place")
    for inner, outer in permutations(given, 2):
        one, other = given[inner], given[outer]
        if "--save" not in (inner, outer) or not (one and other):
            continue  # a page beside a list: report.check_page
        if not _within(Path(one), Path(other)):
            continue
        if own is None or outer != "-o" or (inner == "--save" and not _same(Path(one), own)):
            raise LinkpriorError(
                f"{inner} {one}: is the place of {outer} {other}, or lies in it; give two places "
                "side by side"
            )


def is_folder(output: str) -> bool:
    """Tell whether the name of an output means a run folder."""
    return output.endswith("/") or (bool(output) and Path(output).is_dir())


def _same(one: Path, other: Path) -> bool:
    return os.path.realpath(one) == os.path.realpath(other)


def _within(path: Path, place: Path) -> bool:
    """Tell whether a path is a place or lies in it, whatever links lead there."""
    return Path(os.path.realpath(path)).is_relative_to(os.path.realpath(place))


def first_there(path: Path) -> Path:
    """Return the path itself, or the nearest folder above it that exists."""
    return next(p for p in (path, *path.absolute().parents) if p.exists())


def check_writable(option: str, folder: Path) -> None:
    """Refuse a folder in which no file can be made."""
    try:
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as problem:
        why = format_error(OSError(problem.errno, problem.strerror))
        raise LinkpriorError(f"{option}: nothing can be written into {folder}: {why}") from None


def refuse_input(output: str, inputs: Iterable[str | None]) -> None:
    """Refuse to write over a file that is read."""
    for name in inputs:
        if name and Path(output).exists() and Path(name).exists() and Path(output).samefile(name):
            raise LinkpriorError(f"-o {output}: is the input {name} itself; give another name")


def refuse_inputs_in(option: str, places: Iterable[Path], inputs: Iterable[str | None]) -> None:
    """Refuse to read what lies in one of these places, which are written or removed."""
    read = [Path(name) for name in inputs if name and name != "-"]
    for place in places:
        for path in read:
            if _within(path, place):
                raise LinkpriorError(
                    f"{option}: the input {path} would be replaced or removed; copy it elsewhere, "
                    "or give another folder"
                )


def check_name(option: str, path: Path) -> None:
    """Refuse a name that leaves no room for the temporary one."""
    if len(os.fsencode(path.name)) > _LONGEST_NAME:
        raise LinkpriorError(f"{option}: the name is too long; give a shorter one")
