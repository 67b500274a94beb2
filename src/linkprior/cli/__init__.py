"""The command line. Only this package prints.

Nothing heavy is imported at the top of its files, so that `--help` answers at once.
"""

from linkprior.cli.main import cli, main

__all__ = ["cli", "main"]
