"""The default dependencies pinned, with the SHA-256 of every wheel that may be installed.

python -m tools.requirements FILE

pip resolves (`--dry-run --report`, nothing is installed), so the file can be used with `pip install
--require-hashes -r FILE`. It names no index and no host: those are the user's choice. Versions are
those that the oldest Python here resolves to; hashes are of wheels for every Python and platform
below. Windows is left out, as pip tells its extra dependencies only on Windows.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tools.project import canonical, requirements

PYTHONS = ("3.11", "3.12", "3.13")
_GLIBC = ("2_28", "2_27", "2_26", "2_24", "2_17", "2_12", "2_5")
PLATFORMS = {
    "Linux x86_64": [f"manylinux_{v}_x86_64" for v in _GLIBC] + ["manylinux2014_x86_64"],
    "Linux aarch64": [f"manylinux_{v}_aarch64" for v in _GLIBC] + ["manylinux2014_aarch64"],
    "macOS arm64": ["macosx_14_0_arm64"],
}
HEAD = f"""\
# Made by `make requirements`: what `pip install linkprior` takes, with the hashes of its wheels.
# pip install --require-hashes -r requirements/default.txt && pip install --no-deps linkprior
# Python {", ".join(PYTHONS)}; {", ".join(PLATFORMS)}.
"""


def resolved(wanted: Sequence[str], python: str, platforms: Sequence[str]) -> list[dict[str, Any]]:
    """Return what pip would install for a Python and platform, as its report has it."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        command = [sys.executable, "-m", "pip", "install", "--quiet", "--dry-run"]
        command += ["--ignore-installed", "--disable-pip-version-check", "--only-binary", ":all:"]
        command += ["--target", folder, "--python-version", python, "--implementation", "cp"]
        command += [part for platform in platforms for part in ("--platform", platform)]
        subprocess.run([*command, "--report", str(report), *wanted], check=True)
        return list(json.loads(report.read_text(encoding="utf-8"))["install"])


def pins_and_hashes() -> dict[str, set[str]]:
    def pin(entry: dict[str, Any]) -> str:
        return f"{canonical(entry['metadata']['name'])}=={entry['metadata']['version']}"

    pins = sorted(map(pin, resolved(requirements(), PYTHONS[0], PLATFORMS["Linux x86_64"])))
    found = defaultdict[str, set[str]](set)
    for python in PYTHONS:
        for name, platforms in PLATFORMS.items():
            print(f"Python {python}, {name}", file=sys.stderr)
            for entry in resolved(pins, python, platforms):
                digest = entry["download_info"]["archive_info"]["hashes"]["sha256"]
                found[pin(entry)].add(digest)
    return found


def main() -> None:
    target = Path(sys.argv[1])
    lines = (
        " \\\n    ".join([pin, *(f"--hash=sha256:{digest}" for digest in sorted(digests))])
        for pin, digests in sorted(pins_and_hashes().items())
    )
    text = HEAD + "\n".join(lines) + "\n"
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(text, encoding="utf-8")
    print(f"{target}: {text.count('==')} packages, {text.count('--hash=')} hashes")


if __name__ == "__main__":
    main()
