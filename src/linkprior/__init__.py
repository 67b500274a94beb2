"""linkprior: infer the missing links of a network from its observed edges."""

from __future__ import annotations

from linkprior._version import __version__

# Not from typing: it takes longer than all the rest, and until then Ctrl-C is a traceback.
TYPE_CHECKING = False

# Public name → where it lives. Loaded at first use, so that `import linkprior` stays light.
_HOMES = {
    "Candidates": "linkprior.ranking.candidates",
    "LinkPredictor": "linkprior.predictors.base",
    "Network": "linkprior.network",
    "Ranking": "linkprior.ranking.ranking",
    "InputError": "linkprior.errors",
    "LinkpriorError": "linkprior.errors",
    "NotFittedError": "linkprior.errors",
    "ParameterError": "linkprior.errors",
    "StoreError": "linkprior.errors",
    "read_network": "linkprior.io.read",
    "make": "linkprior.predictors.registry",
    "models": "linkprior.predictors.registry",
    "predict_links": "linkprior.pipeline.predict",
    "estimate_coverage": "linkprior.coverage",
    "load": "linkprior.predictors.registry",
    "evaluate": "linkprior.evaluation.evaluate",
    "tune": "linkprior.evaluation.tuning.tune",
    "load_run": "linkprior.pipeline.run_folder",
    "use_dask": "linkprior.parallel",
    "use_device": "linkprior.kernels._engine",
    "use_memory": "linkprior.parallel.memory",
    "use_workers": "linkprior.parallel",
    "planted_network": "linkprior.network.generate",
    "large_network": "linkprior.network.generate",
    "nearby_pairs": "linkprior.ranking.candidates",
    "rewired_network": "linkprior.network.generate",
    "to_networkx": "linkprior.network",
}

__all__ = ["__version__", "theory", *sorted(_HOMES)]

if TYPE_CHECKING:
    from typing import Any

    from linkprior import theory as theory
    from linkprior.coverage import estimate_coverage as estimate_coverage
    from linkprior.errors import InputError as InputError
    from linkprior.errors import LinkpriorError as LinkpriorError
    from linkprior.errors import NotFittedError as NotFittedError
    from linkprior.errors import ParameterError as ParameterError
    from linkprior.errors import StoreError as StoreError
    from linkprior.evaluation.evaluate import evaluate as evaluate
    from linkprior.evaluation.tuning.tune import tune as tune
    from linkprior.io.read import read_network as read_network
    from linkprior.kernels._engine import use_device as use_device
    from linkprior.network import Network as Network
    from linkprior.network import to_networkx as to_networkx
    from linkprior.network.generate import large_network as large_network
    from linkprior.network.generate import planted_network as planted_network
    from linkprior.network.generate import rewired_network as rewired_network
    from linkprior.parallel import use_dask as use_dask
    from linkprior.parallel import use_workers as use_workers
    from linkprior.parallel.memory import use_memory as use_memory
    from linkprior.pipeline.predict import predict_links as predict_links
    from linkprior.pipeline.run_folder import load_run as load_run
    from linkprior.predictors.base import LinkPredictor as LinkPredictor
    from linkprior.predictors.registry import load as load
    from linkprior.predictors.registry import make as make
    from linkprior.predictors.registry import models as models
    from linkprior.ranking.candidates import Candidates as Candidates
    from linkprior.ranking.candidates import nearby_pairs as nearby_pairs
    from linkprior.ranking.ranking import Ranking as Ranking


def __getattr__(name: str) -> Any:
    from importlib import import_module

    if name == "theory":
        return import_module("linkprior.theory")
    if name not in _HOMES:
        raise AttributeError(f"module 'linkprior' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
