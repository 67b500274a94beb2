"""The group of subcommands, and what becomes of errors."""

from __future__ import annotations

import io
import logging
import os
import sys
from contextlib import redirect_stdout
from typing import TextIO, cast

import click

from linkprior._version import __version__
from linkprior.cli import (
    coverage,
    data,
    evaluate,
    experiments,
    info,
    pages,
    predict,
    tune,
)
from linkprior.cli.console import Console, LogHandler, NamedOutput, drop
from linkprior.cli.interrupt import run_interruptible
from linkprior.errors import LinkpriorError, visible
from linkprior.pipeline.outputs import NO_REASON, NO_THREAD, format_error


@click.group(context_settings={"help_option_names": ["-h", "--help"], "show_default": True})
@click.version_option(__version__, prog_name="linkprior")
@click.option("--debug", is_flag=True, help="Show the full traceback of an error.")
@click.option(
    "--progress",
    type=click.Choice(["auto", "json"]),
    default="auto",
    show_default=False,
    help="json: progress and messages on stderr as one JSON object per line, for a program.",
)
@click.pass_context
def cli(ctx: click.Context, debug: bool, progress: str) -> None:
    """Infer the missing links of a network from its observed edges.

    Start with `linkprior demo`, then `linkprior predict YOUR_EDGES.tsv`.
    """
    console = ctx.ensure_object(Console)
    console.json = progress == "json"
    root, handler = logging.getLogger(), LogHandler(console)
    if not root.handlers:  # else another program decides what becomes of the log
        logging.basicConfig(level=logging.INFO, format="%(message)s", handlers=[handler])
        ctx.call_on_close(lambda: root.removeHandler(handler))


for command in (
    predict.predict,
    evaluate.evaluate,
    tune.tune,
    pages.report,
    pages.serve,
    coverage.coverage,
    experiments.reproduce,
    experiments.benchmark,
    info.models,
    info.formats,
    data.data,
    info.info,
    info.cite,
    info.demo,
):
    cli.add_command(command)


def main() -> None:
    """Run the command line; errors a user can fix are one line and exit status 1."""
    console = Console()

    def work() -> None:
        cli.main(standalone_mode=False, obj=console)
        sys.stdout.flush()

    try:
        _open_streams()
        # Called by a test or another program, its threads and signals are not ours to take.
        is_program = sys._getframe(1).f_globals.get("__name__") == "__main__"
        with redirect_stdout(cast(TextIO, NamedOutput(sys.stdout))):
            run_interruptible(work, console) if is_program else work()
    except click.ClickException as problem:
        problem.show()
        sys.exit(problem.exit_code)
    except BrokenPipeError:  # nobody reads standard output any more, as in `| head`
        drop(sys.stdout)
    except (click.Abort, KeyboardInterrupt):
        console.echo("Interrupted.")
        sys.exit(130)
    except (LinkpriorError, OSError, MemoryError, RuntimeError, SystemError) as problem:
        if "--debug" in sys.argv or not _of_the_user(problem):
            raise
        # In one line, whatever it quotes.
        console.echo(f"linkprior: {visible(format_error(problem))}")
        drop(sys.stdout)
        sys.exit(1)


def _of_the_user(problem: Exception) -> bool:
    """Return whether an error is one the user can fix, not a bug."""
    if isinstance(problem, LinkpriorError) or not isinstance(problem, RuntimeError | SystemError):
        return True
    return str(problem) == NO_THREAD or NO_REASON in str(problem)


def _open_streams() -> None:
    """Have a standard output and error, whatever was closed, and take names of any script."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # closed, as by >&-
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115
    if isinstance(sys.stdout, io.TextIOWrapper):
        # Names may be in any script, and a table is UTF-8 wherever it goes.
        sys.stdout.reconfigure(encoding="utf-8", errors="surrogateescape")
