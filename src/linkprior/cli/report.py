"""`linkprior report`: the page of a finished run or evaluation."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from linkprior.cli import options
from linkprior.cli.messages import say, writing_to
from linkprior.cli.places import check_name, check_writable
from linkprior.errors import LinkpriorError, StoreError

if TYPE_CHECKING:
    from linkprior.evaluation.results import Evaluation

PAGE = "report.html"


@click.command()
@click.argument("folder", metavar="RUN_DIR")
@click.option(
    "-o", "--output", metavar="FILE.html", help="Where to write.  [default: RUN_DIR/report.html]"
)
@click.option(
    "--evaluation",
    metavar="DIR",
    help="Show this evaluation (`linkprior evaluate -o DIR`) with the run.",
)
@options.quiet
def report(folder: str, output: str | None, evaluation: str | None, quiet: bool) -> None:
    """Write the page of a run (`predict -o DIR/`) or of an evaluation (`evaluate -o DIR`).

    One file that works offline: predicted links to sort, filter and save, how many to expect to be
    real, neighbourhoods, the network, how models compare, and how it was made.
    """
    if not Path(folder).is_dir():
        raise StoreError(
            f"{folder} is no folder; expected what `linkprior predict -o DIR/` or `linkprior "
            "evaluate -o DIR` wrote"
        )
    target = Path(output) if output is not None else Path(folder) / PAGE
    check_page("-o", target)
    write(target, data_of(Path(folder), evaluation), quiet)


def data_of(folder: Path, evaluation: str | None = None) -> dict[str, Any]:
    """Return what the page of a folder shows."""
    from linkprior.evaluation.writing import RESULTS
    from linkprior.report import prediction_page
    from linkprior.report.evaluation import comparison, evaluation_page
    from linkprior.runs.loading import load_run
    from linkprior.runs.manifest import MANIFEST

    if (folder / RESULTS).is_file() and not (folder / MANIFEST).is_file():
        if evaluation is not None:
            raise StoreError(f"{folder} is an evaluation itself: --evaluation goes with a run")
        return evaluation_page(_evaluation(folder), _named(folder), _command(folder))
    run = load_run(folder)
    data = prediction_page(run.model, run.ranking, run.input_report, run.manifest)
    if evaluation is not None:
        data["evaluation"] = comparison(_evaluation(Path(evaluation)))
    return data


def _evaluation(folder: Path) -> Evaluation:
    from linkprior.evaluation.writing import read_results

    return read_results(folder)


def _named(folder: Path) -> str:
    facts = _evaluation(folder).facts.get("network") or {}
    return Path(str(facts.get("file") or folder.resolve().name)).name


def _command(folder: Path) -> str | None:
    import shlex

    from linkprior.evaluation.cells import read_json
    from linkprior.evaluation.writing import RESULTS

    command = read_json(folder / RESULTS).get("command")
    return shlex.join(command) if command else None


def check_page(option: str, target: Path, others: Iterable[str | None] = ()) -> None:
    """Refuse a page that cannot be written, or that would replace one of `others`, before work."""
    if target.suffix.lower() not in (".html", ".htm"):
        raise LinkpriorError(f"{option} {target}: a page ends in .html")
    if target.is_dir():
        raise LinkpriorError(f"{option} {target}: is a folder; give the name of a file")
    for name in others:
        if name and name != "-" and Path(name).resolve() == target.resolve():
            raise LinkpriorError(f"{option} {target}: {name} is read or written too; rename one")
    if not target.parent.is_dir():
        raise LinkpriorError(f"{option} {target}: there is no folder {target.parent}")
    check_name(f"{option} {target}", target)
    check_writable(f"{option} {target}", target.resolve().parent)


def write(target: Path, data: dict[str, Any], quiet: bool) -> None:
    """Write a page and say where it is."""
    from linkprior.report import write_page

    with writing_to(str(target)):
        write_page(target, data)
    if not quiet:
        size = target.stat().st_size / 1e6
        say(f"Wrote the page {target} ({size:.1f} MB): open it in a browser")
