"""Where inputs lie: the corpus that is kept with the sources, and the working folder `.fuzz`.

fuzz/corpus/TARGET.txt   kept: small, one line for each input that alone reaches something
.fuzz/corpus/TARGET/     whatever was found to reach something new; the next run begins with it
.fuzz/findings/TARGET/   inputs that broke a promise, with a .txt beside each that says how
.fuzz/turns/TARGET.*     what the last turn noted
"""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from fuzz.target import Target
from linkprior.io.atomic_files import whole_file

ROOT = Path(__file__).resolve().parents[1]
KEPT = ROOT / "fuzz" / "corpus"
REGRESSIONS = ROOT / "tests" / "fuzz" / "regressions"
WORK = ROOT / ".fuzz"


def name_of(content: bytes) -> str:
    """Return the file name of an input, as libFuzzer gives it."""
    return hashlib.sha1(content, usedforsecurity=False).hexdigest()


def corpus_folder(work: Path, target: str) -> Path:
    """Return the working corpus of a target, made if need be."""
    folder = work / "corpus" / target
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def findings_folder(work: Path, target: str) -> Path:
    """Return where findings of a target go, made if need be."""
    folder = work / "findings" / target
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def turn_file(work: Path, target: str, suffix: str) -> Path:
    """Return a file of the last turn: `log` or `json`."""
    folder = work / "turns"
    folder.mkdir(parents=True, exist_ok=True)
    return folder / f"{target}.{suffix}"


def inputs_in(*folders: Path) -> list[bytes]:
    """Return the inputs that lie in some folders, in the order of their names."""
    paths = [path for folder in folders if folder.is_dir() for path in sorted(folder.iterdir())]
    return [path.read_bytes() for path in paths if path.is_file() and path.suffix != ".txt"]


def kept(target: str) -> list[bytes]:
    """Return the inputs that are kept with the sources."""
    path = KEPT / f"{target}.txt"
    return [unescaped(line) for line in path.read_text().splitlines()] if path.exists() else []


def keep(target: str, inputs: Iterable[bytes]) -> None:
    """Write the inputs that are kept, one to a line, in the order of their names."""
    KEPT.mkdir(exist_ok=True)
    lines = [escaped(content) + "\n" for content in sorted(inputs, key=name_of)]
    with whole_file(KEPT / f"{target}.txt") as stream:
        stream.write("".join(lines))


def escaped(content: bytes) -> str:
    """Return bytes as one line of plain text that people can read."""
    return content.decode("latin-1").encode("unicode_escape").decode("ascii")


def unescaped(line: str) -> bytes:
    """Return the bytes of a line."""
    return line.encode("ascii").decode("unicode_escape").encode("latin-1")


def findings_in(work: Path, target: str) -> list[Path]:
    """Return the files of findings, without what is said of them."""
    folder = findings_folder(work, target)
    return sorted(path for path in folder.iterdir() if path.suffix != ".txt")


def sow(folder: Path, inputs: Iterable[bytes]) -> None:
    """Put inputs into a corpus, each under the name of its content."""
    for content in inputs:
        path = folder / name_of(content)
        if not path.exists():
            path.write_bytes(content)


def sow_seeds(work: Path, name: str, target: Target) -> Path:
    """Return the working corpus, with the seeds and what is kept in it."""
    folder = corpus_folder(work, name)
    sow(folder, [*target.seeds(), *kept(name)])
    return folder


@contextmanager
def scratch() -> Iterator[Path]:
    """Yield an empty folder, in memory where the system has a place for that."""
    quick = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None  # noqa: S108
    with tempfile.TemporaryDirectory(prefix="fuzz-", dir=quick) as place:
        yield Path(place)
