"""`linkprior demo`: the main job on a generated network, with the truth beside it."""

from __future__ import annotations

import click

from linkprior.cli import options
from linkprior.cli.messages import describe, say


@click.command()
@click.option(
    "--top",
    default=20,
    show_default=True,
    type=click.IntRange(min=1),
    help="How many links to show.",
)
@options.seed
def demo(top: int, seed: int) -> None:
    """Hide edges of a generated network, predict, and mark the ones found."""
    from linkprior.evaluation.splits import uniform
    from linkprior.generate import planted_network
    from linkprior.predictors.registry import DEFAULT_MODEL, make

    network = planted_network(seed=seed)
    split = uniform(network, 0.8, seed)
    say(f"A generated network: {describe(network)}")
    say(f"{network.n_edges - split.train.n_edges} edges are hidden; predicting from the rest.\n")
    hidden = set(map(tuple, split.hidden.tolist()))
    ranking = make(DEFAULT_MODEL, seed=seed).fit(split.train).predict_edges(max(top, 100))
    found = [tuple(pair) in hidden for pair in ranking.pairs.tolist()]
    degrees = split.train.degrees[ranking.pairs].tolist()
    click.echo("rank  source    target     score  degrees  a hidden edge?")
    for row, (a, b), mark in zip(ranking.rows(), degrees, found, strict=True):
        if row[0] <= top:
            line = f"{row[0]:4d}  {row[1]}  {row[2]}  {row[3]:6.3f}  {a:3d} {b:3d}"
            click.echo(f"{line}  {'✓ found' if mark else ''}".rstrip())
    alone = make("pa").fit(split.train).predict_edges(100).pairs.tolist()
    by_degree = sum(tuple(pair) in hidden for pair in alone)
    chance = 100 * len(hidden) / split.train.n_non_edges
    click.echo(
        f"\n{sum(found[:100])} of the first 100 are hidden edges "
        f"(degree alone: {by_degree}; chance: {chance:.1f})."
    )
    say("Now with your own network:  linkprior predict EDGES.tsv")
