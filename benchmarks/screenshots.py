"""Pictures of the real pages for README and docs, made anew by one command.

python -m benchmarks.screenshots      yeast and HuRI from LINKPRIOR_DATA; some minutes
"""

from __future__ import annotations

import io
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks import data
from benchmarks.data import FIGURES, RESULTS, ROOT
from benchmarks.page import chromium

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

MOST_BYTES = 200_000
NETWORKS = {"yeast.csv": data.YEAST, "HuRI.csv.gz": data.HURI, "USAir.txt": "lp-classic/USAir.txt"}
# Each page by the command that makes it, in a folder where the networks lie.
PAGES = {
    "yeast.html": "predict yeast.csv --top 500 -o links.tsv --report yeast.html -q",
    "huri.html": "predict HuRI.csv.gz --model l3 --top 1000 -o huri.tsv --report huri.html -q",
    "models.html": "evaluate USAir.txt --models auto,pu,l3,ra,tri-degree --set auto.effort=fast "
    "--protocol kfold:3 --report models.html -q",
    "tuned.html": "tune USAir.txt --model tri-degree --trials 24 --workers 2 "
    "--report tuned.html -q",
    "benchmark.html": f"report {RESULTS / 'suite'} -o benchmark.html -q",
    "paper.html": f"report {RESULTS / 'reproduction'} -o paper.html -q",
    "explorer": "serve USAir.txt --port 0",
}
PATIENCE = 600_000  # milliseconds for a job


@dataclass(frozen=True)
class Shot:
    """A picture of a page: its part from one element on, so many pixels high."""

    page: str
    start: str = "body"
    width: int = 1280
    height: int = 800
    scheme: str = "light"
    first: Callable[[Page], object] | None = None


def _one_node(page: Page) -> None:
    """Ask for the links of the second node of the first link."""
    name = page.locator("#links td.name").nth(1).inner_text()
    page.locator("#ask").fill(name)
    page.locator("#ask-go").click()


def _one_job(page: Page) -> None:
    page.locator(".network .tiles").wait_for(timeout=PATIENCE)
    page.click("#start")
    page.locator(".job[data-state=done]").wait_for(timeout=PATIENCE)


SHOTS = {
    "page_links": Shot("yeast.html", height=900),
    "page_node": Shot("yeast.html", "#graph-section", height=880, first=_one_node),
    "page_huri": Shot("huri.html", "#graph-section", height=880, scheme="dark"),
    "page_phone": Shot("yeast.html", width=390, height=844, scheme="dark"),
    "page_models": Shot("models.html", "#evaluation", height=900),
    "page_tuning": Shot("tuned.html", height=860),
    "page_benchmark": Shot("benchmark.html", height=880),
    "page_paper": Shot("paper.html", "#rat", height=800),
    "serve": Shot("explorer", height=1160, first=_one_job),
}


def main() -> None:
    folder = data.required_folder()
    wanted = {name: SHOTS[name] for name in sys.argv[1:] or SHOTS}
    with tempfile.TemporaryDirectory() as place, ExitStack() as stack:
        for name, path in NETWORKS.items():
            shutil.copyfile(folder / path, Path(place) / name)
        addresses = {
            page: stack.enter_context(shown(page, Path(place)))
            for page in dict.fromkeys(shot.page for shot in wanted.values())
        }
        with chromium() as browser:
            for name, shot in wanted.items():
                picture = small(taken(browser, shot, addresses[shot.page]))
                (FIGURES / f"{name}.png").write_bytes(picture)
                print(f"{name}.png {len(picture) / 1000:.0f} kB")


@contextmanager
def shown(page: str, place: Path) -> Iterator[str]:
    """Make a page with linkprior, or serve it, and yield its address."""
    start = "import sys; from linkprior.cli import main; sys.argv[0] = 'linkprior'; main()"
    words = [sys.executable, "-c", start, *PAGES[page].split()]
    paths = os.pathsep.join([str(ROOT / "src"), os.environ.get("PYTHONPATH", "")])
    environment = {**os.environ, "PYTHONPATH": paths}
    pipe = {"stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen(words, cwd=place, env=environment, **pipe) as process:  # no path in pages
        if page == "explorer":
            try:
                yield process.stdout.readline().removeprefix("Explorer: ").strip()
            finally:
                process.terminate()
            return
        process.communicate()
    if process.returncode:
        raise SystemExit(f"linkprior {PAGES[page]}: exit status {process.returncode}")
    yield (place / page).as_uri()


def taken(browser: Browser, shot: Shot, address: str) -> bytes:
    scale = 2 if shot.width < 600 else 1
    size = {"width": shot.width, "height": shot.height}
    context = browser.new_context(
        viewport=size, color_scheme=shot.scheme, device_scale_factor=scale
    )
    page = context.new_page()
    page.goto(address)
    if shot.first is not None:
        shot.first(page)
    top = page.locator(shot.start).bounding_box()["y"] + page.evaluate("window.scrollY")
    page.evaluate("document.querySelector('nav')?.style.setProperty('position', 'static')")
    page.evaluate("(y) => window.scrollTo(0, y)", top)
    page.wait_for_timeout(200)
    picture = page.screenshot()
    context.close()
    return picture


def small(picture: bytes) -> bytes:
    """Return a picture with 256 colours, which hardly shows, and with fewer where it is large."""
    from PIL import Image

    image = Image.open(io.BytesIO(picture)).convert("RGB")
    for colours in (256, 128, 64, 32):
        stream = io.BytesIO()
        image.quantize(colours, dither=Image.Dither.NONE).save(stream, "PNG", optimize=True)
        if stream.tell() <= MOST_BYTES:
            break
    return stream.getvalue()


if __name__ == "__main__":
    main()
