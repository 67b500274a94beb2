"""The parts of `benchmarks.stability`: which cells each has, and the rows that are made of them.

The cells of a part are asked for by the checkout that runs the benchmark; the jobs that fill them
are in `benchmarks.stability_jobs`.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from benchmarks import data
from benchmarks import stability_jobs as jobs

POMBE = "biogrid-releases/SPombe-3.2.101.el.gz"
SEVEN = ("auto", "ra", "l3", "l3n", "katz", "pu", "pa")
SEEDS_ON = {
    "S. pombe": POMBE,
    "yeast": data.YEAST,
    "DREAM5-3": "dream5/DREAM5_NetworkInference_GoldStandard_Network3.tsv.gz",
    "USAir": "lp-classic/USAir.txt",
    "Celegans": "lp-classic/Celegans.txt",
    "Plasmodium": "biogrid-plasmodium/plasmodium_biogrid_3.2.108_from_multiplex.tsv",
    "HI-II-14": "l3-2019/hi-ii-14.txt",
    "Norwegian boards": "olp/138",
}
ORDER_ON = {"Ito": "olp/102", "S. pombe 2018": "biogrid-releases/SPombe-2018-09.el.gz"}
ONE_EDGE_ON = {name: SEEDS_ON[name] for name in ("DREAM5-3", "S. pombe")}
ARITHMETIC_ON = {name: SEEDS_ON[name] for name in ("USAir", "DREAM5-3")}
PLANTED, TINY = {"planted": "planted/120"}, {"0": "olp/0"}  # of quick runs
FEW_EDGES = 300
LEAST_GAP = 0.0005  # what three digits do not show is no difference

Found = Mapping[tuple[str, str], Any]  # what is stored of a checkout, by network and seed
Rows = Iterator[tuple[str, Callable[[Found], str], str]]  # what, how it is made of cells, goal


@dataclass(frozen=True)
class Options:
    """What was asked for on the command line."""

    networks: tuple[str, ...] = ()  # none: all of them
    most: int | None = None  # networks of a part
    rounds: int | None = None  # splits, seeds, removals or turns
    long: bool = False
    quick: bool = False
    at_once: int = 1  # cells

    def chosen(self, networks: Mapping[str, str]) -> dict[str, str]:
        """Return the networks that are wanted; of too many some from all over the list."""
        names = [name for name in networks if not self.networks or name in self.networks]
        most = min(self.most or len(names), len(names))
        return {
            name: networks[name] for name in (names[i * len(names) // most] for i in range(most))
        }

    def times(self, usual: int) -> int:
        return min(self.rounds or usual, 2 if self.quick else usual)


@dataclass(frozen=True)
class Cell:
    """What one process measures: a job on a network."""

    network: str  # as the table names it
    source: str  # as `data.network` knows it; "" where the job names it itself
    seed: str  # which seed, removal, split or turn
    job: str  # the function of `benchmarks.stability_jobs`
    given: tuple[Any, ...]
    env: Mapping[str, str] = field(default_factory=dict)

    def key(self, part: str, checkout: str) -> str:
        digest = data.digest_of(self.source) if self.source else ""
        return "|".join([part, checkout, self.network, digest, self.seed])


# ---------------------------------------------------------------------- lists that hold still


def order_cells(options: Options) -> Iterator[Cell]:
    from linkprior.predictors.registry import MODELS

    for name, source in options.chosen(PLANTED if options.quick else ORDER_ON).items():
        for model in ("auto", "l3", "tri") if options.quick else MODELS:
            yield Cell(name, source, model, "reordered", (source, model))


def order_rows() -> Rows:
    def same(found: Found) -> str:
        return f"{sum(all(cell['same']) for cell in found.values())} of {len(found)}"

    def kept(found: Found) -> str:
        own = [min(cell["kept"]) for (_, model), cell in found.items() if model == "auto"]
        return f"{min(own)}"

    yield "order: lists of a model and network whose bytes stay the same", same, "all"
    yield "order: `auto`, kept of the first 100, least", kept, "100"


def seeds_cells(options: Options) -> Iterator[Cell]:
    variants = [(seed, 0, 0) for seed in range(options.times(5))]
    for name, source in options.chosen(PLANTED if options.quick else SEEDS_ON).items():
        yield Cell(name, source, f"0-{len(variants) - 1}", "lists", (source, variants))


def removed_cells(options: Options) -> Iterator[Cell]:
    variants = [(0, 0, 0), *((0, 0.02, draw) for draw in range(options.times(3)))]
    for name, source in options.chosen(PLANTED if options.quick else SEEDS_ON).items():
        yield Cell(name, source, f"0-{len(variants) - 2}", "lists", (source, variants))


def one_edge_cells(options: Options) -> Iterator[Cell]:
    for draw in range(-1, options.times(20)):
        for name, source in options.chosen(PLANTED if options.quick else ONE_EDGE_ON).items():
            seed, edges = ("whole", 0) if draw < 0 else (f"edge {draw}", 1)
            yield Cell(name, source, seed, "lists", (source, [(0, edges, max(draw, 0))]))


def arithmetic_cells(options: Options) -> Iterator[Cell]:
    from torture.determinism import CORES, simd_levels

    arithmetics: dict[str, dict[str, str]] = {"usual": {}}
    arithmetics |= {f"OpenBLAS {c}": {"OPENBLAS_CORETYPE": c} for c in CORES}
    arithmetics["plain processor"] = {"NUMBA_CPU_NAME": "generic"}
    arithmetics["portable kernels"] = {"LINKPRIOR_KERNELS": "portable"}
    if levels := simd_levels():
        arithmetics["plain NumPy"] = {"NPY_DISABLE_CPU_FEATURES": " ".join(levels)}
    if options.quick:
        arithmetics = {name: arithmetics[name] for name in ("usual", f"OpenBLAS {CORES[1]}")}
    for label, env in arithmetics.items():
        for name, source in options.chosen(PLANTED if options.quick else ARITHMETIC_ON).items():
            yield Cell(name, source, label, "lists", (source, [(0, 0, 0)]), env)


def kept_of(one: Sequence[int], other: Sequence[int], first: int = 100) -> float:
    """Return the share of a list's first pairs that are among the first of another, too."""
    return len({*one[:first]} & {*other[:first]}) / max(1, min(first, len(one)))


def codes(cell: Any) -> list[list[int]]:
    return [[int(code) for code in text.split()] for text in cell["first"]]


def mean_and_least(shares: Mapping[str, list[float]]) -> str:
    """Return the mean over networks, and the network where it is least."""
    means = {name: statistics.mean(values) for name, values in shares.items()}
    least = min(means, key=lambda name: means[name])
    return f"{statistics.mean(means.values()):.3f} ({least} {means[least]:.3f})"


def changes(cell: Any) -> list[float]:
    """Return by how much each probability among the first 100 of either of two seeds differs."""
    at = {int(code): column for column, code in enumerate(cell["at"].split())}
    table = [np.array(text.split(), float) for text in cell["probabilities"]]
    found: list[float] = []
    for a, b in combinations(range(len(table)), 2):
        lists = codes(cell)
        columns = [at[code] for code in sorted({*lists[a], *lists[b]})]
        found += np.abs(table[a] - table[b])[columns].tolist()
    return found


def seeds_rows() -> Rows:
    def kept(found: Found, first: int) -> str:
        return mean_and_least({
            name: [kept_of(a, b, first) for a, b in combinations(codes(cell), 2)]
            for (name, _), cell in found.items()
        })  # fmt: skip

    def moved(found: Found, how: Callable[[list[float]], float]) -> str:
        every = {name: changes(cell) for (name, _), cell in found.items() if cell["at"]}
        values = {name: how(of) for name, of in every.items()}
        worst = max(values, key=lambda name: values[name])
        whole = how([one for of in every.values() for one in of])
        return f"{whole:.3f} ({worst} {values[worst]:.3f})"

    yield "seeds: kept of the first 100, mean", lambda found: kept(found, 100), "≥ .92"
    yield "seeds: kept of the first 20, mean", lambda found: kept(found, 20), "≥ .92"
    median, largest = statistics.median, max
    yield "seeds: change of a probability, median", lambda found: moved(found, median), "≤ .03"
    yield "seeds: change of a probability, largest", lambda found: moved(found, largest), "≤ .15"


def removed_rows() -> Rows:
    def kept(found: Found) -> str:
        lists = {name: codes(cell) for (name, _), cell in found.items()}
        return mean_and_least(
            {n: [kept_of(of[0], one) for one in of[1:]] for n, of in lists.items()}
        )

    yield "removed: 2 % of the edges; kept of the first 100, mean", kept, "≥ .80"


def with_base(found: Found, base: str) -> Iterator[tuple[str, str, Any, Any]]:
    """Yield network and seed of each cell, with the network's base cell and its own."""
    for (name, seed), cell in found.items():
        if seed != base and (name, base) in found:
            yield name, seed, found[name, base], cell


def one_edge_rows() -> Rows:
    def kept(found: Found) -> str:
        shares = [kept_of(codes(a)[0], codes(b)[0]) for *_, a, b in with_base(found, "whole")]
        return f"{100 * statistics.mean(shares):.1f} (least {100 * min(shares):.0f})"

    def hits(found: Found) -> str:
        pairs = [(a["expected"][0], b["expected"][0]) for *_, a, b in with_base(found, "whole")]
        moved = [abs(b / a - 1.0) for a, b in pairs if a and b is not None]
        return f"{sum(one <= 0.05 for one in moved)} of {len(moved)} (most {max(moved):.0%})"

    yield "one-edge: kept of the first 100, mean", kept, "≥ 95"
    yield "one-edge: expected hits of the first 100 within 5 %", hits, "all"


def arithmetic_rows() -> Rows:
    def least(found: Found) -> str:
        shares = {
            f"{seed}, {name}": kept_of(codes(a)[0], codes(b)[0])
            for name, seed, a, b in with_base(found, "usual")
        }
        worst = min(shares, key=lambda label: shares[label])
        return f"{100 * shares[worst]:.0f} ({worst})"

    yield "arithmetic: kept of the first 100, least", least, "≥ 98"


# ---------------------------------------------------------------------- small networks, failures


def small_cells(options: Options) -> Iterator[Cell]:
    every = {f"{n}": f"olp/{n}" for n in data.olp_members() if n % 4}
    few = {n: source for n, source in every.items() if data.network(source).n_edges < FEW_EDGES}
    for number, source in (TINY if options.quick else options.chosen(few)).items():
        rounds = options.times(5)
        yield Cell(number, source, f"0-{rounds - 1}", "compared", (source, SEVEN, rounds))


def small_rows() -> Rows:
    def near_best(found: Found, models: str) -> str:
        good = 0
        for cell in found.values():
            means = {m: statistics.mean(v) for m, v in cell[models].items() if None not in v}
            own = means.pop("auto", 0.0)
            good += own >= 0.95 * max(means.values())
        return f"{good / len(found):.0%} of {len(found)}"

    goal = "≥ 75 %"
    of_sources, of_seven = (
        "small: `auto` best or within 5 % of the best base model (AUPRC)",
        "small: the same, of the best of six models",
    )
    yield of_sources, lambda found: near_best(found, "sources"), goal
    yield of_seven, lambda found: near_best(found, "models"), goal


def failures_cells(options: Options) -> Iterator[Cell]:
    every = {f"{number}": f"olp/{number}" for number in data.olp_members()}
    for number, source in (TINY if options.quick else options.chosen(every)).items():
        rounds = options.times(5)
        yield Cell(number, source, f"0-{rounds - 1}", "tried", (source, rounds))


def failures_rows() -> Rows:
    def errors(found: Found) -> str:
        failed = [len(cell["errors"]) for cell in found.values()]
        return f"{sum(failed)} on {sum(map(bool, failed))} of {len(found)} networks"

    def backwards(found: Found, kind: str) -> str:
        lists = [cell[kind] for cell in found.values() if len(cell[kind]) > 1]
        below = [np.mean(one) + 2.0 * np.std(one, ddof=1) / len(one) ** 0.5 < 0.5 for one in lists]
        return f"{sum(below)} of {len(lists)}"

    yield "failures: fits that end with an error", errors, "0"
    wrong = "failures: networks ranked backwards (AUROC below .5 by two standard errors)"
    yield wrong, lambda found: backwards(found, "uniform"), "0"
    yield "failures: the same of trees and near-trees", lambda f: backwards(f, "trees"), "0"


# ---------------------------------------------------------------------- accuracy


def accuracy_cells(options: Options) -> Iterator[Cell]:
    from linkprior.experiments.suite import SUITE

    cases = {case.name: case for case in SUITE}
    if options.quick:
        cases = {"USAir": cases["USAir"]}
    wanted = {name: name for name in cases if not options.networks or name in options.networks}
    for number in range(max(case.rounds for case in cases.values())):
        for name in wanted:
            # A single split has no spread: there three seeds are asked, the first as it was stored.
            seeds = 3 if cases[name].rounds == 1 else 1
            if number < options.times(max(seeds, cases[name].rounds)):
                split, seed = (0, number) if seeds > 1 else (number, 0)
                yield Cell(name, "", f"{split}/{seed}", "accurate", (name, split, seed))


def accuracy_rows(before: Found) -> Rows:
    def lower(found: Found, metric: str) -> str:
        behind, networks = [], {name for name, _ in found}
        for name in sorted(networks):
            gaps = jobs.gaps(before, found, name, metric)
            sd = float(np.std(gaps, ddof=1)) if len(gaps) > 1 else 0.0
            if np.mean(gaps) < -max(sd, LEAST_GAP):
                behind.append(f"{name} {np.mean(gaps):+.3f}")
        return f"{len(behind)} of {len(networks)}{': ' * bool(behind)}{', '.join(behind)}"

    for metric in jobs.MEASURES:
        what = f"accuracy: networks where {metric} is lower by more than one sd"
        yield what, lambda found, metric=metric: lower(found, metric), "0"  # type: ignore[misc]
    for metric in jobs.MEASURES[:3]:
        what = f"accuracy: mean rank in {metric} among the models of the benchmark"
        rank = lambda found, metric=metric: jobs.mean_rank(found, metric)  # noqa: E731
        yield what, rank, "no worse"


# ---------------------------------------------------------------------- speed


def speed_cells(options: Options) -> Iterator[Cell]:
    us_air, pu, crowd = SEEDS_ON["USAir"], "auto_and_pu", "crowd"
    usual = [
        Cell("planted 300", "planted/300", "", pu, ("planted/300",)),
        Cell("Yeast", data.YEAST, "", pu, (data.YEAST,)),
        Cell("command on Yeast", data.YEAST, "", "command", (data.YEAST,)),
        Cell("crowd", us_air, "", crowd, (us_air, 8)),
        Cell("command on HuRI", data.HURI, "", "command", (data.HURI,)),
        Cell("command on interactome", jobs.INTERACTOME, "", "command", (jobs.INTERACTOME,)),
    ]
    if options.quick:
        usual = [usual[0], Cell("crowd", "planted/120", "", crowd, ("planted/120", 2))]
    for turn in range(1 if options.quick else options.times(3)):
        for cell in usual[: None if options.long or options.quick else -1]:
            large = cell.source in (data.HURI, jobs.INTERACTOME)
            if (not options.networks or cell.network in options.networks) and not (turn and large):
                yield Cell(cell.network, cell.source, f"turn {turn}", cell.job, cell.given)


def speed_rows() -> Rows:
    def medians(found: Found, name: str) -> dict[str, float]:
        cells = [cell for (network, _), cell in found.items() if network == name]
        return {what: statistics.median(c[what] for c in cells) for what in cells[0]}

    def took(found: Found, name: str) -> str:
        one = medians(found, name)
        return f"{one['seconds']:.1f} s, {one['mb'] / 1000:.1f} GB"

    def times_pu(found: Found) -> str:
        one = medians(found, "Yeast")
        return f"{one['seconds'] / one['pu']:.0f} ({one['seconds']:.1f} s, {one['pu']:.2f} s)"

    def crowded(found: Found) -> str:
        one = medians(found, "crowd")
        return f"{one['together'] / one['apart']:.2f} ({one['together']:.0f} s)"

    yield "speed: Yeast, fit and first 100, as a multiple of a fit of `pu`", times_pu, "≤ 100"
    goals = {
        "command on Yeast": "≤ 1/7 of before",
        "command on HuRI": "≤ 45 s, ≤ 2 GB",
        "command on interactome": "≤ 8 min, ≤ 4 GB",
        "planted 300": "≤ 1.5 s",
    }
    for name, goal in goals.items():
        yield f"speed: {name}", lambda found, name=name: took(found, name), goal  # type: ignore[misc]
    yield "speed: eight commands at once, over the sum of eight alone", crowded, "≤ 1.3"


class Part(NamedTuple):
    """The cells of a part for some options, and its rows."""

    cells: Callable[[Options], Iterator[Cell]]
    rows: Callable[[], Rows]


PARTS = {
    "order": Part(order_cells, order_rows),
    "seeds": Part(seeds_cells, seeds_rows),
    "removed": Part(removed_cells, removed_rows),
    "one-edge": Part(one_edge_cells, one_edge_rows),
    "arithmetic": Part(arithmetic_cells, arithmetic_rows),
    "small": Part(small_cells, small_rows),
    "failures": Part(failures_cells, failures_rows),
    "accuracy": Part(accuracy_cells, accuracy_rows),
    "speed": Part(speed_cells, speed_rows),
}
