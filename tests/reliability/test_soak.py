"""Many fits in one process: nothing piles up."""

import pytest
from torture.soak import CHEAP, Outcome, one_round, soak

import linkprior as lp


@pytest.mark.at_length
def test_sixty_fits_leave_nothing_behind(tmp_path):
    outcome = soak(tmp_path / "soak", n_rounds=60, warm=2 * len(CHEAP))
    assert outcome.rounds == 60
    assert outcome.defects() == []
    # Each fit makes thousands of objects: one kept by every second fit would be seen.
    assert outcome.grown["objects"] < 30


def test_what_is_kept_by_each_fit_is_seen(tmp_path, monkeypatch):
    kept = []

    def leaking(place, name, number):
        one_round(place, "pa", number)
        kept.append([lp.Network.from_edges([("a", "b")]) for _ in range(4)])
        kept.append((tmp_path / f"{number}").open("w", encoding="utf-8"))

    monkeypatch.setattr("torture.soak.one_round", leaking)
    outcome = soak(tmp_path / "soak", n_rounds=20, warm=5)
    for stream in kept[1::2]:
        stream.close()
    assert outcome.grown["files"] == 20
    assert [line.split()[-1] for line in outcome.defects()] == ["files", "rounds"]


def test_memory_that_grows_is_a_defect_beyond_some_slack():
    before = dict.fromkeys(("mb", "files", "threads", "children", "shared", "temporary"), 5)
    before["objects"] = 1000
    assert Outcome(before, {**before, "mb": 20.0}, 1000).defects() == []
    told = Outcome(before, {**before, "mb": 35.0}, 1000)
    assert told.defects() == ["soak: +30.0 MB in 1000 rounds"]
    assert told.facts()["mb_per_1000_fits"] == 30.0
