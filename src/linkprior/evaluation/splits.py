"""Splits: a training network, the edges to find, and which pairs count as candidates.

As a file a split is a tab-separated table, so that others can train on the same edges: a comment
line with its origin as JSON, then rows `node NAME` for every node in order, and `train`, `hidden`
or `barred` with two names.
"""

from __future__ import annotations

import csv
import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from linkprior._validation import choice, real_number, whole_number
from linkprior.errors import InputError, ParameterError
from linkprior.io.atomic_files import whole_file
from linkprior.io.store import stored_stream
from linkprior.network import History, Network
from linkprior.network import pairs as pr

RULES = ("connected", "all-nodes")
_COUNTS = ("unconnected", "unknown", "new_nodes")
_LONGEST_LINE = 1_000_000  # bytes; a label that is longer is none of ours
_START = "# linkprior split "
_PAIRS = ("train", "hidden", "barred")
HUBS = 0.2  # the paper's hubs: the share of nodes with the highest degrees


@dataclass(frozen=True, eq=False)
class Split:
    """One hold-out: fit on `train`, find `hidden` among the candidates.

    Under the rule "connected" only pairs of nodes that keep an edge in training are candidates.
    Under "all-nodes" every pair is (the paper's rule; a node left without edges then gives itself
    away, since every node of the file had one).
    """

    train: Network  # what a model may see; its nodes are fixed before anything is hidden
    hidden: pr.Ints  # (m, 2) pairs to be found, i < j in order, none of them in `train`
    rule: str
    label: str  # protocol and seed
    unconnected: int = 0  # edges not asked for: under "connected" an end has no edge in training
    unknown: int = 0  # edges of a newer release with an end that the older one does not have
    new_nodes: int = 0  # those ends
    # Pairs that are neither edges of `train` nor candidates: true edges that are not asked for.
    barred: pr.Ints = field(default_factory=lambda: np.empty((0, 2), dtype=np.int64))

    def sorted(self) -> Split:
        """Return the split with nodes sorted by name; the hidden edges stay in their order."""
        train, to = self.train.sorted(), self.train.places
        if train is self.train:
            return self
        hidden, barred = (pr.ordered(to[pairs]) for pairs in (self.hidden, self.barred))
        return replace(self, train=train, hidden=hidden, barred=barred)

    @property
    def outside(self) -> int:
        """Edges that cannot be asked for."""
        return self.unconnected + self.unknown

    @cached_property
    def eligible(self) -> NDArray[np.bool_]:
        """Nodes whose pairs are candidates."""
        if self.rule == "all-nodes":
            return np.ones(self.train.n_nodes, dtype=bool)
        return self.train.degrees > 0

    @cached_property
    def taken(self) -> sp.csr_array:
        """Pattern of the pairs that are not candidates though both nodes are eligible."""
        barred, negatives, p = self.barred, self.train.known.negatives, self.train.n_nodes
        if negatives is not None:  # those that a later release found may be predicted
            is_hidden = np.isin(pr.encode(negatives, p), pr.encode(self.hidden, p))
            barred = np.concatenate([barred, negatives[~is_hidden]])
        if not len(barred):
            return self.train.adjacency
        both = Network.from_indices(np.concatenate([self.train.edges, barred]), self.train.names)
        return both.adjacency

    @property
    def n_pairs(self) -> int:
        """Number of pairs of eligible nodes, observed or not: 100 % of recall@x%."""
        return pr.n_pairs(int(self.eligible.sum()))


def uniform(net: Network, rate: float, seed: int = 0, rule: str = "connected") -> Split:
    """Keep a share `rate` of the edges, drawn uniformly; hide the others.

    Implements "Uniform sampling" of the paper's section on the gene expression network.
    """
    rate = real_number("rate", rate, 0.0, 1.0)
    every = [(np.arange(net.n_edges), rate)]
    return _sampled(net, every, seed, rule, f"uniform:{rate:g} seed {seed}")


def biased(
    net: Network,
    rate: float,
    hub_rate: float,
    seed: int = 0,
    rule: str = "connected",
    name: str = "",
) -> Split:
    """Keep `hub_rate` of the edges that touch a hub, and `rate` of the others.

    Implements "Over-sampling" and "Under-sampling" of the same section; hubs are the fifth of all
    nodes with the highest degrees (rounded up; equal degrees in node order).
    """
    rate, hub_rate = (
        real_number(name, share, 0.0, 1.0, low_open=False, high_open=False)
        for name, share in (("rate", rate), ("hub_rate", hub_rate))
    )
    order = np.argsort(-net.degrees, kind="stable")
    hub = np.zeros(net.n_nodes, dtype=bool)
    hub[order[: int(np.ceil(HUBS * net.n_nodes - 1e-9))]] = True
    touched = hub[net.edges].any(axis=1)
    ratio = hub_rate / rate if rate else np.inf
    label = f"{name or f'biased:{rate:g}:{ratio:g}'} seed {seed}"
    groups = [(np.flatnonzero(touched), hub_rate), (np.flatnonzero(~touched), rate)]
    return _sampled(net, groups, seed, rule, label)


def kfold(net: Network, folds: int, fold: int, seed: int = 0, rule: str = "connected") -> Split:
    """Hide one of `folds` parts of the edges, equal in size to within one edge."""
    folds = whole_number("folds", folds, 2)
    if folds > net.n_edges:
        raise ParameterError(
            f"kfold:{folds} needs at least {folds} edges, but the network has {net.n_edges}"
        )
    fold = whole_number("fold", fold, 0, folds - 1)
    order = np.random.default_rng(whole_number("seed", seed, 0)).permutation(net.n_edges)
    return _hiding(net, order[fold::folds], rule, f"kfold:{folds} fold {fold} seed {seed}")


def release(older: Network, newer: Network, rule: str = "connected") -> Split:
    """Train on an older release; find the edges new in a later one between nodes already there.

    Nodes are matched by name. Edges with a node the older release does not have cannot be asked
    for and are counted apart.
    """
    history, train, p = History.between(older, newer), older, older.n_nodes
    if older.known.history is not None:  # it must not reveal the edges to find
        codes = pr.encode(history.found, p), pr.encode(older.edges, p)
        train = replace(older, known=older.known.without(*codes, older.names))
    whole = Split(train, history.found, choice("rule", rule, RULES), "release")
    return replace(_asked(whole), unknown=history.elsewhere, new_nodes=history.new_nodes)


def noisy(split: Split, share: float, seed: int = 0) -> Split:
    """Replace a share of the training edges by random pairs that are not edges at all.

    The edges taken out are true, so that finding them is not a mistake: they are not candidates.
    """
    share = real_number("noise", share, 0.0, 1.0, high_open=False)
    train, p = split.train, split.train.n_nodes
    n = round(share * train.n_edges)
    rng = np.random.default_rng(whole_number("seed", seed, 0))
    out = train.edges[np.sort(rng.permutation(train.n_edges)[:n])]
    all_known = np.concatenate([train.edges, split.hidden, split.barred])
    false = _random_pairs(p, n, pr.encode(all_known, p), rng)
    kept = train.hide(out).edges
    changed = Network.from_indices(np.concatenate([kept, false]), train.names)
    return _asked(
        replace(
            split,
            train=changed,
            label=f"{split.label} noise {share:g}",
            barred=_together(split.barred, out, p),
        )
    )


def _random_pairs(p: int, n: int, excluded: pr.Ints, rng: np.random.Generator) -> pr.Ints:
    """Return n distinct pairs that are not known."""
    free = pr.n_pairs(p) - len(excluded)
    if n > free:
        raise ParameterError(f"noise needs {n} pairs that are not edges, but there are {free}")
    codes = np.empty(0, dtype=np.int64)
    while len(codes) < n:
        drawn = rng.integers(0, p, (2 * (n - len(codes)) + 16, 2))
        fresh = pr.encode(pr.ordered(drawn[drawn[:, 0] != drawn[:, 1]]), p)
        fresh = fresh[~np.isin(fresh, excluded) & ~np.isin(fresh, codes)]
        _, first = np.unique(fresh, return_index=True)
        codes = np.concatenate([codes, fresh[np.sort(first)]])[:n]
    return pr.decode(codes, p)


def _sampled(
    net: Network, groups: list[tuple[pr.Ints, float]], seed: int, rule: str, label: str
) -> Split:
    """Keep round(rate·n) edges of each group, given with its rate."""
    rng = np.random.default_rng(whole_number("seed", seed, 0))
    out = [rng.permutation(group)[round(rate * len(group)) :] for group, rate in groups]
    return _hiding(net, np.concatenate(out), rule, label)


def _hiding(net: Network, out: pr.Ints, rule: str, label: str) -> Split:
    """Hide edges given by their numbers."""
    kept = net.n_edges - len(out)
    if kept < 1 or len(out) == 0:
        raise ParameterError(
            f"{label} would keep {kept} of {net.n_edges} edges: nothing to "
            f"{'learn from' if kept < 1 else 'find'}"
        )
    hidden = net.edges[np.sort(out)]
    return _asked(Split(net.hide(hidden), hidden, choice("rule", rule, RULES), label))


def _together(one: pr.Ints, other: pr.Ints, n_nodes: int) -> pr.Ints:
    """Return the pairs of both, in order."""
    codes = pr.encode(np.concatenate([one, other]), n_nodes)
    return pr.decode(np.sort(codes), n_nodes)


def _asked(split: Split) -> Split:
    """Leave out the hidden edges that the rule does not ask for, and count them."""
    asked = split.eligible[split.hidden].all(axis=1)
    if not asked.any():
        raise InputError(
            f"{split.label}: no hidden edge joins two nodes that keep an edge in training"
        )
    left = split.hidden[~asked]
    return replace(
        split,
        hidden=split.hidden[asked],
        unconnected=split.unconnected + len(left),
        barred=_together(split.barred, left, split.train.n_nodes),
    )


# ---------------------------------------------------------------------- splits as files


def write_split(split: Split, network: Network, path: Path) -> None:
    """Write a split of `network` to a file, whole or not at all."""
    source = {"label": split.label, "rule": split.rule, "network": network.digest}
    source["digest"] = split_digest(split)
    counts = {name: getattr(split, name) for name in _COUNTS}
    names = split.train.names
    with whole_file(path) as stream:
        stream.write(f"{_START}{json.dumps(source | counts, ensure_ascii=False)}\n")
        writer = csv.writer(stream, delimiter="\t", lineterminator="\n")
        writer.writerow(("kind", "source", "target"))
        writer.writerows(("node", name, "") for name in names)
        parts = zip(_PAIRS, (split.train.edges, split.hidden, split.barred), strict=True)
        for kind, pairs in parts:
            writer.writerows((kind, names[i], names[j]) for i, j in pairs.tolist())


def written_digest(path: Path) -> str | None:
    """Return the digest of the split in a file; None where there is none to read."""
    try:
        with stored_stream(path) as stream:
            line = stream.readline(_LONGEST_LINE).decode("utf-8", "surrogateescape")
        return str(_facts(line, path).get("digest"))
    except (OSError, InputError):
        return None


def is_split_file(path: Path) -> bool:
    """Return whether a file begins as a split does, whole or not."""
    with stored_stream(path) as stream:
        return stream.read(len(_START)) == _START.encode()


def split_digest(split: Split) -> str:
    """Return a SHA-256 over all that a split is."""
    h = hashlib.sha256(f"{split.train.digest} {split.rule}".encode())
    for pairs in (split.hidden, split.barred):
        h.update(pairs.astype("<i8").tobytes())
    return h.hexdigest()


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
        raise InputError(f"{path}: not a complete split file; write it again") from None


def _knowing(split: Split, network: Network) -> Network:
    """Return the training network with the side information of the whole one."""
    train, p = split.train, network.n_nodes
    training, codes = (pr.encode(net.edges, p) for net in (train, network))
    if train.names != network.names or not np.isin(training, codes).all():
        return train  # noise has replaced edges, of which nothing is known
    hidden = pr.encode(np.concatenate([split.hidden, split.barred]), p)
    away = np.concatenate([codes[~np.isin(codes, training)], hidden])
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
    pairs: dict[str, list[tuple[int, int]]] = {kind: [] for kind in _PAIRS}
    for kind, source, target in rows:
        if kind == "node":
            number_of[source] = len(number_of)
        else:
            pairs[kind].append((number_of[source], number_of[target]))
    p = len(number_of)
    edges, hidden, barred = (
        pr.decode(pr.distinct(pr.encode(pr.ordered(pr.as_pairs(pairs[kind], p)), p)), p)
        for kind in _PAIRS
    )
    train = Network.from_indices(edges, list(number_of))
    given = {field.name for field in fields(Split)} & facts.keys()
    split = Split(train=train, hidden=hidden, barred=barred, **{n: facts[n] for n in given})
    if len(hidden) == 0 or np.isin(pr.encode(hidden, p), pr.encode(train.edges, p)).any():
        raise ValueError("no edge is hidden, or a hidden edge is among the training edges")
    return split
