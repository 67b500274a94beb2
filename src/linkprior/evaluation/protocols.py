"""What a protocol's text stands for: `uniform:0.9`, `kfold:10`, `release:NEWER` and the others."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from linkprior._validation import choice, real_number, whole_number
from linkprior.errors import InputError, ParameterError, nearest
from linkprior.evaluation import splits
from linkprior.evaluation.splits import Split, read_split
from linkprior.io.read import read_network
from linkprior.network import Network
from linkprior.network.generate import rewired_network

PROTOCOLS = {
    "uniform": "uniform:RATE keeps this share of the edges",
    "over": "over:RATE keeps 5 points more of the edges at hubs",
    "under": "under:RATE keeps 5 points less of them",
    "biased": "biased:RATE:FACTOR keeps FACTOR × RATE of them",
    "kfold": "kfold:K hides one K-th at a time",
    "release": "release:NEWER_EDGES tests on the edges that a later file adds",
    "split": "split:FILE takes a split that was written before",
}
NULLS = ("none", "rewired")
_MOST_FOLDS = 100_000  # in one range of the command line
_log = logging.getLogger("linkprior")
_HUB_POINTS = 0.05  # the paper's 95/90 and 75/70, 85/90 and 65/70


@dataclass(frozen=True)
class Plan:
    """How a network is to be split; parameters as in `linkprior.evaluate`."""

    protocol: str = "uniform:0.9"
    rule: str = "connected"
    repeats: int = 1
    folds: Sequence[int] | None = None
    seed: int = 0
    null: str = "none"
    noise: float = 0.0
    newer: Network | None = None

    def make(self, net: Network) -> list[Split]:
        """Return the splits of a network."""
        repeats = whole_number("repeats", self.repeats, 1)
        seed = whole_number("seed", self.seed, 0)
        choice("null", self.null, NULLS)
        kind, _, argument = str(self.protocol).partition(":")
        if kind not in _MAKERS:
            raise ParameterError(
                f"no protocol is called {kind!r}.{nearest(kind, PROTOCOLS)} There are: "
                f"{', '.join(text.split()[0] for text in PROTOCOLS.values())}"
            )
        self._refuse_misfits(kind)
        noise = real_number("noise", self.noise, 0.0, 1.0, low_open=False, high_open=False)
        if kind in ("release", "split"):
            repeats = 1  # nothing is drawn: repeating would count the same split twice
        made = []
        for number in range(seed, seed + repeats):
            source = rewired_network(net, number) if self.null == "rewired" else net
            for split in _MAKERS[kind](self, source, argument, number):
                label = f"{split.label} rewired" if self.null == "rewired" else split.label
                named = replace(split, label=label)
                made.append(splits.noisy(named, noise, number) if noise else named)
        return made

    def _refuse_misfits(self, kind: str) -> None:
        """Raise an error for what does not go with a protocol."""
        if self.folds is not None and kind != "kfold":
            raise ParameterError(f"folds are for kfold:K, not for {kind}")
        if self.null != "none" and kind in ("release", "split"):
            raise ParameterError(
                f"a null network has no {kind} of its own: use another protocol with it"
            )
        if self.newer is not None and kind != "release":
            raise ParameterError(f"a newer network is for release, not for {kind}")


def fold_numbers(text: str) -> list[int]:
    """Read fold numbers as on the command line: `0-2`, `0,3`, `7`."""
    numbers: list[int] = []
    for piece in text.split(","):
        first, dash, last = piece.strip().partition("-")
        if not (first.isdecimal() and (last.isdecimal() or not dash) and len(piece) < 20):
            raise ParameterError(f"--folds expects numbers such as 0-2 or 0,3, got {text!r}")
        low, high = int(first), int(last) if dash else int(first)
        if not low <= high < low + _MOST_FOLDS:
            raise ParameterError(f"--folds {text}: {piece.strip()} is not a range of folds")
        numbers += range(low, high + 1)
    return numbers


def _number(text: str, kind: str, usage: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise ParameterError(f"protocol {kind}:{usage} needs a number, got {text!r}") from None


def _uniform(plan: Plan, net: Network, argument: str, seed: int) -> Iterable[Split]:
    rate = _number(argument or "0.9", "uniform", "RATE")
    return [splits.uniform(net, rate, seed, plan.rule)]


def _shifted(
    plan: Plan, net: Network, argument: str, seed: int, *, kind: str, points: float
) -> Iterable[Split]:
    rate = _number(argument or "0.9", kind, "RATE")
    name = f"{kind}:{rate:g}"
    if not 0.0 <= rate + points <= 1.0:
        raise ParameterError(
            f"protocol {name} would keep {100 * (rate + points):g} % of the edges at hubs"
        )
    return [splits.biased(net, rate, round(rate + points, 12), seed, plan.rule, name)]


def _biased(plan: Plan, net: Network, argument: str, seed: int) -> Iterable[Split]:
    rate_text, _, factor_text = argument.partition(":")
    rate = real_number("rate", _number(rate_text, "biased", "RATE:FACTOR"), 0.0, 1.0)
    factor = _number(factor_text, "biased", "RATE:FACTOR")
    if not 0.0 < rate * factor <= 1.0:
        raise ParameterError(
            f"biased:{argument} would keep {100 * rate * factor:g} % of the edges at hubs: "
            "RATE × FACTOR must lie between 0 and 1"
        )
    return [splits.biased(net, rate, rate * factor, seed, plan.rule)]


def _kfold(plan: Plan, net: Network, argument: str, seed: int) -> Iterable[Split]:
    if not (argument or "10").isdecimal() or len(argument) > 12:
        raise ParameterError(f"protocol kfold:K needs a whole number, got {argument!r}")
    count = whole_number("K of kfold:K", int(argument or "10"), 2)
    if count > net.n_edges:
        splits.kfold(net, count, 0)  # raises the error that says so
    made, left, problem = [], 0, ""
    for fold in _folds(plan.folds, count):
        try:
            made.append(splits.kfold(net, count, fold, seed, plan.rule))
        except InputError as nothing:  # no edge to ask for: with few edges per fold it happens
            left, problem = left + 1, str(nothing)
    if not made:
        raise InputError(problem)
    if left:
        _log.info(f"kfold:{count} seed {seed}: {left} folds without an edge to ask for left out")
    return made


def _folds(given: Sequence[int] | None, count: int) -> Sequence[int]:
    if given is None:
        return range(count)
    if isinstance(given, str) or not isinstance(given, Sequence) or len(given) == 0:
        raise ParameterError(f"folds must be a list of fold numbers, got {given!r}")
    if len(set(given)) != len(given):
        raise ParameterError(f"folds name one fold twice: {list(given)}")
    return [whole_number("fold", fold, 0, count - 1) for fold in given]


def _release(plan: Plan, net: Network, argument: str, seed: int) -> Iterable[Split]:
    if not argument and plan.newer is None:
        raise ParameterError("protocol release:NEWER_EDGES needs the newer file")
    newer = read_network(Path(argument)) if plan.newer is None else plan.newer
    return [splits.release(net, newer, plan.rule)]


def _split(plan: Plan, net: Network, argument: str, seed: int) -> Iterable[Split]:
    if not argument:
        raise ParameterError("protocol split:FILE needs the file of a split")
    return [read_split(Path(argument), net)]


_MAKERS: dict[str, Callable[[Plan, Network, str, int], Iterable[Split]]] = {
    "uniform": _uniform,
    "over": partial(_shifted, kind="over", points=_HUB_POINTS),
    "under": partial(_shifted, kind="under", points=-_HUB_POINTS),
    "biased": _biased,
    "kfold": _kfold,
    "release": _release,
    "split": _split,
}
