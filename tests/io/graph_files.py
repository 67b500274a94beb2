"""Helpers: write a file, read it, and compare the network with another library's graph."""

import pytest

from linkprior.errors import InputError
from linkprior.io.read import read


def written(tmp_path, name, content):
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def reading(tmp_path, name, content, **options):
    return read(written(tmp_path, name, content), **options)


def problem(tmp_path, name, content, **options):
    with pytest.raises(InputError) as caught:
        reading(tmp_path, name, content, **options)
    assert "\n" not in str(caught.value)
    return str(caught.value).replace(str(tmp_path) + "/", "")


def pairs(network):
    names = network.names
    return {frozenset((names[i], names[j])) for i, j in network.edges.tolist()}


def expected_pairs(graph, name_of=str):
    return {frozenset((name_of(a), name_of(b))) for a, b in graph.edges() if a != b}


def dropped(found):
    return {entry["reason"]: entry["count"] for entry in found.report.dropped}


def same(found, graph, name_of=str):
    """Tell whether all nodes and edges of a networkx graph were read, in its order of nodes."""
    return list(found.network.names) == [name_of(v) for v in graph] and (
        pairs(found.network) == expected_pairs(graph, name_of)
    )
