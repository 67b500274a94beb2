"""What releases teach auto about the next one: `python -m benchmarks.history`

Three releases each time: auto learns from what the second found beyond the first, is fitted to the
second, and is judged on what the third found. Beside it auto as it is without a history, and peers.
All pairs of nodes are candidates (the paper's rule). The rat releases are cuts by interaction id of
one file; the last three are other files of rat interactions (Entrez ids, rat–rat only).
Results are kept in benchmarks/results/history.json, and the next run goes on from there; the table
is made by `benchmarks.update_docs`.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import linkprior as lp
from benchmarks import data
from linkprior.evaluation.evaluate import evaluate_cell
from linkprior.evaluation.splits import Split, release
from linkprior.experiments.benchmark import expected_and_real
from linkprior.network import Network
from linkprior.predictors.auto.auto import Auto
from linkprior.predictors.base import LinkPredictor

IDS = {"94": 723040, "104": 886195, "114": 947935, "120": 10**12}
TRIPLES = (("94", "104", "114"), ("94", "104", "120"), ("94", "114", "120"), ("104", "114", "120"))
PEERS = ("pa", "l3", "pu", "tri-degree")
SHOWN = ("auprc", "recall@5%", "p@500", "ndcg", "auroc", "dc_auroc")
SEEDS = range(2)


def releases(folder: Path) -> Iterator[tuple[str, list[Network]]]:
    rat = folder / "biogrid-rat"
    lines = (rat / "rat-edges-first-id-from-3.2.120.tsv").read_text().splitlines()[1:]
    rows = [line.split("\t") for line in lines]
    for names in TRIPLES:
        cuts = ([(r[0], r[1]) for r in rows if int(r[4]) <= IDS[name]] for name in names)
        yield "rat " + " → ".join(names), [Network.from_edges(pairs) for pairs in cuts]
    first, last = (
        lp.read_network(rat / f"sana-RNorvegicus-{when}.el") for when in ("2013", "3.4.164")
    )
    names = {*first.names, *last.names}
    pairs = [(r[2], r[3]) for r in rows if r[2] in names and r[3] in names]
    yield "rat–rat 2013 → 120 → 164", [first, Network.from_edges(pairs), last]


def measure(older: Network, newer: Network, newest: Network) -> dict[str, Any]:
    plain = release(newer, newest, "all-nodes")
    taught = release(newer.with_history(older, newer), newest, "all-nodes")
    history = taught.train.known.history

    def judged(model: LinkPredictor, split: Split = plain) -> dict[str, Any]:
        values = evaluate_cell(model.name, model, split).values
        found: dict[str, Any] = {m: values[m] for m in SHOWN}
        if isinstance(model, Auto):
            found["yield"] = expected_and_real(model, split)
        return found

    return {
        "digests": [one.digest for one in (older, newer, newest)],
        "found_before": 0 if history is None else len(history.found),
        "hidden": len(plain.hidden),
        "auto with history": [judged(Auto(seed=seed), taught) for seed in SEEDS],
        "auto": [judged(Auto(seed=seed)) for seed in SEEDS],
        **{name: [judged(lp.make(name))] for name in PEERS},
    }


def main() -> None:
    folder, path = data.required_folder(), data.RESULTS / "history.json"
    found = data.read_results(path)
    for name, networks in releases(folder):
        if found.get(name, {}).get("digests") == [one.digest for one in networks]:
            continue
        found[name] = measure(*networks)
        data.write_results(path, found, sort_keys=True)
        print(name, flush=True)


if __name__ == "__main__":
    main()
