"""What tests of solvers share."""

import pytest

from linkprior import parallel
from linkprior.solvers import symmetric_prox, tri_admm


@pytest.fixture
def released(monkeypatch):
    """Tell which rows of matrices were let go of since the last question."""
    told, usual = [], tri_admm.release

    def noted(matrix, start, stop):
        told.append((matrix, range(start, stop)))
        usual(matrix, start, stop)

    monkeypatch.setattr(parallel, "_BLOCK_ENTRIES", 1)  # four blocks of rows
    for module in (tri_admm, symmetric_prox):
        monkeypatch.setattr(module, "release", noted)
        monkeypatch.setattr(module, "DISK_ROWS", 9)

    def rows(*matrices):
        found = [{row for one, some in told if one is asked for row in some} for asked in matrices]
        told.clear()
        return found

    return rows
