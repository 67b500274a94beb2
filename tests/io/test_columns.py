"""Columns told by their names: headers of real files, and made-up ones."""

import itertools
import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from linkprior.io.readers.columns import pair_of_columns, plain


@pytest.mark.parametrize(
    ("header", "ends"),
    [
        # as found in the wild: HuRI, BioGRID, STRING, SNAP, Gephi, musae, pandas with an index …
        ("Ensembl_gene_id_a\tEnsembl_gene_id_b\tin_screen_1\tin_screen_2", (0, 1)),
        ("biogrid_id_a\tbiogrid_id_b\tentrez_a\tentrez_b", (0, 1)),
        ("protein1\tprotein2\tcombined_score", (0, 1)),
        ("FromNodeId\tToNodeId", (0, 1)),
        ("Source\tTarget\tType\tId\tLabel\tWeight", (0, 1)),
        ("id_1\tid_2", (0, 1)),
        ("node_1\tnode_2", (0, 1)),
        ("\tsource\ttarget\tweight", (1, 2)),
        ("id\tsource\ttarget", (1, 2)),
        ("interaction id\tInteractor A\tInteractor B", (1, 2)),
        ("Official Symbol Interactor A\tOfficial Symbol Interactor B", (0, 1)),
        ("source_id\tsource_name\ttarget_id\ttarget_name", (0, 2)),
        ("score\tTF\tTarget gene", (1, 2)),
        ("pmid\tbait symbol\tprey symbol", (1, 2)),
        ("from\tto\tweight", (0, 1)),
        ("node_from\tnode_to", (0, 1)),
        ("u\tv", (0, 1)),
        ("row\tcol\tvalue", (0, 1)),
        ("regulator\tregulation\ttarget", (0, 2)),
        ("geneA_symbol\tgeneB_symbol", (0, 1)),
        ("GENE A\tGENE B", (0, 1)),
        ("kinase_a\tx\tkinase_b", (0, 2)),
        ("weight\tnode2\tnode1", (1, 2)),
        # what is in pairs but no name of an end comes last, or never
        ("taxid_a\ttaxid_b\tgene_a\tgene_b", (2, 3)),
        ("species_1\tspecies_2\tcount", (0, 1)),
        ("score_1\tscore_2\tprot_1\tprot_2", (2, 3)),
        ("name\tscore_1\tscore_2", None),
        # what does not tell
        ("gene\tscore", None),
        ("ID\tName", None),
        ("A\tB", None),
        ("source\tsource", None),
        ("source_id\ttarget_name", None),
        ("gene_a\tprotein_b", None),
        ("", None),
    ],
)
def test_the_ends_are_told_by_name(header, ends):
    assert pair_of_columns(header.split("\t")) == ends


def test_a_pair_in_either_order_and_among_others():
    words = ["weight", "year", "pmid"]
    for pair in (("source", "target"), ("gene_a", "gene_b"), ("node1", "node2"), ("id_1", "id_2")):
        for names in itertools.permutations([*words, *pair]):
            found = sorted(names.index(word) for word in pair)
            assert pair_of_columns(names) == tuple(found)


STEMS = st.text(string.ascii_lowercase, min_size=1, max_size=8).map("q".__add__)
MARKS = st.sampled_from([("a", "b"), ("1", "2"), ("A", "B"), ("i", "j")])


@given(stem=STEMS, marks=MARKS, joint=st.sampled_from("_ .-"))
def test_any_word_with_a_mark_set_off_makes_a_pair(stem, marks, joint):
    names = [f"{stem}{joint}{mark}" for mark in marks]
    assert pair_of_columns(["x", *names, "weight"]) == (1, 2)


@given(
    names=st.lists(st.text(max_size=12), min_size=2, max_size=8),
    pair=st.sampled_from([("source", "target"), ("protein1", "protein2"), ("x_a", "x_b")]),
)
def test_random_headers_give_a_pair_in_order_or_none(names, pair):
    found = pair_of_columns(names)
    assert found is None or 0 <= found[0] < found[1] < len(names)
    assert pair_of_columns([*names, *pair]) is not None


@given(st.text(max_size=20))
def test_a_plain_name_has_neither_case_nor_punctuation(name):
    word = plain(name)
    assert plain(word) == word
    assert all(letter.isalnum() for letter in word)


def test_a_header_of_very_many_or_very_long_names_is_quick_and_no_pair():
    assert pair_of_columns([f"sample_{i}" for i in range(3, 200_000)]) is None
    assert pair_of_columns(["geneid" * 50_000 + "1", "geneid" * 50_000 + "2"]) is None
    assert pair_of_columns(["geneid" * 9 + "q"] * 500) is None
