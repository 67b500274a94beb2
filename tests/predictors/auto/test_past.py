"""Learning from two releases instead of hidden edges."""

import numpy as np
import pytest
from made import sample, with_signal

import linkprior as lp
from linkprior.evaluation.judge import judge
from linkprior.evaluation.metrics import measure
from linkprior.evaluation.ranks import stand
from linkprior.evaluation.splits import release
from linkprior.predictors.auto import holdout
from linkprior.predictors.auto.calibration import Calibration
from linkprior.predictors.auto.stack import Trainer


def releases(seed=0, finds=60, rounds=2):
    """Networks in time: edges follow groups, but what is found afterwards joins large hubs."""
    rng = np.random.default_rng(seed)
    found = [lp.planted_network(150, n_groups=5, mean_degree=6.0, seed=seed)]
    k = found[0].degrees.astype(float)
    chance = np.triu(np.outer(k, k) ** 2, 1).ravel()
    for _ in range(rounds):
        p, chance_now = len(k), chance.copy()
        chance_now[found[-1].edges @ [p, 1]] = 0.0
        new = rng.choice(p * p, finds, replace=False, p=chance_now / chance_now.sum())
        pairs = np.concatenate([found[-1].edges, np.stack(np.divmod(new, p), axis=1)])
        found.append(lp.Network.from_indices(pairs, found[-1].names))
    return found


@pytest.fixture(scope="module")
def fitted():
    older, newer, _ = releases()
    return lp.make("auto", effort="fast").fit(newer.with_history(older, newer))


def test_halves_hold_every_pair_once():
    whole = with_signal(0, [1.0], n=500)
    one, other = whole.halves(np.random.default_rng(0))
    assert len(one.y) + len(other.y) == 500
    assert one.y.sum() + other.y.sum() == whole.y.sum()
    assert abs(len(one.y) - 250) < 60


def test_halves_by_hub_share_no_hub_and_both_have_hits():
    hub = np.repeat(np.arange(20), 30)
    y = np.zeros(600, bool)
    y[::7] = True
    one, other = sample(np.zeros((600, 1)), y, hub=hub).halves_by_hub(np.random.default_rng(1))
    assert not set(one.hub) & set(other.hub)
    assert len(one.y) + len(other.y) == 600
    assert min(one.y.sum(), other.y.sum()) > 0.3 * y.sum()


@pytest.mark.at_length
def test_chances_are_judged_apart_where_samples_know_of_each_other():
    labels, where = ("a", "b"), {"columns": (0,), "floor": 3.0, "n_pairs": 3000}
    samples = [with_signal(seed, [1.0, 0.2]) for seed in (1, 2)]
    apart = [with_signal(seed, [1.0, 0.2]) for seed in (3, 4)]
    trained = Trainer(samples, labels, "auprc", 10, apart).train(**where)
    judged = [one for _, one in trained.judged]
    assert len(judged) == 2
    assert {id(one) for one in judged} == {id(one) for one in apart}


def test_without_a_ratio_chances_are_the_rates_at_which_pairs_were_found():
    y = np.repeat([True, False], [300, 700])
    np.random.default_rng(0).shuffle(y)
    known = Calibration.learn([(np.zeros(1000), sample(np.zeros((1000, 1)), y))], None)
    assert known.chance(np.array([0.0]))[0] == pytest.approx(0.3)


def test_auto_says_that_it_learned_from_releases_and_what_chances_rest_on(fitted):
    assert "newer release found" in fitted.summary()[0]
    assert "next release" in fitted.assumption()


@pytest.mark.at_length
def test_what_releases_taught_finds_more_of_the_next_one_than_hidden_edges_do(fitted):
    """Hidden edges teach that links follow groups; here what is found next joins hubs."""
    older, newer, newest = releases()
    del older
    split = release(newer, newest)
    plain = judge("auto", lp.make("auto", effort="fast"), split).values["auprc"]
    taught = measure(stand(fitted, split))["auprc"]
    assert len(split.hidden) == 60
    assert taught > 1.5 * plain


@pytest.mark.at_length
def test_too_few_finds_leave_auto_with_hidden_edges():
    older, newer, _ = releases(finds=holdout.FEWEST - 5)
    model = lp.make("auto", effort="fast").fit(newer.with_history(older, newer))
    assert "too few to learn from" in model.summary()[0]
    plain = lp.make("auto", effort="fast").fit(newer)
    assert model.predict_edges(20).names == plain.predict_edges(20).names
    assert "% of all links are missing" in model.assumption()


def test_a_model_that_learned_from_releases_is_saved_without_them(fitted, tmp_path):
    fitted.save(tmp_path / "model")
    again = lp.load(tmp_path / "model")
    assert again.network_.known.history is None
    assert again.predict_edges(50).names == fitted.predict_edges(50).names
    assert again.assumption() == fitted.assumption()
