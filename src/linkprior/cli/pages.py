"""`linkprior report` and `serve`: pages of what there is, in a file or live on this machine."""

from __future__ import annotations

import shutil
import tempfile
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from linkprior.cli import options
from linkprior.cli.console import Console, current_console
from linkprior.errors import InputError, LinkpriorError, StoreError
from linkprior.pipeline.outputs import check_page, format_error, writing_to

if TYPE_CHECKING:
    from linkprior.serve.jobs import JobManager
    from linkprior.serve.workspace import LaunchFile

_REPORT = "report.html"
_LEAVING = 8.0  # seconds for jobs to end, at most; it takes one or two


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
def report(folder: str, output: str | None, evaluation: str | None, study: str | None) -> None:
    """Write the HTML report of what a command stored in RUN_DIR.

    That is a run (`predict -o DIR/`), an evaluation (`evaluate -o DIR`), a study (`tune --study
    DIR`), a benchmark or the paper's experiments (`benchmark -o DIR`, `reproduce -o DIR`). One file
    that works offline: predicted links to sort, filter and save, how many to expect to be real,
    neighbourhoods, the network, how models compare, what tuning found, and how it was made.
    """
    from linkprior.report.folder import folder_page
    from linkprior.report.page import is_page

    if not Path(folder).is_dir():
        raise StoreError(
            f"{folder} is not a folder; expected what `linkprior predict -o DIR/` or `linkprior "
            "evaluate -o DIR` wrote"
        )
    target = Path(output) if output is not None else Path(folder) / _REPORT
    check_page("-o", target)
    if output is None and target.exists() and not is_page(target):  # nobody has named it
        raise LinkpriorError(
            f"{target} is not a page of linkprior, and would be replaced; give -o FILE.html"
        )
    data = folder_page(Path(folder), evaluation, study)
    options.write_page(target, data)


@click.command()
@click.argument("start", metavar="[EDGES | RUN_DIR]", required=False)
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    help="Port to listen on; 0 takes any free one.  [default: 8421, or the next free one]",
)
@click.option("--open", "opens", is_flag=True, help="Open the address in your browser.")
@click.option("--upload-limit", metavar="SIZE", default="200M", help="Refuse larger files.")
@click.option(
    "--work-folder",
    metavar="DIR",
    help="Store the results of jobs here.  [default: a temporary folder, removed at the end]",
)
def serve(
    start: str | None, port: int | None, opens: bool, upload_limit: str, work_folder: str | None
) -> None:
    """Explore networks in a browser: open a file, choose a model, follow the job, see its result.

    Begins with the network in EDGES, or with the result in RUN_DIR, where one is given. It listens
    on 127.0.0.1 alone, at an address that cannot be guessed; Ctrl-C ends it and its jobs.
    """
    limit = _check(start, upload_limit)
    from linkprior.serve.jobs import JobManager
    from linkprior.serve.server import PORT, Server
    from linkprior.serve.workspace import LaunchFile

    console = current_console()
    with _workspace(console, work_folder) as folder:
        with writing_to(str(folder)):
            manager = JobManager(folder)
        try:
            shown = _begin(manager, start) if start is not None else ""
            server = Server(manager, port, limit)
        except BaseException:
            manager.close()
            raise
        if port is None and server.port != PORT:
            console.echo(f"Port {PORT} is in use: taking {server.port}")
        click.echo(f"Explorer: {server.address}{shown}")
        console.echo("Ctrl-C ends it and its jobs.")
        # A folder that the user names holds results alone.
        launch = LaunchFile(folder if work_folder is None else None)
        left = f"; {work_folder} holds their results" if work_folder else ", nothing is saved"

        def end() -> None:
            server.stop()
            launch.close()
            if work_folder is None:
                shutil.rmtree(folder, ignore_errors=True)

        saved = f"the explorer and its jobs have ended{left}"
        with closing(launch), console.on_interruption(saved=lambda: saved, end=(_LEAVING, end)):
            if opens:
                _open(console, launch, server.address + shown)
            server.run()


def _check(start: str | None, upload_limit: str) -> int:
    """Refuse what cannot be served; return the limit in bytes."""
    from importlib.util import find_spec

    from linkprior.parallel.memory import memory_size

    missing = [name for name in ("starlette", "uvicorn") if find_spec(name) is None]
    if missing:
        raise LinkpriorError(
            f"linkprior serve needs {' and '.join(missing)}: pip install 'linkprior[serve]'"
        )
    try:
        limit = memory_size(upload_limit)
    except LinkpriorError:
        raise LinkpriorError(
            f"--upload-limit expects a size of 1M or more, such as 500M or 2G, got {upload_limit!r}"
        ) from None
    if start == "-":
        raise InputError("serve reads a file, not standard input; save it to a file first")
    if start is not None and not Path(start).exists():
        raise InputError(f"{start}: no such file or folder; check the path")
    if start is not None and not (Path(start).is_file() or Path(start).is_dir()):
        raise InputError(f"{start}: is a pipe or device, which is read once; save it to a file")
    return limit


def _begin(manager: JobManager, start: str) -> str:
    """Take in what the command line names; return where its page is, below the address."""
    from linkprior.serve.process import PAGE, write_rankings
    from linkprior.serve.workspace import display_name

    path = Path(start).resolve()
    if path.is_file():
        folder = manager.network_folder()
        manager.open_network(folder, display_name(path.name), path)
        return ""

    def make(folder: Path) -> None:
        from linkprior.pipeline.run_folder import MANIFEST, load_run
        from linkprior.report import write_page
        from linkprior.report.folder import folder_page

        write_page(folder / PAGE, folder_page(Path(start)))
        if (path / MANIFEST).is_file():
            write_rankings(load_run(path), folder)

    job = manager.show(display_name(path.name), "the result in this folder", make)
    return f"jobs/{job.id}/page"


@contextmanager
def _workspace(console: Console, given: str | None) -> Iterator[Path]:
    """Yield the folder of uploads and jobs; a temporary one is ours alone and removed after."""
    from linkprior.serve.workspace import CONTENT

    if given is None:
        with writing_to("the folder of temporary files (TMPDIR)"):
            folder = Path(tempfile.mkdtemp(prefix="linkprior-serve-"))
        remove = partial(shutil.rmtree, folder, ignore_errors=True)
        try:
            with console.on_interruption(end=(_LEAVING, remove)):
                yield folder
        finally:
            remove()
        return
    folder = Path(given)
    if folder.exists() and not folder.is_dir():
        raise StoreError(f"--work-folder {folder}: is a file; give a new folder")
    if folder.is_dir() and not {one.name for one in folder.iterdir()} <= CONTENT:
        raise StoreError(f"--work-folder {folder}: holds other files; give a new or empty folder")
    with writing_to(str(folder)):
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    yield folder.resolve()


def _open(console: Console, launch: LaunchFile, address: str) -> None:
    """Open the address in a browser; in a thread, as some browsers block their caller."""
    try:
        page = launch.write(address)
    except OSError as problem:
        console.echo(f"No browser was opened ({format_error(problem)}): open the address yourself.")
        return

    def browse() -> None:
        import webbrowser

        try:
            opened = webbrowser.open(page)
        except (OSError, ValueError, webbrowser.Error):  # BROWSER names what is no program
            opened = False
        if not opened:
            console.echo("No browser could be opened: open the address yourself.")

    threading.Thread(target=browse, name="browser", daemon=True).start()
