"""How much a packed file may hold: the limits that refuse decompression bombs, in one place."""

from __future__ import annotations

import os

from linkprior._validation import byte_size, shown
from linkprior.errors import InputError, ParameterError

# What may be unpacked without asking how it compares with the file: reading takes some twenty
# bytes of memory for each.
FREE = 16 << 20
# A packed file may hold this much more than itself. Edge lists pack 3 to 40 times; a list of all
# pairs may be packed 500 times by xz, but nobody makes one that takes a gigabyte.
MOST_RATIO = {"gzip": 250, "bzip2": 250, "zip": 250, "xz": 1000}
LARGE, MOST_RATIO_LARGE = 1 << 30, 100
# STRING's largest single organism takes some gigabytes; nothing beyond this fits a memory.
MOST_UNPACKED = 64 << 30
# `xz -9` needs 65 MB to unpack; a header may ask for 4 GB before the first byte is there.
XZ_MEMORY = 256 << 20
VARIABLE = "LINKPRIOR_UNPACK_LIMIT"


def unpack_limit() -> int | None:
    """Return the bytes a packed file may hold as the user says, None where they do not."""
    given = os.environ.get(VARIABLE, "").strip()
    if not given:
        return None
    size = byte_size(given)
    if size is None:
        raise ParameterError(f"{VARIABLE} must be a size such as 500M or 20GB, got {shown(given)}")
    return size


def refuse_bomb(name: str, packing: str, unpacked: int, packed: int) -> None:
    """Refuse so many bytes from so few: every edge costs memory, however well it is packed."""
    asked = unpack_limit()
    if asked is not None:
        if unpacked > asked:
            raise InputError(
                f"{name}: unpacks to more than the {asked:,} bytes that {VARIABLE} allows; raise "
                "it if you trust the file"
            )
        return
    most = MOST_RATIO[packing] if unpacked <= LARGE else MOST_RATIO_LARGE
    if unpacked > max(FREE, most * packed):
        raise InputError(
            f"{name}: unpacks to more than {most} times its size, which no network file does (a "
            f"decompression bomb?); if you trust it, unpack it yourself or set {VARIABLE}=SIZE"
        )
    if unpacked > MOST_UNPACKED:
        raise InputError(
            f"{name}: unpacks to more than {MOST_UNPACKED >> 30} GB; unpack it yourself or set "
            f"{VARIABLE}=SIZE to read it all the same"
        )
