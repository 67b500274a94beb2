import pytest
from tests.cli.support import by_name


@pytest.fixture
def edges(planted, tmp_path):
    """The planted network as a file."""
    path = tmp_path / "edges.tsv"
    path.write_text("".join(f"{a}\t{b}\n" for a, b in by_name(planted, planted.edges)))
    return path
