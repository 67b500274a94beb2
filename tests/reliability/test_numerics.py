"""Networks and parameters that are hard on numbers: finite scores in order, or one line."""

import warnings

import numpy as np
import pytest
from torture import numerics

import linkprior as lp
from linkprior.errors import LinkpriorError, ParameterError
from linkprior.predictors.base import overflow_checked_later
from linkprior.predictors.local import PreferentialAttachment

QUICK = [name for name in numerics.EVERY_MODEL if name not in ("auto", "nuclear-degree")]
SOME = ("tri-degree", "tri", "pu", "l3", "katz")  # where compiled kernels and float32 are at work


@pytest.mark.parametrize("case", numerics.CASES)
def test_every_model_gives_finite_scores_in_order_or_one_line(case):
    tally = numerics.Tally(*numerics.ENDS)
    for name in QUICK:
        numerics.try_fit(name, case, 30, tally)
    assert tally.defects == []
    empty = case in ("no edge", "one node", "no node")
    assert (tally["fits"], tally["refused"]) == ((0, len(QUICK)) if empty else (len(QUICK), 0))


@pytest.mark.parametrize("case", ["weights over 24 orders", "a hub joined to everything"])
def test_compiled_kernels_do_so_too(case):
    tally = numerics.Tally(*numerics.ENDS)
    for name in SOME:
        numerics.try_fit(name, case, 260, tally)
    assert tally.defects == []
    assert tally["fits"] == len(SOME)


@pytest.mark.parametrize("workers", [1, 2, 4])
def test_a_hundred_thousand_equal_scores_come_in_order_of_pair(workers):
    net = numerics.CASES["a ring"](numerics.RING).sorted()
    i, j = np.triu_indices(net.n_nodes, 1)
    free = net.adjacency.toarray()[i, j] == 0
    with lp.use_workers(workers):
        ranking = lp.make("pa").fit(net).predict_edges(numerics.TIES)
    assert len(set(ranking.scores.tolist())) == 1
    np.testing.assert_array_equal(ranking.pairs, np.c_[i[free], j[free]][: numerics.TIES])


@pytest.mark.parametrize("name", ["cn", "random", "l3"])
def test_a_list_of_many_ties_is_in_order(name):
    tally = numerics.Tally(*numerics.ENDS)
    numerics.try_fit(name, "a ring", numerics.RING, tally, numerics.TIES)
    assert (tally["fits"], tally.defects) == (1, [])


def test_names_that_differ_by_normalisation_case_or_blanks_stay_apart(tmp_path):
    names = ["Caf\u00e9", "Cafe\u0301", "cafe\u0301", "CAF\u00c9", "Caf e\u0301"]
    pairs = [(a, b) for a in names for b in ("n0", "n1", "n2")]
    (tmp_path / "names.tsv").write_text("".join(f"{a}\t{b}\n" for a, b in pairs), encoding="utf-8")
    net = lp.read_network(tmp_path / "names.tsv")
    assert net.names == tuple(dict.fromkeys(end for pair in pairs for end in pair))


EXTREME = [
    *(("tri-degree", name, value) for name in ("lam", "alpha") for value in (1e30, 1e300)),
    ("tri-degree", "eta", 1e-300),
    ("tri-degree", "eta", 1e300),
    ("pu", "lam", 1e300),
    ("nuclear-degree", "mu", 1e300),
    ("nuclear-degree", "tau", 1e38),
    ("rnm", "threshold", 1e300),
    ("degree:l3", "alpha", 1e12),
    ("tri", "n_starts", 10**30),
    ("dcsbm", "n_starts", 10**30),
    ("spm", "n", 10**30),
]


@pytest.mark.parametrize(("name", "parameter", "value"), EXTREME)
def test_a_parameter_far_out_of_range_is_no_warning_and_no_traceback(name, parameter, value):
    tally = numerics.Tally(*numerics.ENDS)
    numerics.try_value(name, parameter, value, tally)
    assert tally.defects == []
    assert tally["fits"] + tally["refused"] == 1


def test_a_fit_beyond_floats_names_the_model_and_its_parameters():
    said = r"^nuclear-degree: fit or scores gave numbers that are not finite;.* tau=1e\+300"
    with pytest.raises(LinkpriorError, match=said):
        lp.make("nuclear-degree", tau=1e300).fit(numerics.usual(30))


def test_more_starts_than_anyone_runs_are_refused():
    for name, count in (("tri", "n_starts"), ("pu", "n_starts"), ("spm", "n")):
        with pytest.raises(ParameterError, match=rf"{count} must be a whole number in 1…10000"):
            lp.make(name, **{count: 10_001}).fit(numerics.usual(30))


class Broken(PreferentialAttachment):
    """Scores of which one is no number."""

    wrong = np.nan

    def _rows(self, start, stop):
        block = super()._rows(start, stop)
        block[:, -1] = self.wrong
        return block


@pytest.mark.parametrize("wrong", [np.nan, np.inf, -np.inf])
def test_scores_that_are_no_numbers_are_refused_not_dropped(wrong):
    net = numerics.CASES["a ring"](12)
    model = Broken().fit(net)
    model.wrong = wrong
    with pytest.raises(LinkpriorError, match="not finite"):
        model.score_rows(0, 3)
    with pytest.raises(LinkpriorError, match="not finite"):
        model.predict_edges(10**6)


def test_a_list_that_known_non_edges_make_short_is_whole():
    net = numerics.CASES["a ring"](12)
    known = net.with_negatives([(0, 2), (0, 3), (5, 9)])
    ranking = lp.make("pa").fit(known).predict_edges(10**6)
    assert len(ranking) == net.n_non_edges - 3


def test_an_invalid_number_without_overflow_is_still_a_warning():
    zero, huge = np.zeros(1), np.full(1, 1e308)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with overflow_checked_later():
            assert np.isnan(huge * 10 - huge * 10).all()
        with pytest.raises(RuntimeWarning, match="invalid value"), overflow_checked_later():
            np.sqrt(zero - 1.0)


@pytest.mark.parametrize(
    ("change", "wrong"),
    [
        (lambda r, n: (r.pairs[:-1], r.scores[:-1]), "pairs of"),
        (lambda r, n: (r.pairs, np.r_[np.nan, r.scores[1:]]), "not finite"),
        (lambda r, n: (r.pairs[::-1], r.scores), "not by score"),
        (lambda r, n: (np.r_[r.pairs[:1], r.pairs[:-1]], r.scores), "twice"),
        (lambda r, n: (np.r_[n.edges[:1], r.pairs[1:]], r.scores), "edges in the list"),
    ],
)
def test_each_thing_that_may_be_wrong_with_a_list_is_seen(change, wrong):
    net = numerics.CASES["a ring"](12)
    ranking = lp.make("pa").fit(net).predict_edges(10**6)
    assert numerics.in_order(ranking, net) == []
    changed = lp.Ranking(*change(ranking, net), net.names)
    assert any(wrong in what for what in numerics.in_order(changed, net))
