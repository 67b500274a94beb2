"""What a user gives besides the edges, as files or Python objects: nodes, pairs, releases, degrees.

Non-edges, earlier releases, bare nodes, coverage and degrees change the network or the model;
lists of nodes and pairs choose the candidates.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from typing import Any

from linkprior.errors import InputError, LinkpriorError, ParameterError
from linkprior.io.convert import labelled
from linkprior.io.formats import ReadOptions
from linkprior.io.node_lists import Listed, read_degrees, read_names, read_pairs
from linkprior.io.read import InputReport, read
from linkprior.io.readers.columns import pair_of_columns
from linkprior.network import History, Network, node_name
from linkprior.network.node_names import pairs_in, unknown_node
from linkprior.network.pairs import n_pairs
from linkprior.predictors.base import LinkPredictor
from linkprior.ranking.candidates import Candidates

Notify = Callable[[str], None]
_SHOWN = 5


def silent(text: str) -> None:
    """Report nothing."""


@dataclass(frozen=True)
class Loaded:
    """A network, what was read, and the other names of its nodes."""

    network: Network
    report: InputReport | None = None
    symbols: Mapping[str, str] = field(default_factory=dict)  # labels, which nodes may share
    objects: Mapping[str, Any] = field(default_factory=dict)  # the caller's, where not text


@dataclass(frozen=True)
class Input:
    """A network file or graph, and how it is read; other releases are read in the same way."""

    graph: Any
    format: str | None = None
    options: ReadOptions = field(default_factory=ReadOptions)
    ends: tuple[Any, Any] = (None, None)  # the columns of a table that name the nodes

    def read(self, graph: Any = None, keep_isolated: bool = False) -> Loaded:
        """Read it, or another file or graph in the same way."""
        graph = self.graph if graph is None else graph
        if is_path(graph):
            reading = read(os.fspath(graph), self.format, keep_isolated, self.options)
            return Loaded(reading.network, reading.report, reading.labels)
        given, weights = labelled(graph, *self.ends), self.options.weights
        network = given.network if weights is None else _weighted(graph, weights, self.ends)
        network = network if keep_isolated else network.drop_isolated()
        objects = dict(zip(given.network.names, given.labels, strict=True))
        return Loaded(network, None, {}, {name: objects[name] for name in network.names})

    @property
    def list_options(self) -> ReadOptions:
        """How lists of pairs are read: as the network, but they need no weights."""
        return replace(self.options, weights=None)

    def request(self) -> dict[str, Any]:
        """Return what changes the result, for a run's manifest; where the file lies does not."""
        names = ("header", "columns", "min_score", "organism", "systems", "physical_only")
        asked, unset = vars(self.options), vars(ReadOptions())
        chosen = {"input_format": self.format} if self.format is not None else {}
        for name in (*names, "id", "weights"):
            if asked[name] != unset[name]:
                chosen["identifier" if name == "id" else name] = asked[name]
        if "columns" in chosen:
            chosen["columns"] = ",".join(chosen["columns"])
        return chosen


def is_path(given: Any) -> bool:
    """Return whether it is a file, not Python objects."""
    return isinstance(given, str | os.PathLike)


class NodeNames:
    """Nodes by what a user calls them: an object, a name, or a label, which several may share."""

    def __init__(self, given: Loaded) -> None:
        self._names = dict.fromkeys(given.network.names)
        self._of_object: dict[Any, str] = {}
        for name, node in given.objects.items():
            if not isinstance(node, str) and getattr(type(node), "__hash__", None) is not None:
                self._of_object.setdefault((type(node), node), name)
        self._labelled: dict[str, list[str]] = {}
        for name, label in given.symbols.items():
            if name in self._names:
                self._labelled.setdefault(label, []).append(name)

    def all(self, called: Any) -> list[str]:
        """Return every node that is called so; a name comes before labels."""
        if not isinstance(called, str):
            called = self._of_object.get((type(called), called)) or node_name(called)
        return [called] if called in self._names else self._labelled.get(called, [called])

    def some(self, called: Any) -> list[str]:
        """Return every node that is called so, or refuse with the names and labels it is like."""
        nodes = self.all(called)
        if nodes[0] not in self._names:
            similar = [*self._names, *filter(str.isprintable, self._labelled)]
            raise unknown_node(node_name(called), similar)
        return nodes

    def one(self, called: Any) -> str:
        """Return the one node that is called so, or refuse to choose."""
        nodes = self.some(called)
        if len(nodes) > 1:
            raise LinkpriorError(
                f"{called!r} is the label of {len(nodes)} nodes: {', '.join(nodes[:5])}; give one "
                "of these"
            )
        return nodes[0]


@dataclass
class SideInputs:
    """What was given besides the edges; its options are spelled with `flag` in messages."""

    source: Input
    notify: Notify = silent
    flag: str = ""
    node: Sequence[Any] = ()
    nodes: Any = None
    between: Any = None
    exclude: Any = None
    negatives: Any = None
    history: Any = None
    add_nodes: Any = None
    coverage: float | None = None
    degrees: Any = None
    force: bool | None = None  # keeps edges that `negatives` names; None: no such option
    sha256: dict[str, Any] = field(default_factory=dict)  # of the files, for a run's manifest

    @property
    def files(self) -> list[str]:
        single = (self.nodes, self.exclude, self.negatives, self.add_nodes, self.degrees)
        given = (*single, *(self.between or ()), *(self.history or ()))
        return [os.fspath(one) for one in given if is_path(one)]

    def check(self, model: type[LinkPredictor] | None = None) -> None:
        """Refuse what no network could make right, before anything is read."""
        if self.coverage is not None and not 0.0 < self.coverage < 1.0:
            raise ParameterError(
                f"{self.flag}coverage expects the share of all links that is observed, above 0 and "
                f"below 1, got {self.coverage:g}"
            )
        if self.degrees is not None and model and "degrees" not in model.parameter_names():
            raise LinkpriorError(
                f"{self.flag}degrees: {model.name} has no degree prior; take tri-degree, "
                "nuclear-degree, or degree:NAME for the prior over another model"
            )

    def request(self) -> dict[str, Any]:
        """Return what was asked, files by their SHA-256, for a run's manifest."""
        names = ("nodes", "exclude", "between", "add_nodes", "negatives", "history", "degrees")
        digests = {name: self.sha256.get(name) for name in names}
        node = list(map(str, self.node)) or None
        return {"node": node, **digests, "coverage": self.coverage}

    def _spelled(self, name: str) -> str:
        """Return an option as it was given: `--negatives FILE`."""
        given = getattr(self, name)
        several = given if isinstance(given, tuple | list) else [given]
        files = [one for one in several if is_path(one)]
        return " ".join([f"{self.flag}{name.replace('_', '-')}", *map(str, files)])

    # ------------------------------------------------------------------ the network

    def attach(self, given: Loaded) -> Loaded:
        """Return the network with what was given besides its edges."""
        if self.add_nodes is not None:
            given = self._with_nodes(given)
        if self.negatives is not None:
            given = replace(given, network=self._with_negatives(given))
        if self.history is not None:
            given = replace(given, network=self._with_history(given.network))
        return given

    def _with_nodes(self, given: Loaded) -> Loaded:
        listed, network = self._names("add_nodes", self.add_nodes), given.network
        names, present = NodeNames(given), set(network.names)
        new = [name for name in listed if present.isdisjoint(names.all(name))]
        old = len(listed) - len(new)
        there = f"; {old:,} of its names already in the network" if old else ""
        origin = _origin(self.add_nodes)
        self.notify(f"{_count(len(new), 'node')} without an edge added from {origin}{there}")
        if not new:
            return given
        added = {node_name(node): node for node in new}
        whole = Network.from_indices(network.edges, [*network.names, *added])
        whole = replace(whole, merged=network.merged, known=network.known)
        return replace(given, network=whole, objects={**given.objects, **added})

    def _with_negatives(self, given: Loaded) -> Network:
        spelled, origin = self._spelled("negatives"), _origin(self.negatives)
        try:  # a pair that is no link has no score to be chosen by
            options = replace(self.source.list_options, min_score=None)
            listed = self._pairs("negatives", options, non_edges=True)
        except ParameterError as problem:
            raise ParameterError(f"{spelled}: {problem}") from None
        if listed.left_out:
            pairs_there = _count(listed.left_out + len(listed), "pair")
            self.notify(
                f"Note: {origin} distinguishes links from non-edges; {listed.left_out:,} of its "
                f"{pairs_there} left out, as they are not labelled non-edges"
            )
        names, network = NodeNames(given), given.network
        named = [pair for a, b in listed for pair in product(names.all(a), names.all(b))]
        pairs, strangers = pairs_in(network, [(a, b) for a, b in named if a != b])
        if not len(pairs):
            raise InputError(_nothing_common(spelled, listed))
        try:
            informed = network.with_negatives(pairs, bool(self.force))
        except InputError as problem:
            forced = "" if self.force is None else f", or let {self.flag}force keep them as edges"
            raise InputError(f"{spelled}: {problem}. Take them out{forced}") from None
        n = 0 if informed.known.negatives is None else len(informed.known.negatives)
        over = len(pairs) - n
        edges = f"; {over:,} named there kept as edges" if over else ""
        self.notify(f"{_count(n, 'known non-edge')} from {origin}{edges}")
        if strangers:
            shown = _some([f"{a} – {b}" for a, b in strangers])
            count = _count(len(strangers), "pair")
            self.notify(f"Note: {count} of {origin} with nodes not in the network: {shown}")
        return informed

    def _with_history(self, network: Network) -> Network:
        if is_path(self.history) or len(self.history) != 2:
            raise ParameterError(f"{self.flag}history expects two releases, older and newer")
        first, second = map(_origin, self.history)
        releases = [self.source.read(release) for release in self.history]
        self.sha256["history"] = [one.report.sha256 if one.report else None for one in releases]
        older, newer = (release.network for release in releases)
        try:
            informed = network.with_history(older, newer)
        except InputError as problem:
            raise InputError(f"{self._spelled('history')}: {problem}") from None
        history = informed.known.history
        assert history is not None
        gone, lacking = _lacking(newer, older), _lacking(network, newer)
        lost = f"; {_count(gone, 'edge')} of {first} gone" if gone else ""
        self.notify(
            f"{second} has {_count(len(history.found), 'new edge')} between nodes of {first}, and "
            f"{history.elsewhere:,} with new nodes{lost}"
        )
        if set(network.names).isdisjoint(older.names):
            self.notify(f"Note: {first} and the network have no node in common")
        if lacking:
            self.notify(
                f"Note: {second} has {_count(lacking, 'edge')} between nodes of the network that "
                "the network lacks; they may be predicted. Is the network an older release?"
            )
        return informed

    # ------------------------------------------------------------------ models

    def report_ignored(self, models: Mapping[str, type[LinkPredictor]], network: Network) -> None:
        """Report which models ignore what was given."""
        history = f"{self.flag}history"
        ignoring = {
            what: [name for name, cls in models.items() if what not in cls.supported()]
            for what in ("weights", "negatives")
            if getattr(network.known, what) is not None
        }
        if self.history is not None:
            ignoring[history] = [name for name in models if name != "auto"]
        more = {"negatives": " (they are not predicted)", history: "; auto uses it"}
        for what, names in ignoring.items():
            if names:
                verb = "ignores" if len(names) == 1 else "ignore"
                self.notify(f"Note: {', '.join(names)} {verb} {what}{more.get(what, '')}")

    def apply(self, model: LinkPredictor, given: Loaded) -> None:
        """Set the parameters of a model that follow from coverage and degrees."""
        network = given.network
        bare = [network.names[i] for i in (network.degrees == 0).nonzero()[0]]
        if self.add_nodes is not None and bare and "isolated" not in model.supported():
            raise LinkpriorError(
                f"{model.name} cannot score nodes without an edge: {_some(bare)}. Models with the "
                "degree prior over their scores can: degree:l3, tri-degree, nuclear-degree"
            )
        if self.coverage is not None:
            self._apply_coverage(model, network, self.coverage)
        if self.degrees is not None:
            self._apply_degrees(model, given)
        degrees = model.get_params().get("degrees")
        if isinstance(degrees, Mapping):  # by the nodes of a graph, which may be any objects
            names = {node: name for name, node in given.objects.items()}
            named = {names.get(node, node): value for node, value in degrees.items()}
            model.set_params(degrees=named)

    def _apply_coverage(self, model: LinkPredictor, network: Network, coverage: float) -> None:
        """Set how many links there are, where a model has a parameter for it."""
        from linkprior.predictors.auto import holdout

        names, n, negatives = model.parameter_names(), network.n_edges, network.known.negatives
        most = n_pairs(network.n_nodes) - (0 if negatives is None else len(negatives))
        share = max(coverage, n / max(1, most))
        total = min(round(n / share), most)
        option = f"{self.flag}coverage"
        if "missing" in names and holdout.enough_found(network.known.history):
            self.notify(
                f"Note: {option} has no effect here: probabilities follow from the links that the "
                f"releases of {self.flag}history found"
            )
            return
        if "missing" in names:
            if share == 1.0:
                raise ParameterError(
                    f"{option} {coverage:g} makes every pair a link, which leaves none to rank; "
                    "give a larger share"
                )
            model.set_params(missing=1.0 - share)
        elif self.degrees is not None or model.get_params().get("weights") == "learned":
            given = self.degrees is not None
            why = f"{self.flag}degrees gives the" if given else "learned weights need no"
            self.notify(f"Note: {option} has no effect here: {why} number of links")
            return
        elif "n_edges" in names:
            model.set_params(n_edges=total)
        else:
            self.notify(
                f"Note: {type(model).name} ignores {option}: its scores do not depend on it"
            )
            return
        limit = ", which is all pairs" if share > coverage else ""
        self.notify(
            f"Coverage {100 * coverage:.3g} %: {_count(n, 'edge')} observed, "
            f"{_count(total - n, 'link')} missing{limit}"
        )

    def _apply_degrees(self, model: LinkPredictor, given: Loaded) -> None:
        """Have a model aim at the degrees of a file, which must have one for every node."""
        listed, names, network = read_degrees(self.degrees), NodeNames(given), given.network
        self.sha256["degrees"] = listed.sha256
        present, degrees, strangers = set(network.names), dict[str, int](), list[str]()
        for name, degree in listed:
            nodes = present.intersection(names.all(name))
            degrees |= dict.fromkeys(nodes, degree)
            strangers += [] if nodes else [name]
        missing = [name for name in network.names if name not in degrees]
        if not degrees:
            raise InputError(
                f"{self._spelled('degrees')}: none of its {_count(len(strangers), 'name')} is in "
                f"the network: {_some(strangers)}. Do both files use the same node names?"
            )
        if missing:
            raise InputError(
                f"{self._spelled('degrees')}: no degree for {len(missing):,} of "
                f"{_count(network.n_nodes, 'node')}: {_some(missing)}; give every node one (0 is "
                "taken as 1)"
            )
        model.set_params(degrees=[degrees[name] for name in network.names])
        self.notify(f"The degree prior aims at the degrees in {self.degrees}")
        if strangers:
            unknown = _count(len(strangers), "name")
            self.notify(f"Note: {unknown} in it not in the network: {_some(strangers)}")

    # ------------------------------------------------------------------ candidates

    def candidates(self, given: Loaded) -> Candidates | None:
        """Return the pairs asked about, None for all; report which names are unknown."""
        lists = (self.nodes, self.between, self.exclude)
        if not self.node and all(one is None for one in lists):
            return None
        names = NodeNames(given)
        tested = [] if self.exclude is None else self._pairs("exclude", self.source.list_options)
        between = None
        if self.between is not None:
            if is_path(self.between) or len(self.between) != 2:
                raise InputError(f"{self.flag}between expects two lists of names")
            one, other = (self._nodes_of("between", side, names) for side in self.between)
            between = one, other
        chosen = Candidates.of(
            given.network,
            around=[name for called in self.node for name in names.some(called)],
            within=None if self.nodes is None else self._nodes_of("nodes", self.nodes, names),
            between=between,
            exclude=[pair for a, b in tested for pair in product(names.all(a), names.all(b))],
        )
        if tested and not len(chosen.excluded):
            raise LinkpriorError(_nothing_common(self._spelled("exclude"), tested))
        if tested:
            left_out = _count(len(chosen.excluded), "pair")
            self.notify(f"{left_out} of {_origin(self.exclude)} left out of the list")
        for line in chosen.unknown.notes():
            self.notify(f"Note: {line}")
        self.notify(_count(chosen.n_candidates, "candidate pair"))
        return chosen

    # ------------------------------------------------------------------ lists

    def _nodes_of(self, option: str, given: Any, names: NodeNames) -> list[str]:
        return [name for called in self._names(option, given) for name in names.all(called)]

    def _names(self, option: str, given: Any) -> Listed[Any]:
        """Return a list of nodes, of a file or as given."""
        listed = read_names(given) if is_path(given) else _listed(given, option)
        if option == "between":
            self.sha256.setdefault(option, []).append(listed.sha256)
        else:
            self.sha256[option] = listed.sha256
        return listed

    def _pairs(self, option: str, options: ReadOptions, non_edges: bool = False) -> Listed[Any]:
        """Return a list of pairs, of a file or of whatever holds a graph."""
        given = getattr(self, option)
        if is_path(given):
            listed = read_pairs(given, options, non_edges=non_edges)
        else:
            graph = labelled(given)
            pairs = graph.network.edges.tolist()
            listed = _listed([(graph.labels[i], graph.labels[j]) for i, j in pairs], option)
        self.sha256[option] = listed.sha256
        return listed


def _listed(given: Iterable[Any], option: str) -> Listed[Any]:
    """Return Python objects as a list that was read."""
    try:
        listed = Listed(given)
    except TypeError:
        raise InputError(f"{option} expects a list or a file, got {type(given).__name__}") from None
    if not listed:
        raise InputError(f"{option}: the list is empty")
    listed.sha256 = hashlib.sha256(repr(list(listed)).encode()).hexdigest()
    return listed


def _weighted(graph: Any, weights: str, ends: tuple[Any, Any]) -> Network:
    """Return the network of a graph or table with the confidence of its edges."""
    libraries = {kind.__module__.partition(".")[0] for kind in type(graph).__mro__}
    if "networkx" in libraries:
        return Network.from_networkx(graph, weights=weights)
    if "pandas" in libraries:
        names = [name for name in graph.columns if name != weights]
        at = pair_of_columns([str(name) for name in names]) or (0, 1)
        source, target = ends if ends[0] is not None else (names[i] for i in at)
        return Network.from_frame(graph, source, target, weights)
    raise ParameterError(
        f"weights names a column of a file or pandas data frame, or an edge attribute of networkx; "
        f"for {type(graph).__name__} use Network.with_weights"
    )


def _lacking(network: Network, newer: Network) -> int:
    """Return how many edges of a release join two nodes of the network and are not in it."""
    try:
        return len(History.between(network, newer).found)
    except InputError:  # none, or no node in common
        return 0


def _nothing_common(spelled: str, listed: Sequence[tuple[Any, Any]]) -> str:
    first = " – ".join(map(str, listed[0]))
    return (
        f"{spelled}: none of its {_count(len(listed), 'pair')} joins two different nodes of the "
        f"network; the first is {first}. Do both files use the same node names?"
    )


def _origin(given: Any) -> str:
    return os.fspath(given) if is_path(given) else "the list given"


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}{'s' * (number != 1)}"


def _some(names: Sequence[Any]) -> str:
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return ", ".join(map(str, names[:_SHOWN])) + more
