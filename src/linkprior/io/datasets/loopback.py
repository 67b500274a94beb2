"""Which hosts are this very machine: by name or by number, in every way to write them."""

from __future__ import annotations

import ipaddress
import socket
import urllib.parse

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
