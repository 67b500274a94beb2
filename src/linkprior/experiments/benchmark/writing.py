"""The files a benchmark leaves beside its cells: tables, every number, pictures."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from pathlib import Path

from linkprior.errors import StoreError
from linkprior.experiments.benchmark import figures, tables
from linkprior.experiments.benchmark.cells import read_cell, read_suite, suite_files
from linkprior.experiments.benchmark.results import Results
from linkprior.io.atomic_files import whole_file
from linkprior.io.store import refuse_odd

FILES = ("tables.md", "results.tsv", "mean_ranks.svg", "scaling.svg")


def refuse_foreign(folder: Path) -> None:
    """Raise an error where files of somebody else are in the way, or a cell is not whole.

    The files are ours where there is a cell.
    """
    refuse_odd(folder, FILES)
    cells = [read_cell(path) for path in suite_files(folder)]
    taken = [name for name in FILES if (folder / name).exists()]
    if taken and not cells:
        raise StoreError(
            f"{folder / taken[0]} is not from a benchmark, which would replace it; give another "
            "folder (-o), or move it"
        )


def results_in(folder: Path) -> Results:
    """Return the results of a folder of cells; one without any is an error."""
    found = Results(read_suite(folder) if folder.is_dir() else [])
    if not found.networks:
        raise StoreError(
            f"{folder} holds no finished cell: run the benchmark first, with the same -o"
        )
    return found


def write_files(results: Results, folder: Path) -> list[Path]:
    """Write tables and pictures, each whole or not at all; the same cells are the same bytes."""
    refuse_odd(folder, FILES)
    contents = (
        tables.markdown(results).encode(),
        rows(results).encode(),
        figures.mean_ranks(results),
        figures.scaling(results),
    )
    for name, content in zip(FILES, contents, strict=True):
        with whole_file(folder / name) as stream:
            stream.buffer.write(content)
    return [folder / name for name in FILES]


def rows(results: Results) -> str:
    """Return every number as tab-separated text; what could not be measured stays empty."""
    text = io.StringIO()
    writer = csv.writer(text, delimiter="\t", lineterminator="\n")
    writer.writerow(["network", "split", "model", "metric", "value"])
    writer.writerows(_numbers(results))
    return text.getvalue()


def _numbers(results: Results) -> Iterator[tuple[object, ...]]:
    for network, models in results.judged.items():
        for model, cells in sorted(models.items()):
            for split, cell in sorted(cells.items()):
                for metric, value in sorted(cell["values"].items()):
                    shown = "" if value is None else repr(float(value))
                    yield network, split, model, metric, shown
