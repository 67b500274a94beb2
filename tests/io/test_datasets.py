"""Named networks: the catalogue, local copies, and downloads that come whole or not at all."""

import ast
import bz2
import email
import errno
import gzip
import hashlib
import io
import json
import lzma
import os
import re
import socket
import threading
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace

import pytest
from tests.io.web_site import (
    FILE,
    TEXT,
    cut_short,
    endless,
    entry,
    files_in,
    forbidden,
    one,
    serve,
)

import linkprior
from linkprior.errors import InputError, LinkpriorError, ParameterError
from linkprior.io import datasets
from linkprior.io.datasets import (
    FetchError,
    UnreachableError,
    cache_folder,
    fetch,
    find,
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


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"file": "../../etc/passwd"}, "inside the data folder"),
        ({"file": "/etc/passwd"}, "inside the data folder"),
        ({"file": "a/./../../b"}, "inside the data folder"),
        ({"sha256": "abc"}, "64 hexadecimal"),
        ({"bytes": -1}, "size in bytes"),
        ({"surprise": 1}, "not described as expected"),
    ],
)
def test_a_catalogue_with_a_bad_entry_is_refused_by_name(tmp_path, change, message):
    row = {**vars(entry("https://nowhere.invalid/net.tsv")), **change}
    path = tmp_path / "other.json"
    path.write_text(json.dumps({"format": 1, "networks": [row]}))
    with pytest.raises(InputError, match=f"other.json.*{message}"):
        read_catalogue(path)


@pytest.mark.parametrize("text", ["{", "[]", '{"format": 2}'])
def test_a_file_that_is_no_catalogue_is_refused(tmp_path, text):
    path = tmp_path / "other.json"
    path.write_text(text)
    with pytest.raises(InputError, match="other.json: expected a catalogue"):
        read_catalogue(path)


def test_a_name_may_stand_in_a_catalogue_once(tmp_path):
    row = vars(entry("https://nowhere.invalid/net.tsv"))
    path = tmp_path / "other.json"
    path.write_text(json.dumps({"format": 1, "networks": [row, row]}))
    with pytest.raises(InputError, match="net is there twice"):
        read_catalogue(path)
    path.write_text(json.dumps({"format": 1, "networks": [row]}))
    assert find("net", read_catalogue(path)) == entry("https://nowhere.invalid/net.tsv")


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
def test_a_damaged_cached_file_is_fetched_anew(site, tmp_path, damage):
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


def test_a_data_folder_that_is_not_there_is_said(site, tmp_path):
    site.pages["/net.tsv"] = serve(TEXT)
    said = []
    fetch("net", catalogue=one(site.root + "/net.tsv"), data=tmp_path / "no", log=said.append)
    assert said[0].startswith(f"{tmp_path / 'no'} is no folder")


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


def test_progress_grows_to_the_announced_length_and_an_unstated_licence_is_said(site):
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


def failing(site, tmp_path, url, *, kind=FetchError, timeout=30.0, **changes):
    with pytest.raises(kind) as problem:
        fetch("net", catalogue=one(url, **changes), timeout=timeout)
    assert isinstance(problem.value, LinkpriorError)
    assert files_in(tmp_path) == []
    message = str(problem.value)
    assert "\n" not in message
    return message


def test_a_wrong_hash_names_both_and_keeps_nothing(site, tmp_path):
    other = TEXT.replace(b"a17", b"A17")
    site.pages["/net.tsv"] = serve(other)
    message = failing(site, tmp_path, site.root + "/net.tsv")
    for content in (TEXT, other):
        assert hashlib.sha256(content).hexdigest() in message
    assert "not saved" in message
    assert len(site.hits) == 1


def test_a_transfer_that_always_breaks_off_is_given_up_after_three_tries(site, tmp_path):
    site.pages["/net.tsv"] = cut_short
    message = failing(site, tmp_path, site.root + "/net.tsv")
    assert f"{len(TEXT) // 2} of {len(TEXT)} bytes" in message
    assert "LINKPRIOR_DATA" in message
    assert FILE in message
    assert len(site.hits) == 3


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress])
def test_a_packed_file_cut_at_its_source_is_refused(site, tmp_path, pack):
    site.pages["/net.gz"] = serve(pack(TEXT)[:-20])
    assert "not saved" in failing(site, tmp_path, site.root + "/net.gz")


def test_a_missing_page_is_not_asked_for_twice(site, tmp_path):
    message = failing(site, tmp_path, site.root + "/gone.tsv")
    assert "404" in message
    assert "LINKPRIOR_DATA" in message
    assert len(site.hits) == 1


def test_a_server_in_trouble_is_asked_three_times(site, tmp_path):
    site.pages["/net.tsv"] = serve(b"", 503)
    assert "503" in failing(site, tmp_path, site.root + "/net.tsv")
    assert len(site.hits) == 3


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
@pytest.mark.parametrize(
    "target",
    ["file:///etc/hostname", "ftp://127.0.0.1/net.tsv", "http://192.0.2.1/net.tsv", "http://[x/"],
)
def test_a_redirect_to_another_scheme_is_refused(site, tmp_path, status, target):
    site.pages["/net.tsv"] = serve(b"", status, Location=target)
    message = failing(site, tmp_path, site.root + "/net.tsv")
    assert f"refused its redirect to {target}" in message


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
    assert "https" in failing(site, tmp_path, url)


@pytest.mark.parametrize("scheme", ["http", "https"])
@pytest.mark.parametrize(
    "host",
    [
        "127.0.0.1",
        "127.0.0.1:8443",
        "user@127.3.2.1",
        "localhost",
        "LOCALHOST.",
        "a.localhost",
        "ip6-localhost",
        "[::1]",
        "[::]",
        "[::ffff:127.0.0.1]",
        "[0:0::1]",
        "0.0.0.0:80",
        "127.1",
        "2130706433",
        "0x7f.1",
        "%31%32%37.0.0.1",
        "local%68ost",
    ],
)
def test_https_may_not_redirect_to_this_machine(host, scheme):
    with pytest.raises(FetchError):
        datasets.check_address(f"{scheme}://{host}/net.tsv", loopback=False)


@pytest.mark.parametrize("host", ["example.org", "localhost.example.org", "192.0.2.1", "[2001::1]"])
def test_https_may_redirect_elsewhere(host):
    datasets.check_address(f"https://{host}/net.tsv", loopback=False)


def test_the_check_of_a_redirect_from_elsewhere_leaves_this_machine_out():
    asked = urllib.request.Request("https://example.org/net.tsv")
    answer = email.message_from_string("Location: https://127.0.0.1:8443/x\n\n")
    with pytest.raises(FetchError, match="refused its redirect to https://127.0.0.1:8443/x"):
        datasets._CheckedRedirect().http_error_302(asked, io.BytesIO(), 302, "Found", answer)


def raw(answer):
    """A page of these very bytes."""
    return lambda request: request.wfile.write(answer)


@pytest.mark.parametrize("target", ["http://192.0.2.1/net.tsv", "ftp://127.0.0.1/x", "/other"])
def test_the_header_uri_is_no_redirect(site, tmp_path, target):
    site.pages["/net.tsv"] = serve(b"", 302, URI=target)
    site.pages["/other"] = serve(TEXT)
    assert "status 302 (Found)" in failing(site, tmp_path, site.root + "/net.tsv")
    assert site.hits == ["/net.tsv"]


def test_what_comes_with_a_redirect_is_not_read(site):
    def long(request):
        serve(b"", 302, length=10**12, Location="/other")(request)
        site.release.wait(30)

    site.pages["/net.tsv"] = long
    site.pages["/other"] = serve(TEXT)
    catalogue = one(site.root + "/net.tsv")
    assert fetch("net", catalogue=catalogue, timeout=5.0).read_bytes() == TEXT


@pytest.mark.parametrize("step", ["/net.tsv", "/net.tsv{n}"])
def test_redirects_without_end_are_told_in_one_line(site, tmp_path, step):
    def onwards(request):
        serve(b"", 302, Location=step.format(n="x" * len(site.hits)))(request)

    for k in range(20):
        site.pages["/net.tsv" + "x" * k] = onwards
    message = failing(site, tmp_path, site.root + "/net.tsv")
    assert f"{site.root}/net.tsv: its redirects lead from one to the next without end" in message


@pytest.mark.parametrize("length", ["9" * 5000, "9" * 4000, "0" * 5000 + "9" * 20])
def test_a_length_of_any_digits_is_refused_in_one_line(site, tmp_path, length):
    site.pages["/net.tsv"] = serve(b"", length=length)
    message = failing(site, tmp_path, site.root + "/net.tsv")
    assert f"{'9' * 20} bytes announced" in message
    assert "9" * 21 not in message


@pytest.mark.parametrize("size", [b"-5", b"x", b"f" * 5000, b""])
def test_a_chunk_of_no_size_is_a_transfer_that_broke_off(site, tmp_path, size):
    head = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
    site.pages["/net.tsv"] = raw(head + size + b"\r\nhello\r\n")
    assert "the transfer broke off" in failing(site, tmp_path, site.root + "/net.tsv")
    assert len(site.hits) == 3


@pytest.mark.parametrize(
    "answer",
    [
        b"HTTP/1.1 500 \x1b[2J\x07oh\r\n\r\n",
        b"HTTP/1.1 418 \x1b[2J\x07oh\r\n\r\n",
        b"\x1b[2J\x07oh\r\n\r\n",
        b"HTTP/1.1 302 Found\r\nLocation: ftp://\x1b[2J\x07oh\r\n\r\n",
        b"HTTP/1.1 302 Found\r\nLocation: http://\x1b[2J\x07oh.example.org/\r\n\r\n",
    ],
)
def test_what_a_server_says_is_shown_without_control_characters(site, tmp_path, answer):
    site.pages["/net.tsv"] = raw(answer)
    message = failing(site, tmp_path, site.root + "/net.tsv")
    assert message.isprintable()
    assert "\\x1b[2J\\x07oh" in message


def test_what_a_server_says_is_shown_in_short(site, tmp_path):
    site.pages["/net.tsv"] = raw(b"HTTP/1.1 418 " + b"a" * 9000 + b"\r\n\r\n")
    assert len(failing(site, tmp_path, site.root + "/net.tsv")) < 500


def test_a_host_that_no_name_can_be_is_told(site, tmp_path):
    message = failing(site, tmp_path, f"https://{'a' * 70}.example.org/net.tsv")
    assert "the transfer broke off" in message


@pytest.mark.parametrize("timeout", [float("nan"), float("inf"), 1e300, 0.0, -1.0])
def test_a_timeout_that_no_connection_takes_is_refused(site, timeout):
    with pytest.raises(ParameterError, match="timeout must be a number in"):
        fetch("net", catalogue=one(site.root + "/net.tsv"), timeout=timeout)
    assert site.hits == []


def test_a_silent_server_is_left_after_the_timeout(site, tmp_path):
    site.pages["/net.tsv"] = lambda request: site.release.wait(30)
    message = failing(site, tmp_path, site.root + "/net.tsv", timeout=0.2, kind=UnreachableError)
    assert "did not answer within 0.2 s" in message


def test_a_server_that_falls_silent_is_left_after_three_timeouts(site, tmp_path):
    def stall(request):
        cut_short(request)
        request.wfile.flush()
        site.release.wait(30)

    site.pages["/net.tsv"] = stall
    assert "silent for 0.2 s" in failing(site, tmp_path, site.root + "/net.tsv", timeout=0.2)
    assert len(site.hits) == 3


def test_an_endless_body_is_given_up_at_the_limit(site, tmp_path):
    site.pages["/net.tsv"] = endless
    limit = int(1.5 * len(TEXT)) + 1_000_000
    assert f"more than the {limit} bytes" in failing(site, tmp_path, site.root + "/net.tsv")


def test_an_announced_length_beyond_the_limit_is_not_even_read(site, tmp_path):
    site.pages["/net.tsv"] = serve(b"", length=10**12)
    assert str(10**12) in failing(site, tmp_path, site.root + "/net.tsv")
    assert len(site.hits) == 1


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress])
def test_a_small_file_that_unpacks_to_a_huge_one_is_stopped(site, tmp_path, pack):
    site.pages["/net.gz"] = serve(pack(bytes(50_000_000)))
    message = failing(site, tmp_path, site.root + "/net.gz")
    assert f"expected {len(TEXT)} uncompressed bytes, got more" in message


def test_a_port_nobody_listens_on_reads_as_offline(site, tmp_path):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        host = f"127.0.0.1:{free.getsockname()[1]}"
        message = failing(site, tmp_path, f"http://{host}/net.tsv", kind=UnreachableError)
    assert f"cannot reach {host} (" in message
    assert "seems offline" in message
    assert f"set LINKPRIOR_DATA to a folder that holds it as {FILE}" in message


def test_an_unknown_host_reads_as_offline(site, tmp_path, monkeypatch):
    def unknown(*arguments, **options):
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", unknown)
    for proxy in ("https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(proxy, raising=False)
    message = failing(site, tmp_path, "https://nowhere.invalid/net.tsv", kind=UnreachableError)
    assert "cannot reach nowhere.invalid (Name or service not known)" in message


def test_a_server_without_a_certificate_is_not_trusted(site, tmp_path, monkeypatch):
    site.pages["/net.tsv"] = serve(TEXT)
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    url = site.root.replace("http:", "https:") + "/net.tsv"
    assert "no secure connection" in failing(site, tmp_path, url, kind=UnreachableError)


def test_an_interrupt_leaves_nothing_behind(site, tmp_path):
    def interrupt(done, total):
        raise KeyboardInterrupt

    site.pages["/net.tsv"] = serve(TEXT)
    with pytest.raises(KeyboardInterrupt):
        fetch("net", catalogue=one(site.root + "/net.tsv"), progress=interrupt)
    assert files_in(tmp_path) == []


def test_a_full_disk_is_said_with_what_to_do(site, tmp_path, monkeypatch):
    def full(chunk):
        raise OSError(errno.ENOSPC, "No space left on device")

    @contextmanager
    def no_room(target):
        yield SimpleNamespace(buffer=SimpleNamespace(write=full))

    monkeypatch.setattr(datasets, "whole_file", no_room)
    site.pages["/net.tsv"] = serve(TEXT)
    message = failing(site, tmp_path, site.root + "/net.tsv")
    assert f"No room for {len(TEXT)} bytes" in message
    assert "LINKPRIOR_CACHE" in message


def test_a_cache_that_cannot_be_made_is_said_before_anything_is_downloaded(site, tmp_path):
    (tmp_path / "cache").write_text("a file where the folder should be")
    with pytest.raises(FetchError, match="LINKPRIOR_CACHE"):
        fetch("net", catalogue=one(site.root + "/net.tsv"))
    assert site.hits == []


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root writes everywhere")
def test_a_read_only_cache_is_said_before_anything_is_downloaded(site, tmp_path):
    (tmp_path / "cache").mkdir(mode=0o500)
    with pytest.raises(FetchError, match="Permission denied.*LINKPRIOR_CACHE"):
        fetch("net", catalogue=one(site.root + "/net.tsv"))
    assert site.hits == []
