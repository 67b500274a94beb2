"""The paper's pieces by name; `docs/paper_map.md` says which equation is which."""

from __future__ import annotations

from linkprior.model.bounds import (
    label_error,
    recovery_bound,
    recovery_error,
    smoothness_bound,
)
from linkprior.model.construction import construct, is_graphical
from linkprior.model.degrees import estimate_degrees
from linkprior.model.losses import pu_gradient, pu_loss
from linkprior.model.priors import degree_prior, log_sequence, rank_weights
from linkprior.solvers.symmetric_prox import prox_rows, prox_symmetric

__all__ = [
    "construct",
    "degree_prior",
    "estimate_degrees",
    "is_graphical",
    "label_error",
    "log_sequence",
    "prox_rows",
    "prox_symmetric",
    "pu_gradient",
    "pu_loss",
    "rank_weights",
    "recovery_bound",
    "recovery_error",
    "smoothness_bound",
]
