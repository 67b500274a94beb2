"""What a search found: the best setting, a model that has it, and every setting that was tried."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from linkprior import _html as html
from linkprior.evaluation.tuning.search import SearchSpace, quiet_optuna, told
from linkprior.evaluation.tuning.trials import COMPLETE, FAILED, Trial
from linkprior.predictors.base import LinkPredictor

if TYPE_CHECKING:
    import pandas as pd

ENOUGH_TO_TELL = 10  # complete settings without which importances would be guesses


@dataclass(frozen=True)
class Tuned:
    """The outcome of a search.

    Attributes
    ----------
    model
        A fresh model with the best parameters, not fitted.
    best_params
        The parameters that were searched, at their best; empty where there is nothing to tune.
    best_value
        Mean of the metric over the inner splits; NaN where nothing was tried. It is the best of
        many and therefore flatters: judge the model on other edges.
    trials
        All settings in order; the first is the model as it was given.
    """

    model: LinkPredictor
    best_params: dict[str, Any]
    best_value: float
    trials: list[Trial]
    metric: str
    region: SearchSpace = field(repr=False)

    @property
    def default_value(self) -> float:
        """What the model's own parameters gave; NaN where they failed."""
        return self.trials[0].value if self.trials else math.nan

    @property
    def stays(self) -> bool:
        """Whether no setting beat the model's own parameters."""
        return not self.trials or self.best_params == self.trials[0].params

    def facts(self) -> dict[str, Any]:
        """Return what was chosen, and what it is worth, as JSON has it."""
        own, best = self.default_value, self.best_value
        return {
            "trials": len(self.trials),
            "metric": self.metric,
            "default_value": None if math.isnan(own) else own,
            "best_value": None if math.isnan(best) else best,
            "best_params": dict(self.best_params),
        }

    @property
    def ranked(self) -> list[Trial]:
        """Complete settings, best first, the earlier of equals first."""
        complete = [trial for trial in self.trials if trial.state == COMPLETE]
        return sorted(complete, key=lambda trial: (-trial.value, trial.number))

    def to_frame(self) -> pd.DataFrame:
        """Return one row per setting: number, state, inner splits reached, value, parameters."""
        import pandas as pd

        rows = [
            [
                t.number,
                t.state,
                len(t.scores),
                t.value,
                *map(t.params.get, self.region.axes),
                t.note,
            ]
            for t in self.trials
        ]
        names = ["setting", "state", "reached", "value", *self.region.axes, "note"]
        return pd.DataFrame(rows, columns=names)

    def importances(self) -> dict[str, float]:
        """Return each parameter's share in what made settings differ (fANOVA), largest first.

        Empty where too few settings are complete, where none differ, or without scikit-learn.
        """
        if len(self.ranked) < ENOUGH_TO_TELL or len({t.value for t in self.ranked}) < 2:
            return {}
        with quiet_optuna():
            from optuna.importance import FanovaImportanceEvaluator, get_param_importances

            try:
                shares = get_param_importances(
                    told(self.region, self.ranked), evaluator=FanovaImportanceEvaluator(seed=0)
                )
            except (ImportError, ValueError, RuntimeError):
                return {}
        return {name: float(share) for name, share in shares.items()}

    def _repr_html_(self) -> str:
        names = list(self.region.axes)
        rows = [[t.number, t.value, *(t.params[n] for n in names)] for t in self.ranked[:10]]
        failed = sum(trial.state == FAILED for trial in self.trials)
        known = html.facts(
            [("settings tried", len(self.trials)), ("failed", failed), ("best", self.best_value)]
        )
        title = f"Tuning of {type(self.model).name} by {self.metric}"
        return html.card(title, html.table(["setting", self.metric, *names], rows), known)
