"""Packed files: known by their bytes, of one file each, and no larger than they may be."""

import io
import zipfile
from contextlib import ExitStack, suppress

import pytest
from tests.io.packing import zipped

from linkprior.errors import InputError, ParameterError, visible
from linkprior.io import unpack
from linkprior.io.source import display_path, open_source, packing_of
from linkprior.io.unpack import refuse_bomb, unpack_limit, unpacked

MIB, GIB = 1 << 20, 1 << 30


@pytest.mark.parametrize(
    ("start", "kind"),
    [
        (b"\x1f\x8b\x08", "gzip"),
        (b"BZh91AY&SY", "bzip2"),
        (b"BZh1\x17rE8P\x90", "bzip2"),
        (b"BZh01AY&SY", None),
        (b"\xfd7zXZ\x00", "xz"),
        (b"PK\x03\x04", "zip"),
        (b"aPK\x03\x04", None),
        (b"", None),
    ],
)
def test_packing_is_told_by_the_first_bytes(start, kind):
    assert packing_of(start) == kind


def test_an_archive_of_arrays_is_handed_on_from_its_first_byte(tmp_path):
    path, content = tmp_path / "e", zipped({"row.npy": b"1", "col.npy": b"2"})
    path.write_bytes(content)
    with open_source(path) as source:
        assert (source.stream.read(), source.packing) == (content, None)


@pytest.mark.parametrize("magic", [b"%PDF-", b"Rar!\x1a\x07", b"PK\x05\x06"])
def test_other_files_are_known_by_how_they_begin(tmp_path, magic):
    path = tmp_path / "e"
    path.write_bytes(b"a " + magic)
    with open_source(path) as source:
        assert source.stream.read() == b"a " + magic
    path.write_bytes(magic + b" a")
    with (
        pytest.raises(InputError, match="e: is an? .*, expected a network as text"),
        open_source(path),
    ):
        pass


def test_what_would_not_stay_on_a_line_is_shown_as_its_code():
    assert (display_path("-"), display_path("a b"), display_path("a\nb")) == (
        "stdin",
        "a b",
        "'a\\nb'",
    )
    assert (visible("a\u00e9"), visible("a\tb\x1bc\u202e")) == ("a\u00e9", "a\\tb\\x1bc\\u202e")


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


def test_a_zip_is_weighed_by_what_its_member_takes(monkeypatch):
    """Not by the whole archive, nor by more than there is of it."""
    content = zipped({"e.txt": b"ab" * 500})
    asked = []
    monkeypatch.setattr("linkprior.io.unpack.refuse_bomb", lambda *facts: asked.append(facts))
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        member = archive.infolist()[0]
    for claimed in (member.compress_size, 10**6):
        at = content.index(b"PK\x01\x02") + 20
        other = content[:at] + claimed.to_bytes(4, "little") + content[at + 4 :]
        # Later Pythons refuse by themselves, afterwards, what says that it is longer than it is.
        with suppress(zipfile.BadZipFile), ExitStack() as stack:
            unpacked(io.BytesIO(other), "zip", "e", stack)
    sizes = [member.compress_size, len(content)]
    assert asked == [("e", "zip", 1000, size) for size in sizes]


# ---------------------------------------------------------------------- how much is unpacked


@pytest.mark.parametrize(
    ("packing", "unpacked", "packed", "ratio"),
    [
        ("gzip", unpack.FREE, 1, 250),
        ("gzip", 250 * MIB, MIB, 250),
        ("zip", 250 * MIB, MIB, 250),
        ("bzip2", 250 * MIB, MIB, 250),
        ("xz", 1000 * MIB, MIB, 1000),
        ("xz", 100 * 20 * MIB, 20 * MIB, 100),
        ("zip", GIB, GIB // 200, 100),
    ],
)
def test_the_last_byte_that_may_be_unpacked_and_the_first_that_may_not(
    packing, unpacked, packed, ratio
):
    refuse_bomb("e", packing, unpacked, packed)
    with pytest.raises(InputError, match=f"^e: unpacks to more than {ratio} times its size"):
        refuse_bomb("e", packing, unpacked + 1, packed)


def test_nothing_that_fits_no_memory_is_unpacked_unless_the_user_says_so(monkeypatch):
    refuse_bomb("e", "xz", 64 * GIB, GIB)
    with pytest.raises(InputError, match="^e: unpacks to more than 64 GB"):
        refuse_bomb("e", "xz", 64 * GIB + 1, GIB)
    monkeypatch.setenv(unpack.VARIABLE, "70G")
    refuse_bomb("e", "xz", 64 * GIB + 1, 1)


def test_the_users_limit_counts_for_small_files_too(monkeypatch):
    monkeypatch.setenv(unpack.VARIABLE, "5000")
    refuse_bomb("e", "gzip", 5000, 1)
    with pytest.raises(InputError, match="^e: unpacks to more than the 5,000 bytes that LINKPRIOR"):
        refuse_bomb("e", "gzip", 5001, 5000)


@pytest.mark.parametrize(("given", "size"), [("", None), ("  ", None), (" 2K ", 2000), ("0", 0)])
def test_the_users_limit_is_a_size_or_none(monkeypatch, given, size):
    monkeypatch.setenv(unpack.VARIABLE, given)
    assert unpack_limit() == size


def test_a_limit_that_is_no_size_is_refused(monkeypatch):
    monkeypatch.setenv(unpack.VARIABLE, "much")
    with pytest.raises(ParameterError, match=r"LINKPRIOR_UNPACK_LIMIT must be .*, got '?much"):
        unpack_limit()
