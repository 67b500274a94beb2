"""The command line. Only this package prints.

Nothing heavy is imported at the top of its files, so that `--help` answers at once.
"""

import sys

try:
    from linkprior.cli.main import cli, main
except KeyboardInterrupt:  # Ctrl-C while the command was still loading
    sys.stderr.write("Interrupted: nothing was written.\n")
    sys.exit(130)

__all__ = ["cli", "main"]
