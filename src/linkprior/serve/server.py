"""The server: an address on this machine alone, and one loop that answers it."""

from __future__ import annotations

import errno
import logging
import os
import secrets
import socket
import threading

from linkprior.errors import LinkpriorError
from linkprior.serve.jobs import JobManager

PORT = 8421
_TRIED = 20  # ports after the usual one
_BACKLOG = 64  # connections taken from the system at a time
_LONGEST_HEADER = 1 << 14  # bytes


class Server:
    """Answers at `address` until it is stopped."""

    def __init__(self, manager: JobManager, port: int | None, limit: int) -> None:
        import uvicorn

        from linkprior.serve.app import Explorer
        from linkprior.serve.security import Guard, PatientProtocol

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
