"""Packed files: gzip, bzip2, xz and zip in bounded pieces, and the limits for bombs."""

import bz2
import contextlib
import gzip
import lzma
import random
import struct
import zlib

import pytest
from tests.io.files import zipped

from linkprior.errors import InputError, ParameterError
from linkprior.io.source import UNPACK_VARIABLE, open_source, refuse_bomb, unpack_limit

MIB, GIB = 1 << 20, 1 << 30


@pytest.mark.parametrize(
    ("members", "told"),
    [
        ({f"{n}.txt": "a b" for n in range(7)}, "7 files (0.txt, 1.txt, 2.txt, 3.txt, 4.txt),"),
        ({"a.npy": "1", "e.txt": "a b"}, "2 files (a.npy, e.txt)"),
        ({".hidden": "a b", "n/.x": "a b", "__MACOSX/a": "a", "d/": ""}, "0 files (nothing)"),
        ({"xl/workbook.xml": "a", "a.npy": "1"}, "is an Excel workbook"),
    ],
)
def test_an_archive_of_other_than_one_file_is_refused(tmp_path, members, told):
    (tmp_path / "e.zip").write_bytes(zipped(members))
    with pytest.raises(InputError) as caught, open_source(tmp_path / "e.zip"):
        pass
    assert told in str(caught.value)


@pytest.mark.parametrize(
    "members",
    [
        {"a/__MACOSX": "a b"},
        {"a.b/e": "a b"},
        {"e.txt": "a b", ".npy": "1"},
        {"e.txt": "a b", "d/": "", "d/.e": "1"},
    ],
)
def test_one_file_of_the_users_own_is_enough(tmp_path, members):
    (tmp_path / "e.zip").write_bytes(zipped(members))
    with open_source(tmp_path / "e.zip") as opened:
        assert list(opened.blocks()) == [b"a b"]
    assert opened.packing == f"zip ({next(iter(members))})"


def test_a_member_without_a_name_is_passed_over(tmp_path):
    """A name ends at its first NUL."""
    content = zipped({"e.txt": "a b", "qq.txt": "c d"}).replace(b"qq.txt", b"\0q.txt")
    (tmp_path / "e.zip").write_bytes(content)
    with open_source(tmp_path / "e.zip") as opened:
        assert list(opened.blocks()) == [b"a b"]


def test_a_zip_that_points_before_its_beginning_is_damaged(tmp_path):
    content = zipped({"e.txt": "a b"})
    at = content.index(b"PK\x05\x06") + 16
    wrong = int.from_bytes(content[at : at + 4], "little") + 10
    (tmp_path / "e.zip").write_bytes(content[:at] + wrong.to_bytes(4, "little") + content[at + 4 :])
    with (
        pytest.raises(InputError, match="e.zip: a damaged zip archive"),
        open_source(tmp_path / "e.zip"),
    ):
        pass


def test_nothing_that_fits_no_memory_is_unpacked_unless_the_user_says_so(monkeypatch):
    refuse_bomb("e", "xz", 64 * GIB, GIB)
    with pytest.raises(InputError, match="^e: unpacks to more than 64 GB"):
        refuse_bomb("e", "xz", 64 * GIB + 1, GIB)
    monkeypatch.setenv(UNPACK_VARIABLE, "70G")
    refuse_bomb("e", "xz", 64 * GIB + 1, 1)


def test_the_users_limit_counts_for_small_files_too(monkeypatch):
    monkeypatch.setenv(UNPACK_VARIABLE, "5000")
    refuse_bomb("e", "gzip", 5000, 1)
    with pytest.raises(InputError, match="^e: unpacks to more than the 5,000 bytes that LINKPRIOR"):
        refuse_bomb("e", "gzip", 5001, 5000)


def test_a_limit_that_is_no_size_is_refused(monkeypatch):
    monkeypatch.setenv(UNPACK_VARIABLE, "much")
    with pytest.raises(ParameterError, match=r"LINKPRIOR_UNPACK_LIMIT must be .*, got '?much"):
        unpack_limit()


TEXT = b"a\tb\nb\tc\n" * 40


def content_of(tmp_path, content):
    (tmp_path / "e").write_bytes(content)
    with open_source(tmp_path / "e") as source:
        return b"".join(source.blocks())


def refused(tmp_path, content):
    with pytest.raises(InputError) as told:
        content_of(tmp_path, content)
    return str(told.value)


PACK = pytest.mark.parametrize("pack", [bz2.compress, lzma.compress])


@PACK
@pytest.mark.parametrize("zeros", [0, 4, 200_000])
def test_streams_are_joined_over_any_number_of_zeros(tmp_path, pack, zeros):
    packed = pack(b"one ") + bytes(zeros) + pack(b"two") + bytes(zeros)
    assert content_of(tmp_path, packed) == b"one two"


@PACK
def test_a_stream_without_its_end_was_cut_off(tmp_path, pack):
    for content in (pack(TEXT)[:-5], pack(TEXT) + pack(TEXT)[:-5]):
        assert "end too early: the file was cut off" in refused(tmp_path, content)


@PACK
def test_a_stream_larger_than_one_block_is_read_to_its_end(tmp_path, pack):
    plain = random.Random(1).randbytes(150_000)
    assert content_of(tmp_path, pack(plain)) == plain


def with_dictionary(code):
    """Return an xz file whose header asks for a dictionary of this coded size."""
    content = bytearray(lzma.compress(TEXT))
    content[16] = code
    content[20:24] = struct.pack("<I", zlib.crc32(content[12:20]))
    return bytes(content)


def test_a_dictionary_too_large_for_the_memory_is_refused(tmp_path):
    """Codes 31 and 32 stand for 192 and 256 MiB; reading takes a little more than that."""
    assert content_of(tmp_path, with_dictionary(31)) == TEXT
    told = refused(tmp_path, with_dictionary(32))
    assert "cannot be unpacked here (its dictionary takes more than 256 MB of memory)" in told


def test_what_was_unpacked_is_counted_over_all_blocks(tmp_path, monkeypatch):
    path = tmp_path / "e.gz"
    path.write_bytes(gzip.compress(b"a\tb\n" * 250))
    for limit, blocks in (("1000", 10), ("999", 9), ("250", 2)):
        monkeypatch.setenv("LINKPRIOR_UNPACK_LIMIT", limit)
        taken = 0
        with contextlib.suppress(InputError), open_source(path) as source:
            for data in source.blocks(100):
                taken += len(data) == 100
        assert taken == blocks, limit
