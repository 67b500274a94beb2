"""`linkprior evaluate`: the options. The work is in evaluate_job.py."""

from __future__ import annotations

from typing import Any

import click

from linkprior.cli import options
from linkprior.cli.reading import Input, reading_options
from linkprior.cli.side_inputs import SideInputs, beside_options


class _Evaluate(click.Command):
    """Lists the protocols below its help; they are loaded only then."""

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write each protocol with what it does."""
        from linkprior.evaluation.protocols import PROTOCOLS

        with formatter.section("Protocols P"):
            formatter.write_dl([tuple(text.split(" ", 1)) for text in PROTOCOLS.values()])  # type: ignore[misc]


@click.command(cls=_Evaluate)
@click.argument("edges")
@click.option(
    "--models",
    default="tri-degree,tri,pu,l3,pa",
    show_default=True,
    metavar="A,B,C",
    help="See `linkprior models`; all: every model this network and machine allow.",
)
@click.option(
    "--set",
    "settings",
    multiple=True,
    metavar="[MODEL.]KEY=VALUE",
    help="A parameter of one model, or of all that have it.",
)
@click.option(
    "--protocol",
    default="uniform:0.9",
    show_default=True,
    metavar="P",
    help="How edges are hidden: see below.",
)
@options.rule
@click.option("--repeats", default=1, show_default=True, help="Splits; of kfold, shuffles.")
@click.option("--folds", metavar="0-2", help="Of kfold: the folds to run. [default: all]")
@options.seed
@click.option(
    "--null",
    type=click.Choice(["none", "rewired"]),
    default="none",
    show_default=True,
    help="rewired: exchange the ends of edges first. What is then still found is degree alone.",
)
@click.option(
    "--noise",
    type=float,
    default=0.0,
    metavar="SHARE",
    help="Replace this share of the training edges by random pairs, 0.1 say.",
)
@click.option(
    "--ablations",
    is_flag=True,
    help="Also judge models without their degree prior, with shuffled and with true degrees.",
)
@click.option(
    "--tune",
    default=0,
    metavar="N",
    help="Let each model try N settings on edges hidden inside each training network.",
)
@click.option("--tune-metric", metavar="NAME", help="What is tuned for. [default: auprc]")
@click.option("--metrics", metavar="A,B,C", help="Columns of the table, or all.")
@click.option(
    "--against", metavar="MODEL", help="Whom paired tests compare with. [default: the first model]"
)
@click.option(
    "-o",
    "--output",
    metavar="DIR",
    help="Keep results, tables, curves and splits here; the same command goes on where it stopped.",
)
@options.report
@click.option("--ignore-memory", is_flag=True, help="Run although memory looks short.")
@beside_options
@options.workers
@options.dask
@options.device
@options.memory_limit
@options.quiet
@reading_options
def evaluate(**given: Any) -> None:
    """Hide edges of EDGES and see which models find them again.

    Prints a table: one row per model, the last one for what drawing lots would give. pa (degree
    alone) is always judged too. docs/evaluation.md says what each number means.
    """
    from linkprior.cli.evaluate_job import EvaluateJob

    beside = SideInputs(negatives=given.pop("negatives"), history=given.pop("history"))
    EvaluateJob(source=Input.take(given), beside=beside, **given).run()
