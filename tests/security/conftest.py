"""What the command keeps, made once."""

import pytest
from tests.security import samples


@pytest.fixture(scope="session")
def results(tmp_path_factory):
    """The folders of a run, an evaluation and a study; not to be changed."""
    return samples.write_results(tmp_path_factory.mktemp("kept") / "results")
