"""Studies behind the pages on the paper: `python -m benchmarks.paper_studies [NAME …]`.

Needs LINKPRIOR_DATA. Each study leaves its numbers in benchmarks/results/studies/NAME.json, and a
figure, where no table shows them all, in docs/figures/NAME.svg. A study whose numbers are there is
drawn again, not run again; `--again` runs it anew.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks import studies_degrees as degrees
from benchmarks import studies_printed as printed
from benchmarks import studies_recall as recall
from benchmarks.data import RESULTS, ROOT
from benchmarks.studies_base import Numbers, save_figure
from linkprior import machine, parallel
from linkprior.errors import LinkpriorError
from linkprior.evaluation.store import read_json, write_json
from linkprior.experiments.paper import data_folder

NUMBERS = RESULTS / "studies"


@dataclass(frozen=True)
class Study:
    """One question, asked in the first line of `run`'s text: its numbers, and perhaps a figure."""

    name: str
    run: Callable[[Path], Numbers]  # from the data folder
    draw: Callable[[Any, Numbers], None] | None = None  # on an empty figure
    size: tuple[float, float] = (0.0, 0.0)  # of the figure, in inches

    @property
    def question(self) -> str:
        return (self.run.__doc__ or "").partition("\n")[0]


STUDIES = {
    study.name: study
    for study in (
        Study("ranked_variable", recall.run_variables),
        Study("harder", recall.run_harder),
        Study("alpha_degrees", degrees.run_alpha),
        Study("bound", degrees.run_bound),
        Study(
            "degree_distributions",
            *(degrees.run_distributions, degrees.draw_distributions, (10.5, 6.6)),
        ),
        Study("convergence", printed.run_convergence, printed.draw_convergence, (11.0, 6.2)),
        Study("ablation", printed.run_ablation),
        Study(
            "learned_weights",
            *(printed.run_learned_weights, printed.draw_learned_weights, (7.5, 5.6)),
        ),
    )
}


def main(given: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.paper_studies", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(STUDIES))
    parser.add_argument("--again", action="store_true", help="run finished studies anew")
    parser.add_argument("--data", help="folder of data sets (default: LINKPRIOR_DATA)")
    asked = parser.parse_args(given)
    unknown = [name for name in asked.names if name not in STUDIES]
    if unknown:
        parser.error(f"no study is called {unknown[0]!r}; there are {', '.join(STUDIES)}")
    for name in asked.names or STUDIES:
        study, path = STUDIES[name], NUMBERS / f"{name}.json"
        if asked.again or not path.exists():
            print(f"{name}: {study.question}", flush=True)
            keep(study, data_folder(asked.data), path)
        if study.draw is not None:
            save_figure(name, study.draw, read_json(path)["numbers"], study.size)
        print(f"{name}: {path.relative_to(ROOT)}", flush=True)


def keep(study: Study, folder: Path, path: Path) -> None:
    """Run a study and write its numbers with all that is needed to get them again."""
    began = time.perf_counter()
    numbers = study.run(folder)
    path.parent.mkdir(parents=True, exist_ok=True)
    about: dict[str, Any] = {
        "study": study.name,
        "question": study.question,
        "command": f"python -m benchmarks.paper_studies {study.name}",
        "seconds": round(time.perf_counter() - began, 1),
        "threads": parallel.current_workers(),
        "versions": machine.versions(),
    }
    write_json(path, {**about, "numbers": numbers})


if __name__ == "__main__":
    try:
        main()
    except LinkpriorError as error:
        sys.exit(f"paper_studies: {error}")
