"""A named network as a file here: from the data folder, from the cache, or downloaded."""

from __future__ import annotations

import dataclasses
import errno
import hashlib
import http.client
import ipaddress
import json
import lzma
import os
import re
import socket
import ssl
import sys
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from importlib import resources
from pathlib import Path, PurePosixPath
from typing import IO, Any, BinaryIO, cast

from linkprior._validation import real_number
from linkprior._version import __version__
from linkprior.errors import InputError, LinkpriorError, ParameterError, nearest, visible
from linkprior.io.atomic_files import whole_file
from linkprior.io.source import packing_of
from linkprior.io.unpack import UNPACK

CATALOGUE_FORMAT = 1
PACKED = (".gz", ".bz2", ".xz")
NOT_STATED = "not stated"


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
        return str(path.with_suffix("") if path.suffix in PACKED else path)


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
    return _entries(document, where)


def find(name: str, catalogue: Catalogue) -> Entry:
    """Return the entry of that name, or say which names come near."""
    if name not in catalogue:
        raise ParameterError(
            f"No network is called {name!r}.{nearest(name.lower(), catalogue)} "
            "`linkprior data list` shows all names."
        )
    return catalogue[name]


def _entries(document: Any, where: str) -> Catalogue:
    if not isinstance(document, dict) or document.get("format") != CATALOGUE_FORMAT:
        raise InputError(f"{where}: expected a catalogue of format {CATALOGUE_FORMAT}")
    rows = document.get("networks", [])
    if not isinstance(rows, list):
        raise InputError(f"{where}: expected a list of networks")
    entries: dict[str, Entry] = {}
    for row in rows:
        entry = _entry(row, where)
        if entry.name in entries:
            raise InputError(f"{where}: {entry.name} is there twice; every name must be its own")
        entries[entry.name] = entry
    return entries


def _entry(row: Any, where: str) -> Entry:
    """Return one network; every text goes to a terminal, and the path must stay in its folder."""
    try:
        entry = Entry(**row)
    except TypeError as problem:
        text = str(problem) if str(problem).isprintable() else ascii(str(problem))
        raise InputError(f"{where}: a network is not described as expected: {text}") from None
    name = entry.name
    if not (isinstance(name, str) and name.isprintable() and isinstance(entry.file, str)):
        raise InputError(f"{where}: a network needs a name and a file, both of them text")
    texts = [value for value in vars(entry).values() if isinstance(value, str)]
    if not all(map(str.isprintable, texts)) or not isinstance(entry.url, str | None):
        raise InputError(
            f"{where}: {name} is not described in plain text; take out control characters, and "
            "give its url as text or null"
        )
    if not re.fullmatch(r"[0-9a-f]{64}", str(entry.sha256)):
        raise InputError(f"{where}: {name} needs a sha256 of 64 hexadecimal digits")
    if not isinstance(entry.bytes, int) or entry.bytes < 0:
        raise InputError(f"{where}: {name} needs its uncompressed size in bytes")
    if not re.fullmatch(r"[\w.+-]+(/[\w.+-]+)*", entry.file) or ".." in entry.file.split("/"):
        raise InputError(
            f"{where}: {name} has the path {entry.file!r}; expected folders and a file name of "
            "letters, digits, dots and dashes, inside the data folder"
        )
    return entry


Log = Callable[[str], None]

# A packed file is hardly ever larger than the plain one; beyond this it is another file.
PACKED_FACTOR, PACKED_EXTRA = 1.5, 1_000_000
IN_MEMORY = 1 << 24
LONGEST_SILENCE = 86_400.0  # seconds; sockets take no infinity
UNREADABLE = (EOFError, OSError, zlib.error, lzma.LZMAError, NotImplementedError)
FULL = (errno.ENOSPC, getattr(errno, "EDQUOT", errno.ENOSPC))
NO = ("", "0", "no", "false", "off")


def _ignore(_: object) -> None:
    """Do nothing with a line of text, or with bytes."""


def fetch(
    name: str,
    *,
    data: str | Path | None = None,
    cache: str | Path | None = None,
    catalogue: Catalogue | None = None,
    offline: bool | None = None,
    timeout: float = 30.0,
    log: Log = _ignore,
    progress: Progress | None = None,
) -> Path:
    """Return the path of a network whose uncompressed bytes have the catalogue's sha256.

    It is looked for in `data` (default: `LINKPRIOR_DATA`), then in `cache` (default:
    `cache_folder()`), and downloaded into the cache only when neither has it. `offline`
    (default: whether `LINKPRIOR_OFFLINE` is set) forbids the last step. `log` gets what
    happens, line by line; `progress` gets the bytes received and, if known, how many come.
    """
    real_number("timeout", timeout, 0, LONGEST_SILENCE, high_open=False)
    entry = find(name, read_catalogue() if catalogue is None else catalogue)
    store = cache_folder() if cache is None else Path(cache)
    folder = data_folder(data)
    if folder is not None and not folder.is_dir():
        log(f"{folder} is no folder, so no local network is found there")
    for path in _candidates(entry, folder, store):
        if path.is_file() and _sound(path, entry, log):
            return path.absolute()
    if entry.url is None:
        raise FetchError(
            f"{name} has no address to download it from (source: {entry.source}): {_advice(entry)}"
        )
    asked = os.environ.get("LINKPRIOR_OFFLINE", "").strip().lower() not in NO
    if asked if offline is None else offline:
        why = "LINKPRIOR_OFFLINE is set" if offline is None else "offline"
        raise FetchError(f"{name} is not here, and nothing is downloaded ({why}): {_advice(entry)}")
    return _into_cache(entry, store, timeout, log, progress).absolute()


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
        raise FetchError("No home folder is known here: set LINKPRIOR_CACHE to one") from None


def whereabouts(entry: Entry, data: Path | None, cache: Path) -> tuple[str, Path | None]:
    """Return `local`, `cached` or `not here` and the path, by existence alone: no hash is taken."""
    kept = _in_cache(entry, cache)
    for path in _candidates(entry, data, cache):
        if path.is_file():
            return "cached" if path == kept else "local", path
    return "not here", None


def _in_cache(entry: Entry, cache: Path) -> Path:
    return cache / "data" / entry.plain_file


def _candidates(entry: Entry, data: Path | None, cache: Path) -> Iterator[Path]:
    if data is not None:
        yield from dict.fromkeys((data / entry.file, data / entry.plain_file))
    yield _in_cache(entry, cache)


def _advice(entry: Entry) -> str:
    return f"set LINKPRIOR_DATA to a folder that holds it as {entry.file}"


def _sound(path: Path, entry: Entry, log: Log) -> bool:
    """Return whether the file is the one the catalogue means, and say it when it is not."""
    try:
        with path.open("rb") as stream:
            _check(stream, entry, _ignore)
    except (FetchError, OSError) as problem:
        log(f"{path} is not used: {problem}")
        return False
    return True


def _into_cache(
    entry: Entry, cache: Path, timeout: float, log: Log, progress: Progress | None
) -> Path:
    """Download the file, check it and only then let it appear in the cache."""
    unstated = "not stated by the source; check before you redistribute"
    log(f"{entry.name}: {entry.title}")
    log(f"licence: {unstated if entry.licence == NOT_STATED else entry.licence}")
    log(f"source: {entry.source}")
    if entry.citation is not None:
        log(f"cite: {entry.citation}")
    log(f"downloading {entry.url}")
    target = _in_cache(entry, cache)

    def attempt() -> None:
        with _storing(target.parent, entry):
            target.parent.mkdir(parents=True, exist_ok=True)
            with whole_file(target) as out:
                _receive(entry, out.buffer, target.parent, timeout, progress)

    persistently(attempt, log)
    log(f"{entry.name}: {entry.bytes} bytes, sha256 as expected, saved in {target}")
    return target


def _receive(
    entry: Entry, out: BinaryIO, folder: Path, timeout: float, progress: Progress | None
) -> None:
    """Write the plain bytes to `out`. The packed ones lie beside it, in a file without a name."""
    limit = int(entry.bytes * PACKED_FACTOR) + PACKED_EXTRA
    url = cast(str, entry.url)
    with tempfile.SpooledTemporaryFile(max_size=IN_MEMORY, dir=str(folder)) as packed:
        stream = cast(BinaryIO, packed)
        try:
            download(url, stream, limit=limit, timeout=timeout, progress=progress)
        except FetchError as problem:
            raise type(problem)(f"{problem}; fetch it elsewhere and {_advice(entry)}") from None
        stream.seek(0)
        try:
            _check(stream, entry, out.write)
        except FetchError as problem:
            raise type(problem)(f"{url}: {problem}; the file was not saved") from None


def _check(stream: BinaryIO, entry: Entry, write: Callable[[bytes], object]) -> None:
    """Pass the plain bytes on and raise unless there are as many as expected, with that hash."""
    seen, size = hashlib.sha256(), 0
    for chunk in _plain_chunks(stream):
        size += len(chunk)
        if size > entry.bytes:
            raise FetchError(f"expected {entry.bytes} uncompressed bytes, got more")
        seen.update(chunk)
        write(chunk)
    if seen.hexdigest() != entry.sha256:
        raise FetchError(
            f"expected sha256 {entry.sha256}, got {seen.hexdigest()} "
            f"({size} of {entry.bytes} uncompressed bytes)"
        )


def _plain_chunks(stream: BinaryIO) -> Iterator[bytes]:
    """Yield what the stream holds, unpacked where its first bytes say so, not its name."""
    packing = packing_of(stream.read(10))
    stream.seek(0)
    try:
        plain = UNPACK[packing](stream) if packing in UNPACK else stream
        while chunk := plain.read(CHUNK):
            yield chunk
    except UNREADABLE as problem:
        raise BrokenTransferError(f"it cannot be read ({problem})") from None


@contextmanager
def _storing(folder: Path, entry: Entry) -> Iterator[None]:
    """Turn what the file system says into what to do about it."""
    try:
        yield
    except OSError as problem:
        if problem.errno in FULL:
            raise FetchError(
                f"No room for {entry.bytes} bytes in {folder}: free some, or set LINKPRIOR_CACHE "
                "to another folder"
            ) from None
        raise FetchError(
            f"Cannot write in {folder} ({problem.strerror or problem}): set LINKPRIOR_CACHE to a "
            "folder you may write in"
        ) from None


# ---------------------------------------------------------------------- one file over the network

_NAMES = ("localhost", "localhost.localdomain", "ip6-localhost", "ip6-loopback")


def is_loopback(host: str | None) -> bool:
    """True of addresses that never leave this machine."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host or "").is_loopback
    except ValueError:
        return False


def leads_here(name: str) -> bool:
    """True of every way to write this machine that the system would understand.

    More than is sure to stay here: ``a.localhost`` is looked up as any name on some systems.
    """
    host = urllib.parse.unquote(name).rstrip(".").lower()  # urllib unquotes it, too
    if host in _NAMES or host.endswith(".localhost"):
        return True
    address = _address(host)
    mapped = getattr(address, "ipv4_mapped", None) or address
    return mapped is not None and (mapped.is_loopback or mapped.is_unspecified)


def _address(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    """Return the address a host is written as, 127.1 and 0x7f000001 too; None of a name."""
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        pass
    try:
        return ipaddress.IPv4Address(socket.inet_aton(host))
    except (OSError, ValueError):
        return None


CHUNK = 1 << 16
TRIES = 3
WAIT = 1.0
LONGEST = 200  # characters of what a server says
GONE = (404, 410)
TRY_AGAIN = (408, 425, 429, 500, 502, 503, 504)
# A chunk of -5 bytes is a ValueError of http.client, a length beyond its integers an OverflowError.
NO_HTTP = (http.client.HTTPException, OSError, ValueError, OverflowError)

Progress = Callable[[int, "int | None"], None]


class FetchError(LinkpriorError):
    """A network could not be brought here; the message says why and what to do."""


class UnreachableError(FetchError):
    """The host could not be reached at all, so trying its other files is pointless."""


class BrokenTransferError(FetchError):
    """The transfer ended early or fell silent; another try may do."""


def download(
    url: str, out: BinaryIO, *, limit: int, timeout: float, progress: Progress | None = None
) -> None:
    """Write what the address holds to `out`, at most `limit` bytes of it or nothing is accepted."""
    check_address(url)
    with _open(url, timeout) as response:
        declared = _declared_length(response)
        if declared is not None and declared > limit:
            raise FetchError(f"{url}: {declared} bytes announced, at most {limit} expected")
        done = 0
        while chunk := _read(response, url, timeout):
            done += len(chunk)
            if done > limit:
                raise FetchError(f"{url}: more than the {limit} bytes expected; given up")
            out.write(chunk)
            if progress is not None:
                progress(done, declared)
    if declared is not None and done < declared:
        raise BrokenTransferError(f"{url}: the transfer broke off at {done} of {declared} bytes")


def persistently(attempt: Callable[[], None], log: Callable[[str], None]) -> None:
    """Make up to three attempts while transfers break, with a short wait before each new one."""
    for failed in range(1, TRIES):
        try:
            return attempt()
        except BrokenTransferError as problem:
            log(f"{problem}; trying again ({failed + 1} of {TRIES})")
            time.sleep(WAIT * failed)
    return attempt()


def check_address(url: str, *, loopback: bool = True) -> None:
    """Accept https, and plain http to this very machine, which is what tests use.

    Without `loopback`, neither may lead back to this machine.
    """
    try:
        parts = urllib.parse.urlsplit(url)
        if (
            parts.scheme == "https"
            and parts.hostname
            and (loopback or not leads_here(parts.hostname))
        ):
            return
        if loopback and parts.scheme == "http" and is_loopback(parts.hostname):
            return
    except ValueError:
        pass  # what cannot be taken apart is refused like the rest
    raise FetchError(f"{visible(url)}: expected an https address; nothing was downloaded")


class _CheckedRedirect(urllib.request.HTTPRedirectHandler):
    """Follows redirects that pass `check_address`; from elsewhere never to this machine."""

    def http_error_302(
        self,
        req: urllib.request.Request,
        fp: IO[bytes],
        code: int,
        msg: str,
        headers: http.client.HTTPMessage,
    ) -> IO[bytes] | None:
        target = headers.get("location")
        if target is None:
            return None  # urllib would follow `URI`, a header of long ago
        here = is_loopback(urllib.parse.urlsplit(req.full_url).hostname)
        try:
            check_address(urllib.parse.urljoin(req.full_url, target), loopback=here)
        except (FetchError, ValueError):
            fp.close()
            raise FetchError(f"{req.full_url}: refused its redirect to {_told(target)}") from None
        fp.close()  # urllib would read what comes with a redirect, however much it is
        return super().http_error_302(req, fp, code, msg, headers)

    http_error_301 = http_error_303 = http_error_307 = http_error_308 = http_error_302


def _opener(url: str) -> urllib.request.OpenerDirector:
    """An opener for http and https alone: the usual one also reads file:, ftp: and data:."""
    opener = urllib.request.OpenerDirector()
    here = is_loopback(urllib.parse.urlsplit(url).hostname)
    for handler in (
        urllib.request.ProxyHandler({} if here else None),
        urllib.request.UnknownHandler(),
        urllib.request.HTTPHandler(),
        urllib.request.HTTPSHandler(),
        urllib.request.HTTPDefaultErrorHandler(),
        urllib.request.HTTPErrorProcessor(),
        _CheckedRedirect(),
    ):
        opener.add_handler(handler)
    return opener


def _open(url: str, timeout: float) -> http.client.HTTPResponse:
    headers = {"User-Agent": f"linkprior/{__version__}", "Accept-Encoding": "identity"}
    request = urllib.request.Request(url, headers=headers)
    host = urllib.parse.urlsplit(url).netloc
    try:
        response: http.client.HTTPResponse = _opener(url).open(request, timeout=timeout)
    except urllib.error.HTTPError as problem:
        problem.close()
        raise _refused(url, problem) from None
    except urllib.error.URLError as problem:
        raise _unreachable(host, problem.reason, timeout) from None
    except TimeoutError as problem:
        raise _unreachable(host, problem, timeout) from None
    except NO_HTTP as problem:
        raise _broken(url, problem) from None
    return response


def _read(response: http.client.HTTPResponse, url: str, timeout: float) -> bytes:
    try:
        return response.read(CHUNK)
    except TimeoutError:
        raise BrokenTransferError(f"{url}: silent for {timeout:g} s") from None
    except NO_HTTP as problem:
        raise _broken(url, problem) from None


def _declared_length(response: http.client.HTTPResponse) -> int | None:
    """Return the bytes announced; of a number beyond all limits, its first twenty digits."""
    declared = response.headers.get("Content-Length", "")
    return int(declared.lstrip("0")[:20] or "0") if re.fullmatch("[0-9]+", declared) else None


def _broken(url: str, problem: Exception) -> BrokenTransferError:
    return BrokenTransferError(f"{url}: the transfer broke off ({_reason(problem)})")


def _refused(url: str, problem: urllib.error.HTTPError) -> FetchError:
    if problem.code in GONE:
        return FetchError(f"{url}: there is no such file any more (status {problem.code})")
    if str(problem.reason).startswith(urllib.request.HTTPRedirectHandler.inf_msg):
        return FetchError(f"{url}: its redirects lead from one to the next without end")
    kind = BrokenTransferError if problem.code in TRY_AGAIN else FetchError
    return kind(f"{url}: the server answered with status {problem.code} ({_reason(problem)})")


def _unreachable(host: str, reason: object, timeout: float) -> FetchError:
    if isinstance(reason, TimeoutError):
        return UnreachableError(f"{host} did not answer within {timeout:g} s")
    if isinstance(reason, ssl.SSLError):
        return UnreachableError(f"no secure connection to {host} ({_reason(reason)})")
    if isinstance(reason, ConnectionResetError | BrokenPipeError):
        return BrokenTransferError(f"{host}: the connection broke off ({_reason(reason)})")
    return UnreachableError(f"cannot reach {host} ({_reason(reason)}): the machine seems offline")


def _reason(problem: object) -> str:
    """What went wrong in one line."""
    reason = problem.reason if isinstance(problem, urllib.error.HTTPError) else None
    text = reason or getattr(problem, "strerror", None) or str(problem) or type(problem).__name__
    return _told(str(text))


def _told(text: str) -> str:
    """Return what a server says in one short line, what a terminal would obey as its code."""
    line = visible(" ".join(text.split()))
    return line if len(line) <= LONGEST else line[: LONGEST - 1] + "…"
