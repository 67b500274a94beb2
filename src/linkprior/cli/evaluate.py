"""`linkprior evaluate`: hide edges and see who finds them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from linkprior._version import __version__
from linkprior.cli import options
from linkprior.cli.messages import say, silent
from linkprior.cli.reading import Input, reading_options
from linkprior.errors import LinkpriorError

if TYPE_CHECKING:
    from linkprior.evaluation.evaluate import Evaluation


@click.command()
@click.argument("edges")
@click.option("--models", default="tri-degree,tri,pu,l3,pa", show_default=True, help="Or: all.")
@click.option("--protocol", default="uniform:0.9", show_default=True, metavar="P")
@options.rule
@click.option("--repeats", default=1, show_default=True, help="Number of splits.")
@options.seed
@click.option("-o", "--output", metavar="DIR", help="Write results.json and results.tsv here.")
@options.workers
@options.quiet
@reading_options
def evaluate(
    models: str,
    protocol: str,
    rule: str,
    repeats: int,
    seed: int,
    output: str | None,
    workers: int | None,
    quiet: bool,
    **given: Any,
) -> None:
    """Hide edges of EDGES and see which models find them again.

    P is uniform:RATE (keep this share of the edges) or release:NEWER_EDGES (find the edges that are
    new in a later file).
    """
    from linkprior.cli.display import progress
    from linkprior.evaluation.evaluate import evaluate as judge
    from linkprior.parallel import use_workers
    from linkprior.predictors.registry import MODELS

    _check_folder(output)
    tell = silent if quiet else say
    names = list(MODELS) if models == "all" else [m.strip() for m in models.split(",")]
    with progress(quiet), use_workers(workers):
        source = Input.take(given)
        reading, newer = source.read(), None
        for line in reading.report.text():
            tell(line)
        if protocol.startswith("release:") and protocol != "release:":
            # In the same way as the older one: other names or filters would make edges look new.
            later = source.read(protocol.removeprefix("release:"))
            newer = later.network
            for line in later.report.text():
                tell(line)
        result = judge(names, reading.network, protocol, rule, repeats, seed, newer)
    for split in result.facts["splits"]:
        tell(
            f"{split['label']}: {split['hidden']} hidden edges to find, {split['outside']} outside "
            "(an end without an edge in the training network)"
        )
    _print_table(result)
    if output:
        _write_results(result, output)
        tell(f"Wrote results.json and results.tsv to {output}")


def _check_folder(output: str | None) -> None:
    from pathlib import Path

    if output is not None and Path(output).exists() and not Path(output).is_dir():
        raise LinkpriorError(f"-o expects a folder, but {output} is a file")


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
