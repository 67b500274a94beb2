"""lp.evaluate: one table for all models, splits and metrics."""

from dataclasses import replace

import numpy as np
import pytest

import linkprior as lp
from linkprior.errors import NotFittedError, ParameterError
from linkprior.evaluation import evaluate as evaluate_module
from linkprior.evaluation.evaluate import ABLATIONS, model_specs
from linkprior.evaluation.metrics import METRICS as ALL
from linkprior.evaluation.metrics import measure
from linkprior.evaluation.ranks import rank_hidden_edges
from linkprior.evaluation.splits import uniform
from linkprior.predictors.registry import make

RESOURCES = {"seconds", "peak_mb"}
SMALL = {"n_starts": 1, "max_iter": 4, "warmup": 3}
METRICS = ["recall@1%", "recall@2%", "recall@5%", "recall@10%"]


def test_the_frame_has_one_row_per_model_split_and_metric(planted):
    result = lp.evaluate(["pa", "l3"], planted, repeats=3, seed=4)
    assert (result.facts["protocol"], result.facts["rule"]) == ("uniform:0.9", "connected")
    sizes = {"nodes": planted.n_nodes, "edges": planted.n_edges, "digest": planted.digest}
    assert result.facts["network"] == sizes
    frame = result.to_frame()
    assert list(frame.columns) == ["model", "split", "metric", "value"]
    assert set(frame["model"]) == {"pa", "l3"}
    assert frame["split"].nunique() == 3
    assert set(frame["metric"]) == set(ALL) | RESOURCES
    assert not frame.duplicated(["model", "split", "metric"]).any()
    assert len(frame) == 2 * 3 * frame["metric"].nunique()
    recalls = frame[frame["metric"].isin(METRICS)]["value"]
    assert recalls.between(0, 1).all()
    assert (frame[frame["metric"].isin(RESOURCES)]["value"] > 0).all()


@pytest.mark.parametrize("rule", ["connected", "all-nodes"])
def test_values_are_those_of_the_metrics_on_the_same_splits(planted, rule):
    result = lp.evaluate(["pa"], planted, "uniform:0.8", rule, repeats=2, seed=7)
    for seed in (7, 8):
        split = uniform(planted, 0.8, seed, rule)
        expected = measure(rank_hidden_edges(make("pa").fit(split.train), split))
        got = {metric: v for _, label, metric, v in result.rows if label == split.label}
        assert {m: repr(got[m]) for m in ALL} == {m: repr(expected[m]) for m in ALL}


@pytest.mark.parametrize("rule", ["connected", "all-nodes"])
def test_ranks_do_not_depend_on_the_order_of_nodes(planted, rule):
    split = uniform(planted, 0.7, 3, rule)
    order = np.random.default_rng(0).permutation(planted.n_nodes)
    train = split.train.arranged(order)
    hidden, barred = (np.argsort(order)[pairs] for pairs in (split.hidden, split.barred))
    moved = replace(split, train=train, hidden=np.sort(hidden), barred=np.sort(barred))
    changes = [lambda model, split: model, *ABLATIONS.values()]
    for name, change in [("l3", changes[0]), *(("tri-degree", change) for change in changes)]:
        ranks = []
        for one in (split, moved):
            model = change(make(name, **SMALL if name == "tri-degree" else {}), one)
            ranks.append(rank_hidden_edges(model.fit(one.train), one))
        for part in ("places", "weighted", "low", "node_places"):
            first, second = (getattr(one, part) for one in ranks)
            np.testing.assert_array_equal(np.stack(first), np.stack(second))
        assert repr(measure(ranks[0])) == repr(measure(ranks[1]))
    with pytest.raises(NotFittedError):
        rank_hidden_edges(make("l3"), split)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"models": ["pq"]}, "no model is called 'pq'"),
        ({"rule": "some"}, "rule must be one of"),
        ({"repeats": 0}, "repeats must be"),
        ({"seed": -1}, "seed must be"),
        ({"tune_options": {"inner": "x"}}, "inner must be"),
        ({"tune_options": {"innner": 2}}, "tune_options has no parameter 'innner'"),
        ({"tune_options": {"workers": 2}}, "tune_options has no parameter 'workers'"),
    ],
)
def test_bad_questions_are_refused_before_anything_is_fitted(
    planted, monkeypatch, changes, message
):
    monkeypatch.setattr("linkprior.predictors.base.LinkPredictor.fit", None)
    with pytest.raises(ParameterError, match=message):
        lp.evaluate(**{"models": ["katz"], "net": planted, "tune": 1, **changes})


def test_what_is_fixed_is_not_tuned(planted):
    katz = make("katz", beta=0.95)
    free, kept, other = (
        lp.evaluate([katz, "lrw"], planted, tune=3, tune_options={"inner": 1, "fixed": fixed})
        for fixed in ([], ["beta"], {"lrw": ["steps"]})
    )
    assert kept.cells[0].params["beta"] == 0.95
    assert free.cells[0].params["beta"] == other.cells[0].params["beta"] != 0.95
    assert other.cells[1].params["steps"] == 3


def test_an_ablation_is_tuned_by_itself(planted, monkeypatch):
    seen, run = [], evaluate_module.Tuning.run

    def noting(self):
        seen.append((self.template.name, self.template.get_params().get("degrees")))
        return run(self)

    monkeypatch.setattr(evaluate_module.Tuning, "run", noting)
    quick = make("tri-degree", n_starts=1, max_iter=1, warmup=1)
    asked = {"tune": 1, "tune_options": {"inner": 1}, "ablations": True}
    lp.evaluate([quick], planted, rule="all-nodes", **asked)
    whole = planted.degrees.tolist()
    tri = [("tri-degree", "observed"), ("tri", None), ("tri-degree", "shuffled")]
    assert seen == [*tri, ("tri-degree", whole)]


def test_one_model_with_two_settings_stays_two_models(planted):
    """Also where they differ in arrays."""
    for name, param, values in (
        ("tri", "rank", [1, 8]),
        ("tri-degree", "degrees", [np.full(planted.n_nodes, d) for d in (2, 3)]),
    ):
        models = [make(name, n_starts=1, max_iter=1, **{param: value}) for value in values]
        result = lp.evaluate(models, planted)
        assert len(result.models) == len(result.cells) == 2
        shown = [params[param] for params in result.facts["models"].values()]
        np.testing.assert_array_equal(shown, values)


QUICK = {"n_starts": 1, "max_iter": 2, "warmup": 5}


def test_models_with_a_degree_prior_are_evaluate_methodsout_it_too():
    made = model_specs(["pa", make("tri-degree", **QUICK), "nuclear-degree"], ablations=True)
    labels = [one.label for one in made]
    assert labels[:5] == ["pa", "tri-degree", *(f"tri-degree[{name}]" for name in ABLATIONS)]
    assert len(labels) == 9


def test_what_an_ablation_changes(planted):
    split = uniform(planted, 0.7, 0, "all-nodes")
    made = {one.label: one for one in model_specs([make("tri-degree", **QUICK)], ablations=True)}
    off = made["tri-degree[prior off]"].make(split)
    assert type(off).name == "tri"
    assert off.max_iter == 7
    shuffled = made["tri-degree[shuffled degrees]"].make(split)
    assert shuffled.degrees == "shuffled"
    true = made["tri-degree[true degrees]"].make(split)
    assert true.degrees == planted.degrees.tolist()
    assert made["tri-degree"].make(split).degrees == "observed"


@pytest.mark.parametrize(
    ("degrees", "message"),
    [
        ("guessed", "degrees must be one of observed, shuffled"),
        ([1, 2], "degrees must be a vector of length"),
        ([-1] * 240, "degrees must"),
    ],
)
def test_bad_degrees(planted, degrees, message):
    with pytest.raises(ParameterError, match=message):
        make("tri-degree", degrees=degrees, **QUICK).fit(planted)


@pytest.mark.parametrize("models", [5, None, [], [5]])
def test_what_is_no_list_of_models(models):
    with pytest.raises(ParameterError, match="model"):
        model_specs(models)


def test_templates_are_copied_never_fitted(planted):
    template = make("pa")
    (one,) = model_specs([template])
    fresh = one.make(uniform(planted, 0.9)).fit(planted)
    assert fresh is not template
    assert not template.fitted


# ---------------------------------------------------------------------- models from elsewhere


class ByPairs:
    """A model from elsewhere; it scores as pa does."""

    def fit(self, network):
        self.degrees = network.degrees.astype(float)
        return self

    def score_pairs(self, pairs):
        return self.degrees[pairs].prod(axis=1)


class FitOnly:
    fit = ByPairs.fit


class ByValue(FitOnly):
    predict = ByPairs.score_pairs


@pytest.mark.parametrize("models", [ByPairs(), [ByPairs()], {"mine": ByPairs()}, [ByValue()]])
def test_an_object_that_can_fit_and_score_is_a_model(planted, models):
    found = lp.evaluate(models, planted)
    assert found.models in (["mine"], ["ByPairs"], ["ByValue"])
    expected = lp.evaluate("pa", planted).mean("pa", "auprc")
    assert found.mean(found.models[0], "auprc") == pytest.approx(expected)


@pytest.mark.parametrize(
    ("model", "said"),
    [(FitOnly(), "one of the methods score_pairs"), (object(), "a method fit")],
)
def test_an_object_without_a_method_is_refused_by_its_name(planted, model, said):
    with pytest.raises(ParameterError, match=said):
        lp.evaluate([model], planted)
    with pytest.raises(ParameterError, match="which parameters to tune"):
        lp.tune(ByPairs(), planted, trials=2)
