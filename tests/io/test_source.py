"""Inputs as streams of unpacked bytes and of text: what is opened, refused, counted."""

import bz2
import codecs
import contextlib
import gzip
import hashlib
import io
import lzma
import random
import re
import struct
import sys
import tarfile
import zipfile
import zlib
from itertools import pairwise

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.io.files import pairs, problem, reading, written, zipped

import linkprior as lp
from linkprior.errors import InputError, LinkpriorError, ParameterError
from linkprior.io.read import read
from linkprior.io.source import UNPACK_VARIABLE, Source, open_source, refuse_bomb, text_blocks

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


@pytest.mark.parametrize("kind", PACKERS)
@pytest.mark.parametrize("name", ["edges.tsv", "edges.bin"], ids=["suffix", "other suffix"])
def test_packing_is_known_by_the_bytes_not_by_the_name(tmp_path, kind, name):
    found = reading(tmp_path, name, PACKERS[kind](TEXT.encode()))
    assert pairs(found.network) == PAIRS
    assert (found.report.packing or "plain").split()[0] == kind.split()[0]


def feed(monkeypatch, content):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content), encoding="ascii"))
    return lp.read_network("-")


@pytest.mark.parametrize("kind", PACKERS)
def test_stdin_is_read_as_a_file_is(monkeypatch, kind):
    assert pairs(feed(monkeypatch, PACKERS[kind](TEXT.encode()))) == PAIRS


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


MIB, GIB = 1 << 20, 1 << 30


def refused(path):
    with pytest.raises(InputError) as told, open_source(path):
        pass
    return str(told.value)


def plain_of(path, size=1 << 22):
    with open_source(path) as opened:
        return list(opened.blocks(size)), opened


def test_blocks_are_of_the_size_asked_for(tmp_path):
    (tmp_path / "e").write_bytes(b"x" * 1000)
    assert [len(piece) for piece in plain_of(tmp_path / "e", 300)[0]] == [300, 300, 300, 100]


def test_the_checksum_is_that_of_all_bytes_however_much_was_read(tmp_path):
    content = bytes(range(250)) * 10_000
    (tmp_path / "e").write_bytes(content)
    with open_source(tmp_path / "e") as opened:
        assert opened.sha256() == hashlib.sha256(content).hexdigest()
        assert opened._tap.count == len(content)


def test_all_at_once_up_to_a_limit_over_all_pieces():
    opened = Source("e", io.BytesIO(), b"", None, _tap=None)
    opened.blocks = lambda: iter([b"x" * MIB, b"yz", b""])
    assert opened.whole(MIB + 2) == b"x" * MIB + b"yz"
    with pytest.raises(InputError, match="^e: larger than 1 MB, too large for this format"):
        opened.whole(MIB + 1)


@pytest.mark.parametrize(
    ("packing", "unpacked", "packed", "limit", "told"),
    [
        ("gzip", 15 * MIB, 1, "", ""),
        ("gzip", 251 * MIB, MIB, "", "more than 250 times its size"),
        ("xz", 900 * MIB, MIB, "", ""),
        ("xz", 2 * GIB, 4 * MIB, "", "more than 100 times its size"),
        ("zip", 3 * GIB, 400 * MIB, "", ""),  # as STRING's files are
        ("zip", 12 * GIB, 12 * MIB, "", "more than 100 times its size"),
        ("xz", 64 * GIB, GIB, "", ""),
        ("xz", 64 * GIB + 1, GIB, "", "more than 64 GB"),
        ("xz", 64 * GIB + 1, 1, "70G", ""),
        ("gzip", 5000, 1, "5000", ""),
        ("gzip", 5001, 5000, "5000", "more than the 5,000 bytes that LINKPRIOR_UNPACK_LIMIT"),
        ("gzip", 1, 1, "much", "LINKPRIOR_UNPACK_LIMIT must be a size such as"),
    ],
)
def test_how_much_a_packed_file_may_hold(monkeypatch, packing, unpacked, packed, limit, told):
    monkeypatch.setenv(UNPACK_VARIABLE, limit)
    if not told:
        refuse_bomb("e", packing, unpacked, packed)
        return
    with pytest.raises(LinkpriorError, match=told) as caught:
        refuse_bomb("e", packing, unpacked, packed)
    assert isinstance(caught.value, ParameterError if "must be" in told else InputError)


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
    assert told in refused(written(tmp_path, "e.zip", zipped(members)))


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
    content, opened = plain_of(written(tmp_path, "e.zip", zipped(members)))
    assert content == [b"a b"]
    assert opened.packing == f"zip ({next(iter(members))})"


def test_a_member_without_a_name_is_passed_over(tmp_path):
    """A name ends at its first NUL."""
    content = zipped({"e.txt": "a b", "qq.txt": "c d"}).replace(b"qq.txt", b"\0q.txt")
    assert plain_of(written(tmp_path, "e.zip", content))[0] == [b"a b"]


def test_a_zip_that_points_before_its_beginning_is_damaged(tmp_path):
    content = zipped({"e.txt": "a b"})
    at = content.index(b"PK\x05\x06") + 16
    wrong = int.from_bytes(content[at : at + 4], "little") + 10
    content = content[:at] + wrong.to_bytes(4, "little") + content[at + 4 :]
    assert "e.zip: a damaged zip archive" in refused(written(tmp_path, "e.zip", content))


TABLE = b"a\tb\nb\tc\n" * 40


def content_of(tmp_path, content):
    return b"".join(plain_of(written(tmp_path, "e", content))[0])


def refused_blocks(tmp_path, content):
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
    for content in (pack(TABLE)[:-5], pack(TABLE) + pack(TABLE)[:-5]):
        assert "end too early: the file was cut off" in refused_blocks(tmp_path, content)


@PACK
def test_a_stream_larger_than_one_block_is_read_to_its_end(tmp_path, pack):
    plain = random.Random(1).randbytes(150_000)
    assert content_of(tmp_path, pack(plain)) == plain


def with_dictionary(code):
    """Return an xz file whose header asks for a dictionary of this coded size."""
    content = bytearray(lzma.compress(TABLE))
    content[16] = code
    content[20:24] = struct.pack("<I", zlib.crc32(content[12:20]))
    return bytes(content)


def test_a_dictionary_too_large_for_the_memory_is_refused(tmp_path):
    """Codes 31 and 32 stand for 192 and 256 MiB; reading takes a little more than that."""
    assert content_of(tmp_path, with_dictionary(31)) == TABLE
    told = refused_blocks(tmp_path, with_dictionary(32))
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


def test_each_input_that_is_not_a_file_has_its_own_message(tmp_path):
    (tmp_path / "link").symlink_to(tmp_path / "gone")
    (tmp_path / "good").write_text("a b\n")
    (tmp_path / "leads").symlink_to(tmp_path / "good")
    assert "link: is a broken link" in refused(tmp_path / "link")
    assert "no such file. Did you mean good? Check the path" in refused(tmp_path / "goood")
    assert "e: no such file. There is no folder " in refused(tmp_path / "nowhere" / "e")
    assert "no file can have such a name" in refused("a\0b")
    assert "is a directory" in refused(tmp_path)
    assert refused("").startswith("the name of the input is empty")
    assert plain_of(tmp_path / "leads")[0] == [b"a b\n"]


@pytest.mark.parametrize(
    ("problem", "told"),
    [
        (EOFError(), "e: the compressed data end too early"),
        (NotImplementedError("kind 99"), r"e: cannot be unpacked here \(kind 99\)"),
        (RuntimeError("it is encrypted"), "e: the zip archive is encrypted"),
        (PermissionError(13, "Permission denied"), r"e: cannot be read \(Permission denied\)"),
        (OSError("Not a gzipped file"), r"e: damaged compressed data \(Not a gzipped file\)"),
        (zipfile.BadZipFile("bad"), r"e: damaged compressed data \(bad\)"),
        (InputError("a\x07b"), r"^a\\x07b$"),
        (InputError("plain"), "^plain$"),
    ],
)
def test_whatever_goes_wrong_while_it_is_read_is_reported_in_one_line(tmp_path, problem, told):
    (tmp_path / "e").write_text("a b\n")
    with pytest.raises(InputError, match=told), open_source(tmp_path / "e"):
        raise problem


@pytest.mark.parametrize("kind", [RuntimeError, KeyError])
def test_errors_of_the_program_itself_are_not_blamed_on_the_file(tmp_path, kind):
    (tmp_path / "e").write_text("a b\n")
    with pytest.raises(kind, match="mine"), open_source(tmp_path / "e"):
        raise kind("mine")


def test_an_error_that_can_be_shown_is_handed_on_as_it_is(tmp_path):
    (tmp_path / "e").write_text("a b\n")
    mine = ParameterError("plain")
    with pytest.raises(ParameterError) as told, open_source(tmp_path / "e"):
        raise mine
    assert told.value is mine


def blocks_of(path, size, longest=1 << 20):
    """The blocks of a file read so many bytes at a time, and the lines counted."""
    with open_source(path) as source:
        pieces = source.blocks
        source.blocks = lambda: pieces(size)
        return list(text_blocks(source, longest)), source.lines


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    lines=st.lists(st.text(alphabet="ab\té蛋 \u2028\x85", max_size=6), max_size=30),
    end=st.sampled_from(["\n", "\r\n", "\r"]),
    ended=st.booleans(),
    encoding=st.sampled_from(["utf-8", "utf-8-sig", "utf-16"]),
    size=st.integers(1, 40),
)
def test_lines_are_those_of_universal_newlines(tmp_path, lines, end, ended, encoding, size):
    text = end.join(lines) + (end if ended else "")
    blocks, counted = blocks_of(written(tmp_path, "t", text.encode(encoding)), size)
    expected = re.sub("\r\n|\r", "\n", text)
    assert "".join(block.text for block in blocks) == expected
    for before, block in pairwise(blocks):
        assert before.text.endswith("\n")
        assert block.first == before.first + before.text.count("\n")
    assert counted == expected.count("\n") + (not expected.endswith("\n") and expected != "")


class Pieces:
    """A source that gives its bytes in pieces as told."""

    def __init__(self, *pieces):
        self.name, self.head, self.lines, self._pieces = "e", b"".join(pieces), 0, pieces

    def blocks(self):
        return iter(self._pieces)


def blocks(*pieces, **limit):
    source = Pieces(*pieces)
    found = [(block.first, block.text) for block in text_blocks(source, **limit)]
    return found, source.lines


def refused_text(*pieces, **limit):
    with pytest.raises(InputError) as told:
        blocks(*pieces, **limit)
    return str(told.value)


@pytest.mark.parametrize(
    ("pieces", "where"),
    [
        ([b"\0"], "e:1: a NUL byte"),
        ([b"a\r\nb\rc\nd\0e\n\n"], "e:4: a NUL byte"),
        ([b"a\nb", b"c\nd\0"], "e:3: a NUL byte"),
        ([b"\xff"], "e:1: not UTF-8 text (byte 0xff); save it as UTF-8, for example with"),
        ([b"a\nb\r\nc\xe9d\ne"], "e:3: not UTF-8 text (byte 0xe9)"),
        ([b"a\n", b"b\nc\xe9d\ne"], "e:3: not UTF-8 text (byte 0xe9)"),
        ([b"a\nb\xc3"], "e:2: not UTF-8 text (byte 0xc3)"),
        ([b"a\nb\x0e\xb0 \n"], "e:2: not UTF-8 text (byte 0xb0)"),
        ([codecs.BOM_UTF16_LE + "a\nb\n".encode("utf-16-le") + b"\0"], "e:3: not UTF-16 text"),
        (
            [codecs.BOM_UTF16_LE + "a\nb".encode("utf-16-le") + b"\x00\xdc" + b"a\0"],
            "e:2: not UTF-16 text (byte 0x00); save it as UTF-8",
        ),
    ],
)
def test_what_is_no_text_is_blamed_on_its_line(pieces, where):
    assert refused_text(*pieces).startswith(where)


def test_iconv_is_named_for_single_bytes_only():
    assert "iconv" in refused_text(b"\xe9 b\n")
    assert "iconv" not in refused_text(codecs.BOM_UTF16_LE + b"a")


def test_utf16_may_hold_nul_bytes():
    assert blocks(codecs.BOM_UTF16_LE, b"a\0\n\0") == ([(1, "a\n")], 1)


@pytest.mark.parametrize("longest", [9, 10])
@pytest.mark.parametrize("before", range(12))
def test_a_line_may_be_just_as_long_as_the_limit(longest, before):
    """Wherever it begins in a block, and whatever comes behind."""
    short = b"x\n" * before
    fits, long = b"y" * longest, b"y" * (longest + 1)
    for after in (b"", b"\n", b"\nzz\nz\n"):
        assert blocks(short + fits + after, longest=longest)[1] == before + (after + b"z").count(
            b"\n"
        ) + (not after.endswith(b"\n"))
        told = refused_text(short + long + after, longest=longest)
        assert told.startswith(f"e:{before + 1}: a line of more than 0 MB")


def test_a_line_is_too_long_over_several_blocks_too():
    told = refused_text(b"a\nb\ncc", b"cccc", b"cccc", longest=9)
    assert told.startswith("e:3: a line of more than")
    assert blocks(b"a\nb\ncc", b"cccc", b"ccc\n", longest=9)[1] == 3


def test_a_limit_is_reported_in_megabytes():
    told = refused_text(b"x" * ((1 << 20) + 1))
    assert told.startswith("e:1: a line of more than 1 MB; expected one edge per line")


def test_a_source_counts_the_bytes_on_the_disk(tmp_path):
    plain = b"a\tb\n" * 50_000
    packed = gzip.compress(plain)
    (tmp_path / "e.tsv.gz").write_bytes(packed)
    with open_source(tmp_path / "e.tsv.gz") as source:
        assert b"".join(source.blocks(1 << 10)) == plain
        assert source._tap.count == len(packed)
