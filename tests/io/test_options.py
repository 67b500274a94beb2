"""What a user may ask of a reader: natural Python values are taken, others refused in one line."""

import numpy as np
import pytest

import linkprior as lp
from linkprior.errors import ParameterError
from linkprior.io.formats import ReadOptions


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"columns": 5}, "--columns expects two columns by header name or number (1,2), got 5"),
        ({"columns": (1, 2, 3)}, "--columns expects two columns"),
        ({"columns": (1, 2.5)}, "--columns expects two columns"),
        ({"columns": {1, 2}}, "--columns expects two columns"),
        ({"format": 5}, "format must be the name of an input format, such as edgelist, got 5"),
        ({"systems": 3}, "systems must be a list of names, got 3"),
        ({"systems": b"FRET"}, "systems must be a list of names, got b'FRET'"),
        ({"systems": ["FRET", 3]}, "systems must be a list of names, got 3 among them"),
        ({"systems": None}, "systems must be a list of names, got None"),
        ({"organism": 1.5}, "organism must be an NCBI taxonomy number (9606) or a name (human)"),
        ({"organism": ["human"]}, "organism must be"),
        ({"header": "no"}, "header must be one of True, False, None, got 'no'"),
        ({"physical_only": 1}, "physical_only must be one of True, False, got 1"),
        ({"min_score": "high"}, "min_score must be a number"),
        ({"id": 3}, "--id does not apply to an edge list"),
    ],
)
def test_a_value_of_the_wrong_kind_is_refused_in_one_line(tmp_path, options, told):
    path = tmp_path / "e.tsv"
    path.write_text("a\tb\nb\tc\n")
    with pytest.raises(ParameterError) as caught:
        lp.read_network(path, **options)
    assert str(caught.value).startswith(told)
    assert "\n" not in str(caught.value)


def test_what_comes_naturally_in_python_is_taken():
    taken = ReadOptions(columns=[np.int64(1), "b"], organism=9606, systems="FRET")
    assert taken == ReadOptions(columns=("1", "b"), organism="9606", systems=("FRET",))


def test_columns_by_number_are_read(tmp_path):
    path = tmp_path / "e.tsv"
    path.write_text("x\ta\tb\ny\tb\tc\n")
    assert lp.read_network(path, columns=(2, 3)).names == ("a", "b", "c")
