"""The group of subcommands, and what becomes of errors."""

from __future__ import annotations

import io
import logging
import sys

import click

from linkprior._version import __version__
from linkprior.cli import about, demo, evaluate, predict
from linkprior.cli.messages import drop_stdout, say
from linkprior.errors import LinkpriorError


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="linkprior")
@click.option("--debug", is_flag=True, help="Show the full traceback of an error.")
def cli(debug: bool) -> None:
    """Infer the missing links of a network from its observed edges.

    Start with `linkprior demo`, then `linkprior predict YOUR_EDGES.tsv`.
    """
    logging.basicConfig(level=logging.INFO, format="%(message)s", stream=sys.stderr)


for command in (
    predict.predict,
    evaluate.evaluate,
    about.models,
    about.info,
    about.cite,
    demo.demo,
):
    cli.add_command(command)


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
        say("Interrupted.")
        sys.exit(130)
    except (LinkpriorError, OSError, MemoryError) as problem:
        if debug:
            raise
        say(f"linkprior: {str(problem) or 'out of memory'}")
        drop_stdout()
        sys.exit(1)
