"""A named network as a file here: from the data folder, from the cache, or downloaded."""

from __future__ import annotations

import dataclasses
import hashlib
import http.client
import io
import json
import lzma
import os
import re
import sys
import time
import urllib.error
import urllib.request
import zlib
from collections.abc import Callable, Iterator, Mapping
from importlib import resources
from pathlib import Path, PurePosixPath
from typing import Any, BinaryIO
from urllib.parse import urlsplit

from linkprior._validation import real_number
from linkprior._version import __version__
from linkprior.errors import InputError, LinkpriorError, ParameterError, nearest, visible
from linkprior.io.atomic_files import whole_file
from linkprior.io.source import UNPACK, packing_of

CATALOGUE_FORMAT = 1
# A packed file is hardly ever larger than the plain one; beyond this it is another file.
PACKED_FACTOR, PACKED_EXTRA = 1.5, 1_000_000
CHUNK = 1 << 16
TRIES, WAIT = 3, 1.0
LONGEST = 200  # characters of what a server says
LONGEST_SILENCE = 86_400.0  # seconds; sockets take no infinity
TRY_AGAIN = (408, 425, 429, 500, 502, 503, 504)
# A chunk of -5 bytes is a ValueError of http.client, a length beyond its integers an OverflowError.
NO_HTTP = (http.client.HTTPException, OSError, ValueError, OverflowError)

Log = Callable[[str], None]
Progress = Callable[[int, "int | None"], None]


class FetchError(LinkpriorError):
    """A network could not be brought here; the message says why and what to do."""


class UnreachableError(FetchError):
    """The host could not be reached at all, so trying its other files is pointless."""


class BrokenTransferError(FetchError):
    """The transfer ended early or fell silent; another try may do."""


@dataclasses.dataclass(frozen=True)
class Entry:
    """One network: `sha256` and `bytes` are those of its file when uncompressed.

    `file` is its path in the folder `LINKPRIOR_DATA` names. `url` is pinned to a commit, or None
    when a local copy is the only way; `address` says how the commit was found (see the docs).
    """

    name: str
    title: str
    file: str
    url: str | None
    address: str | None
    sha256: str
    bytes: int
    nodes: int
    edges: int
    licence: str
    source: str
    citation: str | None = None
    note: str | None = None

    @property
    def plain_file(self) -> str:
        """The path with the ending of a packed file taken off."""
        path = PurePosixPath(self.file)
        return str(path.with_suffix("") if path.suffix in (".gz", ".bz2", ".xz") else path)


Catalogue = Mapping[str, Entry]


def read_catalogue(path: str | Path | None = None) -> Catalogue:
    """Return the entries by name, of the catalogue that comes with linkprior or of another file."""
    if path is None:
        where = "catalogue.json"
        text = resources.files("linkprior.io").joinpath(where).read_text(encoding="utf-8")
    else:
        where = str(path)
        text = Path(path).read_text(encoding="utf-8", errors="surrogateescape")
    try:
        document = json.loads(text)
    except (ValueError, RecursionError) as problem:
        raise InputError(f"{where}: expected a catalogue in JSON, got {problem}") from None
    if not isinstance(document, dict) or document.get("format") != CATALOGUE_FORMAT:
        raise InputError(f"{where}: expected a catalogue of format {CATALOGUE_FORMAT}")
    rows = document.get("networks", [])
    if not isinstance(rows, list):
        raise InputError(f"{where}: expected a list of networks")
    entries: dict[str, Entry] = {}
    for row in rows:
        entry = _checked_entry(row, where)
        if entry.name in entries:
            raise InputError(f"{where}: {visible(entry.name)} needs a name of its own")
        entries[entry.name] = entry
    return entries


def find(name: str, catalogue: Catalogue) -> Entry:
    """Return the entry of that name, or say which names come near."""
    if name not in catalogue:
        raise ParameterError(
            f"no network is called {name!r}.{nearest(name.lower(), catalogue)} "
            "`linkprior data list` shows all names."
        )
    return catalogue[name]


def _checked_entry(row: Any, where: str) -> Entry:
    try:
        entry = Entry(**row)
    except TypeError as problem:
        reason = visible(str(problem))
        raise InputError(f"{where}: a network is not described as expected: {reason}") from None
    texts = [value for value in vars(entry).values() if isinstance(value, str)]
    inside = r"(?!(.*/)?\.\.(/|$))[\w.+-]+(/[\w.+-]+)*"
    expected = {  # every text goes to a terminal, and the path must stay in its folder
        "a name and a file, both of them text": {type(entry.name), type(entry.file)} == {str},
        "plain text without control characters": all(map(str.isprintable, texts)),
        "a url that is text or null": isinstance(entry.url, str | None),
        "a sha256 of 64 hexadecimal digits": re.fullmatch("[0-9a-f]{64}", str(entry.sha256)),
        "its uncompressed size in bytes": isinstance(entry.bytes, int) and entry.bytes >= 0,
        "a file of letters, digits, dots and dashes, inside the data folder": re.fullmatch(
            inside, str(entry.file)
        ),
    }
    for what, given in expected.items():
        if not given:
            raise InputError(f"{where}: {visible(str(entry.name))} needs {what}")
    return entry


def fetch(
    name: str,
    *,
    data: str | Path | None = None,
    cache: str | Path | None = None,
    catalogue: Catalogue | None = None,
    offline: bool | None = None,
    timeout: float = 30.0,
    log: Log | None = None,
    progress: Progress | None = None,
) -> Path:
    """Return the path of a network whose uncompressed bytes have the catalogue's sha256.

    It is looked for in `data` (default: `LINKPRIOR_DATA`), then in `cache` (default:
    `cache_folder()`), and downloaded into the cache only when neither has it. `offline`
    (default: whether `LINKPRIOR_OFFLINE` is set) forbids the last step. `log` gets what
    happens, line by line; `progress` gets the bytes received and, if known, how many come.
    """
    log = log or (lambda line: None)
    real_number("timeout", timeout, 0, LONGEST_SILENCE, high_open=False)
    entry = find(name, read_catalogue() if catalogue is None else catalogue)
    store = cache_folder() if cache is None else Path(cache)
    folder = data_folder(data)
    if folder is not None and not folder.is_dir():
        log(f"{folder} is not a folder, so no local network is found there")
    for path in _candidates(entry, folder, store):
        if path.is_file():
            try:
                with path.open("rb") as stream:
                    for _ in _checked(stream, entry):
                        pass
                return path.absolute()
            except (FetchError, OSError) as problem:
                log(f"{path} is not used: {problem}")
    if entry.url is None:
        raise FetchError(
            f"{name} has no address to download it from (source: {entry.source}): {_advice(entry)}"
        )
    if offline is None:
        setting = os.environ.get("LINKPRIOR_OFFLINE", "").strip().lower()
        offline = setting not in ("", "0", "no", "false", "off")
    if offline:
        raise FetchError(
            f"{name} is not here, and nothing is downloaded (LINKPRIOR_OFFLINE is set, or its host "
            f"was not reachable before): {_advice(entry)}"
        )
    return _into_cache(entry, entry.url, store, timeout, log, progress).absolute()


def data_folder(given: str | Path | None = None) -> Path | None:
    """Return the folder of local networks: the given one, or what `LINKPRIOR_DATA` names."""
    named = given or os.environ.get("LINKPRIOR_DATA")
    return Path(named).expanduser() if named else None


def cache_folder() -> Path:
    """Return the folder downloads are saved in, by `LINKPRIOR_CACHE` or the system's custom."""
    if given := os.environ.get("LINKPRIOR_CACHE"):
        return Path(given).expanduser()
    xdg = os.environ.get("XDG_CACHE_HOME", "")
    if os.path.isabs(xdg):
        return Path(xdg) / "linkprior"
    try:
        if sys.platform == "darwin":
            return Path.home() / "Library" / "Caches" / "linkprior"
        if sys.platform == "win32":
            local = os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local"
            return Path(local) / "linkprior"
        return Path.home() / ".cache" / "linkprior"
    except RuntimeError:
        raise FetchError("No home folder is known: set LINKPRIOR_CACHE to one") from None


def whereabouts(entry: Entry, data: Path | None, cache: Path) -> tuple[str, Path | None]:
    """Return `local`, `cached` or `not here` and the path, by existence alone: no hash is taken."""
    path = next((path for path in _candidates(entry, data, cache) if path.is_file()), None)
    if path is None:
        return "not here", None
    return ("cached" if path == _in_cache(entry, cache) else "local"), path


def _in_cache(entry: Entry, cache: Path) -> Path:
    return cache / "data" / entry.plain_file


def _candidates(entry: Entry, data: Path | None, cache: Path) -> list[Path]:
    """Return where the file may lie, in the order in which the places are tried."""
    local = [] if data is None else [data / entry.file, data / entry.plain_file]
    return list(dict.fromkeys([*local, _in_cache(entry, cache)]))


def _advice(entry: Entry) -> str:
    return f"set LINKPRIOR_DATA to a folder that holds it as {entry.file}"


def _into_cache(
    entry: Entry, url: str, cache: Path, timeout: float, log: Log, progress: Progress | None
) -> Path:
    """Download the file, check it and only then let it appear in the cache."""
    unstated = "not stated by the source; check before you redistribute"
    log(f"{entry.name}: {entry.title}")
    log(f"licence: {unstated if entry.licence == 'not stated' else entry.licence}")
    log(f"source: {entry.source}")
    if entry.citation is not None:
        log(f"cite: {entry.citation}")
    log(f"downloading {url}")
    target = _in_cache(entry, cache)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with whole_file(target) as out:
            limit = int(entry.bytes * PACKED_FACTOR) + PACKED_EXTRA
            packed = _download(url, limit, timeout, log, progress)
            out.buffer.writelines(_checked(io.BytesIO(packed), entry))
    except FetchError as problem:
        raise type(problem)(
            f"{url}: {problem}; nothing was saved. Fetch it elsewhere and {_advice(entry)}"
        ) from None
    except OSError as problem:
        raise FetchError(
            f"Cannot write {entry.bytes} bytes in {target.parent} ({problem.strerror or problem}): "
            "make room, or set LINKPRIOR_CACHE to a folder you may write in"
        ) from None
    log(f"{entry.name}: {entry.bytes} bytes, sha256 as expected, saved in {target}")
    return target


def _checked(stream: BinaryIO, entry: Entry) -> Iterator[bytes]:
    """Yield the plain bytes; raise unless there are as many as expected, with that hash."""
    seen, size = hashlib.sha256(), 0
    packing = packing_of(stream.read(10))  # by its first bytes, not its name
    stream.seek(0)
    try:
        plain = UNPACK[packing](stream) if packing in UNPACK else stream
        while chunk := plain.read(CHUNK):
            size += len(chunk)
            if size > entry.bytes:
                raise FetchError(f"expected {entry.bytes} uncompressed bytes, got more")
            seen.update(chunk)
            yield chunk
    except (EOFError, OSError, zlib.error, lzma.LZMAError, NotImplementedError) as problem:
        raise FetchError(f"it cannot be read ({problem})") from None
    if seen.hexdigest() != entry.sha256:
        raise FetchError(
            f"expected sha256 {entry.sha256}, got {seen.hexdigest()} "
            f"({size} of {entry.bytes} uncompressed bytes)"
        )


# ---------------------------------------------------------------------- one file over the network


def _download(url: str, limit: int, timeout: float, log: Log, progress: Progress | None) -> bytes:
    """Return what the address holds; a transfer that breaks is tried again, twice."""
    for attempt in range(1, TRIES):
        try:
            return _transfer(url, limit, timeout, progress)
        except BrokenTransferError as problem:
            log(f"{problem}; trying again ({attempt + 1} of {TRIES})")
            time.sleep(WAIT * attempt)
    return _transfer(url, limit, timeout, progress)


class _SameHost(urllib.request.HTTPRedirectHandler):
    """Follows redirects on one host alone: nobody else was chosen, this machine least of all."""

    def http_error_302(self, req: Any, fp: Any, code: int, msg: str, headers: Any) -> Any:
        fp.close()  # urllib would read what comes with a redirect, however much it is
        return super().http_error_302(req, fp, code, msg, headers)

    http_error_301 = http_error_303 = http_error_307 = http_error_308 = http_error_302

    def redirect_request(
        self, req: Any, fp: Any, code: int, msg: str, headers: Any, newurl: str
    ) -> Any:
        if urlsplit(newurl)[:2] != urlsplit(req.full_url)[:2]:
            raise FetchError(f"refused its redirect to another host, {_in_short(newurl)}")
        return super().redirect_request(req, fp, code, msg, headers, newurl)


def _transfer(url: str, limit: int, timeout: float, progress: Progress | None) -> bytes:
    """Return at most `limit` bytes; open https, and plain http to this machine, as tests do."""
    try:
        parts = urlsplit(url)
        here = parts.scheme == "http" and parts.hostname in ("localhost", "127.0.0.1", "::1")
        if not here and not (parts.scheme == "https" and parts.hostname):
            raise ValueError
    except ValueError:
        raise FetchError("expected an https address") from None
    proxy = urllib.request.ProxyHandler({} if here else None)
    request = urllib.request.Request(url, headers={"User-Agent": f"linkprior/{__version__}"})
    content, announced, answered = bytearray(), None, False
    try:
        opener = urllib.request.build_opener(proxy, _SameHost)
        with opener.open(request, timeout=timeout) as response:
            announced, answered = response.length, True
            if announced is not None and announced > limit:
                raise FetchError(f"more than the {limit} bytes expected are announced")
            while chunk := response.read(CHUNK):
                content += chunk
                if len(content) > limit:
                    raise FetchError(f"more than the {limit} bytes expected; stopped")
                if progress is not None:
                    progress(len(content), announced)
    except urllib.error.HTTPError as problem:
        problem.close()
        kind = BrokenTransferError if problem.code in TRY_AGAIN else FetchError
        answer = _in_short(problem.reason)
        raise kind(f"the server answered with status {problem.code} ({answer})") from None
    except NO_HTTP as problem:
        reason = getattr(problem, "reason", problem)
        answer = _in_short(getattr(reason, "strerror", None) or reason)
        silent = not answered and isinstance(problem, urllib.error.URLError | TimeoutError)
        if not silent or isinstance(reason, ConnectionResetError | BrokenPipeError):
            raise BrokenTransferError(f"the transfer broke off ({answer})") from None
        raise UnreachableError(
            f"cannot reach {parts.netloc} within {timeout:g} s ({answer}): is the machine offline?"
        ) from None
    if announced is not None and len(content) < announced:
        raise BrokenTransferError(f"the transfer broke off at {len(content)} of {announced} bytes")
    return bytes(content)


def _in_short(answer: object) -> str:
    """Return what a server says in one short line, control characters as codes."""
    line = visible(" ".join(str(answer).split()) or type(answer).__name__)
    return line if len(line) <= LONGEST else line[: LONGEST - 1] + "…"
