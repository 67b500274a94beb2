"""`linkprior report`: the page of what a command kept in a folder."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from linkprior.cli import options
from linkprior.cli.console import echo, writing_to
from linkprior.cli.output_checks import check_name, check_writable, first_there
from linkprior.errors import LinkpriorError, StoreError
from linkprior.io.atomic_files import resolved
from linkprior.io.safe_read import refuse_odd

if TYPE_CHECKING:
    from linkprior.evaluation.results import Evaluation

PAGE = "report.html"


@click.command()
@click.argument("folder", metavar="RUN_DIR")
@click.option(
    "-o", "--output", metavar="FILE.html", help="Where to write.  [default: RUN_DIR/report.html]"
)
@click.option(
    "--evaluation",
    metavar="DIR",
    help="Show this evaluation (`linkprior evaluate -o DIR`) with the run.",
)
@click.option(
    "--study",
    metavar="DIR",
    help="Show this study (`linkprior tune --study DIR`) with the run or the evaluation.",
)
@options.quiet
def report(
    folder: str, output: str | None, evaluation: str | None, study: str | None, quiet: bool
) -> None:
    """Write the page of what a command kept in RUN_DIR.

    That is a run (`predict -o DIR/`), an evaluation (`evaluate -o DIR`), a study (`tune --study
    DIR`), a benchmark or the paper's experiments (`benchmark -o DIR`, `reproduce -o DIR`). One file
    that works offline: predicted links to sort, filter and save, how many to expect to be real,
    neighbourhoods, the network, how models compare, what tuning found, and how it was made.
    """
    if not Path(folder).is_dir():
        raise StoreError(
            f"{folder} is no folder; expected what `linkprior predict -o DIR/` or `linkprior "
            "evaluate -o DIR` wrote"
        )
    target = Path(output) if output is not None else Path(folder) / PAGE
    check_page("-o", target)
    if output is None:
        _refuse_foreign(target)
    write(target, data_of(Path(folder), evaluation, study), quiet)


def _refuse_foreign(target: Path) -> None:
    """Refuse to replace a page of somebody else, which nobody has named."""
    from linkprior.report.page import is_page

    if target.exists() and not is_page(target):
        raise LinkpriorError(
            f"{target} is not a page of linkprior, and would be replaced; give -o FILE.html"
        )


def data_of(
    folder: Path, evaluation: str | None = None, study: str | None = None
) -> dict[str, Any]:
    """Return what the page of a folder shows."""
    from linkprior.pipeline.run_folder import MANIFEST

    if (folder / MANIFEST).is_file():
        data = _run_data(folder, evaluation)
    else:
        found = _results_data(folder)
        if found is None:
            raise StoreError(
                f"{folder} is not a run folder (it has no {MANIFEST}) nor another with a page: "
                "expected what predict, evaluate, tune, benchmark or reproduce keeps"
            )
        data = found
        if evaluation is not None:
            raise StoreError(f"{folder} is no run: --evaluation goes with a run")
    tuned = Path(study) if study is not None else _own_study(folder)
    if tuned is not None and "parts" not in data:
        data["parts"] = [_tuning(tuned)]
    elif study is not None:
        raise StoreError(f"{folder} is no run and no evaluation: --study goes with these")
    return data


def _own_study(folder: Path) -> Path | None:
    """Return the study that lies in a folder, or the one by which its run was tuned."""
    from linkprior.pipeline.run_folder import STUDY, read_manifest
    from linkprior.report.study import is_study

    tuned = "tuned" in (read_manifest(folder) or {})
    places = [folder, folder / STUDY] if tuned else [folder]
    return next((place for place in places if is_study(place)), None)


def _run_data(folder: Path, evaluation: str | None) -> dict[str, Any]:
    """Return the page of a run, with the evaluation that is asked for or lies in its folder."""
    from linkprior.evaluation.results import RESULTS
    from linkprior.pipeline.load_run import load_run
    from linkprior.report import prediction_page
    from linkprior.report.evaluation import comparison

    run = load_run(folder)
    data = prediction_page(run.model, run.ranking, run.input_report, run.manifest)
    if evaluation is not None or (folder / RESULTS).is_file():
        judged = Path(evaluation or folder)
        with _refusing(judged / RESULTS):
            data["evaluation"] = comparison(_evaluation(judged))
    return data


def _results_data(folder: Path) -> dict[str, Any] | None:
    """Return the page of a folder without a run; None where it holds nothing that has one."""
    from linkprior.evaluation.results import RESULTS
    from linkprior.evaluation.store import CLAIM
    from linkprior.report import benchmark, reproduction, study, tuning
    from linkprior.report.evaluation import evaluation_page

    if reproduction.is_reproduction(folder):
        results = reproduction.read_reproduction(folder)
        with _refusing(folder):
            command = _joined(["linkprior", *results[0].get("command", [])])
        return reproduction.reproduction_page(results, command)
    if (folder / RESULTS).is_file():
        with _refusing(folder / RESULTS):
            return evaluation_page(_evaluation(folder), _named(folder), _command(folder))
    if study.is_study(folder):
        return tuning.tuning_page(study.read_study(folder))
    if (folder / CLAIM).is_file():
        raise StoreError(f"{folder} is an unfinished evaluation: the same command completes it")
    if benchmark.is_benchmark(folder):
        from linkprior.experiments.benchmark import results_in

        with _refusing(folder):
            return benchmark.benchmark_page(results_in(folder))
    return None


@contextmanager
def _refusing(path: Path) -> Iterator[None]:
    """Refuse results that are JSON and yet not what the command wrote."""
    try:
        yield
    except LinkpriorError:
        raise
    except (LookupError, TypeError, ValueError, AttributeError) as problem:
        raise StoreError(
            f"{path} or a file beside it is damaged ({type(problem).__name__}); run the command "
            "that wrote it again, into a new folder"
        ) from None


def _tuning(folder: Path) -> dict[str, Any]:
    from linkprior.evaluation.tuning.study import QUESTION
    from linkprior.report.study import is_study, read_study
    from linkprior.report.tuning import tuning_part

    if not is_study(folder):
        raise StoreError(
            f"{folder} holds no {QUESTION}: expected what `linkprior tune --study DIR` keeps"
        )
    return tuning_part(read_study(folder))


def _evaluation(folder: Path) -> Evaluation:
    from linkprior.evaluation.results import read_results

    return read_results(folder)


def _named(folder: Path) -> str:
    facts = _evaluation(folder).facts.get("network") or {}
    return Path(str(facts.get("file") or folder.resolve().name)).name


def _command(folder: Path) -> str | None:
    from linkprior.evaluation.results import RESULTS
    from linkprior.evaluation.store import read_json

    command = read_json(folder / RESULTS).get("command")
    return _joined(command) if command else None


def _joined(words: Iterable[Any]) -> str:
    import shlex

    return shlex.join(map(str, words))


def this_command() -> str:
    """Return what was typed."""
    import sys

    return _joined(["linkprior", *sys.argv[1:]])


def check_page(
    option: str, target: Path, others: Iterable[str | None] = (), made: Iterable[Path] = ()
) -> None:
    """Refuse a page that cannot be written, or that would replace one of `others`, before work.

    `made` are folders that the command itself will make, so that the page may lie there.
    """
    if target.suffix.lower() not in (".html", ".htm"):
        raise LinkpriorError(f"{option} {target}: a page ends in .html")
    if target.is_dir():
        raise LinkpriorError(f"{option} {target}: is a folder; give the name of a file")
    refuse_odd(target.parent, [target.name])
    for name in others:
        if name and name != "-" and resolved(name) == resolved(target):
            raise LinkpriorError(f"{option} {target}: {name} is read or written too; rename one")
    check_name(f"{option} {target}", target)
    there = resolved(target).parent
    if not there.is_dir() and there not in [resolved(folder) for folder in made]:
        raise LinkpriorError(f"{option} {target}: there is no folder {target.parent}")
    check_writable(f"{option} {target}", first_there(there))


def write(target: Path, data: dict[str, Any], quiet: bool) -> None:
    """Write a page and say where it is."""
    from linkprior.report import write_page

    with writing_to(str(target)):
        write_page(target, data)
    if not quiet:
        size = target.stat().st_size / 1e6
        echo(f"Wrote the page {target} ({size:.1f} MB): open it in a browser")
