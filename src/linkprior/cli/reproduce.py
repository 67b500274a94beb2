"""`linkprior reproduce`: the paper's experiments, its numbers next to ours."""

from __future__ import annotations

import sys
import time
from dataclasses import replace
from pathlib import Path

import click

from linkprior.cli import options
from linkprior.cli.console import current_console
from linkprior.pipeline.outputs import check_folder, check_page

_NAMES = ("dream5", "plasmodium", "rat", "all")


@click.command()
@click.argument("experiment", type=click.Choice(_NAMES))
@click.option("--data", metavar="DIR", help="Folder of data sets.  [default: LINKPRIOR_DATA]")
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
    show_default=True,
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
