"""What the explorer answers, and its page. Ids are looked up; no path is made of a request."""

from __future__ import annotations

import asyncio
import html
import json
import re
import shutil
from collections.abc import AsyncIterator, Sequence
from pathlib import PurePath
from typing import Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import FileResponse, HTMLResponse, Response, StreamingResponse
from starlette.routing import Route

from linkprior._version import __version__
from linkprior.errors import LinkpriorError
from linkprior.predictors.registry import DEFAULT_MODEL, models
from linkprior.report.page import as_json, asset, digest
from linkprior.serve.jobs import (
    EFFORTS,
    FILES,
    MOST_LINKS,
    PAGE,
    BusyError,
    Job,
    JobManager,
    JobRequest,
)
from linkprior.serve.process import describe_failure
from linkprior.serve.workspace import (
    TooLargeError,
    display_name,
    read_json,
    save_upload,
    stored_name,
)

_INTERVAL = 0.2  # seconds between two looks for news
_QUIET = 50  # looks without news after which a sign of life is sent


class Explorer:
    """The answers to all requests, over one job manager."""

    def __init__(self, manager: JobManager, limit: int) -> None:
        self.manager, self.limit = manager, limit
        self.page, self.policy = explorer_page(limit)

    def app(self) -> Starlette:
        routes = [
            Route("/", self.explorer),
            Route("/state", self.state),
            Route("/events", self.events),
            Route("/networks", self.upload, methods=["POST"]),
            Route("/networks/{id}", self.remove_network, methods=["DELETE"]),
            Route("/jobs", self.submit, methods=["POST"]),
            Route("/jobs/{id}", self.remove_job, methods=["DELETE"]),
            Route("/jobs/{id}/stop", self.stop, methods=["POST"]),
            Route("/jobs/{id}/page", self.report),
            Route("/jobs/{id}/files/{kind}", self.file),
        ]
        refused = (HTTPException, LinkpriorError, OSError, ClientDisconnect)
        return Starlette(routes=routes, exception_handlers=dict.fromkeys(refused, _refuse))

    async def explorer(self, _: Request) -> Response:
        return HTMLResponse(self.page, headers={"content-security-policy": self.policy})

    async def state(self, _: Request) -> Response:
        return _json(self.manager.state())

    async def events(self, request: Request) -> Response:
        """All networks and jobs, again whenever something has changed."""
        if request.method == "HEAD":  # asks for the headers alone; the news would hold its line
            return Response(media_type="text/event-stream")
        return StreamingResponse(self._news(), media_type="text/event-stream")

    async def _news(self) -> AsyncIterator[str]:
        seen, quiet = -1, 0
        yield "retry: 1000\n\n"
        while not self.manager.closed.is_set():
            if seen != self.manager.version:
                seen, quiet = self.manager.version, 0
                yield f"data: {json.dumps(self.manager.state())}\n\n"
            elif quiet >= _QUIET:
                quiet = 0
                yield ": still here\n\n"
            quiet += 1
            await asyncio.sleep(_INTERVAL)

    async def upload(self, request: Request) -> Response:
        """Save a network file, the body as it is; its name is in the query, to be shown."""
        name = request.query_params.get("name", "")
        folder = self.manager.network_folder()
        path = folder / stored_name(name)
        try:
            await save_upload(request, path, self.limit)
            network = self.manager.open_network(folder, display_name(name), path)
        except BaseException:  # cut off: the tab was closed, the disk is full, it is too large
            shutil.rmtree(folder, ignore_errors=True)
            raise
        return _json(network.facts(), 201)

    async def remove_network(self, request: Request) -> Response:
        id = request.path_params["id"]
        if id not in self.manager.networks:
            raise HTTPException(404, "this network is not open (any more)")
        await run_in_threadpool(self.manager.remove_network, id)
        return Response(status_code=204)

    async def submit(self, request: Request) -> Response:
        content = await read_json(request)
        network = self.manager.networks.get(str(content.get("network")))
        if network is None:
            raise HTTPException(404, "this network is not open (any more); open it again")
        job = await run_in_threadpool(self.manager.submit, network, JobRequest.of(content))
        return _json({"id": job.id}, 201)

    async def stop(self, request: Request) -> Response:
        await run_in_threadpool(self.manager.stop_job, self._job(request).id)
        return Response(status_code=204)

    async def remove_job(self, request: Request) -> Response:
        await run_in_threadpool(self.manager.remove_job, self._job(request).id)
        return Response(status_code=204)

    async def report(self, request: Request) -> Response:
        job = self._job(request)
        path = job.file(PAGE)
        if path is None:
            raise HTTPException(404, f"this job has no page: it is {job.state}")
        text = await run_in_threadpool(path.read_text, "utf-8")
        page = with_bar(text, job.facts()["files"])
        return HTMLResponse(page, headers={"content-security-policy": REPORT_POLICY})

    async def file(self, request: Request) -> Response:
        """One file of a job's result, as the command line writes it."""
        job, kind = self._job(request), request.path_params["kind"]
        path = job.file(FILES[kind][0]) if kind in job.facts()["files"] else None
        if path is None:
            raise HTTPException(404, f"this job has no such file: it is {job.state}")
        return FileResponse(path, media_type=FILES[kind][1], filename=_file_name(job, kind))

    def _job(self, request: Request) -> Job:
        job = self.manager.jobs.get(request.path_params["id"])
        if job is None:
            raise HTTPException(404, "this job is not stored (any more)")
        return job


def _json(data: Any, status: int = 200, headers: dict[str, str] | None = None) -> Response:
    """Return JSON in ASCII: a name may hold bytes that are not text."""
    return Response(json.dumps(data), status, headers, "application/json")


def _file_name(job: Job, kind: str) -> str:
    """Return what a download is called: the network, the model, and what it is."""
    model = re.split("[, ]", job.words)[0]
    name = re.sub(r"[^\w.-]+", "_", f"{PurePath(job.title).stem}_{model}").strip("._")
    return f"{name[:100] or 'links'}.{'txt' if kind == 'log' else kind}"


async def _refuse(_: Request, problem: Exception) -> Response:
    """Answer with one line that says what is wrong."""
    if isinstance(problem, HTTPException):
        return _json({"error": problem.detail}, problem.status_code)
    if isinstance(problem, TooLargeError):
        # The rest of the body is not read, so the connection cannot be used again.
        return _json({"error": str(problem)}, 413, {"connection": "close"})
    if isinstance(problem, OSError):
        return _json({"error": describe_failure(problem)}, 507)
    status = 409 if isinstance(problem, BusyError) else 400
    return _json({"error": str(problem) or "the request was cut off"}, status)


# ---------------------------------------------------------------------- its pages

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
# of names could speak for the user. The page itself lists by digest which script it may run.
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
