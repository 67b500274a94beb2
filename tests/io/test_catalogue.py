"""The catalogue of networks: well formed, pinned, and refused where it is not."""

import ast
import gzip
import hashlib
import json
import re
from pathlib import Path

import pytest
from tests.io.web_site import (
    entry,
)

import linkprior
from linkprior.errors import InputError
from linkprior.io.datasets import find, read_catalogue

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
