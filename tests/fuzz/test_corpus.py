"""The kept corpus, the seeds and every input that once broke a promise: all as it should be.

No fuzzer is needed for this; what finds new inputs is `python -m fuzz`.
"""

import pytest
from fuzz.targets import TARGETS
from fuzz.verdict import judged

from fuzz import places


@pytest.fixture(scope="module")
def attempts():
    """Return what tries an input on a target; whatever it needs is made once."""
    made = {}
    with places.scratch() as place:

        def attempt(name):
            if name not in made:
                folder = place / name
                folder.mkdir()
                made[name] = TARGETS[name].make(folder)
            return made[name]

        yield attempt


@pytest.mark.parametrize("name", TARGETS)
def test_the_corpus_breaks_no_promise(attempts, name):
    inputs = places.kept(name)
    assert inputs, f"python -m fuzz --keep {name} makes a corpus"
    found = [(judged(attempts(name), data), data[:80]) for data in inputs]
    assert [one for one in found if one[0] is not None] == []


@pytest.mark.parametrize("name", TARGETS)
def test_seeds_and_former_findings_break_no_promise(attempts, name):
    inputs = [*TARGETS[name].seeds(), *places.inputs_in(places.REGRESSIONS / name)]
    found = [(judged(attempts(name), data), data[:80]) for data in inputs]
    assert [one for one in found if one[0] is not None] == []


@pytest.mark.parametrize("name", TARGETS)
def test_some_seed_is_read_to_its_end(attempts, name):
    """Else the target would try nothing but refusals."""
    for data in TARGETS[name].seeds():
        try:
            attempts(name)(data)
        except ValueError:
            continue
        return
    pytest.fail(f"no seed of {name} is read")


def test_every_file_of_the_corpus_belongs_to_a_target():
    assert {path.stem for path in places.KEPT.iterdir()} == set(TARGETS)


def test_inputs_come_back_from_their_lines_to_the_last_byte(tmp_path, monkeypatch):
    monkeypatch.setattr(places, "KEPT", tmp_path)
    inputs = [bytes(range(256)), b"", b"a\\n\n\r\x85\xe2\x80\xa8", "naïve".encode()]
    places.keep("edgelist", inputs)
    assert sorted(places.kept("edgelist")) == sorted(inputs)
    assert (tmp_path / "edgelist.txt").read_text().isascii()


def test_the_corpus_stays_small():
    assert sum(path.stat().st_size for path in places.KEPT.rglob("*")) < 1_500_000
