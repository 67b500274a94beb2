"""A reader with defects of every kind, and the process that fuzzes it: the fuzzer must find them.

python -m tests.fuzz.planted WORK SECONDS
"""

import sys
import time
import warnings
from pathlib import Path

from fuzz.readers import put
from fuzz.target import Target
from fuzz.verdict import WATCH

from fuzz import targets
from linkprior.errors import InputError


def defective(folder):
    """Return an attempt that breaks a promise for one first letter each."""

    def raises(data):
        raise KeyError(data)

    def tells_two_lines(data):
        raise InputError("one line\nand another")

    def writes(data):
        with WATCH.looking():
            put(folder / "written", data)

    def warns(data):
        warnings.warn("careless", RuntimeWarning, stacklevel=1)

    def takes_memory(data):
        bytearray(3 << 30)

    ways = {
        ord("K"): raises,
        ord("T"): tells_two_lines,
        ord("W"): writes,
        ord("R"): warns,
        ord("M"): takes_memory,
    }

    def attempt(data):
        if data[:1] == b"O":
            raise InputError("refused as it should be")
        if data[1:2] == b"K" and data[:1]:
            ways.get(data[0], lambda _: None)(data)

    return attempt


def hangs(folder):
    """Return an attempt that never comes back from one input."""

    def attempt(data):
        while data == b"HK":
            time.sleep(0.01)

    return attempt


PLANTED = {
    "planted": Target(
        "defects of every kind",
        defective,
        lambda: [b"OK", b"KO"],
        ("KK", "TK", "WK", "RK", "MK"),
    ),
    "hanging": Target("a hang", hangs, lambda: [b"HJ"], ("HK",)),
}


def main():
    from fuzz import child

    work, seconds, name = Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
    child.SECONDS_PER_INPUT = 2
    child.instrument()
    targets.TARGETS.update(PLANTED)
    flags = child._search(name, work, seconds, 1)
    sys.exit(child._forked(name, work, flags))


if __name__ == "__main__":
    main()
