"""Reading the input of a subcommand: its options, and the report on stderr."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar

import click

from linkprior.errors import ParameterError

if TYPE_CHECKING:
    from linkprior.io.formats import ReadOptions
    from linkprior.io.read import Reading

Command = TypeVar("Command", bound=Callable[..., Any])

_DIGITS = 9  # of a column's number at most; Python makes no number of thousands

_OPTIONS = (
    click.option(
        "--input-format",
        metavar="NAME",
        help="What the file is, where the guess is wrong: see `linkprior formats`.",
    ),
    click.option(
        "--header/--no-header",
        default=None,
        help="Whether the first row of an edge list names its columns. [default: told by the rows]",
    ),
    click.option(
        "--columns", metavar="A,B", help="The two columns of an edge list: names or numbers."
    ),
    click.option("--min-score", type=float, help="Keep edges with at least this score or weight."),
    click.option(
        "--weights",
        metavar="COLUMN",
        help="The column that tells how sure each edge is (a name or a number); edges with more "
        "count for more.",
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


def reading_options(command: Command) -> Command:
    """Add the options of reading to a subcommand."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


@dataclass(frozen=True)
class Input:
    """What a user said about the input."""

    edges: str
    input_format: str | None = None
    header: bool | None = None
    columns: str | None = None
    min_score: float | None = None
    organism: str | None = None
    systems: tuple[str, ...] = ()
    physical_only: bool = False
    identifier: str | None = None
    weights: str | None = None

    @classmethod
    def take(cls, given: dict[str, Any]) -> Input:
        """Take what concerns the input out of a subcommand's options."""
        return cls(**{name: given.pop(name) for name in cls.__dataclass_fields__})

    def read(self, edges: str | None = None) -> Reading:
        """Read it, or another file in the same way."""
        from linkprior.io.read import read

        options = replace(self.options(), weights=self.weights)
        return read(self.edges if edges is None else edges, self.input_format, options=options)

    def read_aloud(self, notify: Callable[[str], None], edges: str | None = None) -> Reading:
        """Read it, or another file in the same way, and say what was understood."""
        reading = self.read(edges)
        for line in reading.report.text():
            notify(line)
        return reading

    def options(self) -> ReadOptions:
        """Return what was asked of the reader, weights aside: lists of pairs need none."""
        from linkprior.io.formats import ReadOptions

        options: Any = {
            "header": self.header,
            "columns": _two_columns(self.columns),
            "min_score": self.min_score,
            "organism": self.organism,
            "systems": self.systems,
            "physical_only": self.physical_only,
            "id": self.identifier,
        }
        return ReadOptions(**options)

    def request(self) -> dict[str, Any]:
        """Return what changes the result, for a run's manifest; where the file lies does not."""
        chosen = {
            name: getattr(self, name) for name in self.__dataclass_fields__ if name != "edges"
        }
        unset = {name: field.default for name, field in self.__dataclass_fields__.items()}
        return {name: value for name, value in chosen.items() if value != unset[name]}


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


def _two_columns(text: str | None) -> tuple[str, str] | None:
    if text is None:
        return None
    from linkprior._validation import shown

    names = [name.strip() for name in text.split(",")]
    if len(names) != 2 or not all(names):
        raise ParameterError(f"--columns expects two columns as A,B, got {shown(text)}")
    for name in names:
        if name.isdecimal() and len(name) > _DIGITS:
            raise ParameterError(f"--columns: no file has a column number {shown(name)}")
    return names[0], names[1]
