"""What `linkprior predict` does: read, fit, rank, explain, write."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from linkprior import progress
from linkprior.cli.messages import say
from linkprior.cli.outputs import Output
from linkprior.cli.reading import Input
from linkprior.cli.settings import make_model
from linkprior.errors import LinkpriorError

if TYPE_CHECKING:
    from linkprior.io.read import Reading
    from linkprior.network import Network
    from linkprior.predictors.base import LinkPredictor
    from linkprior.predictors.candidates import Candidates
    from linkprior.predictors.effort import Effort
    from linkprior.ranking import Ranking

R = TypeVar("R")


@dataclass
class PredictJob:
    """One prediction, from the options to the files."""

    source: Input
    top: int | None
    threshold: float | None
    model: str
    settings: tuple[str, ...]
    seed: int
    around: tuple[str, ...]
    within: str | None
    between: tuple[str, str] | None
    exclude: str | None
    explain: tuple[tuple[str, str], ...]
    output: str | None
    output_format: str | None
    save: str | None
    force: bool
    dry_run: bool
    workers: int | None
    quiet: bool
    seconds: dict[str, float] = field(default_factory=dict)

    def run(self) -> None:
        """Do it all. What cannot be written is refused before the work begins."""
        from linkprior.cli import display, interrupt
        from linkprior.parallel import use_workers

        self.target = Output.of(self.output, self.output_format, self.save)
        predictor = make_model(self.model, self.settings, self.seed)
        shown, threads = display.progress(self.quiet), use_workers(self.workers)
        with interrupt.keeping(self.target.kept), shown, threads:
            self.tell(f"Reading {self.source.edges} …")
            with progress.stage(f"reading {Path(self.source.edges).name}"):
                reading = self._timed("reading", self.source.read)
            for line in reading.report.text():
                self.tell(line)
            self._resolve_names(reading)
            candidates = self._candidates(reading.network)
            self._check_memory(predictor, reading.network)
            if self.dry_run:
                return
            self._work(predictor, reading, candidates)

    def _work(
        self, predictor: LinkPredictor, reading: Reading, candidates: Candidates | None
    ) -> None:
        self._open_run(reading, predictor)
        with self._expected(predictor, reading.network) as work:
            with progress.part(work.fit):
                predictor = self._fit(predictor, reading.network)
            if self.save:
                predictor.save(self.save)
                self.tell(f"Saved the model to {self.save}")
            if self.lists:
                ranking = self._timed("ranking", lambda: self._rank(predictor, candidates, reading))
        if self.lists:
            self._write(ranking, self._facts(reading, predictor), predictor)
        self._print_stories(predictor)

    @property
    def lists(self) -> bool:
        """Whether a ranking is wanted: an explanation takes its place on standard output."""
        return not self.explain or self.output is not None

    def _write(self, ranking: Ranking, facts: dict[str, Any], predictor: LinkPredictor) -> None:
        if not len(ranking):
            self.tell("No pair is left to predict: every candidate is an edge or was left out.")
        if self.output is not None:
            self.tell(f"Writing {len(ranking)} links to {self.output}")
        self.target.write(ranking, predictor, facts)

    @contextmanager
    def _expected(self, predictor: LinkPredictor, network: Network) -> Iterator[Effort]:
        """Open the stage of the progress that holds all the work; results are written after it."""
        from linkprior.predictors.effort import effort_of

        work = effort_of(predictor, network)
        with progress.stage(f"fitting {self.model}", work.fit + work.scores):
            yield work

    def tell(self, text: str) -> None:
        """Say something on stderr, and in the log of a run."""
        if not self.quiet:
            say(text)
        self.target.log(text)

    def _timed(self, name: str, work: Callable[[], R]) -> R:
        start = time.perf_counter()
        result = work()
        self.seconds[name] = round(time.perf_counter() - start, 3)
        return result

    # ------------------------------------------------------------------ before the fit

    def _resolve_names(self, reading: Reading) -> None:
        """Find the nodes named, by name or by label; an unknown one is an error before the fit."""
        from linkprior.predictors.naming import number_of

        self.by_label = _names_by_label(reading)
        self.around = tuple(map(self._resolved, self.around))
        self.explain = tuple((self._resolved(a), self._resolved(b)) for a, b in self.explain)
        for name in (*self.around, *chain.from_iterable(self.explain)):
            number_of(reading.network, name)

    def _resolved(self, name: str) -> str:
        return self.by_label.get(name, name)

    def _candidates(self, network: Network) -> Candidates | None:
        """Return the pairs asked about, None for all; say which names are unknown."""
        from linkprior.io.lists import read_names, read_pairs
        from linkprior.predictors.candidates import Candidates

        if not (self.around or self.within or self.between or self.exclude):
            return None
        lists = [
            [self._resolved(name) for name in read_names(path)] if path else None
            for path in (self.within, *(self.between or (None, None)))
        ]
        tested = read_pairs(self.exclude) if self.exclude else []
        chosen = Candidates.of(
            network,
            around=self.around,
            within=lists[0],
            between=(lists[1], lists[2]) if lists[1] and lists[2] else None,
            exclude=[(self._resolved(a), self._resolved(b)) for a, b in tested],
        )
        for line in chosen.unknown.notes():
            self.tell(f"Note: {line}")
        self.tell(f"{chosen.n_candidates:,} candidate pairs")
        return chosen

    def _check_memory(self, predictor: LinkPredictor, network: Network) -> None:
        """Say what the fit will take, and refuse what cannot fit."""
        from linkprior import machine
        from linkprior.predictors.estimate import estimate

        expected = estimate(predictor, network)
        free = machine.available_memory()
        if self.dry_run:
            click.echo(expected.text(free))
        if free is not None and expected.bytes > free and not self.force:
            raise LinkpriorError(expected.refusal(free))

    # ------------------------------------------------------------------ the work

    def _fit(self, predictor: LinkPredictor, network: Network) -> LinkPredictor:
        before = self.target.fitted()
        if before is not None:
            self.tell(f"Taking up the {self.model} model fitted before")
            return before
        self.tell(f"Fitting {self.model} …")
        self._timed("fitting", lambda: predictor.fit(network))
        self.target.keep_model(predictor)
        return predictor

    def _rank(
        self, predictor: LinkPredictor, candidates: Candidates | None, reading: Reading
    ) -> Ranking:
        from linkprior.predictors.evidence import with_evidence

        most = self.top if self.top or self.threshold is not None else 100
        ranking = predictor.predict_edges(most, candidates=candidates, threshold=self.threshold)
        return with_evidence(predictor, ranking, reading.labels)

    def _print_stories(self, predictor: LinkPredictor) -> None:
        from linkprior.predictors.evidence import tell

        for number, (a, b) in enumerate(self.explain):
            click.echo(("\n" if number else "") + tell(predictor, a, b).text())

    # ------------------------------------------------------------------ what is remembered

    def _open_run(self, reading: Reading, predictor: LinkPredictor) -> None:
        report, network = reading.report, reading.network
        self.target.open(
            request=self._request(predictor),
            source={
                "file": report.file,
                "sha256": report.sha256,
                "nodes": network.n_nodes,
                "edges": network.n_edges,
                "network_digest": network.digest,
            },
            report=report,
            force=self.force,
        )

    def _request(self, predictor: LinkPredictor) -> dict[str, Any]:
        """Return what the ranking follows from, the input aside."""
        from linkprior.io.lists import digest_of

        files = {"nodes": self.within, "exclude": self.exclude}
        between = [digest_of(name) for name in self.between] if self.between else None
        chosen = {
            "model": self.model,
            "parameters": predictor.get_params(),
            "top": self.top if self.top or self.threshold is not None else 100,
            "threshold": self.threshold,
            "node": list(self.around) or None,
            **{name: digest_of(path) if path else None for name, path in files.items()},
            "between": between,
            "format": self.output_format,
            **self.source.request(),
        }
        return {name: value for name, value in chosen.items() if value is not None}

    def _facts(self, reading: Reading, predictor: LinkPredictor) -> dict[str, Any]:
        return {
            "model": self.model,
            "seed": predictor.get_params().get("seed"),
            "network_digest": reading.network.digest,
            "seconds": dict(self.seconds),
        }


def _names_by_label(reading: Reading) -> dict[str, str]:
    """Return the node each label means, where it means one only and is no node's name itself."""
    nodes: dict[str, list[str]] = {}
    for name, label in reading.labels.items():
        nodes.setdefault(label, []).append(name)
    taken = set(reading.network.names)
    return {
        label: names[0] for label, names in nodes.items() if len(names) == 1 and label not in taken
    }
