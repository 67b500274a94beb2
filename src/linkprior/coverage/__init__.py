"""How complete a network is, told from what two screens of the same links have in common."""

from linkprior.coverage.estimate import Coverage as Coverage
from linkprior.coverage.estimate import Estimate as Estimate
from linkprior.coverage.estimate import chapman as chapman
from linkprior.coverage.estimate import estimate_coverage as estimate_coverage
from linkprior.coverage.estimate import lincoln_petersen as lincoln_petersen
