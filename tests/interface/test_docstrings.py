"""Every public name says what it expects and returns, and shows an example that runs."""

import doctest

import pytest
from tools.house import complete, public

from linkprior.coverage import Coverage

THINGS = dict(public()) | {
    f"Coverage.{name}": getattr(Coverage, name) for name in ("text", "to_dict")
}


def examples(name):
    """The examples of a name; those of a class's methods are found at the methods."""
    found = doctest.DocTestFinder(recurse=False).find(THINGS[name], name, globs={})
    return [one for one in found if one.examples]


@pytest.mark.parametrize("name", sorted(THINGS))
def test_a_public_name_has_its_sections(name):
    assert complete(THINGS[name])


@pytest.mark.parametrize("name", [name for name in sorted(THINGS) if examples(name)])
def test_examples_run_and_show_what_they_print(name):
    report = []
    runner = doctest.DocTestRunner(verbose=False)
    for one in examples(name):
        runner.run(one, out=report.append)
    assert runner.failures == 0, "".join(report)
