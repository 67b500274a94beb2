"""Helpers: files of every format, written, read and compared."""

import io
import zipfile

import numpy as np
import pytest

from linkprior.errors import InputError
from linkprior.io.formats import ReadOptions
from linkprior.io.read import read


def zipped(members, method=zipfile.ZIP_DEFLATED):
    """Return a zip of some members, name → content."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", method) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return stream.getvalue()


def written(tmp_path, name, content):
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def reading(tmp_path, name, content, **options):
    return read(written(tmp_path, name, content), **options)


def problem(tmp_path, name, content, **options):
    with pytest.raises(InputError) as caught:
        reading(tmp_path, name, content, **options)
    assert "\n" not in str(caught.value)
    return str(caught.value).replace(str(tmp_path) + "/", "")


def pairs(network):
    names = network.names
    return {frozenset((names[i], names[j])) for i, j in network.edges.tolist()}


def expected_pairs(graph, name_of=str):
    return {frozenset((name_of(a), name_of(b))) for a, b in graph.edges() if a != b}


def dropped(found):
    return {entry["reason"]: entry["count"] for entry in found.report.dropped}


def same(found, graph, name_of=str):
    """Tell whether all nodes and edges of a networkx graph were read, in its order of nodes."""
    return list(found.network.names) == [name_of(v) for v in graph] and (
        pairs(found.network) == expected_pairs(graph, name_of)
    )


def read_text(folder, content, name="input.txt", format=None, **options):
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return read(path, format, options=ReadOptions(**options))


def edges(result):
    return pairs(result.network)


def links(*words):
    return {frozenset(word.split("-")) for word in words}


def weights_of(network):
    """Return the weight of every edge by its names, looked up in the matrix, not in the order."""
    names, dense = network.names, network.confidence.toarray()
    np.testing.assert_array_equal(dense, dense.T)
    edges = network.edges.tolist()
    return {"-".join(sorted((names[i], names[j]))): dense[i, j] for i, j in edges}


def left_out(result):
    return {entry["reason"]: entry["first_lines"] for entry in result.report.dropped}


BOTH = ("Interactor A", "Interactor B")


def each(name):
    return [f"{name} {side}" for side in BOTH]


GENES = [
    "#BioGRID Interaction ID",
    *(column for name in ("Entrez Gene", "BioGRID ID", "Systematic Name") for column in each(name)),
    *(*each("Official Symbol"), *each("Synonyms")),
]
SYSTEM = ["Experimental System", "Experimental System Type", "Author"]
TAB2 = [
    *(*GENES, *SYSTEM, "Pubmed ID", *each("Organism"), "Throughput", "Score", "Modification"),
    *("Phenotypes", "Qualifications", "Tags", "Source Database"),
]
TAB3 = [
    *(*GENES, *SYSTEM, "Publication Source", *each("Organism ID"), "Throughput", "Score"),
    *("Modification", "Qualifications", "Tags", "Source Database"),
    *(f"{name} Accessions {side}" for side in BOTH for name in ("SWISS-PROT", "TREMBL", "REFSEQ")),
    *(f"Ontology Term {what}" for what in ("IDs", "Names", "Categories")),
    *(f"Ontology Term {what}" for what in ("Qualifier IDs", "Qualifier Names", "Types")),
    *each("Organism Name"),
]
RAT, HUMAN, MOUSE = ("10116", "9606", "10090")
# Entrez gene, BioGRID id, symbol, organism.
G10, G20 = ("10", "110", "Abc1", RAT), ("20", "120", "Bcd2", RAT)
G30, G40 = ("30", "130", "ABC1", HUMAN), ("40", "140", "Bcd2", HUMAN)
G50, G60 = ("50", "150", "Efg5", RAT), ("60", "160", "-", MOUSE)
NO_ENTREZ = ("-", "105", "orf9b", RAT)
ROWS = [
    (G10, G20, "Two-hybrid", "physical", "-"),  # line 2
    (G20, G10, "FRET", "physical", "0.25"),
    (G10, G30, "Affinity Capture-MS", "physical", "0.9"),
    (G30, G40, "Synthetic Lethality", "genetic", "1.5"),
    (NO_ENTREZ, G50, "Two-hybrid", "physical", "-"),  # line 6
    (G40, G40, "Two-hybrid", "physical", "-"),
    (G50, G60, "Two-hybrid", "physical", "n.a."),
]


def biogrid(rows=ROWS, header=TAB2, names=None):
    id_word = "Organism ID" if "Organism ID Interactor A" in header else "Organism"
    lines = ["\t".join(header)]
    for number, (a, b, system, kind, score) in enumerate(rows, 1):
        cells = dict.fromkeys(header, "-")
        cells |= {"#BioGRID Interaction ID": str(number), "Experimental System": system}
        cells |= {"Experimental System Type": kind, "Score": score, "Source Database": "BioGRID"}
        if "Qualifications" in cells:
            cells["Qualifications"] = "the \"short form, see's Figure 2"
        for side, gene in zip(BOTH, (a, b), strict=True):
            values = zip(
                ("Entrez Gene", "BioGRID ID", "Official Symbol", id_word), gene, strict=True
            )
            cells |= {f"{name} {side}": value for name, value in values}
            if names:
                cells[f"Organism Name {side}"] = names[gene[3]]
        lines.append("\t".join(cells[name] for name in header))
    return "\n".join(lines) + "\n"


HUMAN_CELL = "taxid:9606(human)|taxid:9606(Homo sapiens)"
MOUSE_CELL = 'taxid:10090(mouse)|taxid:10090("Mus musculus")'
PHYSICAL = 'psi-mi:"MI:0915"(physical association)'
Y2H, PULL_DOWN = 'psi-mi:"MI:0018"(two hybrid)', 'psi-mi:"MI:0096"(pull down)'
MITAB_HEADER = "#ID(s) interactor A\tID(s) interactor B" + "".join(
    f"\tcolumn {number}" for number in range(3, 43)
)


def mitab_row(a, b, width=42, **cells):
    """A row; cells by column number as c7='…', the rest as IntAct would leave it."""
    row = ["-"] * width
    defaults = {1: a, 2: b, 7: Y2H, 10: HUMAN_CELL, 11: HUMAN_CELL, 12: PHYSICAL, 36: "false"}
    for number, value in {**defaults, **{int(k[1:]): v for k, v in cells.items()}}.items():
        if number <= width:
            row[number - 1] = value
    return "\t".join(row)


ALIASES = "psi-mi:p53_human(display_long)|uniprotkb:TP53(gene name)|psi-mi:P53(display_short)"
MITAB = [
    MITAB_HEADER,
    mitab_row(
        "uniprotkb:P1",
        "uniprotkb:P2|intact:EBI-2",
        c5=ALIASES,
        c6='uniprotkb:"a|b (c)"(gene name synonym)|uniprotkb:MDM2(gene name)',
        c15="author score:D|intact-miscore:0.56",
    ),  # line 2
    mitab_row("uniprotkb:P2", "uniprotkb:P1", c7=PULL_DOWN, c15="intact-miscore:0.40"),
    mitab_row(
        "uniprotkb:P1-2", 'chebi:"CHEBI:15422"(ATP)', c12='psi-mi:"MI:0217"(phosph. reaction)'
    ),
    mitab_row("uniprotkb:P2", "intact:EBI-9", c11=MOUSE_CELL, c15="-", c7=f"{PULL_DOWN}|{Y2H}"),
    mitab_row("uniprotkb:P3", "-"),  # line 6
    mitab_row("uniprotkb:P3", "uniprotkb:P1", c36="true"),
    mitab_row(
        "uniprotkb:P3", "uniprotkb:P4", c12='psi-mi:"MI:0403"(colocalization)', c15="score:2"
    ),
    mitab_row(
        "uniprotkb:P4",
        "uniprotkb:P5",
        c12='psi-mi:"MI:0794"(synthetic genetic interaction)',
        c16='psi-mi:"MI:1060"(spoke expansion)',
        c15="score:-0.5",
    ),
]
MITAB_TEXT = "\n".join(MITAB) + "\n"


LINKS = [("P1", "P2", 150), ("P1", "P3.1", 700), ("P2", "P3.1", 999), ("P2", "P4", 400)]
STRING = "protein1 protein2 combined_score\n" + "".join(
    f"9606.{a} 9606.{b} {score}\n9606.{b} 9606.{a} {score}\n" for a, b, score in LINKS
)
