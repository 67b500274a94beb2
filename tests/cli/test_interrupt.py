"""Ctrl-C, SIGTERM and broken pipes: real processes end soon, say so, and leave nothing behind."""

import os
import re
import signal
import subprocess
import sys
import threading
import time
from contextvars import ContextVar

import numpy as np
import pytest
from tests.cli.support import START, Job, buffered
from tests.cli.terminal import on_a_terminal, screen

import linkprior as lp
from linkprior.cli import interrupt
from linkprior.cli.console import Console

pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals as POSIX has them")

LONG = ["--model", "tri-degree", "--set", "solver=streaming", "--set", "n_starts=10"]


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    """A network whose fit takes a minute."""
    pairs = np.random.default_rng(1).integers(0, 4000, (16000, 2))
    path = tmp_path_factory.mktemp("large") / "edges.tsv"
    path.write_text("".join(f"n{a}\tn{b}\n" for a, b in pairs.tolist()))
    return path


def interrupted(result, status=130, kept="nothing was written"):
    """One last line, the right exit status, no result, no traceback."""
    code, out, err = result
    assert code == status
    assert out == ""
    assert err[-1] == f"Interrupted: {kept}."
    assert not any("Traceback" in line for line in err)
    return True


# ---------------------------------------------------------------------- at any moment


@pytest.mark.parametrize(
    ("said", "seconds", "number"),
    [
        ("Reading", 0.0, signal.SIGINT),
        ("Fitting", 0.0, signal.SIGINT),
        ("Fitting", 0.7, signal.SIGTERM),
        ("left", 1.3, signal.SIGINT),
    ],
)
def test_a_signal_ends_a_prediction(large, tmp_path, said, seconds, number):
    job = Job("predict", large, "-o", tmp_path / "links.tsv", "--save", tmp_path / "model", *LONG)
    job.wait_for(said)
    time.sleep(seconds)
    assert interrupted(job.send(number), status=128 + number)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("seconds", [0.0, 0.2])
def test_control_c_while_the_command_loads_what_it_needs(large, tmp_path, seconds):
    before = (
        "import threading, linkprior.cli.interrupt as interrupt\n"
        "start = interrupt._start\n"
        "def timed(*work):\n"
        "    interrupt._start = start\n"
        "    start(*work)\n"
        f"    threading.Timer({seconds}, signal.raise_signal, [signal.SIGINT]).start()\n"
        "interrupt._start = timed\n"
    )
    job = Job("predict", large, "-o", tmp_path / "links.tsv", *LONG, before=before)
    out, err = job.process.communicate(timeout=60)
    assert interrupted((job.process.returncode, out, err.splitlines()))
    assert list(tmp_path.iterdir()) == []


SWALLOWED = """
import signal
try:
    signal.raise_signal(signal.SIGINT)
except KeyboardInterrupt:
    print("swallowed")
"""


@pytest.mark.parametrize("code", ["raise KeyboardInterrupt\n", SWALLOWED])
def test_control_c_before_the_command_is_there(tmp_path, code):
    """While `linkprior.cli` is imported, in a callback that swallows exceptions, say."""
    (tmp_path / "click.py").write_text(code)
    job = Job("predict", "edges.tsv", path=tmp_path)
    out, err = job.process.communicate(timeout=60)
    assert interrupted((job.process.returncode, out, err.splitlines()))


def test_another_program_that_imports_the_command_line_keeps_its_control_c(tmp_path):
    early = tmp_path / "click.py"
    early.write_text("import signal\nsignal.raise_signal(signal.SIGINT)\n")
    (tmp_path / "other.py").write_text("import linkprior.cli\n")
    code = f"import sys\nsys.path.insert(0, {str(tmp_path)!r})\n" + (
        "try:\n    import other\nexcept KeyboardInterrupt:\n    print('mine')\n"
    )
    ask = [sys.executable, "-c", code]
    done = subprocess.run(ask, check=False, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (0, "mine\n", "")


def test_the_log_of_a_run_tells_of_the_interruption(edges, tmp_path):
    ask = ("predict", edges, "--model", "pa", "-o", f"{tmp_path / 'run'}/")
    job = Job(*ask, before=SLOW_LEARN.format(work=LONG_SLEEP))
    job.wait_for("deep in it")
    kept = f"{tmp_path / 'run'}/ holds the input report, no model yet"
    assert interrupted(job.send(), kept=f"{kept}; the same command starts again")
    last = (tmp_path / "run" / "log.txt").read_text().splitlines()[-1]
    assert last.endswith(f" Interrupted: {kept}; the same command starts again.")
    assert not (tmp_path / "run" / "model").exists()


def test_control_c_on_a_terminal_takes_the_bar_away(large, tmp_path):
    ask = ("predict", large, "-o", tmp_path / "links.tsv", *LONG)
    status, text = on_a_terminal(f"{START}main()", *ask, press=("%", b"\x03"))
    assert status == 130
    seen = screen(text)
    assert seen[-1].endswith("Interrupted: nothing was written.")
    assert not any("gone" in line for line in seen)
    assert text.count("\x1b[?25h") >= text.count("\x1b[?25l") > 0  # the cursor is back
    assert list(tmp_path.iterdir()) == []


def test_control_c_while_waiting_for_standard_input():
    read_end, write_end = os.pipe()  # whose writer never says anything
    try:
        job = Job("predict", "-", stdin=read_end)
        job.wait_for("Reading")
        time.sleep(0.2)
        assert interrupted(job.send())
    finally:
        os.close(read_end)
        os.close(write_end)


# ---------------------------------------------------------------------- in what cannot be stopped

SLOW_LEARN = """
import numpy as np, linkprior.predictors.local as local
def learn(self, network):
    print("deep in it", file=sys.stderr, flush=True)
    {work}
local.PreferentialAttachment._fit = learn
def spin(n):
    x = 0.0
    for i in range(n):
        x = 0.999 * x + i
    return x
"""
LAPACK = "np.linalg.svd(np.random.default_rng(0).random((6000, 6000)))"
COMPILED = "import numba; numba.njit('f8(i8)', nogil=True)(spin)(10**14)"
LONG_SLEEP = "import time; time.sleep(600)"


@pytest.mark.parametrize("work", [LAPACK, COMPILED], ids=["LAPACK", "compiled"])
def test_control_c_inside_a_call_that_cannot_be_interrupted(edges, tmp_path, work):
    before = SLOW_LEARN.format(work=work)
    job = Job("predict", edges, "--model", "pa", "-o", tmp_path / "links.tsv", before=before)
    job.wait_for("deep in it")
    time.sleep(0.5)
    assert interrupted(job.send())
    assert not (tmp_path / "links.tsv").exists()


def test_control_c_while_numba_compiles(large, tmp_path, monkeypatch):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("LINKPRIOR_KERNELS", "numba")
    job = Job("predict", large, "-o", tmp_path / "links.tsv", *LONG)
    job.wait_for("compiling kernels")
    time.sleep(0.5)
    assert interrupted(job.send())
    assert not list(tmp_path.glob("*links*"))


# ---------------------------------------------------------------------- what is left behind

HALF_A_FILE = """
import time
from linkprior.ranking.ranking import Ranking
import linkprior.io.writers as writers
def write(stream, *_):
    stream.write("rank\\tsource")
    stream.flush()
    print("half way", file=sys.stderr, flush=True)
    time.sleep(600)
writers.write_ranking = write
"""
HALF_A_MODEL = """
import time
import linkprior.io.store as store
def begin(path, before):
    path.write_bytes(b"half")
    print("half way", file=sys.stderr, flush=True)
    while True:
        try:
            (path.parent / "more").write_bytes(b"half")
        except OSError:
            pass
store.keep_mode = begin
"""


def test_a_half_written_file_is_removed_and_an_earlier_one_survives(edges, tmp_path):
    target = tmp_path / "links.tsv"
    target.write_text("an earlier result")
    job = Job("predict", edges, "--model", "pa", "-o", target, before=HALF_A_FILE)
    job.wait_for("half way")
    assert list(tmp_path.glob(".links.tsv.*.part"))
    assert interrupted(job.send())
    assert {path.name for path in tmp_path.iterdir()} == {"edges.tsv", "links.tsv"}
    assert target.read_text() == "an earlier result"


def test_a_half_written_model_is_removed_though_someone_writes_into_it(edges, tmp_path):
    job = Job("predict", edges, "--model", "pa", "--save", tmp_path / "model", before=HALF_A_MODEL)
    job.wait_for("half way")
    assert list(tmp_path.glob(".model.*.part"))
    assert interrupted(job.send())
    assert {path.name for path in tmp_path.iterdir()} == {"edges.tsv"}


def test_what_was_written_before_is_named_and_kept(edges, tmp_path):
    target, model = tmp_path / "links.tsv", tmp_path / "model"
    ask = ("predict", edges, "--model", "pa", "-o", target, "--save", model)
    job = Job(*ask, before=HALF_A_FILE)
    job.wait_for("half way")
    assert interrupted(job.send(), kept=f"{model} is complete, nothing else was written")
    assert lp.load(model).fitted
    assert not target.exists()


def test_a_second_control_c_ends_at_once(edges):
    before = SLOW_LEARN.format(work=LONG_SLEEP) + (
        "import linkprior.cli.interrupt as interrupt\n"
        "def slow(*_):\n"
        "    print('leaving', file=sys.stderr, flush=True)\n"
        "    import time; time.sleep(600)\n"
        "interrupt._leave = slow\n"
    )
    job = Job("predict", edges, "--model", "pa", before=before)
    job.wait_for("deep in it")
    job.process.send_signal(signal.SIGINT)
    job.wait_for("leaving")
    code, _, err = job.send()
    assert code == -signal.SIGINT
    assert not any("Traceback" in line for line in err)


# ---------------------------------------------------------------------- in this process


def handlers():
    return [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)]


def interruptible(work):
    interrupt.run_interruptible(work, Console())


def test_context_passes_through():
    shared, seen = ContextVar("shared", default=0), []
    shared.set(7)
    interruptible(lambda: seen.append(shared.get()))
    assert seen == [7]


def test_exceptions_pass_through_and_no_handler_stays():
    before = handlers()

    def work():
        assert threading.current_thread() is not threading.main_thread()
        raise LookupError("no such thing")

    with pytest.raises(LookupError, match="no such thing"):
        interruptible(work)
    assert handlers() == before


def test_a_signal_that_is_ignored_stays_ignored():
    inside, before = [], signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        interruptible(lambda: inside.append(signal.getsignal(signal.SIGHUP)))
    finally:
        signal.signal(signal.SIGHUP, before)
    assert inside == [signal.SIG_IGN]


def test_outside_the_main_thread_it_is_a_plain_call():
    found = []

    def elsewhere():
        interruptible(lambda: found.append(threading.current_thread()))

    thread = threading.Thread(target=elsewhere)
    thread.start()
    thread.join()
    assert found == [thread]


def test_a_program_that_calls_main_keeps_its_own_signals(run, edges, monkeypatch):
    seen = []

    def learn(self, network):
        seen.append((threading.current_thread(), handlers()))
        raise lp.LinkpriorError("enough")

    monkeypatch.setattr("linkprior.predictors.local.PreferentialAttachment._fit", learn)
    before = handlers()
    assert run("predict", edges, "--model", "pa")[0] == 1
    assert seen == [(threading.main_thread(), before)]


# ---------------------------------------------------------------------- broken pipes


def with_a_closed_pipe(which, *arguments):
    read_end, write_end = os.pipe()
    os.close(read_end)
    try:
        streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, which: write_end}
        return subprocess.run(
            [sys.executable, "-c", f"{START}main()\n", *map(str, arguments)],
            check=False,
            timeout=60,
            text=True,
            env=buffered(),
            **streams,
        )
    finally:
        os.close(write_end)


@pytest.mark.parametrize(
    "asked",
    [
        *(["--help"], ["predict", "--help"], ["models"], ["--version"]),
        ["predict", "EDGES", "--model", "pa", "-q", "--top", "5"],
        ["predict", "EDGES", "--model", "pa", "-q", "--top", "1500"],  # exceeds the buffer
    ],
)
def test_a_reader_who_has_seen_enough_is_no_error(edges, asked):
    """As in `linkprior predict … | head -0`."""
    words = [edges if word == "EDGES" else word for word in asked]
    done = with_a_closed_pipe("stdout", *words)
    assert (done.returncode, done.stderr) == (0, "")


def test_that_nobody_reads_the_messages_stops_no_work(edges, tmp_path):
    target = tmp_path / "links.tsv"
    done = with_a_closed_pipe("stderr", "predict", edges, "--model", "pa", "-o", target)
    assert (done.returncode, done.stdout) == (0, "")
    assert re.match(r"rank\tsource\ttarget", target.read_text())


def test_nothing_is_printed_after_the_final_message(capsys):
    console = Console()
    console.echo("first")
    console.final_message("last")
    console.echo("too late")
    assert capsys.readouterr().err.splitlines() == ["first", "last"]
