"""Where the stack's features come from: models of every family, and the prior over some of them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from linkprior._validation import choice
from linkprior.errors import ParameterError
from linkprior.network import Network
from linkprior.predictors.base import LinkPredictor
from linkprior.predictors.cost import effort_of

EFFORTS = ("fast", "normal", "thorough")
MOST_SECONDS = {"fast": 4.0, "normal": 60.0, "thorough": 1200.0}  # nominal, for one source


@dataclass(frozen=True)
class Source:
    """A model the stack listens to.

    Attributes
    ----------
    label
        What it is called in weights and words.
    model, params
        Its name in the registry, or nmf or eigen, and its parameters.
    effort
        The least effort at which it is asked.
    with_prior
        Whether the stack also looks at its ranks as the degree prior weighs them.
    most_nodes
        Size beyond which it is left out.
    """

    label: str
    model: str
    effort: str = "normal"
    with_prior: bool = False
    most_nodes: float = float("inf")
    params: dict[str, Any] = field(default_factory=dict)

    def make(self, seed: int, n_nodes: int) -> LinkPredictor:
        """Return the model, not fitted; of a small network there are fewer factors."""
        cls = _class_of(self.model)
        own = dict(self.params)
        if "seed" in cls.parameter_names():
            own["seed"] = seed
        if "rank" in own:
            own["rank"] = max(1, min(own["rank"], n_nodes // 2))
        return cls(**own)

    def seconds(self, network: Network) -> float:
        """Return nominal seconds on one core of one fit and one pass over all pairs."""
        work = effort_of(self.make(0, network.n_nodes), network)
        return 1e-9 * (work.fit + work.scores)


def _class_of(name: str) -> type[LinkPredictor]:
    from linkprior.predictors import registry
    from linkprior.predictors.auto import factors

    own = {"nmf": factors.NonNegative, "eigen": factors.Eigenvectors}
    return own[name] if name in own else registry.find(name)


SOURCES = (
    Source("pa", "pa", "fast"),
    Source("cn", "cn"),
    Source("ra", "ra", "fast", with_prior=True),
    Source("jaccard", "jaccard"),
    Source("l3", "l3", "fast", with_prior=True),
    Source("l3n", "l3n", "fast", with_prior=True),
    Source("ch2-l3", "ch2-l3"),
    Source("mps", "mps", "fast", with_prior=True),
    Source("lrw", "lrw"),
    Source("katz", "katz", most_nodes=5000),
    Source("eigen", "eigen", "fast", params={"rank": 64}),
    Source("nmf16", "nmf", params={"rank": 16}),
    Source("nmf64", "nmf", with_prior=True, params={"rank": 64}),
    Source("pu16", "pu", params={"rank": 16}),
    Source("pu64", "pu", "fast", with_prior=True, params={"rank": 64}),
    Source("tri", "tri", with_prior=True),
    Source("dcsbm", "dcsbm"),
    Source("rnm", "rnm", "thorough", most_nodes=12000),
    Source("spm", "spm", "thorough", most_nodes=5000),
)
BY_LABEL = {source.label: source for source in SOURCES}


@dataclass(frozen=True)
class Choice:
    """The sources for one network, and why others were left out."""

    sources: tuple[Source, ...]
    left_out: dict[str, str]


def choose(network: Network, effort: str) -> Choice:
    """Return the sources that an effort affords on a network."""
    choice("effort", effort, EFFORTS)
    chosen, left_out = [], {}
    for source in SOURCES:
        if EFFORTS.index(source.effort) > EFFORTS.index(effort):
            continue
        why = _obstacle(source, network, MOST_SECONDS[effort])
        if why:
            left_out[source.label] = why
        else:
            chosen.append(source)
    return Choice(tuple(chosen), left_out)


def _obstacle(source: Source, network: Network, most_seconds: float) -> str:
    """Say why a source is not for this network; nothing where it is."""
    if network.n_nodes > source.most_nodes:
        return f"only up to {source.most_nodes:,.0f} nodes"
    try:
        seconds = source.seconds(network)
    except ParameterError as problem:
        return str(problem)
    return f"too slow here (about {seconds:.0f} s a pass)" if seconds > most_seconds else ""
