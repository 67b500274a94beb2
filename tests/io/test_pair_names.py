"""Names of columns that belong together, at both sides of each rule."""

import pytest

from linkprior.io.readers.columns import _both_ways, pair_of_columns, plain


@pytest.mark.parametrize(
    ("names", "ends"),
    [
        # partners, whatever stands before or after both
        ("source target", (0, 1)),
        ("target source", (0, 1)),
        ("Source-ID TARGET_id", (0, 1)),
        ("id_source id_target", (0, 1)),
        ("source_name target_id source_id", (1, 2)),
        ("gene_source source target gene_target", (1, 2)),  # the first pair that is whole
        ("source source target", (0, 2)),
        ("source target source target", (0, 1)),
        ("sourceid idtarget", None),
        ("source target_id", None),
        ("source id_target", None),
        # partners come before marks
        ("gene_a gene_b source target", (2, 3)),
        # marks
        ("gene_b gene_a", (0, 1)),
        ("gene1 gene2", (0, 1)),
        ("gene0 gene1", (0, 1)),
        ("gene_a_id gene_b_id", (0, 1)),
        ("gene_a_id gene_b", None),
        ("gene_a_id gene_b_name gene_b_id", (0, 2)),
        ("gene_a gene_a gene_b", (0, 2)),
        ("gene_a gene_2", None),
        ("gene_a protein_b", None),
        ("gene_id_a protein_id_b", None),
        ("odda oddb", None),  # not set off, and no word that is known
        ("odd_a odd_b", (0, 1)),
        ("odd_a even_b", None),
        # names that fit ends better come first
        ("odd_a odd_b gene1 gene2", (2, 3)),
        ("odd_a odd_b gene_a gene_b", (2, 3)),
        ("taxon_a taxon_b odd_a odd_b", (2, 3)),
        ("taxon_a taxon_b gene_a gene_b", (2, 3)),
        ("odd_a odd_b taxon_a taxon_b", (0, 1)),
        ("odd_a odd_b even_a even_b", (0, 1)),
        ("gene_a gene_b protein_a protein_b", (0, 1)),
        ("taxon_a taxon_b", (0, 1)),
        # what tells something about the ends is never one
        ("score_a score_b", None),
        ("gene_score_a gene_score_b", None),
        ("gene_type_1 gene_type_2", None),
    ],
)
def test_the_columns_of_the_ends_are_told_by_their_names(names, ends):
    assert pair_of_columns(names.split()) == ends


def test_spaces_around_a_name_and_capitals_do_not_matter():
    assert pair_of_columns([" Gene A ", "gene a b", "GENE B"]) == (0, 2)
    assert pair_of_columns(["x", " Odd.A", "odd.b "]) == (1, 2)


def test_a_plain_name_is_letters_and_digits_in_lower_case():
    assert plain(' "Official-Symbol_A" ') == "officialsymbola"
    assert plain("Größe 2") == "größe2"


def test_partners_are_known_in_either_order():
    known = _both_ways([("tf", "gene"), ("tf", "target")])
    assert known == {"tf": ["gene", "target"], "gene": ["tf"], "target": ["tf"]}
