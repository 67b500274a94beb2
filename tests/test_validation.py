"""Checks of single parameters: the message names parameter, value and what is allowed."""

import numpy as np
import pytest

from linkprior import _validation
from linkprior.errors import ParameterError, nearest


@pytest.mark.parametrize("value", [0, 11, 2.0, True, None, "3"])
def test_whole_number_names_parameter_value_and_range(value):
    with pytest.raises(ParameterError, match=r"rank must be a whole number in 1…10, got"):
        _validation.whole_number("rank", value, 1, 10)


@pytest.mark.parametrize("value", [0.0, 1.0, np.nan, np.inf, "0.5", True, None])
def test_real_number_names_parameter_value_and_interval(value):
    with pytest.raises(ParameterError, match=r"rho must be a number in \(0, 1\), got"):
        _validation.real_number("rho", value, 0.0, 1.0)
    assert _validation.real_number("rho", np.float32(0.5), 0.0, 1.0) == 0.5


def test_choices_and_near_names():
    with pytest.raises(ParameterError, match="one of dual, mm, got 'duel'. Did you mean dual?"):
        _validation.choice("method", "duel", ["dual", "mm"])
    assert nearest("xyz", ["dual"]) == ""


def test_degrees_too_large_are_refused():
    with pytest.raises(ParameterError, match="degrees must be smaller"):
        _validation.degree_vector("degrees", [1e300])
