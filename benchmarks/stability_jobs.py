"""What one process of `benchmarks.stability` measures, by the linkprior of whichever checkout.

Only what has been there since the first version may be imported at the top.
"""

from __future__ import annotations

import gzip
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import linkprior as lp
from benchmarks import data
from linkprior.network import Network

INTERACTOME = "large/PP-Pathways_ppi.csv.gz"
FIRST = 100
MEASURES = ("auprc", "recall@5%", "auroc", "p@500")
NEAR_TREE, MOST_HIDDEN = 0.2, 0.1  # shares of the edges: that could go, that do


def edges_by_name(net: Network) -> np.ndarray:
    """Return edges in the order of their names, the same for any numbering of the nodes."""
    names = [tuple(sorted((net.names[i], net.names[j]))) for i, j in net.edges.tolist()]
    return net.edges[sorted(range(len(names)), key=names.__getitem__)]


def without(net: Network, removed: float, draw: int) -> tuple[Network, set[int]]:
    """Remove so many edges, or such a share of them; return the rest and the codes removed."""
    count = round(removed * net.n_edges) if removed < 1 else int(removed)
    out = np.random.default_rng(draw).permutation(edges_by_name(net))[:count]
    return (net.hide(out) if count else net), set(coded(net, out))


def coded(net: Network, pairs: Iterable[Any]) -> list[int]:
    return [int(i) * net.n_nodes + int(j) for i, j in np.asarray(pairs).tolist()]


def lists(name: str, variants: Sequence[tuple[int, float, int]]) -> dict[str, Any]:
    """Return auto's first pairs by seed, removed edges and draw; what it states of their union.

    Pairs that are themselves removed edges are taken out of the list, and the next ones move up.
    """
    net, first, expected, models = data.network(name), [], [], []
    for seed, removed, draw in variants:
        rest, gone = without(net, removed, draw)
        model = lp.make("auto", seed=seed).fit(rest)
        ranking = model.predict_edges(FIRST + len(gone))
        first.append([c for c in coded(net, ranking.pairs) if c not in gone][:FIRST])
        hits = model.expected_hits(ranking.scores[:FIRST])
        expected.append(None if hits is None else round(float(hits[0][-1]), 3))
        models.append(model)
    union = sorted({code for codes in first for code in codes})
    asked = [probabilities(net, model, union) for model in models] if len(models) > 1 else []
    told = all(asked) and bool(asked)
    return {
        "first": [" ".join(map(str, codes)) for codes in first],
        "expected": expected,
        "at": " ".join(map(str, union)) if told else "",
        "probabilities": asked if told else [],
    }


def probabilities(net: Network, model: Any, codes: Sequence[int]) -> str:
    """Return what a model states of some pairs; nothing where it states none."""
    pairs = np.column_stack(np.divmod(np.array(codes, np.int64), net.n_nodes))
    stated = model.probabilities(model.score_pairs(pairs, by="position"))
    return "" if stated is None else " ".join(f"{one:.4f}" for one in stated)


# ---------------------------------------------------------------------- the command


def _command(*words: str | Path) -> bytes:
    """Return what the command writes to the standard output."""
    command = [sys.executable, "-m", "linkprior", *map(str, words)]
    return subprocess.run(command, check=True, capture_output=True).stdout


def file_of(name: str, folder: Path) -> Path:
    """Return a file of a network: its own, or one written for it."""
    if not name.startswith(("olp/", "planted/")):
        return data.required_folder() / name
    net, path = data.network(name), folder / "edges.tsv"
    path.write_text("".join(f"{net.names[i]}\t{net.names[j]}\n" for i, j in net.edges.tolist()))
    return path


def reordered(name: str, model: str) -> dict[str, Any]:
    """Return whether the command writes the same bytes when a file is written in another order.

    Twice: with the lines shuffled; with the columns of some swapped, some twice, and comments, too.
    """
    with tempfile.TemporaryDirectory() as folder:
        path = file_of(name, Path(folder))
        opened = gzip.open if path.suffix == ".gz" else open
        with opened(path, "rt") as stream:
            lines = stream.read().split("\n")
        rng, plain = random.Random(1), [line for line in lines if line.strip()]
        shuffled, tab = rng.sample(plain, len(plain)), "\t" if "\t" in plain[0] else " "
        swapped = [tab.join(line.split()[::-1]) if rng.random() < 0.5 else line for line in plain]
        changed = swapped + rng.sample(plain, len(plain) // 5)
        rng.shuffle(changed)
        changed.insert(len(changed) // 2, "# a comment in between")
        found = []
        for number, version in enumerate((plain, shuffled, changed)):
            file = Path(folder, str(number), "network.tsv")
            file.parent.mkdir()
            file.write_text("\n".join(version) + "\n")
            found.append(_command("predict", file, "--model", model, "-o", "-", "-q"))
    pairs = [first_pairs(text) for text in found]
    return {
        "same": [text == found[0] for text in found[1:]],
        "kept": [len(pairs[0] & other) for other in pairs[1:]],
    }


def first_pairs(text: bytes) -> set[frozenset[str]]:
    """Return the names of the first pairs of a list."""
    rows = [line.split("\t") for line in text.decode().splitlines() if not line.startswith("#")]
    at = rows[0].index("source"), rows[0].index("target")
    return {frozenset((row[at[0]], row[at[1]])) for row in rows[1 : 1 + FIRST]}


def command(name: str) -> dict[str, float]:
    """Return seconds and peak megabytes of the whole command, without the first one's compiling."""
    with tempfile.TemporaryDirectory() as folder:
        words = ("predict", file_of(name, Path(folder)), "-o", Path(folder) / "links.tsv", "-q")
        _warm(folder)
        began = time.perf_counter()
        _command(*words)
    mb = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    return {"seconds": time.perf_counter() - began, "mb": mb}


def _warm(folder: str) -> None:
    """Have every kernel compiled and on disk."""
    small = Path(folder, "warm")
    small.mkdir()
    _command("predict", file_of("planted/300", small), "-o", small / "links.tsv", "-q")


def crowd(name: str, count: int) -> dict[str, float]:
    """Return the seconds of some commands at once, and of as many one after the other."""
    with tempfile.TemporaryDirectory() as folder:
        words = [sys.executable, "-m", "linkprior", "predict", str(file_of(name, Path(folder)))]
        words += ["-o", "-", "-q"]
        _warm(folder)

        def seconds(at_once: int) -> float:
            began = time.perf_counter()
            running = [subprocess.Popen(words, stdout=subprocess.DEVNULL) for _ in range(at_once)]
            ends = [one.wait() for one in running]
            if any(ends):
                raise RuntimeError("a command of the crowd failed")
            return time.perf_counter() - began

        alone = seconds(1)
        return {"together": seconds(count), "apart": count * alone}


def auto_and_pu(name: str) -> dict[str, float]:
    """Return the seconds of auto's fit and first pairs, of a fit of pu, and the peak megabytes."""
    from linkprior.machine import peak_memory, reset_peak_memory

    net, warm = data.network(name), lp.planted_network(300, seed=2)
    for model in ("auto", "pu"):
        lp.make(model).fit(warm).predict_edges(FIRST)
    pu = min(data.clocked(lambda: lp.make("pu").fit(net))[0] for _ in range(3))
    reset_peak_memory()
    seconds, _ = data.clocked(lambda: lp.make("auto").fit(net).predict_edges(FIRST))
    return {"seconds": seconds, "pu": pu, "mb": peak_memory() / 2**20}


# ---------------------------------------------------------------------- hidden edges


def compared(name: str, models: Sequence[str], rounds: int) -> dict[str, Any]:
    """Return the AUPRC of models, and of auto and its base models, with a fifth hidden."""
    from linkprior.evaluation.evaluate import evaluate_cell
    from linkprior.evaluation.splits import uniform
    from linkprior.predictors.auto.sources import SOURCES

    net = data.network(name)
    splits = [uniform(net, 0.8, seed) for seed in range(rounds)]

    def measured(label: str, make: Any) -> list[float | None]:
        return [_value(lambda one=one: evaluate_cell(label, make(), one).values["auprc"])
                for one in splits]  # fmt: skip

    found = {model: measured(model, lambda model=model: lp.make(model)) for model in models}
    sources = {
        source.label: measured(source.label, lambda source=source: source.make(0, net.n_nodes))
        for source in SOURCES
    }
    return {"models": found, "sources": {"auto": found["auto"], **sources}}


def _value(work: Any) -> float | None:
    try:
        return round(float(work()), 6)
    except Exception:  # - a base model that fails is no competitor
        return None


def tried(name: str, rounds: int) -> dict[str, Any]:
    """Return auto's errors on a network as it is and on splits of it, and its AUROC on these."""
    from linkprior.evaluation.evaluate import evaluate_cell
    from linkprior.evaluation.splits import Split, uniform

    net = data.network(name)
    errors: list[str] = []

    def attempt(what: str, work: Any) -> list[float]:
        try:
            return [round(float(work()), 6)]
        except Exception as problem:  # - whatever it is, it counts
            errors.append(f"{what}: {type(problem).__name__}: {problem}"[:300])
            return []

    def auroc(split: Split) -> float:
        return float(evaluate_cell("auto", lp.make("auto"), split).values["auroc"])

    attempt("as it is", lambda: len(lp.make("auto").fit(net).predict_edges(FIRST)))
    found: dict[str, Any] = {"uniform": [], "trees": [], "errors": errors}
    for seed in range(rounds):
        found["uniform"] += attempt(
            f"80 %, {seed}", lambda seed=seed: auroc(uniform(net, 0.8, seed))
        )
        hidden = edges_that_may_go(net, seed)
        if len(hidden):
            split = Split(net.hide(hidden), hidden, "connected", f"connected rest {seed}")
            found["trees"] += attempt(f"tree, {seed}", lambda split=split: auroc(split))
    return found


def edges_that_may_go(net: Network, seed: int) -> np.ndarray:
    """Return up to a tenth of a near-tree's edges, without which no component falls apart.

    A network is a near-tree when a spanning forest has four fifths of its edges; of others none is
    returned.
    """
    order = np.random.default_rng(seed).permutation(edges_by_name(net))
    parent = list(range(net.n_nodes))

    def root(node: int) -> int:
        while parent[node] != node:
            parent[node] = node = parent[parent[node]]
        return node

    closing = []
    for i, j in order.tolist():  # those that close a cycle with edges before them may all go
        a, b = root(i), root(j)
        if a == b:
            closing.append((i, j))
        parent[a] = b
    if len(closing) > NEAR_TREE * net.n_edges:
        closing = []
    gone = closing[: max(1, int(MOST_HIDDEN * net.n_edges))]
    return np.array(sorted(gone), np.int64).reshape(-1, 2)


# ---------------------------------------------------------------------- the benchmark's networks


def accurate(name: str, number: int, seed: int) -> dict[str, Any]:
    """Return auto's measures on one split of a network of the benchmark."""
    from linkprior.evaluation.evaluate import evaluate_cell
    from linkprior.evaluation.splits import split_digest
    from linkprior.experiments.suite import SUITE

    case = next(case for case in SUITE if case.name == name)
    _, split = case.split(data.required_folder(), number)
    values = evaluate_cell("auto", lp.make("auto", seed=seed), split).values
    shown = {what: values[what] for what in (*MEASURES, "ndcg", "dc_auroc", "seconds", "peak_mb")}
    return {"digest": split_digest(split), "split": number, "values": shown}


def published(checkout: Path, name: str, split: int) -> dict[str, Any]:
    """Return auto's cell in the benchmark that a checkout publishes."""
    cell = suite_of(checkout).measured[name]["auto"][split]
    return {what: cell[what] for what in ("digest", "split", "values")}


@cache
def suite_of(checkout: Path) -> Any:
    """Return the published cells of the benchmark."""
    from linkprior.experiments.benchmark import results_in

    return results_in(checkout / "benchmarks/results/suite")


def by_split(found: Mapping[tuple[str, str], Any], name: str) -> list[Any]:
    return [cell for (network, _), cell in sorted(found.items()) if network == name]


def gaps(before: Mapping[tuple[str, str], Any], found: Any, name: str, metric: str) -> list[float]:
    """Return how far each cell is ahead of the published one of the same split."""
    return [
        cell["values"][metric] - before[key]["values"][metric]
        for key, cell in sorted(found.items())
        if key[0] == name
    ]


def mean_rank(found: Mapping[tuple[str, str], Any], metric: str) -> str:
    """Return auto's mean rank with these cells, among the published ones of other models."""
    from linkprior.experiments.results import Results, ranks_of

    mine, names, stored = [], {name for name, _ in found}, suite_of(data.ROOT)
    for name in sorted(names):
        cells = by_split(found, name)
        for split in sorted({cell["split"] for cell in cells}):
            of = [c["values"] for c in cells if c["split"] == split]
            known = [what for what in of[0] if all(one[what] is not None for one in of)]
            values = {what: float(np.mean([one[what] for one in of])) for what in known}
            mine.append({**stored.measured[name]["auto"][split], "values": values})
    others = [c for c in stored.cells if c["network"] in names and c["model"] != "auto"]
    ranks = ranks_of(Results([*others, *mine]), metric)
    return f"{ranks.means['auto']:.2f} of {len(ranks.models)} ({len(ranks.networks)} networks)"
