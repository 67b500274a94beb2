"""Cells of PSI-MITAB at the edge of their rules, and which interaction types are physical."""

import pytest

from linkprior.io.readers.mitab import (
    Field,
    accession,
    fields_of,
    is_physical,
    label_of,
    score_of,
    scored_as,
    symbol_of,
)


@pytest.mark.parametrize(
    ("cell", "fields"),
    [
        ('a:"b|c"|d:e', [Field("a", "b|c", ""), Field("d", "e", "")]),
        (r'a:"b\"c"', [Field("a", 'b"c', "")]),
        (r'a:"b\\c"(d)', [Field("a", r"b\c", "d")]),
        ('"a:b"', [Field("", "a:b", "")]),
        ('a:" b "(c)', [Field("a", "b", "c")]),
        ("a : b |c:d", [Field("a", "b", ""), Field("c", "d", "")]),
        ("a:b||c:d|", [Field("a", "b", ""), Field("c", "d", "")]),
        ("a:b:c", [Field("a", "b:c", "")]),
        ("MI:0018(two hybrid)", [Field("", "MI:0018", "two hybrid")]),
        ("MI:18(two hybrid)", [Field("MI", "18", "two hybrid")]),
        ("psi-mi:MI:0018(two hybrid)", [Field("psi-mi", "MI:0018", "two hybrid")]),
        ("a:b(c", [Field("a", "b(c", "")]),
        ("a:b(c)d", [Field("a", "b(c)d", "")]),
        ("a:(b)", [Field("a", "", "b")]),
        ("a:((b))", [Field("a", "", "(b)")]),
        ("a:b(c))", [Field("a", "b", "c)")]),
        ("a:b(c)(d(e))", [Field("a", "b(c)", "d(e)")]),
        ("a:b(c(d)))", [Field("a", "b", "c(d")]),
        (" - ", []),
        ("", []),
    ],
)
def test_a_cell_is_cut_at_its_bars_colons_and_brackets(cell, fields):
    assert fields_of(cell) == fields


@pytest.mark.parametrize(
    ("cell", "name"),
    [
        ("uniprotkb:P1|intact:EBI-2", "uniprotkb:P1"),
        ("P1|uniprotkb:P2", "P1"),
        ("uniprotkb:-|intact:EBI-2", ""),
        ("uniprotkb:", ""),
        ("-", ""),
        ("", ""),
    ],
)
def test_a_node_is_named_by_the_first_identifier_or_not_at_all(cell, name):
    assert accession(cell) == name


@pytest.mark.parametrize(
    ("cell", "label"),
    [
        ("db:long(display_long)|db:GENE(gene name)|db:SHORT(display_short)", "SHORT"),
        ("db:one(gene name)|db:two(gene name)", "one"),
        ("db:x(gene name synonym)|db:Y(gene symbol)", "Y"),
        ('db:""(display_short)|db:Y(gene name)', "Y"),
        ("db:x(orf name)", ""),
        ("db:x", ""),
        ("-", ""),
    ],
)
def test_a_node_is_shown_by_its_shortest_usual_alias(cell, label):
    assert label_of(cell) == label


@pytest.mark.parametrize(
    ("cell", "symbol"),
    [
        ("biogrid:1|entrez gene/locuslink:12|entrez gene/locuslink:ABC", "ABC"),
        ("entrez gene/locuslink:ABC|entrez gene/locuslink:OLD", "ABC"),
        ("entrez gene/locuslink:12", ""),
        ("uniprotkb:ABC", ""),
        ("-", ""),
    ],
)
def test_a_symbol_is_an_entrez_gene_that_is_no_number(cell, symbol):
    assert symbol_of(cell) == symbol


@pytest.mark.parametrize(
    ("cell", "asked", "score"),
    [
        ("author score:7|intact-miscore:0.8", " Intact-MIscore ", "0.8"),
        ("author score:7|intact-miscore:0.8", "SCORE", "0.8"),
        ("author score:7|rank:2", "confidence value(s)", "7.0"),
        ("author score:high|intact-miscore:0.8", "author score", "high"),
        ("Author Score:7|author score:8", "author score", "7"),
        ("author score:7", "intact-miscore", ""),
        ("author score:high", "score", ""),
        ("-", "score", ""),
        ("-", "intact-miscore", ""),
    ],
)
def test_a_score_is_found_by_its_name_capitals_aside(cell, asked, score):
    assert scored_as(cell, asked) == score


def test_the_first_mi_score_goes_before_every_other_number():
    assert score_of("rank:3|mint-miscore:0.1|intact-miscore:0.2") == 0.1
    assert score_of("intact-miscore:none|rank:3|rank:4") == 3.0


# Names and numbers as PSI-MI gives them. A name that does not end in "reaction" tells nothing here.
BELOW_ASSOCIATION = {
    "physical interaction (retired)": 218,
    "amidation reaction": 193,
    "deacetylation reaction": 197,
    "defarnesylation reaction": 198,
    "deformylation reaction": 199,
    "demyristoylation reaction": 201,
    "depalmitoylation reaction": 202,
    "dephosphorylation reaction": 203,
    "deubiquitination reaction": 204,
    "farnesylation reaction": 206,
    "formylation reaction": 207,
    "geranylgeranylation reaction": 209,
    "hydroxylation reaction": 210,
    "lipid addition": 211,
    "lipoprotein cleavage reaction": 212,
    "methylation reaction": 213,
    "myristoylation reaction": 214,
    "palmitoylation reaction": 216,
    "adp ribosylation reaction": 557,
    "deglycosylation reaction": 558,
    "glycosylation reaction": 559,
    "neddylation reaction": 567,
    "desumoylation reaction": 568,
    "deneddylation reaction": 569,
    "protein cleavage": 570,
    "mrna cleavage": 571,
    "dna cleavage": 572,
    "dna strand elongation": 701,
    "phosphotransfer reaction": 844,
    "demethylation reaction": 871,
    "nucleoside triphosphatase reaction": 881,
    "atpase reaction": 882,
    "gtpase reaction": 883,
    "rna cleavage": 902,
    "nucleic acid cleavage": 910,
    "deamination reaction": 985,
    "nucleic acid strand elongation reaction": 986,
    "rna strand elongation": 987,
    "diphtamidation reaction": 1027,
    "self interaction": 1126,
    "putative self interaction": 1127,
    "carboxylation reaction": 1139,
    "decarboxylation reaction": 1140,
    "aminoacylation reaction": 1143,
    "ampylation reaction": 1148,
    "uridylation reaction": 1230,
    "proline isomerization reaction": 1237,
    "isomerase reaction": 1250,
    "de-ADP-ribosylation reaction": 1310,
    "sulfurtransfer reaction": 1327,
    "guanine nucleotide exchange factor reaction": 2252,
    "s-nitrosylation": 2263,
    "tyrosinylation": 2272,
    "tyrosination": 2273,
    "deamidation reaction": 2280,
}


def test_every_type_below_association_is_physical_by_its_number_alone():
    missed = [name for name, n in BELOW_ASSOCIATION.items() if not is_physical(f"MI:{n:04}")]
    assert not missed


NOT_PHYSICAL = {
    "interaction type": 190,
    "disaggregation": 205,
    "genetic interaction": 208,
    "synthetic lethal": 219,
    "colocalization": 403,
    "demethylase assay": 870,
    "isomerase assay": 1249,
    "functional association": 2286,
}


def test_other_types_and_methods_are_not_physical():
    taken = [name for name, n in NOT_PHYSICAL.items() if is_physical(f"MI:{n:04}({name})")]
    assert not taken
