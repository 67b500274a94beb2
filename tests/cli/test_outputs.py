"""Where results go: what cannot be written is refused before the fit, in one line."""

import errno
import tempfile

import pytest
from tests.cli.support import one_line_of_error

import linkprior as lp
from linkprior.pipeline.outputs import format_error

LEARN = "linkprior.predictors.local.PreferentialAttachment._fit"


@pytest.fixture
def no_fit(monkeypatch):
    """Whoever begins to fit has looked too late."""
    monkeypatch.setattr(LEARN, lambda *_: 1 / 0)


@pytest.fixture
def read_only(monkeypatch):
    """A folder in which no file can be made; modes do not stop root, who may run the tests."""

    def refuse(**_):
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(tempfile, "TemporaryFile", refuse)


@pytest.mark.usefixtures("no_fit", "read_only")
@pytest.mark.parametrize(
    ("option", "name"),
    [("-o", "links.tsv"), ("-o", "run/"), ("-o", "new/run/"), ("--save", "model")],
)
def test_a_folder_without_permission_is_refused_before_the_fit(run, edges, tmp_path, option, name):
    result = run("predict", edges, "--model", "pa", option, f"{tmp_path}/{name}")
    assert one_line_of_error(result, f"{option} {tmp_path}/{name}", "no permission", "another")
    assert result[2].count("\n") == 1


@pytest.mark.usefixtures("no_fit", "read_only")
def test_a_file_that_is_there_needs_its_folder_all_the_same(run, edges, tmp_path):
    (tmp_path / "links.tsv").write_text("earlier")
    result = run("predict", edges, "--model", "pa", "-o", tmp_path / "links.tsv")
    assert one_line_of_error(result, "no permission")
    assert (tmp_path / "links.tsv").read_text() == "earlier"


@pytest.mark.usefixtures("no_fit")
@pytest.mark.parametrize("output", ["model", "model/", "model/links.tsv", "./model/run/"])
def test_a_ranking_and_a_model_in_one_place_are_refused_before_the_fit(
    run, edges, tmp_path, monkeypatch, output
):
    monkeypatch.chdir(tmp_path)
    lp.make("l3").fit(edges).save("model")
    result = run("predict", edges, "--model", "pa", "-o", output, "--save", "model")
    assert one_line_of_error(result, f"-o {output}")
    assert lp.load("model").fitted


def test_a_model_may_lie_next_to_the_ranking_or_in_the_run(run, edges, tmp_path):
    ask = ["predict", edges, "--model", "pa"]
    assert run(*ask, "-o", tmp_path / "a.tsv", "--save", tmp_path / "a")[0] == 0
    assert run(*ask, "-o", f"{tmp_path}/run/", "--save", tmp_path / "run" / "model")[0] == 0
    assert lp.load_run(tmp_path / "run").model.fitted


@pytest.mark.usefixtures("no_fit")
@pytest.mark.parametrize("option", ["-o", "--save"])
def test_a_name_without_room_for_a_temporary_one_is_refused(run, edges, tmp_path, option):
    result = run("predict", edges, "--model", "pa", option, tmp_path / ("x" * 230))
    assert one_line_of_error(result, "too long", "shorter")


@pytest.mark.usefixtures("no_fit")
def test_a_model_below_a_file_is_refused(run, edges):
    result = run("predict", edges, "--model", "pa", "--save", edges / "deep" / "model")
    assert one_line_of_error(result, "--save", "is a file")


def test_that_a_model_is_replaced_is_reported(run, edges, tmp_path):
    ask = ["predict", edges, "--model", "pa", "--save", tmp_path / "model"]
    assert "replacing an earlier one" not in run(*ask)[2]
    assert f"Saved the model to {tmp_path / 'model'}, replacing an earlier one" in run(*ask)[2]


@pytest.mark.parametrize("where", ["file", "run", "model"])
def test_a_disk_that_fills_up_is_one_line_with_the_name(run, edges, tmp_path, monkeypatch, where):
    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    options = {"file": ["-o", "links.tsv"], "run": ["-o", "run/"], "model": ["--save", "model"]}
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("os.fsync", full)
    result = run("predict", edges, "--model", "pa", *options[where])
    named = options[where][1].strip("/")
    assert one_line_of_error(result, f"linkprior: {named}: the disk is full", "free some space")
    assert not list(tmp_path.rglob("*.part"))


@pytest.mark.parametrize(
    ("problem", "said"),
    [
        (FileNotFoundError(errno.ENOENT, "?", "a/b"), "a/b: there is no such file"),
        (IsADirectoryError(errno.EISDIR, "?", "a"), "a: is a folder; give the name of a file"),
        (OSError(errno.EROFS, "?", b"a"), "a: the disk is read-only; choose another path"),
        (PermissionError(errno.EACCES, "?", "a"), "a: no permission; choose another path"),
        (OSError(errno.EINVAL, "Invalid argument"), "[Errno 22] Invalid argument"),
        (MemoryError(), "out of memory"),
    ],
)
def test_errors_of_the_system_are_reported_in_words(problem, said):
    assert format_error(problem).startswith(said)


# ---------------------------------------------------------------------- results against each other


@pytest.mark.usefixtures("no_fit")
@pytest.mark.parametrize(
    "asked",
    [
        ["--save", "m.html", "--report", "m.html"],
        ["--save", "m", "--report", "m/x.html"],
        ["--save", "x.html/m", "--report", "x.html"],
        ["-o", "run/", "--save", "run/ranking.tsv"],
        ["-o", "run/", "--save", "run/deep/model"],
        ["-o", "run/", "--save", "run/model/deep"],
        ["-o", "run/", "--report", "run/model/x.html"],
        ["-o", "links.tsv", "--save", "links.tsv/m"],
    ],
)
def test_results_in_the_way_of_each_other_are_refused_before_the_fit(
    run, edges, tmp_path, monkeypatch, asked
):
    monkeypatch.chdir(tmp_path)
    before = sorted(tmp_path.rglob("*"))
    result = run("predict", edges, "--model", "pa", *asked)
    assert one_line_of_error(result, "give ")
    assert sorted(tmp_path.rglob("*")) == before


def test_a_page_next_to_the_model_of_before_leaves_it_a_model(run, edges, tmp_path):
    ask = ["predict", edges, "--model", "pa", "--save", tmp_path / "m"]
    assert run(*ask)[0] == 0
    assert one_line_of_error(run(*ask, "--report", tmp_path / "m" / "x.html"), "two separate paths")
    assert run(*ask, "--report", tmp_path / "x.html")[0] == 0


# ---------------------------------------------------------------------- what is read


@pytest.fixture
def earlier(run, edges, tmp_path, monkeypatch):
    """A run folder of before, with a ranking as CSV too."""
    monkeypatch.chdir(tmp_path)
    assert run("predict", edges, "--model", "l3", "--format", "csv", "-o", "run/")[0] == 0
    (tmp_path / "link.tsv").symlink_to("run/ranking.tsv")
    (tmp_path / "run" / "own.tsv").write_bytes((tmp_path / "run" / "ranking.tsv").read_bytes())
    monkeypatch.setattr(LEARN, lambda *_: 1 / 0)
    return {path: path.read_bytes() for path in (tmp_path / "run").rglob("*") if path.is_file()}


@pytest.mark.parametrize(
    "asked",
    [
        ["EDGES", "--exclude", "run/ranking.tsv"],
        ["EDGES", "--exclude", "run/ranking.csv"],
        ["EDGES", "--exclude", "link.tsv"],
        ["EDGES", "--nodes", "run/log.txt"],
        ["EDGES", "--negatives", "run/../run/ranking.tsv"],
        ["EDGES", "--history", "EDGES", "run/ranking.tsv"],
        ["EDGES", "--add-nodes", "run/input_report.json"],
        ["EDGES", "--between", "EDGES", "run/model/manifest.json"],
        ["run/ranking.tsv"],
    ],
)
@pytest.mark.parametrize("output", ["run/", "run"])
def test_a_run_never_replaces_or_removes_what_it_reads(run, edges, earlier, asked, output):
    words = [edges if word == "EDGES" else word for word in asked]
    result = run("predict", *words, "--model", "pa", "-o", output, "--force")
    assert one_line_of_error(result, f"-o {output}: the input", "copy it elsewhere")
    assert {path: path.read_bytes() for path in earlier} == earlier


def test_a_list_that_no_run_touches_may_lie_in_its_folder(run, edges, earlier, monkeypatch):
    monkeypatch.undo()
    folder = next(iter(earlier)).parent
    ask = ["predict", edges, "--model", "pa", "--exclude", folder / "own.tsv", "-o", f"{folder}/"]
    assert run(*ask, "--force")[0] == 0


def test_a_model_is_not_saved_over_what_is_read(run, edges, tmp_path):
    assert run("predict", edges, "--model", "pa", "--save", tmp_path / "m")[0] == 0
    inside = tmp_path / "m" / "manifest.json"
    ask = ["predict", edges, "--model", "pa", "--exclude", inside, "--save", tmp_path / "m"]
    assert one_line_of_error(run(*ask), "--save", "the input", "copy it elsewhere")


@pytest.mark.usefixtures("no_fit")
@pytest.mark.parametrize("kind", ["release", "split"])
def test_a_page_does_not_replace_the_file_of_the_protocol(run, edges, tmp_path, kind):
    newer = tmp_path / "new.html"
    newer.write_text(edges.read_text())
    ask = ["evaluate", edges, "--models", "pa", "--protocol", f"{kind}:{newer}"]
    assert one_line_of_error(run(*ask, "--report", newer), "is read or written too")
    assert newer.read_text() == edges.read_text()


def test_an_evaluation_or_a_study_does_not_replace_what_it_reads(run, edges, tmp_path):
    results, study = tmp_path / "results", tmp_path / "study"
    ask = ["evaluate", edges, "--models", "pa", "-o", results]
    assert run(*ask)[0] == 0
    (split,) = (results / "splits").iterdir()
    for more in (
        ["--protocol", f"release:{split}"],
        ["--negatives", results / "results.tsv"],
        ["--protocol", f"split:{results / 'evaluation.json'}"],
    ):
        assert one_line_of_error(run(*ask, *more), "-o", "the input", "copy it elsewhere")
    assert run(*ask, "--protocol", f"split:{split}")[0] == 0  # the same again
    ask = ["tune", study / "journal.log", "--model", "pa", "--study", study]
    assert one_line_of_error(run(*ask), "--study", "the input", "copy it elsewhere")


# ---------------------------------------------------------------------- links and names


@pytest.mark.usefixtures("no_fit")
@pytest.mark.parametrize(
    "asked",
    [
        ["-o", "loop"],
        ["-o", "loop/"],
        ["-o", "loop/run/"],
        ["--report", "loop.html"],
        ["--save", "loop/m"],
        ["-o", "out.tsv", "--save", "loop/m"],
    ],
)
def test_a_link_that_leads_back_to_itself_is_one_line(run, edges, tmp_path, monkeypatch, asked):
    monkeypatch.chdir(tmp_path)
    for name in ("loop", "loop.html"):
        (tmp_path / name).symlink_to(name)
    result = run("predict", edges, "--model", "pa", *asked)
    assert one_line_of_error(result, asked[-1].strip("/"), "leads back to itself")
    assert result[2].count("\n") == 1


@pytest.mark.parametrize(
    "asked",
    [
        ["evaluate", "--models", "pa", "-o"],
        ["tune", "--model", "pu", "--study"],
        ["predict", "--model", "pa", "-o"],
    ],
)
def test_a_folder_whose_name_is_taken_is_reported_in_words(run, edges, tmp_path, asked):
    (tmp_path / "nowhere").symlink_to(tmp_path / "nowhere to be found")
    command, *rest = asked
    result = run(command, edges, *rest, f"{tmp_path}/nowhere/")
    assert one_line_of_error(result, f"{tmp_path}/nowhere", "is taken by something that is no")


def test_a_page_onto_a_link_that_leads_back_to_itself_is_one_line(run, edges, tmp_path):
    run("predict", edges, "--model", "pa", "-o", f"{tmp_path}/run/")
    (tmp_path / "loop.html").symlink_to("loop.html")
    result = run("report", tmp_path / "run", "-o", tmp_path / "loop.html")
    assert one_line_of_error(result, "loop.html", "leads back to itself")
