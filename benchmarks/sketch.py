"""How near the rank sketch comes to exact ranks: the top 1 % of all candidate pairs, same factors.

    python -m benchmarks.sketch [--fixes] [--models NAME,…] [NETWORK …]

With --fixes more knots per octave are tried, too. Two models:

tri-degree   SketchScores by `build_tables` against `dense_prox`, default rank, one start
degree:l3    `make_tables` and `adjust` against `exact_penalty`, unit and all, as the model does

Overlap is the share of the exact top 1 % that the sketch's top 1 % holds; where pairs tie at the
border, either side may take any of them. `passes` tells how much of it one more exact pass would
keep: what is below that, ranks that still move can explain. Goal: 99 %. Writes
benchmarks/results/sketch.json.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
from numpy.typing import NDArray

from benchmarks import data
from benchmarks.timing import machine as where
from linkprior import parallel
from linkprior.io.atomic_files import whole_file
from linkprior.io.read import read_network
from linkprior.model.factors import Factors
from linkprior.network import Network
from linkprior.predictors import scores as sketching
from linkprior.predictors.degree_prior import DegreeOver
from linkprior.predictors.registry import make
from linkprior.predictors.scores import (
    adjust,
    exact_penalty,
    exact_unit,
    make_tables,
    subtract,
    unit_of,
)
from linkprior.predictors.tri_degree import TriDegree as TriDegreeModel
from linkprior.solvers.symmetric_prox import mm_passes

Array = NDArray[Any]
RESULTS = Path(__file__).parent / "results" / "sketch.json"
SHARE, GOAL = 0.01, 0.99
PER_OCTAVE = (4, 8, 16, 32)


def networks(folder: Path) -> Iterator[tuple[str, Network]]:
    """Yield the networks by name."""
    yield "DREAM5-1", data.dream5(folder)
    yield "yeast", read_network(folder / "ppi-challenge2023" / "Yeast.csv")
    yield "HuRI", read_network(folder / "ppi-challenge2023" / "HuRI.csv.gz")


@contextmanager
def knots_per_octave(count: int) -> Iterator[None]:
    """Let tables have so many knots per octave."""
    with patch.object(sketching, "_KNOTS_PER_OCTAVE", count):
        yield


def by_blocks(rows: Any, n_nodes: int) -> Array:
    """Return a matrix from its row blocks."""
    return np.concatenate(list(parallel.map_blocks(rows, n_nodes)))


def candidates(net: Network, Q: Array) -> Array:
    """Return the scores of all non-edges, in order of the pairs."""
    free = np.triu(np.ones(Q.shape, bool), 1)
    free[net.edges[:, 0], net.edges[:, 1]] = False
    found: Array = Q[free]
    return found


def overlap(exact: Array, other: Array) -> float:
    """Return the share of the best of `exact` among the best of `other`."""
    k = max(1, round(SHARE * len(exact)))
    lowest, border = (np.partition(some, len(some) - k)[len(some) - k] for some in (exact, other))
    ours, theirs = (exact > lowest, exact == lowest), (other > border, other == border)
    sure, room = _count(ours[0], theirs[0]), (k - _count(ours[0]), k - _count(theirs[0]))
    # Places left on either side go to pairs that tie at the border, those the other has first.
    by_us = min(_count(ours[1], theirs[0]), room[0])
    by_them = min(_count(ours[0], theirs[1]), room[1])
    by_both = min(_count(ours[1], theirs[1]), room[0] - by_us, room[1] - by_them)
    return (sure + by_us + by_them + by_both) / k


def _count(*every: Array) -> int:
    return int(np.count_nonzero(np.logical_and.reduce(every)))


class TriDegree:
    """tri-degree's exact and sketched scores of one network."""

    def __init__(self, net: Network) -> None:
        model = TriDegreeModel(n_starts=1, rank_by="factors").fit(net)
        self.net, arrays = net, model.learned_.arrays
        self.factors = Factors(arrays["U"][0], arrays["S"][0])
        self.scale, self.profile = model._rank_weights(net)

    def exact(self, more: int = 0) -> Array:
        A = by_blocks(self.factors.rows, self.net.n_nodes).astype(np.float32)
        passes = sketching.PASSES + more
        return mm_passes((A + A.T) / 2, self.scale, self.profile, passes)

    def sketch(self) -> Array:
        tables = sketching.build_tables(self.factors, self.scale, self.profile)
        weights = self.profile[sketching.knots(len(self.profile))]
        scores = sketching.SketchScores([self.factors], tables[None], self.scale, weights)
        return by_blocks(scores.rows, self.net.n_nodes)


class DegreeL3:
    """degree:l3's exact and sketched scores of one network."""

    passes = 2

    def __init__(self, net: Network) -> None:
        model = make("degree:l3")
        assert isinstance(model, DegreeOver)
        self.net, self.base = net, make("l3").fit(net)
        self.scale, self.profile = model._prior(net)

    def combine(self, unit: float) -> Any:
        return lambda scores, penalty: subtract(scores, np.float32(unit) * penalty)

    def exact(self, more: int = 0) -> Array:
        A = by_blocks(self.base._rows, self.net.n_nodes)
        A = (A + A.T) * A.dtype.type(0.5)
        combine = self.combine(exact_unit(A, self.net.n_edges)[0])
        passes = self.passes + more
        penalty = exact_penalty(A, self.scale, self.profile, passes, combine)
        found: Array = combine(A, penalty)
        return found

    def sketch(self) -> Array:
        p, rows = self.net.n_nodes, self.base._rows
        first = make_tables(rows, p, self.scale, self.profile)
        combine = self.combine(unit_of(first[0], p - 1, self.net.n_edges)[0])
        known = (self.scale, self.profile)
        tables = make_tables(rows, p, *known, self.passes, combine, first)
        weights = self.profile[sketching.knots(len(self.profile))]
        return by_blocks(
            lambda start, stop: adjust(
                rows(start, stop), start, tables, self.scale, weights, combine
            ),
            p,
        )


KINDS: dict[str, type[TriDegree] | type[DegreeL3]] = {
    "tri-degree": TriDegree,
    "degree:l3": DegreeL3,
}


def study(net: Network, kind: type[TriDegree] | type[DegreeL3], fixes: bool) -> dict[str, Any]:
    """Return the overlaps of one model on one network, with more knots too where asked for."""
    model = kind(net)
    exact = candidates(net, model.exact())
    again = overlap(exact, candidates(net, model.exact(more=1)))
    found: dict[str, Any] = {"passes": round(again, 5)}
    for count in PER_OCTAVE if fixes else PER_OCTAVE[:1]:
        with knots_per_octave(count):
            began = time.perf_counter()
            share = overlap(exact, candidates(net, model.sketch()))
            found[f"knots {count}"] = round(share, 5)
            found[f"seconds {count}"] = round(time.perf_counter() - began, 2)
    return found


def main() -> None:
    """Measure, print and keep."""
    options = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    options.add_argument("networks", nargs="*", help="DREAM5-1, yeast, HuRI; all unless told")
    options.add_argument("--models", default="tri-degree,degree:l3")
    options.add_argument("--fixes", action="store_true", help="more knots per octave, too")
    given = options.parse_args()
    folder = data.folder()
    if folder is None:
        sys.exit("sketch: LINKPRIOR_DATA is not set")
    found: dict[str, Any] = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    found |= {"share": SHARE, "goal": GOAL}
    for label, net in networks(folder):
        if given.networks and label not in given.networks:
            continue
        for name in given.models.split(","):
            kind = KINDS[name]
            with parallel.one_blas_thread():
                one = study(net, kind, given.fixes)
            found[f"{name}, {label}"] = {"nodes": net.n_nodes, "machine": where(), **one}
            print(f"{name:11} {label:9} {json.dumps(one)}  (goal ≥ {GOAL})", flush=True)
            with whole_file(RESULTS) as stream:
                stream.write(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
