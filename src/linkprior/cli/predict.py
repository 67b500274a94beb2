"""`linkprior predict`: rank the missing links of a file."""

from __future__ import annotations

import logging
import sys
from typing import TYPE_CHECKING, Any

import click

from linkprior.cli import options
from linkprior.cli.messages import describe, drop_stdout, say, silent
from linkprior.errors import LinkpriorError, ParameterError

if TYPE_CHECKING:
    from linkprior.predictors.base import LinkPredictor
    from linkprior.ranking import Ranking


@click.command()
@click.argument("edges")
@click.option(
    "--top",
    default=100,
    show_default=True,
    type=click.IntRange(min=1),
    help="How many links to predict.",
)
@click.option("--model", default="tri-degree", show_default=True, help="See `linkprior models`.")
@click.option("--set", "settings", multiple=True, metavar="KEY=VALUE", help="A model parameter.")
@options.seed
@click.option("-o", "--output", metavar="FILE", help="Where to write. [default: standard output]")
@click.option("--save", metavar="DIR", help="Also keep the fitted model here.")
@options.workers
@click.option("-q", "--quiet", is_flag=True, help="No messages, only results and errors.")
def predict(
    edges: str,
    top: int,
    model: str,
    settings: tuple[str, ...],
    seed: int,
    output: str | None,
    save: str | None,
    workers: int | None,
    quiet: bool,
) -> None:
    """Rank the missing links of the network in EDGES (a file, or - for stdin).

    Writes tab-separated text: rank, source, target, score; best first. A score orders pairs; it is
    no probability.
    """
    from linkprior.io.edgelist import read_network
    from linkprior.parallel import use_workers

    tell = silent if quiet else say
    logging.getLogger("linkprior").setLevel(logging.WARNING if quiet else logging.INFO)
    _check_targets(output, save)
    network = read_network(edges)
    tell(describe(network))
    with use_workers(workers):
        predictor = _make(model, settings, seed)
        tell(f"Fitting {model} …")
        predictor.fit(network)
        ranking = predictor.predict_edges(top)
    if output is not None:
        from linkprior.io.files import whole_file

        with whole_file(output) as stream:
            ranking.write(stream)
        tell(f"Wrote {len(ranking)} links to {output}")
    else:
        _print_ranking(ranking)
    if save:
        predictor.save(save)
        tell(f"Saved the model to {save}")


def _print_ranking(ranking: Ranking) -> None:
    """Write to standard output; a reader that has seen enough (`| head`) is no error."""
    try:
        ranking.write(sys.stdout)
        sys.stdout.flush()
    except BrokenPipeError:
        drop_stdout()


def _check_targets(output: str | None, save: str | None) -> None:
    """Refuse what cannot be written before the work begins, not after."""
    from pathlib import Path

    from linkprior.io.store import refuse_foreign

    if output is not None:
        target = Path(output)
        if not output or output.endswith("/") or target.is_dir():
            raise LinkpriorError(f"-o expects the name of a file, got the folder {output!r}")
        if not target.parent.is_dir():
            raise LinkpriorError(f"-o {output}: there is no folder {target.parent}")
    if save is not None:
        refuse_foreign(Path(save))


def _make(model: str, settings: tuple[str, ...], seed: int) -> LinkPredictor:
    from linkprior.predictors import registry

    params = dict(_setting(s) for s in settings)
    if "seed" in registry.find(model).parameter_names():
        params.setdefault("seed", seed)
    return registry.make(model, **params)


def _setting(text: str) -> tuple[str, Any]:
    """Read KEY=VALUE; a value that looks like a number is one, `none` is None."""
    key, equals, value = text.partition("=")
    if not equals or not key:
        raise ParameterError(f"--set expects KEY=VALUE, got {text!r}")
    if value.lower() == "none":
        return key, None
    for kind in (int, float):
        try:
            return key, kind(value)
        except ValueError:
            continue
    return key, value
