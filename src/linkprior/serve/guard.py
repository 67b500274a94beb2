"""Who may ask at all: this machine's browser, at this address, from this page.

Other programs on the machine can reach a port of 127.0.0.1, and so can any web page a browser
shows. A random token in the address keeps both out. Host is compared, as a foreign name may be made
to lead to 127.0.0.1 (DNS rebinding). Whatever changes something must name our own page as its
Origin: every browser sends it with fetch, and no foreign page can forge it.
"""

from __future__ import annotations

import hmac
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

AT_ONCE = 64  # requests being answered
LET_IN = "linkprior.let_in"  # said of a request in its scope
NOTHING = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
_HEADERS = {
    b"content-security-policy": NOTHING.encode(),
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
        self._app, self._token = app, token.encode()
        ending = "" if port == 80 else f":{port}"  # browsers leave out the usual one
        self._hosts = {f"{name}{ending}".encode() for name in ("127.0.0.1", "localhost")}
        self._port = port
        self._under_way = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        from starlette.responses import PlainTextResponse

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
        scope[LET_IN] = True  # whoever looks after connections keeps this one
        inner = {**scope, "root_path": f"/{self._token.decode()}"}
        self._under_way += 1
        try:
            await self._app(inner, receive, with_headers)
        finally:
            self._under_way -= 1

    def _refusal(self, scope: Scope) -> tuple[int, str] | None:
        """Return status and text for a request that is not let through."""
        hosts, origins = _values(scope, b"host"), _values(scope, b"origin")
        if len(hosts) != 1 or hosts[0] not in self._hosts:
            return 421, (
                f"Ask for 127.0.0.1:{self._port} or localhost:{self._port}; through a tunnel, use "
                f"this port on both sides: ssh -L {self._port}:127.0.0.1:{self._port}\n"
            )
        first = scope["path"].encode("utf-8", "surrogateescape").split(b"/", 2)[1:2]
        if not first or not hmac.compare_digest(first[0], self._token):
            return 404, "Not found\n"
        if any(origin != b"http://" + hosts[0] for origin in origins):
            return 403, "Another page asks\n"
        if scope["method"] not in ("GET", "HEAD") and len(origins) != 1:
            return 403, "Changes are made from the explorer's own page (no Origin was sent)\n"
        if self._under_way >= AT_ONCE:  # asked last, so that only who has the token is counted
            return 503, f"{AT_ONCE} requests are being answered; close some of the tabs\n"
        return None


def _values(scope: Scope, name: bytes) -> list[bytes]:
    return [value for key, value in scope["headers"] if key == name]
