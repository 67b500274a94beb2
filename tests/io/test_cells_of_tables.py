"""Interaction tables cell by cell: which column holds what, and which types are physical."""

import io

import pytest
from tests.io.databases import MOUSE_CELL, PHYSICAL, biogrid, mitab_row, reading

from linkprior.errors import InputError
from linkprior.io.collector import EdgeCollector
from linkprior.io.formats import ReadOptions
from linkprior.io.readers.mitab import is_physical, read_mitab
from linkprior.io.source import Source


def row(a="u:1", b="u:2", width=42, **cells):
    """Return a row of MITAB that says nothing but what it is given, columns counted from 1."""
    empty = dict.fromkeys(("c7", "c10", "c11", "c12", "c36"), "-")
    return mitab_row(a, b, width, **(empty | cells))


def collected(*rows, **options):
    content = "\n".join(rows).encode() + b"\n"
    found = EdgeCollector("m.txt")
    source = Source("m.txt", io.BytesIO(content), content, None, _tap=None)
    return found, read_mitab(source, found, ReadOptions(**options))


# ---------------------------------------------------------------------- columns of PSI-MITAB


def columns_that_count(column, cell, counted, **options):
    """Return the columns, of this one and those beside it, in which a cell makes a difference."""
    beside = (column - 1, column, column + 1)
    return [at for at in beside if counted(collected(row(**{f"c{at}": cell}), **options)[0])]


def test_the_type_is_in_column_12_and_the_confidence_in_column_15():
    def kept(found):
        return found.rows == 1

    assert columns_that_count(12, PHYSICAL, kept, physical_only=True) == [12]
    assert columns_that_count(15, "score:0.9", kept, min_score=0.5) == [15]


def test_the_expansion_is_in_column_16_and_what_was_not_found_in_column_36():
    assert columns_that_count(16, "spoke expansion", lambda found: found.notes) == [16]
    assert columns_that_count(36, "true", lambda found: not found.rows) == [36]


def test_the_organism_of_the_first_end_is_in_column_10_alone():
    mouse = row("u:3", "u:4", c10=MOUSE_CELL, c11=MOUSE_CELL)
    for at in (9, 10, 11):
        found, _ = collected(
            mouse, row(**{"c11": MOUSE_CELL, f"c{at}": MOUSE_CELL}), organism="mouse"
        )
        assert found.rows == 1 + (at == 10), at


def test_names_of_the_two_ends_are_in_columns_3_to_6():
    """Columns 3 and 4 hold other identifiers of the ends, 5 and 6 their aliases."""
    cases = {
        "entrez gene/locuslink:Sym": {3: "1", 4: "2"},
        "db:Sym(gene name)": {5: "1", 6: "2"},
    }
    for cell, ends in cases.items():
        for at in range(3, 8):
            found, _ = collected(row(**{f"c{at}": cell}))
            assert found.labels == ({ends[at]: "Sym"} if at in ends else {}), (cell, at)


def test_a_version_has_the_number_of_columns_its_specification_gives_it():
    versions = {
        15: "2.5", 35: "2.5 with 20 more columns", 36: "2.6", 41: "2.6 with 5 more columns",
        42: "2.7", 45: "2.7 with 3 more columns", 46: "2.8",
    }  # fmt: skip
    told = {width: collected(row(width=width))[1] for width in versions}
    assert told == {n: f"PSI-MITAB {v}, nodes named by accession (u)" for n, v in versions.items()}


def test_of_rows_of_two_versions_in_one_block_the_first_is_told():
    wide, narrow = row(width=42), row("u:2", "u:3", width=36)
    assert collected(wide, narrow)[1].startswith("PSI-MITAB 2.7,")
    assert collected(narrow, wide)[1].startswith("PSI-MITAB 2.6,")


def test_rows_from_complexes_are_counted_upwards():
    rows = [row("u:1", f"u:{n}", c16="spoke expansion") for n in (2, 3)]
    found, _ = collected(*rows, row("u:2", "u:3"))
    assert [note.split(" from")[0] for note in found.notes] == ["2 rows were expanded"]


@pytest.mark.parametrize("ends", [("u:a\u200bb", "u:3"), ("u:3", "u:a\u200bb")])
def test_a_bad_name_in_a_negative_row_is_told_with_its_line(ends):
    rows = [row(), row("u:4", "u:5", c36="true"), row("u:2", "u:6"), row(*ends, c36="true")]
    with pytest.raises(InputError, match=r"^m\.txt:4: the node name .* holds .* U\+200B"):
        collected(*rows)


# ---------------------------------------------------------------------- physical interactions

# PSI-MI below MI:0914, by branch; and two terms that were retired.
PHYSICAL_TYPES = {
    "association, physical association, direct interaction": {914, 915, 407},
    "covalent binding and its kinds, self interactions": {195, 408, 556, 1126, 1127},
    "enzymatic reactions that add a group": {
        192, 193, 206, 207, 209, 210, 211, 213, 214, 216, 217, 220, 557, 559, 566, 567, 971, 1027,
        1139, 1143, 1148, 1230, 2263, 2272, 2273,
    },
    "enzymatic reactions that cleave or take a group away": {
        194, 197, 198, 199, 200, 201, 202, 203, 204, 212, 558, 568, 569, 570, 571, 572, 871, 902,
        910, 985, 1140, 1310, 1355, 2280,
    },
    "enzymatic reactions of all and of other kinds": {
        414, 701, 844, 881, 882, 883, 945, 986, 987, 1146, 1237, 1250, 1251, 1327, 2252, 2356,
    },
    "aggregation and physical interaction, retired": {191, 218},
}  # fmt: skip


def test_a_number_is_that_of_a_physical_type_and_the_next_one_is_not_unless_listed():
    physical = set.union(*PHYSICAL_TYPES.values())
    looked_at = {number + step for number in physical for step in (-1, 0, 1)}
    assert {n for n in looked_at if is_physical(f"psi-mi:MI:{n:04}")} == physical


# ---------------------------------------------------------------------- BioGRID


def test_a_bait_with_many_preys_makes_no_row_of_biogrid_directed(tmp_path):
    """Rows that an edge list would be called directed for: three hubs on one side."""
    pairs = [(hub, 100 * (hub + 1) + k) for hub in range(3) for k in range(12)] + [(0, 1), (1, 2)]
    edge_list = reading(tmp_path, "".join(f"n{a}\tn{b}\n" for a, b in pairs), "e.tsv")
    assert "looks directed" in " ".join(edge_list.report.looks)
    genes = {n: (str(n), str(n), f"g{n}", "9606") for pair in pairs for n in pair}
    rows = [(genes[a], genes[b], "FRET", "physical", "-") for a, b in pairs]
    table = reading(tmp_path, biogrid(rows), "b.txt")
    assert table.network.n_edges == len(pairs)
    assert "looks directed" not in " ".join(table.report.looks)
