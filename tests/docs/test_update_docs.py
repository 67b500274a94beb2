"""README.md and pages under docs have the tables that benchmarks/results give."""

import pytest
from benchmarks import update_docs
from benchmarks.update_docs import OF_CELLS, TABLES, marks, with_table
from tests.benchmark.made_up import cells

from linkprior.experiments.results import Results


@pytest.fixture(scope="module")
def tables():
    return {name: (page, text) for name, page, text in update_docs.tables()}


@pytest.mark.parametrize("name", [*OF_CELLS, *TABLES])
def test_a_page_has_the_table_that_the_results_give(name, tables):
    file, text = tables[name]
    begin, end = marks(name)
    page = (update_docs.ROOT / file).read_text(encoding="utf-8")
    shown = page.split(begin)[1].split(end)[0].strip("\n")
    assert shown == text, "run: python -m benchmarks.update_docs --write"


def test_tables_are_means_of_made_up_cells():
    table = {
        "USAir": {"auto": [0.5, 0.6], "pa": [0.05, 0.07]},
        "yeast": {"auto": [0.02, 0.03], "pa": [0.2, 0.4]},
    }
    found = Results(cells(table))
    rows = update_docs.suite(found).splitlines()[2:]
    assert rows[0].startswith("| yeast (2) | .0250 ± .007 (pa .300) |")
    assert rows[1].startswith("| USAir (2) | **.550 ± .071** (pa .0600) |")


def test_a_table_stands_between_its_marks_and_nothing_else_changes():
    begin, end = marks("ranks")
    page = f"before\n{begin}\nold\n{end}\nafter\n"
    assert with_table(page, "ranks", "new") == f"before\n{begin}\nnew\n{end}\nafter\n"
