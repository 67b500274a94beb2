"""An input before any format is known: what is opened, told, counted and refused."""

import gzip
import hashlib
import io
import sys
import zipfile

import pytest

from linkprior.errors import InputError, ParameterError
from linkprior.io import source
from linkprior.io.source import HEAD, Source, open_source

MIB = 1 << 20


def refused(path):
    with pytest.raises(InputError) as told, open_source(path):
        pass
    return str(told.value)


def plain_of(path, size=1 << 22):
    with open_source(path) as opened:
        return list(opened.blocks(size)), opened


# ---------------------------------------------------------------------- bytes


@pytest.mark.parametrize("length", [0, 1, HEAD - 1, HEAD, HEAD + 1, 3 * HEAD])
def test_the_stream_begins_with_the_head_whatever_the_length(tmp_path, length):
    content = bytes(range(1, 251)) * (length // 250 + 1)
    (tmp_path / "e").write_bytes(content[:length])
    pieces, opened = plain_of(tmp_path / "e")
    assert b"".join(pieces) == content[:length]
    assert opened.head == content[: min(length, HEAD)]
    assert opened.packing is None


def test_blocks_are_of_the_size_asked_for(tmp_path):
    (tmp_path / "e").write_bytes(b"x" * 1000)
    assert [len(piece) for piece in plain_of(tmp_path / "e", 300)[0]] == [300, 300, 300, 100]


def test_the_checksum_is_that_of_all_bytes_however_much_was_read(tmp_path):
    content = bytes(range(250)) * 10_000
    (tmp_path / "e").write_bytes(content)
    with open_source(tmp_path / "e") as opened:
        assert opened.sha256() == hashlib.sha256(content).hexdigest()
        assert opened._tap.count == len(content)


def test_a_small_part_of_a_large_file_is_read_at_first(tmp_path):
    (tmp_path / "e").write_bytes(b"x" * (10 * HEAD))
    with open_source(tmp_path / "e") as opened:
        assert opened._tap.count <= 2 * HEAD


def test_the_stream_takes_buffers_of_any_size(tmp_path):
    """Also where the first bytes, read before, are more than fit."""
    content = bytes(range(1, 251)) * 300
    (tmp_path / "e").write_bytes(content)
    with open_source(tmp_path / "e") as opened:
        assert opened.lines == 0
        raw, got = opened.stream.raw, b""
        for size in (1, 10, 60_000, 60_000, 60_000, 10):
            buffer = memoryview(bytearray(size))
            got += bytes(buffer[: raw.readinto(buffer)])
    assert got == content


def test_a_stream_can_be_read_line_by_line(tmp_path):
    (tmp_path / "e").write_bytes(b"a b\nc d\n")
    with open_source(tmp_path / "e") as opened:
        assert opened.stream.readline() == b"a b\n"
        assert opened.stream.readable()


def whole(content, most):
    return Source("e", io.BytesIO(content), content[:HEAD], None, _tap=None).whole(most)


def test_all_at_once_up_to_a_limit():
    assert whole(b"x" * MIB, MIB) == b"x" * MIB
    with pytest.raises(InputError, match="^e: larger than 1 MB, too large for this format"):
        whole(b"x" * (MIB + 1), MIB)


def test_the_limit_counts_all_pieces_together():
    opened = Source("e", io.BytesIO(), b"", None, _tap=None)
    opened.blocks = lambda: iter([b"abc", b"de", b"f"])
    assert opened.whole(6) == b"abcdef"
    with pytest.raises(InputError, match="larger than"):
        opened.whole(5)


def test_every_block_of_a_packed_file_is_weighed(tmp_path, monkeypatch):
    packed = gzip.compress(b"ab" * 500)
    (tmp_path / "e.gz").write_bytes(packed)
    asked = []
    monkeypatch.setattr(source, "refuse_bomb", lambda *facts: asked.append(facts))
    plain_of(tmp_path / "e.gz", 400)
    name = str(tmp_path / "e.gz")
    assert asked == [(name, "gzip", size, len(packed)) for size in (400, 800, 1000)]


# ---------------------------------------------------------------------- paths


def test_what_is_no_file_is_told_apart(tmp_path):
    (tmp_path / "link").symlink_to(tmp_path / "gone")
    (tmp_path / "good").write_text("a b\n")
    (tmp_path / "leads").symlink_to(tmp_path / "good")
    assert "link: is a link to nothing" in refused(tmp_path / "link")
    assert "no such file. Did you mean good? Check the path" in refused(tmp_path / "goood")
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
def test_whatever_goes_wrong_while_it_is_read_is_told_in_one_line(tmp_path, problem, told):
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


def test_standard_input_is_called_so(monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"a b\n")))
    pieces, opened = plain_of("-")
    assert (pieces, opened.name) == ([b"a b\n"], "stdin")
