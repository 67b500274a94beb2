"""`linkprior report`: the page of what a command stored in a folder."""

from __future__ import annotations

from pathlib import Path

import click

from linkprior.cli import options
from linkprior.errors import LinkpriorError, StoreError
from linkprior.pipeline.outputs import check_page

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
@click.option(
    "--study",
    metavar="DIR",
    help="Show this study (`linkprior tune --study DIR`) with the run or the evaluation.",
)
@options.quiet
def report(folder: str, output: str | None, evaluation: str | None, study: str | None) -> None:
    """Write the HTML report of what a command stored in RUN_DIR.

    That is a run (`predict -o DIR/`), an evaluation (`evaluate -o DIR`), a study (`tune --study
    DIR`), a benchmark or the paper's experiments (`benchmark -o DIR`, `reproduce -o DIR`). One file
    that works offline: predicted links to sort, filter and save, how many to expect to be real,
    neighbourhoods, the network, how models compare, what tuning found, and how it was made.
    """
    from linkprior.report.folder import folder_page
    from linkprior.report.page import is_page

    if not Path(folder).is_dir():
        raise StoreError(
            f"{folder} is not a folder; expected what `linkprior predict -o DIR/` or `linkprior "
            "evaluate -o DIR` wrote"
        )
    target = Path(output) if output is not None else Path(folder) / PAGE
    check_page("-o", target)
    if output is None and target.exists() and not is_page(target):  # nobody has named it
        raise LinkpriorError(
            f"{target} is not a page of linkprior, and would be replaced; give -o FILE.html"
        )
    data = folder_page(Path(folder), evaluation, study)
    options.write_page(target, data)
