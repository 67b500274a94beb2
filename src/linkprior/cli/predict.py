"""`linkprior predict`: the options. The work is in predict_job.py."""

from __future__ import annotations

import math
from typing import Any

import click

from linkprior.cli import options
from linkprior.cli.reading import Input, reading_options
from linkprior.cli.side_inputs import SideInputs, beside_options
from linkprior.predictors.registry import DEFAULT_MODEL


@click.command()
@click.argument("edges")
@click.option("--top", type=click.IntRange(min=1), help="How many links to predict. [default: 100]")
@click.option(
    "--threshold",
    type=float,
    metavar="Q",
    help="All links with a probability of at least Q; for models without that column, a score.",
)
@click.option("--model", default=DEFAULT_MODEL, show_default=True, help="See `linkprior models`.")
@click.option(
    "--effort",
    type=click.Choice(["fast", "normal", "thorough"]),
    help="auto only: seconds, minutes, or as long as it takes.  [default: normal]",
)
@click.option(
    "--objective",
    type=click.Choice(["auprc", "recall", "dc_auroc"]),
    help="auto only: real links first; as many as can be among the best 5 % of pairs; or links "
    "that degrees alone do not tell.  [default: auprc]",
)
@click.option("--set", "settings", multiple=True, metavar="KEY=VALUE", help="A model parameter.")
@click.option(
    "--tune",
    type=click.IntRange(min=1),
    metavar="N",
    help="Try N settings of the model's parameters on edges hidden inside EDGES first, and fit the "
    "best on all of them: see docs/tuning.md.",
)
@options.seed
@click.option("--node", "around", multiple=True, metavar="NAME", help="Partners of this node only.")
@click.option("--nodes", "within", metavar="FILE", help="Pairs of nodes in this list only.")
@click.option(
    "--between",
    nargs=2,
    metavar="A.txt B.txt",
    help="Pairs across two lists only (regulators, genes).",
)
@click.option(
    "--candidates",
    type=click.Choice(["all", "paths3", "knn"]),
    help="all pairs, or in very large networks the partners of each node that most paths of length "
    "3 lead to, or nearest by the model's factors.  [default: all up to 50,000 nodes]",
)
@click.option(
    "--partners",
    type=int,
    metavar="N",
    help="How many partners per node paths3 and knn take.  [default: 1000]",
)
@beside_options
@click.option(
    "--add-nodes",
    metavar="FILE",
    help="Nodes without an edge yet, one name per line, for models with the degree prior.",
)
@click.option(
    "--coverage",
    type=float,
    metavar="SHARE",
    help="Share of all links that is observed, 0.7 say: how many are missing. See `linkprior "
    "coverage`.",
)
@click.option(
    "--degrees",
    metavar="FILE",
    help="Known or desired degree of every node (name, number) for models with the degree prior.",
)
@click.option("--exclude", metavar="FILE", help="Leave out these pairs: tested already, say.")
@click.option(
    "--explain",
    nargs=2,
    multiple=True,
    metavar="A B",
    help="Say why this pair stands where it stands; the list then goes to -o only.",
)
@click.option(
    "-o",
    "--output",
    metavar="FILE|DIR/",
    help="Where to write; DIR/ keeps everything as a run. [default: standard output]",
)
@click.option(
    "--format",
    "output_format",
    metavar="F",
    help="tsv, csv, jsonl, graphml, cx2 or sif. [default: as FILE ends, else tsv]",
)
@click.option("--save", metavar="DIR", help="Also keep the fitted model here.")
@options.report
@click.option(
    "--force",
    is_flag=True,
    help="Replace another run in DIR/; keep observed edges that --negatives names.",
)
@click.option("--ignore-memory", is_flag=True, help="Run although memory looks short.")
@click.option(
    "--dry-run", is_flag=True, help="Report on the input and estimate time and memory only."
)
@options.workers
@options.dask
@options.device
@options.memory_limit
@options.quiet
@reading_options
def predict(**given: Any) -> None:
    """Rank the missing links of the network in EDGES (a file, or - for stdin).

    Writes tab-separated text: rank, source, target, score, then evidence; best first. A score
    orders pairs; how likely they are links stands in auto's columns probability and
    expected_hits_cumulative. EDGES may be an edge list, BioGRID, MITAB, STRING, DREAM5, GraphML,
    GEXF, SIF, Pajek, METIS, Matrix Market, npz or CX2, packed or not.
    """
    from linkprior.cli.candidate_options import CandidateOptions
    from linkprior.cli.nearby import NearbyChoice
    from linkprior.cli.predict_job import PredictJob
    from linkprior.cli.tune_first import TuneFirst

    if given["top"] is not None and given["threshold"] is not None:
        raise click.UsageError("give --top or --threshold, not both")
    if given["threshold"] is not None and not math.isfinite(given["threshold"]):
        raise click.UsageError("--threshold expects a number")
    given["settings"] += _of_auto(given)
    source = Input.take(given)
    choices = CandidateOptions(
        *(given.pop(name) for name in ("around", "within", "between", "exclude"))
    )
    nearby = NearbyChoice(given.pop("candidates"), given.pop("partners"), given["seed"])
    given["tune"] = TuneFirst(given["tune"], given["seed"])
    names = ("negatives", "history", "add_nodes", "coverage", "degrees")
    beside = SideInputs(**{name: given.pop(name) for name in names}, force=given["force"])
    PredictJob(source=source, choices=choices, nearby=nearby, beside=beside, **given).run()


def _of_auto(given: dict[str, Any]) -> tuple[str, ...]:
    """Return the options that only auto has as settings; refuse them for other models."""
    asked = {name: given.pop(name) for name in ("effort", "objective")}
    chosen = tuple(f"{name}={value}" for name, value in asked.items() if value is not None)
    for name, value in asked.items():
        if value is not None and any(one.startswith(f"{name}=") for one in given["settings"]):
            raise click.UsageError(f"give --{name} or --set {name}=…, not both")
    if chosen and given["model"] != "auto":
        raise click.UsageError(f"--{chosen[0].partition('=')[0]} is for --model auto")
    return chosen
