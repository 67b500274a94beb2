"""`linkprior demo`: the main job on a generated network, and how many it finds."""

from __future__ import annotations

import click

from linkprior.cli import options
from linkprior.cli.console import current_console

HIDDEN = 0.2  # share of the edges
COUNTED = 100  # links, first of all, that are counted


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
    """Hide edges of a generated network, predict, and mark the ones found.

    The model itself estimates how many to expect, from the edges it was given.
    """
    from linkprior.evaluation.splits import uniform
    from linkprior.network.generate import planted_network
    from linkprior.pipeline.predict import expected_hits
    from linkprior.predictors.registry import DEFAULT_MODEL, make

    console = current_console()
    echo = console.echo
    network = planted_network(seed=seed)
    split = uniform(network, 1.0 - HIDDEN, seed)
    nodes, edges = network.n_nodes, network.n_edges
    echo(f"A generated network: {nodes} nodes, {edges} edges")
    echo(f"{network.n_edges - split.train.n_edges} edges are hidden; predicting from the rest.\n")
    hidden = set(map(tuple, split.hidden.tolist()))
    model = make(DEFAULT_MODEL, effort="fast", missing=HIDDEN, seed=seed)
    with console.progress():
        ranking = model.fit(split.train).predict_edges(max(top, COUNTED))
    for line in model.summary():
        echo(line)
    echo("")
    is_hidden = [tuple(pair) in hidden for pair in ranking.pairs.tolist()]
    degrees = split.train.degrees[ranking.pairs].tolist()
    click.echo("rank  source    target     score  degrees  a hidden edge?")
    for row, (a, b), mark in zip(ranking.rows(), degrees, is_hidden, strict=True):
        if row[0] <= top:
            line = f"{row[0]:4d}  {row[1]}  {row[2]}  {row[3]:6.3f}  {a:3d} {b:3d}"
            click.echo(f"{line}  {'✓ found' if mark else ''}".rstrip())
    alone = make("pa").fit(split.train).predict_edges(COUNTED).pairs.tolist()
    by_degree = sum(tuple(pair) in hidden for pair in alone)
    at_random = COUNTED * len(hidden) / split.train.n_non_edges
    hits = expected_hits(model, ranking.scores[:COUNTED])
    expected = f"expected {hits}; " if hits is not None else ""
    click.echo(
        f"\n{sum(is_hidden[:COUNTED])} of the first {COUNTED} are hidden edges "
        f"({expected}degree alone: {by_degree}; random: {at_random:.1f})."
    )
    echo("Now with your own network:  linkprior predict EDGES.tsv")
