"""What `linkprior evaluate` does: check, read, split, judge, print, write."""

from __future__ import annotations

import shutil
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from linkprior.cli import options
from linkprior.cli import report as pages
from linkprior.cli.console import echo, writing_to
from linkprior.cli.output_checks import check_name, check_writable, first_there, refuse_inputs_in
from linkprior.cli.reading import Input
from linkprior.cli.settings import setting
from linkprior.cli.side_inputs import SideInputs
from linkprior.errors import InputError, LinkpriorError, ParameterError, nearest
from linkprior.io.safe_read import refuse_odd

if TYPE_CHECKING:
    from linkprior.evaluation.model_spec import ModelSpec
    from linkprior.evaluation.protocols import Plan
    from linkprior.evaluation.results import Evaluation
    from linkprior.evaluation.splits import Split
    from linkprior.io.read import Reading
    from linkprior.network import Network
    from linkprior.predictors.base import LinkPredictor

_LONG = 120.0  # seconds; what takes longer is announced
_ALWAYS = "pa"


@dataclass
class EvaluateJob:
    """One evaluation, from the options to the files."""

    source: Input
    beside: SideInputs
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
        from linkprior.cli import display, interrupt

        self._check()
        shown = display.progress(self.quiet)
        within = options.within_memory(self.memory_limit, self.output)
        engines = options.engines(self.workers, self.dask, self.notify, self.device)
        with interrupt.keeping(self._kept), shown, engines, within:
            network, plan = self._read()
            result = self._judge(network, plan)
        self._print(result)
        if self.output is not None:
            self._write(result, self.output)
        if self.report is not None:
            self._write_page(result, self.report)

    def notify(self, text: str) -> None:
        """Say something on stderr."""
        if not self.quiet:
            echo(text)

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
        told = [later] if kind in ("release", "split") else []
        inputs = [self.source.edges, *self.beside.files, *told]
        if self.output is not None:
            _check_folder(self.output)
            _refuse_inputs(self.output, inputs, told if kind == "split" else [])
        if self.report is not None:
            made = [Path(self.output)] if self.output else []
            pages.check_page("--report", Path(self.report), inputs, made)

    def _model_names(self) -> list[str]:
        from linkprior.predictors.registry import MODELS, find

        names = list(MODELS) if self.models.strip() == "all" else _listed(self.models)
        if not names:
            raise ParameterError("--models expects names such as tri-degree,l3, or all")
        for name in names:
            find(name)
        if _ALWAYS not in names:
            self.notify(f"Judging {_ALWAYS} too: what degree alone gives belongs in every table")
        return list(dict.fromkeys([*names, _ALWAYS]))

    def _make_models(self) -> dict[str, LinkPredictor]:
        from linkprior.predictors import registry

        known = {name: registry.find(name).parameter_names() for name in self.names}
        params: dict[str, dict[str, Any]] = {name: {} for name in self.names}
        for text in self.settings:
            key, value = setting(text)
            model, _, name = key.rpartition(".")
            for chosen in _meant(text, model, name, known):
                params[chosen][name] = value
        self.fixed = {name: list(given) for name, given in params.items()}
        return {name: registry.make(name, **params[name]) for name in self.names}

    # ------------------------------------------------------------------ before anything is fitted

    def _read(self) -> tuple[Network, Plan]:
        from linkprior.evaluation.protocols import Plan, fold_numbers

        kind, _, later = self.protocol.partition(":")
        if [later, self.source.edges, *self.beside.files].count("-") > 1:
            raise LinkpriorError("standard input (-) can be read once; give files for the others")
        folds = None if self.folds is None else fold_numbers(self.folds)
        reading = self.beside.attach(self._read_one(self.source.edges), self.source, self.notify)
        network = reading.network
        classes = {name: type(model) for name, model in self.made.items()}
        self.beside.tell_models(classes, network, self.notify)
        if self.null != "none" or self.noise:
            self.beside.tell_changed(network, self.notify)
        # In the same way as the older one: other names or filters would make edges look new.
        newer = self._read_one(later).network if kind == "release" and later else None
        plan = Plan(
            self.protocol, self.rule, self.repeats, folds, self.seed, self.null, self.noise, newer
        )
        return network, plan

    def _read_one(self, edges: str) -> Reading:
        return self.source.read_aloud(self.notify, edges)

    def _judge(self, network: Network, plan: Plan) -> Evaluation:
        from linkprior.evaluation.evaluate import evaluate
        from linkprior.evaluation.model_spec import contenders
        from linkprior.evaluation.statistics import known_model

        splits = plan.make(network)
        models = [one for one in self.made.values() if self._fits(one, splits[0].train)]
        chosen = contenders(models, self.ablations)
        known_model([one.label for one in chosen], self.against)
        for line in _about(splits):
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
        from linkprior.predictors.cost import effort_of, refuse_too_large

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
        from linkprior.predictors.cost import effort_of, machine_factor, spell

        work = {}
        for one in chosen:
            cell = effort_of(one.make(splits[0]), splits[0].train)
            work[one.label] = (1 + INNER * self.tune) * (cell.fit + 3.0 * cell.scores)
        nominal = 1e-9 * sum(work.values()) * len(splits) / current_workers()
        seconds = nominal * machine_factor() if nominal > _LONG / 10 else nominal
        if seconds > _LONG:
            slowest = max(work, key=lambda label: work[label])
            share = work[slowest] / sum(work.values())
            kept = "" if self.output else "; with -o DIR finished cells are kept"
            self.notify(f"This may take {spell(seconds)}, {share:.0%} of it for {slowest}{kept}")

    # ------------------------------------------------------------------ what is kept

    def _cell_files(self, chosen: list[ModelSpec], splits: list[Split]) -> list[Path]:
        """Return where the cells go, those done and those to come."""
        from linkprior.evaluation.cells import cell_file

        folder = Path(self.output or "")
        return [cell_file(folder, one.label, split) for split in splits for one in chosen]

    def _kept(self) -> str | None:
        if not self._cells:
            return None
        if self.output is None:
            return "nothing is kept; with -o DIR every finished cell (model × split) would be"
        done = sum(path.exists() for path in self._cells)
        return (
            f"{self.output} keeps {done} of {len(self._cells)} cells (model × split); the same "
            "command goes on from there"
        )

    def _print(self, result: Evaluation) -> None:
        from linkprior.evaluation.tables import WIDTH, text_table

        wide = shutil.get_terminal_size((WIDTH, 24)).columns if sys.stdout.isatty() else WIDTH
        columns = result.metrics if self.metrics == "all" else self.columns
        click.echo(text_table(result, columns, self.against, max(60, wide)))

    def _write_page(self, result: Evaluation, page: str) -> None:
        from linkprior.report.evaluation import evaluation_page

        data = evaluation_page(result, Path(self.source.edges).name, pages.this_command())
        pages.write(Path(page), data, self.quiet)

    def _write(self, result: Evaluation, folder: str) -> None:
        from linkprior.evaluation.writing import write_results

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
            f"--set {text}: no model {model!r} is judged.{nearest(model, known)} There are: "
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
    found = path.stat()
    return found.st_ino, found.st_mtime_ns


def _check_folder(output: str) -> None:
    from linkprior.evaluation.cells import CLAIM
    from linkprior.evaluation.writing import FILES

    folder = Path(output)
    if not output:
        raise LinkpriorError("-o expects the name of a folder")
    check_name(f"-o {output}", folder)
    if folder.exists() and not folder.is_dir():
        raise LinkpriorError(f"-o expects a folder, but {output} is a file")
    refuse_odd(folder, (CLAIM, *FILES))
    foreign = [name for name in FILES if (folder / name).exists()]
    if foreign and not (folder / CLAIM).exists():
        raise LinkpriorError(
            f"-o {output}: holds a {foreign[0]} that is not from an evaluation; give another folder"
        )
    there = first_there(folder)
    if not there.is_dir():
        raise LinkpriorError(f"-o {output}: {there} is a file; give another folder")
    check_writable(f"-o {output}", there)


def _refuse_inputs(output: str, inputs: list[str], split: list[str]) -> None:
    """Refuse to read what the evaluation will write; a split of its own is the same again."""
    from linkprior.evaluation.cells import CLAIM
    from linkprior.evaluation.writing import FILES

    folder, others = Path(output), [name for name in inputs if name not in split]
    refuse_inputs_in(f"-o {output}", [folder / name for name in (CLAIM, "cells", *FILES)], inputs)
    refuse_inputs_in(f"-o {output}", [folder / "splits"], others)


def _about(splits: list[Split]) -> list[str]:
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
