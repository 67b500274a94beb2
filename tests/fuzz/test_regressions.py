"""What the fuzzer found, each by name; the inputs themselves lie in regressions/."""

import numpy as np
import pytest

import linkprior as lp
from linkprior.errors import InputError, LinkpriorError, StoreError, visible
from linkprior.io import store
from linkprior.io.collector import EdgeCollector
from linkprior.io.formats import ReadOptions
from linkprior.io.node_lists import read_names
from linkprior.io.read import read
from linkprior.io.readers.graphs import one_line
from linkprior.io.writers import write_ranking

CLEAR = "\x1b[2J"  # a terminal that obeys it is empty


def test_text_of_a_file_is_shown_and_not_obeyed():
    assert visible("naïve – plain") == "naïve – plain"
    assert visible(f"a{CLEAR}\n\u2028b") == r"a\x1b[2J\n\u2028b"


@pytest.mark.parametrize(
    ("name", "content", "options"),
    [
        ("e.tsv", f"source\ttarget\tx{CLEAR}\na\tb\t1\n", {"columns": ("p", "q")}),
        ("e.tsv", f"source\ttarget\tx{CLEAR}\na\tb\t1\n", {"weights": "p"}),
        (
            "e.txt",
            "#BioGRID Interaction ID\tEntrez Gene Interactor A\tEntrez Gene Interactor B\t"
            f"Organism Interactor A\tOrganism Interactor B\n1\t10\t20\t9{CLEAR}\t9{CLEAR}\n",
            {"organism": "rat"},
        ),
        (
            "e.mitab",
            "\t".join(["uniprotkb:P1", "uniprotkb:P2", *["-"] * 4, f"m{CLEAR}", *["-"] * 8]),
            {"systems": ("two hybrid",)},
        ),
    ],
)
def test_a_message_that_quotes_a_file_has_nothing_a_terminal_obeys(
    tmp_path, name, content, options
):
    (tmp_path / name).write_text(content)
    with pytest.raises(LinkpriorError, match=r"\\x1b\[2J") as refused:
        lp.read_network(tmp_path / name, **options)
    assert str(refused.value).isprintable()
    assert refused.value.__cause__ is None


def test_the_input_report_has_nothing_a_terminal_obeys(tmp_path):
    (tmp_path / "e.sif").write_text(f"a\tp{CLEAR}p\tb\n")
    lines = read(tmp_path / "e.sif").report.text()
    assert any(r"\x1b[2J" in line for line in lines)
    assert all(line.isprintable() for line in lines)
    found = EdgeCollector("e.net")
    found.note(f"sections that are not known are not read: {CLEAR}")
    assert found.notes == [r"sections that are not known are not read: \x1b[2J"]


def test_a_refused_list_keeps_its_kind_of_error(tmp_path):
    (tmp_path / "names.txt").write_text(f"a{CLEAR}\n")
    with pytest.raises(InputError) as refused:
        read_names(tmp_path / "names.txt")
    assert str(refused.value).isprintable()


def test_ends_lie_below_the_header_that_the_user_says_is_there(tmp_path):
    """Rows longer than it had their ends in a column without a name: a bare IndexError."""
    (tmp_path / "e.tsv").write_text("21\tg2\n1\tg2\tg3\n2\tg1\tg3\tg3\n")
    network = lp.read_network(tmp_path / "e.tsv", header=True)
    assert sorted(network.names) == ["1", "2", "g1", "g2"]


@pytest.mark.parametrize(
    ("array", "change", "told"),
    [
        ("state.U", lambda a: a.astype("complex64"), "is complex64, expected plain numbers"),
        ("state.Q", lambda a: a * float("inf"), "not finite"),
    ],
)
def test_arrays_of_no_plain_numbers_are_refused_without_a_warning(tmp_path, array, change, told):
    model = lp.make("tri-degree", n_starts=1, max_iter=2, warmup=2)
    model.fit(lp.planted_network(n_nodes=20, seed=1)).save(tmp_path / "model")
    manifest, arrays = store.read_model(tmp_path / "model")
    with np.errstate(all="ignore"):
        arrays[array] = change(arrays[array])
    store.write_model(tmp_path / "model", manifest, arrays)
    with pytest.raises(StoreError, match=told):
        lp.load(tmp_path / "model")


def test_a_row_of_mitab_without_a_weight_leaves_no_label_of_a_node_that_is_not_there(tmp_path):
    def row(a, b, alias, score):
        cells = [f"uniprotkb:{a}", f"uniprotkb:{b}", "-", "-", f"uniprotkb:{alias}(gene name)"]
        return "\t".join([*cells, *["-"] * 9, score])

    rows = [row("P1", "P2", "LOST", "score:0"), row("P3", "P4", "KEPT", "score:0.5")]
    (tmp_path / "e.mitab").write_text("\n".join(rows) + "\n")
    found = read(tmp_path / "e.mitab", options=ReadOptions(weights="score"))
    assert sorted(found.network.names) == ["P3", "P4"]
    assert found.labels == {"P3": "KEPT"}


def test_blanks_inside_a_name_come_back_from_graphml(tmp_path):
    """They were made one; a break of lines still is."""
    (tmp_path / "e.tsv").write_text("a   b\tc\nc\td\nd\te\n")
    network = lp.read_network(tmp_path / "e.tsv")
    with (tmp_path / "n.graphml").open("w") as stream:
        write_ranking(stream, lp.make("pa").fit(network).predict_edges(3), "graphml", network)
    assert sorted(lp.read_network(tmp_path / "n.graphml").names) == ["a   b", "c", "d", "e"]
    many = " " * 500_000  # once the time grew by the square of their number
    for text, name in [
        ("a\nb", "a b"),
        (" a \r\n\t b ", "a b"),
        ("\xa0a  b\n", "a  b"),
        (f"a{many}\n{many}b{many}c", f"a b{many}c"),
    ]:
        assert one_line(text) == name


def test_names_that_differ_by_blanks_alone_are_no_two_nodes_of_one_id(tmp_path):
    edges = '<edge source="0" target="1"/>'
    for second, labels in [
        ("heat shock", {"0": "heat\xa0shock", "1": "heat\xa0shock"}),
        ("x", None),
    ]:
        nodes = [("0", "heat\xa0shock"), ("0", second), ("1", "heat\xa0shock")]
        listed = "".join(
            f'<node id="{at}"><data key="k">{name}</data></node>' for at, name in nodes
        )
        (tmp_path / "n.graphml").write_text(
            '<graphml><key id="k" for="node" attr.name="name"/><graph edgedefault="undirected">'
            f"{listed}{edges}</graph></graphml>",
            encoding="utf-8",
        )
        if labels is None:
            with pytest.raises(InputError, match="is that of two nodes"):
                read(tmp_path / "n.graphml")
        else:
            assert read(tmp_path / "n.graphml").labels == labels
