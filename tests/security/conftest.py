"""What the command keeps, made once."""

import pytest
from tests.security import samples


@pytest.fixture(scope="session")
def results(tmp_path_factory):
    return samples.write_results(tmp_path_factory.mktemp("kept") / "results")
