"""The group of subcommands, and what becomes of errors."""

from __future__ import annotations

import io
import logging
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from functools import partial
from typing import Any, TextIO, cast

import click

from linkprior._version import __version__
from linkprior.cli import (
    benchmark,
    coverage,
    data,
    demo,
    evaluate,
    info,
    predict,
    report,
    reproduce,
    serve,
    tune,
)
from linkprior.cli.console import Console, LogHandler, NamedOutput, drop
from linkprior.cli.interrupt import run_interruptible
from linkprior.errors import LinkpriorError, visible
from linkprior.pipeline.outputs import NO_REASON, NO_THREAD, format_error


class _ReaderGoneError(Exception):
    """Nobody reads standard output any more, as in `| head`."""


class _Commands(click.Group):
    """A group with a broken pipe as an error of its own: click would make it exit status 1."""

    def make_context(self, *args: Any, **more: Any) -> click.Context:
        with _pipe_may_break():
            return super().make_context(*args, **more)

    def invoke(self, ctx: click.Context) -> Any:
        with _pipe_may_break():
            result = super().invoke(ctx)
            sys.stdout.flush()
            return result


@contextmanager
def _pipe_may_break() -> Iterator[None]:
    try:
        yield
    except BrokenPipeError:
        raise _ReaderGoneError from None


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="linkprior")
@click.option("--debug", is_flag=True, help="Show the full traceback of an error.")
@click.option(
    "--progress",
    type=click.Choice(["auto", "json"]),
    default="auto",
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
    report.report,
    serve.serve,
    coverage.coverage,
    reproduce.reproduce,
    benchmark.benchmark,
    info.models,
    info.formats,
    data.data,
    info.info,
    info.cite,
    demo.demo,
):
    cli.add_command(command)


def main() -> None:
    """Run the command line; errors a user can fix are one line and exit status 1."""
    console = Console()
    try:
        _open_streams()
        # Called by a test or another program, its threads and signals are not ours to take.
        is_program = sys._getframe(1).f_globals.get("__name__") == "__main__"
        work = partial(cli.main, standalone_mode=False, obj=console)
        with redirect_stdout(cast(TextIO, NamedOutput(sys.stdout))):
            run_interruptible(work, console) if is_program else work()
    except click.ClickException as problem:
        problem.show()
        sys.exit(problem.exit_code)
    except _ReaderGoneError:
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
