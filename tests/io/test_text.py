"""Bytes to text: line ends, encodings, line numbers across blocks, and what is no text."""

import re
from itertools import pairwise

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.io.graph_files import written

from linkprior.errors import InputError
from linkprior.io.source import open_source, text_blocks


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


@pytest.mark.parametrize("size", [1, 5, 1000])
@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
@pytest.mark.parametrize(
    ("bad", "expected"),
    [(b"\xe9t\xe9", "not UTF-8 text (byte 0xe9)"), (b"x\0", "NUL byte"), (b"\xc3", "(byte 0xc3)")],
)
def test_what_is_no_text_is_named_by_its_line(tmp_path, size, end, bad, expected):
    path = written(tmp_path, "t", end.join([b"a b", b"c d", b"e " + bad, b"f g"]))
    with pytest.raises(InputError, match=re.escape("t:3: ")) as caught:
        blocks_of(path, size)
    assert expected in str(caught.value)


def test_utf16_that_is_cut_off(tmp_path):
    path = written(tmp_path, "t", "a b\nc d\ne f".encode("utf-16")[:-1])
    with pytest.raises(InputError, match=r"t:3: not UTF-16 text .* save it as UTF-8$"):
        blocks_of(path, 1000)


@pytest.mark.parametrize("at", [0, 1, 700, 1300, 2600], ids=lambda at: f"after {at} characters")
@pytest.mark.parametrize(("length", "fits"), [(999, True), (1000, True), (1001, False)])
def test_a_long_line_is_refused_wherever_it_lies(tmp_path, at, length, fits):
    before = "x\n" * (at // 2)
    path = written(tmp_path, "t", f"{before}{'y' * length}\nz\n")
    if fits:
        assert "".join(b.text for b in blocks_of(path, 3000, 1000)[0]).endswith("y\nz\n")
    else:
        with pytest.raises(InputError, match=f"t:{at // 2 + 1}: a line of more than"):
            blocks_of(path, 3000, 1000)
