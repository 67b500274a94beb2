"""The command line: one function per subcommand. Only this file prints.

Nothing heavy is imported at the top, so that `--help` answers at once.
"""

from __future__ import annotations

import contextlib
import io
import logging
import os
import sys
from typing import TYPE_CHECKING, Any

import click

from linkprior._version import __version__
from linkprior.errors import LinkpriorError, ParameterError

if TYPE_CHECKING:
    from linkprior.evaluation.evaluate import Evaluation
    from linkprior.network import Network
    from linkprior.predictors.base import LinkPredictor
    from linkprior.ranking import Ranking


_seed = click.option(
    "--seed",
    default=0,
    show_default=True,
    type=click.IntRange(min=0),
    help="Same seed, same result.",
)
_workers = click.option("--workers", type=int, help="Threads to use. [default: every core]")
_rule = click.option(
    "--rule",
    default="connected",
    show_default=True,
    type=click.Choice(["connected", "all-nodes"]),
    help="Which pairs are candidates: of nodes that keep an edge in training, or all.",
)


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="linkprior")
@click.option("--debug", is_flag=True, help="Show the full traceback of an error.")
def cli(debug: bool) -> None:
    """Infer the missing links of a network from its observed edges.

    Start with `linkprior demo`, then `linkprior predict YOUR_EDGES.tsv`.
    """
    logging.basicConfig(level=logging.INFO, format="%(message)s", stream=sys.stderr)


@cli.command()
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
@_seed
@click.option("-o", "--output", metavar="FILE", help="Where to write. [default: standard output]")
@click.option("--save", metavar="DIR", help="Also keep the fitted model here.")
@_workers
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

    say = _silent if quiet else _say
    logging.getLogger("linkprior").setLevel(logging.WARNING if quiet else logging.INFO)
    _check_targets(output, save)
    network = read_network(edges)
    say(_describe(network))
    with use_workers(workers):
        predictor = _make(model, settings, seed)
        say(f"Fitting {model} …")
        predictor.fit(network)
        ranking = predictor.predict_edges(top)
    if output is not None:
        from linkprior.io.files import whole_file

        with whole_file(output) as stream:
            ranking.write(stream)
        say(f"Wrote {len(ranking)} links to {output}")
    else:
        _print_ranking(ranking)
    if save:
        predictor.save(save)
        say(f"Saved the model to {save}")


@cli.command()
@click.argument("edges")
@click.option("--models", default="tri-degree,tri,pu,l3,pa", show_default=True, help="Or: all.")
@click.option("--protocol", default="uniform:0.9", show_default=True, metavar="P")
@_rule
@click.option("--repeats", default=1, show_default=True, help="Number of splits.")
@_seed
@click.option("-o", "--output", metavar="DIR", help="Write results.json and results.tsv here.")
@_workers
def evaluate(
    edges: str,
    models: str,
    protocol: str,
    rule: str,
    repeats: int,
    seed: int,
    output: str | None,
    workers: int | None,
) -> None:
    """Hide edges of EDGES and see which models find them again.

    P is uniform:RATE (keep this share of the edges) or release:NEWER_EDGES (find the edges that are
    new in a later file).
    """
    from linkprior.evaluation.evaluate import evaluate as judge
    from linkprior.io.edgelist import read_network
    from linkprior.parallel import use_workers
    from linkprior.predictors.registry import MODELS

    _check_folder(output)
    network = read_network(edges)
    _say(_describe(network))
    names = list(MODELS) if models == "all" else [m.strip() for m in models.split(",")]
    with use_workers(workers):
        result = judge(names, network, protocol, rule, repeats, seed)
    for split in result.facts["splits"]:
        _say(
            f"{split['label']}: {split['hidden']} hidden edges to find, {split['outside']} outside"
        )
    _print_table(result)
    if output:
        _write_results(result, output)
        _say(f"Wrote results.json and results.tsv to {output}")


@cli.command()
def models() -> None:
    """List the models."""
    from linkprior.predictors.registry import MODELS

    for name, entry in MODELS.items():
        click.echo(f"{name:16s} {entry.summary}")


@cli.command()
@click.option(
    "--top",
    default=20,
    show_default=True,
    type=click.IntRange(min=1),
    help="How many links to show.",
)
@_seed
def demo(top: int, seed: int) -> None:
    """Hide edges of a generated network, predict, and mark the ones found."""
    from linkprior.evaluation.splits import uniform
    from linkprior.generate import planted_network
    from linkprior.predictors.registry import make

    network = planted_network(seed=seed)
    split = uniform(network, 0.8, seed)
    _say(f"A generated network: {_describe(network)}")
    _say(f"{network.n_edges - split.train.n_edges} edges are hidden; predicting from the rest.\n")
    hidden = set(map(tuple, split.hidden.tolist()))
    ranking = make("tri-degree", seed=seed).fit(split.train).predict_edges(max(top, 100))
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
    _say("Now with your own network:  linkprior predict EDGES.tsv")


@cli.command()
def info() -> None:
    """Show versions and the machine, for a bug report."""
    import importlib.metadata as md
    import platform

    from linkprior.parallel import available_cores

    click.echo(f"linkprior {__version__}")
    click.echo(f"python {platform.python_version()} on {platform.platform()}")
    click.echo(f"cores {available_cores()}")
    for package in ("numpy", "scipy", "numba", "pandas", "safetensors", "click"):
        click.echo(f"{package} {md.version(package)}")


@cli.command()
def cite() -> None:
    """Print how to cite the method and the software."""
    click.echo(
        "Method: Q. Tang, L. Tu, W. Wang, J. Xu. Network Inference by Learned Node-Specific Degree "
        f"Prior.\nSoftware: linkprior {__version__}, the linkprior developers, 2026 (CITATION.cff)."
    )


def main() -> None:
    """Run the command line; errors a user can fix are one line and exit status 1."""
    debug = "--debug" in sys.argv
    if isinstance(sys.stdout, io.TextIOWrapper):
        # Names may be in any script, and a table is UTF-8 wherever it goes.
        sys.stdout.reconfigure(encoding="utf-8", errors="surrogateescape")
    try:
        cli.main(standalone_mode=False)
    except click.ClickException as problem:
        problem.show()
        sys.exit(problem.exit_code)
    except (click.Abort, KeyboardInterrupt):
        _say("Interrupted.")
        sys.exit(130)
    except (LinkpriorError, OSError, MemoryError) as problem:
        if debug:
            raise
        _say(f"linkprior: {str(problem) or 'out of memory'}")
        _drop_stdout()
        sys.exit(1)


def _print_ranking(ranking: Ranking) -> None:
    """Write to standard output; a reader that has seen enough (`| head`) is no error."""
    try:
        ranking.write(sys.stdout)
        sys.stdout.flush()
    except BrokenPipeError:
        _drop_stdout()


def _drop_stdout() -> None:
    """Throw away what could not be written, or Python complains about it once more at exit."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


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


def _check_folder(output: str | None) -> None:
    from pathlib import Path

    if output is not None and Path(output).exists() and not Path(output).is_dir():
        raise LinkpriorError(f"-o expects a folder, but {output} is a file")


def _say(text: str) -> None:
    click.echo(text, err=True)


def _silent(text: str) -> None:
    """Say nothing."""


def _describe(network: Network) -> str:
    m = network.merged
    text = f"{network.n_nodes} nodes, {network.n_edges} edges"
    merged = [
        f"{count} {what}"
        for count, what in (
            (m.self_loops, "self-loops left out"),
            (m.duplicates, "duplicates merged"),
            (m.reversed_duplicates, "reversed duplicates merged"),
            (m.isolated, "nodes without an edge left out"),
        )
        if count
    ]
    return f"{text} ({', '.join(merged)})" if merged else text


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


def _print_table(result: Evaluation) -> None:
    names = list(dict.fromkeys(model for model, *_ in result.rows))
    metrics = list(dict.fromkeys(metric for _, _, metric, _ in result.rows))
    click.echo(f"{'model':16s}" + "".join(f"{metric:>12s}" for metric in metrics))
    for name in names:
        values = (result.mean(name, metric) for metric in metrics)
        click.echo(f"{name:16s}" + "".join(f"{value:12.3f}" for value in values))


def _write_results(result: Evaluation, folder: str) -> None:
    import csv
    import json
    from pathlib import Path

    from linkprior.evaluation.evaluate import COLUMNS
    from linkprior.io.files import whole_file

    target = Path(folder)
    target.mkdir(parents=True, exist_ok=True)
    with whole_file(target / "results.tsv") as stream:
        writer = csv.writer(stream, delimiter="\t", lineterminator="\n")
        writer.writerows([COLUMNS, *result.rows])
    rows = [dict(zip(COLUMNS, row, strict=True)) for row in result.rows]
    with whole_file(target / "results.json") as stream:
        json.dump({"linkprior": __version__, **result.facts, "results": rows}, stream, indent=1)
