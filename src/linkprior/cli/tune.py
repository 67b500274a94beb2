"""`linkprior tune`: find better parameters for a network, and resume where it was stopped."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from linkprior.cli import options
from linkprior.cli.console import current_console, echo_table
from linkprior.pipeline.outputs import check_page, check_place, refuse_inputs_in

if TYPE_CHECKING:
    from linkprior.evaluation.tuning.tune import TuningResult
    from linkprior.pipeline.side_inputs import Input

_SHOWN = 10  # settings in the table
_LEAVING = 2.0  # seconds for processes that are just being started, at most


@click.command()
@click.argument("edges")
@click.option("--model", required=True, metavar="NAME", help="See `linkprior models`.")
@click.option("--trials", default=30, help="Settings to try.")
@click.option(
    "--study", metavar="DIR", help="Save every setting here; the same command resumes it."
)
@options.seed
@click.option("--metric", default="auprc", help="The metric by which settings are compared.")
@options.rule
@click.option(
    "--sampler",
    default="tpe",
    type=click.Choice(["tpe", "grid"]),
    help="Learn from the settings tried before, or walk a grid.",
)
@click.option("--inner", default=3, help="Inner splits to evaluate a setting on.")
@click.option(
    "--executor",
    default="threads",
    type=click.Choice(["threads", "processes"]),
    help="Where settings are tried; the result is the same.",
)
@click.option("--workers", default=1, help="Settings tried at the same time.")
@options.dask
@options.memory_limit
@click.option(
    "--prune/--no-prune",
    default=True,
    show_default=False,
    help="Stop poor settings early.  [default: yes]",
)
@click.option(
    "--cautious",
    is_flag=True,
    help="Keep the model's parameters unless clearly beaten: by one sd over the inner splits.",
)
@click.option(
    "--set",
    "settings",
    multiple=True,
    metavar="KEY=VALUE",
    help="A model parameter to keep as it is.",
)
@options.report
@options.quiet
@options.reading_options
def tune(
    model: str,
    settings: tuple[str, ...],
    study: str | None,
    dask: str | None,
    memory_limit: str | None,
    report: str | None,
    **given: Any,
) -> None:
    """Find better parameters of a model for the network in EDGES.

    Each setting is evaluated on the edges of inner splits that hide a tenth of EDGES. The model's
    own parameters are the first setting. With --study a search that was stopped, or killed,
    resumes where it was, and ends with the same best.
    """
    from linkprior.evaluation.tuning.executor import end_processes
    from linkprior.evaluation.tuning.study import BEST, JOURNAL, QUESTION, refuse_other_folders
    from linkprior.evaluation.tuning.tune import Tuning
    from linkprior.predictors.estimate import refuse_too_large

    console = current_console()
    notify, source = console.notify, options.take_input(given)
    if report is not None:
        made = [Path(study)] if study else []
        check_page("--report", Path(report), [source.graph], made)
    if study is not None:
        refuse_other_folders(Path(study))
        check_place(f"--study {study}", Path(study))
        places = [Path(study, name) for name in (QUESTION, JOURNAL, BEST)]
        refuse_inputs_in(f"--study {study}", places, [source.graph])
    template = options.make_model(model, settings, given["seed"])
    fixed = tuple(text.partition("=")[0] for text in settings)
    with options.session(dask=dask, memory_limit=memory_limit, output=study):
        network = options.read_aloud(source, notify).network
        if memory_limit is not None:
            refuse_too_large(template, network, ignorable=False)
        search = Tuning(template, network, study=study, fixed=fixed, **given)
        if not search.search_space.axes:
            notify(f"{model} has nothing to tune{' apart from what --set fixes' * bool(settings)}.")
            return
        where = (
            f"Settings tried are saved in {study}; the same command resumes where this one stops."
        )
        notify(where if study else "No --study DIR is given: the settings tried are not saved.")
        if search.executor == "processes":
            _hush_tracker()

        def saved() -> str:
            done = len(search.store.trials)
            settings = f"{done} finished setting{'s' * (done != 1)}"
            if study is None:
                return f"{settings} not saved, as no --study DIR was given"
            return f"{settings} saved in {search.study}; the same command resumes from there"

        with console.on_interruption(saved=saved, end=(_LEAVING, end_processes)):
            tuned = search.run()
    _print(tuned, source)
    if study is not None:
        notify(f"{len(tuned.trials)} settings are saved in {study}; best.json is the best of them")
    if report is not None:
        from linkprior.report.evaluation import Study, tuning_page

        page, name = Study.of(tuned, search.question()), Path(source.graph).name
        data = tuning_page(page, name, options.this_command(), ready(tuned, source))
        options.write_page(Path(report), data)


def _hush_tracker() -> None:
    """Have Python's resource tracker remove in silence the semaphores that Ctrl-C leaves."""
    import sys
    from multiprocessing import resource_tracker

    sys.warnoptions.append("ignore:resource_tracker")
    try:
        resource_tracker.ensure_running()
    finally:
        sys.warnoptions.pop()


# ---------------------------------------------------------------------- what is printed


def _print(tuned: TuningResult, source: Input) -> None:
    names = list(tuned.search_space.axes)
    rows = [["setting", tuned.metric, *names]]
    for trial in tuned.ranked[:_SHOWN]:
        values = [trial.params[name] for name in names]
        cells = ["default" if value is None else f"{value:g}" for value in values]
        rows.append([str(trial.number), f"{trial.value:.4f}", *cells])
    echo_table(rows, right=rows[0])
    states = [trial.state for trial in tuned.trials]
    more = [f"{states.count(state)} {state}" for state in ("pruned", "failed") if state in states]
    tried = ", ".join([f"{len(states)} settings tried", *more])
    default, metric = f"{tuned.default_value:.4f}", tuned.metric
    if tuned.stays:
        best = f"the model's own parameters stay: {metric} {default}"
    else:
        best = f"best {metric} {tuned.best_value:.4f}, the model's own parameters {default},"
    click.echo(f"\n{best} on inner splits ({tried})")
    shares = tuned.importances()
    if shares:
        click.echo("parameter importance: " + ", ".join(f"{k} {v:.0%}" for k, v in shares.items()))
    click.echo(f"\n{ready(tuned, source)}")


def ready(tuned: TuningResult, source: Input) -> str:
    """Return the command that predicts with the best parameters."""
    given, plain = tuned.model.get_params(), type(tuned.model)().get_params()
    words = ["linkprior", "predict", source.graph, *options.reading_words(source, tune)]
    words += ["--model", type(tuned.model).name]
    for name, value in given.items():
        if value != plain[name]:
            text = "none" if value is None else str(value)
            words += ["--seed", text] if name == "seed" else ["--set", f"{name}={text}"]
    return shlex.join(words)
