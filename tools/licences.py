"""Licences of all dependencies, from their own metadata; unknown and strong ones are refused.

python -m tools.licences
"""

from __future__ import annotations

import importlib.metadata as md
import re
import sys
from typing import Any

from tools.project import declared, installed, missing, requirements

PERMISSIVE = {
    *("MIT", "MIT-0", "MIT-CMU", "BSD", "BSD-2-Clause", "BSD-3-Clause", "0BSD", "ISC", "Zlib"),
    *("Apache-2.0", "PSF-2.0", "Python-2.0", "HPND", "CC0-1.0", "Unlicense", "BSL-1.0"),
    "Apache-2.0 WITH LLVM-exception",
}
# Asks for the source of changed files of that package only; we change and ship none.
WEAK = {"MPL-2.0"}
# Packages that are allowed whatever their licence: name → why.
EXCEPTIONS = {
    "atheris": "Apache-2.0 by its LICENSE file, metadata silent; extras test and fuzz alone",
    "gensim": "LGPL-2.1, extra bench alone: a peer to measure against, never imported otherwise",
    "igraph": "GPL, extra test alone: graphs that users may hand us; never imported by itself",
}
# How metadata without an SPDX expression spells a licence.
_SPELLINGS = {
    r"mit( license)?|the mit license.*": "MIT",
    r"(new |modified )?bsd( license)?": "BSD",
    r"bsd[ -]3[ -]clause.*": "BSD-3-Clause",
    r"bsd[ -]2[ -]clause.*": "BSD-2-Clause",
    r"apache( software license|[ -]2(\.0)?| license,? version 2\.0)?": "Apache-2.0",
    r"python software foundation license|psf.*": "PSF-2.0",
    r"mozilla public license 2\.0.*": "MPL-2.0",
    r"isc license.*": "ISC",
}


def licence_of(distribution: md.Distribution) -> str:
    """Return a package's licence as an SPDX expression as far as its metadata tell, else ''."""
    facts: Any = distribution.metadata
    if facts.get("License-Expression"):
        return str(facts["License-Expression"])
    classifiers = facts.get_all("Classifier") or []
    told = [c.rpartition(" :: ")[2] for c in classifiers if c.startswith("License :: OSI")]
    text = str(facts.get("License") or "").strip()
    if text and "\n" not in text and len(text) < 80:
        told.insert(0, text)  # it is more precise: the classifier says BSD
    return next((name for name in map(_spdx, told) if name), told[0] if told else "")


def _spdx(text: str) -> str:
    if set(_terms(text)) <= PERMISSIVE | WEAK:
        return text
    for pattern, name in _SPELLINGS.items():
        if re.fullmatch(pattern, text.strip().lower()):
            return name
    return ""


def _terms(expression: str) -> list[str]:
    """Return the licences that an expression names; `A OR B` needs only one, but both are asked."""
    return [term.strip() for term in re.split(r"\bAND\b|\bOR\b|[()]", expression) if term.strip()]


def verdict(name: str, licence: str) -> str:
    """Return 'permissive', 'weak', 'exception', or what is wrong."""
    if name in EXCEPTIONS:
        return "exception"
    terms = set(_terms(licence))
    if not terms:
        return "UNKNOWN"
    if terms <= PERMISSIVE:
        return "permissive"
    return "weak" if terms <= PERMISSIVE | WEAK else "REFUSED"


def table() -> list[tuple[str, str, str, str]]:
    rows, seen = [], set[str]()
    groups: dict[str, list[str]] = {"default": requirements()}
    groups |= declared()["optional-dependencies"]
    for group, wanted in groups.items():
        for name, distribution in installed(wanted).items():
            if name not in seen:
                licence = licence_of(distribution)
                rows.append((group, name, licence, verdict(name, licence)))
        seen |= {row[1] for row in rows}
    return rows


def main() -> int:
    rows = table()
    for group, name, licence, judged in rows:
        print(f"{group:8} {name:28} {judged:11} {licence}")
    wanted = [text for extra in declared()["optional-dependencies"].values() for text in extra]
    for text in sorted(set(missing([*requirements(), *wanted]))):
        print(f"not installed here, so not looked at: {text}", file=sys.stderr)
    bad = [name for _, name, _, judged in rows if judged.isupper()]
    if bad:
        print(f"unknown or refused: {', '.join(bad)}; see tools/licences.py", file=sys.stderr)
    return int(bool(bad))


if __name__ == "__main__":
    sys.exit(main())
