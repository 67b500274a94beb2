"""The files of a server: its folder, the networks that were opened, and what browsers upload."""

from __future__ import annotations

import html
import json
import os
import re
import secrets
import shutil
import tempfile
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

from linkprior.errors import InputError, LinkpriorError
from linkprior.io.atomic_files import LOCK, hold
from linkprior.serve.process import Child, describe_exit, describe_failure

if TYPE_CHECKING:
    from starlette.requests import Request

CONTENT = {"networks", "jobs", LOCK}  # of the folder
_ID = re.compile(r"[0-9a-f]{32}")


class Workspace:
    """A folder that is one server's alone until it is closed, or its process is gone."""

    def __init__(self, folder: Path) -> None:
        self._lock = hold(folder, "explorer's folder")
        self.networks, self.jobs = folder / "networks", folder / "jobs"
        for part in (self.networks, self.jobs):
            part.mkdir(mode=0o700, exist_ok=True)
        for left in _made_by_us(self.networks):  # by a server that was killed
            shutil.rmtree(left, ignore_errors=True)

    def saved_jobs(self, most: int) -> list[Path]:
        """Return the newest `most` job folders of earlier servers, oldest first."""
        return sorted(_made_by_us(self.jobs), key=lambda one: one.stat().st_mtime)[-most:]

    def close(self) -> None:
        """Let another server have it."""
        self._lock.close()


def new_folder(parent: Path) -> Path:
    """Make a folder for a network or job; its name is also the id, which nobody can guess."""
    folder = parent / secrets.token_hex(16)
    folder.mkdir(mode=0o700)
    return folder


def _made_by_us(folder: Path) -> list[Path]:
    return [path for path in folder.iterdir() if _ID.fullmatch(path.name)]


# ---------------------------------------------------------------------- networks

_PACKED = (".gz", ".bz2", ".xz", ".zip")
_FORMATS = (".cx2", ".cx", ".json", ".graph", ".metis", ".sif")  # extensions a reader goes by
_LONGEST_NAME = 120


def display_name(given: str) -> str:
    """Return the name of an upload as it is shown: its last part, short, on one line."""
    last = re.split(r"[/\\]", given)[-1]
    name = "".join(c if c.isprintable() else "\ufffd" for c in last).strip()
    return name[-_LONGEST_NAME:] or "network"


def stored_name(given: str) -> str:
    """Return what an upload is called on the disk: nothing of its name but a known extension."""
    endings = [suffix.lower() for suffix in PurePosixPath(display_name(given)).suffixes[-2:]]
    packed = endings.pop() if endings and endings[-1] in _PACKED else ""
    kind = endings[-1] if endings and endings[-1] in _FORMATS else ".txt"
    return f"upload{kind}{packed}"


@dataclass(eq=False)
class Network:
    """A network file, and the report on it as soon as it has been read."""

    id: str
    name: str
    path: Path  # in the folder, but for a file named on the command line
    folder: Path  # removed with it
    size: int
    state: str = "reading"  # then ready or refused
    report: dict[str, Any] | None = None
    error: str | None = None
    child: Child | None = None

    def named(self, text: str) -> str:
        """Return a message with the name a user knows, not where the file lies here."""
        paths = "|".join(re.escape(path) for path in (str(self.path), self.path.name))
        return re.sub(paths, lambda _: self.name, text)

    def read(self, changed: Callable[[], None]) -> None:
        """Have a process read the file, take its report, and call changed()."""
        target = self.folder / "report.json"
        arguments = ["linkprior.serve.process", str(self.path), str(target)]
        try:
            child = self.child = Child(arguments, self.folder)
            last = next(iter(deque(child.lines(), maxlen=1)), "")
            ended = describe_exit(child.wait(), last)
            report: dict[str, Any] = {"error": f"{self.name}: reading it ended early ({ended})"}
            if target.is_file():
                report = json.loads(target.read_text(encoding="utf-8"))
        except OSError as problem:  # no process, or no room on the disk
            report = {"error": f"{self.name}: {describe_failure(problem)}"}
        if "error" in report:
            self.state, self.error = "refused", self.named(report["error"])
        else:
            report["lines"] = [self.named(line) for line in report["lines"]]
            self.report, self.state = report, "ready"
        changed()

    def facts(self) -> dict[str, Any]:
        names = ("id", "name", "size", "state", "report", "error")
        return {name: getattr(self, name) for name in names}

    def remove(self) -> None:
        if self.child is not None:
            self.child.stop()
        shutil.rmtree(self.folder, ignore_errors=True)


# ---------------------------------------------------------------------- uploads

_LONGEST_JSON = 1 << 16


class TooLargeError(LinkpriorError):
    """More was sent than is accepted."""


async def save_upload(request: Request, path: Path, limit: int) -> None:
    """Write a request's body to a file; refuse more than `limit` bytes, unread if announced."""
    too_large = TooLargeError(
        f"the file is larger than {format_size(limit)}; pack it (gzip), or start the explorer with "
        "a larger --upload-limit"
    )
    announced = request.headers.get("content-length", "0")
    if announced.isdecimal() and float(announced) > limit:  # infinity for too many digits
        raise too_large
    size = 0
    with path.open("wb") as target:
        async for piece in request.stream():
            size += len(piece)
            if size > limit:
                raise too_large
            target.write(piece)
    if not size:
        raise InputError("the file is empty; expected a network, one edge per line")


async def read_json(request: Request) -> dict[str, Any]:
    body = bytearray()
    async for piece in request.stream():
        body += piece
        if len(body) > _LONGEST_JSON:
            raise TooLargeError("more text than a form of this page sends")
    content = json_object(body)
    if content is None:
        raise InputError("expected a JSON object")
    return content


def json_object(text: str | bytes | bytearray) -> dict[str, Any] | None:
    """Return the JSON object a text holds, None where it holds something else."""
    try:
        content = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return content if isinstance(content, dict) else None


def format_size(size: float) -> str:
    """Return 200 MB, 1.5 GB."""
    for unit in ("B", "kB", "MB"):
        if size < 1000:
            return f"{size:.3g} {unit}"
        size /= 1000
    return f"{size:.3g} GB"


# ---------------------------------------------------------------------- opening a browser

_LAUNCH_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="referrer" content="no-referrer">
<meta http-equiv="refresh" content="0; url={address}">
<title>linkprior</title>
</head>
<body><a href="{address}" rel="noreferrer">To the explorer</a></body>
</html>
"""


class LaunchFile:
    """A file that leads a browser to an address, until it is removed.

    Everybody on the machine can read the command line of a browser, so the address with its token
    does not go there: the browser is given a file that its owner alone can read.
    """

    def __init__(self, folder: Path | None) -> None:
        """Name the folder it will lie in; one that others can look into is not used."""
        if folder is not None and os.name == "posix":  # elsewhere modes say little
            status = folder.stat()
            if status.st_uid != os.geteuid() or status.st_mode & 0o077:
                folder = None
        self._folder = folder
        self._path: Path | None = None

    def write(self, address: str) -> str:
        """Write the file, for its owner alone; return what a browser opens."""
        descriptor, name = tempfile.mkstemp(".html", "linkprior-open-", self._folder)  # mode 600
        self._path = Path(name)
        with os.fdopen(descriptor, "w", encoding="utf-8") as stream:
            stream.write(_LAUNCH_PAGE.format(address=html.escape(address)))
        return self._path.resolve().as_uri()

    def close(self) -> None:
        if self._path is not None:
            self._path.unlink(missing_ok=True)
