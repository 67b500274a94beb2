"""Small files that stand for huge ones: what each is called, its bytes, and what must be said.

python -m tests.security.bombs prints what each takes, for docs/reliability.md.
"""

import bz2
import gzip
import io
import json
import lzma
import struct
import subprocess
import sys
import tempfile
import zipfile
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from tests.io.files import zipped

MIB = 1 << 20
ROWS = (b"#" * 1023 + b"\n") * 1024  # a megabyte, packed as well as anything can be
GRAPH = (
    "<graphml><graph><node id='a'/><node id='b'/><edge source='a' target='b'/></graph></graphml>"
)


@dataclass(frozen=True)
class Bomb:
    """A file, how its bytes are made, and a piece of the one line that refuses it."""

    file: str
    make: Callable[[], bytes | str]
    told: str

    def content(self):
        made = self.make()
        return made if isinstance(made, bytes) else made.encode()


def gzipped(start, unit, size, end=b""):
    """`size` bytes of one unit again and again, packed without ever being whole."""
    packer, block = zlib.compressobj(9, zlib.DEFLATED, 31), unit * (MIB // len(unit))
    parts = [packer.compress(start)]
    parts += [packer.compress(block) for _ in range(size // len(block))]
    return b"".join([*parts, packer.compress(end), packer.flush()])


def ten_gigabytes(pack, piece=16):
    """Ten gigabytes as so many packed streams of `piece` MB, one after the other."""
    return pack(ROWS * piece) * (10_240 // piece)


def forged(packed, method, announced):
    """A zip whose member is packed by a method and announces so many bytes."""
    archive = bytearray(zipped({"edges.tsv": packed}, zipfile.ZIP_STORED))
    for mark, at_method, at_size in ((b"PK\x03\x04", 8, 22), (b"PK\x01\x02", 10, 24)):
        at = archive.index(mark)
        archive[at + at_method - 2] |= 2  # LZMA: the data say themselves where they end
        archive[at + at_method : at + at_method + 2] = struct.pack("<H", method)
        archive[at + at_size : at + at_size + 4] = struct.pack("<I", announced)
    return bytes(archive)


def zip_lzma(plain):
    """LZMA as zip wraps it: a version, the size of the settings, the settings, the data."""
    alone = lzma.compress(plain, format=lzma.FORMAT_ALONE, preset=0)
    return b"\x09\x04\x05\x00" + alone[:5] + alone[13:]


def greedy_xz():
    """An xz file of two lines whose header asks for a dictionary of 4 GB."""
    content, start = bytearray(lzma.compress(b"a\tb\nb\tc\n")), 12
    size = (content[start] + 1) * 4
    content[content.index(b"\x21\x01", start) + 2] = 40
    header = bytes(content[start : start + size - 4])
    content[start + size - 4 : start + size] = struct.pack("<I", zlib.crc32(header))
    return bytes(content)


def npz(**arrays):
    stream = io.BytesIO()
    np.savez_compressed(stream, **arrays)
    return stream.getvalue()


def large_npz():
    """A matrix of few nodes, each of its 30 million entries the same pair."""
    n = 30 * MIB
    pattern = {"row": np.zeros(n, np.int8), "col": np.ones(n, np.int8), "data": np.ones(n, bool)}
    return npz(format=np.bytes_("coo"), shape=[9, 9], **pattern)


def lying_npz():
    """A sparse matrix whose array of entries declares 10¹² of them and holds none."""
    header = str({"descr": "<f8", "fortran_order": False, "shape": (10**12,)}).ljust(117) + "\n"
    array = b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode()
    whole = npz(format=np.bytes_("coo"), shape=np.array([9, 9]), row=[0], col=[1])
    stream = io.BytesIO(whole)
    with zipfile.ZipFile(stream, "a") as archive:
        archive.writestr("data.npy", array)
    return stream.getvalue()


def xml(declared, inside="<node id='&z;'/>"):
    return f"<?xml version='1.0'?>\n<!DOCTYPE graphml [{declared}]>\n<graphml>{inside}</graphml>"


LAUGHS = "<!ENTITY l0 'lol'>" + "".join(
    f"<!ENTITY l{i} '{f'&l{i - 1};' * 10}'>" for i in range(1, 30)
)
PACKED, DTD, DEEP = "times its size", "in a DTD of its own", "tags inside 1,000 others"
WRONG, MANY = "Bad CRC-32", "at most 100000000 are read"
T = "1000000000000"
MTX = "%%MatrixMarket matrix coordinate real general\n"

DECLARED = {
    "10^12 entries, 1 there": Bomb(
        "e.mtx",
        lambda: f"{MTX}9 9 {T}\n1 2 1\n",
        f"declares {T} entries, the file has 1",
    ),
    "a matrix of 10^12 rows": Bomb("r.mtx", lambda: f"{MTX}{T} {T} 1\n1 2 1\n", MANY),
    "METIS of 10^12 nodes": Bomb("n.graph", lambda: f"{T} 1\n2\n1\n", MANY),
    "Pajek of 10^12 vertices": Bomb("v.net", lambda: f"*Vertices {T}\n*Edges\n1 2\n", MANY),
    "npz of 10^12 entries": Bomb("l.npz", lying_npz, "declares more than it holds"),
    "JSON 100,000 deep": Bomb("d.cx2", lambda: "[" * 100_000, "nested too deeply"),
    "JSON objects 100,000 deep": Bomb(
        "o.cx2", lambda: '[{"nodes":' + '{"a":' * 100_000, "nested too deeply"
    ),
    "a number of 500,000 digits": Bomb(
        "n.cx2", lambda: '[{"nodes":[{"id":' + "9" * 500_000 + "}]}]", "cannot be read"
    ),
}

ENTITIES = {
    "a billion laughs": xml(LAUGHS + "<!ENTITY z '&l29;'>"),
    "a quadratic blow-up": xml(f"<!ENTITY z '{'x' * 50_000}'>", f"<node id='{'&z;' * 2_000}'/>"),
    "a file as an entity": xml("<!ENTITY z SYSTEM 'file:///etc/passwd'>"),
    "an address as an entity": xml("<!ENTITY z SYSTEM 'http://127.0.0.1:9/z'>"),
    "a parameter entity": xml("<!ENTITY % p SYSTEM 'file:///etc/passwd'> %p;"),
    "default attributes": xml(f"<!ATTLIST node id CDATA '{'x' * 9999}'>", "<node/>"),
}

PACKINGS = {
    "20 million open tags": Bomb(
        "t.graphml.gz", lambda: gzipped(b"<graphml>", b"<a>", 60 * MIB), DEEP
    ),
    "10 GB by gzip": Bomb("e.tsv.gz", lambda: ten_gigabytes(gzip.compress), PACKED),
    "10 GB by bzip2": Bomb("e.tsv.bz2", lambda: ten_gigabytes(bz2.compress), PACKED),
    "10 GB by xz": Bomb("e.tsv.xz", lambda: ten_gigabytes(lzma.compress), PACKED),
    "32 MB by zip": Bomb("e.zip", lambda: zipped({"e.tsv": ROWS * 32}), PACKED),
    "a zip in a zip": Bomb(
        "z.zip",
        lambda: zipped({"inner.zip": zipped({"inner.zip": zipped({"e.tsv": ROWS * 32})})}),
        "packed twice (zip inside)",
    ),
    "a gzip in a gzip": Bomb("g.tsv.gz", lambda: gzip.compress(gzip.compress(ROWS)), "twice"),
    "bzip2 in a zip that lies": Bomb(
        "b.zip",
        lambda: forged(bz2.compress(b"a" * (200 * MIB)), zipfile.ZIP_BZIP2, 1000),
        "a line of more than 1 MB",
    ),
    "LZMA in a zip that lies": Bomb(
        "l.zip", lambda: forged(zip_lzma(ROWS * 200), zipfile.ZIP_LZMA, 1000), WRONG
    ),
    "an xz dictionary of 4 GB": Bomb("d.tsv.xz", greedy_xz, "more than 256 MB of memory"),
    "90 MB of entries as npz": Bomb("m.npz", large_npz, PACKED),
    "60 MB of short edges": Bomb("s.tsv.gz", lambda: gzipped(b"", b"a\tb\n", 60 * MIB), PACKED),
    "60 MB of JSON objects": Bomb(
        "j.cx2.gz", lambda: gzipped(b'[{"nodes":[', b"{},", 60 * MIB), PACKED
    ),
    "one METIS line of 60 MB": Bomb(
        "m.graph.gz", lambda: gzipped(b"9 9\n", b"1 ", 60 * MIB), PACKED
    ),
    "one Pajek line of 60 MB": Bomb(
        "p.net.gz", lambda: gzipped(b"*Vertices 9\n*arcslist\n", b"1 ", 60 * MIB), PACKED
    ),
}


def of_xml():
    """Every entity trick, in GraphML and in GEXF."""
    for at, (name, text) in enumerate(ENTITIES.items()):
        yield name, Bomb(f"x{at}.graphml", text.encode, DTD)
        yield f"{name}, in GEXF", Bomb(f"x{at}.gexf", text.replace("graphml", "gexf").encode, DTD)


BOMBS = DECLARED | dict(of_xml()) | PACKINGS


def measured(folder):
    """Read every bomb in one process of its own; return name → what was told, bytes and size."""
    paths = {name: folder / bomb.file for name, bomb in BOMBS.items()}
    for name, path in paths.items():
        path.write_bytes(BOMBS[name].content())
    done = subprocess.run(
        [sys.executable, "-m", "tests.security.read_and_measure"],
        input="".join(f"{path}\n" for path in paths.values()),
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    found = json.loads(done.stdout)
    return {name: {**found[str(path)], "size": path.stat().st_size} for name, path in paths.items()}


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        for title, outcome in measured(Path(place)).items():
            told = outcome["told"].replace(f"{place}/", "")
            print(f"{title:32} {outcome['size']:>9,} B {outcome['bytes'] / 1e6:>6.1f} MB  {told}")
