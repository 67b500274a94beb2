"""A real browser: Chromium driven by playwright; skipped with a clear line where there is none."""

import os
import shutil

import pytest

from linkprior.report import write_page

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


def _chromium():
    given = os.environ.get("LINKPRIOR_CHROMIUM")
    return given or next(filter(None, map(shutil.which, BROWSERS)), None)


@pytest.fixture(scope="session")
def browser():
    sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    path = _chromium()
    if path is None:
        pytest.skip("no Chromium is installed: pages are not looked at in a browser")
    with sync_api.sync_playwright() as driver:
        found = driver.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield found
        found.close()


@pytest.fixture
def open_page(browser):
    """Open pages that note every request and every error; both are looked at in the end."""
    contexts, asked, errors = [], [], []

    def opened(address, **options):
        context = browser.new_context(accept_downloads=True, **options)
        contexts.append(context)
        page = context.new_page()
        page.on("request", lambda request: asked.append(request.url))
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.on("console", lambda said: said.type == "error" and errors.append(said.text))
        page.on("dialog", lambda dialog: errors.append(f"dialog: {dialog.message}"))
        page.goto(address)
        return page

    yield opened
    for context in contexts:
        context.close()
    outside = [url for url in asked if not url.startswith(("file://", "data:", "blob:", LOOPBACK))]
    assert not outside, f"the page asked {outside}"
    assert not errors, errors


LOOPBACK = "http://127.0.0.1"


@pytest.fixture
def show(open_page, tmp_path):
    """Open the page of some data."""

    def shown(data, **options):
        write_page(tmp_path / "page.html", data)
        return open_page((tmp_path / "page.html").as_uri(), **options)

    return shown


def saved(button, **options):
    """The file that a button saves."""
    with button.page.expect_download(**options) as started:
        button.click()
    return started.value
