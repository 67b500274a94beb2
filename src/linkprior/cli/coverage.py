"""`linkprior coverage`: how complete two screens of the same links are."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any

import click

from linkprior.cli import options
from linkprior.cli.console import current_console
from linkprior.errors import LinkpriorError


@click.command()
@click.argument("edges", metavar="FILE_A")
@click.argument("other", metavar="FILE_B")
@click.option(
    "--nodes",
    default="both",
    show_default=True,
    metavar="both|either|FILE",
    help="Nodes that both screens tested: those in both files, in either, or a list of names.",
)
@click.option(
    "--precision",
    nargs=2,
    type=float,
    default=(1.0, 1.0),
    metavar="A B",
    help="Share of each file's edges that are real. [default: 1 1]",
)
@click.option("--json", "as_json", is_flag=True, help="All figures as JSON, for programs.")
@options.quiet
@options.reading_options
def coverage(
    other: str, nodes: str, precision: tuple[float, float], as_json: bool, **given: Any
) -> None:
    """Estimate how complete FILE_A and FILE_B are, from the edges they have in common.

    Both must be screens for the same kind of links, made independently of each other, with the same
    names for nodes. The last line is a command that predicts the missing links of FILE_A.
    docs/coverage.md says what can go wrong.
    """
    from linkprior.coverage import estimate_coverage
    from linkprior.io.node_lists import read_names

    source, notify = options.take_input(given), current_console().notify
    if [source.graph, other, nodes].count("-") > 1:
        raise LinkpriorError("standard input (-) can be read only once; give files for the others")
    tested = nodes if nodes in ("both", "either") else read_names(nodes)
    one, two = (options.read_aloud(source, notify, path).network for path in (source.graph, other))
    estimate = estimate_coverage(one, two, tested, precision)
    share, command = f"{estimate.one.value:.2g}", None
    if estimate.sound and float(share) < 1.0:  # else there is no estimate, or nothing to predict
        words = ["linkprior", "predict", source.graph, *options.reading_words(source, coverage)]
        command = shlex.join([*words, "--coverage", share])
    if as_json:
        facts = {"files": [source.graph, other], **estimate.to_dict(), "command": command}
        click.echo(json.dumps(facts, indent=1, ensure_ascii=False))
        return
    # Without their folders, where that distinguishes the files.
    names = Path(source.graph).name, Path(other).name
    click.echo(estimate.text(*(names if names[0] != names[1] else (source.graph, other))))
    if command is not None:
        click.echo(f"\n{command}")
