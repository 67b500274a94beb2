"""Named networks downloaded from a server on this machine: they come whole, or not at all."""

import bz2
import email
import errno
import gzip
import hashlib
import io
import lzma
import os
import socket
import threading
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from types import SimpleNamespace

import pytest
from tests.io.web_site import (
    FILE,
    TEXT,
    cut_short,
    endless,
    files_in,
    forbidden,
    one,
    serve,
)

from linkprior.errors import LinkpriorError, ParameterError
from linkprior.io import datasets
from linkprior.io.datasets import (
    FetchError,
    UnreachableError,
    fetch,
)

pytestmark = pytest.mark.usefixtures("apart")

# ---- downloads that succeed


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
    fetch("net", catalogue=catalogue, progress=lambda *p: seen.append(p), tell=said.append)
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


# ---- downloads that fail: one line, and nothing left behind


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
    assert "not kept" in message
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
    assert "not kept" in failing(site, tmp_path, site.root + "/net.gz")


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
