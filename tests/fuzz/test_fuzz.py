"""The corpus and every input that once broke a promise are as they should be; so is the harness.

No fuzzer is needed for most of this; what finds new inputs is `python -m fuzz`.
"""

import json
import random
import subprocess
import sys
import warnings

import pytest
from fuzz.__main__ import ROOT, add_figures, figures_in, read_figures
from fuzz.harness import (
    CORPUS,
    REGRESSIONS,
    BrokenPromiseError,
    Watch,
    check,
    corpus_of,
    edited,
    expect,
    is_line,
    scratch_folder,
)
from fuzz.readers import OPTIONS
from fuzz.targets import TARGETS

from linkprior.errors import InputError, LinkpriorError
from linkprior.io.formats import FORMATS


@pytest.fixture(scope="module")
def attempts():
    """Return what tries an input on a target; whatever it needs is made once."""
    made = {}
    with scratch_folder() as place:

        def attempt(name):
            if name not in made:
                folder = place / name
                folder.mkdir()
                made[name] = TARGETS[name].make(folder)
            return made[name]

        yield attempt


@pytest.mark.parametrize("name", TARGETS)
def test_no_input_of_the_corpus_breaks_a_promise_and_some_are_read_to_their_end(attempts, name):
    folder = REGRESSIONS / name
    former = sorted(folder.iterdir()) if folder.is_dir() else []
    read = 0
    for data in [*corpus_of(name), *(path.read_bytes() for path in former)]:
        check(attempts(name), data)
        try:
            read = read or not attempts(name)(data)
        except LinkpriorError:
            continue
    assert read, "nothing but refusals is tried"


def test_every_format_has_a_target_and_every_corpus_belongs_to_one():
    assert set(FORMATS) <= set(TARGETS)
    assert {path.stem for path in CORPUS.iterdir()} == set(TARGETS)
    assert {path.name for path in REGRESSIONS.iterdir()} <= set(TARGETS)


# ---------------------------------------------------------------------- work grows with the size

SMALL, TIMES, CUTS = 6_000, 4, 10


def calls(attempt, data):
    count = 0

    def hear(frame, event, argument):
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(hear)
    try:
        check(attempt, data)
    finally:
        sys.setprofile(None)
    return count


def growth(attempt, start, middle, end):
    """Return how many times as many calls it takes to read an input `TIMES` as large."""
    small, large = (
        calls(attempt, start + middle * max(1, size // len(middle)) + end)
        for size in (SMALL, SMALL * TIMES)
    )
    return large / small


def cuts(inputs, rng):
    """Yield inputs cut in three; every other time the middle part is some whole lines."""
    usable = [content for content in inputs if len(content) > 2]
    for number in range(CUTS):
        content = rng.choice(usable)
        lines = [n + 1 for n, byte in enumerate(content) if byte == 10]
        places = lines if number % 2 and len(lines) > 1 else range(1, len(content) + 1)
        a, b = sorted(rng.sample(list(places), 2))
        yield content[:a], content[a:b], content[b:]


TEXT = (*OPTIONS, "format", "names", "pairs", "split", "run-raw", "model-raw")


@pytest.mark.parametrize("name", TEXT)
def test_calls_are_in_proportion_to_the_size(attempts, name):
    inputs = corpus_of(name)
    for data in inputs[:20]:
        check(attempts(name), data)  # what is imported late is imported now
    for parts in cuts(inputs, random.Random(f"steps {name}")):
        assert growth(attempts(name), *parts) < 1.3 * TIMES, parts


def test_a_square_is_seen():
    def quadratic(data):
        for end in range(0, len(data), 40):
            for _ in range(0, end, 40):
                len(data)

    assert growth(quadratic, b"", b"a", b"") > 2 * TIMES


# ---------------------------------------------------------------------- the harness


@pytest.mark.parametrize(
    ("problem", "expected"),
    [
        (InputError("one line\nand another"), BrokenPromiseError),
        (InputError("\x1b[2J clears the screen"), BrokenPromiseError),
        (InputError(""), BrokenPromiseError),
        (KeyError("a"), KeyError),
        (MemoryError(), MemoryError),
        (RuntimeWarning("careless"), RuntimeWarning),
    ],
)
def test_only_our_own_errors_of_one_line_are_allowed(problem, expected):
    def attempt(data):
        if isinstance(problem, Warning):
            warnings.warn(problem, stacklevel=1)
        raise problem

    with pytest.raises(expected):
        check(attempt, b"")


def test_a_refusal_in_one_line_is_as_it_should_be():
    def attempt(data):
        raise InputError("file:1: expected two columns")

    check(attempt, b"")
    assert is_line("naïve – text")
    assert not any(map(is_line, ["", " ", "a\nb", "a\rb", "a\x85b", "a\u2028b", "a\x1b[0m"]))
    with pytest.raises(BrokenPromiseError, match="too long"):
        check(lambda data: expect(len(data) < 2, "too long"), b"abc")


def test_the_watch_sees_every_write():
    watch = Watch()
    watch.hear("os.remove", ("a", -1))  # nobody is reading
    with watch.reading():
        watch.hear("open", ("a", "rb", 0))
    for event, arguments in [("open", ("a", "wb", 1)), ("os.remove", ("a", -1))]:
        with pytest.raises(BrokenPromiseError, match="writes while reading"), watch.reading():
            watch.hear(event, arguments)


def test_edits_set_remove_and_add_values():
    whole = {"a": {"b": [1, 2, 3]}, "c": "x"}
    text = b'a/b/1=9\na/b/0=\na/b/+={"k":null}\nc=\nd=plain words\nnowhere/at/all=1\nno line'
    assert edited(whole, text) == {"a": {"b": [9, 3, {"k": None}]}, "d": "plain words"}
    assert edited(whole, b"=[]") == []
    assert whole == {"a": {"b": [1, 2, 3]}, "c": "x"}
    for odd in (b"", b"\xff=\xfe", b"a/b/99999999999999999999=1", b"/=/", b"a" * 99 + b"/=1"):
        assert edited({"a": [1]}, odd)["a"] == [1]


def test_figures_of_libfuzzer_are_read_and_added_up(tmp_path):
    log = "\n#4\tINITED cov: 10 ft: 12 corp: 2/9b exec/s: 0 rss: 80Mb\n#1500\tNEW cov: 33 ft: 4 "
    cut_off = figures_in(f"{log}corp: 6/2100b lim: 9\n")
    assert (cut_off["inputs"], cut_off["coverage"], cut_off["corpus"]) == (1500, 33, 6)
    ended = figures_in(
        f"{log}corp: 6/2Kb\nstat::number_of_executed_units: 1600\n"
        "stat::slowest_unit_time_sec: 3\nstat::peak_rss_mb: 99\n"
    )
    assert (ended["inputs"], ended["peak_mb"], ended["slowest_s"]) == (1600, 99, 3)
    path = tmp_path / "fuzz.json"
    for facts in (cut_off, ended):
        add_figures(path, read_figures(path), "sif", {**facts, "seconds": 60, "findings": 0})
    total = read_figures(path)["targets"]["sif"]
    assert (total["inputs"], total["seconds"], total["peak_mb"]) == (3100, 120, 99)


# ---------------------------------------------------------------------- the command


def run(*arguments):
    return subprocess.run(
        [sys.executable, *map(str, arguments)],
        cwd=ROOT, capture_output=True, text=True, timeout=150, check=False,
    )  # fmt: skip


def test_an_input_is_replayed_and_other_targets_are_refused(tmp_path):
    path = tmp_path / "input"
    path.write_bytes(b"0a\tb\n")
    done = run("-m", "fuzz", "edgelist", "--replay", path)
    assert (done.returncode, done.stdout) == (0, f"{path}: as it should be\n")
    assert "no target nonsense" in run("-m", "fuzz", "nonsense").stderr


PLANTED = """
import sys, time
from pathlib import Path
from fuzz import targets
from fuzz.__main__ import run_libfuzzer
from fuzz.harness import Target
def make(folder):
    def attempt(data):
        if data[:1] == b"K":
            raise KeyError(data)
        while data[:1] == b"H":
            time.sleep(0.01)
    return attempt
targets.TARGETS["planted"] = Target("defects", make)
work, options = Path(sys.argv[1]), sys.argv[2:]
run_libfuzzer("planted", work, ["-max_total_time=20", "-timeout=2", *options])
"""


@pytest.mark.at_length
def test_defects_and_hangs_are_found_and_nothing_in_the_readers(tmp_path):
    pytest.importorskip("atheris", reason="atheris is not installed: no wheel for this system")
    assert run("-c", PLANTED, tmp_path).returncode != 0
    [finding] = (tmp_path / "findings" / "planted").iterdir()
    assert finding.name.startswith(("crash-", "timeout-"))
    output = ["--seconds", 2, "--work", tmp_path, "-o", tmp_path / "fuzz.json"]
    done = run("-m", "fuzz", "edgelist", "model", "cell", *output)
    assert done.returncode == 0, done.stdout
    for facts in json.loads((tmp_path / "fuzz.json").read_text())["targets"].values():
        assert facts["inputs"] > 10
        assert facts["coverage"] > 10
