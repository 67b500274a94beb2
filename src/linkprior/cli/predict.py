"""`linkprior predict`: the options, and what is printed; the work is in pipeline/predict.py."""

from __future__ import annotations

import math
import sys
from contextlib import closing
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from linkprior.cli import options
from linkprior.cli.console import current_console, drop
from linkprior.pipeline.outputs import check_page
from linkprior.predictors.registry import DEFAULT_MODEL

if TYPE_CHECKING:
    from linkprior.pipeline.predict import PredictJob
    from linkprior.ranking.ranking import Ranking


@click.command()
@click.argument("edges")
@click.option("--top", type=click.IntRange(min=1), help="How many links to predict. [default: 100]")
@click.option(
    "--threshold",
    type=float,
    metavar="Q",
    help="All links with a probability of at least Q; for models without that column, a score.",
)
@click.option("--model", default=DEFAULT_MODEL, help="See `linkprior models`.")
@click.option(
    "--effort",
    type=click.Choice(["fast", "normal", "thorough"]),
    help="auto only: seconds, minutes, or as long as it takes.  [default: normal]",
)
@click.option(
    "--objective",
    type=click.Choice(["auprc", "recall", "dc_auroc"]),
    help="auto only: rank real links first; find as many as possible in the best 5 % of pairs; or "
    "find links that degrees alone do not predict.  [default: auprc]",
)
@click.option(
    "--time-limit",
    type=click.FloatRange(min=0.0, min_open=True),
    metavar="SECONDS",
    help="auto only: about how long its fit may take; what was not fitted in time is named.",
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
@click.option("--node", multiple=True, metavar="NAME", help="Partners of this node only.")
@click.option("--nodes", metavar="FILE", help="Pairs of nodes in this list only.")
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
@options.side_options
@click.option(
    "--add-nodes",
    metavar="FILE",
    help="Nodes without an edge yet, one name per line, for models with the degree prior.",
)
@click.option(
    "--coverage",
    type=float,
    metavar="SHARE",
    help="Share of all links that is observed, such as 0.7, which sets how many are missing. See "
    "`linkprior coverage`.",
)
@click.option(
    "--degrees",
    metavar="FILE",
    help="Known or desired degree of every node (name, number) for models with the degree prior.",
)
@click.option(
    "--exclude", metavar="FILE", help="Leave out these pairs, such as those already tested."
)
@click.option(
    "--explain",
    nargs=2,
    multiple=True,
    metavar="A B",
    help="Explain the rank of this pair; the list then goes to -o only.",
)
@click.option(
    "-o",
    "--output",
    metavar="FILE|DIR/",
    help="Where to write; DIR/ stores everything as a run folder. [default: standard output]",
)
@click.option(
    "--format",
    "output_format",
    metavar="F",
    help="tsv, csv, jsonl, graphml, cx2 or sif. [default: by the ending of FILE, else tsv]",
)
@click.option("--save", metavar="DIR", help="Also save the fitted model here.")
@options.report
@click.option(
    "--force",
    is_flag=True,
    help="Replace another run in DIR/; keep observed edges that --negatives names.",
)
@click.option("--ignore-memory", is_flag=True, help="Run even if memory looks too small.")
@click.option(
    "--dry-run", is_flag=True, help="Report on the input and estimate time and memory only."
)
@options.run_options
def predict(**given: Any) -> None:
    """Rank the missing links of the network in EDGES (a file, or - for stdin).

    Writes tab-separated text: rank, source, target, score, then evidence; best first. A score
    orders pairs; how likely they are links is in auto's columns probability and
    expected_hits_cumulative. EDGES may be an edge list, BioGRID, MITAB, STRING, DREAM5, GraphML,
    GEXF, SIF, Pajek, METIS, Matrix Market, npz or CX2, packed or not.
    """
    from linkprior.pipeline.predict import PredictJob
    from linkprior.pipeline.side_inputs import SideInputs
    from linkprior.predictors.estimate import refuse_too_large

    _check_usage(given)
    running = {name: given.pop(name) for name in ("workers", "dask", "device", "memory_limit")}
    names = ("dry_run", "ignore_memory", "settings")
    dry_run, ignore_memory, settings = (given.pop(name) for name in names)
    source = options.take_input(given)
    side_inputs = {one.name: given.pop(one.name) for one in fields(SideInputs) if one.name in given}
    job = PredictJob(
        SideInputs(source, flag="--", **side_inputs),
        params=dict(options.setting(text) for text in settings),
        command=["linkprior", *sys.argv[1:]],
        notify=current_console().notify,
        **given,
    )
    job.check()
    output, page = job.output, job.report
    if page is not None:
        made = [Path(output)] if output and output.endswith("/") else []
        check_page("--report", Path(page), [source.graph, *job.side.files, output], made)
    run = options.session(**running, output=output, saved=job.saved, log=job.log)
    with closing(job), run:
        job.prepare()
        if dry_run:
            click.echo(job.estimate())
        if not ignore_memory:
            refuse_too_large(job.predictor, job.network)
        if not dry_run:
            job.predict()
            if job.ranking is not None:
                _write(job, job.ranking)
            for number, text in enumerate(job.explanations()):
                click.echo(("\n" if number else "") + text)


def _write(job: PredictJob, ranking: Ranking) -> None:
    """Write or print the list, say how many links to expect, and write the page."""
    from linkprior.io.writers import write_ranking
    from linkprior.pipeline.predict import expected_hits

    job.write(ranking)
    if job.output in (None, "-"):
        try:
            write_ranking(sys.stdout, ranking, job.format, job.network, job.facts)
            sys.stdout.flush()
        except BrokenPipeError:  # a reader that has seen enough (`| head`) is not an error
            drop(sys.stdout)
    hits = expected_hits(job.predictor, ranking.scores)
    if hits is not None:
        links = f"Of the {len(ranking):,} links" if len(ranking) > 1 else "Of this one link"
        verb = "is" if hits.startswith(("about 1 ", "less")) else "are"
        job.announce(f"{links} {hits} {verb} expected to be real, {job.predictor.assumption()}.")
    if job.report is not None:
        options.write_page(Path(job.report), _page(job, ranking))


def _page(job: PredictJob, ranking: Ranking) -> dict[str, Any]:
    """Return what the page shows; it names no time, so the same command gives the same bytes."""
    from linkprior.report import prediction_page
    from linkprior.report.evaluation import Study, tuning_part

    report = job.given.report
    about = {"command": list(job.command)}
    data = prediction_page(job.predictor, ranking, report.to_dict() if report else None, about)
    if job.search is not None and job.tuned is not None:
        data["parts"] = [tuning_part(Study.of(job.tuned, job.search.question()))]
    return data


def _check_usage(given: dict[str, Any]) -> None:
    """Refuse options that do not go together, and make settings of those that only auto has."""
    if given["top"] is not None and given["threshold"] is not None:
        raise click.UsageError("give --top or --threshold, not both")
    if given["threshold"] is not None and not math.isfinite(given["threshold"]):
        raise click.UsageError("--threshold expects a number")
    of_auto = {name: given.pop(name) for name in ("effort", "objective", "time_limit")}
    chosen = {name: value for name, value in of_auto.items() if value is not None}
    same = {name: name for name in chosen}
    if given["degrees"] is not None:
        same["degrees"] = "degrees"
    if given["coverage"] is not None and 0.0 < given["coverage"] < 1.0:
        same |= {"missing": "coverage", "n_edges": "coverage"}
    for key, option in same.items():
        if any(text.startswith(f"{key}=") for text in given["settings"]):
            raise click.UsageError(f"give --{option} or --set {key}=…, not both")
    if chosen and given["model"] != "auto":
        option = next(iter(chosen)).replace("_", "-")
        raise click.UsageError(f"--{option} is for --model auto")
    given["settings"] += tuple(f"{name}={value}" for name, value in chosen.items())
