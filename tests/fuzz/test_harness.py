"""The harness itself: verdicts, edits, figures that add up, what is kept, growth, the command."""

import json
import subprocess
import sys
import warnings

import pytest
from fuzz.targets import TARGETS
from fuzz.turns import Plan, collect, turn
from fuzz.verdict import Finding, Watch, expect, is_line, judged

from fuzz import corpus, edits, figures, growth, packings, places
from linkprior.errors import InputError
from linkprior.io.formats import FORMATS


def raising(problem):
    def attempt(data):
        raise problem

    return attempt


def test_every_format_that_is_read_has_a_target():
    assert set(FORMATS) <= set(TARGETS)


@pytest.mark.parametrize(
    ("problem", "told"),
    [
        (InputError("file:1: expected two columns"), None),
        (InputError("one line\nand another"), "not one plain line"),
        (InputError("\x1b[2J clears the screen"), "not one plain line"),
        (InputError(""), "not one plain line"),
        (KeyError("a"), "KeyError"),
        (MemoryError(), "MemoryError"),
        (RecursionError("deep"), "RecursionError"),
    ],
)
def test_only_our_own_errors_of_one_line_are_allowed(problem, told):
    finding = judged(raising(problem), b"")
    assert (finding is None) == (told is None)
    assert told is None or str(finding).startswith(told)


def test_a_warning_is_a_finding():
    found = judged(lambda _: warnings.warn("careless", RuntimeWarning, stacklevel=1), b"")
    assert found is not None
    assert found.what.startswith("RuntimeWarning")


def test_a_broken_promise_is_a_finding_and_findings_of_one_place_are_one():
    found = judged(lambda data: expect(len(data) < 2, "too long"), b"abc")
    assert found is not None
    assert found.key == Finding("BrokenPromiseError: other words", "too long").key
    assert found.key != Finding("BrokenPromiseError: other words", "elsewhere").key


def test_the_watch_hears_whoever_writes():
    watch = Watch()
    with watch.looking():
        watch._hear("open", ("a", "rb", 0))
    with pytest.raises(Exception, match="writes while reading"), watch.looking():
        watch._hear("open", ("a", "wb", 1))
    with pytest.raises(Exception, match="writes while reading"), watch.looking():
        watch._hear("os.remove", ("a", -1))
    watch._hear("os.remove", ("a", -1))  # nobody is looking
    with watch.looking():
        pass


def test_a_line_is_what_a_terminal_shows_as_it_is():
    assert is_line("naïve – text")
    assert not any(map(is_line, ["", " ", "a\nb", "a\rb", "a\x85b", "a\u2028b", "a\x1b[0m"]))


def test_edits_set_remove_and_add_values():
    whole = {"a": {"b": [1, 2, 3]}, "c": "x"}
    text = b'a/b/1=9\na/b/0=\na/b/+={"k":null}\nc=\nd=plain words\nnowhere/at/all=1\nno line'
    assert edits.edited(whole, text) == {"a": {"b": [9, 3, {"k": None}]}, "d": "plain words"}
    assert whole == {"a": {"b": [1, 2, 3]}, "c": "x"}
    assert edits.edited(whole, b"=[1]") == [1]


def test_edits_take_any_bytes():
    for text in (b"", b"\xff=\xfe", b"a/b/99999999999999999999=1", b"/=/", b"a" * 99 + b"/=1"):
        assert edits.edited({"a": [1]}, text)["a"] == [1]


def test_paths_of_all_values_are_found():
    assert edits.all_paths({"a": {"b": [1, 2]}, "c": 3}) == ["a", "c", "a/b", "a/b/0", "a/b/1"]


@pytest.mark.parametrize("pack", packings.PACKINGS[:10])
def test_packing_gives_the_same_bytes_each_time_and_damage_changes_them(pack):
    packed = pack(b"a\tb\nb\tc\n")
    assert packed == pack(b"a\tb\nb\tc\n") == packings.damaged(packed, 0, 5)
    assert all(packings.damaged(packed, how, 5) != packed for how in (1, 2, 3, 4))


def test_an_array_is_what_numpy_reads():
    import io

    import numpy as np

    told = {"dtype": "<i4", "shape": [2, 2], "values": [1, 2, 3, 4]}
    assert np.load(io.BytesIO(packings.npy(told))).tolist() == [[1, 2], [3, 4]]
    assert np.load(io.BytesIO(packings.npy("coo"))).item() == b"coo"


# ---------------------------------------------------------------------- figures

LOG = """INFO: seed corpus: files: 3
#4	INITED cov: 10 ft: 12 corp: 2/9b exec/s: 0 rss: 80Mb
#1024	pulse  cov: 31 ft: 40 corp: 5/2Kb lim: 9 exec/s: 512 rss: 90Mb
#1500	NEW    cov: 33 ft: 44 corp: 6/2100b lim: 9 exec/s: 512 rss: 91Mb L: 3/9 MS: 1
"""


def test_a_log_is_read_however_the_process_ended():
    cut_off = figures.read_log(LOG)
    assert cut_off["inputs"] == 1500
    assert (cut_off["coverage"], cut_off["features"], cut_off["corpus"]) == (33, 44, 6)
    assert (cut_off["corpus_bytes"], cut_off["peak_mb"]) == (2100, 91)
    whole = figures.read_log(
        f"{LOG}#1600\tDONE cov: 33 ft: 44 corp: 6/2Kb\nstat::peak_rss_mb: 99\n"
    )
    assert (whole["inputs"], whole["peak_mb"], whole["corpus_bytes"]) == (1600, 99, 2048)
    assert figures.read_log("")["inputs"] == 0
    assert "seconds" not in cut_off
    assert figures.read_log(f"{LOG}Done 1600 runs in 41 second(s)\n")["seconds"] == 41


def test_figures_of_turns_add_up(tmp_path):
    path = tmp_path / "fuzz.json"
    base = {"findings": 0, "coverage": 5, "features": 7, "corpus": 2, "corpus_bytes": 10}
    one = {**base, "inputs": 100, "seconds": 60, "slowest_s": 0.5, "peak_mb": 80}
    two = {**base, "inputs": 50, "seconds": 30, "slowest_s": 0.2, "peak_mb": 95, "findings": 1}
    figures.keep_turn(path, "sif", one)
    figures.keep_turn(path, "cx2", one)
    found = figures.keep_turn(path, "sif", two, system="Linux")
    assert (found["inputs"], found["seconds"], found["findings"]) == (150, 90, 1)
    assert (found["slowest_s"], found["peak_mb"]) == (0.5, 95)
    kept = json.loads(path.read_text())
    assert kept["system"] == "Linux"
    assert kept["targets"]["cx2"]["inputs"] == 100
    table = figures.table(kept["targets"], ["cx2", "sif", "metis"])
    assert table.splitlines()[-1].startswith("| all | 250 | 2.5 | 0.50 | 95 |")
    assert figures.table({}, ["sif"]) == "nothing has been tried yet"


def test_a_turn_is_collected_from_its_files(tmp_path):
    places.turn_file(tmp_path, "sif", "log").write_text(LOG)
    places.turn_file(tmp_path, "sif", "json").write_text('{"slowest_s": 0.25}')
    (places.findings_folder(tmp_path, "sif") / "KeyError-1").write_bytes(b"x")
    (places.findings_folder(tmp_path, "sif") / "KeyError-1.txt").write_text("KeyError at …")
    facts = collect("sif", tmp_path, 0, 12.4)
    assert (facts["inputs"], facts["findings"], facts["seconds"]) == (1500, 1, 12)
    assert facts["slowest_s"] == 0.25
    assert collect("sif", tmp_path, 1, 1.0)["findings"] == 0
    assert collect("metis", tmp_path, 0, 1.0)["inputs"] == 0


def plan_for(folder, seconds=None, total=None):
    return Plan(["a", "b"], seconds, total, 5, folder, folder / "fuzz.json")


def test_turns_alternate_and_come_to_an_end_where_one_is_asked_for(tmp_path):
    rounds = list(plan_for(tmp_path, seconds=130).rounds())
    assert rounds == [[("a", 60), ("b", 60)]] * 2 + [[("a", 10), ("b", 10)]]


def test_a_total_counts_what_earlier_runs_have_done(tmp_path):
    plan = plan_for(tmp_path, total=90)
    rounds = []
    figures.keep_turn(plan.output, "a", {"seconds": 70})
    for turns in plan.rounds():
        rounds.append(turns)
        for name, seconds in turns:
            figures.keep_turn(plan.output, name, {"seconds": seconds})
    assert rounds == [[("a", 20), ("b", 60)], [("b", 30)]]
    assert list(plan.rounds()) == []


def test_no_turn_repeats_the_seed_of_another_and_figures_add_up(tmp_path):
    plan, seeds = plan_for(tmp_path, seconds=60), []

    def run(call, seconds):
        seeds.append(int(call[call.index("--seed") + 1]))
        places.turn_file(tmp_path, "a", "log").write_text(LOG)

    for _ in range(3):
        turn("a", 60, plan, run)
    assert seeds == [6, 1506, 3006]
    assert plan.known("a")["inputs"] == 4500


# ---------------------------------------------------------------------- what is kept


def test_small_inputs_are_chosen_that_reach_everything():
    features = {
        name: frozenset(f) for name, f in {"a": [1, 2], "b": [2], "c": [3], "d": [1]}.items()
    }
    sizes = {"a": 9, "b": 2, "c": 5, "d": 3}
    assert corpus.choose(features, sizes) == ["b", "d", "c"]
    assert corpus.choose(features, {**sizes, "c": 10**6}) == ["b", "d"]


def test_what_inputs_reach_is_read_from_a_merge():
    control = "2\n0\n/x/a\n/x/b\nSTARTED 0 5\nFT 0 4 8\nCOV 0 1\nSTARTED 1 2\nFT 1 8\nCOV 1\n"
    assert corpus.parsed(control, ["a", "b"]) == {"a": {4, 8}, "b": {8}}


def test_inputs_are_sown_once_under_their_content(tmp_path):
    places.sow(tmp_path, [b"x", b"y", b"x"])
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(
        map(places.name_of, (b"x", b"y"))
    )
    (tmp_path / "note.txt").write_text("said")
    assert sorted(places.inputs_in(tmp_path, tmp_path / "none")) == [b"x", b"y"]


# ---------------------------------------------------------------------- growth


def test_an_exponent_is_the_slope():
    assert growth.exponent([1, 2, 4, 8], [3, 6, 12, 24]) == pytest.approx(1)
    assert growth.exponent([1, 2, 4], [1, 4, 16]) == pytest.approx(2)


def test_a_part_is_repeated_to_a_size():
    pump = growth.Pump(b"<", b"ab", b">")
    assert pump.blown(6) == b"<ababab>"
    assert pump.blown(1) == b"<ab>"


def test_cuts_put_the_input_together_again():
    import random

    inputs = [b"one\ntwo\nthree\n", b"xyz", b""]
    for pump in growth.pumps(inputs, random.Random(1), 50):
        assert pump.start + pump.middle + pump.end in inputs
        assert pump.middle


# ---------------------------------------------------------------------- the command


def command(*arguments):
    call = [sys.executable, "-m", "fuzz", *map(str, arguments)]
    return subprocess.run(
        call, cwd=places.ROOT, capture_output=True, text=True, timeout=120, check=False
    )


def test_the_command_lists_targets_and_refuses_others():
    listed = command("--list")
    assert listed.returncode == 0
    assert [line.split()[0] for line in listed.stdout.splitlines()] == list(TARGETS)
    assert "no target nonsense" in command("nonsense").stderr


def test_the_command_prints_the_figures_so_far(tmp_path):
    turn = {"inputs": 7, "seconds": 60, "findings": 0, "slowest_s": 0.1, "peak_mb": 80, "corpus": 1}
    figures.keep_turn(tmp_path / "f.json", "sif", turn)
    told = command("--figures", "-o", tmp_path / "f.json").stdout
    assert "| sif | 7 | 1.0 | 0.10 | 80 |" in told


def test_an_input_is_replayed(tmp_path):
    path = tmp_path / "input"
    path.write_bytes(b"0a\tb\n")
    done = command("--replay", path, "edgelist")
    assert (done.returncode, done.stdout) == (0, f"{path}: as it should be\n")
    assert "which target" in command("--replay", path).stderr
