"""`linkprior predict --tune N`: better parameters on hidden edges first, then the fit on all."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from linkprior.cli.outputs import Output

if TYPE_CHECKING:
    from linkprior.evaluation.tuning.tune import Tuning, TuningResult
    from linkprior.network import Network
    from linkprior.predictors.base import LinkPredictor


@dataclass
class TuneFirst:
    """What `--tune` asks for, the search, and what became of it; without trials, nothing."""

    trials: int | None
    seed: int
    search: Tuning | None = None
    found: TuningResult | None = None

    def check(self, predictor: LinkPredictor, settings: tuple[str, ...], target: Output) -> None:
        """Refuse what cannot be tuned, or kept, before anything is read."""
        from linkprior.evaluation.tuning.study import refuse_other_folders
        from linkprior.evaluation.tuning.tune import refuse_untunable

        if self.trials is None:
            return
        given = [text.partition("=")[0] for text in settings]
        refuse_untunable(predictor, given, "--tune", "--set {}=…")
        if target.study is not None:
            refuse_other_folders(target.study)

    def prepare(self, predictor: LinkPredictor, network: Network, target: Output) -> None:
        """Get the search ready; refuse a network too small to hide edges of."""
        from linkprior.evaluation.tuning.tune import Tuning

        if self.trials is None:
            return
        self.search = Tuning(predictor, network, self.trials, seed=self.seed, study=target.study)
        self.search.refuse_empty_splits()

    @property
    def effort(self) -> float:
        """Nominal work of the search."""
        return 0.0 if self.search is None else self.search.effort

    def note(self) -> str:
        """Return what comes before the fit, in words for an estimate."""
        if self.search is None:
            return ""
        return f", after {_count(self.search.trials)} on {self.search.inner} inner splits"

    def request(self) -> dict[str, Any]:
        """Return what was asked, for a run's manifest."""
        if self.search is None:
            return {}
        names = ("trials", "metric", "rule", "inner", "seed")
        return {"tune": {name: getattr(self.search, name) for name in names}}

    def run(self, target: Output, notify: Callable[[str], None]) -> LinkPredictor:
        """Try the settings that are left, say what was chosen, and return a model that has it."""
        from linkprior.cli import interrupt

        assert self.search is not None
        notify(_where(target))
        notify(f"Tuning {self.search.template.name} …")
        with interrupt.keeping(lambda: self._kept(target), target.log):
            self.found = self.search.run()
        notify(chosen(self.found, self.search.inner))
        target.note(tuned=self.found.facts())
        return self.found.model

    def part(self) -> list[dict[str, Any]]:
        """Return the section of a page about the search; none where there was no search."""
        from linkprior.report.study import Study
        from linkprior.report.tuning import tuning_part

        if self.search is None or self.found is None:
            return []
        return [tuning_part(Study.of(self.found, self.search.question()))]

    def _kept(self, target: Output) -> str:
        """Say what an interruption leaves."""
        done = _count(0 if self.search is None else len(self.search.store.trials))
        if target.study is None:
            return f"{done} tried and not kept, as no -o DIR/ was given"
        return f"{done} tried and kept in {target.study}; the same command goes on from there"


def chosen(found: TuningResult, inner: int) -> str:
    """Say what was chosen, and what it gained on the inner splits."""
    on = f"Tuned on {inner} inner split{'s' * (inner != 1)}: {found.metric}"
    tried = f"({_count(len(found.trials))} tried)"
    own = found.default_value
    if found.stays:
        return f"{on} {own:.4f} with the model's own parameters, which stay {tried}"
    params = ", ".join(f"{name}={value:g}" for name, value in found.best_params.items())
    gain = f"{found.best_value:.4f}" if math.isnan(own) else f"{own:.4f} → {found.best_value:.4f}"
    return f"{on} {gain} with {params} {tried}"


def _where(target: Output) -> str:
    if target.study is None:
        return "No -o DIR/ is given: the settings tried are not kept."
    return f"Settings tried are kept in {target.study}; the same command goes on where it stops."


def _count(settings: int) -> str:
    return f"{settings} setting{'s' * (settings != 1)}"
