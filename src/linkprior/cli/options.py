"""Options that several subcommands share."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import click

seed = click.option(
    "--seed",
    default=0,
    show_default=True,
    type=click.IntRange(min=0),
    help="Same seed, same result.",
)
workers = click.option("--workers", type=int, help="Threads to use. [default: every core]")
dask = click.option(
    "--dask",
    metavar="ADDRESS",
    help="Have the workers of a dask scheduler do the work, or local: see docs/scaling.md.",
)
device = click.option(
    "--device",
    type=click.Choice(["cpu", "cuda"]),
    help="Where models of factors are fitted and all pairs are ranked: see docs/scaling.md.",
)
memory_limit = click.option(
    "--memory-limit",
    metavar="SIZE",
    help="Take no more memory than this, such as 2G or 500M: see docs/scaling.md.  [default: what "
    "is free]",
)
rule = click.option(
    "--rule",
    default="connected",
    show_default=True,
    type=click.Choice(["connected", "all-nodes"]),
    help="Which pairs are candidates: of nodes that keep an edge in training, or all.",
)
report = click.option(
    "--report", metavar="FILE.html", help="Also write a page to look at in a browser."
)
quiet = click.option("-q", "--quiet", is_flag=True, help="No messages, only results and errors.")


def within_memory(limit: str | None, output: str | None) -> AbstractContextManager[None]:
    """Run the body within a memory limit; what does not fit goes beside the output, or to TMPDIR.

    A limit that is no size is refused here already.
    """
    from linkprior.cli.output_checks import first_there
    from linkprior.parallel.memory import memory_size, use_memory

    size = None if limit is None else memory_size(limit)
    if output in (None, "-"):
        return use_memory(size)
    there = first_there(Path(output or "").absolute())
    return use_memory(size, there if there.is_dir() else there.parent)


@contextmanager
def engines(
    workers: int | None, dask: str | None, notify: Callable[[str], None], device: str | None = None
) -> Iterator[None]:
    """Run the body with so many threads, on a device, and on a cluster where one is given.

    What went to the cluster and came back is told at the end.
    """
    from linkprior.kernels._engine import use_device
    from linkprior.parallel import use_dask, use_workers

    with use_workers(workers), use_device(device):
        if dask is None:
            yield
            return
        with use_dask(dask) as engine:
            yield
            notify(f"dask: {engine.traffic}")
