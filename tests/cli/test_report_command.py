"""`linkprior report` and `--report`: pages of runs and evaluations, and what is refused."""

import html
import json
import re

import pytest
from tests.cli.support import SMALL, one_line_of_error, table


def data_of(path):
    """The data a page was made from."""
    text = path.read_text(encoding="utf-8")
    (found,) = re.findall(r'<script type="application/json" id="data">(.*?)</script>', text)
    return json.loads(found)


@pytest.fixture
def folder(run, edges, tmp_path):
    status, *_ = run("predict", edges, *SMALL, "--top", 20, "-o", f"{tmp_path / 'run'}/")
    assert status == 0
    return tmp_path / "run"


def test_a_page_holds_the_ranking_of_its_run(run, folder):
    status, out, err = run("report", folder)
    assert (status, out) == (0, "")
    assert "open it in a browser" in err
    data = data_of(folder / "report.html")
    header, rows = table((folder / "ranking.tsv").read_text())
    names = data["names"]
    ends = [
        [names[a], names[b]]
        for a, b in zip(data["links"]["source"], data["links"]["target"], strict=True)
    ]
    assert ends == [row[1:3] for row in rows]
    assert data["links"]["columns"]["score"] == [float(row[3]) for row in rows]
    assert set(data["links"]["columns"]) == set(header[3:])
    manifest = json.loads((folder / "manifest.json").read_text())
    facts = dict(data["about"]["facts"])
    assert facts["SHA-256 of the input"] == manifest["input"]["sha256"]
    assert dict(data["about"]["parameters"])["n_starts"] == "1"


def test_predict_writes_a_page_beside_the_list_and_the_same_bytes_again(run, edges, tmp_path):
    asked = ["predict", edges, *SMALL, "--top", 20, "--report", tmp_path / "a.html"]
    status, out, _ = run(*asked)
    assert status == 0
    assert len(table(out)[1]) == 20
    first = (tmp_path / "a.html").read_bytes()
    run(*asked)
    assert (tmp_path / "a.html").read_bytes() == first


def test_a_page_loads_nothing_and_runs_no_script_but_its_own(run, folder):
    run("report", folder)
    text = (folder / "report.html").read_text(encoding="utf-8")
    policy = html.unescape(re.search(r'Content-Security-Policy" content="([^"]*)"', text)[1])
    assert "default-src 'none'" in policy
    assert "unsafe-inline" not in policy.split("script-src")[1].split(";")[0]
    assert not re.search(r"""(src|href)=["']?https?:""", text)


def test_an_evaluation_has_a_page_too(run, edges, tmp_path):
    results, page = tmp_path / "results", tmp_path / "models.html"
    asked = ["evaluate", edges, "--models", "l3,ra", "--protocol", "uniform:0.8", "-o", results]
    status, *_ = run(*asked, "--report", page)
    assert status == 0
    data = data_of(page)
    assert [row["model"] for row in data["evaluation"]["rows"]][-1] == "chance"
    assert {row["model"] for row in data["evaluation"]["rows"]} == {"l3", "ra", "pa", "chance"}
    kept = json.loads((results / "results.json").read_text())["results"]
    known = {(one["model"], one["metric"]): one["value"] for one in kept}
    for row in data["evaluation"]["rows"][:-1]:
        assert row["values"]["auprc"]["mean"] == pytest.approx(known[row["model"], "auprc"])
    assert len(data["evaluation"]["curves"]) == 2
    assert run("report", results)[0] == 0
    assert data_of(results / "report.html")["evaluation"] == data["evaluation"]


def test_a_run_and_an_evaluation_share_a_page(run, folder, edges, tmp_path):
    results = tmp_path / "results"
    run("evaluate", edges, "--models", "l3", "--protocol", "uniform:0.8", "-o", results)
    assert run("report", folder, "--evaluation", results, "-o", tmp_path / "all.html")[0] == 0
    data = data_of(tmp_path / "all.html")
    assert {"links", "evaluation"} <= set(data)
    assert one_line_of_error(run("report", results, "--evaluation", results), "goes with a run")


def test_what_has_no_page_is_refused_in_one_line(run, folder, tmp_path):
    assert one_line_of_error(run("report", tmp_path / "none"), "is no folder", "predict -o DIR/")
    (tmp_path / "empty").mkdir()
    assert one_line_of_error(run("report", tmp_path / "empty"), "not a run folder")
    assert one_line_of_error(run("report", folder, "-o", tmp_path / "page.pdf"), "ends in .html")
    assert one_line_of_error(run("report", folder, "-o", tmp_path / "no" / "p.html"), "no folder")
    manifest = json.loads((folder / "manifest.json").read_text())
    (folder / "manifest.json").write_text(json.dumps({**manifest, "status": "incomplete"}))
    assert one_line_of_error(run("report", folder), "unfinished run")
    (folder / "manifest.json").write_text(json.dumps({**manifest, "format_version": 99}))
    assert one_line_of_error(run("report", folder), "version")


def test_a_page_that_cannot_be_written_is_refused_before_the_fit(run, edges, tmp_path):
    result = run("predict", edges, *SMALL, "--report", tmp_path / "no" / "page.html")
    assert one_line_of_error(result, "--report", "there is no folder")
    assert "Fitting" not in result[2]


def test_a_page_never_takes_the_place_of_what_is_read_or_written(run, edges, tmp_path):
    own, both = tmp_path / "edges.html", tmp_path / "both.html"
    own.write_text(edges.read_text())
    twice = ["--format", "tsv", "-o", both, "--report", both]
    for asked in (
        ["predict", own, *SMALL, "--report", own],
        ["evaluate", own, "--models", "pa", "--report", own],
        ["predict", edges, *SMALL, *twice],
    ):
        assert one_line_of_error(run(*asked), "--report", "read or written too")
    assert own.read_text() == edges.read_text()
    assert not both.exists()


def test_a_folder_is_refused_as_a_page_before_the_work(run, edges, tmp_path):
    (tmp_path / "pages.html").mkdir()
    for command in (["predict", edges, *SMALL], ["evaluate", edges, "--models", "pa"]):
        result = run(*command, "--report", tmp_path / "pages.html")
        assert one_line_of_error(result, "--report", "is a folder")
