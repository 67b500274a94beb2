"""Options that several subcommands share."""

from __future__ import annotations

import click

seed = click.option(
    "--seed",
    default=0,
    show_default=True,
    type=click.IntRange(min=0),
    help="Same seed, same result.",
)
workers = click.option("--workers", type=int, help="Threads to use. [default: every core]")
rule = click.option(
    "--rule",
    default="connected",
    show_default=True,
    type=click.Choice(["connected", "all-nodes"]),
    help="Which pairs are candidates: of nodes that keep an edge in training, or all.",
)
quiet = click.option("-q", "--quiet", is_flag=True, help="No messages, only results and errors.")
