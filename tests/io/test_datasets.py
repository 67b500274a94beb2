"""Named networks: the catalogue, local copies, and downloads that come whole or not at all."""

import ast
import bz2
import errno
import gzip
import hashlib
import json
import lzma
import os
import re
import socket
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from tests.io.web_site import FILE, TEXT, cut_short, endless, entry, files_in, forbidden, one, serve

import linkprior
from linkprior.errors import InputError, ParameterError
from linkprior.io import datasets
from linkprior.io.datasets import (
    FetchError,
    UnreachableError,
    cache_folder,
    fetch,
    read_catalogue,
    whereabouts,
)

pytestmark = pytest.mark.usefixtures("apart")


def test_every_entry_is_well_formed_and_pinned():
    catalogue = read_catalogue()
    pinned = re.compile(r"https://raw\.githubusercontent\.com/([^/]+/[^/]+)/[0-9a-f]{40}/[^ ?#]+")
    assert {"huri", "yeast-y2h", "dream5-net1", "biogrid-rat-3.2.120", "ca-grqc"} <= set(catalogue)
    assert len({one.plain_file for one in catalogue.values()}) == len(catalogue)
    for name, one_entry in catalogue.items():
        assert re.fullmatch(r"[a-z0-9][a-z0-9.-]*", name), name
        assert one_entry.nodes > 1, name
        assert one_entry.edges > 1, name
        assert one_entry.licence == "not stated" or "not stated" not in one_entry.licence, name
        assert (one_entry.url is None) == (one_entry.address is None), name
        if one_entry.url is not None:
            assert one_entry.address in ("seen", "inferred"), name
            repository = pinned.fullmatch(one_entry.url)[1]
            assert one_entry.source.startswith(f"{repository}: "), name


def test_the_local_networks_have_the_hashes_of_the_catalogue(data_folder):
    wrong = []
    for name, expected in read_catalogue().items():
        content = (data_folder / expected.file).read_bytes()
        if expected.file.endswith(".gz"):
            content = gzip.decompress(content)
        if (hashlib.sha256(content).hexdigest(), len(content)) != (expected.sha256, expected.bytes):
            wrong.append(name)
    assert wrong == []


ROW = {**vars(entry("https://nowhere.invalid/net.tsv")), "name": "n"}
BAD = "\x1b[2J"


@pytest.mark.parametrize(
    ("document", "message"),
    [
        ("{", "expected a catalogue in JSON"),
        ([], "expected a catalogue of format 1"),
        ({"format": 2}, "expected a catalogue of format 1"),
        ({"format": 1, "networks": 3}, "expected a list of networks"),
        ([ROW, ROW], "n needs a name of its own"),
        *((({"file": file}, "inside the data folder")) for file in ("../../x", "/etc/x", "a/../b")),
        ({"sha256": "abc"}, "64 hexadecimal"),
        ({"bytes": -1}, "size in bytes"),
        ({"name": []}, "a name and a file"),
        ({"file": {}}, "a name and a file"),
        ({"url": 5}, "a url that is text"),
        *(({what: BAD}, "plain text") for what in ("name", "title", "file", "source", "url")),
        ({f"x{BAD}": 1}, "not described as expected"),
    ],
)
def test_a_catalogue_that_is_none_or_has_a_bad_entry_is_refused(tmp_path, document, message):
    if isinstance(document, dict) and "format" not in document:
        document = [{**ROW, **document}]
    if isinstance(document, list) and document:
        document = {"format": 1, "networks": document}
    path = tmp_path / "other.json"
    path.write_text(document if isinstance(document, str) else json.dumps(document))
    with pytest.raises(InputError, match=f"other.json: .*{message}") as problem:
        read_catalogue(path)
    assert str(problem.value).isprintable()


def test_only_one_file_of_linkprior_can_open_an_address():
    root = Path(linkprior.__file__).parent
    openers = {
        str(path.relative_to(root))
        for path in root.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Import | ast.ImportFrom)
        for name in [getattr(node, "module", None), *(alias.name for alias in node.names)]
        if name in ("urllib.request", "http.client", "requests", "httpx", "ftplib")
    }
    assert openers == {str(Path("io") / "datasets.py")}


@pytest.mark.parametrize("damage", [lambda b: b[:-1], lambda b: b + b"x", lambda b: b"?" + b[1:]])
def test_a_damaged_cached_file_is_fetched_again(site, tmp_path, damage):
    site.pages["/net.tsv"] = serve(TEXT)
    kept = tmp_path / "cache" / "data" / FILE
    kept.parent.mkdir(parents=True)
    kept.write_bytes(damage(TEXT))
    said = []
    assert fetch("net", catalogue=one(site.root + "/net.tsv"), log=said.append) == kept
    assert kept.read_bytes() == TEXT
    assert f"{kept} is not used" in said[0]


@pytest.mark.parametrize(("kept_as", "pack"), [("net.tsv.gz", gzip.compress), ("net.tsv", bytes)])
def test_a_local_copy_serves_without_any_connection(tmp_path, monkeypatch, kept_as, pack):
    monkeypatch.setattr(socket.socket, "connect", forbidden)
    local = tmp_path / "data" / "folder" / kept_as
    local.parent.mkdir(parents=True)
    local.write_bytes(pack(TEXT))
    catalogue = one("https://nowhere.invalid/net.tsv", file="folder/net.tsv.gz")
    assert fetch("net", catalogue=catalogue, data=tmp_path / "data") == local
    monkeypatch.setenv("LINKPRIOR_DATA", str(tmp_path / "data"))
    assert fetch("net", catalogue=catalogue) == local
    found = whereabouts(catalogue["net"], tmp_path / "data", tmp_path / "cache")
    assert found == ("local", local)


@pytest.mark.parametrize("content", [b"another network\n", gzip.compress(TEXT)[:-9]])
def test_a_local_copy_with_other_bytes_is_passed_over(site, tmp_path, content):
    site.pages["/net.tsv"] = serve(TEXT)
    local = tmp_path / "data" / "folder" / "net.tsv.gz"
    local.parent.mkdir(parents=True)
    local.write_bytes(content)
    said = []
    catalogue = one(site.root + "/net.tsv", file="folder/net.tsv.gz")
    found = fetch("net", catalogue=catalogue, data=tmp_path / "data", log=said.append)
    assert found == tmp_path / "cache" / "data" / "folder" / "net.tsv"
    assert f"{local} is not used" in said[0]
    assert local.read_bytes() == content


def test_a_data_folder_that_is_not_there_is_reported(site, tmp_path):
    site.pages["/net.tsv"] = serve(TEXT)
    said = []
    fetch("net", catalogue=one(site.root + "/net.tsv"), data=tmp_path / "no", log=said.append)
    assert said[0].startswith(f"{tmp_path / 'no'} is not a folder")


def test_a_network_without_an_address_asks_for_a_local_copy():
    with pytest.raises(FetchError, match="no address.*owner/name.*LINKPRIOR_DATA.*folder/net.tsv"):
        fetch("net", catalogue=one(None))


@pytest.mark.parametrize("value", ["1", "yes", "TRUE"])
def test_offline_forbids_downloads_but_not_the_cache(site, monkeypatch, value):
    site.pages["/net.tsv"] = serve(TEXT)
    monkeypatch.setenv("LINKPRIOR_OFFLINE", value)
    with pytest.raises(FetchError, match="LINKPRIOR_OFFLINE is set"):
        fetch("net", catalogue=one(site.root + "/net.tsv"))
    assert site.hits == []
    monkeypatch.setenv("LINKPRIOR_OFFLINE", "0")
    fetch("net", catalogue=one(site.root + "/net.tsv"))
    monkeypatch.setenv("LINKPRIOR_OFFLINE", value)
    assert fetch("net", catalogue=one(site.root + "/net.tsv")).read_bytes() == TEXT


def test_an_unknown_name_is_answered_with_the_nearest():
    with pytest.raises(ParameterError, match="Did you mean .*huri"):
        fetch("HURY")


def test_the_cache_is_where_each_system_keeps_such_files(monkeypatch, tmp_path):
    monkeypatch.setenv("LINKPRIOR_CACHE", "~/mine")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    assert cache_folder() == tmp_path / "mine"
    monkeypatch.delenv("LINKPRIOR_CACHE")
    monkeypatch.setattr(datasets.sys, "platform", "linux")
    assert cache_folder() == tmp_path / ".cache" / "linkprior"
    monkeypatch.setattr(datasets.sys, "platform", "darwin")
    assert cache_folder() == tmp_path / "Library" / "Caches" / "linkprior"
    monkeypatch.setattr(datasets.sys, "platform", "win32")
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path / "local"))
    assert cache_folder() == tmp_path / "local" / "linkprior"
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert cache_folder() == tmp_path / "xdg" / "linkprior"


def test_without_a_home_folder_the_cache_must_be_named(monkeypatch):
    def homeless():
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.delenv("LINKPRIOR_CACHE")
    monkeypatch.setattr(datasets.sys, "platform", "linux")
    monkeypatch.setattr(Path, "home", homeless)
    with pytest.raises(FetchError, match="LINKPRIOR_CACHE"):
        cache_folder()


@pytest.mark.parametrize(
    ("path", "pack"),
    [
        ("/net.tsv", bytes),
        ("/net.tsv.gz", gzip.compress),
        ("/net.tsv.bz2", bz2.compress),
        ("/net.tsv.xz", lzma.compress),
        ("/packed-without-saying-so", gzip.compress),
        ("/two-members.gz", lambda b: gzip.compress(b[:100]) + gzip.compress(b[100:])),
    ],
)
def test_a_download_is_unpacked_checked_and_kept_under_its_plain_name(site, tmp_path, path, pack):
    site.pages[path] = serve(pack(TEXT))
    found = fetch("net", catalogue=one(site.root + path, file="folder/net.tsv.gz"))
    assert found == tmp_path / "cache" / "data" / "folder" / "net.tsv"
    assert found.read_bytes() == TEXT
    assert files_in(tmp_path) == ["net.tsv"]


def test_the_second_time_the_cache_answers(site):
    site.pages["/net.tsv"] = serve(TEXT)
    first = fetch("net", catalogue=one(site.root + "/net.tsv"))
    assert fetch("net", catalogue=one(site.root + "/net.tsv")) == first
    assert site.hits == ["/net.tsv"]


def test_a_redirect_to_an_allowed_address_is_followed(site):
    site.pages["/old"] = serve(b"", 302, Location="/net.tsv")
    site.pages["/net.tsv"] = serve(TEXT)
    assert fetch("net", catalogue=one(site.root + "/old")).read_bytes() == TEXT


def test_progress_grows_to_the_announced_length_and_an_unstated_licence_is_reported(site):
    site.pages["/net.tsv"] = serve(TEXT)
    seen, said = [], []
    catalogue = one(site.root + "/net.tsv", licence="not stated", citation="Somebody 2001")
    fetch("net", catalogue=catalogue, progress=lambda *p: seen.append(p), log=said.append)
    assert [done for done, _ in seen] == sorted(done for done, _ in seen)
    assert seen[-1] == (len(TEXT), len(TEXT))
    before_download = said[: said.index(f"downloading {site.root}/net.tsv")]
    assert {
        "licence: not stated by the source; check before you redistribute",
        "source: owner/name: net.tsv",
        "cite: Somebody 2001",
    } <= set(before_download)


def test_a_transfer_that_breaks_off_once_is_tried_again(site):
    def flaky(request):
        (cut_short if len(site.hits) == 1 else serve(TEXT))(request)

    site.pages["/net.tsv"] = flaky
    assert fetch("net", catalogue=one(site.root + "/net.tsv")).read_bytes() == TEXT
    assert len(site.hits) == 2


def test_many_fetches_at_once_do_not_disturb_each_other(site, tmp_path):
    site.pages["/net.tsv"] = serve(TEXT)
    start = threading.Barrier(8)

    def together(_):
        start.wait()
        return fetch("net", catalogue=one(site.root + "/net.tsv")).read_bytes()

    with ThreadPoolExecutor(8) as pool:
        assert set(pool.map(together, range(8))) == {TEXT}
    assert files_in(tmp_path) == ["net.tsv"]


def failing(site, tmp_path, page=None, url=None, kind=FetchError, timeout=30.0):
    """The one line that tells why nothing was fetched, and saved neither."""
    if page is not None:
        site.pages["/net.tsv"] = page
    with pytest.raises(kind) as problem:
        fetch("net", catalogue=one(url or site.root + "/net.tsv"), timeout=timeout)
    assert files_in(tmp_path) == []
    message = str(problem.value)
    assert message.isprintable()
    assert f"set LINKPRIOR_DATA to a folder that holds it as {FILE}" in message
    return message


def raw(answer):
    """A page of these very bytes."""
    return lambda request: request.wfile.write(answer)


def chunked(size):
    head = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
    return raw(head + size + b"\r\nhello\r\n")


def in_circles(request):
    serve(b"", 302, Location="/net.tsv")(request)


PACKINGS = (gzip.compress, bz2.compress, lzma.compress)
LONG = "expected 50000 uncompressed bytes, got more".replace("50000", str(len(TEXT)))
LIMIT = f"more than the {int(1.5 * len(TEXT)) + 1_000_000} bytes expected"


@pytest.mark.parametrize(
    ("page", "words", "hits"),
    [
        (None, "status 404", 1),
        (serve(b"", 418), "status 418", 1),
        (serve(b"", 503), "status 503", 3),
        (cut_short, f"{len(TEXT) // 2} of {len(TEXT)} bytes", 3),
        (in_circles, "infinite loop", None),
        (endless, LIMIT, 1),
        (serve(b"", length=10**12), f"{LIMIT} are announced", 1),
        (serve(b"", length="9" * 4000), f"{LIMIT} are announced", 1),
        (serve(b"", length="9" * 5000), "got", 1),
        *((chunked(size), "the transfer broke off", 3) for size in (b"-5", b"x", b"f" * 5000, b"")),
        (serve(TEXT.replace(b"a17", b"A17")), hashlib.sha256(TEXT).hexdigest(), 1),
        *((serve(pack(TEXT)[:-20]), "cannot be read", 1) for pack in PACKINGS),
        *((serve(pack(bytes(50_000_000))), LONG, 1) for pack in PACKINGS),
        *(
            (raw(head + b"\x1b(2J\x07oh/\r\n\r\n"), "(2J", None)
            for head in (
                *(b"HTTP/1.1 500 ", b"HTTP/1.1 418 ", b""),
                *(
                    b"HTTP/1.1 302 Found\r\nLocation: ftp://",
                    b"HTTP/1.1 302 X\r\nLocation: http://",
                ),
            )
        ),
        (raw(b"HTTP/1.1 418 " + b"a" * 9000 + b"\r\n\r\n"), "aaa", 1),
    ],
)
def test_a_server_that_fails_or_cheats_is_reported_in_one_short_line(
    site, tmp_path, page, words, hits
):
    message = failing(site, tmp_path, page)
    assert words in message
    assert len(message) < 600
    assert hits in (None, len(site.hits))  # what may pass is asked for three times


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
@pytest.mark.parametrize("header", ["Location", "URI"])
@pytest.mark.parametrize(
    "target",
    [
        *("file:///etc/hostname", "ftp://127.0.0.1/net.tsv", "https://example.org/net.tsv"),
        *("http://localhost/net.tsv", "https://127.0.0.1/net.tsv", "http://0x7f.1/", "http://[x/"),
    ],
)
def test_a_redirect_to_another_host_or_scheme_is_refused(site, tmp_path, status, header, target):
    page = serve(b"", status, **{header: target})
    message = failing(site, tmp_path, page)
    assert set(site.hits) == {"/net.tsv"}
    assert re.search(f"redirect.*{re.escape(target)}|not allowed|Invalid IPv6", message, re.I)


def test_what_comes_with_a_redirect_is_not_read(site):
    def long(request):
        serve(b"", 302, length=10**12, Location="/other")(request)
        site.release.wait(30)

    site.pages["/net.tsv"] = long
    site.pages["/other"] = serve(TEXT)
    catalogue = one(site.root + "/net.tsv")
    assert fetch("net", catalogue=catalogue, timeout=5.0).read_bytes() == TEXT


@pytest.mark.parametrize(
    "url",
    [
        "http://192.0.2.1/net.tsv",
        "http://127.0.0.1.example.org/net.tsv",
        "file:///etc/hostname",
        "ftp://127.0.0.1/net.tsv",
        "data:,a%09b",
        "https:///net.tsv",
        "https://[net.tsv",
        "/etc/hostname",
    ],
)
def test_an_address_that_is_not_https_is_refused_unopened(site, tmp_path, monkeypatch, url):
    monkeypatch.setattr(socket.socket, "connect", forbidden)
    assert "expected an https address" in failing(site, tmp_path, url=url)


@pytest.mark.parametrize("timeout", [float("nan"), float("inf"), 1e300, 0.0, -1.0])
def test_a_timeout_that_no_connection_takes_is_refused(site, timeout):
    with pytest.raises(ParameterError, match="timeout must be a number in"):
        fetch("net", catalogue=one(site.root + "/net.tsv"), timeout=timeout)
    assert site.hits == []


def test_a_silent_server_is_left_after_the_timeout(site, tmp_path):
    site.pages["/net.tsv"] = lambda request: site.release.wait(30)
    message = failing(site, tmp_path, timeout=0.2, kind=UnreachableError)
    assert "within 0.2 s (timed out)" in message


def test_a_server_that_falls_silent_is_left_after_three_timeouts(site, tmp_path):
    def stall(request):
        cut_short(request)
        request.wfile.flush()
        site.release.wait(30)

    assert "timed out" in failing(site, tmp_path, stall, timeout=0.2)
    assert len(site.hits) == 3


def test_a_host_out_of_reach_reads_as_offline(site, tmp_path, monkeypatch):
    def unknown(*arguments, **options):
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    impossible = f"https://{'a' * 70}.example.org/net.tsv"
    assert "the transfer broke off" in failing(site, tmp_path, url=impossible)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        host = f"127.0.0.1:{free.getsockname()[1]}"
        message = failing(site, tmp_path, url=f"http://{host}/net.tsv", kind=UnreachableError)
    assert f"cannot reach {host} " in message
    monkeypatch.setattr(socket, "getaddrinfo", unknown)
    for proxy in ("https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(proxy, raising=False)
    url = "https://nowhere.invalid/net.tsv"
    message = failing(site, tmp_path, url=url, kind=UnreachableError)
    assert "cannot reach nowhere.invalid" in message
    assert "(Name or service not known)" in message


def test_a_server_without_a_certificate_is_not_trusted(site, tmp_path, monkeypatch):
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    url = site.root.replace("http:", "https:") + "/net.tsv"
    message = failing(site, tmp_path, serve(TEXT), url, kind=UnreachableError)
    assert "SSL" in message


def test_an_interrupt_leaves_nothing_behind(site, tmp_path):
    def interrupt(done, total):
        raise KeyboardInterrupt

    site.pages["/net.tsv"] = serve(TEXT)
    with pytest.raises(KeyboardInterrupt):
        fetch("net", catalogue=one(site.root + "/net.tsv"), progress=interrupt)
    assert files_in(tmp_path) == []


def test_a_full_disk_is_reported_with_what_to_do(site, tmp_path, monkeypatch):
    def full(descriptor):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("linkprior.io.atomic_files.os.fsync", full)
    site.pages["/net.tsv"] = serve(TEXT)
    with pytest.raises(FetchError, match=f"write {len(TEXT)} bytes.*No space.*LINKPRIOR_CACHE"):
        fetch("net", catalogue=one(site.root + "/net.tsv"))
    assert files_in(tmp_path) == []


def test_a_cache_that_cannot_be_made_is_reported_before_anything_is_downloaded(site, tmp_path):
    (tmp_path / "cache").write_text("a file where the folder should be")
    with pytest.raises(FetchError, match="LINKPRIOR_CACHE"):
        fetch("net", catalogue=one(site.root + "/net.tsv"))
    assert site.hits == []


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root writes everywhere")
def test_a_read_only_cache_is_reported_before_anything_is_downloaded(site, tmp_path):
    (tmp_path / "cache").mkdir(mode=0o500)
    with pytest.raises(FetchError, match="Permission denied.*LINKPRIOR_CACHE"):
        fetch("net", catalogue=one(site.root + "/net.tsv"))
    assert site.hits == []
