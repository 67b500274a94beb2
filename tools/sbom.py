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
    needed = {(NAME, version): {canonical(text.partition(">")[0]) for text in wanted}}
    for name, one in packages.items():
        needed[name, one.version] = {canonical(each.name) for each in needs(one)}

    def address(name: str, version: str) -> str:
        return f"pkg:pypi/{canonical(name)}@{version.replace('+', '%2B')}"

    def component(kind: str, name: str, version: str, licence: dict[str, Any]) -> dict[str, Any]:
        facts = {"type": kind, "bom-ref": address(name, version), "name": name, "version": version}
        return {**facts, "purl": address(name, version), "licenses": [licence]}

    libraries = []
    for name, one in packages.items():
        licence: dict[str, Any] = {"expression": licence_of(one)}
        if "License-Expression" not in one.metadata:
            licence = {"license": {"name": licence_of(one) or "unknown"}}
        libraries.append(component("library", name, one.version, licence))
    own = component("application", NAME, version, {"license": {"id": declared()["license"]}})
    content = {
        **{"bomFormat": "CycloneDX", "specVersion": "1.6", "version": 1},
        **{"metadata": {"component": own}, "components": libraries},
        "dependencies": [
            {
                "ref": address(*package),
                "dependsOn": [address(n, packages[n].version) for n in sorted(names & {*packages})],
            }
            for package, names in needed.items()
        ],
    }
    digest = hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()
    return {**content, "serialNumber": f"urn:uuid:{uuid.uuid5(_SPACE, digest)}"}


def main() -> None:
    target = Path(sys.argv[1])
    target.parent.mkdir(parents=True, exist_ok=True)
    found = bill()
    target.write_text(json.dumps(found, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    print(f"{target}: {len(found['components'])} packages")


if __name__ == "__main__":
    main()
