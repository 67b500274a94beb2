"""Places to write to, looked at before the work begins: better now than after a long fit."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable
from pathlib import Path

from linkprior.cli.messages import in_one_line
from linkprior.errors import LinkpriorError
from linkprior.io.files import resolved

_LONGEST_NAME = 200  # bytes; most disks take 255, and the temporary name is longer


def check_save(save: str, output: str | None) -> None:
    """Refuse a place for the model that is taken, or that the ranking is meant to go to."""
    from linkprior.io.store import refuse_foreign

    if not save:
        raise LinkpriorError("--save expects the name of a folder for the model")
    target = Path(save)
    check_name(f"--save {save}", target)
    refuse_foreign(target)
    real = resolved(target)
    there = first_there(target.absolute().parent)
    if not there.is_dir():
        raise LinkpriorError(f"--save {save}: {there} is a file; give a new folder")
    check_writable(f"--save {save}", there)
    if output is None or output == "-":
        return
    if resolved(output).is_relative_to(real):
        raise LinkpriorError(
            f"-o {output}: lies in the folder of --save {save}, which holds the model and nothing "
            "else; give two places side by side"
        )


def first_there(path: Path) -> Path:
    """Return the path itself, or the nearest folder above it that exists."""
    return next(p for p in (path, *path.absolute().parents) if p.exists())


def check_writable(option: str, folder: Path) -> None:
    """Refuse a folder in which no file can be made."""
    try:
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as problem:
        why = in_one_line(OSError(problem.errno, problem.strerror))
        raise LinkpriorError(f"{option}: nothing can be written into {folder}: {why}") from None


def refuse_input(output: str, inputs: Iterable[str | None]) -> None:
    """Refuse to write over a file that is read."""
    for name in inputs:
        if name and Path(output).exists() and Path(name).exists() and Path(output).samefile(name):
            raise LinkpriorError(f"-o {output}: is the input {name} itself; give another name")


def check_name(option: str, path: Path) -> None:
    """Refuse a name that leaves no room for the temporary one."""
    if len(os.fsencode(path.name)) > _LONGEST_NAME:
        raise LinkpriorError(f"{option}: the name is too long; give a shorter one")
