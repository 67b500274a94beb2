"""Names, options, messages and lists that users rely on are those of the saved snapshot."""

import itertools
import re

import pytest
from tests.interface import snapshot

_NUMBER = re.compile(r"-?\d+\.\d+(?:e[-+]?\d+)?")
RENEW = "if the change is meant, run python -m tests.interface.snapshot --update"


@pytest.fixture(scope="module")
def now():
    return dict(snapshot.kept(snapshot.texts()))


@pytest.mark.parametrize("name", sorted(p.name for p in snapshot.SAVED.iterdir()))
def test_users_see_what_they_saw_before(now, name):
    before = (snapshot.SAVED / name).read_text("utf-8").splitlines()
    exact = 1e-5
    for old, new in itertools.zip_longest(before, now[name].splitlines(), fillvalue=""):
        assert _NUMBER.sub("#", old) == _NUMBER.sub("#", new), RENEW
        if new.startswith("$ "):
            # Sums may differ in their last digits between processors, and auto learns from many.
            exact = 5e-3 if "--effort" in new else 1e-5
        numbers, saved = ([float(x) for x in _NUMBER.findall(line)] for line in (new, old))
        assert numbers == pytest.approx(saved, rel=exact, abs=1e-12), RENEW


def test_nothing_new_is_left_unsaved(now):
    assert sorted(now) == sorted(path.name for path in snapshot.SAVED.iterdir()), RENEW
