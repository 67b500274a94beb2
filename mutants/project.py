"""What is mutated, what is not and why, and which tests may notice."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
IO = "collector formats node_lists read source unpack"
JUDGE = "metrics protocols split_files splits standing statistics"

AREAS = {  # patterns under src/linkprior
    "kernels": ("kernels/*.py",),
    "priors": ("model/*.py",),
    "solvers": ("solvers/*.py",),
    "splits and metrics": tuple(f"evaluation/{name}.py" for name in JUDGE.split()),
    "readers": ("io/readers/*.py", *(f"io/{name}.py" for name in IO.split())),
}
OUT_OF_SCOPE = {  # what a pattern above would take in
    "kernels/numba_jit.py": "decides how numba compiles, and nothing compiles here",
    "kernels/device.py": "for a GPU: tests/devices holds it against the CPU",
    "solvers/device_admm.py": "for a GPU: tests/devices holds it against the CPU",
    "solvers/device_direct.py": "for a GPU: tests/devices holds it against the CPU",
}
FOLDERS = "io evaluation paper solvers kernels"
SINGLE = "completion known network network_weights ranking"
PREDICTORS = "blocks nearby path_peers spectral"  # through them alone some solvers and kernels run


@dataclass(frozen=True)
class Project:
    """A source tree, the tests that may notice, and the folder for what is kept of them."""

    root: Path
    package: str
    areas: dict[str, tuple[str, ...]]
    left_out: frozenset[str]
    tests: tuple[str, ...]
    worker: int = 0  # which of several processes this is
    workers: int = 1

    @property
    def source(self) -> Path:
        return self.root / "src" / self.package

    @property
    def place(self) -> Path:
        return self.root / ".mutants"

    @property
    def temporary(self) -> Path:
        """The folder that tests write to; pytest empties it when it starts."""
        return self.place / f"tmp{self.worker}"

    def is_mine(self, name: str) -> bool:
        """Whether a test or a mutant of this name falls to this process."""
        return zlib.crc32(name.encode()) % self.workers == self.worker

    def files(self) -> Iterator[tuple[str, Path]]:
        """Yield area and path of every file in scope, in a fixed order."""
        for area, patterns in self.areas.items():
            found = sorted(path for pattern in patterns for path in self.source.glob(pattern))
            for path in found:
                if self.name(path) not in self.left_out and path.stat().st_size:
                    yield area, path

    def name(self, path: Path) -> str:
        """Return a file's name below the package: model/priors.py."""
        return path.relative_to(self.source).as_posix()

    def module(self, name: str) -> str:
        """Return the name a file is imported by."""
        parts = [self.package, *name.removesuffix(".py").split("/")]
        return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def linkprior_project() -> Project:
    """Return what `make mutants` works on."""
    folders = tuple(f"tests/{name}" for name in FOLDERS.split())
    single = tuple(f"tests/test_{name}.py" for name in SINGLE.split())
    models = tuple(f"tests/predictors/test_{name}.py" for name in PREDICTORS.split())
    tests = (*folders, *single, *models)
    return Project(ROOT, "linkprior", AREAS, frozenset(OUT_OF_SCOPE), tests)
