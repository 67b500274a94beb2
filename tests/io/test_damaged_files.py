"""Damaged files: whatever happened to a file, the reader succeeds or says so in one line."""

import io
import json
import zipfile

import networkx as nx
import numpy as np
import pytest
import scipy.io
import scipy.sparse as sp
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.io.files import MITAB_TEXT, STRING, biogrid

from linkprior.errors import InputError, LinkpriorError
from linkprior.io.formats import ReadOptions
from linkprior.io.read import read

GRAPH = nx.relabel_nodes(nx.karate_club_graph(), {0: "TP53", 1: "ä b", 2: "<&>"})
QUIET = nx.Graph(list(GRAPH.edges()))  # without attributes that some writers warn about


def bytes_of(write, graph):
    target = io.BytesIO()
    write(graph, target)
    return target.getvalue()


def npz(layout):
    target = io.BytesIO()
    matrix = nx.to_scipy_sparse_array(QUIET, format="coo")
    sp.save_npz(target, matrix.asformat(layout), compressed=False)
    return target.getvalue()


def matrix_market(matrix, **how):
    target = io.BytesIO()
    scipy.io.mmwrite(target, matrix, **how)
    return target.getvalue()


def cx2():
    number = {v: i for i, v in enumerate(GRAPH)}
    aspects = [
        {"CXVersion": "2.0"},
        {"attributeDeclarations": [{"nodes": {"name": {"a": "n", "d": "string", "v": "x"}}}]},
        {"nodes": [{"id": i, "v": {"n": str(v)}} for v, i in number.items()]},
        {"edges": [{"id": 0, "s": number[a], "t": number[b]} for a, b in GRAPH.edges()]},
        {"status": [{"success": True}]},
    ]
    return json.dumps(aspects, indent=0).encode()


def metis():
    number = {v: i + 1 for i, v in enumerate(QUIET)}
    rows = [" ".join(str(number[w]) for w in QUIET[v]) for v in QUIET]
    return "\n".join([f"{len(QUIET)} {QUIET.number_of_edges()}", *rows, ""]).encode()


WHOLE = {
    "graphml": bytes_of(nx.write_graphml, GRAPH),
    "gexf": bytes_of(nx.write_gexf, GRAPH),
    "cx2": cx2(),
    "pajek": bytes_of(nx.write_pajek, QUIET) + b"*Matrix\n" + b"0 " * 34 + b"\n",
    "metis": metis(),
    "sif": "".join(f"{a}\tpp\t{b}\n" for a, b in GRAPH.edges()).encode(),
    "matrix-market": matrix_market(nx.to_scipy_sparse_array(QUIET, dtype=float)),
    "matrix-market array": matrix_market(nx.to_numpy_array(QUIET), symmetry="symmetric"),
    "npz": npz("csr"),
}
# Words that readers look for, and numbers that are none or too large.
MARKS = [
    b"\0", b"\r", b"\n", b"\t", b"\xff", b"\xef\xbb\xbf", b'"', b"<", b">", b"&", b"</node>",
    b"<edge/>", b"<!ENTITY a 'b'>", b"-1", b"99999999999999999999", b"1e400", b"nan",
    b"*Vertices 7\n", b"*Matrix\n", b"*Edges\n", b"%", b"{", b"[", b"]}", b"null", b"true",
    b"\xe2\x80\xae", b"' '", b"0", b"1 1 1 1\n",
]  # fmt: skip

damages = st.lists(
    st.tuples(
        st.sampled_from(["cut", "flip", "insert", "delete", "copy"]),
        st.floats(0, 1, exclude_max=True),
        st.sampled_from(MARKS) | st.binary(min_size=1, max_size=4),
    ),
    min_size=1,
    max_size=4,
)


def damaged(content, steps):
    for how, place, mark in steps:
        at = int(place * len(content))
        if how == "cut":
            content = content[:at]
        elif how == "flip":
            content = content[:at] + bytes([mark[0] ^ 0x5A]) + content[at + 1 :]
        elif how == "insert":
            content = content[:at] + mark + content[at:]
        elif how == "delete":
            content = content[:at] + content[at + 16 * len(mark) :]
        else:
            content = content[:at] + content[at // 2 : at] + content[at:]
    return content


def read_or_say_so(path, content, format=None, problems=InputError, **options):
    path.write_bytes(content)
    try:
        assert read(path, format, options=ReadOptions(**options)).network.n_edges > 0
    except problems as problem:
        told = str(problem)
        if not told.startswith((str(path), "--")) or "\n" in told:
            raise


ENOUGH = settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


@pytest.mark.parametrize("form", WHOLE)
def test_the_whole_files_are_read(tmp_path, form):
    path = tmp_path / "whole"
    path.write_bytes(WHOLE[form].removesuffix(b"*Matrix\n" + b"0 " * 34 + b"\n"))
    assert read(path, format=form.split()[0]).network.n_edges == GRAPH.number_of_edges()


@pytest.mark.parametrize("form", WHOLE)
@ENOUGH
@given(steps=damages)
def test_a_damaged_file_is_read_or_refused(tmp_path, form, steps):
    read_or_say_so(tmp_path / "damaged", damaged(WHOLE[form], steps), form.split()[0])


@pytest.mark.parametrize("layout", ["csr", "csc", "coo", "bsr", "dia"])
@ENOUGH
@given(member=st.integers(0, 5), steps=damages)
def test_a_damaged_array_inside_an_npz_is_read_or_refused(tmp_path, layout, member, steps):
    target = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(npz(layout))) as whole, zipfile.ZipFile(target, "w") as other:
        for at, name in enumerate(whole.namelist()):
            content = whole.read(name)
            other.writestr(name, damaged(content, steps) if at == member else content)
    read_or_say_so(tmp_path / "damaged.npz", target.getvalue(), "npz")


@pytest.mark.parametrize("layout", ["csr", "csc", "coo", "bsr", "dia"])
@ENOUGH
@given(data=st.data())
def test_wrong_numbers_inside_an_npz_are_read_or_refused(tmp_path, layout, data):
    with np.load(io.BytesIO(npz(layout))) as whole:
        parts = {key: whole[key].copy() for key in whole}
    key = data.draw(st.sampled_from([k for k in parts if parts[k].dtype.kind in "if"]))
    numbers = st.sampled_from([-1, 0, 1, 33, 34, 35, 10**6, 2**31 - 1])
    for at in data.draw(st.lists(st.integers(-parts[key].size, -1), min_size=1, max_size=3)):
        parts[key].flat[at] = data.draw(numbers)
    target = io.BytesIO()
    np.savez(target, **parts)
    read_or_say_so(tmp_path / "damaged.npz", target.getvalue(), "npz")


SOME = {"physical_only": True, "min_score": 0.1}
TABLES = {
    "biogrid": (biogrid().encode(), {**SOME, "organism": "rat"}),
    "mitab": (MITAB_TEXT.encode(), {**SOME, "organism": "human"}),
    "string": (STRING.encode(), {"min_score": 0.2}),
}


@pytest.mark.parametrize("form", TABLES)
@ENOUGH
@given(steps=damages, forced=st.booleans(), chosen=st.booleans())
def test_a_damaged_table_of_interactions_is_read_or_refused(tmp_path, form, steps, forced, chosen):
    content, options = TABLES[form]
    options = options if forced and chosen else {}
    content, form = damaged(content, steps), form if forced else None
    read_or_say_so(tmp_path / "damaged", content, form, LinkpriorError, **options)
