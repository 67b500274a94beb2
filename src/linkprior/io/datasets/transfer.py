"""One file over the network. Nothing else in linkprior downloads."""

from __future__ import annotations

import http.client
import re
import ssl
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable
from typing import IO, BinaryIO

from linkprior._version import __version__
from linkprior.errors import LinkpriorError, visible
from linkprior.io.datasets.loopback import is_loopback, leads_here

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


def persistently(attempt: Callable[[], None], tell: Callable[[str], None]) -> None:
    """Make up to three attempts while transfers break, with a short wait before each new one."""
    for failed in range(1, TRIES):
        try:
            return attempt()
        except BrokenTransferError as problem:
            tell(f"{problem}; trying again ({failed + 1} of {TRIES})")
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
    told = problem.reason if isinstance(problem, urllib.error.HTTPError) else None
    text = told or getattr(problem, "strerror", None) or str(problem) or type(problem).__name__
    return _told(str(text))


def _told(text: str) -> str:
    """Return what a server says in one short line, what a terminal would obey as its code."""
    line = visible(" ".join(text.split()))
    return line if len(line) <= LONGEST else line[: LONGEST - 1] + "…"
