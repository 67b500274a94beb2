"""The process that fuzzes: libFuzzer takes over, so each target has a process of its own.

Modules of linkprior are instrumented once; then each target is fuzzed in a fork. What breaks a
promise is noted and the search goes on; only a crash, a hang or too much memory ends a process.
"""

from __future__ import annotations

import argparse
import contextlib
import ctypes
import importlib
import json
import os
import resource
import signal
import sys
import time
from pathlib import Path
from typing import Any

import atheris  # type: ignore[import-untyped]

from fuzz import places

# Not all of linkprior: compiled kernels cannot be, and how models are fitted does not matter here.
INSTRUMENTED = (
    *("io", "network", "runs", "checks", "pairs", "ranking", "predictors.saving"),
    *("predictors.registry", "predictors.base", "report.study", "evaluation.store"),
    *(f"evaluation.{name}" for name in ("results", "splits")),
)
MEMORY_MB = 1024
SECONDS_PER_INPUT = 20
ENOUGH_NOTES = 200
_PARENT_DEATH_SIGNAL = 1  # PR_SET_PDEATHSIG of Linux


class Notes:
    """What a turn found out: the slowest input, and inputs that broke a promise."""

    def __init__(self, work: Path, target: str) -> None:
        self._file = places.turn_file(work, target, "json")
        self._findings = places.findings_folder(work, target)
        self._slowest, self._new, self._saved, self._dirty = 0.0, 0, 0.0, False
        self.save()

    def save(self) -> None:
        """Write it down; the process may end at any moment."""
        self._file.write_text(json.dumps({"slowest_s": self._slowest, "new_findings": self._new}))
        self._saved, self._dirty = time.monotonic(), False

    def took(self, seconds: float) -> None:
        """Note how long an input took."""
        if seconds > self._slowest:
            self._slowest, self._dirty = seconds, True
        if self._dirty and time.monotonic() - self._saved > 1:
            self.save()

    def found(self, finding: Any, data: bytes) -> None:
        """Keep an input that broke a promise: the shortest one of each place."""
        path = self._findings / finding.key
        if not path.exists():
            self._new += 1
        elif path.stat().st_size <= len(data):
            return
        if self._new < ENOUGH_NOTES:
            path.write_bytes(data)
            path.with_suffix(".txt").write_text(f"{finding}\n", encoding="utf-8")
            self.save()


def instrument() -> None:
    """Import what is fuzzed so that libFuzzer sees which lines an input reaches."""
    home = places.ROOT / "src" / "linkprior"
    found = (path.relative_to(home).with_suffix("") for path in home.rglob("*.py"))
    names = [".".join(path.parts).removesuffix(".__init__") for path in found]
    wanted = [n for n in names if any(f"{n}.".startswith(f"{one}.") for one in INSTRUMENTED)]
    others = [f"linkprior.{name}" for name in names if name not in wanted]
    silence = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
    with (
        contextlib.redirect_stderr(silence),
        atheris.instrument_imports(include=["linkprior", "zipfile", "gzip"], exclude=others),
    ):
        for name in wanted:
            importlib.import_module(f"linkprior.{name}")


def _limit_memory() -> None:
    """Allow a gigabyte more than there is now: beyond it Python says MemoryError."""
    now = int(Path("/proc/self/statm").read_text().split()[0]) * os.sysconf("SC_PAGE_SIZE")
    most = now + (MEMORY_MB << 20)
    resource.setrlimit(resource.RLIMIT_AS, (most, most))


def _words_file(work: Path, name: str, words: tuple[str, ...]) -> list[str]:
    if not words:
        return []
    path = places.turn_file(work, name, "dict")
    escaped = ("".join(f"\\x{byte:02x}" for byte in word.encode()) for word in words)
    path.write_text("".join(f'"{word}"\n' for word in escaped))
    return [f"-dict={path}"]


def fuzz_one(name: str, work: Path, flags: list[str]) -> None:
    """Hand this process over to libFuzzer; it does not come back."""
    from fuzz.targets import TARGETS
    from fuzz.verdict import WATCH, judged

    target = TARGETS[name]
    notes = Notes(work, name)
    with places.scratch() as place:
        attempt = target.make(place)
        for seed in target.seeds():  # whatever is imported late is imported now
            judged(attempt, seed)
        WATCH.install()
        _limit_memory()

        def one(data: bytes) -> None:
            began = time.process_time()
            finding = judged(attempt, data)
            notes.took(time.process_time() - began)
            if finding is not None:
                notes.found(finding, data)

        limits = [f"-rss_limit_mb={MEMORY_MB}", f"-timeout={SECONDS_PER_INPUT}"]
        artifacts = f"-artifact_prefix={places.findings_folder(work, name)}/"
        own = [*limits, f"-max_len={target.largest}", artifacts, "-print_final_stats=1"]
        atheris.Setup([sys.argv[0], *own, *_words_file(work, name, target.words), *flags], one)
        atheris.Fuzz()


def _search(name: str, work: Path, seconds: int, seed: int) -> list[str]:
    """Return libFuzzer's options for a search that begins with all there is."""
    from fuzz.targets import TARGETS

    corpus = places.sow_seeds(work, name, TARGETS[name])
    return [f"-max_total_time={seconds}", f"-seed={seed}", str(corpus)]


def _end_with_parent() -> None:
    """Have the system end this process when the one that started it is gone."""
    ctypes.CDLL(None).prctl(_PARENT_DEATH_SIGNAL, signal.SIGKILL)


def _forked(name: str, work: Path, flags: list[str]) -> int:
    """Fuzz one target in a fork, its words going to a log; return the status."""
    pid = os.fork()
    if pid:
        return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    _end_with_parent()
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    log = os.open(places.turn_file(work, name, "log"), os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.dup2(log, 1)
    os.dup2(log, 2)
    try:
        fuzz_one(name, work, flags)
    finally:
        os._exit(99)


def main() -> int:
    """Fuzz the targets one after the other; 0 unless a process came to a bad end."""
    parser = argparse.ArgumentParser(prog="python -m fuzz.child", description=__doc__)
    parser.add_argument("targets", nargs="+")
    parser.add_argument("--work", type=Path, default=places.WORK)
    parser.add_argument("--seconds", type=int, default=60, help="for each target")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--merge", type=Path, help="a control file of libFuzzer's merge")
    asked = parser.parse_args()
    _end_with_parent()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the fork hears it, and comes to an end
    instrument()
    if asked.merge is not None:  # only tell what each input reaches
        merge = [f"-merge_control_file={asked.merge}", "-merge_inner=1"]
        return _forked(asked.targets[0], asked.work, merge)
    turns = (
        _forked(name, asked.work, _search(name, asked.work, asked.seconds, asked.seed))
        for name in asked.targets
    )
    return int(any(list(turns)))


if __name__ == "__main__":
    sys.exit(main())
