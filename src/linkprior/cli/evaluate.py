"""`linkprior evaluate`: hide edges, rank them with each model, print and write the comparison."""

from __future__ import annotations

import shutil
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from linkprior.cli import options
from linkprior.cli.console import Console, current_console
from linkprior.errors import InputError, LinkpriorError, ParameterError, nearest
from linkprior.io.store import refuse_odd
from linkprior.pipeline.outputs import check_folder, check_page, refuse_inputs_in, writing_to

if TYPE_CHECKING:
    from linkprior.evaluation.evaluate import ModelSpec
    from linkprior.evaluation.protocols import Plan
    from linkprior.evaluation.results import Evaluation
    from linkprior.evaluation.splits import Split
    from linkprior.network import Network
    from linkprior.pipeline.side_inputs import Input
    from linkprior.predictors.base import LinkPredictor

_LONG = 120.0  # seconds; what takes longer is announced
_ALWAYS = "pa"


class _Evaluate(click.Command):
    """Lists the protocols below its help; they are loaded only then."""

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write each protocol with what it does."""
        from linkprior.evaluation.protocols import PROTOCOLS

        with formatter.section("Protocols P"):
            formatter.write_dl([tuple(text.split(" ", 1)) for text in PROTOCOLS.values()])  # type: ignore[misc]


@click.command(cls=_Evaluate)
@click.argument("edges")
@click.option(
    "--models",
    default="tri-degree,tri,pu,l3,pa",
    show_default=True,
    metavar="A,B,C",
    help="See `linkprior models`; all: every model this network and machine allow.",
)
@click.option(
    "--set",
    "settings",
    multiple=True,
    metavar="[MODEL.]KEY=VALUE",
    help="A parameter of one model, or of all that have it.",
)
@click.option(
    "--protocol",
    default="uniform:0.9",
    show_default=True,
    metavar="P",
    help="How edges are hidden: see below.",
)
@options.rule
@click.option("--repeats", default=1, show_default=True, help="Splits; of kfold, shuffles.")
@click.option("--folds", metavar="0-2", help="Of kfold: the folds to run. [default: all]")
@options.seed
@click.option(
    "--null",
    type=click.Choice(["none", "rewired"]),
    default="none",
    show_default=True,
    help="rewired: exchange the ends of edges first; what is then still found is degree alone.",
)
@click.option(
    "--noise",
    type=float,
    default=0.0,
    metavar="SHARE",
    help="Replace this share of the training edges by random pairs, 0.1 say.",
)
@click.option(
    "--ablations",
    is_flag=True,
    help="Also evaluate models without their degree prior, with shuffled and with true degrees.",
)
@click.option(
    "--tune",
    default=0,
    metavar="N",
    help="Let each model try N settings on edges hidden inside each training network.",
)
@click.option(
    "--tune-metric", metavar="NAME", help="The metric that is tuned for. [default: auprc]"
)
@click.option("--metrics", metavar="A,B,C", help="Columns of the table, or all.")
@click.option(
    "--against",
    metavar="MODEL",
    help="The model that paired tests compare with. [default: the first]",
)
@click.option(
    "-o",
    "--output",
    metavar="DIR",
    help="Store results, tables, curves, splits here; the same command goes on where it stopped.",
)
@options.report
@click.option("--ignore-memory", is_flag=True, help="Run although memory looks short.")
@options.side_options
@options.workers
@options.dask
@options.device
@options.memory_limit
@options.quiet
@options.reading_options
def evaluate(**given: Any) -> None:
    """Hide edges of EDGES and see which models find them again.

    Prints a table: one row per model, the last one for the random baseline. pa (degree alone) is
    always evaluated too. docs/evaluation.md says what each number means.
    """
    source = options.take_input(given)
    EvaluateJob(source=source, console=current_console(), **given).run()


@dataclass
class EvaluateJob:
    """One evaluation, from the options to the files."""

    source: Input
    console: Console
    negatives: str | None
    history: tuple[str, str] | None
    models: str
    settings: tuple[str, ...]
    protocol: str
    rule: str
    repeats: int
    folds: str | None
    seed: int
    null: str
    noise: float
    ablations: bool
    tune: int
    tune_metric: str | None
    metrics: str | None
    against: str | None
    output: str | None
    report: str | None
    ignore_memory: bool
    workers: int | None
    dask: str | None
    device: str | None
    memory_limit: str | None
    quiet: bool
    _cells: list[Path] = field(default_factory=list)

    def run(self) -> None:
        """Do it all. What cannot be done is refused before anything is fitted."""
        from linkprior.pipeline.side_inputs import SideInputs

        self.notify = self.console.notify(self.quiet)
        self.side = SideInputs(
            self.source, self.notify, negatives=self.negatives, history=self.history
        )
        self._check()
        with options.session(
            self.console,
            self.quiet,
            workers=self.workers,
            dask=self.dask,
            device=self.device,
            memory_limit=self.memory_limit,
            output=self.output,
            saved=self._saved,
        ):
            network, plan = self._read()
            result = self._evaluate(network, plan)
        self._print(result)
        if self.output is not None:
            self._write(result, self.output)
        if self.report is not None:
            self._write_page(result, self.report)

    # ------------------------------------------------------------------ before anything is read

    def _check(self) -> None:
        """Refuse what no network could make right."""
        from linkprior.evaluation.metrics import refuse_unknown_metric
        from linkprior.evaluation.statistics import direction
        from linkprior.evaluation.tuning.tune import DEFAULT_METRIC

        self.names = self._model_names()
        self.made = self._make_models()
        self.columns = None if self.metrics in (None, "all") else _listed(self.metrics or "")
        if self.columns == []:
            raise ParameterError("--metrics expects names such as auprc,ndcg, or all")
        for metric in self.columns or ():
            refuse_unknown_metric(metric)
        self.goal = refuse_unknown_metric(self.tune_metric or DEFAULT_METRIC)
        if direction(self.goal) < 1:
            raise ParameterError(f"--tune-metric {self.goal}: more of it is not better")
        kind, _, later = self.protocol.partition(":")
        inputs = [self.source.graph, *self.side.files]
        if self.output is not None:
            _check_output(self.output, inputs, later if kind in ("release", "split") else "", kind)
        if self.report is not None:
            made = [Path(self.output)] if self.output else []
            read = [*inputs, later] if kind in ("release", "split") else inputs
            check_page("--report", Path(self.report), read, made)

    def _model_names(self) -> list[str]:
        from linkprior.predictors.registry import find
        from linkprior.predictors.registry import names as all_names

        names = all_names() if self.models.strip() == "all" else _listed(self.models)
        if not names:
            raise ParameterError("--models expects names such as tri-degree,l3, or all")
        for name in names:
            find(name)
        if _ALWAYS not in names:
            self.notify(f"Evaluating {_ALWAYS} too: what degree alone gives belongs in every table")
        return list(dict.fromkeys([*names, _ALWAYS]))

    def _make_models(self) -> dict[str, LinkPredictor]:
        from linkprior.predictors import registry

        known = {name: registry.find(name).parameter_names() for name in self.names}
        params: dict[str, dict[str, Any]] = {name: {} for name in self.names}
        for text in self.settings:
            key, value = options.setting(text)
            model, _, name = key.rpartition(".")
            for chosen in _meant(text, model, name, known):
                params[chosen][name] = value
        self.fixed = {name: list(given) for name, given in params.items()}
        return {name: registry.make(name, **params[name]) for name in self.names}

    # ------------------------------------------------------------------ before anything is fitted

    def _read(self) -> tuple[Network, Plan]:
        from linkprior.evaluation.protocols import Plan, fold_numbers

        kind, _, later = self.protocol.partition(":")
        if [later, self.source.graph, *self.side.files].count("-") > 1:
            raise LinkpriorError("standard input (-) can be read once; give files for the others")
        folds = None if self.folds is None else fold_numbers(self.folds)
        given = self.side.attach(options.read_aloud(self.source, self.notify))
        network = given.network
        self.side.report_ignored({name: type(one) for name, one in self.made.items()}, network)
        if self.null != "none" or self.noise:
            self._report_lost(network)
        # In the same way as the older one: other names or filters would make edges look new.
        newer = None
        if kind == "release" and later:
            newer = options.read_aloud(self.source, self.notify, later).network
        plan = Plan(
            self.protocol, self.rule, self.repeats, folds, self.seed, self.null, self.noise, newer
        )
        return network, plan

    def _report_lost(self, network: Network) -> None:
        """Report that what was given does not hold for edges that noise or rewiring makes."""
        known = network.known
        given = {"weights": known.weights, "negatives": known.negatives, "history": known.history}
        lost = [what for what, value in given.items() if value is not None]
        if lost:
            self.notify(
                f"Note: --null and --noise make other edges, evaluated without {', '.join(lost)}"
            )

    def _evaluate(self, network: Network, plan: Plan) -> Evaluation:
        from linkprior.evaluation.evaluate import evaluate, model_specs
        from linkprior.evaluation.statistics import known_model

        splits = plan.make(network)
        models = [one for one in self.made.values() if self._fits(one, splits[0].train)]
        chosen = model_specs(models, self.ablations)
        known_model([one.label for one in chosen], self.against)
        for line in _described(splits):
            self.notify(line)
        self._announce(chosen, splits)
        self._cells = self._cell_files(chosen, splits)
        before = {path: _stamp(path) for path in self._cells if path.exists()}
        given = {name: getattr(plan, name) for name in plan.__dataclass_fields__}
        result = evaluate(
            models,
            network,
            **given,
            ablations=self.ablations,
            tune=self.tune,
            tune_metric=self.goal,
            tune_options={"fixed": self.fixed},
            folder=self.output,
        )
        there = sum(_stamp(path) == stamp for path, stamp in before.items())
        if there:
            self.notify(f"{there} of {len(self._cells)} cells were there already")
        return result

    def _fits(self, model: LinkPredictor, train: Network) -> bool:
        """Tell whether a model can be fitted here; one that was named is refused aloud."""
        from linkprior.predictors.cost import refuse_too_large
        from linkprior.predictors.effort import effort_of

        try:
            effort_of(model, train)
            if not self.ignore_memory:
                refuse_too_large(model, train, choice="--models")
        except InputError as problem:
            if self.models.strip() != "all":
                raise
            self.notify(f"Left out: {str(problem).partition('. ')[0].partition(';')[0]}")
            return False
        return True

    def _announce(self, chosen: list[ModelSpec], splits: list[Split]) -> None:
        """Say how long it may take where that is long."""
        from linkprior.evaluation.tuning.tune import INNER
        from linkprior.parallel import current_workers
        from linkprior.predictors.cost import machine_factor, spell
        from linkprior.predictors.effort import effort_of

        work = {}
        for one in chosen:
            cell = effort_of(one.make(splits[0]), splits[0].train)
            work[one.label] = (1 + INNER * self.tune) * (cell.fit + 3.0 * cell.scores)
        nominal = 1e-9 * sum(work.values()) * len(splits) / current_workers()
        seconds = nominal * machine_factor() if nominal > _LONG / 10 else nominal
        if seconds > _LONG:
            slowest = max(work, key=lambda label: work[label])
            share = work[slowest] / sum(work.values())
            kept = "" if self.output else "; with -o DIR finished cells are saved"
            self.notify(f"This may take {spell(seconds)}, {share:.0%} of it for {slowest}{kept}")

    # ------------------------------------------------------------------ what is saved

    def _cell_files(self, chosen: list[ModelSpec], splits: list[Split]) -> list[Path]:
        """Return where the cells go, those done and those to come."""
        from linkprior.evaluation.store import cell_file

        folder = Path(self.output or "")
        return [cell_file(folder, one.label, split) for split in splits for one in chosen]

    def _saved(self) -> str | None:
        if not self._cells:
            return None
        if self.output is None:
            return "nothing is saved; with -o DIR every finished cell (model × split) would be"
        done = sum(path.exists() for path in self._cells)
        return (
            f"{self.output} holds {done} of {len(self._cells)} cells (model × split); the same "
            "command goes on from there"
        )

    def _print(self, result: Evaluation) -> None:
        from linkprior.evaluation.tables import WIDTH, text_table

        wide = shutil.get_terminal_size((WIDTH, 24)).columns if sys.stdout.isatty() else WIDTH
        columns = result.metrics if self.metrics == "all" else self.columns
        click.echo(text_table(result, columns, self.against, max(60, wide)))

    def _write_page(self, result: Evaluation, page: str) -> None:
        from linkprior.report.evaluation import evaluation_page

        data = evaluation_page(result, Path(self.source.graph).name, options.this_command())
        options.write_page(self.console, Path(page), data, self.quiet)

    def _write(self, result: Evaluation, folder: str) -> None:
        from linkprior.evaluation.results import write_results

        with writing_to(folder):
            command = ["linkprior", *sys.argv[1:]]
            write_results(result, folder, against=self.against, command=command)
        self.notify(f"Wrote results.json, results.tsv, tables and curves to {folder}")


def _listed(text: str) -> list[str]:
    return list(dict.fromkeys(piece.strip() for piece in text.split(",") if piece.strip()))


def _meant(text: str, model: str, name: str, known: dict[str, list[str]]) -> list[str]:
    """Return the models a setting is for, or an error with the nearest names."""
    if model and model not in known:
        raise ParameterError(
            f"--set {text}: no model {model!r} is evaluated.{nearest(model, known)} There are: "
            f"{', '.join(known)}"
        )
    having = [model] if model else [one for one, names in known.items() if name in names]
    if not having:
        every = sorted({name for names in known.values() for name in names})
        raise ParameterError(
            f"--set {text}: none of {', '.join(known)} has a parameter {name!r}."
            f"{nearest(name, every)}"
        )
    return having


def _stamp(path: Path) -> tuple[int, int]:
    """Return what changes when a file is written anew."""
    facts = path.stat()
    return facts.st_ino, facts.st_mtime_ns


def _check_output(output: str, inputs: list[str], later: str, protocol: str) -> None:
    """Refuse a folder of others, and to read what will be written; a split is the same again."""
    from linkprior.evaluation.results import FILES
    from linkprior.evaluation.store import CLAIM

    folder, option = Path(output), f"-o {output}"
    if output and folder.exists() and not folder.is_dir():
        raise LinkpriorError(f"-o expects a folder, but {output} is a file")
    check_folder(output)
    refuse_odd(folder, (CLAIM, *FILES))
    foreign = [name for name in FILES if (folder / name).exists()]
    if foreign and not (folder / CLAIM).exists():
        raise LinkpriorError(
            f"{option}: holds a {foreign[0]} that is not from an evaluation; give another folder"
        )
    written = [folder / name for name in (CLAIM, "cells", *FILES)]
    refuse_inputs_in(option, written, [*inputs, later])
    others = inputs if protocol == "split" else [*inputs, later]
    refuse_inputs_in(option, [folder / "splits"], others)


def _described(splits: list[Split]) -> list[str]:
    """Say how many edges are to be found, and how many cannot be asked for."""
    from linkprior.evaluation.tables import span

    hidden = span([len(split.hidden) for split in splits])
    left = span([split.unconnected for split in splits])
    first = splits[0]
    title = first.label if len(splits) == 1 else f"{len(splits)} splits"
    each = " each" * (len(splits) > 1)
    lines = [f"{title}: {hidden} hidden edges to find{each}, {left} outside (an end without an "]
    lines[0] += "edge in the training network)"
    if first.unknown or first.new_nodes:
        lines.append(
            f"Apart from them the newer release has {first.new_nodes} nodes that are new, and "
            f"{first.unknown} edges with one of them, which nobody could predict"
        )
    return lines
