"""`linkprior reproduce`: the paper's experiments, its numbers beside ours."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from linkprior.cli import options
from linkprior.cli.console import Notify, current_console
from linkprior.errors import LinkpriorError
from linkprior.pipeline.outputs import check_page

if TYPE_CHECKING:
    from linkprior.experiments.reproduction import Care

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
    help="Results, figures, and finished cells: the same command goes on where it stopped.",
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
    quiet: bool,
) -> None:
    """Repeat an experiment of the paper: dream5, plasmodium, rat, or all.

    Five methods, each tuned with the same budget on edges hidden inside its training network, five
    seeds; degree alone (PA), paths of length three (L3) and auto beside them. The full run of all
    three takes within an hour on two cores; --quick, without auto, one or two minutes.
    """
    from linkprior.experiments.paper import EXPERIMENTS, data_folder
    from linkprior.experiments.reproduction_tables import refuse_foreign

    console = current_console()
    notify = console.notify(quiet)
    folder, care = data_folder(data), _care(quick, trials)
    names = list(EXPERIMENTS) if experiment == "all" else [experiment]
    if not output:
        raise LinkpriorError("-o expects the name of a folder")
    target = Path(output) / ("quick" if quick else "full" if care.trials else "untuned")
    if report is not None:
        made = [Path(output), target, *(target / name for name in names)]
        check_page("--report", Path(report), made=made)
    for name in names:
        refuse_foreign(name, target / name)
    for name in names:  # all data are looked at before an hour is spent on some of them
        for condition in EXPERIMENTS[name].conditions:
            condition.check(folder)
    notify(_what(care.trials, care.seeds, care.inner))
    saved = f"{target} holds what is finished; the same command goes on"
    with options.session(console, quiet, workers=workers, dask=dask, saved=lambda: saved):
        for name in names:
            _one(name, folder, care, target / name, notify)
    if report is not None:
        from linkprior.report.reproduction import read_reproduction, reproduction_page

        results = [one for name in names for one in read_reproduction(target / name)]
        page = reproduction_page(results, options.this_command())
        options.write_page(console, Path(report), page, quiet)


def _care(quick: bool, trials: int | None) -> Care:
    from dataclasses import replace

    from linkprior.experiments.reproduction import FULL, QUICK

    if quick and trials is not None:
        raise click.UsageError("--quick tries no settings: give it or --trials, not both")
    full = FULL if trials is None else replace(FULL, trials=trials)
    return QUICK if quick else full


def _what(trials: int, seeds: int, inner: int) -> str:
    if not trials:
        return f"Default parameters, {seeds} seed{'s' * (seeds > 1)}."
    return (
        f"{seeds} seeds; every method tries {trials} settings on edges hidden inside each training "
        f"network ({inner}×), and leaves its defaults only for a clearly better one"
    )


def _one(name: str, data: Path, care: Care, target: Path, notify: Notify) -> None:
    import sys
    import time

    from linkprior.experiments import reproduction_tables
    from linkprior.experiments.paper import EXPERIMENTS
    from linkprior.experiments.reproduction import reproduce as run
    from linkprior.experiments.reproduction_tables import write

    began = time.monotonic()
    result = run(EXPERIMENTS[name], data, care, target)
    files = write(result, target, time.monotonic() - began, sys.argv[1:])
    click.echo("\n".join(reproduction_tables.lines(result)) + "\n")
    notify(f"Wrote {', '.join(path.name for path in files)} to {target}")
