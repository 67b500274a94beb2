"""Where results go: paths checked before the work begins, and errors that name them.

Nothing heavy is imported here: the command line loads it for every command.
"""

from __future__ import annotations

import contextlib
import errno
import os
import tempfile
from collections.abc import Iterable, Iterator
from itertools import permutations
from pathlib import Path

from linkprior.errors import LinkpriorError
from linkprior.io.atomic_files import resolved
from linkprior.io.store import refuse_odd

# What the system reports → what that means, and what to do.
_TROUBLE = {
    errno.ENOSPC: "the disk is full; free some space, or choose another path",
    errno.EDQUOT: "your disk quota is used up; free some space, or choose another path",
    errno.EFBIG: "the file exceeds the size limit; ask for less, or choose another path",
    errno.EACCES: "no permission; choose another path, or ask its owner",
    errno.EPERM: "no permission; choose another path, or ask its owner",
    errno.EROFS: "the disk is read-only; choose another path",
    errno.EISDIR: "is a folder; give the name of a file",
    errno.ENOTDIR: "part of the path is a file, not a folder; check the path",
    errno.EEXIST: "the name is taken by something that is not a folder; choose another path",
    errno.ENOENT: "there is no such file or folder; check the path",
    errno.ENAMETOOLONG: "the name is too long; give a shorter one",
    errno.ELOOP: "the link leads back to itself; give the file",
    errno.EMFILE: "too many files are open; raise the limit (ulimit -n)",
    errno.EIO: "the disk reports an error; check it, or choose another path",
}
NO_THREAD = "can't start new thread"  # Python's own message
NO_REASON = "without setting an exception"  # Python's, where even the error found no memory

MODEL = "model"  # the folder of the fitted model in a run folder

_LONGEST_NAME = 200  # bytes; most disks allow 255, and the temporary name is longer
_UNWRITTEN = {
    **dict.fromkeys((".xlsx", ".xls", ".ods"), "a spreadsheet opens .csv"),
    ".json": "programs read .jsonl, one object per line",
    ".html": "see linkprior formats for what is",
    ".parquet": "see linkprior formats for what is",
}


def format_error(problem: BaseException) -> str:
    """Return what is wrong, where, and what to do; else the system's own message."""
    if isinstance(problem, OSError) and problem.errno in _TROUBLE:
        name = problem.filename
        where = os.fsdecode(name) if isinstance(name, str | bytes) else str(name)
        start = "" if name is None else f"{where}: "
        return f"{start}{_TROUBLE[problem.errno]} ({os.strerror(problem.errno)})"
    if isinstance(problem, RuntimeError) and str(problem) == NO_THREAD:
        return "no thread can be started: memory or processes are limited (ulimit -v, ulimit -u)"
    if isinstance(problem, SystemError) and NO_REASON in str(problem):
        return (
            "out of memory, most likely: a library failed and could not say why; ask for less, or "
            "see where (linkprior --debug …)"
        )
    return str(problem) or ("out of memory" if isinstance(problem, MemoryError) else repr(problem))


@contextlib.contextmanager
def writing_to(name: str | Path) -> Iterator[None]:
    """Let an error of the file system name what is written, not a temporary file or nothing."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as problem:
        named = OSError(problem.errno, problem.strerror, str(name)) if problem.errno else problem
        raise LinkpriorError(format_error(named)) from problem


def is_folder(output: str) -> bool:
    """Return whether the name of an output means a run folder."""
    return output.endswith("/") or (bool(output) and Path(output).is_dir())


def check_output(output: str, format_given: bool, inputs: Iterable[str | None]) -> Path:
    """Return the file of a list; refuse a name under which none can or should be written."""
    path = Path(output)
    if not output:
        raise LinkpriorError("-o expects the name of a file or, with a slash at its end, folder")
    for name in inputs:
        if name and path.exists() and Path(name).exists() and path.samefile(name):
            raise LinkpriorError(f"-o {output}: is the input {name} itself; give another name")
    if not path.parent.is_dir():
        raise LinkpriorError(f"-o {output}: there is no folder {path.parent}; create it first")
    suffix = path.suffix.lower()
    if suffix in _UNWRITTEN and not format_given:
        raise LinkpriorError(f"-o {output}: {suffix} is not written; {_UNWRITTEN[suffix]}")
    if suffix in (".gz", ".bz2", ".xz", ".zip"):
        raise LinkpriorError(
            f"-o {output}: results are written unpacked; leave out {path.suffix}, or pipe "
            "standard output through gzip"
        )
    check_name(f"-o {output}", path)
    if path.is_file() or not path.exists():  # a pipe or device is written in place
        check_writable(f"-o {output}", resolved(path).parent)
    return path


def check_save(save: str, inputs: Iterable[str | None] = ()) -> None:
    """Refuse a path for the model that is taken, or that holds what is read."""
    from linkprior.io.store import refuse_foreign

    if not save:
        raise LinkpriorError("--save expects the name of a folder for the model")
    target = Path(save)
    check_name(f"--save {save}", target)
    refuse_foreign(target)
    resolved(target)  # a link that leads back to itself is an error
    check_place(f"--save {save}", target.absolute().parent)
    refuse_inputs_in(f"--save {save}", [target], inputs)


def check_apart(output: str | None, save: str | None, report: str | None) -> None:
    """Refuse two results in one place, and one inside another that would be spoiled by it.

    A page may lie in a run folder, and `--save` may name the run's own model.
    """
    run_model = Path(output, MODEL) if output and is_folder(output) else None
    given = {"-o": None if output == "-" else output, "--save": save, "--report": report}
    if run_model and report and _within(Path(report), run_model):
        raise LinkpriorError(f"--report {report}: is inside the run's model; give another path")
    for inner, outer in permutations(given, 2):
        one, other = given[inner], given[outer]
        if "--save" not in (inner, outer) or not (one and other):
            continue  # a page next to a list: check_page
        if not _within(Path(one), Path(other)):
            continue
        same = run_model and os.path.realpath(one) == os.path.realpath(run_model)
        if run_model is None or outer != "-o" or (inner == "--save" and not same):
            raise LinkpriorError(
                f"{inner} {one}: is {outer} {other} or is inside it; give two separate paths"
            )


def check_folder(output: str) -> None:
    """Refuse a folder in which no results can be stored."""
    if not output:
        raise LinkpriorError("-o expects the name of a folder")
    check_name(f"-o {output}", Path(output))
    check_place(f"-o {output}", Path(output))


def check_page(
    option: str, target: Path, others: Iterable[str | None] = (), made: Iterable[Path] = ()
) -> None:
    """Refuse a page that cannot be written, or that would replace one of `others`, before work.

    `made` are folders that the command itself will make, so that the page may lie there.
    """
    if target.suffix.lower() not in (".html", ".htm"):
        raise LinkpriorError(f"{option} {target}: a page ends in .html")
    if target.is_dir():
        raise LinkpriorError(f"{option} {target}: is a folder; give the name of a file")
    refuse_odd(target.parent, [target.name])
    for name in others:
        if name and name != "-" and resolved(name) == resolved(target):
            raise LinkpriorError(f"{option} {target}: {name} is read or written too; rename one")
    check_name(f"{option} {target}", target)
    there = resolved(target).parent
    if not there.is_dir() and there not in [resolved(folder) for folder in made]:
        raise LinkpriorError(f"{option} {target}: there is no folder {target.parent}")
    check_writable(f"{option} {target}", first_there(there))


def first_there(path: Path) -> Path:
    """Return the path itself, or the nearest folder above it that exists."""
    return next(p for p in (path, *path.absolute().parents) if p.exists())


def check_place(option: str, folder: Path) -> None:
    """Refuse a folder that cannot be made, or in which no file can be."""
    there = first_there(folder)
    if not there.is_dir():
        raise LinkpriorError(f"{option}: {there} is a file; give a new folder")
    check_writable(option, there)


def check_writable(option: str, folder: Path) -> None:
    """Refuse a folder in which no file can be made."""
    try:
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as problem:
        why = format_error(OSError(problem.errno, problem.strerror))
        raise LinkpriorError(f"{option}: nothing can be written into {folder}: {why}") from None


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


def _within(path: Path, place: Path) -> bool:
    """Return whether a path is a place or lies in it, whatever links lead there."""
    return Path(os.path.realpath(path)).is_relative_to(os.path.realpath(place))
