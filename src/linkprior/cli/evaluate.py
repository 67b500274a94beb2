"""`linkprior evaluate`: hide edges, rank them with each model, print and write the comparison."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from types import SimpleNamespace
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
        from linkprior.evaluation.protocols import PROTOCOLS

        with formatter.section("Protocols P"):
            formatter.write_dl([tuple(text.split(" ", 1)) for text in PROTOCOLS.values()])  # type: ignore[misc]


@click.command(cls=_Evaluate)
@click.argument("edges")
@click.option(
    "--models",
    default="tri-degree,tri,pu,l3,pa",
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
    "--protocol", default="uniform:0.9", metavar="P", help="How edges are hidden: see below."
)
@options.rule
@click.option("--repeats", default=1, help="Number of splits; for kfold, of shuffles.")
@click.option("--folds", metavar="0-2", help="For kfold: the folds to run. [default: all]")
@options.seed
@click.option(
    "--null",
    type=click.Choice(["none", "rewired"]),
    default="none",
    help="rewired: exchange the ends of edges first, so that only degrees are left to learn from.",
)
@click.option(
    "--noise",
    type=float,
    default=0.0,
    show_default=False,
    metavar="SHARE",
    help="Replace this share of the training edges by random pairs, such as 0.1.",
)
@click.option(
    "--ablations",
    is_flag=True,
    help="Also evaluate models without their degree prior, with shuffled and with true degrees.",
)
@click.option(
    "--tune",
    default=0,
    show_default=False,
    metavar="N",
    help="Let each model try N settings on edges hidden inside each training network.",
)
@click.option("--tune-metric", metavar="NAME", help="The metric to tune for. [default: auprc]")
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
    help="Store results, tables, curves, splits here; the same command resumes where it stopped.",
)
@options.report
@click.option("--ignore-memory", is_flag=True, help="Run even if memory looks too small.")
@options.side_options
@options.run_options
def evaluate(**given: Any) -> None:
    """Hide edges of EDGES and see which models find them again.

    Prints a table: one row per model, the last one for the random baseline. pa (degree alone) is
    always evaluated too. docs/evaluation.md says what each number means.
    """
    source = options.take_input(given)
    EvaluateJob(source, current_console(), SimpleNamespace(**given)).run()


class EvaluateJob:
    """One evaluation, from the options (`asked`, by their names above) to the files."""

    def __init__(self, source: Input, console: Console, asked: Any) -> None:
        from linkprior.pipeline.side_inputs import SideInputs

        self.source, self.asked = source, asked
        self.notify = console.notify
        side_inputs = {"negatives": asked.negatives, "history": asked.history}
        self.side = SideInputs(source, self.notify, "--", **side_inputs)
        kind, _, file = asked.protocol.partition(":")
        self.protocol_file = file if kind in ("release", "split") else ""
        self.cells: list[Path] = []  # where they go, those done and those to come

    def run(self) -> None:
        """Do it all. What cannot be done is refused before anything is fitted."""
        from linkprior.evaluation.tables import WIDTH, text_table

        asked = self.asked
        self._check()
        names = ("workers", "dask", "device", "memory_limit", "output")
        running = {name: getattr(asked, name) for name in names}
        with options.session(**running, saved=self._saved):
            network, plan = self._read()
            result = self._evaluate(network, plan)
        wide = shutil.get_terminal_size((WIDTH, 24)).columns if sys.stdout.isatty() else WIDTH
        columns = result.metrics if asked.metrics == "all" else self.columns
        click.echo(text_table(result, columns, asked.against, max(60, wide)))
        if asked.output is not None:
            from linkprior.evaluation.results import write_results

            with writing_to(asked.output):
                command = ["linkprior", *sys.argv[1:]]
                write_results(result, asked.output, against=asked.against, command=command)
            self.notify(f"Wrote results.json, results.tsv, tables and curves to {asked.output}")
        if asked.report is not None:
            from linkprior.report.evaluation import evaluation_page

            name = Path(self.source.graph).name
            data = evaluation_page(result, name, options.this_command())
            options.write_page(Path(asked.report), data)

    # ------------------------------------------------------------------ before anything is read

    def _check(self) -> None:
        """Refuse what no network could make right."""
        from linkprior.evaluation.metrics import refuse_unknown_metric
        from linkprior.evaluation.statistics import direction
        from linkprior.evaluation.tuning.tune import DEFAULT_METRIC

        asked = self.asked
        self.made = self._make_models()
        self.columns = None if asked.metrics in (None, "all") else _listed(asked.metrics)
        if self.columns == []:
            raise ParameterError("--metrics expects names such as auprc,ndcg, or all")
        for metric in self.columns or ():
            refuse_unknown_metric(metric)
        self.goal = refuse_unknown_metric(asked.tune_metric or DEFAULT_METRIC)
        if direction(self.goal) < 1:
            raise ParameterError(f"--tune-metric {self.goal}: higher is not better")
        inputs = [self.source.graph, *self.side.files]
        if asked.output is not None:
            self._check_output(Path(asked.output), inputs)
        if asked.report is not None:
            made = [Path(asked.output)] if asked.output else []
            check_page("--report", Path(asked.report), [*inputs, self.protocol_file], made)

    def _make_models(self) -> dict[str, LinkPredictor]:
        """Return the models by name, with what --set gives each; pa is always one of them."""
        from linkprior.predictors import registry

        every = self.asked.models.strip() == "all"
        names = registry.names() if every else _listed(self.asked.models)
        if not names:
            raise ParameterError("--models expects names such as tri-degree,l3, or all")
        parameters = {name: registry.find(name).parameter_names() for name in [*names, _ALWAYS]}
        if _ALWAYS not in names:
            self.notify(f"Evaluating {_ALWAYS} too: every table shows what degree alone gives")
        params: dict[str, dict[str, Any]] = {name: {} for name in parameters}
        for text in self.asked.settings:
            key, value = options.setting(text)
            model, _, name = key.rpartition(".")
            if model and model not in parameters:
                raise ParameterError(
                    f"--set {text}: no model {model!r} is evaluated.{nearest(model, parameters)} "
                    f"There are: {', '.join(parameters)}"
                )
            having = (
                [model]
                if model
                else [
                    one
                    for one, has in parameters.items()
                    if name in has or name in registry.find(one).renamed_parameters
                ]
            )
            if not having:
                has = sorted({name for names in parameters.values() for name in names})
                raise ParameterError(
                    f"--set {text}: none of {', '.join(parameters)} has a parameter {name!r}."
                    f"{nearest(name, has)}"
                )
            for one in having:
                params[one][name] = value
        self.fixed = {name: list(registry.renamed(name, given)) for name, given in params.items()}
        return {name: registry.make(name, **given) for name, given in params.items()}

    def _check_output(self, folder: Path, inputs: list[str]) -> None:
        """Refuse a folder of others, and to read what will be written; a split is the same."""
        from linkprior.evaluation.results import FILES
        from linkprior.evaluation.store import CLAIM

        option = f"-o {self.asked.output}"
        check_folder(self.asked.output)
        refuse_odd(folder, (CLAIM, *FILES))
        foreign = [name for name in FILES if (folder / name).exists()]
        if foreign and not (folder / CLAIM).exists():
            raise LinkpriorError(
                f"{option}: holds a {foreign[0]} that is not from an evaluation; give another "
                "folder"
            )
        read = [*inputs, self.protocol_file]
        refuse_inputs_in(option, [folder / name for name in (CLAIM, "cells", *FILES)], read)
        is_split = self.asked.protocol.startswith("split:")
        refuse_inputs_in(option, [folder / "splits"], inputs if is_split else read)

    # ------------------------------------------------------------------ before anything is fitted

    def _read(self) -> tuple[Network, Plan]:
        from linkprior.evaluation.protocols import Plan, fold_numbers

        asked = self.asked
        if [self.protocol_file, self.source.graph, *self.side.files].count("-") > 1:
            raise LinkpriorError(
                "standard input (-) can be read only once; give files for the others"
            )
        folds = None if asked.folds is None else fold_numbers(asked.folds)
        network = self.side.attach(options.read_aloud(self.source, self.notify)).network
        self.side.report_ignored({name: type(one) for name, one in self.made.items()}, network)
        side = ("weights", "negatives", "history")
        lost = [name for name in side if getattr(network.known, name) is not None]
        if lost and (asked.null != "none" or asked.noise):
            self.notify(
                "Note: --null and --noise change the edges, which are evaluated without "
                f"{', '.join(lost)}"
            )
        # In the same way as the older one: other names or filters would make edges look new.
        newer = None
        if self.protocol_file and asked.protocol.startswith("release:"):
            newer = options.read_aloud(self.source, self.notify, self.protocol_file).network
        names = ("protocol", "rule", "repeats", "seed", "null", "noise")
        split_by = {name: getattr(asked, name) for name in names}
        return network, Plan(**split_by, folds=folds, newer=newer)

    def _evaluate(self, network: Network, plan: Plan) -> Evaluation:
        from linkprior.evaluation.evaluate import evaluate, model_specs
        from linkprior.evaluation.statistics import known_model
        from linkprior.evaluation.store import cell_file

        splits = plan.make(network)
        models = [one for one in self.made.values() if self._fits(one, splits[0].train)]
        specs = model_specs(models, self.asked.ablations)
        known_model([one.label for one in specs], self.asked.against)
        for line in _described(splits):
            self.notify(line)
        self._announce(specs, splits)
        folder = Path(self.asked.output or "")
        self.cells = [cell_file(folder, one.label, split) for split in splits for one in specs]
        before = {path: path.stat().st_mtime_ns for path in self.cells if path.exists()}
        result = evaluate(
            models,
            network,
            **vars(plan),
            ablations=self.asked.ablations,
            tune=self.asked.tune,
            tune_metric=self.goal,
            tune_options={"fixed": self.fixed},
            folder=self.asked.output,
        )
        there = sum(path.stat().st_mtime_ns == time for path, time in before.items())
        if there:
            self.notify(f"{there} of {len(self.cells)} cells were finished before")
        return result

    def _fits(self, model: LinkPredictor, train: Network) -> bool:
        """Return whether a model can be fitted here; one that was named raises an error instead."""
        from linkprior.predictors.cost import cost_of
        from linkprior.predictors.estimate import refuse_too_large

        try:
            cost_of(model, train)
            if not self.asked.ignore_memory:
                refuse_too_large(model, train, choice="--models")
        except InputError as problem:
            if self.asked.models.strip() != "all":
                raise
            self.notify(f"Left out: {str(problem).partition('. ')[0].partition(';')[0]}")
            return False
        return True

    def _announce(self, specs: list[ModelSpec], splits: list[Split]) -> None:
        from linkprior.evaluation.tuning.tune import INNER
        from linkprior.parallel import current_workers
        from linkprior.predictors.cost import cost_of
        from linkprior.predictors.estimate import machine_factor, spell

        work = {}
        for one in specs:
            cell = cost_of(one.make(splits[0]), splits[0].train)
            work[one.label] = (1 + INNER * self.asked.tune) * (cell.fit + 3.0 * cell.scores)
        nominal = 1e-9 * sum(work.values()) * len(splits) / current_workers()
        seconds = nominal * machine_factor() if nominal > _LONG / 10 else nominal
        if seconds > _LONG:
            slowest = max(work, key=lambda label: work[label])
            share = work[slowest] / sum(work.values())
            hint = "" if self.asked.output else "; with -o DIR finished cells are saved"
            self.notify(f"This may take {spell(seconds)}, {share:.0%} of it for {slowest}{hint}")

    def _saved(self) -> str | None:
        if not self.cells:
            return None
        if self.asked.output is None:
            return "nothing is saved; with -o DIR every finished cell (model × split) would be"
        done = sum(path.exists() for path in self.cells)
        return (
            f"{self.asked.output} holds {done} of {len(self.cells)} cells (model × split); the "
            "same command resumes from there"
        )


def _listed(text: str) -> list[str]:
    return list(dict.fromkeys(piece.strip() for piece in text.split(",") if piece.strip()))


def _described(splits: list[Split]) -> list[str]:
    """Describe how many edges are to be found, and how many cannot be asked for."""
    from linkprior.evaluation.tables import span

    hidden = span([len(split.hidden) for split in splits])
    left = span([split.unconnected for split in splits])
    first = splits[0]
    title = first.label if len(splits) == 1 else f"{len(splits)} splits"
    each = " each" * (len(splits) > 1)
    lines = [
        f"{title}: {hidden} hidden edges to find{each}, {left} outside (an end without an edge in "
        "the training network)"
    ]
    if first.unknown or first.new_nodes:
        lines.append(
            f"Apart from them the newer release has {first.new_nodes} new nodes, and "
            f"{first.unknown} edges with one of them, which no model could predict"
        )
    return lines
