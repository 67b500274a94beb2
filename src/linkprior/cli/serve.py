"""`linkprior serve`: the explorer in a browser, on this machine alone."""

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

from linkprior.cli.console import Console, current_console
from linkprior.errors import InputError, LinkpriorError, StoreError
from linkprior.pipeline.outputs import format_error, writing_to

if TYPE_CHECKING:
    from linkprior.serve.jobs import JobManager
    from linkprior.serve.workspace import LaunchFile

_LEAVING = 8.0  # seconds for jobs to end, at most; it takes one or two


@click.command()
@click.argument("start", metavar="[EDGES | RUN_DIR]", required=False)
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    help="Port to listen on; 0 takes any free one.  [default: 8421, or the next free one]",
)
@click.option("--open", "opens", is_flag=True, help="Open the address in your browser.")
@click.option(
    "--upload-limit", metavar="SIZE", default="200M", show_default=True, help="Refuse larger files."
)
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
    console = current_console()
    with _workspace(console, work_folder) as folder:
        _serve(console, folder, start, port, limit, opens, work_folder)


def _serve(
    console: Console,
    folder: Path,
    start: str | None,
    port: int | None,
    limit: int,
    opens: bool,
    work_folder: str | None,
) -> None:
    from linkprior.serve.jobs import JobManager
    from linkprior.serve.server import PORT, Server
    from linkprior.serve.workspace import LaunchFile

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

    with (
        closing(launch),
        console.on_interruption(
            saved=lambda: f"the explorer and its jobs have ended{left}", end=(_LEAVING, end)
        ),
    ):
        if opens:
            _open(console, launch, server.address + shown)
        server.run()


def _begin(manager: JobManager, start: str) -> str:
    """Take in what the command line names; return where its page is, below the address."""
    from linkprior.serve import jobs
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

        write_page(folder / jobs.PAGE, folder_page(Path(start)))
        if (path / MANIFEST).is_file():
            jobs.write_rankings(load_run(path), folder)

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
