"""`linkprior models`, `formats`, `info`, `cite` and `demo`: what there is, without an input."""

from __future__ import annotations

from dataclasses import fields

import click

from linkprior._version import CITATION, __version__
from linkprior.cli import options
from linkprior.cli.console import current_console

_HIDDEN = 0.2  # share of the edges
_COUNTED = 100  # links, first of all, that are counted

_BIBTEX = """\
@misc{tang2016network,
  title  = {Network Inference by Learned Node-Specific Degree Prior},
  author = {Tang, Qingming and Tu, Lifu and Wang, Weiran and Xu, Jinbo},
  year   = {2016},
  note   = {preprint}
}

@software{linkprior,
  title   = {linkprior: infer the missing links of a network from its observed edges},
  author  = {{The linkprior developers}},
  version = {%s},
  year    = {2026}
}"""


@click.command()
@click.argument("name", required=False)
def models(name: str | None) -> None:
    """List the models, or explain one model and its parameters."""
    from linkprior.predictors import registry

    if name is not None:
        from linkprior.predictors.base import sections

        model = registry.find(name)
        parts = sections(model.__doc__)
        click.echo(f"{model.name}: {parts['']}\n\n{'parameter':12s} default")
        for field in fields(model):
            click.echo(f"{field.name:12s} {field.default}")
        click.echo("\n" + parts.get("Parameters", ""))
        return
    for one in registry.models():
        origin = "" if one.package == "linkprior" else f" ({one.package})"
        click.echo(f"{one.name:16s} {one.summary}{origin}")
    click.echo("")
    for one in registry.wrappers():
        click.echo(f"{one.name:16s} {one.summary}")
    click.echo("\nParameters of one: linkprior models NAME. Set them with --set KEY=VALUE.")


@click.command()
def formats() -> None:
    """List the file formats that are read and written."""
    from linkprior.io.formats import FORMATS
    from linkprior.io.writers import FORMATS as WRITTEN

    click.echo("Read (recognised by content and name; --input-format NAME overrides):")
    for name, readable in FORMATS.items():
        click.echo(f"  {name:14s} {readable.summary}")
    click.echo("gzip, bzip2, xz and zip are unpacked automatically.\n\nWritten (--format NAME):")
    for name, made in WRITTEN.items():
        click.echo(f"  {name:14s} {made.summary}")


@click.command()
def info() -> None:
    """Show versions and the machine, for a bug report."""
    import platform

    from linkprior import machine
    from linkprior.parallel import available_cores

    for package, version in machine.versions().items():
        click.echo(f"{package} {version}")
    free = machine.available_memory()
    click.echo(f"system {platform.platform()}")
    click.echo(f"cores {available_cores()}")
    click.echo(f"free memory {free / 1e9:.1f} GB" if free is not None else "free memory unknown")


@click.command()
@click.option("--bibtex", is_flag=True, help="As BibTeX entries.")
def cite(bibtex: bool) -> None:
    """Print how to cite the method and the software."""
    if bibtex:
        click.echo(_BIBTEX % __version__)
        return
    click.echo(f"{CITATION}\nAs BibTeX: linkprior cite --bibtex")


@click.command()
@click.option("--top", default=20, type=click.IntRange(min=1), help="How many links to show.")
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
    split = uniform(network, 1.0 - _HIDDEN, seed)
    nodes, edges = network.n_nodes, network.n_edges
    echo(f"A generated network: {nodes} nodes, {edges} edges")
    echo(f"{network.n_edges - split.train.n_edges} edges are hidden; predicting from the rest.\n")
    hidden = set(map(tuple, split.hidden.tolist()))
    model = make(DEFAULT_MODEL, effort="fast", missing=_HIDDEN, seed=seed)
    with console.progress():
        ranking = model.fit(split.train).predict_edges(max(top, _COUNTED))
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
    alone = make("pa").fit(split.train).predict_edges(_COUNTED).pairs.tolist()
    by_degree = sum(tuple(pair) in hidden for pair in alone)
    at_random = _COUNTED * len(hidden) / split.train.n_non_edges
    hits = expected_hits(model, ranking.scores[:_COUNTED])
    expected = f"expected {hits}; " if hits is not None else ""
    click.echo(
        f"\n{sum(is_hidden[:_COUNTED])} of the first {_COUNTED} are hidden edges "
        f"({expected}degree alone: {by_degree}; random: {at_random:.1f})."
    )
    echo("Now with your own network:  linkprior predict EDGES.tsv")
