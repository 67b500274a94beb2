"""The wheel: built, installed away from the source tree, and run from an empty folder."""

import importlib.util
import os
import subprocess
import sys
import sysconfig
import venv
import zipfile
from pathlib import Path

import pytest

import linkprior as lp

ROOT = Path(__file__).resolve().parents[2]


def call(*command, **options):
    environment = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "PYTHONHOME")}
    settings = {"capture_output": True, "text": True, "timeout": 180}
    return subprocess.run(
        [str(part) for part in command], check=False, env=environment, **{**settings, **options}
    )


def pip(*arguments):
    return call(sys.executable, "-m", "pip", "--disable-pip-version-check", *arguments)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """A wheel of this tree; without the build backend or a way to fetch it there is none."""
    if importlib.util.find_spec("pip") is None:
        pytest.skip("pip is not installed in this environment: no wheel can be built")
    folder = tmp_path_factory.mktemp("wheel")
    ready = importlib.util.find_spec("hatchling") is not None
    isolation = ["--no-build-isolation"] if ready else []
    done = pip("wheel", "--no-deps", *isolation, "-w", folder, ROOT)
    if done.returncode and not ready and "hatchling" in done.stderr + done.stdout:
        pytest.skip("hatchling is neither installed nor can it be fetched: no wheel can be built")
    assert done.returncode == 0, done.stdout + done.stderr
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory):
    """A fresh environment that has the wheel, and sees this environment's other packages."""
    home = tmp_path_factory.mktemp("fresh") / "venv"
    venv.create(home, with_pip=False, symlinks=os.name != "nt")
    scripts = home / ("Scripts" if os.name == "nt" else "bin")
    done = pip("--python", scripts / "python", "install", "--no-deps", "--no-index", wheel)
    assert done.returncode == 0, done.stdout + done.stderr
    site = sysconfig.get_path("purelib", vars={"base": str(home), "platbase": str(home)})
    here = {sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}
    # .pth files inside these folders are not read, so the editable install stays out of sight.
    (Path(site) / "others.pth").write_text("".join(f"{path}\n" for path in sorted(here)))
    return scripts, Path(site)


def test_the_wheel_holds_the_package_and_nothing_else(wheel):
    assert wheel.name.startswith(f"linkprior-{lp.__version__}-py3-none-any")
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    assert "linkprior/py.typed" in names
    assert "linkprior/cli/main.py" in names
    top = {name.partition("/")[0] for name in names}
    assert top == {"linkprior", f"linkprior-{lp.__version__}.dist-info"}
    inside = {name for name in names if name.startswith("linkprior/")}
    sources = {
        f"linkprior/{path.relative_to(ROOT / 'src' / 'linkprior').as_posix()}"
        for path in (ROOT / "src" / "linkprior").rglob("*.py")
    }
    data = {
        *("py.typed", "io/catalogue.json", "pipeline/manifest.schema.json"),
        "predictors/auto/prior_stack.json",
    }
    data |= {
        f"report/assets/{name}"
        for name in ("style.css", "dom.js", "figures.js", "tables.js", "page.js")
    }
    data |= {f"serve/assets/{name}" for name in ("explorer.css", "explorer.js")}
    assert inside == sources | {f"linkprior/{name}" for name in data}
    assert not any("test" in name or "conftest" in name for name in inside)


def test_the_wheel_names_its_licence_command_and_dependencies(wheel):
    info = f"linkprior-{lp.__version__}.dist-info"
    with zipfile.ZipFile(wheel) as archive:
        metadata = archive.read(f"{info}/METADATA").decode()
        entries = archive.read(f"{info}/entry_points.txt").decode()
        assert f"{info}/licenses/LICENSE" in archive.namelist()
    assert "linkprior = linkprior.cli:main" in entries
    required = [line for line in metadata.splitlines() if line.startswith("Requires-Dist: ")]
    default = [line for line in required if "extra ==" not in line]
    assert any("numpy" in line for line in default)
    assert not any(name in line for line in default for name in ("torch", "dask", "pytest"))


@pytest.mark.at_length
def test_the_demo_runs_from_an_empty_folder(installed, tmp_path):
    scripts, site = installed
    where = call(scripts / "python", "-c", "import linkprior; print(linkprior.__file__)")
    assert Path(where.stdout.strip()).parent == site / "linkprior", where.stderr
    done = call(scripts / "linkprior", "demo", "--top", 30, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0].split()[:4] == ["rank", "source", "target", "score"]
    assert [int(line.split()[0]) for line in lines[1:31]] == list(range(1, 31))
    assert any("found" in line for line in lines[1:31])
    assert "of the first 100 are hidden edges" in lines[-1]
    assert list(tmp_path.iterdir()) == []


def test_the_installed_command_predicts(installed, tmp_path):
    scripts, _ = installed
    (tmp_path / "edges.tsv").write_text("a\tb\nb\tc\nc\td\n")
    done = call(scripts / "linkprior", "predict", "edges.tsv", "--model", "l3", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[1].split()[:3] == ["1", "a", "d"]
