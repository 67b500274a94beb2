"""docs/paper_map.md names labels, functions and tests: every one of them must exist."""

from __future__ import annotations

import ast
import re
from functools import cache
from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAPER_MAP = ROOT / "docs" / "paper_map.md"

# Every label of an equation, theorem, lemma or algorithm, as the paper's source spells it.
LABELS = (
    *("degree_inducing", "property", "e:H-increasing", "alg", "bound", "e:obj"),
    *("expected-recovery-error", "mistake-bound", "scaled", "regularized_objective"),
    *("new_regularized_objective", "Step_One", "Step_Two", "small_problem", "dual_relax"),
    *("dual_iteration", "e:objapp", "lem:recovery-label", "e:Pthres", "lem:label-loss"),
    *("e:loss-and-error-weak", "e:loss-and-error", "e:ULLN"),
    *(f"e:Rademacher-{number}" for number in range(1, 6)),
)
METHODS = ("Tri", "Tri+L1", "Tri+Scale", "Tri+Degree", "PU")


def rows():
    """The four cells of every row of the page's tables, heads left out."""
    found = []
    for line in PAPER_MAP.read_text(encoding="utf-8").splitlines():
        if line.startswith("|") and not line.startswith(("| in the paper", "|---")):
            cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
            assert len(cells) == 4, f"expected 4 cells: {line}"
            found.append(cells)
    return found


def quoted(cell):
    return re.findall(r"`([^`]+)`", cell)


ROWS = rows()
FUNCTIONS = sorted({name for row in ROWS for name in quoted(row[2])})
TESTS = sorted({name for row in ROWS for name in quoted(row[3])})


def resolve(dotted):
    """Import the longest module in a dotted name, then follow attributes."""
    parts = dotted.split(".")
    for cut in range(len(parts), 0, -1):
        try:
            found = import_module(".".join(parts[:cut]))
        except ModuleNotFoundError as error:
            if error.name is None or not dotted.startswith(error.name):
                raise  # something that module needs is missing: another matter
            continue
        for attribute in parts[cut:]:
            found = getattr(found, attribute)
        return found
    raise ModuleNotFoundError(dotted)


@cache
def functions_in(path):
    tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
    return {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}


def test_every_label_and_method_of_the_paper_is_mapped_and_spelt_right():
    mapped = {label for row in ROWS for label in quoted(row[0])}
    assert mapped == set(LABELS)
    assert set(METHODS) <= {row[0] for row in ROWS}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_function_exists(name):
    assert name.startswith("linkprior.")
    assert callable(resolve(name))


@pytest.mark.parametrize("name", TESTS)
def test_every_test_exists(name):
    path, _, function = name.partition("::")
    assert function.startswith("test_")
    assert function in functions_in(path)


def test_every_row_has_code_and_a_test():
    assert len(ROWS) > 40
    for row in ROWS:
        assert quoted(row[2]), f"no code: {row[0]}"
        assert quoted(row[3]), f"no test: {row[0]}"
