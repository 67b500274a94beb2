"""What the documentation says is true: its code runs, its quotes and links exist."""

from __future__ import annotations

import gzip
import importlib.util
import inspect
import re
import sys
import textwrap
import tomllib
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import linkprior as lp
from linkprior.errors import InputError
from linkprior.io.collector import EdgeCollector
from linkprior.io.formats import ReadOptions
from linkprior.io.source import open_source
from linkprior.model.factors import Factors
from linkprior.model.losses import LOSSES, SquaredLoss
from linkprior.network import Network
from linkprior.predictors import registry
from linkprior.predictors.registry import find, make
from linkprior.solvers.base import solve
from linkprior.solvers.direct import DirectSolver

ROOT = Path(__file__).resolve().parents[2]
ADDING = ROOT / "docs" / "adding.md"
PAGES = [
    *(ROOT / name for name in ("README.md", "ARCHITECTURE.md", "CONTRIBUTING.md")),
    *sorted((ROOT / "docs").glob("*.md")),
]
MARK = re.compile(r"# (from|into) (\S+)(?: (\w+))?\n")


def python_blocks(text):
    return re.findall(r"^```python\n(.*?)^```", text, flags=re.MULTILINE | re.DOTALL)


BLOCKS = python_blocks(ADDING.read_text(encoding="utf-8"))
QUOTES = [block for block in BLOCKS if MARK.match(block) and MARK.match(block)[1] == "from"]
ENTRIES = [block for block in BLOCKS if MARK.match(block) and MARK.match(block)[1] == "into"]
NEW = [block for block in BLOCKS if not MARK.match(block)]


def lines(text):
    """Lines without the indentation they share and without blanks at their ends."""
    return [line.rstrip() for line in textwrap.dedent(text).strip("\n").splitlines()]


def appears_in(quote, source):
    wanted, there = lines(quote), source.splitlines()
    starts = range(len(there) - len(wanted) + 1)
    return any(lines("\n".join(there[at : at + len(wanted)])) == wanted for at in starts)


def links(text):
    """Targets of the links of a page that point into the repository, without their anchors."""
    prose = re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL)
    found = re.findall(r"\]\(([^)\s]+)\)", prose)
    return [target.partition("#")[0] for target in found if not re.match(r"\w+:|#", target)]


def runtime_dependencies():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return [re.match(r"[\w.-]+", requirement)[0] for requirement in project["dependencies"]]


# ---------------------------------------------------------------------- docs/adding.md


@pytest.fixture(scope="module")
def page():
    """The names that docs/adding.md defines, after running its new blocks in order."""
    namespace = {"__name__": "adding"}
    for block in NEW:
        exec(compile(block, str(ADDING), "exec", dont_inherit=True), namespace)
    return namespace


@pytest.fixture
def registered(page, monkeypatch, tmp_path):
    """The names of the page, its table lines and its model in the package for one test."""
    for block in ENTRIES:
        path, table = MARK.match(block).group(2, 3)
        module = import_module(path.removeprefix("src/").removesuffix(".py").replace("/", "."))
        scope = {**vars(module), **page}
        exec("items = {" + MARK.sub("", block, count=1) + "}", scope)
        for key, value in scope["items"].items():
            assert key not in getattr(module, table), f"{key} exists: choose another example"
            monkeypatch.setitem(getattr(module, table), key, value)
    block = next(block for block in NEW if "class SquaredCosine" in block)
    (tmp_path / "cosine.py").write_text(block)
    (place,), _ = (list(table.items()) for table in registry.declared(tmp_path))
    assert place == ("rsq", "cosine:SquaredCosine")
    assert place[0] not in registry.MODELS
    monkeypatch.setitem(registry.MODELS, *place)
    home = SimpleNamespace(SquaredCosine=page["SquaredCosine"])
    for module in ("linkprior.predictors.cosine", "adding"):  # to be imported from, and pickled
        monkeypatch.setitem(sys.modules, module, home)
    return page


@pytest.mark.parametrize("block", QUOTES, ids=lambda block: MARK.match(block)[2])
def test_quotes_are_verbatim(block):
    source = (ROOT / MARK.match(block)[2]).read_text(encoding="utf-8")
    assert appears_in(MARK.sub("", block, count=1), source)


def test_there_are_quotes_table_lines_and_new_code():
    assert (len(QUOTES), len(ENTRIES)) == (4, 1)
    assert len(NEW) >= 6


def test_new_prior_is_the_papers_sum_with_another_sequence(page):
    net, prior = page["net"], page["prior"]
    X = np.random.default_rng(1).random((net.n_nodes, net.n_nodes))
    off = X[~np.eye(net.n_nodes, dtype=bool)].reshape(net.n_nodes, -1)
    sums = -np.sort(-off, axis=1) @ prior.profile(net.n_nodes - 1)
    expected = lp.theory.degree_prior(X, prior.degrees, alpha=1.0, H=np.sqrt)
    assert prior.value(sums) == pytest.approx(expected, rel=1e-12)


def test_new_prior_descends(page):
    objective = np.array(page["objective"])
    assert len(objective) == 41
    assert (np.diff(objective) <= 1e-12 * objective[:-1]).all()
    assert objective[-1] < 0.9 * objective[0]


def test_new_prior_ranks_pairs(page):
    model = page["TriSqrt"](rank=4, n_starts=1, warmup=10, max_iter=3).fit(page["net"])
    usual = make("tri-degree", rank=4, n_starts=1, warmup=10, max_iter=3).fit(page["net"])
    ranking = model.predict_edges(50)
    assert len(ranking) == 50
    assert not np.array_equal(ranking.pairs, usual.predict_edges(50).pairs)


def some_factors(p, rank=3):
    rng = np.random.default_rng(2)
    S = rng.random((rank, rank))
    return Factors(rng.random((p, rank)), S + S.T)


@pytest.mark.parametrize("background", [0.0, 0.01, 0.4])
def test_new_loss_is_its_formula(page, background):
    net, rho = page["net"], 0.3
    factors = some_factors(net.n_nodes)
    loss = page["BackgroundLoss"](rho, background)
    X, omega = factors.rows(0, net.n_nodes), net.adjacency.toarray()
    M = (rho / 2 + (1 - rho) * omega) * ~np.eye(net.n_nodes, dtype=bool)
    residual = X - np.where(omega == 1, 1.0, background)
    assert loss.value(net, factors) == pytest.approx((M * residual**2).sum(), rel=1e-10)
    half, V = loss.half_gradient(net, factors), factors.U
    parts = [part.times(V, factors) for part in (half.curve, half.push, half.pull)]
    assert all((part >= 0).all() for part in parts)
    curve, push, pull = parts
    np.testing.assert_allclose(curve + push - pull, (M * residual) @ V, rtol=1e-9)


def test_new_loss_without_background_is_the_squared_loss(page):
    net, factors = page["net"], some_factors(page["net"].n_nodes)
    plain = SquaredLoss(0.3).value(net, factors)
    assert page["BackgroundLoss"](0.3, 0.0).value(net, factors) == pytest.approx(plain, rel=1e-12)
    assert page["BackgroundLoss"](0.3).value(net, factors) != pytest.approx(plain, rel=1e-6)


def test_new_loss_and_new_prior_descend_together(page):
    loss = page["BackgroundLoss"](0.2, 0.05)
    solver = DirectSolver(page["net"], loss, 4, page["prior"], 0.01)
    history = solve(solver, np.random.default_rng(5), 40, 0.0).history
    objective = np.array([measure.objective for measure in history])
    assert (np.diff(objective) <= 1e-12 * objective[:-1]).all()


def test_new_loss_works_by_name(registered):
    assert LOSSES["background"] is registered["BackgroundLoss"]
    model = make("tri", loss="background", n_starts=1, max_iter=5).fit(registered["net"])
    assert np.isfinite(model.predict_edges(10).scores).all()


def test_new_predictor_is_its_formula(page):
    net = lp.Network.from_edges([tuple(pair) for pair in ("ab", "ac", "db", "dc", "de")])
    scores = page["SquaredCosine"]().fit(net).score_rows(0, net.n_nodes)
    a, b, d, e = (net.index_of(name) for name in "abde")
    assert scores[a, d] == pytest.approx(2**2 / ((2 + 1) * (3 + 1)))
    assert scores[b, e] == pytest.approx(1**2 / ((2 + 1) * (1 + 1)))
    assert scores[a, b] == 0
    assert (scores <= 1).all()


def contract_tests(name):
    """The contract tests that meet a model of this name, found anew with the tables as they are."""
    path = ROOT / "tests" / "contracts" / "test_predictors.py"
    spec = importlib.util.spec_from_file_location("contracts_of_the_page", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert (name, {}) in module.VARIANTS
    for title, function in vars(module).items():
        wanted = set(inspect.signature(function).parameters) if title.startswith("test_") else ()
        if "name" in wanted:
            yield module, function, wanted


def test_new_predictor_meets_the_contract_by_itself(registered, planted, tmp_path):
    assert find("rsq") is registered["SquaredCosine"]
    met = 0
    for module, function, wanted in contract_tests("rsq"):
        for number, kind in enumerate(module.networks() if "kind" in wanted else [None]):
            folder = tmp_path / f"{function.__name__}-{number}"
            folder.mkdir()
            given = {"name": "rsq", "params": {}, "planted": planted, "kind": kind}
            given["tmp_path"] = folder
            function(**{key: given[key] for key in wanted})
            met += 1
    assert met >= 10


def read_with(reader, path):
    """Read a file as `io/read.py` does."""
    with open_source(path) as source:
        collected = EdgeCollector(source.name)
        guess = reader(source, collected, ReadOptions())
    return Network.from_indices(collected.ends, collected.names), guess


def test_new_reader_counts_what_is_merged(page, tmp_path):
    path = tmp_path / "net.adj.gz"
    path.write_bytes(gzip.compress(b"# a comment\na b c\nb a\nc c\n"))
    net, guess = read_with(page["read_adjacency_list"], path)
    assert net.names == ("a", "b", "c")
    assert net.edges.tolist() == [[0, 1], [0, 2]]
    assert (net.merged.self_loops, net.merged.reversed_duplicates) == (1, 1)
    assert guess == "adjacency list"


def test_new_reader_says_what_is_wrong_and_where(page, tmp_path):
    path = tmp_path / "net.adj"
    path.write_text("a b\nc,d\n")
    with pytest.raises(InputError, match=r"net\.adj:2: expected spaces"):
        read_with(page["read_adjacency_list"], path)


# ---------------------------------------------------------------------- all pages


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_links_point_to_files(path):
    for target in links(path.read_text(encoding="utf-8")):
        assert (path.parent / target).exists(), f"{path.name}: no {target}"


FILE_NAME = re.compile(r"`([\w/]+(?:/|\.py))`")


def found(name):
    """The file or folder of a name given from the root or from the package."""
    homes = (ROOT, ROOT / "src" / "linkprior")
    return next((home / name for home in homes if (home / name).exists()), None)


@pytest.mark.parametrize("page", ["ARCHITECTURE.md", "CONTRIBUTING.md", "docs/adding.md"])
def test_files_named_in_prose_exist(page):
    named = FILE_NAME.findall((ROOT / page).read_text(encoding="utf-8"))
    assert len(named) > 2
    assert [name for name in named if found(name) is None] == []


def where_to_find():
    """Files and names in each row of the table "Where do I find"."""
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8").partition("| Where do I find")[2]
    table = text.partition("\n\n")[0].splitlines()[2:]
    return [
        (FILE_NAME.findall(files), re.findall(r"`(\w+)`", names))
        for *_, files, names, _ in (line.split("|") for line in table)
    ]


@pytest.mark.parametrize(("files", "names"), where_to_find())
def test_names_are_where_the_architecture_says(files, names):
    assert files
    assert names
    paths = [path / "__init__.py" if path.is_dir() else path for path in map(found, files)]
    source = "\n".join(path.read_text(encoding="utf-8") for path in paths)
    for name in names:
        assert re.search(rf"^(def|class) {name}\b|^{name}\b.* =", source, flags=re.MULTILINE), name


def test_every_runtime_dependency_is_explained():
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| ([^|]*) \|", text.partition("## Libraries")[2], flags=re.MULTILINE)
    explained = {name.strip() for row in rows for name in row.split(",")}
    assert set(runtime_dependencies()) <= explained


def test_citation_has_this_version_and_the_authors_of_the_paper():
    text = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert re.findall(r'^version: "?([^"\n]+)"?$', text, flags=re.MULTILINE) == [lp.__version__]
    for family in ("Tang", "Tu", "Wang", "Xu"):
        assert f"family-names: {family}" in text


def test_changelog_has_this_version():
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert f"## [{lp.__version__}]" in text
