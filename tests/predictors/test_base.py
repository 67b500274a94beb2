"""What users hold: pairs by name or position, and estimators of other libraries."""

import pickle
import warnings

import numpy as np
import pytest

import linkprior as lp
from linkprior.errors import InputError, LinkpriorError, ParameterError
from linkprior.predictors.meta import as_predictor

NUMBERED = [(7, 12), (12, 30), (30, 7), (30, 41)]  # names 12, 30, 41, 7 in this order


# ---------------------------------------------------------------------- names and positions


@pytest.fixture(scope="module")
def numbered():
    return lp.make("cn").fit(lp.Network.from_edges(NUMBERED))


def test_numbers_are_positions_where_names_are_no_numbers():
    model = lp.make("pa").fit(lp.Network.from_edges([("a", "b"), ("b", "c"), ("c", "9")]))
    names = model.network_.names
    by_name = model.score_pairs([(names[0], names[2]), (names[1], names[3])])
    assert model.score_pairs([(0, 2), (1, 3)]).tolist() == by_name.tolist()
    assert model.score_pairs(np.array([[0, 2], [1, 3]]), by="position").tolist() == by_name.tolist()


def test_numbers_that_are_names_and_positions_alike_need_no_word():
    model = lp.make("pa").fit(lp.Network.from_edges([(0, 1), (1, 2), (2, 3)]))
    assert model.network_.names == ("0", "1", "2", "3")
    assert model.score_pairs([(1, 2)]).tolist() == model.score_pairs([("1", "2")]).tolist() == [4.0]


@pytest.mark.parametrize("method", ["score_pairs", "explain"])
def test_numbers_of_nodes_named_by_numbers_are_refused_without_a_word(numbered, method):
    with pytest.raises(ParameterError, match="by='name' or by='position'"):
        getattr(numbered, method)([(0, 1)])


@pytest.mark.parametrize(
    ("pairs", "by"),
    [
        ([("7", "41")], None),
        ([("7", "41")], "name"),
        ([(7, 41)], "name"),
        (np.array([[41, 7]], dtype=np.uint8), "name"),
    ],
)
def test_by_says_what_numbers_stand_for(numbered, pairs, by):
    names = numbered.network_.names
    at = [(names.index("7"), names.index("41"))]
    assert numbered.score_pairs(pairs, by).tolist() == [1.0]
    assert numbered.score_pairs(at, by="position").tolist() == [1.0]
    assert numbered.explain(pairs, by).score.tolist() == [1.0]


def test_what_cannot_be_meant_is_refused(numbered):
    with pytest.raises(ParameterError, match="by must be"):
        numbered.score_pairs([(0, 1)], by="rank")
    with pytest.raises(InputError, match="'8'"):
        numbered.score_pairs([(7, 8)], by="name")
    with pytest.raises(InputError, match="two different nodes"):
        numbered.score_pairs([(7, 7)], by="name")
    assert len(numbered.score_pairs(np.empty((0, 2), int))) == 0


def test_a_saved_model_of_numbered_nodes_is_read_back(numbered, tmp_path):
    numbered.save(tmp_path / "model")
    assert lp.load(tmp_path / "model").score_pairs([("7", "41")]).tolist() == [1.0]


# ---------------------------------------------------------------------- names of before


def test_methods_renamed_still_answer_and_warn():
    model = lp.make("pa").fit(lp.planted_network(20, seed=0))
    for old, given, expected in (
        ("words", (), []),
        ("score_at", (0.5,), 0.5),
        ("heeded", (), frozenset({"weights"})),
    ):
        with pytest.warns(DeprecationWarning, match=rf"^{old}\(\) is now "):
            assert getattr(model, old)(*given) == expected
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert type(model).heeded() == {"weights"}


def test_a_model_without_prior_has_none_to_take_away():
    with pytest.raises(ParameterError, match="cn has no degree prior"):
        lp.make("cn").without_prior()


# ---------------------------------------------------------------------- other libraries


class Degrees:
    """As scikit-learn has it: parameters, a fit, and scores for some rows."""

    def __init__(self, power=1.0):
        self.power = power

    def get_params(self, deep=True):
        return {"power": self.power}

    def set_params(self, **params):
        self.__dict__.update(params)
        return self

    def fit(self, network):
        self.degrees = network.degrees**self.power
        return self

    def predict_proba(self, pairs):
        scores = self.degrees[pairs].prod(axis=1)
        return np.stack([-scores, scores], axis=1)


class Plain:
    """No more than two methods."""

    def fit(self, network):
        self.network = network

    def predict(self, pairs):
        return np.asarray(pairs).sum(axis=1)


def test_an_estimator_of_another_library_is_evaluated_like_a_model():
    net, estimator = lp.planted_network(50, seed=0), Degrees()
    model = as_predictor(estimator)
    assert as_predictor(model) is model
    assert (model.name, model.get_params()) == ("Degrees", {"power": 1.0})
    ours, theirs = lp.make("pa").fit(net), type(model)(**model.get_params()).fit(net)
    assert theirs.predict_edges(30).names == ours.predict_edges(30).names
    assert theirs.score_rows(3, 5).tolist() == ours.score_rows(3, 5).tolist()
    again = pickle.loads(pickle.dumps(theirs))  # noqa: S301
    assert again.score_pairs([(0, 1)]).tolist() == ours.score_pairs([(0, 1)]).tolist()
    table = lp.evaluate([model, "pa"], net).to_frame().pivot(columns="model", index="metric")
    auprc = table["value"].loc["auprc"]
    assert auprc["Degrees"] == auprc["pa"]
    assert not hasattr(estimator, "degrees")  # copies are fitted


def test_parameters_of_an_estimator_are_set_on_its_copy():
    net = lp.planted_network(30, seed=0)
    flat = as_predictor(Degrees()).set_params(power=0.0).fit(net)
    assert set(flat.score_pairs([(0, 1), (2, 3)])) == {1.0}
    with pytest.raises(ParameterError, match="Degrees has no parameter 'pwer'"):
        as_predictor(Degrees()).set_params(pwer=1.0)
    assert as_predictor(Plain()).fit(net).score_pairs([(2, 3)]).tolist() == [5.0]


@pytest.mark.parametrize(
    ("methods", "message"),
    [
        ({}, r"needs a method fit\(network\), which Bad lacks"),
        ({"predict": lambda self, pairs: pairs}, r"needs a method fit\(network\)"),
        ({"fit": lambda self, net: None}, "one of the methods score_pairs, .*Bad has none of them"),
    ],
)
def test_a_missing_method_is_named(methods, message):
    with pytest.raises(ParameterError, match=message):
        as_predictor(type("Bad", (), methods)())


@pytest.mark.parametrize("answer", [[[1.0, 2.0]], [1.0, 2.0], ["a"], 3.0])
def test_scores_of_another_shape_or_kind_are_refused(answer):
    methods = {"fit": lambda self, net: None, "score_pairs": lambda self, pairs: answer}
    model = as_predictor(type("Bad", (), methods)()).fit(lp.planted_network(20, seed=0))
    with pytest.raises(LinkpriorError, match=r"Bad.score_pairs must return one number for each of"):
        model.score_pairs([(0, 1)])


def test_a_class_is_no_object_and_an_estimator_is_not_saved_or_tuned(tmp_path):
    with pytest.raises(ParameterError, match="got the class Degrees: call it first"):
        as_predictor(Degrees)
    net = lp.planted_network(20, seed=0)
    with pytest.raises(ParameterError, match="only its own library can save it"):
        as_predictor(Degrees()).fit(net).save(tmp_path / "model")
    with pytest.raises(ParameterError, match="Degrees does not say which parameters to tune"):
        lp.tune(as_predictor(Degrees()), net, trials=2)
