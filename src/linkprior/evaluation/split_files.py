"""Splits as files: whoever wants to compare takes the same training edges and hidden edges.

One tab-separated table with a comment line in front that holds, as JSON, where the split comes
from. Rows are `node NAME` for every node in order, and `train`, `hidden` or `barred` with two
names.
"""

from __future__ import annotations

import csv
import hashlib
import json
from collections.abc import Iterable, Iterator
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import numpy as np

from linkprior.errors import InputError
from linkprior.evaluation.splits import RULES, Split
from linkprior.io.atomic_files import whole_file
from linkprior.io.store import stored_stream
from linkprior.network import Network
from linkprior.network import pairs as pr

_COUNTS = ("unconnected", "unknown", "new_nodes")
_LONGEST_LINE = 1_000_000  # bytes; a label that is longer is none of ours
_START = "# linkprior split "
_PAIRS = ("train", "hidden", "barred")


def write_split(split: Split, network: Network, path: Path) -> None:
    """Write a split of `network` to a file, whole or not at all."""
    source = {"label": split.label, "rule": split.rule, "network": network.digest}
    source["digest"] = split_digest(split)
    counts = {name: getattr(split, name) for name in _COUNTS}
    with whole_file(path) as stream:
        stream.write(f"{_START}{json.dumps(source | counts, ensure_ascii=False)}\n")
        writer = csv.writer(stream, delimiter="\t", lineterminator="\n")
        writer.writerow(("kind", "source", "target"))
        writer.writerows(_rows(split))


def written_digest(path: Path) -> str | None:
    """Return the digest of the split in a file; None where there is none to read."""
    try:
        with stored_stream(path) as stream:
            line = stream.readline(_LONGEST_LINE).decode("utf-8", "surrogateescape")
        return str(_facts(line, path).get("digest"))
    except (OSError, InputError):
        return None


def is_split_file(path: Path) -> bool:
    """Tell whether a file begins as a split does, whole or not."""
    with stored_stream(path) as stream:
        return stream.read(len(_START)) == _START.encode()


def split_digest(split: Split) -> str:
    """Return a SHA-256 over all that a split is."""
    h = hashlib.sha256(f"{split.train.digest} {split.rule}".encode())
    for pairs in (split.hidden, split.barred):
        h.update(pairs.astype("<i8").tobytes())
    return h.hexdigest()


def _rows(split: Split) -> Iterator[tuple[str, str, str]]:
    names = split.train.names
    yield from (("node", name, "") for name in names)
    for kind, pairs in zip(_PAIRS, (split.train.edges, split.hidden, split.barred), strict=True):
        yield from ((kind, names[i], names[j]) for i, j in pairs.tolist())


def read_split(path: Path, network: Network) -> Split:
    """Read a split back; it must be of the same network."""
    try:
        with path.open(encoding="utf-8", errors="surrogateescape", newline="") as stream:
            facts = _facts(stream.readline(), path)
            rows = list(csv.reader(stream, delimiter="\t"))[1:]
    except OSError as problem:
        raise InputError(f"{path}: cannot be read ({problem.strerror})") from None
    if facts["network"] != network.digest:
        raise InputError(
            f"{path}: the split is of another network: its digest is {facts['network'][:12]}, that "
            f"of the edges given is {network.digest[:12]}"
        )
    try:
        split = _split_from(facts, rows)
        return replace(split, train=_knowing(split, network))
    except (KeyError, ValueError, TypeError, InputError):
        raise InputError(f"{path}: not a whole split file; write it anew") from None


def _knowing(split: Split, network: Network) -> Network:
    """Return the training network with what is known of the whole one beside its edges."""
    train, p = split.train, network.n_nodes
    kept, codes = (pr.encode(net.edges, p) for net in (train, network))
    if train.names != network.names or not np.isin(kept, codes).all():
        return train  # noise has replaced edges, of which nothing is known
    told = pr.encode(np.concatenate([split.hidden, split.barred]), p)
    away = np.concatenate([codes[~np.isin(codes, kept)], told])
    return replace(train, known=network.known.without(away, codes, network.names))


def _facts(line: str, path: Path) -> dict[str, Any]:
    try:
        facts = json.loads(line.removeprefix(_START)) if line.startswith(_START) else None
    except (ValueError, RecursionError):
        facts = None
    names = {"label", "rule", "network", *_COUNTS}
    if not (isinstance(facts, dict) and names <= facts.keys() and facts["rule"] in RULES):
        raise InputError(
            f"{path}:1: expected a split written by `linkprior evaluate -o DIR` (DIR/splits/…)"
        )
    return facts


def _split_from(facts: dict[str, Any], rows: Iterable[list[str]]) -> Split:
    number_of: dict[str, int] = {}
    found: dict[str, list[tuple[int, int]]] = {kind: [] for kind in _PAIRS}
    for kind, source, target in rows:
        if kind == "node":
            number_of[source] = len(number_of)
        else:
            found[kind].append((number_of[source], number_of[target]))
    p = len(number_of)
    train = Network.from_indices(_array(found["train"], p), list(number_of))
    hidden, barred = (_array(found[kind], p) for kind in ("hidden", "barred"))
    given = {field.name for field in fields(Split)} & facts.keys()
    split = Split(train=train, hidden=hidden, barred=barred, **{n: facts[n] for n in given})
    if len(hidden) == 0 or pr.overlap(hidden, train.edges, p):
        raise ValueError("nothing is hidden, or what is hidden is there")
    return split


def _array(pairs: list[tuple[int, int]], n_nodes: int) -> pr.Ints:
    """Return pairs in order, each with the smaller node first."""
    codes = pr.encode(pr.ordered(pr.as_pairs(pairs, n_nodes)), n_nodes)
    return pr.decode(pr.distinct(codes), n_nodes)
