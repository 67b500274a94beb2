"""The explorer's own page, and a report's page with a way back to it."""

from __future__ import annotations

import html
from collections.abc import Sequence
from typing import Any

from linkprior._version import __version__
from linkprior.predictors.registry import DEFAULT_MODEL, models
from linkprior.report.page import as_json, asset, digest
from linkprior.serve.jobs import EFFORTS, MOST_LINKS

_ICON = (
    "data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'>"
    "<path d='M4 4 12 5 8 13Z' fill='none' stroke='%230072b2' stroke-width='1.5'/>"
    "<g fill='%23d55e00'><circle cx='4' cy='4' r='2.5'/><circle cx='12' cy='5' r='2.5'/>"
    "<circle cx='8' cy='13' r='2.5'/></g></svg>"
)
_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="{icon}">
<title>linkprior</title>
<style>{style}</style>
</head>
<body>
<main><noscript><p>The explorer needs scripts: please allow them for this address. They come from
your own computer.</p></noscript></main>
<script type="application/json" id="data">{data}</script>
<script>{script}</script>
</body>
</html>
"""
_BAR = """<div class="noprint" style="max-width:1200px;margin:0 auto;padding:10px 16px 0;\
display:flex;flex-wrap:wrap;gap:4px 16px"><a href="../../">← All jobs</a>{links}</div>"""
_NAMES = {"tsv": "TSV", "graphml": "GraphML", "cx2": "CX2", "log": "messages"}

# A report runs apart from the explorer (sandbox: an origin of its own), so that nothing in a file
# of names could speak for the user. Which script it may run stands in the page itself, by digest.
REPORT_POLICY = (
    "sandbox allow-scripts allow-downloads; default-src 'none'; "
    "style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data: blob:; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'"
)


def explorer_page(limit: int) -> tuple[str, str]:
    """Return the explorer's page, and the policy that lets it do what it does and nothing else."""
    style = asset("style.css") + asset("explorer.css", "serve")
    script = "(() => {\n" + asset("dom.js") + asset("explorer.js", "serve") + "})();\n"
    data: dict[str, Any] = {
        "models": [[one.name, one.summary] for one in models()],
        "model": DEFAULT_MODEL,
        "efforts": EFFORTS,
        "most": MOST_LINKS,
        "limit": limit,
        "version": __version__,
    }
    page = _PAGE.format(icon=_ICON, style=style, data=as_json(data), script=script)
    policy = (
        f"default-src 'none'; connect-src 'self'; img-src data:; style-src {digest(style)}; "
        f"script-src {digest(script)}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )
    return page, policy


def with_bar(page: str, kinds: Sequence[str]) -> str:
    """Return a report's page with the way back, and links to its files, above it."""
    links = "".join(
        f'<a href="files/{kind}" download>{html.escape(_NAMES[kind])}</a>' for kind in kinds
    )
    label = '<span class="soft" style="margin-left:auto">Download</span>' if links else ""
    icon = f'<link rel="icon" href="{_ICON}">'
    page = page.replace("</head>", f"{icon}</head>", 1)
    return page.replace("<body>", "<body>" + _BAR.format(links=label + links), 1)
