"""Named networks that are here already: in the cache, or in the user's data folder."""

import gzip
import socket
from pathlib import Path

import pytest
from tests.io.web_site import (
    FILE,
    TEXT,
    forbidden,
    one,
    serve,
)

from linkprior.errors import ParameterError
from linkprior.io import datasets
from linkprior.io.datasets import (
    FetchError,
    cache_folder,
    fetch,
    whereabouts,
)

pytestmark = pytest.mark.usefixtures("apart")


@pytest.mark.parametrize("damage", [lambda b: b[:-1], lambda b: b + b"x", lambda b: b"?" + b[1:]])
def test_a_damaged_cached_file_is_fetched_anew(site, tmp_path, damage):
    site.pages["/net.tsv"] = serve(TEXT)
    kept = tmp_path / "cache" / "data" / FILE
    kept.parent.mkdir(parents=True)
    kept.write_bytes(damage(TEXT))
    said = []
    assert fetch("net", catalogue=one(site.root + "/net.tsv"), tell=said.append) == kept
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
    found = fetch("net", catalogue=catalogue, data=tmp_path / "data", tell=said.append)
    assert found == tmp_path / "cache" / "data" / "folder" / "net.tsv"
    assert f"{local} is not used" in said[0]
    assert local.read_bytes() == content


def test_a_data_folder_that_is_not_there_is_said(site, tmp_path):
    site.pages["/net.tsv"] = serve(TEXT)
    said = []
    fetch("net", catalogue=one(site.root + "/net.tsv"), data=tmp_path / "no", tell=said.append)
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
