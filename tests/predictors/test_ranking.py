"""A ranking as a sequence: links by name, slices that keep their ranks."""

import io

import numpy as np
import pytest

from linkprior.errors import ParameterError
from linkprior.ranking.ranking import Link, Ranking

NAMES = ("a", "b", "c", "d")
PAIRS = [(2, 3), (0, 1), (0, 3), (1, 2)]
SCORES = [0.9, 0.5, 0.25, -1.0]


def ranking(**evidence):
    return Ranking(np.array(PAIRS), np.array(SCORES), NAMES, evidence)


def test_iterating_gives_named_links_best_first():
    links = list(ranking(paths=np.arange(4)))
    expected = [(n + 1, NAMES[i], NAMES[j], SCORES[n]) for n, (i, j) in enumerate(PAIRS)]
    assert links == expected
    assert all(isinstance(link, Link) for link in links)
    assert (links[0].rank, links[0].source, links[0].target, links[0].score) == (1, "c", "d", 0.9)


def test_more_rows_than_are_held_at_once_come_in_order():
    k = 25_001
    long = Ranking(np.tile([0, 1], (k, 1)), np.arange(k, 0, -1.0), NAMES, {"at": np.arange(k)})
    rows = list(long.rows())
    assert rows == [[n + 1, "a", "b", float(k - n), n] for n in range(k)]


@pytest.mark.parametrize("part", [slice(2), slice(1, 3), slice(-2, None), slice(0, 9, 2), slice(0)])
def test_a_slice_is_a_ranking_whose_rows_are_unchanged(part):
    whole = ranking(paths=np.array([7, 8, 9, 10]))
    cut = whole[part]
    assert isinstance(cut, Ranking)
    assert list(cut.rows()) == list(whole.rows())[part]
    assert cut.columns == whole.columns
    assert cut[1:].pairs.tolist() == whole.pairs[part][1:].tolist()


def test_one_place_is_one_link():
    assert ranking()[0] == (1, "c", "d", 0.9)
    assert ranking()[np.int64(-1)] == (4, "b", "c", -1.0)
    assert ranking()[2:][0].rank == 3
    with pytest.raises(IndexError):
        ranking()[4]
    with pytest.raises(TypeError):
        ranking()["a"]


def test_head_is_the_beginning():
    assert [link.rank for link in ranking().head(3)] == [1, 2, 3]
    assert len(ranking().head()) == 4
    assert len(ranking().head(0)) == 0
    with pytest.raises(ParameterError, match="n must be a whole number ≥ 0, got -1"):
        ranking().head(-1)


def test_evidence_that_does_not_fit_is_refused():
    with pytest.raises(ParameterError, match="every ranking has a column 'score'"):
        ranking(score=np.arange(4))
    with pytest.raises(ParameterError, match="evidence 'paths' must have 4 values, got 3"):
        ranking(paths=np.arange(3))


def test_an_empty_ranking_has_no_link():
    none = Ranking(np.empty((0, 2), dtype=np.int64), np.empty(0), NAMES)
    assert list(none) == list(none.rows()) == none.names == []
    assert list(none.to_frame().columns) == ["rank", "source", "target", "score"]


def test_ranking_as_table_and_text():
    ranking = Ranking(
        np.array([[0, 1], [1, 2]]),
        np.array([0.123456789, -1e-9]),
        ("a", 'b "q"\t', "c"),
        {"paths": np.array([3, 0])},
    )
    frame = ranking.to_frame()
    assert list(frame.columns) == ["rank", "source", "target", "score", "paths"]
    assert frame["rank"].tolist() == [1, 2]
    text = io.StringIO()
    ranking.write(text)
    assert text.getvalue().splitlines()[1] == '1\ta\t"b ""q""\t"\t0.123457\t3'
    assert (len(ranking), repr(ranking)) == (2, "Ranking(2 pairs)")
