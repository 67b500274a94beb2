"""What is shipped: one wheel from one source, pinned and listed dependencies, their licences."""

import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.version import Version
from tools import licences, matrix, sbom
from tools.project import canonical, installed, lowest, missing, needs, requirements

import linkprior as lp

ROOT = Path(__file__).resolve().parents[2]
PINNED = ROOT / "requirements" / "default.txt"
FOREIGN = re.compile(r"https?:|file:|index-url|find-links|trusted-host|(^|\s)/\w", re.MULTILINE)


def here(*wanted):
    """Skip where a package of the default install is not there to look at."""
    if missing(wanted):
        pytest.skip(f"not installed: {', '.join(missing(wanted))}")


# ---------------------------------------------------------------------- the wheel


def copied(folder, umask, time):
    """A copy of what the wheel is made of, with other modes, times and order of files."""
    before = os.umask(umask)
    try:
        shutil.copytree(
            ROOT / "src",
            folder / "src",
            copy_function=shutil.copyfile,
            ignore=shutil.ignore_patterns("__pycache__"),
        )
        for name in ("pyproject.toml", "README.md", "LICENSE", ".gitignore"):
            shutil.copyfile(ROOT / name, folder / name)
    finally:
        os.umask(before)
    for path in sorted(folder.rglob("*"), reverse=umask == 0o077):
        os.utime(path, (time, time))
    return folder


def built(folder, zone):
    """The bytes of the wheel built there, in another time zone and with other hash seeds."""
    environment = {k: v for k, v in os.environ.items() if k != "SOURCE_DATE_EPOCH"}
    environment |= {"TZ": zone, "PYTHONHASHSEED": str(len(zone)), "LC_ALL": "C"}
    done = subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel"],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    (wheel,) = (folder / "dist").glob("*.whl")
    return wheel.name, wheel.read_bytes()


def test_two_builds_of_the_wheel_have_the_same_bytes(tmp_path):
    if importlib.util.find_spec("hatchling") is None:
        pytest.skip("hatchling is not installed: no wheel can be built")
    first, second = tmp_path / "first", tmp_path / "a longer name" / "second"
    for folder in (first, second):
        folder.mkdir(parents=True)
    one = built(copied(first, 0o022, 1_000_000_000), "UTC")
    other = built(copied(second, 0o077, 1_700_000_000), "Asia/Kathmandu")
    assert one[0] == other[0] == f"linkprior-{lp.__version__}-py3-none-any.whl"
    assert one[1] == other[1]
    assert str(tmp_path).encode() not in one[1]


# ---------------------------------------------------------------------- pinned requirements


def pins():
    """name → version and hashes of the requirements file."""
    text = re.sub(r"^#.*\n", "", PINNED.read_text(encoding="utf-8"), flags=re.MULTILINE)
    found = {}
    for line in text.replace("\\\n", " ").strip().splitlines():
        pin, *digests = line.split()
        name, version = pin.split("==")
        assert all(re.fullmatch(r"--hash=sha256:[0-9a-f]{64}", digest) for digest in digests), line
        assert digests, line
        found[name] = Version(version), digests
    return found


def test_the_requirements_file_pins_every_default_dependency_with_hashes():
    found = pins()
    for text in requirements():
        wanted = Requirement(text)
        version, _ = found[canonical(wanted.name)]
        assert version in wanted.specifier, f"{text}: `make requirements` again"


def test_the_requirements_file_holds_what_the_dependencies_need_in_turn():
    here(*requirements())
    found = pins()
    for name, distribution in installed(requirements()).items():
        if name in found and found[name][0] == Version(distribution.version):
            assert {canonical(one.name) for one in needs(distribution)} <= set(found), name


def test_packages_with_compiled_code_have_a_hash_per_python_and_platform():
    assert all(len(pins()[name][1]) >= 9 for name in ("numpy", "scipy", "numba", "pandas"))


# ---------------------------------------------------------------------- bill of materials


def test_the_bill_of_materials_is_whole_and_the_same_each_time(tmp_path):
    here(*requirements())
    first, second = sbom.bill(), sbom.bill()
    assert first == second
    assert (first["bomFormat"], first["specVersion"], first["version"]) == ("CycloneDX", "1.6", 1)
    assert re.fullmatch(
        r"urn:uuid:[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", first["serialNumber"]
    )
    assert "timestamp" not in json.dumps(first)
    assert not FOREIGN.search(json.dumps(first))


def test_the_bill_of_materials_names_every_package_once_and_what_it_needs():
    here(*requirements())
    bill = sbom.bill()
    parts = [bill["metadata"]["component"], *bill["components"]]
    assert all({"type", "name", "version", "bom-ref", "purl", "licenses"} <= set(p) for p in parts)
    references = [part["bom-ref"] for part in parts]
    assert len(set(references)) == len(references)
    assert [entry["ref"] for entry in bill["dependencies"]] == references
    assert {ref for entry in bill["dependencies"] for ref in entry["dependsOn"]} <= set(references)
    names = {part["name"] for part in parts}
    assert {canonical(Requirement(text).name) for text in requirements()} <= names
    assert not names & {"pytest", "torch", "starlette"}
    reached, waiting = set(), [references[0]]
    depends = {entry["ref"]: entry["dependsOn"] for entry in bill["dependencies"]}
    while waiting:
        one = waiting.pop()
        if one not in reached:
            reached.add(one)
            waiting += depends[one]
    assert reached == set(references)


# ---------------------------------------------------------------------- licences


def test_no_dependency_has_an_unknown_or_strong_licence():
    assert {name: judged for _, name, _, judged in licences.table() if judged.isupper()} == {}


def test_no_default_dependency_needs_an_exception():
    default = [name for group, name, _, _ in licences.table() if group == "default"]
    assert len(default) >= 11
    assert not set(default) & set(licences.EXCEPTIONS)


@pytest.mark.parametrize(
    ("licence", "judged"),
    [
        ("MIT", "permissive"),
        ("BSD-3-Clause AND (Apache-2.0 OR MIT)", "permissive"),
        ("MPL-2.0 AND MIT", "weak"),
        ("GPL-3.0-or-later", "REFUSED"),
        ("MIT AND AGPL-3.0-only", "REFUSED"),
        ("", "UNKNOWN"),
    ],
)
def test_licences_are_checked_term_by_term(licence, judged):
    assert licences.verdict("some-package", licence) == judged


# ---------------------------------------------------------------------- versions


def test_the_matrix_asks_for_exactly_the_lower_bounds():
    wanted = requirements("serve", "dask")
    assert matrix.constraints("newest") == []
    assert matrix.constraints("oldest") == [lowest(text) for text in wanted]
    assert lowest("numpy>=2.2") == "numpy==2.2"
    with pytest.raises(ValueError, match="one lower bound"):
        lowest("numpy<3")


def test_what_came_of_a_cell_is_kept_next_to_the_others(tmp_path):
    path = tmp_path / "matrix.json"
    found = {"verdict": "passed", "told": "2 passed", "versions": {"numpy": "2.2.0"}, "code": "ab"}
    for name, told in (
        ("3.12/newest", "1 passed"),
        ("3.11/oldest", "2 passed"),
        ("3.12/newest", "3"),
    ):
        matrix.keep(name, {**found, "told": told, "seconds": 5, "kept": True}, path)
    cells = json.loads(path.read_text())["cells"]
    assert [(name, cell["told"]) for name, cell in cells.items()] == [
        ("3.11/oldest", "2 passed"),
        ("3.12/newest", "3"),
    ]
    assert cells["3.11/oldest"] == found | {"told": "2 passed"}


def test_the_versions_of_python_are_the_same_everywhere():
    with (ROOT / "pyproject.toml").open("rb") as stream:
        project = tomllib.load(stream)["project"]
    told = {c.rpartition(" ")[2] for c in project["classifiers"] if re.search(r":: 3\.\d+$", c)}
    assert told == set(matrix.PYTHONS)
    assert project["requires-python"] == f">={matrix.PYTHONS[0]}"


# ---------------------------------------------------------------------- hosts


def test_no_file_that_is_made_names_a_host_or_a_place():
    assert not FOREIGN.search(PINNED.read_text(encoding="utf-8"))
