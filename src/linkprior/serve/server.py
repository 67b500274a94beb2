"""The server: an address on this machine alone, one loop that answers it, and who may ask.

Other programs on the machine can reach a port of 127.0.0.1, and so can any web page a browser
shows. A random token in the address keeps both out. Host is compared, as a foreign name may be made
to lead to 127.0.0.1 (DNS rebinding). Whatever changes something must name our own page as its
Origin: every browser sends it with fetch, and no foreign page can forge it. Connections that ask
for nothing make room for others.
"""

from __future__ import annotations

import asyncio
import errno
import hmac
import itertools
import logging
import os
import secrets
import socket
import threading
from typing import Any

import uvicorn
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

from linkprior.errors import LinkpriorError
from linkprior.serve.app import Explorer
from linkprior.serve.jobs import JobManager

PORT = 8421
_TRIED = 20  # ports after the usual one
_BACKLOG = 64  # connections taken from the system at a time
_LONGEST_HEADER = 1 << 14  # bytes


class Server:
    """Answers at `address` until it is stopped."""

    def __init__(self, manager: JobManager, port: int | None, limit: int) -> None:
        self._socket = _bound(port)
        self.port: int = self._socket.getsockname()[1]
        token = secrets.token_urlsafe(24)
        self.address = f"http://127.0.0.1:{self.port}/{token}/"
        self._manager = manager
        config = uvicorn.Config(
            Guard(Explorer(manager, limit).app(), token, self.port),
            loop="asyncio",
            http=PatientProtocol,
            ws="none",
            lifespan="off",
            log_config=None,
            log_level="error",
            access_log=False,
            server_header=False,
            proxy_headers=False,
            backlog=_BACKLOG,
            h11_max_incomplete_event_size=_LONGEST_HEADER,
            timeout_graceful_shutdown=1,
        )
        self._server = uvicorn.Server(config)
        self._over = threading.Event()

    def run(self) -> None:
        """Answer until stop(); then end all jobs."""

        def before_the_end(_: logging.LogRecord) -> bool:
            return not self._manager.closed.is_set()  # uploads cut off by the end are no news

        logger = logging.getLogger("uvicorn.error")
        logger.addFilter(before_the_end)
        try:
            self._server.run(sockets=[self._socket])
        finally:
            logger.removeFilter(before_the_end)
            self._socket.close()
            self._manager.close()
            self._over.set()

    def stop(self, seconds: float = 10.0) -> None:
        """End it, from whichever thread; returns when all is over, or after so many seconds."""
        self._manager.closed.set()  # those who watch are let go
        self._server.should_exit = True
        self._over.wait(seconds)


def _bound(port: int | None) -> socket.socket:
    """Return a socket at this port (0: any) of 127.0.0.1; None: the usual one or one after it."""
    if port is not None:
        return _at(port)
    for near in range(PORT, PORT + _TRIED):
        try:
            return _at(near)
        except LinkpriorError:
            continue
    return _at(0)


def _at(port: int) -> socket.socket:
    made = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        if os.name == "posix":  # elsewhere it would let two servers share a port
            made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind(("127.0.0.1", port))
        made.listen(_BACKLOG)
    except OSError as problem:
        made.close()
        if problem.errno == errno.EADDRINUSE:
            raise LinkpriorError(
                f"port {port} is in use, perhaps by another linkprior serve; give another --port, "
                "or --port 0 for any free one"
            ) from None
        if problem.errno in (errno.EACCES, errno.EPERM):
            raise LinkpriorError(
                f"port {port} is not open to you; give a --port of 1024 or more"
            ) from None
        raise
    return made


# ---------------------------------------------------------------------- who may ask

MOST_REQUESTS = 64  # being answered
_ADMITTED = "linkprior.admitted"  # in the scope of a request that had the token
_HEADERS = {
    b"content-security-policy": b"default-src 'none'; base-uri 'none'; form-action 'none'; "
    b"frame-ancestors 'none'",
    b"x-content-type-options": b"nosniff",
    b"x-frame-options": b"DENY",
    b"referrer-policy": b"no-referrer",
    b"cross-origin-opener-policy": b"same-origin",
    b"cross-origin-resource-policy": b"same-origin",
    b"cache-control": b"no-store",
}


class Guard:
    """Lets requests with the token, host and origin of this server through to an app."""

    def __init__(self, app: ASGIApp, token: str, port: int) -> None:
        self._app, self._token, self._port = app, token, port
        ending = "" if port == 80 else f":{port}"  # browsers leave out the usual one
        self._hosts = {f"{name}{ending}".encode() for name in ("127.0.0.1", "localhost")}
        self._under_way = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                named = {name.lower() for name, _ in message["headers"]}
                more = [one for one in _HEADERS.items() if one[0] not in named]
                message = {**message, "headers": [*message["headers"], *more]}
            await send(message)

        refusal = self._refusal(scope)
        if refusal is not None:
            status, text = refusal
            await PlainTextResponse(text, status)(scope, receive, with_headers)
            return
        scope[_ADMITTED] = True
        self._under_way += 1
        try:
            await self._app({**scope, "root_path": f"/{self._token}"}, receive, with_headers)
        finally:
            self._under_way -= 1

    def _refusal(self, scope: Scope) -> tuple[int, str] | None:
        """Return status and text for a request that is not let through."""
        hosts, origins = (
            [value for key, value in scope["headers"] if key == name]
            for name in (b"host", b"origin")
        )
        if len(hosts) != 1 or hosts[0] not in self._hosts:
            return 421, (
                f"Ask for 127.0.0.1:{self._port} or localhost:{self._port}; through a tunnel, use "
                f"this port on both sides: ssh -L {self._port}:127.0.0.1:{self._port}\n"
            )
        first = scope["path"].encode("utf-8", "surrogateescape").split(b"/", 2)[1:2]
        if not first or not hmac.compare_digest(first[0], self._token.encode()):
            return 404, "Not found\n"
        if any(origin != b"http://" + hosts[0] for origin in origins):
            return 403, "Another page asks\n"
        if scope["method"] not in ("GET", "HEAD") and len(origins) != 1:
            return 403, "Changes are made from the explorer's own page (no Origin was sent)\n"
        if self._under_way >= MOST_REQUESTS:  # checked last: only who has the token is counted
            return 503, f"{MOST_REQUESTS} requests are being answered; close some of the tabs\n"
        return None


WAIT = 10.0  # seconds for the whole head of a request
MOST_CONNECTIONS = 128  # each takes a file descriptor, and some systems give 256


class PatientProtocol(H11Protocol):
    """HTTP, with an end to connections on which no request begins, or one never gets whole.

    Everybody on the machine can connect, and uvicorn waits for ever for the first request and for
    the rest of a head (its timeout is for connections kept alive after an answer); beyond its
    `limit_concurrency` it refuses the newcomer, which is what somebody who opens silent connections
    wants. Here the oldest connection without a request of ours under way is closed instead.
    """

    _numbers = itertools.count()

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._age = next(self._numbers)
        self._dropped = False  # by us; the system hears of it a moment later
        self._last_request: object = None  # at the last look
        self._timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to look after the connection, and make room for it."""
        super().connection_made(transport)
        self._timer = self.loop.call_later(WAIT, self._close_idle)
        if len(self.connections) <= MOST_CONNECTIONS:
            return
        others = [one for one in self.connections if isinstance(one, PatientProtocol)]
        others = [one for one in others if not one._dropped]
        idle = [one for one in others if not one._busy]
        idle.sort(key=lambda one: (one._admitted, one._age))  # strangers first, then the oldest
        for one in idle[: max(0, len(others) - MOST_CONNECTIONS)]:
            one._drop()

    def connection_lost(self, exc: Exception | None) -> None:
        if self._timer is not None:
            self._timer.cancel()
        super().connection_lost(exc)

    @property
    def _admitted(self) -> bool:
        """Whether the last request had the token."""
        return self.cycle is not None and _ADMITTED in self.cycle.scope

    @property
    def _busy(self) -> bool:
        """Whether a request that had the token is being answered, to its last byte."""
        if not self._admitted:
            return False  # an answer that nobody reads would be under way for ever
        return not self.cycle.response_complete or self.transport.get_write_buffer_size() > 0

    def _drop(self) -> None:
        """Close it at once; close() would wait for somebody to read what was answered."""
        self._dropped = True
        self.transport.abort()

    def _close_idle(self) -> None:
        """Close it where nothing is being answered and nothing new came since the last look."""
        if not self._busy and self.cycle is self._last_request:
            self._drop()
            return
        self._last_request = self.cycle
        self._timer = self.loop.call_later(WAIT, self._close_idle)
