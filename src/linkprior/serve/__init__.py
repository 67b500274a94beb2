"""The local explorer: the page live, with jobs that run beside the server.

`app` answers requests behind `security`; `jobs` holds networks and jobs, and runs one job at a time
in a process of its own. Starlette and uvicorn are imported here alone, and only when it starts.
"""

from __future__ import annotations

from linkprior.errors import LinkpriorError


def check_installed() -> None:
    """Refuse in one line where what a server needs is not installed."""
    from importlib.util import find_spec

    missing = [name for name in ("starlette", "uvicorn") if find_spec(name) is None]
    if missing:
        raise LinkpriorError(
            f"linkprior serve needs {' and '.join(missing)}: pip install 'linkprior[serve]'"
        )
