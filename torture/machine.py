"""A run folder through any order of starts, kills, damages and exports.

Whatever happens to it, it is never read back as something it is not, the same command puts it
right, and files of others stay.
"""

from __future__ import annotations

import shutil
from typing import Any, ClassVar

from hypothesis import HealthCheck, seed, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

import linkprior as lp
from linkprior.errors import StoreError
from torture.fork_server import End
from torture.sandbox import Sandbox, copied, differences, files_in, leftovers

COMMANDS = ("predict run", "another run")
_NOTE = "run/notes.txt"


class RunFolderMachine(RuleBasedStateMachine):
    """One folder. `sandbox` is set by whoever runs the machine."""

    sandbox: ClassVar[Sandbox]
    checks = 0

    @initialize()
    def begin(self) -> None:
        self.place = copied(self.sandbox.base / "inputs", self.sandbox.base / "machine")
        self.wanted = {name: self.sandbox.of(name) for name in COMMANDS}
        self.noted = self.damaged = False
        self.lost = False  # the manifest: nobody can tell what the folder was

    def teardown(self) -> None:
        shutil.rmtree(self.sandbox.base / "machine", ignore_errors=True)

    @rule(name=st.sampled_from(COMMANDS), force=st.booleans())
    def start(self, name: str, force: bool) -> None:
        before = self._left()
        end = self._run(name, force)
        if end.status == 0:
            self._is_whole(name)
        else:
            assert self.lost or not force, f"refused though forced: {end.err}"
            assert end.status == 1
            assert len(end.err.splitlines()) == 1, end.err
            assert self._left() == before, "a refused command changed the folder"

    @rule(
        name=st.sampled_from(COMMANDS),
        at=st.integers(1, 60),
        do=st.sampled_from(["kill before", "kill after"]),
        force=st.booleans(),
    )
    def kill(self, name: str, at: int, do: str, force: bool) -> None:
        end = self._run(name, force, at=at, do=do)
        assert end.status in (0, 1, -9)
        if end.status == -9:
            self.damaged = False  # or not: what is unfinished says so itself

    @precondition(lambda self: not self.lost)
    @rule()
    def resume(self) -> None:
        """Give the command of the folder again: it ends as if nothing had happened."""
        for name in COMMANDS:
            end = self._run(name, force=False)
            if end.status == 0:
                self._is_whole(name)
                return
            assert "holds another run" in end.err, end.err
        raise AssertionError("neither command could go on")

    @rule(which=st.integers(0, 20), how=st.sampled_from(["cut", "empty", "delete", "flip"]))
    def damage(self, which: int, how: str) -> None:
        files = [name for name in self._left() if name.startswith("run/") and name != _NOTE]
        if not files:
            return
        name = files[which % len(files)]
        if how == "flip" and name.endswith("manifest.json"):
            how = "cut"  # a byte more or less between two numbers changes nothing
        content = (self.place / name).read_bytes()
        middle = len(content) // 2
        if how == "delete":
            (self.place / name).unlink()
        else:
            flipped = bytes(byte ^ 1 for byte in content[middle : middle + 1])
            whole = content[:middle] + flipped + content[middle + 1 :]
            spoilt = {"empty": b"", "cut": content[:middle], "flip": whole}[how]
            (self.place / name).write_bytes(spoilt)
        self.damaged = True
        self.lost |= name == "run/manifest.json"

    @rule()
    def export(self) -> None:
        """Make the page of the run, which is refused where the run is not whole."""
        end = self.sandbox.server.run(["report", "run", "-o", "page.html", "-q"], self.place)
        page = self.place / "page.html"
        assert page.exists() == (end.status == 0)
        assert end.status in (0, 1)
        assert end.status == 0 or len(end.err.splitlines()) == 1, end.err
        page.unlink(missing_ok=True)

    @precondition(lambda self: (self.place / "run/manifest.json").exists())
    @rule()
    def add_a_note(self) -> None:
        (self.place / _NOTE).write_text("mine", encoding="utf-8")
        self.noted = True

    @precondition(lambda self: self.lost)
    @rule()
    def remove_it(self) -> None:
        """Do what the messages advise where nothing else helps: take a new folder."""
        shutil.rmtree(self.place / "run")
        self.lost = self.noted = self.damaged = False

    @invariant()
    def what_is_read_back_is_right(self) -> None:
        """A folder is refused, or is exactly one of the two runs."""
        type(self).checks += 1
        if not hasattr(self, "place"):
            return
        try:
            run = lp.load_run(self.place / "run")
        except StoreError:
            return
        name = "predict run" if run.manifest["request"]["parameters"]["seed"] == 0 else COMMANDS[1]
        whole = self.wanted[name].after
        assert (run.folder / "ranking.tsv").read_bytes() == whole["run/ranking.tsv"]
        assert len(run.ranking) == 20

    @invariant()
    def notes_stay(self) -> None:
        """Nobody touches a file that is not the run's."""
        if getattr(self, "noted", False):
            assert (self.place / _NOTE).read_text(encoding="utf-8") == "mine"

    def _run(self, name: str, force: bool, **plan: Any) -> End:
        argv = [*self.wanted[name].job.argv, *["--force"] * force]
        end = self.sandbox.server.run(argv, self.place, **plan)
        assert not end.hung
        assert "Traceback" not in end.err, end.err
        return end

    def _left(self) -> dict[str, bytes]:
        """Return the files without what killed processes left: anybody may remove that."""
        files = files_in(self.place)
        gone = leftovers(files)
        return {name: content for name, content in files.items() if name not in gone}

    def _is_whole(self, name: str) -> None:
        files = {name: content for name, content in files_in(self.place).items() if name != _NOTE}
        # With --force the command that is noted is another one; the run is the same.
        other = differences(files, self.wanted[name].after)
        assert [one for one in other if one != "run/manifest.json"] == []
        assert lp.load_run(self.place / "run").manifest["status"] == "complete"
        self.damaged = False


def run_machine(sandbox: Sandbox, examples: int, steps: int, number: int | None = None) -> int:
    """Run the machine; an AssertionError shows the steps that broke it. Return the steps done."""
    machine = type("Machine", (RunFolderMachine,), {"sandbox": sandbox})
    if number is not None:
        machine = seed(number)(machine)
    run_state_machine_as_test(
        machine,
        settings=settings(
            max_examples=examples,
            stateful_step_count=steps,
            deadline=None,
            database=None,
            derandomize=number is None,
            suppress_health_check=list(HealthCheck),
        ),
    )
    return machine.checks
