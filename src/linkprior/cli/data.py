"""`linkprior data list` and `fetch`: real networks by name."""

from __future__ import annotations

import dataclasses
import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from linkprior.cli.console import current_console, echo_table

if TYPE_CHECKING:
    from linkprior.io.datasets import Progress

COLUMNS = ("name", "nodes", "edges", "licence", "where")

folder_option = click.option(
    "--data",
    "folder",
    type=click.Path(file_okay=False, path_type=Path),
    envvar="LINKPRIOR_DATA",
    help="Folder of local networks. [default: LINKPRIOR_DATA]",
)
catalogue_option = click.option(
    "--catalogue", "catalogue_file", type=click.Path(dir_okay=False), hidden=True
)


@click.group()
def data() -> None:
    """List real networks, and fetch them by name."""


@data.command("list")
@folder_option
@catalogue_option
@click.option("--json", "as_json", is_flag=True, help="All details as JSON, for programs.")
def list_networks(folder: Path | None, catalogue_file: str | None, as_json: bool) -> None:
    """List the available networks, with sizes and licences. Opens no connection."""
    from linkprior.io.datasets import cache_folder, data_folder, read_catalogue, whereabouts

    local, cache, rows = data_folder(folder), cache_folder(), []
    for entry in read_catalogue(catalogue_file).values():
        where, path = whereabouts(entry, local, cache)
        absolute = None if path is None else str(path.absolute())
        rows.append({**dataclasses.asdict(entry), "where": where, "path": absolute})
    if as_json:
        click.echo(json.dumps(rows, indent=1, ensure_ascii=False))
        return
    table: list[tuple[str, ...]] = [COLUMNS]
    for row in rows:
        star = " *" if row["where"] == "not here" and row["url"] is None else ""
        *cells, last = (str(row[key]) for key in COLUMNS)
        table.append((*cells, last + star))
    echo_table(table, right=("nodes", "edges"))
    if any(line[-1].endswith("*") for line in table):
        current_console().echo(
            "* no download address: needs a copy in the folder LINKPRIOR_DATA names"
        )


@data.command()
@click.argument("names", nargs=-1, metavar="NAME...")
@click.option("--all", "everything", is_flag=True, help="Every network in the list.")
@folder_option
@catalogue_option
@click.option(
    "--timeout",
    default=30.0,
    show_default=True,
    type=click.FloatRange(min=0, min_open=True),
    help="Give up on a connection after this many seconds without data.",
)
@click.option("-q", "--quiet", is_flag=True, help="Print only errors on stderr.")
def fetch(
    names: tuple[str, ...],
    everything: bool,
    folder: Path | None,
    catalogue_file: str | None,
    timeout: float,
    quiet: bool,
) -> None:
    """Print the path of a network, downloading it if it is not here.

    For example: linkprior predict "$(linkprior data fetch huri)"
    """
    from linkprior.io import datasets

    if everything == bool(names):
        raise click.UsageError("Give one NAME or more, or --all.")
    catalogue = datasets.read_catalogue(catalogue_file)
    for name in names:
        datasets.find(name, catalogue)
    asked = names or tuple(catalogue)
    console, failed = current_console(), dict[str, datasets.FetchError]()
    console.quiet, offline = quiet, None
    for name in asked:  # what fails is named at the end: the rest is fetched all the same
        try:
            with _meter(name, quiet) as meter:
                path = datasets.fetch(
                    name,
                    data=folder,
                    catalogue=catalogue,
                    offline=offline,
                    timeout=timeout,
                    log=console.notify,
                    progress=meter,
                )
        except datasets.FetchError as problem:
            failed[name] = problem
            if len(asked) > 1 and not offline:
                console.echo(f"linkprior: {problem}")
            # A host that cannot be reached would be waited for once per network.
            offline = isinstance(problem, datasets.UnreachableError) or offline
        else:
            click.echo(str(path))
    if failed and len(asked) == 1:
        raise failed[asked[0]]
    if failed:
        raise datasets.FetchError(
            f"{len(failed)} of {len(asked)} networks could not be fetched: {', '.join(failed)}"
        )


@contextmanager
def _meter(name: str, quiet: bool) -> Iterator[Progress | None]:
    """Give what draws the bytes received on one line of a terminal, gone at the end."""
    if quiet or not sys.stderr.isatty():
        yield None
        return

    def draw(done: int, total: int | None) -> None:
        of = f" of {total / 1e6:.1f}" if total else ""
        click.echo(f"{name}: {done / 1e6:.1f}{of} MB\r", err=True, nl=False)

    try:
        yield draw
    finally:
        click.echo(" " * (len(name) + 20) + "\r", err=True, nl=False)
