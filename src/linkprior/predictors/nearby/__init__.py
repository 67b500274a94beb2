"""Candidates for very large networks: some partners per node instead of all pairs."""

from linkprior.predictors.nearby.asking import ALL_UP_TO as ALL_UP_TO
from linkprior.predictors.nearby.asking import KINDS as KINDS
from linkprior.predictors.nearby.asking import MOST_PARTNERS as MOST_PARTNERS
from linkprior.predictors.nearby.asking import PARTNERS as PARTNERS
from linkprior.predictors.nearby.asking import NeighborCandidates as NeighborCandidates
from linkprior.predictors.nearby.asking import default_kind as default_kind
from linkprior.predictors.nearby.asking import nearby_pairs as nearby_pairs
