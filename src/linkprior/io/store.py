"""Saved models: arrays in safetensors, everything else in a JSON manifest; never pickle.

A folder appears whole or not at all: it is written under a temporary name and renamed.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import stat
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from linkprior.errors import StoreError, visible
from linkprior.io import atomic_files
from linkprior.io.atomic_files import (
    begin_private,
    keep_mode,
    remove_folder,
    resolved,
    whole_folder,
)
from linkprior.io.source import as_path

if TYPE_CHECKING:
    from numpy.typing import NDArray

MOST_TEXT = 500_000_000  # bytes of JSON or a log; the names of ten million nodes take half of it
# A pipe does not make us wait, and a terminal does not become ours.
_LOOK = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0)
_LOOK |= getattr(os, "O_BINARY", 0)


def stored_text(path: Path, errors: str = "strict") -> str:
    """Return the text of a file that a command stored; refuse all but plain, bounded files."""
    text = stored_bytes(path, MOST_TEXT).decode("utf-8", errors)
    return text.replace("\r\n", "\n").replace("\r", "\n")


def stored_bytes(path: Path, most: int | None = MOST_TEXT) -> bytes:
    """Return the content of a file that a command stored, of at most `most` bytes if given."""
    with stored_stream(path) as stream:
        size = os.fstat(stream.fileno()).st_size
        if most is not None and size > most:
            raise StoreError(
                f"{path} is larger than {most / 1e6:,.0f} MB, which no command of linkprior "
                "writes; check where it comes from"
            )
        return stream.read(size)


@contextmanager
def stored_stream(path: Path) -> Iterator[BinaryIO]:
    """Open a file that a command stored; refuse a pipe, a device or a folder in its place."""
    try:
        descriptor = os.open(path, _LOOK)
    except OSError as problem:
        raise _odd(path) if problem.errno == errno.ENXIO else problem from None  # a socket
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise _odd(path)
        with open(descriptor, "rb", closefd=False) as stream:
            yield stream
    finally:
        os.close(descriptor)


def refuse_odd(folder: Path, names: Iterable[str]) -> None:
    """Raise an error, before the work, where one of our files is replaced by something else."""
    for path in (folder / name for name in names):
        if path.is_symlink() and not resolved(path).parent.is_dir():
            raise StoreError(f"{path} is a broken link; remove it")
        if path.exists() and not path.is_file():
            raise _odd(path)


def _odd(path: Path) -> StoreError:
    return StoreError(f"{path} is not a plain file; remove it, or choose another path")


MANIFEST = "manifest.json"
ARRAYS = "arrays.safetensors"
FORMAT = "linkprior-model"
FORMAT_VERSION = 1


def write_model(
    folder: str | Path, manifest: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]
) -> None:
    """Write a model folder, replacing an earlier model of the same name only when all is there."""
    import numpy as np
    from safetensors.numpy import save

    target = Path(folder)
    refuse_foreign(target)
    data = save({name: np.ascontiguousarray(a) for name, a in arrays.items()})
    full = {
        "format": FORMAT,
        "format_version": FORMAT_VERSION,
        **manifest,
        "arrays_sha256": hashlib.sha256(data).hexdigest(),
    }
    full["manifest_sha256"] = _digest(full)
    target.parent.mkdir(parents=True, exist_ok=True)
    with whole_folder(target, _swap) as fresh:
        for name, content in ((ARRAYS, data), (MANIFEST, json.dumps(full, indent=1).encode())):
            path, before = fresh / name, target / name
            begin_private(path, before)  # as private as the file of an earlier model is
            with path.open("wb") as stream:
                keep_mode(path, before)
                stream.write(content)
                stream.flush()
                os.fsync(stream.fileno())


def read_model(folder: str | Path) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """Read a model folder back; refuse what is incomplete, damaged, or of a newer version."""
    from safetensors import SafetensorError
    from safetensors.numpy import load

    source = as_path(folder)
    try:
        manifest = json.loads(stored_text(source / MANIFEST))
        data = stored_bytes(source / ARRAYS, most=None)
    except StoreError:
        raise
    except FileNotFoundError as missing:
        raise StoreError(
            f"{source} is not a saved model: no {Path(missing.filename).name}"
        ) from None
    except (OSError, ValueError, RecursionError) as problem:
        raise StoreError(f"{source / MANIFEST} cannot be read: {problem}") from None
    if not isinstance(manifest, dict) or manifest.get("format") != FORMAT:
        raise StoreError(f"{source / MANIFEST} is not the manifest of a linkprior model")
    if manifest.get("format_version") != FORMAT_VERSION:
        raise StoreError(
            f"{source} has format version {manifest.get('format_version')!r}, this linkprior reads "
            f"version {FORMAT_VERSION}: use the version that wrote it, or fit again"
        )
    if manifest.pop("manifest_sha256", None) != _digest(manifest):
        raise StoreError(f"{source / MANIFEST} is damaged or was edited: its checksum differs")
    if hashlib.sha256(data).hexdigest() != manifest.get("arrays_sha256"):
        raise StoreError(f"{source / ARRAYS} is damaged: its checksum differs from the manifest's")
    try:
        return manifest, load(data)
    except SafetensorError as problem:  # its words quote the header
        raise StoreError(f"{source / ARRAYS} cannot be read: {visible(str(problem))}") from None
    except LookupError as kind:
        raise StoreError(
            f"{source / ARRAYS} holds numbers of the kind {kind}, which no model has; fit it again"
        ) from None


def refuse_foreign(target: Path) -> None:
    """Raise an error unless a model may be written here: nothing there, or only a model."""
    if not target.exists() and not target.is_symlink():
        return
    refuse_odd(target, (MANIFEST, ARRAYS))
    inside = {entry.name for entry in target.iterdir()} if target.is_dir() else {target.name}
    ours = inside in (set(), {MANIFEST, ARRAYS})
    if ours and inside:
        try:
            content = json.loads(stored_text(target / MANIFEST))
            ours = isinstance(content, dict) and content.get("format") == FORMAT
        except (OSError, ValueError, RecursionError):
            ours = False
    if not ours:
        raise StoreError(f"{target} exists and is not a saved model: choose another folder")


def discard_damaged(folder: Path) -> None:
    """Remove what is left of a model that cannot be read, if its folder holds nothing else."""
    if not folder.is_symlink() and folder.is_dir() and not others_in(folder):
        remove_folder(folder)


def others_in(folder: Path) -> set[str]:
    """Return the names of what lies in the folder of a model and is not of it."""
    inside = folder.iterdir() if folder.is_dir() else ()
    return {
        one.name
        for one in inside
        if one.name not in (MANIFEST, ARRAYS) or (one.is_dir() and not one.is_symlink())
    }


def remove_model(folder: Path) -> None:
    """Remove a model, and nothing else; an error where that cannot be."""
    if not folder.is_dir():
        return
    folder.chmod(folder.stat().st_mode | stat.S_IRWXU)  # it may be read-only
    for name in (MANIFEST, ARRAYS):
        (folder / name).unlink(missing_ok=True)
    folder.rmdir()


def _digest(manifest: Mapping[str, Any]) -> str:
    """SHA-256 of the manifest's content, whatever its layout in the file."""
    return hashlib.sha256(json.dumps(manifest, sort_keys=True).encode()).hexdigest()


def _swap(fresh: Path, target: Path) -> None:
    """Put the fresh folder in the place of the old one, in one step where the system can."""
    if not target.exists():
        fresh.rename(target)
        return
    if atomic_files.exchange(fresh, target):
        return  # the old one has the temporary name now, and is removed
    old = fresh.with_suffix(".old")
    target.rename(old)
    try:
        fresh.rename(target)
    except OSError:
        old.rename(target)
        raise
    remove_folder(old)
