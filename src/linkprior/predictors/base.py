"""LinkPredictor: what the user holds. Parameters in the constructor, learned state after `fit`."""

from __future__ import annotations

import dataclasses
import functools
import inspect
import re
import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from linkprior import _html as html
from linkprior import parallel
from linkprior._validation import choice, real_number, shown, whole_number
from linkprior.errors import (
    InputError,
    LinkpriorError,
    NotFittedError,
    ParameterError,
    refuse_unknown,
)
from linkprior.io.convert import as_network
from linkprior.kernels._engine import current_device
from linkprior.network import Network
from linkprior.network import pairs as pr
from linkprior.predictors import on_device, saving
from linkprior.predictors.cost import Cost, Growth, amount
from linkprior.predictors.on_device import Form
from linkprior.predictors.scores import Scores
from linkprior.predictors.spaces import Space
from linkprior.ranking.candidates import Candidates, NeighborCandidates
from linkprior.ranking.ranking import Ranking
from linkprior.ranking.retrieval import FactorPair, best_nearby
from linkprior.ranking.topk import best_pairs

if TYPE_CHECKING:
    import pandas as pd

Array = NDArray[Any]

WEIGHTS, NEGATIVES = frozenset({"weights"}), frozenset({"negatives"})
ISOLATED = frozenset({"isolated"})  # nodes without an edge

# What the attributes start with that a fit leaves behind.
_FITTED = ("network_", "learned_", "sorted_", "_cached_")

_EXAMPLE = """
Examples
--------
>>> import linkprior as lp
>>> network = lp.planted_network(40, seed=0)
>>> len(lp.make("{name}").fit(network).predict_edges(5))
5
"""


@dataclass(frozen=True)
class Learned:
    """What a fit leaves behind: arrays (saved as they are) and facts about the fit (JSON)."""

    arrays: Mapping[str, NDArray[Any]] = field(default_factory=dict)
    facts: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Explanation:
    """The scores of pairs explained: score = base + prior, and the rank for either node.

    `rank_for_source` is the rank of the target among all partners of the source (1 is the best),
    `rank_for_target` the other way round. `summary` is that of the model: how its fit ended, and
    what it learned.
    """

    pairs: pr.Ints
    names: list[tuple[str, str]]
    score: Array
    base: Array
    prior: Array
    rank_for_source: pr.Ints
    rank_for_target: pr.Ints
    summary: list[str] = field(default_factory=list)

    def to_frame(self) -> pd.DataFrame:
        """Return one row per pair."""
        import pandas as pd

        sources, targets = zip(*self.names, strict=True) if self.names else ((), ())
        columns = ["score", "base", "prior", "rank_for_source", "rank_for_target"]
        return pd.DataFrame(
            {"source": sources, "target": targets, **{c: getattr(self, c) for c in columns}}
        )

    def _repr_html_(self) -> str:
        frame = self.to_frame()
        rows = frame.head(html.SHOWN).itertuples(index=False)
        table = html.first_rows(list(frame.columns), rows, len(frame))
        return html.card("Explanation", *([" ".join(self.summary)] if self.summary else []), table)


P = TypeVar("P", bound="type[LinkPredictor]")
T = TypeVar("T")


def takes_presets(cls: P) -> P:
    """Let `preset=NAME` set those parameters of the preset that are not given."""
    plain = cls.__init__

    @functools.wraps(plain)
    def init(self: LinkPredictor, **given: Any) -> None:
        plain(self, **cls._with_preset(given))

    cls.__init__ = init  # type: ignore[method-assign, assignment]
    return cls


def _renamed(old: str, method: Callable[..., T]) -> Callable[..., T]:
    """Return a method under its former name, with a deprecation warning."""

    @functools.wraps(method)
    def renamed(self: Any, *args: Any) -> T:
        warnings.warn(f"{old}() is now {method.__name__}()", DeprecationWarning, stacklevel=2)
        result: T = getattr(self, method.__name__)(*args)
        return result

    return renamed


@contextmanager
def overflow_checked_later() -> Iterator[None]:
    """Let numbers overflow without a warning, as results are checked; others warn as ever."""
    overflowed = False

    def note(what: str, _: int) -> None:
        nonlocal overflowed
        if what == "overflow":
            overflowed = True
        elif not overflowed:
            warnings.warn(f"{what} encountered", RuntimeWarning, stacklevel=2)

    with np.errstate(over="call", invalid="call", call=note):
        yield


def sections(text: str | None) -> dict[str, str]:
    """Split a numpydoc docstring by its titles; what comes before the first has none."""
    parts = re.split(r"^(\w[\w ]*)\n-{3,}\n", inspect.cleandoc(text or ""), flags=re.MULTILINE)
    by_title = {"": parts[0].strip()}
    return by_title | {title: body.strip() for title, body in zip(parts[1::2], parts[2::2])}  # noqa: B905


def entries(parameters: str) -> dict[str, str]:
    """Split a section of parameters into its entries, by their headings."""
    parts = re.split(r"^(?=\S)", parameters, flags=re.MULTILINE)
    return {part.partition("\n")[0]: part.rstrip() for part in parts if part}


def complete(model: type, name: str) -> str:
    """Return the docstring of a class with the parameters of its bases, theirs first.

    An entry of its own replaces one of theirs with the same heading.
    """
    own_sections = sections(model.__dict__.get("__doc__"))
    inherited = sections(model.__mro__[1].__dict__.get("__doc__")).get("Parameters", "")
    own = entries(own_sections.get("Parameters", ""))
    parameters = "\n".join((entries(inherited) | own).values())
    text = own_sections[""]
    if parameters:
        text += f"\n\nParameters\n----------\n{parameters}"
    if "Examples" in own_sections:
        text += f"\n\nExamples\n--------\n{own_sections['Examples']}"
    elif name and model.__module__.startswith("linkprior."):
        text += "\n" + _EXAMPLE.format(name=name)
    return text


@dataclass(eq=False, kw_only=True)
class LinkPredictor(ABC):
    """Base of all predictors.

    A subclass is a dataclass whose fields are its parameters, stored verbatim; it says how to
    learn (`_fit`) and how to score rows and pairs from what was learned.

    What depends on the order of nodes, such as ties and random starts, must follow from the network
    and not from its file. So a subclass only ever sees networks whose nodes are sorted by name: its
    `_fit`, `_remember`, `_rows`, `_pairs`, … are asked in positions of that network, which is its
    `self.network_` there. Where the network given has another order, they are methods of a second
    object of the class, `sorted_`, and the public methods translate: to the user all positions,
    and `network_`, are those of the network given.

    Examples
    --------
    >>> import linkprior as lp
    >>> model = lp.make("l3").fit(lp.planted_network(30, seed=0))
    >>> isinstance(model, lp.LinkPredictor), len(model.predict_edges(5))
    (True, 5)
    """

    name: ClassVar[str] = ""
    # Which side information of a network it supports, besides candidates.
    supports: ClassVar[frozenset[str]] = frozenset()
    # Parameters that belong together, by the name of the set (`takes_presets`).
    presets: ClassVar[Mapping[str, Mapping[str, Any]]] = {}
    # Former names of parameters, each with the one it has now: accepted with a warning.
    renamed_parameters: ClassVar[Mapping[str, str]] = {}
    # One line for lists of models; without it, the first line of the documentation.
    summary_line: ClassVar[str] = ""
    # Where `tune` looks for better parameters: {} where there is nothing to tune.
    search_space: ClassVar[Space | None] = None
    # Whether a pair costs the same asked for alone as in a row (`ranking.retrieval`).
    scores_pairs_alone: ClassVar[bool] = False
    # Whether scores come from factors, so that `_factor_pair` gives each node's vectors.
    has_factors: ClassVar[bool] = False
    # Parameters that may hold a value for each node, in the order of the network given.
    per_node: ClassVar[frozenset[str]] = frozenset({"degrees"})
    # What a fit and a pass over all scores take, in nanoseconds on one core, and what a fit holds,
    # in bytes, for each unit of a network (`cost.UNITS`). By default as fast as degrees alone.
    fit_time: ClassVar[Growth] = {"entries": 0.2}
    score_time: ClassVar[Growth] = {"entries": 0.2}
    fit_bytes: ClassVar[Growth] = {}
    # Nodes up to which all scores are made at once and held: rows are then not worth sending for.
    _held_up_to: ClassVar[int] = 0
    # The model to suggest where this one takes too much memory; none where there is no lighter one.
    lighter: ClassVar[str] = "tri"

    def __init_subclass__(cls, **kwargs: Any) -> None:
        """Complete the docstring, and keep dataclasses from replacing `__repr__`."""
        super().__init_subclass__(**kwargs)
        cls.__doc__ = complete(cls, vars(cls).get("name", ""))
        if "__repr__" not in vars(cls):
            cls.__repr__ = cls.__repr__  # type: ignore[method-assign]

    def __repr__(self) -> str:
        """Show the parameters that differ from their defaults, as scikit-learn does."""
        plain = {f.name: repr(f.default) for f in dataclasses.fields(self)}
        given = {name: repr(value) for name, value in self.get_params(deep=False).items()}
        changed = [f"{name}={text}" for name, text in given.items() if text != plain[name]]
        return f"{type(self).__name__}({', '.join(changed)})"

    # ------------------------------------------------------------------ parameters

    @classmethod
    def parameter_names(cls) -> list[str]:
        """Return the names of all parameters.

        Returns
        -------
        list of str
            In the order of the constructor.

        Examples
        --------
        >>> import linkprior as lp
        >>> lp.make("rnm").parameter_names()
        ['noise', 'threshold']
        """
        return [f.name for f in dataclasses.fields(cls)]

    @classmethod
    def supported(cls) -> frozenset[str]:
        """Return the side information that the model supports.

        Returns
        -------
        frozenset of str
            Some of "weights", "negatives" (known non-edges) and "isolated" (nodes without an edge).

        Examples
        --------
        >>> import linkprior as lp
        >>> sorted(lp.make("pu").supported())
        ['negatives', 'weights']
        """
        return cls.supports

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters as they were given (scikit-learn's convention).

        Parameters
        ----------
        deep
            Ignored: no parameter is a model.

        Returns
        -------
        dict
            By name, in the order of the constructor.

        Examples
        --------
        >>> import linkprior as lp
        >>> lp.make("katz").get_params()
        {'beta': 0.5, 'terms': None}
        """
        return {name: getattr(self, name) for name in self.parameter_names()}

    def set_params(self, **params: Any) -> Self:
        """Change parameters. What was learned with the old ones is dropped: fit again.

        Parameters
        ----------
        **params
            Those to change.

        Returns
        -------
        LinkPredictor
            The model itself.

        Examples
        --------
        >>> import linkprior as lp
        >>> lp.make("katz").set_params(beta=0.1)
        Katz(beta=0.1)
        """
        for old in self.renamed_parameters.keys() & params.keys():
            now = self.renamed_parameters[old]
            warnings.warn(f"{self.name}: {old} is now {now}", DeprecationWarning, stacklevel=2)
            params[now] = params.pop(old)
        refuse_unknown(type(self).name, params, self.parameter_names())
        self._forget()
        for name, value in self._with_preset(params).items():
            setattr(self, name, value)
        return self

    @classmethod
    def _with_preset(cls, given: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return parameters with those of their preset; what is given itself comes first."""
        name = given.get("preset")
        if name is None:
            return given
        return {**cls.presets[choice("preset", name, cls.presets)], **given}

    def _axes(self) -> Space:
        """Return what `tune` searches, with the parameters as they are."""
        return self.search_space or {}

    # ------------------------------------------------------------------ learning

    def fit(self, network: Any) -> Self:
        """Learn from the observed edges. Nothing half-fitted is left behind by an error.

        Parameters
        ----------
        network
            A `Network`, a graph of networkx or igraph, a matrix, a data frame, pairs, or the path
            of a file.

        Returns
        -------
        LinkPredictor
            The model itself; `network_` is the network as it was understood. What was learned, in
            `learned_`, has the nodes sorted by name (``network_.sorted()``).

        Examples
        --------
        >>> import linkprior as lp
        >>> model = lp.make("cn").fit([("a", "b"), ("b", "c"), ("c", "d")])
        >>> model.predict_edges(1).names
        [('a', 'c')]
        """
        self._forget()
        network = as_network(network)
        if network.n_nodes < 2:
            raise InputError(f"a network of {network.n_nodes} node(s) has no pair to predict")
        if network.n_edges == 0:
            raise InputError(
                f"the network has {network.n_nodes} nodes but no edge: there is nothing to learn "
                "from"
            )
        model = self if network.sorted() is network else self._over_sorted(network)
        with parallel.one_blas_thread(), overflow_checked_later():
            learned = model._fit(network.sorted())
        self._refuse_not_finite(*learned.arrays.values())
        model._remember(network.sorted(), learned)
        if model is not self:
            self._stand_for(model, network)
        return self

    def _forget(self) -> None:
        for name in [name for name in self.__dict__ if name.startswith(_FITTED)]:
            del self.__dict__[name]

    def _remember(self, network: Network, learned: Learned) -> None:
        self.network_, self.learned_ = network, learned

    # ------------------------------------------------------------------ the order of the nodes

    def _over_sorted(self, network: Network) -> Self:
        """Return the model, not fitted, for a network with its nodes sorted by name."""
        return self._arranged(network.order)

    def _arranged(self, order: pr.Ints) -> Self:
        """Return the model, not fitted, with parameters that hold a value per node in an order."""
        model = object.__new__(type(self))
        model.__dict__ |= {k: v for k, v in self.__dict__.items() if not k.startswith(_FITTED)}
        for name in self.per_node & model.__dict__.keys():
            value = model.__dict__[name]
            if isinstance(value, list | tuple) and len(value) == len(order):
                model.__dict__[name] = [value[node] for node in order.tolist()]
            elif hasattr(value, "__array__") and np.shape(value) == order.shape:
                model.__dict__[name] = np.asarray(value)[order]
        return model

    def _stand_for(self, model: Self, network: Network) -> None:
        """Let a fitted model answer for this one, in positions of a network in another order."""
        learned = {k: v for k, v in model.__dict__.items() if k.startswith(_FITTED)}
        self.__dict__ |= {**learned, "network_": network, "sorted_": model}

    def _revive(self) -> None:
        """Make again what a pickled model leaves out: what is `_cached_`."""
        if "sorted_" in self.__dict__:
            self._stand_for(self._in_order(), self.network_)
        elif self.fitted:
            self._remember(self.network_, self.learned_)

    def _in_order(self) -> Self:
        """Return the fitted model that knows its nodes in the order it was fitted in."""
        self._state()
        model: Self = self.__dict__.get("sorted_", self)
        return model

    def _inward(self, pairs: pr.Ints) -> pr.Ints:
        """Return pairs of the network given as pairs of `_in_order`, the same end first."""
        return self.network_.places[pairs] if "sorted_" in self.__dict__ else pairs

    def _outward(self, pairs: pr.Ints) -> pr.Ints:
        """Return pairs of `_in_order` as pairs of the network given, the same end first."""
        return self.network_.order[pairs] if "sorted_" in self.__dict__ else pairs

    @property
    def fitted(self) -> bool:
        """Whether `fit` has succeeded."""
        return "learned_" in self.__dict__

    def _state(self) -> tuple[Network, Learned]:
        if "learned_" not in self.__dict__:
            raise NotFittedError(f"{type(self).name}: call fit(network) before asking for scores")
        return self.network_, self.learned_

    @abstractmethod
    def _fit(self, network: Network) -> Learned:
        """Check the parameters against the network, learn, and return the result."""

    def _cost(self, network: Network) -> Cost:
        """Return the work of a fit and what it holds; refuse parameters that do not suit."""
        growths = self.fit_time, self.score_time, self.fit_bytes
        return Cost(*(amount(growth, network) for growth in growths))

    # ------------------------------------------------------------------ scoring

    @abstractmethod
    def _rows(self, start: int, stop: int) -> NDArray[Any]:
        """Return a fresh block of scores (stop − start, p); the diagonal is ignored."""

    def _rows_above(self, start: int, stop: int, floor: float) -> NDArray[Any]:
        """Return a block as `_rows` does; scores not above `floor` may be lower than they are.

        Only pairs of a row with a later column are asked for.
        """
        return self._rows(start, stop)

    @abstractmethod
    def _pairs(self, pairs: pr.Ints) -> Array:
        """Return the scores of pairs i < j."""

    def _factor_pair(self) -> FactorPair:
        """Return the factors of a fitted model, where `has_factors` says that there are some."""
        raise NotImplementedError

    def _factor_form(self) -> Form | None:
        """Return how a device may score pairs; None where scores are no products of factors."""
        return None

    def _best_on_device(
        self, candidates: Candidates | None, k: int | None, threshold: float
    ) -> tuple[pr.Ints, Array] | None:
        """Return the best pairs by the device in use; None where the CPU has to find them."""
        form = self._factor_form() if current_device() != "cpu" else None
        if form is None:
            return None
        asked = Candidates.of(self.network_) if candidates is None else candidates
        on_gpu = on_device.best_on_device(form, asked, k, threshold)
        if on_gpu is None:
            return None
        best = on_gpu[0]  # with the model's own scores, so that they are those of the CPU
        best, scores = on_device.in_order(best, self._pairs(best), len(best))
        return best[scores >= threshold], scores[scores >= threshold]

    def _base(self, pairs: pr.Ints) -> Array:
        """Return the scores before the prior; the same as the scores where there is none."""
        return self._pairs(pairs)

    def score_rows(self, start: int, stop: int) -> NDArray[Any]:
        """Return the scores of some nodes with all nodes.

        Parameters
        ----------
        start, stop
            Positions of the first node, and of the one after the last.

        Returns
        -------
        ndarray
            (stop − start, n_nodes) of the scores that `score_pairs` gives; the diagonal is zero.

        Examples
        --------
        >>> import linkprior as lp
        >>> model = lp.make("pa").fit(lp.planted_network(30, seed=0))
        >>> model.score_rows(0, 4).shape
        (4, 30)
        """
        net, _ = self._state()
        start = whole_number("start", start, 0, net.n_nodes)
        stop = whole_number("stop", stop, start, net.n_nodes)
        if self._in_order() is not self:
            return self._scattered_rows(net.places[start:stop])[:, net.places]
        with parallel.one_blas_thread(), overflow_checked_later():
            block = self._rows(start, stop)
        block[np.arange(stop - start), np.arange(start, stop)] = 0.0
        self._refuse_not_finite(block)
        return block

    def _scattered_rows(self, nodes: pr.Ints) -> NDArray[Any]:
        """Return the scores of nodes of `_in_order` anywhere, run by run of those side by side."""
        model, ascending = self._in_order(), np.sort(nodes)
        runs = np.split(ascending, np.flatnonzero(np.diff(ascending) > 1) + 1)
        blocks = [model.score_rows(int(run[0]), int(run[-1]) + 1) for run in runs if len(run)]
        if not blocks:
            return model.score_rows(0, 0)
        return np.concatenate(blocks)[np.searchsorted(ascending, nodes)]

    def score_pairs(self, pairs: ArrayLike, by: str | None = None) -> Array:
        """Return one score per pair of nodes; higher is likelier.

        Parameters
        ----------
        pairs
            Pairs of names (text) or of positions in the network's `names` (whole numbers).
        by
            "name" or "position": what numbers stand for. Needed only where nodes are named by
            numbers that are not their positions.

        Returns
        -------
        ndarray
            As many scores as pairs. They are symmetric: either node may come first.

        Examples
        --------
        >>> import linkprior as lp
        >>> model = lp.make("cn").fit([(7, 12), (12, 30), (30, 41)])
        >>> model.score_pairs([("7", "30")]), model.score_pairs([(7, 30)], by="name")
        (array([1.]), array([1.]))
        """
        proper = self._proper(pairs, by)
        with parallel.one_blas_thread(), overflow_checked_later():
            scores = self._in_order()._pairs(proper)
        self._refuse_not_finite(scores)
        return scores

    def predict_edges(
        self,
        k: int | None = 100,
        candidates: Candidates | NeighborCandidates | None = None,
        threshold: float | None = None,
    ) -> Ranking:
        """Return the best candidates, best first.

        Parameters
        ----------
        k
            How many at most; None: all.
        candidates
            Which pairs may be predicted: `Candidates.of(network, …)`, or in very large networks
            `nearby_pairs(network, …)`. Without it all pairs that are not observed edges.
        threshold
            The lowest score that counts.

        Returns
        -------
        Ranking
            Pairs, names and scores. The source of a pair is the end whose name comes first, and
            equal scores are in order of the two names.

        Examples
        --------
        >>> import linkprior as lp
        >>> model = lp.make("pa").fit(lp.planted_network(30, seed=0))
        >>> model.predict_edges(3)
        Ranking(3 pairs)
        """
        net, _ = self._state()
        k = None if k is None else whole_number("k", k, 0)
        lowest = -np.inf if threshold is None else real_number("threshold", threshold, -np.inf)
        if candidates is not None:
            if not isinstance(candidates, Candidates | NeighborCandidates):
                raise ParameterError(
                    "candidates must be made with Candidates.of(network, …) or "
                    f"nearby_pairs(network, …), got {shown(candidates)}"
                )
            candidates.refuse_other(net)
            candidates = candidates if self._in_order() is self else candidates.sorted()
        with parallel.one_blas_thread(), overflow_checked_later():
            best, scores = self._in_order()._best(k, candidates, lowest)
        # A score that is no number, or minus infinity, is in no list: a short list reveals it.
        short = candidates is None and threshold is None and k is not None and len(scores) < k
        short = short and len(scores) < Candidates.of(net).n_candidates
        self._refuse_not_finite(scores, short=short)
        return Ranking(self._outward(best), scores, net.names)

    def _best(
        self, k: int | None, candidates: Candidates | NeighborCandidates | None, threshold: float
    ) -> tuple[pr.Ints, Array]:
        """Return the best candidates and their scores, best first, ties by pair."""
        if isinstance(candidates, NeighborCandidates):
            return best_nearby(self, candidates, k, threshold)
        found = self._best_on_device(candidates, k, threshold)
        if found is not None:
            return found
        return best_pairs(
            self._rows,
            self.network_,
            k,
            candidates=candidates,
            threshold=threshold,
            remote=self.network_.n_nodes > self._held_up_to,
            rows_above=self._rows_above,
        )

    def _refuse_not_finite(self, *arrays: Array, short: bool = False) -> None:
        """Raise an error where a number is not finite, or where the caller missed some: `short`."""
        if not short and all(np.isfinite(array).all() for array in arrays):
            return
        params = self.get_params(deep=False)
        given = ", ".join(f"{name}={shown(value)}" for name, value in params.items())
        blame = f"; a parameter is far out of its useful range: {given}" if given else ""
        raise LinkpriorError(
            f"{type(self).name}: fit or scores gave numbers that are not finite{blame}"
        )

    def explain(self, pairs: ArrayLike, by: str | None = None) -> Explanation:
        """Split the score of each pair into base and prior, and rank it for both nodes.

        Parameters
        ----------
        pairs, by
            As in `score_pairs`.

        Returns
        -------
        Explanation
            Scores and their parts, ranks for either node, and the summary of the model.

        Examples
        --------
        >>> import linkprior as lp
        >>> model = lp.make("pa").fit(lp.planted_network(30, seed=0))
        >>> list(model.explain([(0, 5)]).to_frame())[2:5]
        ['score', 'base', 'prior']
        """
        proper, model = self._proper(pairs, by), self._in_order()
        with parallel.one_blas_thread(), overflow_checked_later():
            score, base = model._pairs(proper), model._base(proper)
        ranks = model._ranks(proper), model._ranks(proper[:, ::-1])
        given, names = self._outward(proper), self.network_.names
        called = [(names[i], names[j]) for i, j in given.tolist()]
        return Explanation(given, called, score, base, score - base, *ranks, self.summary())

    # ------------------------------------------------------------------ what to expect

    def probabilities(self, scores: Array) -> Array | None:
        """Return the probability that pairs with these scores are missing edges.

        Parameters
        ----------
        scores
            Scores of the model.

        Returns
        -------
        ndarray or None
            None for a model whose scores were never compared with hidden edges.

        Examples
        --------
        >>> import linkprior as lp
        >>> model = lp.make("pa").fit(lp.planted_network(30, seed=0))
        >>> model.probabilities(model.predict_edges(3).scores) is None
        True
        """
        return None

    def probability_bounds(self, pairs: pr.Ints, scores: Array) -> tuple[Array, Array] | None:
        """Return between which bounds the probabilities of some pairs lie, in 90 of 100 cases.

        Parameters
        ----------
        pairs
            Positions in the network's `names`.
        scores
            Their scores by the model.

        Returns
        -------
        tuple of ndarray, or None
            The lower and the upper ends; None as for `probabilities`.

        Examples
        --------
        >>> import linkprior as lp
        >>> model = lp.make("pa").fit(lp.planted_network(30, seed=0))
        >>> ranking = model.predict_edges(3)
        >>> model.probability_bounds(ranking.pairs, ranking.scores) is None
        True
        """
        return None

    def expected_hits(self, scores: Array) -> tuple[Array, Array, Array] | None:
        """Return how many of the first 1, 2, … ranked pairs to expect to be real.

        Parameters
        ----------
        scores
            Scores of the model, best first.

        Returns
        -------
        tuple of ndarray, or None
            The mean, and the ends of its 90 % interval; None as for `probabilities`.

        Examples
        --------
        >>> import linkprior as lp
        >>> model = lp.make("pa").fit(lp.planted_network(30, seed=0))
        >>> model.expected_hits(model.predict_edges(3).scores) is None
        True
        """
        return None

    def assumption(self) -> str:
        """Return what the probabilities rest on, as half a sentence.

        Returns
        -------
        str
            Empty where there are no probabilities.

        Examples
        --------
        >>> import linkprior as lp
        >>> model = lp.make("pa").fit(lp.planted_network(30, seed=0))
        >>> model.assumption()
        ''
        """
        return ""

    def score_threshold(self, probability: float) -> float:
        """Return the score from which on pairs have at least this probability.

        Parameters
        ----------
        probability
            Between 0 and 1; for a model without probabilities, a score.

        Returns
        -------
        float
            The score; what was given for a model without probabilities.

        Examples
        --------
        >>> import linkprior as lp
        >>> model = lp.make("pa").fit(lp.planted_network(30, seed=0))
        >>> model.score_threshold(12.0)
        12.0
        """
        return probability

    def summary(self) -> list[str]:
        """Return what was learned and how the fit ended.

        Returns
        -------
        list of str
            Lines for people; none for a formula.

        Examples
        --------
        >>> import linkprior as lp
        >>> model = lp.make("pa").fit(lp.planted_network(30, seed=0))
        >>> model.summary()
        []
        """
        return []

    def without_prior(self) -> LinkPredictor:
        """Return the same model with its degree prior taken away, for comparison.

        Returns
        -------
        LinkPredictor
            Not fitted. A model that has no degree prior refuses.

        Examples
        --------
        >>> import linkprior as lp
        >>> lp.make("degree:l3").without_prior()
        L3()
        """
        raise ParameterError(f"{type(self).name} has no degree prior to remove")

    words = _renamed("words", summary)
    score_at = _renamed("score_at", score_threshold)
    heeded = classmethod(_renamed("heeded", supported.__func__))  # type: ignore[attr-defined]

    def _ranks(self, pairs: pr.Ints) -> pr.Ints:
        """Return the rank of the second node among the first one's partners, 1 the best."""
        ranks = np.empty(len(pairs), dtype=np.int64)
        for node in np.unique(pairs[:, 0]).tolist():
            at = np.flatnonzero(pairs[:, 0] == node)
            row = self.score_rows(node, node + 1)[0]
            others = pairs[at, 1]
            better = row[None, :] > row[others][:, None]
            better[:, node] = False
            ranks[at] = 1 + better.sum(axis=1)
        return ranks

    def _proper(self, pairs: ArrayLike, by: str | None = None) -> pr.Ints:
        """Return pairs of node positions or names as pairs i < j of `_in_order`."""
        net, _ = self._state()
        if by is not None:
            choice("by", by, ["name", "position"])
        try:
            given: NDArray[Any] = np.asarray(pairs)
        except ValueError:
            raise InputError("pairs must all have two ends") from None
        if by is None and given.size and given.dtype.kind in "iu":
            numbers = all(name.removeprefix("-").isdecimal() for name in net.names)
            if numbers and any(name != str(at) for at, name in enumerate(net.names)):
                raise ParameterError(
                    "the nodes of this network are named by numbers, so (3, 7) may mean names or "
                    "positions: use by='name' or by='position', or write names as text"
                )
        if given.ndim == 2 and by != "position" and (by == "name" or given.dtype.kind in "UO"):
            if given.dtype.kind in "iu":
                given = given.astype(str)
            given = np.array([[net.index_of(end) for end in pair] for pair in given.tolist()])
        positions = pr.as_pairs(given, net.n_nodes)
        loops = positions[:, 0] == positions[:, 1]
        if loops.any():
            node = int(positions[loops][0, 0])
            raise InputError(f"pairs must join two different nodes, got ({node}, {node})")
        return pr.ordered(self._inward(positions))

    # ------------------------------------------------------------------ saving

    def save(self, folder: str | Path) -> None:
        """Write the fitted model to a folder; `linkprior.load` reads it back.

        Parameters
        ----------
        folder
            Made where it is not there; a model in it is written over.

        Examples
        --------
        >>> import tempfile
        >>> import linkprior as lp
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     lp.make("pa").fit(lp.planted_network(30, seed=0)).save(folder)
        """
        saving.save(self, folder)

    def _repr_html_(self) -> str:
        status = f"fitted on {self.network_!r}" if self.fitted else "not fitted"
        defaults = {f.name: f.default for f in dataclasses.fields(self)}
        shown = html.parameters(self.get_params(deep=False), defaults)
        return html.card(type(self).name or type(self).__name__, status, shown)


@dataclass(eq=False, kw_only=True)
class ScoredPredictor(LinkPredictor):
    """Base of predictors whose rows and pairs come from one source of scores."""

    @abstractmethod
    def _scores(self) -> Scores:
        """Return what the scores of a fitted model are read from."""

    def _rows(self, start: int, stop: int) -> Array:
        return self._scores().rows(start, stop)

    def _pairs(self, pairs: pr.Ints) -> Array:
        return self._scores().at(pairs)
