"""Which tests a mutant is asked, where they take longer than it is given."""

from mutants.covering import BUDGET, within_budget
from mutants.covering import Test as SideInformation


def test_each_function_comes_once_before_any_comes_twice_and_a_killer_before_all():
    fast = [SideInformation(f"a.py::test_many[{n}]", BUDGET / 4, "") for n in range(9)]
    other = SideInformation("a.py::test_other", BUDGET / 2, "")
    assert within_budget([*fast, other]) == [fast[0], other, fast[1]]
    assert within_budget([*fast, other], fast[8].name) == [fast[8], other, fast[0]]
    assert within_budget([*fast, other], "a.py::test_that_is_gone") == [fast[0], other, fast[1]]


def test_one_that_takes_all_of_it_is_asked():
    assert within_budget([SideInformation("a.py::test_long", 2 * BUDGET, "")]) != []
