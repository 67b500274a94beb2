"""Text out of pieces of bytes: where a line begins, which line is blamed, how long one may be."""

import codecs

import pytest

from linkprior.errors import InputError
from linkprior.io.source import Block, text_blocks


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


def refused(*pieces, **limit):
    with pytest.raises(InputError) as told:
        blocks(*pieces, **limit)
    return str(told.value)


@pytest.mark.parametrize(
    ("pieces", "expected", "lines"),
    [
        ([], [], 0),
        ([b"a"], [(1, "a")], 1),
        ([b"a\n"], [(1, "a\n")], 1),
        ([b"\n"], [(1, "\n")], 1),
        ([b"a\nb"], [(1, "a\n"), (2, "b")], 2),
        ([b"a\nb\nc", b"d\ne\n"], [(1, "a\nb\n"), (3, "cd\ne\n")], 4),
        ([b"a", b"b", b"c\nd"], [(1, "abc\n"), (2, "d")], 2),
        ([b"a\r", b"\nb\rc"], [(1, "a\nb\n"), (3, "c")], 3),
        ([b"a\n\xc3", b"\xa9\n"], [(1, "a\n"), (2, "\u00e9\n")], 2),
        ([codecs.BOM_UTF8 + b"a\n"], [(1, "a\n")], 1),
        (["\u00e9\nb\n".encode("utf-16")], [(1, "\u00e9\nb\n")], 2),
        ([codecs.BOM_UTF16_BE + "a\nb".encode("utf-16-be")], [(1, "a\n"), (2, "b")], 2),
    ],
)
def test_blocks_are_whole_lines_with_the_number_of_the_first(pieces, expected, lines):
    assert blocks(*pieces) == (expected, lines)


def test_a_block_is_known_by_its_first_line_and_text():
    assert next(iter(text_blocks(Pieces(b"a\n")))) == Block(1, "a\n")


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
    assert refused(*pieces).startswith(where)


def test_iconv_is_named_for_single_bytes_only():
    assert "iconv" in refused(b"\xe9 b\n")
    assert "iconv" not in refused(codecs.BOM_UTF16_LE + b"a")


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
        told = refused(short + long + after, longest=longest)
        assert told.startswith(f"e:{before + 1}: a line of more than 0 MB")


def test_a_line_is_too_long_over_several_blocks_too():
    told = refused(b"a\nb\ncc", b"cccc", b"cccc", longest=9)
    assert told.startswith("e:3: a line of more than")
    assert blocks(b"a\nb\ncc", b"cccc", b"ccc\n", longest=9)[1] == 3


def test_a_limit_is_told_in_megabytes():
    told = refused(b"x" * ((1 << 20) + 1))
    assert told.startswith("e:1: a line of more than 1 MB; expected one edge per line")
