"""What `linkprior predict` does: read, fit, rank, explain, write."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from linkprior import _progress as progress
from linkprior.cli import expected_hits, options
from linkprior.cli import report as pages
from linkprior.cli.candidate_options import CandidateOptions, Names
from linkprior.cli.console import echo, writing_to
from linkprior.cli.nearby import NearbyChoice
from linkprior.cli.outputs import Output
from linkprior.cli.reading import Input
from linkprior.cli.settings import make_model
from linkprior.cli.side_inputs import SideInputs
from linkprior.cli.tune_first import TuneFirst
from linkprior.errors import LinkpriorError

if TYPE_CHECKING:
    from linkprior.io.read import Reading
    from linkprior.network import Network
    from linkprior.predictors.base import LinkPredictor
    from linkprior.predictors.cost import Effort
    from linkprior.ranking.candidates import Candidates, NeighborCandidates
    from linkprior.ranking.ranking import Ranking

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
    tune: TuneFirst
    choices: CandidateOptions
    nearby: NearbyChoice
    beside: SideInputs
    explain: tuple[tuple[str, str], ...]
    output: str | None
    output_format: str | None
    save: str | None
    report: str | None
    force: bool
    dry_run: bool
    workers: int | None
    dask: str | None
    device: str | None
    memory_limit: str | None
    quiet: bool
    ignore_memory: bool
    seconds: dict[str, float] = field(default_factory=dict)

    def run(self) -> None:
        """Do it all. What cannot be written is refused before the work begins."""
        from linkprior.cli import display, interrupt

        self.beside.check(self.settings)
        self.nearby.check()
        inputs = [self.source.edges, *self.choices.files, *self.beside.files]
        places = self.output, self.output_format, self.save, self.report
        self.target = Output.of(*places, inputs)
        if self.report is not None:
            made = [Path(self.output)] if self.output and self.output.endswith("/") else []
            pages.check_page("--report", Path(self.report), [*inputs, self.output], made)
        if inputs.count("-") > 1:
            raise LinkpriorError("standard input (-) can be read once; give files for the others")
        predictor = make_model(self.model, self.settings, self.seed)
        self.beside.refuse_degrees(type(predictor))
        self._follow_list(predictor)
        self.tune.check(predictor, self.settings, self.target)
        shown = display.progress(self.quiet)
        within = options.within_memory(self.memory_limit, self.output)
        engines = options.engines(self.workers, self.dask, self.notify, self.device)
        keeping = interrupt.keeping(self.target.kept, self.target.log)
        with closing(self.target), keeping, shown, engines, within:
            self.notify(f"Reading {self.source.edges} …")
            with progress.stage(f"reading {Path(self.source.edges).name}"):
                reading = self._timed("reading", self.source.read)
            for line in reading.report.text():
                self.notify(line)
            reading = self._attach(predictor, reading)
            self._resolve_pairs(reading)
            chosen = self.choices.candidates(reading, self.source.options(), self.notify)
            candidates = self.nearby.among(predictor, reading.network, chosen, self.notify)
            self.tune.prepare(predictor, reading.network, self.target)
            self._check_memory(predictor, reading.network)
            if self.dry_run:
                return
            self._work(predictor, reading, candidates)

    def _work(
        self,
        predictor: LinkPredictor,
        reading: Reading,
        candidates: Candidates | NeighborCandidates | None,
    ) -> None:
        from linkprior.predictors.evidence import with_evidence

        self._open_run(reading, predictor)
        if self.tune.search is not None:
            predictor = self._timed("tuning", lambda: self.tune.run(self.target, self.notify))
        with self._expected(predictor, reading.network) as work:
            with progress.part(work.fit):
                predictor = self._fit(predictor, reading.network)
            if self.save:
                self._save(predictor, self.save)
            if self.lists:
                ranking = self._timed("ranking", lambda: self._rank(predictor, candidates))
                self.nearby.tell_share(predictor, ranking, self.most, self.threshold, self.notify)
        if self.lists:
            ranking = self._timed(
                "evidence", lambda: with_evidence(predictor, ranking, reading.labels)
            )
            if not len(ranking):
                self._note_empty(predictor, candidates)
            self._write(ranking, self._facts(reading, predictor), predictor)
            if self.report is not None:
                self._write_page(ranking, predictor, reading, self.report)
        self._print_stories(predictor, reading.labels)

    @property
    def lists(self) -> bool:
        """Whether a ranking is wanted: an explanation takes its place on standard output."""
        return not self.explain or self.output is not None or self.report is not None

    def _write(self, ranking: Ranking, facts: dict[str, Any], predictor: LinkPredictor) -> None:
        self._note_ties(ranking)
        if self.output is not None:
            links = f"{len(ranking)} link{'s' * (len(ranking) != 1)}"
            self.notify(f"Writing {links} to {self.output}")
        # A bar would be in the way of results on the terminal.
        aside = self.output not in (None, "-")
        with progress.stage("writing") if aside else nullcontext():
            self.target.write(ranking, predictor, facts)
        told = expected_hits.line(predictor, ranking.scores)
        if told is not None:
            self.notify(told)

    def _write_page(
        self, ranking: Ranking, predictor: LinkPredictor, reading: Reading, page: str
    ) -> None:
        """Write the page to look at; it names no time, so the same command gives the same bytes."""
        import sys

        from linkprior.report import prediction_page

        about = {"command": ["linkprior", *sys.argv[1:]]}
        data = prediction_page(predictor, ranking, reading.report.to_dict(), about)
        parts = self.tune.part()
        if parts:
            data["parts"] = parts
        pages.write(Path(page), data, self.quiet)

    def _note_empty(
        self, predictor: LinkPredictor, candidates: Candidates | NeighborCandidates | None
    ) -> None:
        """Say why there is no link, and which threshold would give one."""
        best = predictor.predict_edges(1, candidates=candidates).scores
        if not len(best):
            self.notify("No pair is left to predict: every candidate is an edge or was left out.")
        elif self.threshold is not None:
            chances = predictor.probabilities(best)
            what, highest = ("score", best[0]) if chances is None else ("probability", chances[0])
            self.notify(
                f"No candidate pair has a {what} of {self.threshold:g} or more; "
                f"the highest is {highest:.6g}."
            )

    def _note_ties(self, ranking: Ranking) -> None:
        """Say where the order of the list means nothing."""
        scores = ranking.scores
        tied = int((scores == scores[-1]).sum()) if len(scores) else 0
        if tied > 1 and tied >= len(scores) / 10:
            which = "All" if tied == len(scores) else f"The last {tied} of"
            self.notify(
                f"Note: {which} {len(scores)} links tie at a score of {scores[-1]:.6g}: their "
                "order, and who comes next, says nothing."
            )

    @contextmanager
    def _expected(self, predictor: LinkPredictor, network: Network) -> Iterator[Effort]:
        """Open the stage of the progress that holds all the work; results are written after it."""
        from linkprior.predictors.cost import effort_of

        work = effort_of(predictor, network)
        ranking = work.scores if self.nearby.effort is None else self.nearby.effort
        with progress.stage(f"fitting {self.model}", work.fit + ranking):
            yield work

    def notify(self, text: str) -> None:
        """Say something on stderr, and in the log of a run."""
        if not self.quiet:
            echo(text)
        self.target.log(text)

    def _timed(self, name: str, work: Callable[[], R]) -> R:
        start = time.perf_counter()
        result = work()
        self.seconds[name] = round(time.perf_counter() - start, 3)
        return result

    # ------------------------------------------------------------------ before the fit

    def _attach(self, predictor: LinkPredictor, reading: Reading) -> Reading:
        """Return the reading with what is known beside its edges; say whom it does not reach."""
        reading = self.beside.attach(reading, self.source, self.notify)
        self.beside.refuse_isolated(type(predictor), reading.network)
        self.beside.tell_models({self.model: type(predictor)}, reading.network, self.notify)
        self.beside.apply_coverage(predictor, reading.network, self.notify)
        self.beside.apply_degrees(predictor, reading, self.notify)
        return reading

    def _follow_list(self, predictor: LinkPredictor) -> None:
        """Tell a model whose number of edges follows the list how long the list is."""
        given = predictor.get_params()
        asked = any(text.startswith("list_size=") for text in self.settings)
        if given.get("n_edges") == "list" and not asked and self.most is not None:
            predictor.set_params(list_size=self.most)

    def _resolve_pairs(self, reading: Reading) -> None:
        """Find the nodes to explain, by name or label; refuse an unknown one before the fit."""
        from linkprior.network.node_lookup import number_of

        known = Names(reading)
        self.explain = tuple((known.one(a), known.one(b)) for a, b in self.explain)
        for a, b in self.explain:
            if number_of(reading.network, a) == number_of(reading.network, b):
                raise LinkpriorError(f"--explain expects two different nodes, got {a!r} twice")

    def _check_memory(self, predictor: LinkPredictor, network: Network) -> None:
        """Say what the fit will take, and refuse what cannot fit."""
        from linkprior.parallel.memory import memory_room
        from linkprior.predictors.cost import estimate, refuse_too_large

        if self.dry_run:
            taken = estimate(predictor, network, self.nearby.effort, self.tune.effort)
            click.echo(replace(taken, note=self.tune.note()).text(memory_room()))
        if not self.ignore_memory:
            refuse_too_large(predictor, network)

    # ------------------------------------------------------------------ the work

    def _fit(self, predictor: LinkPredictor, network: Network) -> LinkPredictor:
        before = self.target.fitted()
        if before is not None:
            self.notify(f"Taking up the {self.model} model fitted before")
            predictor = before
        else:
            self.notify(f"Fitting {self.model} …")
            self._timed("fitting", lambda: predictor.fit(network))
            self.target.keep_model(predictor)
        for line in predictor.summary():
            self.notify(line)
        if facts := _fit_facts(predictor):
            self.target.note(**facts)
        return predictor

    def _save(self, predictor: LinkPredictor, folder: str) -> None:
        replaces = Path(folder).is_dir() and any(Path(folder).iterdir())  # it is a model: checked
        with writing_to(folder):
            predictor.save(folder)
        self.notify(
            f"Saved the model to {folder}{', in place of an earlier one' if replaces else ''}"
        )

    def _rank(
        self, predictor: LinkPredictor, candidates: Candidates | NeighborCandidates | None
    ) -> Ranking:
        if self.threshold is None:
            return predictor.predict_edges(self.most, candidates=candidates)
        floor = predictor.score_threshold(_a_little_below(self.threshold))
        ranking = predictor.predict_edges(self.most, candidates=candidates, threshold=floor)
        chances = predictor.probabilities(ranking.scores)
        compared = ranking.scores if chances is None else chances
        # What is written has six digits, and what is written is what a user compares with.
        return ranking[: sum(float(f"{s:.6g}") >= self.threshold for s in compared)]

    @property
    def most(self) -> int | None:
        """How many links to predict at most; a threshold alone sets no limit."""
        return self.top or (100 if self.threshold is None else None)

    def _print_stories(self, predictor: LinkPredictor, labels: dict[str, str]) -> None:
        from linkprior.predictors.evidence import explain_pair

        for number, (a, b) in enumerate(self.explain):
            story = explain_pair(predictor, a, b, labels)
            told = [story.text(), expected_hits.of_pair(predictor, story)]
            click.echo(("\n" if number else "") + "\n".join(filter(None, told)))

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
                "network_digest": network.without_history().digest,  # as the model is kept
            },
            report=report,
            force=self.force,
        )

    def _request(self, predictor: LinkPredictor) -> dict[str, Any]:
        """Return what the ranking follows from, the input aside."""
        chosen = {
            "model": self.model,
            "parameters": predictor.get_params(),
            "top": self.most,
            "threshold": self.threshold,
            **self.tune.request(),
            **self.choices.request(),
            **self.nearby.request(),
            **self.beside.request(),
            "format": self.output_format,
            **self.source.request(),
        }
        return {name: value for name, value in chosen.items() if value is not None}

    def _facts(self, reading: Reading, predictor: LinkPredictor) -> dict[str, Any]:
        return {
            "model": self.model,
            "seed": predictor.get_params().get("seed"),
            "network_digest": reading.network.without_history().digest,
            "seconds": dict(self.seconds),
        }


def _fit_facts(predictor: LinkPredictor) -> dict[str, Any]:
    """Return how the fit ended, where a model says so."""
    facts, names = predictor.learned_.facts, ("status", "n_iter", "objective", "primal", "dual")
    fit = {name: facts[name] for name in names if name in facts}
    return {"fit": fit} if "status" in fit else {}


def _a_little_below(threshold: float) -> float:
    """Return a bound below all numbers that are written as `threshold` or more."""
    if not threshold:
        return threshold
    return threshold - 10.0 ** (math.floor(math.log10(abs(threshold))) - 5)
