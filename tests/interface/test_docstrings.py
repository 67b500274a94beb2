"""Every public name says what it expects and returns, and shows an example that runs."""

import doctest

import pytest
from tools.house import _complete, public

from linkprior.coverage import Coverage

# Public names without all their sections yet. It may only shrink: a name that is complete must
# leave the list.
UNDOCUMENTED = {
    "AdamicAdar",
    "AdamicAdar.assumption",
    "AdamicAdar.expected_hits",
    "AdamicAdar.explain",
    "AdamicAdar.fit",
    "AdamicAdar.get_params",
    "AdamicAdar.heeded",
    "AdamicAdar.parameter_names",
    "AdamicAdar.predict_edges",
    "AdamicAdar.probabilities",
    "AdamicAdar.save",
    "AdamicAdar.score_at",
    "AdamicAdar.score_pairs",
    "AdamicAdar.score_rows",
    "AdamicAdar.score_threshold",
    "AdamicAdar.set_params",
    "AdamicAdar.summary",
    "AdamicAdar.supported",
    "AdamicAdar.words",
    "Auto",
    "Auto.assumption",
    "Auto.expected_hits",
    "Auto.probabilities",
    "Auto.score_threshold",
    "Auto.summary",
    "Auto.without_prior",
    "BlockModel",
    "CH2L3",
    "CommonNeighbours",
    "Jaccard",
    "Katz",
    "L3",
    "L3N",
    "LocalRandomWalk",
    "MPS",
    "NuclearDegree",
    "NuclearDegree.summary",
    "NuclearDegree.without_prior",
    "PU",
    "PreferentialAttachment",
    "RNM",
    "Random",
    "Ranking",
    "Ranking.head",
    "Ranking.rows",
    "Ranking.to_frame",
    "Ranking.write",
    "ResourceAllocation",
    "SPM",
    "Tri",
    "Tri.summary",
    "TriDegree",
    "TriDegree.summary",
    "TriDegree.without_prior",
    "TriL1",
    "TriScale",
    "evaluate",
    "load",
    "load_run",
    "make",
    "nearby_pairs",
    "predict_links",
    "read_network",
    "tune",
    "use_dask",
    "use_device",
    "use_memory",
    "use_workers",
}

THINGS = dict(public()) | {
    f"Coverage.{name}": getattr(Coverage, name) for name in ("text", "to_dict")
}


def examples(name):
    """The examples of a name; those of a class's methods are found at the methods."""
    found = doctest.DocTestFinder(recurse=False).find(THINGS[name], name, globs={})
    return [one for one in found if one.examples]


@pytest.mark.parametrize("name", sorted(THINGS))
def test_a_public_name_has_its_sections(name):
    assert _complete(THINGS[name]) is (name not in UNDOCUMENTED)


def test_the_list_names_what_there_is():
    assert set(THINGS) >= UNDOCUMENTED


@pytest.mark.parametrize("name", [name for name in sorted(THINGS) if examples(name)])
def test_examples_run_and_show_what_they_print(name):
    report = []
    runner = doctest.DocTestRunner(verbose=False)
    for one in examples(name):
        runner.run(one, out=report.append)
    assert runner.failures == 0, "".join(report)
