"""The result of a job as files: its page, and the ranking as the command line writes it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from linkprior.pipeline.run_folder import Run

PAGE = "page.html"
# Kinds that can be downloaded → where they lie in a job's folder, and what they are.
FILES = {
    "tsv": ("ranking.tsv", "text/tab-separated-values; charset=utf-8"),
    "graphml": ("ranking.graphml", "application/graphml+xml"),
    "cx2": ("ranking.cx2", "application/json"),
    "log": ("messages.txt", "text/plain; charset=utf-8"),
}


def export_run(
    run_folder: Path, target: Path, name: str | None = None, command: Sequence[str] = ()
) -> None:
    """Write page, TSV, GraphML and CX2 of a run; the same bytes as `linkprior predict -o FILE`.

    `name` is what the input is called on the page, `command` what leads to the same list; without
    them, as in the run.
    """
    from linkprior.pipeline.run_folder import load_run
    from linkprior.report import prediction_page, write_page

    run = load_run(run_folder)
    about = {**run.manifest, **({"command": list(command)} if command else {})}
    report = {**run.input_report, **({"file": name} if name else {})}
    write_page(target / PAGE, prediction_page(run.model, run.ranking, report, about))
    write_lists(run, target)


def write_lists(run: Run, target: Path) -> None:
    """Write the ranking of a run as TSV, GraphML and CX2."""
    from linkprior.io.atomic_files import whole_file
    from linkprior.io.writers import write_ranking

    facts = {key: run.manifest.get(key) for key in ("model", "seed", "network_digest")}
    for format in ("tsv", "graphml", "cx2"):
        with whole_file(target / FILES[format][0]) as stream:
            write_ranking(stream, run.ranking, format, run.network, facts)
