"""What a user knows beside the edges: non-edges, releases, bare nodes, coverage, degrees."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeVar

import click

from linkprior.errors import InputError, LinkpriorError, ParameterError

if TYPE_CHECKING:
    from linkprior.cli.reading import Input
    from linkprior.io.read import Reading
    from linkprior.network import Network
    from linkprior.predictors.base import LinkPredictor

Command = TypeVar("Command", bound=Callable[..., Any])
Notify = Callable[[str], None]

_SHOWN = 5

_OPTIONS = (
    click.option(
        "--negatives",
        metavar="FILE",
        help="Pairs known to be no links: true zeros for the models, and never predicted.",
    ),
    click.option(
        "--history",
        nargs=2,
        metavar="OLDER NEWER",
        help="Two releases: auto learns what newly found links look like.",
    ),
)


def beside_options(command: Command) -> Command:
    """Add the options of what is known beside the edges to a subcommand."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


@dataclass
class SideInputs:
    """What was given beside the edges, and what became of it.

    `force` lets edges stand that `negatives` names; None where a command has no such option.
    """

    negatives: str | None = None
    history: tuple[str, str] | None = None
    add_nodes: str | None = None
    coverage: float | None = None
    degrees: str | None = None
    force: bool | None = None
    _sha256: dict[str, Any] = field(default_factory=dict)

    @property
    def files(self) -> list[str]:
        """The files that are read for it."""
        given = (self.negatives, *(self.history or ()), self.add_nodes, self.degrees)
        return [name for name in given if name is not None]

    def check(self, settings: tuple[str, ...] = ()) -> None:
        """Refuse what no network could make right."""
        if self.degrees is not None and any(one.startswith("degrees=") for one in settings):
            raise click.UsageError("give --degrees or --set degrees=…, not both")
        if self.coverage is None:
            return
        if self.coverage == 1.0:
            raise self._nothing_missing()
        if not 0.0 < self.coverage < 1.0:
            raise ParameterError(
                f"--coverage expects the share of all links that is observed, above 0 and below 1, "
                f"got {self.coverage:g}"
            )
        for name in ("missing", "n_edges"):
            if any(one.startswith(f"{name}=") for one in settings):
                raise click.UsageError(f"give --coverage or --set {name}=…, not both")

    def attach(self, reading: Reading, source: Input, notify: Notify) -> Reading:
        """Return the reading with a network that knows what was given."""
        network = reading.network
        if self.add_nodes is not None:
            network = self._with_nodes(reading, self.add_nodes, notify)
        if self.negatives is not None:
            network = self._with_negatives(replace(reading, network=network), source, notify)
        if self.history is not None:
            network = self._with_history(network, source, notify)
        return replace(reading, network=network)

    def request(self) -> dict[str, Any]:
        """Return what was asked, files by their SHA-256, for a run's manifest."""
        return {**self._sha256, "coverage": self.coverage}

    # ------------------------------------------------------------------ models

    def tell_models(
        self, models: dict[str, type[LinkPredictor]], network: Network, notify: Notify
    ) -> None:
        """Say which models take no notice of what was given."""
        given = {"weights": network.known.weights, "negatives": network.known.negatives}
        for what, value in given.items():
            deaf = [name for name, cls in models.items() if what not in cls.supported()]
            if value is not None and deaf:
                verb = "takes" if len(deaf) == 1 else "take"
                kept = " (they are not predicted)" if what == "negatives" else ""
                notify(f"Note: {', '.join(deaf)} {verb} no notice of {what}{kept}")
        others = [name for name in models if name != "auto"]
        if self.history is not None and others:
            verb = "takes" if len(others) == 1 else "take"
            notify(f"Note: {', '.join(others)} {verb} no notice of --history; auto does")

    def tell_changed(self, network: Network, notify: Notify) -> None:
        """Say that what was given does not hold for edges that noise or rewiring makes."""
        known = network.known
        given = {"weights": known.weights, "negatives": known.negatives, "history": known.history}
        lost = [what for what, value in given.items() if value is not None]
        if lost:
            notify(f"Note: --null and --noise make other edges, judged without {', '.join(lost)}")

    def refuse_isolated(self, model: type[LinkPredictor], network: Network) -> None:
        """Refuse nodes without an edge for a model that has nothing to say about them."""
        bare = [network.names[i] for i in (network.degrees == 0).nonzero()[0]]
        if self.add_nodes is None or not bare or "isolated" in model.supported():
            return
        raise LinkpriorError(
            f"{model.name} cannot score nodes without an edge: {_some(bare)}. Models with the "
            "degree prior over their scores can: degree:l3, tri-degree, nuclear-degree"
        )

    def refuse_degrees(self, model: type[LinkPredictor]) -> None:
        """Refuse --degrees for a model that aims at none, before anything is read."""
        if self.degrees is not None and "degrees" not in model.parameter_names():
            raise LinkpriorError(
                f"--degrees: {model.name} has no degree prior; take tri-degree, nuclear-degree, or "
                "degree:NAME for the prior over another model"
            )

    def apply_degrees(self, predictor: LinkPredictor, reading: Reading, notify: Notify) -> None:
        """Have a model aim at the degrees of a file, which must have one for every node."""
        if self.degrees is None:
            return
        from linkprior.cli.candidate_options import Names
        from linkprior.io.node_lists import read_degrees

        listed, names, network = read_degrees(self.degrees), Names(reading), reading.network
        self._sha256["degrees"] = listed.sha256
        given: dict[str, int] = {}
        strangers = []
        known = set(network.names)
        for name, degree in listed:
            nodes = [node for node in names.all(name) if node in known]
            given |= dict.fromkeys(nodes, degree)
            strangers += [] if nodes else [name]
        missing = [name for name in network.names if name not in given]
        if not given:
            raise InputError(
                f"--degrees {self.degrees}: none of its {_count(len(strangers), 'name')} is in the "
                f"network: {_some(strangers)}. Do both files name nodes alike?"
            )
        if missing:
            raise InputError(
                f"--degrees {self.degrees}: no degree for {len(missing):,} of "
                f"{_count(network.n_nodes, 'node')}: {_some(missing)}; give every node one (0 is "
                "taken as 1)"
            )
        predictor.set_params(degrees=[given[name] for name in network.names])
        notify(f"The degree prior aims at the degrees in {self.degrees}")
        if strangers:
            unknown = _count(len(strangers), "name")
            notify(f"Note: {unknown} in it not in the network: {_some(strangers)}")

    def apply_coverage(self, predictor: LinkPredictor, network: Network, notify: Notify) -> None:
        """Tell a model how many links there are, where it asks."""
        if self.coverage is None:
            return
        from linkprior.predictors.auto import holdout

        names, n, most = predictor.parameter_names(), network.n_edges, _most_links(network)
        share = max(self.coverage, n / max(1, most))
        total = min(round(n / share), most)
        if "missing" in names and holdout.enough_found(network.known.history):
            notify("Note: chances go by what --history shows was found, and not by --coverage")
            return
        if "missing" in names:
            predictor.set_params(missing=self._missing(share))
        elif self.degrees is not None or predictor.get_params().get("weights") == "learned":
            why = "--degrees says how many" if self.degrees else "learned weights do not ask"
            notify(f"Note: --coverage has no part here: {why} links there are")
            return
        elif "n_edges" in names:
            predictor.set_params(n_edges=total)
        else:
            notify(f"Note: {type(predictor).name} does not ask how many links are missing")
            return
        left, limit = total - n, ", all pairs there are" if share > self.coverage else ""
        notify(
            f"{_count(n, 'edge')} {_are(n)} {100 * self.coverage:.3g} % of all links: "
            f"{_count(left, 'link')} {_are(left)} taken to be missing{limit}"
        )

    def _missing(self, share: float) -> float:
        if share == 1.0:  # every pair that can be a link is one
            raise self._nothing_missing()
        return 1.0 - share

    def _nothing_missing(self) -> ParameterError:
        return ParameterError(
            f"--coverage {self.coverage:g}: no link is missing then, and there is nothing to "
            "predict; give a share below 1"
        )

    # ------------------------------------------------------------------ files

    def _with_nodes(self, reading: Reading, file: str, notify: Notify) -> Network:
        from linkprior.cli.candidate_options import Names
        from linkprior.io.node_lists import read_names
        from linkprior.network import Network

        listed, network = read_names(file), reading.network
        self._sha256["add_nodes"] = listed.sha256
        names, known = Names(reading), set(network.names)
        new = [name for name in listed if known.isdisjoint(names.all(name))]
        old = len(listed) - len(new)
        there = f"; {old:,} of its names {_are(old)} known" if old else ""
        notify(f"{_count(len(new), 'node')} without an edge added from {file}{there}")
        if not new:
            return network
        whole = Network.from_indices(network.edges, [*network.names, *new])
        return replace(whole, merged=network.merged, known=network.known)

    def _with_negatives(self, reading: Reading, source: Input, notify: Notify) -> Network:
        from linkprior.cli.candidate_options import Names
        from linkprior.io.node_lists import read_pairs
        from linkprior.network.node_lookup import pairs_in

        try:  # a pair that is no link has no score to be chosen by
            asked = replace(source.options(), min_score=None)
            listed = read_pairs(str(self.negatives), asked, non_edges=True)
        except ParameterError as problem:
            raise ParameterError(f"--negatives {self.negatives}: {problem}") from None
        self._sha256["negatives"] = listed.sha256
        names, network = Names(reading), reading.network
        if listed.left_out:
            verb = "is" if listed.left_out == 1 else "are"
            notify(
                f"Note: {self.negatives} tells links from non-edges; {listed.left_out:,} of its "
                f"{_count(listed.left_out + len(listed), 'pair')} {verb} no non-edge, and left out"
            )
        if all(a == b for a, b in listed):
            raise InputError(
                f"--negatives {self.negatives}: {_count(len(listed), 'pair')}, each of a node with "
                "itself; expected two nodes that are no link"
            )
        named = [(x, y) for a, b in listed for x in names.all(a) for y in names.all(b) if x != y]
        pairs, strangers = pairs_in(network, named)
        if not len(pairs):
            raise InputError(
                f"--negatives {self.negatives}: none of its {_count(len(listed), 'pair')} joins "
                f"two nodes of the network; the first is {' – '.join(listed[0])}. Do both files "
                "name nodes alike?"
            )
        try:
            known = network.with_negatives(pairs, bool(self.force))
        except InputError as problem:
            forced = "" if self.force is None else ", or let --force keep them as edges"
            raise InputError(
                f"--negatives {self.negatives}: {problem}. Take them out{forced}"
            ) from None
        kept = 0 if known.known.negatives is None else len(known.known.negatives)
        over = len(pairs) - kept
        stay = "stays an observed edge" if over == 1 else "stay observed edges"
        edges = f"; {over:,} named there {stay}" if over else ""
        notify(f"{_count(kept, 'known non-edge')} from {self.negatives}{edges}")
        if strangers:
            shown = [f"{a} – {b}" for a, b in strangers]
            verb = "names" if len(strangers) == 1 else "name"
            notify(
                f"Note: {len(strangers):,} of its pairs {verb} nodes not in the network: "
                f"{_some(shown)}"
            )
        return known

    def _with_history(self, network: Network, source: Input, notify: Notify) -> Network:
        files = self.history or ("", "")
        older, newer = (source.read(file) for file in files)
        self._sha256["history"] = [one.report.sha256 for one in (older, newer)]
        try:
            known = network.with_history(older.network, newer.network)
        except InputError as problem:
            raise InputError(f"--history {' '.join(files)}: {problem}") from None
        history = known.known.history
        if history is not None:
            gone = _lacking(newer.network, older.network)
            lost = f"; it lacks {_count(gone, 'edge')} of {files[0]}" if gone else ""
            notify(
                f"{files[1]} has {_count(len(history.found), 'new edge')} between nodes of "
                f"{files[0]}, and {history.elsewhere:,} with nodes that are new{lost}"
            )
            if set(network.names).isdisjoint(history.older.names):
                notify(f"Note: {files[0]} has no node of the network: what it teaches is of others")
            lacking = _lacking(network, newer.network)
            if lacking:
                notify(
                    f"Note: {files[1]} has {_count(lacking, 'edge')} between nodes of the network "
                    "that it lacks; they may be predicted. Is the network an older release?"
                )
        return known


def _lacking(network: Network, newer: Network) -> int:
    """Return how many edges of a release join two nodes of the network and are not in it."""
    from linkprior.network import History

    try:
        return len(History.between(network, newer).found)
    except InputError:  # none, or no node in common
        return 0


def _most_links(network: Network) -> int:
    """Return how many pairs can be links."""
    from linkprior.network.pairs import n_pairs

    negatives = network.known.negatives
    return n_pairs(network.n_nodes) - (0 if negatives is None else len(negatives))


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}{'s' * (number != 1)}"


def _are(number: int) -> str:
    return "is" if number == 1 else "are"


def _some(names: list[str]) -> str:
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return ", ".join(names[:_SHOWN]) + more
