"""Connections that ask for nothing are closed, so that they keep nobody out."""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

WAIT = 10.0  # seconds for the whole head of a request


class PatientProtocol(H11Protocol):
    """HTTP, with an end to connections on which no request begins, or one never gets whole.

    uvicorn waits for ever for the first request and for the rest of a head; as many connections as
    it takes at a time, each with a byte or none, would keep everybody else out.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._last: object = None  # the request that was there when it was last looked at
        self._look: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to look after the connection."""
        super().connection_made(transport)
        self._look = self.loop.call_later(WAIT, self._close_idle)

    def connection_lost(self, exc: Exception | None) -> None:
        """Look no more."""
        if self._look is not None:
            self._look.cancel()
        super().connection_lost(exc)

    def _close_idle(self) -> None:
        """Close it where nothing is being answered and nothing new came since the last look."""
        answering = self.cycle is not None and not self.cycle.response_complete
        if not answering and self.cycle is self._last:
            self.transport.close()
            return
        self._last = self.cycle
        self._look = self.loop.call_later(WAIT, self._close_idle)
