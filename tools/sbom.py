"""A bill of materials (CycloneDX 1.6, JSON) of the default install as it is here.

python -m tools.sbom FILE

Same packages, same bytes: no time, no machine, and a serial number made of the content.
"""

from __future__ import annotations

import hashlib
import importlib.metadata as md
import json
import sys
import uuid
from pathlib import Path
from typing import Any

from tools.licences import licence_of
from tools.project import NAME, canonical, declared, installed, missing, needs, requirements

_SPACE = uuid.uuid5(uuid.NAMESPACE_URL, "https://cyclonedx.org/schema/bom-1.6")


def bill() -> dict[str, Any]:
    """Return the bill of materials; refuse to write one with a hole."""
    wanted = requirements()
    if missing(wanted):
        raise SystemExit(f"not installed: {', '.join(missing(wanted))}; run `make sbom`")
    packages = installed(wanted)
    version = md.version(NAME)
    own: dict[str, Any] = {"type": "application", "bom-ref": _address(NAME, version), "name": NAME}
    own |= {"version": version, "purl": _address(NAME, version)}
    own |= {"licenses": [{"license": {"id": declared()["license"]}}]}
    content = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {"component": own},
        "components": [_component(name, one) for name, one in packages.items()],
        "dependencies": [
            {"ref": own["bom-ref"], "dependsOn": _references(requirements_of_us(), packages)},
            *(
                {
                    "ref": _address(name, one.version),
                    "dependsOn": _references({canonical(r.name) for r in needs(one)}, packages),
                }
                for name, one in packages.items()
            ),
        ],
    }
    digest = hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()
    return {**content, "serialNumber": f"urn:uuid:{uuid.uuid5(_SPACE, digest)}"}


def requirements_of_us() -> set[str]:
    """Return the names of the default dependencies."""
    return {canonical(text.partition(">")[0]) for text in requirements()}


def _component(name: str, one: md.Distribution) -> dict[str, Any]:
    address, licence = _address(name, one.version), licence_of(one)
    facts = {"type": "library", "bom-ref": address, "name": name, "version": one.version}
    licences: list[dict[str, Any]]
    if "License-Expression" in one.metadata:
        licences = [{"expression": licence}]
    else:
        licences = [{"license": {"name": licence or "unknown"}}]
    return {**facts, "purl": address, "licenses": licences}


def _references(names: set[str], packages: dict[str, md.Distribution]) -> list[str]:
    return [_address(name, packages[name].version) for name in sorted(names) if name in packages]


def _address(name: str, version: str) -> str:
    return f"pkg:pypi/{canonical(name)}@{version.replace('+', '%2B')}"


def main() -> None:
    """Write the bill of materials to the file named."""
    target = Path(sys.argv[1])
    target.parent.mkdir(parents=True, exist_ok=True)
    found = bill()
    target.write_text(json.dumps(found, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    print(f"{target}: {len(found['components'])} packages")


if __name__ == "__main__":
    main()
