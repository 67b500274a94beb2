"""Who is judged: labels, copies, and ablations of the prior."""

import numpy as np
import pytest

import linkprior as lp
from linkprior.errors import ParameterError
from linkprior.evaluation.evaluate import ABLATIONS, model_specs
from linkprior.evaluation.splits import uniform
from linkprior.predictors.registry import make

QUICK = {"n_starts": 1, "max_iter": 2, "warmup": 5}


def test_models_with_a_degree_prior_are_judged_without_it_too():
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


def test_nuclear_degree_without_its_prior_ranks_by_the_estimate_alone(planted):
    plain = make("nuclear-degree", max_iter=3).without_prior().fit(planted)
    pairs = planted.edges[:20]
    np.testing.assert_array_equal(plain.explain(pairs).prior, 0.0)


def test_shuffled_degrees_are_the_same_degrees_at_other_nodes(planted):
    from linkprior.model.degrees import estimate_degrees, prior_degrees

    d = estimate_degrees(planted, c=1.5)
    shuffled = prior_degrees(planted, c=1.5, given="shuffled", seed=1)
    assert sorted(d) == sorted(shuffled)
    assert (d != shuffled).any()
    assert (shuffled == prior_degrees(planted, c=1.5, given="shuffled", seed=1)).all()
    given = prior_degrees(planted, c=2.0, given=planted.degrees.tolist())
    assert (given == np.clip(2 * planted.degrees, 1, planted.n_nodes - 1)).all()


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


def test_a_model_with_given_degrees_is_saved_and_loaded(tmp_path, planted):
    model = make("tri-degree", degrees=planted.degrees.tolist(), **QUICK).fit(planted)
    model.save(tmp_path / "model")
    assert lp.load(tmp_path / "model").degrees == planted.degrees.tolist()


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
