"""`linkprior data`: a table or JSON of what there is, and a path alone on stdout."""

import gzip
import hashlib
import json
import socket
import sys
from dataclasses import asdict
from pathlib import Path

import pytest
from tests.cli.support import one_line_of_error
from tests.io.web_site import Site, entry, forbidden, serve

import linkprior as lp
from linkprior.cli.data import _meter

EDGES = b"a\tb\nb\tc\nc\td\nd\ta\na\tc\nd\te\ne\tf\n"


@pytest.fixture(autouse=True)
def apart(monkeypatch, tmp_path):
    """No test sees the user's folders."""
    for name in ("LINKPRIOR_DATA", "LINKPRIOR_OFFLINE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("LINKPRIOR_CACHE", str(tmp_path / "cache"))


@pytest.fixture
def catalogue(tmp_path):
    """A catalogue of a packed network, one gone, two out of reach and one without address."""
    site = Site()
    site.pages["/net.tsv.gz"] = serve(gzip.compress(EDGES))
    site.thread.start()
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        silent = f"http://127.0.0.1:{free.getsockname()[1]}"
    rows = [
        described("net", f"{site.root}/net.tsv.gz", licence="not stated"),
        described("gone", f"{site.root}/gone.tsv"),
        described("far", f"{silent}/far.tsv"),
        described("farther", f"{silent}/farther.tsv"),
        described("lost", None, address=None),
    ]
    path = tmp_path / "catalogue.json"
    path.write_text(json.dumps({"format": 1, "networks": rows}))
    yield path
    site.close()


def described(name, url, **changes):
    facts = {"name": name, "source": f"owner/name: {name}.tsv", "nodes": 6, "edges": 7}
    return asdict(entry(url, EDGES, f"small/{name}.tsv.gz", **facts, **changes))


def test_the_list_shows_every_network_and_opens_no_connection(run, monkeypatch):
    monkeypatch.setattr(socket.socket, "connect", forbidden)
    status, out, err = run("data", "list")
    lines = out.splitlines()
    assert status == 0
    assert lines[0].split() == ["name", "nodes", "edges", "licence", "where"]
    assert lines[1].startswith("dream5-net1 ")
    (huri,) = [line for line in lines if line.startswith("huri ")]
    assert huri.split() == ["huri", "8245", "52068", "MIT", "(repository)", "not", "here"]
    assert "needs a copy in the folder LINKPRIOR_DATA names" in err
    assert len(lines) == 1 + len(json.loads(run("data", "list", "--json")[1]))


def test_the_list_says_where_each_network_is(run, catalogue, tmp_path):
    local = tmp_path / "data" / "small" / "gone.tsv.gz"
    local.parent.mkdir(parents=True)
    local.write_bytes(gzip.compress(EDGES))
    kept = run("data", "fetch", "net", "--catalogue", catalogue)[1].strip()
    arguments = ("data", "list", "--catalogue", catalogue, "--data", tmp_path / "data")
    rows = {row["name"]: row for row in json.loads(run(*arguments, "--json")[1])}
    assert {name: row["where"] for name, row in rows.items()} == {
        "net": "cached",
        "gone": "local",
        "far": "not here",
        "farther": "not here",
        "lost": "not here",
    }
    assert rows["net"]["path"] == kept
    assert rows["gone"]["path"] == str(local)
    assert rows["far"]["path"] is None
    assert rows["net"]["sha256"] == hashlib.sha256(EDGES).hexdigest()
    starred = [line for line in run(*arguments)[1].splitlines() if line.endswith("*")]
    assert [line.split()[0] for line in starred] == ["lost"]


def test_fetch_prints_the_path_alone_and_the_licence_on_stderr(run, succeed, catalogue, tmp_path):
    out, err = succeed("data", "fetch", "net", "--catalogue", catalogue)
    assert out == f"{tmp_path / 'cache' / 'data' / 'small' / 'net.tsv'}\n"
    assert "licence: not stated by the source; check before you redistribute" in err
    assert "source: owner/name: net.tsv" in err
    network = lp.read_network(out.strip())
    assert (network.n_nodes, network.n_edges) == (6, 7)
    assert run("data", "fetch", "net", "--catalogue", catalogue) == (0, out, "")


def test_a_quiet_fetch_says_nothing_but_the_path(run, catalogue):
    status, out, err = run("data", "fetch", "-q", "net", "--catalogue", catalogue)
    assert (status, err) == (0, "")
    assert Path(out.strip()).read_bytes() == EDGES


def test_a_fetch_that_fails_is_one_line_and_status_1(run, catalogue):
    result = run("data", "fetch", "-q", "gone", "--catalogue", catalogue)
    assert one_line_of_error(result, "linkprior: http://127.0.0.1", "404")
    assert result[2].count("\n") == 1


def test_an_unknown_name_stops_before_anything_is_fetched(run, catalogue, tmp_path):
    result = run("data", "fetch", "net", "gonne", "--catalogue", catalogue)
    assert one_line_of_error(result, "'gonne'", "Did you mean gone")
    assert not (tmp_path / "cache").exists()


def test_all_fetches_what_can_be_had_and_names_the_rest(run, catalogue):
    status, out, err = run("data", "fetch", "--all", "-q", "--catalogue", catalogue)
    assert status == 1
    assert [Path(line).name for line in out.splitlines()] == ["net.tsv"]
    lines = err.splitlines()
    assert "404" in lines[0]
    assert "cannot reach" in lines[1]
    # The second file of a host that cannot be reached is not asked for.
    assert lines[2:] == [
        "linkprior: 4 of 5 networks could not be fetched: gone, far, farther, lost"
    ]


@pytest.mark.parametrize("arguments", [(), ("--all", "huri")])
def test_fetch_wants_names_or_all(run, arguments):
    status, out, err = run("data", "fetch", *arguments)
    assert (status, out) == (2, "")
    assert "--all" in err


def test_a_terminal_sees_the_bytes_come_in_and_then_a_clean_line(monkeypatch, capsys):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    with _meter("net", quiet=False) as draw:
        draw(1_000_000, 4_000_000)
        draw(2_000_000, None)
    drawn = capsys.readouterr().err.split("\r")
    assert drawn[:2] == ["net: 1.0 of 4.0 MB", "net: 2.0 MB"]
    assert drawn[2].strip() == ""
    with _meter("net", quiet=True) as draw:
        assert draw is None
