"""What importing costs, which layer may import which, and that every public name is there."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from tools.house import cycles, modules, state

import linkprior as lp

ROOT = Path(__file__).resolve().parents[2]
HEAVY = ("numba", "torch", "sklearn", "dask", "bokeh", "pandas", "scipy", "numpy", "networkx")


def python(*arguments, **options):
    """Run a fresh Python, away from whatever this process has loaded or set."""
    bare = {key: value for key, value in os.environ.items() if not key.startswith("COV_CORE")}
    return subprocess.run(
        [sys.executable, *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
        env=bare,
        **options,
    )


def loaded_by(code):
    """Top-level packages in sys.modules after `code`; a run that fails is a failure here."""
    ask = (
        "\nimport sys\nprint(*sorted({m.partition('.')[0] for m in sys.modules}), file=sys.stderr)"
    )
    done = python("-c", code + ask)
    assert done.returncode == 0, done.stderr
    return set(done.stderr.split())


MODELS = "from linkprior.predictors.registry import MODELS; assert MODELS"
COMMAND = (
    "import sys; sys.argv = ['linkprior', *{!r}]\n"
    "from linkprior.cli import main\n"
    "try:\n    main()\nexcept SystemExit as done:\n    assert not done.code"
)
COMMANDS = (["--help"], ["predict", "--help"], ["--version"], ["cite"])


@pytest.mark.parametrize(
    ("code", "heavy"),
    [
        ("import linkprior", HEAVY),
        (MODELS, ("numba", "pandas", "sklearn", "torch")),
        *((COMMAND.format(words), HEAVY) for words in COMMANDS),
    ],
)
def test_what_is_asked_often_loads_nothing_heavy(code, heavy):
    loaded = loaded_by(code)
    assert "linkprior" in loaded
    assert not loaded & set(heavy)


def test_the_installed_command_loads_nothing_heavy_for_help():
    script = Path(sys.executable).with_name("linkprior")
    if not script.exists():
        pytest.skip(f"{script} is not installed: the package runs from its source here")
    done = python("-X", "importtime", script, "--help")
    assert done.returncode == 0
    assert done.stdout.startswith("Usage: linkprior ")
    lines = [line for line in done.stderr.splitlines() if line.startswith("import time:")]
    imported = {line.rsplit("|", 1)[1].strip().partition(".")[0] for line in lines}
    assert "linkprior" in imported
    assert not imported & set(HEAVY)


@pytest.mark.parametrize("name", ["numpy", "pandas"])
def test_a_heavy_library_would_be_noticed(name):
    """What is imported must be seen, or the tests above prove nothing."""
    assert name in loaded_by(f"import linkprior, {name}")


@pytest.mark.parametrize("name", lp.__all__)
def test_every_public_name_resolves(name):
    assert getattr(lp, name) is not None
    assert name in dir(lp)


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="module 'linkprior' has no attribute 'nonsense'"):
        lp.nonsense  # noqa: B018


def test_imports_only_go_down():
    """The contracts of pyproject.toml, as `lint-imports` judges them."""
    pytest.importorskip("importlinter", reason="import-linter is not installed (extra: dev)")
    lint = (
        "from importlinter.cli import lint_imports; raise SystemExit(lint_imports(no_cache=True))"
    )
    done = python("-c", lint, cwd=ROOT)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "0 broken" in done.stdout


def test_no_modules_import_each_other_lazily_or_not():
    assert cycles() == []


def test_state_lives_in_one_context_variable():
    assert state(modules()) == (["linkprior._config"], [])
