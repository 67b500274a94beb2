"""`linkprior report` and `--report`: pages of runs and evaluations, and what is refused."""

import html
import json
import re
import shutil
from pathlib import Path

import pytest
from tests.benchmark.made_up import cells, kept
from tests.cli.support import SMALL, change, manifest, one_line_of_error, table

import linkprior as lp

PAPER = Path(__file__).resolve().parents[2] / "benchmarks" / "results" / "reproduction"


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
    facts = dict(data["about"]["facts"])
    assert facts["SHA-256 of the input"] == manifest(folder)["input"]["sha256"]
    assert dict(data["about"]["parameters"])["n_starts"] == "1"


def test_predict_writes_a_page_next_to_the_list_and_the_same_bytes_again(
    run, succeed, edges, tmp_path
):
    asked = ["predict", edges, *SMALL, "--top", 20, "--report", tmp_path / "a.html"]
    out, _ = succeed(*asked)
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
    assert [row["model"] for row in data["evaluation"]["rows"]][-1] == "random baseline"
    assert {row["model"] for row in data["evaluation"]["rows"]} >= {"l3", "ra", "pa"}
    kept = json.loads((results / "results.json").read_text())["results"]
    known = {(one["model"], one["metric"]): one["value"] for one in kept}
    for row in data["evaluation"]["rows"][:-1]:
        assert row["values"]["auprc"]["mean"] == pytest.approx(known[row["model"], "auprc"])
    assert len(data["evaluation"]["curves"]) == 2
    assert run("report", results)[0] == 0
    assert data_of(results / "report.html")["evaluation"] == data["evaluation"]


@pytest.mark.parametrize("spoiled", [{"command": -1}, {"network": "x"}, {"splits": [{}]}])
def test_an_evaluation_that_is_damaged_is_one_line(run, folder, edges, tmp_path, spoiled):
    judged = tmp_path / "judged"
    assert run("evaluate", edges, "--models", "l3,pa", "-o", judged, "-q")[0] == 0
    facts = json.loads((judged / "results.json").read_text())
    (judged / "results.json").write_text(json.dumps({**facts, **spoiled}))
    assert one_line_of_error(run("report", judged), "judged", "damaged")
    if "splits" in spoiled:
        told = run("report", folder, "--evaluation", judged)
        assert one_line_of_error(told, "judged", "damaged")


def test_a_run_and_an_evaluation_share_a_page(run, folder, edges, tmp_path):
    results = tmp_path / "results"
    run("evaluate", edges, "--models", "l3", "--protocol", "uniform:0.8", "-o", results)
    assert run("report", folder, "--evaluation", results, "-o", tmp_path / "all.html")[0] == 0
    data = data_of(tmp_path / "all.html")
    assert {"links", "evaluation"} <= set(data)
    assert one_line_of_error(run("report", results, "--evaluation", results), "goes with a run")
    (results / "results.json").unlink()
    assert one_line_of_error(run("report", results), "is an unfinished evaluation")


def test_what_has_no_page_is_refused_in_one_line(run, folder, tmp_path):
    assert one_line_of_error(run("report", tmp_path / "none"), "is not a folder", "predict -o DIR/")
    (tmp_path / "empty").mkdir()
    assert one_line_of_error(run("report", tmp_path / "empty"), "not a run folder", "expected what")
    assert one_line_of_error(run("report", folder, "-o", tmp_path / "page.pdf"), "ends in .html")
    assert one_line_of_error(run("report", folder, "-o", tmp_path / "no" / "p.html"), "no folder")
    change(folder, status="incomplete")
    assert one_line_of_error(run("report", folder), "unfinished run")
    change(folder, format_version=99)
    assert one_line_of_error(run("report", folder), "version")


@pytest.mark.parametrize("facts", [{"command": [1, 2]}, {"command": "x"}, {"versions": 3}])
def test_facts_that_are_nonsense_do_not_cost_the_page(run, folder, facts):
    command = " ".join(manifest(folder)["command"])
    change(folder, **facts)
    assert run("report", folder)[0] == 0
    assert data_of(folder / "report.html")["about"]["command"] in ("1 2", None, command)


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


def test_a_page_may_lie_in_the_folder_that_the_command_makes(run, edges, tmp_path):
    new, other = tmp_path / "new", tmp_path / "other"
    asked = ["predict", edges, *SMALL, "--top", 5, "-o", f"{new}/", "--report", new / "p.html"]
    assert run(*asked)[0] == 0
    assert len(data_of(new / "p.html")["links"]["source"]) == 5
    judged = ["evaluate", edges, "--models", "pa", "-o", other, "--report", other / "p.html"]
    assert run(*judged)[0] == 0
    assert "evaluation" in data_of(other / "p.html")
    inside = ["-o", tmp_path / "a.tsv", "--report", tmp_path / "a.tsv/p.html"]
    said = run("predict", edges, *SMALL, *inside)
    assert one_line_of_error(said, "--report", "there is no folder")


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Where the study is that is made once."""
    return tmp_path_factory.mktemp("made") / "study"


@pytest.fixture
def study(run, edges, made, tmp_path):
    asked = ["tune", edges, "--model", "degree:l3", "--trials", 12, "--inner", 2, "--no-prune"]
    if not made.exists():
        assert run(*asked, "--study", made, "--report", made / "p.html")[0] == 0
    return shutil.copytree(made, tmp_path / "study")


def files_of(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.name != "report.html"}


def test_a_study_has_a_page_and_is_left_as_it_was(run, edges, study):
    before = files_of(study)
    assert run("report", study)[0] == 0
    assert files_of(study) == before
    found = lp.tune("degree:l3", lp.read_network(edges), 12, inner=2, prune=False)
    for page in ("report.html", "p.html"):
        (part,) = data_of(study / page)["parts"]
        _, settings = part["tables"]
        assert len(settings["rows"]) == 12
        marked = [row[0] for row in settings["rows"] if row[1].get("mark") == "best"]
        assert marked == [found.ranked[0].number]
        assert len(found.importances()) == 3
        shown = {one["name"]: one["value"] for one in part["figures"][1]["items"]}
        assert shown == pytest.approx(found.importances())
        history = {line["name"]: line for line in part["figures"][0]["lines"]}
        values = [t.value for t in found.trials if t.state == "complete"]
        assert history["a setting"]["y"] == pytest.approx(values)
        assert max(history["the best so far"]["y"]) == pytest.approx(found.best_value)
        for name, value in found.best_params.items():
            own = value == type(found.model)().get_params()[name]
            assert (f"{name}={value}" in part["command"]) is not own


def test_a_study_is_shown_with_a_run_and_an_evaluation(run, folder, edges, study, tmp_path):
    target = tmp_path / "all.html"
    assert run("report", folder, "--study", study, "-o", target)[0] == 0
    data = data_of(target)
    assert "links" in data
    assert [part["id"] for part in data["parts"]] == ["tuning"]
    run("evaluate", edges, "--models", "l3", "--protocol", "uniform:0.8", "-o", tmp_path / "judged")
    assert run("report", tmp_path / "judged", "--study", study, "-o", target)[0] == 0
    assert {"evaluation", "parts"} <= set(data_of(target))
    refused = run("report", folder, "--study", tmp_path)
    assert one_line_of_error(refused, "holds no study.json", "linkprior tune --study")
    assert one_line_of_error(
        run("report", study, "--study", study), "neither a run nor an evaluation"
    )


def test_a_study_that_was_killed_shows_what_it_had(run, study):
    journal = study / "journal.log"
    whole = journal.read_bytes().splitlines(keepends=True)
    journal.write_bytes(b"".join(whole[: len(whole) // 2]) + whole[len(whole) // 2][:9])
    (study / "best.json").unlink()
    cut = journal.read_bytes()
    assert run("report", study)[0] == 0
    assert journal.read_bytes() == cut
    (part,) = data_of(study / "report.html")["parts"]
    assert 1 <= len(part["tables"][1]["rows"]) < 12
    assert any("not finished" in line for line in part["words"])


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("journal.log", "", "is not the journal of a study"),
        ("journal.log", "no JSON\n", "is not the journal of a study"),
        ("journal.log", "[1]\n", "is not the journal of a study"),
        ("study.json", "{}", "is not the configuration of a tuning study"),
        ("study.json", "{", "cannot be read"),
    ],
)
def test_a_damaged_study_is_one_line(run, study, name, content, words):
    (study / name).write_text(content)
    assert one_line_of_error(run("report", study), words)


def test_a_study_without_a_finished_setting_or_a_journal_says_so(run, study):
    journal = study / "journal.log"
    first = journal.read_bytes().splitlines(keepends=True)[0]
    journal.write_bytes(first)
    assert one_line_of_error(run("report", study), "no finished setting yet")
    journal.unlink()
    assert one_line_of_error(run("report", study), "journal.log cannot be read")


def test_a_folder_of_cells_has_the_page_of_a_benchmark(run, tmp_path):
    table = {"one": {"auto": [0.9, 0.8], "pa": [0.2, 0.3]}, "two": {"auto": [0.5], "pa": [0.6]}}
    suite = kept(tmp_path / "suite", cells(table))
    page = tmp_path / "bench.html"
    asked = ["benchmark", "--tables", "-o", suite, "--report", page]
    assert run(*asked)[0] == 0
    assert run("report", suite)[0] == 0
    for data in (data_of(page), data_of(suite / "report.html")):
        auprc = next(t for p in data["parts"] for t in p["tables"] if t["title"] == "auprc")
        assert auprc["heads"] == ["model", "one (2)", "two (1)"]
        shown = {row[0]: [cell["value"] for cell in row[1:]] for row in auprc["rows"]}
        assert shown["auto"] == pytest.approx([0.85, 0.5])
        assert shown["pa"] == pytest.approx([0.25, 0.6])
        marks = {row[0]: [cell["mark"] for cell in row[1:]] for row in auprc["rows"]}
        assert marks == {"auto": ["best", None], "pa": [None, "level"]}
    text = data_of(page)["about"]["command"]
    assert text is not None
    first = next(iter(sorted(suite.glob("*/*.json"))))
    first.write_text(json.dumps({**json.loads(first.read_text()), "trials": "some"}))
    assert one_line_of_error(run("report", suite), str(first), "remove it and run again")


def test_the_papers_experiments_have_a_page(run, tmp_path):
    page = tmp_path / "paper.html"
    assert run("report", PAPER, "-o", page)[0] == 0
    data = data_of(page)
    assert [part["id"] for part in data["parts"]] == ["dream5", "plasmodium", "rat"]
    facts = json.loads((PAPER / "rat" / "results.json").read_text())
    shown = {row[0]: row[1:] for row in data["parts"][2]["tables"][0]["rows"][:-1]}
    for at, condition in enumerate(facts["conditions"]):
        for method, found in condition["methods"].items():
            ours, theirs = shown[method][2 * at : 2 * at + 2]
            assert ours["value"] == found["mean"]["5%"]
            assert theirs == found["paper"]
    assert run("report", PAPER / "rat", "-o", page)[0] == 0
    assert len(data_of(page)["parts"]) == 1
    (tmp_path / "rat").mkdir()
    (tmp_path / "rat" / "results.json").write_text(json.dumps({"experiment": "rat"}))
    assert one_line_of_error(run("report", tmp_path / "rat"), "is incomplete")


def test_a_page_of_somebody_else_is_replaced_only_where_it_is_named(run, folder):
    page = folder / "report.html"
    page.write_text("<!doctype html><title>mine</title>")
    assert one_line_of_error(run("report", folder), "not a page of linkprior", "-o FILE.html")
    assert page.read_text() == "<!doctype html><title>mine</title>"
    assert run("report", folder, "-o", page)[0] == 0
    assert run("report", folder)[0] == 0  # ours
