"""Names no table could show are refused by line; those of any script are names like others."""

import pytest
from tests.io.graph_files import problem, reading

INVISIBLE = [
    *(0x034F, 0x115F, 0x1160, 0x17B4, 0x200B, 0x202E, 0x3164, 0xFDD0, 0xFFA0, 0xFFF0, 0xFFFE),
    *(0xFFFF, 0xE0001, 0xE0041, 0xE007F),
]


@pytest.mark.parametrize("mark", INVISIBLE)
def test_invisible_characters_are_refused_by_line(tmp_path, mark):
    told = problem(tmp_path, "e.tsv", f"a\tb\nb\ta{chr(mark)}\n")
    assert told.startswith("e.tsv:2: the node name ")
    assert f"holds the invisible character U+{mark:04X}" in told
    assert told.isprintable()


@pytest.mark.parametrize(
    "name", ["می\u200cخواهم", "葛\U000e0100", "☎\ufe0f", "한글", "é", "e\u0301"]
)
def test_joiners_selectors_and_accents_belong_to_names(tmp_path, name):
    assert reading(tmp_path, "e.tsv", f"a\t{name}\n").network.names == ("a", name)
