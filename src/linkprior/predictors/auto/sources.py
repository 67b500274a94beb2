"""Where the stack's features come from: models of every family, with their parameters."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import scipy.sparse as sp

from linkprior._validation import choice
from linkprior.errors import LinkpriorError, ParameterError
from linkprior.network import Network
from linkprior.predictors import registry
from linkprior.predictors.base import Learned, LinkPredictor, ScoredPredictor
from linkprior.predictors.cost import Cost, cost_of, factor_scores
from linkprior.predictors.on_device import Form
from linkprior.predictors.scores import BilinearScores, ProductScores
from linkprior.solvers import nonnegative

EFFORTS = ("fast", "normal", "thorough")
MOST_SECONDS = {"fast": 4.0, "normal": 100.0, "thorough": 1200.0}  # nominal, for one source


@dataclass(frozen=True)
class Source:
    """A base model of the stack."""

    label: str  # in weights and summaries
    model: str  # its name in the registry, or nmf or eigen
    effort: str = "normal"  # the least at which it is asked
    most_nodes: float = float("inf")  # size beyond which it is left out
    params: dict[str, Any] = field(default_factory=dict)
    nodes_per_factor: int = 0  # the rank grows with the network, up to the one in `params`
    by_degree: bool = False  # whether degrees decide its top, of which less is looked at

    def make(self, seed: int, n_nodes: int) -> LinkPredictor:
        """Return the model, not fitted; of a small network there are fewer factors."""
        here: dict[str, type[LinkPredictor]] = {"nmf": NonNegative, "eigen": Eigenvectors}
        cls = here.get(self.model) or registry.find(self.model)
        params = dict(self.params)
        if "seed" in cls.parameter_names():
            params["seed"] = seed
        if "rank" in params:
            most = n_nodes // 2
            if self.nodes_per_factor:
                most = min(most, max(FEWEST_FACTORS, n_nodes // self.nodes_per_factor))
            params["rank"] = max(1, min(params["rank"], most))
        return cls(**params)

    def seconds(self, network: Network) -> float:
        """Return nominal seconds on one core of one fit and one pass over all pairs."""
        work = cost_of(self.make(0, network.n_nodes), network)
        return 1e-9 * (work.fit + work.scores)


# Starts from the network's eigenvectors, and means over quick searches, move little with the seed.
PU = {"start": "spectral", "max_iter": 6}
BLOCKS = {"combine": "mean", "n_starts": 6, "max_blocks": 64, "merged": 0.3, "max_iter": 2}

FEWEST_FACTORS = 64

SOURCES = (
    Source("pa", "pa", "fast", by_degree=True),
    Source("ra", "ra", "fast"),
    Source("l3", "l3", "fast"),
    Source("cn", "cn", by_degree=True),
    Source("jaccard", "jaccard", by_degree=True),
    Source("l3n", "l3n", "fast"),
    Source("ch2-l3", "ch2-l3"),
    Source("mps", "mps", "fast"),
    Source("lrw", "lrw"),
    Source("katz", "katz", most_nodes=5000, by_degree=True, params={"terms": 6}),
    Source("eigen", "eigen", "fast", nodes_per_factor=8, params={"rank": 200}),
    Source("nmf", "nmf", nodes_per_factor=16, params={"rank": 160}),
    Source("pu64", "pu", "fast", params={"rank": 64, **PU}),
    Source("dcsbm", "dcsbm", "thorough", by_degree=True, params=BLOCKS),
    Source("rnm", "rnm", "thorough", most_nodes=12000),
    Source("spm", "spm", "thorough", most_nodes=5000),
)
# Of networks without cycles to learn from, where degrees are unequal.
_BY_PRIOR = {"tau": float("inf"), "passes": 1}
FOR_TREES = tuple(
    Source(f"degree:{name}", f"degree:{name}", params=_BY_PRIOR) for name in ("katz", "l3")
)
BY_LABEL = {source.label: source for source in (*SOURCES, *FOR_TREES)}


@dataclass(frozen=True)
class Choice:
    """The sources for one network, and why others were left out."""

    sources: tuple[Source, ...]
    left_out: dict[str, str]

    def without(self, reasons: Mapping[str, str], usable: str) -> Choice:
        """Leave out some sources, with the reasons; the last one with the reason `usable` stays."""
        left = [source for source in self.sources if source.label not in reasons]
        if not left:
            left = [source for source in self.sources if reasons[source.label] == usable][:1]
        if not left:
            why = "; ".join(f"{label}: {reason}" for label, reason in reasons.items())
            raise LinkpriorError(f"auto: no base model can be used on this network ({why})")
        kept = {source.label for source in left}
        reasons = {label: why for label, why in reasons.items() if label not in kept}
        return Choice(tuple(left), self.left_out | reasons)


def choose(network: Network, effort: str) -> Choice:
    """Return the sources that an effort affords on a network, or else the quickest one."""
    choice("effort", effort, EFFORTS)
    chosen, slow, left_out = list[Source](), dict[float, Source](), dict[str, str]()
    for source in SOURCES:
        if EFFORTS.index(source.effort) > EFFORTS.index(effort):
            continue
        if network.n_nodes > source.most_nodes:
            left_out[source.label] = f"only up to {source.most_nodes:,.0f} nodes"
            continue
        try:
            seconds = source.seconds(network)
        except ParameterError as problem:
            left_out[source.label] = str(problem)
            continue
        if seconds > MOST_SECONDS[effort]:
            left_out[source.label] = f"too slow here (about {seconds:.0f} s a pass)"
            slow.setdefault(seconds, source)
        else:
            chosen.append(source)
    if slow and not chosen:
        chosen = [slow[min(slow)]]
        del left_out[chosen[0].label]
    return Choice(tuple(chosen), left_out)


def for_tree(network: Network) -> list[Choice]:
    """Return the one source for a network without enough cycles to learn from, and substitutes.

    On a tree nearly all that is known of two nodes is how far apart they are and, where degrees
    are more unequal than by chance (variance above mean), how many links each is likely to miss.
    """
    degrees, most = network.degrees, BY_LABEL["katz"].most_nodes
    plain = ["katz", "l3"] if network.n_nodes <= most else ["l3"]
    unequal = ["degree:" + label for label in plain] if degrees.var() > degrees.mean() else []
    return [Choice((BY_LABEL[label],), {}) for label in (*unequal, *plain, "pa")]


_PRODUCT = 0.3  # nominal nanoseconds of a product with the network, per edge entry and column
_SUBSPACE, _DESCENT = 1.5, 0.6  # of the start and of a sweep of non-negative factors


@dataclass(eq=False, kw_only=True)
class NonNegative(ScoredPredictor):
    """W Hᵀ ≈ A with W, H ≥ 0, by coordinate descent from a fixed start.

    Ten sweeps come within one part in a hundred of the least squares of sixty, and find hidden
    edges as well or better: it is early stopping on purpose.
    """

    name = "nmf"
    rank: int = 64
    max_iter: int = 10

    def _fit(self, network: Network) -> Learned:
        rank = min(self.rank, network.n_nodes - 1)
        W, H = nonnegative.factorise(network.confidence, rank, self.max_iter)
        return Learned({"W": W, "H": H})

    def _scores(self) -> BilinearScores:
        W, H = (self.learned_.arrays[name] for name in "WH")
        return BilinearScores(W[None], H[None])

    def _factor_form(self) -> Form:
        W, H = (self.learned_.arrays[name] for name in "WH")
        return Form.plain(np.hstack([W, H]) / 2.0, np.hstack([H, W]))

    def _cost(self, network: Network) -> Cost:
        start = _SUBSPACE * network.n_nodes * self.rank**2
        once = (2.0 * network.n_edges + 0.5 * network.n_nodes * self.rank) * self.rank
        return Cost(start + _DESCENT * self.max_iter * once, factor_scores(network, 2 * self.rank))


@dataclass(eq=False, kw_only=True)
class Eigenvectors(ScoredPredictor):
    """D^¼ V Λ Vᵀ D^¼ from the eigenvectors of D^-¼ A D^-¼ whose eigenvalues are largest.

    By subspace iteration, which finds hidden edges better than the exact eigenvectors, in a fifth
    of the time.
    """

    name = "eigen"
    rank: int = 64

    def _fit(self, network: Network) -> Learned:
        root = np.where(network.degrees > 0, network.strengths, 1.0) ** 0.25
        inverse = sp.diags_array((1.0 / root).astype(np.float32))
        scaled = sp.csr_array(inverse @ network.confidence.astype(np.float32) @ inverse)
        rank = min(self.rank, network.n_nodes - 1)
        values, V = nonnegative.leading_vectors(scaled, rank)
        V = V * root.astype(V.dtype)[:, None]
        return Learned({"L": V * values.astype(V.dtype), "R": V})

    def _scores(self) -> ProductScores:
        return ProductScores(*(self.learned_.arrays[name] for name in "LR"))

    def _factor_form(self) -> Form:
        return Form.plain(*(self.learned_.arrays[name] for name in "LR"))

    def _cost(self, network: Network) -> Cost:
        fit = _SUBSPACE * network.n_nodes * self.rank**2
        fit += 5.0 * _PRODUCT * 2.0 * network.n_edges * self.rank
        return Cost(fit, factor_scores(network, self.rank))
