"""docs/report.md tells what `benchmarks.page` measured, and the pictures are small enough."""

import json
import re

from benchmarks import page, screenshots

DOCS = screenshots.ROOT / "docs"
TEXT = (DOCS / "report.md").read_text(encoding="utf-8")
FOUND = json.loads(page.RESULTS.read_text(encoding="utf-8"))


def test_the_page_has_the_table_that_was_measured():
    assert "\n".join(page.lines(FOUND)) in TEXT
    assert FOUND["network"]["digest"][:12] in TEXT


def test_a_thousand_links_of_huri_are_small():
    first = FOUND["pages"][0]
    assert first["links"] == 1000
    assert first["megabytes"] <= page.MOST_MB


def test_every_picture_is_shown_and_small():
    every = TEXT + (DOCS / "serve.md").read_text(encoding="utf-8")
    shown = set(re.findall(r"figures/(page_\w+|serve)\.png", every))
    assert shown == set(screenshots.SHOTS)
    for name in shown:
        assert (screenshots.FIGURES / f"{name}.png").stat().st_size <= screenshots.MOST_BYTES
