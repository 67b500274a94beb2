"""Every model by name. Classes are imported when made, so that listing them costs nothing."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

from linkprior.errors import ParameterError, nearest

if TYPE_CHECKING:
    from linkprior.predictors.base import LinkPredictor
    from linkprior.predictors.meta import Wrapped


@dataclass(frozen=True)
class Entry:
    """Where a model lives, and what it is in one line."""

    module: str
    class_name: str
    summary: str

    def load(self) -> type[LinkPredictor]:
        """Import the class."""
        module = import_module(f"linkprior.predictors.{self.module}")
        found: type[LinkPredictor] = getattr(module, self.class_name)
        return found


DEFAULT_MODEL = "auto"  # what is taken where no model is named

MODELS: dict[str, Entry] = {
    "auto": Entry(
        "auto.auto", "Auto", "all models together, weighed by how well they find hidden edges"
    ),
    "tri-degree": Entry(
        "tri_degree",
        "TriDegree",
        "tri-factorization with the node-specific degree prior (the paper)",
    ),
    "tri": Entry("tri", "Tri", "non-negative tri-factorization U S Uᵀ, mean of several starts"),
    "tri-l1": Entry("tri", "TriL1", "tri-factorization with an ℓ1 penalty"),
    "tri-scale": Entry("tri", "TriScale", "tri-factorization with a scale-free (log-sum) penalty"),
    "pu": Entry("completion", "PU", "positive-unlabelled matrix completion by alternating LS"),
    "nuclear-degree": Entry(
        "completion", "NuclearDegree", "nuclear norm + degree prior, best up to about 3,000 nodes"
    ),
    "pa": Entry(
        "local", "PreferentialAttachment", "product of the two degrees (Barabási and Albert 1999)"
    ),
    "cn": Entry(
        "neighbours",
        "CommonNeighbours",
        "number of common neighbours (Liben-Nowell and Kleinberg 2003)",
    ),
    "aa": Entry(
        "neighbours",
        "AdamicAdar",
        "common neighbours, each 1/log of its degree (Adamic and Adar 2003)",
    ),
    "ra": Entry(
        "neighbours",
        "ResourceAllocation",
        "common neighbours, each 1/degree (Zhou, Lü and Zhang 2009)",
    ),
    "jaccard": Entry(
        "neighbours", "Jaccard", "common neighbours as a share of all neighbours (Jaccard 1901)"
    ),
    "katz": Entry("walks", "Katz", "walks of all lengths, longer ones counting less (Katz 1953)"),
    "lrw": Entry(
        "walks",
        "LocalRandomWalk",
        "a random walk of a few steps from either node (Liu and Lü 2010)",
    ),
    "l3": Entry("paths", "L3", "paths of length 3, weighted by degree (Kovács et al. 2019)"),
    "l3n": Entry(
        "path_peers", "L3N", "paths of length 3, normalized by neighbours (Yuen and Jansson 2023)"
    ),
    "ch2-l3": Entry(
        "path_peers", "CH2L3", "paths of length 3 within their community (Muscoloni et al. 2020)"
    ),
    "mps": Entry("path_peers", "MPS", "likeness to a partner of the other (Wang et al. 2023)"),
    "rnm": Entry(
        "spectral", "RNM", "mean rank by two spectral filters and L3, up to 20,000 nodes (2023)"
    ),
    "spm": Entry("spectral", "SPM", "structural perturbation, up to 20,000 nodes (Lü et al. 2015)"),
    "dcsbm": Entry("sbm", "BlockModel", "degree-corrected block model (Karrer and Newman 2011)"),
    "random": Entry("local", "Random", "a number drawn by lot for each pair: what chance predicts"),
}


# Models over any model, named KIND:NAME. They are made for each name, so there is no end of them.
WRAPPERS: dict[str, Entry] = {
    "degree": Entry("degree_prior", "DegreeOver", "the degree prior over the scores of any model"),
    "consensus": Entry(
        "consensus", "Consensus", "mean over random starts or resampled edges, until it settles"
    ),
}


def find(name: str) -> type[LinkPredictor]:
    """Return the class of a model, or an error with the nearest names."""
    if not isinstance(name, str):
        raise ParameterError(f"a model is chosen by its name, got {name!r}")
    kind, colon, base = name.partition(":")
    if colon and kind in WRAPPERS:
        return _over(kind, base)
    if name not in MODELS:
        wrapped = [f"{kind}:{base}" for kind in WRAPPERS for base in MODELS] if colon else []
        others = [f"{kind}:NAME" for kind in WRAPPERS]
        raise ParameterError(
            f"no model is called {name!r}.{nearest(name, [*MODELS, *wrapped])} "
            f"There are: {', '.join([*MODELS, *others])}"
        )
    return MODELS[name].load()


def _over(kind: str, base: str) -> type[LinkPredictor]:
    """Return the class of a wrapper over the model of that name, which may be one itself."""
    if kind in base.split(":")[:-1]:
        raise ParameterError(f"{kind}:{base}: {kind} is there twice, and once is enough")
    wrapper: type[Wrapped] = WRAPPERS[kind].load()  # type: ignore[assignment]
    return wrapper.over(find(base))


def make(name: str, /, **params: Any) -> LinkPredictor:
    """Make a predictor by name; parameters not given keep their defaults."""
    from linkprior.predictors.base import refuse_unknown

    cls = find(name)
    refuse_unknown(name, params, cls.parameter_names())
    return cls(**params)
