"""The page of HuRI in Chromium: how large, how soon usable, how smooth with 10,000 links.

python -m benchmarks.page      prints a table, and keeps it in benchmarks/results/page.json
"""

from __future__ import annotations

import os
import shutil
import statistics
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import linkprior as lp
from benchmarks import data
from linkprior.predictors.evidence import with_evidence
from linkprior.report import prediction_page, write_page

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

    from linkprior.predictors.base import LinkPredictor

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


@contextmanager
def chromium() -> Iterator[Browser]:
    """Yield a browser; without one the script ends with a line that says so."""
    from playwright.sync_api import sync_playwright

    given = os.environ.get("LINKPRIOR_CHROMIUM")
    path = given or next(filter(None, map(shutil.which, NAMES)), None)
    if path is None:
        raise SystemExit("no Chromium is installed; LINKPRIOR_CHROMIUM may name one")
    with sync_playwright() as driver:
        found = driver.chromium.launch(executable_path=path, args=["--no-sandbox"])
        try:
            yield found
        finally:
            found.close()


RESULTS = data.RESULTS / "page.json"
SIZE = {"width": 1280, "height": 800}
LINKS, TIMES, STEPS = (1_000, 10_000), 7, 60
MOST_MB, MOST_SECONDS = 3.0, 3.0

_SORT = """async () => {
  const began = performance.now();
  document.querySelector('th button[data-column="degree_source"]').click();
  await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
  return performance.now() - began;
}"""
# Does something once a frame and notes how long each frame took; a step returns nothing.
_FRAMES = """async ([steps, what]) => {
  const cut = document.querySelector("#cut");
  const act = {
    slide: (n) => {
      cut.value = Math.max(1, Math.round(cut.max * (1 - n / steps)));
      cut.dispatchEvent(new Event("input"));
    },
    turn: () => {
      const buttons = [...document.querySelectorAll("button")];
      buttons.find((one) => one.textContent.startsWith("later")).click();
    },
    scroll: () => window.scrollBy(0, 120),
  }[what];
  const frame = () => new Promise((done) => requestAnimationFrame(done));
  const took = [];
  let last = await frame();
  for (let n = 1; n <= steps; n++) {
    act(n);
    const now = await frame();
    took.push(now - last);
    last = now;
  }
  return took;
}"""


def main() -> None:
    found = measured(data.required_folder() / data.HURI)
    data.write_results(RESULTS, found)
    print(f"goal for {LINKS[0]:,} links: {MOST_MB:g} MB, usable after {MOST_SECONDS:g} s")
    print("\n".join(lines(found)))


def measured(path: Path) -> dict[str, Any]:
    net = lp.read_network(path)
    model = lp.make("l3").fit(net)
    with tempfile.TemporaryDirectory() as place, chromium() as browser:
        pages = [_measured(model, n, Path(place) / f"{n}.html", browser) for n in LINKS]
        version = browser.version
    lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    processor = next(line for line in lines if line.startswith("model name")).split(": ")[1]
    return {
        "network": {"file": data.HURI, "digest": net.digest, "nodes": net.n_nodes},
        "model": "l3",
        "machine": {"processor": processor, "cores": os.cpu_count(), "chromium": version},
        "pages": pages,
    }


def _measured(model: LinkPredictor, links: int, path: Path, browser: Browser) -> dict[str, Any]:
    ranking = with_evidence(model, model.predict_edges(links))
    began = time.perf_counter()
    write_page(path, prediction_page(model, ranking, {"file": Path(data.HURI).name}))
    made = time.perf_counter() - began
    opened = [_opened(browser, path) for _ in range(TIMES)]
    page = browser.new_page(viewport=SIZE)
    page.goto(path.as_uri())
    shown = {
        **{"links": links, "megabytes": round(path.stat().st_size / 1e6, 3)},
        "seconds_to_make": round(made, 2),
        "seconds_until_usable": _middle_and_most(opened, 3),
        "milliseconds": {
            "sort": round(float(page.evaluate(_SORT)), 1),
            **{name: _frames(page, name) for name in ("slide", "turn", "scroll")},
        },
    }
    page.close()
    return shown


def _opened(browser: Browser, path: Path) -> float:
    """Return seconds from opening a page, in a fresh profile, until its table is drawn."""
    context = browser.new_context(viewport=SIZE)
    page = context.new_page()
    began = time.perf_counter()
    page.goto(path.as_uri(), wait_until="commit")
    page.wait_for_selector("#links tbody tr")
    page.evaluate("() => new Promise((d) => requestAnimationFrame(() => requestAnimationFrame(d)))")
    took = time.perf_counter() - began
    context.close()
    return took


def _frames(page: Page, what: str) -> dict[str, float]:
    if what == "slide":
        page.locator("#rows").select_option("20")
    else:
        page.locator("#cut").evaluate(
            "s => { s.value = s.max; s.dispatchEvent(new Event('input')) }"
        )
        page.locator("#rows").select_option("20" if what == "turn" else "200")
        page.evaluate("window.scrollTo(0, 0)")
    took = page.evaluate(_FRAMES, [STEPS if what != "turn" else 40, what])
    return _middle_and_most(took, 1)


def _middle_and_most(values: list[float], digits: int) -> dict[str, float]:
    return {"median": round(statistics.median(values), digits), "most": round(max(values), digits)}


def lines(found: dict[str, Any]) -> list[str]:
    moves = {"slide": "a frame while the cut-off moves", "turn": "turning pages"}
    moves |= {"scroll": "scrolling 200 rows"}
    heads = ["links", "size", "usable after", "sorted in", *moves.values()]
    rows = []
    for page in found["pages"]:
        took, ms = page["seconds_until_usable"], page["milliseconds"]
        frames = [f"{ms[move]['median']:.0f} ({ms[move]['most']:.0f}) ms" for move in moves]
        first = [f"{page['links']:,}", f"{page['megabytes']:.2f} MB"]
        rows.append([*first, f"{took['median']:.2f} s", f"{ms['sort']:.0f} ms", *frames])
    table = [heads, ["--:"] * len(heads), *rows]
    return [f"| {' | '.join(row)} |" for row in table]


if __name__ == "__main__":
    main()
