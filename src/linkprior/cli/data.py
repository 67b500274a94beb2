"""`linkprior data list` and `fetch`: real networks by name."""

from __future__ import annotations

import dataclasses
import json
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from linkprior.cli.console import current_console

if TYPE_CHECKING:
    from linkprior.io.datasets import Catalogue, Progress

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
@click.option("--json", "as_json", is_flag=True, help="Everything that is known, for programs.")
def list_networks(folder: Path | None, catalogue_file: str | None, as_json: bool) -> None:
    """List the networks there are, with sizes and licences. Opens no connection."""
    from linkprior.io.datasets import read_catalogue

    rows = _described(read_catalogue(catalogue_file), folder)
    if as_json:
        click.echo(json.dumps(rows, indent=1, ensure_ascii=False))
        return
    for line in _table(rows):
        click.echo(line)
    if any(_local_only(row) for row in rows):
        current_console().echo(
            "* no address to download from: needs a copy in the folder LINKPRIOR_DATA names"
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
    help="Seconds of silence after which a connection counts as dead.",
)
@click.option("-q", "--quiet", is_flag=True, help="Nothing on stderr but errors.")
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
    from linkprior.io.datasets import find, read_catalogue

    if everything == bool(names):
        raise click.UsageError("Give one NAME or more, or --all.")
    catalogue = read_catalogue(catalogue_file)
    for name in names:
        find(name, catalogue)
    _fetch_each(names or tuple(catalogue), catalogue, folder, timeout, quiet)


def _fetch_each(
    names: Sequence[str], catalogue: Catalogue, folder: Path | None, timeout: float, quiet: bool
) -> None:
    """Print each path. What fails is named at the end, so that the rest is fetched all the same."""
    from linkprior.io import datasets

    console, failed = current_console(), dict[str, datasets.FetchError]()
    offline = None
    for name in names:
        try:
            with _meter(name, quiet) as meter:
                path = datasets.fetch(
                    name,
                    data=folder,
                    catalogue=catalogue,
                    offline=offline,
                    timeout=timeout,
                    log=console.notify(quiet),
                    progress=meter,
                )
        except datasets.FetchError as problem:
            failed[name] = problem
            if len(names) > 1 and not offline:
                console.echo(f"linkprior: {problem}")
            # A host that cannot be reached would be waited for once per network.
            offline = isinstance(problem, datasets.UnreachableError) or offline
        else:
            click.echo(str(path))
    if failed and len(names) == 1:
        raise failed[names[0]]
    if failed:
        raise datasets.FetchError(
            f"{len(failed)} of {len(names)} networks could not be fetched: {', '.join(failed)}"
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


def _described(catalogue: Catalogue, folder: Path | None) -> list[dict[str, object]]:
    from linkprior.io.datasets import cache_folder, data_folder, whereabouts

    data, cache = data_folder(folder), cache_folder()
    rows = []
    for entry in catalogue.values():
        where, path = whereabouts(entry, data, cache)
        found = None if path is None else str(path.absolute())
        rows.append({**dataclasses.asdict(entry), "where": where, "path": found})
    return rows


def _local_only(row: dict[str, object]) -> bool:
    return row["where"] == "not here" and row["url"] is None


def _cells(row: dict[str, object]) -> tuple[str, ...]:
    star = " *" if _local_only(row) else ""
    return (*(str(row[key]) for key in COLUMNS[:-1]), f"{row['where']}{star}")


def _table(rows: list[dict[str, object]]) -> list[str]:
    """Return a heading and a line per network, in columns as wide as their widest cell."""
    cells = [COLUMNS, *map(_cells, rows)]
    widths = [max(len(line[k]) for line in cells) for k in range(len(COLUMNS))]
    return [
        "  ".join(
            cell.rjust(width) if heading in ("nodes", "edges") else cell.ljust(width)
            for cell, width, heading in zip(line, widths, COLUMNS, strict=True)
        ).rstrip()
        for line in cells
    ]
