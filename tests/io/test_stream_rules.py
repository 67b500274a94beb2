"""Packed bytes at the edge of their rules: what the archive announces, padding, memory."""

import bz2
import io
import lzma
import random
import struct
import zipfile
import zlib

import pytest
from tests.io.packing import zipped

from linkprior.errors import InputError
from linkprior.io import unpack
from linkprior.io.source import open_source
from linkprior.io.unpack import bzip2_stream, member_stream, xz_stream

TEXT = b"a\tb\nb\tc\n" * 40
METHODS = [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA]


def unpacked(tmp_path, content):
    (tmp_path / "e").write_bytes(content)
    with open_source(tmp_path / "e") as source:
        return b"".join(source.blocks())


def refused(tmp_path, content):
    with pytest.raises(InputError) as told:
        unpacked(tmp_path, content)
    return str(told.value)


def announcing(method, **facts):
    """Return a zip of TEXT whose table of contents says something else."""
    content = bytearray(zipped({"e.tsv": TEXT}, method))
    at = content.index(b"PK\x01\x02")
    for name, value in facts.items():
        place = at + {"crc": 16, "packed": 20, "size": 24}[name]
        content[place : place + 4] = struct.pack("<I", value)
    return bytes(content)


# ---------------------------------------------------------------------- members of zip archives


@pytest.mark.parametrize("method", METHODS)
def test_a_member_is_read_where_it_is_as_announced(tmp_path, method):
    facts = {"crc": zlib.crc32(TEXT), "size": len(TEXT)}
    assert unpacked(tmp_path, announcing(method, **facts)) == TEXT


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("off", [-1, 1, 1000])
def test_a_member_of_another_size_is_damaged(tmp_path, method, off):
    told = refused(tmp_path, announcing(method, size=len(TEXT) + off))
    assert f"not the {len(TEXT) + off} bytes announced" in told


@pytest.mark.parametrize("method", METHODS)
def test_a_member_of_another_checksum_is_damaged(tmp_path, method):
    assert "bad checksum" in refused(tmp_path, announcing(method, crc=zlib.crc32(TEXT) ^ 1))


@pytest.mark.parametrize("method", METHODS)
def test_a_member_is_read_in_small_pieces(method):
    """The checksum is that of all pieces together."""
    with zipfile.ZipFile(io.BytesIO(zipped({"e.tsv": TEXT}, method))) as archive:
        stream = member_stream(archive, archive.infolist()[0]).raw
        pieces = list(iter(lambda: stream.read(7), b""))
    assert b"".join(pieces) == TEXT
    assert {len(piece) for piece in pieces[:-1]} == {7}


@pytest.mark.parametrize("kept", range(1, 4))
def test_an_lzma_member_shorter_than_its_header_was_cut_off(tmp_path, kept):
    assert "cut off" in refused(tmp_path, announcing(zipfile.ZIP_LZMA, packed=kept))


# TEXT[:16], packed without the mark of its end, as some packers do.
BARE = bytes.fromhex("003082486d2eef3f713386170519aee5891b494f00")


def test_an_lzma_member_without_an_end_mark_ends_at_its_size(tmp_path):
    plain = TEXT[:16]
    packed = b"\x09\x04\x05\x00" + bytes([93]) + struct.pack("<I", 1 << 16) + BARE
    local = struct.pack("<4s5H3I2H", b"PK\x03\x04", 63, 0, 14, 0, 33, zlib.crc32(plain),
                        len(packed), len(plain), 1, 0)  # fmt: skip
    central = struct.pack("<4s6H3I5H2I", b"PK\x01\x02", 63, 63, 0, 14, 0, 33, zlib.crc32(plain),
                          len(packed), len(plain), 1, 0, 0, 0, 0, 0, 0)  # fmt: skip
    start = local + b"e" + packed
    ending = struct.pack("<4s4H2IH", b"PK\x05\x06", 0, 0, 1, 1, len(central) + 1, len(start), 0)
    assert unpacked(tmp_path, start + central + b"e" + ending) == plain


# ---------------------------------------------------------------------- streams one after the other


@pytest.mark.parametrize(
    ("opened", "pack"), [(bzip2_stream, bz2.compress), (xz_stream, lzma.compress)]
)
@pytest.mark.parametrize("zeros", [0, 4, 200_000])
def test_streams_are_joined_over_any_number_of_zeros(opened, pack, zeros):
    packed = pack(b"one ") + bytes(zeros) + pack(b"two") + bytes(zeros)
    assert opened(io.BytesIO(packed)).read() == b"one two"


@pytest.mark.parametrize("pack", [bz2.compress, lzma.compress])
def test_a_stream_without_its_end_was_cut_off(tmp_path, pack):
    for content in (pack(TEXT)[:-5], pack(TEXT) + pack(TEXT)[:-5]):
        assert "end too early: the file was cut off" in refused(tmp_path, content)


@pytest.mark.parametrize(
    ("opened", "pack"), [(bzip2_stream, bz2.compress), (xz_stream, lzma.compress)]
)
def test_no_piece_is_larger_than_asked_for(opened, pack):
    stream = opened(io.BytesIO(pack(bytes(1 << 20)))).raw
    for size in (10, 1000):
        piece = bytearray(size)
        assert stream.readinto(piece) == size


@pytest.mark.parametrize(
    ("opened", "pack"), [(bzip2_stream, bz2.compress), (xz_stream, lzma.compress)]
)
def test_a_stream_larger_than_one_block_is_read_to_its_end(opened, pack):
    plain = random.Random(1).randbytes(150_000)
    packed = pack(plain)
    assert len(packed) > 2 * unpack._CHUNK
    assert opened(io.BytesIO(packed)).read() == plain


def with_dictionary(code):
    """Return an xz file whose header asks for a dictionary of this coded size."""
    content = bytearray(lzma.compress(TEXT))
    content[16] = code
    content[20:24] = struct.pack("<I", zlib.crc32(content[12:20]))
    return bytes(content)


def test_a_dictionary_too_large_for_the_memory_is_refused(tmp_path):
    """Codes 31 and 32 stand for 192 and 256 MiB; reading takes a little more than that."""
    assert unpacked(tmp_path, with_dictionary(31)) == TEXT
    told = refused(tmp_path, with_dictionary(32))
    assert "cannot be unpacked here (its dictionary takes more than 256 MB of memory)" in told


def test_damage_of_another_kind_is_not_taken_for_want_of_memory(tmp_path):
    content = bytearray(lzma.compress(TEXT))
    content[-30] ^= 0xFF
    assert "damaged compressed data" in refused(tmp_path, bytes(content))
