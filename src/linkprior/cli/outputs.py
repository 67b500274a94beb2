"""Where a prediction goes: standard output, a file, or a run folder."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from linkprior.cli.console import drop_stdout, writing_to
from linkprior.cli.output_checks import (
    check_apart,
    check_name,
    check_save,
    check_writable,
    first_there,
    is_folder,
    refuse_input,
    refuse_inputs_in,
)
from linkprior.errors import LinkpriorError
from linkprior.io.atomic_files import resolved

if TYPE_CHECKING:
    from linkprior.io.read import InputReport
    from linkprior.pipeline.run_folder import RunFolder
    from linkprior.predictors.base import LinkPredictor
    from linkprior.ranking.ranking import Ranking


_UNWRITTEN = {
    **dict.fromkeys((".xlsx", ".xls", ".ods"), "a spreadsheet opens .csv"),
    ".json": "programs read .jsonl, one object per line",
    ".html": "see linkprior formats for what is",
    ".parquet": "see linkprior formats for what is",
}


class Output:
    """Standard output; the base of the others, which keep more."""

    def __init__(self, format: str) -> None:
        self.format = format

    @staticmethod
    def of(
        output: str | None,
        format: str | None,
        save: str | None,
        report: str | None,
        inputs: Sequence[str | None] = (),
    ) -> Output:
        """Return where to write; refuse what cannot be written before the work begins."""
        from linkprior.io.writers import format_of

        if save is not None:
            check_save(save, inputs)
        check_apart(output, save, report)
        chosen = format_of(output, format)
        if output is None or output == "-":
            return Output(chosen)
        if not output:
            raise LinkpriorError(
                "-o expects the name of a file or, with a slash at its end, folder"
            )
        if is_folder(output):
            return RunOutput(output, chosen, inputs)
        refuse_input(output, inputs)
        return FileOutput(output, chosen, format is not None)

    def open(self, **facts: Any) -> None:
        """Begin, once the input is known."""

    def close(self) -> None:
        """Let others write there; what is not finished stays so."""

    def kept(self) -> str | None:
        """Return what an interruption would leave, None where nothing is worth a word."""
        return None

    def log(self, text: str) -> None:
        """Keep a message."""

    @property
    def study(self) -> Path | None:
        """Where settings that are tried are kept; None: nowhere."""
        return None

    def note(self, **facts: Any) -> None:
        """Keep what is known by now."""

    def fitted(self) -> LinkPredictor | None:
        """Return a model of the same command fitted before."""
        return None

    def keep_model(self, model: LinkPredictor) -> None:
        """Keep the fitted model."""

    def write(self, ranking: Ranking, model: LinkPredictor, facts: dict[str, Any]) -> None:
        """Write the ranking; a reader that has seen enough (`| head`) is no error."""
        from linkprior.io.writers import write_ranking

        try:
            with writing_to("standard output"):
                write_ranking(sys.stdout, ranking, self.format, model.network_, _lasting(facts))
                sys.stdout.flush()
        except BrokenPipeError:
            drop_stdout()


class FileOutput(Output):
    """One file, whole or not at all."""

    def __init__(self, path: str, format: str, given: bool) -> None:
        super().__init__(format)
        self.path = Path(path)
        if not self.path.parent.is_dir():
            raise LinkpriorError(f"-o {path}: there is no folder {self.path.parent}; make it first")
        suffix = self.path.suffix.lower()
        if suffix in _UNWRITTEN and not given:
            raise LinkpriorError(f"-o {path}: {suffix} is not written; {_UNWRITTEN[suffix]}")
        if suffix in (".gz", ".bz2", ".xz", ".zip"):
            raise LinkpriorError(
                f"-o {path}: results are written unpacked; leave out {self.path.suffix}, or pipe "
                "standard output through gzip"
            )
        check_name(f"-o {path}", self.path)
        if self.path.is_file() or not self.path.exists():  # a pipe or device is written in place
            check_writable(f"-o {path}", resolved(self.path).parent)

    def write(self, ranking: Ranking, model: LinkPredictor, facts: dict[str, Any]) -> None:
        """Write the file."""
        from linkprior.io.atomic_files import whole_file
        from linkprior.io.writers import write_ranking

        with writing_to(str(self.path)), whole_file(self.path) as stream:
            write_ranking(stream, ranking, self.format, model.network_, _lasting(facts))


class RunOutput(Output):
    """A run folder: ranking, input report, model, log, manifest."""

    def __init__(self, path: str, format: str, inputs: Sequence[str | None] = ()) -> None:
        from linkprior.pipeline.run_folder import check_folder

        super().__init__(format)
        self.path = check_folder(path)
        refuse_inputs_in(f"-o {path}", self._touched(), inputs)
        check_writable(f"-o {path}", first_there(self.path))
        self.run: RunFolder | None = None
        self._waiting: list[str] = []

    def _touched(self) -> list[Path]:
        """Return all in the folder that this run writes, or removes as an earlier run's."""
        from linkprior.pipeline.run_folder import (
            LOG,
            MANIFEST,
            MODEL,
            RANKING,
            REPORT,
            read_manifest,
        )

        if not self.path.is_dir():
            return []
        earlier = (read_manifest(self.path) or {}).get("files", {})
        ours, start = {MANIFEST, REPORT, LOG, MODEL, *earlier}, f"{RANKING}."
        return [p for p in self.path.iterdir() if p.name in ours or p.name.startswith(start)]

    def open(self, **facts: Any) -> None:
        """Open the folder; a run of another command there is refused."""
        from linkprior import machine
        from linkprior.parallel import current_workers
        from linkprior.pipeline.run_folder import REPORT, RunFolder

        report: InputReport = facts.pop("report")
        with writing_to(str(self.path)):
            self.run = RunFolder.open(
                self.path,
                facts["request"],
                facts["source"],
                command=["linkprior", *sys.argv[1:]],
                versions=machine.versions(),
                workers=current_workers(),
                force=facts["force"],
            )
            self.run.write_json(REPORT, report.to_dict())
            for text in self._waiting:
                self.run.log(text)

    def close(self) -> None:
        """Let another process have the folder."""
        if self.run is not None:
            self.run.close()

    def log(self, text: str) -> None:
        """Keep a message; those from before the folder was open come first."""
        if self.run is None:
            self._waiting.append(text)
            return
        with writing_to(str(self.path)):
            self.run.log(text)

    def kept(self) -> str | None:
        """Return what the folder holds by now."""
        from linkprior.pipeline.run_folder import MODEL

        if self.run is None:
            return None
        if (self.run.path / MODEL).exists():
            return f"{self.path}/ holds the fitted model; the same command goes on from there"
        if "tuned" in self.run.facts:
            held = "what tuning found, no model yet"
            return f"{self.path}/ holds {held}; the same command goes on from there"
        return f"{self.path}/ holds the input report, no model yet; the same command begins anew"

    @property
    def study(self) -> Path:
        """The folder of the run for what tuning tries."""
        from linkprior.pipeline.run_folder import STUDY

        return self.path / STUDY

    def note(self, **facts: Any) -> None:
        """Keep what is known by now in the manifest."""
        assert self.run is not None
        with writing_to(str(self.path)):
            self.run.note(**facts)

    def fitted(self) -> LinkPredictor | None:
        """Return the model of an earlier run of the same command."""
        return self.run.fitted() if self.run else None

    def keep_model(self, model: LinkPredictor) -> None:
        """Keep the fitted model: from here on an interruption costs no fit."""
        from linkprior.pipeline.run_folder import MODEL

        assert self.run is not None
        with writing_to(str(self.run.path / MODEL)):
            model.save(self.run.path / MODEL)

    def write(self, ranking: Ranking, model: LinkPredictor, facts: dict[str, Any]) -> None:
        """Write the ranking, as a table and in the format asked for, and the last manifest."""
        from linkprior import machine
        from linkprior.io.writers import write_ranking
        from linkprior.pipeline.run_folder import RANKING

        assert self.run is not None
        for format in dict.fromkeys(("tsv", self.format)):
            name = f"{RANKING}.{format}"
            with writing_to(str(self.path / name)), self.run.writing(name) as stream:
                write_ranking(stream, ranking, format, model.network_, _lasting(facts))
        peak = round(machine.peak_memory() / 1e6)
        with writing_to(str(self.path)):
            self.run.finish(**facts, links=len(ranking), peak_memory_mb=peak)


def _lasting(facts: dict[str, Any]) -> dict[str, Any]:
    """Return what is the same for the same command: no clock, so the same bytes."""
    return {name: value for name, value in facts.items() if name != "seconds"}
