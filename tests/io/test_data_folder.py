"""Every network of the data folder reads with no flag, with the counts of the folder's README."""

import gzip
import re

import pytest

from linkprior.io.read import read

DREAM5 = "dream5/DREAM5_NetworkInference"
COUNTS = {
    f"{DREAM5}_GoldStandard_Network1.tsv.gz": (1565, 3996),
    f"{DREAM5}_GoldStandard_Network3.tsv.gz": (1081, 2055),
    f"{DREAM5}_GoldStandard_Network2.txt": (472, 515),
    f"{DREAM5}_Edges_Network1.tsv": (1565, 3996),
    f"{DREAM5}_Edges_Network3.tsv": (1081, 2055),
    "dream5/net1_gold_standard_signed.tsv": (1565, 3996),
    "biogrid-plasmodium/plasmodium_biogrid_3.2.108_from_multiplex.tsv": (1200, 2424),
    "biogrid-rat/BIOGRID-ORGANISM-Rattus_norvegicus-3.2.120.tab2.txt": (3046, 4111),
    "biogrid-rat/rat-edges-first-id-from-3.2.120.tsv": (3046, 4111),
    "biogrid-rat/rattus_genetic_multiplex.edges": (2634, 3677),
    "biogrid-rat/sana-RNorvegicus-2013.el": (1657, 2330),
    "biogrid-rat/sana-RNorvegicus-3.4.164.el": (2391, 3554),
    "biogrid-rat/sana-RNorvegicus-3.5.174.el": (4156, 6571),
    "biogrid-rat/r_norvegicus.network-109-4.4.219.txt": (2810, 5339),
    "biogrid-rat/r_norvegicus.network-109-4.4.222.txt": (2811, 5343),
    "ppi-challenge2023/HuRI.csv.gz": (8245, 52068),
    "ppi-challenge2023/SyntheticPPI.csv": (8272, 52442),
    "ppi-challenge2023/Yeast.csv": (1966, 2705),
    "l3-2019/hi-ii-14.txt": (4224, 13350),
    "l3-2019/hi-iii.txt": (5579, 23000),
    "l3-2019/hi-tested.txt": (3658, 8988),
    "l3-2019/lit-bm-13.txt": (5385, 10155),
    "l3-2019/lit-nb-13.txt": (3251, 4388),
    "l3-2019/bioplex_2.txt": (10961, 56553),
    "l3-2019/biogrid_direct.txt": (12554, 64946),
    "l3-2019/biogrid_all.txt.gz": (15892, 185324),
    "huri/HuRI_SuppTable9.tsv.gz": (8248, 52088),
    "huri/HI-union_SuppTable11.tsv.gz": (9060, 63242),
    "biogrid-species/C.elegans.txt": (4835, 12124),
    "biogrid-species/D.Melanogaster.txt": (8372, 31944),
    "biogrid-species/S.cerevisiae.txt": (5358, 23618),
    "lp-classic/USAir.txt": (332, 2126),
    "lp-classic/Celegans.txt": (297, 2148),
    "lp-classic/Jazz.txt": (198, 2742),
    "lp-classic/PPI.txt": (2375, 11693),
    "lp-classic/Wikivote.txt": (7115, 100762),
    "large/CA-GrQc.txt": (5241, 14484),
    "large/CA-HepTh.txt": (9875, 25973),
    "large/CA-HepPh.txt.gz": (12006, 118489),
    "large/astro-ph.graph.gz": (16046, 121251),
    "large/PP-Pathways_ppi.csv.gz": (21538, 338636),
    "large/Email-Enron.txt.gz": (36692, 183831),
    "large/musae-github_edges.csv.gz": (37700, 289003),
    "large/prone-dblp.ungraph.gz": (51264, 127968),
}
# Files of two columns of names and no header, for a count by other means.
PLAIN = [
    "l3-2019/hi-ii-14.txt",
    "l3-2019/lit-nb-13.txt",
    "large/CA-GrQc.txt",
    "lp-classic/Celegans.txt",
]
LARGE = ["large/CA-HepPh.txt.gz", "large/PP-Pathways_ppi.csv.gz"]
# Regulators and targets, a worm's neurons, votes: these have a direction.
DIRECTED = re.compile(r"dream5/|.*(Celegans|Wikivote)\.txt")


@pytest.fixture
def folder(data_folder):
    if not data_folder.is_dir():
        pytest.skip(f"LINKPRIOR_DATA is {data_folder}, which is no folder: no real networks here")
    return data_folder


@pytest.mark.parametrize("name", COUNTS)
def test_a_network_has_the_counts_of_the_readme(folder, name):
    found = read(folder / name)
    assert (found.network.n_nodes, found.network.n_edges) == COUNTS[name]
    assert (found.network.degrees > 0).all()
    assert any("{} nodes, {} edges".format(*COUNTS[name]) in line for line in found.report.text())
    looks = found.report.looks
    assert any("looks directed" in look for look in looks) == bool(DIRECTED.match(name))
    assert not any("bipartite" in look for look in looks)


def test_these_are_the_counts_of_the_readme(folder):
    text = (folder / "README.md").read_text()
    said = {(int(nodes), int(edges)) for nodes, edges in re.findall(r"(\d+) / (\d+)", text)}
    assert set(COUNTS.values()) <= said


@pytest.mark.parametrize(
    "name", [*PLAIN, *(pytest.param(x, marks=pytest.mark.at_length) for x in LARGE)]
)
def test_with_isolated_nodes_every_name_is_kept(folder, name):
    raw = (folder / name).read_bytes()
    raw = gzip.decompress(raw) if name.endswith(".gz") else raw
    rows = [re.split(r"[\t, ]", line)[:2] for line in raw.decode().splitlines() if line]
    names = list(dict.fromkeys(end for row in rows for end in row))
    edges = {frozenset(row) for row in rows if row[0] != row[1]}
    found = read(folder / name, keep_isolated=True)
    assert list(found.network.names) == names
    assert found.network.n_edges == len(edges) == COUNTS[name][1]
    assert found.report.isolated == 0
    dropped = read(folder / name).report
    assert dropped.isolated == len(names) - COUNTS[name][0]
    assert dropped.self_loops == sum(a == b for a, b in rows)
