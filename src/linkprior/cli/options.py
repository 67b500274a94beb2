"""Options that several subcommands share: running, reading the input, parameters of models."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from functools import reduce
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from linkprior.cli.console import Console, Notify, current_console
from linkprior.errors import ParameterError
from linkprior.pipeline.outputs import first_there, writing_to

if TYPE_CHECKING:
    from linkprior.pipeline.side_inputs import Input, Loaded
    from linkprior.predictors.base import LinkPredictor

Command = TypeVar("Command", bound=Callable[..., Any])

_DIGITS = 9  # of a column's number at most; Python makes no number of thousands
_WORDS = {"none": None, "true": True, "false": False}


def _all(*options: Callable[[Command], Command]) -> Callable[[Command], Command]:
    """Return what adds several options to a subcommand."""
    return lambda command: reduce(lambda made, option: option(made), reversed(options), command)


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
    help="Run the work on the workers of this dask scheduler, or local: see docs/scaling.md.",
)
device = click.option(
    "--device",
    type=click.Choice(["cpu", "cuda"]),
    help="Where factor models are fitted and all pairs are ranked: see docs/scaling.md.",
)
memory_limit = click.option(
    "--memory-limit",
    metavar="SIZE",
    help="Use no more memory than this, such as 2G or 500M: see docs/scaling.md.  [default: what "
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


def _set_quiet(context: click.Context, _: click.Parameter, value: bool) -> None:
    context.ensure_object(Console).quiet = value


quiet = click.option(
    *("-q", "--quiet"),
    is_flag=True,
    expose_value=False,
    callback=_set_quiet,
    help="No messages, only results and errors.",
)

reading_options = _all(
    click.option(
        "--input-format",
        metavar="NAME",
        help="The format of the file, if the guess is wrong: see `linkprior formats`.",
    ),
    click.option(
        "--header/--no-header",
        default=None,
        help="Whether the first row of an edge list names its columns. [default: guessed]",
    ),
    click.option(
        "--columns", metavar="A,B", help="The two columns of an edge list: names or numbers."
    ),
    click.option("--min-score", type=float, help="Keep edges with at least this score or weight."),
    click.option(
        "--weights",
        metavar="COLUMN",
        help="The column with the confidence of each edge (a name or a number); more confident "
        "edges count more.",
    ),
    click.option(
        "--organism", metavar="TAXON", help="BioGRID, MITAB: keep interactions within an organism."
    ),
    click.option(
        "--experimental-system",
        "systems",
        multiple=True,
        metavar="NAME",
        help="BioGRID, MITAB: keep this kind of experiment (may be repeated).",
    ),
    click.option(
        "--physical-only", is_flag=True, help="BioGRID, MITAB: keep physical interactions."
    ),
    click.option(
        "--id",
        "identifier",
        type=click.Choice(["entrez", "biogrid", "symbol"]),
        help="BioGRID: what names a node. [default: entrez]",
    ),
)
run_options = _all(workers, dask, device, memory_limit, quiet, reading_options)
side_options = _all(
    click.option(
        "--negatives",
        metavar="FILE",
        help="Pairs known not to be links: true zeros for the models, and never predicted.",
    ),
    click.option(
        "--history",
        nargs=2,
        metavar="OLDER NEWER",
        help="Two releases: auto learns what newly found links look like.",
    ),
)


# ---------------------------------------------------------------------- the input


def take_input(given: dict[str, Any]) -> Input:
    """Take what concerns the input out of a subcommand's options."""
    from linkprior._validation import shown
    from linkprior.io.formats import ReadOptions
    from linkprior.pipeline.side_inputs import Input

    names = ("header", "min_score", "organism", "systems", "physical_only", "weights")
    asked = {name: given.pop(name) for name in names}
    columns = given.pop("columns")
    ends = None if columns is None else tuple(name.strip() for name in columns.split(","))
    if ends is not None and (len(ends) != 2 or not all(ends)):
        raise ParameterError(f"--columns expects two columns as A,B, got {shown(columns)}")
    for name in ends or ():
        if name.isdecimal() and len(name) > _DIGITS:
            raise ParameterError(f"--columns: no file has a column number {shown(name)}")
    options = ReadOptions(**asked, columns=ends, id=given.pop("identifier"))
    return Input(given.pop("edges"), given.pop("input_format"), options)


def read_aloud(source: Input, notify: Notify, edges: str | None = None) -> Loaded:
    """Read the input, or another file in the same way, and report on it."""
    given = source.read(edges)
    for line in given.report.text() if given.report else ():
        notify(line)
    return given


def reading_words(source: Input, command: click.Command) -> list[str]:
    """Return the options that the input was read with, as they are typed."""
    words: list[str] = []
    asked = source.request()
    for option in command.params:
        if not isinstance(option, click.Option) or option.name not in asked:
            continue
        value = asked[option.name]
        if option.is_flag:
            words.append((option.opts if value else option.secondary_opts)[0])
            continue
        for one in value if option.multiple else [value]:
            words += [option.opts[0], str(one)]
    return words


# ---------------------------------------------------------------------- models


def make_model(model: str, settings: tuple[str, ...], seed: int) -> LinkPredictor:
    """Return the predictor asked for; a model without random parts has no seed."""
    from linkprior.predictors import registry

    params = dict(setting(s) for s in settings)
    if "seed" in registry.find(model).parameter_names():
        params.setdefault("seed", seed)
    return registry.make(model, **params)


def setting(text: str) -> tuple[str, Any]:
    """Read KEY=VALUE; what looks like a number is one, none, true and false are what they say."""
    key, equals, value = text.partition("=")
    if not equals or not key:
        raise ParameterError(f"--set expects KEY=VALUE, got {text!r}")
    if value.lower() in _WORDS:
        return key, _WORDS[value.lower()]
    for kind in (int, float):
        try:
            return key, kind(value)
        except ValueError:
            continue
    return key, value


# ---------------------------------------------------------------------- running


@contextmanager
def session(
    *,
    workers: int | None = None,
    dask: str | None = None,
    device: str | None = None,
    memory_limit: str | None = None,
    output: str | None = None,
    saved: Callable[[], str | None] = lambda: None,
    log: Notify | None = None,
) -> Iterator[None]:
    """Run the body with progress, so many threads, a device, a cluster and a memory limit."""
    from linkprior.kernels._engine import use_device
    from linkprior.parallel import use_dask, use_workers
    from linkprior.parallel.memory import memory_size, use_memory

    console = current_console()
    size = None if memory_limit is None else memory_size(memory_limit)
    scratch = None  # for what does not fit: TMPDIR, or next to the output
    if output not in (None, "-"):
        there = first_there(Path(output or "").absolute())
        scratch = there if there.is_dir() else there.parent
    with (
        console.on_interruption(saved=saved, log=log),
        console.progress(),
        use_workers(workers),
        use_device(device),
        nullcontext() if dask is None else use_dask(dask) as engine,
        use_memory(size, scratch),
    ):
        yield
        if engine is not None:
            console.notify(f"dask: {engine.traffic}")


def write_page(target: Path, data: dict[str, Any]) -> None:
    from linkprior.report import write_page

    with writing_to(target):
        write_page(target, data)
    size = target.stat().st_size / 1e6
    current_console().notify(f"Wrote the page {target} ({size:.1f} MB): open it in a browser")


def this_command() -> str:
    import shlex
    import sys

    return shlex.join(["linkprior", *sys.argv[1:]])
