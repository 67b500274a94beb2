"""Docstrings of models and rankings: complete, and their examples run."""

import doctest
import inspect
from importlib import import_module

import pytest

import linkprior as lp
from linkprior.predictors.base import sections
from linkprior.predictors.registry import MODELS, WRAPPERS, find

PLACES = sorted({place.partition(":")[0] for place in [*MODELS.values(), *WRAPPERS.values()]})
MODULES = [
    *(f"linkprior.predictors.{place}" for place in ("base", "meta", "registry", *PLACES)),
    *(f"linkprior.ranking.{name}" for name in ("candidates", "ranking")),
]


@pytest.mark.parametrize("module", MODULES)
def test_examples_give_what_they_show(module):
    failed, tried = doctest.testmod(import_module(module))
    assert tried > 0
    assert failed == 0


@pytest.mark.parametrize("name", [*MODELS, "degree:tri-l1", "consensus:pu", "degree:consensus:tri"])
def test_a_model_documents_every_parameter_and_has_an_example(name):
    model = find(name)
    assert model.name == name
    told = sections(model.__doc__)
    listed = [line for line in told.get("Parameters", "").splitlines() if line[:1] != " "]
    documented = {word.strip() for line in listed for word in line.split(",")}
    assert documented >= set(model.parameter_names())
    assert ">>> " in told["Examples"]


@pytest.mark.parametrize(
    "name", [n for n, _ in inspect.getmembers(lp.LinkPredictor) if n[0] != "_"]
)
def test_public_methods_are_documented(name):
    method = getattr(lp.LinkPredictor, name)
    if callable(method):
        assert "Examples\n--------" in inspect.getdoc(method)
