"""Targets: packed files and archives of arrays, as raw bytes and packed around random content."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import struct
import warnings
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from fuzz import seeds
from fuzz.edits import edited, one_each
from fuzz.readers import ASKED, checked, choice, put
from fuzz.target import Target
from fuzz.verdict import Attempt

_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA)
_EPOCH = (1980, 1, 1, 0, 0, 0)  # the same content is the same bytes


def zipped(members: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    """Return a zip archive; two members may have one name, as zip cuts names at a NUL."""
    stream = io.BytesIO()
    with warnings.catch_warnings(), zipfile.ZipFile(stream, "w", method) as archive:
        warnings.filterwarnings("ignore", "Duplicate name")  # to be said of what is read, not here
        for name, content in members.items():
            info = zipfile.ZipInfo(name, _EPOCH)
            info.compress_type = method
            archive.writestr(info, content)
    return stream.getvalue()


def _halves(pack: Callable[[bytes], bytes]) -> Callable[[bytes], bytes]:
    """Pack the two halves of a content one after the other, as parallel packers do."""
    return lambda content: pack(content[: len(content) // 2]) + pack(content[len(content) // 2 :])


def _zip_by(method: int) -> Callable[[bytes], bytes]:
    return lambda content: zipped({"input.tsv": content}, method)


def _gzip(content: bytes) -> bytes:
    return gzip.compress(content, 1, mtime=0)


PACKINGS: Sequence[Callable[[bytes], bytes]] = (
    *(_gzip, bz2.compress, lzma.compress),
    *(_halves(pack) for pack in (_gzip, bz2.compress, lzma.compress)),
    *map(_zip_by, _METHODS),
    lambda content: zipped({"a.tsv": content, "b.tsv": content}),
    lambda content: zipped({"": content, ".hidden": content, "__MACOSX/a": b"", "e.sif": content}),
    lambda content: _gzip(zipped({"input.tsv": content})),
    lambda content: zipped({"input.tsv.gz": _gzip(content)}),
)


def damaged(packed: bytes, how: int, at: int) -> bytes:
    """Return packed bytes cut off, changed, doubled or filled up at a place."""
    at %= max(1, len(packed))
    ways = (
        lambda: packed,
        lambda: packed[:at],
        lambda: packed[:at] + bytes([packed[at] ^ 1 << how % 8]) + packed[at + 1 :],
        lambda: packed + packed[:at],
        lambda: packed + b"\0" * at,
        lambda: packed[:at] + b"\xff" + packed[at + 1 :],
    )
    return ways[how % len(ways)]()


def _packed(folder: Path) -> Attempt:
    """Try content packed in the way the first character picks, and perhaps damaged afterwards."""

    def attempt(data: bytes) -> None:
        pack, rest = choice(data, PACKINGS)
        how, at = (rest[0] - 48) % 256 if rest else 0, int.from_bytes(rest[1:3], "little")
        path = put(folder / "input.tsv", damaged(pack(rest[3:]), how, at))
        checked(path, None, {})

    return attempt


def _raw(name: str, format: str | None) -> Callable[[Path], Attempt]:
    def make(folder: Path) -> Attempt:
        def attempt(data: bytes) -> None:
            asked, content = choice(data, ASKED["npz"]) if format else ({}, data)
            checked(put(folder / name, content), format, asked)

        return attempt

    return make


def _packed_seeds() -> list[bytes]:
    content = seeds.FILES["edgelist"][0]
    start = [b"%c%c00" % (48 + at, 48 + how) for at in range(len(PACKINGS)) for how in (0, 1, 2)]
    return [one + content for one in start]


def _archives() -> list[bytes]:
    return [pack(seeds.FILES["edgelist"][0]) for pack in PACKINGS]


# ---------------------------------------------------------------------- arrays

_INTS = "<i4"


def _ints(*values: int) -> dict[str, Any]:
    return {"dtype": _INTS, "shape": [len(values)], "values": list(values)}


_DATA = {"dtype": "<f8", "shape": [2], "values": [1.0, 2.0]}
LAYOUTS: tuple[dict[str, Any], ...] = (
    {"format": "coo", "shape": _ints(3, 3), "row": _ints(0, 1), "col": _ints(1, 2), "data": _DATA},
    {
        **{"format": "csr", "shape": _ints(3, 3), "data": _DATA},
        **{"indices": _ints(1, 2), "indptr": _ints(0, 1, 2, 2)},
    },
    {
        **{"format": "csc", "shape": _ints(3, 3), "data": _DATA},
        **{"indices": _ints(1, 2), "indptr": _ints(0, 1, 2, 2)},
    },
    {
        **{"format": "bsr", "shape": _ints(2, 2), "indices": _ints(0), "indptr": _ints(0, 1)},
        "data": {"dtype": "<f8", "shape": [1, 2, 2], "values": [0, 1, 1, 0]},
    },
    {
        **{"format": "dia", "shape": _ints(3, 3), "offsets": _ints(1)},
        "data": {"dtype": "<f8", "shape": [1, 3], "values": [0, 1, 1]},
    },
)


def array_bytes(dtype: Any, values: Any) -> bytes:
    """Return values as the bytes of an array; none where they are no such values."""
    try:
        with np.errstate(all="ignore"), warnings.catch_warnings(action="ignore"):
            return np.array(values).astype(np.dtype(dtype)).tobytes()[: 1 << 20]
    except (TypeError, ValueError, OverflowError, AttributeError, RecursionError, SyntaxError):
        return b""


def npy(told: Any) -> bytes:
    """Return a .npy file: `dtype`, `shape` and `values` need not agree; `header` replaces all."""
    if not isinstance(told, dict):
        text = str(told).encode("utf-8", "replace")[:4096] or b" "
        told = {"dtype": f"|S{len(text)}", "shape": [], "values": text}
    shape = told.get("shape", [])
    shown = (
        f"({', '.join(map(str, shape))}{',' * (len(shape) == 1)})"
        if isinstance(shape, list)
        else shape
    )
    header = told.get(
        "header",
        f"{{'descr': {told.get('dtype')!r}, 'fortran_order': {bool(told.get('fortran'))}, "
        f"'shape': {shown}, }}",
    )
    line = str(header).encode("latin1", "replace")[:60_000].ljust(64) + b"\n"
    start = b"\x93NUMPY" + bytes([int(told.get("version") == 2) + 1, 0])
    size = struct.pack("<H" if start[6] == 1 else "<I", len(line))
    return start + size + line + array_bytes(told.get("dtype"), told.get("values"))


def _arrays(folder: Path) -> Attempt:
    """Try a matrix of the layout that the first character picks, changed line by line."""

    def attempt(data: bytes) -> None:
        layout, text = choice(data, LAYOUTS)
        told = edited(layout, text[1:])
        if not isinstance(told, dict):
            return
        with_numbers = {f"{str(name)[:40]}.npy": npy(one) for name, one in told.items()}
        method = _METHODS[(text[0] - 48) % 2 if text else 0]
        names = {
            name.encode("utf-8", "replace").decode(): one for name, one in with_numbers.items()
        }
        asked = ASKED["npz"][(text[0] - 48) % 3 if text else 0]
        checked(put(folder / "input.npz", zipped(names, method)), "npz", asked)

    return attempt


def _array_seeds() -> list[bytes]:
    return [
        b"%c%c" % (48 + at, 48 + way) + line
        for at, layout in enumerate(LAYOUTS)
        for way, line in enumerate([b"", *one_each(layout)])
        if way < 40
    ]


_WORDS = (
    *("/shape=", "/dtype=", "/values=", "/header=", "data/dtype=", '"<c16"', '"|O"', '">u8"'),
    *('"|b1"', "[1000000000]", "[-1]", "[0]", "indptr", "indices", "offsets", "row", "col"),
)


def targets() -> dict[str, Target]:
    """Return the targets by name."""
    return {
        "packed": Target("content packed in 14 ways, whole or damaged", _packed, _packed_seeds),
        "packed-raw": Target("bytes of packed files", _raw("input.tsv", None), _archives),
        "npz": Target("arrays of a sparse matrix", _arrays, _array_seeds, _WORDS),
        "npz-raw": Target(
            "bytes of an .npz archive",
            _raw("input.npz", "npz"),
            lambda: [b"%c" % (48 + at) + seeds.matrix() for at in range(3)],
        ),
    }
