"""Connections that ask for nothing make room, so that they keep nobody out.

Everybody on the machine can connect. Whoever has no token is answered at once, so a connection is
only worth keeping while a request that was let in is being answered on it.
"""

from __future__ import annotations

import asyncio
import itertools
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

from linkprior.serve.guard import LET_IN

WAIT = 10.0  # seconds for the whole head of a request
MOST = 128  # open connections; each takes a file descriptor, and some systems give 256
_births = itertools.count()


class PatientProtocol(H11Protocol):
    """HTTP, with an end to connections on which no request begins, or one never gets whole.

    uvicorn waits for ever for the first request and for the rest of a head. Where more than `MOST`
    are open, the oldest without a request under way is closed, however short it has been there.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._birth = next(_births)
        self._gone = False  # closed by us; the system hears of it a moment later
        self._last: object = None  # the request that was there when it was last looked at
        self._look: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to look after the connection."""
        super().connection_made(transport)
        self._look = self.loop.call_later(WAIT, self._close_idle)
        self._make_room()

    def connection_lost(self, exc: Exception | None) -> None:
        """Look no more."""
        if self._look is not None:
            self._look.cancel()
        super().connection_lost(exc)

    @property
    def known(self) -> bool:
        """Whether the last request had the token."""
        return self.cycle is not None and LET_IN in self.cycle.scope

    @property
    def needed(self) -> bool:
        """Whether a request that was let in is being answered, to its last byte."""
        if not self.known:
            return False  # an answer that nobody reads would be under way for ever
        return not self.cycle.response_complete or self.transport.get_write_buffer_size() > 0

    def _make_room(self) -> None:
        """Close the oldest connections beyond the most there may be, strangers' first."""
        if len(self.connections) <= MOST:
            return
        there = [one for one in self.connections if isinstance(one, PatientProtocol)]
        there = [one for one in there if not one._gone]
        idle = [one for one in there if not one.needed]
        idle.sort(key=lambda one: (one.known, one._birth))
        for one in idle[: max(0, len(there) - MOST)]:
            one._drop()

    def _drop(self) -> None:
        """Close it at once; close() would wait for somebody to read what was answered."""
        self._gone = True
        self.transport.abort()

    def _close_idle(self) -> None:
        """Close it where nothing is being answered and nothing new came since the last look."""
        if not self.needed and self.cycle is self._last:
            self._drop()
            return
        self._last = self.cycle
        self._look = self.loop.call_later(WAIT, self._close_idle)
