"""The models of the benchmark: the whole registry, some over others, and other libraries' models.

lp.evaluate([make_peer("sklearn-nmf"), "pa"], net, "kfold:10", rule="all-nodes")
"""

from __future__ import annotations

import logging
from abc import abstractmethod
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from linkprior import machine, parallel
from linkprior.errors import LinkpriorError, ParameterError, nearest
from linkprior.network import Network
from linkprior.network.pairs import Ints
from linkprior.predictors.auto.auto import Auto
from linkprior.predictors.base import Learned, LinkPredictor, ScoredPredictor
from linkprior.predictors.cost import Cost, cost_of, factor_scores
from linkprior.predictors.estimate import expected_bytes, spell
from linkprior.predictors.registry import MODELS, find, make
from linkprior.predictors.scores import BilinearScores
from linkprior.predictors.spaces import Space

Array = NDArray[Any]

# Nominal nanoseconds, as in `predictors.cost`: per edge entry (or word of a walk) and column.
BPR_ROUND, WORD = 4.0, 40.0
AUTO, AUTO_FAST = "auto", "auto fast"
OVER = ("degree:l3", "degree:pu")
MOST_SECONDS = 20 * 60.0  # a fit that would take longer is left out
# Models of the quick suite: a second or less on its networks, and one or two of every family.
FAST = (
    *("pu", "pa", "cn", "aa", "ra", "jaccard", "katz", "lrw", "l3", "l3n", "ch2-l3", "mps"),
    *("dcsbm", "random", "degree:l3", "implicit-als"),
)


@dataclass(frozen=True)
class BenchmarkModel:
    """A model under its label."""

    label: str
    make: Callable[[], LinkPredictor]

    @property
    def file(self) -> str:
        """The label as part of a file name."""
        return self.label.replace(" ", "_").replace(":", "-")


def _ours(name: str) -> BenchmarkModel:
    return BenchmarkModel(name, partial(make, name))


def all_models() -> list[BenchmarkModel]:
    """Return the models of the full suite, those of other libraries last."""
    ours = [_ours(name) for name in (*MODELS, *OVER)]
    return [*ours, *(BenchmarkModel(name, PEERS[name]) for name in PEERS)]


def quick_models() -> list[BenchmarkModel]:
    """Return the models of the quick suite."""
    fast = BenchmarkModel(AUTO_FAST, lambda: Auto(effort="fast"))
    return [fast, *(one for one in all_models() if one.label in FAST)]


def chosen_models(names: Iterable[str] | None, quick: bool = False) -> list[BenchmarkModel]:
    """Return the models of these names, also such as degree:ra; without any, those of the suite."""
    usual = quick_models() if quick else all_models()
    if names is None:
        return usual
    by_key = {_key(one.label): one for one in (*all_models(), *quick_models())}
    chosen: dict[str, BenchmarkModel] = {}
    for name in names:
        one = by_key.get(_key(name))
        if one is None and ":" in name:
            one = _ours(find(name.strip()).name)  # refuses what is no model, with the nearest names
        if one is None:
            labels = [one.label for one in by_key.values()]
            raise ParameterError(
                f"the benchmark has no model called {name!r}.{nearest(name, labels)} There are: "
                f"{', '.join(labels)}"
            )
        chosen[one.label] = one
    if not chosen:
        raise ParameterError("--models names no model: expected names with commas between them")
    return list(chosen.values())


def _key(name: str) -> str:
    return name.strip().casefold().replace("_", " ")


def without_library(entries: Iterable[BenchmarkModel]) -> list[BenchmarkModel]:
    """Return those whose library is not installed."""
    return [one for one in entries if one.label in PEERS and not installed(one.label)]


def too_much(model: LinkPredictor, network: Network, slowness: float) -> str | None:
    """Return why a model is not fitted to a network on a machine of some slowness, if it is not."""
    work = cost_of(model, network)
    seconds = slowness * 1e-9 * (work.fit + work.scores) / parallel.current_workers()
    if seconds > MOST_SECONDS:
        return f"{spell(seconds)} expected for a fit, more than {MOST_SECONDS / 60:.0f} minutes"
    needed, free = expected_bytes(model, network), machine.available_memory()
    if free is not None and needed > free:
        return f"about {needed / 1e9:.2g} GB of memory needed, {free / 1e9:.2g} GB free"
    return None


# ---------------------------------------------------------------------- of other libraries


@dataclass(eq=False, kw_only=True)
class Products(ScoredPredictor):
    """Scores that are ½(W·H + (W·H)ᵀ) of two factors: what a recommender makes of a network."""

    library: ClassVar[str] = ""
    round_cost: ClassVar[float] = 0.0  # of a round, per edge entry and column
    search_space: ClassVar[Space | None] = {}
    rank: int = 64
    iterations: int = 15
    seed: int = 0

    @abstractmethod
    def _factors(self, network: Network) -> tuple[Array, Array]:
        """Return W and Hᵀ, a row per node each."""

    def _work(self, network: Network) -> float:
        """Return the nominal nanoseconds of a fit, by default of rounds over edges and nodes."""
        each = 2.0 * network.n_edges + network.n_nodes * self.rank
        return self.round_cost * self.iterations * self.rank * each

    def _fit(self, network: Network) -> Learned:
        try:
            left, right = self._factors(network)
        except (ArithmeticError, RuntimeError, ValueError) as problem:
            raise LinkpriorError(f"{self.name}: {self.library} failed ({problem})") from problem
        return Learned({"left": np.asarray(left), "right": np.asarray(right)})

    def _scores(self) -> BilinearScores:
        left, right = self.learned_.arrays["left"], self.learned_.arrays["right"]
        return BilinearScores(left[None], right[None])

    def _cost(self, network: Network) -> Cost:
        return Cost(self._work(network), factor_scores(network, 2 * self.rank))


@dataclass(eq=False, kw_only=True)
class SklearnNmf(Products):
    """scikit-learn's NMF of the adjacency matrix."""

    name: ClassVar[str] = "sklearn-nmf"
    library: ClassVar[str] = "sklearn"
    round_cost: ClassVar[float] = 1.2
    iterations: int = 200

    def _factors(self, network: Network) -> tuple[Array, Array]:
        import warnings

        from sklearn.decomposition import NMF
        from sklearn.exceptions import ConvergenceWarning

        model = NMF(self.rank, init="nndsvda", max_iter=self.iterations, random_state=self.seed)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            left = model.fit_transform(sp.csr_matrix(network.adjacency))
        return left, model.components_.T


@dataclass(eq=False, kw_only=True)
class Implicit(Products):
    """A model of implicit."""

    library: ClassVar[str] = "implicit"

    def _fitted(self, theirs: Any, network: Network, **options: Any) -> tuple[Array, Array]:
        options |= {"factors": self.rank, "iterations": self.iterations, "random_state": self.seed}
        model = theirs(num_threads=1, **options)
        model.fit(sp.csr_matrix(network.adjacency).astype(np.float32), show_progress=False)
        return model.user_factors, model.item_factors


@dataclass(eq=False, kw_only=True)
class ImplicitAls(Implicit):
    """implicit's alternating least squares, edges with its usual confidence."""

    name: ClassVar[str] = "implicit-als"
    round_cost: ClassVar[float] = 1.5
    alpha: float = 40.0

    def _factors(self, network: Network) -> tuple[Array, Array]:
        from implicit.cpu.als import AlternatingLeastSquares

        return self._fitted(AlternatingLeastSquares, network, alpha=self.alpha)


@dataclass(eq=False, kw_only=True)
class ImplicitBpr(Implicit):
    """implicit's Bayesian personalised ranking."""

    name: ClassVar[str] = "implicit-bpr"
    iterations: int = 100

    def _factors(self, network: Network) -> tuple[Array, Array]:
        from implicit.cpu.bpr import BayesianPersonalizedRanking

        return self._fitted(BayesianPersonalizedRanking, network)

    def _work(self, network: Network) -> float:
        return BPR_ROUND * self.iterations * self.rank * 2.0 * network.n_edges


@dataclass(eq=False, kw_only=True)
class Node2vec(Products):
    """node2vec (Grover and Leskovec 2016) with p = q = 1: gensim's skip-gram over random walks.

    Its authors' settings: 128 dimensions, 10 walks of 80 nodes from every node, a window of 10, one
    pass. With p = q = 1, the default of every implementation, a walk goes to any neighbour alike.
    (The packages that do both, node2vec and pecanpy, cannot be installed with NumPy 2.)

    The score is the product of one node's vector and the other's vector as context, both ways:
    what skip-gram fits to how often the two meet. It was chosen on edges hidden inside training
    networks, where the product and the cosine of the nodes' own vectors were compared
    (docs/benchmark.md).
    """

    name: ClassVar[str] = "node2vec"
    library: ClassVar[str] = "gensim"
    rank: int = 128
    iterations: int = 1
    walks: int = 10
    length: int = 80
    window: int = 10

    def _factors(self, network: Network) -> tuple[Array, Array]:
        from gensim.models import Word2Vec

        names = np.array([str(node) for node in range(network.n_nodes)], dtype=object)
        logging.getLogger("gensim").setLevel(logging.WARNING)  # it logs every step it takes
        model = Word2Vec(
            [names[walk].tolist() for walk in self._walks(network)],
            vector_size=self.rank,
            window=self.window,
            min_count=0,
            sg=1,
            sample=0,  # drops frequent words, which in a small network are all of them
            epochs=self.iterations,
            seed=self.seed,
            workers=1,  # with more, the threads' turns change the numbers
        )
        own, context = np.zeros((2, network.n_nodes, self.rank), dtype=np.float32)
        nodes = [int(name) for name in model.wv.index_to_key]
        own[nodes], context[nodes] = model.wv.vectors, model.syn1neg
        return own, context

    def _walks(self, network: Network) -> Ints:
        """Return one walk per row, all walks a step at a time; none from a node without an edge."""
        rng = np.random.default_rng(self.seed)
        adjacency = sp.csr_array(network.adjacency)
        first, degrees = adjacency.indptr[:-1].astype(np.int64), network.degrees
        starts = np.concatenate(
            [rng.permutation(np.flatnonzero(degrees > 0)) for _ in range(self.walks)]
        )
        walks = np.empty((len(starts), self.length), dtype=np.int64)
        walks[:, 0] = starts
        for step in range(1, self.length):
            at = walks[:, step - 1]
            walks[:, step] = adjacency.indices[first[at] + rng.integers(degrees[at])]
        return walks

    def _work(self, network: Network) -> float:
        words = float(network.n_nodes) * self.walks * self.length
        return WORD * words * self.iterations * self.rank * self.window / 10.0


PEERS: dict[str, type[Products]] = {
    one.name: one for one in (SklearnNmf, ImplicitAls, ImplicitBpr, Node2vec)
}


def make_peer(name: str, /, **params: Any) -> LinkPredictor:
    """Return another library's model by name."""
    if name not in PEERS:
        raise ParameterError(
            f"no model of another library is called {name!r}.{nearest(name, PEERS)} There are: "
            f"{', '.join(PEERS)}"
        )
    return PEERS[name](**params)


def installed(name: str) -> bool:
    """Return whether the library of such a model is there."""
    return find_spec(PEERS[name].library) is not None
