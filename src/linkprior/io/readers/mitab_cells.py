"""Cells of PSI-MITAB: fields ``database:value(text)`` joined by bars, values in quotes or not."""

from __future__ import annotations

import re
from typing import NamedTuple

from linkprior.io.readers.row_filter import number_of

# A quoted stretch may hold bars. Possessive repeats keep a line of quotes from being tried in every
# way; a cell whose quotes do not match is cut at every bar.
_PARTS = re.compile(r'(?:[^|"]++|"(?:[^"\\]++|\\.)*+")++')
_MATCHED = re.compile(r'(?:[^"]++|"(?:[^"\\]++|\\.)*+")*+')
_QUOTED = re.compile(r'([^"]*?):?"((?:[^"\\]++|\\.)*+)"(?:\((.*)\))?')
_MI = re.compile(r"MI:\d{4}")
_MISSING = ("", "-")

# MI:0914 association and all below it (PSI-MI 2.5.5): physical association 0915, direct interaction
# 0407, covalent and disulfide bonds, enzymatic reactions 0414; and two terms of old files that were
# retired since, 0218 physical interaction and 0191 aggregation. Not here: 0403 colocalization and
# 2364 proximity, which show two molecules near each other; genetic interactions (0208, 0254, 0794
# and others); 2286 functional association.
_PHYSICAL_NUMBERS = (
    914, 915, 407, 195, 408, 414, 191, 218, 192, 193, 194, 197, 198, 199, 200, 201, 202, 203,
    204, 206, 207, 209, 210, 211, 212, 213, 214, 216, 217, 220, 556, 557, 558, 559, 566, 567,
    568, 569, 570, 571, 572, 701, 844, 871, 881, 882, 883, 902, 910, 945, 971, 985, 986, 987,
    1027, 1126, 1127, 1139, 1140, 1143, 1146, 1148, 1230, 1237, 1250, 1251, 1310, 1327, 1355,
    2252, 2263, 2272, 2273, 2280, 2356,
)  # fmt: skip
_PHYSICAL = {f"MI:{number:04}" for number in _PHYSICAL_NUMBERS}
# What column 15 may be called as a whole.
_CONFIDENCE = {"score", "confidence", "confidence value", "confidence value(s)", "15"}
_SHOWN_AS = ("display_short", "gene name", "short", "gene symbol", "shortlabel")


class Field(NamedTuple):
    """One field: database, value, and the text in brackets behind it."""

    database: str
    value: str
    text: str


def fields_of(cell: str) -> list[Field]:
    """Return the fields of a cell; a lone ``-`` is none."""
    cell = cell.strip()
    if cell in _MISSING:
        return []
    quoted = '"' in cell and _MATCHED.fullmatch(cell)
    parts = _PARTS.findall(cell) if quoted else cell.split("|")
    return [_field(part.strip()) for part in parts if part.strip()]


def _field(part: str) -> Field:
    quoted = _QUOTED.fullmatch(part) if '"' in part else None
    if quoted:
        value = re.sub(r"\\(.)", r"\1", quoted[2])
        return Field(quoted[1].strip(), value.strip(), quoted[3] or "")
    database, colon, value = part.partition(":")
    # DIP writes MI:0018(two hybrid): there the colon belongs to the value.
    if not colon or (database == "MI" and _MI.match(part)):
        database, value = "", part
    text = ""
    if value.endswith(")") and "(" in value:
        value, _, text = value[:-1].partition("(") if value.count("(") == 1 else _nested(value)
    return Field(database.strip(), value.strip().strip('"'), text)


def _nested(value: str) -> tuple[str, str, str]:
    """Split off the last pair of outer brackets: ``a(b)(gene name)`` and ``a(b (c))``."""
    depth = 0
    for at in range(len(value) - 1, -1, -1):
        depth += (value[at] == ")") - (value[at] == "(")
        if depth == 0:
            return value[:at], "(", value[at + 1 : -1]
    return value.rstrip(")").partition("(")


def accession(cell: str) -> str:
    """Return ``database:accession`` of the first identifier, or nothing."""
    first = next(iter(fields_of(cell)), None)
    if first is None or first.value in _MISSING:
        return ""
    return f"{first.database}:{first.value}" if first.database else first.value


def label_of(cell: str) -> str:
    """Return the alias a person would show, or nothing."""
    if "(" not in cell:
        return ""
    aliases = {field.text: field.value for field in reversed(fields_of(cell))}
    return next((aliases[kind] for kind in _SHOWN_AS if aliases.get(kind)), "")


def symbol_of(cell: str) -> str:
    """Return the symbol BioGRID puts among the alternative identifiers, or nothing."""
    return next(
        (
            field.value
            for field in fields_of(cell)
            if field.database == "entrez gene/locuslink" and not field.value.isdecimal()
        ),
        "",
    )


def is_physical(cell: str) -> bool:
    """Tell whether any interaction type is physical; an enzymatic reaction by its name, too."""
    return any(
        field.value in _PHYSICAL or field.text.endswith(" reaction") for field in fields_of(cell)
    )


def score_of(cell: str) -> float | None:
    """Return the MI score among the confidence values, else the first number."""
    fields = fields_of(cell)
    scores = [(field.database, number_of(field.value)) for field in fields]
    known = [(name, score) for name, score in scores if score is not None]
    molecular = (score for name, score in known if "miscore" in name.lower())
    return next(molecular, known[0][1] if known else None)


def scored_as(cell: str, asked: str) -> str:
    """Return the score a cell has under a name (``intact-miscore``), as text, or nothing.

    Asked for a ``score`` without more, it is the one that `score_of` takes.
    """
    wanted = asked.strip().lower()
    if wanted in _CONFIDENCE:
        score = score_of(cell)
        return "" if score is None else repr(score)
    named = (field.value for field in fields_of(cell) if field.database.lower() == wanted)
    return next(named, "")
