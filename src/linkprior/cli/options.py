"""Options that several subcommands share."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

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
    help="Where the ADMM of the tri models runs (--set solver=admm): see docs/scaling.md.",
)
rule = click.option(
    "--rule",
    default="connected",
    show_default=True,
    type=click.Choice(["connected", "all-nodes"]),
    help="Which pairs are candidates: of nodes that keep an edge in training, or all.",
)
quiet = click.option("-q", "--quiet", is_flag=True, help="No messages, only results and errors.")


@contextmanager
def engines(
    workers: int | None, dask: str | None, tell: Callable[[str], None], device: str | None = None
) -> Iterator[None]:
    """Run the body with so many threads, on a device, and on a cluster where one is given.

    What went to the cluster and came back is told at the end.
    """
    from linkprior.kernels.device import use_device
    from linkprior.parallel import use_dask, use_workers

    with use_workers(workers), use_device(device):
        if dask is None:
            yield
            return
        with use_dask(dask) as engine:
            yield
            tell(f"dask: {engine.traffic}")
