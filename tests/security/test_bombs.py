"""Bombs are refused in one line of ours and in bounded memory; what is honest and large is read."""

import gzip
import sys
import zipfile

import pytest
from tests.io.files import problem, reading, written, zipped
from tests.security import bombs

import linkprior as lp
from linkprior.errors import InputError, ParameterError
from linkprior.io.source import FREE, refuse_bomb

MOST = 150 << 20  # bytes of memory; docs/reliability.md states what was measured
MIB, GIB = 1 << 20, 1 << 30
BOMBS = bombs.BOMBS


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory):
    """What came of every bomb, read one after the other in one process."""
    if not sys.platform.startswith("linux"):
        pytest.skip("the memory of a process is measured as Linux tells it")
    return bombs.measured(tmp_path_factory.mktemp("bombs"))


@pytest.mark.parametrize("name", BOMBS)
def test_a_bomb_is_refused_in_one_line_and_little_memory(outcomes, name):
    told, taken = outcomes[name]["told"], outcomes[name]["bytes"]
    assert told.startswith("InputError: "), told
    assert "\n" not in told
    assert BOMBS[name].file in told
    assert BOMBS[name].told in told
    assert taken < MOST, f"{taken >> 20} MB"


def test_every_bomb_is_small(outcomes):
    """Else it would not be one: packed by gzip, these 10 GB take 22 MB, the others far less."""
    assert max(outcome["size"] for outcome in outcomes.values()) < 24 * MIB
    assert len({bomb.file for bomb in BOMBS.values()}) == len(BOMBS)


# ---------------------------------------------------------------------- what stays readable


def test_a_file_as_large_as_strings_is_read_whatever_its_size():
    """STRING's links pack about tenfold: 4 GB in 400 MB, or 30 GB in 3 GB, are no bombs."""
    for unpacked, packed in ((4 * GIB, 400 * MIB), (30 * GIB, 3 * GIB)):
        for packing in ("gzip", "bzip2", "zip", "xz"):
            refuse_bomb("links.txt", packing, unpacked, packed)


def test_nothing_unpacks_to_more_than_the_largest_size():
    with pytest.raises(InputError, match=r"links: unpacks to more than 64 GB; .*UNPACK_LIMIT=SIZE"):
        refuse_bomb("links", "gzip", 65 * GIB, 30 * GIB)


def test_a_plain_file_has_no_limit_of_size(tmp_path):
    rows = b"protein1\tprotein2\n" * (2 * FREE // 18)
    assert reading(tmp_path, "e.tsv", rows).report.duplicates == 2 * FREE // 18 - 1


def test_the_limit_can_be_raised(tmp_path, monkeypatch):
    rows = b"protein1\tprotein2\n" * (2 * FREE // 18)
    packed = gzip.compress(rows)
    assert "set LINKPRIOR_UNPACK_LIMIT=SIZE" in problem(tmp_path, "e.tsv.gz", packed)
    monkeypatch.setenv("LINKPRIOR_UNPACK_LIMIT", "1 GB")
    assert reading(tmp_path, "e.tsv.gz", packed).network.n_edges == 1
    assert reading(tmp_path, "e.zip", zipped({"e.tsv": rows})).network.n_edges == 1


def test_the_limit_can_be_lowered(tmp_path, monkeypatch):
    monkeypatch.setenv("LINKPRIOR_UNPACK_LIMIT", "1kB")
    told = problem(tmp_path, "e.tsv.gz", gzip.compress(b"a\tb\n" * 300))
    assert told.startswith("e.tsv.gz: unpacks to more than the 1,000 bytes that LINKPRIOR_UNPACK")
    assert reading(tmp_path, "e.tsv.gz", gzip.compress(b"a\tb\n" * 200)).network.n_edges == 1


def test_a_limit_that_is_no_size_is_named(tmp_path, monkeypatch):
    monkeypatch.setenv("LINKPRIOR_UNPACK_LIMIT", "plenty")
    path = written(tmp_path, "e.tsv.gz", gzip.compress(b"a\tb\n"))
    with pytest.raises(ParameterError, match=r"must be a size such as 500M or 20GB, got 'plenty'"):
        lp.read_network(path)


def test_a_zip_member_packed_by_lzma_is_checked_to_its_end(tmp_path):
    """Read in small pieces, it must still be compared with size and checksum."""
    text = "".join(f"x{i}\ty{i * i % 97}\n" for i in range(20_000))
    content = zipped({"e.tsv": text}, zipfile.ZIP_LZMA)
    assert reading(tmp_path, "e.zip", content).report.rows == 20_000
    directory = content.rindex(b"PK\x01\x02")
    for at, byte in ((16, content[directory + 16] ^ 1), (26, 0)):  # checksum, size
        changed = bytearray(content)
        changed[directory + at] = byte
        assert "Bad CRC-32" in problem(tmp_path, "e.zip", bytes(changed))


def test_an_npz_packed_as_numpy_packs_none_is_refused(tmp_path):
    whole = bombs.npz(format=b"coo", shape=[9, 9], row=[0], col=[1], data=[1.0])
    with zipfile.ZipFile(written(tmp_path, "m.npz", whole)) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    told = problem(tmp_path, "m.npz", zipped(members, zipfile.ZIP_BZIP2))
    assert "is packed in a way that NumPy does not use; save it again" in told


def test_a_dtd_elsewhere_is_not_fetched_and_does_no_harm(tmp_path):
    text = f"<!DOCTYPE graphml SYSTEM 'file:///etc/passwd'>\n{bombs.GRAPH}"
    assert reading(tmp_path, "g.graphml", text).network.n_edges == 1
