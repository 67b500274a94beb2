"""The same ranking for any workers and engines; the same pairs without NumPy's SIMD."""

import json
import os
import subprocess
import sys

import pytest
from torture import determinism
from torture.determinism import Shift, shift

MODELS = ("tri", "pu", "l3", "degree:l3")
ALONE = ["--workers", "1"]


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    return determinism.prepare(tmp_path_factory.mktemp("determinism"))


@pytest.fixture(scope="module")
def wanted(place):
    return determinism.rankings(place, determinism.predictions(MODELS), "alone", ALONE)


@pytest.mark.at_length
def test_any_number_of_workers_writes_the_same_bytes(place, wanted):
    commands = determinism.predictions(MODELS)
    for workers in ("2", "4"):
        found = determinism.rankings(place, commands, workers, ["--workers", workers])
        assert found == wanted
    assert all(text.count(b"\n") == determinism.TOP + 1 for text in wanted.values())


def test_without_simd_the_same_pairs_are_ranked(place, wanted):
    levels = determinism.simd_levels()
    if not levels:
        pytest.skip("NumPy has no code of its own for this processor")
    env = {"NPY_DISABLE_CPU_FEATURES": " ".join(levels)}
    found = determinism.rankings(place, determinism.predictions(MODELS), "plain", ALONE, env)
    told = {name: determinism.same_order(found[name], wanted[name]) for name in MODELS}
    assert set(told.values()) <= {"same bytes", "same pairs"}, told


def test_the_levels_named_are_really_switched_off():
    code = "from torture.determinism import simd_levels; print(simd_levels())"
    for level in determinism.simd_levels():
        env = {**os.environ, "NPY_DISABLE_CPU_FEATURES": level}
        said = subprocess.run(
            [sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True
        )
        assert repr(level) not in said.stdout, level


def test_a_command_that_fails_is_reported_as_such(place):
    ends = determinism.run_all(place, [["predict", "edges.tsv", "--model", "nobody", "-q"]])
    assert ends[0]["status"] == 1
    assert "no model is called 'nobody'" in ends[0]["said"]


def test_what_there_was_no_time_for_is_no_difference(place):
    commands = determinism.predictions(["tri", "pu"])
    found = determinism.rankings(place, commands, "short", ALONE, limit=0.05)
    assert set(found.values()) == {determinism.NO_TIME}
    assert determinism.same_bytes(found["pu"], b"") == determinism.NO_TIME


def table(*rows):
    lines = ["rank\tsource\ttarget\tscore"]
    lines += [f"{n}\t{a}\t{b}\t{score}" for n, (a, b, score) in enumerate(rows, 1)]
    return "\n".join(lines).encode()


def test_moves_and_exchanges_are_counted():
    one = table(("a", "b", 5), ("a", "c", 4), ("a", "d", 3), ("a", "e", 2), ("z", "z", 1))
    other = table(("a", "d", 5), ("a", "b", 4), ("a", "c", 3), ("b", "e", 2), ("z", "z", 1))
    assert shift(one, other) == Shift(exchanged=1, moved=3, largest=2)
    assert shift(one, one) == Shift(0, 0, 0)
    assert determinism.same_order(one, other) == "1 exchanged, 3 moved, by up to 2 places"
    assert determinism.same_bytes(one, other) == "DIFFERS"


def test_a_difference_between_evaluations_is_seen_and_times_are_not(tmp_path):
    rows = [{"metric": "auprc", "value": 0.5}, {"metric": "seconds", "value": 1.0}]
    texts = []
    for number, (auprc, seconds) in enumerate([(0.5, 1.0), (0.5, 2.0), (0.6, 1.0)]):
        rows[0]["value"], rows[1]["value"] = auprc, seconds
        (tmp_path / str(number)).mkdir()
        (tmp_path / str(number) / "results.json").write_text(json.dumps({"rows": rows}))
        texts.append(determinism.timeless(tmp_path / str(number)))
    assert texts[0] == texts[1] != texts[2]
