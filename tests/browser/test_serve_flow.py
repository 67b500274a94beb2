"""The explorer in a browser: open a file, order, follow, stop, explore, download."""

import os
import signal
import subprocess
import sys

import pytest
from tests.browser.conftest import saved
from tests.serve.support import PATIENCE, Client, predicted, until

import linkprior as lp
from linkprior.serve.workspace import LaunchFile

pytest.importorskip("starlette", reason="starlette is not installed (extra: serve)")
pytest.importorskip("uvicorn", reason="uvicorn is not installed (extra: serve)")

WAIT = 1000 * PATIENCE
HOSTILE = "<img src=x onerror=alert(1)>"
SLOW = "solver=streaming\nn_starts=10"


class Explorer:
    """The command in a process of its own."""

    def __init__(self, *arguments):
        self.process = subprocess.Popen(
            [sys.executable, "-m", "linkprior", "serve", "--port", "0", *map(str, arguments)],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        self.address = self.process.stdout.readline().removeprefix("Explorer: ").strip()

    def end(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        self.process.communicate(timeout=60)


@pytest.fixture
def explorer():
    started = []

    def one(*arguments):
        started.append(Explorer(*arguments))
        return started[-1]

    yield one
    for each in started:
        each.end()


def write_network(path, n_nodes, seed=5, hostile=False):
    """Write a planted network, its hub under a name that is code."""
    net = lp.planted_network(n_nodes, seed=seed)
    names = [str(name) for name in net.names]
    if hostile:
        names[int(net.degrees.argmax())] = HOSTILE
    path.write_text("".join(f"{names[i]}\t{names[j]}\n" for i, j in net.edges.tolist()))
    return path


def take(page, path):
    """Open a file in the page and wait for the report on it."""
    page.set_input_files("#file", path)
    page.locator(".network .tiles").first.wait_for(timeout=WAIT)


def shown(page, selector):
    """The text of an element, once it is there to be seen."""
    page.locator(selector).first.wait_for(timeout=WAIT)
    return page.locator(selector).first.inner_text()


def start(page, model, **fields):
    """Choose a model, fill in fields of the form by their ids, and start the job."""
    page.select_option("#model", model)
    for name, value in fields.items():
        page.fill(f"#{name}", value)
    page.click("#start")


def in_state(page, state, at=0):
    """Wait for the job at a place of the list to be in a state."""
    card = page.locator(".job").nth(at)
    page.locator(f".job >> nth={at} >> xpath=self::*[@data-state='{state}']").wait_for(timeout=WAIT)
    return card


def test_the_file_that_is_opened_leads_to_the_explorer(explorer, open_page, tmp_path):
    address = explorer().address
    page = open_page(LaunchFile(tmp_path).write(address))
    page.locator("#file").wait_for(state="attached", timeout=WAIT)
    assert page.url == address
    assert page.evaluate("document.referrer") == ""
    page.reload()
    page.set_input_files("#file", write_network(tmp_path / "net.tsv", 60))
    page.locator(".network .tiles").first.wait_for(timeout=WAIT)  # its requests are its own


@pytest.mark.at_length
def test_from_a_file_to_the_bytes_of_the_command_line(explorer, open_page, data_folder, tmp_path):
    real = data_folder / "lp-classic" / "USAir.txt"
    net = lp.read_network(real)
    page = open_page(explorer().address)
    assert page.title() == "linkprior"
    assert page.locator("#order").is_hidden()  # nothing to predict yet
    take(page, real)
    tiles = page.locator(".network .tile b").all_inner_texts()
    assert tiles[:2] == [f"{net.n_nodes:,}", f"{net.n_edges:,}"]
    page.select_option("#model", "l3")
    assert "paths of length 3" in page.locator("#model-hint").inner_text()
    assert page.locator("#effort").is_hidden()
    page.fill("#top", "150")
    page.click("#start")
    card = in_state(page, "done")
    assert card.locator("h3").inner_text() == "USAir.txt l3, 150 links"
    for kind in ("tsv", "graphml", "cx2"):
        target = tmp_path / f"links.{kind}"
        predicted(real, "--model", "l3", "--top", "150", "-o", target)
        found = saved(card.locator(f"[data-kind={kind}]"), timeout=WAIT)
        assert found.suggested_filename == f"USAir_l3.{kind}"
        assert found.path().read_bytes() == target.read_bytes()
    card.get_by_text("Explore the links").click()
    shown(page, "#links tbody tr")
    assert page.url.endswith("/page")
    assert page.locator("h1").inner_text() == "Missing links of USAir.txt"
    rows = (tmp_path / "links.tsv").read_text().splitlines()[1:]
    names = page.locator("#links tbody tr >> nth=0 >> td.name").all_inner_texts()
    assert names == rows[0].split("\t")[1:3]
    # The page's own buttons work in its sandbox.
    own = saved(page.locator("button#tsv"), timeout=WAIT)
    assert len(own.path().read_text().splitlines()) == 151
    above = saved(page.get_by_role("link", name="CX2"), timeout=WAIT)
    assert above.path().read_bytes() == (tmp_path / "links.cx2").read_bytes()
    page.get_by_text("All jobs").click()
    in_state(page, "done")
    page.reload()
    in_state(page, "done")  # it has survived
    assert page.locator(".network").count() == 1


@pytest.mark.at_length
def test_auto_is_what_is_offered_and_tells_how_many_to_expect(explorer, open_page, tmp_path):
    small = write_network(tmp_path / "small.tsv", 60)
    page = open_page(explorer(small).address)
    page.locator(".network .tiles").wait_for(timeout=WAIT)  # read without an upload
    assert page.locator("#model").input_value() == "auto"
    page.select_option("#effort", "fast")
    page.locator("#top").press("Enter")
    card = in_state(page, "done")
    assert card.locator("h3").inner_text() == "small.tsv auto (fast), 100 links"
    card.get_by_text("Explore the links").click()
    page.locator("#yield").wait_for(timeout=WAIT)
    assert page.locator("#cut-result").inner_text().startswith("Best 100 of 100 links: about ")


@pytest.mark.at_length
def test_a_job_is_followed_waited_for_and_stopped(explorer, open_page, tmp_path):
    large, address = write_network(tmp_path / "large.tsv", 3500), explorer().address
    page = open_page(address)
    take(page, large)
    page.select_option("#model", "tri-degree")
    page.get_by_text("More settings").click()
    page.fill("#settings", SLOW)
    page.click("#start")
    page.locator(".job progress[value]").wait_for(timeout=WAIT)
    told = page.locator(".job .status")
    until(lambda: " gone" in told.first.inner_text())
    assert "linkprior" in page.title()
    assert page.title() != "linkprior"
    start(page, "pa", settings="")
    second = in_state(page, "waiting")
    assert second.locator(".status").inner_text() == "Waiting for 1 job."
    page.close()  # a closed tab ends nothing
    page = open_page(address)
    first = in_state(page, "running", at=1)
    first.get_by_role("button", name="Stop").click()
    in_state(page, "stopped", at=1)
    in_state(page, "done", at=0)
    first = page.locator(".job").nth(1)
    assert first.locator(".status").inner_text() == "Stopped before it was done."
    first.get_by_role("button", name="Remove").click()
    until(lambda: page.locator(".job").count() == 1)


def test_what_is_wrong_with_a_file_or_a_choice_is_reported_on_the_page(
    explorer, open_page, tmp_path
):
    (tmp_path / "program.bin").write_bytes(b"\x7fELF\x00\x01")
    (tmp_path / "huge.tsv").write_bytes(b"a\tb\n" * 500_000)
    page = open_page(explorer("--upload-limit", "1M").address)
    page.set_input_files("#file", tmp_path / "huge.tsv")
    expected = "huge.tsv has 2 MB; files up to 1 MB are taken."
    assert shown(page, "#upload-wrong").startswith(expected)
    page.set_input_files("#file", tmp_path / "program.bin")
    expected = "program.bin:1: a NUL byte: this is not text."
    assert shown(page, ".network .wrong").startswith(expected)
    assert page.locator("#upload-wrong").is_hidden()
    page.get_by_role("button", name="close program.bin").click()
    until(lambda: page.locator(".network").count() == 0)
    take(page, write_network(tmp_path / "small.tsv", 60))
    start(page, "pa", around="nobody")
    card = in_state(page, "failed")
    assert "nobody" in card.locator(".wrong").inner_text()


def test_a_refused_request_is_reported_next_to_the_form(explorer, browser, tmp_path):
    """Not by open_page: a browser notes an answer of 400 as an error, and it is expected here."""
    address = explorer(write_network(tmp_path / "small.tsv", 60)).address
    context = browser.new_context()
    page = context.new_page()
    page.goto(address)
    page.locator(".network .tiles").wait_for(timeout=WAIT)
    page.get_by_text("More settings").click()
    page.fill("#settings", "rank")
    page.click("#start")
    assert shown(page, "#order-wrong") == "Settings expects name=value, got 'rank'."
    assert page.locator("#start").is_enabled()
    context.close()


def test_a_file_can_be_dropped(explorer, open_page, tmp_path):
    text = write_network(tmp_path / "dropped.tsv", 60).read_text()
    page = open_page(explorer().address)
    page.locator(".drop").evaluate(
        """(zone, text) => {
          const held = new DataTransfer();
          held.items.add(new File([text], "dropped.tsv"));
          zone.dispatchEvent(new DragEvent("dragover", { dataTransfer: held, bubbles: true }));
          zone.dispatchEvent(new DragEvent("drop", { dataTransfer: held, bubbles: true }));
        }""",
        text,
    )
    assert shown(page, ".network h3") == "dropped.tsv"


def test_two_files_dropped_at_once_are_refused(explorer, open_page):
    page = open_page(explorer().address)
    page.locator(".drop").evaluate(
        """(zone) => {
          const held = new DataTransfer();
          for (const name of ["one.tsv", "two.tsv"]) held.items.add(new File(["a b"], name));
          zone.dispatchEvent(new DragEvent("drop", { dataTransfer: held, bubbles: true }));
        }"""
    )
    assert shown(page, "#upload-wrong") == "One file at a time, please, and no folder."
    assert page.locator(".network").count() == 0


def test_of_two_networks_one_is_chosen(explorer, open_page, tmp_path):
    page = open_page(explorer().address)
    take(page, write_network(tmp_path / "one.tsv", 60))
    page.set_input_files("#file", write_network(tmp_path / "two.tsv", 80))
    about = page.locator("#about-order")
    until(lambda: "two.tsv" in about.inner_text())
    page.get_by_role("button", name="Use this one").click()
    until(lambda: "one.tsv" in about.inner_text())
    start(page, "pa")
    assert in_state(page, "done").locator("h3").inner_text().startswith("one.tsv")


def test_hostile_names_stay_text(explorer, open_page, tmp_path):
    path = write_network(tmp_path / f"{HOSTILE}.tsv", 60, hostile=True)
    page = open_page(explorer().address)
    take(page, path)
    assert page.locator(".network h3").inner_text() == path.name
    assert HOSTILE in page.locator(".network .tiles").inner_text()
    start(page, "pa", around=HOSTILE)
    card = in_state(page, "done")
    assert HOSTILE in card.locator("h3").inner_text()
    assert page.locator("img").count() == 0
    card.get_by_text("Explore the links").click()
    page.locator("#links tbody tr").first.wait_for(timeout=WAIT)
    assert page.locator("img").count() == 0


def test_the_explorer_fits_a_phone_and_a_dark_room(explorer, open_page, tmp_path):
    address = explorer(write_network(tmp_path / "small.tsv", 60)).address
    page = open_page(address, viewport={"width": 390, "height": 800}, color_scheme="dark")
    page.locator(".network .tiles").wait_for(timeout=WAIT)
    assert page.evaluate("document.documentElement.scrollWidth") <= 391
    colour = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert colour == "rgb(18, 24, 30)"
    page.keyboard.press("Tab")  # the first thing keys reach is the file
    assert page.evaluate("document.activeElement.id") == "file"


def test_a_lost_connection_is_reported_and_found_again(explorer, browser, tmp_path):
    """Not by open_page: the browser notes lost connections as errors."""
    server = explorer(write_network(tmp_path / "small.tsv", 60))
    context = browser.new_context()
    page = context.new_page()
    page.route("**/events", lambda route: route.abort())
    page.goto(server.address)
    lost = page.locator(".lost")
    assert shown(page, ".lost").startswith("Connection lost, trying again")
    page.unroute("**/events")
    lost.wait_for(state="hidden", timeout=WAIT)
    page.locator(".network .tiles").wait_for(timeout=WAIT)
    server.end()
    lost.wait_for(timeout=WAIT)
    page.fill("#top", "5")
    page.click("#start")
    assert "connection was lost" in shown(page, "#order-wrong")
    context.close()


def test_the_result_of_a_run_folder_opens_at_once(explorer, open_page, tmp_path):
    small = write_network(tmp_path / "small.tsv", 60)
    predicted(small, "--model", "l3", "--top", "30", "-o", f"{tmp_path / 'run'}/")
    server = explorer(tmp_path / "run")
    page = open_page(server.address)
    page.locator("#links tbody tr").first.wait_for(timeout=WAIT)
    assert page.locator("h1").inner_text() == "Missing links of small.tsv"
    found = saved(page.get_by_role("link", name="TSV", exact=True), timeout=WAIT)
    assert found.path().read_bytes() == (tmp_path / "run" / "ranking.tsv").read_bytes()
    page.get_by_text("All jobs").click()
    in_state(page, "done")
    client = Client(server.address.partition("jobs/")[0])
    assert client.state()["networks"] == []
    assert os.path.isdir(tmp_path / "run")
