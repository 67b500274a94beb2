"""The page of a folder, whatever command stored its results there."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from linkprior.errors import LinkpriorError, StoreError
from linkprior.evaluation.results import RESULTS, read_results
from linkprior.evaluation.store import CLAIM, read_json
from linkprior.evaluation.tuning.study import QUESTION
from linkprior.experiments.benchmark import results_in
from linkprior.pipeline.run_folder import MANIFEST, STUDY, load_run, read_manifest
from linkprior.report import prediction_page
from linkprior.report.evaluation import (
    comparison,
    evaluation_page,
    is_study,
    read_study,
    tuning_page,
    tuning_part,
)
from linkprior.report.experiments import (
    benchmark_page,
    is_benchmark,
    read_reproduction,
    reproduction_page,
)


def folder_page(
    folder: Path, evaluation: str | None = None, study: str | None = None
) -> dict[str, Any]:
    """Return what the page of a folder shows.

    Parameters
    ----------
    folder
        What predict, evaluate, tune, benchmark or reproduce stored.
    evaluation, study
        Folders of an evaluation and a study to show with it.
    """
    if (folder / MANIFEST).is_file():
        run = load_run(folder)
        data = prediction_page(run.model, run.ranking, run.input_report, run.manifest)
        if evaluation is not None or (folder / RESULTS).is_file():
            evaluated = Path(evaluation or folder)
            with _refusing(evaluated / RESULTS):
                data["evaluation"] = comparison(read_results(evaluated))
    else:
        data = _results_data(folder)
        if evaluation is not None:
            raise StoreError(f"{folder} is not a run: --evaluation goes with a run")
    if study is not None:
        tuned: Path | None = Path(study)
    else:  # what lies in the folder, or what its run was tuned by
        by = [folder / STUDY] if "tuned" in (read_manifest(folder) or {}) else []
        tuned = next((one for one in (folder, *by) if is_study(one)), None)
    if tuned is not None and "parts" not in data:
        if not is_study(tuned):
            raise StoreError(
                f"{tuned} holds no {QUESTION}: expected what `linkprior tune --study DIR` writes"
            )
        data["parts"] = [tuning_part(read_study(tuned))]
    elif study is not None:
        raise StoreError(f"{folder} is neither a run nor an evaluation: --study goes with these")
    return data


def _results_data(folder: Path) -> dict[str, Any]:
    """Return the page of a folder without a run."""
    if experiments := read_reproduction(folder):
        with _refusing(folder):
            command = shlex.join(map(str, ["linkprior", *experiments[0].get("command", [])]))
        return reproduction_page(experiments, command)
    if (folder / RESULTS).is_file():
        with _refusing(folder / RESULTS):
            results = read_results(folder)
            named = (results.facts.get("network") or {}).get("file") or folder.resolve().name
            words = read_json(folder / RESULTS).get("command") or []
            return evaluation_page(
                results, Path(str(named)).name, shlex.join(map(str, words)) or None
            )
    if is_study(folder):
        return tuning_page(read_study(folder))
    if (folder / CLAIM).is_file():
        raise StoreError(f"{folder} is an unfinished evaluation: the same command completes it")
    if is_benchmark(folder):
        with _refusing(folder):
            return benchmark_page(results_in(folder))
    raise StoreError(
        f"{folder} is not a run folder (it has no {MANIFEST}) nor another with a page: "
        "expected what predict, evaluate, tune, benchmark or reproduce keeps"
    )


@contextmanager
def _refusing(path: Path) -> Iterator[None]:
    """Refuse results that are JSON and yet not what the command wrote."""
    try:
        yield
    except LinkpriorError:
        raise
    except (LookupError, TypeError, ValueError, AttributeError) as problem:
        raise StoreError(
            f"{path} or a file next to it is damaged ({type(problem).__name__}); run the command "
            "that wrote it again, into a new folder"
        ) from None
