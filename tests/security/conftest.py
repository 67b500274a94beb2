"""What the command keeps, made once."""

import shutil

import pytest
from tests.security import samples


@pytest.fixture(scope="session")
def results(tmp_path_factory):
    return samples.write_results(tmp_path_factory.mktemp("kept") / "results")


@pytest.fixture
def copies(results, tmp_path):
    """A folder with copies of the folders of results, to be changed."""
    for folder in results:
        shutil.copytree(folder, tmp_path / folder.name)
    return tmp_path
