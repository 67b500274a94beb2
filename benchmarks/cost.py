"""What work costs, as formulas; predictions from measured rates, and how far they hold.

    python -m benchmarks.cost             prints the tables of docs/scaling.md
    python -m benchmarks.cost --traffic   measures what dask sends (benchmarks/results/traffic.json)

Rates on two cores come from one size in growth.json (`CALIBRATED` nodes) and are checked on the
others; those of a GPU come from gpu.json. Rates are core seconds over the threads that work (two,
one for a plain sweep), since a wall clock tells more of who else was on the machine. A test holds
the page against this module.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from functools import partial
from typing import Any

from benchmarks.data import RESULTS, narrow_table, saved, write_results
from linkprior.predictors.scores import PASSES, knots
from linkprior.solvers.direct import block_groups

CALIBRATED, DEGREE, RANK, CORES = 8_000, 20, 32, 64
SIZES = (10**5, 10**6, 10**7)
LOOKS = PASSES * (PASSES - 1) // 2  # looks into tables while tables are made
THREADS = {"pass": 2, "tables": 2, "scores": 2, "sweep": 1, "pu": 2}
ROUNDS = {"sweep": ("tri", 20), "pu": ("pu", 15)}  # cells of growth.json and their sweeps


@dataclass(frozen=True)
class Size:
    """A network of p nodes and some edges, and factors of rank r."""

    nodes: int
    edges: int
    rank: int = RANK

    @property
    def entries(self) -> float:
        return float(self.nodes) ** 2

    @property
    def table_bytes(self) -> float:
        """The bytes of one rank table: a score at each knot, for every node."""
        return 4.0 * self.nodes * len(knots(self.nodes - 1))


def flops(work: str, size: Size) -> float:
    """Return the leading terms of the additions and multiplications of one piece of work."""
    p2, p, r = size.entries, float(size.nodes), float(size.rank)
    stored = 2.0 * size.edges
    return {
        "pass": 6.0 * p2 * r,
        "tables": 2.0 * PASSES * p2 * r,
        "scores": 2.0 * p2 * r,
        "admm": 8.0 * p2 * r,
        "sweep": 8.0 * stored * r + 12.0 * p * r**2,
        "pu": 28.0 * (stored + p) * r + 12.0 * p * r**2,
    }[work]


def held_bytes(work: str, size: Size) -> float:
    """Return the bytes of the arrays that grow with the network, for one start."""
    p, r = float(size.nodes), float(size.rank)
    return {
        "pass": 5 * 8.0 * p * r,
        "tables": PASSES * size.table_bytes,
        "scores": PASSES * size.table_bytes + 8.0 * p * r,
        "sweep": 8 * 8.0 * p * r + 24.0 * 2.0 * size.edges,
        "pu": 13 * 4.0 * p * r + 40.0 * 2.0 * size.edges,
    }[work]


def sent_bytes(work: str, size: Size) -> float:
    """Return what dask sends to each worker once for one map over row blocks.

    It is U, the weights of nodes and ranks, and the tables made by then (of the last pass here).
    """
    factors = 8.0 * size.nodes * (size.rank + 2)
    made = {"pass": 0, "tables": PASSES - 1, "scores": PASSES}[work]
    return factors + made * size.table_bytes


def received_bytes(work: str, size: Size) -> float:
    """Return what comes back from one map: BᵀU by groups of blocks, or a table."""
    if work == "pass":
        groups = len(block_groups(size.nodes))  # of row blocks of a pass; each is one task
        return 8.0 * size.nodes * (size.rank * (groups + 1) + 1)
    return {"tables": size.table_bytes, "scores": 0.0}[work]


def calibrated(growth: dict[str, Any], name: str) -> dict[str, Any]:
    return next(one for one in growth["nodes"][name]["cells"] if one["nodes"] == CALIBRATED)


def rates(growth: dict[str, Any]) -> dict[str, float]:
    """Return seconds per entry (pass, tables, scores) or per flop (sweep, pu) on two cores."""
    tri = calibrated(growth, "tri-degree")
    size, busy = Size(tri["nodes"], tri["edges"]), tri["cpu_seconds"] / tri["seconds"]
    parts = {"pass": "pass", "tables": "tables", "scores": "top"}.items()
    found = {w: tri["parts"][part] * busy / THREADS[w] / size.entries for w, part in parts}
    for work, (name, rounds) in ROUNDS.items():
        took = calibrated(growth, name)["cpu_seconds"] / THREADS[work] / rounds
        found[work] = took / flops(work, size)
    return found


def two_cores(work: str, size: Size, rate: dict[str, float]) -> float:
    return rate[work] * (size.entries if work in MAPPED else flops(work, size))


def one_gpu(work: str, size: Size, gpu: dict[str, Any]) -> float:
    """Return the seconds of a pass on a GPU, from the parts measured for one block of rows."""
    part = gpu["pairs"]
    look = 2 * part["bucketize_64"]  # both ends of a pair have a table
    block = {
        "pass": 3 * part["product"] + part["sort"],
        "tables": PASSES * (part["product"] + part["sort"]) + LOOKS * look,
        "scores": part["product"] + PASSES * look + part["top_1000"],
    }[work]
    return block * size.entries / (part["rows"] * part["nodes"])


def spell(seconds: float) -> str:
    """Return a time in the unit people would use, two digits."""
    for unit, length in (("years", 365.25 * 86400), ("d", 86400.0), ("h", 3600.0), ("min", 60.0)):
        if seconds >= 2 * length:
            return _two_digits(seconds / length, unit)
    return _two_digits(seconds, "s") if seconds >= 0.1 else _two_digits(1e3 * seconds, "ms")


def spell_bytes(size: float) -> str:
    """Return bytes in the unit people would use, two digits."""
    units = (("PB", 1e15), ("TB", 1e12), ("GB", 1e9))
    unit, length = next((one for one in units if size >= one[1]), ("MB", 1e6))
    return _two_digits(size / length, unit)


def _two_digits(value: float, unit: str) -> str:
    rounded = float(f"{value:.2g}")
    return f"{rounded:,.0f} {unit}" if rounded >= 10 else f"{rounded:g} {unit}"


MAPPED = {"pass": "streaming pass", "tables": "tables", "scores": "scores of all pairs"}
WORDS = {**MAPPED, "sweep": "tri sweep", "pu": "pu sweep"}


def predictions(growth: dict[str, Any]) -> str:
    rate, gpu, rows = rates(growth), saved("gpu"), []
    for nodes in SIZES:
        size = Size(nodes, nodes * DEGREE // 2)
        for work, words in WORDS.items():
            took, fast, cluster, sent, back = two_cores(work, size, rate), *"––––"
            if work in MAPPED:
                fast, cluster = spell(one_gpu(work, size, gpu)), spell(took * 2 / CORES)
                sent, back = (spell_bytes(of(work, size)) for of in (sent_bytes, received_bytes))
            held = spell_bytes(held_bytes(work, size))
            rows.append([f"{nodes:,}", words, spell(took), fast, cluster, held, sent, back])
    heads = f"nodes | work | two cores | one H200 | {CORES} cores | arrays | to each worker | back"
    return narrow_table(f"| {heads} |", rows)


def _row(what: str, predicted: float, measured: float, how: Any = spell) -> list[str]:
    return [what, how(predicted), how(measured), f"{measured / predicted:.2f}"]


# A fit with the defaults and a ranking; DBLP's is one of candidates only.
FIT = {"sweep": 81, "pass": 11, "tables": 1}
HUMAN = Size(21_538, 338_636)
REAL = {
    "tri-degree": ("human interactome", HUMAN, {**FIT, "scores": 1}),
    "dblp": ("DBLP", Size(51_264, 127_968), FIT),
}


def checks(growth: dict[str, Any]) -> str:
    human = saved("human")
    on_two, rows = partial(two_cores, rate=rates(growth)), []
    for one in growth["nodes"]["tri-degree"]["cells"]:
        if one["nodes"] != CALIBRATED:
            size = Size(one["nodes"], one["edges"])
            took = sum(on_two(work, size) for work in MAPPED)
            rows.append(_row(f"tri-degree, {size.nodes:,} nodes", took, one["cpu_seconds"] / 2))
    for work, (name, rounds) in ROUNDS.items():
        one = growth["nodes"][name]["cells"][-1]
        size = Size(one["nodes"], one["edges"])
        what = f"{name}, {size.nodes:,} nodes, {rounds} sweeps"
        took = rounds * on_two(work, size)
        rows.append(_row(what, took, one["cpu_seconds"] / THREADS[work]))
    one = human["fit-pu"]
    what = f"pu, human interactome, rank {one['rank']}, {one['rounds']} sweeps"
    took = one["rounds"] * on_two("pu", Size(HUMAN.nodes, HUMAN.edges, one["rank"]))
    rows.append(_row(what, took, one["cpu_seconds"] / 2))
    for name, (words, size, parts) in REAL.items():
        # In core seconds over two: a sweep has one thread, so it counts half here.
        took = sum(times * on_two(work, size) * THREADS[work] / 2 for work, times in parts.items())
        what = f"`predict --model tri-degree`, {words}, all in all"
        rows.append(_row(what, took, human[name]["cpu_seconds"] / 2))
    for work, name, sweeps in (("pu", "pu", 20), ("sweep", "tri", 80)):
        for one in saved("large")["knn"].get(name, {"cells": []})["cells"]:
            what = f"{name}, {one['nodes']:,} nodes, up to {sweeps} sweeps, wall clock"
            took = sweeps * on_two(work, Size(one["nodes"], one["edges"]))
            rows.append(_row(what, took, one["seconds"]["fitting"]))
    rows.append(_admm_on_gpu(saved("gpu")))
    traffic = saved("traffic")
    for work, one in traffic["works"].items():
        size = Size(traffic["nodes"], traffic["edges"], traffic["rank"])
        for kind, formula in (("sent", sent_bytes), ("received", received_bytes)):
            what = f"dask, {WORDS[work]}, {size.nodes:,} nodes: {kind}"
            rows.append(_row(what, formula(work, size), one[kind], spell_bytes))
    return narrow_table("| | predicted | measured | measured / predicted |", rows)


def _admm_on_gpu(gpu: dict[str, Any]) -> list[str]:
    p, prox, pairs = gpu["admm"]["nodes"], gpu["prox"], gpu["pairs"]
    product = 2.0 * pairs["rows"] * pairs["nodes"] * RANK / pairs["product"]  # flops per second
    thin = flops("admm", Size(p, 10 * p)) / product
    step = thin + 3 * (prox["rank_penalty"] + 5 * prox["copy"])  # ten reads or writes a pass
    took, steps = gpu["admm"]["seconds"], gpu["admm"]["steps"]
    return _row(f"ADMM on one H200, {p:,} nodes, {steps} steps of 3 passes", steps * step, took)


def slopes(growth: dict[str, Any]) -> str:
    rows = []
    for name, one in growth["nodes"].items():
        over_edges = growth["edges"].get(name, {}).get("exponents", {})
        found = [one["exponents"][key] for key in ("seconds", "cpu_seconds", "added_bytes")]
        found.append(over_edges.get("cpu_seconds"))
        rows.append([name, *("–" if value is None else f"{value:.2f}" for value in found)])
    heads = "| | time in p | core seconds in p | memory in p | core seconds in m |"
    return narrow_table(heads, rows)


def tables() -> str:
    growth = saved("growth")
    sizes = [one["nodes"] for one in growth["nodes"]["tri-degree"]["cells"]]
    head = (
        f"Exponents, from {sizes[0]:,} to {sizes[-1]:,} nodes at mean degree {DEGREE}, and with "
        f"edges at {CALIBRATED:,} nodes (goal: tri-degree's time in p ≤ {growth['goal']}; "
        f"measured on {growth['machine']}):"
    )
    measured = "Where there are measurements, in core seconds over threads unless said:"
    parts = [head, slopes(growth), "What larger networks would take:", predictions(growth)]
    return "\n\n".join([*parts, measured, checks(growth)])


def traffic(n_nodes: int = 4_000) -> dict[str, Any]:
    """Measure what one streaming pass and the last of the tables send over the wire."""
    import numpy as np

    from linkprior import parallel
    from linkprior.model.degrees import estimate_degrees
    from linkprior.model.priors import DegreePrior
    from linkprior.network.generate import large_network
    from linkprior.solvers.direct import ranked_pass, start_factors

    net = large_network(n_nodes, DEGREE, seed=1)
    factors = start_factors(net, RANK, np.random.default_rng(1))
    prior = DegreePrior(estimate_degrees(net), 0.5)
    with parallel.use_workers(2), parallel.use_dask("local") as engine:
        ranked_pass(factors, prior)
        used = {"sent": engine.traffic.sent, "received": engine.traffic.received}
    size = {"nodes": net.n_nodes, "edges": net.n_edges, "rank": RANK}
    return {**size, "works": {"pass": used}}


def main() -> None:
    if "--traffic" in sys.argv:
        write_results(RESULTS / "traffic.json", traffic())
    print(tables())


if __name__ == "__main__":
    main()
