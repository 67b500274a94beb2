"""Packed files, stdin and what else comes instead of a file: opened, or refused in one line."""

import bz2
import contextlib
import gzip
import hashlib
import io
import lzma
import os
import stat
import struct
import sys
import tarfile
import tracemalloc
import zipfile

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.io.graph_files import pairs, problem, reading, written
from tests.io.packing import zipped

import linkprior as lp
from linkprior.errors import InputError
from linkprior.io.read import read
from linkprior.io.source import open_source
from linkprior.io.unpack import refuse_bomb

TEXT = "a\tb\nb\tc\na\td\n"
PAIRS = {frozenset("ab"), frozenset("bc"), frozenset("ad")}
LONG = "".join(f"x{i}\ty{i * i % 97}\n" for i in range(30_000))


def tarred(content):
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w") as archive:
        member = tarfile.TarInfo("edges.tsv")
        member.size = len(content)
        archive.addfile(member, io.BytesIO(content))
    return stream.getvalue()


PACKERS = {
    "plain": bytes,
    "gzip": gzip.compress,
    "bzip2": bz2.compress,
    "xz": lzma.compress,
    "zip": lambda data: zipped({"edges.tsv": data}),
    "zip (stored)": lambda data: zipped({"edges.tsv": data}, zipfile.ZIP_STORED),
    "zip (bzip2)": lambda data: zipped({"edges.tsv": data}, zipfile.ZIP_BZIP2),
    "zip (lzma)": lambda data: zipped({"edges.tsv": data}, zipfile.ZIP_LZMA),
}
REALLY = [kind for kind in PACKERS if kind != "plain"]


# ---------------------------------------------------------------------- what is opened


@pytest.mark.parametrize("kind", PACKERS)
@pytest.mark.parametrize("name", ["edges.tsv", "edges.bin"], ids=["suffix", "other suffix"])
def test_packing_is_known_by_the_bytes_not_by_the_name(tmp_path, kind, name):
    found = reading(tmp_path, name, PACKERS[kind](TEXT.encode()))
    assert pairs(found.network) == PAIRS
    assert (found.report.packing or "plain").split()[0] == kind.split()[0]


@pytest.mark.parametrize("kind", PACKERS)
def test_a_large_packed_file_is_read_to_its_end(tmp_path, kind):
    found = reading(tmp_path, "edges", PACKERS[kind](LONG.encode()))
    assert found.report.lines == found.report.rows == 30_000


@pytest.mark.parametrize("kind", PACKERS)
def test_the_checksum_is_that_of_the_file_on_disk(tmp_path, kind):
    content = PACKERS[kind](LONG.encode())
    assert reading(tmp_path, "e", content).report.sha256 == hashlib.sha256(content).hexdigest()


def test_the_checksum_covers_what_nobody_read(tmp_path):
    path = written(tmp_path, "e", LONG)
    with open_source(path) as source:
        source.stream.read(10)
        assert source.sha256() == hashlib.sha256(LONG.encode()).hexdigest()


def test_the_head_is_not_taken_out_of_the_stream(tmp_path):
    with open_source(written(tmp_path, "e", gzip.compress(LONG.encode()))) as source:
        assert LONG.encode().startswith(source.head)
        assert len(source.head) == 1 << 16
        assert b"".join(source.blocks(1000)) == LONG.encode()


def test_gzip_and_bzip2_of_several_members(tmp_path):
    lines = [line.encode() + b"\n" for line in TEXT.splitlines()]
    for pack in (gzip.compress, bz2.compress, lzma.compress):
        content = b"".join(map(pack, lines))
        assert pairs(reading(tmp_path, "edges", content).network) == PAIRS


def test_what_a_mac_adds_to_a_zip_is_passed_over(tmp_path):
    inside = {"n/": b"", "n/edges.tsv": TEXT, "__MACOSX/n/._edges.tsv": "x", "n/.DS_Store": "y"}
    found = reading(tmp_path, "n.zip", zipped(inside))
    assert pairs(found.network) == PAIRS
    assert found.report.packing == "zip (n/edges.tsv)"


def test_an_archive_of_numpy_arrays_is_handed_on_as_it_is(tmp_path):
    content = zipped({"row.npy": b"1", "col.npy": b"2"})
    with open_source(written(tmp_path, "a.npz", content)) as source:
        assert source.packing is None
        assert b"".join(source.blocks()) == content


def test_text_that_begins_like_a_packed_file_is_text(tmp_path):
    for first in ("BZh", "BZh9", "PK", "Rar!"):
        found = reading(tmp_path, "edges.txt", f"{first}\tb\nb\tc\n")
        assert found.network.names == (first, "b", "c")


# ---------------------------------------------------------------------- standard input


def feed(monkeypatch, content):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content), encoding="ascii"))
    return lp.read_network("-")


@pytest.mark.parametrize("kind", PACKERS)
def test_stdin_is_read_as_a_file_is(monkeypatch, kind):
    assert pairs(feed(monkeypatch, PACKERS[kind](TEXT.encode()))) == PAIRS


def test_stdin_from_a_pipe_that_gives_little_at_a_time(monkeypatch):
    class Slow(io.RawIOBase):
        def __init__(self, data):
            self.data = data

        def readable(self):
            return True

        def readinto(self, buffer):
            part, self.data = self.data[:7], self.data[7:]
            buffer[: len(part)] = part
            return len(part)

    stream = io.BufferedReader(Slow(gzip.compress(TEXT.encode())))
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(stream))
    assert pairs(lp.read_network("-")) == PAIRS


@pytest.mark.parametrize(
    ("content", "where"),
    [(b"a\tb\nc\n", "stdin:2: "), (b"", "stdin: "), ("é\tb\n".encode("latin-1"), "stdin:1: ")],
)
def test_errors_call_it_stdin(monkeypatch, content, where):
    with pytest.raises(InputError) as caught:
        feed(monkeypatch, content)
    assert str(caught.value).startswith(where)


def test_a_closed_stdin(monkeypatch):
    monkeypatch.setattr(sys, "stdin", None)
    with pytest.raises(InputError, match="stdin: is closed"):
        lp.read_network("-")


# ---------------------------------------------------------------------- what is refused


def test_a_missing_file_is_told_from_its_neighbours(tmp_path):
    written(tmp_path, "edges.tsv", TEXT)
    with pytest.raises(InputError, match=r"edgse\.tsv: no such file.* Did you mean edges\.tsv"):
        lp.read_network(tmp_path / "edgse.tsv")


def test_a_missing_folder_is_named(tmp_path):
    with pytest.raises(InputError, match=r"e\.tsv: no such file\. There is no folder .*nowhere"):
        lp.read_network(tmp_path / "nowhere" / "e.tsv")


@pytest.mark.parametrize("name", ["a\nb.tsv", "a\x1b[31mb.tsv", "a\u202eb.tsv"])
def test_an_odd_path_stays_on_one_line_and_is_shown_as_it_is(tmp_path, name):
    with pytest.raises(InputError) as caught:
        lp.read_network(tmp_path / name)
    assert str(caught.value).isprintable()


def test_a_path_with_a_nul_byte():
    with pytest.raises(InputError, match="no file has such a name"):
        lp.read_network("a\0b")


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may read every file")
def test_a_file_without_permission(tmp_path):
    path = written(tmp_path, "edges.tsv", TEXT)
    path.chmod(stat.S_IWUSR)
    with pytest.raises(InputError, match="check the file and its permissions"):
        lp.read_network(path)


@pytest.mark.parametrize("kind", ["gzip", "bzip2", "xz"])
@pytest.mark.parametrize("kept", [12, 0.5, -9, -1])
def test_a_truncated_file_was_cut_off(tmp_path, kind, kept):
    whole = PACKERS[kind](LONG.encode())
    stop = int(len(whole) * kept) if isinstance(kept, float) else kept
    told = problem(tmp_path, "edges.gz", whole[:stop])
    assert told.startswith("edges.gz: ")
    assert "cut off; get it again" in told


@pytest.mark.parametrize("kind", [kind for kind in PACKERS if kind.startswith("zip")])
def test_a_truncated_zip_is_damaged(tmp_path, kind):
    whole = PACKERS[kind](LONG.encode())
    assert "get it again" in problem(tmp_path, "edges.zip", whole[: len(whole) // 2])


@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [
        ("n.zip", zipped({"a.tsv": TEXT, "b.tsv": TEXT}), "2 files (a.tsv, b.tsv), expected one"),
        ("n.zip", zipped({"a/": b""}), "0 files (nothing), expected one"),
        ("n.zip", zipped({}), "is an empty zip archive"),
        ("n.xlsx", zipped({"[Content_Types].xml": "", "xl/workbook.xml": ""}), "save the sheet"),
        ("n.tsv.gz", gzip.compress(gzip.compress(LONG.encode())), "packed twice (gzip inside)"),
        ("n.tsv.xz", lzma.compress(bz2.compress(LONG.encode())), "packed twice (bzip2 inside)"),
        ("n.zip", zipped({"n.tsv.gz": gzip.compress(b"a b")}), "packed twice (gzip inside)"),
        ("n.tar", tarred(TEXT.encode()), "tar archive; unpack it"),
        ("n.tar.gz", gzip.compress(tarred(TEXT.encode())), "tar archive; unpack it"),
        ("n.7z", b"7z\xbc\xaf\x27\x1c\x00\x04", "a 7-Zip archive"),
        ("n.rar", b"Rar!\x1a\x07\x00", "a RAR archive"),
        ("n.zst", b"\x28\xb5\x2f\xfd\x00", "a Zstandard file"),
        ("n.pdf", b"%PDF-1.7\n", "a PDF document"),
        ("n.xls", b"\xd0\xcf\x11\xe0\xa1\xb1", "an old Excel"),
    ],
)
def test_other_archives_are_named(tmp_path, name, content, expected):
    told = problem(tmp_path, name, content)
    assert told.startswith(f"{name}: ")
    assert expected in told


def test_an_encrypted_zip(tmp_path):
    content = bytearray(zipped({"edges.tsv": TEXT}))
    for mark, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        at = content.index(mark) + offset
        content[at : at + 2] = struct.pack("<H", 1)
    assert "encrypted; unpack it first" in problem(tmp_path, "n.zip", bytes(content))


@pytest.mark.parametrize("kind", ["gzip", "bzip2", "xz", "zip"])
def test_a_bomb_is_refused_in_little_memory(tmp_path, kind):
    part = (b"#" * 1023 + b"\n") * (8 << 10)
    # Packing one part and repeating it is quick; a zip has but one.
    content = PACKERS[kind](part) * 12 if kind != "zip" else PACKERS[kind](part * 12)
    path = written(tmp_path, "bomb", content)
    tracemalloc.start()
    try:
        with pytest.raises(InputError, match=r"bomb: unpacks to more than \d+ times its size"):
            lp.read_network(path)
        assert tracemalloc.get_traced_memory()[1] < 100 << 20
    finally:
        tracemalloc.stop()


def test_what_packs_well_but_is_small_is_read(tmp_path):
    rows = "aaaaaaaaaa\tbbbbbbbbbb\n" * 200_000
    assert reading(tmp_path, "e.gz", gzip.compress(rows.encode())).report.duplicates == 199_999


def test_a_format_that_needs_all_at_once_has_a_limit(tmp_path):
    with open_source(written(tmp_path, "e", LONG)) as source:
        assert source.whole(1 << 20) == LONG.encode()
    with (
        open_source(written(tmp_path, "e", LONG * 10)) as source,
        pytest.raises(InputError, match="e: larger than 1 MB"),
    ):
        source.whole(1 << 20)


@settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    kind=st.sampled_from(REALLY),
    places=st.lists(st.tuples(st.floats(-0.05, 1), st.integers(0, 255)), min_size=1, max_size=4),
    kept=st.floats(0.5, 2),
)
def test_damage_anywhere_is_an_input_error_or_no_damage(tmp_path, kind, places, kept):
    """Half of the places lie near the ends, where the formats keep what they are built on."""
    content = bytearray(PACKERS[kind](LONG[:20_000].encode()))
    for place, byte in places:
        content[int(place * (len(content) - 1))] = byte
    path = written(tmp_path, "e", bytes(content[: int(kept * len(content))]))
    got = None
    with contextlib.suppress(InputError), open_source(path) as source:
        got = b"".join(source.blocks())
    assert got in (None, LONG[:20_000].encode()) or source.packing is None


@pytest.mark.parametrize("pack", [bz2.compress, lzma.compress], ids=["bzip2", "xz"])
def test_every_stream_of_a_file_packed_in_parallel_is_read_or_refused(tmp_path, pack):
    """Damage in a later stream must not pass for the end of the file."""
    first, second = (
        b"".join(b"%s%d %s%d\n" % (n, i, n, i + 1) for i in range(500)) for n in (b"a", b"b")
    )
    path = tmp_path / "edges.txt"
    path.write_bytes(pack(first) + b"\0" * 8 + pack(second))
    assert read(path).network.n_edges == 1000
    damaged = bytearray(pack(second))
    damaged[len(damaged) // 2] ^= 0xFF
    for tail in (bytes(damaged), b"garbage", pack(second)[:-9]):
        path.write_bytes(pack(first) + tail)
        with pytest.raises(InputError, match=r"edges\.txt: .*(damaged|too early)"):
            read(path)


def test_a_cell_of_digits_without_end_takes_no_time(tmp_path):
    """Patterns that look for numbers must not take the square of a cell's length."""
    path = tmp_path / "edges.tsv"
    path.write_text("source\ttarget\n" + "9" * 400_000 + "x\tb\na\t" + "1" * 400_000 + "\nb\tc\n")
    with pytest.raises(InputError, match="a node name of 400001 characters"):
        read(path)


def test_a_zip_bomb_is_refused_before_it_is_unpacked(tmp_path, monkeypatch):
    path = written(tmp_path, "bomb.zip", zipped({"e.tsv": b"a\tb\n" * (20 << 20)}))
    monkeypatch.setattr(zipfile.ZipFile, "open", None)
    with pytest.raises(InputError, match="unpacks to more than 250 times its size"):
        lp.read_network(path)


def test_how_much_a_packed_file_may_hold():
    mib, gib = 1 << 20, 1 << 30
    refuse_bomb("e", "gzip", 15 * mib, 1)
    refuse_bomb("e", "xz", 900 * mib, mib)
    refuse_bomb("e", "zip", 3 * gib, 400 * mib)  # as STRING's files are
    for packing, unpacked, packed in [
        ("gzip", 251 * mib, mib),
        ("xz", 2 * gib, 4 * mib),
        ("zip", 12 * gib, 12 * mib),
    ]:
        with pytest.raises(InputError, match="e: unpacks to more than"):
            refuse_bomb("e", packing, unpacked, packed)
