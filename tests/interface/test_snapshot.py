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
    for old, new in itertools.zip_longest(before, now[name].splitlines(), fillvalue=""):
        # Sums may differ in their last digits between processors.
        assert _NUMBER.sub("#", old) == _NUMBER.sub("#", new), RENEW
        numbers = [float(x) for x in _NUMBER.findall(new)]
        saved = [float(x) for x in _NUMBER.findall(old)]
        assert numbers == pytest.approx(saved, rel=1e-5, abs=2e-6), RENEW  # some lie near zero


def test_nothing_new_is_left_unsaved(now):
    assert sorted(now) == sorted(path.name for path in snapshot.SAVED.iterdir()), RENEW
