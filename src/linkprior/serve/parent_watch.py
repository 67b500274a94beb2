"""No process outlives the server: each ends when its standard input closes.

A pipe closes with the process that holds its other end, however that one ends, on every system.
"""

from __future__ import annotations

import os
import signal
import threading
import time

_GRACE = 5.0  # seconds to tidy up


def hold() -> None:
    """End this process, as by a signal to end, once nobody holds its standard input open."""
    threading.Thread(target=_watch, name="leash", daemon=True).start()


def _watch() -> None:
    while os.read(0, 4096):  # not through sys.stdin, whose lock a daemon thread may not hold
        pass
    signal.raise_signal(signal.SIGTERM)
    time.sleep(_GRACE)
    os._exit(143)
