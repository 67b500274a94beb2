"""Some partners per node in place of all pairs: the options, the default, and what it costs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from linkprior.errors import LinkpriorError, ParameterError

if TYPE_CHECKING:
    from linkprior.network import Network
    from linkprior.predictors.base import LinkPredictor
    from linkprior.ranking.candidates import Candidates, NeighborCandidates
    from linkprior.ranking.ranking import Ranking


@dataclass
class NearbyChoice:
    """What `--candidates` and `--partners` ask for, and what became of it."""

    kind: str | None
    partners: int | None
    seed: int
    chosen: NeighborCandidates | None = None

    def check(self) -> None:
        """Refuse what cannot be meant, before anything is read."""
        from linkprior.ranking.candidates import MOST_PARTNERS

        if self.partners is None:
            return
        if not 1 <= self.partners <= MOST_PARTNERS:
            raise ParameterError(
                f"--partners expects a number of partners per node, 1 to {MOST_PARTNERS:,}, got "
                f"{self.partners}"
            )
        if self.kind == "all":
            raise LinkpriorError(
                "--partners is for --candidates paths3 or knn: with all, every pair is looked at"
            )

    def among(
        self,
        predictor: LinkPredictor,
        network: Network,
        given: Candidates | None,
        notify: Callable[[str], None],
    ) -> Candidates | NeighborCandidates | None:
        """Return the candidates to rank; say what they are where nobody chose them."""
        from linkprior.ranking.candidates import (
            PARTNERS,
            Candidates,
            NeighborCandidates,
            default_kind,
        )
        from linkprior.ranking.factor_index import refuse_without_factors

        if self.kind == "knn":
            refuse_without_factors(predictor)
        every = Candidates.of(network) if given is None else given
        kind = self.kind or default_kind(predictor, every)
        if kind == "all":
            return self._all(given)
        self.chosen = NeighborCandidates(every, kind, self.partners or PARTNERS, self.seed)
        why = "" if self.kind else f" ({network.n_nodes:,} nodes; --candidates all looks at all)"
        notify(f"Candidates: {self.chosen.text()}{why}")
        return self.chosen

    def _all(self, given: Candidates | None) -> Candidates | None:
        if self.partners is not None:
            raise LinkpriorError(
                "--partners asks for --candidates paths3 or knn here: a network of this size is "
                "looked at whole"
            )
        return given

    @property
    def effort(self) -> float | None:
        """Nominal work of ranking, None where all pairs are ranked."""
        return None if self.chosen is None else self.chosen.effort

    def request(self) -> dict[str, Any]:
        """Return what was asked, for a run's manifest."""
        near = self.chosen
        if near is None:
            return {}
        return {"candidates": near.kind, "partners": near.partners, "candidates_seed": near.seed}

    def tell_share(
        self,
        predictor: LinkPredictor,
        ranking: Ranking,
        most: int | None,
        threshold: float | None,
        notify: Callable[[str], None],
    ) -> None:
        """Say how many of the best pairs the candidates hold, judged on some nodes."""
        from linkprior.ranking.recall import judge

        if self.chosen is None:
            return
        limit = float("-inf") if threshold is None else predictor.score_threshold(threshold)
        # A list cut at a threshold is whole: what it misses is counted down to the threshold.
        k = most if threshold is None else None
        notify(judge(predictor, self.chosen, ranking, k, limit, seed=self.seed).text())
