"""`linkprior benchmark` and `reproduce`: a suite of networks, and the paper's experiments."""

from __future__ import annotations

import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from linkprior.cli import options
from linkprior.cli.console import Notify, current_console
from linkprior.errors import LinkpriorError
from linkprior.pipeline.outputs import check_folder, check_page

if TYPE_CHECKING:
    from linkprior.experiments.models import BenchmarkModel

_PAPER = ("dream5", "plasmodium", "rat", "all")

_data = click.option(
    "--data", metavar="DIR", help="Folder of data sets.  [default: LINKPRIOR_DATA]"
)


@click.command()
@click.argument("networks", nargs=-1, metavar="[NETWORK]...")
@click.option("--models", metavar="NAMES", help="Models, with commas between.  [default: all]")
@click.option(
    "--quick", is_flag=True, help="One split of small networks, fast models: a minute or two."
)
@_data
@click.option(
    "--trials",
    type=click.IntRange(min=0),
    default=0,
    help="Settings each model tries inside each training network; 0: default parameters.",
)
@click.option("--tables", is_flag=True, help="Only make tables and figures of finished cells.")
@click.option(
    "-o",
    "--output",
    metavar="DIR",
    default="benchmark",
    help="Tables, figures, and finished cells: the same command resumes where it stopped.",
)
@options.report
@options.workers
@options.dask
@options.quiet
def benchmark(
    networks: tuple[str, ...],
    models: str | None,
    quick: bool,
    data: str | None,
    trials: int,
    tables: bool,
    output: str,
    report: str | None,
    workers: int | None,
    dask: str | None,
) -> None:
    """Evaluate every model on the same splits of a suite of networks, or of the networks named.

    All of it takes hours, --quick a minute or two. Finished cells stay, so the command can be
    stopped at any time and given again. docs/benchmark.md describes networks, splits and models.
    """
    from linkprior.experiments.benchmark import Benchmark, refuse_foreign, results_in, write_files
    from linkprior.experiments.models import chosen_models
    from linkprior.experiments.suite import chosen_cases, data_folder
    from linkprior.experiments.tables import summary

    notify = current_console().notify
    if quick and trials:
        raise click.UsageError("--quick tries no settings: give it or --trials, not both")
    if tables and (networks or models is not None):
        raise click.UsageError("--tables shows all that is finished: name no network or model")
    check_folder(output)
    # Cells made with more or less effort are stored apart.
    target = Path(output, "quick" if quick else f"tuned-{trials}" if trials else "")
    if report is not None:
        check_page("--report", Path(report), made=[Path(output), target])
    if not tables:
        refuse_foreign(target)
        wanted = None if models is None else [name for name in models.split(",") if name.strip()]
        cases = chosen_cases(networks, quick)
        entries = _available(chosen_models(wanted, quick), notify)
        folder = data_folder(data)
        for case in cases:  # all data are looked at before a day is spent on some of them
            case.check(folder)
        untuned, rounds = Path(output) if trials else None, 1 if quick else None
        job = Benchmark(cases, entries, folder, target, trials, untuned, rounds, notify)
        saved = f"{target} holds finished cells; the same command resumes from there"
        with options.session(workers=workers, dask=dask, saved=lambda: saved):
            job.run()
    results = results_in(target)
    files = write_files(results, target)
    click.echo("\n".join(summary(results)))
    notify(f"Wrote {', '.join(path.name for path in files)} to {target}")
    if report is not None:
        from linkprior.report.experiments import benchmark_page

        page = benchmark_page(results, options.this_command())
        options.write_page(Path(report), page)


def _available(entries: list[BenchmarkModel], notify: Notify) -> list[BenchmarkModel]:
    """Return the models whose library is there, and report which are left out."""
    from linkprior.experiments.models import without_library

    missing = {one.label for one in without_library(entries)}
    there = [one for one in entries if one.label not in missing]
    if missing:
        line = f"left out, their library is not installed: {', '.join(sorted(missing))}"
        hint = "`pip install 'linkprior[bench]'` gets them"
        if not there:
            raise LinkpriorError(f"{line}; {hint}")
        notify(f"{line} ({hint})")
    return there


@click.command()
@click.argument("experiment", type=click.Choice(_PAPER))
@_data
@click.option(
    "--quick", is_flag=True, help="Default parameters and one seed: minutes, not an hour."
)
@click.option(
    "--trials",
    type=click.IntRange(min=0),
    help="Settings each method tries for each training network; 0: default parameters.  "
    "[default: 12]",
)
@click.option(
    "-o",
    "--output",
    metavar="DIR",
    default="reproduction",
    help="Results, figures, and finished cells: the same command resumes where it stopped.",
)
@options.report
@options.workers
@options.dask
@options.quiet
def reproduce(
    experiment: str,
    data: str | None,
    quick: bool,
    trials: int | None,
    output: str,
    report: str | None,
    workers: int | None,
    dask: str | None,
) -> None:
    """Repeat an experiment of the paper: dream5, plasmodium, rat, or all.

    Five methods, each tuned with the same budget on edges hidden inside its training network, five
    seeds; degree alone (PA), paths of length three (L3) and auto for comparison. The full run of
    all three takes within an hour on two cores; --quick, without auto, one or two minutes.
    """
    from linkprior.experiments import reproduction
    from linkprior.experiments.paper import EXPERIMENTS, data_folder
    from linkprior.experiments.reproduction import lines, refuse_foreign, write

    notify = current_console().notify
    if quick and trials is not None:
        raise click.UsageError("--quick tries no settings: give it or --trials, not both")
    care = reproduction.QUICK if quick else reproduction.FULL
    care = care if trials is None else replace(care, trials=trials)
    folder = data_folder(data)
    names = list(EXPERIMENTS) if experiment == "all" else [experiment]
    check_folder(output)
    target = Path(output) / ("quick" if quick else "full" if care.trials else "untuned")
    if report is not None:
        made = [Path(output), target, *(target / name for name in names)]
        check_page("--report", Path(report), made=made)
    for name in names:
        refuse_foreign(name, target / name)
    for name in names:  # all data are looked at before an hour is spent on some of them
        for condition in EXPERIMENTS[name].conditions:
            condition.check(folder)
    seeds = f"{care.seeds} seed{'s' * (care.seeds > 1)}"
    if care.trials:
        notify(
            f"{seeds}; every method tries {care.trials} settings on edges hidden inside each "
            f"training network ({care.inner}×), and leaves its defaults only for a clearly better "
            "one"
        )
    else:
        notify(f"Default parameters, {seeds}.")
    saved = f"{target} holds finished cells; the same command resumes from there"
    with options.session(workers=workers, dask=dask, saved=lambda: saved):
        for name in names:
            began = time.monotonic()
            result = reproduction.reproduce(EXPERIMENTS[name], folder, care, target / name)
            files = write(result, target / name, time.monotonic() - began, sys.argv[1:])
            click.echo("\n".join(lines(result)) + "\n")
            notify(f"Wrote {', '.join(path.name for path in files)} to {target / name}")
    if report is not None:
        from linkprior.report.experiments import read_reproduction, reproduction_page

        results = [one for name in names for one in read_reproduction(target / name)]
        page = reproduction_page(results, options.this_command())
        options.write_page(Path(report), page)
