"""How progress is shown: a bar on a terminal, lines elsewhere, nothing when quiet."""

import io
import json
import re
import subprocess
import sys
import time

import pytest
from tests.cli.support import buffered
from tests.cli.terminal import on_a_terminal, painted, screen

from linkprior import _progress as progress
from linkprior._progress import Report
from linkprior.cli import console as display
from linkprior.cli.console import Console, Display

MESSAGE = "a message in between that is longer than a small terminal is wide"
LINE = re.compile(r"^[\w. -]+: (\d+ %, )?\d+:\d\d gone(, about \d+:\d\d left)?$")
# The model takes its time, and says something in between.
SLOW = (
    f"MESSAGE = {MESSAGE!r}"
    + """
import logging, sys, time, linkprior.predictors.local as local
from linkprior import _progress as progress
from linkprior.cli import main
learn = local.PreferentialAttachment._fit
def slow(self, network):
    with progress.stage("fitting slowly", 20) as stage:
        for number in range(20):
            time.sleep(0.06)
            stage.advance()
            if number == 15:
                logging.getLogger("linkprior").info(MESSAGE)
    return learn(self, network)
local.PreferentialAttachment._fit = slow
sys.argv[0] = "linkprior"
main()
"""
)


@pytest.fixture
def at_once(monkeypatch):
    """No patience, and no rest between lines."""
    for name, value in (("_PATIENCE", 0.0), ("_TICK", 0.001), ("_APART", {"lines": 0.0})):
        monkeypatch.setattr(display, name, value)


def wait_for(condition):
    for _ in range(5000):
        if condition():
            return
        time.sleep(0.002)
    raise AssertionError("it never came")


# ---------------------------------------------------------------------- words


@pytest.mark.parametrize(
    ("report", "text"),
    [
        (Report("fitting", 0.357, 31.0, 58.0), "35 %, 0:31 gone, about 0:58 left"),
        (Report("fitting", 0.0, 1.0, None), "0 %, 0:01 gone"),
        (Report("reading", None, 3.0, None), "0:03 gone"),
        (Report("fitting", 0.999, 31.0, 0.2), "99 %, 0:31 gone, about 0:01 left"),
        (Report("fitting", 1.0, 31.0, 0.0), "100 %, 0:31 gone"),
        (Report("fitting", 0.5, 3599.4, 3600.0), "50 %, 59:59 gone, about 1:00:00 left"),
    ],
)
def test_words(report, text):
    assert display.progress_text(report) == text


# ---------------------------------------------------------------------- lines


def test_lines_are_far_between():
    stream = io.StringIO()
    lines = Display(Console(), stream)
    for tenths in range(4, 125):
        lines.show(Report("fitting", tenths / 125, tenths / 10, None))
    gone = [display.clock(seconds) for seconds in (0.4, 5.4, 10.4)]
    assert re.findall(r"(\S+) gone", stream.getvalue()) == gone


def test_a_line_says_what_is_done_and_how_far_it_is(at_once):
    stream = io.StringIO()
    with Console().progress(stream), progress.stage("fitting it", 4) as stage:
        stage.advance()
        wait_for(lambda: "25 %" in stream.getvalue())
    lines = stream.getvalue().splitlines()
    assert all(LINE.match(line) for line in lines)
    assert lines[-1].startswith("fitting it: ")


def test_between_stages_there_is_nothing_to_say(at_once):
    stream = io.StringIO()
    with Console().progress(stream):
        time.sleep(0.05)
    assert stream.getvalue() == ""


def test_what_is_quick_is_not_worth_a_line():
    stream = io.StringIO()
    with Console().progress(stream), progress.stage("fitting", 1):
        pass
    assert stream.getvalue() == ""


def test_quiet_is_silent_and_nobody_listens(at_once):
    stream = io.StringIO()
    with Console(quiet=True).progress(stream):
        with progress.stage("fitting", 1) as stage:
            time.sleep(0.05)
        assert type(stage) is progress.Stage
    assert stream.getvalue() == ""


def test_a_closed_stream_stops_no_work(at_once):
    stream = io.StringIO()
    with Console().progress(stream), progress.stage("fitting", 2) as stage:
        stream.close()
        time.sleep(0.02)
        stage.advance()
        assert stage.done == 1


def test_no_thread_stays_and_nobody_listens_afterwards(at_once):
    console = Console()
    with console.progress(io.StringIO()):
        ticker = console.display.ticker
        assert ticker.is_alive()
    assert not ticker.is_alive()
    assert console.display is None
    assert type(progress.stage("other")) is progress.Stage


def test_the_command_writes_lines_to_a_file(edges):
    done = subprocess.run(
        [sys.executable, "-c", SLOW, "predict", str(edges), "--model", "pa"],
        capture_output=True,
        text=True,
        check=True,
        env=buffered(),
    )
    shown = [line for line in done.stderr.splitlines() if line.endswith((" gone", " left"))]
    assert shown
    assert all(LINE.match(line) for line in shown)
    assert MESSAGE in done.stderr
    assert "\x1b" not in done.stderr
    assert "gone" not in done.stdout


def test_rich_is_loaded_on_a_terminal_only(edges):
    code = SLOW + "assert not [m for m in sys.modules if m.partition('.')[0] == 'rich']\n"
    ask = [sys.executable, "-c", code, "predict", str(edges), "--model", "pa"]
    subprocess.run(ask, capture_output=True, check=True)


# ---------------------------------------------------------------------- --progress json


def test_every_line_is_an_object_and_the_list_is_as_ever(run, edges):
    plain = run("predict", edges, "--model", "l3")
    status, out, err = run("--progress", "json", "predict", edges, "--model", "l3")
    assert (status, out) == plain[:2]
    told = [json.loads(line) for line in err.splitlines()]
    said = [one["say"] for one in told if "say" in one]
    assert [line for line in plain[2].splitlines() if " gone" not in line] == [
        line for text in said for line in text.splitlines()
    ]


def test_an_error_is_one_json_object_and_the_next_command_writes_plain_text(run, tmp_path):
    status, out, err = run("--progress=json", "predict", tmp_path / "none.tsv")
    assert (status, out) == (1, "")
    assert json.loads(err.splitlines()[-1])["say"].startswith("linkprior: ")
    _, _, err = run("predict", tmp_path / "none.tsv")
    assert err.splitlines()[-1].startswith("linkprior: ")


def test_progress_is_reported_as_numbers(monkeypatch):
    for name, value in (("_PATIENCE", 0.0), ("_TICK", 0.001), ("_APART", {"json": 0.0})):
        monkeypatch.setattr(display, name, value)
    stream, watched = io.StringIO(), Console()
    watched.json = True
    with watched.progress(stream), progress.stage("work", 4) as stage:
        stage.advance()
        wait_for(lambda: '"fraction": 0.25' in stream.getvalue())
    told = [json.loads(line)["progress"] for line in stream.getvalue().splitlines()]
    (last,) = [one for one in told if one["fraction"] == 0.25][-1:]
    assert last["name"] == "work"
    assert last["elapsed"] >= 0
    assert set(last) == {"name", "fraction", "elapsed", "left"}


# ---------------------------------------------------------------------- a terminal


def slowly(*arguments, **options):
    """What the slow command writes on a terminal."""
    status, text = on_a_terminal(SLOW, *arguments, **options)
    assert status == 0
    return text


def test_a_terminal_shows_a_bar_and_then_takes_it_away(edges):
    text = slowly("predict", edges, "--model", "pa", "--top", 3)
    bars = [line for line in painted(text) if "gone" in line]
    slow = " ".join(line for line in bars if "fitting slowly" in line)  # others begin at 0
    percents = [int(found) for found in re.findall(r"(\d+) %", slow)]
    assert len(set(percents)) > 3
    assert percents == sorted(percents)
    assert any("━" in line and "left" in line for line in bars)
    seen = screen(text)
    assert not any("gone" in line for line in seen)
    assert seen[-4].startswith("rank\t")
    assert len(seen[-3:]) == 3
    assert text.count("\x1b[?25h") >= text.count("\x1b[?25l") > 0


@pytest.mark.parametrize("width", [30, 120])
def test_a_terminal_of_any_width_is_left_clean_with_messages_unbroken(edges, width):
    text = slowly("predict", edges, "--model", "pa", "--top", 1, width=width)
    assert all(len(line) <= width for line in painted(text) if "━" in line)
    seen = screen(text)
    assert not any("━" in line or "gone" in line for line in seen)
    header = next(at for at, line in enumerate(seen) if line.startswith("rank\t"))
    assert MESSAGE in seen[:header]


def test_no_color_is_respected(edges):
    text = slowly("predict", edges, "--model", "pa", NO_COLOR="1")
    assert "gone" in text
    assert not re.search(r"\x1b\[(3|4|9)[0-9][;m]|\x1b\[[34]8;", text)


def test_a_terminal_that_can_do_nothing_gets_lines(edges):
    text = slowly("predict", edges, "--model", "pa", TERM="dumb")
    shown = [line for line in text.splitlines() if "gone" in line]
    assert shown
    assert all(LINE.match(line) for line in shown)
    assert "\x1b" not in text
