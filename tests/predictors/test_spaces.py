"""Search spaces: every model has one or is known to have nothing to tune, and they make sense."""

from dataclasses import dataclass

import numpy as np
import pytest

import linkprior as lp
from linkprior.errors import LinkpriorError, ParameterError
from linkprior.predictors.consensus import Consensus
from linkprior.predictors.degree_prior import DegreeOver
from linkprior.predictors.registry import MODELS, find, make, tunable
from linkprior.predictors.spaces import Axis, searched, space_of

# Numbers that buy precision with time, or are no choice of the model: never searched.
NOT_SEARCHED = {"seed", "n_starts", "max_iter", "tol", "n", "cg_steps", "max_blocks"}
OF_AUTO = {"hidden", "missing"}  # how it learns by itself, and what it assumes
DECLARED = {name: find(name).search_space for name in MODELS}
SPACES = {name: axes for name, axes in DECLARED.items() if axes}
NOTHING = [name for name, axes in DECLARED.items() if axes == {}]
SEARCHED = [(model, name) for model, axes in SPACES.items() for name in axes]


def test_every_model_has_a_space_or_nothing_to_tune():
    assert {*SPACES, *NOTHING} == set(MODELS)
    assert list(SPACES) == tunable()
    wrapped = {name: find(name).search_space for name in ("degree:l3", "consensus:l3")}
    assert list(wrapped["degree:l3"]) == ["alpha", "c", "tau"]
    assert wrapped["consensus:l3"] == {}


def test_a_model_without_a_search_space_is_refused_and_the_remedy_named(planted):
    @dataclass(eq=False, kw_only=True)
    class Own(find("cn")):
        name = "own"
        search_space = None

    for model in (Own(), Consensus.over(Own)(resample=0.1)):
        with pytest.raises(ParameterError, match=r"does not say .* search_space = .*Axis\(low"):
            lp.tune(model, planted, trials=2)
    assert set(searched(DegreeOver.over(Own)())) == {"alpha", "c", "tau"}


@pytest.mark.parametrize("model", NOTHING)
def test_a_model_with_nothing_to_tune_has_no_number_to_choose(model):
    numbers = [k for k, v in make(model).get_params().items() if isinstance(v, int | float)]
    assert set(numbers) <= NOT_SEARCHED | (OF_AUTO if model == "auto" else set())
    assert space_of(make(model), lp.planted_network(40)) == {}


@pytest.mark.parametrize(("model", "name"), SEARCHED)
def test_a_parameter_that_is_searched_exists_and_its_default_lies_inside(model, name):
    net, given = lp.planted_network(240, seed=1), make(model).get_params()
    assert name in given
    declared, axis = SPACES[model][name], space_of(make(model), net)[name]
    assert axis.low < axis.high
    if given[name] is None and declared.none_is is None:
        assert (model, name) == ("dcsbm", "n_blocks")  # the model finds out while it fits
        return
    unit = declared.none_is(net) if declared.relative else 1.0
    default = declared.none_is(net) if given[name] is None else given[name]
    assert declared.low * unit < default < declared.high * unit  # not only because it was widened
    assert axis.low <= axis.position(net, given[name]) <= axis.high


@pytest.mark.parametrize("model", SPACES)
def test_every_space_has_a_grid_within_its_intervals(model):
    axes = space_of(make(model), lp.planted_network(240, mean_degree=6, seed=1))
    assert np.prod([len(axis.grid) or 1 for axis in axes.values()]) > 2
    for name, axis in axes.items():
        assert all(axis.low <= value <= axis.high for value in axis.grid)
        assert len(axis.grid) == len(SPACES[model][name].grid), name
        kind = int if axis.whole else float
        assert all(isinstance(value, kind) for value in (axis.low, axis.high, *axis.grid))


@pytest.mark.parametrize("model", SPACES)
@pytest.mark.parametrize("end", ["low", "high"])
def test_the_ends_of_a_space_can_be_fitted_on_a_small_network(model, end):
    net = lp.planted_network(40, 3, 6, seed=2)
    cheap = {"n_starts": 1, "warmup": 3, "max_iter": 3, "n": 1}
    names = make(model).parameter_names()
    axes = space_of(make(model), net, fixed=[k for k in cheap if k in names])
    params = {k: v for k, v in cheap.items() if k in names}
    params |= {name: getattr(axis, end) for name, axis in axes.items()}
    assert np.isfinite(make(model, **params).fit(net).score_rows(0, 5)).all()


def test_a_value_outside_widens_the_interval_and_a_small_network_narrows_it(planted):
    assert space_of(make("katz", beta=0.99), planted)["beta"].high == 0.99
    assert space_of(make("tri", rho=0.001), planted)["rho"].low == 0.001
    tiny = lp.Network.from_edges([(0, 1), (1, 2)])
    rank = space_of(make("tri"), tiny)["rank"]
    assert (rank.low, rank.high, rank.grid) == (3, 3, ())
    assert space_of(make("tri-l1", lam=0.0), planted)["lam"].low == 1e-5  # log scales have no 0


def test_fixed_parameters_are_not_searched_and_unknown_ones_refused(planted):
    assert set(space_of(make("tri"), planted, ["rank"])) == {"rho", "max_iter"}
    with pytest.raises(ParameterError, match="tri has no parameter 'rnak'. Did you mean rank"):
        space_of(make("tri"), planted, ["rnak"])
    assert issubclass(ParameterError, LinkpriorError)


def test_values_are_tried_with_three_digits_and_never_leave_the_interval():
    axis = Axis(0.0123, 0.9)
    assert axis.inside(0.123456) == 0.123
    assert axis.inside(0.89999) == 0.9
    assert axis.inside(0.01) == 0.0123
    assert Axis(2, 10, whole=True).inside(3.4) == 3
